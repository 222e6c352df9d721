//! How fast whole programs are generated, and what they are like.

use std::io::Write;
use std::time::{Duration, Instant};

use pathsmith_generate::link::{LinkStats, Linked};
use pathsmith_generate::{
    GenConfig, ProgramError, generate_pool, generate_program, program_from_pool,
};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

use super::{Args, WIDTH};
use crate::errors::Failure;
use crate::output::written;

/// How many functions the pool has.
const POOL: usize = 1_000;

const HEADINGS: [&str; 9] =
    ["per s", "recursive", "in loops", "functions", "run", "guards", "calls", "calls run", "steps"];

/// Prints two rows for each dialect: programs from a pool, and from functions of their own.
pub(super) fn table(
    args: &Args,
    config: &GenConfig,
    dialects: &[Dialect],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    written(write!(out, "programs of {} functions\n{:<22}", config.link.functions, ""))?;
    for heading in HEADINGS {
        written(write!(out, "{heading:>WIDTH$}"))?;
    }
    written(writeln!(out))?;
    let seed = Seed::new(args.seed);
    for dialect in dialects {
        let pool = generate_pool(config, *dialect, seed, POOL.max(config.link.functions as usize))
            .map_err(failed)?;
        let pooled = |number| Ok(program_from_pool(config, &pool, seed, number)?);
        row(args, &format!("from a pool, {dialect}"), pooled, out)?;
        let fresh = |number| generate_program(config, *dialect, seed, number);
        row(args, &format!("fresh, {dialect}"), fresh, out)?;
    }
    written(writeln!(out))
}

fn failed(error: ProgramError) -> Failure {
    Failure::Input(format!("a program cannot be generated: {error}"))
}

fn row(
    args: &Args,
    name: &str,
    make: impl Fn(u64) -> Result<Linked, ProgramError>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut stats = LinkStats::default();
    let mut spent = Duration::ZERO;
    let mut number = 0;
    while spent.as_secs_f64() < args.time {
        let started = Instant::now();
        let linked = make(number);
        spent += started.elapsed();
        stats.add(&linked.map_err(failed)?);
        number += 1;
    }
    let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
    let cells = [
        format!("{:.0}", number as f64 / spent.as_secs_f64()),
        format!("{:.1}%", share(stats.n_recursive, stats.n_programs)),
        format!("{:.1}%", share(stats.n_in_loops, stats.n_programs)),
        format!("{:.1}", stats.n_functions as f64 / stats.n_programs.max(1) as f64),
        format!("{:.1}%", share(stats.n_functions_run, stats.n_functions)),
        format!("{:.1}", stats.guards.mean()),
        format!("{:.1}", stats.calls.mean()),
        format!("{:.1}", stats.calls_run.mean()),
        format!("{:.1}", stats.steps.mean()),
    ];
    written(write!(out, "{name:<22}"))?;
    for cell in cells {
        written(write!(out, "{cell:>WIDTH$}"))?;
    }
    written(writeln!(out))
}

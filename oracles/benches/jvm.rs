//! How many functions a second JVMs are given: many to one JVM, and a JVM for each.
//!
//! `cargo bench -p pathsmith-oracles --bench jvm` prints a table. Both ways are taken in turn, in
//! one run, so that their ratio holds on a machine that is busy with other things too.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints")]

use std::error::Error;
use std::time::{Duration, Instant};

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_jvm::{JvmBackend, JvmClasses, JvmStyle};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_oracles::jvm::{DEFAULT_WARMUP, JavaMachine, JvmOracle, JvmSetting, JvmTarget};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, Oracle, Verdict};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;

const FUNCTIONS_PER_PROGRAM: u64 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    // Without it, this is a test of whether the benchmark works at all.
    let is_measured = std::env::args().any(|arg| arg == "--bench");
    let n_rounds = if is_measured { 10 } else { 1 };
    let Some(machine) = JavaMachine::found(&Stop::new())?.into_iter().next() else {
        eprintln!("skipped: there is no `java` on this machine");
        return Ok(());
    };
    println!("{}\n", machine.version);
    println!("| setting | functions/s | realizations/s | a JVM each, functions/s | ratio |");
    println!("| --- | --- | --- | --- | --- |");
    // Seconds for a function that goes through all settings, as it does in a campaign.
    let (mut all_together, mut all_alone) = (0.0, 0.0);
    for setting in JvmSetting::built_in(&machine, DEFAULT_WARMUP) {
        let target = JvmTarget { machine: machine.clone(), setting };
        let row = measure(&target, n_rounds)?;
        let rate = |n: u64, time: Duration| n as f64 / time.as_secs_f64();
        let together = rate(row.n_functions, row.together);
        let alone = rate(row.n_alone, row.alone);
        all_together += 1.0 / together;
        all_alone += 1.0 / alone;
        println!(
            "| {} | {together:.1} | {:.0} | {alone:.2} | {:.1} |",
            target.setting.name,
            rate(row.n_realizations, row.together),
            together / alone,
        );
    }
    println!(
        "| all, one after the other | {:.1} | | {:.2} | {:.1} |",
        1.0 / all_together,
        1.0 / all_alone,
        all_alone / all_together,
    );
    Ok(())
}

#[derive(Default)]
struct Row {
    n_functions: u64,
    n_realizations: u64,
    together: Duration,
    n_alone: u64,
    alone: Duration,
}

/// In each round, a program of many functions goes to a JVM that has been running for a while, and
/// one of its functions to a JVM of its own.
fn measure(target: &JvmTarget, n_rounds: u64) -> Result<Row, Box<dyn Error>> {
    let mut shared = JvmOracle::new(Stop::new())?;
    let mut own = JvmOracle::new(Stop::new())?;
    let mut row = Row::default();
    run(&mut shared, &classes(0..1)?, target, false)?;
    for round in 1..=n_rounds {
        let first = round * FUNCTIONS_PER_PROGRAM;
        let program = classes(first..first + FUNCTIONS_PER_PROGRAM)?;
        let begun = Instant::now();
        run(&mut shared, &program, target, false)?;
        row.together += begun.elapsed();
        row.n_functions += program.methods.len() as u64;
        row.n_realizations += program.calls.len() as u64;
        let one = classes(first..first + 1)?;
        let begun = Instant::now();
        run(&mut own, &one, target, true)?;
        row.alone += begun.elapsed();
        row.n_alone += 1;
    }
    Ok(row)
}

fn run(
    oracle: &mut JvmOracle,
    classes: &JvmClasses,
    target: &JvmTarget,
    fresh: bool,
) -> Result<(), Box<dyn Error>> {
    let limits = Limits::default();
    let report = match fresh {
        true => oracle.run_fresh(classes, target, &limits)?,
        false => oracle.run(classes, target, &limits)?,
    };
    match report.verdict {
        Verdict::Agrees => Ok(()),
        verdict => Err(format!("{}: {verdict}: {report:?}", target.setting.name).into()),
    }
}

fn classes(numbers: std::ops::Range<u64>) -> Result<JvmClasses, Box<dyn Error>> {
    let mut program = Program { dialect: Some(Dialect::Jvm), ..Program::default() };
    for number in numbers {
        let leaf = generate_leaf(&GenConfig::default(), Dialect::Jvm, Seed::new(0), number)
            .map_err(|_| format!("function {number} is unsolved"))?;
        program.append(&leaf.program);
    }
    let options = JvmStyle::default().choose(&program, &mut Seed::new(1).rng());
    Ok(JvmBackend.lower(&program, &options)?)
}

//! `pathsmith bench`

mod programs;

use std::io::Write;
use std::time::{Duration, Instant};

use pathsmith_generate::policy::Policies;
use pathsmith_generate::shape::{Iterations, WalkMode, WalkOptions};
use pathsmith_generate::solve::EngineChoice;
use pathsmith_generate::{GenConfig, LeafStats, ObserveOptions, generate_leaf};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

use crate::config::{ConfigArgs, Preset};
use crate::errors::Failure;
use crate::output::{OutputArgs, written};
use crate::parallel::Progress;

/// Measure how fast functions are generated, and what they are like
///
/// Prints a table with a row for each preset and dialect, like Table 3 of the REIFY paper, then how
/// speed and size change with the number of blocks and variables and the length of the path, like
/// its Figure 7. One thread; the times are of generating functions only, realizations included. The last
/// table is about whole programs, from a pool of functions and from functions of their own; their
/// times include running them.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many seconds each row may take
    #[arg(short, long, value_name = "SECONDS", default_value_t = 2.0)]
    time: f64,

    /// Measure only the config that is given, in this dialect
    #[arg(short, long)]
    dialect: Option<Dialect>,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    output: OutputArgs,
}

/// One row: a name and what is measured.
struct Row {
    name: String,
    config: GenConfig,
    dialect: Dialect,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if !(args.time.is_finite() && args.time > 0.0) {
        return Err(Failure::Usage(format!("--time is {}, but has to be positive", args.time)));
    }
    let given = args.config.load()?;
    args.output.write(|out| {
        if let Some(dialect) = args.dialect {
            let row = Row { name: "as given".to_owned(), config: given, dialect };
            table(args, "the config that was given", std::slice::from_ref(&row), out)?;
            return programs::table(args, &row.config, &[dialect], out);
        }
        table(args, "presets and dialects", &presets(), out)?;
        table(args, "longer paths: loops of 5 and more iterations", &long_paths(), out)?;
        table(args, "blocks", &scaled(&given, "blocks", &[5, 10, 15, 20, 30, 40]), out)?;
        table(args, "variables", &scaled(&given, "vars", &[2, 4, 8, 16, 32]), out)?;
        let steps = scaled(&given, "steps", &[10, 30, 100, 300, 1000]);
        table(args, "length of the path", &steps, out)?;
        programs::table(args, &given, &Dialect::ALL, out)
    })
}

fn presets() -> Vec<Row> {
    let row = |name: &str, preset: Preset, dialect| Row {
        name: format!("{name}, {dialect}"),
        config: preset.config(),
        dialect,
    };
    let mut rows = vec![row("paper", Preset::Paper, Dialect::C)];
    rows.extend(Dialect::ALL.map(|dialect| without_policies(row("full", Preset::Full, dialect))));
    rows.extend(Dialect::ALL.map(|dialect| {
        let mut row = row("policies", Preset::Full, dialect);
        row.config.template.share = 0.0;
        row
    }));
    rows.extend(Dialect::ALL.map(|dialect| row("templates", Preset::Full, dialect)));
    for (name, preset) in [("paper by Z3", Preset::Paper), ("full by Z3", Preset::Full)] {
        let mut z3 = without_policies(row(name, preset, Dialect::C));
        z3.config.solve.engine = EngineChoice::Smt;
        rows.push(z3);
    }
    rows
}

/// The language with its sizes as they are set, which policies would lower, and templates ignore.
fn without_policies(mut row: Row) -> Row {
    row.config.policy = Policies::none();
    row.config.template.share = 0.0;
    row.config.observe = ObserveOptions::everything();
    row
}

fn long_paths() -> Vec<Row> {
    let row = |preset: Preset, name: &str, steps: u32| {
        let config = GenConfig { walk: long_walk(steps), ..preset.config() };
        let name = format!("{name}, {steps} steps");
        without_policies(Row { name, config, dialect: Dialect::C })
    };
    vec![
        row(Preset::Paper, "paper", 100),
        row(Preset::Paper, "paper", 1000),
        row(Preset::Full, "full", 100),
        row(Preset::Full, "full", 1000),
    ]
}

/// Walks of so many steps through loops of five and more iterations.
fn long_walk(steps: u32) -> WalkOptions {
    WalkOptions {
        mode: WalkMode::Loops,
        min_len: steps,
        max_len: steps,
        iterations: Iterations::LogUniform { low: 5, high: (steps / 2).max(5) },
    }
}

fn scaled(given: &GenConfig, what: &str, sizes: &[u32]) -> Vec<Row> {
    let row = |size: u32| {
        let mut config = given.clone();
        match what {
            "blocks" => config.graph.blocks = size,
            "vars" => config.sketch.vars = size,
            _ => config.walk = long_walk(size),
        }
        without_policies(Row { name: format!("{size} {what}"), config, dialect: Dialect::C })
    };
    sizes.iter().map(|size| row(*size)).collect()
}

/// `time out`: the budget, which for Z3 is mostly time, ran out. `blocks on` are the different
/// blocks on the path, `loops` the mean iterations of a loop on it.
const HEADINGS: [&str; 15] = [
    "solved",
    "time out",
    "gave up",
    "per s",
    "tokens",
    "blocks",
    "jumps",
    "steps",
    "p90",
    "blocks on",
    "loops",
    "realiz.",
    "paths",
    "0, ±1",
    "encoded",
];

const WIDTH: usize = 10;

fn table(args: &Args, title: &str, rows: &[Row], out: &mut dyn Write) -> Result<(), Failure> {
    written(write!(out, "{title}\n{:<22}", ""))?;
    for heading in HEADINGS {
        written(write!(out, "{heading:>WIDTH$}"))?;
    }
    written(writeln!(out))?;
    for row in rows {
        let (stats, seconds) = measure(args, row);
        let share = |part: u64, whole: u64| 100.0 * part as f64 / whole.max(1) as f64;
        let n_all = stats.n_solved + stats.n_out_of_fuel + stats.n_gave_up;
        let cells = [
            format!("{:.2}%", 100.0 * stats.solved_share()),
            stats.n_out_of_fuel.to_string(),
            stats.n_gave_up.to_string(),
            format!("{:.0}", n_all as f64 / seconds),
            format!("{:.0}", stats.tokens.mean()),
            format!("{:.1}", stats.blocks.mean()),
            format!("{:.1}", stats.jumps.mean()),
            format!("{:.1}", stats.shapes.steps.mean()),
            stats.shapes.steps.percentile(90).to_string(),
            format!("{:.1}", stats.shapes.distinct.mean()),
            format!("{:.1}", stats.shapes.iterations.mean()),
            format!("{:.1}", stats.realizations.mean()),
            format!("{:.1}", stats.paths.mean()),
            format!("{:.1}%", share(stats.n_trivial, stats.n_constants)),
            format!("{:.0}%", share(stats.n_encoded, stats.n_two_way)),
        ];
        written(write!(out, "{:<22}", row.name))?;
        for cell in cells {
            written(write!(out, "{cell:>WIDTH$}"))?;
        }
        written(writeln!(out))?;
    }
    written(writeln!(out))
}

/// Generates functions for the time that a row may take; returns what they are like, and how
/// many seconds that took.
fn measure(args: &Args, row: &Row) -> (LeafStats, f64) {
    let seed = Seed::new(args.seed);
    let mut progress = Progress::new();
    let mut stats = LeafStats::default();
    let mut spent = Duration::ZERO;
    let mut number = 0;
    while spent.as_secs_f64() < args.time {
        let started = Instant::now();
        let result = generate_leaf(&row.config, row.dialect, seed, number);
        spent += started.elapsed();
        stats.add(&result);
        number += 1;
        progress.show(|| format!("{}: {number} functions", row.name));
    }
    progress.clear();
    (stats, spent.as_secs_f64())
}

//! `pathsmith gen`

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use pathsmith_core::Seed;
use pathsmith_core::generate::{Leaf, Unsolved, generate_leaf};
use pathsmith_core::lang::Program;
use pathsmith_core::semantics::Dialect;

use crate::config::{ConfigArgs, to_toml};
use crate::errors::{Failure, note};
use crate::output::{OutputArgs, written};
use crate::parallel::{Progress, in_order, n_jobs};

/// Make functions that take a given path to a known output
///
/// Each function has its own random graph and path; constants are found that make it walk the path
/// without leaving what the dialect defines, and further inputs whose path and output are known
/// too. The same seed, config and dialect give the same bytes, with any number of threads.
///
/// Examples:
///   pathsmith gen --seed 7
///   pathsmith gen --count 1000 --dialect wasm --dir functions
///   pathsmith gen --preset paper --set walk.mode=loops --set walk.min_len=100
///   pathsmith gen --print-config > pathsmith.toml
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Where all randomness comes from
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many functions to make
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    count: u64,

    /// The rules of definedness: c, wasm or jvm
    #[arg(short, long, default_value_t = Dialect::C)]
    dialect: Dialect,

    /// How many threads to use [default: one for each core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Write each function to a file of its own in FOLDER, which is made if it is not there
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    dir: Option<PathBuf>,

    /// Print the config that would be used, and make nothing
    #[arg(long)]
    print_config: bool,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let config = args.config.load()?;
    if args.print_config {
        return args.output.write_text(&to_toml(&config)?);
    }
    let mut tally = Tally { n_solved: 0, unsolved: Vec::new(), progress: Progress::new() };
    let seed = Seed::new(args.seed);
    let make = |number| generate_leaf(&config, args.dialect, seed, number);
    let n_jobs = n_jobs(args.jobs);
    match &args.dir {
        Some(dir) => {
            std::fs::create_dir_all(dir).map_err(|source| {
                Failure::io(format!("cannot make the folder {}", dir.display()), source)
            })?;
            in_order(args.count, n_jobs, make, |number, result| match tally.add(number, result) {
                Some(leaf) => write_file(dir, number, &leaf.program),
                None => Ok(()),
            })?;
        }
        None => args.output.write(|out| {
            written(writeln!(out, "dialect {};", args.dialect))?;
            in_order(args.count, n_jobs, make, |number, result| match tally.add(number, result) {
                // The dialect stands at the top already.
                Some(leaf) => written(write!(out, "{}", Program { dialect: None, ..leaf.program })),
                None => Ok(()),
            })
        })?,
    }
    tally.finish(args.count)
}

/// A file of its own, whole or not at all.
fn write_file(dir: &Path, number: u64, program: &Program) -> Result<(), Failure> {
    let path = dir.join(format!("f{number}.sym"));
    OutputArgs::to(path).write_text(&program.to_string())
}

/// What was made so far.
struct Tally {
    n_solved: u64,
    unsolved: Vec<(u64, Box<Unsolved>)>,
    progress: Progress,
}

impl Tally {
    fn add(&mut self, number: u64, result: Result<Leaf, Box<Unsolved>>) -> Option<Leaf> {
        let leaf = match result {
            Ok(leaf) => {
                self.n_solved += 1;
                Some(leaf)
            }
            Err(unsolved) => {
                self.unsolved.push((number, unsolved));
                None
            }
        };
        let (n_solved, n_unsolved) = (self.n_solved, self.unsolved.len());
        let rate = n_solved as f64 / self.progress.seconds().max(1e-9);
        self.progress
            .show(|| format!("{n_solved} functions, {rate:.0} per second, {n_unsolved} unsolved"));
        leaf
    }

    fn finish(mut self, count: u64) -> Result<(), Failure> {
        self.progress.clear();
        for (number, unsolved) in self.unsolved.iter().take(20) {
            let gave_up = &unsolved.gave_up;
            let function = &unsolved.program.functions[0];
            let block = &function.block(gave_up.block).name;
            note(&format!(
                "function {number} is unsolved: block {block}, step {}: {}",
                gave_up.step, gave_up.why
            ));
        }
        if self.unsolved.is_empty() {
            return Ok(());
        }
        note(&format!("{} of {count} functions are unsolved", self.unsolved.len()));
        Err(Failure::No)
    }
}

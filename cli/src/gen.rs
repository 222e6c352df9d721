//! `pathsmith gen`

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use pathsmith_generate::link::Pool;
use pathsmith_generate::{
    GenConfig, ProgramError, Unsolved, generate_leaf, generate_pool, generate_program,
    program_from_pool,
};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;

use crate::config::{ConfigArgs, to_toml};
use crate::errors::{Failure, note};
use crate::output::{OutputArgs, written};
use crate::parallel::{Progress, in_order, n_jobs, parse_jobs};

/// Generate functions that take a known path to a known output
///
/// Each function has its own random graph and path. The solver finds constants with which it takes
/// the path without undefined behaviour, and further inputs whose path and output are known too. The
/// same seed, config and dialect yield the same bytes, with any number of threads.
///
/// With --functions, generates whole programs, in which functions call each other.
///
/// Examples:
///   pathsmith gen --seed 7
///   pathsmith gen --count 1000 --dialect wasm --dir functions
///   pathsmith gen --functions 10 --seed 7
///   pathsmith gen --preset paper --set walk.mode=loops --set walk.min_len=100
///   pathsmith gen --print-config > pathsmith.toml
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many functions or programs to generate
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    count: u64,

    /// Make programs of N functions each, not counting recursion guards
    #[arg(short, long, value_name = "N")]
    functions: Option<u32>,

    /// Generate all programs from the same pool of SIZE functions, and not each from its own
    #[arg(long, value_name = "SIZE", requires = "functions")]
    pool: Option<usize>,

    /// The dialect that decides what is undefined: c, wasm or jvm
    #[arg(short, long, default_value_t = Dialect::C)]
    dialect: Dialect,

    /// How many threads to use [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<NonZeroUsize>,

    /// Write each function or program to a file of its own in FOLDER, which is created if it is not there
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    dir: Option<PathBuf>,

    /// Print the config that would be used, and generate nothing
    #[arg(long)]
    print_config: bool,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut config = args.config.load()?;
    if let Some(functions) = args.functions {
        config.link.functions = functions;
        config.validate().map_err(|error| Failure::Usage(error.to_string()))?;
    }
    if args.print_config {
        return args.output.write_text(&to_toml(&config)?);
    }
    let maker = Maker::new(args, config)?;
    let mut tally = Tally {
        n_made: 0,
        unsolved: Vec::new(),
        what: if args.functions.is_some() { "program" } else { "function" },
        progress: Progress::new(),
    };
    let make = |number| maker.make(number);
    let n_jobs = n_jobs(args.jobs);
    match &args.dir {
        Some(dir) => {
            std::fs::create_dir_all(dir).map_err(|source| {
                Failure::io(format!("cannot create the folder {}", dir.display()), source)
            })?;
            in_order(args.count, n_jobs, make, |number, made| match tally.add(number, made) {
                Some(program) => write_file(dir, number, &program),
                None => Ok(()),
            })?;
        }
        None => args.output.write(|out| {
            written(writeln!(out, "dialect {};", args.dialect))?;
            in_order(args.count, n_jobs, make, |number, made| match tally.add(number, made) {
                Some(program) => {
                    // The dialect stands at the top already, and there is one `main` at most.
                    let main = program.main.filter(|_| args.count == 1);
                    written(write!(out, "{}", Program { dialect: None, main, ..program }))
                }
                None => Ok(()),
            })
        })?,
    }
    tally.finish(args.count)
}

/// What makes functions or programs by their numbers.
struct Maker {
    config: GenConfig,
    dialect: Dialect,
    seed: Seed,
    is_whole: bool,
    pool: Option<Pool>,
}

impl Maker {
    fn new(args: &Args, config: GenConfig) -> Result<Self, Failure> {
        let (dialect, seed) = (args.dialect, Seed::new(args.seed));
        let needed = config.link.functions as usize;
        if let Some(size) = args.pool.filter(|size| *size < needed) {
            let message = format!("--pool is {size}, but programs have {needed} functions");
            return Err(Failure::Usage(message));
        }
        let pool = match args.pool {
            Some(size) => Some(
                generate_pool(&config, dialect, seed, size)
                    .map_err(|error| Failure::Input(error.to_string()))?,
            ),
            None => None,
        };
        Ok(Self { config, dialect, seed, is_whole: args.functions.is_some(), pool })
    }

    /// The program, or why there is none.
    fn make(&self, number: u64) -> Result<Program, String> {
        let Self { config, dialect, seed, is_whole, pool } = self;
        let linked = match pool {
            Some(pool) => {
                program_from_pool(config, pool, *seed, number).map_err(ProgramError::from)
            }
            None if *is_whole => generate_program(config, *dialect, *seed, number),
            None => {
                let leaf = generate_leaf(config, *dialect, *seed, number);
                return leaf.map(|leaf| leaf.program).map_err(|unsolved| why(&unsolved));
            }
        };
        linked.map(|linked| linked.program).map_err(|error| error.to_string())
    }
}

/// Where solving a function was given up, and why.
pub(crate) fn why(unsolved: &Unsolved) -> String {
    let gave_up = &unsolved.gave_up;
    let block = &unsolved.program.functions[0].block(gave_up.block).name;
    format!("block {block}, step {}: {}", gave_up.step, gave_up.why)
}

/// A file of its own, whole or not at all.
fn write_file(dir: &Path, number: u64, program: &Program) -> Result<(), Failure> {
    let path = dir.join(format!("f{number}.sym"));
    OutputArgs::to(path).write_text(&program.to_string())
}

/// What was generated so far.
struct Tally {
    n_made: u64,
    unsolved: Vec<(u64, String)>,
    what: &'static str,
    progress: Progress,
}

impl Tally {
    fn add(&mut self, number: u64, made: Result<Program, String>) -> Option<Program> {
        let program = match made {
            Ok(program) => {
                self.n_made += 1;
                Some(program)
            }
            Err(why) => {
                self.unsolved.push((number, why));
                None
            }
        };
        let (n_made, n_unsolved, what) = (self.n_made, self.unsolved.len(), self.what);
        let rate = n_made as f64 / self.progress.seconds().max(1e-9);
        self.progress.show(|| format!("{n_made} {what}s, {rate:.0}/s, {n_unsolved} unsolved"));
        program
    }

    fn finish(mut self, count: u64) -> Result<(), Failure> {
        self.progress.clear();
        let what = self.what;
        for (number, why) in self.unsolved.iter().take(20) {
            note(&format!("{what} {number} is unsolved: {why}"));
        }
        if self.unsolved.is_empty() {
            return Ok(());
        }
        note(&format!("{} of {count} {what}s are unsolved", self.unsolved.len()));
        Err(Failure::NegativeResult)
    }
}

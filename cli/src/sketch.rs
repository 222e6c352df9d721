//! `pathsmith sketch`

use std::num::NonZeroUsize;
use std::path::PathBuf;

use pathsmith_generate::generate_sketch;
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

use crate::config::ConfigArgs;
use crate::errors::Failure;
use crate::output::{OutputArgs, written};
use crate::parallel::{in_order, n_jobs, parse_jobs};

/// Make sketches: functions with holes, and the paths that they are to take
///
/// This is `pathsmith gen` up to the solver. Each line of the output is a JSON object with all that
/// the next stage needs: the function with its holes, its path, the knobs that it was drawn with
/// and its RNG seed. `pathsmith solve` completes it to the function that `pathsmith gen` generates
/// for the same seed, config and dialect.
///
/// Examples:
///   pathsmith sketch --seed 7
///   pathsmith sketch --seed 7 --count 10 | pathsmith solve -
///   pathsmith sketch --count 100 --dialect wasm --dir sketches
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many sketches to make
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    count: u64,

    /// The dialect that decides what is undefined: c, wasm or jvm
    #[arg(short, long, default_value_t = Dialect::C)]
    dialect: Dialect,

    /// How many threads to use [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<NonZeroUsize>,

    /// Write each sketch to a file of its own in FOLDER, which is created if needed
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let config = args.config.load()?;
    let seed = Seed::new(args.seed);
    let make = |number| generate_sketch(&config, args.dialect, seed, number).to_json_line();
    let n_jobs = n_jobs(args.jobs);
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir).map_err(|source| {
            Failure::io(format!("cannot create the folder {}", dir.display()), source)
        })?;
        return in_order(args.count, n_jobs, make, |number, line| {
            OutputArgs::to(dir.join(format!("f{number}.json"))).write_text(&format!("{line}\n"))
        });
    }
    args.output
        .write(|out| in_order(args.count, n_jobs, make, |_, line| written(writeln!(out, "{line}"))))
}

//! `pathsmith diff`

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pathsmith_campaign::Env;
use pathsmith_campaign::review::{
    GenSettings, Lowering, Request, ReviewError, SavedOutput, SeedRange, Side, compare, page, save,
    text,
};
use pathsmith_oracles::PathsmithBinary;
use pathsmith_symlang::dialect::Dialect;

use crate::config::ConfigArgs;
use crate::errors::{Failure, note};
use crate::fuzz::env;
use crate::output::OutputArgs;
use crate::parallel::{Progress, n_jobs, parse_jobs};

/// Show what a change of pathsmith does to generated code
///
/// Generates and lowers the function of each seed with two builds of pathsmith, and compares
/// SYMLANG, C, WAT and class listings. A side is a pathsmith binary, or a folder that --save has
/// written; NEW, and OLD too, may be left out and are this binary. Both sides get the same options.
/// The differences are printed; --html writes them as a page as well.
///
/// Exits with 0 if nothing changed, 1 if something did, 2 if a binary is not pathsmith or rejects an
/// option, and 5 if one crashes, hangs or floods its output.
///
/// Examples:
///   pathsmith diff old/pathsmith --seeds 0..99
///   pathsmith diff old/pathsmith new/pathsmith --seeds 0..99 --html diff.html
///   pathsmith diff --save before --seeds 0..99 --set sketch.vars=4
///   pathsmith diff before
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The old side: a pathsmith binary, or a folder that --save has written [default: this binary]
    old: Option<PathBuf>,

    /// The new side [default: this binary]
    #[arg(conflicts_with = "save")]
    new: Option<PathBuf>,

    /// RNG seeds, such as 7 or 0..99 with both ends included; saved output has its own
    #[arg(short, long, value_name = "A..B")]
    seeds: Option<SeedRange>,

    /// Save what OLD generates in FOLDER, to be compared later, and compare nothing
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["html", "most"])]
    save: Option<PathBuf>,

    /// Write the differences to FILE as a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Show the differences of at most N functions in each form
    #[arg(short, long, value_name = "N", default_value_t = 10)]
    most: usize,

    /// Dialects, separated by commas: c, wasm, jvm; each comes with its target language
    /// [default: all]
    #[arg(short, long, value_name = "LIST", value_delimiter = ',')]
    dialect: Vec<Dialect>,

    /// Compare programs of N functions each, not counting recursion guards
    #[arg(short, long, value_name = "N")]
    functions: Option<u32>,

    /// Lower with the default options instead of options drawn from the seed
    #[arg(long)]
    default_lowering: bool,

    /// How long one run of a binary may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// How many binaries to run at a time [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<NonZeroUsize>,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let env = env()?;
    let settings = GenSettings { functions: args.functions, ..args.config.to_gen_settings()? };
    let request = Request {
        seeds: args.seeds,
        dialects: args.dialect.clone(),
        lowering: args.default_lowering.then_some(Lowering::Default),
        settings,
    };
    let old = open(args.old.as_deref(), args, &env)?;
    let n_jobs = n_jobs(args.jobs);
    let mut progress = Progress::new();
    if let Some(folder) = &args.save {
        let recipe = request.recipe(&[&old])?;
        let n_seeds = recipe.seeds.n_seeds();
        let saved = save(&old, &recipe, folder, n_jobs, |n| {
            progress.show(|| format!("{n} of {n_seeds} seeds"));
        });
        progress.clear();
        saved?;
        note(&format!("saved seeds {} in {}", recipe.seeds, folder.display()));
        return Ok(());
    }
    let new = open(args.new.as_deref(), args, &env)?;
    let recipe = request.recipe(&[&old, &new])?;
    let n_seeds = recipe.seeds.n_seeds();
    let review = compare(&old, &new, &recipe, args.most, n_jobs, |n| {
        progress.show(|| format!("{n} of {n_seeds} seeds"));
    });
    progress.clear();
    let review = review?;
    if let Some(path) = &args.html {
        OutputArgs::to(path.clone()).write_text(&page(&review))?;
    }
    args.output.write_text(&text(&review))?;
    if review.has_changes() { Err(Failure::NegativeResult) } else { Ok(()) }
}

/// A side: a folder is saved output, all else is a binary.
fn open(path: Option<&Path>, args: &Args, env: &Env) -> Result<Side, Failure> {
    if let Some(folder) = path.filter(|path| path.is_dir()) {
        return Ok(Side::Saved(SavedOutput::open(folder)?));
    }
    let name = path.map_or("this binary".to_owned(), |path| path.display().to_string());
    let time = Duration::from_secs(args.timeout);
    let binary = PathsmithBinary::open(path.unwrap_or(&env.program), time, env.stop.clone());
    Ok(Side::Binary { binary: binary.map_err(ReviewError::from)?, name })
}

//! `pathsmith mutate`

use std::path::PathBuf;

use pathsmith_mutate::{MutateConfig, Mutation, Mutator, Rejections, TRANSFORMS, Weights};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::Program;

use crate::config::{MutateConfigArgs, to_toml};
use crate::errors::{Failure, note};
use crate::input::Input;
use crate::options::RunOptions;
use crate::output::OutputArgs;
use crate::realizations::holding;

/// Make variants of programs that do the same in another way
///
/// A transform changes the code that a program runs, or code that it never runs, guided by its value
/// profile (see `pathsmith profile`), and keeps the outputs of all realizations. The interpreter runs
/// every variant before it is written; a variant with another output would be a bug of pathsmith. The
/// programs need realizations that hold, as those of `pathsmith gen` do. docs/mutation.md describes
/// the transforms.
///
/// The exit code is 1 if no transform applies.
///
/// Examples:
///   pathsmith mutate docs/examples/figure1.sym --seed 3
///   pathsmith gen --seed 7 | pathsmith mutate - --transforms live-block,twin --times 4
///   pathsmith mutate docs/examples/figure1.sym --count 100 --dir variants
///   pathsmith mutate --list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A SYMLANG program, or - for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["list", "print_config"])]
    file: Option<Input>,

    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many variants to make; more than one need --dir
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    count: u64,

    /// How many transforms to apply to each, one after another [default: as the config says]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    times: Option<u32>,

    /// Which transforms to draw from, separated by commas, all with the same weight [default: all,
    /// by the weights of the config]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    transforms: Vec<String>,

    /// List the transforms
    #[arg(long)]
    list: bool,

    /// Write each variant to a file of its own in FOLDER, which is created if it is not there
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    config: MutateConfigArgs,

    /// Print the config as TOML and exit
    #[arg(long)]
    print_config: bool,

    #[command(flatten)]
    run: RunOptions,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let config = args.config()?;
    if args.print_config {
        return args.output.write_text(&to_toml(&config)?);
    }
    let Some(file) = args.file.as_ref().filter(|_| !args.list) else {
        let line = |m: &Mutation| format!("{:16} {}\n", m.transform.name(), m.about);
        return args.output.write_text(&TRANSFORMS.iter().map(line).collect::<String>());
    };
    if args.count > 1 && args.dir.is_none() {
        return Err(Failure::Usage("--count needs --dir: variants share their names".to_owned()));
    }
    let program = holding(file, &args.run)?;
    let mutator = Mutator::new(&program, args.run.limits());
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir).map_err(|source| {
            Failure::io(format!("cannot create the folder {}", dir.display()), source)
        })?;
    }
    let (mut n_made, mut rejections) = (0, Rejections::default());
    for number in 0..args.count {
        let mut rng = Seed::new(args.seed).child("mutate").nth(number).rng();
        let variant = mutator.choose_variant(&config, &[], &mut rejections, &mut rng);
        let Some(variant) = variant else { continue };
        n_made += 1;
        write(args, number, &variant.program)?;
    }
    if n_made == args.count {
        return Ok(());
    }
    for ((name, why), n) in &rejections.rejected {
        note(&format!("{name}: {n} times: {why}"));
    }
    note(&format!("{n_made} of {} variants were made", args.count));
    if n_made == 0 { Err(Failure::NegativeResult) } else { Ok(()) }
}

impl Args {
    /// The config, under what has flags of its own.
    fn config(&self) -> Result<MutateConfig, Failure> {
        let mut config = self.config.load()?;
        if !self.transforms.is_empty() {
            let names = self.transforms.iter().map(String::as_str);
            config.weights = Weights::only(names).map_err(Failure::Usage)?;
        }
        if let Some(times) = self.times {
            (config.min_transforms, config.max_transforms) = (times, times);
        }
        Ok(config)
    }
}

fn write(args: &Args, number: u64, variant: &Program) -> Result<(), Failure> {
    match &args.dir {
        Some(dir) => {
            let path = dir.join(format!("variant{number}.sym"));
            OutputArgs::to(path).write_text(&variant.to_string())
        }
        None => args.output.write_text(&variant.to_string()),
    }
}

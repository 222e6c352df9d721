//! `pathsmith mutate`

use std::path::PathBuf;

use pathsmith_mutate::{
    MutateConfig, Mutation, Mutator, Rejected, Rejections, TRANSFORMS, Weights,
};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::Program;

use crate::config::{MutateConfigArgs, to_toml};
use crate::errors::{Failure, note};
use crate::input::Input;
use crate::options::RunOptions;
use crate::output::OutputArgs;
use crate::parents::read_parents;

/// Make variants of programs, with known outputs
///
/// A transform changes the code that a program runs, or code that it never runs, guided by its value
/// profile (see `pathsmith profile`). Most keep the outputs of all realizations; crossovers and free
/// mutations have new ones. The interpreter runs every variant before it is written. A program's
/// realizations have to hold; a program without any gets some by being run on inputs that
/// are drawn from the seed. docs/mutation.md describes the transforms and the config.
///
/// The exit code is 1 if no transform applies, and 6 if one that keeps outputs changed some, which is a
/// bug of pathsmith; such a variant is not written.
///
/// Examples:
///   pathsmith mutate docs/examples/figure1.sym --seed 3
///   pathsmith gen --seed 7 | pathsmith mutate - --transforms live-block,twin --times 4
///   pathsmith mutate docs/examples/figure1.sym --count 100 --dir variants
///   pathsmith mutate --corpus --dialect wasm --count 3 --dir variants
///   pathsmith mutate --list
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// SYMLANG programs, folders of them, or - for standard input
    #[arg(value_name = "FILE", required_unless_present_any = ["list", "print_config", "corpus"])]
    files: Vec<Input>,

    /// Mutate the programs that ship with pathsmith as well
    #[arg(long)]
    corpus: bool,

    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many variants to make of each program; more than one need --dir
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
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
    if args.list {
        let line = |m: &Mutation| format!("{:16} {}\n", m.transform.name(), m.about);
        return args.output.write_text(&TRANSFORMS.iter().map(line).collect::<String>());
    }
    if args.count > 1 && args.dir.is_none() {
        return Err(Failure::Usage("--count needs --dir: variants share their names".to_owned()));
    }
    let parents = read_parents(&args.files, args.corpus, &args.run, Seed::new(args.seed))?;
    if parents.len() > 1 && args.dir.is_none() {
        return Err(Failure::Usage(
            "several programs need --dir: variants share their names".into(),
        ));
    }
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir).map_err(|source| {
            Failure::io(format!("cannot create the folder {}", dir.display()), source)
        })?;
    }
    let mut donors: Vec<Program> = parents.iter().map(|parent| parent.program.clone()).collect();
    let (mut n_made, mut rejections) = (0, Rejections::default());
    for (at, parent) in parents.iter().enumerate() {
        let mutator = Mutator::new(&parent.program, args.run.limits());
        // A program takes no code from itself: the empty one has no dialect, and is no donor.
        let own = std::mem::take(&mut donors[at]);
        for number in 0..args.count {
            let mut rng = Seed::new(args.seed).child("mutate").nth(number).rng();
            let variant = mutator.choose_variant(&config, &donors, &mut rejections, &mut rng);
            let Some(variant) = variant else { continue };
            n_made += 1;
            let name = match &parents[..] {
                [_] => format!("variant{number}.sym"),
                _ => format!("{}-variant{number}.sym", parent.name),
            };
            write(args, &name, &variant.program)?;
        }
        donors[at] = own;
    }
    for (name, n) in rejections.wrong() {
        note(&format!("{name}: {n} times: {}", Rejected::NotEquivalent));
    }
    let is_wrong = rejections.wrong().next().is_some();
    let n_wanted = args.count.saturating_mul(parents.len() as u64);
    if n_made < n_wanted {
        let other = |why: &Rejected| *why != Rejected::NotEquivalent;
        for ((name, why), n) in rejections.rejected.iter().filter(|((_, why), _)| other(why)) {
            note(&format!("{name}: {n} times: {why}"));
        }
        note(&format!("{n_made} of {n_wanted} variants were made"));
    }
    match (is_wrong, n_made) {
        (true, _) => Err(Failure::PossiblePathsmithBug),
        (false, 0) => Err(Failure::NegativeResult),
        (false, _) => Ok(()),
    }
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

fn write(args: &Args, name: &str, variant: &Program) -> Result<(), Failure> {
    match &args.dir {
        Some(dir) => OutputArgs::to(dir.join(name)).write_text(&variant.to_string()),
        None => args.output.write_text(&variant.to_string()),
    }
}

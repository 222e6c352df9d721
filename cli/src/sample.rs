//! `pathsmith sample`

use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

use crate::errors::Failure;
use crate::output::{OutputArgs, written};

/// Print arbitrary valid programs that use the whole language
///
/// Their realizations are a few random inputs as the interpreter runs them: they are for testing
/// tools that read SYMLANG, not for testing compilers. The same seed produces the same programs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// The number of the program: number K of a seed is always the same
    #[arg(short = 'k', long, value_name = "K", default_value_t = 0)]
    number: u64,

    /// The dialect in which realizations hold: c, wasm or jvm
    #[arg(short, long, default_value_t = SampleOptions::default().dialect)]
    dialect: Dialect,

    /// The most functions
    #[arg(long, value_name = "N", default_value_t = SampleOptions::default().functions)]
    functions: u32,

    /// The most blocks of a function, without entry and exit
    #[arg(long, value_name = "N", default_value_t = SampleOptions::default().graph.blocks)]
    blocks: u32,

    /// The share of constants that are holes
    #[arg(long, value_name = "SHARE", default_value_t = SampleOptions::default().holes)]
    holes: f64,

    /// The share of programs with floating-point numbers
    #[arg(long, value_name = "SHARE", default_value_t = SampleOptions::default().floats)]
    floats: f64,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut options = SampleOptions {
        dialect: args.dialect,
        functions: args.functions,
        holes: args.holes,
        floats: args.floats,
        ..SampleOptions::default()
    };
    options.graph.blocks = args.blocks;
    options.validate().map_err(|error| Failure::Usage(error.to_string()))?;
    let mut rng = Seed::new(args.seed).child("sample").nth(args.number).rng();
    let program = sample_program(&options, &mut rng);
    args.output.write(|out| written(write!(out, "{program}")))
}

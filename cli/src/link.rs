//! `pathsmith link`

use pathsmith_generate::link::Pool;
use pathsmith_generate::program_from_pool;
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;

use crate::config::ConfigArgs;
use crate::errors::Failure;
use crate::input::Input;
use crate::output::{OutputArgs, written};

/// Link functions into whole programs that call each other
///
/// Each function of the files has to be a leaf with realizations, as `pathsmith gen --callable` generates
/// them: it calls nothing and names no global. A random call graph is drawn over them, and constants of
/// callers are replaced by calls whose result is known. The section `link` of the config says how.
///
/// Examples:
///   pathsmith gen --callable --count 20 | pathsmith link - --seed 7
///   pathsmith link f0.sym f1.sym f2.sym --set link.recursion=1
///   pathsmith link functions/*.sym --functions 5 --count 100 -o programs.sym
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Files with solved functions, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<Input>,

    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many programs to link
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1)]
    count: u64,

    /// How many functions a program has, not counting recursion guards [default: all of them]
    #[arg(short, long, value_name = "N")]
    functions: Option<u32>,

    /// The dialect that realizations hold in [default: what the first file says, or c]
    #[arg(short, long)]
    dialect: Option<Dialect>,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut config = args.config.load()?;
    let pool = pool(args, config.link.most_realizations() as usize)?;
    config.link.functions = args.functions.unwrap_or(pool.len() as u32);
    config.validate().map_err(|error| Failure::Usage(error.to_string()))?;
    let seed = Seed::new(args.seed);
    args.output.write(|out| {
        for number in 0..args.count {
            let linked = program_from_pool(&config, &pool, seed, number)
                .map_err(|error| Failure::Input(error.to_string()))?;
            let is_first = number == 0;
            // The dialect stands at the top once, and there is one `main` at most.
            let program = Program {
                dialect: linked.program.dialect.filter(|_| is_first),
                main: linked.program.main.filter(|_| args.count == 1),
                ..linked.program
            };
            written(write!(out, "{program}"))?;
        }
        Ok(())
    })
}

/// All functions of the files.
fn pool(args: &Args, most: usize) -> Result<Pool, Failure> {
    let mut dialect = args.dialect;
    let mut programs = Vec::new();
    for file in &args.files {
        let program = file.program()?;
        dialect = dialect.or(program.dialect);
        programs.push((file, program));
    }
    let mut pool = Pool::new(dialect.unwrap_or(Dialect::C));
    for (file, program) in programs {
        for function in program.functions {
            let leaf = Program {
                dialect: program.dialect,
                globals: program.globals.clone(),
                functions: vec![function],
                ..Program::default()
            };
            pool.add(leaf, most)
                .map_err(|error| Failure::Input(format!("{}: {error}", file.name())))?;
        }
    }
    Ok(pool)
}

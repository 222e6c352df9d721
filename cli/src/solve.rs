//! `pathsmith solve`

use std::time::Duration;

use pathsmith_generate::solve::{Answer, AutoEngine, Engine, EngineChoice, Task, complete, verify};
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::Function;
use pathsmith_symlang::{BlockId, FuncId, Seed};

use crate::errors::{Failure, note};
use crate::input::Input;
use crate::options::{RunOptions, function_named};
use crate::output::OutputArgs;

/// Complete a sketch: find constants for its holes that make it take a path
///
/// A sketch is a program with holes (?s0, ?s1, …) instead of constants. The program is printed
/// with constants in their place and the realization that was found. Where no constants make the
/// function take the path, and this can be proven, it is said so.
///
/// Exit codes: 0 solved, 1 impossible or given up.
///
/// Example:
///   pathsmith solve sketch.sym --path "entry B1 B3 B1 B2 exit"
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A sketch, or - for standard input
    file: Input,

    /// The labels of the blocks to be visited, in order, separated by spaces or commas
    #[arg(short, long, value_name = "BLOCKS")]
    path: String,

    /// The function [default: `main`, or the first]
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,

    /// Which engines are asked
    #[arg(short, long, value_enum, default_value_t)]
    engine: EngineArg,

    /// How many seconds Z3 may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    timeout: u64,

    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    #[command(flatten)]
    run: RunOptions,

    #[command(flatten)]
    output: OutputArgs,
}

/// [`EngineChoice`] on the command line.
#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
pub(crate) enum EngineArg {
    /// The forward engine, and Z3 for what it gives up on
    #[default]
    Auto,
    /// The forward engine alone
    Forward,
    /// Z3 alone
    Smt,
}

impl From<EngineArg> for EngineChoice {
    fn from(engine: EngineArg) -> Self {
        match engine {
            EngineArg::Auto => Self::Auto,
            EngineArg::Forward => Self::Forward,
            EngineArg::Smt => Self::Smt,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut program = args.file.program()?;
    let id = match &args.function {
        Some(name) => function_named(&program, name)?,
        None => program.main.unwrap_or(FuncId::FIRST),
    };
    let path = path_named(program.function(id), &args.path)?;
    let dialect = args.run.dialect(&program);
    let task = Task { program: &program, function: id, path: &path, dialect };
    let mut engine = AutoEngine { choice: args.engine.into(), ..AutoEngine::default() };
    engine.smt.timeout = Duration::from_secs(args.timeout);
    let mut rng = Seed::new(args.seed).child("solve").rng();
    match engine.solve(&task, &mut rng) {
        Answer::Solved(mut model) => {
            let realization = verify(&task, &model).map_err(Failure::Input)?;
            complete(&task, &mut model, &mut rng);
            let function = &mut program.functions[id.index()];
            model.fill(function);
            if !function.realizations.contains(&realization) {
                function.realizations.push(realization);
            }
            program.dialect = Some(dialect);
            args.output.write_text(&program.to_string())
        }
        Answer::Impossible => {
            note(&format!(
                "impossible: no constants and inputs make it take this path in {dialect}"
            ));
            Err(Failure::NegativeResult)
        }
        Answer::GaveUp(gave_up) => {
            let block = &program.function(id).block(gave_up.block).name;
            note(&format!("gave up: block {block}, step {}: {}", gave_up.step, gave_up.why));
            Err(Failure::NegativeResult)
        }
    }
}

/// The path along the blocks that `names` lists.
pub(crate) fn path_named(function: &Function, names: &str) -> Result<Path, Failure> {
    let wrong = |why: String| Failure::Usage(format!("--path: {why}"));
    let block_named = |name: &str| {
        let found = function.blocks.iter().position(|block| block.name == name);
        found
            .map(BlockId::new)
            .ok_or_else(|| wrong(format!("`{}` has no block `{name}`", function.name)))
    };
    let names = names.split([' ', ',']).filter(|name| !name.is_empty());
    let path = Path::new(names.map(block_named).collect::<Result<_, _>>()?);
    let cfg = function.cfg().map_err(|error| Failure::Input(error.to_string()))?;
    path.check(&cfg)
        .map_err(|error| wrong(error.describe(|block| &function.blocks[block].name)))?;
    Ok(path)
}

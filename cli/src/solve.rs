//! `pathsmith solve`

use std::collections::BTreeMap;
use std::time::Duration;

use pathsmith_generate::parse_sketches;
use pathsmith_generate::solve::{
    Answer, AutoEngine, Engine, EngineChoice, Task, complete, verify_within,
};
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{Function, Program};
use pathsmith_symlang::{BlockId, FuncId, Seed};

use crate::errors::{Failure, note};
use crate::r#gen::why;
use crate::input::Input;
use crate::options::{RunOptions, function_named};
use crate::output::{OutputArgs, written};

/// Complete a sketch: find constants for its holes that make it take a path
///
/// A sketch is a program with holes (?s0, ?s1, …) instead of constants, and --path says which path
/// its function is to take. The program is printed with constants and with the realization that was
/// found. If no constants make the function take the path, and this can be proven, the command
/// says so.
///
/// A file that `pathsmith sketch` wrote has paths, knobs and seeds of its own. Its sketches are
/// completed to the functions that `pathsmith gen` generates for the same seed, config and dialect.
///
/// Exit codes: 0 solved, 1 impossible or given up.
///
/// Examples:
///   pathsmith solve sketch.sym --path "entry B1 B3 B1 B2 exit"
///   pathsmith sketch --seed 7 --count 10 | pathsmith solve -
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A program with holes, or sketches that were saved; - for standard input
    file: Input,

    /// The labels of the blocks to be visited, in order, separated by spaces or commas
    #[arg(short, long, value_name = "BLOCKS")]
    path: Option<String>,

    /// The function [default: `main`, or the first]
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,

    /// Which engines are asked [default: auto, or what a saved sketch says]
    #[arg(short, long, value_enum)]
    engine: Option<EngineArg>,

    /// How much work Z3 may do for one question, in units of its own (its rlimit): a million takes
    /// about a second on any machine [default: 5000000, or what a saved sketch says]
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u32).range(1..))]
    budget: Option<u32>,

    /// How many seconds Z3 may take for one question besides; what it finds then depends on the
    /// machine and its load [default: no limit, or what a saved sketch says]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<u64>,

    /// RNG seed [default: 0, or what a saved sketch says]
    #[arg(short, long)]
    seed: Option<u64>,

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
    let bytes = args.file.read()?;
    // No program begins with a brace, and every line of JSON does.
    if bytes.trim_ascii_start().starts_with(b"{") {
        return solve_saved(args, &bytes);
    }
    let mut program = args.file.parsed(&bytes)?;
    let Some(names) = &args.path else {
        let message = "--path is missing: which blocks is the function to visit?";
        return Err(Failure::Usage(message.to_owned()));
    };
    let id = match &args.function {
        Some(name) => function_named(&program, name)?,
        None => program.main.unwrap_or(FuncId::FIRST),
    };
    let path = path_named(program.function(id), names)?;
    let dialect = args.run.dialect(&program);
    let task = Task { program: &program, function: id, path: &path, dialect };
    let choice = args.engine.unwrap_or_default().into();
    let mut engine = AutoEngine { choice, ..AutoEngine::default() };
    engine.forward.limits = args.run.limits();
    engine.smt.budget = args.budget.unwrap_or(engine.smt.budget);
    engine.smt.timeout = args.timeout.map(Duration::from_secs);
    let mut rng = Seed::new(args.seed.unwrap_or(0)).child("solve").rng();
    match engine.solve(&task, &mut rng) {
        Answer::Solved(mut model) => {
            let limits = args.run.limits();
            let realization = verify_within(&task, &model, limits).map_err(Failure::Input)?;
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

/// Completes sketches that were saved, each as `gen` would have.
fn solve_saved(args: &Args, bytes: &[u8]) -> Result<(), Failure> {
    let own = [
        ("--path", args.path.is_some()),
        ("--function", args.function.is_some()),
        ("--seed", args.seed.is_some()),
        ("--dialect", args.run.dialect.is_some()),
    ];
    if let Some((flag, _)) = own.iter().find(|(_, is_given)| *is_given) {
        let name = args.file.name();
        return Err(Failure::Usage(format!(
            "{flag} is for programs, but {name} has saved sketches"
        )));
    }
    let malformed = |why: String| Failure::Input(format!("{}: {why}", args.file.name()));
    let text = std::str::from_utf8(bytes).map_err(|error| malformed(error.to_string()))?;
    let mut sketches = parse_sketches(text).map_err(|error| malformed(error.to_string()))?;
    let dialect = sketches[0].dialect;
    if let Some(other) = sketches.iter().find(|sketch| sketch.dialect != dialect) {
        return Err(malformed(format!("sketches are in {dialect} and in {}", other.dialect)));
    }
    for sketch in &mut sketches {
        if let Some(engine) = args.engine {
            sketch.solve.engine = engine.into();
        }
        if let Some(budget) = args.budget {
            sketch.solve.smt_budget = budget;
        }
        if let Some(seconds) = args.timeout {
            sketch.solve.smt_timeout = seconds.saturating_mul(1000);
        }
    }
    let mut n_unsolved = 0;
    args.output.write(|out| {
        written(writeln!(out, "dialect {dialect};"))?;
        for sketch in sketches {
            match sketch.solve() {
                Ok(leaf) => {
                    written(write!(out, "{}", Program { dialect: None, ..leaf.program }))?;
                }
                Err(unsolved) => {
                    n_unsolved += 1;
                    let name = &unsolved.program.functions[0].name;
                    note(&format!("function {name} is unsolved: {}", why(&unsolved)));
                }
            }
        }
        Ok(())
    })?;
    if n_unsolved == 0 { Ok(()) } else { Err(Failure::NegativeResult) }
}

/// The path along the blocks that `names` lists.
pub(crate) fn path_named(function: &Function, names: &str) -> Result<Path, Failure> {
    let wrong = |why: String| Failure::Usage(format!("--path: {why}"));
    // A path is as long as a command line may be, and a function has many blocks.
    let known: BTreeMap<&str, BlockId> =
        function.blocks_with_ids().map(|(id, block)| (block.name.as_str(), id)).collect();
    let block_named = |name: &str| {
        let found = known.get(name).copied();
        found.ok_or_else(|| wrong(format!("`{}` has no block `{name}`", function.name)))
    };
    let names = names.split([' ', ',']).filter(|name| !name.is_empty());
    let path = Path::new(names.map(block_named).collect::<Result<_, _>>()?);
    let cfg = function.cfg().map_err(|error| Failure::Input(error.to_string()))?;
    path.check(&cfg)
        .map_err(|error| wrong(error.describe(|block| &function.blocks[block].name)))?;
    Ok(path)
}

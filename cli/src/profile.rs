//! `pathsmith profile`

use std::collections::BTreeSet;
use std::fmt::Write as _;

use pathsmith_mutate::{Point, ValueProfile};
use pathsmith_symlang::lang::{Function, Program, Scalar, VarRef};
use pathsmith_symlang::{Seed, VarId};

use crate::errors::Failure;
use crate::input::Input;
use crate::options::RunOptions;
use crate::output::OutputArgs;
use crate::parents::{Parent, read_parents};

/// Print the values of all variables at every program point
///
/// Runs all realizations of a program, and prints for every point of every block (before statement 0,
/// 1, and so on; the last one is before the terminator) in how many distinct states it was reached,
/// and which values each scalar variable had there. `pathsmith mutate` is guided by this profile. A
/// program without realizations gets some by being run on inputs that are drawn from the seed, as
/// `pathsmith mutate` does.
///
/// Example:
///   pathsmith profile docs/examples/figure1.sym
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A SYMLANG program, or - for standard input
    file: Input,

    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many values of a variable to print; of more, the smallest and the largest
    #[arg(long, value_name = "N", default_value_t = 8)]
    values: usize,

    #[command(flatten)]
    run: RunOptions,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let inputs = std::slice::from_ref(&args.file);
    let parents = read_parents(inputs, false, &args.run, Seed::new(args.seed))?;
    let [Parent { program, .. }] = &parents[..] else {
        return Err(Failure::Usage("expected one program".to_owned()));
    };
    let profile = ValueProfile::new(program, args.run.limits());
    let mut text = String::new();
    for (id, function) in program.functions_with_ids() {
        let _ = writeln!(text, "fn {}", function.name);
        for point in profile.points(id) {
            describe(&mut text, program, &profile, point, args.values);
        }
    }
    args.output.write_text(&text)
}

fn describe(
    text: &mut String,
    program: &Program,
    profile: &ValueProfile,
    point: Point,
    most: usize,
) {
    let function = program.function(point.function);
    let name = &function.block(point.block).name;
    let place = format!("  {name}.{}", point.at);
    let states = profile.states(point);
    let Some(n) = states.len() else {
        let _ = writeln!(text, "{place}: too many states to keep");
        return;
    };
    if n == 0 {
        let _ = writeln!(text, "{place}: never reached");
        return;
    }
    let _ = write!(text, "{place}: {n} states:");
    for var in scalars(program, function) {
        let column = profile.column(point.function, var);
        let ty = program.var(function, var).ty.cell_ty();
        let shown = |word: i64| Scalar::new(ty, word).to_string();
        let words = states.all().into_iter().flatten().map(|state| state[column]);
        let values: BTreeSet<i64> = words.collect();
        let listed: Vec<String> = if values.len() <= most {
            values.iter().map(|word| shown(*word)).collect()
        } else {
            let ends = [values.first(), values.last()].into_iter().flatten();
            vec![format!(
                "{} values, {}",
                values.len(),
                ends.map(|word| shown(*word)).collect::<Vec<_>>().join(" to ")
            )]
        };
        let _ = write!(text, " {}={{{}}}", program.var(function, var).name, listed.join(", "));
    }
    text.push('\n');
}

/// The scalar variables of a function, and the globals that it names.
fn scalars(program: &Program, function: &Function) -> Vec<VarRef> {
    let own = (0..function.vars.len()).map(|at| VarRef::Var(VarId::new(at)));
    let globals = program.globals_named(function).into_iter().map(VarRef::Global);
    let all = own.chain(globals);
    all.filter(|var| !program.var(function, *var).ty.is_array()).collect()
}

//! `pathsmith check`

use std::io::Write;

use pathsmith_edit::{call_text, check_realization};
use pathsmith_symlang::semantics::{Code, Machine};

use crate::errors::Failure;
use crate::input::Input;
use crate::options::RunOptions;
use crate::output::{OutputArgs, written};

/// Check that programs follow the language's rules, and that their realizations hold
///
/// The interpreter runs every realization (a test vector: input, path, output), which has to take
/// its path to its output without undefined behaviour. One line is printed for each file, and one
/// for each realization that does not hold. The language is described in docs/symlang.md.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// SYMLANG programs, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<Input>,

    #[command(flatten)]
    run: RunOptions,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut n_broken = 0;
    args.output.write(|out| {
        for file in &args.files {
            n_broken += check_file(args, file, out)?;
        }
        Ok(())
    })?;
    if n_broken > 0 { Err(Failure::NegativeResult) } else { Ok(()) }
}

/// Checks one file, and returns the number of realizations that do not hold.
fn check_file(args: &Args, file: &Input, out: &mut dyn Write) -> Result<usize, Failure> {
    let program = file.program()?;
    let name = file.name();
    let dialect = args.run.dialect(&program);
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, dialect);
    let (mut n_realizations, mut n_broken) = (0, 0);
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            n_realizations += 1;
            let limits = args.run.limits();
            if let Err(why) = check_realization(&program, &mut machine, id, realization, limits) {
                n_broken += 1;
                let call = call_text(function, &realization.args);
                written(writeln!(out, "{name}: {call} does not hold: {why}"))?;
            }
        }
    }
    let functions = count(program.functions.len(), "function");
    let summary = match (n_realizations, n_broken) {
        (0, _) => format!("{functions}, no realization"),
        (n, 0) => {
            format!("{functions}, {}, all hold in dialect {dialect}", count(n, "realization"))
        }
        (n, broken) => format!(
            "{functions}, {}, {broken} of them broken in dialect {dialect}",
            count(n, "realization")
        ),
    };
    written(writeln!(out, "{name}: {summary}"))?;
    Ok(n_broken)
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

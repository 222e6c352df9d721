//! Checking realizations with the interpreter.

use pathsmith_edit::check_realizations;
use pathsmith_symlang::lang::Program;

use crate::errors::Failure;
use crate::input::Input;
use crate::options::RunOptions;

/// The program of a file, with its dialect, if it has realizations and all of them hold.
pub(crate) fn holding(file: &Input, run: &RunOptions) -> Result<Program, Failure> {
    let mut program = file.program()?;
    let dialect = run.dialect(&program);
    program.dialect = Some(dialect);
    let in_file = |message: &str| Failure::Input(format!("{}: {message}", file.name()));
    match check_realizations(&program, dialect, run.limits()) {
        Ok(0) => Err(in_file("there is no realization; write, say, `realize f(1) = 2 via entry;`")),
        Ok(_) => Ok(program),
        Err(why) => Err(in_file(&why)),
    }
}

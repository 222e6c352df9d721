//! `pathsmith run`

use std::io::Write;
use std::str::FromStr;

use pathsmith_edit::call_text;
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Ending, Function, Program, Realization, Scalar, ScalarTy, Var};
use pathsmith_symlang::semantics::{Code, Machine, Outcome, Visit};

use crate::errors::Failure;
use crate::input::Input;
use crate::options::{RunOptions, function_named, function_names};
use crate::output::{OutputArgs, written};

/// Run a program in the interpreter
///
/// Without --input, all realizations of `main` (or of the function that --function names, or of
/// every function if there is no `main`) are run. The exit code is 1 if a run has undefined
/// behaviour, traps, exceeds --steps, or does not return the output of its realization.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A SYMLANG program, or - for standard input
    file: Input,

    /// The function to run
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,

    /// A value for each parameter, separated by commas, instead of the realizations' inputs; an
    /// empty text for a function without parameters
    #[arg(short, long, value_name = "VALUES", allow_hyphen_values = true)]
    input: Option<Values>,

    /// Print every visit of a block with the values of all variables, calls included
    #[arg(short, long)]
    trace: bool,

    #[command(flatten)]
    run: RunOptions,

    #[command(flatten)]
    output: OutputArgs,
}

/// Values as they stand on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Values(Vec<String>);

impl FromStr for Values {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().is_empty() {
            return Ok(Self(Vec::new()));
        }
        // What each has to be, its parameter says.
        let words: Vec<String> = text.split(',').map(|word| word.trim().to_owned()).collect();
        match words.iter().any(String::is_empty) {
            true => Err("a value is missing beside a comma".to_owned()),
            false => Ok(Self(words)),
        }
    }
}

/// A call to be run, and what it should return.
struct Question<'a> {
    function: FuncId,
    args: Vec<Scalar>,
    expected: Option<&'a Realization>,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let program = args.file.program()?;
    let questions = questions(args, &program)?;
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, args.run.dialect(&program));
    let mut all_well = true;
    args.output.write(|out| {
        for question in &questions {
            all_well &= ask(args, &program, &mut machine, question, out)?;
        }
        Ok(())
    })?;
    if all_well { Ok(()) } else { Err(Failure::NegativeResult) }
}

fn questions<'a>(args: &Args, program: &'a Program) -> Result<Vec<Question<'a>>, Failure> {
    let named = args.function.as_deref().map(|name| function_named(program, name)).transpose()?;
    let only = (program.functions.len() == 1).then(|| FuncId::new(0));
    let chosen = named.or(program.main).or(only);
    if let Some(input) = &args.input {
        let Some(function) = chosen else {
            let names = function_names(program);
            let message =
                format!("--input needs --function: there is no `main`; there are: {names}");
            return Err(Failure::Usage(message));
        };
        let args = typed_args(program.function(function), &input.0)?;
        return Ok(vec![Question { function, args, expected: None }]);
    }
    let functions = match chosen {
        Some(function) => vec![function],
        None => program.functions_with_ids().map(|(id, _)| id).collect(),
    };
    let mut questions = Vec::new();
    for &function in &functions {
        let data = program.function(function);
        questions.extend(data.realizations.iter().map(|realization| Question {
            function,
            args: realization.args.clone(),
            expected: Some(realization),
        }));
    }
    if let (true, &[function]) = (questions.is_empty(), &functions[..]) {
        if !program.function(function).params().is_empty() {
            let name = &program.function(function).name;
            return Err(Failure::Usage(format!("`{name}` has no realization: pass --input")));
        }
        questions.push(Question { function, args: Vec::new(), expected: None });
    }
    if questions.is_empty() {
        return Err(Failure::Usage(
            "nothing to run: no function has a realization; pass --function and --input".to_owned(),
        ));
    }
    Ok(questions)
}

fn typed_args(function: &Function, input: &[String]) -> Result<Vec<Scalar>, Failure> {
    let params = function.params();
    if input.len() != params.len() {
        return Err(Failure::Usage(format!(
            "--input has {}, but `{}` takes {}",
            if input.len() == 1 { "1 value".to_owned() } else { format!("{} values", input.len()) },
            function.name,
            params.len(),
        )));
    }
    std::iter::zip(input, params)
        .map(|(word, param)| {
            let ty = param.ty.cell_ty();
            Scalar::parse(ty, word).map_err(|_| {
                let (name, word) = (&param.name, word.escape_debug());
                Failure::Usage(match ty {
                    ScalarTy::Int(_) if word.to_string().parse::<i128>().is_err() => {
                        format!("--input: `{word}` is not a whole number")
                    }
                    ScalarTy::Int(_) => format!("--input: {word} does not fit `{name}`, a {ty}"),
                    ScalarTy::Float(_) => format!(
                        "--input: `{word}` is not a value of `{name}`, an {ty}: expected a number \
                         such as -1.5, 0x1.8p3, inf or nan"
                    ),
                })
            })
        })
        .collect()
}

/// Runs one call and prints how it ends: whether that is as it should be.
fn ask(
    args: &Args,
    program: &Program,
    machine: &mut Machine<'_>,
    question: &Question<'_>,
    out: &mut dyn Write,
) -> Result<bool, Failure> {
    let function = program.function(question.function);
    let limits = args.run.limits();
    let call = call_text(function, &question.args);
    let outcome = if args.trace {
        written(writeln!(out, "{call}"))?;
        let mut trace = Trace { program, out, step: 0, result: Ok(()) };
        let outcome = machine.run_observed(
            question.function,
            &question.args,
            limits,
            &mut |visit: &Visit<'_>| trace.visit(visit),
        );
        written(trace.result)?;
        outcome
    } else {
        machine.run(question.function, &question.args, limits)
    };
    let n_steps = machine.path().len();
    let leaving = machine.leaving();
    let is_expected =
        |actual| question.expected.is_some_and(|expected| expected.same_result(actual, leaving));
    let Outcome::Returned(output) = outcome else {
        let why = outcome.describe(program);
        let well = outcome.ending().is_some_and(is_expected);
        let verdict = if well { ", as realized" } else { "" };
        written(writeln!(out, "{call}: {why}, after {n_steps} steps{verdict}"))?;
        return Ok(well);
    };
    let (verdict, well) = match question.expected {
        None => (String::new(), true),
        Some(expected) if !expected.ending.same_result(Ending::Returns(output)) => {
            (format!(", but expected {}", expected.ending), false)
        }
        Some(Realization { leaving: Some(expected), .. }) if leaving != Some(*expected) => {
            (format!(", but expected to leave {expected}"), false)
        }
        Some(expected) if expected.path.blocks() != machine.path() => {
            (", but expected another path".to_owned(), false)
        }
        Some(_) => (", as realized".to_owned(), true),
    };
    let left = leaving.map_or(String::new(), |crc| format!(" leaving {crc}"));
    written(writeln!(out, "{call} = {output}{left}, {n_steps} steps{verdict}"))?;
    Ok(well)
}

/// Prints visits.
struct Trace<'a> {
    program: &'a Program,
    out: &'a mut dyn Write,
    step: usize,
    result: std::io::Result<()>,
}

impl Trace<'_> {
    fn visit(&mut self, visit: &Visit<'_>) {
        if self.result.is_err() {
            return;
        }
        let function = self.program.function(visit.function);
        let indent = "  ".repeat(visit.depth.min(20));
        let block = &function.block(visit.block).name;
        let state = state_text(&function.vars, visit.cells);
        let qualified = match visit.depth {
            0 => block.clone(),
            _ => format!("{}.{block}", function.name),
        };
        self.result = writeln!(self.out, "{:>6}  {indent}{qualified:<8} {state}", self.step);
        self.step += 1;
    }
}

/// The value that a cell of `var` holds.
fn shown(var: &Var, word: i64) -> String {
    Scalar::new(var.ty.cell_ty(), word).to_string()
}

/// The values of variables: `a=1 t=[1, 2, 3]`.
fn state_text(vars: &[Var], cells: &[i64]) -> String {
    const MAX_SHOWN: usize = 16;
    let mut rest = cells;
    let mut parts = Vec::with_capacity(vars.len());
    for var in vars {
        let (own, others) = rest.split_at(var.ty.n_cells());
        rest = others;
        let mut values: Vec<String> =
            own.iter().take(MAX_SHOWN).map(|&word| shown(var, word)).collect();
        if own.len() > MAX_SHOWN {
            values.push("…".to_owned());
        }
        parts.push(match var.ty.is_array() {
            true => format!("{}=[{}]", var.name, values.join(", ")),
            false => format!("{}={}", var.name, values.join("")),
        });
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_separated_by_commas() {
        let values = |text: &str| text.parse::<Values>().map(|values| values.0);
        assert_eq!(values(""), Ok(vec![]));
        assert_eq!(values(" "), Ok(vec![]));
        assert_eq!(values("-1, 2.5"), Ok(vec!["-1".to_owned(), "2.5".to_owned()]));
        for wrong in [",", "1,"] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }
}

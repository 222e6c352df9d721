//! The text form of programs: reading it, printing it, and saying what is wrong with it.
//!
//! `docs/symlang.md` describes it. Printing and reading again gives the same program.

mod error;
mod lexer;
mod parser;
mod print;
mod spans;

pub use error::{Problem, Source, SourceErrors, Span};
pub use print::{print_block, print_expr, print_path};

use crate::ids::ExprId;
use crate::lang::convert::insert_conversions;
use crate::lang::limits::MAX_SOURCE;
use crate::lang::{Program, validate};

/// Reads a valid program from its text; `name` is what errors call the source.
///
/// # Errors
/// Everything that is wrong with it, as far as one thing does not hide the other.
pub fn parse(name: &str, text: &str) -> Result<Program, SourceErrors> {
    parse_then(name, text, |_| None)
}

/// Reads a program from its text as [`parse`] does, but puts conversions where operands do not
/// agree in type, as C does.
///
/// # Errors
/// As for [`parse`].
pub fn parse_converting(name: &str, text: &str) -> Result<Program, SourceErrors> {
    parse_then(name, text, |program| Some(insert_conversions(program)))
}

/// Reads a program, and changes it before it is validated. `change` says where the expressions
/// were before, if they moved.
fn parse_then(
    name: &str,
    text: &str,
    change: impl Fn(&mut Program) -> Option<Vec<Vec<ExprId>>>,
) -> Result<Program, SourceErrors> {
    if text.len() > MAX_SOURCE {
        let message = format!("the source has more than {} MiB", MAX_SOURCE >> 20);
        return Err(SourceErrors::new(name, "", vec![Problem::new(Span::default(), message)]));
    }
    let errors = |problems| SourceErrors::new(name, text, problems);
    if let Some(problem) = binary_problem(text) {
        return Err(errors(vec![problem]));
    }
    let (mut program, mut spans) = parser::parse_source(text).map_err(errors)?;
    if let Some(origins) = change(&mut program) {
        spans.move_exprs(&origins);
    }
    let violations = validate(&program);
    if violations.is_empty() {
        return Ok(program);
    }
    Err(errors(violations.iter().map(|violation| spans.problem(violation)).collect()))
}

/// What gives a text away as no text at all.
fn binary_problem(text: &str) -> Option<Problem> {
    let is_binary = |c: char| c.is_control() && !c.is_whitespace();
    let start = text.find(is_binary)?;
    let character = text[start..].chars().next()?;
    let span = Span { start, end: start + character.len_utf8() };
    let message = format!("not a text: it holds the control character {character:?}");
    Some(Problem::new(span, message).with_label("expected a SYMLANG program"))
}

/// Reads a valid program from bytes that should be its text.
///
/// # Errors
/// As for [`parse`], and where the bytes are no text.
pub fn parse_bytes(name: &str, bytes: &[u8]) -> Result<Program, SourceErrors> {
    match std::str::from_utf8(bytes) {
        Ok(text) => parse(name, text),
        Err(error) => {
            let valid = error.valid_up_to();
            let message = format!(
                "not a text: byte {:#04x} at offset {valid} does not belong to UTF-8",
                bytes[valid]
            );
            let problem = Problem::new(Span::default(), message)
                .with_help("a SYMLANG program is UTF-8 text, as `pathsmith show` prints it");
            Err(SourceErrors::new(name, "", vec![problem]))
        }
    }
}

/// How many tokens a text has; comments and what is not part of the language do not count.
pub fn count_tokens(text: &str) -> usize {
    let mut lexer = lexer::Lexer::new(text);
    let mut n = 0;
    loop {
        match lexer.next() {
            Ok((lexer::Token::End, _)) => return n,
            Ok((lexer::Token::ProgramDoc(_) | lexer::Token::FunctionDoc(_), _)) | Err(_) => {}
            Ok(_) => n += 1,
        }
    }
}

//! Text to programs.
//!
//! A problem is noted where it is found and reading goes on: behind the next `;` in a function,
//! at the next item outside. Whoever cannot go on returns [`Stop`].

mod expr;
mod function;
mod literal;
mod names;
mod realization;

use std::rc::Rc;

use self::literal::{Literal, Number};
use self::names::{Labels, Names};
use super::error::{Problem, Span};
use super::lexer::{Lexer, Token, clip};
use super::spans::Spans;
use crate::dialect::Dialect;
use crate::ids::FuncId;
use crate::lang::limits::{MAX_ARRAY_LEN, MAX_CELLS, MAX_HOLES, MAX_STEPS};
use crate::lang::names::KEYWORDS;
use crate::lang::{ConstOrHole, Program, Scalar, ScalarTy, ValueTy, Var, VarTy};

/// Reads a program that follows the grammar, and may still break the language's rules.
pub(super) fn parse_source(text: &str) -> Result<(Program, Spans), Vec<Problem>> {
    let mut parser = Parser::new(text);
    parser.program();
    if parser.problems.is_empty() {
        Ok((parser.program, parser.spans))
    } else {
        Err(parser.problems)
    }
}

/// Reading cannot go on here; why has been noted.
struct Stop;

type Parsed<T> = Result<T, Stop>;

struct Parser<'s> {
    lexer: Lexer<'s>,
    /// The token to be read next, and where it stands.
    token: Token<'s>,
    span: Span,
    /// Where the token before it stands.
    last: Span,
    problems: Vec<Problem>,
    program: Program,
    spans: Spans,
    signatures: Vec<ValueTy>,
    /// The positions in `signatures`.
    signature_names: Names<'s>,
    /// The positions of the globals and functions that were read so far.
    global_names: Names<'s>,
    function_names: Names<'s>,
    /// The blocks of each function that was read so far, for its realizations.
    labels: Vec<Rc<Labels>>,
    /// Lines about the next function.
    docs: Vec<String>,
    main: Option<(&'s str, Span)>,
    n_cells: usize,
    n_steps: usize,
}

/// Where reading goes on after a problem outside of functions.
const ITEMS: [&str; 5] = ["dialect", "fn", "global", "main", "realize"];

impl<'s> Parser<'s> {
    fn new(text: &'s str) -> Self {
        let (signatures, signature_names) = signatures(text);
        let mut parser = Self {
            lexer: Lexer::new(text),
            token: Token::End,
            span: Span::default(),
            last: Span::default(),
            problems: Vec::new(),
            program: Program::default(),
            spans: Spans::default(),
            signatures,
            signature_names,
            global_names: Names::default(),
            function_names: Names::default(),
            labels: Vec::new(),
            docs: Vec::new(),
            main: None,
            n_cells: 0,
            n_steps: 0,
        };
        parser.advance();
        parser
    }

    fn program(&mut self) {
        if self.token == Token::End {
            self.note(
                Problem::new(self.span, "the source is empty")
                    .with_help("a program has at least one function: fn name(x: i32) -> u32 { … }"),
            );
        }
        while self.token != Token::End {
            if self.item().is_err() {
                self.skip_to_item();
            }
        }
        if !self.docs.is_empty() {
            self.stray_docs();
        }
        if let Some((name, span)) = self.main {
            self.spans.main = span;
            self.program.main = self.function_named(name, span).map(|(id, _)| id);
        }
    }

    fn item(&mut self) -> Parsed<()> {
        if !self.docs.is_empty() && !matches!(self.token, Token::FunctionDoc(_) | Token::Name("fn"))
        {
            self.stray_docs();
        }
        match self.token {
            Token::ProgramDoc(doc) => {
                self.program.docs.push(doc.to_owned());
                self.advance();
                Ok(())
            }
            Token::FunctionDoc(doc) => {
                self.docs.push(doc.to_owned());
                self.advance();
                Ok(())
            }
            Token::Name("dialect") => self.dialect(),
            Token::Name("global") => {
                self.advance();
                let (name, var, span) = self.declaration()?;
                self.global_names.declare(name, self.program.globals.len());
                self.program.globals.push(var);
                self.spans.globals.push(span);
                Ok(())
            }
            Token::Name("fn") => self.function(),
            Token::Name("realize") => self.realization(),
            Token::Name("main") => {
                self.advance();
                let main = self.name("the name of a function")?;
                if self.main.is_some() {
                    self.note(Problem::new(main.1, "a program has one `main`"));
                }
                self.main = Some(main);
                self.symbol(";")
            }
            _ => Err(self.unexpected("`fn`, `global`, `realize`, `main` or `dialect`")),
        }
    }

    fn stray_docs(&mut self) {
        self.docs.clear();
        let problem = Problem::new(self.last, "a `///` line stands before no function");
        self.note(problem.with_label("expected a `fn` behind it"));
    }

    fn dialect(&mut self) -> Parsed<()> {
        self.advance();
        let (name, span) = self.name("`c`, `wasm` or `jvm`")?;
        match name.parse::<Dialect>() {
            Ok(_) if self.program.dialect.is_some() => {
                self.note(Problem::new(span, "a program has one `dialect`"));
            }
            Ok(dialect) => self.program.dialect = Some(dialect),
            Err(error) => self.note(Problem::new(span, error.to_string())),
        }
        self.symbol(";")
    }

    /// `name: type = value;`, and where the name stands.
    fn declaration(&mut self) -> Parsed<(&'s str, Var, Span)> {
        let (name, span) = self.name("the name of a variable")?;
        self.symbol(":")?;
        let ty = self.var_ty()?;
        self.symbol("=")?;
        let init = if self.token == Token::Symbol("[") {
            self.array_init(ty.cell_ty())?
        } else {
            vec![self.fill(ty.cell_ty())?]
        };
        self.symbol(";")?;
        self.add_cells(init.len(), span)?;
        Ok((name, Var { name: name.to_owned(), ty, init }, span))
    }

    fn var_ty(&mut self) -> Parsed<VarTy> {
        if !self.eat("[") {
            return Ok(VarTy::Scalar(self.scalar_ty()?));
        }
        let elem = self.scalar_ty()?;
        self.symbol(";")?;
        let len = self.count("the length of the array", MAX_ARRAY_LEN)?;
        self.symbol("]")?;
        Ok(VarTy::array(elem, len))
    }

    /// `[1, 2, ?s3]` or `[0; 64]`.
    fn array_init(&mut self, elem: ScalarTy) -> Parsed<Vec<ConstOrHole>> {
        self.symbol("[")?;
        let first = self.fill(elem)?;
        let mut init = vec![first];
        if self.eat(";") {
            let times = self.count("how many elements there are", MAX_ARRAY_LEN)?;
            init = vec![first; times as usize];
        } else {
            while self.eat(",") {
                init.push(self.fill(elem)?);
            }
        }
        self.symbol("]")?;
        Ok(init)
    }

    /// A value or hole of a type that the context gives.
    fn fill(&mut self, ty: ScalarTy) -> Parsed<ConstOrHole> {
        if let Token::Hole(_) = self.token {
            return Ok(ConstOrHole::Hole(self.hole_id()?));
        }
        Ok(ConstOrHole::Const(self.value(ty)?))
    }

    /// A value of a type that the context gives.
    fn value(&mut self, ty: ScalarTy) -> Parsed<Scalar> {
        let start = self.span;
        let negative = self.eat("-");
        let Some(text) = self.literal() else {
            return Err(self.unexpected(&format!("a value of type {ty}")));
        };
        let span = start.to(self.span);
        self.advance();
        let Literal { number, suffix } = self.number(text, negative, span)?;
        if !suffix.is_empty() && suffix != ty.name() {
            let label = format!("expected a value of type {ty}");
            let message = format!("unexpected suffix `{}`", clip(suffix));
            return Err(self.stop(Problem::new(span, message).with_label(label)));
        }
        self.in_range(&number, ty, span)
    }

    /// A number from 1 to `max`.
    fn count(&mut self, what: &str, max: u32) -> Parsed<u32> {
        let Token::Number(digits) = self.token else {
            return Err(self.unexpected(what));
        };
        let span = self.span;
        self.advance();
        let value = self.number(digits, false, span)?;
        match value {
            Literal { number: Number::Int { magnitude, .. }, suffix: "" }
                if (1..=i128::from(max)).contains(&magnitude) =>
            {
                Ok(magnitude as u32)
            }
            _ => {
                let message = format!("`{}` is out of range for {what}", clip(digits));
                let label = format!("expected a number from 1 to {max}");
                Err(self.stop(Problem::new(span, message).with_label(label)))
            }
        }
    }

    fn scalar_ty(&mut self) -> Parsed<ScalarTy> {
        let expected = "a type: i8, u8, i16, u16, i32, u32, i64, u64, f32 or f64";
        let (name, span) = self.name(expected)?;
        ScalarTy::from_name(name).ok_or_else(|| {
            let message = format!("`{}` is no type", clip(name));
            self.stop(Problem::new(span, message).with_label(format!("expected {expected}")))
        })
    }

    fn value_ty(&mut self) -> Parsed<ValueTy> {
        let ty = self.scalar_ty()?;
        ty.as_value().ok_or_else(|| {
            self.stop(
                Problem::new(self.last, format!("{ty} is a type for variables only"))
                    .with_label("expected i32, u32, i64, u64, f32 or f64"),
            )
        })
    }

    fn hole_id(&mut self) -> Parsed<crate::HoleId> {
        let Token::Hole(name) = self.token else {
            return Err(self.unexpected("a hole such as ?s0"));
        };
        self.advance();
        let number = name.strip_prefix('s').and_then(|digits| digits.parse::<u32>().ok());
        match number.filter(|&number| number < MAX_HOLES && name == format!("s{number}")) {
            Some(number) => Ok(crate::HoleId::new(number as usize)),
            None => {
                let message = format!("`?{}` is not the name of a hole", clip(name));
                let label = format!("expected ?s0 to ?s{}", MAX_HOLES - 1);
                Err(self.stop(Problem::new(self.last, message).with_label(label)))
            }
        }
    }

    fn function_named(&mut self, name: &str, span: Span) -> Option<(FuncId, ValueTy)> {
        let found = self.signature_names.find(name);
        if found.is_none() {
            let problem = Problem::new(span, format!("there is no function `{}`", clip(name)));
            self.note(problem.with_rule("unknown-name"));
        }
        found.map(|position| (FuncId::new(position), self.signatures[position]))
    }

    /// Counts `more` values of variables, and says once that they are too many.
    fn add_cells(&mut self, more: usize, span: Span) -> Parsed<()> {
        let before = self.n_cells;
        self.n_cells += more;
        if self.n_cells <= MAX_CELLS {
            return Ok(());
        }
        if before <= MAX_CELLS {
            let message = format!("the program has more than {MAX_CELLS} values");
            self.note(Problem::new(span, message).with_rule("too-large"));
        }
        Err(Stop)
    }

    /// Counts `more` steps of paths.
    fn add_steps(&mut self, more: usize) -> Parsed<()> {
        self.n_steps += more;
        if self.n_steps <= MAX_STEPS {
            return Ok(());
        }
        let message = format!("the paths of the program have more than {MAX_STEPS} steps");
        Err(self.stop(Problem::new(self.last, message).with_rule("too-large")))
    }
}

/// Tokens.
impl<'s> Parser<'s> {
    fn advance(&mut self) {
        self.last = self.span;
        loop {
            match self.lexer.next() {
                Ok((token, span)) => {
                    (self.token, self.span) = (token, span);
                    return;
                }
                Err(problem) => self.note(problem),
            }
        }
    }

    /// Reads `symbol` if it is next.
    fn eat(&mut self, symbol: &'static str) -> bool {
        let found = self.token == Token::Symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    fn symbol(&mut self, symbol: &'static str) -> Parsed<()> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn keyword(&mut self, keyword: &'static str) -> Parsed<()> {
        if self.token == Token::Name(keyword) {
            self.advance();
            return Ok(());
        }
        Err(self.unexpected(&format!("`{keyword}`")))
    }

    fn name(&mut self, expected: &str) -> Parsed<(&'s str, Span)> {
        match self.token {
            Token::Name(name) if !KEYWORDS.contains(&name) => {
                self.advance();
                Ok((name, self.last))
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn unexpected(&mut self, expected: &str) -> Stop {
        let message = format!("unexpected {}", self.token.describe());
        // What is missing at the end of a line is missing there, not on the next line.
        let at_end =
            self.token == Token::End || self.lexer.ends_line(self.last.end, self.span.start);
        let span = match at_end && self.last.end > 0 {
            true => Span { start: self.last.end - 1, end: self.last.end },
            false => self.span,
        };
        self.stop(Problem::new(span, message).with_label(format!("expected {expected}")))
    }

    fn stop(&mut self, problem: Problem) -> Stop {
        self.note(problem);
        Stop
    }

    fn note(&mut self, problem: Problem) {
        // Bounds the memory that a text full of problems takes.
        if self.problems.len() < 1_000 {
            self.problems.push(problem);
        }
    }

    fn skip_to_item(&mut self) {
        while !matches!(self.token, Token::End)
            && !matches!(self.token, Token::Name(name) if ITEMS.contains(&name))
        {
            self.advance();
        }
    }
}

/// What the functions of a text return, in order, and their positions by name, whatever else may be
/// wrong with it: calls may come before the function that they call.
fn signatures(text: &str) -> (Vec<ValueTy>, Names<'_>) {
    let mut lexer = Lexer::new(text);
    let mut signatures: Vec<ValueTy> = Vec::new();
    let mut names = Names::default();
    let mut before = [Token::End; 2];
    loop {
        let token = match lexer.next() {
            Ok((Token::End, _)) => return (signatures, names),
            Ok((token, _)) => token,
            Err(_) => continue,
        };
        match (before, token) {
            ([_, Token::Name("fn")], Token::Name(name)) => {
                names.declare(name, signatures.len());
                signatures.push(ValueTy::CHECKSUM);
            }
            // Nothing else in the language has `->`, a type and `{`; without the type it is
            // what a case leads to.
            ([Token::Symbol("->"), Token::Name(ty)], Token::Symbol("{")) => {
                let ty = ScalarTy::from_name(ty).and_then(ScalarTy::as_value);
                if let (Some(last), Some(ty)) = (signatures.last_mut(), ty) {
                    *last = ty;
                }
            }
            _ => {}
        }
        before = [before[1], token];
    }
}

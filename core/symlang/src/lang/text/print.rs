//! Programs to text.

use std::fmt::{self, Display, Formatter, Write};

use crate::graph::Path;
use crate::ids::{BlockId, ExprId};
use crate::lang::{
    Block, COMPARISON_PRECEDENCE, ConstOrHole, Ending, Expr, Function, Notation, Place, Program,
    Projection, Realization, Return, Stmt, Term, ValueTy, Var, WordTy,
};

/// The text form.
impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Printer { program: self, out: f }.program()
    }
}

/// The text of one expression of `function`.
pub fn print_expr(program: &Program, function: &Function, expr: ExprId) -> String {
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = Printer { program, out: &mut out }.expr(function, expr, 0);
    out
}

/// The lines of a block of `function`, without its label.
pub fn print_block(program: &Program, function: &Function, block: &Block) -> Vec<String> {
    let mut out = String::new();
    let _ = Printer { program, out: &mut out }.body(function, block, "");
    out.lines().map(str::to_owned).collect()
}

/// The names of the blocks of a path, with what repeats written once: `entry (B1 B3)^4 exit`.
pub fn print_path(program: &Program, function: &Function, path: &Path) -> String {
    let mut out = String::new();
    let _ = Printer { program, out: &mut out }.path(function, path);
    out.trim_start().to_owned()
}

impl From<Program> for String {
    fn from(program: Program) -> Self {
        program.to_string()
    }
}

impl TryFrom<String> for Program {
    type Error = super::SourceErrors;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        super::parse("program", &text)
    }
}

struct Printer<'p, 'o> {
    program: &'p Program,
    out: &'o mut dyn Write,
}

/// Binds tighter than every operator between operands.
const PREFIX_PRECEDENCE: u8 = 8;

impl Printer<'_, '_> {
    fn program(&mut self) -> fmt::Result {
        let program = self.program;
        self.docs("//!", &program.docs)?;
        if let Some(dialect) = program.dialect {
            writeln!(self.out, "dialect {dialect};")?;
        }
        if !program.globals.is_empty() {
            writeln!(self.out)?;
        }
        for global in &program.globals {
            self.declaration("global", global)?;
        }
        for function in &program.functions {
            writeln!(self.out)?;
            self.function(function)?;
        }
        if let Some(main) = program.main {
            writeln!(self.out, "\nmain {};", program.function(main).name)?;
        }
        Ok(())
    }

    fn docs(&mut self, mark: &str, docs: &[String]) -> fmt::Result {
        for doc in docs {
            let space = if doc.is_empty() { "" } else { " " };
            writeln!(self.out, "{mark}{space}{doc}")?;
        }
        Ok(())
    }

    fn declaration(&mut self, keyword: &str, var: &Var) -> fmt::Result {
        write!(self.out, "{keyword} {}: {} = ", var.name, var.ty)?;
        match &var.init[..] {
            [fill] if !var.ty.is_array() => self.fill(*fill)?,
            [first @ ConstOrHole::Const(_), rest @ ..]
                if rest.len() >= 4 && rest.iter().all(|fill| fill == first) =>
            {
                self.out.write_char('[')?;
                self.fill(*first)?;
                write!(self.out, "; {}]", var.init.len())?;
            }
            fills => {
                self.out.write_char('[')?;
                for (i, fill) in fills.iter().enumerate() {
                    self.out.write_str(if i == 0 { "" } else { ", " })?;
                    self.fill(*fill)?;
                }
                self.out.write_char(']')?;
            }
        }
        writeln!(self.out, ";")
    }

    fn fill(&mut self, fill: ConstOrHole) -> fmt::Result {
        match fill {
            ConstOrHole::Const(value) => write!(self.out, "{value}"),
            ConstOrHole::Hole(hole) => write!(self.out, "?s{}", hole.index()),
        }
    }

    fn function(&mut self, function: &Function) -> fmt::Result {
        self.docs("///", &function.docs)?;
        write!(self.out, "fn {}(", function.name)?;
        for (i, param) in function.params().iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(self.out, "{comma}{}: {}", param.name, param.ty)?;
        }
        writeln!(self.out, ") -> {} {{", function.ret)?;
        for local in function.locals() {
            self.declaration("    var", local)?;
        }
        if !function.locals().is_empty() {
            writeln!(self.out)?;
        }
        for block in &function.blocks {
            writeln!(self.out, "{}:", block.name)?;
            self.body(function, block, "    ")?;
        }
        writeln!(self.out, "}}")?;
        for realization in &function.realizations {
            self.realization(function, realization)?;
        }
        Ok(())
    }

    fn body(&mut self, function: &Function, block: &Block, indent: &str) -> fmt::Result {
        for stmt in &block.stmts {
            self.out.write_str(indent)?;
            let Stmt::Assign { place, value } = stmt;
            self.place(function, place)?;
            self.out.write_str(" = ")?;
            self.expr(function, *value, 0)?;
            writeln!(self.out, ";")?;
        }
        self.out.write_str(indent)?;
        self.terminator(function, &block.term)?;
        writeln!(self.out, ";")
    }

    fn terminator(&mut self, function: &Function, term: &Term) -> fmt::Result {
        let name = |block: BlockId| &function.block(block).name;
        match term {
            Term::Goto(target) => write!(self.out, "goto {}", name(*target)),
            Term::If { cond, then, otherwise } => {
                self.out.write_str("if ")?;
                self.expr(function, *cond, 0)?;
                write!(self.out, " goto {} else {}", name(*then), name(*otherwise))
            }
            Term::Switch { on, cases, default } => {
                self.out.write_str("switch ")?;
                self.expr(function, *on, 0)?;
                self.out.write_str(" { ")?;
                for (fill, target) in cases {
                    self.fill(*fill)?;
                    write!(self.out, " -> {}, ", name(*target))?;
                }
                write!(self.out, "else -> {} }}", name(*default))
            }
            Term::Return(Return::Checksum) => self.out.write_str("return checksum"),
            Term::Return(Return::ChecksumOf(vars)) => {
                self.out.write_str("return checksum(")?;
                for (i, var) in vars.iter().enumerate() {
                    self.out.write_str(if i == 0 { "" } else { ", " })?;
                    self.out.write_str(&self.program.var(function, *var).name)?;
                }
                self.out.write_char(')')
            }
            Term::Return(Return::Value(value)) => {
                self.out.write_str("return ")?;
                self.expr(function, *value, 0)
            }
        }
    }

    fn realization(&mut self, function: &Function, realization: &Realization) -> fmt::Result {
        write!(self.out, "realize {}(", function.name)?;
        for (i, arg) in realization.args.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(self.out, "{comma}{arg}")?;
        }
        match realization.ending {
            Ending::Returns(output) => write!(self.out, ") = {output}")?,
            Ending::Traps(kind) => write!(self.out, ") traps {kind}")?,
        }
        if let Some(leaving) = realization.leaving {
            write!(self.out, " leaving {leaving}")?;
        }
        self.out.write_str(" via")?;
        self.path(function, &realization.path)?;
        writeln!(self.out, ";")
    }

    fn path(&mut self, function: &Function, path: &Path) -> fmt::Result {
        let mut rest = path.blocks();
        while !rest.is_empty() {
            let (period, times) = repetition(rest);
            let (repeated, open, close) = (&rest[..period], times > 1, period - 1);
            for (i, block) in repeated.iter().enumerate() {
                let before = if open && i == 0 { " (" } else { " " };
                write!(self.out, "{before}{}", function.block(*block).name)?;
                if open && i == close {
                    write!(self.out, ")^{times}")?;
                }
            }
            rest = &rest[period * times..];
        }
        Ok(())
    }

    fn place(&mut self, function: &Function, place: &Place) -> fmt::Result {
        self.out.write_str(&self.program.var(function, place.var()).name)?;
        for Projection::Index(index) in place.projections() {
            self.out.write_char('[')?;
            self.expr(function, *index, 0)?;
            self.out.write_char(']')?;
        }
        Ok(())
    }

    /// Prints an expression where only what binds at least as tight as `precedence` may stand
    /// without parentheses.
    fn expr(&mut self, function: &Function, id: ExprId, precedence: u8) -> fmt::Result {
        match function.expr(id) {
            Expr::Const(constant) => write!(self.out, "{constant}"),
            Expr::Hole(hole, ty) => {
                write!(self.out, "?s{}", hole.index())?;
                match ty {
                    ValueTy::Int(WordTy::I32) => Ok(()),
                    ValueTy::Int(_) | ValueTy::Float(_) => write!(self.out, ":{ty}"),
                }
            }
            Expr::Read(place) => self.place(function, place),
            Expr::Unary(op, operand) => match op.notation() {
                // A constant in parentheses, because `-5` is a constant itself.
                Notation::Prefix(symbol) if is_const(function, *operand) => {
                    write!(self.out, "{symbol}(")?;
                    self.expr(function, *operand, 0)?;
                    self.out.write_char(')')
                }
                Notation::Prefix(symbol) => {
                    self.out.write_str(symbol)?;
                    self.expr(function, *operand, PREFIX_PRECEDENCE)
                }
                Notation::Named(name) | Notation::Infix(name, _) => {
                    self.call(function, name, &[*operand])
                }
            },
            Expr::Binary(op, lhs, rhs) => match op.notation() {
                Notation::Infix(symbol, tightness) => {
                    let parens = tightness < precedence;
                    if parens {
                        self.out.write_char('(')?;
                    }
                    // Chains lean to the left; comparisons do not chain.
                    let chained = tightness != COMPARISON_PRECEDENCE;
                    self.expr(function, *lhs, tightness + u8::from(!chained))?;
                    write!(self.out, " {symbol} ")?;
                    self.expr(function, *rhs, tightness + 1)?;
                    if parens { self.out.write_char(')') } else { Ok(()) }
                }
                Notation::Named(name) | Notation::Prefix(name) => {
                    self.call(function, name, &[*lhs, *rhs])
                }
            },
            Expr::Select(cond, then, otherwise) => {
                self.call(function, "select", &[*cond, *then, *otherwise])
            }
            Expr::Cast(to, operand) => self.call(function, to.name(), &[*operand]),
            Expr::Call(callee, args) => {
                self.call(function, &self.program.function(*callee).name, args)
            }
        }
    }

    fn call(&mut self, function: &Function, name: &str, args: &[ExprId]) -> fmt::Result {
        write!(self.out, "{name}(")?;
        for (i, arg) in args.iter().enumerate() {
            self.out.write_str(if i == 0 { "" } else { ", " })?;
            self.expr(function, *arg, 0)?;
        }
        self.out.write_char(')')
    }
}

fn is_const(function: &Function, id: ExprId) -> bool {
    matches!(function.expr(id), Expr::Const(_))
}

/// The longest period that is looked for in a path.
const MAX_PERIOD: usize = 32;

/// How `blocks` begins: with how many blocks that come how many times, chosen to save the most.
fn repetition(blocks: &[BlockId]) -> (usize, usize) {
    let mut best = (1, 1);
    let mut best_saved = 1;
    for period in 1..=MAX_PERIOD.min(blocks.len() / 2) {
        let same = std::iter::zip(blocks, &blocks[period..]).take_while(|(a, b)| a == b).count();
        let times = same / period + 1;
        let saved = (times - 1) * period;
        if saved > best_saved {
            (best, best_saved) = ((period, times), saved);
        }
    }
    best
}

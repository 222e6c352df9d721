//! Realizations and their paths.

use std::rc::Rc;

use super::function::no_such_block;
use super::names::Labels;
use super::{Parsed, Parser, Problem};
use crate::dialect::TrapKind;
use crate::graph::Path;
use crate::ids::BlockId;
use crate::lang::limits::MAX_STEPS;
use crate::lang::text::lexer::{Token, clip};
use crate::lang::{Ending, Realization, ValueTy};

impl Parser<'_> {
    /// `realize f(1, 2) = 3 via entry (B1 B2)^4 exit;`, or, if the last block traps,
    /// `realize f(1, 0) traps division_by_zero via entry B1;`. Before `via` there may be what is
    /// left in the globals: `leaving 305419896`.
    pub(super) fn realization(&mut self) -> Parsed<()> {
        let start = self.span;
        self.keyword("realize")?;
        let (name, span) = self.name("the name of a function")?;
        let Some(at) = self.function_names.find(name) else {
            let message = format!("there is no function `{}` above", clip(name));
            return Err(self.stop(Problem::new(span, message).with_rule("unknown-name")));
        };
        self.symbol("(")?;
        let types: Vec<_> =
            self.program.functions[at].params().iter().map(|param| param.ty.cell_ty()).collect();
        let mut args = Vec::new();
        for (i, ty) in types.into_iter().enumerate() {
            if i > 0 {
                self.symbol(",")?;
            }
            args.push(self.value(ty)?);
        }
        self.symbol(")")?;
        let ending = if self.token == Token::Name("traps") {
            self.advance();
            Ending::Traps(self.trap_kind()?)
        } else {
            self.symbol("=")?;
            Ending::Returns(self.value(self.program.functions[at].ret.into())?)
        };
        let leaving = if self.token == Token::Name("leaving") {
            self.advance();
            Some(self.value(ValueTy::CHECKSUM.into())?.word() as u32)
        } else {
            None
        };
        self.keyword("via")?;
        let path = self.path(at)?;
        self.symbol(";")?;
        let realization = Realization { args, path, ending, leaving };
        self.program.functions[at].realizations.push(realization);
        self.spans.functions[at].realizations.push(start.to(self.last));
        Ok(())
    }

    fn trap_kind(&mut self) -> Parsed<TrapKind> {
        let names = TrapKind::ALL.map(TrapKind::name).join(", ");
        let (name, span) = self.name(&format!("a kind of trap: {names}"))?;
        TrapKind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let message = format!("`{}` is no kind of trap", clip(name));
            self.stop(Problem::new(span, message).with_label(format!("expected one of {names}")))
        })
    }

    fn path(&mut self, function: usize) -> Parsed<Path> {
        let labels = Rc::clone(&self.labels[function]);
        let mut blocks = Vec::new();
        while self.token != Token::Symbol(";") {
            if !self.eat("(") {
                blocks.push(self.step(&labels)?);
                self.add_steps(1)?;
                continue;
            }
            let first = blocks.len();
            while !self.eat(")") {
                blocks.push(self.step(&labels)?);
                self.add_steps(1)?;
            }
            self.symbol("^")?;
            let times = self.count("how many times the path repeats", MAX_STEPS as u32)? as usize;
            let period = blocks[first..].to_vec();
            self.add_steps(period.len().saturating_mul(times - 1))?;
            for _ in 1..times {
                blocks.extend_from_slice(&period);
            }
        }
        Ok(Path::new(blocks))
    }

    fn step(&mut self, labels: &Labels) -> Parsed<BlockId> {
        let (name, span) = self.name("a block's label, `(` or `;`")?;
        labels.find(name).ok_or_else(|| self.stop(no_such_block(name, span)))
    }
}

//! Functions, blocks, statements and terminators.

use std::rc::Rc;

use super::expr::Body;
use super::names::{Labels, Names};
use super::{Parsed, Parser, Problem, Span};
use crate::ids::BlockId;
use crate::lang::limits::{MAX_BLOCKS, MAX_EXPR_DEPTH};
use crate::lang::text::lexer::{Token, clip};
use crate::lang::text::spans::{BlockSpans, FunctionSpans};
use crate::lang::{Block, Function, Return, Stmt, Term, ValueTy, Var};

/// A function under construction. Until all labels are known, a target stands for the position of
/// its name in `targets`.
struct Building<'s> {
    body: Body<'s>,
    spans: FunctionSpans,
    targets: Vec<(&'s str, Span)>,
}

impl<'s> Building<'s> {
    fn target(&mut self, (name, span): (&'s str, Span)) -> BlockId {
        self.targets.push((name, span));
        BlockId::new(self.targets.len() - 1)
    }
}

pub(super) fn no_such_block(name: &str, span: Span) -> Problem {
    Problem::new(span, format!("there is no block `{}`", clip(name)))
        .with_rule("unknown-name")
        .with_label("no such label")
}

impl<'s> Parser<'s> {
    pub(super) fn function(&mut self) -> Parsed<()> {
        self.keyword("fn")?;
        let (name, name_span) = self.name("the name of the function")?;
        let mut function = Function::new(name, ValueTy::CHECKSUM);
        function.docs = std::mem::take(&mut self.docs);
        let mut building = Building {
            body: Body { function, var_names: Names::default(), exprs: Vec::new() },
            spans: FunctionSpans { name: name_span, ..FunctionSpans::default() },
            targets: Vec::new(),
        };
        self.params(&mut building)?;
        self.symbol("->")?;
        building.body.function.ret = self.value_ty()?;
        self.symbol("{")?;
        while self.token == Token::Name("var") {
            self.advance();
            match self.declaration() {
                Ok((name, var, span)) => {
                    building.body.declare(name, var);
                    building.spans.vars.push(span);
                }
                Err(_) => self.skip_statement(),
            }
        }
        while self.token != Token::Symbol("}") && self.token != Token::End {
            self.block(&mut building)?;
        }
        self.symbol("}")?;
        let labels = self.resolve(&mut building);
        self.labels.push(Rc::new(labels));
        self.function_names.declare(name, self.program.functions.len());
        building.spans.exprs = building.body.exprs;
        self.program.functions.push(building.body.function);
        self.spans.functions.push(building.spans);
        Ok(())
    }

    fn params(&mut self, building: &mut Building<'s>) -> Parsed<()> {
        self.symbol("(")?;
        while self.token != Token::Symbol(")") {
            let (name, span) = self.name("a parameter or `)`")?;
            self.symbol(":")?;
            let ty = self.var_ty()?;
            self.add_cells(ty.n_cells(), span)?;
            let var = Var { name: name.to_owned(), ty, init: Vec::new() };
            building.body.declare(name, var);
            building.spans.vars.push(span);
            if !self.eat(",") {
                break;
            }
        }
        building.body.function.n_params = building.body.function.vars.len();
        self.symbol(")")
    }

    fn block(&mut self, building: &mut Building<'s>) -> Parsed<()> {
        let (name, span) = self.name("a block's label, or `}`")?;
        self.symbol(":")?;
        if building.body.function.blocks.len() == MAX_BLOCKS {
            let message = format!("a function has at most {MAX_BLOCKS} blocks");
            return Err(self.stop(Problem::new(span, message).with_rule("too-large")));
        }
        let mut stmts = Vec::new();
        let mut spans = BlockSpans { name: span, ..BlockSpans::default() };
        loop {
            let start = self.span;
            let term = match self.token {
                Token::Name("goto" | "if" | "switch" | "return") => self.terminator(building),
                Token::Name(_) => match self.assignment(building) {
                    Ok(stmt) => {
                        stmts.push(stmt);
                        spans.stmts.push(start.to(self.last));
                        continue;
                    }
                    Err(stop) => Err(stop),
                },
                // Whatever it is, it is not a statement; what follows may be.
                _ => Err(self.unexpected("a statement, `goto`, `if`, `switch` or `return`")),
            };
            match term {
                Ok(term) => {
                    spans.term = start.to(self.last);
                    let name = name.to_owned();
                    building.body.function.blocks.push(Block { name, stmts, term });
                    building.spans.blocks.push(spans);
                    return Ok(());
                }
                Err(_) => {
                    self.skip_statement();
                    if !matches!(self.token, Token::Name(_)) {
                        return Err(super::Stop);
                    }
                    // A label may be next where the terminator was the statement in error.
                    if self.at_label() {
                        let term = Term::Return(Return::Checksum);
                        let name = name.to_owned();
                        building.body.function.blocks.push(Block { name, stmts, term });
                        building.spans.blocks.push(spans);
                        return Ok(());
                    }
                }
            }
        }
    }

    fn assignment(&mut self, building: &mut Building<'s>) -> Parsed<Stmt> {
        let (name, span) = self.name("a statement")?;
        if self.token == Token::Symbol(":") {
            let problem = Problem::new(span, "the block before this label does not end")
                .with_label("expected `goto`, `if`, `switch` or `return` before it");
            return Err(self.stop(problem));
        }
        let (place, _, _) = self.place_of(&mut building.body, name, span, MAX_EXPR_DEPTH)?;
        self.symbol("=")?;
        let value = self.expr(&mut building.body)?;
        self.symbol(";")?;
        Ok(Stmt::Assign { place, value: value.id })
    }

    fn terminator(&mut self, building: &mut Building<'s>) -> Parsed<Term> {
        let Token::Name(keyword) = self.token else {
            return Err(self.unexpected("`goto`, `if`, `switch` or `return`"));
        };
        self.advance();
        let term = match keyword {
            "goto" => Term::Goto(self.label(building)?),
            "if" => {
                let cond = self.expr(&mut building.body)?.id;
                self.keyword("goto")?;
                let then = self.label(building)?;
                self.keyword("else")?;
                Term::If { cond, then, otherwise: self.label(building)? }
            }
            "switch" => self.switch(building)?,
            _ if self.token == Token::Name("checksum") => {
                self.advance();
                Term::Return(self.checksum(building)?)
            }
            _ => Term::Return(Return::Value(self.expr(&mut building.body)?.id)),
        };
        self.symbol(";")?;
        Ok(term)
    }

    /// What follows `return checksum`: nothing, or the variables that it covers.
    fn checksum(&mut self, building: &Building<'s>) -> Parsed<Return> {
        if !self.eat("(") {
            return Ok(Return::Checksum);
        }
        let mut vars = Vec::new();
        loop {
            let (name, span) = self.name("the name of a variable")?;
            vars.extend(self.find_var(&building.body, name, span));
            if !self.eat(",") {
                break;
            }
        }
        self.symbol(")")?;
        Ok(Return::ChecksumOf(vars))
    }

    fn switch(&mut self, building: &mut Building<'s>) -> Parsed<Term> {
        let on = self.expr(&mut building.body)?;
        self.symbol("{")?;
        let mut cases = Vec::new();
        while self.token != Token::Name("else") {
            let fill = self.fill(on.ty.into())?;
            self.symbol("->")?;
            cases.push((fill, self.label(building)?));
            self.symbol(",")?;
        }
        self.advance();
        self.symbol("->")?;
        let default = self.label(building)?;
        self.eat(",");
        self.symbol("}")?;
        Ok(Term::Switch { on: on.id, cases, default })
    }

    fn label(&mut self, building: &mut Building<'s>) -> Parsed<BlockId> {
        let label = self.name("the label of a block")?;
        Ok(building.target(label))
    }

    /// Replaces labels by blocks, and returns which labels there are.
    fn resolve(&mut self, building: &mut Building<'s>) -> Labels {
        let blocks = &mut building.body.function.blocks;
        let labels = Labels::new(blocks);
        let mut resolved = Vec::with_capacity(building.targets.len());
        for (name, span) in &building.targets {
            resolved.push(labels.find(name).unwrap_or_else(|| {
                self.note(no_such_block(name, *span));
                BlockId::new(0)
            }));
        }
        for block in blocks {
            block.term.map_targets(|target| resolved[target.index()]);
        }
        labels
    }

    /// Whether a label is next. Only statements begin with a name too.
    fn at_label(&self) -> bool {
        matches!(self.token, Token::Name(_)) && self.lexer.next_is(":")
    }

    fn skip_statement(&mut self) {
        while !matches!(self.token, Token::End | Token::Symbol("}")) {
            if self.eat(";") {
                return;
            }
            self.advance();
        }
    }
}

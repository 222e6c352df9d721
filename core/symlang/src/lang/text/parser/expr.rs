//! Expressions, by precedence.

use super::literal::{Literal, Number, is_named_number};
use super::names::Names;
use super::{Parsed, Parser, Problem, Span};
use crate::ids::{ExprId, GlobalId, VarId};
use crate::lang::limits::MAX_EXPR_DEPTH;
use crate::lang::text::lexer::{Token, clip};
use crate::lang::{
    BinOp, COMPARISON_PRECEDENCE, Const, Expr, FloatTy, Function, Place, ScalarTy, UnOp, ValueTy,
    Var, VarRef, WordTy,
};

/// The type of a constant or hole that does not say one.
const BARE: ValueTy = ValueTy::Int(WordTy::I32);

/// The function that is being read, with the names of its variables and the spans of its
/// expressions.
pub(super) struct Body<'s> {
    pub(super) function: Function,
    pub(super) var_names: Names<'s>,
    pub(super) exprs: Vec<Span>,
}

impl<'s> Body<'s> {
    pub(super) fn declare(&mut self, name: &'s str, var: Var) {
        self.var_names.declare(name, self.function.vars.len());
        self.function.vars.push(var);
    }
}

/// An expression that was read.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) id: ExprId,
    pub(super) ty: ValueTy,
    depth: usize,
    span: Span,
}

impl<'s> Parser<'s> {
    pub(super) fn expr(&mut self, body: &mut Body<'s>) -> Parsed<Operand> {
        self.chain(body, 0, MAX_EXPR_DEPTH)
    }

    /// Operators that bind at least as tight as `precedence`, in an expression that may nest
    /// `room` deep.
    fn chain(&mut self, body: &mut Body<'s>, precedence: u8, room: usize) -> Parsed<Operand> {
        let mut lhs = self.operand(body, room)?;
        loop {
            let Token::Symbol(symbol) = self.token else { return Ok(lhs) };
            let Some((op, tightness)) = BinOp::from_symbol(symbol) else { return Ok(lhs) };
            if tightness < precedence {
                return Ok(lhs);
            }
            self.advance();
            let deeper = self.deeper(room)?;
            let rhs = self.chain(body, tightness + 1, deeper)?;
            let expr = Expr::Binary(op, lhs.id, rhs.id);
            lhs = self.keep(body, expr, op.result_ty(lhs.ty), &[lhs, rhs], lhs.span)?;
            let chained = matches!(self.token, Token::Symbol(next)
                if BinOp::from_symbol(next).is_some_and(|(_, p)| p == COMPARISON_PRECEDENCE));
            if tightness == COMPARISON_PRECEDENCE && chained {
                let problem = Problem::new(self.span, "comparisons do not chain");
                return Err(
                    self.stop(problem.with_label("expected parentheses around one of them"))
                );
            }
        }
    }

    fn operand(&mut self, body: &mut Body<'s>, room: usize) -> Parsed<Operand> {
        let start = self.span;
        match self.token {
            Token::Number(digits) => {
                self.advance();
                self.constant(body, digits, false, start)
            }
            Token::Hole(_) => {
                let hole = self.hole_id()?;
                let ty = if self.eat(":") { self.value_ty()? } else { BARE };
                self.keep(body, Expr::Hole(hole, ty), ty, &[], start)
            }
            Token::Symbol("(") => {
                self.advance();
                let deeper = self.deeper(room)?;
                let inner = self.chain(body, 0, deeper)?;
                self.symbol(")")?;
                Ok(Operand { span: start.to(self.last), ..inner })
            }
            Token::Name(name) if is_named_number(name) => {
                self.advance();
                self.constant(body, name, false, start)
            }
            Token::Name("select") => {
                self.advance();
                let args = self.args(body, "select", 3, room)?;
                let expr = Expr::Select(args[0].id, args[1].id, args[2].id);
                self.keep(body, expr, args[1].ty, &args, start)
            }
            Token::Name(_) => self.named(body, start, room),
            Token::Symbol(symbol) => {
                let Some(op) = UnOp::from_symbol(symbol) else {
                    return Err(self.unexpected("an expression"));
                };
                self.advance();
                match self.token {
                    // A sign in front of a number belongs to it.
                    Token::Number(digits) if op == UnOp::Neg => {
                        self.advance();
                        self.constant(body, digits, true, start)
                    }
                    // There is no NaN with a sign.
                    Token::Name(name)
                        if op == UnOp::Neg && is_named_number(name) && name.starts_with("inf") =>
                    {
                        self.advance();
                        self.constant(body, name, true, start)
                    }
                    _ => self.prefix(body, op, start, room),
                }
            }
            Token::End | Token::ProgramDoc(_) | Token::FunctionDoc(_) => {
                Err(self.unexpected("an expression"))
            }
        }
    }

    fn prefix(
        &mut self,
        body: &mut Body<'s>,
        op: UnOp,
        start: Span,
        room: usize,
    ) -> Parsed<Operand> {
        let room = self.deeper(room)?;
        let operand = self.operand(body, room)?;
        self.keep(body, Expr::Unary(op, operand.id), op.result_ty(operand.ty), &[operand], start)
    }

    /// A variable, an element, a cast, an intrinsic or a call.
    fn named(&mut self, body: &mut Body<'s>, start: Span, room: usize) -> Parsed<Operand> {
        let (name, span) = self.name("an expression")?;
        if self.token != Token::Symbol("(") {
            let (place, ty, index) = self.place_of(body, name, span, room)?;
            return self.keep(body, Expr::Read(place), ty, index.as_slice(), start);
        }
        if let Some(to) = ScalarTy::from_name(name) {
            let args = self.args(body, name, 1, room)?;
            return self.keep(body, Expr::Cast(to, args[0].id), to.widened(), &args, start);
        }
        if let Some(op) = UnOp::from_name(name) {
            let args = self.args(body, name, 1, room)?;
            let expr = Expr::Unary(op, args[0].id);
            return self.keep(body, expr, op.result_ty(args[0].ty), &args, start);
        }
        if let Some(op) = BinOp::from_name(name) {
            let args = self.args(body, name, 2, room)?;
            let expr = Expr::Binary(op, args[0].id, args[1].id);
            return self.keep(body, expr, op.result_ty(args[0].ty), &args, start);
        }
        let callee = self.function_named(name, span);
        let args = self.arg_list(body, room)?;
        let Some((callee, ret)) = callee else {
            // Noted; any expression will do to go on with.
            return self.keep(body, zero(), BARE, &[], start);
        };
        let ids = args.iter().map(|arg| arg.id).collect();
        self.keep(body, Expr::Call(callee, ids), ret, &args, start)
    }

    /// What the name of a variable, and perhaps an index behind it, stands for; its type as a
    /// value; and the index.
    pub(super) fn place_of(
        &mut self,
        body: &mut Body<'s>,
        name: &str,
        span: Span,
        room: usize,
    ) -> Parsed<(Place, ValueTy, Option<Operand>)> {
        let (var, ty) = match self.find_var(body, name, span) {
            Some(var) => {
                let declared = self.program.var(&body.function, var);
                (var, declared.ty.cell_ty().widened())
            }
            None => (VarRef::Var(VarId::new(0)), BARE),
        };
        if !self.eat("[") {
            return Ok((Place::scalar(var), ty, None));
        }
        let deeper = self.deeper(room)?;
        let index = self.chain(body, 0, deeper)?;
        self.symbol("]")?;
        Ok((Place::element(var, index.id), ty, Some(index)))
    }

    /// The variable called `name`. That there is none is noted.
    pub(super) fn find_var(&mut self, body: &Body<'s>, name: &str, span: Span) -> Option<VarRef> {
        let own = body.var_names.find(name);
        let global = self.global_names.find(name);
        match (own, global) {
            (Some(at), _) => Some(VarRef::Var(VarId::new(at))),
            (None, Some(at)) => Some(VarRef::Global(GlobalId::new(at))),
            (None, None) => {
                let problem = Problem::new(span, format!("there is no variable `{}`", clip(name)));
                self.note(problem.with_rule("unknown-name").with_label("not declared"));
                None
            }
        }
    }

    /// The arguments of something that takes `n` of them.
    fn args(
        &mut self,
        body: &mut Body<'s>,
        name: &str,
        n: usize,
        room: usize,
    ) -> Parsed<Vec<Operand>> {
        let args = self.arg_list(body, room)?;
        if args.len() == n {
            return Ok(args);
        }
        let message = format!("`{name}` takes {n} arguments, not {}", args.len());
        Err(self.stop(Problem::new(self.last, message).with_rule("argument-count")))
    }

    fn arg_list(&mut self, body: &mut Body<'s>, room: usize) -> Parsed<Vec<Operand>> {
        self.symbol("(")?;
        let mut args = Vec::new();
        if self.eat(")") {
            return Ok(args);
        }
        let deeper = self.deeper(room)?;
        loop {
            args.push(self.chain(body, 0, deeper)?);
            if !self.eat(",") {
                self.symbol(")")?;
                return Ok(args);
            }
        }
    }

    fn constant(
        &mut self,
        body: &mut Body<'s>,
        digits: &'s str,
        negative: bool,
        start: Span,
    ) -> Parsed<Operand> {
        let span = start.to(self.last);
        let Literal { number, suffix } = self.number(digits, negative, span)?;
        let ty = match (suffix, &number) {
            ("", Number::Int { .. }) => Some(BARE),
            ("", Number::Float(_)) => Some(ValueTy::Float(FloatTy::F64)),
            (suffix, _) => ScalarTy::from_name(suffix).and_then(ScalarTy::as_value),
        };
        let Some(ty) = ty else {
            let message = format!("`{}` is not a suffix of constants", clip(suffix));
            let label = "expected i32, u32, i64, u64, f32, f64 or nothing, which is i32, or f64 if \
                         the number is no integer";
            return Err(self.stop(Problem::new(span, message).with_label(label)));
        };
        let value = self.in_range(&number, ty.into(), span)?;
        self.keep(body, Expr::Const(Const::new(ty, value.word())), ty, &[], start)
    }

    fn keep(
        &mut self,
        body: &mut Body<'s>,
        expr: Expr,
        ty: ValueTy,
        operands: &[Operand],
        start: Span,
    ) -> Parsed<Operand> {
        let depth = 1 + operands.iter().map(|operand| operand.depth).max().unwrap_or(0);
        let span = start.to(self.last);
        if depth > MAX_EXPR_DEPTH {
            return Err(self.too_deep(span));
        }
        let id = body.function.add_expr(expr);
        body.exprs.push(span);
        Ok(Operand { id, ty, depth, span })
    }

    fn deeper(&mut self, room: usize) -> Parsed<usize> {
        room.checked_sub(1).ok_or_else(|| self.too_deep(self.span))
    }

    fn too_deep(&mut self, span: Span) -> super::Stop {
        let message = format!("the expression nests deeper than {MAX_EXPR_DEPTH}");
        self.stop(
            Problem::new(span, message)
                .with_rule("too-large")
                .with_help("a chain of operators nests as deep as it is long; split it up"),
        )
    }
}

fn zero() -> Expr {
    Expr::Const(Const::new(BARE, 0))
}

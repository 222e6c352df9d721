//! The rules for what stands in blocks: ids, types, labels of cases.

use std::collections::BTreeSet;

use super::{Location, Rule, Validator};
use crate::ids::{BlockId, ExprId, FuncId};
use crate::lang::limits::MAX_EXPR_DEPTH;
use crate::lang::{
    ConstOrHole, Expr, Function, Notation, OperandClass, Place, Projection, Return, Scalar,
    ScalarTy, Stmt, Term, ValueTy, VarRef, VarTy,
};

impl Validator<'_> {
    /// Checks that everything `function` refers to exists, that expressions are trees, and that
    /// they are not too deep for those who walk them.
    pub(super) fn check_ids(&mut self, id: FuncId, function: &Function) {
        if function.n_params > function.vars.len() {
            let message = "it has more parameters than variables";
            self.report(Rule::UnknownId, Location::Function(id), message, None);
        }
        let mut used = vec![false; function.n_exprs()];
        for (block, data) in function.blocks_with_ids() {
            for (i, stmt) in data.stmts.iter().enumerate() {
                let location = Location::Stmt(id, block, i);
                self.check_var_ref(location, function, stmt.assigned().var());
                for root in stmt.roots() {
                    self.check_tree(id, location, function, root, &mut used);
                }
            }
            let location = Location::Term(id, block);
            if let Term::Return(Return::ChecksumOf(vars)) = &data.term {
                vars.iter().for_each(|var| self.check_var_ref(location, function, *var));
            }
            if let Some(root) = data.term.root() {
                self.check_tree(id, location, function, root, &mut used);
            }
            let mut lost = false;
            data.term.for_each_target(|target| lost |= target.index() >= function.blocks.len());
            if lost {
                let message = format!("`{}` leads to a block that is not there", data.name);
                self.report(Rule::UnknownId, location, message, None);
            }
        }
    }

    fn check_tree(
        &mut self,
        id: FuncId,
        location: Location,
        function: &Function,
        root: ExprId,
        used: &mut [bool],
    ) {
        let mut stack = vec![(root, 1)];
        while let Some((expr_id, depth)) = stack.pop() {
            let Some(used) = used.get_mut(expr_id.index()) else {
                self.report(Rule::UnknownId, location, "an expression is not there", None);
                continue;
            };
            if std::mem::replace(used, true) {
                let message = "an expression is used twice";
                self.report(Rule::SharedExpr, location, message, None);
                continue;
            }
            if depth > MAX_EXPR_DEPTH {
                let message = format!("an expression nests deeper than {MAX_EXPR_DEPTH}");
                self.report(Rule::TooLarge, location, message, None);
                continue;
            }
            match function.expr(expr_id) {
                Expr::Read(place) => {
                    self.check_var_ref(Location::Expr(id, expr_id), function, place.var());
                }
                Expr::Call(callee, _) if callee.index() >= self.program.functions.len() => {
                    let message = "a function that is called is not there";
                    self.report(Rule::UnknownId, location, message, None);
                }
                Expr::Const(_)
                | Expr::Hole(..)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(..)
                | Expr::Cast(..)
                | Expr::Call(..) => {}
            }
            stack.extend(function.expr(expr_id).operands().map(|operand| (operand, depth + 1)));
        }
    }

    fn check_var_ref(&mut self, location: Location, function: &Function, var: VarRef) {
        let known = match var {
            VarRef::Var(var) => var.index() < function.vars.len(),
            VarRef::Global(global) => global.index() < self.program.globals.len(),
        };
        if !known {
            self.report(Rule::UnknownId, location, "a variable is not there", None);
        }
    }

    pub(super) fn check_bodies(&mut self, id: FuncId, function: &Function) {
        function.for_each_expr(|expr_id, _| self.check_expr(id, function, expr_id));
        for (block, data) in function.blocks_with_ids() {
            for (i, stmt) in data.stmts.iter().enumerate() {
                let location = Location::Stmt(id, block, i);
                let Stmt::Assign { place, value } = stmt;
                self.check_place(id, location, function, place);
                let var = self.program.var(function, place.var());
                let cell = var.ty.cell_ty();
                let (target, assigned) = (cell.widened(), self.program.expr_ty(function, *value));
                if target != assigned {
                    let (cell, assigned) = (one(cell), one(assigned));
                    let message = format!("`{}`, {cell}, is assigned {assigned}", var.name);
                    let expected = Some(format!("expected {target}"));
                    let location = Location::Expr(id, *value);
                    self.report(Rule::TypeMismatch, location, message, expected);
                }
            }
            self.check_term(id, function, block);
        }
    }

    fn check_term(&mut self, id: FuncId, function: &Function, block: BlockId) {
        let term = &function.block(block).term;
        match term {
            Term::Goto(_) => {}
            Term::If { cond, .. } => self.check_condition(id, function, *cond),
            Term::Switch { on, cases, .. } => {
                self.check_integer(id, function, *on, "the value of the `switch`");
                let ty = self.program.expr_ty(function, *on).stored_as();
                let location = Location::Term(id, block);
                let mut labels: Vec<Scalar> = Vec::with_capacity(cases.len());
                for (fill, _) in cases {
                    if let ConstOrHole::Const(value) = fill {
                        self.check_value(location, ty, *value);
                        labels.push(*value);
                    }
                }
                labels.sort_unstable();
                if let Some(pair) = labels.windows(2).find(|pair| pair[0] == pair[1]) {
                    let message = format!("two cases have the label {}", pair[0]);
                    self.report(Rule::DuplicateCase, location, message, None);
                }
            }
            Term::Return(Return::Checksum) => {
                self.check_return(function, ValueTy::CHECKSUM, Location::Term(id, block));
            }
            Term::Return(Return::ChecksumOf(vars)) => {
                let location = Location::Term(id, block);
                self.check_return(function, ValueTy::CHECKSUM, location);
                self.check_listed(function, vars, location);
            }
            Term::Return(Return::Value(value)) => {
                let ty = self.program.expr_ty(function, *value);
                self.check_return(function, ty, Location::Expr(id, *value));
            }
        }
    }

    fn check_listed(&mut self, function: &Function, vars: &[VarRef], location: Location) {
        if vars.is_empty() {
            let message = "the checksum lists no variable";
            self.report(Rule::ChecksumList, location, message, None);
        }
        let mut listed = BTreeSet::new();
        let twice = vars.iter().find(|var| !listed.insert(**var));
        if let Some(var) = twice {
            let name = &self.program.var(function, *var).name;
            let message = format!("the checksum lists `{name}` twice");
            self.report(Rule::ChecksumList, location, message, None);
        }
    }

    fn check_return(&mut self, function: &Function, ty: ValueTy, location: Location) {
        if ty != function.ret {
            let message = format!("{} is returned", one(ty));
            let expected = Some(format!("expected {}", function.ret));
            self.report(Rule::ReturnType, location, message, expected);
        }
    }

    fn check_expr(&mut self, id: FuncId, function: &Function, expr_id: ExprId) {
        let program = self.program;
        let ty_of = |operand: ExprId| program.expr_ty(function, operand);
        let location = Location::Expr(id, expr_id);
        match function.expr(expr_id) {
            Expr::Const(_) | Expr::Hole(..) | Expr::Cast(..) => {}
            Expr::Read(place) => self.check_place(id, location, function, place),
            Expr::Unary(op, operand) => {
                self.check_class(location, op.operands(), op.notation(), ty_of(*operand));
            }
            Expr::Binary(op, lhs, rhs) => {
                self.check_same(location, ty_of(*lhs), ty_of(*rhs));
                self.check_class(location, op.operands(), op.notation(), ty_of(*lhs));
            }
            Expr::Select(cond, then, otherwise) => {
                self.check_condition(id, function, *cond);
                self.check_same(location, ty_of(*then), ty_of(*otherwise));
            }
            Expr::Call(callee, args) => {
                let callee = program.function(*callee);
                if args.len() != callee.n_params {
                    let message =
                        format!("`{}` is called with {} arguments", callee.name, args.len());
                    let expected = Some(format!("expected {}", callee.n_params));
                    self.report(Rule::ArgumentCount, location, message, expected);
                }
                for (arg, param) in std::iter::zip(args, callee.params()) {
                    let (actual, wanted) = (ty_of(*arg), param.ty.cell_ty().widened());
                    if actual != wanted {
                        let message = format!("{} is passed for `{}`", one(actual), param.name);
                        let expected = Some(format!("expected {wanted}"));
                        let location = Location::Expr(id, *arg);
                        self.report(Rule::ArgumentType, location, message, expected);
                    }
                }
            }
        }
    }

    fn check_same(&mut self, location: Location, lhs: ValueTy, rhs: ValueTy) {
        if lhs != rhs {
            let message = format!("{} and {} meet", one(lhs), one(rhs));
            let expected = Some("expected operands of one type".to_owned());
            self.report(Rule::TypeMismatch, location, message, expected);
        }
    }

    fn check_class(
        &mut self,
        location: Location,
        class: OperandClass,
        notation: Notation,
        ty: ValueTy,
    ) {
        if !class.has(ty) {
            let (Notation::Prefix(op) | Notation::Infix(op, _) | Notation::Named(op)) = notation;
            let message = format!("`{op}` is applied to {}", one(ty));
            let expected = Some(format!("expected {}", class.describe()));
            self.report(Rule::OperandType, location, message, expected);
        }
    }

    fn check_integer(&mut self, id: FuncId, function: &Function, expr: ExprId, what: &str) {
        let ty = self.program.expr_ty(function, expr);
        if !ty.is_int() {
            let message = format!("{what} is {}", one(ty));
            let expected = Some("expected an integer".to_owned());
            self.report(Rule::IntegerType, Location::Expr(id, expr), message, expected);
        }
    }

    fn check_condition(&mut self, id: FuncId, function: &Function, cond: ExprId) {
        let ty = self.program.expr_ty(function, cond);
        if ty != ValueTy::CONDITION {
            let message = format!("the condition is {}", one(ty));
            let expected = Some("expected an i32, such as a comparison".to_owned());
            self.report(Rule::ConditionType, Location::Expr(id, cond), message, expected);
        }
    }

    fn check_place(&mut self, id: FuncId, location: Location, function: &Function, place: &Place) {
        for index in place.indices() {
            self.check_integer(id, function, index, "the index");
        }
        let var = self.program.var(function, place.var());
        let mut ty = Some(&var.ty);
        for Projection::Index(_) in place.projections() {
            ty = ty.and_then(VarTy::element);
        }
        match ty {
            Some(VarTy::Scalar(_)) => {}
            Some(VarTy::Array(..)) => {
                let message = format!("`{}` is an array", var.name);
                let expected = Some(format!("expected an element, as in {}[0]", var.name));
                self.report(Rule::NotAScalar, location, message, expected);
            }
            None => {
                let message = format!("`{}` is not an array", var.name);
                self.report(Rule::NotAnArray, location, message, None);
            }
        }
    }
}

/// A type with its article.
pub(super) fn one(ty: impl Into<ScalarTy>) -> String {
    let ty = ty.into();
    let article = match ty {
        ScalarTy::Int(int) if int.is_signed() => "an",
        ScalarTy::Float(_) => "an",
        ScalarTy::Int(_) => "a",
    };
    format!("{article} {ty}")
}

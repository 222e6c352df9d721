//! The types of expressions.

use super::expr::Expr;
use super::function::Function;
use super::place::VarRef;
use super::program::Program;
use super::types::ValueTy;
use crate::ids::ExprId;

/// The types of all expressions of a function that are in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExprTypes(Vec<ValueTy>);

impl ExprTypes {
    /// The types of the expressions of `function`. If operands disagree, the first decides.
    pub fn new(program: &Program, function: &Function) -> Self {
        let mut types = Self(Vec::with_capacity(function.n_exprs()));
        // Expressions that were built from their operands are kept in an order that will do.
        for expr in function.exprs() {
            if !can_be_typed(program, function, expr, ExprId::new(types.0.len())) {
                return Self::by_tree(program, function);
            }
            let ty = ty_of(program, function, expr, |operand| types.of(operand));
            types.0.push(ty);
        }
        types
    }

    fn by_tree(program: &Program, function: &Function) -> Self {
        let mut types = Self(vec![ValueTy::CONDITION; function.n_exprs()]);
        function.roots().for_each(|root| {
            types.add_tree(program, function, root);
        });
        types
    }

    /// Notes the types of an expression and of everything below it. Expressions nest no deeper than
    /// the language allows, so this may recurse.
    fn add_tree(&mut self, program: &Program, function: &Function, id: ExprId) -> ValueTy {
        let expr = function.expr(id);
        let ty =
            ty_of(program, function, expr, |operand| self.add_tree(program, function, operand));
        let mut add = |operand: &ExprId| {
            self.add_tree(program, function, *operand);
        };
        // The operands that do not decide the type.
        match expr {
            Expr::Const(_) | Expr::Hole(..) | Expr::Unary(..) => {}
            Expr::Read(place) => place.indices().for_each(|index| add(&index)),
            Expr::Binary(_, _, rhs) => add(rhs),
            Expr::Select(cond, _, otherwise) => [cond, otherwise].into_iter().for_each(add),
            Expr::Cast(_, operand) => add(operand),
            Expr::Call(_, args) => args.iter().for_each(add),
        }
        self.0[id.index()] = ty;
        ty
    }

    /// The type of an expression.
    #[inline]
    pub fn of(&self, id: ExprId) -> ValueTy {
        self.0[id.index()]
    }
}

impl Program {
    /// The type of an expression of `function`. If operands disagree, the first decides. To ask for
    /// many expressions, make an [`ExprTypes`].
    pub fn expr_ty(&self, function: &Function, id: ExprId) -> ValueTy {
        ty_of(self, function, function.expr(id), |operand| self.expr_ty(function, operand))
    }
}

/// The type of an expression whose operands have the types that `of` says.
#[inline]
fn ty_of(
    program: &Program,
    function: &Function,
    expr: &Expr,
    mut of: impl FnMut(ExprId) -> ValueTy,
) -> ValueTy {
    match expr {
        Expr::Const(constant) => constant.ty(),
        Expr::Hole(_, ty) => *ty,
        Expr::Read(place) => program.var(function, place.var()).ty.cell_ty().widened(),
        Expr::Unary(op, operand) => op.result_ty(of(*operand)),
        Expr::Binary(op, lhs, _) => op.result_ty(of(*lhs)),
        Expr::Select(_, then, _) => of(*then),
        Expr::Cast(to, _) => to.widened(),
        Expr::Call(callee, _) => program.function(*callee).ret,
    }
}

/// Whether all operands of `expr` are kept before `id`, and what it names exists: an expression that
/// is not in use may name what is gone.
#[inline]
fn can_be_typed(program: &Program, function: &Function, expr: &Expr, id: ExprId) -> bool {
    match expr {
        Expr::Const(_) | Expr::Hole(..) => true,
        Expr::Binary(_, lhs, rhs) => *lhs < id && *rhs < id,
        Expr::Read(place) => {
            let exists = match place.var() {
                VarRef::Var(var) => var.index() < function.vars.len(),
                VarRef::Global(global) => global.index() < program.globals.len(),
            };
            exists && (place.as_scalar().is_some() || place.indices().all(|index| index < id))
        }
        Expr::Unary(_, operand) | Expr::Cast(_, operand) => *operand < id,
        Expr::Select(cond, then, otherwise) => *cond < id && *then < id && *otherwise < id,
        Expr::Call(callee, args) => {
            callee.index() < program.functions.len() && args.iter().all(|arg| *arg < id)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::text::parse;

    #[test]
    fn the_table_agrees_with_asking_for_each() {
        let text = "global g: [u8; 2] = [1, 2];
            fn f(a: i64) -> i32 { entry: g[u32(a) % 2u32] = u32(a < 7i64) + ?s0:u32;
            return select(a != 1i64, i16(a), i32(~g[1])) + h(g[0]); }
            fn h(x: u16) -> i32 { entry: return -1; }";
        let mut program = parse("test", text).unwrap();
        for reversed in [false, true] {
            if reversed {
                // Replaced in place, an operand may be kept behind its operator.
                let root = program.functions[0].roots().next().unwrap();
                let moved = program.functions[0].expr(root).clone();
                let moved = program.functions[0].add_expr(moved);
                let zero = Expr::Unary(crate::lang::UnOp::Not, moved);
                *program.functions[0].expr_mut(root) = zero;
            }
            let function = &program.functions[0];
            let types = ExprTypes::new(&program, function);
            function.for_each_expr(|id, _| {
                assert_eq!(types.of(id), program.expr_ty(function, id));
            });
        }
    }

    /// An edit leaves behind expressions that nothing uses, and then takes out what they name.
    #[test]
    fn what_is_not_in_use_need_not_make_sense() {
        use crate::ids::{FuncId, GlobalId, VarId};
        use crate::lang::Place;
        let text = "fn f(a: i64) -> i32 { entry: return i32(a); }";
        for stray in [
            Expr::Call(FuncId::new(7), Box::default()),
            Expr::Read(Place::scalar(VarRef::Var(VarId::new(7)))),
            Expr::Read(Place::scalar(VarRef::Global(GlobalId::new(7)))),
        ] {
            let mut program = parse("test", text).unwrap();
            program.functions[0].add_expr(stray);
            assert_eq!(crate::lang::validate(&program), []);
            let function = &program.functions[0];
            let types = ExprTypes::new(&program, function);
            function.for_each_expr(|id, _| {
                assert_eq!(types.of(id), program.expr_ty(function, id));
            });
        }
    }
}

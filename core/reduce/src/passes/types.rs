//! Usual types.

use std::sync::Arc;

use super::Edit;
use pathsmith_edit::Draft;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{
    BinOp, Const, ConstOrHole, Expr, ExprTypes, FloatTy, Function, IntTy, Program, Return, Scalar,
    ScalarTy, Term, VarTy,
};
use pathsmith_symlang::semantics::table;
use pathsmith_symlang::{ExprId, FuncId};

/// The types that are replaced, and by which: narrow ones become as wide as reads make them, wide
/// and unsigned ones an `i32`, and so do those of floating-point numbers.
const REPLACED: [(ScalarTy, ScalarTy); 10] = [
    (ScalarTy::Float(FloatTy::F64), ScalarTy::Int(IntTy::I32)),
    (ScalarTy::Float(FloatTy::F64), ScalarTy::Float(FloatTy::F32)),
    (ScalarTy::Float(FloatTy::F32), ScalarTy::Int(IntTy::I32)),
    (ScalarTy::Int(IntTy::I8), ScalarTy::Int(IntTy::I32)),
    (ScalarTy::Int(IntTy::I16), ScalarTy::Int(IntTy::I32)),
    (ScalarTy::Int(IntTy::U8), ScalarTy::Int(IntTy::U32)),
    (ScalarTy::Int(IntTy::U16), ScalarTy::Int(IntTy::U32)),
    (ScalarTy::Int(IntTy::U64), ScalarTy::Int(IntTy::I32)),
    (ScalarTy::Int(IntTy::I64), ScalarTy::Int(IntTy::I32)),
    (ScalarTy::Int(IntTy::U32), ScalarTy::Int(IntTy::I32)),
];

/// Keeps in one type what is kept in another, everywhere.
pub(super) fn replaced(program: &Program, _: &Facts) -> Vec<Edit> {
    let is_used = |ty: ScalarTy| {
        let vars = program.functions.iter().flat_map(|f| &f.vars).chain(&program.globals);
        let of_exprs = program.functions.iter().flat_map(|f| f.exprs()).any(|expr| match expr {
            Expr::Const(constant) => constant.ty().stored_as() == ty,
            Expr::Cast(to, _) => *to == ty,
            Expr::Hole(..)
            | Expr::Read(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..)
            | Expr::Call(..) => false,
        });
        of_exprs || vars.into_iter().any(|var| var.ty.cell_ty() == ty)
    };
    let used = REPLACED.into_iter().filter(|(from, _)| is_used(*from));
    used.map(|(from, to)| Edit::new(move |draft| replace(draft, from, to))).collect()
}

fn replace(draft: &mut Draft, from: ScalarTy, to: ScalarTy) {
    put_operators(draft, from, to);
    let program = &mut draft.program;
    let converted = |word: i64| table::cast(from.widened(), to, word).word;
    let convert = |value: &mut Scalar| {
        if value.ty() == from {
            *value = Scalar::new(to, converted(value.word()));
        }
    };
    let vars = program.functions.iter_mut().flat_map(|function| &mut function.vars);
    for var in vars.chain(&mut program.globals) {
        replace_in(&mut var.ty, from, to);
        for fill in &mut var.init {
            if let ConstOrHole::Const(value) = fill {
                convert(value);
            }
        }
    }
    let from_value = from.as_value();
    for function in &mut program.functions {
        for expr in function.exprs_mut() {
            match expr {
                Expr::Const(constant) if Some(constant.ty()) == from_value => {
                    *constant = Const::new(to.widened(), converted(constant.word()));
                }
                Expr::Cast(ty, _) if *ty == from => *ty = to,
                Expr::Const(_)
                | Expr::Cast(..)
                | Expr::Hole(..)
                | Expr::Read(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select(..)
                | Expr::Call(..) => {}
            }
        }
        let has_checksum = match function.returned() {
            Some(Return::Checksum | Return::ChecksumOf(_)) => true,
            Some(Return::Value(_)) | None => false,
        };
        if Some(function.ret) == from_value && !has_checksum {
            function.ret = to.widened();
        }
        for block in &mut function.blocks {
            if let Term::Switch { cases, .. } = &mut block.term {
                for (label, _) in cases {
                    if let ConstOrHole::Const(value) = label {
                        convert(value);
                    }
                }
            }
        }
        for realization in &mut function.realizations {
            realization.args.iter_mut().for_each(convert);
        }
    }
}

/// Puts casts in the place of operators that the other type does not have, or that yield another
/// type there.
fn put_operators(draft: &mut Draft, from: ScalarTy, to: ScalarTy) {
    let (old, new) = (from.widened(), to.widened());
    if old.is_int() {
        return;
    }
    for id in (0..draft.program.functions.len()).map(FuncId::new) {
        let function = draft.program.function(id);
        let types = ExprTypes::new(&draft.program, function);
        let mut edits: Vec<(ExprId, Expr)> = Vec::new();
        function.for_each_expr(|expr_id, expr| match *expr {
            Expr::Unary(op, a) => {
                let (ty, result) = (types.of(a), types.of(expr_id));
                let new_operand = if ty == old { new } else { ty };
                let wanted = if result == old { new } else { result };
                if !op.takes(new_operand) || op.result_ty(new_operand) != wanted {
                    edits.push((expr_id, Expr::Cast(wanted.into(), a)));
                }
            }
            Expr::Binary(op, a, b) if types.of(a) == old && !op.takes(new) => {
                edits.push((expr_id, Expr::Binary(BinOp::Max, a, b)));
            }
            Expr::Binary(..)
            | Expr::Const(_)
            | Expr::Cast(..)
            | Expr::Hole(..)
            | Expr::Read(_)
            | Expr::Select(..)
            | Expr::Call(..) => {}
        });
        let function: &mut Function = draft.function(id);
        for (expr, new) in edits {
            *function.expr_mut(expr) = new;
        }
    }
}

fn replace_in(ty: &mut VarTy, from: ScalarTy, to: ScalarTy) {
    match ty {
        VarTy::Scalar(cell) if *cell == from => *cell = to,
        VarTy::Scalar(_) => {}
        VarTy::Array(elem, _) => replace_in(Arc::make_mut(elem), from, to),
    }
}

//! Usual types.

use std::sync::Arc;

use super::Edit;
use pathsmith_edit::Draft;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{
    Const, ConstOrHole, Expr, IntTy, Program, Return, Scalar, ScalarTy, Term, VarTy,
};

/// The types that are replaced, and by which: narrow ones become as wide as reads make them, wide
/// and unsigned ones an `i32`.
const REPLACED: [(IntTy, IntTy); 7] = [
    (IntTy::I8, IntTy::I32),
    (IntTy::I16, IntTy::I32),
    (IntTy::U8, IntTy::U32),
    (IntTy::U16, IntTy::U32),
    (IntTy::U64, IntTy::I32),
    (IntTy::I64, IntTy::I32),
    (IntTy::U32, IntTy::I32),
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
    let pairs = REPLACED.map(|(from, to)| (ScalarTy::Int(from), ScalarTy::Int(to)));
    let used = pairs.into_iter().filter(|(from, _)| is_used(*from));
    used.map(|(from, to)| Edit::new(move |draft| replace(draft, from, to))).collect()
}

fn replace(draft: &mut Draft, from: ScalarTy, to: ScalarTy) {
    let program = &mut draft.program;
    let convert = |value: &mut Scalar| {
        if value.ty() == from {
            *value = Scalar::new(to, value.word());
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
                    *constant = Const::new(to.widened(), constant.word());
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

fn replace_in(ty: &mut VarTy, from: ScalarTy, to: ScalarTy) {
    match ty {
        VarTy::Scalar(cell) if *cell == from => *cell = to,
        VarTy::Scalar(_) => {}
        VarTy::Array(elem, _) => replace_in(Arc::make_mut(elem), from, to),
    }
}

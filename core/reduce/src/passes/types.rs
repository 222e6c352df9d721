//! Usual types.

use super::Edit;
use pathsmith_edit::Draft;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{
    Const, ConstOrHole, Expr, IntTy, Program, Return, Term, VarTy, WordTy,
};

/// Keeps in one type what is kept in another, everywhere: narrow ones become as wide as reads make
/// them, wide and unsigned ones an `i32`.
pub(super) fn replaced(program: &Program, _: &Facts) -> Vec<Edit> {
    let from = [IntTy::I8, IntTy::I16, IntTy::U8, IntTy::U16, IntTy::U64, IntTy::I64, IntTy::U32];
    let is_used = |ty: &IntTy| {
        let vars = program.functions.iter().flat_map(|f| &f.vars).chain(&program.globals);
        let of_exprs = program.functions.iter().flat_map(|f| f.exprs()).any(|expr| match expr {
            Expr::Const(constant) => IntTy::from(constant.ty()) == *ty,
            Expr::Cast(to, _) => to == ty,
            _ => false,
        });
        of_exprs || vars.into_iter().any(|var| var.ty.elem() == *ty)
    };
    let edits = from.into_iter().filter(is_used).map(|from| {
        Edit::new(move |draft| {
            let to = match from.as_word() {
                Some(_) => WordTy::I32.into(),
                None => from.widened().into(),
            };
            replace(draft, from, to);
        })
    });
    edits.collect()
}

fn replace(draft: &mut Draft, from: IntTy, to: IntTy) {
    let program = &mut draft.program;
    let vars = program.functions.iter_mut().flat_map(|function| &mut function.vars);
    for var in vars.chain(&mut program.globals) {
        match &mut var.ty {
            VarTy::Scalar(elem) | VarTy::Array(elem, _) if *elem == from => *elem = to,
            _ => continue,
        }
        for fill in &mut var.init {
            if let ConstOrHole::Value(value) = fill {
                *value = to.wrap(*value);
            }
        }
    }
    let arith = from.as_word();
    for function in &mut program.functions {
        for expr in function.exprs_mut() {
            match expr {
                Expr::Const(constant) if Some(constant.ty()) == arith => {
                    *constant = Const::new(to.widened(), constant.value());
                }
                Expr::Cast(ty, _) if *ty == from => *ty = to,
                _ => {}
            }
        }
        let is_checksum = |term: &Term| matches!(term, Term::Return(Return::Checksum));
        if Some(function.ret) == arith && !function.blocks.iter().any(|b| is_checksum(&b.term)) {
            function.ret = to.widened();
        }
        for block in &mut function.blocks {
            if let Term::Switch { cases, .. } = &mut block.term {
                for (label, _) in cases {
                    if let (ConstOrHole::Value(value), Some(_)) = (label, arith) {
                        *value = to.wrap(*value);
                    }
                }
            }
        }
        let params = function.vars.iter().take(function.n_params);
        let params: Vec<IntTy> = params.map(|param| param.ty.elem()).collect();
        for realization in &mut function.realizations {
            for (arg, ty) in std::iter::zip(&mut realization.args, &params) {
                *arg = ty.wrap(*arg);
            }
        }
    }
}

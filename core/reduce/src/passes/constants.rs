//! Smaller numbers.

use super::Edit;
use crate::size::digits;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{Const, ConstOrHole, Expr, IntTy, Program, Term};

/// Numbers with fewer digits, those with the fewest first.
fn smaller(ty: IntTy, value: i64) -> Vec<i64> {
    let wide = ty.to_wide(value);
    let halves = [32, 12, 4, 1].map(|shift| wide / (1 << shift));
    let mut smaller = vec![0, 1, -1];
    smaller.extend(halves);
    smaller.push(-wide);
    let fits = |number: &i128| ty.from_wide(*number).is_some() && digits(*number) < digits(wide);
    smaller.retain(fits);
    let mut unique = Vec::new();
    for number in smaller {
        if let Some(number) = ty.from_wide(number)
            && !unique.contains(&number)
        {
            unique.push(number);
        }
    }
    unique
}

/// Makes a constant smaller.
pub(super) fn shrunk(program: &Program, _: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        function.for_each_expr(|expr_id, expr| {
            if let Expr::Const(constant) = expr {
                let ty = constant.ty();
                let numbers = smaller(ty.into(), constant.value()).into_iter();
                edits.extend(numbers.map(|number| {
                    let constant = Const::new(ty, number);
                    Edit::new(move |draft| draft.put_constant(id, expr_id, constant))
                }));
            }
        });
    }
    edits
}

/// Makes an initial value smaller.
pub(super) fn initial_values(program: &Program, facts: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        if facts.is_gate(id) {
            continue;
        }
        for (at, var) in function.vars.iter().enumerate() {
            if var.init.len() > 1 {
                edits.push(Edit::new(move |draft| {
                    draft.function(id).vars[at].init.fill(ConstOrHole::Value(0));
                }));
            }
            for (cell, fill) in var.init.iter().enumerate() {
                let ConstOrHole::Value(value) = fill else { continue };
                let numbers = smaller(var.ty.elem(), *value).into_iter();
                edits.extend(numbers.map(|number| {
                    Edit::new(move |draft| {
                        draft.function(id).vars[at].init[cell] = ConstOrHole::Value(number);
                    })
                }));
            }
        }
    }
    for (at, global) in program.globals.iter().enumerate() {
        for (cell, fill) in global.init.iter().enumerate() {
            let ConstOrHole::Value(value) = fill else { continue };
            let numbers = smaller(global.ty.elem(), *value).into_iter();
            edits.extend(numbers.map(|number| {
                Edit::new(move |draft| {
                    draft.program.globals[at].init[cell] = ConstOrHole::Value(number);
                })
            }));
        }
    }
    edits
}

/// Makes an argument of a realization smaller.
pub(super) fn arguments(program: &Program, _: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        for (nth, realization) in function.realizations.iter().enumerate() {
            let params = std::iter::zip(function.params(), &realization.args);
            for (at, (param, arg)) in params.enumerate() {
                let numbers = smaller(param.ty.elem(), *arg).into_iter();
                edits.extend(numbers.map(|number| {
                    Edit::new(move |draft| {
                        draft.function(id).realizations[nth].args[at] = number;
                    })
                }));
            }
        }
    }
    edits
}

/// Makes the label of a case smaller.
pub(super) fn labels(program: &Program, _: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        for (block, data) in function.blocks_with_ids() {
            let Term::Switch { on, cases, .. } = &data.term else { continue };
            let ty = IntTy::from(program.expr_ty(function, *on));
            for (nth, (label, _)) in cases.iter().enumerate() {
                let ConstOrHole::Value(value) = label else { continue };
                edits.extend(smaller(ty, *value).into_iter().map(|number| {
                    Edit::new(move |draft| {
                        let term = &mut draft.function(id).blocks[block.index()].term;
                        if let Term::Switch { cases, .. } = term {
                            cases[nth].0 = ConstOrHole::Value(number);
                        }
                    })
                }));
            }
        }
    }
    edits
}

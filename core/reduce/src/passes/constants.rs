//! Smaller numbers.

use super::Edit;
use crate::size::digits;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{Const, ConstOrHole, Expr, Program, Scalar, ScalarTy, Term};

/// Numbers of the same type with fewer digits, those with the fewest first.
fn smaller(value: Scalar) -> Vec<Scalar> {
    let ScalarTy::Int(ty) = value.ty();
    let wide = ty.to_wide(value.word());
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
    unique.into_iter().map(|number| Scalar::new(ty, number)).collect()
}

/// Makes a constant smaller.
pub(super) fn shrunk(program: &Program, _: &Facts) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (id, function) in program.functions_with_ids() {
        function.for_each_expr(|expr_id, expr| {
            if let Expr::Const(constant) = expr {
                let ty = constant.ty();
                let numbers = smaller(constant.scalar()).into_iter();
                edits.extend(numbers.map(|number| {
                    let constant = Const::new(ty, number.word());
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
        if facts.is_guard(id) {
            continue;
        }
        for (at, var) in function.vars.iter().enumerate() {
            if var.init.len() > 1 {
                let zero = Scalar::new(var.ty.cell_ty(), 0);
                edits.push(Edit::new(move |draft| {
                    draft.function(id).vars[at].init.fill(ConstOrHole::Const(zero));
                }));
            }
            for (cell, fill) in var.init.iter().enumerate() {
                let ConstOrHole::Const(value) = fill else { continue };
                let numbers = smaller(*value).into_iter();
                edits.extend(numbers.map(|number| {
                    Edit::new(move |draft| {
                        draft.function(id).vars[at].init[cell] = ConstOrHole::Const(number);
                    })
                }));
            }
        }
    }
    for (at, global) in program.globals.iter().enumerate() {
        for (cell, fill) in global.init.iter().enumerate() {
            let ConstOrHole::Const(value) = fill else { continue };
            let numbers = smaller(*value).into_iter();
            edits.extend(numbers.map(|number| {
                Edit::new(move |draft| {
                    draft.program.globals[at].init[cell] = ConstOrHole::Const(number);
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
            for (at, arg) in realization.args.iter().enumerate() {
                let numbers = smaller(*arg).into_iter();
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
            let Term::Switch { cases, .. } = &data.term else { continue };
            for (nth, (label, _)) in cases.iter().enumerate() {
                let ConstOrHole::Const(value) = label else { continue };
                edits.extend(smaller(*value).into_iter().map(|number| {
                    Edit::new(move |draft| {
                        let term = &mut draft.function(id).blocks[block.index()].term;
                        if let Term::Switch { cases, .. } = term {
                            cases[nth].0 = ConstOrHole::Const(number);
                        }
                    })
                }));
            }
        }
    }
    edits
}

//! Smaller numbers.

use super::Edit;
use crate::size::digits_of;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::{
    Const, ConstOrHole, Expr, FloatTy, IntTy, Program, Scalar, ScalarTy, Term,
};

/// Numbers of the same type with fewer digits, those with the fewest first.
fn smaller(value: Scalar) -> Vec<Scalar> {
    let words = match value.ty() {
        ScalarTy::Int(ty) => simpler_ints(ty, value.word()),
        ScalarTy::Float(ty) => simpler_floats(ty, value.word()),
    };
    let mut unique = Vec::new();
    for number in words.into_iter().map(|word| Scalar::new(value.ty(), word)) {
        if digits_of(number) < digits_of(value) && !unique.contains(&number) {
            unique.push(number);
        }
    }
    unique
}

fn simpler_ints(ty: IntTy, word: i64) -> Vec<i64> {
    let wide = ty.to_wide(word);
    let mut simpler = vec![0, 1, -1];
    simpler.extend([32, 12, 4, 1].map(|shift| wide / (1 << shift)));
    simpler.push(-wide);
    simpler.into_iter().filter_map(|number| ty.from_wide(number)).collect()
}

/// Usual numbers, then the number without its fraction, with fewer decimal digits, nearer to 1, and
/// without its sign.
fn simpler_floats(ty: FloatTy, word: i64) -> Vec<i64> {
    let value = ty.value(word);
    let mut simpler = vec![0.0, 1.0, -1.0];
    if value.is_finite() {
        simpler.extend([2.0, 0.5, value.trunc()]);
        let rounded = |n_digits: usize| format!("{value:.n_digits$e}").parse().unwrap_or(value);
        simpler.extend([0, 1, 3, 7].map(rounded));
        simpler.extend([32, 4].map(|shift| value / f64::from(2).powi(shift)));
    }
    simpler.push(-value);
    simpler.into_iter().map(|number| ty.word(number)).collect()
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

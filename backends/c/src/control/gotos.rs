//! Labels and gotos: every graph as it is, in the order of its blocks.

use pathsmith_symlang::lang::{ConstOrHole, Function, Scalar, Term};

use super::{Condition, Stm};

pub(super) fn body(function: &Function) -> Vec<Stm> {
    let mut body = Vec::new();
    for (id, block) in function.blocks_with_ids() {
        body.push(Stm::Label(id));
        body.push(Stm::Block(id));
        match &block.term {
            Term::Goto(target) => body.push(Stm::Goto(*target)),
            Term::If { cond, then, otherwise } => body.push(Stm::If(
                Condition { expr: *cond, negated: false },
                vec![Stm::Goto(*then)],
                vec![Stm::Goto(*otherwise)],
            )),
            Term::Switch { on, cases, default } => {
                let arm = |label, target| (vec![label], vec![Stm::Goto(target)]);
                let cases = cases.iter().map(|(label, target)| arm(label_value(*label), *target));
                body.push(Stm::Switch(*on, cases.chain([arm(None, *default)]).collect()));
            }
            Term::Return(_) => body.push(Stm::Return(id)),
        }
    }
    body
}

/// The value of a label; programs with holes are not lowered.
pub(super) fn label_value(label: ConstOrHole) -> Option<Scalar> {
    match label {
        ConstOrHole::Const(value) => Some(value),
        ConstOrHole::Hole(_) => None,
    }
}

//! Labels and gotos: every graph as it is, in the order of its blocks.

use pathsmith_symlang::lang::{ConstOrHole, Function, Scalar, Term};

use super::{Condition, Statement};

pub(super) fn body(function: &Function) -> Vec<Statement> {
    let mut body = Vec::new();
    for (id, block) in function.blocks_with_ids() {
        body.push(Statement::Label(id));
        body.push(Statement::Block(id));
        match &block.term {
            Term::Goto(target) => body.push(Statement::Goto(*target)),
            Term::If { cond, then, otherwise } => body.push(Statement::If(
                Condition { expr: *cond, negated: false },
                vec![Statement::Goto(*then)],
                vec![Statement::Goto(*otherwise)],
            )),
            Term::Switch { on, cases, default } => {
                let arm = |label, target| (vec![label], vec![Statement::Goto(target)]);
                let cases = cases.iter().map(|(label, target)| arm(label_value(*label), *target));
                body.push(Statement::Switch(*on, cases.chain([arm(None, *default)]).collect()));
            }
            Term::Return(_) => body.push(Statement::Return(id)),
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

//! How the blocks of a function become statements.

mod gotos;
mod structured;

use pathsmith_core::lang::Function;
use pathsmith_core::{BlockId, ExprId};

use crate::options::Control;

/// A statement that is about control flow, or the statements of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stm {
    /// Where a block begins, for gotos and for readers.
    Label(BlockId),
    /// The assignments of a block.
    Block(BlockId),
    If(Condition, Vec<Stm>, Vec<Stm>),
    Loop(LoopKind, Vec<Stm>),
    /// Each arm is a list of labels, with nothing for `default`, and what it does.
    Switch(ExprId, Vec<(Vec<Option<i64>>, Vec<Stm>)>),
    Goto(BlockId),
    Break,
    Continue,
    /// What the exit returns.
    Return(BlockId),
}

/// When something happens: if an expression is not 0, or if it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) expr: ExprId,
    pub(crate) negated: bool,
}

/// How a loop is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    Forever,
    While(Condition),
    DoWhile(Condition),
}

/// The body of a function, and for each block whether something goes to its label.
pub(crate) fn body(function: &Function, control: Control) -> (Vec<Stm>, Vec<bool>) {
    let body = match control {
        Control::Gotos => gotos::body(function),
        Control::Structured => structured::body(function),
    };
    let mut is_target = vec![false; function.blocks.len()];
    mark_targets(&body, &mut is_target);
    (body, is_target)
}

fn mark_targets(stms: &[Stm], is_target: &mut [bool]) {
    for stm in stms {
        match stm {
            Stm::Goto(block) => is_target[block.index()] = true,
            Stm::If(_, then, otherwise) => {
                mark_targets(then, is_target);
                mark_targets(otherwise, is_target);
            }
            Stm::Loop(_, body) => mark_targets(body, is_target),
            Stm::Switch(_, arms) => {
                arms.iter().for_each(|(_, arm)| mark_targets(arm, is_target));
            }
            Stm::Label(_) | Stm::Block(_) | Stm::Break | Stm::Continue | Stm::Return(_) => {}
        }
    }
}

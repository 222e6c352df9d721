//! What a path asks of its values.

use crate::solve::Task;
use pathsmith_symlang::dialect::Hazard;
use pathsmith_symlang::lang::text::print_expr;
use pathsmith_symlang::{BlockId, ExprId, HoleId};

/// Something that a path asks of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// The blocks are a path of the function's graph.
    Path,
    /// A hole that the path meets has a value.
    HoleKnown(HoleId),
    /// The parameter at this position has a value.
    ArgKnown(usize),
    /// An operation does not run into a hazard. The expression is the operation itself, or the
    /// index that is out of bounds.
    Defined(Hazard, ExprId),
    /// A function that is called returns, within the limits of the interpreter.
    CallReturns(ExprId),
    /// The terminator leads to the next block of the path.
    Goes,
    /// The labels of this block's `switch` differ.
    LabelsDiffer(BlockId),
    /// The function has no floating-point numbers, which are not encoded.
    NoFloats,
}

/// The first requirement that values do not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsatisfied {
    /// The step of the path.
    pub step: usize,
    /// The block that is visited there.
    pub block: BlockId,
    /// What does not hold.
    pub requirement: Requirement,
}

impl Requirement {
    /// What [`NoFloats`](Self::NoFloats) says of a function with this name.
    pub(super) fn no_floats(name: &str) -> String {
        format!("the SMT engine does not encode floating-point numbers (in `{name}`)")
    }
}

impl Unsatisfied {
    /// The requirement in words, with the names of the task's program.
    pub fn describe(&self, task: &Task<'_>) -> String {
        let function = task.program.function(task.function);
        let name = |block: BlockId| {
            function.blocks.get(block.index()).map_or("?", |block| block.name.as_str())
        };
        let spelled = |expr| print_expr(task.program, function, expr);
        let what = match self.requirement {
            Requirement::Path => "the blocks are no path of the function".to_owned(),
            Requirement::HoleKnown(hole) => format!("?s{} has no value", hole.index()),
            Requirement::ArgKnown(at) => format!("parameter {at} has no value"),
            Requirement::Defined(hazard, expr) => format!("{hazard} in `{}`", spelled(expr)),
            Requirement::CallReturns(expr) => format!("`{}` does not return", spelled(expr)),
            Requirement::NoFloats => return Requirement::no_floats(&function.name),
            Requirement::Goes => "the path goes on elsewhere".to_owned(),
            Requirement::LabelsDiffer(block) => {
                format!("two labels of the switch in block {} are the same", name(block))
            }
        };
        format!("{what}, at step {} in block {}", self.step, name(self.block))
    }
}

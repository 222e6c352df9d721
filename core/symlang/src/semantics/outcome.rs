//! How a run ends.

use crate::dialect::{Hazard, TrapKind};
use crate::ids::{BlockId, ExprId, FuncId, HoleId};
use crate::lang::{Ending, Program, Scalar};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It returned a value.
    Returned(Scalar),
    /// It left the set of what the dialect defines.
    Undefined(Fault),
    /// A trap or an exception of this kind ended it.
    Trapped(TrapKind, Fault),
    /// It visited as many blocks as it was allowed to.
    OutOfSteps,
    /// Calls were nested deeper than allowed.
    OutOfDepth,
    /// It came to a constant that is not known yet.
    Hole(HoleId, ProgramPoint),
}

/// What went wrong, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What went wrong.
    pub hazard: Hazard,
    /// Where.
    pub spot: ProgramPoint,
}

/// A place in a program that is being run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramPoint {
    /// The function.
    pub function: FuncId,
    /// The block; for a hole in a local's initial value, the entry.
    pub block: BlockId,
    /// The expression: the operation itself, or the index that is out of bounds.
    pub expr: Option<ExprId>,
}

impl Outcome {
    /// How a realization with this outcome ends, if it is a defined one.
    pub const fn ending(&self) -> Option<Ending> {
        match self {
            Self::Returned(value) => Some(Ending::Returns(*value)),
            Self::Trapped(kind, _) => Some(Ending::Traps(*kind)),
            Self::Undefined(_) | Self::OutOfSteps | Self::OutOfDepth | Self::Hole(..) => None,
        }
    }

    /// The outcome as a sentence, with the names of `program`.
    pub fn describe(&self, program: &Program) -> String {
        match self {
            Self::Returned(_) => "returned".to_owned(),
            Self::Undefined(fault) => format!("undefined: {}", fault.describe(program)),
            Self::Trapped(_, fault) => format!("trapped: {}", fault.describe(program)),
            Self::OutOfSteps => "ran out of steps".to_owned(),
            Self::OutOfDepth => "ran out of call depth".to_owned(),
            Self::Hole(hole, spot) => {
                format!("met the hole ?s{} {}", hole.index(), spot.describe(program))
            }
        }
    }
}

impl Fault {
    /// The fault in words, with the names of `program`.
    pub fn describe(&self, program: &Program) -> String {
        format!("{} {}", self.hazard, self.spot.describe(program))
    }
}

impl ProgramPoint {
    /// The place in words, with the names of `program`.
    pub fn describe(&self, program: &Program) -> String {
        let function = program.function(self.function);
        let block = &function.block(self.block).name;
        match self.expr {
            Some(expr) => format!(
                "in `{}`, block {block} of {}",
                crate::lang::text::print_expr(program, function, expr),
                function.name,
            ),
            None => format!("in block {block} of {}", function.name),
        }
    }
}

//! What a program was seen to do on its realizations.

use pathsmith_symlang::lang::{Const, Program, RecursionGuard, Scalar, ValueTy};
use pathsmith_symlang::{BlockId, ExprId, FuncId};

/// What was seen of all functions of a program.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// What was seen of each function.
    pub functions: Vec<FunctionFacts>,
}

/// What was seen of a function, over all its calls.
#[derive(Clone, Debug)]
pub struct FunctionFacts {
    /// What it is as a recursion guard, if it is one.
    pub guard: Option<RecursionGuard>,
    /// How many of its blocks were visited in all.
    pub n_visits: u64,
    /// The arguments that it was called with, each only once, by whoever it was.
    pub calls: Vec<Vec<Scalar>>,
    /// Whether there were more than are kept.
    pub too_many_calls: bool,
    /// What it returned.
    pub returned: Option<Seen>,
    /// Where each block was seen to lead, in order.
    pub taken: Vec<Vec<BlockId>>,
    /// How often each block was visited.
    pub visits: Vec<u64>,
    /// The values of its expressions.
    pub values: Vec<Option<Seen>>,
    /// The values that the parts of conditions had when the condition did not hold, and when it
    /// did.
    pub decided: Vec<[Option<Seen>; 2]>,
}

/// So many different calls of a function are kept.
pub(crate) const MAX_CALLS: usize = 16;

/// The values that something was seen to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The first of them.
    pub first: i64,
    /// The smallest and the largest, as signed numbers.
    pub range: (i64, i64),
}

impl Seen {
    const fn once(value: i64) -> Self {
        Self { first: value, range: (value, value) }
    }

    /// Whether it was the same every time.
    pub const fn is_constant(self) -> bool {
        self.range.0 == self.range.1
    }

    /// Adds a value to what was seen.
    pub fn note(seen: &mut Option<Self>, value: i64) {
        let seen = seen.get_or_insert(Self::once(value));
        seen.range = (seen.range.0.min(value), seen.range.1.max(value));
    }
}

impl Facts {
    /// What was seen of a function.
    pub fn function(&self, id: FuncId) -> &FunctionFacts {
        &self.functions[id.index()]
    }

    /// What was seen of an expression.
    pub fn seen(&self, function: FuncId, expr: ExprId) -> Option<Seen> {
        self.function(function).values[expr.index()]
    }

    /// The value that an expression of type `ty` had first; 0 where it was never evaluated.
    pub fn constant(&self, function: FuncId, expr: ExprId, ty: ValueTy) -> Const {
        Const::new(ty, self.seen(function, expr).map_or(0, |seen| seen.first))
    }

    /// Whether a function is a recursion guard, whose form is fixed.
    pub fn is_guard(&self, function: FuncId) -> bool {
        self.function(function).guard.is_some()
    }
}

impl FunctionFacts {
    /// Nothing was seen yet.
    pub fn none(program: &Program, id: FuncId) -> Self {
        let function = program.function(id);
        Self {
            guard: RecursionGuard::of(program, id),
            n_visits: 0,
            calls: Vec::new(),
            too_many_calls: false,
            returned: None,
            taken: vec![Vec::new(); function.blocks.len()],
            visits: vec![0; function.blocks.len()],
            values: vec![None; function.n_exprs()],
            decided: vec![[None; 2]; function.n_exprs()],
        }
    }

    /// Whether it was called at all.
    pub fn ran(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Whether a block was visited.
    pub fn visited(&self, block: BlockId) -> bool {
        self.visits[block.index()] > 0
    }
}

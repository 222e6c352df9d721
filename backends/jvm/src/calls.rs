//! Who calls whom.

use pathsmith_core::FuncId;
use pathsmith_core::lang::{Expr, Program};

/// Who calls whom.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    callees: Vec<Vec<usize>>,
}

impl Calls {
    pub(crate) fn new(program: &Program) -> Self {
        let callees = program.functions.iter().map(|function| {
            let mut callees = Vec::new();
            function.for_each_expr(|_, expr| {
                if let Expr::Call(callee, _) = expr {
                    callees.push(callee.index());
                }
            });
            callees
        });
        Self { callees: callees.collect() }
    }

    /// Whether a call of the function can lead to another call of it before it returns.
    pub(crate) fn is_recursive(&self, id: FuncId) -> bool {
        let mut seen = vec![false; self.callees.len()];
        let mut stack = self.callees[id.index()].clone();
        while let Some(callee) = stack.pop() {
            if callee == id.index() {
                return true;
            }
            if !std::mem::replace(&mut seen[callee], true) {
                stack.extend(&self.callees[callee]);
            }
        }
        false
    }
}

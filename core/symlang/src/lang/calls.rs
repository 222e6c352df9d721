//! Who calls whom.

use std::collections::BTreeSet;

use super::expr::Expr;
use super::program::Program;
use crate::ids::{FuncId, GlobalId};

/// The calls between the functions of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    callees: Vec<Vec<FuncId>>,
    is_called: Vec<bool>,
}

impl Calls {
    /// Finds the calls in `program`.
    pub fn new(program: &Program) -> Self {
        let mut is_called = vec![false; program.functions.len()];
        let callees = program.functions.iter().map(|function| {
            let mut callees = Vec::new();
            function.for_each_expr(|_, expr| {
                if let Expr::Call(callee, _) = expr {
                    callees.push(*callee);
                    is_called[callee.index()] = true;
                }
            });
            callees
        });
        Self { callees: callees.collect(), is_called }
    }

    /// Whether something in the program calls the function.
    pub fn is_called(&self, id: FuncId) -> bool {
        self.is_called[id.index()]
    }

    /// The function and all functions that a call of it can lead to, in order.
    pub fn reached(&self, id: FuncId) -> Vec<FuncId> {
        // Callers ask about every function of a program, most of which reach few others.
        let mut seen = BTreeSet::new();
        let mut stack = vec![id];
        while let Some(callee) = stack.pop() {
            if seen.insert(callee) {
                stack.extend(&self.callees[callee.index()]);
            }
        }
        seen.into_iter().collect()
    }

    /// The globals that a call of the function can lead to, in order.
    pub fn globals_reached(&self, program: &Program, id: FuncId) -> Vec<GlobalId> {
        let mut globals: Vec<GlobalId> = self
            .reached(id)
            .into_iter()
            .flat_map(|id| program.globals_named(program.function(id)))
            .collect();
        globals.sort_unstable();
        globals.dedup();
        globals
    }

    /// Whether a call of the function can lead to another call of it before it returns.
    pub fn is_recursive(&self, id: FuncId) -> bool {
        let mut seen = BTreeSet::new();
        let mut stack = self.callees[id.index()].clone();
        while let Some(callee) = stack.pop() {
            if callee == id {
                return true;
            }
            if seen.insert(callee) {
                stack.extend(&self.callees[callee.index()]);
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::text::parse;

    #[test]
    fn recursion_may_go_a_long_way() {
        let text = "fn a() -> i32 { entry: return b() + d(); }
            fn b() -> i32 { entry: return c(); }
            fn c() -> i32 { entry: return b(); }
            fn d() -> i32 { entry: return 1; }";
        let calls = Calls::new(&parse("test", text).unwrap());
        let all =
            |tell: fn(&Calls, FuncId) -> bool| [0, 1, 2, 3].map(|id| tell(&calls, FuncId::new(id)));
        assert_eq!(all(Calls::is_recursive), [false, true, true, false]);
        assert_eq!(all(Calls::is_called), [false, true, true, true]);
        assert_eq!(calls.reached(FuncId::new(1)), [1, 2].map(FuncId::new));
    }

    #[test]
    fn globals_are_reached_through_callees() {
        let text = "global g: i32 = 0; global h: i32 = 0; global k: i32 = 0;
            fn a() -> i32 { entry: return k + b(); }
            fn b() -> i32 { entry: return g; }";
        let program = parse("test", text).unwrap();
        let calls = Calls::new(&program);
        let reached = |at| calls.globals_reached(&program, FuncId::new(at));
        assert_eq!(reached(0), [0, 2].map(GlobalId::new));
        assert_eq!(reached(1), [GlobalId::FIRST]);
    }
}

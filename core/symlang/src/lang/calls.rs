//! Who calls whom.

use std::collections::BTreeSet;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use super::expr::Expr;
use super::program::Program;
use crate::ids::{FuncId, GlobalId};

/// The calls between the functions of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls {
    callees: Vec<Vec<FuncId>>,
    is_called: Vec<bool>,
    is_recursive: Vec<bool>,
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
        let callees: Vec<Vec<FuncId>> = callees.collect();
        let is_recursive = recursive(&callees);
        Self { callees, is_called, is_recursive }
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
        if program.globals.is_empty() {
            return Vec::new();
        }
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
        self.is_recursive[id.index()]
    }
}

/// For each function, whether a call of it can lead to another one: whether it is on a cycle.
fn recursive(callees: &[Vec<FuncId>]) -> Vec<bool> {
    let mut graph = DiGraph::<(), (), u32>::new();
    callees.iter().for_each(|_| _ = graph.add_node(()));
    let node = |id: FuncId| NodeIndex::new(id.index());
    for (caller, callees) in callees.iter().enumerate() {
        callees
            .iter()
            .for_each(|callee| _ = graph.add_edge(NodeIndex::new(caller), node(*callee), ()));
    }
    let mut is_recursive = vec![false; callees.len()];
    for component in kosaraju_scc(&graph) {
        let calls_itself = callees[component[0].index()].iter().any(|id| node(*id) == component[0]);
        for at in component.iter().filter(|_| component.len() > 1 || calls_itself) {
            is_recursive[at.index()] = true;
        }
    }
    is_recursive
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
            fn d() -> i32 { entry: return 1; }
            fn e() -> i32 { entry: return e() + a(); }";
        let calls = Calls::new(&parse("test", text).unwrap());
        let all = |tell: fn(&Calls, FuncId) -> bool| {
            [0, 1, 2, 3, 4].map(|id| tell(&calls, FuncId::new(id)))
        };
        assert_eq!(all(Calls::is_recursive), [false, true, true, false, true]);
        assert_eq!(all(Calls::is_called), [true; 5]);
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

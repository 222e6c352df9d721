//! What something leads to.

use pathsmith_symlang::lang::{Expr, Function, Program};
use pathsmith_symlang::{BlockId, FuncId};

/// What something leads to: functions that are realized or called, blocks that the entry leads to,
/// globals that are named.
#[derive(Clone, Debug)]
pub struct Reach {
    /// Functions that are realized or called.
    pub functions: Vec<bool>,
    /// Blocks of each function that its entry leads to.
    pub blocks: Vec<Vec<bool>>,
    /// Globals that are named.
    pub globals: Vec<bool>,
}

impl Reach {
    /// What all of `program` leads to.
    pub fn of(program: &Program) -> Self {
        Self {
            functions: Self::functions_of(program),
            blocks: program.functions.iter().map(Self::blocks_of).collect(),
            globals: Self::globals_of(program),
        }
    }

    /// The functions that realizations and `main` lead to.
    pub fn functions_of(program: &Program) -> Vec<bool> {
        let realized = program.functions_with_ids().filter(|(_, f)| !f.realizations.is_empty());
        Self::functions_from(program, realized.map(|(id, _)| id).chain(program.main).collect())
    }

    /// The functions that some functions lead to, and those themselves.
    pub fn functions_from(program: &Program, mut stack: Vec<FuncId>) -> Vec<bool> {
        let mut reached = vec![false; program.functions.len()];
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut reached[id.index()], true) {
                program.function(id).for_each_expr(|_, expr| {
                    if let Expr::Call(callee, _) = expr {
                        stack.push(*callee);
                    }
                });
            }
        }
        reached
    }

    /// The blocks that the entry leads to.
    pub fn blocks_of(function: &Function) -> Vec<bool> {
        Self::blocks_from(function, vec![BlockId::FIRST])
    }

    /// The blocks that some blocks lead to, and those themselves.
    pub fn blocks_from(function: &Function, mut stack: Vec<BlockId>) -> Vec<bool> {
        let mut reached = vec![false; function.blocks.len()];
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut reached[id.index()], true) {
                function.block(id).term.for_each_target(|target| stack.push(target));
            }
        }
        reached
    }

    /// The globals that functions name.
    pub fn globals_of(program: &Program) -> Vec<bool> {
        let mut named = vec![false; program.globals.len()];
        for function in &program.functions {
            program.globals_named(function).into_iter().for_each(|id| named[id.index()] = true);
        }
        named
    }
}

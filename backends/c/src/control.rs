//! How the blocks of a function become statements.

mod gotos;
#[cfg(test)]
mod replay;
mod structured;

use pathsmith_symlang::lang::{Function, Scalar};
use pathsmith_symlang::{BlockId, ExprId};

use crate::options::Control;

/// A statement that is about control flow, or the statements of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Statement {
    /// Where a block begins, for gotos and for readers.
    Label(BlockId),
    /// The assignments of a block.
    Block(BlockId),
    If(Condition, Vec<Statement>, Vec<Statement>),
    Loop(LoopKind, Vec<Statement>),
    /// Each arm is a list of labels, with nothing for `default`, and what it does.
    Switch(ExprId, Vec<(Vec<Option<Scalar>>, Vec<Statement>)>),
    Goto(BlockId),
    Break,
    Continue,
    /// What the exit returns.
    Return(BlockId),
}

/// A condition: an expression is not 0 or, if negated, is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) expr: ExprId,
    pub(crate) negated: bool,
}

/// Which statement a loop becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopKind {
    Forever,
    While(Condition),
    DoWhile(Condition),
}

/// The body of a function, and for each block whether something goes to its label.
pub(crate) fn body(function: &Function, control: Control) -> (Vec<Statement>, Vec<bool>) {
    let body = match control {
        Control::Gotos => gotos::body(function),
        Control::Structured => structured::body(function),
    };
    let mut is_target = vec![false; function.blocks.len()];
    mark_targets(&body, &mut is_target);
    (body, is_target)
}

fn mark_targets(stms: &[Statement], is_target: &mut [bool]) {
    for stm in stms {
        match stm {
            Statement::Goto(block) => is_target[block.index()] = true,
            Statement::If(_, then, otherwise) => {
                mark_targets(then, is_target);
                mark_targets(otherwise, is_target);
            }
            Statement::Loop(_, body) => mark_targets(body, is_target),
            Statement::Switch(_, arms) => {
                arms.iter().for_each(|(_, arm)| mark_targets(arm, is_target));
            }
            Statement::Label(_)
            | Statement::Block(_)
            | Statement::Break
            | Statement::Continue
            | Statement::Return(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_generate::sample::{SampleOptions, sample_program};
    use pathsmith_generate::shape::{PathSampler, WalkOptions};
    use pathsmith_symlang::lang::text::parse;
    use pathsmith_symlang::{Rng, Seed};
    use proptest::prelude::*;

    use super::replay::replay;
    use super::*;

    fn check_paths(function: &Function, n_paths: usize, rng: &mut Rng) {
        let cfg = function.cfg().unwrap();
        let sampler = PathSampler::new(&cfg);
        for control in [Control::Gotos, Control::Structured] {
            let (stms, _) = body(function, control);
            for _ in 0..n_paths {
                let path = sampler.path(&WalkOptions::default(), rng);
                assert_eq!(replay(function, &stms, &path), path.blocks(), "{control:?}");
            }
        }
    }

    proptest! {
        /// Whatever the graph, statements take every path that the graph has.
        #[test]
        fn statements_go_where_the_graph_goes(seed: u64) {
            let mut rng = Seed::new(seed).rng();
            let program = sample_program(&SampleOptions::default(), &mut rng);
            for function in &program.functions {
                check_paths(function, 5, &mut rng);
            }
        }
    }

    fn structured(text: &str) -> Vec<Statement> {
        let program = parse("test", text).unwrap();
        body(&program.functions[0], Control::Structured).0
    }

    #[test]
    fn loops_become_while_and_do() {
        let while_ = structured(
            "fn f(n: i32) -> i32 {
            entry: goto head;
            head: if n < 9 goto body else exit;
            body: n = n + 1; goto head;
            exit: return n; }",
        );
        assert!(while_.iter().any(|stm| matches!(stm, Statement::Loop(LoopKind::While(_), _))));
        let do_ = structured(
            "fn f(n: i32) -> i32 {
            entry: goto body;
            body: n = n + 1; if n < 9 goto body else exit;
            exit: return n; }",
        );
        assert!(do_.iter().any(|stm| matches!(stm, Statement::Loop(LoopKind::DoWhile(_), _))));
    }

    #[test]
    fn reducible_graphs_of_one_loop_need_no_goto() {
        let stms = structured(
            "fn f(n: i32) -> i32 {
            entry: if n < 0 goto left else right;
            left: n = 1; goto join;
            right: n = 2; goto join;
            join: switch n { 1 -> left2, 2 -> right2, else -> exit };
            left2: n = 3; goto exit;
            right2: n = n + 1; if n < 9 goto right2 else exit;
            exit: return n; }",
        );
        let mut is_target = vec![false; 8];
        mark_targets(&stms, &mut is_target);
        assert_eq!(is_target, [false; 8]);
    }

    /// Braces and recursion stay bounded.
    #[test]
    fn long_chains_and_deep_nests() {
        let n = 5000;
        let mut chain = String::from("fn f(n: i32) -> i32 { entry: goto b0; ");
        let mut nest = String::from("fn f(n: i32) -> i32 { entry: goto b0; ");
        for i in 0..n {
            let next = if i + 1 < n { format!("b{}", i + 1) } else { "exit".to_owned() };
            chain += &format!("b{i}: goto {next}; ");
            nest += &format!("b{i}: if n < {i} goto {next} else exit; ");
        }
        for text in [chain, nest] {
            let program = parse("test", &(text + "exit: return n; }")).unwrap();
            let mut rng = Seed::new(1).rng();
            check_paths(&program.functions[0], 2, &mut rng);
        }
    }
}

//! Paths that are found by executing sketches: the blocks that a run visits are the path.

use super::value_policy::value_policy;
use crate::knobs::Knobs;
use crate::shape::{ExecutionFirstKnobs, random_cfg};
use crate::sketch::{Sketch, add_floats, add_intrinsics, sketch};
use crate::solve::{Effort, ExecutionTask, Model, execution_first};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::{Cfg, Path};
use pathsmith_symlang::{Rng, Seed};

/// How many sketches are run before the path is drawn instead (measured: see the runs themselves).
/// More find a path for a few more functions, and take longer than anything else.
const N_SKETCHES: usize = 16;
/// How many graphs are drawn until one has what is wanted (a guess).
const N_GRAPHS: usize = 8;

/// Draws a sketch that returns when it is run, with the path that the run takes and the values that
/// it was run with. The path is as `wanted` says. Trees of intrinsics and floating-point numbers
/// come from streams of their own, children of `seed`, one for each sketch.
pub(super) fn choose_by_execution(
    knobs: &Knobs,
    wanted: ExecutionFirstKnobs,
    dialect: Dialect,
    name: &str,
    seed: Seed,
    rng: &mut Rng,
) -> Option<(Sketch, Path, Model)> {
    let (intrinsics, floats) = (seed.child("intrinsics"), seed.child("floats"));
    let has_loops = |cfg: &Cfg| !wanted.needs_loop || cfg.has_loop_on_some_way();
    (0..N_SKETCHES).find_map(|number| {
        let cfg = (0..N_GRAPHS).map(|_| random_cfg(&knobs.shape.graph, rng)).find(has_loops)?;
        let mut sketch = sketch(&cfg, None, name, dialect, &knobs.expr, rng);
        let intrinsics_rng = &mut intrinsics.nth(number as u64).rng();
        add_intrinsics(&mut sketch, None, dialect, &knobs.expr, intrinsics_rng);
        let float_rng = &mut floats.nth(number as u64).rng();
        add_floats(&mut sketch, None, dialect, &knobs.expr, float_rng);
        let program = &sketch.program;
        let known = Model::empty(program.function(Sketch::FUNCTION));
        let function = Sketch::FUNCTION;
        let (cfg, known, goals, effort) = (&cfg, &known, &[], Effort::default());
        let task = ExecutionTask { program, function, cfg, dialect, known, goals, effort };
        let values = value_policy(knobs, &sketch);
        let (path, known) = execution_first(&task, values, wanted, rng)?;
        Some((sketch, path, known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::GenConfig;
    use crate::policy::Policies;
    use crate::solve::{ForwardEngine, Task};
    use pathsmith_symlang::lang::{BinOp, Expr, Function, IntTy, Program, Scalar, Stmt};
    use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};

    /// What is found for functions that are made by the policies that `choose` weighs, and no others.
    fn found(choose: impl Fn(&mut Policies), n: u64) -> Vec<(Sketch, Path, Model)> {
        found_with(choose, 0, n)
    }

    fn found_with(
        choose: impl Fn(&mut Policies),
        min_len: u32,
        n: u64,
    ) -> Vec<(Sketch, Path, Model)> {
        let mut config = GenConfig { policy: Policies::none(), ..GenConfig::default() };
        choose(&mut config.policy);
        config.policy.execution_first = 1.0;
        config.walk.min_len = min_len;
        config.sketch.types = vec![IntTy::I32];
        // Sums of trees have other orders than those that are tried here.
        (config.sketch.intrinsics, config.sketch.float_share) = (0.0, 0.0);
        let found = (0..n).filter_map(|number| {
            let rng = &mut Seed::new(number).rng();
            let (_, knobs) = config.choose_knobs(rng);
            let wanted = knobs.shape.execution_first?;
            choose_by_execution(&knobs, wanted, Dialect::C, "f", Seed::new(number), rng)
        });
        found.collect()
    }

    /// Small loops in which variables are updated with each other.
    fn small_loops(weights: &mut Policies) {
        (weights.small, weights.updates, weights.constant_seeds, weights.boundary) =
            (1.0, 1.0, 1.0, 1.0);
    }

    fn small_loops_in_order(weights: &mut Policies) {
        small_loops(weights);
        weights.order = 1.0;
    }

    /// The model of all holes that what was found comes to.
    fn completed((sketch, path, known): &(Sketch, Path, Model)) -> Model {
        let function = Sketch::FUNCTION;
        let task = Task { program: &sketch.program, function, path, dialect: Dialect::C };
        let knobs = Knobs::default();
        let rng = &mut Seed::new(1).rng();
        ForwardEngine::default()
            .search(&task, known, value_policy(&knobs, sketch), rng)
            .expect("a model")
    }

    #[test]
    fn what_is_found_can_be_completed_as_it_is() {
        let all = found(|weights| (weights.small, weights.boundary) = (1.0, 1.0), 50);
        assert!(all.len() > 25, "{}", all.len());
        for found in &all {
            let model = completed(found);
            let known = &found.2;
            let is_kept = |(known, value): (&Option<Scalar>, &Option<Scalar>)| {
                known.is_none() || known == value
            };
            assert!(std::iter::zip(&known.holes, &model.holes).all(is_kept));
            assert_eq!(known.args, model.args);
        }
    }

    #[test]
    fn paths_are_as_long_as_was_asked_for() {
        let found = found_with(|weights| weights.updates = 1.0, 12, 50);
        assert!(found.len() > 5, "{}", found.len());
        assert!(found.iter().all(|(_, path, _)| path.blocks().len() >= 12));
        assert!(found_with(|weights| weights.updates = 1.0, 21, 5).is_empty());
    }

    #[test]
    fn loops_are_run_through_with_what_policies_are_after() {
        let all = found(small_loops_in_order, 50);
        assert!(all.len() > 10, "{}", all.len());
        for (sketch, path, known) in &all {
            let blocks = path.blocks();
            assert!((1..blocks.len()).any(|at| blocks[..at].contains(&blocks[at])), "{path:?}");
            let function = sketch.program.function(Sketch::FUNCTION);
            assert!(sketch.updated.len() >= 2);
            let is_input = |var: &pathsmith_symlang::VarId| var.index() < function.n_params;
            assert!(!sketch.updated.iter().any(is_input));
            // One of them begins with a large value.
            let is_large =
                |value: &Option<Scalar>| value.is_some_and(|value| value.word().abs() > 1 << 29);
            assert!(known.holes.iter().any(is_large));
        }
    }

    /// Puts the terms of `(a + b) + c` together in another order: `(a + c) + b`, or `a + (b + c)`
    /// where it `is_second` that the constant is added to. Nothing where there is no such sum, or
    /// where that term is what the statement changes.
    fn reordered(function: &Function, stmt: &Stmt, is_second: bool) -> Option<Function> {
        let Stmt::Assign { place, value } = stmt;
        let Expr::Binary(outer @ (BinOp::Add | BinOp::Sub), sum, c) = *function.expr(*value) else {
            return None;
        };
        let Expr::Binary(inner @ (BinOp::Add | BinOp::Sub), a, b) = *function.expr(sum) else {
            return None;
        };
        let first = if is_second { b } else { a };
        if matches!(function.expr(first), Expr::Read(read) if read == place) {
            return None;
        }
        let flipped = if outer == BinOp::Add { BinOp::Sub } else { BinOp::Add };
        let mut function = function.clone();
        (*function.expr_mut(sum), *function.expr_mut(*value)) = match is_second {
            false => (Expr::Binary(outer, a, c), Expr::Binary(inner, sum, b)),
            true => {
                let op = if inner == BinOp::Add { outer } else { flipped };
                (Expr::Binary(op, b, c), Expr::Binary(inner, a, sum))
            }
        };
        Some(function)
    }

    /// Whether some sum that `found` computes would overflow in another order.
    fn is_bound(found: &(Sketch, Path, Model)) -> bool {
        let (mut program, model) = (found.0.program.clone(), completed(found));
        model.fill(&mut program.functions[0]);
        let args: Vec<Scalar> = model.args.iter().map(|arg| arg.expect("known")).collect();
        let is_undefined = |program: &Program| {
            let code = Code::new(program);
            let mut machine = Machine::new(&code, Dialect::C);
            let outcome = machine.run(Sketch::FUNCTION, &args, Limits::default());
            matches!(outcome, Outcome::Undefined(_))
        };
        assert!(!is_undefined(&program));
        let function = &program.functions[0];
        let stmts = function.blocks.iter().flat_map(|block| &block.stmts);
        let others =
            stmts.flat_map(|stmt| [false, true].map(|second| reordered(function, stmt, second)));
        let mut others = others.flatten();
        others.any(|other| is_undefined(&Program { functions: vec![other], ..program.clone() }))
    }

    #[test]
    fn the_order_of_some_sum_on_the_path_matters() {
        let n_bound = |all: &[_]| all.iter().filter(|found| is_bound(found)).count();
        let with = found(small_loops_in_order, 50);
        assert_eq!(n_bound(&with), with.len());
        let without = found(small_loops, 50);
        assert!(n_bound(&without) < without.len() / 2, "{}", n_bound(&without));
    }
}

//! Between the stages: functions that are sketched, and how they are solved.

use std::time::Duration;

use super::execution_first::choose_by_execution;
use super::templated::choose_from_templates;
use super::value_policy::value_policy;
use super::{Leaf, Unsolved, break_rules};
use crate::config::GenConfig;
use crate::knobs::Knobs;
use crate::observe::{Observation, ObserveOptions, observe};
use crate::policy::SelectedPolicies;
use crate::realize::{RealizeOptions, more_realizations};
use crate::shape::{PathSampler, random_cfg};
use crate::sketch::{Sketch, add_floats, add_intrinsics, sketch};
use crate::solve::{
    Answer, EngineChoice, ForwardEngine, GiveUp, Model, Obstacle, SmtEngine, SolveOptions, Task,
    complete,
};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{Ending, Program, Realization, Scalar, Var, function_name};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{BlockId, Rng, Seed};

/// A function with holes and the path that it is to take: all that the next stages need.
#[derive(Clone, Debug, PartialEq)]
pub struct SketchedFunction {
    /// The seed of the function, which the streams of the next stages are children of.
    pub seed: Seed,
    /// The dialect that it is to be defined in.
    pub dialect: Dialect,
    /// The policies that were selected for it.
    pub policies: SelectedPolicies,
    /// What it was drawn to be.
    pub knobs: Knobs,
    /// How it is solved.
    pub solve: SolveOptions,
    /// How it is drawn what is observed of it.
    pub observe: ObserveOptions,
    /// How further realizations are looked for.
    pub realize: RealizeOptions,
    /// Whether rules are broken in it once it is solved.
    pub crash_only: bool,
    /// The templates that it is made of.
    pub templates: Vec<String>,
    /// The templates that it was to be made of, and that no defined instance was found of.
    pub unsolved_templates: Vec<String>,
    /// The function with holes.
    pub sketch: Sketch,
    /// The path.
    pub path: Path,
    /// The values that are known already, if the path was found by execution.
    pub known: Model,
}

/// Makes the sketch of function number `number` of `seed`: its policies, its graph, its path and
/// its statements.
pub fn generate_sketch(
    config: &GenConfig,
    dialect: Dialect,
    seed: Seed,
    number: u64,
) -> SketchedFunction {
    let seed = seed.child("leaf").nth(number);
    let (mut policies, mut knobs) = config.choose_knobs(&mut seed.child("swarm").rng());
    let name = function_name(number);
    let template_rng = &mut seed.child("template").rng();
    let (templated, unsolved_templates) =
        choose_from_templates(&config.template, &knobs, dialect, &name, template_rng);
    let mut templates = Vec::new();
    let (mut sketch, path, known) = match templated {
        Some(found) => {
            templates = found.templates;
            if found.is_bare {
                // Policies had no say.
                (policies, knobs) = Default::default();
            }
            (found.sketch, found.path, found.known)
        }
        None => choose_randomly(&knobs, dialect, &name, seed),
    };
    let docs = &mut sketch.program.functions[Sketch::FUNCTION.index()].docs;
    if !templates.is_empty() {
        docs.push(format!("templates: {}", templates.join(", ")));
    }
    docs.extend(policies.describe(&knobs.value));
    let (solve, realize) = (config.solve.clone(), config.realize.clone());
    let observe = config.observe.clone();
    let crash_only = config.crash_only;
    SketchedFunction {
        seed,
        dialect,
        policies,
        knobs,
        solve,
        observe,
        realize,
        crash_only,
        templates,
        unsolved_templates,
        sketch,
        path,
        known,
    }
}

/// Draws a graph, a path and statements, or finds the path by execution.
fn choose_randomly(
    knobs: &Knobs,
    dialect: Dialect,
    name: &str,
    seed: Seed,
) -> (Sketch, Path, Model) {
    let executed = knobs.shape.execution_first.and_then(|wanted| {
        let rng = &mut seed.child("wander").rng();
        choose_by_execution(knobs, wanted, dialect, name, seed, rng)
    });
    executed.unwrap_or_else(|| {
        let shape_rng = &mut seed.child("shape").rng();
        let cfg = random_cfg(&knobs.shape.graph, shape_rng);
        let path = PathSampler::new(&cfg).path(&knobs.shape.walk, shape_rng);
        let sketch_rng = &mut seed.child("sketch").rng();
        let mut sketch = sketch(&cfg, Some(&path), name, dialect, &knobs.expr, sketch_rng);
        let intrinsics_rng = &mut seed.child("intrinsics").rng();
        add_intrinsics(&mut sketch, Some(&path), dialect, &knobs.expr, intrinsics_rng);
        let float_rng = &mut seed.child("floats").rng();
        add_floats(&mut sketch, Some(&path), dialect, &knobs.expr, float_rng);
        let known = Model::empty(sketch.program.function(Sketch::FUNCTION));
        (sketch, path, known)
    })
}

impl SketchedFunction {
    /// Solves the function along its path, and looks for further realizations.
    ///
    /// # Errors
    /// Where solving was given up, and why.
    pub fn solve(mut self) -> Result<Leaf, Box<Unsolved>> {
        match self.solved() {
            Ok((mut program, observation)) => {
                if self.crash_only {
                    break_rules(&mut program, &mut self.seed.child("crash").rng());
                }
                Ok(Leaf {
                    program,
                    theme: self.policies.theme(),
                    policies: self.policies.policies().to_vec(),
                    observation,
                    templates: self.templates,
                    unsolved_templates: self.unsolved_templates,
                    n_two_way: self.sketch.n_two_way,
                    n_encoded: self.sketch.encoded.len(),
                })
            }
            Err(gave_up) => Err(Box::new(Unsolved {
                program: self.sketch.program,
                path: self.path,
                gave_up: *gave_up,
            })),
        }
    }

    fn solved(&mut self) -> Result<(Program, Observation), Box<GiveUp>> {
        let mut rng = self.seed.child("solve").rng();
        let function = Sketch::FUNCTION;
        let has_holes = self.sketch.program.function(function).n_holes() > 0;
        let model = match self.solve.engine {
            _ if !has_holes && self.known.args.iter().all(Option::is_some) => {
                std::mem::take(&mut self.known)
            }
            EngineChoice::Smt => self.ask_z3(&self.known, &mut rng)?,
            choice => match self.run_forward(&mut rng) {
                Ok(model) => model,
                Err(gave_up) if choice == EngineChoice::Auto => {
                    self.ask_z3(&gave_up.partial, &mut rng).map_err(|_| gave_up)?
                }
                Err(gave_up) => return Err(gave_up),
            },
        };
        let mut program = std::mem::take(&mut self.sketch.program);
        model.fill(&mut program.functions[function.index()]);
        let path = &self.path;
        let observe_rng = &mut self.seed.child("observe").rng();
        let observation = observe(&mut program, function, path, &self.observe, observe_rng);
        let code = Code::new(&program);
        let mut machine = Machine::new(&code, self.dialect);
        let params = std::iter::zip(program.function(function).params(), &model.args);
        let or_zero = |(param, arg): (&Var, &Option<Scalar>)| {
            arg.unwrap_or_else(|| Scalar::new(param.ty.cell_ty(), 0))
        };
        let args: Vec<Scalar> = params.map(or_zero).collect();
        let limits = Limits { steps: path.len() as u64, ..Limits::default() };
        // Everything that is generated is checked by the interpreter.
        let outcome = machine.run(function, &args, limits);
        let output = match outcome {
            Outcome::Returned(output) if machine.path() == path.blocks() => output,
            _ => {
                let why = format!("the interpreter does not agree: {}", outcome.describe(&program));
                let step = machine.path().len().saturating_sub(1).min(path.len() - 1);
                let block = path.blocks()[step];
                let obstacle = Obstacle::Unsound;
                self.sketch.program = program;
                return Err(Box::new(GiveUp { block, step, obstacle, why, partial: model }));
            }
        };
        let (ending, leaving) = (Ending::Returns(output), machine.leaving());
        let realizations = more_realizations(
            &program,
            function,
            &mut machine,
            Realization { args, path: path.clone(), ending, leaving },
            &self.realize,
            value_policy(&self.knobs, &self.sketch),
            &mut self.seed.child("realize").rng(),
        );
        program.functions[function.index()].realizations = realizations;
        Ok((program, observation))
    }

    /// The forward engine, with easier terminators if it cannot solve those of the sketch.
    fn run_forward(&mut self, rng: &mut Rng) -> Result<Model, Box<GiveUp>> {
        let Self { sketch, path, knobs, dialect, .. } = self;
        let (walks, restarts) = (self.solve.walks, self.solve.restarts);
        let engine = ForwardEngine { walks, restarts, ..ForwardEngine::default() };
        let function = Sketch::FUNCTION;
        let mut known = std::mem::take(&mut self.known);
        loop {
            let task = Task { program: &sketch.program, function, path, dialect: *dialect };
            let gave_up = match engine.search(&task, &known, value_policy(knobs, sketch), rng) {
                Ok(model) => return Ok(model),
                Err(gave_up) => gave_up,
            };
            let block = gave_up.block;
            let targets: Vec<BlockId> =
                path.steps().filter(|(from, _)| *from == block).map(|(_, to)| to).collect();
            if gave_up.obstacle != Obstacle::Inseparable
                || !sketch.ease(block, &targets, &knobs.expr.sizes.types, rng)
            {
                return Err(gave_up);
            }
            known = gave_up.partial;
            known.holes.resize(sketch.program.function(function).n_holes(), None);
        }
    }

    /// Z3, with what is known kept.
    fn ask_z3(&self, known: &Model, rng: &mut Rng) -> Result<Model, Box<GiveUp>> {
        let SolveOptions { smt_budget: budget, smt_timeout, .. } = self.solve;
        let timeout = (smt_timeout > 0).then(|| Duration::from_millis(smt_timeout));
        let mut engine = SmtEngine { budget, timeout, ..SmtEngine::default() };
        let (program, path) = (&self.sketch.program, &self.path);
        let task = Task { program, function: Sketch::FUNCTION, path, dialect: self.dialect };
        match engine.solve_with(&task, known, rng) {
            Answer::Solved(mut model) => {
                complete(&task, &mut model, rng);
                Ok(model)
            }
            Answer::GaveUp(gave_up) => Err(Box::new(gave_up)),
            Answer::Impossible => {
                let step = path.len() - 1;
                Err(Box::new(GiveUp {
                    block: path.blocks()[step],
                    step,
                    obstacle: Obstacle::Impossible,
                    why: "no values make it take this path".to_owned(),
                    partial: known.clone(),
                }))
            }
        }
    }
}

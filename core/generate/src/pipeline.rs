//! From a seed to solved functions: shape, sketch, solve, and further realizations; and to whole
//! programs of them.

mod census;
mod config;
mod crash_only;
mod execution_first;
mod measure;
mod program;
mod realize;

pub use census::{Census, Counted, ValueKind};
pub use config::{ConfigError, GenConfig, RealizeOptions, SolveOptions};
use crash_only::break_rules;
use execution_first::choose_by_execution;
pub use measure::LeafStats;
pub use program::{ProgramError, generate_pool, generate_program, program_from_pool};
use realize::more_realizations;

use std::time::Duration;

use crate::policy::{Policy, SelectedPolicies, Theme};
use crate::shape::{PathSampler, random_cfg};
use crate::sketch::{Sketch, sketch};
use crate::solve::{
    Answer, EngineChoice, ForwardEngine, GiveUp, Model, Obstacle, SmtEngine, Task, ValuePolicy,
    complete,
};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{Ending, Program, Realization, Scalar, Var};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{Rng, Seed};

/// A solved function, and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The function, alone in its program, with all its realizations; the first takes the path
    /// that was asked for. There are none if it is made to crash compilers only.
    pub program: Program,
    /// Its theme, if it has one.
    pub theme: Option<Theme>,
    /// The policies that it was made by.
    pub policies: Vec<Policy>,
    /// How many terminators have to lead to several blocks.
    pub n_two_way: usize,
    /// How many of them have encoded decisions.
    pub n_encoded: usize,
}

/// Why there is no function: the path that was asked for, and where solving it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsolved {
    /// The sketch; filled, where the interpreter did not agree with what was found.
    pub program: Program,
    /// The path.
    pub path: Path,
    /// Where and why it was given up.
    pub gave_up: GiveUp,
}

/// Makes function number `number` of `seed`. The path is drawn once, and never exchanged for an
/// easier one.
///
/// # Errors
/// Where solving was given up.
pub fn generate_leaf(
    config: &GenConfig,
    dialect: Dialect,
    seed: Seed,
    number: u64,
) -> Result<Leaf, Box<Unsolved>> {
    let seed = seed.child("leaf").nth(number);
    // What policies raise it to is for paths that are drawn.
    let least = config.walk.min_len as usize;
    let (config, drawn) = &config.drawn(&mut seed.child("swarm").rng());
    let mut shape_rng = seed.child("shape").rng();
    let sketch_rng = &mut seed.child("sketch").rng();
    let name = format!("f{number}");
    let found = match drawn.has(Policy::ExecutionFirst) {
        true => choose_by_execution(
            config,
            drawn,
            dialect,
            &name,
            least,
            &mut seed.child("wander").rng(),
        ),
        false => None,
    };
    let (mut sketch, path, known) = found.unwrap_or_else(|| {
        let cfg = random_cfg(&config.graph, &mut shape_rng);
        let path = PathSampler::new(&cfg).path(&config.walk, &mut shape_rng);
        let sketch = sketch(&cfg, Some(&path), &name, dialect, &config.sketch, drawn, sketch_rng);
        let known = Model::empty(sketch.program.function(Sketch::FUNCTION));
        (sketch, path, known)
    });
    match solve_sketch(config, drawn, dialect, &path, &mut sketch, known, seed) {
        Ok(mut program) => {
            if config.crash_only {
                break_rules(&mut program, &mut seed.child("crash").rng());
            }
            Ok(Leaf {
                program,
                theme: drawn.theme(),
                policies: drawn.policies().to_vec(),
                n_two_way: sketch.n_two_way,
                n_encoded: sketch.encoded.len(),
            })
        }
        Err(gave_up) => {
            Err(Box::new(Unsolved { program: sketch.program, path, gave_up: *gave_up }))
        }
    }
}

/// What values a sketch is to have.
fn value_policy<'a>(drawn: &'a SelectedPolicies, sketch: &'a Sketch) -> ValuePolicy<'a> {
    ValuePolicy { drawn, strides: &sketch.strides, updated: &sketch.updated }
}

/// Solves a sketch along its path, and looks for further realizations.
fn solve_sketch(
    config: &GenConfig,
    drawn: &SelectedPolicies,
    dialect: Dialect,
    path: &Path,
    sketch: &mut Sketch,
    known: Model,
    seed: Seed,
) -> Result<Program, Box<GiveUp>> {
    let mut rng = seed.child("solve").rng();
    let function = Sketch::FUNCTION;
    let model = match config.solve.engine {
        EngineChoice::Smt => ask_z3(config, dialect, path, sketch, &known, &mut rng)?,
        choice => match run_forward(config, drawn, dialect, path, sketch, known, &mut rng) {
            Ok(model) => model,
            Err(gave_up) if choice == EngineChoice::Auto => {
                ask_z3(config, dialect, path, sketch, &gave_up.partial, &mut rng)
                    .map_err(|_| gave_up)?
            }
            Err(gave_up) => return Err(gave_up),
        },
    };
    let mut program = std::mem::take(&mut sketch.program);
    model.fill(&mut program.functions[function.index()]);
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, dialect);
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
            sketch.program = program;
            return Err(Box::new(GiveUp { block, step, obstacle, why, partial: model }));
        }
    };
    let realizations = more_realizations(
        &program,
        function,
        &mut machine,
        Realization { args, path: path.clone(), ending: Ending::Returns(output) },
        &config.realize,
        value_policy(drawn, sketch),
        &mut seed.child("realize").rng(),
    );
    program.functions[function.index()].realizations = realizations;
    Ok(program)
}

/// The forward engine, with easier terminators where it cannot solve those of the sketch.
fn run_forward(
    config: &GenConfig,
    drawn: &SelectedPolicies,
    dialect: Dialect,
    path: &Path,
    sketch: &mut Sketch,
    mut known: Model,
    rng: &mut Rng,
) -> Result<Model, Box<GiveUp>> {
    let engine = ForwardEngine { walks: config.solve.walks, restarts: config.solve.restarts };
    let function = Sketch::FUNCTION;
    loop {
        let task = Task { program: &sketch.program, function, path, dialect };
        let value_policy = value_policy(drawn, sketch);
        let gave_up = match engine.search(&task, &known, value_policy, rng) {
            Ok(model) => return Ok(model),
            Err(gave_up) => gave_up,
        };
        let block = gave_up.block;
        let targets: Vec<BlockId> =
            path.steps().filter(|(from, _)| *from == block).map(|(_, to)| to).collect();
        if gave_up.obstacle != Obstacle::Inseparable
            || !sketch.ease(block, &targets, &config.sketch.types, rng)
        {
            return Err(gave_up);
        }
        known = gave_up.partial;
        known.holes.resize(sketch.program.function(function).n_holes(), None);
    }
}

/// Z3, with what is known kept.
fn ask_z3(
    config: &GenConfig,
    dialect: Dialect,
    path: &Path,
    sketch: &Sketch,
    known: &Model,
    rng: &mut Rng,
) -> Result<Model, Box<GiveUp>> {
    let timeout = Duration::from_millis(config.solve.smt_timeout);
    let mut engine = SmtEngine { timeout, ..SmtEngine::default() };
    let task = Task { program: &sketch.program, function: Sketch::FUNCTION, path, dialect };
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

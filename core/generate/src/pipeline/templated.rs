//! Functions that are made of templates, alone or embedded in random ones.

use super::value_policy::value_policy;
use crate::knobs::Knobs;
use crate::shape::{ExecutionFirstKnobs, random_cfg};
use crate::sketch::{Sketch, add_floats, sketch};
use crate::solve::{Effort, ExecutionTask, Model, ValuePolicy, draw_and_run, execution_first};
use crate::template::{Instance, TemplateOptions, edges, embed, empty_host, share_variables};
use pathsmith_symlang::choose::{choose_below, choose_share};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{BlockId, Rng};

/// How often instances are put together before only the first one is taken, alone (a guess).
const N_COMPOSITIONS: usize = 2;
/// The most blocks of a random function that templates are embedded in (a guess).
const MAX_HOST_BLOCKS: u32 = 6;
/// Steps that the random part of a function may take (a guess).
const HOST_STEPS: usize = 32;
/// How often more steps than alone an instance may take, as it may stand in a loop (a guess).
const MAX_REPEATS: usize = 3;
/// Instances with more steps than this stand alone: they take too long to be run again and again
/// (a guess).
const MAX_EMBEDDED_STEPS: usize = 400;
/// Less than usual: what is embedded takes long to run.
const EFFORT: Effort = Effort { tries: 2, rewinds: 3 };
/// Instances with more steps than this are not put inside of others (a guess).
const MAX_INNER_STEPS: usize = 40;

/// A function made of templates, the path that it takes, and what is known of its values.
pub(super) struct Templated {
    pub(super) sketch: Sketch,
    pub(super) path: Path,
    pub(super) known: Model,
    pub(super) templates: Vec<String>,
    /// Whether it has no random part.
    pub(super) is_bare: bool,
}

/// Draws whether a function is made of templates, and makes it. Returns besides it the templates
/// that were drawn in vain.
pub(super) fn choose_from_templates(
    options: &TemplateOptions,
    knobs: &Knobs,
    dialect: Dialect,
    name: &str,
    rng: &mut Rng,
) -> (Option<Templated>, Vec<String>) {
    let mut unsolved = Vec::new();
    if !choose_share(options.share, rng) {
        return (None, unsolved);
    }
    let mut pieces = Vec::new();
    for nth in 0..3 {
        if nth > 0 && !choose_share(options.second_share, rng) {
            break;
        }
        let Some(drawn) = options.choose(rng) else { break };
        let template = drawn.template();
        match Instance::choose(template, options, dialect, rng) {
            Some(instance) => pieces.push((template.name().to_owned(), instance)),
            None => unsolved.push(template.name().to_owned()),
        }
    }
    if pieces.is_empty() {
        return (None, unsolved);
    }
    let n_steps: usize = pieces.iter().map(|(_, piece)| piece.n_steps).sum();
    let is_bare = choose_share(options.bare_share, rng) || n_steps > MAX_EMBEDDED_STEPS;
    let mut composer = Composer { options, knobs, dialect, name, rng };
    let composed = (0..N_COMPOSITIONS).find_map(|_| composer.compose(&pieces, is_bare));
    let composed = composed.or_else(|| {
        // What was put together may be what stands in the way.
        let dropped = pieces.drain(1..).map(|(name, _)| name);
        unsolved.extend(dropped);
        composer.compose(&pieces, true)
    });
    (composed, unsolved)
}

struct Composer<'a> {
    options: &'a TemplateOptions,
    knobs: &'a Knobs,
    dialect: Dialect,
    name: &'a str,
    rng: &'a mut Rng,
}

impl Composer<'_> {
    /// Puts instances into a function, and finds a path through all of them.
    fn compose(&mut self, pieces: &[(String, Instance)], is_bare: bool) -> Option<Templated> {
        let mut sketch = if is_bare { self.bare_host() } else { self.random_host() };
        let function = &mut sketch.program.functions[Sketch::FUNCTION.index()];
        let n_host_blocks = function.blocks.len();
        let mut known = Model::empty(function);
        let mut goals: Vec<BlockId> = Vec::new();
        for (_, piece) in pieces {
            let function = &mut sketch.program.functions[Sketch::FUNCTION.index()];
            let mut candidates = edges(function);
            if piece.n_steps > MAX_INNER_STEPS {
                candidates.retain(|edge| edge.from.index() < n_host_blocks);
            }
            let edge = candidates[choose_below(candidates.len(), self.rng)];
            let n_params = function.n_params;
            let (entry, homes) = embed(function, &piece.program.functions[0], edge);
            goals.push(entry);
            known.args.extend(&piece.args);
            if choose_share(self.options.crossed_share, self.rng) {
                share_variables(function, &homes, self.rng);
            }
            sketch.params_inserted(n_params, piece.args.len());
        }
        let n_steps: usize = pieces.iter().map(|(_, piece)| piece.n_steps).sum();
        let max_steps = HOST_STEPS + MAX_REPEATS * n_steps;
        let (path, known) = self.find_path(&sketch, known, &goals, max_steps)?;
        let templates = pieces.iter().map(|(name, _)| name.clone()).collect();
        Some(Templated { sketch, path, known, templates, is_bare })
    }

    fn bare_host(&self) -> Sketch {
        let functions = vec![empty_host(self.name)];
        let dialect = Some(self.dialect);
        Sketch::of_program(Program { dialect, functions, ..Program::default() })
    }

    fn random_host(&mut self) -> Sketch {
        let mut graph = self.knobs.shape.graph.clone();
        graph.blocks =
            graph.blocks.min(1 + choose_below(MAX_HOST_BLOCKS as usize, self.rng) as u32);
        graph.loops = graph.loops.min(graph.blocks / 2);
        let cfg = random_cfg(&graph, self.rng);
        let expr = &self.knobs.expr;
        let mut sketch = sketch(&cfg, None, self.name, self.dialect, expr, self.rng);
        add_floats(&mut sketch, None, self.dialect, expr, self.rng);
        sketch
    }

    /// A path that visits all goals, and the values that were drawn for it.
    fn find_path(
        &mut self,
        sketch: &Sketch,
        known: Model,
        goals: &[BlockId],
        max_steps: usize,
    ) -> Option<(Path, Model)> {
        let (program, function) = (&sketch.program, Sketch::FUNCTION);
        if program.function(function).n_holes() == 0 {
            let (values, rng) = (ValuePolicy::NONE, &mut *self.rng);
            let steps = max_steps as u64;
            let (model, path) =
                draw_and_run(program, function, &known.args, self.dialect, values, steps, rng)?;
            let visits_all = goals.iter().all(|goal| path.blocks().contains(goal));
            return visits_all.then_some((path, model));
        }
        let cfg = program.function(function).cfg().ok()?;
        let (dialect, known) = (self.dialect, &known);
        let (cfg, effort) = (&cfg, EFFORT);
        let task = ExecutionTask { program, function, cfg, dialect, known, goals, effort };
        let wanted = ExecutionFirstKnobs {
            min_len: 0,
            max_len: u32::try_from(max_steps).unwrap_or(u32::MAX),
            needs_loop: false,
            needs_order: false,
        };
        execution_first(&task, value_policy(self.knobs, sketch), wanted, self.rng)
    }
}

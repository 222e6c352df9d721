//! The forward engine: concrete execution along the path, and local search.
//!
//! Holes of assignments are drawn where the path first meets them ([`walk`]); terminators are
//! solved once the states at all their visits are known ([`separate`]). Both take time linear in
//! the length of the path, whatever the operators.

mod aim;
mod draw;
mod off_path;
mod roles;
mod scene;
mod separate;
mod walk;
mod wander;

use self::draw::choose_for_role;
use self::off_path::{fill_off_path, fill_on_path};
use self::roles::collect;
use self::scene::Scene;
use self::separate::{Decision, separate};
use self::walk::Walk;
pub(crate) use self::wander::wander;
use super::{Answer, Engine, GiveUp, Model, Obstacle, Task, Taste, verify};
use crate::policy::Policy;
use pathsmith_symlang::Rng;
use pathsmith_symlang::{BlockId, ExprId};

/// A path of so many steps is walked over in no time,
const SHORT_PATH: usize = 20;
/// and so it is more often before anything but what policies ask for is drawn.
const N_MORE_ATTEMPTS: u32 = 8;

/// The forward engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadEngine {
    /// How many times the path may be walked over before giving up.
    pub walks: u32,
    /// How often everything is drawn anew when a terminator cannot be solved.
    pub restarts: u32,
}

impl Default for ThreadEngine {
    fn default() -> Self {
        Self { walks: 60, restarts: 8 }
    }
}

impl ThreadEngine {
    /// Looks for values, keeping those of `known`. What it finds has not been run yet.
    ///
    /// # Errors
    /// Where it gave up, and why.
    pub(crate) fn search(
        &self,
        task: &Task<'_>,
        known: &Model,
        taste: Taste<'_>,
        rng: &mut Rng,
    ) -> Result<Model, Box<GiveUp>> {
        let mut scene = Scene::new(task.program, task.function, task.dialect, taste);
        let path = task.path.blocks();
        let mut last = None;
        let mut n_attempts = self.restarts.max(1);
        if taste.drawn.has(Policy::Brink) && path.len() <= SHORT_PATH {
            n_attempts += N_MORE_ATTEMPTS;
        }
        for attempt in 0..n_attempts {
            if attempt > 0 && attempt + 1 == n_attempts {
                // What policies ask for may be what stands in the way.
                scene.taste = Taste::PLAIN;
            }
            match self.attempt(&scene, path, known, rng) {
                Ok(model) => return Ok(model),
                Err(gave_up) => last = Some(gave_up),
            }
        }
        Err(last.unwrap_or_else(|| unreachable!("there is at least one attempt")))
    }

    fn attempt(
        &self,
        scene: &Scene<'_>,
        path: &[BlockId],
        known: &Model,
        rng: &mut Rng,
    ) -> Result<Model, Box<GiveUp>> {
        let fuel = 1000 + u64::from(self.walks) * path.len() as u64;
        let mut walk = Walk::new(scene, path, known.holes.clone(), known.args.clone(), fuel);
        let give_up = |step: usize, obstacle: Obstacle, partial: Model| {
            let why = match obstacle {
                Obstacle::Undefined => "what it computes is undefined, and no hole leads to it",
                Obstacle::Inseparable => "the visits of its terminator cannot be told apart",
                _ => "what it computes kept being undefined until the budget ran out",
            };
            Box::new(GiveUp { block: path[step], step, obstacle, why: why.to_owned(), partial })
        };
        if let Err(blocked) = walk.run(rng) {
            return Err(give_up(blocked.step, blocked.obstacle, known.clone()));
        }
        let mut model = Model {
            holes: std::mem::take(&mut walk.holes),
            args: walk.state(0)[..scene.function.n_params].iter().map(|arg| Some(*arg)).collect(),
        };
        for (block, steps) in decisions_by_block(scene.function.blocks.len(), path) {
            let decisions: Vec<Decision<'_>> = steps
                .into_iter()
                .map(|step| Decision { step, cells: walk.state(step + 1), target: path[step + 1] })
                .collect();
            if let Err(step) = separate(scene, block, &decisions, &mut model.holes, rng) {
                return Err(give_up(step, Obstacle::Inseparable, model));
            }
        }
        if let Some(root) = scene.function.block(path[path.len() - 1]).term.root()
            && !fill_return(scene, root, walk.state(path.len()), &mut model.holes, rng)
        {
            return Err(give_up(path.len() - 1, Obstacle::Undefined, model));
        }
        fill_off_path(scene, &walk, &mut model.holes, rng);
        Ok(model)
    }
}

/// Draws the holes of a returned value so that it is defined.
fn fill_return(
    scene: &Scene<'_>,
    root: ExprId,
    cells: &[i64],
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) -> bool {
    let mut fresh = Vec::new();
    collect(scene, root, &mut fresh);
    fresh.retain(|site| holes[site.hole.index()].is_none());
    (0..50).any(|draw| {
        for site in &fresh {
            let value = choose_for_role(scene.taste, site, draw / 10, rng);
            holes[site.hole.index()] = Some(value);
        }
        scene.eval(root, cells, holes).is_ok()
    })
}

/// Gives every hole of a solved function that the path does not meet a value that looks like the
/// others.
pub fn complete(task: &Task<'_>, model: &mut Model, rng: &mut Rng) {
    let scene = Scene::new(task.program, task.function, task.dialect, Taste::PLAIN);
    let mut walk =
        Walk::new(&scene, task.path.blocks(), model.holes.clone(), model.args.clone(), u64::MAX);
    // It is solved, so nothing is undefined; if it were, the states would be of no use, but do no
    // harm.
    let _ = walk.run(rng);
    fill_on_path(&scene, &walk, &mut model.holes, rng);
    fill_off_path(&scene, &walk, &mut model.holes, rng);
}

/// For every block on the path, the steps at which its terminator decides.
fn decisions_by_block(
    n_blocks: usize,
    path: &[BlockId],
) -> impl Iterator<Item = (BlockId, Vec<usize>)> {
    let mut steps = vec![Vec::new(); n_blocks];
    for (step, block) in path[..path.len() - 1].iter().enumerate() {
        steps[block.index()].push(step);
    }
    let visited = steps.into_iter().enumerate().filter(|(_, steps)| !steps.is_empty());
    visited.map(|(block, steps)| (BlockId::new(block), steps))
}

impl Engine for ThreadEngine {
    fn name(&self) -> &'static str {
        "thread"
    }

    fn solve(&mut self, task: &Task<'_>, rng: &mut Rng) -> Answer {
        let known = Model::empty(task.program.function(task.function));
        match self.search(task, &known, Taste::PLAIN, rng) {
            Ok(model) => match verify(task, &model) {
                Ok(_) => Answer::Solved(model),
                // The interpreter has the last word.
                Err(why) => Answer::GaveUp(GiveUp {
                    block: task.path.blocks()[0],
                    step: 0,
                    obstacle: Obstacle::Unsound,
                    why: format!("the interpreter does not agree: {why}"),
                    partial: known,
                }),
            },
            Err(gave_up) => Answer::GaveUp(*gave_up),
        }
    }
}

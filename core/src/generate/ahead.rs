//! Sketches that come to an end of themselves: the path is where they lead.

use super::{GenConfig, taste};
use crate::ids::BlockId;
use crate::policy::Drawn;
use crate::seed::Rng;
use crate::semantics::Dialect;
use crate::shape::{Cfg, LoopForest, Path, random_cfg};
use crate::sketch::{Sketch, sketch};
use crate::solve::{Model, wander};

/// How many sketches are run before it is given up.
const N_SKETCHES: usize = 60;
/// How many graphs are drawn until one has what policies ask for.
const N_GRAPHS: usize = 8;
/// How many steps a path may have: at least so many, whatever policies ask for,
const LEAST_LONG: usize = 8;
/// and at most so many.
const MOST_LONG: usize = 20;

/// A sketch that comes to an end of itself, the path that it takes, and the values with which it
/// does.
pub(super) fn run_ahead(
    config: &GenConfig,
    drawn: &Drawn,
    dialect: Dialect,
    name: &str,
    rng: &mut Rng,
) -> Option<(Sketch, Path, Model)> {
    let most = (config.walk.max_len as usize).clamp(LEAST_LONG, MOST_LONG);
    let has_loops = |cfg: &Cfg| !drawn.wants_loops() || is_cyclic(cfg);
    (0..N_SKETCHES).find_map(|_| {
        let cfg = (0..N_GRAPHS).map(|_| random_cfg(&config.graph, rng)).find(has_loops)?;
        let sketch = sketch(&cfg, None, name, dialect, &config.sketch, drawn, rng);
        let taste = taste(drawn, &sketch);
        let (path, known) = wander(&sketch.program, Sketch::FUNCTION, dialect, taste, most, rng)?;
        Some((sketch, path, known))
    })
}

/// Whether a run can come to some block twice and end.
fn is_cyclic(cfg: &Cfg) -> bool {
    let (reached, distances) = (cfg.reachable_from_entry(), cfg.distance_to_exit());
    let leads_out = |block: &BlockId| reached[block.index()] && distances[block.index()].is_some();
    LoopForest::new(cfg).loops().iter().any(|found| found.blocks.iter().any(leads_out))
}

//! Blocks that the path does not visit.
//!
//! Nothing is asked of them: they may hold any code. But an input that leaves the path and comes to
//! a defined end all the same is a further realization, so they are drawn to be defined in a state
//! that was seen, and to head for the exit there.

use super::draw::{choose_for_role, choose_value};
use super::roles::{HoleSite, collect, collect_index};
use super::scene::Scene;
use super::separate::{Decision, separate};
use crate::choose::choose_below;
use crate::ids::BlockId;
use crate::lang::{Fill, Stmt, Term};
use crate::seed::Rng;

/// How often a statement is drawn before it may be undefined.
const MAX_DRAWS: u8 = 6;

/// Draws values for all holes that have none; `states` are those that the path went through.
pub(super) fn fill_off_path(
    scene: &Scene<'_>,
    states: &[&[i64]],
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) {
    if holes.iter().all(Option::is_some) {
        return;
    }
    let distances = distances_to_exit(scene);
    let mut cells = Vec::new();
    for (block, data) in scene.function.blocks_with_ids() {
        cells.clear();
        cells.extend_from_slice(states[choose_below(states.len(), rng)]);
        for stmt in &data.stmts {
            fill_stmt(scene, stmt, &mut cells, holes, rng);
        }
        if let Some(target) = nearest(&data.term, &distances) {
            // Where it cannot be made to lead there, it leads anywhere.
            let decision = Decision { step: 0, cells: &cells, target };
            let _ = separate(scene, block, &[decision], holes, rng);
        }
        let mut sites = Vec::new();
        if let Some(root) = data.term.root() {
            collect(scene, root, &mut sites);
        }
        draw(
            &sites.into_iter().filter(|site| is_open(site, holes)).collect::<Vec<_>>(),
            1,
            holes,
            rng,
        );
        fill_labels(scene, &data.term, holes, rng);
    }
}

fn is_open(site: &HoleSite, holes: &[Option<i64>]) -> bool {
    holes[site.hole.index()].is_none()
}

fn draw(sites: &[HoleSite], bias: u8, holes: &mut [Option<i64>], rng: &mut Rng) {
    for site in sites {
        holes[site.hole.index()] = Some(choose_for_role(site.role, site.ty, bias, rng));
    }
}

/// Draws the holes of a statement, and runs it on `cells` if it is defined there.
fn fill_stmt(
    scene: &Scene<'_>,
    stmt: &Stmt,
    cells: &mut [i64],
    holes: &mut [Option<i64>],
    rng: &mut Rng,
) {
    let ty = scene.program.var(scene.function, stmt.place.var()).ty;
    let mut sites = Vec::new();
    if let Some(index) = stmt.place.index() {
        collect_index(scene, index, ty.n_cells() as u32, &mut sites);
    }
    collect(scene, stmt.value, &mut sites);
    sites.retain(|site| is_open(site, holes));
    if sites.is_empty() {
        return;
    }
    for attempt in 0..MAX_DRAWS {
        draw(&sites, 1 + attempt / 2, holes, rng);
        let cell = scene.cell(stmt.place, cells, holes);
        let value = scene.eval(stmt.value, cells, holes);
        if let (Ok(cell), Ok(value)) = (cell, value) {
            cells[cell] = ty.elem().wrap(value);
            return;
        }
    }
}

/// For every block, the length of the shortest way to the exit.
fn distances_to_exit(scene: &Scene<'_>) -> Vec<Option<u32>> {
    match scene.function.cfg() {
        Ok(cfg) => cfg.distance_to_exit(),
        Err(_) => vec![None; scene.function.blocks.len()],
    }
}

/// The target that is nearest to the exit.
fn nearest(term: &Term, distances: &[Option<u32>]) -> Option<BlockId> {
    let mut best: Option<(u32, BlockId)> = None;
    term.for_each_target(|target| {
        if let Some(distance) = distances[target.index()]
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, target));
        }
    });
    best.map(|(_, target)| target)
}

/// Draws labels that differ from each other.
fn fill_labels(scene: &Scene<'_>, term: &Term, holes: &mut [Option<i64>], rng: &mut Rng) {
    let Term::Switch { on, cases, .. } = term else { return };
    let ty = scene.ty(*on).into();
    for (fill, _) in cases {
        let Fill::Hole(hole) = fill else { continue };
        if holes[hole.index()].is_some() {
            continue;
        }
        let is_taken = |value: i64, holes: &[Option<i64>]| {
            cases.iter().any(|(other, _)| match other {
                Fill::Value(label) => *label == value,
                Fill::Hole(other) => holes[other.index()] == Some(value),
            })
        };
        let mut value = choose_value(ty, 2, rng);
        while is_taken(value, holes) {
            value = ty.wrap(value.wrapping_add(1));
        }
        holes[hole.index()] = Some(value);
    }
}

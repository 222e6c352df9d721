//! Where everything goes: a layered layout, one loop inside the other.
//!
//! Every loop is laid out on its own, inner loops first, and is a single box in the loop around
//! it. So no box of a loop ever holds a block that is not in the loop, and boxes only overlap when
//! they are nested. Within a level, the rows follow the edges downwards; the edges that lead back
//! to the loop's entries climb in lanes of their own ([`level`]). The steps are Sugiyama's:
//! [`rank`], [`order`], [`place`] (with [`settle`]), [`route`].
//!
//! This fits the loops of a [`LoopForest`] well: an edge into a loop leads to one of its entries,
//! which are never inside another loop of it, and without the edges back to the entries what is
//! directly inside a loop is acyclic.

mod graph;
mod groups;
mod level;
mod order;
mod pack;
mod place;
mod rank;
mod route;
mod settle;

pub(super) use graph::CAPTION_HEIGHT;
pub(super) use place::width_for_ports;

use self::graph::Solved;
use self::groups::{Groups, Member};
use super::geometry::{Point, Rect, simplified};
use super::too_large::{Room, TooLarge};
use super::traffic::Traffic;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, LoopForest};

/// The distance between what can be reached and what cannot.
const APART: i32 = 36;

/// A graph with coordinates.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) width: i32,
    pub(super) height: i32,
    /// The box of each block.
    pub(super) blocks: Vec<Rect>,
    /// The edges, in the order of `Cfg::edges`.
    pub(super) edges: Vec<Route>,
    /// The frames, outer ones first.
    pub(super) frames: Vec<Frame>,
}

/// The course of an edge.
#[derive(Clone, Debug)]
pub(super) struct Route {
    pub(super) from: BlockId,
    pub(super) to: BlockId,
    /// The corners, from the source's underside to the target's upper side.
    pub(super) points: Vec<Point>,
    /// Whether it climbs.
    pub(super) back: bool,
    /// Where the target is named, for an edge that is not drawn all the way to it. Only edges from
    /// unreachable to reachable blocks are not.
    pub(super) tag: Option<Rect>,
}

/// A box around a region.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) rect: Rect,
    /// The loop that it is around; `None` for everything unreachable.
    pub(super) around: Option<usize>,
    pub(super) caption: String,
    /// Where the caption is written.
    pub(super) caption_x: i32,
}

/// Lays out `cfg`, whose blocks need boxes of `sizes` (width and height). `tag_width` is the width
/// that a block's name takes up.
///
/// # Errors
/// If that takes too many points.
pub(super) fn layout(
    cfg: &Cfg,
    forest: &LoopForest,
    traffic: &Traffic,
    sizes: &[(i32, i32)],
    tag_width: impl Fn(BlockId) -> i32,
) -> Result<Layout, TooLarge> {
    let groups = Groups::new(cfg, forest, sizes, tag_width);
    let mut solved: Vec<Solved> = vec![Solved::default(); groups.list.len()];
    let mut room = Room::new();
    for group in groups.inner_first() {
        let problem = groups.problem(group, &solved, traffic);
        let solve = if group == groups::UNREACHABLE { pack::solve } else { level::solve };
        solved[group] = solve(problem, &mut room)?;
    }
    let mut origin = vec![Point::new(0, 0); groups.list.len()];
    let (mut width, mut height) = (solved[groups::ROOT].w, solved[groups::ROOT].h);
    let aside = &solved[groups::UNREACHABLE];
    if !aside.at.is_empty() {
        let beside = (width + APART + aside.w, height.max(aside.h));
        let below = (width.max(aside.w), height + APART + aside.h);
        // Whatever is larger on a page in landscape.
        let scale = |(w, h): (i32, i32)| (3 * w).max(4 * h);
        if scale(beside) <= scale(below) {
            origin[groups::UNREACHABLE] = Point::new(width + APART, 0);
            (width, height) = beside;
        } else {
            origin[groups::UNREACHABLE] = Point::new(0, height + APART);
            (width, height) = below;
        }
    }
    let mut spots = vec![Rect::new(Point::new(0, 0), 0, 0); groups.spots.len()];
    let mut frames = Vec::new();
    for group in groups.outer_first() {
        let (at, level) = (origin[group], &solved[group]);
        if let (Some(caption), false) = (&groups.list[group].caption, level.at.is_empty()) {
            frames.push(Frame {
                rect: Rect::new(at, level.w, level.h),
                around: group.checked_sub(groups::FIRST_LOOP),
                caption: caption.clone(),
                caption_x: at.x + level.caption_x,
            });
        }
        for (member, &corner) in groups.list[group].members.iter().zip(&level.at) {
            match *member {
                Member::Spot(spot) => {
                    let (w, h) = groups.spots[spot].size;
                    spots[spot] = Rect::new(corner.shifted(at), w, h);
                }
                Member::Group(inner) => origin[inner] = corner.shifted(at),
            }
        }
    }
    let edges = cfg.edges().enumerate().map(|(edge, (from, to))| {
        let pieces = groups.pieces[edge].iter();
        let points = pieces.clone().flat_map(|&(group, wire)| {
            solved[group].routes[wire]
                .iter()
                .map(|point| point.shifted(origin[group]))
                .collect::<Vec<_>>()
        });
        Route {
            from,
            to,
            points: simplified(points),
            back: pieces.clone().any(|&(group, wire)| solved[group].back[wire]),
            tag: groups.tags[edge].map(|spot| spots[spot]),
        }
    });
    let edges = edges.collect();
    spots.truncate(cfg.n_blocks());
    Ok(Layout { width, height, blocks: spots, edges, frames })
}

#[cfg(test)]
mod tests;

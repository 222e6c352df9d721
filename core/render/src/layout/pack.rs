//! Things that have nothing to do with each other, laid out one by one and put on shelves.

use super::graph::{CAPTION_HEIGHT, FRAME_PADDING, Problem, Solved, Wire};
use super::level;
use crate::geometry::Point;
use crate::too_large::{Room, TooLarge};

/// The distance between two parts.
const APART: i32 = 20;

/// Lays out the connected parts of `problem` on their own, and packs them. No wire may come from or
/// go to the outside.
pub(super) fn solve(problem: Problem, room: &mut Room) -> Result<Solved, TooLarge> {
    let part = parts(&problem);
    let n_parts = part.iter().max().map_or(0, |p| p + 1);
    let mut problems = vec![Problem::default(); n_parts];
    let mut index = vec![0; problem.items.len()];
    for (i, item) in problem.items.iter().enumerate() {
        index[i] = problems[part[i]].items.len();
        problems[part[i]].items.push(*item);
    }
    for wire in &problem.wires {
        if let (Some(from), Some(to)) = (wire.from, wire.to) {
            let (from, to) = (Some(index[from]), Some(index[to]));
            let here = wire.from.or(wire.to).map_or(0, |item| part[item]);
            problems[here].wires.push(Wire { from, to, ..wire.clone() });
        }
    }
    let levels = problems.into_iter().map(|problem| level::solve(problem, room));
    let levels: Vec<Solved> = levels.collect::<Result<_, _>>()?;

    let (corners, w, h) = shelves(&levels);
    let framed = problem.caption.is_some();
    let padding = if framed { FRAME_PADDING } else { 0 };
    let top = if framed { CAPTION_HEIGHT + 8 } else { 0 };
    let caption_w = problem.caption.unwrap_or(0);
    let mut solved = Solved {
        w: w.max(caption_w) + 2 * padding,
        h: top + h + padding,
        caption_x: padding,
        ..Solved::default()
    };
    for (i, &p) in part.iter().enumerate() {
        let by = corners[p].shifted(Point::new(padding, top));
        solved.at.push(levels[p].at[index[i]].shifted(by));
    }
    let mut next_wire = vec![0; n_parts];
    for wire in &problem.wires {
        let Some(from) = wire.from else { continue };
        let p = part[from];
        let by = corners[p].shifted(Point::new(padding, top));
        let route = &levels[p].routes[next_wire[p]];
        solved.routes.push(route.iter().map(|point| point.shifted(by)).collect());
        solved.back.push(levels[p].back[next_wire[p]]);
        next_wire[p] += 1;
    }
    Ok(solved)
}

/// The number of the connected part that each item is in.
fn parts(problem: &Problem) -> Vec<usize> {
    let n_items = problem.items.len();
    let mut near = vec![Vec::new(); n_items];
    for wire in &problem.wires {
        if let (Some(from), Some(to)) = (wire.from, wire.to) {
            near[from].push(to);
            near[to].push(from);
        }
    }
    let mut part = vec![usize::MAX; n_items];
    let mut n_parts = 0;
    for start in 0..n_items {
        if part[start] != usize::MAX {
            continue;
        }
        let mut stack = vec![start];
        while let Some(item) = stack.pop() {
            if part[item] == usize::MAX {
                part[item] = n_parts;
                stack.extend(&near[item]);
            }
        }
        n_parts += 1;
    }
    part
}

/// Where each level goes, and the size of all: the tallest first, in rows of about the width that
/// makes the whole a little wider than high.
fn shelves(levels: &[Solved]) -> (Vec<Point>, i32, i32) {
    let area: i64 = levels.iter().map(|l| i64::from(l.w + APART) * i64::from(l.h + APART)).sum();
    let widest = levels.iter().map(|l| l.w).max().unwrap_or(0);
    let max_width = i64::from(widest).max((area * 3 / 2).isqrt());
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(levels[i].h));
    let mut corners = vec![Point::new(0, 0); levels.len()];
    let (mut x, mut y, mut row_height, mut width) = (0, 0, 0, 0);
    for i in order {
        if x > 0 && i64::from(x + levels[i].w) > max_width {
            (x, y, row_height) = (0, y + row_height + APART, 0);
        }
        corners[i] = Point::new(x, y);
        width = width.max(x + levels[i].w);
        row_height = row_height.max(levels[i].h);
        x += levels[i].w + APART;
    }
    (corners, width, y + row_height)
}

#[cfg(test)]
mod tests {
    use super::super::graph::Item;
    use super::*;

    #[test]
    fn parts_are_put_on_shelves() {
        let items = vec![Item { w: 50, h: 20 }; 40];
        let wire = |from, to| Wire {
            from: Some(from),
            to: Some(to),
            from_port: None,
            to_port: None,
            back: false,
            traffic: 0,
        };
        let wires = vec![wire(7, 3), wire(0, 1), wire(7, 8)];
        let solved =
            solve(Problem { items, wires, ..Problem::default() }, &mut Room::new()).unwrap();
        assert!(solved.w < 700 && solved.h < 500, "{} × {}", solved.w, solved.h);
        for (route, (from, to)) in solved.routes.iter().zip([(7, 3), (0, 1), (7, 8)]) {
            let (first, last) = (route[0], route[route.len() - 1]);
            assert_eq!(first.y, solved.at[from].y + 20);
            assert_eq!(last.y, solved.at[to].y);
        }
    }
}

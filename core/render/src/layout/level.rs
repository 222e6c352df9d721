//! One level of the nesting: items in rows, and the wires between them.
//!
//! A level is what is directly inside one loop: its own blocks, and the loops inside it, which
//! have been laid out before and are opaque boxes here. Wires come in at the top of the level and
//! go out at its bottom; a wire back up to the loop's entries leaves its item below, turns, and
//! climbs in a lane between the items or at their side.

use super::graph::{CAPTION_HEIGHT, FRAME_PADDING, Graph, Problem, Run, Solved};
use super::{order, place, rank, route};
use crate::geometry::{Point, simplified};
use crate::too_large::{Room, TooLarge};

/// Lays out one level.
pub(super) fn solve(mut problem: Problem, room: &mut Room) -> Result<Solved, TooLarge> {
    let ranks = rank::rank(&mut problem);
    let (n_points, width) = Graph::measure(&problem, &ranks);
    room.take(n_points, width)?;
    let graph = Graph::new(&problem, &ranks);
    let order = order::order(&graph);
    let mut xs = place::place(&graph, &order);
    let caption_x = frame(&problem, &graph, &mut xs);
    Ok(finish(&problem, &graph, &xs, caption_x))
}

/// Moves everything into the frame, and finds a place for the caption between the wires that come
/// in.
fn frame(problem: &Problem, graph: &Graph, placed: &mut place::Placed) -> i32 {
    let padding = if problem.caption.is_some() { FRAME_PADDING } else { 0 };
    let left = placed.x.iter().min().copied().unwrap_or(0);
    for x in &mut placed.x {
        *x += padding - left;
    }
    let Some(width) = problem.caption else { return 0 };
    let mut incoming: Vec<i32> =
        (0..graph.nodes.len()).filter(|&n| graph.nodes[n].row == 0).map(|n| placed.x[n]).collect();
    incoming.sort_unstable();
    let mut start = padding;
    for x in incoming {
        if x - start >= width + 4 {
            break;
        }
        start = start.max(x + 6);
    }
    start
}

/// Finds all heights, and with them the course of every wire.
fn finish(problem: &Problem, graph: &Graph, placed: &place::Placed, caption_x: i32) -> Solved {
    let framed = problem.caption.is_some();
    let mut row_height = vec![0; graph.n_rows];
    for node in &graph.nodes {
        row_height[node.row] = row_height[node.row].max(node.h);
    }
    row_height[0] = if framed { CAPTION_HEIGHT } else { 0 };
    let mut channels = route::channels(graph, placed);
    // Where no wire goes out, the frame keeps its distance all the same.
    if let (true, Some(last)) = (framed, channels.last_mut()) {
        last.height = last.height.max(FRAME_PADDING);
    }
    let mut row_y = vec![0; graph.n_rows];
    let mut channel_y = vec![0; channels.len()];
    let mut y = 0;
    for row in 0..graph.n_rows {
        row_y[row] = y;
        y += row_height[row];
        if let Some(channel) = channels.get(row) {
            channel_y[row] = y;
            y += channel.height;
        }
    }
    let right = (0..graph.nodes.len()).map(|n| placed.x[n] + graph.nodes[n].w).max().unwrap_or(0);
    let padding = if framed { FRAME_PADDING } else { 0 };
    let w = (right + padding).max(problem.caption.map_or(0, |c| caption_x + c + padding));

    let mut solved = Solved { w, h: y, caption_x, ..Solved::default() };
    for n in 0..problem.items.len() {
        solved.at.push(Point::new(placed.x[n], row_y[graph.nodes[n].row]));
    }
    let end = |l: usize, side: usize| {
        let link = &graph.links[l];
        let n = link.ends[side];
        let node = &graph.nodes[n];
        let x = placed.x[n] + placed.port[l][side];
        // A node's underside is used by links of the channel below it.
        Point::new(x, row_y[node.row] + if link.channel == node.row { node.h } else { 0 })
    };
    for (wire, chain) in problem.wires.iter().zip(&graph.chains) {
        let mut points = Vec::new();
        for &l in chain {
            let link = &graph.links[l];
            let top = channel_y[link.channel];
            let mut run = channels[link.channel].course(l, top, end(l, 0), end(l, 1));
            if link.reversed {
                run.reverse();
            }
            points.extend(run);
        }
        if let (None, Some(first)) = (wire.from, points.first().copied()) {
            points.insert(0, Point::new(first.x, 0));
        }
        solved.routes.push(simplified(points));
        solved.back.push(chain.first().is_some_and(|&l| graph.links[l].run == Run::Below));
    }
    solved
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Item, Wire};
    use super::*;

    pub(in super::super) fn wire(from: Option<usize>, to: Option<usize>, back: bool) -> Wire {
        Wire { from, to, from_port: None, to_port: None, back, traffic: 0 }
    }

    fn problem(n_items: usize, wires: &[(usize, usize)]) -> Problem {
        Problem {
            items: vec![Item { w: 40, h: 20 }; n_items],
            wires: wires.iter().map(|&(a, b)| wire(Some(a), Some(b), a >= b)).collect(),
            ..Problem::default()
        }
    }

    fn solved(problem: Problem) -> Solved {
        solve(problem, &mut Room::new()).unwrap()
    }

    #[test]
    fn a_chain_is_straight() {
        let solved = solved(problem(3, &[(0, 1), (1, 2)]));
        assert_eq!(solved.at[0].x, solved.at[2].x);
        assert!(solved.routes.iter().all(|route| route.len() == 2));
    }

    #[test]
    fn a_back_wire_turns_below_and_above() {
        let solved = solved(problem(2, &[(0, 1), (1, 0)]));
        let back = &solved.routes[1];
        assert_eq!(back.len(), 6);
        assert_eq!(back[0].y, solved.at[1].y + 20);
        assert_eq!(back[5].y, solved.at[0].y);
        assert!(back[1].y > back[0].y && back[4].y < back[5].y);
        assert!(back[2].x < solved.at[0].x || back[2].x > solved.at[0].x + 40);
    }

    #[test]
    fn wires_from_and_to_the_outside_reach_the_border() {
        let mut problem = problem(1, &[]);
        problem.caption = Some(200);
        problem.wires = vec![wire(None, Some(0), false), wire(Some(0), None, false)];
        let solved = solved(problem);
        assert!(solved.w >= 200);
        assert_eq!(solved.routes[0][0].y, 0);
        assert_eq!(solved.routes[1].last().unwrap().y, solved.h);
    }

    #[test]
    fn nothing_at_all() {
        let solved = solved(Problem::default());
        assert!(solved.at.is_empty() && solved.routes.is_empty());
    }
}

//! One level of the nesting: items in rows, and the wires between them.
//!
//! A level is what is directly inside one loop: its own blocks, and the loops inside it, which
//! have been laid out before and are opaque boxes here. Wires come in at the top of the level and
//! go out at its bottom; a wire back up to the loop's entries leaves its item below, turns, and
//! climbs in a lane between the items or at their side.

use super::{order, place, rank, route};
use crate::geometry::{Point, simplified};

/// A box that is placed as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) w: i32,
    pub(super) h: i32,
}

/// An edge, as far as it runs on this level.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    /// The item it comes from; `None` for the outside.
    pub(super) from: Option<usize>,
    /// The item it leads to; `None` for the outside.
    pub(super) to: Option<usize>,
    /// Where it leaves its source, from the left; `None` where that can be chosen.
    pub(super) from_port: Option<i32>,
    /// Where it reaches its target, from the left; `None` where that can be chosen.
    pub(super) to_port: Option<i32>,
    /// Whether it leads back to an entry of the loop.
    pub(super) back: bool,
    /// How often the path takes it.
    pub(super) traffic: usize,
}

/// A level before it is laid out.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    pub(super) items: Vec<Item>,
    pub(super) wires: Vec<Wire>,
    /// The item that has to be in the last row.
    pub(super) last: Option<usize>,
    /// The width of the text above the rows, if there is a frame with one.
    pub(super) caption: Option<i32>,
}

/// A level with all coordinates, relative to its upper left corner.
#[derive(Clone, Debug, Default)]
pub(super) struct Solved {
    pub(super) w: i32,
    pub(super) h: i32,
    /// The upper left corner of each item.
    pub(super) at: Vec<Point>,
    /// The course of each wire, from source to target.
    pub(super) routes: Vec<Vec<Point>>,
    /// Whether each wire climbs.
    pub(super) back: Vec<bool>,
    /// Where the caption begins.
    pub(super) caption_x: i32,
}

/// The height that a frame keeps free for its caption.
pub(crate) const CAPTION_HEIGHT: i32 = 18;
/// What a frame keeps free on its left and right.
pub(super) const FRAME_PADDING: i32 = 12;

/// A place in a row: an item, or the point where a wire passes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) row: usize,
    pub(super) w: i32,
    pub(super) h: i32,
    pub(super) item: Option<usize>,
}

/// How a link runs through the channel between two rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// From a node of the row above to one of the row below.
    Through,
    /// Between the undersides of two nodes of the row above.
    Below,
    /// Between the upper sides of two nodes of the row below.
    Above,
}

/// The part of a wire within one channel. Channel `k` is between rows `k` and `k + 1`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) channel: usize,
    pub(super) run: Run,
    /// The ends; the upper one first if it runs through.
    pub(super) ends: [usize; 2],
    /// Where it is fixed to its ends, from the left.
    pub(super) ports: [Option<i32>; 2],
    /// Whether the arrowhead is at this end.
    pub(super) arrow: [bool; 2],
    /// Whether its wire goes from the second end to the first.
    pub(super) reversed: bool,
    pub(super) traffic: usize,
}

/// Items and wires, broken up into rows of nodes and channels of links.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) links: Vec<Link>,
    pub(super) n_rows: usize,
    /// The links of each wire, from its source to its target.
    pub(super) chains: Vec<Vec<usize>>,
}

impl Graph {
    /// The graph of `problem` with its items on `ranks`. Row 0 is the upper border, the last row
    /// the lower one.
    fn new(problem: &Problem, ranks: &[usize]) -> Self {
        let last_row = ranks.iter().max().map_or(0, |r| r + 1) + 1;
        let mut graph = Self { n_rows: last_row + 1, ..Self::default() };
        for (i, item) in problem.items.iter().enumerate() {
            graph.nodes.push(Node { row: ranks[i] + 1, w: item.w, h: item.h, item: Some(i) });
        }
        for wire in &problem.wires {
            let chain = graph.add_wire(wire, last_row);
            graph.chains.push(chain);
        }
        graph
    }

    fn add_wire(&mut self, wire: &Wire, last_row: usize) -> Vec<usize> {
        let from = wire.from.unwrap_or_else(|| self.add_point(0));
        let to = wire.to.unwrap_or_else(|| self.add_point(last_row));
        let (from_row, to_row) = (self.nodes[from].row, self.nodes[to].row);
        let first_link = self.links.len();
        if from_row < to_row {
            let mut upper = from;
            for row in from_row + 1..=to_row {
                let lower = if row == to_row { to } else { self.add_point(row) };
                self.add_link(wire, row - 1, Run::Through, [upper, lower]);
                upper = lower;
            }
        } else {
            let mut lower = self.add_point(from_row);
            self.add_link(wire, from_row, Run::Below, [from, lower]);
            for row in (to_row..from_row).rev() {
                let upper = self.add_point(row);
                self.add_link(wire, row, Run::Through, [upper, lower]);
                if let Some(link) = self.links.last_mut() {
                    link.reversed = true;
                }
                lower = upper;
            }
            self.add_link(wire, to_row - 1, Run::Above, [lower, to]);
        }
        let chain: Vec<usize> = (first_link..self.links.len()).collect();
        if let [first, .., last] | [first @ last] = chain[..] {
            self.links[first].ports[0] = wire.from_port;
            self.links[last].ports[1] = wire.to_port;
            self.links[last].arrow[1] = wire.to.is_some();
        }
        chain
    }

    fn add_point(&mut self, row: usize) -> usize {
        self.nodes.push(Node { row, w: 0, h: 0, item: None });
        self.nodes.len() - 1
    }

    fn add_link(&mut self, wire: &Wire, channel: usize, run: Run, ends: [usize; 2]) {
        let (ports, arrow, traffic) = ([None; 2], [false; 2], wire.traffic);
        self.links.push(Link { channel, run, ends, ports, arrow, reversed: false, traffic });
    }

    /// The links of each channel.
    pub(super) fn channels(&self) -> Vec<Vec<usize>> {
        let mut channels = vec![Vec::new(); self.n_rows.saturating_sub(1)];
        for (i, link) in self.links.iter().enumerate() {
            channels[link.channel].push(i);
        }
        channels
    }
}

/// Lays out one level.
pub(super) fn solve(mut problem: Problem) -> Solved {
    let ranks = rank::rank(&mut problem);
    let graph = Graph::new(&problem, &ranks);
    let order = order::order(&graph);
    let mut xs = place::place(&graph, &order);
    let caption_x = frame(&problem, &graph, &mut xs);
    finish(&problem, &graph, &xs, caption_x)
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

    #[test]
    fn a_chain_is_straight() {
        let solved = solve(problem(3, &[(0, 1), (1, 2)]));
        assert_eq!(solved.at[0].x, solved.at[2].x);
        assert!(solved.routes.iter().all(|route| route.len() == 2));
    }

    #[test]
    fn a_back_wire_turns_below_and_above() {
        let solved = solve(problem(2, &[(0, 1), (1, 0)]));
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
        let solved = solve(problem);
        assert!(solved.w >= 200);
        assert_eq!(solved.routes[0][0].y, 0);
        assert_eq!(solved.routes[1].last().unwrap().y, solved.h);
    }

    #[test]
    fn nothing_at_all() {
        let solved = solve(Problem::default());
        assert!(solved.at.is_empty() && solved.routes.is_empty());
    }
}

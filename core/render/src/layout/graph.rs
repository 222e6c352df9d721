//! The items and wires of a level, and how they are broken up into rows and channels.

use crate::geometry::Point;

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
    pub(super) fn new(problem: &Problem, ranks: &[usize]) -> Self {
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

    /// How many nodes the graph of `problem` will have, and how many links its widest channel.
    pub(super) fn measure(problem: &Problem, ranks: &[usize]) -> (usize, usize) {
        let last_row = ranks.iter().max().map_or(0, |r| r + 1) + 1;
        let row = |item: Option<usize>, outside| item.map_or(outside, |i| ranks[i] + 1);
        let mut n_points = problem.items.len();
        // By how much each channel is wider than the one above it.
        let mut wider = vec![0_isize; last_row + 2];
        for wire in &problem.wires {
            let (from, to) = (row(wire.from, 0), row(wire.to, last_row));
            // A wire that climbs turns in the channels below its source and above its target.
            let (first, last) = match from < to {
                true => (from, to - 1),
                false => (to.saturating_sub(1), from),
            };
            n_points += last - first + 2;
            wider[first] += 1;
            wider[last + 1] -= 1;
        }
        let mut width = 0;
        let widths = wider.into_iter().map(|more| {
            width += more;
            width
        });
        (n_points, widths.max().unwrap_or(0).unsigned_abs())
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

//! The order of the nodes in each row, with few crossings.
//!
//! Rows are sorted by the barycenter of the neighbours in the row above, then in the row below,
//! and so on; neighbours are exchanged where that alone removes crossings; the best order seen
//! wins (Sugiyama's method).

use super::graph::{Graph, Run};

/// How many node visits all sweeps of one level may take together.
const BUDGET: usize = 1_500_000;
/// The most sweeps from one first order.
const MAX_SWEEPS: usize = 16;
/// What a crossing is worth, in pixels of sideways climbing lanes.
const CROSSING: usize = 240;
/// What one step in a row is worth, so that ports fit in between.
const STEP: u32 = 4096;

/// The nodes of each row from left to right, and each node's position in its row.
#[derive(Clone, Debug)]
pub(super) struct Order {
    pub(super) rows: Vec<Vec<usize>>,
    pub(super) position: Vec<u32>,
}

impl Order {
    fn new(rows: Vec<Vec<usize>>, n_nodes: usize) -> Self {
        let mut order = Self { rows, position: vec![0; n_nodes] };
        for row in 0..order.rows.len() {
            order.renumber(row);
        }
        order
    }

    fn renumber(&mut self, row: usize) {
        for (i, &node) in self.rows[row].iter().enumerate() {
            self.position[node] = i as u32;
        }
    }

    /// Where an end of a link is within its row, ports included. All ends at a node whose ports
    /// can be chosen are in one place, since they can always be put in the right order.
    pub(super) fn key(&self, graph: &Graph, link: usize, side: usize) -> u32 {
        let link = &graph.links[link];
        let node = link.ends[side];
        let width = i64::from(graph.nodes[node].w.max(1));
        let port = link.ports[side]
            .map_or(0, |port| 1 + i64::from(port) * (i64::from(STEP) - 2) / width)
            .clamp(0, i64::from(STEP) - 1);
        self.position[node] * STEP + port as u32
    }

    /// The ends of a link, the left one first if both are in one row.
    fn span(&self, graph: &Graph, link: usize) -> (Run, u32, u32) {
        let (a, b) = (self.key(graph, link, 0), self.key(graph, link, 1));
        match graph.links[link].run {
            Run::Through => (Run::Through, a, b),
            run => (run, a.min(b), a.max(b)),
        }
    }

    /// How often two links of one channel cross.
    fn pair_crossings(&self, graph: &Graph, first: usize, second: usize) -> usize {
        let within = |x: u32, (low, high): (u32, u32)| low < x && x < high;
        let crossed = match (self.span(graph, first), self.span(graph, second)) {
            ((Run::Through, a, b), (Run::Through, c, d)) => a < c && b > d || a > c && b < d,
            ((Run::Through, top, bottom), (run, low, high))
            | ((run, low, high), (Run::Through, top, bottom)) => {
                within(if run == Run::Below { top } else { bottom }, (low, high))
            }
            ((run, a, b), (other, c, d)) => {
                run == other && (a < c && c < b && b < d || c < a && a < d && d < b)
            }
        };
        usize::from(crossed)
    }

    /// How many crossings there are in a channel with these links.
    fn channel_crossings(&self, graph: &Graph, links: &[usize]) -> usize {
        let spans: Vec<_> = links.iter().map(|&link| self.span(graph, link)).collect();
        let mut through: Vec<(u32, u32)> =
            spans.iter().filter(|s| s.0 == Run::Through).map(|s| (s.1, s.2)).collect();
        through.sort_unstable();
        let tops: Vec<u32> = through.iter().map(|t| t.0).collect();
        let mut bottoms: Vec<u32> = through.iter().map(|t| t.1).collect();
        let mut crossings = sort_counting(&mut bottoms);
        let turns: Vec<_> = spans.into_iter().filter(|s| s.0 != Run::Through).collect();
        for (i, &(run, low, high)) in turns.iter().enumerate() {
            let keys = if run == Run::Below { &tops } else { &bottoms };
            let before = keys.partition_point(|&k| k <= low);
            crossings += keys.partition_point(|&k| k < high).saturating_sub(before);
            for &(other, c, d) in &turns[..i] {
                let interleaved = low < c && c < high && high < d || c < low && low < d && d < high;
                crossings += usize::from(run == other && interleaved);
            }
        }
        crossings
    }
}

/// Sorts `keys` and returns how many pairs of them were in the wrong order.
fn sort_counting(keys: &mut Vec<u32>) -> usize {
    let n = keys.len();
    let mut inversions = 0;
    let mut width = 1;
    let mut merged = Vec::with_capacity(n);
    while width < n {
        merged.clear();
        for start in (0..n).step_by(2 * width) {
            let middle = (start + width).min(n);
            let end = (start + 2 * width).min(n);
            let (mut i, mut j) = (start, middle);
            while i < middle || j < end {
                if j == end || i < middle && keys[i] <= keys[j] {
                    merged.push(keys[i]);
                    i += 1;
                } else {
                    inversions += middle - i;
                    merged.push(keys[j]);
                    j += 1;
                }
            }
        }
        std::mem::swap(keys, &mut merged);
        width *= 2;
    }
    inversions
}

/// Finds a good order for `graph`.
pub(super) fn order(graph: &Graph) -> Order {
    let search = Search::new(graph);
    let n_starts = 4;
    let n_sweeps = (BUDGET / (graph.nodes.len().max(1) * n_starts)).clamp(1, MAX_SWEEPS);
    let mut best = search.first_order(false, false);
    let mut least = usize::MAX;
    for start in 0..n_starts {
        let mut order = search.first_order(start % 2 == 1, start / 2 == 1);
        for sweep in 0..n_sweeps {
            search.sweep(&mut order, sweep % 2 == 0, sweep % 4 >= 2);
            search.exchange(&mut order);
            let cost = search.cost(&order);
            if cost < least {
                (least, best) = (cost, order.clone());
            }
        }
        if least == 0 {
            break;
        }
    }
    search.move_lanes(&mut best, least);
    best
}

struct Search<'a> {
    graph: &'a Graph,
    channels: Vec<Vec<usize>>,
    /// The links at each node's upper side and at its underside, each with the node's own end.
    above: Vec<Vec<(usize, usize)>>,
    below: Vec<Vec<(usize, usize)>>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph) -> Self {
        let mut above = vec![Vec::new(); graph.nodes.len()];
        let mut below = vec![Vec::new(); graph.nodes.len()];
        for (i, link) in graph.links.iter().enumerate() {
            for (side, &node) in link.ends.iter().enumerate() {
                let at_top = graph.nodes[node].row != link.channel;
                let links = if at_top { &mut above } else { &mut below };
                links[node].push((i, side));
            }
        }
        Self { graph, channels: graph.channels(), above, below }
    }

    /// How good an order is: its crossings, and how far its lanes are from what they belong to.
    fn cost(&self, order: &Order) -> usize {
        let crossings: usize =
            self.channels.iter().map(|links| order.channel_crossings(self.graph, links)).sum();
        let mut left = vec![0_i32; self.graph.nodes.len()];
        for row in &order.rows {
            let mut x = 0;
            for &node in row {
                left[node] = x;
                x += self.graph.nodes[node].w + 14;
            }
        }
        let turns = self.graph.links.iter().filter(|link| link.run != Run::Through);
        let sideways = turns.map(|link| {
            let [a, b] = [0, 1].map(|side| {
                let node = link.ends[side];
                left[node] + link.ports[side].unwrap_or(self.graph.nodes[node].w / 2)
            });
            a.abs_diff(b) as usize
        });
        CROSSING * crossings + sideways.sum::<usize>()
    }

    /// Tries every climbing lane as a whole at both sides of its rows.
    fn move_lanes(&self, order: &mut Order, mut least: usize) {
        let lanes: Vec<Vec<usize>> =
            self.graph.chains.iter().filter_map(|c| self.lane(c)).collect();
        if lanes.len() * self.graph.nodes.len() > BUDGET / 8 {
            return;
        }
        for lane in &lanes {
            for leftmost in [true, false] {
                let mut tried = order.clone();
                for &point in lane {
                    let row = self.graph.nodes[point].row;
                    tried.rows[row].retain(|&node| node != point);
                    let at = if leftmost { 0 } else { tried.rows[row].len() };
                    tried.rows[row].insert(at, point);
                    tried.renumber(row);
                }
                self.exchange(&mut tried);
                let cost = self.cost(&tried);
                if cost < least {
                    (least, *order) = (cost, tried);
                }
            }
        }
    }

    /// The points of a climbing wire.
    fn lane(&self, chain: &[usize]) -> Option<Vec<usize>> {
        let (&first, rest) = chain.split_first()?;
        let climbs = self.graph.links[first].run == Run::Below;
        let upper = rest.iter().map(|&l| self.graph.links[l].ends[0]);
        // The last link turns at the point that the one before has come up to.
        let mut points = vec![self.graph.links[first].ends[1]];
        points.extend(upper);
        points.dedup();
        climbs.then_some(points)
    }

    /// The order in which a depth-first walk comes by, with the lanes on the left or on the right.
    fn first_order(&self, mirrored: bool, lanes_first: bool) -> Order {
        let n_nodes = self.graph.nodes.len();
        let mut lane = vec![false; n_nodes];
        for link in &self.graph.links {
            if link.reversed || link.run != Run::Through {
                for &end in &link.ends {
                    lane[end] |= self.graph.nodes[end].item.is_none();
                }
            }
        }
        let mut seen = vec![false; n_nodes];
        let mut rows = vec![Vec::new(); self.graph.n_rows];
        let mut roots: Vec<usize> = (0..n_nodes).collect();
        // Lanes are only reached as roots, so being first or last here puts them at a side.
        roots.sort_by_key(|&n| (lane[n] != lanes_first, self.graph.nodes[n].row, n));
        for root in roots {
            let mut stack = vec![root];
            while let Some(node) = stack.pop() {
                if seen[node] {
                    continue;
                }
                seen[node] = true;
                rows[self.graph.nodes[node].row].push(node);
                let links = self.below[node].iter();
                let next = links.filter(|(l, _)| self.graph.links[*l].run == Run::Through);
                let at = stack.len();
                stack.extend(next.map(|(l, side)| self.graph.links[*l].ends[1 - side]));
                if !mirrored {
                    stack[at..].reverse();
                }
            }
        }
        Order::new(rows, n_nodes)
    }

    /// Sorts every row by its neighbours in the row before, going down or up.
    fn sweep(&self, order: &mut Order, down: bool, flip_ties: bool) {
        for k in 0..order.rows.len() {
            let row = if down { k } else { order.rows.len() - 1 - k };
            let mut sorted: Vec<(u64, usize)> =
                order.rows[row].iter().map(|&n| (self.wanted(order, n, down), n)).collect();
            if flip_ties {
                sorted.reverse();
            }
            sorted.sort_by_key(|&(wanted, _)| wanted);
            order.rows[row] = sorted.into_iter().map(|(_, node)| node).collect();
            order.renumber(row);
        }
    }

    /// The mean place of a node's neighbours on one side, or its own place if it has none there.
    fn wanted(&self, order: &Order, node: usize, down: bool) -> u64 {
        let links = if down { &self.above[node] } else { &self.below[node] };
        if links.is_empty() {
            return u64::from(order.position[node] * STEP);
        }
        let sum: u64 =
            links.iter().map(|&(l, side)| u64::from(order.key(self.graph, l, 1 - side))).sum();
        sum / links.len() as u64
    }

    /// Exchanges neighbours as long as that removes crossings.
    fn exchange(&self, order: &mut Order) {
        for _ in 0..4 {
            let mut improved = false;
            for row in 0..order.rows.len() {
                for i in 1..order.rows[row].len() {
                    let (left, right) = (order.rows[row][i - 1], order.rows[row][i]);
                    let before = self.local_crossings(order, left, right);
                    order.position.swap(left, right);
                    if self.local_crossings(order, left, right) < before {
                        order.rows[row].swap(i - 1, i);
                        improved = true;
                    } else {
                        order.position.swap(left, right);
                    }
                }
            }
            if !improved {
                break;
            }
        }
    }

    /// The crossings between the links of two neighbours.
    fn local_crossings(&self, order: &Order, left: usize, right: usize) -> usize {
        [&self.above, &self.below]
            .into_iter()
            .flat_map(|links| links[left].iter().map(move |a| (a, &links[right])))
            .flat_map(|(&(a, _), others)| others.iter().map(move |&(b, _)| (a, b)))
            .map(|(a, b)| order.pair_crossings(self.graph, a, b))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::super::graph::{Link, Node};
    use super::*;
    use pathsmith_symlang::Seed;

    #[test]
    fn counts_inversions() {
        for (keys, expected) in [(vec![], 0), (vec![3, 1, 2], 2), (vec![1, 1, 0], 2)] {
            assert_eq!(sort_counting(&mut keys.clone()), expected, "{keys:?}");
        }
    }

    /// Two rows of `n` nodes, and links between them.
    fn graph(n: usize, links: &[(Run, usize, usize)]) -> Graph {
        let node = |i: usize| Node { row: i / n, w: 30, h: 20, item: Some(i) };
        let link = |&(run, a, b): &(Run, usize, usize)| Link {
            channel: 0,
            run,
            ends: [a, b],
            ports: [None; 2],
            arrow: [false; 2],
            reversed: false,
            traffic: 0,
        };
        let links: Vec<Link> = links.iter().map(link).collect();
        let chains = (0..links.len()).map(|l| vec![l]).collect();
        Graph { nodes: (0..2 * n).map(node).collect(), links, n_rows: 2, chains }
    }

    #[test]
    fn crossings_are_counted_alike_one_by_one_and_together() {
        let mut rng = Seed::new(3).rng();
        for _ in 0..200 {
            let n = rng.random_range(2..7);
            let links: Vec<_> = (0..rng.random_range(0..12))
                .map(|_| {
                    let (a, b) = (rng.random_range(0..n), rng.random_range(0..n));
                    match rng.random_range(0..3) {
                        0 => (Run::Below, a, b),
                        1 => (Run::Above, n + a, n + b),
                        _ => (Run::Through, a, n + b),
                    }
                })
                .collect();
            let graph = graph(n, &links);
            let order = Search::new(&graph).first_order(false, false);
            let all: Vec<usize> = (0..links.len()).collect();
            let pairs = all.iter().flat_map(|&i| (0..i).map(move |j| (i, j)));
            let one_by_one: usize = pairs.map(|(i, j)| order.pair_crossings(&graph, i, j)).sum();
            assert_eq!(order.channel_crossings(&graph, &all), one_by_one, "{links:?}");
        }
    }

    #[test]
    fn needless_crossings_go() {
        let through = |a, b| (Run::Through, a, b);
        let graph = graph(3, &[through(0, 5), through(1, 4), through(2, 3), through(0, 4)]);
        let order = order(&graph);
        let all: Vec<usize> = (0..graph.links.len()).collect();
        assert_eq!(order.channel_crossings(&graph, &all), 0);
    }
}

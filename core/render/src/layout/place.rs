//! Where the nodes of each row are, from left to right, so that most wires are straight.
//!
//! Links that can be straight at the same time make their nodes one rigid column, the ones between
//! two passing points first. Columns keep their distances and are then settled.

use std::collections::BTreeMap;

use super::graph::{Graph, Run};
use super::order::Order;
use super::settle::{Gap, Pull, settle};

/// The least distance between two items.
const ITEM_GAP: i32 = 26;
/// The least distance between an item and a wire that passes it.
const WIRE_ITEM_GAP: i32 = 14;
/// The least distance between two wires.
const WIRE_GAP: i32 = 12;
/// The distance between ports where an item is wide enough.
const PORT_GAP: i32 = 20;
/// The distance of a port from the item's corner.
const PORT_MARGIN: i32 = 9;

/// The horizontal half of a layout.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// The left side of each node.
    pub(super) x: Vec<i32>,
    /// For both ends of each link, how far from its node's left side it is.
    pub(super) port: Vec<[i32; 2]>,
}

/// The width that an item needs for `n_ports` ports on one side.
pub(crate) fn width_for_ports(n_ports: usize) -> i32 {
    2 * PORT_MARGIN + 11 * (n_ports.max(1) as i32 - 1)
}

/// Places the nodes of `graph`, which are in `order`.
pub(super) fn place(graph: &Graph, order: &Order) -> Placed {
    let port = choose_ports(graph, order);
    let (column, offset, n_columns) = columns(graph, order, &port);
    let mut gaps = Vec::new();
    for row in &order.rows {
        for pair in row.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let least = match (graph.nodes[a].item, graph.nodes[b].item) {
                (Some(_), Some(_)) => ITEM_GAP,
                (None, None) => WIRE_GAP,
                _ => WIRE_ITEM_GAP,
            };
            let least = offset[a] + graph.nodes[a].w + least - offset[b];
            gaps.push(Gap { left: column[a], right: column[b], least });
        }
    }
    let mut pulls = Vec::new();
    for (l, link) in graph.links.iter().enumerate() {
        let [a, b] = link.ends;
        if column[a] == column[b] {
            continue;
        }
        let n_points = link.ends.iter().filter(|&&n| graph.nodes[n].item.is_none()).count();
        let weight = match (link.run, n_points) {
            (Run::Through, 2) => 4,
            (Run::Through, _) => 2,
            _ => 1,
        };
        let distance = offset[a] + port[l][0] - offset[b] - port[l][1];
        pulls.push(Pull { a: column[a], b: column[b], distance, weight });
    }
    let column_x = settle(n_columns, gaps, &pulls);
    let x = (0..graph.nodes.len()).map(|n| column_x[column[n]] + offset[n]).collect();
    Placed { x, port }
}

/// An end of a link whose port is still to be chosen; ports are in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PortEnd {
    place: (u8, i64),
    link: usize,
    side: usize,
}

/// Spreads the ports of every node, in the order that avoids crossings.
fn choose_ports(graph: &Graph, order: &Order) -> Vec<[i32; 2]> {
    // By node and side: the ends there, each with its place in the order.
    let mut ends: Vec<[Vec<PortEnd>; 2]> = vec![[Vec::new(), Vec::new()]; graph.nodes.len()];
    let mut port = vec![[0; 2]; graph.links.len()];
    for (l, link) in graph.links.iter().enumerate() {
        for (side, &node) in link.ends.iter().enumerate() {
            if let Some(fixed) = link.ports[side] {
                port[l][side] = fixed;
                continue;
            }
            let other = i64::from(order.key(graph, l, 1 - side));
            // Turns leave at the outer ports; of two that turn the same way, the one that comes
            // down nearer lies inside the other.
            let place = match link.run {
                Run::Through => (1, other),
                _ if order.position[link.ends[1 - side]] < order.position[node] => (0, -other),
                _ => (2, -other),
            };
            let below = usize::from(graph.nodes[node].row == link.channel);
            ends[node][below].push(PortEnd { place, link: l, side });
        }
    }
    for (node, sides) in ends.iter_mut().enumerate() {
        let width = graph.nodes[node].w;
        for list in sides {
            list.sort_unstable();
            let n_gaps = list.len() as i32 - 1;
            let gap = ((width - 2 * PORT_MARGIN) / n_gaps.max(1)).clamp(0, PORT_GAP);
            for (i, &PortEnd { link, side, .. }) in list.iter().enumerate() {
                port[link][side] = width / 2 + (2 * i as i32 - n_gaps) * gap / 2;
            }
        }
    }
    port
}

/// Makes columns: the column of each node, its offset in there, and how many there are.
fn columns(graph: &Graph, order: &Order, port: &[[i32; 2]]) -> (Vec<usize>, Vec<i32>, usize) {
    let n_nodes = graph.nodes.len();
    let mut candidates: Vec<usize> =
        (0..graph.links.len()).filter(|&l| graph.links[l].run == Run::Through).collect();
    candidates.sort_by_cached_key(|&l| {
        let link = &graph.links[l];
        let n_points = link.ends.iter().filter(|&&n| graph.nodes[n].item.is_none()).count();
        let at_border = link.channel == 0 || link.channel + 2 == graph.n_rows;
        let rank = match n_points {
            2 => 0,
            0 => 1,
            _ if at_border => 3,
            _ => 2,
        };
        (rank, std::cmp::Reverse(link.traffic), l)
    });
    // The straight links of each channel: from position above to position below.
    let mut straight: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); graph.n_rows];
    let mut down: Vec<Option<(usize, i32)>> = vec![None; n_nodes];
    let mut has_up = vec![false; n_nodes];
    for l in candidates {
        let link = &graph.links[l];
        let [a, b] = link.ends;
        if down[a].is_some() || has_up[b] {
            continue;
        }
        let (top, bottom) = (order.position[a], order.position[b]);
        let taken = &mut straight[link.channel];
        let crosses_left = taken.range(..top).next_back().is_some_and(|(_, &q)| q > bottom);
        let crosses_right = taken.range(top + 1..).next().is_some_and(|(_, &q)| q < bottom);
        if crosses_left || crosses_right {
            continue;
        }
        taken.insert(top, bottom);
        down[a] = Some((b, port[l][0] - port[l][1]));
        has_up[b] = true;
    }
    let mut column = vec![0; n_nodes];
    let mut offset = vec![0; n_nodes];
    let mut n_columns = 0;
    for top in (0..n_nodes).filter(|&n| !has_up[n]) {
        let mut node = top;
        let mut x = 0;
        loop {
            column[node] = n_columns;
            offset[node] = x;
            let Some((next, shift)) = down[node] else { break };
            x += shift;
            node = next;
        }
        n_columns += 1;
    }
    (column, offset, n_columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_ports_need_more_room() {
        assert_eq!(width_for_ports(0), width_for_ports(1));
        assert!(width_for_ports(8) > 90);
    }
}

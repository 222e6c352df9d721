//! Making a random graph reducible.

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

use super::choose_below;
use pathsmith_symlang::Rng;

/// How often to look for a new target for an edge before it is dropped.
const ATTEMPTS: u32 = 16;

/// Redirects or drops edges so that every loop that block 0 can reach has one entry.
///
/// A graph is reducible if all its retreating edges, seen from any depth-first search, lead to a
/// dominator of their source. Taking away those that do not leaves the search tree, and with it
/// what can be reached, as it is, and takes no dominator away. Each lost edge then gets a new
/// target that changes no dominators either and does not go astray: one whose immediate dominator
/// dominates the source, and that comes later in the search's order or dominates the source
/// itself. Where none is found soon, the edge is gone.
pub(super) fn make_reducible(succs: &mut [Vec<usize>], rng: &mut Rng) {
    let order = search_order(succs);
    let dominators = Dominators::new(succs, &order);
    let mut lost = Vec::new();
    for block in 0..succs.len() {
        if order[block].is_none() {
            continue;
        }
        succs[block].retain(|&succ| {
            let keep = order[succ] > order[block] || dominators.dominates(succ, block);
            if !keep {
                lost.push(block);
            }
            keep
        });
    }
    if lost.is_empty() {
        return;
    }
    let dominators = Dominators::new(succs, &order);
    // The last block is the exit, which is connected later.
    let n = succs.len() - 2;
    for block in lost {
        for _ in 0..ATTEMPTS {
            let target = 1 + choose_below(n, rng);
            let Some(parent) = dominators.parents[target] else { continue };
            if !succs[block].contains(&target)
                && dominators.dominates(parent, block)
                && (order[target] > order[block] || dominators.dominates(target, block))
            {
                let place = choose_below(succs[block].len() + 1, rng);
                succs[block].insert(place, target);
                break;
            }
        }
    }
}

/// For every block that block 0 can reach, its place in the reverse postorder of a depth-first
/// search.
fn search_order(succs: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut order = vec![None; succs.len()];
    let mut seen = vec![false; succs.len()];
    let mut place = succs.len();
    // Each block on the way down, and how many of its successors have been looked at.
    let mut stack = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, n_looked)) = stack.last_mut() {
        if let Some(&succ) = succs[*block].get(*n_looked) {
            *n_looked += 1;
            if !seen[succ] {
                seen[succ] = true;
                stack.push((succ, 0));
            }
        } else {
            place -= 1;
            order[*block] = Some(place);
            stack.pop();
        }
    }
    order
}

struct Dominators<'o> {
    order: &'o [Option<usize>],
    /// The immediate dominator of every block that has one.
    parents: Vec<Option<usize>>,
}

impl<'o> Dominators<'o> {
    fn new(succs: &[Vec<usize>], order: &'o [Option<usize>]) -> Self {
        let edges = succs
            .iter()
            .enumerate()
            .flat_map(|(block, list)| list.iter().map(move |&succ| (block as u32, succ as u32)));
        let mut graph = DiGraph::<(), (), u32>::from_edges(edges);
        // Blocks after the last edge's end.
        while graph.node_count() < succs.len() {
            graph.add_node(());
        }
        let dominators = simple_fast(&graph, NodeIndex::new(0));
        let parents = (0..succs.len())
            .map(|block| dominators.immediate_dominator(NodeIndex::new(block)))
            .map(|parent| parent.map(NodeIndex::index))
            .collect();
        Self { order, parents }
    }

    /// Whether every way from block 0 to `below`, which it can reach, passes `above`.
    fn dominates(&self, above: usize, below: usize) -> bool {
        let mut block = below;
        while self.order[block] > self.order[above] {
            match self.parents[block] {
                Some(parent) => block = parent,
                None => return false,
            }
        }
        block == above
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::Seed;

    #[test]
    fn a_loop_with_two_entries_loses_one() {
        // Blocks 2 and 3 are entered from 1 and lead to each other; 4 stands for the exit.
        let mut succs = vec![vec![1], vec![2, 3], vec![3], vec![2], vec![]];
        make_reducible(&mut succs, &mut Seed::new(1).rng());
        assert!(!(succs[2].contains(&3) && succs[3].contains(&2)));
        assert_eq!(succs[1], [2, 3]);
    }

    #[test]
    fn reducible_graphs_stay_as_they_are() {
        let before = vec![vec![1], vec![2, 3], vec![1, 2], vec![3, 1], vec![]];
        let mut succs = before.clone();
        make_reducible(&mut succs, &mut Seed::new(1).rng());
        assert_eq!(succs, before);
    }
}

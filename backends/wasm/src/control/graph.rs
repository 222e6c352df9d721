//! A graph in which every loop has one entry.
//!
//! If a loop has several entries, a *dispatcher* becomes its only one: every edge to one of the
//! entries sets the selector and leads to the dispatcher, which branches to the block that was
//! selected. Inner loops are left alone, because none of their edges leads to an entry of the outer
//! loop; they get dispatchers of their own if they need them. So what was reducible stays so.
//! Copies of blocks make most dispatchers unnecessary.

use pathsmith_backend::Nesting;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, CfgError, LoopForest};

use super::split::Split;
use crate::options::Control;

/// What stands at a node of a [`Graph`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A block of the function.
    Block(BlockId),
    /// Sets the selector, and goes to a dispatcher.
    Route { selector: u32, dispatcher: BlockId },
    /// Goes where the selector says.
    Dispatch(Vec<BlockId>),
}

/// A graph in which every loop has one entry.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    cfg: Cfg,
    nesting: Nesting,
    /// The graph of the function; the successors of its blocks are in the same order.
    function_cfg: Cfg,
    n_dispatchers: usize,
}

impl Graph {
    /// Transforms a function's graph so that every loop has one entry.
    pub(crate) fn new(function_cfg: Cfg, control: Control) -> Result<Self, CfgError> {
        let Split { cfg, origins } = match control {
            Control::Split => Split::new(&function_cfg)?,
            Control::Structured | Control::Dispatch => Split::none(&function_cfg),
        };
        let is_reachable = cfg.reachable_from_entry();
        let regions: Vec<Vec<BlockId>> = match control {
            Control::Structured | Control::Split => {
                let forest = LoopForest::new(&cfg);
                let irreducible = forest.loops().iter().filter(|region| region.is_irreducible());
                irreducible.map(|region| region.entries.clone()).collect()
            }
            Control::Dispatch => {
                let all = cfg.blocks().skip(1).filter(|block| is_reachable[block.index()]);
                [all.collect::<Vec<_>>()].into_iter().filter(|all| !all.is_empty()).collect()
            }
        };
        let mut nodes: Vec<Node> = origins.into_iter().map(Node::Block).collect();
        let mut succs: Vec<Vec<BlockId>> =
            cfg.blocks().map(|block| cfg.succs(block).to_vec()).collect();
        // Each block is an entry of one region at most.
        let mut selected: Vec<Option<(u32, BlockId)>> = vec![None; cfg.n_blocks()];
        for (i, entries) in regions.iter().enumerate() {
            let dispatcher = BlockId::new(cfg.n_blocks() + i);
            for (selector, entry) in entries.iter().enumerate() {
                selected[entry.index()] = Some((selector as u32, dispatcher));
            }
            nodes.push(Node::Dispatch(entries.clone()));
            succs.push(entries.clone());
        }
        for from in cfg.blocks().filter(|block| is_reachable[block.index()]) {
            for (at, to) in cfg.succs(from).iter().enumerate() {
                let Some((selector, dispatcher)) = selected[to.index()] else { continue };
                let route = BlockId::new(nodes.len());
                nodes.push(Node::Route { selector, dispatcher });
                succs.push(vec![dispatcher]);
                succs[from.index()][at] = route;
            }
        }
        let cfg = Cfg::new(&succs)?;
        let nesting = Nesting::new(&cfg);
        Ok(Self { nodes, cfg, nesting, function_cfg, n_dispatchers: regions.len() })
    }

    pub(crate) fn node(&self, node: BlockId) -> &Node {
        &self.nodes[node.index()]
    }

    pub(crate) fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn cfg(&self) -> &Cfg {
        &self.cfg
    }

    pub(crate) fn nesting(&self) -> &Nesting {
        &self.nesting
    }

    /// How many dispatchers there are.
    pub(crate) fn n_dispatchers(&self) -> usize {
        self.n_dispatchers
    }

    /// Where a node leads, if its block leads to `target` in the function.
    pub(crate) fn target(&self, node: BlockId, target: BlockId) -> BlockId {
        let Node::Block(block) = self.node(node) else { return target };
        let at = self.function_cfg.succs(*block).iter().position(|succ| *succ == target);
        at.map_or(target, |at| self.cfg.succs(node)[at])
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_generate::shape::{GraphOptions, random_cfg};
    use pathsmith_symlang::Seed;

    use super::*;

    fn cfg(succs: &[&[usize]]) -> Cfg {
        let succs: Vec<Vec<BlockId>> =
            succs.iter().map(|list| list.iter().map(|&b| BlockId::new(b)).collect()).collect();
        Cfg::new(&succs).unwrap()
    }

    #[test]
    fn a_loop_with_two_entries_gets_a_dispatcher() {
        let cfg = cfg(&[&[1, 2], &[2], &[1, 3], &[]]);
        let graph = Graph::new(cfg.clone(), Control::Structured).unwrap();
        assert_eq!(graph.n_dispatchers(), 1);
        assert_eq!(
            *graph.node(BlockId::new(4)),
            Node::Dispatch(vec![BlockId::new(1), BlockId::new(2)])
        );
        // Four edges lead to one of the two entries, each by a route of its own.
        assert_eq!(graph.n_nodes(), 4 + 1 + 4);
        assert_eq!(graph.target(BlockId::new(2), BlockId::new(3)), BlockId::new(3));

        let graph = Graph::new(cfg, Control::Split).unwrap();
        assert_eq!(graph.n_dispatchers(), 0);
        // The copy of one entry leads into the loop, which the other one heads.
        assert_eq!(graph.n_nodes(), 4 + 1);
    }

    #[test]
    fn what_comes_out_is_reducible_and_what_was_is_left_alone() {
        let (mut n_irreducible, mut n_dispatchers, mut n_left) = (0, 0, 0);
        for seed in 0..2000 {
            let options = GraphOptions { blocks: 3 + seed as u32 % 20, ..GraphOptions::default() };
            let cfg = random_cfg(&options, &mut Seed::new(seed).rng());
            let forest = LoopForest::new(&cfg);
            let split = Graph::new(cfg.clone(), Control::Split).unwrap();
            assert!(LoopForest::new(split.cfg()).is_reducible(), "seed {seed}");
            n_left += split.n_dispatchers();
            let graph = Graph::new(cfg.clone(), Control::Structured).unwrap();
            assert!(LoopForest::new(graph.cfg()).is_reducible(), "seed {seed}");
            let n_expected = forest.loops().iter().filter(|region| region.is_irreducible()).count();
            assert_eq!(graph.n_dispatchers(), n_expected);
            n_dispatchers += n_expected;
            if forest.is_reducible() {
                assert_eq!(*graph.cfg(), cfg);
                assert_eq!(*split.cfg(), cfg);
            }
            n_irreducible += usize::from(!forest.is_reducible());
            // In a reducible graph, every retreating edge leads to a block that dominates it.
            let dominators = graph.nesting().dominators();
            for (from, to) in graph.cfg().edges() {
                let leads_back = dominators.position(to) <= dominators.position(from);
                if dominators.position(from).is_some() && leads_back {
                    assert!(graph.nesting().is_back_edge(from, to), "seed {seed}");
                }
            }
        }
        assert!(n_irreducible > 200, "{n_irreducible}");
        // Copies take the place of nearly all dispatchers.
        assert!(10 * n_left < n_dispatchers, "{n_left} of {n_dispatchers}");
    }
}

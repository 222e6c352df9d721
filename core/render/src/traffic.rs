//! How often a path comes by: the visits of each block, the traversals of each edge.

use super::Picture;
use pathsmith_symlang::BlockId;

/// The traffic of a picture's path on its graph.
#[derive(Clone, Debug)]
pub(super) struct Traffic {
    /// How often each block is visited.
    pub(super) visits: Vec<usize>,
    /// The steps that take each edge, counted from 1, in the order of `Cfg::edges`.
    pub(super) steps: Vec<Vec<usize>>,
    /// How many steps the path takes.
    pub(super) n_steps: usize,
}

impl Traffic {
    pub(super) fn new(picture: &Picture<'_>) -> Self {
        let cfg = picture.cfg;
        let mut traffic = Self {
            visits: vec![0; cfg.n_blocks()],
            steps: vec![Vec::new(); cfg.n_edges()],
            n_steps: 0,
        };
        let Some(path) = picture.path else { return traffic };
        let exists = |block: BlockId| block.index() < cfg.n_blocks();
        for block in path.blocks().iter().filter(|&&block| exists(block)) {
            traffic.visits[block.index()] += 1;
        }
        let mut first_edge = vec![0; cfg.n_blocks()];
        for block in cfg.blocks().skip(1) {
            let before = block.index() - 1;
            first_edge[before + 1] = first_edge[before] + cfg.succs(BlockId::new(before)).len();
        }
        for (step, (from, to)) in path.steps().enumerate() {
            traffic.n_steps = step + 1;
            if !exists(from) {
                continue;
            }
            if let Some(i) = cfg.succs(from).iter().position(|&succ| succ == to) {
                traffic.steps[first_edge[from.index()] + i].push(step + 1);
            }
        }
        traffic
    }

    /// How many blocks are visited at all.
    pub(super) fn n_distinct(&self) -> usize {
        self.visits.iter().filter(|&&n| n > 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{cfg, path};
    use super::*;

    #[test]
    fn counts() {
        let cfg = cfg(&[&[1], &[2, 3], &[4], &[1], &[]]);
        let path = path(&[0, 1, 3, 1, 3, 1, 2, 4]);
        let traffic = Traffic::new(&Picture { path: Some(&path), ..Picture::new(&cfg) });
        assert_eq!(traffic.visits, [1, 3, 1, 2, 1]);
        assert_eq!(traffic.steps, [vec![1], vec![6], vec![2, 4], vec![7], vec![3, 5]]);
        assert_eq!((traffic.n_steps, traffic.n_distinct()), (7, 5));
    }

    #[test]
    fn what_is_not_in_the_graph_is_left_out() {
        let cfg = cfg(&[&[1], &[]]);
        let path = path(&[0, 9, 1, 0]);
        let traffic = Traffic::new(&Picture { path: Some(&path), ..Picture::new(&cfg) });
        assert_eq!(traffic.visits, [2, 1]);
        assert_eq!(traffic.steps, [Vec::<usize>::new()]);
    }
}

//! Graphs and paths to draw in tests.

use rand::RngExt;

use super::Label;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, Path};
use pathsmith_symlang::{Rng, Seed};

pub(super) fn blocks(list: &[usize]) -> Vec<BlockId> {
    list.iter().map(|&block| BlockId::new(block)).collect()
}

pub(super) fn cfg(succs: &[&[usize]]) -> Cfg {
    Cfg::new(&succs.iter().map(|list| blocks(list)).collect::<Vec<_>>()).unwrap()
}

pub(super) fn path(list: &[usize]) -> Path {
    Path::new(blocks(list))
}

/// A graph of `n_blocks` blocks with up to `max_succs` random successors each.
pub(super) fn random_cfg(rng: &mut Rng, n_blocks: usize, max_succs: usize) -> Cfg {
    loop {
        let mut succs: Vec<Vec<BlockId>> = Vec::new();
        for _ in 1..n_blocks {
            let n_succs = rng.random_range(1..=max_succs.min(n_blocks - 1));
            let mut list = Vec::new();
            while list.len() < n_succs {
                let succ = BlockId::new(rng.random_range(1..n_blocks));
                if !list.contains(&succ) {
                    list.push(succ);
                }
            }
            succs.push(list);
        }
        succs.push(Vec::new());
        if let Ok(cfg) = Cfg::new(&succs) {
            return cfg;
        }
    }
}

/// A random walk that heads for the exit once it is `n_steps` long.
pub(super) fn random_path(rng: &mut Rng, cfg: &Cfg, n_steps: usize) -> Path {
    let distance = cfg.distance_to_exit();
    let mut walk = vec![cfg.entry()];
    let mut block = cfg.entry();
    while block != cfg.exit() {
        let alive: Vec<BlockId> =
            cfg.succs(block).iter().copied().filter(|b| distance[b.index()].is_some()).collect();
        let nearest = alive.iter().copied().min_by_key(|b| distance[b.index()]).unwrap();
        let detours: Vec<BlockId> = alive.into_iter().filter(|&b| b != cfg.exit()).collect();
        block = if walk.len() > n_steps || detours.is_empty() {
            nearest
        } else {
            detours[rng.random_range(0..detours.len())]
        };
        walk.push(block);
    }
    Path::new(walk)
}

/// Sample `k` of a sweep: a graph of some size and density, and a path through it.
pub(super) fn random_sample(k: u64) -> (Cfg, Path) {
    let mut rng = Seed::new(k).child("draw").rng();
    let n_blocks = rng.random_range(2..48);
    let max_succs = rng.random_range(1..5);
    let cfg = random_cfg(&mut rng, n_blocks, max_succs.max(2));
    let n_steps = rng.random_range(1..80);
    let path = random_path(&mut rng, &cfg, n_steps);
    (cfg, path)
}

/// Labels with some made-up statements in them.
pub(super) fn random_labels(rng: &mut Rng, cfg: &Cfg) -> Vec<Label> {
    let mut labels = Label::all(cfg);
    for label in &mut labels {
        for _ in 0..rng.random_range(0..4) {
            let [a, b, c] = [(); 3].map(|()| rng.random_range(0..9));
            label.body.push(format!("v{a} = v{b} * {} + v{c}", rng.random_range(-999..999)));
        }
    }
    labels
}

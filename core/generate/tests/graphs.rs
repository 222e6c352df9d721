//! What holds of all random graphs.

use pathsmith_generate::shape::{GraphOptions, random_cfg};
use pathsmith_symlang::graph::{Dominators, LoopForest};
use pathsmith_symlang::{BlockId, Seed};

#[test]
fn loops_on_some_way_are_those_of_the_forest() {
    let mut n_with = 0;
    for number in 0..500 {
        let rng = &mut Seed::new(number).rng();
        let (forward, blocks) = ((number % 5) as f64 / 4.0, (number % 7) as u32);
        let cfg = random_cfg(&GraphOptions { blocks, forward, ..Default::default() }, rng);
        let (reached, distances) = (cfg.reachable_from_entry(), cfg.distance_to_exit());
        let is_on_some_way =
            |block: &BlockId| reached[block.index()] && distances[block.index()].is_some();
        let forest = LoopForest::new(&cfg);
        let has_loop = forest.loops().iter().any(|l| l.blocks.iter().any(is_on_some_way));
        assert_eq!(cfg.has_loop_on_some_way(), has_loop, "{cfg:?}");
        n_with += usize::from(has_loop);
    }
    assert!((100..400).contains(&n_with), "{n_with}");
}

/// A block dominates another if that one cannot be reached without it.
#[test]
fn dominators_are_as_defined() {
    for seed in 0..200 {
        let cfg = random_cfg(&GraphOptions::default(), &mut Seed::new(seed).rng());
        let dominators = Dominators::new(&cfg);
        for without in cfg.blocks() {
            let mut seen = vec![false; cfg.n_blocks()];
            let mut stack = vec![cfg.entry()];
            while let Some(block) = stack.pop() {
                if block != without && !seen[block.index()] {
                    seen[block.index()] = true;
                    stack.extend(cfg.succs(block));
                }
            }
            for block in cfg.blocks().filter(|b| dominators.position(*b).is_some()) {
                assert_eq!(dominators.dominates(without, block), !seen[block.index()]);
            }
        }
    }
}

//! Random paths.

mod iterations;
mod loop_exits;
mod options;

use std::sync::OnceLock;

pub use self::iterations::{Iterations, IterationsError};
use self::loop_exits::LoopExits;
pub use self::options::{WalkMode, WalkOptions, WalkOptionsError};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::graph::{Cfg, LoopForest, Path};

/// Draws a path through `cfg`. For many paths through one graph, keep a [`PathSampler`].
pub fn random_path(cfg: &Cfg, options: &WalkOptions, rng: &mut Rng) -> Path {
    PathSampler::new(cfg).path(options, rng)
}

/// Draws paths through one graph.
#[derive(Debug)]
pub struct PathSampler<'g> {
    cfg: &'g Cfg,
    /// Block `b`'s successors that can reach the exit are `targets[starts[b]..starts[b + 1]]`.
    starts: Vec<u32>,
    targets: Vec<BlockId>,
    /// The length of the shortest way to the exit.
    distances: Vec<Option<u32>>,
    /// What is known about loops, once it is needed.
    loop_exits: OnceLock<LoopExits>,
}

impl<'g> PathSampler<'g> {
    /// Prepares for paths through `cfg`.
    pub fn new(cfg: &'g Cfg) -> Self {
        let distances = cfg.distance_to_exit();
        let mut starts = Vec::with_capacity(cfg.n_blocks() + 1);
        let mut targets = Vec::with_capacity(cfg.n_edges());
        starts.push(0);
        for block in cfg.blocks() {
            let succs = cfg.succs(block).iter().copied();
            targets.extend(succs.filter(|succ| distances[succ.index()].is_some()));
            starts.push(targets.len() as u32);
        }
        Self { cfg, starts, targets, distances, loop_exits: OnceLock::new() }
    }

    /// The loops of the graph.
    pub fn forest(&self) -> &LoopForest {
        self.loop_exits().forest()
    }

    /// Draws a path.
    ///
    /// It never visits a block that cannot reach the exit. It has at least `min_len` visits if
    /// the entry can reach a loop that can reach the exit (or else as many as it happens to have),
    /// and at most `max_len` visits before it takes a shortest way to the exit. Where options
    /// contradict each other, `max_len` wins.
    ///
    /// In [`WalkMode::Loops`], the block at which a loop is entered is its anchor, be the loop
    /// reducible or not. From entering the loop to leaving it, the anchor is visited exactly as
    /// often as is drawn when entering it; then the loop is left, on a shortest way. A loop inside
    /// another draws anew whenever it is entered. Only `max_len` cuts this short; for `min_len`,
    /// an outermost loop that is due to be left draws again.
    pub fn path(&self, options: &WalkOptions, rng: &mut Rng) -> Path {
        let max_len = options.max_len as usize;
        let min_len = (options.min_len as usize).min(max_len);
        let mut blocks = vec![self.cfg.entry()];
        match options.mode {
            WalkMode::Uniform => self.walk_uniformly(&mut blocks, min_len, max_len, rng),
            WalkMode::Loops => {
                let iterations = &options.iterations;
                self.walk_loops(&mut blocks, min_len, max_len, iterations, rng);
            }
        }
        let mut here = blocks[blocks.len() - 1];
        while let Some(next) = self.nearest(here) {
            blocks.push(next);
            here = next;
        }
        Path::new(blocks)
    }

    fn walk_uniformly(
        &self,
        blocks: &mut Vec<BlockId>,
        min_len: usize,
        max_len: usize,
        rng: &mut Rng,
    ) {
        let mut here = self.cfg.entry();
        while blocks.len() < max_len {
            let next = if blocks.len() < min_len {
                self.choose_towards_loops(here, rng)
            } else {
                choose_among(self.succs(here), |_| true, rng)
            };
            let Some(next) = next else { break };
            blocks.push(next);
            here = next;
        }
    }

    fn walk_loops(
        &self,
        blocks: &mut Vec<BlockId>,
        min_len: usize,
        max_len: usize,
        iterations: &Iterations,
        rng: &mut Rng,
    ) {
        let loop_exits = self.loop_exits();
        // The loops around `here`, outermost first.
        let mut frames: Vec<Frame> = Vec::new();
        let mut here = self.cfg.entry();
        while blocks.len() < max_len {
            let next = match self.leaving(&frames) {
                _ if frames.is_empty() && blocks.len() < min_len => {
                    self.choose_towards_loops(here, rng)
                }
                Some(done) => self.choose_leaving(here, done, rng),
                None => {
                    let stays = |succ| match frames.last() {
                        Some(frame) => loop_exits.contains(frame.this, succ),
                        None => true,
                    };
                    choose_among(self.succs(here), stays, rng)
                }
            };
            let Some(next) = next else { break };
            blocks.push(next);
            here = next;

            while frames.last().is_some_and(|frame| !loop_exits.contains(frame.this, here)) {
                frames.pop();
            }
            match frames.last_mut() {
                Some(frame) if frame.anchor == here => {
                    frame.n_left = frame.n_left.saturating_sub(1)
                }
                _ => {
                    let outside = frames.len();
                    for this in loop_exits.loops_around(here, outside) {
                        let n_left = iterations.choose(rng) - 1;
                        frames.insert(outside, Frame { this, anchor: here, n_left });
                    }
                }
            }
            if let [outermost] = &mut frames[..]
                && outermost.n_left == 0
                && blocks.len() < min_len
            {
                outermost.n_left = iterations.choose(rng);
            }
        }
    }

    /// The outermost loop that is now to be left, with all loops inside it.
    fn leaving(&self, frames: &[Frame]) -> Option<usize> {
        frames.iter().rev().take_while(|frame| frame.n_left == 0).last().map(|frame| frame.this)
    }

    /// Chooses a step that leaves loop `done`, but not the loop around it, or gets closer to one.
    fn choose_leaving(&self, here: BlockId, done: usize, rng: &mut Rng) -> Option<BlockId> {
        let loop_exits = self.loop_exits();
        let succs = self.succs(here);
        match loop_exits.distance_to_leave(done, here) {
            0 => choose_among(succs, |succ| loop_exits.leaves(done, succ), rng),
            distance => {
                let closer = |succ| {
                    loop_exits.contains(done, succ)
                        && loop_exits.distance_to_leave(done, succ) < distance
                };
                choose_among(succs, closer, rng)
            }
        }
    }

    /// Chooses a step after which a loop can still be reached, or any step if there is none.
    fn choose_towards_loops(&self, here: BlockId, rng: &mut Rng) -> Option<BlockId> {
        let loop_exits = self.loop_exits();
        let succs = self.succs(here);
        choose_among(succs, |succ| loop_exits.is_loop_ahead(succ), rng)
            .or_else(|| choose_among(succs, |_| true, rng))
    }

    /// The first step of a shortest way to the exit.
    fn nearest(&self, here: BlockId) -> Option<BlockId> {
        self.succs(here).iter().copied().min_by_key(|succ| self.distances[succ.index()])
    }

    /// The successors that can reach the exit.
    #[inline]
    fn succs(&self, block: BlockId) -> &[BlockId] {
        let start = self.starts[block.index()] as usize;
        let end = self.starts[block.index() + 1] as usize;
        &self.targets[start..end]
    }

    fn loop_exits(&self) -> &LoopExits {
        self.loop_exits.get_or_init(|| LoopExits::new(self.cfg, &self.distances))
    }
}

/// A loop that the path is in.
struct Frame {
    this: usize,
    /// Where the loop was entered.
    anchor: BlockId,
    /// How many visits of the anchor are still to come.
    n_left: u32,
}

/// Draws one of the blocks that are accepted.
#[inline]
fn choose_among(
    blocks: &[BlockId],
    accept: impl Fn(BlockId) -> bool,
    rng: &mut Rng,
) -> Option<BlockId> {
    let mut accepted = blocks.iter().copied().filter(|&block| accept(block));
    match accepted.clone().count() {
        0 => None,
        1 => accepted.next(),
        n => accepted.nth(choose_below(n, rng)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::shape::{GraphOptions, random_cfg};
    use pathsmith_symlang::Seed;

    fn cfg(succs: &[&[usize]]) -> Cfg {
        let succs: Vec<Vec<BlockId>> =
            succs.iter().map(|list| list.iter().map(|&b| BlockId::new(b)).collect()).collect();
        Cfg::new(&succs).unwrap()
    }

    fn any_graph() -> impl Strategy<Value = Cfg> {
        let sizes = (1_u32..25, 0_u32..4, 1_u32..5);
        let shares = (0.0..=1.0_f64, 0.0..=0.5_f64, 0.0..=1.0_f64);
        (sizes, shares, any::<bool>(), any::<u64>()).prop_map(
            |((blocks, loops, loop_blocks), shares, irreducible, seed)| {
                let (branch_share, switch_share, exit_edges) = shares;
                let options = GraphOptions {
                    blocks,
                    branch_share,
                    switch_share,
                    exit_edges,
                    loops,
                    loop_blocks,
                    irreducible,
                    ..GraphOptions::default()
                };
                random_cfg(&options, &mut Seed::new(seed).rng())
            },
        )
    }

    fn any_walk() -> impl Strategy<Value = WalkOptions> {
        let mode = prop_oneof![Just(WalkMode::Uniform), Just(WalkMode::Loops)];
        let iterations = prop_oneof![
            (1_u32..9).prop_map(Iterations::Fixed),
            (1_u32..9, 0_u32..9).prop_map(|(low, n)| Iterations::Uniform { low, high: low + n }),
            (1_u32..9, 0_u32..99)
                .prop_map(|(low, n)| Iterations::LogUniform { low, high: low + n }),
            (1_u32..9).prop_map(|mean| Iterations::Geometric { mean }),
        ];
        (mode, 0_u32..400, 0_u32..400, iterations).prop_map(
            |(mode, max_len, min_len, iterations)| WalkOptions {
                mode,
                max_len,
                min_len,
                iterations,
            },
        )
    }

    proptest! {
        #[test]
        fn paths_are_paths(cfg in any_graph(), options in any_walk(), seed: u64) {
            let sampler = PathSampler::new(&cfg);
            let mut rng = Seed::new(seed).rng();
            for _ in 0..5 {
                let path = sampler.path(&options, &mut rng);
                prop_assert_eq!(path.check(&cfg), Ok(()));
                prop_assert!(path.len() <= options.max_len.max(1) as usize + cfg.n_blocks());
                if sampler.loop_exits().is_loop_ahead(cfg.entry()) {
                    prop_assert!(path.len() >= options.min_len.min(options.max_len) as usize);
                }
            }
        }

        /// The anchor is where the path comes into the loop; no other walk could be meant.
        #[test]
        fn loops_are_run_through_as_often_as_drawn(
            cfg in any_graph(),
            times in 1_u32..6,
            seed: u64,
        ) {
            let options = WalkOptions {
                mode: WalkMode::Loops,
                max_len: 5000,
                iterations: Iterations::Fixed(times),
                ..WalkOptions::default()
            };
            let sampler = PathSampler::new(&cfg);
            let path = sampler.path(&options, &mut Seed::new(seed).rng());
            if path.len() >= 5000 {
                return Ok(());
            }
            for this in 0..sampler.forest().loops().len() {
                let inside = |block: BlockId| sampler.forest().contains(this, block);
                let mut rest = path.blocks();
                while let Some(start) = rest.iter().position(|&block| inside(block)) {
                    rest = &rest[start..];
                    let end = rest.iter().position(|&block| !inside(block)).unwrap();
                    let n_visits = rest[..end].iter().filter(|&&block| block == rest[0]).count();
                    prop_assert_eq!(n_visits, times as usize);
                    rest = &rest[end..];
                }
            }
        }
    }

    #[test]
    fn a_hundred_thousand_paths() {
        let graphs = GraphOptions { loops: 1, switch_share: 0.1, ..GraphOptions::default() };
        let uniform = WalkOptions::default();
        let loops = WalkOptions { mode: WalkMode::Loops, ..WalkOptions::default() };
        for seed in 0..2000 {
            let mut rng = Seed::new(seed).rng();
            let cfg = random_cfg(&graphs, &mut rng);
            let sampler = PathSampler::new(&cfg);
            for n in 0..50 {
                let options = if n % 2 == 0 { &uniform } else { &loops };
                assert_eq!(sampler.path(options, &mut rng).check(&cfg), Ok(()), "seed {seed}");
            }
        }
    }

    #[test]
    fn iterations_of_a_simple_loop() {
        let cfg = cfg(&[&[1], &[2, 3], &[1], &[]]);
        let check = |iterations: &str, lengths: std::ops::RangeInclusive<usize>| {
            let options = WalkOptions {
                mode: WalkMode::Loops,
                max_len: 100_000,
                iterations: iterations.parse().unwrap(),
                ..WalkOptions::default()
            };
            let mut rng = Seed::new(5).rng();
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..2000 {
                let path = random_path(&cfg, &options, &mut rng);
                assert_eq!(path.check(&cfg), Ok(()));
                seen.insert(path.blocks().iter().filter(|block| block.index() == 1).count());
            }
            assert_eq!(seen.first(), Some(lengths.start()));
            assert_eq!(seen.last(), Some(lengths.end()));
        };
        check("1", 1..=1);
        check("7", 7..=7);
        check("2..10", 2..=10);
        check("log 3..12", 3..=12);
    }

    #[test]
    fn a_walk_that_has_to_be_long_finds_the_loop() {
        // Block 1 can go straight to the exit, or to the loop of 2 and 3. The loop of 5 is a trap.
        let cfg = cfg(&[&[1], &[6, 4, 5], &[3], &[2, 6], &[2], &[5], &[]]);
        for mode in [WalkMode::Uniform, WalkMode::Loops] {
            let options = WalkOptions {
                mode,
                min_len: 1000,
                max_len: 1100,
                iterations: Iterations::Fixed(2),
            };
            for seed in 0..50 {
                let path = random_path(&cfg, &options, &mut Seed::new(seed).rng());
                assert_eq!(path.check(&cfg), Ok(()));
                assert!((1000..1100).contains(&path.len()), "{}", path.len());
            }
        }
    }

    #[test]
    fn a_single_block_has_one_path() {
        let cfg = cfg(&[&[]]);
        for mode in [WalkMode::Uniform, WalkMode::Loops] {
            let options = WalkOptions { mode, min_len: 9, ..WalkOptions::default() };
            assert_eq!(random_path(&cfg, &options, &mut Seed::new(1).rng()).len(), 1);
        }
    }

    #[test]
    fn a_seed_means_one_path() {
        let cfg = cfg(&[&[1], &[2, 3], &[3, 4], &[2, 5], &[1], &[]]);
        let path = |mode| {
            let iterations = Iterations::Uniform { low: 2, high: 3 };
            let options = WalkOptions { mode, iterations, ..WalkOptions::default() };
            let path = random_path(&cfg, &options, &mut Seed::new(1).rng());
            serde_json::to_string(&path).unwrap()
        };
        // What a seed means may only change with a note in the changelog.
        assert_eq!(path(WalkMode::Uniform), "[0,1,2,3,5]");
        assert_eq!(path(WalkMode::Loops), "[0,1,2,3,2,3,2,4,1,3,2,3,2,3,5]");
    }
}

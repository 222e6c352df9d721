//! What graphs and paths are like, in numbers.

mod counts;

use std::fmt;

pub use self::counts::Counts;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, LoopForest, Path};

/// Exact statistics of many graphs and paths. They print as a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShapeStats {
    /// Blocks per graph, entry and exit included.
    pub blocks: Counts,
    /// Edges per graph.
    pub edges: Counts,
    /// Loops per graph, those inside others included.
    pub loops: Counts,
    /// How deep loops nest, per graph: 0 where there is none.
    pub nesting: Counts,
    /// How many graphs have a loop with several entries.
    pub n_irreducible: u64,
    /// Block visits per path, entry and exit included.
    pub steps: Counts,
    /// Different blocks per path.
    pub distinct: Counts,
    /// How often loops are entered, per path.
    pub loop_entries: Counts,
    /// How many paths pass through a block of a loop.
    pub n_through_loop: u64,
    /// Per entering of a loop, how often the block at which it was entered is visited until the
    /// loop is left. Loops inside others count for themselves.
    pub iterations: Counts,
    /// Visits of blocks with several successors, per path.
    pub decisions: Counts,
    /// Those at blocks that the path leaves in more than one direction, per path.
    pub two_way_decisions: Counts,
    /// How often, per path, a block is left in another direction than at its visit before.
    pub changes: Counts,
    /// The changes of direction of every block that a path leaves in more than one.
    pub changes_per_terminator: Counts,
    /// How many paths leave no block in more than one direction.
    pub n_one_way: u64,
}

impl ShapeStats {
    /// Adds a graph, whose loops are `forest`, and one path through it.
    pub fn add(&mut self, cfg: &Cfg, forest: &LoopForest, path: &Path) {
        self.add_graph(cfg, forest);
        self.add_path(cfg, forest, path);
    }

    /// Adds a graph, whose loops are `forest`.
    pub fn add_graph(&mut self, cfg: &Cfg, forest: &LoopForest) {
        self.blocks.add(cfg.n_blocks() as u64);
        self.edges.add(cfg.n_edges() as u64);
        self.loops.add(forest.loops().len() as u64);
        let nesting = forest.loops().iter().map(|found| found.depth as u64 + 1).max();
        self.nesting.add(nesting.unwrap_or(0));
        self.n_irreducible += u64::from(!forest.is_reducible());
    }

    /// Adds a path through `cfg`, whose loops are `forest`.
    ///
    /// # Panics
    /// If the path has a block that the graph does not have; see [`Path::check`].
    pub fn add_path(&mut self, cfg: &Cfg, forest: &LoopForest, path: &Path) {
        self.steps.add(path.len() as u64);
        self.add_loops(forest, path);
        self.add_decisions(cfg, path);
    }

    /// Adds all that `other` has been given.
    pub fn merge(&mut self, other: &Self) {
        for (ours, theirs) in [
            (&mut self.blocks, &other.blocks),
            (&mut self.edges, &other.edges),
            (&mut self.loops, &other.loops),
            (&mut self.nesting, &other.nesting),
            (&mut self.steps, &other.steps),
            (&mut self.distinct, &other.distinct),
            (&mut self.loop_entries, &other.loop_entries),
            (&mut self.iterations, &other.iterations),
            (&mut self.decisions, &other.decisions),
            (&mut self.two_way_decisions, &other.two_way_decisions),
            (&mut self.changes, &other.changes),
            (&mut self.changes_per_terminator, &other.changes_per_terminator),
        ] {
            ours.merge(theirs);
        }
        self.n_irreducible += other.n_irreducible;
        self.n_through_loop += other.n_through_loop;
        self.n_one_way += other.n_one_way;
    }

    /// How many graphs were added.
    pub fn n_graphs(&self) -> u64 {
        self.blocks.total()
    }

    /// How many paths were added.
    pub fn n_paths(&self) -> u64 {
        self.steps.total()
    }

    fn add_loops(&mut self, forest: &LoopForest, path: &Path) {
        let loops = forest.loops();
        // The loops around the current block, outermost first: each with the block at which it
        // was entered and how often that was visited.
        let mut inside: Vec<(usize, BlockId, u64)> = Vec::new();
        let mut n_entries = 0;
        for &block in path.blocks() {
            while let Some(&(this, _, n_visits)) = inside.last()
                && !forest.contains(this, block)
            {
                self.iterations.add(n_visits);
                inside.pop();
            }
            for (_, anchor, n_visits) in &mut inside {
                *n_visits += u64::from(*anchor == block);
            }
            let n_before = inside.len();
            let mut innermost = forest.innermost(block);
            while let Some(this) = innermost
                && loops[this].depth >= n_before
            {
                inside.insert(n_before, (this, block, 1));
                n_entries += 1;
                innermost = loops[this].parent;
            }
        }
        for (_, _, n_visits) in inside {
            self.iterations.add(n_visits);
        }
        self.loop_entries.add(n_entries);
        self.n_through_loop += u64::from(n_entries > 0);
    }

    fn add_decisions(&mut self, cfg: &Cfg, path: &Path) {
        // For each block with several successors: its visits, its changes of direction, and where
        // it led last.
        let mut n_decisions = vec![0_u64; cfg.n_blocks()];
        let mut n_changes = vec![0_u64; cfg.n_blocks()];
        let mut last = vec![None; cfg.n_blocks()];
        let mut seen = vec![false; cfg.n_blocks()];
        for &block in path.blocks() {
            seen[block.index()] = true;
        }
        for (from, to) in path.steps() {
            if cfg.succs(from).len() > 1 {
                let from = from.index();
                n_decisions[from] += 1;
                n_changes[from] += u64::from(last[from].is_some_and(|last| last != to));
                last[from] = Some(to);
            }
        }
        let mut n_two_way = 0;
        for (&n_decisions, &n_changes) in n_decisions.iter().zip(&n_changes) {
            if n_changes > 0 {
                n_two_way += n_decisions;
                self.changes_per_terminator.add(n_changes);
            }
        }
        self.distinct.add(seen.iter().filter(|&&seen| seen).count() as u64);
        self.decisions.add(n_decisions.iter().sum());
        self.two_way_decisions.add(n_two_way);
        self.changes.add(n_changes.iter().sum());
        self.n_one_way += u64::from(n_two_way == 0);
    }

    /// How many loop entries had how many iterations, in ranges 1, 2, 3 to 4, 5 to 8 and so on up
    /// to 1000, and above; the last range is open.
    pub fn iteration_histogram(&self) -> Vec<(u64, Option<u64>, u64)> {
        let mut histogram = vec![(1, Some(1), self.iterations.within(1..=1))];
        let mut low = 2;
        while low <= 1000 {
            let high = ((low - 1) * 2).min(1000);
            histogram.push((low, Some(high), self.iterations.within(low..=high)));
            low = high + 1;
        }
        histogram.push((low, None, self.iterations.within(low..)));
        histogram
    }
}

impl fmt::Display for ShapeStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = |f: &mut fmt::Formatter<'_>, title: &str| {
            let names = ["mean", "median", "p90", "p99", "max"];
            write!(f, "{title:<30}")?;
            names.iter().try_for_each(|name| write!(f, " {name:>9}"))?;
            writeln!(f)
        };
        let row = |f: &mut fmt::Formatter<'_>, title: &str, counts: &Counts| {
            write!(f, "  {title:<28} {:>9.2}", counts.mean())?;
            for number in [50, 90, 99].map(|percent| counts.percentile(percent)) {
                write!(f, " {number:>9}")?;
            }
            writeln!(f, " {:>9}", counts.max())
        };
        let share = |f: &mut fmt::Formatter<'_>, title: &str, part: u64, whole: u64| {
            writeln!(f, "  {title:<28} {:>8.1}%", percent(part, whole))
        };

        head(f, &format!("graphs: {}", self.n_graphs()))?;
        row(f, "blocks", &self.blocks)?;
        row(f, "edges", &self.edges)?;
        row(f, "loops", &self.loops)?;
        row(f, "loop nesting", &self.nesting)?;
        share(f, "irreducible", self.n_irreducible, self.n_graphs())?;

        head(f, &format!("paths: {}", self.n_paths()))?;
        row(f, "steps", &self.steps)?;
        row(f, "distinct blocks", &self.distinct)?;
        row(f, "loop entries", &self.loop_entries)?;
        row(f, "decisions", &self.decisions)?;
        row(f, "  where both ways are taken", &self.two_way_decisions)?;
        row(f, "changes of direction", &self.changes)?;
        share(f, "through a loop", self.n_through_loop, self.n_paths())?;
        share(f, "no block left two ways", self.n_one_way, self.n_paths())?;

        let terminators = &self.changes_per_terminator;
        head(f, &format!("blocks left two ways: {}", terminators.total()))?;
        row(f, "changes of direction", terminators)?;
        share(f, "exactly one change", terminators.within(1..=1), terminators.total())?;

        head(f, &format!("loop entries: {}", self.iterations.total()))?;
        row(f, "iterations", &self.iterations)?;
        for (low, high, times) in self.iteration_histogram() {
            let range = match high {
                Some(high) if high == low => format!("{low}"),
                Some(high) => format!("{low}-{high}"),
                None => format!(">{}", low - 1),
            };
            share(f, &format!("  {range}"), times, self.iterations.total())?;
        }
        Ok(())
    }
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{GraphOptions, PathSampler, WalkOptions, random_cfg};
    use pathsmith_symlang::Seed;

    fn blocks(list: &[usize]) -> Vec<BlockId> {
        list.iter().map(|&block| BlockId::new(block)).collect()
    }

    /// An outer loop of 1 to 4 around an inner one of 2 and 3, run through by hand.
    fn nest() -> ShapeStats {
        let succs = [&[1][..], &[2, 5], &[3], &[2, 4], &[1], &[]];
        let cfg = Cfg::new(&succs.map(blocks)).unwrap();
        let forest = LoopForest::new(&cfg);
        let path = Path::new(blocks(&[0, 1, 2, 3, 2, 3, 2, 3, 4, 1, 2, 3, 4, 1, 5]));
        assert_eq!(path.check(&cfg), Ok(()));
        let mut stats = ShapeStats::default();
        stats.add(&cfg, &forest, &path);
        stats.add_path(&cfg, &forest, &Path::new(blocks(&[0, 1, 5])));
        stats
    }

    #[test]
    fn counts_a_nest_by_hand() {
        let stats = nest();
        assert_eq!((stats.n_graphs(), stats.n_paths()), (1, 2));
        assert_eq!((stats.loops.max(), stats.nesting.max(), stats.n_irreducible), (2, 2, 0));
        assert_eq!(stats.steps.iter().collect::<Vec<_>>(), [(3, 1), (15, 1)]);
        assert_eq!(stats.distinct.iter().collect::<Vec<_>>(), [(3, 1), (6, 1)]);
        // The outer loop is entered by both paths, the inner one twice by the first.
        assert_eq!(stats.loop_entries.iter().collect::<Vec<_>>(), [(1, 1), (3, 1)]);
        assert_eq!(stats.iterations.iter().collect::<Vec<_>>(), [(1, 2), (3, 2)]);
        assert_eq!(stats.n_through_loop, 2);
        // Block 1 goes in, in, out; block 3 goes round, round, on, on.
        assert_eq!(stats.decisions.iter().collect::<Vec<_>>(), [(1, 1), (7, 1)]);
        assert_eq!(stats.two_way_decisions.iter().collect::<Vec<_>>(), [(0, 1), (7, 1)]);
        assert_eq!(stats.changes.iter().collect::<Vec<_>>(), [(0, 1), (2, 1)]);
        assert_eq!(stats.changes_per_terminator.iter().collect::<Vec<_>>(), [(1, 2)]);
        assert_eq!(stats.n_one_way, 1);
    }

    /// What the documentation of the default options says, give or take.
    #[test]
    fn default_options_give_the_usual_paths() {
        let mut stats = ShapeStats::default();
        for seed in 0..5000 {
            let mut rng = Seed::new(seed).rng();
            let cfg = random_cfg(&GraphOptions::default(), &mut rng);
            let sampler = PathSampler::new(&cfg);
            let path = sampler.path(&WalkOptions::default(), &mut rng);
            stats.add(&cfg, sampler.forest(), &path);
        }
        assert!((12.0..15.0).contains(&stats.steps.mean()), "{stats}");
        assert!((6..=8).contains(&stats.steps.percentile(50)), "{stats}");
        assert!((24..=30).contains(&stats.steps.percentile(90)), "{stats}");
        assert!((85..=120).contains(&stats.steps.percentile(99)), "{stats}");
    }

    #[test]
    fn histogram_has_the_ranges_it_promises() {
        let mut stats = ShapeStats::default();
        for n in 1..=1100 {
            stats.iterations.add(n);
        }
        let ends: Vec<Option<u64>> =
            stats.iteration_histogram().iter().map(|&(_, high, _)| high).collect();
        let expected = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000];
        assert_eq!(ends[..ends.len() - 1], expected.map(Some));
        assert_eq!(stats.iteration_histogram()[10], (513, Some(1000), 488));
        assert_eq!(stats.iteration_histogram()[11], (1001, None, 100));
    }

    #[test]
    fn merging_is_adding() {
        let mut twice = nest();
        twice.merge(&nest());
        assert_eq!(twice.n_paths(), 4);
        assert_eq!(twice.n_one_way, 2);
        assert_eq!(twice.steps.mean(), nest().steps.mean());
    }

    #[test]
    fn prints_a_table() {
        insta::assert_snapshot!(nest(), @"
        graphs: 1                           mean    median       p90       p99       max
          blocks                            6.00         6         6         6         6
          edges                             7.00         7         7         7         7
          loops                             2.00         2         2         2         2
          loop nesting                      2.00         2         2         2         2
          irreducible                       0.0%
        paths: 2                            mean    median       p90       p99       max
          steps                             9.00         3        15        15        15
          distinct blocks                   4.50         3         6         6         6
          loop entries                      2.00         1         3         3         3
          decisions                         4.00         1         7         7         7
            where both ways are taken       3.50         0         7         7         7
          changes of direction              1.00         0         2         2         2
          through a loop                  100.0%
          no block left two ways           50.0%
        blocks left two ways: 2             mean    median       p90       p99       max
          changes of direction              1.00         1         1         1         1
          exactly one change              100.0%
        loop entries: 4                     mean    median       p90       p99       max
          iterations                        2.00         1         3         3         3
            1                              50.0%
            2                               0.0%
            3-4                            50.0%
            5-8                             0.0%
            9-16                            0.0%
            17-32                           0.0%
            33-64                           0.0%
            65-128                          0.0%
            129-256                         0.0%
            257-512                         0.0%
            513-1000                        0.0%
            >1000                           0.0%
        ");
    }

    #[test]
    fn prints_nothing_added() {
        assert!(ShapeStats::default().to_string().starts_with("graphs: 0 "));
    }
}

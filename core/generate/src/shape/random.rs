//! Random graphs.

mod options;
mod reduce;

pub use self::options::{GraphOptions, OptionsError};
use self::options::{MAX_NESTING, MAX_SWITCH_WIDTH};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::graph::Cfg;

/// Draws a graph.
///
/// Block 0 is the entry and leads to one of the blocks after it; the last block is the exit. The
/// blocks in between get one, two or more successors among themselves, then some that can be
/// reached are connected to the exit. Nothing else is asked of the edges: there are loops with
/// several entries (unless `irreducible` is off), blocks that cannot be reached, and regions
/// without a way out.
///
/// The entry gets an edge to the exit as often as others do, but is never the only one: then there
/// would be no other path.
///
/// Loops go where a block with one successor was, the whole loop at its place in the numbering:
/// the header first, the latch last. Blocks on some way from the entry to the exit are replaced
/// before others, and where too few of them have one successor, some lose the others.
///
/// The graph has [`total_blocks`](GraphOptions::total_blocks) blocks. Options that do not
/// [`validate`](GraphOptions::validate) give some graph or other.
pub fn random_cfg(options: &GraphOptions, rng: &mut Rng) -> Cfg {
    let loops_of = choose_nesting(options, rng);
    let succs = build(options, &loops_of, 0, rng);
    let succs: Vec<Vec<BlockId>> =
        succs.into_iter().map(|list| list.into_iter().map(BlockId::new).collect()).collect();
    Cfg::new(&succs).expect("random graphs keep the rules by construction")
}

/// For every graph, the loops that are put into it: their numbers are those of their own graphs.
/// Graph 0 is the whole.
type LoopNesting = Vec<Vec<usize>>;

/// Decides which loop goes into which graph.
fn choose_nesting(options: &GraphOptions, rng: &mut Rng) -> LoopNesting {
    let nesting = options.nesting.min(MAX_NESTING);
    let mut loops_of = vec![Vec::new()];
    if options.loops == 0 || nesting == 0 {
        return loops_of;
    }
    // Every block that can still be replaced, as its graph and how many loops are around it.
    let mut sites = vec![(0, 0); options.blocks.max(1) as usize];
    for _ in 0..options.loops {
        if sites.is_empty() {
            break;
        }
        let (graph, depth) = sites.swap_remove(choose_below(sites.len(), rng));
        let this = loops_of.len();
        loops_of.push(Vec::new());
        loops_of[graph].push(this);
        if depth + 1 < nesting {
            sites.resize(sites.len() + options.loop_blocks.max(1) as usize, (this, depth + 1));
        }
    }
    loops_of
}

/// Draws graph `this` of the nesting, with all loops inside it.
fn build(
    options: &GraphOptions,
    loops_of: &LoopNesting,
    this: usize,
    rng: &mut Rng,
) -> Vec<Vec<usize>> {
    let n_blocks = if this == 0 { options.blocks } else { options.loop_blocks };
    let mut succs = choose_graph(options, n_blocks.max(1) as usize, rng);
    if loops_of[this].is_empty() {
        return succs;
    }
    let hosts = choose_hosts(&mut succs, loops_of[this].len(), rng);
    let mut loops: Vec<Option<Vec<Vec<usize>>>> = vec![None; succs.len()];
    for (host, &inner) in hosts.into_iter().zip(&loops_of[this]) {
        loops[host] = Some(build(options, loops_of, inner, rng));
    }
    splice(succs, loops, rng)
}

/// Draws one graph without loops put into it: an entry, `n` blocks and an exit.
fn choose_graph(options: &GraphOptions, n: usize, rng: &mut Rng) -> Vec<Vec<usize>> {
    let mut succs = vec![Vec::new(); n + 2];
    let mut widths = vec![2; n + 2];
    succs[0].push(1 + choose_below(n, rng));
    for block in 1..=n {
        let degree = if choose_bool(options.switch_share, rng) {
            let width = options.switch_width.clamp(3, MAX_SWITCH_WIDTH) as usize;
            widths[block] = width;
            3 + choose_below(width - 2, rng)
        // What is left after switches is divided between branches and the rest.
        } else if choose_bool(options.branch_share / (1.0 - options.switch_share), rng) {
            2
        } else {
            1
        };
        succs[block] = choose_targets(degree.min(n), n, rng);
        turn_forward(&mut succs[block], block, n, options.forward, rng);
    }
    if !options.irreducible {
        reduce::make_reducible(&mut succs, rng);
    }
    connect_exit(options, &mut succs, &widths, rng);
    succs
}

/// Draws `degree` different blocks among 1 to `n`, in any order.
fn choose_targets(degree: usize, n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut targets = Vec::with_capacity(degree);
    if degree * 2 > n {
        let mut rest: Vec<usize> = (1..=n).collect();
        for _ in 0..degree {
            targets.push(rest.swap_remove(choose_below(rest.len(), rng)));
        }
    } else {
        while targets.len() < degree {
            let target = 1 + choose_below(n, rng);
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
    }
    targets
}

/// Exchanges some of the targets of `block` for later blocks, as far as there are any left.
fn turn_forward(targets: &mut Vec<usize>, block: usize, n: usize, share: f64, rng: &mut Rng) {
    if share == 0.0 {
        return;
    }
    for i in (0..targets.len()).rev() {
        if targets[i] > block || !choose_bool(share, rng) {
            continue;
        }
        let later: Vec<usize> = (block + 1..=n).filter(|to| !targets.contains(to)).collect();
        match later.len() {
            0 => drop(targets.remove(i)),
            n_later => targets[i] = later[choose_below(n_later, rng)],
        }
    }
}

/// Connects blocks to the exit, which is the last one.
fn connect_exit(options: &GraphOptions, succs: &mut [Vec<usize>], widths: &[usize], rng: &mut Rng) {
    let exit = succs.len() - 1;
    for list in succs[..exit].iter_mut().filter(|list| list.is_empty()) {
        list.push(exit);
    }
    let reachable = reachable(succs);
    // Never empty, as the entry leads somewhere.
    let blocks: Vec<usize> = (1..exit).filter(|&block| reachable[block]).collect();
    let (connected, mut open): (Vec<usize>, Vec<usize>) =
        blocks.iter().copied().partition(|&block| succs[block].contains(&exit));
    open.retain(|&block| succs[block].len() < widths[block]);

    let share = options.exit_edges.clamp(0.0, 1.0);
    let wanted = share * blocks.len() as f64;
    let wanted = wanted as usize + usize::from(choose_bool(wanted.fract(), rng));
    if connected.is_empty() && open.is_empty() {
        let block = blocks[choose_below(blocks.len(), rng)];
        let place = choose_below(succs[block].len(), rng);
        succs[block][place] = exit;
    }
    let mut chosen = Vec::new();
    for _ in connected.len()..wanted.max(1) {
        if !open.is_empty() {
            chosen.push(open.swap_remove(choose_below(open.len(), rng)));
        }
    }
    if choose_bool(share, rng) {
        chosen.push(0);
    }
    for block in chosen {
        let place = choose_below(succs[block].len() + 1, rng);
        succs[block].insert(place, exit);
    }
}

fn reachable(succs: &[Vec<usize>]) -> Vec<bool> {
    let mut seen = vec![false; succs.len()];
    seen[0] = true;
    let mut stack = vec![0];
    while let Some(block) = stack.pop() {
        for &succ in &succs[block] {
            if !seen[succ] {
                seen[succ] = true;
                stack.push(succ);
            }
        }
    }
    seen
}

/// For every block, the length of the shortest way to the last one.
fn distances(succs: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut preds = vec![Vec::new(); succs.len()];
    for (block, list) in succs.iter().enumerate() {
        for &succ in list {
            preds[succ].push(block);
        }
    }
    let mut distances = vec![None; succs.len()];
    let mut level = vec![succs.len() - 1];
    for distance in 0.. {
        let mut next = Vec::new();
        for block in level {
            if distances[block].is_none() {
                distances[block] = Some(distance);
                next.extend_from_slice(&preds[block]);
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    distances
}

/// Draws `n` blocks to be replaced by loops, and leaves each of them one successor.
fn choose_hosts(succs: &mut [Vec<usize>], n: usize, rng: &mut Rng) -> Vec<usize> {
    let exit = succs.len() - 1;
    let reachable = reachable(succs);
    let distances = distances(succs);
    let mut hosts: Vec<usize> = Vec::with_capacity(exit - 1);
    for block in 1..exit {
        hosts.push(block);
        let place = choose_below(hosts.len(), rng);
        hosts.swap(block - 1, place);
    }
    let on_the_way = |block: usize| reachable[block] && distances[block].is_some();
    hosts.sort_by_key(|&block| (!on_the_way(block), succs[block].len() > 1));
    hosts.truncate(n);
    for &host in &hosts {
        // All distances stay as they are when a block keeps its successor next to the exit, so the
        // exit can still be reached.
        let nearest = succs[host].iter().copied().min_by_key(|&succ| {
            let distance = distances[succ];
            (distance.is_none(), distance)
        });
        succs[host] = nearest.into_iter().collect();
    }
    hosts
}

/// Replaces every block that has a loop by it.
fn splice(
    succs: Vec<Vec<usize>>,
    loops: Vec<Option<Vec<Vec<usize>>>>,
    rng: &mut Rng,
) -> Vec<Vec<usize>> {
    let mut places = Vec::with_capacity(succs.len());
    let mut n_blocks = 0;
    for inner in &loops {
        places.push(n_blocks);
        n_blocks += inner.as_ref().map_or(1, Vec::len);
    }
    let mut spliced = Vec::with_capacity(n_blocks);
    for ((list, inner), &place) in succs.into_iter().zip(loops).zip(&places) {
        let mut list: Vec<usize> = list.into_iter().map(|succ| places[succ]).collect();
        if let Some(inner) = inner {
            for body in &inner[..inner.len() - 1] {
                spliced.push(body.iter().map(|&succ| place + succ).collect());
            }
            // The latch: back to the header, or on to where the replaced block led.
            if !list.contains(&place) {
                list.insert(choose_below(list.len() + 1, rng), place);
            }
        }
        spliced.push(list);
    }
    spliced
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::graph::LoopForest;

    /// Options over wide ranges, all valid.
    fn any_options() -> impl Strategy<Value = GraphOptions> {
        let sizes = (1_u32..40, 0_u32..6, 1_u32..6, 1_u32..4, 3_u32..12);
        let shares = (0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64, 0.0..=1.0_f64);
        (sizes, shares, any::<bool>()).prop_map(|(sizes, shares, irreducible)| {
            let (blocks, loops, loop_blocks, nesting, switch_width) = sizes;
            let (branch_share, switch_share, exit_edges, forward) = shares;
            let mut options = GraphOptions {
                blocks,
                branch_share: branch_share * (1.0 - switch_share),
                switch_share,
                switch_width,
                exit_edges,
                forward,
                loops,
                loop_blocks,
                nesting,
                irreducible,
            };
            options.loops = u64::from(loops).min(options.room_for_loops()) as u32;
            options
        })
    }

    proptest! {
        #[test]
        fn graphs_are_what_the_options_say(options in any_options(), seed: u64) {
            prop_assert_eq!(options.validate(), Ok(()));
            let cfg = random_cfg(&options, &mut Seed::new(seed).rng());
            prop_assert_eq!(cfg.n_blocks() as u64, options.total_blocks());
            prop_assert_eq!(cfg.exit().index(), cfg.n_blocks() - 1);
            let widest = if options.switch_share > 0.0 { options.switch_width as usize } else { 2 };
            for block in cfg.blocks().filter(|&block| block != cfg.exit()) {
                prop_assert!((1..=widest).contains(&cfg.succs(block).len()));
            }
            // There is a path that leaves the entry for something other than the exit.
            let distance = cfg.distance_to_exit();
            let mut firsts = cfg.succs(cfg.entry()).iter().filter(|&&succ| succ != cfg.exit());
            prop_assert!(firsts.any(|succ| distance[succ.index()].is_some()));
            if !options.irreducible {
                prop_assert!(LoopForest::new(&cfg).is_reducible());
            }
        }

        #[test]
        fn nonsense_gives_a_graph_too(
            blocks in 0_u32..9,
            shares in any::<(f64, f64, f64, f64)>(),
            loops in 0_u32..30,
            loop_blocks in 0_u32..4,
            switch_width: u32,
            nesting: u32,
            seed: u64,
        ) {
            let (branch_share, switch_share, exit_edges, forward) = shares;
            let options = GraphOptions {
                blocks, branch_share, switch_share, switch_width, exit_edges, forward, loops,
                loop_blocks, nesting, irreducible: seed % 2 == 0,
            };
            random_cfg(&options, &mut Seed::new(seed).rng());
        }
    }

    #[test]
    fn all_edges_lead_on_where_that_is_asked_for() {
        let options = GraphOptions { forward: 1.0, ..GraphOptions::default() };
        for seed in 0..100 {
            let cfg = random_cfg(&options, &mut Seed::new(seed).rng());
            assert!(cfg.edges().all(|(from, to)| from < to), "{cfg:?}");
        }
    }

    #[test]
    fn a_seed_means_one_graph() {
        let graph = |options: &GraphOptions| {
            let cfg = random_cfg(options, &mut Seed::new(1).child("graph").rng());
            serde_json::to_string(&cfg).unwrap()
        };
        // What a seed means may only change with a note in the changelog.
        let options = GraphOptions { blocks: 6, ..GraphOptions::default() };
        assert_eq!(graph(&options), "[[3],[7,5],[1,5],[4,3],[2,4],[7,6],[5,1],[]]");
        let options = GraphOptions { loops: 2, loop_blocks: 2, irreducible: false, ..options };
        assert_eq!(
            graph(&options),
            "[[9,13],[3,1],[5,1],[13,5],[4,5],[6],[6,8],[7,6],[3,5],[10],[12,10],[10],[5,9],[]]"
        );
    }

    #[test]
    fn inserted_loops_are_there_and_nest() {
        let options = GraphOptions {
            blocks: 4,
            loops: 6,
            loop_blocks: 2,
            nesting: 3,
            irreducible: false,
            ..GraphOptions::default()
        };
        let mut deepest = 0;
        for seed in 0..100 {
            let cfg = random_cfg(&options, &mut Seed::new(seed).rng());
            let forest = LoopForest::new(&cfg);
            assert!(forest.loops().len() >= 6);
            deepest = forest.loops().iter().map(|l| l.depth).max().max(Some(deepest)).unwrap();
        }
        assert!(deepest >= 2);
    }

    #[test]
    fn shares_are_kept_on_average() {
        let options = GraphOptions {
            blocks: 1000,
            branch_share: 0.5,
            switch_share: 0.2,
            exit_edges: 0.1,
            ..GraphOptions::default()
        };
        let cfg = random_cfg(&options, &mut Seed::new(3).rng());
        let reachable = cfg.reachable_from_entry();
        let count = |degree: std::ops::RangeInclusive<usize>| {
            cfg.blocks().filter(|&block| degree.contains(&cfg.succs(block).len())).count()
        };
        assert!((150..250).contains(&count(3..=5)), "{}", count(3..=5));
        let n_reachable = cfg.blocks().filter(|block| reachable[block.index()]).count() as f64;
        let n_exits = cfg.edges().filter(|&(_, to)| to == cfg.exit()).count() as f64;
        assert!((0.09..0.11).contains(&(n_exits / n_reachable)), "{n_exits} {n_reachable}");
    }
}

//! Graphs of all kinds, walked along long paths: every one translates, and runs right.

mod support;

use std::fmt::Write;

use pathsmith_backend_wasm::{Conditions, Control, DIALECT, FunctionOptions, WasmOptions};
use pathsmith_generate::shape::{GraphOptions, PathSampler, WalkOptions, random_cfg};
use pathsmith_symlang::graph::{Cfg, LoopForest, MAX_BLOCKS, Path};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Ending, Program, Realization};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{BlockId, FuncId, Seed};

/// A function with this graph that reads from an array where to go next, and returns a number
/// that depends on all the blocks it came through, and on their order.
fn walked(cfg: &Cfg, path: &Path) -> Program {
    let blocks = path.blocks();
    let turn = |step: &[BlockId]| {
        cfg.succs(step[0]).iter().position(|succ| *succ == step[1]).unwrap_or(0).to_string()
    };
    let turns: Vec<String> = blocks.windows(2).map(turn).collect();
    // The exit reads nothing, but a function of one block has to have an array too.
    let turns = if turns.is_empty() { "0".to_owned() } else { turns.join(", ") };
    let mut text = String::from("dialect wasm; fn f() -> u64 { var h: u64 = 1; var n: i32 = -1;\n");
    let _ = writeln!(text, "var turns: [u16; {}] = [{turns}];", (blocks.len() - 1).max(1));
    for block in cfg.blocks() {
        let name = |block: &BlockId| format!("b{}", block.index());
        let _ = write!(text, "{}: h = h * 31u64 + {}u64; n = n + 1; ", name(&block), block.index());
        let _ = match cfg.succs(block) {
            [] => writeln!(text, "return h;"),
            [only] => writeln!(text, "goto {};", name(only)),
            [first, second] => {
                writeln!(text, "if turns[n] == 0u32 goto {} else {};", name(first), name(second))
            }
            [cases @ .., last] => {
                let cases = cases.iter().enumerate();
                let cases: String =
                    cases.map(|(at, to)| format!("{at} -> {}, ", name(to))).collect();
                writeln!(text, "switch turns[n] {{ {cases}else -> {} }};", name(last))
            }
        };
    }
    text.push('}');
    let mut program = parse("walked", &text).unwrap_or_else(|error| panic!("{error:?}"));
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, DIALECT);
    let limits = Limits { steps: path.len() as u64, ..Limits::default() };
    let Outcome::Returned(output) = machine.run(FuncId::FIRST, &[], limits) else {
        panic!("the interpreter takes another path");
    };
    assert_eq!(machine.path(), path.blocks());
    let realization = Realization {
        args: Vec::new(),
        path: path.clone(),
        ending: Ending::Returns(output),
        leaving: None,
    };
    program.functions[0].realizations = vec![realization];
    program
}

fn options(control: Control, conditions: Conditions, max_table: u32) -> WasmOptions {
    let function = FunctionOptions { control, conditions, max_table, ..FunctionOptions::default() };
    WasmOptions { functions: vec![function], ..WasmOptions::default() }
}

/// Walks through graphs, and returns how many were irreducible.
fn check_graphs(graph: &GraphOptions, seeds: std::ops::Range<u64>) -> usize {
    let engine = support::engine();
    let mut n_irreducible = 0;
    for seed in seeds {
        let mut rng = Seed::new(seed).child("graphs").rng();
        let graph = GraphOptions { blocks: 2 + (seed % 30) as u32, ..graph.clone() };
        let cfg = random_cfg(&graph, &mut rng);
        let walk = WalkOptions { min_len: 100, max_len: 1000, ..WalkOptions::default() };
        let program = walked(&cfg, &PathSampler::new(&cfg).path(&walk, &mut rng));
        let is_reducible = LoopForest::new(&cfg).is_reducible();
        n_irreducible += usize::from(!is_reducible);
        for conditions in [Conditions::If, Conditions::BrIf] {
            let options = options(Control::Structured, conditions, 0);
            let module = support::lower(&program, &options);
            assert_eq!(module.n_dispatchers == 0, is_reducible, "seed {seed}");
            if is_reducible && graph.switch_share == 0.0 {
                // What selects is a table, and there are no others.
                let wat = module.wat().expect("a module");
                assert!(!wat.contains("br_table"), "seed {seed}");
            }
        }
        for (control, conditions) in LOWERINGS {
            support::check(&engine, &program, &options(control, conditions, 64));
        }
        let dispatch = options(Control::Dispatch, Conditions::If, 64);
        assert_eq!(support::lower(&program, &dispatch).n_dispatchers, 1);
        let split = support::lower(&program, &options(Control::Split, Conditions::If, 64));
        assert!(split.n_dispatchers == 0 || !is_reducible);
    }
    n_irreducible
}

#[test]
fn any_graphs() {
    let n_irreducible = check_graphs(&GraphOptions::default(), 0..1250);
    assert!(n_irreducible >= 500, "{n_irreducible}");
}

#[test]
fn graphs_with_switches() {
    let graph = GraphOptions { switch_share: 0.4, ..GraphOptions::default() };
    let n_irreducible = check_graphs(&graph, 1000..1200);
    assert!(n_irreducible >= 100, "{n_irreducible}");
}

#[test]
fn reducible_graphs() {
    let graph = GraphOptions { irreducible: false, loops: 2, ..GraphOptions::default() };
    assert_eq!(check_graphs(&graph, 2000..2200), 0);
}

fn cfg(succs: impl IntoIterator<Item = Vec<usize>>) -> Cfg {
    let succs = succs.into_iter().map(|list| list.into_iter().map(BlockId::new).collect());
    Cfg::new(&succs.collect::<Vec<Vec<BlockId>>>()).expect("a graph")
}

/// Chains that nest, loops in loops, loops with two entries, each with so many blocks.
fn regular_graphs(n_blocks: usize) -> [Cfg; 5] {
    let next = |at: usize| if at + 1 < n_blocks { vec![at + 1] } else { vec![] };
    let is_last = |at: usize| at + 3 >= n_blocks;
    [
        cfg((0..n_blocks).map(next)),
        cfg((0..n_blocks).map(|at| if is_last(at) { next(at) } else { vec![at + 1, n_blocks - 1] })),
        cfg((0..n_blocks).map(|at| match at {
            _ if at < n_blocks / 2 || is_last(at) => next(at),
            // Back to the block that is as far from the middle.
            _ => vec![at + 1, n_blocks - at],
        })),
        cfg((0..n_blocks).map(|at| match at % 3 {
            _ if is_last(at) => next(at),
            0 => vec![at + 1, at + 2],
            1 => vec![at + 2],
            _ => vec![at + 1],
        })),
        cfg((0..n_blocks).map(|at| match at % 3 {
            _ if is_last(at) => next(at),
            0 => vec![at + 1, at + 2],
            1 => vec![at + 2],
            _ => vec![at - 1, at + 1],
        })),
    ]
}

const LOWERINGS: [(Control, Conditions); 5] = [
    (Control::Structured, Conditions::If),
    (Control::Structured, Conditions::BrIf),
    (Control::Split, Conditions::If),
    (Control::Split, Conditions::BrIf),
    (Control::Dispatch, Conditions::If),
];

#[test]
fn deep_graphs() {
    let engine = support::engine();
    let mut rng = Seed::new(1).child("deep").rng();
    for cfg in regular_graphs(1500) {
        let walk = WalkOptions { max_len: 10_000, ..WalkOptions::default() };
        let program = walked(&cfg, &PathSampler::new(&cfg).path(&walk, &mut rng));
        for (control, conditions) in LOWERINGS {
            support::check(&engine, &program, &options(control, conditions, 64));
        }
    }
}

/// The largest graphs there are become valid modules too, within the call stack of a test.
#[test]
fn large_graphs() {
    let n_blocks = MAX_BLOCKS as usize;
    for (at, cfg) in regular_graphs(n_blocks).into_iter().enumerate() {
        // Finding loops in loops takes time that grows with the square.
        let cfg = if at == 2 { regular_graphs(n_blocks / 4)[2].clone() } else { cfg };
        let mut path = vec![cfg.entry()];
        let distance = cfg.distance_to_exit();
        while let Some(next) = path.last().and_then(|last| {
            cfg.succs(*last).iter().copied().min_by_key(|succ| distance[succ.index()])
        }) {
            path.push(next);
        }
        let program = walked(&cfg, &Path::new(path));
        for (control, conditions) in LOWERINGS {
            support::lower(&program, &options(control, conditions, 64));
        }
    }
}

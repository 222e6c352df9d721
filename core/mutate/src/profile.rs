//! Value profiles: the states that a program was seen in.
//!
//! For every program point, a profile holds every distinct state of the variables in scope, over all
//! visits in all runs of all realizations. A point is a position in a block: before statement `n`, or
//! before the terminator. The interpreter shows states at the entry of blocks only, so the profile is
//! taken of a program in which every statement has a block of its own.

use std::collections::BTreeSet;

use pathsmith_symlang::lang::{
    Block, Function, GlobalLayout, Layout, Program, RecursionGuard, Scalar, Term, VarRef,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Visit};
use pathsmith_symlang::{BlockId, FuncId};

/// So many words are kept for one point. A guess: a loop of a thousand iterations with twenty
/// variables, in twenty-five runs. What exceeds it is not used.
const MAX_WORDS: usize = 1 << 19;

/// So many words are kept for all points together: 32 MB. A guess: a hundred times what generated
/// functions take. Points that exceed it are not used either.
const MAX_TOTAL_WORDS: usize = 1 << 22;

/// A position in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The function.
    pub function: FuncId,
    /// The block.
    pub block: BlockId,
    /// Before which statement; behind the last one, before the terminator.
    pub at: usize,
}

/// The states that a program was seen in.
#[derive(Clone, Debug)]
pub struct ValueProfile {
    functions: Vec<FunctionProfile>,
}

#[derive(Clone, Debug)]
struct FunctionProfile {
    layout: Layout,
    /// By block, then by position.
    points: Vec<Vec<States>>,
}

/// The distinct states at one point, in ascending order. A state has the words of the function's
/// cells, then those of the globals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States {
    width: usize,
    words: Vec<i64>,
    is_cut: bool,
}

impl States {
    /// The states, if all of them are known.
    pub fn all(&self) -> Option<impl ExactSizeIterator<Item = &[i64]> + Clone> {
        (!self.is_cut).then(|| self.words.chunks_exact(self.width.max(1)))
    }

    /// How many there are, if all of them are known.
    pub fn len(&self) -> Option<usize> {
        self.all().map(|states| states.len())
    }

    /// Whether the point was never reached.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// Adds a state, which is one of `n_kept` words of all points.
    fn note(&mut self, visit: &Visit<'_>, n_kept: &mut usize) {
        if self.is_cut {
            return;
        }
        let n_before = self.words.len();
        self.words.extend_from_slice(visit.cells);
        self.words.extend_from_slice(visit.globals);
        // A state of no variables is one as well.
        if self.width == 0 {
            self.words.push(0);
        }
        *n_kept += self.words.len() - n_before;
        if self.words.len() > MAX_WORDS || *n_kept > MAX_TOTAL_WORDS {
            *n_kept -= self.words.len();
            (self.is_cut, self.words) = (true, Vec::new());
        }
    }

    fn sort(&mut self) {
        let width = self.width.max(1);
        let mut states: Vec<&[i64]> = self.words.chunks_exact(width).collect();
        states.sort_unstable();
        states.dedup();
        self.words = states.concat();
    }
}

impl ValueProfile {
    /// Runs all realizations of a valid program, which has a dialect and in which they hold.
    pub fn new(program: &Program, limits: Limits) -> Self {
        let globals = GlobalLayout::new(program);
        let mut functions: Vec<FunctionProfile> = Vec::with_capacity(program.functions.len());
        let mut split = program.clone();
        let mut points: Vec<Vec<(BlockId, usize)>> = Vec::with_capacity(program.functions.len());
        let mut longest = 0;
        for function in &mut split.functions {
            let layout = Layout::with_globals(globals.clone(), function);
            let width = layout.n_cells() + layout.n_global_cells();
            let states = States { width, ..States::default() };
            let of_block = |block: &Block| vec![states.clone(); block.stmts.len() + 1];
            functions.push(FunctionProfile {
                points: function.blocks.iter().map(of_block).collect(),
                layout,
            });
            longest =
                function.blocks.iter().map(|b| b.stmts.len() + 1).max().unwrap_or(0).max(longest);
            points.push(split_everywhere(function));
        }
        let Some(dialect) = program.dialect else { return Self { functions } };
        let limits = Limits { steps: limits.steps.saturating_mul(longest as u64), ..limits };
        let code = Code::new(&split);
        let mut machine = Machine::new(&code, dialect);
        let guard_of = |(id, _)| RecursionGuard::of(program, id);
        let guards: Vec<_> = program.functions_with_ids().map(guard_of).collect();
        let mut runs: Vec<(FuncId, Vec<Scalar>)> = Vec::new();
        for (id, function) in program.functions_with_ids() {
            runs.extend(function.realizations.iter().map(|known| (id, known.args.clone())));
        }
        let words = |args: &[Scalar]| -> Vec<i64> { args.iter().map(|arg| arg.word()).collect() };
        let mut known: BTreeSet<(FuncId, Vec<i64>)> =
            runs.iter().map(|(id, args)| (*id, words(args))).collect();
        let mut n_kept = 0;
        // What a guard does not pass on has to return the same as what it does, so it is run as well.
        let mut next = 0;
        while let Some((id, args)) = runs.get(next).cloned() {
            next += 1;
            let mut note = |visit: &Visit<'_>| {
                let (block, at) = points[visit.function.index()][visit.block.index()];
                functions[visit.function.index()].points[block.index()][at]
                    .note(visit, &mut n_kept);
                if let Some(guard) = guards[visit.function.index()]
                    && visit.block == BlockId::FIRST
                {
                    let params = program.function(visit.function).params();
                    let args = std::iter::zip(params, visit.cells);
                    let args = args.map(|(param, word)| Scalar::new(param.ty.cell_ty(), *word));
                    let args: Vec<Scalar> = args.collect();
                    if known.insert((guard.body, words(&args))) {
                        runs.push((guard.body, args));
                    }
                }
            };
            machine.run_observed(id, &args, limits, &mut note);
        }
        let all = functions.iter_mut().flat_map(|function| &mut function.points).flatten();
        all.for_each(States::sort);
        Self { functions }
    }

    /// The states at a point.
    pub fn states(&self, point: Point) -> &States {
        &self.functions[point.function.index()].points[point.block.index()][point.at]
    }

    /// The layout of a function's variables, and of the globals.
    pub fn layout(&self, function: FuncId) -> &Layout {
        &self.functions[function.index()].layout
    }

    /// Where a scalar variable stands in the states of a function.
    pub fn column(&self, function: FuncId, var: VarRef) -> usize {
        let layout = self.layout(function);
        let start = layout.cells(var).start as usize;
        match var {
            VarRef::Var(_) => start,
            VarRef::Global(_) => layout.n_cells() + start,
        }
    }

    /// All points of a function.
    pub fn points(&self, function: FuncId) -> impl Iterator<Item = Point> {
        let blocks = self.functions[function.index()].points.iter().enumerate();
        blocks.flat_map(move |(block, states)| {
            (0..states.len()).map(move |at| Point { function, block: BlockId::new(block), at })
        })
    }

    /// Whether a block was ever entered.
    pub fn is_visited(&self, function: FuncId, block: BlockId) -> bool {
        !self.states(Point { function, block, at: 0 }).is_empty()
    }
}

/// Gives every statement a block of its own. Returns what each block stands for.
fn split_everywhere(function: &mut Function) -> Vec<(BlockId, usize)> {
    let mut starts = Vec::with_capacity(function.blocks.len());
    let mut points = Vec::new();
    for (id, block) in function.blocks_with_ids() {
        starts.push(points.len());
        points.extend((0..=block.stmts.len()).map(|at| (id, at)));
    }
    let mut blocks = Vec::with_capacity(points.len());
    for block in std::mem::take(&mut function.blocks) {
        let Block { name, stmts, mut term } = block;
        term.map_targets(|target| BlockId::new(starts[target.index()]));
        for stmt in stmts {
            let next = BlockId::new(blocks.len() + 1);
            blocks.push(Block { name: String::new(), stmts: vec![stmt], term: Term::Goto(next) });
        }
        blocks.push(Block { name, stmts: Vec::new(), term });
    }
    function.blocks = blocks;
    points
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    const LOOP: &str = "dialect c;
        global g: i16 = 5;
        fn f(n: i32) -> i32 {
            var i: u8 = 0;
        entry:
            goto head;
        head:
            if i32(i) < n goto body else exit;
        body:
            g = i32(g) * 2;
            i = i + 1u32;
            goto head;
        exit:
            return 0;
        }
        realize f(2) = 0 via entry (head body)^2 head exit;
        realize f(0) = 0 via entry head exit;";

    #[test]
    fn every_state_of_every_point_is_known_once() {
        let program = parse("test", LOOP).unwrap();
        let profile = ValueProfile::new(&program, Limits::default());
        let point = |block, at| Point { function: FuncId::FIRST, block: BlockId::new(block), at };
        let states = |block, at| -> Vec<Vec<i64>> {
            profile.states(point(block, at)).all().unwrap().map(<[i64]>::to_vec).collect()
        };
        assert_eq!(states(0, 0), [[0, 0, 5], [2, 0, 5]]);
        assert_eq!(states(1, 0), [[0, 0, 5], [2, 0, 5], [2, 1, 10], [2, 2, 20]]);
        assert_eq!(states(2, 0), [[2, 0, 5], [2, 1, 10]]);
        assert_eq!(states(2, 1), [[2, 0, 10], [2, 1, 20]]);
        assert_eq!(states(2, 2), [[2, 1, 10], [2, 2, 20]]);
        assert_eq!(states(3, 0), [[0, 0, 5], [2, 2, 20]]);
        assert_eq!(profile.points(FuncId::FIRST).count(), 6);
    }
    /// A loop in a function with a large array, which every statement sees in another state.
    #[test]
    fn what_is_kept_is_bounded_whatever_the_program() {
        let stmts = "a[0] = a[0] + 1; ".repeat(40);
        let text = format!(
            "dialect c;
            fn f(n: i32) -> i32 {{
                var i: i32 = 0;
                var a: [i32; 1000] = [{}];
            entry:
                goto head;
            head:
                if i < n goto body else exit;
            body:
                {stmts}
                i = i + 1;
                goto head;
            exit:
                return a[0];
            }}
            realize f(300) = 12000 via entry (head body)^300 head exit;",
            vec!["0"; 1000].join(", ")
        );
        let program = parse("test", &text).unwrap();
        let profile = ValueProfile::new(&program, Limits::default());
        let states: Vec<&States> =
            profile.points(FuncId::FIRST).map(|point| profile.states(point)).collect();
        let n_kept: usize = states.iter().map(|states| states.words.capacity()).sum();
        assert!(n_kept <= MAX_TOTAL_WORDS, "{n_kept}");
        let n_cut = states.iter().filter(|states| states.len().is_none()).count();
        assert!(n_cut > 20 && n_cut < states.len(), "{n_cut} of {}", states.len());
        assert_eq!(
            profile.states(Point { function: FuncId::FIRST, block: BlockId::FIRST, at: 0 }).len(),
            Some(1)
        );
    }
}

//! Where transforms work.
//!
//! All places of a program are listed once, each with a key of the names around it. A draw takes the
//! place whose key, mixed with a random number, is largest: so a step that is applied again to a
//! program without some earlier step mostly comes to the same place.

use pathsmith_edit::Reach;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::graph::LoopForest;
use pathsmith_symlang::lang::{Function, Program, RecursionGuard, Term};
use pathsmith_symlang::{BlockId, ExprId, FuncId, Rng, Seed};
use rand::RngExt;

use crate::profile::{Point, ValueProfile};

/// A place, and its key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site<T> {
    key: u64,
    pub(crate) at: T,
}

/// All places of a program where transforms work: in functions that are no recursion guards, because a
/// guard of another form would be none, and in blocks that the entry leads to, because a new block
/// that only others lead to would be taken out again.
#[derive(Clone, Debug)]
pub(crate) struct Sites {
    /// The functions that may be changed.
    pub(crate) functions: Vec<FuncId>,
    /// Points that were reached, and of which all states are known.
    pub(crate) live: Vec<Site<Point>>,
    /// Points that were never reached.
    pub(crate) dead: Vec<Site<Point>>,
    /// Blocks.
    pub(crate) blocks: Vec<Site<(FuncId, BlockId)>>,
    /// Edges; if several cases of a `switch` share a target, they are one.
    pub(crate) edges: Vec<Site<Edge>>,
    /// Expressions, each with the point at which it is evaluated.
    pub(crate) exprs: Vec<Site<(Point, ExprId)>>,
}

/// An edge of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) function: FuncId,
    pub(crate) from: BlockId,
    pub(crate) to: BlockId,
}

impl Sites {
    /// Those of a program with this profile.
    pub(crate) fn new(program: &Program, profile: &ValueProfile) -> Self {
        let ids = (0..program.functions.len()).map(FuncId::new);
        let functions: Vec<FuncId> =
            ids.filter(|id| RecursionGuard::of(program, *id).is_none()).collect();
        let mut sites = Self {
            functions: functions.clone(),
            live: Vec::new(),
            dead: Vec::new(),
            blocks: Vec::new(),
            edges: Vec::new(),
            exprs: Vec::new(),
        };
        for id in functions {
            let function = program.function(id);
            let reached = Reach::blocks_of(function);
            for (block, _) in function.blocks_with_ids().filter(|(id, _)| reached[id.index()]) {
                sites.add_block(function, id, block, profile);
            }
        }
        sites
    }

    fn add_block(
        &mut self,
        function: &Function,
        id: FuncId,
        block: BlockId,
        profile: &ValueProfile,
    ) {
        let content = function.block(block);
        let seed = Seed::new(0).child(&function.name).child(&content.name);
        self.blocks.push(Site { key: seed.state(), at: (id, block) });
        let mut targets = Vec::new();
        content.term.for_each_target(|to| {
            if !targets.contains(&to) {
                targets.push(to);
                let key = seed.child(&function.block(to).name).state();
                self.edges.push(Site { key, at: Edge { function: id, from: block, to } });
            }
        });
        let n_stmts = content.stmts.len();
        for at in 0..=n_stmts {
            let point = Point { function: id, block, at };
            let seed = seed.nth(at as u64);
            match profile.states(point).len() {
                Some(0) => self.dead.push(Site { key: seed.state(), at: point }),
                Some(_) => self.live.push(Site { key: seed.state(), at: point }),
                None => {}
            }
            let mut n_exprs = 0;
            let mut note = |root: ExprId| {
                for_each_in(function, root, &mut |expr| {
                    n_exprs += 1;
                    let key = seed.nth(n_exprs).state();
                    self.exprs.push(Site { key, at: (point, expr) });
                });
            };
            match content.stmts.get(at) {
                Some(stmt) => stmt.roots().for_each(&mut note),
                None => content.term.root().into_iter().for_each(&mut note),
            }
        }
    }
}

/// Calls `visit` on an expression and all of its operands.
pub(crate) fn for_each_in(function: &Function, root: ExprId, visit: &mut impl FnMut(ExprId)) {
    visit(root);
    for operand in function.expr(root).operands() {
        for_each_in(function, operand, visit);
    }
}

/// One of the places that `fits`.
pub(crate) fn choose_site<T: Copy>(
    sites: &[Site<T>],
    rng: &mut Rng,
    fits: impl Fn(&T) -> bool,
) -> Option<T> {
    let salt: u64 = rng.random();
    let fitting = sites.iter().filter(|site| fits(&site.at));
    fitting.max_by_key(|site| mix(site.key ^ salt)).map(|site| site.at)
}

const fn mix(value: u64) -> u64 {
    Seed::new(value).state()
}

/// One of them.
pub(crate) fn choose_from<T: Clone>(all: &[T], rng: &mut Rng) -> Option<T> {
    if all.is_empty() { None } else { Some(all[choose_below(all.len(), rng)].clone()) }
}

/// Whether a block may be copied: a function has one exit.
pub(crate) const fn can_copy(term: &Term) -> bool {
    match term {
        Term::Goto(_) | Term::If { .. } | Term::Switch { .. } => true,
        Term::Return(_) => false,
    }
}

/// A loop with one entry, as blocks, the entry first. Nothing if there is none of at most `most`
/// blocks.
pub(crate) fn choose_loop(function: &Function, most: usize, rng: &mut Rng) -> Option<Vec<BlockId>> {
    let forest = LoopForest::new(&function.cfg().ok()?);
    let reached = Reach::blocks_of(function);
    let fits: Vec<Vec<BlockId>> = forest
        .loops()
        .iter()
        .filter(|found| !found.is_irreducible() && found.blocks.len() <= most)
        .filter(|found| reached[found.entries[0].index()])
        .map(|found| {
            let entry = found.entries[0];
            let rest = found.blocks.iter().copied().filter(|block| *block != entry);
            [entry].into_iter().chain(rest).collect()
        })
        .collect();
    choose_from(&fits, rng)
}

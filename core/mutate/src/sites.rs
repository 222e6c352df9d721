//! Where transforms work, and the edits that they share.

use pathsmith_edit::{Draft, Reach};
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{
    Block, ConstOrHole, Function, Place, Program, RecursionGuard, Return, Scalar, ScalarTy, Stmt,
    Term, ValueTy, Var, VarRef, VarTy,
};
use pathsmith_symlang::{BlockId, ExprId, FuncId, Rng, VarId};

use crate::config::Sizes;
use crate::profile::{Point, ValueProfile};
use crate::synth::{Runs, Synth};

/// The functions that transforms may change: a recursion guard of another form would be none.
pub(crate) fn functions(program: &Program) -> Vec<FuncId> {
    let all = (0..program.functions.len()).map(FuncId::new);
    all.filter(|id| RecursionGuard::of(program, *id).is_none()).collect()
}

/// The blocks that can be reached from the entry, in functions that may be changed. A new block that
/// only others lead to would be taken out again.
pub(crate) fn blocks(program: &Program) -> Vec<(FuncId, BlockId)> {
    let of_function = |id: FuncId| {
        let reached = Reach::blocks_of(program.function(id)).into_iter().enumerate();
        reached.filter(|(_, is_reached)| *is_reached).map(move |(at, _)| (id, BlockId::new(at)))
    };
    functions(program).into_iter().flat_map(of_function).collect()
}

/// Points that were reached, or never, in functions that may be changed; only such of which all
/// states are known.
pub(crate) fn points(program: &Program, profile: &ValueProfile, runs: Runs) -> Vec<Point> {
    let is_wanted = |point: &Point| {
        let states = profile.states(*point);
        match runs {
            Runs::Live => states.len().is_some_and(|n| n > 0),
            Runs::Dead => states.is_empty(),
        }
    };
    let all = functions(program).into_iter().flat_map(|id| profile.points(id));
    all.filter(is_wanted).collect()
}

/// One of them.
pub(crate) fn choose_from<T: Clone>(all: &[T], rng: &mut Rng) -> Option<T> {
    if all.is_empty() { None } else { Some(all[choose_below(all.len(), rng)].clone()) }
}

/// A block of a name that the function does not have yet.
pub(crate) fn add_block(function: &mut Function, stmts: Vec<Stmt>, term: Term) -> BlockId {
    let id = BlockId::new(function.blocks.len());
    let is_taken = |name: &String| function.blocks.iter().any(|block| block.name == *name);
    let mut names = (function.blocks.len()..).map(|n| format!("M{n}"));
    let name = names.find(|name| !is_taken(name)).unwrap_or_default();
    function.blocks.push(Block { name, stmts, term });
    id
}

/// Cuts a block in two before statement `at`. Returns the second half; the first leads to it.
pub(crate) fn split(function: &mut Function, block: BlockId, at: usize) -> BlockId {
    let rest = function.blocks[block.index()].stmts.split_off(at);
    let next = BlockId::new(function.blocks.len());
    let term = std::mem::replace(&mut function.blocks[block.index()].term, Term::Goto(next));
    add_block(function, rest, term)
}

/// A new local. What the function returns does not depend on it: a checksum of all variables becomes
/// one of those that there were before.
pub(crate) fn add_local(draft: &mut Draft, id: FuncId, ty: ScalarTy, init: i64) -> VarRef {
    let listed = draft.program.checksum_vars(draft.program.function(id));
    let function = draft.function(id);
    for block in &mut function.blocks {
        if let Term::Return(returned @ Return::Checksum) = &mut block.term {
            *returned = Return::ChecksumOf(listed.clone());
        }
    }
    let is_taken = |name: &String| function.vars.iter().any(|var| var.name == *name);
    let mut names = (0..).map(|n| format!("m{n}"));
    let name = names.find(|name| !is_taken(name)).unwrap_or_default();
    let init = vec![ConstOrHole::Const(Scalar::new(ty, ty.stored(init)))];
    function.vars.push(Var { name, ty: VarTy::scalar(ty), init });
    VarRef::Var(VarId::new(function.vars.len() - 1))
}

/// An assignment of a whole variable.
pub(crate) const fn assign(var: VarRef, value: ExprId) -> Stmt {
    Stmt::Assign { place: Place::scalar(var), value }
}

/// The scalar variables that a function may assign. One that assigns no global may be called, and a
/// function that is called must not assign any.
pub(crate) fn assignable(function: &Function, synth: &Synth<'_>) -> Vec<(VarRef, ScalarTy)> {
    let writes_global = function.writes_global();
    let is_allowed = |var: &(VarRef, ScalarTy)| match var.0 {
        VarRef::Var(_) => true,
        VarRef::Global(_) => writes_global,
    };
    synth.scalars().filter(is_allowed).collect()
}

/// Statements that are never run: they assign what they like.
pub(crate) fn choose_dead_stmts(
    function: &mut Function,
    synth: &Synth<'_>,
    sizes: &Sizes,
    rng: &mut Rng,
) -> Vec<Stmt> {
    let scalars = assignable(function, synth);
    let n = 1 + choose_below(sizes.dead_stmts as usize, rng);
    let mut stmts = Vec::with_capacity(n);
    for _ in 0..n {
        let Some((var, ty)) = choose_from(&scalars, rng) else { break };
        let ValueTy::Int(word) = ty.widened();
        let value = synth.choose(word, sizes.expr_depth, Runs::Dead, rng).install(function);
        stmts.push(assign(var, value));
    }
    stmts
}

//! The edits that transforms share.

use pathsmith_edit::Draft;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{
    Block, Const, ConstOrHole, Expr, Function, Place, Program, Return, Scalar, ScalarTy, Stmt,
    Term, ValueTy, Var, VarRef, VarTy, WordTy,
};
use pathsmith_symlang::{BlockId, ExprId, FuncId, GlobalId, Rng, VarId};

use crate::sites::{Edge, choose_from};
use crate::sizes::Sizes;
use crate::synth::{Runs, Synth, saturating};

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
    let init = vec![ConstOrHole::Const(Scalar::new(ty, ty.stored(init)))];
    add_var(draft, id, VarTy::scalar(ty), init)
}

/// A new local of any type; see [`add_local`].
pub(crate) fn add_var(draft: &mut Draft, id: FuncId, ty: VarTy, init: Vec<ConstOrHole>) -> VarRef {
    let listed = draft.program.checksum_vars(draft.program.function(id));
    let function = draft.function(id);
    for block in &mut function.blocks {
        if let Term::Return(returned @ Return::Checksum) = &mut block.term {
            *returned = Return::ChecksumOf(listed.clone());
        }
    }
    let globals: Vec<String> = draft.program.globals.iter().map(|var| var.name.clone()).collect();
    let function = draft.function(id);
    let is_taken =
        |name: &String| globals.contains(name) || function.vars.iter().any(|var| var.name == *name);
    let mut names = (0..).map(|n| format!("m{n}"));
    let name = names.find(|name| !is_taken(name)).unwrap_or_default();
    function.vars.push(Var { name, ty, init });
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

/// A read of a whole variable.
pub(crate) fn add_read(function: &mut Function, var: VarRef) -> ExprId {
    function.add_expr(Expr::Read(Place::scalar(var)))
}

/// A constant.
pub(crate) fn add_const(function: &mut Function, ty: WordTy, value: i64) -> ExprId {
    function.add_expr(Expr::Const(Const::new(ty, ty.wrap(value))))
}

/// An expression of type `from` as one of type `to`, which is defined for all values.
pub(crate) fn add_cast(
    function: &mut Function,
    expr: ExprId,
    from: ValueTy,
    to: ValueTy,
) -> ExprId {
    if from == to {
        return expr;
    }
    function.add_expr(match (from, to) {
        (ValueTy::Float(_), ValueTy::Int(word)) => Expr::Unary(saturating(word), expr),
        (ValueTy::Int(_), ValueTy::Int(_) | ValueTy::Float(_))
        | (ValueTy::Float(_), ValueTy::Float(_)) => Expr::Cast(to.into(), expr),
    })
}

/// Statements that are never run: they assign what they like, elements of arrays as well.
pub(crate) fn choose_dead_stmts(
    function: &mut Function,
    synth: &Synth<'_>,
    sizes: &Sizes,
    rng: &mut Rng,
) -> Vec<Stmt> {
    let (scalars, arrays) = (assignable(function, synth), assignable_arrays(function, synth));
    let n = 1 + choose_below(sizes.dead_stmts as usize, rng);
    let mut stmts = Vec::with_capacity(n);
    for _ in 0..n {
        let is_element = !arrays.is_empty() && (scalars.is_empty() || choose_bool(0.3, rng));
        let Some((var, ty)) = choose_from(if is_element { &arrays } else { &scalars }, rng) else {
            break;
        };
        let value = synth.choose(ty.widened(), sizes.expr_depth, Runs::Dead, rng).install(function);
        let place = if is_element {
            Place::element(var, synth.choose(WordTy::U32, 1, Runs::Dead, rng).install(function))
        } else {
            Place::scalar(var)
        };
        stmts.push(Stmt::Assign { place, value });
    }
    stmts
}

/// Blocks that are never run and lead to `after`: a block, or a loop. Returns the first.
pub(crate) fn choose_dead_blocks(
    function: &mut Function,
    after: BlockId,
    synth: &Synth<'_>,
    sizes: &Sizes,
    rng: &mut Rng,
) -> BlockId {
    let stmts = choose_dead_stmts(function, synth, sizes, rng);
    let first = add_block(function, stmts, Term::Goto(after));
    let choose_cond = |function: &mut Function, rng: &mut Rng| {
        synth.choose(WordTy::I32, sizes.expr_depth, Runs::Dead, rng).install(function)
    };
    match choose_below(4, rng) {
        // A loop of one block, which ends with a decision.
        0 => {
            let cond = choose_cond(function, rng);
            let term = Term::If { cond, then: first, otherwise: after };
            function.blocks[first.index()].term = term;
        }
        // A loop with a body, which its head decides about.
        1 => {
            let stmts = choose_dead_stmts(function, synth, sizes, rng);
            let body = add_block(function, stmts, Term::Goto(first));
            let cond = choose_cond(function, rng);
            function.blocks[first.index()].term = Term::If { cond, then: body, otherwise: after };
        }
        // A loop that breaks out of its body.
        2 => {
            let (stmts, cond) =
                (choose_dead_stmts(function, synth, sizes, rng), choose_cond(function, rng));
            let term = Term::If { cond, then: after, otherwise: first };
            let body = add_block(function, stmts, term);
            let cond = choose_cond(function, rng);
            function.blocks[first.index()].term = Term::If { cond, then: body, otherwise: after };
        }
        _ => {}
    }
    first
}

/// The arrays that a function may assign; see [`assignable`].
fn assignable_arrays(function: &Function, synth: &Synth<'_>) -> Vec<(VarRef, ScalarTy)> {
    let writes_global = function.writes_global();
    let is_allowed = |var: &(VarRef, ScalarTy)| match var.0 {
        VarRef::Var(_) => true,
        VarRef::Global(_) => writes_global,
    };
    synth.arrays().filter(is_allowed).collect()
}

/// Leads an edge elsewhere.
pub(crate) fn redirect(function: &mut Function, edge: &Edge, to: BlockId) {
    let term = &mut function.blocks[edge.from.index()].term;
    term.map_targets(|target| if target == edge.to { to } else { target });
}

/// Copies blocks, none of which returns. The copies lead where the originals lead.
pub(crate) fn copy_blocks(function: &mut Function, region: &[BlockId]) -> Vec<BlockId> {
    let mut copies = Vec::with_capacity(region.len());
    for block in region {
        let (mut stmts, mut term) = {
            let block = function.block(*block);
            (block.stmts.clone(), block.term.clone())
        };
        stmts
            .iter_mut()
            .for_each(|stmt| stmt.for_each_root_mut(|root| *root = copy_expr(function, *root)));
        match &mut term {
            Term::If { cond: root, .. }
            | Term::Switch { on: root, .. }
            | Term::Return(Return::Value(root)) => *root = copy_expr(function, *root),
            Term::Goto(_) | Term::Return(Return::Checksum | Return::ChecksumOf(_)) => {}
        }
        copies.push(add_block(function, stmts, term));
    }
    copies
}

/// A copy of an expression, with all of its operands.
pub(crate) fn copy_expr(function: &mut Function, root: ExprId) -> ExprId {
    let mut expr: Expr = function.expr(root).clone();
    expr.for_each_operand_mut(|operand| *operand = copy_expr(function, *operand));
    function.add_expr(expr)
}

/// Puts one expression into the place of another, which keeps its id. What stood there is returned
/// with a new id.
pub(crate) fn replace(
    function: &mut Function,
    expr: ExprId,
    make: impl FnOnce(&mut Function, ExprId) -> ExprId,
) {
    let original = function.expr(expr).clone();
    let moved = function.add_expr(original);
    let root = make(function, moved);
    let replacement = function.expr(root).clone();
    *function.expr_mut(expr) = replacement;
}

/// A name that no function and no global has.
pub(crate) fn fresh_function_name(program: &Program, prefix: &str) -> String {
    let is_taken = |name: &String| {
        program.functions.iter().any(|function| function.name == *name)
            || program.globals.iter().any(|global| global.name == *name)
    };
    let mut names = (0..).map(|n| format!("{prefix}{n}"));
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// What the names of parameters begin with in a new function, so that no global has such a name.
pub(crate) fn param_prefix(program: &Program) -> String {
    let mut prefix = "p".to_owned();
    while program.globals.iter().any(|global| global.name.starts_with(&prefix)) {
        prefix.push('_');
    }
    prefix
}

/// A new global.
pub(crate) fn add_global(draft: &mut Draft, ty: VarTy, init: Vec<ConstOrHole>) -> VarRef {
    let program = &mut draft.program;
    let is_taken = |name: &String| {
        let mut vars = program.functions.iter().flat_map(|function| &function.vars);
        program.globals.iter().any(|global| global.name == *name)
            || program.functions.iter().any(|function| function.name == *name)
            || vars.any(|var| var.name == *name)
    };
    let mut names = (0..).map(|n| format!("g{n}"));
    let name = names.find(|name| !is_taken(name)).unwrap_or_default();
    program.globals.push(Var { name, ty, init });
    VarRef::Global(GlobalId::new(program.globals.len() - 1))
}

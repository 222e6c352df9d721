//! What is observed of a function: what it returns, and what it leaves in globals.
//!
//! A function that returns a checksum of all its variables keeps all of them alive up to its exit,
//! and that hides what optimizers do to values that nobody needs. So what a function returns is
//! drawn. It is drawn once the holes are filled, and before realizations are computed: nothing that
//! a path depends on changes. Some locals become globals of the program. That changes nothing
//! either, because globals have their initial values at the beginning of every realization.

mod options;

use rand::RngExt;

pub use options::{Observation, ObserveOptions, ObserveOptionsError};

use pathsmith_edit::for_each_var_mut;
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, Function, Place, Program, Return, Term, UnOp, ValueTy, Var, VarRef, VarTy,
    WordTy,
};
use pathsmith_symlang::{ExprId, FuncId, GlobalId, Rng, VarId};

/// How often a variable that is assigned on the path is preferred to one that is not. A guess.
const ASSIGNED_SHARE: f64 = 0.9;

/// Draws what is observed of a solved function, and makes it so. `path` is the path that the
/// function is known to take. The function's header says what was drawn.
pub(crate) fn observe(
    program: &mut Program,
    id: FuncId,
    path: &Path,
    options: &ObserveOptions,
    rng: &mut Rng,
) -> Observation {
    let drawn = options.choose(rng);
    let assigned = assigned_on(program.function(id), path);
    let (kind, globals) = choose_globals(program.function(id), drawn, &assigned, options, rng);
    let moved = make_global(program, id, &globals);
    let assigned: Vec<VarRef> = assigned.iter().map(|var| moved[var.index()]).collect();
    let returned = match kind {
        Observation::All => Return::Checksum,
        Observation::Some => some(&moved, rng),
        Observation::One => one(program, id, &moved, &assigned, rng),
        Observation::Expression => expression(program, id, &moved, &assigned, rng),
        Observation::Memory => constant(program, id, rng),
    };
    set_return(program, id, returned);
    if let Some(line) = describe(program, id, kind, &globals) {
        program.functions[id.index()].docs.push(line);
    }
    kind
}

/// The variables that are assigned in the blocks of a path, in order.
fn assigned_on(function: &Function, path: &Path) -> Vec<VarId> {
    let mut assigned = vec![false; function.vars.len()];
    let mut visited = vec![false; function.blocks.len()];
    path.blocks().iter().for_each(|block| visited[block.index()] = true);
    let on_path = std::iter::zip(&function.blocks, visited).filter(|(_, is_visited)| *is_visited);
    for stmt in on_path.flat_map(|(block, _)| &block.stmts) {
        if let VarRef::Var(var) = stmt.assigned().var() {
            assigned[var.index()] = true;
        }
    }
    (0..assigned.len()).filter(|at| assigned[*at]).map(VarId::new).collect()
}

/// Draws which locals become globals. A function of which only memory is observed leaves all arrays
/// that it assigns there, or else one or two scalars; if it assigns no local, it returns one
/// variable after all.
fn choose_globals(
    function: &Function,
    kind: Observation,
    assigned: &[VarId],
    options: &ObserveOptions,
    rng: &mut Rng,
) -> (Observation, Vec<VarId>) {
    let is_array = |var: &VarId| function.var(*var).ty.is_array();
    let locals: Vec<VarId> = (function.n_params..function.vars.len()).map(VarId::new).collect();
    let mut globals: Vec<VarId> = Vec::new();
    if choose_share(options.globals, rng) {
        for var in &locals {
            let share = if is_array(var) { options.global_arrays } else { options.global_scalars };
            if choose_bool(share, rng) {
                globals.push(*var);
            }
        }
    }
    if kind != Observation::Memory {
        return (kind, globals);
    }
    let mut visible: Vec<VarId> =
        assigned.iter().copied().filter(|var| var.index() >= function.n_params).collect();
    if visible.iter().any(is_array) {
        visible.retain(is_array);
    } else {
        let n_kept = 1 + choose_below(2, rng);
        while visible.len() > n_kept {
            visible.remove(choose_below(visible.len(), rng));
        }
    }
    if visible.is_empty() {
        return (Observation::One, globals);
    }
    globals.extend(visible);
    globals.sort_unstable();
    globals.dedup();
    (kind, globals)
}

/// Makes locals globals, named after the function. Gives what each variable has become.
fn make_global(program: &mut Program, id: FuncId, globals: &[VarId]) -> Vec<VarRef> {
    let function = &mut program.functions[id.index()];
    let mut moved = Vec::with_capacity(function.vars.len());
    let mut kept = Vec::with_capacity(function.vars.len());
    for (at, var) in std::mem::take(&mut function.vars).into_iter().enumerate() {
        if globals.contains(&VarId::new(at)) {
            moved.push(VarRef::Global(GlobalId::new(program.globals.len())));
            let name = format!("{}_{}", function.name, var.name);
            program.globals.push(Var { name, ..var });
        } else {
            moved.push(VarRef::Var(VarId::new(kept.len())));
            kept.push(var);
        }
    }
    function.vars = kept;
    if globals.is_empty() {
        return moved;
    }
    for_each_var_mut(function, |var| {
        if let VarRef::Var(id) = var {
            *var = moved[id.index()];
        }
    });
    moved
}

/// A checksum of some variables, but not of all unless there is only one.
fn some(vars: &[VarRef], rng: &mut Rng) -> Return {
    let Some(most) = vars.len().checked_sub(1) else { return Return::Checksum };
    let n_listed = rng.random_range(1..=most.max(1));
    let mut listed = vars.to_vec();
    while listed.len() > n_listed {
        listed.remove(choose_below(listed.len(), rng));
    }
    Return::ChecksumOf(listed)
}

/// One of `vars`, and mostly one that is assigned.
fn choose_var(vars: &[VarRef], assigned: &[VarRef], rng: &mut Rng) -> VarRef {
    let among =
        if !assigned.is_empty() && choose_bool(ASSIGNED_SHARE, rng) { assigned } else { vars };
    among[choose_below(among.len(), rng)]
}

/// One variable, in its own type; of an array, the checksum or one element.
fn one(
    program: &mut Program,
    id: FuncId,
    vars: &[VarRef],
    assigned: &[VarRef],
    rng: &mut Rng,
) -> Return {
    if vars.is_empty() {
        return Return::Checksum;
    }
    let var = choose_var(vars, assigned, rng);
    if program.var(program.function(id), var).ty.is_array() && choose_bool(0.5, rng) {
        return Return::ChecksumOf(vec![var]);
    }
    Return::Value(read(program, id, var, rng))
}

/// Reads a variable, or an element of it.
fn read(program: &mut Program, id: FuncId, var: VarRef, rng: &mut Rng) -> ExprId {
    let element = match &program.var(program.function(id), var).ty {
        VarTy::Scalar(_) => None,
        VarTy::Array(_, len) => Some(rng.random_range(0..*len)),
    };
    let function = &mut program.functions[id.index()];
    let place = match element {
        None => Place::scalar(var),
        Some(at) => {
            let index = function.add_expr(Expr::Const(Const::new(WordTy::I32, at.into())));
            Place::element(var, index)
        }
    };
    function.add_expr(Expr::Read(place))
}

/// Operators that are defined for all unsigned values, in every dialect.
const OPERATORS: [BinOp; 6] =
    [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Xor, BinOp::And, BinOp::Or];

/// An expression of two to four variables, computed in an unsigned type.
fn expression(
    program: &mut Program,
    id: FuncId,
    vars: &[VarRef],
    assigned: &[VarRef],
    rng: &mut Rng,
) -> Return {
    if vars.is_empty() {
        return Return::Checksum;
    }
    let ty = if choose_bool(0.5, rng) { WordTy::U32 } else { WordTy::U64 };
    let mut sum = None;
    for _ in 0..rng.random_range(2..=4) {
        let var = choose_var(vars, assigned, rng);
        let term = read(program, id, var, rng);
        let own = program.expr_ty(program.function(id), term);
        let function = &mut program.functions[id.index()];
        let term = match own == ValueTy::Int(ty) {
            true => term,
            false => {
                let term = whole(function, own, term, rng);
                function.add_expr(Expr::Cast(ty.into(), term))
            }
        };
        sum = Some(match sum {
            None => term,
            Some(sum) => {
                let op = OPERATORS[choose_below(OPERATORS.len(), rng)];
                function.add_expr(Expr::Binary(op, sum, term))
            }
        });
    }
    sum.map_or(Return::Checksum, Return::Value)
}

/// A term as an integer: a conversion of a floating-point number that is defined for all.
fn whole(function: &mut Function, ty: ValueTy, term: ExprId, rng: &mut Rng) -> ExprId {
    match ty {
        ValueTy::Int(_) => term,
        ValueTy::Float(_) => {
            let op = if choose_bool(0.5, rng) { UnOp::SatI64 } else { UnOp::SatI32 };
            function.add_expr(Expr::Unary(op, term))
        }
    }
}

/// A constant, which says nothing of what was computed.
fn constant(program: &mut Program, id: FuncId, rng: &mut Rng) -> Return {
    let ty = WordTy::ALL[choose_below(WordTy::ALL.len(), rng)];
    let function = &mut program.functions[id.index()];
    Return::Value(function.add_expr(Expr::Const(Const::new(ty, 0))))
}

/// Makes the exit return something, and the function's type fit it.
fn set_return(program: &mut Program, id: FuncId, returned: Return) {
    let ty = match &returned {
        Return::Checksum | Return::ChecksumOf(_) => ValueTy::CHECKSUM,
        Return::Value(value) => program.expr_ty(program.function(id), *value),
    };
    let function = &mut program.functions[id.index()];
    function.ret = ty;
    for block in &mut function.blocks {
        if let Term::Return(old) = &mut block.term {
            old.clone_from(&returned);
        }
    }
}

/// A line for the function's header, unless everything is as it always was.
fn describe(program: &Program, id: FuncId, kind: Observation, globals: &[VarId]) -> Option<String> {
    let names: Vec<&str> = program.globals[program.globals.len() - globals.len()..]
        .iter()
        .map(|global| &global.name[..])
        .collect();
    debug_assert_eq!(program.functions.len(), id.index() + 1);
    match (kind, names.is_empty()) {
        (Observation::All, true) => None,
        (kind, true) => Some(format!("observed: {}", kind.name())),
        (kind, false) => Some(format!("observed: {}; globals: {}", kind.name(), names.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GenConfig, generate_leaf};
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::dialect::Dialect;
    use pathsmith_symlang::lang::validate;

    fn only(kind: Observation) -> GenConfig {
        let mut observe = ObserveOptions { all: 0.0, ..ObserveOptions::everything() };
        match kind {
            Observation::All => observe.all = 1.0,
            Observation::Some => observe.some = 1.0,
            Observation::One => observe.one = 1.0,
            Observation::Expression => observe.expression = 1.0,
            Observation::Memory => observe.memory = 1.0,
        }
        GenConfig { observe, ..GenConfig::default() }
    }

    /// What a path is does not depend on what is observed.
    #[test]
    fn functions_only_differ_in_what_is_observed() {
        for number in 0..60 {
            let leaf = |kind| generate_leaf(&only(kind), Dialect::C, Seed::new(3), number);
            let Ok(all) = leaf(Observation::All) else { continue };
            assert_eq!(all.observation, Observation::All);
            for kind in Observation::ALL {
                let other = leaf(kind).expect("solved with everything observed");
                let program = &other.program;
                assert_eq!(validate(program), [], "{program}");
                let (a, b) = (&all.program.functions[0], &program.functions[0]);
                assert_eq!(a.realizations.len(), b.realizations.len(), "{program}");
                for (a, b) in std::iter::zip(&a.realizations, &b.realizations) {
                    assert_eq!((&a.args, &a.path), (&b.args, &b.path), "{program}");
                    assert_eq!(b.leaving.is_some(), !program.globals.is_empty(), "{program}");
                }
            }
        }
    }

    #[test]
    fn what_only_memory_shows_is_in_memory() {
        let mut n_memory = 0;
        for number in 0..60 {
            let leaf = generate_leaf(&only(Observation::Memory), Dialect::C, Seed::new(4), number);
            let Ok(leaf) = leaf else { continue };
            let function = &leaf.program.functions[0];
            if leaf.observation == Observation::Memory {
                n_memory += 1;
                assert!(function.writes_global(), "{}", leaf.program);
            } else {
                assert_eq!(leaf.observation, Observation::One);
            }
        }
        assert!(n_memory > 30, "{n_memory}");
    }
}

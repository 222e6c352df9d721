//! Observation in the middle: scalars whose values are made visible whenever they are assigned.
//!
//! What is made visible is a copy, so nothing that is computed changes; but the optimizer has to
//! have the value at that point.

use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{Function, PlaceForm, Stmt, VarRef};
use pathsmith_symlang::{Rng, VarId};

/// Draws which scalars of a function are watched: with the given probability one or two of those
/// that its statements assign, otherwise none.
pub fn choose_watched(function: &Function, probability: f64, rng: &mut Rng) -> Vec<VarId> {
    if !choose_bool(probability, rng) {
        return Vec::new();
    }
    let stmts = function.blocks.iter().flat_map(|block| &block.stmts);
    let mut watched: Vec<VarId> = stmts.filter_map(assigned_scalar).collect();
    watched.sort_unstable();
    watched.dedup();
    let n_watched = 1 + choose_below(2, rng);
    while watched.len() > n_watched {
        watched.remove(choose_below(watched.len(), rng));
    }
    watched
}

/// The scalar of the function itself that a statement assigns, if it does.
pub fn assigned_scalar(stmt: &Stmt) -> Option<VarId> {
    let Stmt::Assign { place, .. } = stmt;
    match place.form() {
        PlaceForm::Scalar(VarRef::Var(var)) => Some(var),
        PlaceForm::Scalar(VarRef::Global(_)) | PlaceForm::Element(..) => None,
    }
}

/// Where variables of `from` are in `to`, which was edited out of it. Those that are gone, or that
/// have become arrays, are left out.
pub fn moved_vars(vars: &[VarId], from: &Function, to: &Function) -> Vec<VarId> {
    let moved = |id: &VarId| {
        let name = &from.vars.get(id.index())?.name;
        to.vars.iter().position(|var| var.name == *name).map(VarId::new)
    };
    vars.iter().filter_map(moved).collect()
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    #[test]
    fn only_scalars_that_are_assigned_are_watched() {
        let text = "global g: i32 = 0; fn f(a: i32, b: i32, c: i32) -> u32 {
            var t: [i32; 2] = [0, 0];
            entry: b = a; t[0] = 1; g = 2; c = 3; return checksum; }";
        let program = parse("test", text).unwrap();
        let function = &program.functions[0];
        let mut rng = Seed::new(1).rng();
        assert_eq!(choose_watched(function, 0.0, &mut rng), []);
        for _ in 0..20 {
            let watched = choose_watched(function, 1.0, &mut rng);
            assert!(matches!(watched.len(), 1..=2), "{watched:?}");
            assert!(watched.iter().all(|var| [1, 2].contains(&var.index())), "{watched:?}");
        }
        let edited = parse("test", "fn f(c: i32) -> i32 { entry: return c; }").unwrap();
        let watched = [1, 2].map(VarId::new);
        assert_eq!(moved_vars(&watched, function, &edited.functions[0]), [VarId::FIRST]);
    }
}

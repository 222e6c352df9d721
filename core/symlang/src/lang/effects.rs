//! Effects and aliasing: what statements and expressions read and write, and what may overlap.
//!
//! Everything that assumes that two places are different asks here: today two places overlap only
//! if they belong to the same variable, and a call has no effect that shows.

use super::expr::Expr;
use super::function::{Function, Stmt};
use super::place::{Base, Place, PlaceForm, VarRef};
use crate::ids::ExprId;

/// How two places relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// They never share a cell.
    Never,
    /// They may share a cell.
    Maybe,
    /// They are the same cells.
    Same,
}

/// How two places of a function relate, whatever the values of indices are.
pub fn overlap(a: &Place, b: &Place) -> Overlap {
    let (Base::Var(a_var), Base::Var(b_var)) = (a.base(), b.base());
    if a_var != b_var {
        return Overlap::Never;
    }
    match (a.form(), b.form()) {
        (PlaceForm::Scalar(_), PlaceForm::Scalar(_)) => Overlap::Same,
        // Indices are not compared; an array and its element share a cell.
        (PlaceForm::Element(..), PlaceForm::Element(..))
        | (PlaceForm::Scalar(_), PlaceForm::Element(..))
        | (PlaceForm::Element(..), PlaceForm::Scalar(_)) => Overlap::Maybe,
    }
}

/// Whether a statement gives every cell of `var` a new value.
pub fn overwrites(stmt: &Stmt, var: VarRef) -> bool {
    let Stmt::Assign { place, .. } = stmt;
    match place.form() {
        PlaceForm::Scalar(assigned) => assigned == var,
        // One of perhaps many cells.
        PlaceForm::Element(..) => false,
    }
}

/// Whether a statement may write a cell of `var`.
pub fn may_write(stmt: &Stmt, var: VarRef) -> bool {
    let Stmt::Assign { place, .. } = stmt;
    may_write_place(place, var)
}

/// Whether an assignment to `place` may write a cell of `var`.
pub fn may_write_place(place: &Place, var: VarRef) -> bool {
    let Base::Var(assigned) = place.base();
    assigned == var
}

/// Calls `visit` on every place that may be read while the expression at `root` is evaluated; an
/// element comes before what its index reads.
/// Functions that are called read and write nothing that the caller can tell.
pub fn for_each_read(function: &Function, root: ExprId, visit: &mut impl FnMut(&Place)) {
    let expr = function.expr(root);
    if let Expr::Read(place) = expr {
        visit(place);
    }
    for operand in expr.operands() {
        for_each_read(function, operand, visit);
    }
}

/// Whether a cell of `var` may be read while the expression at `root` is evaluated.
pub fn may_read(function: &Function, root: ExprId, var: VarRef) -> bool {
    let mut found = false;
    for_each_read(function, root, &mut |place| {
        let Base::Var(read) = place.base();
        found |= read == var;
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{GlobalId, VarId};
    use crate::lang::text::parse;

    #[test]
    fn places_of_one_variable_overlap() {
        let [x, y] = [0, 1].map(|at| VarRef::Var(VarId::new(at)));
        let global = VarRef::Global(GlobalId::FIRST);
        let at = |var, index| Place::element(var, ExprId::new(index));
        assert_eq!(overlap(&Place::scalar(x), &Place::scalar(x)), Overlap::Same);
        assert_eq!(overlap(&Place::scalar(x), &Place::scalar(y)), Overlap::Never);
        assert_eq!(overlap(&Place::scalar(x), &Place::scalar(global)), Overlap::Never);
        assert_eq!(overlap(&at(x, 0), &at(x, 1)), Overlap::Maybe);
        assert_eq!(overlap(&at(x, 0), &at(y, 0)), Overlap::Never);
    }

    #[test]
    fn reads_are_found_in_indices_and_arguments() {
        let text = "fn f(a: i32, b: i32) -> i32 { var c: [i32; 2] = [0, 0];
            entry: c[a] = g(c[b]); return a; }
            fn g(x: i32) -> i32 { entry: return x; }";
        let program = parse("test", text).unwrap();
        let function = &program.functions[0];
        let stmt = &function.blocks[0].stmts[0];
        let roots: Vec<ExprId> = stmt.roots().collect();
        let [a, b, c] = [0, 1, 2].map(|at| VarRef::Var(VarId::new(at)));
        let reads = |root| [a, b, c].map(|var| may_read(function, root, var));
        assert_eq!(reads(roots[0]), [true, false, false]);
        assert_eq!(reads(roots[1]), [false, true, true]);
        assert!(may_write(stmt, c) && !overwrites(stmt, c) && !may_write(stmt, a));
    }
}

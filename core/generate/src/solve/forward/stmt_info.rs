//! Statements with what drawing needs to know of them.

use super::draw::Bias;
use super::eval_context::{EvalContext, Undefined};
use super::roles::{Additive, HoleSite, additive, collect_stmt};
use super::states::Replaced;
use pathsmith_symlang::ExprId;
use pathsmith_symlang::lang::{
    BinOp, Expr, Place, PlaceForm, ScalarTy, Stmt, ValueTy, VarRef, effects,
};

/// A statement with what drawing needs to know of it.
pub(super) struct StmtInfo {
    pub(super) place: Place,
    pub(super) value: ExprId,
    pub(super) sites: Vec<HoleSite>,
    pub(super) additive: Option<Additive>,
    /// `v = v + ?s`, in which `?s` has to leave room for every visit.
    pub(super) is_step: bool,
    pub(super) elem: ScalarTy,
    pub(super) ty: ValueTy,
    pub(super) bias: Bias,
}

/// What drawing needs to know of `stmt`.
pub(super) fn stmt_info(ctx: &EvalContext<'_>, stmt: &Stmt) -> StmtInfo {
    let function = ctx.function;
    let mut sites = Vec::with_capacity(8);
    collect_stmt(ctx, stmt, &mut sites);
    let Stmt::Assign { place, value } = stmt;
    let is_step = match (function.expr(*value), place.form()) {
        (Expr::Binary(BinOp::Add, lhs, rhs), PlaceForm::Scalar(_)) => {
            matches!(function.expr(*lhs), Expr::Read(read) if read == place)
                && matches!(function.expr(*rhs), Expr::Hole(..))
        }
        (_, PlaceForm::Scalar(_) | PlaceForm::Element(..)) => false,
    };
    let elem = ctx.program.var(function, place.var()).ty.cell_ty();
    let ty = ctx.ty(*value);
    StmtInfo {
        place: place.clone(),
        value: *value,
        additive: additive(function, *value),
        is_step,
        elem,
        ty,
        sites,
        bias: 0,
    }
}

/// The variables that a statement reads.
pub(super) fn reads(ctx: &EvalContext<'_>, info: &StmtInfo) -> Vec<VarRef> {
    let mut reads = Vec::new();
    for root in [info.value].into_iter().chain(info.place.indices()) {
        effects::for_each_read(ctx.function, root, &mut |place| {
            if !reads.contains(&place.var()) {
                reads.push(place.var());
            }
        });
    }
    reads
}

/// Runs a statement whose holes all have values, and returns what it replaces.
pub(super) fn assign(
    ctx: &EvalContext<'_>,
    info: &StmtInfo,
    cells: &mut [i64],
    holes: &[Option<i64>],
) -> Result<Replaced, Undefined> {
    let cell = ctx.cell(&info.place, &*cells, holes)?;
    let value = ctx.eval(info.value, &*cells, holes)?;
    Ok(Replaced::by(cells, cell, info.elem.stored(value)))
}

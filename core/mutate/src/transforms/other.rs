//! Free mutations: another constant, operator, type, edge or order of statements. The interpreter
//! finds what the outputs are then.

use pathsmith_edit::{Claim, Draft, Transform, choose_float};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, FloatTy, IntTy, ScalarTy, Term, UnOp, ValueTy, WordTy,
};
use pathsmith_symlang::{BlockId, ExprId, Rng};
use rand::RngExt;

use crate::edits::redirect;
use crate::profile::Point;
use crate::sites::{Edge, choose_from, choose_site};
use crate::subject::Subject;

/// Declares a transform that claims nothing of the outputs.
macro_rules! free {
    ($(#[doc = $doc:literal])+ $Name:ident, $name:literal, $edit:path) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug)]
        pub(super) struct $Name;

        impl Transform for $Name {
            type Profile = Subject;

            fn name(&self) -> &'static str {
                $name
            }

            fn claim(&self) -> Claim {
                Claim::Free
            }

            fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
                $edit(draft, subject, rng).is_some()
            }
        }
    };
}

free!(
    /// Puts another constant in the place of one.
    OtherConstant, "other-constant", other_constant
);
free!(
    /// Puts another operator in the place of one.
    OtherOperator, "other-operator", other_operator
);
free!(
    /// Casts a value to another type and back, or changes the type of a cast.
    OtherType, "other-type", other_type
);
free!(
    /// Leads an edge to another block.
    OtherEdge, "other-edge", other_edge
);
free!(
    /// Exchanges two statements of a block.
    OtherOrder, "other-order", other_order
);

/// An expression that runs and `fits`.
fn choose_live_expr(
    draft: &Draft,
    subject: &Subject,
    rng: &mut Rng,
    fits: impl Fn(&Expr) -> bool,
) -> Option<(Point, ExprId)> {
    choose_site(&subject.sites.exprs, rng, |(point, expr)| {
        !subject.profile.states(*point).is_empty()
            && fits(draft.program.function(point.function).expr(*expr))
    })
}

fn other_constant(draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> Option<()> {
    let (point, id) = choose_live_expr(draft, subject, rng, |expr| matches!(expr, Expr::Const(_)))?;
    let function = draft.function(point.function);
    let Expr::Const(old) = *function.expr(id) else { return None };
    let word = match old.ty() {
        ValueTy::Int(ty) => other_int(ty, old.word(), rng),
        ValueTy::Float(ty) => other_float(ty, old.word(), rng),
    };
    let new = Const::new(old.ty(), word);
    *function.expr_mut(id) = Expr::Const(new);
    (new != old).then_some(())
}

fn other_int(ty: WordTy, word: i64, rng: &mut Rng) -> i64 {
    match choose_below(7, rng) {
        0 => word.wrapping_add(1),
        1 => word.wrapping_sub(1),
        2 => word.wrapping_neg(),
        3 => word ^ (1 << rng.random_range(0..ty.bits())),
        4 => word.wrapping_shl(1),
        5 => rng.random_range(-2..=16),
        _ => word >> 1,
    }
}

fn other_float(ty: FloatTy, word: i64, rng: &mut Rng) -> i64 {
    let value = ty.value(word);
    match choose_below(8, rng) {
        // The numbers next to it.
        0 => word.wrapping_add(1),
        1 => word.wrapping_sub(1),
        2 => ty.word(-value),
        3 => ty.word(value + 1.0),
        4 => ty.word(value * 2.0),
        5 => ty.word(value.trunc()),
        6 => ty.word(value / 2.0),
        _ => choose_float(ty, 10, rng),
    }
}

fn other_operator(draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> Option<()> {
    let (point, id) = choose_live_expr(draft, subject, rng, |expr| {
        matches!(expr, Expr::Unary(..) | Expr::Binary(..))
    })?;
    let program = &draft.program;
    let function = program.function(point.function);
    let ty = match function.expr(id) {
        Expr::Unary(_, a) | Expr::Binary(_, a, _) => program.expr_ty(function, *a),
        Expr::Const(_)
        | Expr::Hole(..)
        | Expr::Read(_)
        | Expr::Select(..)
        | Expr::Cast(..)
        | Expr::Call(..) => return None,
    };
    let function = draft.function(point.function);
    match function.expr_mut(id) {
        Expr::Unary(op, _) => {
            let others: Vec<UnOp> = UnOp::ALL
                .into_iter()
                .filter(|new| new.takes(ty) && new.result_ty(ty) == op.result_ty(ty) && new != op)
                .collect();
            *op = choose_from(&others, rng)?;
        }
        Expr::Binary(op, a, b) => {
            if choose_bool(0.2, rng) {
                std::mem::swap(a, b);
                return Some(());
            }
            let others: Vec<BinOp> = BinOp::ALL
                .into_iter()
                .filter(|new| new.takes(ty) && new.result() == op.result() && new != op)
                .collect();
            match choose_from(&others, rng) {
                Some(new) => *op = new,
                None => std::mem::swap(a, b),
            }
        }
        Expr::Const(_)
        | Expr::Hole(..)
        | Expr::Read(_)
        | Expr::Select(..)
        | Expr::Cast(..)
        | Expr::Call(..) => return None,
    }
    Some(())
}

fn other_type(draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> Option<()> {
    let (point, id) = choose_live_expr(draft, subject, rng, |expr| {
        matches!(expr, Expr::Read(_) | Expr::Cast(..) | Expr::Unary(..) | Expr::Binary(..))
    })?;
    let program = &draft.program;
    let ty = program.expr_ty(program.function(point.function), id);
    let narrow = match ty {
        ValueTy::Int(_) => ScalarTy::Int(IntTy::ALL[choose_below(IntTy::ALL.len(), rng)]),
        ValueTy::Float(_) => ScalarTy::ALL[choose_below(ScalarTy::ALL.len(), rng)],
    };
    let function = draft.function(point.function);
    if let Expr::Cast(to, _) = function.expr_mut(id)
        && to.widened() == narrow.widened()
    {
        let is_other = *to != narrow;
        *to = narrow;
        return is_other.then_some(());
    }
    let moved = function.add_expr(function.expr(id).clone());
    let cast = function.add_expr(Expr::Cast(narrow, moved));
    *function.expr_mut(id) = Expr::Cast(ty.into(), cast);
    Some(())
}

fn other_edge(draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> Option<()> {
    let edge: Edge = choose_site(&subject.sites.edges, rng, |edge| {
        subject.profile.is_visited(edge.function, edge.from)
    })?;
    let program = &draft.program;
    let n_blocks = program.function(edge.function).blocks.len();
    let others: Vec<BlockId> =
        (1..n_blocks).map(BlockId::new).filter(|to| *to != edge.to && *to != edge.from).collect();
    let to = choose_from(&others, rng)?;
    // An edge that always leads on is kept for some cases.
    let function = draft.function(edge.function);
    match &mut function.blocks[edge.from.index()].term {
        Term::If { then, otherwise, .. } if choose_bool(0.3, rng) => {
            std::mem::swap(then, otherwise);
        }
        Term::Goto(_) | Term::If { .. } | Term::Switch { .. } => redirect(function, &edge, to),
        Term::Return(_) => return None,
    }
    Some(())
}

fn other_order(draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> Option<()> {
    let program = &draft.program;
    let point = choose_site(&subject.sites.live, rng, |point| {
        point.at + 1 < program.function(point.function).block(point.block).stmts.len()
    })?;
    let block = &mut draft.function(point.function).blocks[point.block.index()];
    let n_behind = block.stmts.len() - point.at - 1;
    let other = point.at + 1 + choose_below(n_behind, rng);
    block.stmts.swap(point.at, other);
    Some(())
}

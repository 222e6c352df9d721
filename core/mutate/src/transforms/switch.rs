//! An `if` as a `switch`, and a `switch` as a chain of `if`s.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::lang::{
    BinOp, Const, ConstOrHole, Expr, Function, Place, Scalar, Term, ValueTy,
};
use pathsmith_symlang::{ExprId, Rng};

use crate::sites::{add_block, add_local, assign, blocks, choose_from};
use crate::subject::Subject;

/// Turns an `if` into a `switch`, or a `switch` into `if`s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch;

impl Transform for Switch {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "switch"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, _: &Subject, rng: &mut Rng) -> bool {
        let decides = |term: &Term| match term {
            Term::If { .. } | Term::Switch { .. } => true,
            Term::Goto(_) | Term::Return(_) => false,
        };
        let mut all = blocks(&draft.program);
        all.retain(|(id, block)| decides(&draft.program.function(*id).block(*block).term));
        let Some((id, block)) = choose_from(&all, rng) else { return false };
        match draft.program.function(id).block(block).term.clone() {
            Term::If { cond, then, otherwise } => {
                let ty = draft.program.expr_ty(draft.program.function(id), cond);
                let zero = ConstOrHole::Const(Scalar::new(ty.stored_as(), 0));
                let term = Term::Switch { on: cond, cases: vec![(zero, otherwise)], default: then };
                draft.function(id).blocks[block.index()].term = term;
            }
            Term::Switch { on, cases, default } => {
                let ty = draft.program.expr_ty(draft.program.function(id), on);
                let kept = add_local(draft, id, ty.stored_as(), 0);
                let function = draft.function(id);
                let chain = cases.iter().rev().fold(default, |next, (label, target)| {
                    let read = function.add_expr(Expr::Read(Place::scalar(kept)));
                    let cond = equals(function, read, ty, label);
                    add_block(
                        function,
                        Vec::new(),
                        Term::If { cond, then: *target, otherwise: next },
                    )
                });
                let block = &mut function.blocks[block.index()];
                block.stmts.push(assign(kept, on));
                block.term = Term::Goto(chain);
            }
            Term::Goto(_) | Term::Return(_) => return false,
        }
        true
    }
}

fn equals(function: &mut Function, value: ExprId, ty: ValueTy, label: &ConstOrHole) -> ExprId {
    let label = match label {
        ConstOrHole::Const(label) => Expr::Const(Const::new(ty, label.word())),
        ConstOrHole::Hole(hole) => Expr::Hole(*hole, ty),
    };
    let label = function.add_expr(label);
    function.add_expr(Expr::Binary(BinOp::Eq, value, label))
}

//! Guesses that make a question easier, tried before the whole question.
//!
//! What makes a question hard for Z3 is products of unknowns. But a path leaves most values free:
//! with random ones for many of the holes that make up the state, and Z3 left to find the others
//! and those that steer branches, it usually stays possible. A guess that turns out wrong proves
//! nothing, so it costs a little time and no more.

use rand::RngExt;

use super::encode::cell_ty;
use crate::solve::{Model, Task};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{BinOp, ConstOrHole, Expr, Function, IntTy, Scalar, Stmt, ValueTy};
use pathsmith_symlang::{ExprId, HoleId};

/// The values that make up the state along a path: what guesses are made about. The function has
/// no floating-point numbers.
#[derive(Debug)]
pub(super) struct StateHoles {
    holes: Vec<(HoleId, IntTy, HoleRole)>,
    params: Vec<IntTy>,
}

/// What a hole does to the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HoleRole {
    /// It scales a value.
    Factor,
    /// It counts bits.
    Count,
    /// It adds to a value, or is one.
    Other,
}

impl StateHoles {
    /// The parameters, and the holes in initial values and on the path, as far as `known` does not
    /// know them. Of those that decide where a block leads, only what scales a value is among them:
    /// the others are left to be found.
    pub(super) fn new(task: &Task<'_>, known: &Model) -> Self {
        let function = task.program.function(task.function);
        let params = function.params().iter().map(cell_ty).collect();
        let mut found = Self { holes: Vec::new(), params };
        for var in &function.vars {
            for fill in &var.init {
                if let ConstOrHole::Hole(hole) = fill {
                    found.holes.push((*hole, cell_ty(var), HoleRole::Other));
                }
            }
        }
        let mut on_path = vec![false; function.blocks.len()];
        for block in task.path.blocks() {
            if let Some(on_path) = on_path.get_mut(block.index()) {
                *on_path = true;
            }
        }
        let visited = std::iter::zip(&function.blocks, on_path).filter(|(_, on_path)| *on_path);
        for (block, _) in visited {
            for stmt in &block.stmts {
                let Stmt::Assign { value, .. } = stmt;
                found.add(function, *value, HoleRole::Other);
            }
            if let Some(root) = block.term.root() {
                let state = std::mem::take(&mut found.holes);
                found.add(function, root, HoleRole::Other);
                found.holes.retain(|(_, _, role)| *role != HoleRole::Other);
                found.holes.extend(state);
            }
        }
        found.holes.retain(|(hole, _, _)| known.hole(*hole).is_none());
        found
    }

    fn add(&mut self, function: &Function, id: ExprId, role: HoleRole) {
        use BinOp::{
            Add, Addsat, And, Cmp, Copysign, Div, Eq, Ge, Gt, Le, Lt, Max, Min, Mul, Mulh, Ne, Or,
            Rem, Rotl, Rotr, Shl, Shr, Sub, Subsat, Xor,
        };
        match function.expr(id) {
            Expr::Hole(hole, ValueTy::Int(ty)) => self.holes.push((*hole, (*ty).into(), role)),
            Expr::Binary(op, lhs, rhs) => {
                let role = match op {
                    Mul | Mulh | Div | Rem => HoleRole::Factor,
                    Shl | Shr | Rotl | Rotr => HoleRole::Count,
                    Add | Sub | And | Or | Xor | Min | Max => HoleRole::Other,
                    Addsat | Subsat | Cmp | Copysign => HoleRole::Other,
                    Eq | Ne | Lt | Le | Gt | Ge => HoleRole::Other,
                };
                self.add(
                    function,
                    *lhs,
                    if role == HoleRole::Count { HoleRole::Other } else { role },
                );
                self.add(function, *rhs, role);
            }
            expr => {
                expr.operands().for_each(|operand| self.add(function, operand, HoleRole::Other))
            }
        }
    }

    /// Whether there is nothing to guess.
    pub(super) fn is_empty(&self) -> bool {
        self.holes.is_empty()
    }

    /// `known`, with guesses for this share of what it does not know.
    pub(super) fn guess(&self, known: &Model, share: f64, rng: &mut Rng) -> Model {
        let mut model = known.clone();
        for (hole, ty, role) in &self.holes {
            if model.hole(*hole).is_none() && choose_bool(share, rng) {
                if model.holes.len() <= hole.index() {
                    model.holes.resize(hole.index() + 1, None);
                }
                model.holes[hole.index()] = Some(Scalar::new(*ty, role.choose_value(*ty, rng)));
            }
        }
        for (arg, ty) in std::iter::zip(&mut model.args, &self.params) {
            if arg.is_none() && choose_bool(share, rng) {
                *arg = Some(Scalar::new(*ty, HoleRole::Other.choose_value(*ty, rng)));
            }
        }
        model
    }
}

impl HoleRole {
    /// Draws a value that keeps what it is used on in bounds more often than not.
    fn choose_value(self, ty: IntTy, rng: &mut Rng) -> i64 {
        let size = match self {
            Self::Factor => [1, 1, 2, 3, 10][choose_below(5, rng)],
            Self::Count => return choose_below(ty.bits() as usize, rng) as i64,
            Self::Other => [3, 100, 10_000, 1_000_000][choose_below(4, rng)],
        };
        let value = rng.random_range(1..=size);
        ty.wrap(if choose_bool(0.5, rng) { -value } else { value })
    }
}

//! Programs that claim nothing.
//!
//! What only has to be compiled need not be defined. So rules of definedness are broken all over a
//! program that was solved, on its path as well, and its realizations are given up: nobody knows
//! what it does then. A compiler has to come to an end with it all the same.

use rand::RngExt;

use crate::values::Relaxations;
use pathsmith_edit::{Claim, Draft, Transform, transformed};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, Place, PlaceForm, Program, RecursionGuard, Term,
};
use pathsmith_symlang::semantics::Limits;
use pathsmith_symlang::{ExprId, FuncId};

/// Breaks rules of definedness all over a program, and gives up its realizations.
#[derive(Clone, Copy, Debug)]
struct BreakRules;

impl Transform for BreakRules {
    /// What only has to be compiled needs no profile.
    type Profile = ();

    fn name(&self) -> &'static str {
        "break-rules"
    }

    fn claim(&self) -> Claim {
        Claim::Nothing
    }

    fn edit(&self, draft: &mut Draft, (): &(), rng: &mut Rng) -> bool {
        for id in (0..draft.program.functions.len()).map(FuncId::new) {
            // A recursion guard of another form would be none.
            if RecursionGuard::of(&draft.program, id).is_none() {
                let relaxed = choose_relaxations(rng);
                draft.function(id).docs.push(describe(&relaxed));
                Breaker { program: &mut draft.program, id, relaxed, rng }.function();
            }
        }
        true
    }
}

/// Breaks rules of definedness all over `program`, which then claims nothing.
pub(super) fn break_rules(program: &mut Program, rng: &mut Rng) {
    let broken = transformed(&BreakRules, program, &(), Limits::default(), rng);
    match broken {
        Ok(broken) => *program = broken,
        Err(_) => program.functions.iter_mut().for_each(|f| f.realizations.clear()),
    }
}

/// Draws which rules are broken, one at least.
fn choose_relaxations(rng: &mut Rng) -> Relaxations {
    loop {
        let relaxed = Relaxations::choose(rng);
        if relaxed != Relaxations::NONE {
            return relaxed;
        }
    }
}

fn describe(relaxed: &Relaxations) -> String {
    let rules = [
        ("overflow", relaxed.overflow),
        ("shifts", relaxed.shifts),
        ("division", relaxed.division),
        ("indices", relaxed.indices),
        ("endless", relaxed.endless),
    ];
    let broken: Vec<&str> =
        rules.iter().filter(|(_, share)| *share > 0.0).map(|(name, _)| *name).collect();
    format!("crash only, nothing is claimed; broken: {}", broken.join(", "))
}

struct Breaker<'a> {
    program: &'a mut Program,
    id: FuncId,
    relaxed: Relaxations,
    rng: &'a mut Rng,
}

impl Breaker<'_> {
    fn function(&mut self) {
        let function = self.program.function(self.id);
        let mut exprs = Vec::new();
        function.for_each_expr(|id, expr| exprs.push((id, expr.clone())));
        let stmts = function.blocks.iter().flat_map(|block| &block.stmts);
        let assigned: Vec<Place> = stmts.map(|stmt| stmt.assigned().clone()).collect();
        for (_, expr) in &exprs {
            match expr {
                Expr::Binary(op, lhs, rhs) => self.operator(*op, *lhs, *rhs),
                Expr::Read(place) => self.index(place),
                Expr::Const(_)
                | Expr::Hole(..)
                | Expr::Unary(..)
                | Expr::Select(..)
                | Expr::Cast(..)
                | Expr::Call(..) => {}
            }
        }
        for place in &assigned {
            self.index(place);
        }
        self.terminators();
    }

    /// The value of a constant, if the expression is one.
    fn constant(&self, id: ExprId) -> Option<Const> {
        match self.program.function(self.id).expr(id) {
            Expr::Const(constant) => Some(*constant),
            _ => None,
        }
    }

    fn replace(&mut self, id: ExprId, old: Const, value: i64) {
        let function = &mut self.program.functions[self.id.index()];
        *function.expr_mut(id) = Expr::Const(Const::new(old.ty(), value));
    }

    /// Constants that operators are undefined for, or that they are likely to overflow with.
    fn operator(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) {
        for operand in [lhs, rhs] {
            let Some(old) = self.constant(operand) else { continue };
            // No operation on floating-point numbers breaks a rule.
            let (Some(ty), is_second) = (old.ty().as_int(), operand == rhs) else { continue };
            let value = match op {
                BinOp::Add | BinOp::Sub | BinOp::Mul => {
                    self.relaxed.choose_overflowing(ty, self.rng)
                }
                BinOp::Div | BinOp::Rem if is_second => {
                    self.relaxed.choose_zero_divisor(self.rng).then_some(0)
                }
                BinOp::Shl | BinOp::Shr if is_second => {
                    self.relaxed.choose_count(ty.bits(), self.rng)
                }
                BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr => None,
                BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Rotl | BinOp::Rotr => None,
                BinOp::Min | BinOp::Max | BinOp::Mulh => None,
                BinOp::Addsat | BinOp::Subsat | BinOp::Cmp | BinOp::Copysign => None,
                BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => None,
            };
            if let Some(value) = value {
                self.replace(operand, old, value);
            }
        }
    }

    /// An index that is a constant, or that a constant keeps within bounds.
    fn index(&mut self, place: &Place) {
        let PlaceForm::Element(var, index) = place.form() else { return };
        let function = self.program.function(self.id);
        let len = self.program.var(function, var).ty.n_cells() as u32;
        let bound = match function.expr(index) {
            Expr::Binary(BinOp::Rem | BinOp::And, _, bound) => *bound,
            _ => index,
        };
        let Some(old) = self.constant(bound) else { return };
        if let Some(ty) = old.ty().as_int()
            && let Some(value) = self.relaxed.choose_index(ty, len, self.rng)
        {
            self.replace(bound, old, value);
        }
    }

    /// Terminators that lead elsewhere than they did, so that loops need not end.
    fn terminators(&mut self) {
        for block in &mut self.program.functions[self.id.index()].blocks {
            if !choose_bool(self.relaxed.endless, self.rng) {
                continue;
            }
            match &mut block.term {
                Term::If { then, otherwise, .. } => std::mem::swap(then, otherwise),
                Term::Switch { cases, default, .. } if !cases.is_empty() => {
                    let at = self.rng.random_range(0..cases.len() as u32) as usize;
                    std::mem::swap(&mut cases[at].1, default);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::config::GenConfig;
    use crate::pipeline::{generate_leaf, generate_program};
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::dialect::Dialect;
    use pathsmith_symlang::lang::text::parse;
    use pathsmith_symlang::lang::{Program, validate};

    fn check(program: &Program) {
        assert_eq!(validate(program), []);
        assert!(program.functions.iter().all(|function| function.realizations.is_empty()));
        assert_eq!(&parse("again", &program.to_string()).unwrap(), program);
    }

    #[test]
    fn what_is_broken_is_valid_and_claims_nothing() {
        let mut config = GenConfig { crash_only: true, ..GenConfig::default() };
        config.link.functions = 4;
        for dialect in Dialect::ALL {
            for number in 0..50 {
                if let Ok(leaf) = generate_leaf(&config, dialect, Seed::new(5), number) {
                    check(&leaf.program);
                    let docs = &leaf.program.functions[0].docs;
                    assert!(docs.iter().any(|doc| doc.starts_with("crash only")), "{docs:?}");
                }
            }
            for number in 0..10 {
                check(&generate_program(&config, dialect, Seed::new(5), number).unwrap().program);
            }
        }
    }

    #[test]
    fn most_functions_are_not_what_they_were() {
        let plain = GenConfig::default();
        let config = GenConfig { crash_only: true, ..GenConfig::default() };
        let mut n_changed = 0;
        for number in 0..50 {
            let made = |config| generate_leaf(config, Dialect::C, Seed::new(5), number).ok();
            if let (Some(before), Some(after)) = (made(&plain), made(&config)) {
                let body = |program: &Program| {
                    let mut function = program.functions[0].clone();
                    function.realizations.clear();
                    function.docs.clear();
                    function
                };
                n_changed += u32::from(body(&before.program) != body(&after.program));
            }
        }
        assert!(n_changed > 25, "{n_changed}");
    }
}

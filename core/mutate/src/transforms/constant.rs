//! Constants as expressions of variables.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::{Expr, ValueTy};

use crate::sites::choose_from;
use crate::subject::Subject;
use crate::synth::Synth;
use crate::transforms::identity::sites;

/// How many constants are tried. A guess.
const N_TRIES: usize = 8;

/// Replaces a constant by an expression that has its value in all states that were seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constant;

impl Transform for Constant {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "constant"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        let profile = &subject.profile;
        let mut all = sites(&draft.program);
        let program = &draft.program;
        all.retain(|(point, expr)| {
            matches!(program.function(point.function).expr(*expr), Expr::Const(_))
        });
        for _ in 0..N_TRIES {
            let Some((point, expr)) = choose_from(&all, rng) else { return false };
            let Expr::Const(constant) = draft.program.function(point.function).expr(expr) else {
                continue;
            };
            let (ValueTy::Int(ty), word) = (constant.ty(), constant.word());
            let Some(synth) = Synth::new(&draft.program, profile, point) else { continue };
            let Some(made) = synth.choose_constant_valued(ty, word, subject.sizes.expr_depth, rng)
            else {
                continue;
            };
            let function = draft.function(point.function);
            let root = made.install(function);
            let replacement = function.expr(root).clone();
            *function.expr_mut(expr) = replacement;
            return true;
        }
        false
    }
}

//! Constants as expressions of variables.

use pathsmith_edit::{Claim, Draft, Transform};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::Expr;

use crate::sites::choose_site;
use crate::subject::Subject;
use crate::synth::Synth;

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
        for _ in 0..N_TRIES {
            let program = &draft.program;
            let site = choose_site(&subject.sites.exprs, rng, |(point, expr)| {
                profile.states(*point).len().is_some_and(|n| n > 0)
                    && matches!(program.function(point.function).expr(*expr), Expr::Const(_))
            });
            let Some((point, expr)) = site else { return false };
            let Expr::Const(constant) = draft.program.function(point.function).expr(expr) else {
                continue;
            };
            let (ty, word) = (constant.ty(), constant.word());
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

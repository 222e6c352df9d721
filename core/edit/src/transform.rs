//! Transformations of programs, and what each of them promises.

use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::semantics::Limits;
use thiserror::Error;

use crate::draft::Draft;
use crate::recompute::{is_valid, recompute_realizations};

/// A change of programs.
///
/// A transform edits a draft, guided by the profile of the program (what its realizations were seen
/// to do) and by random choices. It need not care what the edit does to realizations:
/// [`transformed`] runs them again and holds the result against the transform's [`Claim`].
pub trait Transform {
    /// What it wants to know of a program.
    type Profile;

    /// Its name in configs, headers and findings.
    fn name(&self) -> &'static str;

    /// What it promises of realizations.
    fn claim(&self) -> Claim;

    /// Edits `draft`, which holds the program that `profile` was taken of. Returns false if there is
    /// nothing to edit; the draft is then thrown away.
    fn edit(&self, draft: &mut Draft, profile: &Self::Profile, rng: &mut Rng) -> bool;
}

/// What a transform promises of a program's realizations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// All of them end as before. If one does not, the transform is wrong.
    Equivalent,
    /// They have new endings, which the interpreter finds; if one is undefined then, the edit is
    /// dropped.
    Free,
    /// Nothing: the program is only compiled, and has no realizations any more.
    Nothing,
}

/// Why there is no transformed program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum Rejected {
    /// The transform found nothing to edit.
    #[error("there is nothing to edit")]
    NothingToEdit,
    /// The edits contradict each other, or break a rule of the language.
    #[error("the edited program is not valid")]
    Invalid,
    /// A realization is undefined now, or does not end within the limits.
    #[error("a realization is undefined or does not end")]
    Undefined,
    /// A realization ends otherwise than before, although the transform promises that none does.
    #[error("a realization ends otherwise than before: the transform is wrong")]
    NotEquivalent,
}

/// The program that `transform` makes of `program`, with the paths and endings that its realizations
/// have now. `program` is valid, has a dialect, and `profile` was taken of it.
///
/// # Errors
/// Why there is none.
pub fn transformed<P>(
    transform: &dyn Transform<Profile = P>,
    program: &Program,
    profile: &P,
    limits: Limits,
    rng: &mut Rng,
) -> Result<Program, Rejected> {
    let mut draft = Draft::new(program);
    if !transform.edit(&mut draft, profile, rng) {
        return Err(Rejected::NothingToEdit);
    }
    let mut edited = draft.finish().ok_or(Rejected::Invalid)?.program;
    if !is_valid(&mut edited) {
        return Err(Rejected::Invalid);
    }
    match transform.claim() {
        Claim::Nothing => {
            edited.functions.iter_mut().for_each(|function| function.realizations.clear());
            Ok(edited)
        }
        Claim::Free => recompute_realizations(edited, limits).ok_or(Rejected::Undefined),
        Claim::Equivalent => {
            let edited = recompute_realizations(edited, limits).ok_or(Rejected::Undefined)?;
            match same_endings(program, &edited) {
                true => Ok(edited),
                false => Err(Rejected::NotEquivalent),
            }
        }
    }
}

/// Whether all realizations of `before` are in `after`, in order, and end alike. They leave the
/// same in memory, too, if they say so.
pub(crate) fn same_endings(before: &Program, after: &Program) -> bool {
    let realized = |program: &Program| -> Vec<_> {
        program.functions.iter().flat_map(|f| f.realizations.clone()).collect()
    };
    let (before, after) = (realized(before), realized(after));
    before.len() == after.len()
        && std::iter::zip(before, after)
            .all(|(a, b)| a.args == b.args && a.same_result(b.ending, b.leaving))
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;
    use pathsmith_symlang::lang::{BinOp, Const, Expr, WordTy};
    use pathsmith_symlang::{FuncId, Seed};

    use super::*;
    use crate::facts::Facts;

    const TEXT: &str = "dialect c;
        fn f(a: i32) -> i32 { entry: return a + 1; }
        realize f(2) = 3 via entry;";

    /// Puts another constant or operator into the only sum.
    struct Change(Claim, BinOp, i64);

    impl Transform for Change {
        type Profile = Facts;

        fn name(&self) -> &'static str {
            "change"
        }

        fn claim(&self) -> Claim {
            self.0
        }

        fn edit(&self, draft: &mut Draft, profile: &Facts, _: &mut Rng) -> bool {
            let mut sum = None;
            draft.program.functions[0].for_each_expr(|id, expr| {
                if let Expr::Binary(_, a, b) = expr {
                    sum = Some((id, *a, *b));
                }
            });
            let Some((id, a, b)) = sum else { return false };
            assert!(profile.seen(FuncId::FIRST, id).is_some_and(|seen| seen.first == 3));
            draft.put_constant(FuncId::FIRST, b, Const::new(WordTy::I32, self.2));
            *draft.function(FuncId::FIRST).expr_mut(id) = Expr::Binary(self.1, a, b);
            true
        }
    }

    fn apply(change: Change) -> Result<String, Rejected> {
        let program = parse("test", TEXT).unwrap();
        let (profile, limits) = (Facts::new(&program), Limits::default());
        let rng = &mut Seed::new(1).rng();
        transformed(&change, &program, &profile, limits, rng).map(|program| program.to_string())
    }

    #[test]
    fn what_a_transform_claims_is_checked() {
        let free = apply(Change(Claim::Free, BinOp::Add, 5)).unwrap();
        assert!(free.contains("realize f(2) = 7 via entry;"), "{free}");
        let same = apply(Change(Claim::Equivalent, BinOp::Sub, -1)).unwrap();
        assert!(same.contains("a - -1") && same.contains("f(2) = 3"), "{same}");
        let other = apply(Change(Claim::Equivalent, BinOp::Add, 5));
        assert_eq!(other, Err(Rejected::NotEquivalent));
        let undefined = apply(Change(Claim::Free, BinOp::Div, 0));
        assert_eq!(undefined, Err(Rejected::Undefined));
        let unclaimed = apply(Change(Claim::Nothing, BinOp::Div, 0)).unwrap();
        assert!(!unclaimed.contains("realize"), "{unclaimed}");
    }

    #[test]
    fn what_cannot_be_edited_is_said() {
        let program = parse("test", &TEXT.replace("a + 1", "3")).unwrap();
        let change = Change(Claim::Free, BinOp::Add, 1);
        let rng = &mut Seed::new(1).rng();
        let edited = transformed(&change, &program, &Facts::new(&program), Limits::default(), rng);
        assert_eq!(edited, Err(Rejected::NothingToEdit));
    }
}

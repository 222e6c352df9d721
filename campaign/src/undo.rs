//! Undoing transforms: the first step of reducing a variant. Which of them the finding needs says
//! what it is about, and the others need not be reduced away.

use pathsmith_backend::ProgramOptions;
use pathsmith_mutate::Mutator;
use pathsmith_symlang::lang::{Program, function_name};

use crate::error::CampaignError;
use crate::family::Family;
use crate::finding::Finding;
use crate::mutation::origin::Origin;
use crate::mutation::rename::named;
use crate::mutation::variant::variant_limits;
use crate::reduce::{Reduced, ReductionRun};
use crate::reproducer::Reproducer;

impl<F: Family> ReductionRun<'_, F> {
    /// Undoes all transforms, or else one after another, as long as the finding shows. Notes which of
    /// them it needs.
    pub(crate) fn undo_transforms(
        &mut self,
        on_step: &mut dyn FnMut(Reduced),
    ) -> Result<(), CampaignError> {
        let Some(origin) = self.job.finding.origin.clone() else { return Ok(()) };
        if origin.needed.is_some() {
            return Ok(());
        }
        let history = History::new(&origin, &self.job.finding);
        let all: Vec<usize> = (0..origin.lineage.steps.len()).collect();
        // A finding that takes several cases together is not about this program alone.
        let made_again = history.without(&all, &[]);
        if made_again.is_none_or(|(program, _)| program != self.job.finding.program) {
            return Ok(());
        }
        let mut kept = all.clone();
        if !self.undo(&history, &mut kept, &all, on_step)? {
            let mut is_smaller = true;
            while is_smaller && kept.len() > 1 {
                is_smaller = false;
                // The last one first: the others then still apply as they did.
                for step in kept.clone().into_iter().rev() {
                    if (self.is_over)() {
                        return Ok(());
                    }
                    is_smaller |=
                        kept.contains(&step) && self.undo(&history, &mut kept, &[step], on_step)?;
                }
            }
        }
        if let Some(origin) = &mut self.job.finding.origin {
            origin.needed = Some(kept);
        }
        Ok(())
    }

    /// Undoes some of the steps that are left, if the finding shows without them.
    fn undo(
        &mut self,
        history: &History,
        kept: &mut Vec<usize>,
        undone: &[usize],
        on_step: &mut dyn FnMut(Reduced),
    ) -> Result<bool, CampaignError> {
        let Some((program, applied)) = history.without(kept, undone) else { return Ok(false) };
        let candidate = Reproducer {
            options: self.best.options.fitted(&self.best.program, &program),
            program,
            target: self.best.target.clone(),
        };
        let shown = self.first_that_shows(std::slice::from_ref(&candidate))?;
        if shown.is_some() {
            *kept = applied;
            self.keep(&candidate, "transforms", on_step)?;
        }
        Ok(shown.is_some())
    }
}

/// What a variant was made of, and what of it a finding is about.
struct History<'a> {
    origin: &'a Origin,
    mutator: Mutator,
    /// The number of the case, after which what transforms add is called.
    number: u64,
    finding: Program,
}

impl<'a> History<'a> {
    fn new(origin: &'a Origin, finding: &Finding) -> Self {
        let mutator = Mutator::new(&origin.program, variant_limits());
        Self { origin, mutator, number: finding.number, finding: finding.program.clone() }
    }

    /// The program that the steps `kept` without those `undone` make, with the realizations of the
    /// finding, and the steps that apply. `None` if it lacks one of these realizations, or breaks a
    /// rule.
    fn without(&self, kept: &[usize], undone: &[usize]) -> Option<(Program, Vec<usize>)> {
        let left: Vec<usize> = kept.iter().copied().filter(|at| !undone.contains(at)).collect();
        let lineage = self.origin.lineage.retaining(|at| left.contains(&at));
        let replayed = self.mutator.replay(&lineage);
        let case = function_name(self.number);
        let program = named(replayed.program, &self.origin.program, &case)?;
        let program = with_realizations_of(program, &self.finding)?;
        let applied = std::iter::zip(left, replayed.applied);
        Some((program, applied.filter(|(_, is_applied)| *is_applied).map(|(at, _)| at).collect()))
    }
}

/// A program with those of its realizations that `other` has, too: of functions of the same name, with
/// the same arguments. `None` if there are fewer.
fn with_realizations_of(mut program: Program, other: &Program) -> Option<Program> {
    let mut n_kept = 0;
    for function in &mut program.functions {
        let known = other.function_named(&function.name).map(|id| other.function(id));
        let is_known = |args: &[_]| {
            known.is_some_and(|known| known.realizations.iter().any(|one| one.args == args))
        };
        function.realizations.retain(|realization| is_known(&realization.args));
        n_kept += function.realizations.len();
    }
    let n_wanted: usize = other.functions.iter().map(|one| one.realizations.len()).sum();
    (n_kept == n_wanted).then_some(program)
}

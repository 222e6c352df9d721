//! Variants of one program, checked against it.

use std::collections::BTreeSet;
use std::sync::Arc;

use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{Ending, Program, RecursionGuard, Scalar};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome, Visit};
use pathsmith_symlang::{BlockId, FuncId, Rng};

use crate::draft::Draft;
use crate::reach::Reach;
use crate::recompute::{ends_alike, is_valid, is_valid_but_for, recompute_realizations};
use crate::transform::{Claim, Rejected, Transform, same_endings};

/// A call of a function.
type Call = (FuncId, Vec<Scalar>);

/// A variant that may do something else is given up when it takes so many times the steps of the
/// longest run of the program; it mostly hangs then. A guess.
const MAX_SLOWDOWN: u64 = 50;

/// It may always take so many. A guess: a checksum loop in the place of a short path.
const MIN_FREE_STEPS: u64 = 20_000;

/// A program of which variants are made. What all of them share is found out once: its code, what it
/// leads to, and the calls that recursion guards do not pass on. Of a variant, only what the edit can
/// have changed is run again.
#[derive(Clone, Debug)]
pub struct Baseline {
    program: Arc<Program>,
    limits: Limits,
    /// The limits of variants that may do something else.
    free_limits: Limits,
    reach: Arc<Reach>,
    code: Code,
    /// For each function, whether it leads to each other one.
    leads_to: Vec<Vec<bool>>,
    guards: Vec<Option<RecursionGuard>>,
    /// The calls of recursion guards.
    guard_calls: BTreeSet<Call>,
}

/// An edited program that holds what was claimed.
#[derive(Clone, Debug)]
pub struct Transformed {
    /// The program.
    pub program: Program,
    /// The functions that were changed or added. Nothing if others were removed.
    pub changed: Option<Vec<FuncId>>,
}

impl Baseline {
    /// For a valid program with a dialect, in which all realizations hold.
    pub fn new(program: Arc<Program>, limits: Limits) -> Self {
        let ids = (0..program.functions.len()).map(FuncId::new);
        let guards: Vec<_> = ids.clone().map(|id| RecursionGuard::of(&program, id)).collect();
        let code = Code::new(&program);
        let realizations = program.functions.iter().flat_map(|function| &function.realizations);
        let longest = realizations.map(|known| known.path.len() as u64).max().unwrap_or(0);
        let steps = MIN_FREE_STEPS.max(longest.saturating_mul(MAX_SLOWDOWN)).min(limits.steps);
        let mut baseline = Self {
            reach: Arc::new(Reach::of(&program)),
            leads_to: ids.map(|id| Reach::functions_from(&program, vec![id])).collect(),
            guard_calls: BTreeSet::new(),
            guards,
            code,
            limits,
            free_limits: Limits { steps, ..limits },
            program,
        };
        if baseline.has_guards() {
            baseline.guard_calls = baseline.find_guard_calls();
        }
        baseline
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// A variant by `transform`, with the paths and endings that its realizations have now. `profile`
    /// was taken of the program.
    ///
    /// # Errors
    /// Why there is none.
    pub fn transformed<P>(
        &self,
        transform: &dyn Transform<Profile = P>,
        profile: &P,
        rng: &mut Rng,
    ) -> Result<Transformed, Rejected> {
        let mut draft = Draft::with_reach(&self.program, Arc::clone(&self.reach));
        if !transform.edit(&mut draft, profile, rng) {
            return Err(Rejected::NothingToEdit);
        }
        let (mut edited, changed) = draft.finish_touched().ok_or(Rejected::Invalid)?;
        let is_valid = match &changed {
            Some(changed) => is_valid_but_for(&mut edited, changed),
            None => is_valid(&mut edited),
        };
        if !is_valid {
            return Err(Rejected::Invalid);
        }
        let claim = transform.claim();
        let limits = match claim {
            Claim::Equivalent | Claim::Nothing => self.limits,
            Claim::Free => self.free_limits,
        };
        let program = match &changed {
            Some(changed) if claim == Claim::Equivalent => {
                self.rerun(&mut edited, changed, claim, limits)?;
                edited
            }
            Some(changed) if claim == Claim::Free && !self.has_guards() => {
                self.rerun(&mut edited, changed, claim, limits)?;
                edited
            }
            Some(_) | None => {
                let edited = recompute_realizations(edited, limits).ok_or(Rejected::Undefined)?;
                if claim == Claim::Equivalent && !same_endings(&self.program, &edited) {
                    return Err(Rejected::NotEquivalent);
                }
                edited
            }
        };
        Ok(Transformed { program, changed })
    }

    fn has_guards(&self) -> bool {
        self.guards.iter().any(Option::is_some)
    }

    /// Runs the realizations of all functions that lead to a changed one, and the calls of recursion
    /// guards whose functions do.
    fn rerun(
        &self,
        edited: &mut Program,
        changed: &[FuncId],
        claim: Claim,
        limits: Limits,
    ) -> Result<(), Rejected> {
        let dialect = edited.dialect.ok_or(Rejected::Undefined)?;
        let code = self.code.with_changed(edited, changed);
        let mut machine = Machine::new(&code, dialect);
        let mut new_calls = BTreeSet::new();
        for at in 0..edited.functions.len() {
            let id = FuncId::new(at);
            if !self.is_affected(id, changed) {
                continue;
            }
            for nth in 0..edited.functions[at].realizations.len() {
                let args = edited.functions[at].realizations[nth].args.clone();
                let outcome = self.run(&mut machine, edited, (id, &args), limits, &mut new_calls);
                let ending = outcome.ending().ok_or(Rejected::Undefined)?;
                let leaving = machine.leaving();
                let known = &mut edited.functions[at].realizations[nth];
                if claim == Claim::Equivalent && !known.same_result(ending, leaving) {
                    return Err(Rejected::NotEquivalent);
                }
                if !ends_alike(known.ending, ending) {
                    return Err(Rejected::Undefined);
                }
                known.ending = ending;
                known.leaving = known.leaving.and(leaving);
                known.path = Path::new(machine.path().to_vec());
            }
        }
        let mut checked = BTreeSet::new();
        let affected = self.guard_calls.iter().filter(|(id, _)| {
            self.guards[id.index()].is_some_and(|guard| self.is_affected(guard.body, changed))
        });
        let mut calls: Vec<Call> = affected.cloned().chain(new_calls).collect();
        while let Some((id, args)) = calls.pop() {
            let Some(guard) = self.guards[id.index()] else { continue };
            if !checked.insert((id, args.clone())) {
                continue;
            }
            let mut new_calls = BTreeSet::new();
            let outcome =
                self.run(&mut machine, edited, (guard.body, &args), limits, &mut new_calls);
            match outcome.ending() {
                Some(Ending::Returns(output)) if output.same_result(guard.output) => {}
                Some(Ending::Returns(_)) => return Err(Rejected::NotEquivalent),
                Some(Ending::Traps(_)) | None => return Err(Rejected::Undefined),
            }
            calls.extend(new_calls);
        }
        Ok(())
    }

    /// Whether a function may do something else than before.
    fn is_affected(&self, id: FuncId, changed: &[FuncId]) -> bool {
        // One that was added does not count: what leads to it was changed itself.
        let is_changed = |leads_to: &Vec<bool>| {
            changed.iter().any(|changed| leads_to.get(changed.index()).is_some_and(|to| *to))
        };
        self.leads_to.get(id.index()).is_none_or(is_changed)
    }

    /// A run that notes calls of recursion guards that the program did not have before.
    fn run(
        &self,
        machine: &mut Machine<'_>,
        program: &Program,
        (id, args): (FuncId, &[Scalar]),
        limits: Limits,
        new_calls: &mut BTreeSet<Call>,
    ) -> Outcome {
        if !self.has_guards() {
            return machine.run(id, args, limits);
        }
        let mut note = |visit: &Visit<'_>| {
            if visit.block == BlockId::FIRST
                && self.guards.get(visit.function.index()).is_some_and(Option::is_some)
            {
                let call = (visit.function, arguments(program, visit));
                if !self.guard_calls.contains(&call) {
                    new_calls.insert(call);
                }
            }
        };
        machine.run_observed(id, args, limits, &mut note)
    }

    /// All calls of recursion guards, in runs of all realizations and of what the guards do not pass
    /// on.
    fn find_guard_calls(&self) -> BTreeSet<Call> {
        let Some(dialect) = self.program.dialect else { return BTreeSet::new() };
        let mut machine = Machine::new(&self.code, dialect);
        let mut runs: Vec<Call> = Vec::new();
        for (id, function) in self.program.functions_with_ids() {
            runs.extend(function.realizations.iter().map(|known| (id, known.args.clone())));
        }
        let mut found = BTreeSet::new();
        while let Some((id, args)) = runs.pop() {
            let mut new_calls = BTreeSet::new();
            self.run(&mut machine, &self.program, (id, &args), self.limits, &mut new_calls);
            for (id, args) in new_calls {
                if let Some(guard) = self.guards[id.index()]
                    && found.insert((id, args.clone()))
                {
                    runs.push((guard.body, args));
                }
            }
        }
        found
    }
}

/// What a function is called with, at its entry.
fn arguments(program: &Program, visit: &Visit<'_>) -> Vec<Scalar> {
    let params = program.function(visit.function).params();
    let args = std::iter::zip(params, visit.cells);
    args.map(|(param, word)| Scalar::new(param.ty.cell_ty(), *word)).collect()
}

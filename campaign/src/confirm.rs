//! From what a batch has shown to findings: bisected, and confirmed alone.

use std::collections::BTreeSet;
use std::ops::Range;

use pathsmith_oracles::{Disagreement, Report, Triage, Verdict};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::Program;

use crate::batch::{Batch, Case};
use crate::campaign::{Campaign, Event, Worker};
use crate::error::CampaignError;
use crate::family::{Artifact, Family, Options, Target};
use crate::finding::Finding;
use crate::reproducer::Reproducer;
use crate::store::Flaky;

/// How many cases of one artifact are confirmed for one target. A guess: one bug often hits many.
const MAX_SUSPECTS: usize = 5;
/// How many times in a row something has to show to be confirmed. A guess that keeps most flaky
/// results out.
const N_CONFIRMATIONS: usize = 2;

impl<F: Family> Worker<'_, F> {
    /// Bisects what a batch has shown, and reports it once it is confirmed.
    pub(crate) fn look_closer(
        &mut self,
        batch: &Batch,
        options: &Options<F>,
        target: &Target<F>,
        report: &Report,
    ) -> Result<(), CampaignError> {
        let name = || F::describe(target).full_name();
        let why = report.evidence.last().map(|evidence| evidence.message.clone());
        let why = why.unwrap_or_default();
        if report.verdict == Verdict::InfrastructureFailure {
            self.send(Event::InfrastructureFailure { target: name(), why });
            return Ok(());
        }
        let mut suspects = suspects(batch, &report.disagreements);
        if suspects.is_empty() {
            let found = self.bisect(batch, options, target, report.verdict)?;
            suspects.extend(found.map(|case| (case, None)));
        }
        let mut n_confirmed = 0;
        for (case, disagreement) in suspects.into_iter().take(MAX_SUSPECTS) {
            let case = &batch.cases[case];
            let verdict = disagreement.as_ref().map_or(report.verdict, |found| found.verdict);
            let found = self.confirm(case, options, target, verdict, disagreement.as_ref())?;
            if let Some(finding) = found {
                n_confirmed += 1;
                self.report(finding);
            }
            if self.is_over() {
                return Ok(());
            }
        }
        if n_confirmed == 0 {
            if let Some(finding) = self.confirm_together(batch, options, target, report.verdict)? {
                self.report(finding);
                return Ok(());
            }
            self.send(Event::Flaky(Flaky {
                family: F::FAMILY,
                batch: self.batch,
                number: batch.cases[0].number,
                variant: batch.cases[0].variant,
                verdict: report.verdict,
                target: name(),
                why,
            }));
        }
        Ok(())
    }

    fn report(&self, finding: Finding) {
        self.campaign.family.learn(&finding);
        self.send(Event::Found(F::FAMILY, Box::new(finding)));
    }

    /// The case that has the verdict, if the target does not name it.
    fn bisect(
        &mut self,
        batch: &Batch,
        options: &Options<F>,
        target: &Target<F>,
        verdict: Verdict,
    ) -> Result<Option<usize>, CampaignError> {
        let mut range = 0..batch.cases.len();
        while range.len() > 1 {
            let middle = range.start + range.len() / 2;
            let halves = [range.start..middle, middle..range.end];
            let mut guilty = None;
            for half in halves {
                if self.is_shown_by(batch, options, target, verdict, half.clone())? {
                    guilty = Some(half);
                    break;
                }
            }
            match guilty {
                Some(half) => range = half,
                // Neither half shows it alone.
                None => return Ok(None),
            }
        }
        Ok(Some(range.start))
    }

    /// Runs a case alone, with the one realization that shows it or with all.
    fn confirm(
        &mut self,
        case: &Case,
        options: &Options<F>,
        target: &Target<F>,
        verdict: Verdict,
        disagreement: Option<&Disagreement>,
    ) -> Result<Option<Finding>, CampaignError> {
        let options = Campaign::<F>::restricted(options, std::slice::from_ref(case));
        let shown = disagreement.map(|found| {
            (FuncId::new(found.function.index() - case.functions.start), found.realization)
        });
        let mut programs = vec![case.program.clone()];
        if let Some((function, realization)) = shown {
            programs.insert(0, with_one_realization(&case.program, function, realization));
        }
        for program in programs {
            let found = self.confirm_program(case, program, &options, target, verdict)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// What no case shows alone: as few neighbours as show it together. A compiler that decides by
    /// what it has compiled before can make that necessary.
    fn confirm_together(
        &mut self,
        batch: &Batch,
        options: &Options<F>,
        target: &Target<F>,
        verdict: Verdict,
    ) -> Result<Option<Finding>, CampaignError> {
        let mut kept = 0..batch.cases.len();
        if kept.len() < 2 || !self.is_shown_by(batch, options, target, verdict, kept.clone())? {
            return Ok(None);
        }
        for is_front in [true, false] {
            let mut n_dropped = kept.len() / 2;
            while n_dropped > 0 {
                let rest = match is_front {
                    true => kept.start + n_dropped..kept.end,
                    false => kept.start..kept.end - n_dropped,
                };
                if self.is_shown_by(batch, options, target, verdict, rest.clone())? {
                    kept = rest;
                    n_dropped = n_dropped.min(kept.len() / 2);
                } else {
                    n_dropped /= 2;
                }
            }
        }
        let first = &batch.cases[kept.start];
        let options = Campaign::<F>::restricted(options, &batch.cases[kept.clone()]);
        let program = batch.part(kept).program;
        self.confirm_program(first, program, &options, target, verdict)
    }

    /// Whether some of the cases show it, if they are run alone.
    fn is_shown_by(
        &mut self,
        batch: &Batch,
        options: &Options<F>,
        target: &Target<F>,
        verdict: Verdict,
        cases: Range<usize>,
    ) -> Result<bool, CampaignError> {
        let options = Campaign::<F>::restricted(options, &batch.cases[cases.clone()]);
        let artifact = self.campaign.lowered(&batch.part(cases).program, &options)?;
        let limits = &self.campaign.limits;
        let report = F::run_alone(&mut self.oracle, &artifact, target, limits)?;
        Ok(report.verdict == verdict)
    }

    /// Runs a program alone, more than once.
    fn confirm_program(
        &mut self,
        case: &Case,
        program: Program,
        options: &Options<F>,
        target: &Target<F>,
        verdict: Verdict,
    ) -> Result<Option<Finding>, CampaignError> {
        let campaign = self.campaign;
        let shown: Reproducer<F> =
            Reproducer { program, options: options.clone(), target: target.clone() };
        let artifact = campaign.lowered(&shown.program, &shown.options)?;
        let Some(report) = self.confirmed(&artifact, target, verdict)? else { return Ok(None) };
        let signature = match campaign.triage && verdict.is_finding() {
            true => Some(self.oracle.signature(&artifact, target, &report, &campaign.limits)?),
            false => None,
        };
        let mut finding = shown.finding(verdict, &report)?;
        finding.batch = self.batch;
        (finding.number, finding.variant) = (case.number, case.variant);
        finding.seed = campaign.seed;
        finding.signature = signature;
        finding.files = F::files(&finding, target, &artifact)?;
        Ok(Some(finding))
    }

    /// The last of several reports that all have `verdict` and agree on what was returned.
    fn confirmed(
        &mut self,
        artifact: &Artifact<F>,
        target: &Target<F>,
        verdict: Verdict,
    ) -> Result<Option<Report>, CampaignError> {
        let mut last: Option<Report> = None;
        for _ in 0..N_CONFIRMATIONS {
            let limits = &self.campaign.limits;
            let report = F::run_alone(&mut self.oracle, artifact, target, limits)?;
            let is_same =
                last.as_ref().is_none_or(|last| last.disagreements == report.disagreements);
            if report.verdict != verdict || !is_same {
                return Ok(None);
            }
            last = Some(report);
        }
        Ok(last)
    }
}

/// The cases that disagreements are about, each with its first one.
fn suspects(batch: &Batch, found: &[Disagreement]) -> Vec<(usize, Option<Disagreement>)> {
    let mut seen = BTreeSet::new();
    let of_case = |found: &Disagreement| {
        let case = batch.case_of(found.function)?;
        seen.insert(case).then(|| (case, Some(found.clone())))
    };
    found.iter().filter_map(of_case).collect()
}

fn with_one_realization(program: &Program, function: FuncId, realization: usize) -> Program {
    let mut program = program.clone();
    for (i, data) in program.functions.iter_mut().enumerate() {
        let known = std::mem::take(&mut data.realizations);
        if i == function.index() {
            data.realizations = known.into_iter().skip(realization).take(1).collect();
        }
    }
    program
}

//! From what a batch has shown to findings: bisected, and confirmed alone.

use std::collections::BTreeSet;
use std::ops::Range;

use pathsmith_oracles::{Disagreement, Report, Triage, Verdict};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::Program;

use crate::activity::Stage;
use crate::batch::{Batch, Case};
use crate::campaign::{Campaign, Event, Worker};
use crate::error::CampaignError;
use crate::family::{Artifact, Family, Options, Target};
use crate::finding::Finding;
use crate::reproducer::Reproducer;
use crate::sighting::{CountedUnder, Explained, Sighting};
use crate::stats::Purpose;
use crate::store::Flaky;

/// How many cases of one artifact are confirmed for one target. A guess: one bug often hits many.
const MAX_SUSPECTS: usize = 5;
/// How many times in a row something has to show to be confirmed. A guess that keeps most flaky
/// results out.
const N_CONFIRMATIONS: usize = 2;

/// What came of running something alone.
enum Confirmed {
    /// It does not show again.
    Nothing,
    /// It is a failure of a known bug, and is reported as that.
    Known,
    /// A finding.
    Finding(Box<Finding>),
}

impl<F: Family> Worker<'_, F> {
    /// Bisects what a batch has shown, and reports it once it is confirmed. Returns `false` if the
    /// target does not work any more, so that it says nothing about the batch.
    pub(crate) fn look_closer(
        &mut self,
        batch: &Batch,
        options: &Options<F>,
        target: &Target<F>,
        report: &Report,
    ) -> Result<bool, CampaignError> {
        self.at.enter(Stage::Confirming);
        if !self.is_available(target)? {
            return Ok(false);
        }
        let name = || F::describe(target).full_name();
        let why = report.evidence.last().map(|evidence| evidence.message.clone());
        let why = why.unwrap_or_default();
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
            if !self.is_available(target)? {
                return Ok(false);
            }
            n_confirmed += usize::from(self.report(found));
            if self.is_over() {
                return Ok(true);
            }
        }
        if n_confirmed == 0 {
            let found = self.confirm_together(batch, options, target, report.verdict)?;
            if !self.is_available(target)? {
                return Ok(false);
            }
            if self.report(found) {
                return Ok(true);
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
        Ok(true)
    }

    /// Reports what was confirmed. Says whether anything was.
    fn report(&mut self, confirmed: Confirmed) -> bool {
        match confirmed {
            Confirmed::Nothing => {
                self.spend(Purpose::Confirm);
                false
            }
            Confirmed::Known => true,
            Confirmed::Finding(finding) => {
                self.campaign.family.learn(&finding);
                self.campaign.memory.learn(&finding);
                self.send(Event::Found(F::FAMILY, finding));
                true
            }
        }
    }

    fn sighted(&self, case: &Case, target: &Target<F>, verdict: Verdict, under: CountedUnder) {
        let info = F::describe(target);
        self.send(Event::Sighted(Sighting {
            family: F::FAMILY,
            batch: self.batch,
            number: case.number,
            variant: case.variant,
            verdict,
            target: info.name,
            setting: info.setting.to_string(),
            under,
        }));
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
    ) -> Result<Confirmed, CampaignError> {
        let options = Campaign::<F>::restricted(options, std::slice::from_ref(case));
        let shown = disagreement.map(|found| {
            (FuncId::new(found.function.index() - case.functions.start), found.realization)
        });
        let mut programs = vec![case.program.clone()];
        if let Some((function, realization)) = shown {
            programs.insert(0, with_one_realization(&case.program, function, realization));
        }
        for program in programs {
            match self.confirm_program(case, program, &options, target, verdict)? {
                Confirmed::Nothing => {}
                found @ (Confirmed::Known | Confirmed::Finding(_)) => return Ok(found),
            }
        }
        Ok(Confirmed::Nothing)
    }

    /// What no case shows alone: as few neighbours as show it together. A compiler that decides by
    /// what it has compiled before can make that necessary.
    fn confirm_together(
        &mut self,
        batch: &Batch,
        options: &Options<F>,
        target: &Target<F>,
        verdict: Verdict,
    ) -> Result<Confirmed, CampaignError> {
        let mut kept = 0..batch.cases.len();
        if kept.len() < 2 || !self.is_shown_by(batch, options, target, verdict, kept.clone())? {
            return Ok(Confirmed::Nothing);
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
    ) -> Result<Confirmed, CampaignError> {
        let campaign = self.campaign;
        let shown: Reproducer<F> =
            Reproducer { program, options: options.clone(), target: target.clone() };
        let artifact = campaign.lowered(&shown.program, &shown.options)?;
        let Some(report) = self.confirmed(&artifact, target, verdict)? else {
            return Ok(Confirmed::Nothing);
        };
        let is_triaged = campaign.triage && verdict.is_finding();
        let mut signature = None;
        if is_triaged {
            let (confirming, _) = self.lap();
            self.at.enter(Stage::Triage);
            if let Some(under) = self.explain(case, &shown, &artifact, &report)? {
                self.spend_time(Purpose::Known, confirming);
                self.spend(Purpose::Known);
                self.sighted(case, target, verdict, under);
                return Ok(Confirmed::Known);
            }
            let name = F::describe(target).full_name();
            let what = format!("case {}: {verdict}: {name}", case.number);
            let (number, variant) = (case.number, case.variant);
            self.send(Event::Triaging { number, variant, what });
            let found = campaign.signature_of(&mut self.oracle, &shown, &artifact, &report)?;
            // Its cluster may have been there before; then all of this was for nothing new.
            let is_new = !campaign.memory.has_cluster(&found.key());
            self.spend_time(if is_new { Purpose::Confirm } else { Purpose::Known }, confirming);
            self.spend(if is_new { Purpose::Triage } else { Purpose::Known });
            signature = Some(found);
            self.at.enter(Stage::Confirming);
        } else {
            self.spend(Purpose::Confirm);
        }
        let mut finding = shown.finding(verdict, &report)?;
        finding.batch = self.batch;
        (finding.number, finding.variant) = (case.number, case.variant);
        finding.seed = campaign.seed;
        finding.signature = signature;
        finding.arms = case.arms.clone();
        finding.origin = case.origin.as_deref().cloned();
        finding.files = F::files(&finding, target, &artifact)?;
        let crash = F::Oracle::crash_report(target, &report);
        self.explained.extend(Explained::finding(&finding, crash));
        Ok(Confirmed::Finding(Box::new(finding)))
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

//! Looking at single findings again, after the campaign that made them.

use pathsmith_oracles::{OracleError, Report, Signature, Verdict};

use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::family::{Family, Target};
use crate::finding::{Finding, TargetInfo};
use crate::reduce::{Job, Reduced};
use crate::reproducer::{Reproducer, unavailable};
use crate::versions::{ReplayOutcome, Replayed, Versions};

/// Which targets a finding is run on, besides those that are like the one that showed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayOn {
    /// None: those of the campaign that are like it.
    TargetsOfCampaign,
    /// All that are at hand, and the one that showed it.
    AllAtHand,
}

impl<F: Family> Campaign<F> {
    /// Reduces a finding on `n_jobs` threads.
    ///
    /// # Errors
    /// If an oracle cannot work, or what is left cannot be saved.
    pub fn reduce(
        &self,
        job: Job,
        n_jobs: usize,
        on_step: &mut dyn FnMut(Reduced),
    ) -> Result<(), CampaignError> {
        let oracles = (0..n_jobs.max(1)).map(|_| self.family.oracle(self.stop.clone()));
        let mut oracles = oracles.collect::<Result<Vec<_>, _>>()?;
        let is_over = || self.stop.is_raised();
        job.run(&self.family, &mut oracles, &self.limits, &is_over, on_step)
    }

    /// What a finding is deduplicated by; `None` if it does not show any more.
    ///
    /// # Errors
    /// If an oracle cannot work.
    pub fn signature(&self, finding: &Finding) -> Result<Option<Signature>, OracleError> {
        let Ok(known) = Reproducer::of(&self.family, finding) else { return Ok(None) };
        let mut oracle = self.family.oracle(self.stop.clone())?;
        let Some((artifact, report)) = known.run(&self.family, &mut oracle, &self.limits)? else {
            return Ok(None);
        };
        if report.verdict == Verdict::InfrastructureFailure {
            return Err(unavailable::<F>(&known.target, &report));
        }
        if report.verdict != finding.verdict {
            return Ok(None);
        }
        self.signature_of(&mut oracle, &known, &artifact, &report).map(Some)
    }

    /// Runs a finding once on every target that is like the one that showed it, of whatever version.
    ///
    /// # Errors
    /// If an oracle cannot work.
    pub fn replay(&self, finding: &Finding, on: ReplayOn) -> Result<Vec<Replayed>, CampaignError> {
        let Ok(known) = Reproducer::of(&self.family, finding) else { return Ok(Vec::new()) };
        let mut oracle = self.family.oracle(self.stop.clone())?;
        let mut replayed = Vec::new();
        for target in self.alike(&known.target, on)? {
            let other = Reproducer { target, ..known.clone() };
            replayed.extend(self.replayed(&mut oracle, finding.verdict, &other)?);
        }
        Ok(replayed)
    }

    /// What all versions at hand make of a finding, and what the target that showed it does at its
    /// other levels of optimization. Nothing if this version of pathsmith cannot run it.
    ///
    /// # Errors
    /// If an oracle cannot work.
    pub fn versions(&self, finding: &Finding) -> Result<Option<Versions>, CampaignError> {
        let mut oracle = self.family.oracle(self.stop.clone())?;
        self.versions_with(&mut oracle, finding)
    }

    /// As [`versions`](Self::versions), with an oracle that is there.
    ///
    /// # Errors
    /// If it cannot work.
    pub(crate) fn versions_with(
        &self,
        oracle: &mut F::Oracle,
        finding: &Finding,
    ) -> Result<Option<Versions>, CampaignError> {
        let Ok(known) = Reproducer::of(&self.family, finding) else { return Ok(None) };
        let mut versions = Vec::new();
        for target in self.alike(&known.target, ReplayOn::AllAtHand)? {
            let other = Reproducer { target, ..known.clone() };
            if let Some(mut replayed) = self.replayed(oracle, finding.verdict, &other)? {
                replayed.details = match F::version_details(&other.target, &self.stop) {
                    Err(OracleError::Stopped) => return Err(OracleError::Stopped.into()),
                    details => details.unwrap_or_default(),
                };
                versions.push(replayed);
            }
        }
        let mut levels = Vec::new();
        for target in F::other_levels(&known.target) {
            let other = Reproducer { target, ..known.clone() };
            levels.extend(self.replayed(oracle, finding.verdict, &other)?);
        }
        Ok(Some(Versions::new(versions, levels)))
    }

    /// The targets that are like one, each once. The one itself is the last.
    fn alike(&self, target: &Target<F>, on: ReplayOn) -> Result<Vec<Target<F>>, CampaignError> {
        let mut alike = self.family.versions_of(target);
        match on {
            ReplayOn::TargetsOfCampaign => {}
            ReplayOn::AllAtHand => {
                alike.extend(self.at_hand.get()?.versions_of(target));
                alike.push(target.clone());
            }
        }
        let mut seen: Vec<TargetInfo> = Vec::new();
        let is_same = |a: &TargetInfo, b: &TargetInfo| {
            (&a.path, &a.flags, &a.runner, &a.env) == (&b.path, &b.flags, &b.runner, &b.env)
        };
        alike.retain(|other| {
            let info = F::describe(other);
            let is_new = !seen.iter().any(|known| is_same(known, &info));
            seen.push(info);
            is_new
        });
        Ok(alike)
    }

    /// Runs a finding of some verdict once. Nothing if it cannot be lowered.
    fn replayed(
        &self,
        oracle: &mut F::Oracle,
        verdict: Verdict,
        known: &Reproducer<F>,
    ) -> Result<Option<Replayed>, OracleError> {
        let Some(outcome) = self.outcome(oracle, verdict, known)? else { return Ok(None) };
        let info = F::describe(&known.target);
        Ok(Some(Replayed {
            target: info.name,
            setting: info.setting.to_string(),
            command: info.command,
            version: info.version,
            details: String::new(),
            outcome,
        }))
    }

    fn outcome(
        &self,
        oracle: &mut F::Oracle,
        verdict: Verdict,
        known: &Reproducer<F>,
    ) -> Result<Option<ReplayOutcome>, OracleError> {
        let flags = || F::describe(&known.target).flags.join(" ");
        match F::takes_flags(&known.target, &self.stop) {
            Ok(true) => {}
            Ok(false) => {
                // It may be for another machine, and then it does not matter what the flags are.
                let report =
                    known.run(&self.family, oracle, &self.limits)?.map(|(_, report)| report);
                let mut why = format!("it cannot be tested with the flags {}", flags());
                match report {
                    Some(report) if report.verdict == Verdict::InfrastructureFailure => {
                        return self.failed(oracle, &known.target, said(&report)).map(Some);
                    }
                    Some(report) if report.verdict == Verdict::CompileError => {
                        why += &format!(": {}", first_error(&report));
                    }
                    Some(_) | None => {}
                }
                return Ok(Some(ReplayOutcome::not_comparable(why)));
            }
            Err(OracleError::Stopped) => return Err(OracleError::Stopped),
            Err(error) => {
                return self.failed(oracle, &known.target, error.to_string()).map(Some);
            }
        }
        let Some((_, report)) = known.run(&self.family, oracle, &self.limits)? else {
            return Ok(None);
        };
        Ok(Some(match report.verdict {
            Verdict::Agrees => ReplayOutcome::DoesNotShow,
            Verdict::Skipped => ReplayOutcome::not_comparable("it cannot check this program"),
            Verdict::CompileError | Verdict::SanitizerError => {
                ReplayOutcome::not_comparable(format!("{}: {}", report.verdict, said(&report)))
            }
            Verdict::InfrastructureFailure => self.failed(oracle, &known.target, said(&report))?,
            shown @ (Verdict::CompilerTimeout
            | Verdict::CompilerCrash
            | Verdict::Hang
            | Verdict::Crash
            | Verdict::WrongResult) => {
                let is_wrong_code = |verdict: Verdict| !verdict.is_about_compiling();
                let is_same = shown == verdict || (is_wrong_code(shown) && is_wrong_code(verdict));
                match self.preflight.problem(oracle, &known.target, &self.limits)? {
                    Some(why) => ReplayOutcome::not_comparable(why),
                    None if is_same => ReplayOutcome::Shows { verdict: shown },
                    None => {
                        ReplayOutcome::not_comparable(format!("it shows something else: {shown}"))
                    }
                }
            }
        }))
    }

    /// What a target that could not be run says: nothing, if it does not work at all.
    fn failed(
        &self,
        oracle: &mut F::Oracle,
        target: &Target<F>,
        why: String,
    ) -> Result<ReplayOutcome, OracleError> {
        Ok(match self.preflight.problem(oracle, &F::plain(target), &self.limits)? {
            Some(why) => ReplayOutcome::not_comparable(why),
            None => ReplayOutcome::InfrastructureFailure { why },
        })
    }
}

/// The first line about an error that the last command of a report wrote, or the first of all.
fn first_error(report: &Report) -> String {
    let message = report.evidence.last().map_or("", |evidence| evidence.message.trim());
    let error = message.lines().find(|line| line.contains("error"));
    error.map_or_else(|| said(report), str::to_owned)
}

/// The first line that the last command of a report wrote.
fn said(report: &Report) -> String {
    let message = report.evidence.last().map(|evidence| evidence.message.trim());
    let first = message.and_then(|message| message.lines().next());
    first.filter(|line| !line.is_empty()).unwrap_or("it says nothing").to_owned()
}

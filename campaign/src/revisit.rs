//! Looking at single findings again, after the campaign that made them.

use pathsmith_oracles::{OracleError, Signature, Triage, Verdict};
use serde::Serialize;

use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::family::Family;
use crate::finding::Finding;
use crate::reduce::{Job, Reduced};
use crate::reproducer::{Reproducer, unavailable};

/// What a target makes of a finding now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// The target and its setting.
    pub target: String,
    /// Its version.
    pub version: String,
    /// What it does now.
    pub verdict: Verdict,
}

impl Replayed {
    /// Whether the target does what it should.
    pub fn is_fixed(&self) -> bool {
        self.verdict == Verdict::Agrees
    }

    /// Whether the finding remains. A target that does not work, or does not take the program, says
    /// neither.
    pub fn remains(&self) -> bool {
        self.verdict.is_finding()
    }
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
        oracle.signature(&artifact, &known.target, &report, &self.limits).map(Some)
    }

    /// Runs a finding on every target that is like the one that showed it, of whatever version.
    ///
    /// # Errors
    /// If an oracle cannot work.
    pub fn replay(&self, finding: &Finding) -> Result<Vec<Replayed>, OracleError> {
        let Ok(known) = Reproducer::of(&self.family, finding) else { return Ok(Vec::new()) };
        let mut oracle = self.family.oracle(self.stop.clone())?;
        let mut replayed = Vec::new();
        for target in self.family.versions_of(&known.target) {
            let other = Reproducer { target, ..known.clone() };
            let info = F::describe(&other.target);
            if let Some((_, report)) = other.run(&self.family, &mut oracle, &self.limits)? {
                let (target, version) = (info.full_name(), info.version);
                replayed.push(Replayed { target, version, verdict: report.verdict });
            }
        }
        Ok(replayed)
    }
}

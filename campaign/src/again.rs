//! Looking at findings again, after the campaign that made them.

use pathsmith_oracles::{OracleError, Signature, Triage, Verdict};
use serde::Serialize;

use crate::campaign::Campaign;
use crate::finding::Finding;
use crate::kind::Kind;
use crate::reduce::{Job, Reduced};
use crate::trial::Trial;

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

impl<K: Kind> Campaign<K> {
    /// Reduces a finding on `n_jobs` threads.
    ///
    /// # Errors
    /// Where an oracle cannot work.
    pub fn reduce(
        &self,
        job: Job,
        n_jobs: usize,
        tell: impl FnMut(Reduced),
    ) -> Result<(), OracleError> {
        let oracles = (0..n_jobs.max(1)).map(|_| self.kind.oracle(self.stop.clone()));
        let mut oracles = oracles.collect::<Result<Vec<_>, _>>()?;
        let is_over = || self.stop.is_raised();
        job.run(&self.kind, &mut oracles, &self.limits, &is_over, tell)
    }

    /// What tells a finding apart; `None` where it is not seen any more.
    ///
    /// # Errors
    /// Where an oracle cannot work.
    pub fn signature(&self, finding: &Finding) -> Result<Option<Signature>, OracleError> {
        let Ok(trial) = Trial::of(&self.kind, finding) else { return Ok(None) };
        let mut oracle = self.kind.oracle(self.stop.clone())?;
        let Some((artifact, report)) = trial.run(&self.kind, &mut oracle, &self.limits)? else {
            return Ok(None);
        };
        if report.verdict != finding.verdict {
            return Ok(None);
        }
        oracle.signature(&artifact, &trial.target, &report, &self.limits).map(Some)
    }

    /// Runs a finding on every target that is like the one that showed it, of whatever version.
    ///
    /// # Errors
    /// Where an oracle cannot work.
    pub fn replay(&self, finding: &Finding) -> Result<Vec<Replayed>, OracleError> {
        let Ok(trial) = Trial::of(&self.kind, finding) else { return Ok(Vec::new()) };
        let mut oracle = self.kind.oracle(self.stop.clone())?;
        let mut replayed = Vec::new();
        for target in self.kind.versions_of(&trial.target) {
            let trial = Trial { target, ..trial.clone() };
            let info = K::describe(&trial.target);
            if let Some((_, report)) = trial.run(&self.kind, &mut oracle, &self.limits)? {
                let (target, version) = (info.full_name(), info.version);
                replayed.push(Replayed { target, version, verdict: report.verdict });
            }
        }
        Ok(replayed)
    }
}

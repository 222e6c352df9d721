//! Targets that cannot be run: tried again, and given up if that does not help.
//!
//! What a target says while it does not work is no result. So a failure of the infrastructure is
//! tried again; if it stays, preflight's good program tells how far it goes: the target is gone, one
//! of its settings is, or it is about this one artifact. What is gone is not asked again in this
//! campaign, and batches are recorded as missed for it.

use std::time::{Duration, Instant};

use pathsmith_oracles::{Oracle, OracleError, Verdict};

use crate::campaign::{Event, Worker};
use crate::error::CampaignError;
use crate::family::{Artifact, Family, Target};
use crate::finding::TargetInfo;
use crate::lost::Ran;

/// How long to wait before something that failed is tried again. Guesses: a disk that was full for a
/// moment, a process too many.
const PATIENCE: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

impl<F: Family> Worker<'_, F> {
    /// Runs an artifact, if the target works.
    pub(crate) fn run_if_available(
        &mut self,
        artifact: &Artifact<F>,
        target: &Target<F>,
    ) -> Result<Ran, CampaignError> {
        let info = F::describe(target);
        if self.campaign.lost.has(&info) {
            return Ok(Ran::Missed);
        }
        if self.campaign.lost.has_refused(&info) {
            return Ok(Ran::Refused);
        }
        let mut why = String::new();
        for wait in std::iter::once(Duration::ZERO).chain(PATIENCE) {
            self.pause(wait);
            match self.oracle.run(artifact, target, &self.campaign.limits) {
                Ok(report) if report.verdict == Verdict::InfrastructureFailure => {
                    why = report.evidence.last().map(|it| it.message.clone()).unwrap_or_default();
                }
                Ok(report) => return Ok(Ran::Report(report)),
                Err(error @ OracleError::Io { .. }) => {
                    why = error.to_string();
                    self.renew_oracle();
                }
                Err(error) => return Err(error.into()),
            }
            if self.is_over() {
                return Ok(Ran::Missed);
            }
        }
        self.failed(target, &info, why)
    }

    /// Whether no target of the batch works any more.
    pub(crate) fn are_all_lost(&self) -> bool {
        let campaign = self.campaign;
        campaign.targets(self.batch).iter().all(|target| campaign.lost.has(&F::describe(target)))
    }

    /// Whether a target works, now that it has shown something. If it does not, that is reported
    /// instead.
    pub(crate) fn is_available(&mut self, target: &Target<F>) -> Result<bool, CampaignError> {
        let info = F::describe(target);
        let Some(why) = self.problem(target)? else { return Ok(true) };
        self.failed(target, &info, why)?;
        Ok(false)
    }

    /// Says how far a failure of the infrastructure goes.
    fn failed(
        &mut self,
        target: &Target<F>,
        info: &TargetInfo,
        why: String,
    ) -> Result<Ran, CampaignError> {
        let campaign = self.campaign;
        if let Some(why) = self.problem(&F::plain(target))? {
            if campaign.lost.insert(info.name.clone()) {
                self.send(Event::TargetLost { target: info.name.clone(), why });
            }
            return Ok(Ran::Missed);
        }
        let works_with_good = self.problem(target)?.is_none();
        self.send(Event::InfrastructureFailure { target: info.full_name(), why: why.clone() });
        if works_with_good {
            return Ok(Ran::Missed);
        }
        if info.setting.is_random() {
            campaign.lost.refuse(info);
            return Ok(Ran::Refused);
        }
        if campaign.lost.insert(info.full_name()) {
            self.send(Event::TargetLost { target: info.full_name(), why });
        }
        Ok(Ran::Missed)
    }

    /// Why a target does not work, if it does not.
    fn problem(&mut self, target: &Target<F>) -> Result<Option<String>, CampaignError> {
        let campaign = self.campaign;
        let mut asked = campaign.preflight.problem(&mut self.oracle, target, &campaign.limits);
        if let Err(OracleError::Io { .. }) = asked {
            self.renew_oracle();
            asked = campaign.preflight.problem(&mut self.oracle, target, &campaign.limits);
        }
        match asked {
            Ok(problem) => Ok(problem),
            Err(error @ OracleError::Io { .. }) => Ok(Some(error.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder of an oracle may be gone; another one has a folder of its own.
    fn renew_oracle(&mut self) {
        if let Ok(other) = self.campaign.family.oracle(self.campaign.stop.clone()) {
            self.oracle = other;
        }
    }

    fn pause(&self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && !self.is_over() {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

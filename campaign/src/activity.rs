//! What the threads of a campaign are doing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Generating batches, and running them on targets.
    Testing,
    /// Narrowing down and confirming failures.
    Confirming,
    /// Finding out what triggers a finding.
    Triage,
    /// Reducing a finding.
    Reducing,
}

impl Stage {
    /// All stages, in the order in which a finding goes through them.
    pub const ALL: [Self; 4] = [Self::Testing, Self::Confirming, Self::Triage, Self::Reducing];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Testing => "testing",
            Self::Confirming => "confirming",
            Self::Triage => "triage",
            Self::Reducing => "reducing",
        }
    }
}

/// How many threads are at each stage.
#[derive(Clone, Debug, Default)]
pub struct Activity(Arc<[AtomicUsize; 4]>);

impl Activity {
    /// How many threads are at `stage` now.
    pub fn n_threads(&self, stage: Stage) -> usize {
        self.0[stage as usize].load(Ordering::Relaxed)
    }

    /// Says that this thread tests, until what is returned is dropped.
    pub(crate) fn begin(&self) -> AtStage {
        let at = AtStage { activity: self.clone(), stage: Stage::Testing };
        self.0[at.stage as usize].fetch_add(1, Ordering::Relaxed);
        at
    }
}

/// The stage that one thread is at.
#[derive(Debug)]
pub(crate) struct AtStage {
    activity: Activity,
    stage: Stage,
}

impl AtStage {
    /// Goes to another stage.
    pub(crate) fn enter(&mut self, stage: Stage) {
        self.activity.0[self.stage as usize].fetch_sub(1, Ordering::Relaxed);
        self.activity.0[stage as usize].fetch_add(1, Ordering::Relaxed);
        self.stage = stage;
    }
}

impl Drop for AtStage {
    fn drop(&mut self) {
        self.activity.0[self.stage as usize].fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_counted_where_they_are() {
        let activity = Activity::default();
        let counts = || Stage::ALL.map(|stage| activity.n_threads(stage));
        let mut first = activity.begin();
        let second = activity.begin();
        assert_eq!(counts(), [2, 0, 0, 0]);
        first.enter(Stage::Reducing);
        drop(second);
        assert_eq!(counts(), [0, 0, 0, 1]);
        drop(first);
        assert_eq!(counts(), [0; 4]);
    }
}

//! Targets that do not work any more.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pathsmith_oracles::Report;

use crate::finding::TargetInfo;

/// The targets and settings of a campaign that do not work any more.
#[derive(Debug, Default)]
pub(crate) struct Lost {
    lost: Mutex<BTreeSet<String>>,
    /// Settings with random flags that their targets do not take.
    refused: Mutex<BTreeSet<String>>,
}

impl Lost {
    fn known(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refused(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a target does not take the random flags of its setting.
    pub(crate) fn has_refused(&self, info: &TargetInfo) -> bool {
        info.setting.is_random() && self.refused().contains(&info.full_name())
    }

    /// Takes note of random flags that a target does not take.
    pub(crate) fn refuse(&self, info: &TargetInfo) {
        self.refused().insert(info.full_name());
    }

    /// Whether a target, or the setting that it is in, does not work any more.
    pub(crate) fn has(&self, info: &TargetInfo) -> bool {
        let known = self.known();
        known.contains(&info.name) || known.contains(&info.full_name())
    }

    /// Whether this is news.
    pub(crate) fn insert(&self, name: String) -> bool {
        self.known().insert(name)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.known().is_empty()
    }
}

/// What came of running an artifact on a target.
pub(crate) enum Ran {
    /// A verdict about the artifact.
    Report(Report),
    /// It was not run, and has to be run again: the target does not work.
    Missed,
    /// It was not run, and never will be: the target does not take the flags that were drawn.
    Refused,
}

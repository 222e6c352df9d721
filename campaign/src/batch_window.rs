//! How far threads may run ahead of each other.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::store::Done;

/// A batch knows of findings in batches that are so many numbers behind it, and of no others.
///
/// What was found can then decide what is tried next, and a campaign still does the same each time,
/// however many threads there are: by the time a batch starts, those so far behind are finished.
pub(crate) const MEMORY_LAG: u64 = 128;

/// Keeps threads within [`MEMORY_LAG`] batches of each other.
#[derive(Debug)]
pub(crate) struct BatchWindow {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    done: Done,
    /// A batch will not be finished: the campaign ends.
    is_given_up: bool,
}

impl BatchWindow {
    pub(crate) fn new(done: Done) -> Self {
        Self { state: Mutex::new(State { done, is_given_up: false }), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a batch was done before.
    pub(crate) fn is_done(&self, batch: u64) -> bool {
        self.state().done.contains(batch)
    }

    /// Waits until everything is done that `batch` may know of. Returns `false` if that will not
    /// happen.
    pub(crate) fn wait(&self, batch: u64) -> bool {
        let mut state = self.state();
        while !state.is_given_up && state.done.below + MEMORY_LAG <= batch {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.is_given_up
    }

    /// A batch is done.
    pub(crate) fn finish(&self, batch: u64) {
        self.state().done.insert(batch);
        self.changed.notify_all();
    }

    /// A batch will not be done.
    pub(crate) fn give_up(&self) {
        self.state().is_given_up = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_runs_too_far_ahead() {
        let window = BatchWindow::new(Done::default());
        assert!(window.wait(MEMORY_LAG - 1));
        std::thread::scope(|scope| {
            let ahead = scope.spawn(|| window.wait(MEMORY_LAG + 1));
            window.finish(1);
            window.finish(0);
            assert!(ahead.join().unwrap());
            let stuck = scope.spawn(|| window.wait(10 * MEMORY_LAG));
            window.give_up();
            assert!(!stuck.join().unwrap());
        });
    }
}

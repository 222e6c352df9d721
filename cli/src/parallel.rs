//! Work on all cores, and a line that shows how far it is.

use std::io::{self, Write};
use std::time::{Duration, Instant};

pub(crate) use pathsmith_campaign::parallel::{in_order, n_jobs, parse_jobs};

use crate::terminal::takes_escapes;

/// A line on a terminal that shows how far work is.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    shown: Option<Instant>,
    takes_escapes: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), shown: None, takes_escapes: takes_escapes() }
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Shows the line, at most a few times a second.
    pub(crate) fn show(&mut self, line: impl FnOnce() -> String) {
        let is_due = self.shown.is_none_or(|shown| shown.elapsed() > Duration::from_millis(200));
        if self.takes_escapes && is_due {
            self.shown = Some(Instant::now());
            let _ = write!(io::stderr(), "\r\x1b[K{}", line());
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

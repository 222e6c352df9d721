//! Showing how far preflight is.

use std::io::{self, Write};

use pathsmith_campaign::PreflightStep;
use pathsmith_oracles::shown_line;

use crate::errors::note;
use crate::terminal::takes_escapes;

/// Without a terminal, preflight of so many targets or more is worth a line: it takes a while. A
/// guess.
const MANY: usize = 8;

/// Shows that targets are looked for and asked what they take, which comes first.
pub(super) fn begin() {
    if takes_escapes() {
        let _ = write!(io::stderr(), "\r\x1b[Kpreflight: asking targets what they take");
    }
}

/// Shows which target is checked.
pub(super) fn show(step: &PreflightStep<'_>) {
    let PreflightStep { target, number, of } = *step;
    if takes_escapes() {
        let line = format!("preflight: {target} ({number} of {of})");
        let _ = write!(io::stderr(), "\r\x1b[K{}", shown_line(&line));
    } else if number == 1 && of >= MANY {
        note(&format!("preflight: checking {of} targets"));
    }
}

/// Takes the line away.
pub(super) fn clear() {
    if takes_escapes() {
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

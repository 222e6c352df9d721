//! What standard error is.

use std::ffi::OsStr;
use std::io::{self, IsTerminal};

/// Whether standard error is a terminal on which lines can be drawn again.
pub(crate) fn takes_escapes() -> bool {
    io::stderr().is_terminal() && !is_dumb(std::env::var_os("TERM").as_deref())
}

/// Whether a terminal of this kind knows no escape sequences.
fn is_dumb(term: Option<&OsStr>) -> bool {
    term.is_some_and(|term| term == "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dumb_terminals_get_plain_lines() {
        assert!(is_dumb(Some(OsStr::new("dumb"))));
        assert!(!is_dumb(Some(OsStr::new("xterm"))) && !is_dumb(None));
    }
}

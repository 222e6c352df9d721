//! What targets print when they crash, normalised so that it is the same for the same cause.

mod clang;
mod gcc;
mod hotspot;
mod normal;
mod panic;

pub(crate) use clang::read_clang_crash;
pub(crate) use gcc::read_gcc_crash;
pub(crate) use hotspot::{is_in_own_code, read_hotspot_crash, summarize_hotspot_crash};
pub(crate) use panic::read_engine_crash;

use crate::verdict::Evidence;

/// How many functions of a trace count, the innermost first. A guess: fewer merge different bugs,
/// more separate occurrences of one.
const N_FRAMES: usize = 3;

/// What is known of a crash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crash {
    /// The message and the top of the trace.
    pub(crate) trace: Vec<String>,
    /// What the target was doing.
    pub(crate) detail: Option<String>,
}

impl Crash {
    /// What `reader` finds in the evidence, or how the process ended if that is nothing.
    pub(crate) fn read(evidence: &[Evidence], reader: fn(&str) -> Self) -> Self {
        let Some(last) = evidence.last() else { return Self::default() };
        let text = last.log.as_deref().unwrap_or(&last.message);
        let mut crash = reader(text);
        if crash.trace.is_empty() {
            crash.trace.extend(ending(last));
        }
        crash
    }
}

/// How a process ended that printed nothing.
fn ending(evidence: &Evidence) -> Option<String> {
    let signal = evidence.signal.map(|signal| match signal {
        libc::SIGILL => "SIGILL".to_owned(),
        libc::SIGTRAP => "SIGTRAP".to_owned(),
        libc::SIGABRT => "SIGABRT".to_owned(),
        libc::SIGBUS => "SIGBUS".to_owned(),
        libc::SIGFPE => "SIGFPE".to_owned(),
        libc::SIGKILL => "SIGKILL".to_owned(),
        libc::SIGSEGV => "SIGSEGV".to_owned(),
        other => format!("signal {other}"),
    });
    let status = || evidence.status.map(|status| format!("status {status}"));
    signal.or_else(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_message_the_signal_counts() {
        let evidence = Evidence { signal: Some(11), ..Evidence::default() };
        assert_eq!(Crash::read(&[evidence], read_gcc_crash).trace, ["SIGSEGV"]);
        let evidence = Evidence { status: Some(4), ..Evidence::default() };
        assert_eq!(Crash::read(&[evidence], read_clang_crash).trace, ["status 4"]);
    }
}

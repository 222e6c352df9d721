//! How long processes have waited for a CPU.

use std::collections::BTreeMap;
use std::time::Duration;

/// The time that the processes of a group were ready to run and were not run, because the machine
/// had other things to do. Limits on wall time do not count it: that a machine is busy says nothing
/// of a compiler.
#[derive(Debug, Default)]
pub(super) struct Waiting(BTreeMap<u32, Duration>);

impl Waiting {
    /// Looks at all processes of a group. What ends between two looks is known as it was seen last.
    pub(super) fn look(&mut self, group: u32) {
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(process) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
            if group_of(process) == Some(group)
                && let Some(waited) = waited(process)
            {
                self.0.insert(process, waited);
            }
        }
    }

    /// What was seen, of all processes together.
    pub(super) fn total(&self) -> Duration {
        self.0.values().sum()
    }
}

fn group_of(process: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program may hold anything; state, parent and group come after it.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(2)?.parse().ok()
}

fn waited(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
    let nanoseconds = stat.split_whitespace().nth(1)?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_group() {
        let own = group_of(std::process::id()).unwrap();
        let mut waiting = Waiting::default();
        waiting.look(own);
        assert!(waiting.0.contains_key(&std::process::id()));
        assert!(waiting.total() >= waiting.0[&std::process::id()]);
        // No process has this number.
        let mut none = Waiting::default();
        none.look(u32::MAX);
        assert_eq!(none.total(), Duration::ZERO);
    }
}

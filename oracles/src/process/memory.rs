//! How much memory processes hold.

use std::collections::BTreeSet;

/// Whether some processes and all that descends from them hold more than `most` bytes of memory
/// together.
///
/// Pages that several of them share count once, as those do of a process that has just forked. It
/// takes long to find out which they are, and is done only if there is too much with all pages
/// counted.
pub(super) fn is_exceeded(roots: impl IntoIterator<Item = u32>, most: u64) -> bool {
    let all = with_descendants(roots);
    let total = |held: fn(u32) -> u64| all.iter().map(|&process| held(process)).sum::<u64>();
    total(resident) > most && total(proportional) > most
}

/// Processes and all that descends from them, as far as the system lists it.
fn with_descendants(roots: impl IntoIterator<Item = u32>) -> BTreeSet<u32> {
    let mut left: Vec<u32> = roots.into_iter().collect();
    let mut all = BTreeSet::new();
    while let Some(process) = left.pop() {
        if all.insert(process) {
            left.extend(children(process));
        }
    }
    all
}

/// The processes that the threads of a process have started.
pub(super) fn children(process: u32) -> Vec<u32> {
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
    let listed = |thread: std::fs::DirEntry| {
        std::fs::read_to_string(thread.path().join("children")).unwrap_or_default()
    };
    let listed: Vec<String> = threads.flatten().map(listed).collect();
    listed.iter().flat_map(|list| list.split_whitespace()).flat_map(str::parse).collect()
}

/// The memory that a process holds, in bytes; nothing if the system does not report it.
fn resident(process: u32) -> u64 {
    // In `statm` it is a number of pages, whose size differs between machines.
    kilobytes(process, "status", "VmRSS:").unwrap_or(0) << 10
}

/// The same, with its share only of the pages that it shares with others.
fn proportional(process: u32) -> u64 {
    kilobytes(process, "smaps_rollup", "Pss:").map_or_else(|| resident(process), |n| n << 10)
}

fn kilobytes(process: u32, file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/{file}")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    use super::*;

    /// What a shell and its children hold that fork after they have allocated.
    #[test]
    fn shared_pages_count_once() {
        let text = "x=$(head -c 20000000 /dev/zero | tr '\\0' x); exec 3<&0; \
                    for i in 1 2 3 4; do (read y <&3; echo $x) & done; echo ready; read y";
        let mut command = Command::new("sh");
        command.args(["-c", text]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut shell = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let all = with_descendants([shell.id()]);
        assert_eq!(all.len(), 5, "{all:?}");
        let counted_all: u64 = all.iter().map(|&process| resident(process)).sum();
        assert!(counted_all > 90_000_000, "{counted_all}");
        assert!(!is_exceeded([shell.id()], 80_000_000));
        assert!(is_exceeded([shell.id()], 15_000_000));
        shell.kill().unwrap();
        shell.wait().unwrap();
    }
}

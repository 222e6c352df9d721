//! The processor time of another process's threads.

use std::path::Path;
use std::time::Duration;

/// The names of the threads of a process and the processor time that each has taken, as Linux
/// tells them; nothing where it does not.
pub(super) fn thread_times(pid: u32) -> Vec<(String, Duration)> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks.flatten().filter_map(|task| thread_time_of(&task.path())).collect()
}

fn thread_time_of(task: &Path) -> Option<(String, Duration)> {
    let name = std::fs::read_to_string(task.join("comm")).ok()?;
    let stat = std::fs::read_to_string(task.join("schedstat")).ok()?;
    let nanoseconds = stat.split_whitespace().next()?.parse().ok()?;
    Some((name.trim_end().to_owned(), Duration::from_nanos(nanoseconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_thread_is_seen_by_its_name() {
        let busy = std::thread::Builder::new().name("busy-bee".to_owned()).spawn(|| {
            let begun = crate::process::thread_time();
            while crate::process::thread_time() < begun + Duration::from_millis(30) {}
            thread_times(std::process::id())
        });
        let times = busy.unwrap().join().unwrap();
        let (_, time) = times.iter().find(|(name, _)| name == "busy-bee").unwrap();
        assert!(*time >= Duration::from_millis(20), "{times:?}");
    }
}

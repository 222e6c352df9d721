//! What another process takes: the CPU time of its threads, and how long they wait for it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// The names of the threads of a process and the CPU time of each, as Linux reports them; nothing if
/// it does not.
pub(super) fn thread_times(pid: u32) -> Vec<(String, Duration)> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    tasks.flatten().filter_map(|task| thread_time_of(&task.path())).collect()
}

/// How long each thread of a process, by its number, was ready to run and was not run; nothing
/// if the system does not report it.
pub(super) fn waiting_times(pid: u32) -> BTreeMap<OsString, Duration> {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return BTreeMap::new() };
    let waiting = |task: std::fs::DirEntry| Some((task.file_name(), time(&task.path(), 1)?));
    tasks.flatten().filter_map(waiting).collect()
}

fn thread_time_of(task: &Path) -> Option<(String, Duration)> {
    let name = std::fs::read_to_string(task.join("comm")).ok()?;
    Some((name.trim_end().to_owned(), time(task, 0)?))
}

/// A column of what the scheduler says of a thread: the time that it ran, or that it waited.
fn time(task: &Path, column: usize) -> Option<Duration> {
    let stat = std::fs::read_to_string(task.join("schedstat")).ok()?;
    let nanoseconds = stat.split_whitespace().nth(column)?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
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

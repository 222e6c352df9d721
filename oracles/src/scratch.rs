//! Folders for what oracles need while they work.

use std::path::Path;

use tempfile::TempDir;

use crate::oracle::OracleError;

const PREFIX: &str = "pathsmith-";

/// A folder in the system's folder for temporary files, which is removed when it is dropped. Its name
/// says which process it belongs to.
///
/// # Errors
/// If it cannot be created.
pub(crate) fn scratch_folder() -> Result<TempDir, OracleError> {
    tempfile::Builder::new()
        .prefix(&format!("{PREFIX}{}-", std::process::id()))
        .tempdir()
        .map_err(|source| OracleError::io("cannot create a temporary folder", source))
}

/// Removes the folders of processes that are gone, which had no time to do it: they were killed,
/// or the machine went down. What cannot be removed stays.
pub fn sweep_scratch_folders() {
    sweep(&std::env::temp_dir());
}

fn sweep(dir: &Path) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
        let owner = owner.and_then(|(process, _)| process.parse::<u32>().ok());
        if owner.is_some_and(|process| !Path::new("/proc").join(process.to_string()).exists()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dead_processes_go() {
        let dir = tempfile::tempdir().unwrap();
        // Processes have smaller numbers.
        let (dead, alive) = (u32::MAX, std::process::id());
        for name in [format!("{PREFIX}{dead}-a"), format!("{PREFIX}{alive}-a"), "other-1-a".into()]
        {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        sweep(dir.path());
        let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().flatten().collect();
        assert_eq!(names.len(), 2, "{names:?}");
        assert!(!dir.path().join(format!("{PREFIX}{dead}-a")).exists());
    }
}

//! Folders for what oracles need while they work.
//!
//! A folder is held by a lock on a file in it, which goes with the process, however that ends. A
//! process number would not do: another PID namespace has other numbers.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::oracle::OracleError;

const PREFIX: &str = "pathsmith-";
/// The file that the owner holds a lock on.
const LOCK: &str = "lock";
/// The folder beside it, which is the one to be used: what runs there finds no lock to meddle with.
const WORK: &str = "work";

/// A folder in the system's folder for temporary files, which is removed when it is dropped. Only its
/// owner may look into it.
#[derive(Debug)]
pub(crate) struct ScratchFolder {
    path: PathBuf,
    _lock: File,
    _folder: TempDir,
}

impl ScratchFolder {
    /// A new folder.
    ///
    /// # Errors
    /// If it cannot be created.
    pub(crate) fn new() -> Result<Self, OracleError> {
        Self::new_in(&std::env::temp_dir())
            .map_err(|source| OracleError::io("cannot create a temporary folder", source))
    }

    fn new_in(dir: &Path) -> io::Result<Self> {
        loop {
            let folder = tempfile::Builder::new()
                .prefix(PREFIX)
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(dir)?;
            let Some(lock) = locked(&folder.path().join(LOCK))? else { continue };
            let path = folder.path().join(WORK);
            std::fs::create_dir(&path)?;
            return Ok(Self { path, _lock: lock, _folder: folder });
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Creates a file and locks it; nothing if a sweep was faster, which removes the file then.
fn locked(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    let lock = match options.create_new(true).write(true).mode(0o600).open(path) {
        Ok(lock) => lock,
        // Someone cleans up by hand.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    let is_there = path.metadata().is_ok_and(|there| {
        lock.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (there.dev(), there.ino()))
    });
    Ok(is_there.then_some(lock))
}

/// Removes the folders of processes that are gone, which had no time to do it: they were killed,
/// or the machine went down. What cannot be removed stays, and so does what has no lock.
pub fn sweep_scratch_folders() {
    sweep(&std::env::temp_dir());
}

fn sweep(dir: &Path) {
    let Ok(own) = std::fs::metadata("/proc/self") else { return };
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_named_so = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        // A link is no folder here.
        let is_own =
            entry.metadata().is_ok_and(|folder| folder.is_dir() && folder.uid() == own.uid());
        if !is_named_so || !is_own {
            continue;
        }
        let mut options = OpenOptions::new();
        options.write(true).custom_flags(libc::O_NOFOLLOW);
        let Ok(lock) = options.open(entry.path().join(LOCK)) else { continue };
        if lock.try_lock().is_ok() {
            // The lock is held until all is gone: a folder that is created just now notices.
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(dir).unwrap().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Whatever the number of its owner: a folder stays while its lock is held, and goes then.
    #[test]
    fn folders_go_with_their_locks() {
        let dir = tempfile::tempdir().unwrap();
        // Processes have smaller numbers. Earlier versions named folders by them.
        let other = dir.path().join(format!("{PREFIX}{}-a", u32::MAX));
        std::fs::create_dir(&other).unwrap();
        let held = ScratchFolder::new_in(dir.path()).unwrap();
        let left = ScratchFolder::new_in(dir.path()).unwrap();
        let ScratchFolder { path, _lock, _folder } = left;
        std::fs::write(path.join("file"), "text").unwrap();
        let left = _folder.keep();
        sweep(dir.path());
        assert!(held.path().is_dir() && left.is_dir() && other.is_dir(), "{:?}", names(dir.path()));
        drop(_lock);
        sweep(dir.path());
        assert!(
            held.path().is_dir() && !left.exists() && other.is_dir(),
            "{:?}",
            names(dir.path())
        );
        drop(held);
        assert_eq!(names(dir.path()).len(), 1);
    }

    #[test]
    fn folders_are_private() {
        let dir = tempfile::tempdir().unwrap();
        let folder = ScratchFolder::new_in(dir.path()).unwrap();
        let mode = folder.path().parent().unwrap().metadata().unwrap().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    /// Links are not followed, neither as folders nor as locks.
    #[test]
    fn links_lead_nowhere() {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(elsewhere.path().join(LOCK), "").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join(format!("{PREFIX}link")))
            .unwrap();
        let folder = dir.path().join(format!("{PREFIX}folder"));
        std::fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(elsewhere.path().join(LOCK), folder.join(LOCK)).unwrap();
        sweep(dir.path());
        assert_eq!(names(dir.path()).len(), 2);
        assert_eq!(names(elsewhere.path()), [LOCK]);
    }

    /// Sweeping while folders are created loses none.
    #[test]
    fn fresh_folders_are_safe() {
        let dir = tempfile::tempdir().unwrap();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
                    sweep(dir.path());
                }
            });
            let folders: Vec<ScratchFolder> =
                (0..300).map(|_| ScratchFolder::new_in(dir.path()).unwrap()).collect();
            let lost = folders.iter().filter(|folder| !folder.path().is_dir()).count();
            is_over.store(true, std::sync::atomic::Ordering::SeqCst);
            assert_eq!(lost, 0);
        });
    }
}

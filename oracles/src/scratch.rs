//! Folders for what oracles need while they work.
//!
//! A folder is held by a lock on a file in it, which goes with the process, however that ends. A
//! process number would not do: another PID namespace has other numbers.

use std::fs::{File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read, Write};
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

/// Writes a file into a folder that targets have used. They may have left anything there: a pipe,
/// which would keep the writer waiting, or a link to a file elsewhere. It is removed first.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write_afresh(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let removed = match std::fs::symlink_metadata(path) {
        Ok(there) if there.is_dir() => std::fs::remove_dir_all(path),
        Ok(_) => std::fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // What has come there in the meantime is an error, links included.
    OpenOptions::new().write(true).create_new(true).open(path)?.write_all(bytes)
}

/// Reads a file that a target has left behind.
///
/// # Errors
/// If it is no regular file (pipes and devices never end, and links lead anywhere), if it has more
/// than `most` bytes, or if it cannot be read.
pub(crate) fn read_left_behind(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    let n_read = file.take(most.saturating_add(1)).read_to_end(&mut bytes)? as u64;
    match n_read > most {
        true => Err(io::Error::other(format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
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

    fn make_pipe(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }

    #[test]
    fn a_file_replaces_whatever_a_target_left_there() {
        let dir = tempfile::tempdir().unwrap();
        let (path, other) = (dir.path().join("file"), dir.path().join("other"));
        std::fs::write(&other, "other").unwrap();
        let leave: [&dyn Fn(); 6] = [
            &|| {},
            &|| std::fs::write(&path, "a longer text").unwrap(),
            &|| make_pipe(&path),
            &|| std::os::unix::fs::symlink(&other, &path).unwrap(),
            &|| std::fs::hard_link(&other, &path).unwrap(),
            &|| std::fs::create_dir_all(path.join("folder")).unwrap(),
        ];
        for leave in leave {
            leave();
            write_afresh(&path, b"text").unwrap();
            assert_eq!(read_left_behind(&path, 4).unwrap(), b"text");
            std::fs::remove_file(&path).unwrap();
        }
        assert_eq!(std::fs::read(&other).unwrap(), b"other");
    }

    #[test]
    fn only_regular_files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("file"), "text").unwrap();
        make_pipe(&path("pipe"));
        std::os::unix::fs::symlink("/dev/zero", path("device")).unwrap();
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        for name in ["pipe", "device", "link", "nothing"] {
            assert!(read_left_behind(&path(name), 100).is_err(), "{name}");
        }
        assert!(read_left_behind(dir.path(), 100).is_err());
        assert!(read_left_behind(&path("file"), 3).is_err());
        assert_eq!(read_left_behind(&path("file"), 4).unwrap(), b"text");
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

//! Reading files up to a limit, and writing files so that they appear whole or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Reads a text of at most `limit` bytes, whatever the file is: a device or a pipe may never end.
///
/// # Errors
/// If it cannot be read, is larger, or is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let why = format!("it is too large: expected at most {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    String::from_utf8(bytes)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

/// Lets `produce` write a file.
///
/// A regular file is replaced once all is written, and keeps its mode, and its owner if that is
/// allowed; a new file gets the mode that the umask leaves. A symbolic link stays, and the file
/// that it leads to is written. Devices and pipes are written to as they are.
///
/// # Errors
/// Those of `produce`, and what `failed` makes of those of the file system.
pub fn write_file<E>(
    path: &Path,
    failed: impl Fn(io::Error) -> E,
    produce: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    match fs::metadata(path) {
        Ok(known) if known.is_file() => replace(&resolved(path), Some(&known), failed, produce),
        // Renaming a file over it would remove the device or pipe.
        Ok(_) => {
            let file = OpenOptions::new().write(true).open(path).map_err(&failed)?;
            let mut out = BufWriter::new(file);
            produce(&mut out)?;
            out.flush().map_err(failed)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            replace(&resolved(path), None, failed, produce)
        }
        Err(error) => Err(failed(error)),
    }
}

/// Where a path leads in the end. The last link may lead to nothing, which is then created.
fn resolved(path: &Path) -> PathBuf {
    // As many links as Linux follows; if there are more, opening the path says so.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        path = folder_of(&path).join(target);
    }
    path
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn replace<E>(
    path: &Path,
    known: Option<&Metadata>,
    failed: impl Fn(io::Error) -> E,
    produce: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let temporary = temporary_in(folder_of(path), known).map_err(&failed)?;
    let mut out = BufWriter::new(temporary);
    produce(&mut out)?;
    let temporary = out.into_inner().map_err(|error| failed(error.into_error()))?;
    if let Some(known) = known {
        keep_owner_and_mode(temporary.as_file(), known).map_err(&failed)?;
    }
    temporary.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// A temporary file: with the mode of a new file, or for its owner only if it replaces another,
/// which may have been so.
#[cfg(unix)]
fn temporary_in(folder: &Path, known: Option<&Metadata>) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if known.is_some() { 0o600 } else { 0o666 };
    // The system takes away what the umask says.
    let permissions = fs::Permissions::from_mode(mode);
    tempfile::Builder::new().permissions(permissions).tempfile_in(folder)
}

#[cfg(not(unix))]
fn temporary_in(folder: &Path, _: Option<&Metadata>) -> io::Result<NamedTempFile> {
    NamedTempFile::new_in(folder)
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, known: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    // Only root may give files away; others keep what they write. The group comes first: it may be
    // allowed where the owner is not.
    let _ = fchown(file, None, Some(known.gid()));
    let _ = fchown(file, Some(known.uid()), None);
    // Last, because a new owner takes bits of the mode away.
    file.set_permissions(known.permissions())
}

#[cfg(not(unix))]
fn keep_owner_and_mode(_: &File, _: &Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn write(path: &Path, text: &str) -> io::Result<()> {
        write_file(path, |error| error, |out| out.write_all(text.as_bytes()))
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("a file").permissions().mode() & 0o7777
    }

    #[test]
    fn a_file_keeps_its_mode_and_is_replaced_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for kept in [0o600, 0o640, 0o755, 0o666] {
            fs::write(&path, "before").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
            let inode = fs::metadata(&path).unwrap().ino();
            write(&path, "after").unwrap();
            assert_eq!((fs::read_to_string(&path).unwrap(), mode(&path)), ("after".into(), kept));
            assert_ne!(fs::metadata(&path).unwrap().ino(), inode, "it was not replaced");
        }
        let half = write_file(
            &path,
            |error| error,
            |out| {
                out.write_all(b"half")?;
                Err(io::Error::other("stop"))
            },
        );
        assert!(half.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "after");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "something is left behind");
    }

    #[test]
    fn a_new_file_has_the_mode_of_any_new_file() {
        let dir = tempfile::tempdir().unwrap();
        let (ours, usual) = (dir.path().join("ours"), dir.path().join("usual"));
        write(&ours, "new").unwrap();
        fs::write(&usual, "new").unwrap();
        assert_eq!(mode(&ours), mode(&usual));
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("inner")).unwrap();
        fs::write(at("inner/file"), "before").unwrap();
        symlink("inner/file", at("link")).unwrap();
        symlink(at("link"), at("chain")).unwrap();
        symlink("inner/new", at("dangling")).unwrap();
        for link in ["link", "chain"] {
            write(&at(link), link).unwrap();
            assert_eq!(fs::read_to_string(at("inner/file")).unwrap(), link);
        }
        write(&at("dangling"), "new").unwrap();
        assert_eq!(fs::read_to_string(at("inner/new")).unwrap(), "new");
        for link in ["link", "chain", "dangling"] {
            assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink(), "{link} is replaced");
        }
        symlink("loop", at("loop")).unwrap();
        assert!(write(&at("loop"), "lost").is_err());
    }

    #[test]
    fn a_pipe_is_written_to() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read_to_string(path).unwrap()
        });
        write(&path, "through").unwrap();
        // A reader that found a file instead would wait for a writer that never comes.
        assert!(fs::symlink_metadata(&path).unwrap().file_type().is_fifo());
        assert_eq!(reader.join().unwrap(), "through");
    }

    #[test]
    fn folders_are_no_files() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write(dir.path(), "lost").is_err());
    }

    #[test]
    fn what_never_ends_is_read_up_to_the_limit() {
        let error = read_text(Path::new("/dev/zero"), 1000).unwrap_err();
        assert_eq!(error.to_string(), "it is too large: expected at most 1000 bytes");
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_text(&path, 5).unwrap(), "12345");
        assert!(read_text(&path, 4).is_err());
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert_eq!(read_text(&path, 5).unwrap_err().to_string(), "it is not UTF-8 text");
    }
}

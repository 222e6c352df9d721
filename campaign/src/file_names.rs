//! Names of files and folders that come from a database or from targets.

use std::io;
use std::path::Path;

use pathsmith_oracles::is_hidden;

/// The longest name that file systems take, in bytes.
const MAX_LENGTH: usize = 255;

/// Checks that a name is that of something in a folder, and leads nowhere else.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let problem = match name {
        "" => "is empty",
        "." | ".." => "is another folder",
        _ if name.contains('/') => "leads out of its folder",
        _ if name.chars().any(is_hidden) => "has characters that do not show",
        _ if name.len() > MAX_LENGTH => "is too long",
        _ => return Ok(()),
    };
    Err(format!("the name {name:?} {problem}"))
}

/// Checks that a path is no symbolic link, through which something else would be written.
///
/// # Errors
/// If it is one.
pub(crate) fn check_no_link(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_symlink() => {
            let why = "it is a symbolic link, and nothing is written through those";
            Err(io::Error::new(io::ErrorKind::InvalidInput, why))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        for name in ["f7-gcc-12-O2-wrong-result", "a b.c", "..x", "-", "é"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        let long = "x".repeat(256);
        for name in ["", ".", "..", "../x", "/etc/x", "a/b", "a\0b", "a\nb", "\x1b[2J", &long] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }
}

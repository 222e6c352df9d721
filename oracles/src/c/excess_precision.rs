//! Compilers for 32-bit x86 that compute with more precision than a type has.

use std::path::Path;

use super::trial_program::{run, trial_folder};
use crate::launch::Launch;
use crate::oracle::OracleError;
use crate::process::Stop;

/// What makes 32-bit x86 compute without excess precision.
pub(super) const SSE_ARITHMETIC: [&str; 2] = ["-msse2", "-mfpmath=sse"];

/// Whether a compiler is one for 32-bit x86 that computes with excess precision.
///
/// # Errors
/// If there is no room for a trial, or it is stopped.
pub(super) fn has_excess_precision(
    command: &Path,
    launch: &Launch,
    stop: &Stop,
) -> Result<bool, OracleError> {
    let name = command.file_name().unwrap_or_default().to_string_lossy();
    let is_named = ["i386-", "i486-", "i586-", "i686-"].iter().any(|arch| name.starts_with(arch));
    if !is_named && !launch.flags.iter().any(|flag| flag == "-m32") {
        return Ok(false);
    }
    let folder = trial_folder()?;
    let line =
        launch.direct(command, folder.path()).args(&launch.flags).args(["-dM", "-E", "try.c"]);
    // If it does not work at all, preflight says why.
    let ended = match run(&line, stop) {
        Ok(ended) => ended,
        Err(OracleError::Stopped) => return Err(OracleError::Stopped),
        Err(_) => return Ok(false),
    };
    Ok(is_excessive(&String::from_utf8_lossy(&ended.stdout)))
}

fn is_excessive(macros: &str) -> bool {
    let value_of = |name: &str| {
        macros.lines().find_map(|line| {
            let mut words = line.strip_prefix("#define ")?.split_whitespace();
            (words.next() == Some(name)).then(|| words.next().unwrap_or_default())
        })
    };
    value_of("__i386__").is_some()
        && value_of("__FLT_EVAL_METHOD__").is_some_and(|method| method != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excess_precision_is_read_off_macros() {
        let x86 = "#define __i386__ 1\n#define __i386 1\n";
        assert!(is_excessive(&format!("{x86}#define __FLT_EVAL_METHOD__ 2\n")));
        assert!(!is_excessive(&format!("{x86}#define __FLT_EVAL_METHOD__ 0\n")));
        assert!(!is_excessive("#define __FLT_EVAL_METHOD__ 2\n"));
    }
}

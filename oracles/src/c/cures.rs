//! Which single optimizations a finding needs: the beginning of telling findings apart.

use std::collections::BTreeMap;

use pathsmith_backend_c::CSource;

use super::{COracle, CTarget, Compiler, Setting, write_files};
use crate::oracle::{Limits, Oracle, OracleError};
use crate::process::CommandLine;
use crate::verdict::Verdict;

impl COracle {
    /// The optimizations that `target` has switched on and that cure it of what it makes of
    /// `source`: with any of them switched off, alone, it does what it should. `None` where there
    /// is nothing to cure, or the compiler does not say what it has switched on.
    ///
    /// # Errors
    /// As for [`run`](Oracle::run).
    pub fn cures(
        &mut self,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Option<Vec<String>>, OracleError> {
        if target.toolchain.compiler != Compiler::Gcc
            || self.run(source, target, limits)?.verdict == Verdict::Agrees
        {
            return Ok(None);
        }
        // Most flags change nothing; the same objects need not be run again.
        let mut known: BTreeMap<Vec<Vec<u8>>, bool> = BTreeMap::new();
        let mut cures = Vec::new();
        for name in self.switched_on(target, limits)? {
            let mut flags = target.setting.flags.clone();
            flags.push(format!("-fno-{name}"));
            let setting = Setting::named(&name, &flags);
            let without = CTarget { toolchain: target.toolchain.clone(), setting };
            let Some(objects) = self.objects(source, &without, limits)? else { continue };
            let is_cured = match known.get(&objects) {
                Some(is_cured) => *is_cured,
                None => {
                    let report = self.run(source, &without, limits)?;
                    *known.entry(objects).or_insert(report.verdict == Verdict::Agrees)
                }
            };
            if is_cured {
                cures.push(name);
            }
        }
        Ok(Some(cures))
    }

    /// The optimizations that gcc says it has switched on.
    fn switched_on(
        &mut self,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Vec<String>, OracleError> {
        let dir = self.fresh_folder()?;
        let command = CommandLine::new(&target.toolchain.command, dir.path())
            .args(["-Q", "--help=optimizers"])
            .args(&target.setting.flags);
        let Ok(ended) = self.started(&command, limits.compile_time, true, limits) else {
            return Ok(Vec::new());
        };
        Ok(switched_on(&String::from_utf8_lossy(&ended?.stdout)))
    }

    /// The compiled files of a program, if they can be compiled.
    fn objects(
        &mut self,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Option<Vec<Vec<u8>>>, OracleError> {
        let dir = self.fresh_folder()?;
        write_files(dir.path(), &source.files)?;
        let command = CommandLine::new(&target.toolchain.command, dir.path())
            .args(target.flags())
            .arg("-c")
            .args(source.files.iter().map(|file| &file.name));
        let Ok(ended) = self.started(&command, limits.compile_time, true, limits) else {
            return Ok(None);
        };
        if !ended?.end.is_success() {
            return Ok(None);
        }
        let read = |name: String| std::fs::read(dir.path().join(name)).ok();
        Ok(source.files.iter().map(|file| read(file.name.replace(".c", ".o"))).collect())
    }
}

/// The switches that are on in what gcc lists.
fn switched_on(listing: &str) -> Vec<String> {
    let on = listing.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?.strip_prefix("-f")?;
        (words.next() == Some("[enabled]") && !name.contains('=')).then(|| name.to_owned())
    });
    on.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_is_read_from_a_listing() {
        let listing = "The following options control optimizations:\n  \
                       -O<number>\n  -faggressive-loop-optimizations \t[enabled]\n  \
                       -falign-functions \t\t[disabled]\n  -fvect-cost-model=cheap \t[enabled]\n";
        assert_eq!(switched_on(listing), ["aggressive-loop-optimizations"]);
    }
}

//! Which optimizations compilers report: gcc's notes and statistics, clang's remarks and statistics.

use std::collections::BTreeMap;
use std::path::Path;

use pathsmith_backend_c::{CFile, CSource};

use super::{COracle, CTarget, Compiler, judge, write_files};
use crate::oracle::{Limits, OracleError, StepError};
use crate::scratch::read_left_behind;

/// How often a compiler did what, by name: `loop vectorized`, `ccp: Constants propagated`.
pub type Counters = BTreeMap<String, u64>;

/// What gcc counts that is no optimization: the size of its own tables, and how often it renewed
/// them.
const BOOKKEEPING: [&str; 5] = ["==", "RPO", "SSA", "VAR_DECLs", "ASSERT_EXPR"];

impl COracle {
    /// What `target` says that it has done to each file of `source`, in their order. Of functions,
    /// only those count that files are named after.
    ///
    /// # Errors
    /// As for [`run`](crate::Oracle::run), and if the compiler fails, or does not say what it does.
    pub fn counters(
        &mut self,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Vec<Counters>, StepError> {
        let compiler = target.toolchain.compiler;
        let has_statistics = match compiler {
            Compiler::Gcc => true,
            Compiler::Clang => self.has_statistics(target, limits)?,
            Compiler::Other => {
                let why = "only gcc and clang say which optimizations they do".to_owned();
                let name = target.toolchain.name.clone();
                return Err(OracleError::Target { name, why }.into());
            }
        };
        let dir = self.fresh_folder()?;
        write_files(dir.path(), &source.files)?;
        let mut counted = vec![Counters::new(); source.files.len()];
        // Clang does not say which file its statistics are about.
        let per_command = match compiler == Compiler::Clang && has_statistics {
            true => 1,
            false => source.files.len().max(1),
        };
        for (files, counted) in
            std::iter::zip(source.files.chunks(per_command), counted.chunks_mut(per_command))
        {
            let said = self.said_about(files, dir.path(), target, has_statistics, limits)?;
            for (file, counters) in std::iter::zip(files, counted) {
                add_remarks(&said, &file.name, counters);
                match compiler {
                    Compiler::Gcc => {
                        let stem = file.name.trim_end_matches(".c");
                        add_gcc_statistics(
                            &gcc_statistics(dir.path(), file, limits)?,
                            stem,
                            counters,
                        );
                    }
                    Compiler::Clang | Compiler::Other => add_clang_statistics(&said, counters),
                }
            }
        }
        Ok(counted)
    }

    /// Whether a compiler counts what it does. gcc always does, clang if it was built to.
    ///
    /// # Errors
    /// As for [`run`](crate::Oracle::run).
    pub fn has_statistics(
        &mut self,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<bool, OracleError> {
        if target.toolchain.compiler != Compiler::Clang {
            return Ok(target.toolchain.compiler == Compiler::Gcc);
        }
        let dir = self.fresh_folder()?;
        let file = CFile { name: "try.c".to_owned(), text: "int f(void) { return 1; }".to_owned() };
        write_files(dir.path(), [&file])?;
        match self.said_about(&[file], dir.path(), target, true, limits) {
            Ok(said) => Ok(!said.contains("Statistics are disabled")),
            Err(StepError::Verdict(_)) => Ok(false),
            Err(StepError::Oracle(error)) => Err(error),
        }
    }

    /// What a compiler says on standard error while it compiles some files of a folder.
    fn said_about(
        &mut self,
        files: &[CFile],
        dir: &Path,
        target: &CTarget,
        has_statistics: bool,
        limits: &Limits,
    ) -> Result<String, StepError> {
        let toolchain = &target.toolchain;
        let questions: &[&str] = match (toolchain.compiler, has_statistics) {
            (Compiler::Gcc, _) => &["-fopt-info-optimized", "-fdump-statistics"],
            (Compiler::Clang | Compiler::Other, true) => &["-Rpass=.*", "-mllvm", "-stats"],
            (Compiler::Clang | Compiler::Other, false) => &["-Rpass=.*"],
        };
        let command = toolchain
            .line(dir)
            .args(target.flags())
            .args(questions)
            .arg("-c")
            .args(files.iter().map(|file| &file.name));
        self.spent.n_compilations += 1;
        let ended = self.run_command(&command, limits.compile_time, true, limits)?;
        self.spent.compile += ended.cpu;
        let objects = files.iter().map(|file| dir.join(file.name.replace(".c", ".o")));
        let has_products = objects.into_iter().all(|object| object.exists());
        let evidence = &mut Vec::new();
        judge::compiled(&command, &ended, has_products, toolchain.compiler, evidence)?;
        Ok(String::from_utf8_lossy(&ended.stderr).into_owned())
    }
}

/// The statistics that gcc has put beside a file: `f1.c.339t.statistics`.
pub(super) fn gcc_statistics(
    dir: &Path,
    file: &CFile,
    limits: &Limits,
) -> Result<String, OracleError> {
    let failed = |source| OracleError::io("cannot read gcc's statistics", source);
    for entry in std::fs::read_dir(dir).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&format!("{}.", file.name)) && name.ends_with(".statistics") {
            // A compiler may leave anything there.
            let text = read_left_behind(&entry.path(), limits.files).unwrap_or_default();
            return Ok(String::from_utf8_lossy(&text).into_owned());
        }
    }
    Ok(String::new())
}

/// Counts the remarks about a file. Remarks about the harness do not count.
fn add_remarks(said: &str, file: &str, counters: &mut Counters) {
    for line in said.lines().filter(|line| !line.contains("ps_run_")) {
        if let Some((_, name)) = remark(line, file) {
            *counters.entry(name).or_default() += 1;
        }
    }
}

/// The line that a remark is about, and what it says was done:
/// `f1.c:3:5: optimized: loop vectorized using 16 byte vectors` of gcc,
/// `f1.c:3:5: remark: hoisting add [-Rpass=licm]` of clang.
pub(super) fn remark(line: &str, file: &str) -> Option<(usize, String)> {
    let rest = line.strip_prefix(file)?.strip_prefix(':')?;
    let at = rest.split(':').next()?.parse().ok()?;
    if let Some((_, note)) = rest.split_once("optimized: ") {
        return Some((at, gcc_kind(note.trim())));
    }
    let (_, remark) = rest.split_once("remark: ")?;
    let (_, pass) = remark.rsplit_once("[-Rpass=")?;
    Some((at, pass.trim_end_matches(']').to_owned()))
}

/// What a note of gcc is about.
fn gcc_kind(note: &str) -> String {
    const KINDS: [(&str, &str); 9] = [
        ("basic block part vectorized", "basic block vectorized"),
        ("loop vectorized", "loop vectorized"),
        ("completely unrolled", "loop unrolled completely"),
        ("unrolled", "loop unrolled"),
        ("peeled", "loop peeled"),
        ("Unswitching", "loop unswitched"),
        ("distributed", "loop distributed"),
        ("Inlin", "inlined"),
        ("versioned", "loop versioned"),
    ];
    if let Some((_, kind)) = KINDS.iter().find(|(sign, _)| note.contains(sign)) {
        return (*kind).to_owned();
    }
    let is_plain = |word: &&str| word.chars().all(char::is_alphabetic);
    let words: Vec<&str> = note.split_whitespace().take_while(is_plain).take(4).collect();
    if words.is_empty() { "other".to_owned() } else { words.join(" ") }
}

/// Adds up the statistics that are about a function, or about what gcc has made of it:
/// `f1.part.0`.
fn add_gcc_statistics(text: &str, function: &str, counters: &mut Counters) {
    for (whose, name, number) in text.lines().filter_map(statistic) {
        if whose.split('.').next() == Some(function) {
            *counters.entry(name).or_default() += number;
        }
    }
}

/// What a line such as `39 ccp "Constants propagated" "f1" 2` says: the function, what was done, and
/// how often.
pub(super) fn statistic(line: &str) -> Option<(&str, String, u64)> {
    let mut parts = line.split('"');
    let (pass, what, _) = (parts.next()?, parts.next()?, parts.next()?);
    let (whose, number) = (parts.next()?, parts.next()?);
    let pass = pass.split_whitespace().last()?;
    let number = number.trim().parse().ok()?;
    let is_bookkeeping = BOOKKEEPING.iter().any(|word| what.contains(word));
    (!is_bookkeeping).then(|| (whose, format!("{pass}: {what}"), number))
}

/// Adds up lines such as `  12 instcombine - Number of insts combined`.
fn add_clang_statistics(said: &str, counters: &mut Counters) {
    for line in said.lines() {
        let Some((before, what)) = line.split_once(" - ") else { continue };
        let mut words = before.split_whitespace();
        let (Some(number), Some(pass), None) = (words.next(), words.next(), words.next()) else {
            continue;
        };
        if let Ok(number) = number.parse::<u64>() {
            *counters.entry(format!("{pass}: {}", what.trim())).or_default() += number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(add: impl Fn(&mut Counters)) -> Vec<(String, u64)> {
        let mut counters = Counters::new();
        add(&mut counters);
        counters.into_iter().collect()
    }

    fn entry(name: &str, number: u64) -> (String, u64) {
        (name.to_owned(), number)
    }

    #[test]
    fn gcc_is_understood() {
        let said = "f1.c:3:5: optimized: loop vectorized using 16 byte vectors\n\
                    f1.c:9:1: optimized: loop with 3 iterations completely unrolled (header 1)\n\
                    f1.c:9:1: optimized:  Inlining ps_min_i32/2 into f1/3.\n\
                    f1.c:9:1: optimized:  Inlined f1/3 into ps_run_f1/4 which now has time 1.\n\
                    f1.c:9:1: optimized: something new happened to x_3\n\
                    f11.c:3:5: optimized: loop vectorized using 16 byte vectors\n";
        let expected = [
            entry("inlined", 1),
            entry("loop unrolled completely", 1),
            entry("loop vectorized", 1),
            entry("something new happened to", 1),
        ];
        assert_eq!(counted(|counters| add_remarks(said, "f1.c", counters)), expected);
        let statistics = "39 ccp \"Constants propagated\" \"f1\" 2\n\
                          107 ccp \"Constants propagated\" \"f1.part.0\" 3\n\
                          107 ccp \"Constants propagated\" \"ps_run_f1\" 7\n\
                          44 fre \"RPO num values == 36\" \"f1\" 1\n\
                          nonsense\n";
        let expected = [entry("ccp: Constants propagated", 5)];
        assert_eq!(counted(|counters| add_gcc_statistics(statistics, "f1", counters)), expected);
    }

    #[test]
    fn clang_is_understood() {
        let said = "f1.c:3:5: remark: hoisting add [-Rpass=licm]\n\
                    f1.c:4:5: remark: sinking add [-Rpass=licm]\n\
                    f1.c:4:5: remark: 'f1' inlined into 'ps_run_f1' [-Rpass=inline]\n";
        assert_eq!(counted(|c| add_remarks(said, "f1.c", c)), [entry("licm", 2)]);
        let said = "===---===\n   ... Statistics Collected ...\n\n \
                    12 instcombine        - Number of insts combined\n  \
                    1 early-cse          - Number of instructions CSE'd\n";
        let expected = [
            entry("early-cse: Number of instructions CSE'd", 1),
            entry("instcombine: Number of insts combined", 12),
        ];
        assert_eq!(counted(|counters| add_clang_statistics(said, counters)), expected);
    }
}

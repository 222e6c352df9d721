//! What compilers have done to each function, and what they have emitted for it, as names that
//! guidance can compare: `gcc: ccp: Constants propagated x4`, `asm: movl addl jne`.

use std::collections::{BTreeMap, BTreeSet};

use pathsmith_backend_c::{CFile, CSource};

use super::counters::{gcc_statistics, remark, statistic};
use super::{COracle, CTarget, Compiler, judge, write_files};
use crate::oracle::{Limits, OracleError, StepError};
use crate::scratch::read_left_behind;

/// The features of a function.
pub type Features = BTreeSet<String>;

/// How many opcodes in a row are a feature. A guess: pairs are soon all known, and of four in a row
/// nearly every function has some that are new.
const N_GRAM: usize = 3;

impl COracle {
    /// What `target` does to each function of `source`, in the order of its tests. Nothing at all if
    /// the compiler says nothing, or does not compile it.
    ///
    /// # Errors
    /// If the oracle cannot work.
    pub fn features(
        &mut self,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Option<Vec<Features>>, OracleError> {
        let has_assembly = !target.setting.is_link_time();
        if target.toolchain.compiler == Compiler::Other || !has_assembly {
            return Ok(None);
        }
        match self.features_by_name(source, target, limits) {
            Ok(mut found) => {
                let mut of = |name: &String| found.remove(name).unwrap_or_default();
                Ok(Some(source.tests.iter().map(|test| of(&test.name)).collect()))
            }
            // Whatever it is, it shows when the batch is run.
            Err(StepError::Verdict(_)) => Ok(None),
            Err(StepError::Oracle(error)) => Err(error),
        }
    }

    fn features_by_name(
        &mut self,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<BTreeMap<String, Features>, StepError> {
        let (toolchain, compiler) = (&target.toolchain, target.toolchain.compiler);
        let questions: &[&str] = match compiler {
            Compiler::Gcc => &["-fopt-info-optimized", "-fdump-statistics"],
            Compiler::Clang => &["-Rpass=.*"],
            Compiler::Other => &[],
        };
        let dir = self.fresh_folder()?;
        write_files(dir.path(), &source.files)?;
        let files = source.files.iter().map(|file| &file.name);
        let command =
            toolchain.line(dir.path()).args(target.flags()).args(questions).arg("-S").args(files);
        self.spent.n_compilations += 1;
        let ended = self.run_command(&command, limits.compile_time, true, limits)?;
        self.spent.compile += ended.cpu;
        let assembly = |file: &CFile| dir.path().join(file.name.replace(".c", ".s"));
        let has_products = source.files.iter().all(|file| assembly(file).exists());
        judge::compiled(&command, &ended, has_products, compiler, &mut Vec::new())?;
        let said = String::from_utf8_lossy(&ended.stderr);
        let mut counts = Counts::default();
        for file in &source.files {
            let lines = Lines::of(&file.text);
            for (line, name) in said.lines().filter_map(|line| remark(line, &file.name)) {
                counts.add(lines.function(line), format!("{}: {name}", compiler_name(compiler)), 1);
            }
            if compiler == Compiler::Gcc {
                let text = gcc_statistics(dir.path(), file, limits)?;
                for (function, name, number) in text.lines().filter_map(statistic) {
                    counts.add(Some(plain_name(function)), format!("gcc: {name}"), number);
                }
            }
        }
        let mut features = counts.into_features();
        for file in &source.files {
            // A compiler may leave anything there.
            let text = read_left_behind(&assembly(file), limits.files).unwrap_or_default();
            add_opcodes(&String::from_utf8_lossy(&text), &mut features);
        }
        Ok(features)
    }
}

const fn compiler_name(compiler: Compiler) -> &'static str {
    match compiler {
        Compiler::Gcc => "gcc",
        Compiler::Clang => "clang",
        Compiler::Other => "other",
    }
}

/// How often what was done to which function.
#[derive(Default)]
struct Counts(BTreeMap<String, BTreeMap<String, u64>>);

impl Counts {
    fn add(&mut self, function: Option<&str>, name: String, number: u64) {
        if let Some(function) = function {
            let of_function = self.0.entry(function.to_owned()).or_default();
            *of_function.entry(name).or_default() += number;
        }
    }

    /// Numbers count by their magnitude: 1, 2 to 3, 4 to 7, and so on.
    fn into_features(self) -> BTreeMap<String, Features> {
        let feature =
            |(name, number): (String, u64)| format!("{name} x{}", 1_u64 << number.max(1).ilog2());
        let of_function = |(function, counts): (String, BTreeMap<String, u64>)| {
            (function, counts.into_iter().map(feature).collect())
        };
        self.0.into_iter().map(of_function).collect()
    }
}

/// Which lines of a file are whose: the functions begin with `uint32_t f0(int32_t a)` and end with
/// `}`, both at the beginning of a line.
struct Lines<'a>(Vec<(usize, Option<&'a str>)>);

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        let mut changes = Vec::new();
        for (at, line) in text.lines().enumerate() {
            if line == "}" {
                changes.push((at + 2, None));
            } else if line.ends_with(')') && line.starts_with(|c: char| c.is_alphabetic()) {
                let before = line.split('(').next().unwrap_or_default();
                let name = before.rsplit([' ', '*']).next().unwrap_or_default();
                changes.push((at + 1, Some(name)));
            }
        }
        Self(changes)
    }

    /// The function that a line belongs to; the first line is 1.
    fn function(&self, line: usize) -> Option<&'a str> {
        let n_before = self.0.partition_point(|(begin, _)| *begin <= line);
        self.0.get(n_before.checked_sub(1)?)?.1
    }
}

/// The function that `f1.part.0` or `f1.constprop.0.isra.0` was made from.
fn plain_name(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

/// Adds the opcodes of each function of an assembly file that follow each other.
fn add_opcodes(assembly: &str, features: &mut BTreeMap<String, Features>) {
    let (mut function, mut opcodes): (&str, Vec<&str>) = ("", Vec::new());
    for line in assembly.lines() {
        let line = line.split(['#', ';']).next().unwrap_or_default();
        if let Some(label) = line.trim_end().strip_suffix(':') {
            let is_local = label.starts_with('.') || label.starts_with('L');
            if !is_local {
                function = plain_name(label);
            }
            // What jumps here comes from elsewhere.
            opcodes.clear();
            continue;
        }
        let is_instruction = line.starts_with([' ', '\t']);
        let Some(word) = line.split_whitespace().next().filter(|_| is_instruction) else {
            continue;
        };
        if word.starts_with('.') || function.is_empty() || function.starts_with("ps_") {
            continue;
        }
        opcodes.push(word);
        if opcodes.len() > N_GRAM {
            opcodes.remove(0);
        }
        if opcodes.len() == N_GRAM {
            let of_function = features.entry(function.to_owned()).or_default();
            of_function.insert(format!("asm: {}", opcodes.join(" ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_belong_to_the_function_around_them() {
        let text = "static int x;\nuint32_t f0(int32_t a)\n{\n    return a;\n}\n\n\
                    static uint64_t ps_run_f0(int n)\n{\n}\nint *f1(void)\n{\n}\n";
        let lines = Lines::of(text);
        let owners: Vec<Option<&str>> = [1, 2, 4, 5, 6, 8, 11].map(|at| lines.function(at)).into();
        let f0 = Some("f0");
        assert_eq!(owners, [None, f0, f0, f0, None, Some("ps_run_f0"), Some("f1")]);
    }

    #[test]
    fn opcodes_are_counted_by_function_and_not_across_labels() {
        let text = "\t.text\nf0:\n\tmovl\t%edi, %eax\n\taddl\t$1, %eax # x\n\tjne\t.L3\n\tnop\n\
                    .L3:\n\tret\nf0.part.0:\n\tsubl\t%a, %b\n\timull\t%a, %b\n\tret\n\
                    ps_run_f0:\n\tnop\n\tnop\n\tnop\n";
        let mut features = BTreeMap::new();
        add_opcodes(text, &mut features);
        let expected = ["asm: addl jne nop", "asm: movl addl jne", "asm: subl imull ret"];
        assert_eq!(features.len(), 1);
        assert_eq!(features["f0"].iter().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn numbers_count_by_magnitude() {
        let mut counts = Counts::default();
        counts.add(Some("f0"), "gcc: ccp: Constants propagated".to_owned(), 3);
        counts.add(Some("f0"), "gcc: ccp: Constants propagated".to_owned(), 2);
        counts.add(None, "gcc: elsewhere".to_owned(), 1);
        let features = counts.into_features();
        let expected = ["gcc: ccp: Constants propagated x4"];
        assert_eq!(features["f0"].iter().collect::<Vec<_>>(), expected);
    }
}

//! Flags of compilers: levels, named settings, and random flags that a compiler is known to accept.

use std::path::Path;

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::floats::words_for_floats;
use super::instruction_sets::{march, missing_features};
use super::meaning::changes_meaning;
use super::toolchain::{Compiler, Toolchain};
use super::trial_program::{run, run_if_started, trial_folder, trial_folder_with_floats};
use crate::oracle::OracleError;
use crate::process::Stop;
use crate::setting::Setting;

/// The levels that are tested unless something else is asked for.
pub const OPTIMIZATION_LEVELS: [&str; 5] = ["-O0", "-O1", "-Os", "-O2", "-O3"];

const LTO: &str = "-flto";

/// A setting, and the flags that C compilers are given for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CSetting {
    /// What it is called: `-O2`.
    pub name: Setting,
    /// The flags.
    pub flags: Vec<String>,
}

impl CSetting {
    /// A level of optimization.
    pub fn level(level: &str) -> Self {
        Self::named(level, &[level])
    }

    /// Flags with a name of their own.
    pub fn named(name: &str, flags: &[impl AsRef<str>]) -> Self {
        Self::new(Setting::named(name), flags)
    }

    fn new(name: Setting, flags: &[impl AsRef<str>]) -> Self {
        Self { name, flags: flags.iter().map(|flag| flag.as_ref().to_owned()).collect() }
    }

    /// The same setting with some of its flags. Sanitizers stay what they are: what they report is a
    /// bug of pathsmith.
    #[must_use]
    pub fn with_flags(&self, flags: Vec<String>) -> Self {
        let name = match &self.name {
            Setting::Sanitizers => Setting::Sanitizers,
            Setting::Named(_) | Setting::Random(_) => Setting::of_flags(&flags),
        };
        Self { name, flags }
    }

    /// What finds undefined behaviour, as far as compilers can: unsigned arithmetic that wraps is
    /// defined, so clang's `integer` is restricted.
    pub fn sanitizers(compiler: Compiler) -> Self {
        let mut setting = Self::sanitizers_at("-O1", compiler);
        setting.flags.push("-DPS_NO_HANDLERS".to_owned());
        setting
    }

    /// The same for files without a harness. Without optimization: with it, sanitizers have the bugs
    /// themselves that files are to show.
    pub fn plain_sanitizers(compiler: Compiler) -> Self {
        Self::sanitizers_at("-O0", compiler)
    }

    fn sanitizers_at(level: &str, compiler: Compiler) -> Self {
        // What is out of range for an integer is undefined, a division by 0 is not; some compilers
        // have neither or both among what is undefined.
        let mut flags = vec![
            level,
            "-g",
            "-fsanitize=undefined,address,float-cast-overflow",
            "-fno-sanitize=float-divide-by-zero",
            "-fno-sanitize-recover=all",
        ];
        if compiler == Compiler::Clang {
            flags.push("-fsanitize=integer");
            flags.push(
                "-fno-sanitize=unsigned-integer-overflow,unsigned-shift-base,\
                 implicit-unsigned-integer-truncation,implicit-signed-integer-truncation,\
                 implicit-integer-sign-change",
            );
        }
        Self::new(Setting::Sanitizers, &flags)
    }

    /// A level of optimization, with link-time optimization.
    pub fn link_time(level: &str) -> Self {
        Self::named(&format!("{level}-flto"), &[level, LTO])
    }

    /// A level of optimization, for an instruction set: `x86-64-v3`.
    pub fn for_instruction_set(level: &str, instruction_set: &str) -> Self {
        let flag = march(instruction_set);
        Self::named(&format!("{level}{flag}"), &[level, &flag])
    }

    /// Whether it optimizes at link time.
    pub(super) fn is_link_time(&self) -> bool {
        self.flags.iter().any(|flag| flag == LTO)
    }

    /// The flags that linking needs too.
    pub(super) fn link_flags(&self) -> impl Iterator<Item = &String> {
        let has_lto = self.is_link_time();
        self.flags.iter().filter(move |flag| has_lto || flag.starts_with("-fsanitize"))
    }

    /// Whether a compiler can compile, link and run a program with these flags.
    ///
    /// # Errors
    /// If there is no room for a trial, or it is stopped.
    pub fn is_taken_by(&self, toolchain: &Toolchain, stop: &Stop) -> Result<bool, OracleError> {
        Ok(self.problem_with(toolchain, stop)?.is_none())
    }

    /// Why a compiler must not be tested with these flags, whether it takes them or not.
    ///
    /// # Errors
    /// If there is no room for a trial, or it is stopped.
    pub fn obstacle(
        &self,
        toolchain: &Toolchain,
        stop: &Stop,
    ) -> Result<Option<String>, OracleError> {
        let all = toolchain.launch.flags.iter().chain(&self.flags);
        if let Some(flag) = all.into_iter().find(|flag| changes_meaning(flag)) {
            return Ok(Some(format!("{flag} changes what a correct program returns")));
        }
        let missing = missing_features(toolchain, &self.flags, stop)?;
        Ok(missing.map(|missing| format!("the processor lacks {missing}")))
    }

    /// Why a compiler cannot be tested with these flags, if it cannot.
    ///
    /// # Errors
    /// If there is no room for a trial, or it is stopped.
    pub fn problem_with(
        &self,
        toolchain: &Toolchain,
        stop: &Stop,
    ) -> Result<Option<String>, OracleError> {
        if let Some(why) = self.obstacle(toolchain, stop)? {
            return Ok(Some(why));
        }
        let folder = trial_folder()?;
        let line = toolchain.line(folder.path()).args(&self.flags).args(["try.c", "-o", "try"]);
        let compiled = run(&line, stop)?;
        if !compiled.end.is_success() {
            let said = String::from_utf8_lossy(&compiled.stderr);
            let said = said.lines().next().unwrap_or("it says nothing").trim().to_owned();
            return Ok(Some(format!("it does not compile a small program: {said}")));
        }
        let ended = run_if_started(&toolchain.program("./try", folder.path()), stop)?;
        let is_right = ended.is_some_and(|ended| ended.end.code() == Some(0));
        Ok((!is_right).then(|| "a small program that it compiled does not run".to_owned()))
    }
}

/// Flags that change what the optimizer does, and that the compiler is known to accept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlagPool(Vec<String>);

/// Flags that change more than that: the ABI, or which files are written. What changes the meaning
/// of programs is in [`changes_meaning`].
const UNFIT: [&str; 17] = [
    "auto-profile",
    "branch-probabilities",
    "exceptions",
    "instrument",
    "lto",
    "non-call-exceptions",
    "openmp",
    "opt-info",
    "optimization-record",
    "pcc-struct-return",
    "plt",
    "profile",
    "reg-struct-return",
    "sanitize",
    "split-stack",
    "stack-limit",
    "whole-program",
];

/// Flags of gcc with a value: how eagerly it vectorizes and how wide, which registers it allocates
/// how. It lists their names only.
const GCC_FLAGS: [&str; 12] = [
    "-fvect-cost-model=unlimited",
    "-fvect-cost-model=dynamic",
    "-fvect-cost-model=very-cheap",
    "-fsimd-cost-model=unlimited",
    "-fira-algorithm=priority",
    "-fira-region=all",
    "-fira-region=one",
    "-freorder-blocks-algorithm=simple",
    "-mprefer-vector-width=128",
    "-mprefer-vector-width=256",
    "-mprefer-vector-width=512",
    "-mtune=intel",
];

/// Clang does not list its flags.
const CLANG_FLAGS: [&str; 31] = [
    "-fvectorize",
    "-fno-vectorize",
    "-fslp-vectorize",
    "-fno-slp-vectorize",
    "-funroll-loops",
    "-fno-unroll-loops",
    "-fno-inline",
    "-finline-functions",
    "-ffinite-loops",
    "-fno-finite-loops",
    "-fno-strict-aliasing",
    "-fno-jump-tables",
    "-fno-builtin",
    "-fwrapv",
    "-freroll-loops",
    "-fomit-frame-pointer",
    "-fno-omit-frame-pointer",
    "-mllvm=-enable-gvn-hoist",
    "-mllvm=-enable-gvn-sink",
    "-mllvm=-enable-loop-flatten",
    "-mllvm=-enable-dfa-jump-thread",
    "-mllvm=-unroll-runtime",
    "-mllvm=-force-vector-width=2",
    "-mllvm=-force-vector-width=4",
    "-mllvm=-force-vector-width=16",
    "-mllvm=-force-vector-interleave=1",
    "-mllvm=-force-vector-interleave=4",
    "-mprefer-vector-width=128",
    "-mprefer-vector-width=256",
    "-mprefer-vector-width=512",
    "-mtune=intel",
];

impl FlagPool {
    /// Finds the flags that `toolchain` accepts, by trying them on a small program.
    ///
    /// # Errors
    /// If there is no room for a trial, or it is stopped.
    pub fn new(toolchain: &Toolchain, stop: &Stop) -> Result<Self, OracleError> {
        let folder = trial_folder_with_floats()?;
        let candidates = match toolchain.compiler {
            Compiler::Gcc => listed_by_gcc(toolchain, folder.path(), stop)?,
            Compiler::Clang | Compiler::Other => {
                CLANG_FLAGS.iter().map(|&flag| flag.to_owned()).collect()
            }
        };
        let candidates: Vec<String> =
            candidates.into_iter().filter(|flag| !changes_meaning(flag)).collect();
        let mut known = Vec::new();
        keep_valid(toolchain, folder.path(), &candidates, stop, &mut known)?;
        Ok(Self(known))
    }

    /// The flags.
    pub fn flags(&self) -> &[String] {
        &self.0
    }

    /// How many flags there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Draws a level and some flags beside it, and one of some instruction sets half of the time.
    pub fn choose(
        &self,
        levels: &[String],
        instruction_sets: &[String],
        rng: &mut Rng,
    ) -> CSetting {
        let mut flags = Vec::new();
        if !levels.is_empty() {
            flags.push(levels[choose_below(levels.len(), rng)].clone());
        }
        // Few flags most of the time: with many, one often disables what another needs.
        let most = [2, 4, 8, 24][choose_below(4, rng)];
        for _ in 0..rng.random_range(1..=most).min(self.0.len() as u32) {
            add(&self.0[choose_below(self.0.len(), rng)], &mut flags);
        }
        if !instruction_sets.is_empty() && rng.random_bool(0.5) {
            flags.push(march(&instruction_sets[choose_below(instruction_sets.len(), rng)]));
        }
        combined(&flags)
    }

    /// Draws a setting next to one that has shown a finding: without one of its flags, or with one
    /// more. `known` are its flags, as [`Setting::Random`] has them.
    pub fn choose_near(&self, known: &[String], rng: &mut Rng) -> CSetting {
        let mut flags: Vec<String> = known.to_vec();
        // The first is the level.
        if flags.len() > 2 && rng.random_bool(0.5) {
            flags.remove(1 + choose_below(flags.len() - 1, rng));
        } else if !self.0.is_empty() {
            add(&self.0[choose_below(self.0.len(), rng)], &mut flags);
        }
        combined(&flags)
    }
}

/// Adds a flag, unless there is one that sets the same option: clang rejects two values of an option
/// of LLVM.
fn add(flag: &str, flags: &mut Vec<String>) {
    if !flags.iter().any(|known| option(known) == option(flag)) {
        flags.push(flag.to_owned());
    }
}

/// The option that a flag sets: what comes before its value. A switch is its own option.
fn option(flag: &str) -> &str {
    let start = if flag.starts_with("-mllvm=") { "-mllvm=".len() } else { 0 };
    flag[start..].find('=').map_or(flag, |at| &flag[..start + at])
}

/// The setting of some flags, named after them.
fn combined(flags: &[String]) -> CSetting {
    let words: Vec<String> = flags.iter().flat_map(|flag| words(flag)).collect();
    CSetting::new(Setting::of_flags(flags), &words)
}

/// The words of a flag on the command line: `-mllvm=x` stands for two.
fn words(flag: &str) -> Vec<String> {
    match flag.strip_prefix("-mllvm=") {
        Some(option) => vec!["-mllvm".to_owned(), option.to_owned()],
        None => vec![flag.to_owned()],
    }
}

/// The switches among the optimizations that gcc lists, on and off.
fn listed_by_gcc(
    toolchain: &Toolchain,
    dir: &Path,
    stop: &Stop,
) -> Result<Vec<String>, OracleError> {
    let line = toolchain.line(dir).args(["-Q", "--help=optimizers"]);
    let ended = run(&line, stop)?;
    let text = String::from_utf8_lossy(&ended.stdout);
    let names = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?.strip_prefix("-f")?;
        let is_switch = matches!(words.next(), Some("[enabled]" | "[disabled]"));
        let is_fit = !UNFIT.iter().any(|unfit| name.contains(unfit));
        (is_switch && is_fit && !name.contains('=')).then(|| name.to_owned())
    });
    let switches = names.flat_map(|name| [format!("-f{name}"), format!("-fno-{name}")]);
    Ok(switches.chain(GCC_FLAGS.map(str::to_owned)).collect())
}

/// Keeps those flags that the compiler accepts without a warning. Tries many at once, and halves of
/// them if it objects.
fn keep_valid(
    toolchain: &Toolchain,
    dir: &Path,
    flags: &[String],
    stop: &Stop,
    known: &mut Vec<String>,
) -> Result<(), OracleError> {
    if flags.is_empty() {
        return Ok(());
    }
    let line = toolchain
        .line(dir)
        .arg("-O1")
        .args(flags.iter().flat_map(|flag| words(flag)))
        .args(["-Wall", "try.c", "-o", "try"])
        .args(words_for_floats(toolchain.compiler, ["float"]));
    let ended = run(&line, stop)?;
    let is_valid = ended.end.is_success()
        && ended.stderr.is_empty()
        && run(&toolchain.program("./try", dir), stop)?.end.code() == Some(0);
    if is_valid {
        known.extend_from_slice(flags);
    } else if flags.len() > 1 {
        let (first, second) = flags.split_at(flags.len() / 2);
        keep_valid(toolchain, dir, first, stop, known)?;
        keep_valid(toolchain, dir, second, stop, known)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::Seed;

    use super::*;

    #[test]
    fn random_flags_are_for_some_instruction_set() {
        let pool = FlagPool(["-fa", "-fb", "-fc"].map(str::to_owned).to_vec());
        let (levels, sets) = (["-O2".to_owned()], ["x86-64-v3".to_owned()]);
        let mut rng = Seed::new(1).rng();
        let settings: Vec<CSetting> =
            (0..50).map(|_| pool.choose(&levels, &sets, &mut rng)).collect();
        let has_set = |setting: &&CSetting| setting.flags.last().unwrap() == "-march=x86-64-v3";
        let n_with = settings.iter().filter(has_set).count();
        assert!((10..40).contains(&n_with), "{n_with}");
        let none = pool.choose(&levels, &[], &mut Seed::new(1).rng());
        assert!(none.flags.iter().all(|flag| !flag.starts_with("-m")), "{}", none.name);
    }

    #[test]
    fn an_option_has_one_value() {
        let values = ["-mllvm=-width=2", "-mllvm=-width=4", "-fcost=a", "-fcost=b", "-fa"];
        let pool = FlagPool(values.map(str::to_owned).to_vec());
        let mut rng = Seed::new(1).rng();
        let mut setting = CSetting::level("-O2");
        for _ in 0..200 {
            setting = match setting.name {
                Setting::Random(flags) => pool.choose_near(&flags, &mut rng),
                Setting::Named(_) | Setting::Sanitizers => {
                    pool.choose(&["-O2".to_owned()], &[], &mut rng)
                }
            };
            for begin in ["-width=", "-fcost="] {
                let n = setting.flags.iter().filter(|flag| flag.starts_with(begin)).count();
                assert!(n <= 1, "{}", setting.name);
            }
        }
        assert_eq!(option("-mllvm=-width=2"), "-mllvm=-width");
        assert_eq!(option("-fno-a"), "-fno-a");
    }

    #[test]
    fn a_setting_next_to_another_differs_in_one_flag() {
        let pool = FlagPool(["-fa", "-fb", "-fc"].map(str::to_owned).to_vec());
        let known = ["-O2", "-fa", "-fb"].map(str::to_owned);
        let mut rng = Seed::new(1).rng();
        for _ in 0..50 {
            let near = pool.choose_near(&known, &mut rng);
            assert_eq!(near.flags[0], "-O2", "{}", near.name);
            let n_common = near.flags.iter().filter(|f| ["-fa", "-fb"].contains(&&f[..])).count();
            let n_new = near.flags.iter().filter(|flag| *flag == "-fc").count();
            assert!(n_common + n_new >= 1 && 2 - n_common + n_new <= 1, "{}", near.name);
        }
    }
}

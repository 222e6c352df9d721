//! Settings of JVMs: interpreter and compilers, alone and together, and random flags that a JVM is
//! known to accept.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::machine::JavaMachine;
use super::warmup::Warmup;
use crate::oracle::OracleError;
use crate::process::Stop;
use crate::setting::Setting;

/// A setting, the flags that JVMs are given for it, and how often functions are called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmSetting {
    /// What it is called: `c2`.
    pub name: Setting,
    /// The flags.
    pub flags: Vec<String>,
    /// How often functions are called.
    pub warmup: Warmup,
}

/// The settings of HotSpot: a name, flags, and whether functions have to be hot to be compiled.
///
/// HotSpot waits until a method has been called thousands of times and compiles it in the
/// background. Here it waits a hundredth of that (`CompileThresholdScaling`), and blocks until the
/// code is there (`-Xbatch`): the same compilers in the same order, sooner, and at the same call each
/// time.
const HOTSPOT: [(&str, &[&str], bool); 5] = [
    ("int", &["-Xint"], false),
    ("c1", &["-XX:TieredStopAtLevel=1", "-Xbatch", SCALING], true),
    ("c2", &["-XX:-TieredCompilation", "-Xbatch", SCALING], true),
    ("comp", &["-Xcomp"], false),
    ("tiered", &["-Xbatch", SCALING], true),
];

const SCALING: &str = "-XX:CompileThresholdScaling=0.01";

/// The settings of a JVM other than HotSpot.
const OTHERS: [(&str, &[&str], bool); 2] = [("int", &["-Xint"], false), ("default", &[], true)];

/// The names of all settings that are built in.
pub const JVM_SETTINGS: [&str; 6] = ["int", "c1", "c2", "comp", "tiered", "default"];

impl JvmSetting {
    /// Flags with a name of their own, for functions that are called `n_calls` times.
    pub fn named(name: &str, flags: &[impl AsRef<str>], n_calls: u32) -> Self {
        let flags = flags.iter().map(|flag| flag.as_ref().to_owned()).collect();
        Self { name: Setting::named(name), flags, warmup: Warmup::Hot(n_calls) }
    }

    /// The same setting with some of its flags.
    #[must_use]
    pub fn with_flags(&self, flags: Vec<String>) -> Self {
        Self { name: Setting::of_flags(&flags), flags, warmup: self.warmup }
    }

    /// The settings of `machine` that are built in, where functions that have to be hot are called
    /// `n_calls` times.
    pub fn built_in(machine: &JavaMachine, n_calls: u32) -> Vec<Self> {
        let table = if machine.is_hotspot { &HOTSPOT[..] } else { &OTHERS };
        let setting = |(name, flags, is_hot): &(&str, &[&str], bool)| {
            let warmup = match (*name, is_hot) {
                (_, true) => Warmup::Hot(n_calls),
                ("comp", false) => Warmup::Twice,
                (_, false) => Warmup::Once,
            };
            Self { warmup, ..Self::named(name, flags, n_calls) }
        };
        table.iter().map(setting).collect()
    }
}

/// Flags that change what the compilers do, and that the JVM is known to accept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JvmFlagPool {
    flags: Vec<String>,
    /// Whether stress flags have a seed.
    has_stress_seed: bool,
}

/// Flags for other architectures, or that only print more.
const UNFIT: [&str; 3] = ["DebugInlinedCalls", "OptoBundling", "TrapBasedRangeChecks"];
const UNFIT_BEGINNINGS: [&str; 6] = ["Print", "Trace", "Time", "Verify", "Log", "Debug"];

/// Flags that are not listed as a compiler's, and change what it does.
const SWITCHES: [&str; 9] = [
    "ClipInlining",
    "DontCompileHugeMethods",
    "Inline",
    "UseBMI1Instructions",
    "UseBMI2Instructions",
    "UseCountLeadingZerosInstruction",
    "UseCountTrailingZerosInstruction",
    "UseOnStackReplacement",
    "UsePopCountInstruction",
];

/// Numbers, and what to set them to.
const NUMBERS: [(&str, &[u32]); 26] = [
    ("C1MaxInlineLevel", &[0, 2]),
    ("C1MaxInlineSize", &[0, 300]),
    ("ConditionalMoveLimit", &[0, 20, 100]),
    ("DominatorSearchLimit", &[1, 10]),
    ("EliminateAllocationArraySizeLimit", &[0, 4, 1000]),
    ("EliminateAllocationFieldsLimit", &[0, 2]),
    ("FreqInlineSize", &[0, 50, 2000]),
    ("InlineSmallCode", &[100, 20_000]),
    ("LoopMaxUnroll", &[0, 2, 64]),
    ("LoopOptsCount", &[5, 10]),
    ("LoopStripMiningIter", &[0, 1, 10]),
    ("LoopUnrollLimit", &[0, 10, 300, 1000]),
    ("LoopUnrollMin", &[0, 16]),
    ("MaxInlineLevel", &[0, 3]),
    ("MaxInlineSize", &[0, 300]),
    ("MaxJumpTableSize", &[10]),
    ("MaxLoopPad", &[0]),
    ("MaxNodeLimit", &[20_000]),
    ("MaxVectorSize", &[0, 8, 16, 32]),
    ("MinJumpTableSize", &[0, 3, 1000]),
    ("PartialPeelNewPhiDelta", &[10, 100]),
    ("TypeProfileLevel", &[0, 222]),
    ("UseAVX", &[0, 1, 2]),
    ("UseSSE", &[2, 3]),
    ("ValueMapMaxLoopSize", &[0, 2, 30]),
    ("ValueSearchLimit", &[1, 10]),
];

/// Makes diagnostic flags known.
pub(super) const UNLOCK: &str = "-XX:+UnlockDiagnosticVMOptions";

impl JvmFlagPool {
    /// Finds the flags that `machine` accepts. A JVM that does not list its flags has none.
    ///
    /// # Errors
    /// If it cannot be run, or is stopped.
    pub fn new(machine: &JavaMachine, stop: &Stop) -> Result<Self, OracleError> {
        if !machine.is_hotspot {
            return Ok(Self::default());
        }
        let listed = machine.run(&[UNLOCK, "-XX:+PrintFlagsFinal", "-version"], stop)?;
        let text = String::from_utf8_lossy(&listed.stdout);
        let mut flags = Vec::new();
        keep_valid(machine, &candidates(&text), stop, &mut flags)?;
        let has_stress_seed = text.lines().any(|line| line.contains(" StressSeed "));
        Ok(Self { flags, has_stress_seed })
    }

    /// How many flags there are.
    pub fn len(&self) -> usize {
        self.flags.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }

    /// Draws a tier, and some flags beside it.
    pub fn choose(&self, n_calls: u32, rng: &mut Rng) -> JvmSetting {
        let (_, base, is_hot) = HOTSPOT[1 + choose_below(HOTSPOT.len() - 1, rng)];
        let mut flags: Vec<String> = base.iter().map(|&flag| flag.to_owned()).collect();
        flags.push(UNLOCK.to_owned());
        // Few flags most of the time: with many, one often disables what another needs.
        let most = [2, 4, 8, 24][choose_below(4, rng)];
        let mut names: Vec<&str> = Vec::new();
        for _ in 0..rng.random_range(1..=most).min(self.flags.len() as u32) {
            let flag = &self.flags[choose_below(self.flags.len(), rng)];
            if !names.contains(&name_of(flag)) {
                names.push(name_of(flag));
                flags.push(flag.clone());
            }
        }
        if self.has_stress_seed && flags.iter().any(|flag| flag.starts_with("-XX:+Stress")) {
            flags.push(format!("-XX:StressSeed={}", rng.random_range(1..u32::MAX)));
        }
        let warmup = if is_hot { Warmup::Hot(n_calls) } else { Warmup::Twice };
        JvmSetting { name: Setting::of_flags(&flags), flags, warmup }
    }
}

/// The flags that disable something that a compiler (`C1` or `C2`) does, as far as `machine` accepts
/// them: what is on is disabled, numbers become as small as they are ever drawn.
///
/// # Errors
/// If it cannot be run, or is stopped.
pub(super) fn disabling_flags(
    machine: &JavaMachine,
    compiler: &str,
    stop: &Stop,
) -> Result<Vec<String>, OracleError> {
    let listed = machine.run(&[UNLOCK, "-XX:+PrintFlagsFinal", "-version"], stop)?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let mut known = Vec::new();
    keep_valid(machine, &disabling(&text, compiler), stop, &mut known)?;
    Ok(known)
}

/// The flags that disable something, of those that HotSpot lists.
fn disabling(text: &str, compiler: &str) -> Vec<String> {
    let other = if compiler == "C1" { "{C2 " } else { "{C1 " };
    let mut found: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.contains(other)) {
        let mut words = line.split_whitespace();
        // `bool UseSuperWord = true {C2 product} {default}`
        let value = words.nth(3).unwrap_or_default();
        for flag in candidates(line) {
            let is_off = match flag.split_once('=') {
                Some((_, smallest)) => smallest != value,
                None => value == "true" && flag.starts_with("-XX:-"),
            };
            let is_first = found.iter().all(|known| name_of(known) != name_of(&flag));
            if is_off && is_first {
                found.push(flag);
            }
        }
    }
    found
}

fn name_of(flag: &str) -> &str {
    let name = flag.trim_start_matches("-XX:").trim_start_matches(['+', '-']);
    name.split('=').next().unwrap_or(name)
}

/// The flags that are worth trying among those that HotSpot lists, a line for each:
/// `bool UseSuperWord = true {C2 product} {default}`.
fn candidates(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(ty), Some(name)) = (words.next(), words.next()) else { continue };
        let kind = line.split('{').nth(1).and_then(|rest| rest.split('}').next()).unwrap_or("");
        let is_compilers = kind.starts_with("C1 ") || kind.starts_with("C2 ");
        let is_supported = kind.ends_with("product") || kind.ends_with("diagnostic");
        let is_unfit = UNFIT.contains(&name)
            || UNFIT_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning));
        if ty == "bool" && (is_compilers && is_supported && !is_unfit || SWITCHES.contains(&name)) {
            found.extend([format!("-XX:+{name}"), format!("-XX:-{name}")]);
        }
        if let Some((_, values)) = NUMBERS.iter().find(|(number, _)| *number == name) {
            found.extend(values.iter().map(|value| format!("-XX:{name}={value}")));
        }
    }
    found
}

/// Keeps those flags that the JVM accepts without a warning. Tries many at once, and halves of them
/// if it objects.
fn keep_valid(
    machine: &JavaMachine,
    flags: &[String],
    stop: &Stop,
    known: &mut Vec<String>,
) -> Result<(), OracleError> {
    let unlocked: Vec<String> =
        std::iter::once(UNLOCK.to_owned()).chain(flags.iter().cloned()).collect();
    if machine.takes(&unlocked, stop)? {
        known.extend_from_slice(flags);
    } else if flags.len() > 1 {
        let (first, second) = flags.split_at(flags.len() / 2);
        keep_valid(machine, first, stop, known)?;
        keep_valid(machine, second, stop, known)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::Seed;

    use super::*;

    #[test]
    fn flags_are_read_off_a_list() {
        let text = "[Global flags]\n\
            bool UseSuperWord                = true      {C2 product} {default}\n\
            bool StressLCM                   = false     {C2 diagnostic} {default}\n\
            bool EnableVectorSupport         = false     {C2 experimental} {default}\n\
            bool PrintIntrinsics             = false     {C2 diagnostic} {default}\n\
            bool UseGCOverheadLimit          = true      {product} {default}\n\
            bool UsePopCountInstruction      = true      {ARCH product} {default}\n\
            intx LoopUnrollMin               = 4         {C2 product} {default}\n";
        let expected = [
            "-XX:+UseSuperWord",
            "-XX:-UseSuperWord",
            "-XX:+StressLCM",
            "-XX:-StressLCM",
            "-XX:+UsePopCountInstruction",
            "-XX:-UsePopCountInstruction",
            "-XX:LoopUnrollMin=0",
            "-XX:LoopUnrollMin=16",
        ];
        assert_eq!(candidates(text), expected);
    }

    #[test]
    fn what_is_on_can_be_disabled() {
        let text = "[Global flags]\n\
            bool UseSuperWord                = true      {C2 product} {default}\n\
            bool StressLCM                   = false     {C2 diagnostic} {default}\n\
            bool UseLoopInvariantCodeMotion  = true      {C1 product} {default}\n\
            bool UsePopCountInstruction      = true      {ARCH product} {default}\n\
            intx LoopUnrollMin               = 4         {C2 product} {default}\n\
            intx MaxLoopPad                  = 0         {C2 product} {default}\n";
        let expected = ["-XX:-UseSuperWord", "-XX:-UsePopCountInstruction", "-XX:LoopUnrollMin=0"];
        assert_eq!(disabling(text, "C2"), expected);
        let expected = ["-XX:-UseLoopInvariantCodeMotion", "-XX:-UsePopCountInstruction"];
        assert_eq!(disabling(text, "C1"), expected);
    }

    #[test]
    fn a_flag_is_drawn_once_only() {
        let flags = ["-XX:+StressLCM", "-XX:-StressLCM", "-XX:UseAVX=0", "-XX:UseAVX=1"];
        let flags = flags.map(str::to_owned).to_vec();
        let pool = JvmFlagPool { flags, has_stress_seed: true };
        let mut has_seed = false;
        for seed in 0..50 {
            let setting = pool.choose(100, &mut Seed::new(seed).rng());
            for name in ["StressLCM", "UseAVX"] {
                let n = setting.flags.iter().filter(|flag| name_of(flag) == name).count();
                assert!(n <= 1, "{setting:?}");
            }
            let stressed = setting.flags.contains(&"-XX:+StressLCM".to_owned());
            let seeded = setting.flags.iter().any(|flag| name_of(flag) == "StressSeed");
            assert_eq!(stressed, seeded, "{setting:?}");
            has_seed |= seeded;
        }
        assert!(has_seed);
    }
}

//! Flags that a JVM is known to accept: random ones, those that stress C2, and those that disable
//! something.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use rand::RngExt;

use super::machine::JavaMachine;
use super::setting::{JvmSetting, UNLOCK, choose_tier};
use crate::oracle::OracleError;
use crate::process::Stop;
use crate::setting::Setting;

/// The stress flags of C2 that `machine` takes, without a seed; none if it has none, or no seed to
/// repeat what they do with.
///
/// # Errors
/// If it cannot be run, or is stopped.
pub fn stress_flags(machine: &JavaMachine, stop: &Stop) -> Result<Vec<String>, OracleError> {
    if !machine.is_hotspot {
        return Ok(Vec::new());
    }
    let listed = machine.run(&[UNLOCK, "-XX:+PrintFlagsFinal", "-version"], stop)?;
    let text = String::from_utf8_lossy(&listed.stdout);
    let mut known = Vec::new();
    if has_stress_seed(&text) {
        keep_valid(machine, &stressing(&text), stop, &mut known)?;
    }
    Ok(known)
}

/// The flags that stress C2, of those that HotSpot lists.
fn stressing(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.contains("{C2 "));
    let flags = lines.flat_map(candidates);
    flags.filter(|flag| flag.starts_with("-XX:+Stress")).collect()
}

fn has_stress_seed(text: &str) -> bool {
    text.lines().any(|line| line.contains(" StressSeed "))
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
        let has_stress_seed = has_stress_seed(&text);
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
        let base = choose_tier(n_calls, rng);
        let mut flags = base.flags;
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
        JvmSetting { name: Setting::of_flags(&flags), flags, warmup: base.warmup, slot: None }
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
    fn stress_flags_are_those_of_c2() {
        let text = "bool StressGCM               = false  {C2 diagnostic} {default}\n\
            bool StressLCM                   = false  {C2 diagnostic} {default}\n\
            bool StressLdcRewrite            = false  {diagnostic} {default}\n\
            uint StressSeed                  = 0      {C2 diagnostic} {default}\n\
            bool UseSuperWord                = true   {C2 product} {default}\n";
        assert_eq!(stressing(text), ["-XX:+StressGCM", "-XX:+StressLCM"]);
        assert!(has_stress_seed(text));
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

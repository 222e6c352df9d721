//! Settings of JVMs: interpreter and compilers, alone and together, compiling sooner or later.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use serde::{Deserialize, Serialize};

use super::machine::JavaMachine;
use super::warmup::Warmup;
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
    /// The settings that take turns with it, if there are any: one JVM is kept for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
}

/// A built-in setting.
struct BuiltIn {
    name: &'static str,
    /// The settings of one slot take turns.
    slot: &'static str,
    /// The simplest setting with the same compilers.
    tier: &'static str,
    flags: &'static [&'static str],
    /// How often functions are called, in those settings where they have to be hot.
    warmup: BuiltInWarmup,
}

enum BuiltInWarmup {
    Once,
    Twice,
    Hot,
}

/// The settings of HotSpot.
///
/// HotSpot waits until a method has been called thousands of times and compiles it in the
/// background. Here it waits a hundredth of that (`CompileThresholdScaling`), and blocks until the
/// code is there (`-Xbatch`): the same compilers in the same order, sooner, and at the same call each
/// time.
///
/// When a method is compiled decides which profile the compiler trusts, and that decides what it
/// does. So C2 has several settings that take turns: it compiles after a few calls; after so many
/// that the profile has several realizations in it (`late`, between half of the default warm-up and
/// all of it); and loops while they run, before their method has been called often (`osr`). The
/// numbers are guesses within these bounds.
const HOTSPOT: [BuiltIn; 10] = [
    BuiltIn {
        name: "int",
        slot: "int",
        tier: "int",
        flags: &["-Xint"],
        warmup: BuiltInWarmup::Once,
    },
    BuiltIn {
        name: "c1",
        slot: "c1",
        tier: "c1",
        flags: &["-XX:TieredStopAtLevel=1", BATCH, SCALING],
        warmup: BuiltInWarmup::Hot,
    },
    BuiltIn {
        name: "c2",
        slot: "c2",
        tier: "c2",
        flags: &[UNTIERED, BATCH, SCALING],
        warmup: BuiltInWarmup::Hot,
    },
    BuiltIn {
        name: "comp",
        slot: "comp",
        tier: "comp",
        flags: &["-Xcomp"],
        warmup: BuiltInWarmup::Twice,
    },
    BuiltIn {
        name: "tiered",
        slot: "tiered",
        tier: "tiered",
        flags: &[BATCH, SCALING],
        warmup: BuiltInWarmup::Hot,
    },
    BuiltIn {
        name: "c2-early",
        slot: "c2",
        tier: "c2",
        flags: &[UNTIERED, BATCH, "-XX:CompileThreshold=20"],
        warmup: BuiltInWarmup::Hot,
    },
    BuiltIn {
        name: "c2-late",
        slot: "c2",
        tier: "c2",
        flags: &[UNTIERED, BATCH, "-XX:CompileThreshold=1000"],
        warmup: BuiltInWarmup::Hot,
    },
    BuiltIn {
        name: "c2-osr",
        slot: "c2",
        tier: "c2",
        flags: &[
            UNTIERED,
            BATCH,
            "-XX:CompileThreshold=10000",
            "-XX:OnStackReplacePercentage=1",
            "-XX:InterpreterProfilePercentage=0",
        ],
        warmup: BuiltInWarmup::Hot,
    },
    BuiltIn {
        name: "comp-c2",
        slot: "comp",
        tier: "comp",
        flags: &["-Xcomp", UNTIERED],
        warmup: BuiltInWarmup::Twice,
    },
    BuiltIn {
        name: "tiered-late",
        slot: "tiered",
        tier: "tiered",
        flags: &[
            BATCH,
            "-XX:Tier3InvocationThreshold=20",
            "-XX:Tier3MinInvocationThreshold=10",
            "-XX:Tier3CompileThreshold=40",
            "-XX:Tier3BackEdgeThreshold=100",
            // How often methods look at their counters: every 32nd call, inlined or not.
            "-XX:Tier3InvokeNotifyFreqLog=5",
            "-XX:Tier23InlineeNotifyFreqLog=5",
            "-XX:Tier4InvocationThreshold=1000",
            "-XX:Tier4MinInvocationThreshold=500",
            "-XX:Tier4CompileThreshold=1000",
            "-XX:Tier4BackEdgeThreshold=1000",
        ],
        warmup: BuiltInWarmup::Hot,
    },
];

/// Makes diagnostic flags known.
pub(super) const UNLOCK: &str = "-XX:+UnlockDiagnosticVMOptions";

const BATCH: &str = "-Xbatch";
const SCALING: &str = "-XX:CompileThresholdScaling=0.01";
const UNTIERED: &str = "-XX:-TieredCompilation";

/// The setting of C2 with stress flags, and the slot that it has a turn in.
const STRESS: (&str, &str) = ("c2-stress", "comp");

/// The settings of a JVM other than HotSpot.
const OTHERS: [BuiltIn; 2] = [
    BuiltIn {
        name: "int",
        slot: "int",
        tier: "int",
        flags: &["-Xint"],
        warmup: BuiltInWarmup::Once,
    },
    BuiltIn {
        name: "default",
        slot: "default",
        tier: "default",
        flags: &[],
        warmup: BuiltInWarmup::Hot,
    },
];

/// The names of all settings that are built in.
pub const JVM_SETTINGS: [&str; 12] = [
    "int",
    "c1",
    "c2",
    "comp",
    "tiered",
    "c2-early",
    "c2-late",
    "c2-osr",
    "c2-stress",
    "comp-c2",
    "tiered-late",
    "default",
];

impl BuiltIn {
    fn setting(&self, n_calls: u32) -> JvmSetting {
        let warmup = match self.warmup {
            BuiltInWarmup::Once => Warmup::Once,
            BuiltInWarmup::Twice => Warmup::Twice,
            BuiltInWarmup::Hot => Warmup::Hot(n_calls),
        };
        let slot = Some(self.slot.to_owned());
        JvmSetting { warmup, slot, ..JvmSetting::named(self.name, self.flags, n_calls) }
    }
}

impl JvmSetting {
    /// Flags with a name of their own, for functions that are called `n_calls` times.
    pub fn named(name: &str, flags: &[impl AsRef<str>], n_calls: u32) -> Self {
        let flags = flags.iter().map(|flag| flag.as_ref().to_owned()).collect();
        Self { name: Setting::named(name), flags, warmup: Warmup::Hot(n_calls), slot: None }
    }

    /// The same setting with some of its flags.
    #[must_use]
    pub fn with_flags(&self, flags: Vec<String>) -> Self {
        Self { name: Setting::of_flags(&flags), flags, warmup: self.warmup, slot: None }
    }

    /// The settings of `machine` that are built in and have no stress flags, where functions that
    /// have to be hot are called `n_calls` times.
    pub fn built_in(machine: &JavaMachine, n_calls: u32) -> Vec<Self> {
        let table = if machine.is_hotspot { &HOTSPOT[..] } else { &OTHERS };
        table.iter().map(|built_in| built_in.setting(n_calls)).collect()
    }

    /// The interpreter of `machine`, where each function is called once.
    pub fn interpreting(machine: &JavaMachine) -> Self {
        let table = if machine.is_hotspot { &HOTSPOT[..] } else { &OTHERS };
        table[0].setting(1)
    }

    /// C2 with all stress flags that a JVM takes: what it may do in any order, it does in random
    /// order. `seed` decides which.
    pub fn stressed(stress_flags: &[String], n_calls: u32, seed: u32) -> Self {
        let seed = format!("-XX:StressSeed={seed}");
        let base = [UNTIERED, BATCH, SCALING, UNLOCK].map(str::to_owned);
        let flags = [&base[..], stress_flags, &[seed]].concat();
        let (name, slot) = STRESS;
        Self { slot: Some(slot.to_owned()), ..Self::named(name, &flags, n_calls) }
    }

    /// Whether it is the setting that [`stressed`](Self::stressed) makes.
    pub fn is_stress_name(name: &str) -> bool {
        name == STRESS.0
    }

    /// The simplest built-in setting with the same compilers, if it is built in.
    pub(super) fn tier(&self) -> Option<&'static str> {
        let name = self.name.name()?;
        if Self::is_stress_name(name) {
            return Some("c2");
        }
        let known = HOTSPOT.iter().chain(&OTHERS).find(|built_in| built_in.name == name);
        known.map(|built_in| built_in.tier)
    }
}

/// One setting of each slot, in the order of the slots. Settings without a slot are all there.
/// `turn` decides which.
pub fn settings_in_turn(settings: &[JvmSetting], turn: u64) -> Vec<JvmSetting> {
    let mut chosen = Vec::new();
    for (at, setting) in settings.iter().enumerate() {
        let Some(slot) = &setting.slot else {
            chosen.push(setting.clone());
            continue;
        };
        let is_alike = |other: &&JvmSetting| other.slot.as_ref() == Some(slot);
        if settings[..at].iter().any(|earlier| is_alike(&earlier)) {
            continue;
        }
        let alike: Vec<&JvmSetting> = settings.iter().filter(is_alike).collect();
        chosen.push(alike[(turn % alike.len() as u64) as usize].clone());
    }
    chosen
}

/// Draws a setting of HotSpot that compiles, to be tested with further flags.
pub(super) fn choose_tier(n_calls: u32, rng: &mut Rng) -> JvmSetting {
    let base = &HOTSPOT[1 + choose_below(HOTSPOT.len() - 1, rng)];
    base.setting(n_calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_a_slot_take_turns() {
        let with_slot = |name: &str, slot: &str| JvmSetting {
            slot: Some(slot.to_owned()),
            ..JvmSetting::named(name, &["-Xint"], 1)
        };
        let settings = [
            with_slot("int", "int"),
            with_slot("c2", "c2"),
            with_slot("comp", "comp"),
            with_slot("c2-early", "c2"),
            JvmSetting::named("mine", &["-Xint"], 1),
        ];
        let names = |turn| {
            let chosen = settings_in_turn(&settings, turn);
            chosen.iter().map(|setting| setting.name.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names(0), ["int", "c2", "comp", "mine"]);
        assert_eq!(names(1), ["int", "c2-early", "comp", "mine"]);
        assert_eq!(names(2), names(0));
    }

    #[test]
    fn a_stressed_setting_has_a_seed_and_a_tier() {
        let setting = JvmSetting::stressed(&["-XX:+StressGCM".to_owned()], 100, 7);
        assert_eq!(setting.flags.last().unwrap(), "-XX:StressSeed=7");
        assert!(setting.flags.contains(&"-XX:+StressGCM".to_owned()));
        assert_eq!(setting.tier(), Some("c2"));
    }

    #[test]
    fn built_in_settings_have_names_of_their_own() {
        let built_in = HOTSPOT.iter().chain(&OTHERS).map(|built_in| built_in.name);
        let names: std::collections::BTreeSet<&str> = built_in.chain([STRESS.0]).collect();
        assert_eq!(names, JVM_SETTINGS.into_iter().collect());
        let tiers = HOTSPOT.iter().map(|built_in| built_in.tier);
        assert!(tiers.into_iter().all(|tier| HOTSPOT.iter().any(|other| other.name == tier)));
    }
}

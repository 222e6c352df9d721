//! Everything that can be set for a campaign.

use std::collections::BTreeMap;

use pathsmith_backend_c::CStyle;
use pathsmith_backend_jvm::JvmStyle;
use pathsmith_backend_wasm::WasmStyle;
use pathsmith_generate::GenConfig;
use pathsmith_oracles::Limits;
use pathsmith_oracles::c::{INSTRUCTION_SETS, OPTIMIZATION_LEVELS};
use pathsmith_oracles::jvm::DEFAULT_WARMUP;
use pathsmith_symlang::choose::{ProbabilityError, check_probabilities};
use pathsmith_symlang::knobs::KnobError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::budget::CampaignConfig;
use crate::family::TargetFamily;
use crate::mutation::config::{MutationConfig, MutationConfigError};
use crate::parallel::MAX_JOBS;
use crate::target_config::{
    TargetConfig, TargetConfigError, check_flags, check_name, check_single_flags, check_targets,
};

/// How functions are generated, and what they run on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FuzzConfig {
    /// What is done, and for how long.
    pub campaign: CampaignConfig,
    /// How functions are generated.
    pub generate: GenConfig,
    /// Which cases are variants, and how they are made.
    pub mutate: MutationConfig,
    /// C compilers.
    pub c: CConfig,
    /// WebAssembly engines.
    pub wasm: WasmConfig,
    /// Java virtual machines.
    pub jvm: JvmConfig,
    /// What each process may use.
    pub limits: Limits,
}

/// How C compilers are tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CConfig {
    /// How many functions are compiled together.
    pub functions_per_file: u32,
    /// The levels of optimization that every file is compiled at.
    pub levels: Vec<String>,
    /// The instruction sets that levels beyond `-O0` are compiled for in turn with the compiler's
    /// default, so that this costs no further compilations. Those that a compiler does not know or
    /// this machine does not have are left out.
    pub instruction_sets: Vec<String>,
    /// The levels at which every file is also compiled with link-time optimization, by compilers
    /// that have it.
    pub lto: Vec<String>,
    /// Further settings: a name and its flags.
    pub extras: BTreeMap<String, Vec<String>>,
    /// How many settings with random flags each file is compiled with besides.
    pub random_settings: u32,
    /// How many of those are next to one that has shown something, once there is one: in a batch
    /// long enough before that it is finished, however many threads there are.
    pub flags_by_yield: f64,
    /// Compilers, instead of those on PATH.
    pub targets: Vec<TargetConfig>,
    /// How lowering options are drawn.
    pub style: CStyle,
}

/// How WebAssembly engines are tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WasmConfig {
    /// How many functions a module has.
    pub functions_per_module: u32,
    /// The settings of the embedded engine that are tested; none stands for all.
    pub settings: Vec<String>,
    /// Whether node is tested if it is found.
    pub node: bool,
    /// Engines, instead of those that are embedded or found.
    pub targets: Vec<TargetConfig>,
    /// How lowering options are drawn.
    pub style: WasmStyle,
}

impl Default for WasmConfig {
    fn default() -> Self {
        Self {
            functions_per_module: 20,
            settings: Vec::new(),
            node: true,
            targets: Vec::new(),
            style: WasmStyle::default(),
        }
    }
}

/// How Java virtual machines are tested.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JvmConfig {
    /// How many functions are loaded together.
    pub functions_per_program: u32,
    /// How many times a function is called that has to be hot to be compiled.
    pub warmup: u32,
    /// The built-in settings that each program is run with. If none is named, all of them take
    /// turns, so that each program is run with five.
    pub settings: Vec<String>,
    /// Further settings: a name and its flags.
    pub extras: BTreeMap<String, Vec<String>>,
    /// Share of trip counts of templates that are large, instead of `generate.template.long_share`:
    /// a JIT compiles loops while they run. A guess.
    pub long_share: f64,
    /// How many settings with random flags each program is run with besides.
    pub random_settings: u32,
    /// How many programs in a row are run with the same settings and random flags: other flags need
    /// another JVM.
    pub programs_per_random_setting: u32,
    /// JVMs, instead of those on PATH and in JAVA_HOME.
    pub targets: Vec<TargetConfig>,
    /// How lowering options are drawn.
    pub style: JvmStyle,
}

impl Default for JvmConfig {
    fn default() -> Self {
        Self {
            functions_per_program: 20,
            warmup: DEFAULT_WARMUP,
            settings: Vec::new(),
            extras: BTreeMap::new(),
            long_share: 0.2,
            random_settings: 1,
            programs_per_random_setting: 10,
            targets: Vec::new(),
            style: JvmStyle::default(),
        }
    }
}

impl Default for CConfig {
    fn default() -> Self {
        Self {
            functions_per_file: 40,
            levels: OPTIMIZATION_LEVELS.map(str::to_owned).to_vec(),
            instruction_sets: INSTRUCTION_SETS.map(str::to_owned).to_vec(),
            lto: Vec::new(),
            extras: BTreeMap::new(),
            random_settings: 1,
            flags_by_yield: 0.5,
            targets: Vec::new(),
            style: CStyle::default(),
        }
    }
}

/// Why a [`FuzzConfig`] makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ConfigError {
    /// In the section `generate`.
    #[error("in the section `generate`: {0}")]
    Generate(#[from] pathsmith_generate::ConfigError),
    /// In the section `mutate`.
    #[error("in the section `mutate`: {0}")]
    Mutate(#[from] MutationConfigError),
    /// In a section about style.
    #[error("in the section `{0}.style`: {1}")]
    Style(&'static str, KnobError),
    /// A share of compilations.
    #[error("in the section `campaign`: {0}")]
    Campaign(ProbabilityError),
    /// A share of flags.
    #[error("in the section `c`: {0}")]
    Flags(ProbabilityError),
    /// A share of trip counts.
    #[error("in the section `jvm`: {0}")]
    Jvm(ProbabilityError),
    /// A number that has to be at least 1: of functions in a file, say.
    #[error("in the section `{0}`: `{1}` is 0, but it has to be at least 1")]
    NotPositive(&'static str, &'static str),
    /// A target.
    #[error(transparent)]
    Target(#[from] TargetConfigError),
    /// Several flags in one string.
    #[error("in the section `{0}`: {1}")]
    SeveralFlags(&'static str, String),
    /// A setting that cannot be called like that.
    #[error("in the section `{0}`, in `extras`: {1}")]
    SettingName(&'static str, String),
    /// More threads than can be asked for.
    #[error("in the section `campaign`: `jobs` is {0}, but it has to be from 1 to {MAX_JOBS}")]
    Jobs(usize),
    /// Nothing to compile with.
    #[error(
        "in the section `c`: there are no `levels`, no `lto`, no `extras` and no `random_settings`"
    )]
    NoSettings,
}

impl FuzzConfig {
    /// How functions are generated for a family of targets.
    pub fn generate_for(&self, family: TargetFamily) -> GenConfig {
        let mut generate = self.generate.clone();
        match family {
            TargetFamily::Jvm => generate.template.long_share = self.jvm.long_share,
            TargetFamily::C | TargetFamily::Wasm => {}
        }
        generate
    }

    /// Checks every section.
    ///
    /// # Errors
    /// The first setting that does not make sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.generate.validate()?;
        self.mutate.validate()?;
        self.c.style.check_knobs().map_err(|error| ConfigError::Style("c", error))?;
        self.wasm.style.check_knobs().map_err(|error| ConfigError::Style("wasm", error))?;
        self.jvm.style.check_knobs().map_err(|error| ConfigError::Style("jvm", error))?;
        check_probabilities(&[("long_share", self.jvm.long_share)]).map_err(ConfigError::Jvm)?;
        for (section, name, number) in [
            ("c", "functions_per_file", self.c.functions_per_file),
            ("wasm", "functions_per_module", self.wasm.functions_per_module),
            ("jvm", "functions_per_program", self.jvm.functions_per_program),
            ("jvm", "programs_per_random_setting", self.jvm.programs_per_random_setting),
        ] {
            if number == 0 {
                return Err(ConfigError::NotPositive(section, name));
            }
        }
        check_targets("c", &self.c.targets)?;
        check_targets("wasm", &self.wasm.targets)?;
        check_targets("jvm", &self.jvm.targets)?;
        for (list, flags) in [("levels", &self.c.levels), ("lto", &self.c.lto)] {
            check_single_flags(list, flags).map_err(|why| ConfigError::SeveralFlags("c", why))?;
        }
        for (section, extras) in [("c", &self.c.extras), ("jvm", &self.jvm.extras)] {
            for (name, flags) in extras {
                check_name(name).map_err(|why| ConfigError::SettingName(section, why))?;
                check_flags(name, flags).map_err(|why| ConfigError::SeveralFlags(section, why))?;
            }
        }
        let budgets = std::iter::once(&self.campaign.limit).chain(self.campaign.budget.values());
        if let Some(jobs) = budgets.filter_map(|budget| budget.jobs).find(|n| n.get() > MAX_JOBS) {
            return Err(ConfigError::Jobs(jobs.get()));
        }
        check_probabilities(&[("known_off", self.campaign.known_off)])
            .map_err(ConfigError::Campaign)?;
        let c = &self.c;
        check_probabilities(&[("flags_by_yield", c.flags_by_yield)]).map_err(ConfigError::Flags)?;
        let has_named = !(c.levels.is_empty() && c.lto.is_empty() && c.extras.is_empty());
        if !has_named && c.random_settings == 0 {
            return Err(ConfigError::NoSettings);
        }
        Ok(())
    }
}

//! Java virtual machines.

mod bug;
mod script;

use std::collections::BTreeSet;

use pathsmith_backend::Style;
use pathsmith_backend_jvm::{JvmBackend, JvmClasses, JvmOptions};
use pathsmith_oracles::jvm::{
    CRASH_FILE, HOST, HOST_FILE, HOST_SOURCE, JVM_SETTINGS, JavaMachine, JvmFlagPool, JvmOracle,
    JvmSetting, JvmTarget, request_for_repro, settings_in_turn, stress_flags,
};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, OracleError, Report, Spent};
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{Rng, Seed};

use self::bug::BugSearch;
pub(super) use self::script::script;
use crate::bug_file::Bug;
use crate::config::{FuzzConfig, JvmConfig};
use crate::discover::{
    Discover, Env, TargetRequest, is_asked, named_targets, none_found, targets_at_hand,
};
use crate::error::CampaignError;
use crate::family::{Family, TargetFamily};
use crate::finding::{Finding, SerializeError, TargetInfo};
use crate::folder_file::File;
use crate::language::Language;
use crate::lineup::{IsAsked, Lineup};
use crate::option_reduce::fewer;
use crate::reproducer::Reproducer;

/// Java virtual machines, with their settings and the flags that each of them takes.
#[derive(Clone, Debug)]
pub struct Jvms {
    config: JvmConfig,
    machines: Vec<Jvm>,
}

/// A JVM and what it takes.
#[derive(Clone, Debug)]
struct Jvm {
    machine: JavaMachine,
    settings: Vec<JvmSetting>,
    /// The flags that stress C2; none if it has none or they are not wanted.
    stress_flags: Vec<String>,
    pool: JvmFlagPool,
    /// The names of settings that it does not have.
    lacks: Vec<String>,
    /// How many of its settings were asked for: the last ones.
    n_asked: usize,
}

impl Jvms {
    /// The given JVMs.
    ///
    /// # Errors
    /// If the flags of one of them cannot be found out.
    pub fn new(
        config: JvmConfig,
        machines: Vec<JavaMachine>,
        stop: &Stop,
    ) -> Result<Self, OracleError> {
        let with_flags = |machine: JavaMachine| Jvm::new(machine, &config, stop);
        let machines = machines.into_iter().map(with_flags).collect::<Result<_, _>>()?;
        Ok(Self { config, machines })
    }

    /// Each JVM, and the names of its settings.
    pub fn settings(&self) -> impl Iterator<Item = (&JavaMachine, Vec<String>)> {
        self.machines.iter().map(|Jvm { machine, settings, pool, .. }| {
            let names = settings.iter().map(|setting| setting.name.to_string());
            let random = (!pool.is_empty()).then(|| "random flags".to_owned());
            (machine, names.chain(random).collect())
        })
    }
}

impl Jvm {
    fn new(machine: JavaMachine, config: &JvmConfig, stop: &Stop) -> Result<Self, OracleError> {
        let known = config.targets.iter().find(|target| target.name == machine.name);
        let own = known.map(|target| &target.settings).filter(|settings| !settings.is_empty());
        if let Some(own) = own {
            let named = |(name, flags): (&String, &Vec<String>)| {
                JvmSetting::named(name, flags, config.warmup)
            };
            let settings: Vec<JvmSetting> = own.iter().map(named).collect();
            let (n_asked, pool) = (settings.len(), JvmFlagPool::default());
            let (stress_flags, lacks) = (Vec::new(), Vec::new());
            return Ok(Self { machine, settings, stress_flags, pool, lacks, n_asked });
        }
        let mut lacks = Vec::new();
        let is_wanted =
            |name: &str| config.settings.is_empty() || config.settings.iter().any(|n| n == name);
        let mut settings = Vec::new();
        for setting in JvmSetting::built_in(&machine, config.warmup) {
            let name = setting.name.to_string();
            if is_wanted(&name) {
                match machine.problem_with(&setting.flags, stop)? {
                    None => settings.push(setting),
                    Some(said) if !config.settings.is_empty() => {
                        let why = format!("in the setting {name}: it does not start: {said}");
                        return Err(OracleError::Target { name: machine.name, why });
                    }
                    Some(_) => lacks.push(name),
                }
            }
        }
        let stress = JvmSetting::stressed(&[], config.warmup, 0);
        let stress_flags = match is_wanted(&stress.name.to_string()) {
            true => stress_flags(&machine, stop)?,
            false => Vec::new(),
        };
        // Its flags are drawn for each turn.
        settings.extend((!stress_flags.is_empty()).then_some(stress));
        if !config.settings.is_empty() {
            // What is asked for by name does not take turns.
            settings.iter_mut().for_each(|setting| setting.slot = None);
        }
        let n_built_in = if config.settings.is_empty() { settings.len() } else { 0 };
        let extra =
            |(name, flags): (&String, &Vec<String>)| JvmSetting::named(name, flags, config.warmup);
        settings.extend(config.extras.iter().map(extra));
        let n_asked = settings.len() - n_built_in;
        let pool = match config.random_settings {
            0 => JvmFlagPool::default(),
            _ => JvmFlagPool::new(&machine, stop)?,
        };
        Ok(Self { machine, settings, stress_flags, pool, lacks, n_asked })
    }

    /// The settings of a turn, those with random flags last.
    fn settings_in_turn(&self, config: &JvmConfig, seed: u64, turn: u64) -> Vec<JvmSetting> {
        let seed = Seed::new(seed);
        let mut settings = settings_in_turn(&self.settings, turn);
        let is_stress =
            |setting: &&mut JvmSetting| setting.name.name().is_some_and(JvmSetting::is_stress_name);
        if let Some(stress) = settings.iter_mut().find(is_stress) {
            let mut rng = seed.child("stress").child(&self.machine.name).nth(turn).rng();
            // 0 stands for a seed that the JVM makes up.
            let stress_seed = 1 + choose_below(i32::MAX as usize, &mut rng) as u32;
            let slot = stress.slot.take();
            *stress = JvmSetting::stressed(&self.stress_flags, config.warmup, stress_seed);
            stress.slot = slot;
        }
        let mut rng = seed.child("flags").child(&self.machine.name).nth(turn).rng();
        let n_random = if self.pool.is_empty() { 0 } else { config.random_settings };
        settings.extend((0..n_random).map(|_| self.pool.choose(config.warmup, &mut rng)));
        settings
    }
}

impl Family for Jvms {
    const FAMILY: TargetFamily = TargetFamily::Jvm;

    type Backend = JvmBackend;
    type Oracle = JvmOracle;

    fn backend(&self) -> &JvmBackend {
        &JvmBackend
    }

    fn oracle(&self, stop: Stop) -> Result<JvmOracle, OracleError> {
        JvmOracle::new(stop)
    }

    fn functions_per_artifact(&self) -> u32 {
        self.config.functions_per_program
    }

    fn choose_options(&self, program: &Program, rng: &mut Rng) -> JvmOptions {
        self.config.style.choose(program, rng)
    }

    fn targets(&self, seed: u64, number: u64) -> Vec<JvmTarget> {
        let turn = number / u64::from(self.config.programs_per_random_setting);
        let of_jvm = |jvm: &Jvm| {
            let settings = jvm.settings_in_turn(&self.config, seed, turn);
            let machine = jvm.machine.clone();
            settings.into_iter().map(move |setting| JvmTarget { machine: machine.clone(), setting })
        };
        self.machines.iter().flat_map(of_jvm).collect()
    }

    fn versions_of(&self, target: &JvmTarget) -> Vec<JvmTarget> {
        let machines = self.machines.iter().map(|jvm| &jvm.machine);
        let alike = machines.filter(|other| other.is_hotspot == target.machine.is_hotspot);
        alike.map(|machine| JvmTarget { machine: machine.clone(), ..target.clone() }).collect()
    }

    fn version_details(target: &JvmTarget, stop: &Stop) -> Result<String, OracleError> {
        target.machine.version_details(stop)
    }

    fn plain(target: &JvmTarget) -> JvmTarget {
        let machine = target.machine.clone();
        JvmTarget { setting: JvmSetting::interpreting(&machine), machine }
    }

    fn run_alone(
        oracle: &mut JvmOracle,
        classes: &JvmClasses,
        target: &JvmTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        oracle.run_fresh(classes, target, limits)
    }

    fn simpler_targets(target: &JvmTarget) -> Vec<JvmTarget> {
        let with = |flags: Vec<String>| {
            let setting = target.setting.with_flags(flags);
            JvmTarget { setting, ..target.clone() }
        };
        fewer(&target.setting.flags).into_iter().map(with).collect()
    }

    fn without_known_bugs(target: &JvmTarget, flags: &[String]) -> JvmTarget {
        target.without_known_bugs(flags)
    }

    fn takes_flags(target: &JvmTarget, stop: &Stop) -> Result<bool, OracleError> {
        target.is_taken(stop)
    }

    fn take_spent(oracle: &mut JvmOracle) -> Spent {
        oracle.take_spent()
    }

    fn describe(target: &JvmTarget) -> TargetInfo {
        TargetInfo {
            name: target.machine.name.clone(),
            command: target.machine.command.display().to_string(),
            version: target.machine.version.clone(),
            setting: target.setting.name.clone(),
            flags: target.args(),
            path: target.machine.path.display().to_string(),
            runner: target.machine.launch.runner.clone(),
            env: target.machine.launch.env.clone(),
        }
    }

    fn bug(
        &self,
        finding: &Finding,
        oracle: &mut JvmOracle,
        limits: &Limits,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Bug>, OracleError> {
        let Ok(known) = Reproducer::of(self, finding) else { return Ok(None) };
        if !finding.verdict.is_finding() {
            return Ok(None);
        }
        let stop = &oracle.stop();
        BugSearch { oracle, finding, known: &known, limits, stop, is_over }.run().map(Some)
    }

    fn files(
        finding: &Finding,
        target: &JvmTarget,
        classes: &JvmClasses,
    ) -> Result<Vec<File>, SerializeError> {
        let binary =
            |name: String, bytes: &[u8]| File { name, bytes: bytes.to_owned(), is_script: false };
        let steps = target.setting.warmup.steps(classes);
        let mut files = vec![
            binary(HOST_FILE.to_owned(), HOST),
            File::text("Host.java", HOST_SOURCE.to_owned()),
            binary("request.bin".to_owned(), &request_for_repro(classes, &steps)),
            File { is_script: true, ..File::text("repro.sh", script(finding, target, classes)) },
        ];
        files.extend(classes.classes.iter().map(|class| binary(class.file_name(), &class.bytes)));
        files.extend(classes.listing().ok().map(|listing| File::text("program.jasm", listing)));
        if let Some(file) = finding.bug.as_ref().and_then(|bug| bug.file.as_ref()) {
            files.extend(file.files());
        }
        let logs = finding.evidence.iter().filter_map(|evidence| evidence.log.clone());
        files.extend(logs.take(1).map(|log| File::text(CRASH_FILE, log)));
        Ok(files)
    }
}

impl Discover for Jvms {
    const ABOUT: &'static str = "Java virtual machines";
    /// JVMs compile what they run.
    const COMPILES_WITHOUT_RUNNING: bool = false;

    fn language() -> &'static dyn Language {
        &JvmBackend
    }

    fn discover(
        request: &TargetRequest,
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Option<Self>, CampaignError> {
        let fail = |message: String| Err(CampaignError::Request(message));
        let wanted = &config.jvm.settings;
        if let Some(unknown) = wanted.iter().find(|name| !JVM_SETTINGS.contains(&&name[..])) {
            let names = JVM_SETTINGS.join(", ");
            return fail(format!(
                "in the section `jvm`: there is no setting {unknown}; expected some of {names}"
            ));
        }
        let (configured, stop) = (&config.jvm.targets, &env.stop);
        let found = named_targets(request, configured, stop, JavaMachine::new, JavaMachine::found)?;
        if found.is_empty() {
            let message = "there is no java on PATH; --targets names JVMs that are elsewhere";
            return none_found(config, message);
        }
        let family = Self::new(config.jvm.clone(), found, stop)?;
        let without = family.settings().find(|(_, settings)| settings.is_empty());
        // One that was only found is left out, with a note of what it does not have.
        if let (Some((machine, _)), true) = (without, is_asked(request, configured)) {
            let (name, said) = (machine.name.clone(), machine.problem_with(&[], stop)?);
            let said = said.map(|said| format!(": {said}")).unwrap_or_default();
            let why = format!("it does not start with the flags of any setting{said}");
            return Err(OracleError::Target { name, why }.into());
        }
        Ok(Some(family))
    }

    fn lineups(&self, is_asked: IsAsked) -> Vec<Lineup<JvmTarget>> {
        let lineup = |jvm: &Jvm| {
            let target = |setting| JvmTarget { machine: jvm.machine.clone(), setting };
            let n_built_in = jvm.settings.len() - jvm.n_asked;
            let settings = jvm.settings.iter().enumerate().map(|(at, setting)| {
                let is_stress = setting.name.name().is_some_and(JvmSetting::is_stress_name);
                let setting = match is_stress {
                    true => JvmSetting::stressed(&jvm.stress_flags, self.config.warmup, 1),
                    false => setting.clone(),
                };
                (target(setting), IsAsked::of(at >= n_built_in))
            });
            Lineup {
                plain: target(JvmSetting::interpreting(&jvm.machine)),
                plain_setting: None,
                settings: settings.collect(),
                is_asked,
            }
        };
        self.machines.iter().map(lineup).collect()
    }

    fn leave_out(&mut self, targets: &BTreeSet<String>, settings: &BTreeSet<(String, String)>) {
        self.machines.retain(|jvm| !targets.contains(&jvm.machine.name));
        for jvm in &mut self.machines {
            let name = &jvm.machine.name;
            let is_left = |setting: &JvmSetting| {
                !settings.contains(&(name.clone(), setting.name.to_string()))
            };
            jvm.settings.retain(is_left);
        }
        self.machines.retain(|jvm| !jvm.settings.is_empty());
    }

    fn is_empty(&self) -> bool {
        self.machines.is_empty()
    }

    fn notes(&self) -> Vec<String> {
        let lacking = self.machines.iter().filter(|jvm| !jvm.lacks.is_empty());
        let note = |jvm: &Jvm| {
            format!("{} does not have the settings {}", jvm.machine.name, jvm.lacks.join(", "))
        };
        lacking.map(note).collect()
    }

    fn without_targets(config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError> {
        Ok(Self::new(config.jvm.clone(), Vec::new(), &env.stop)?)
    }

    fn at_hand(named: &[String], config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError> {
        let (new, found) = (JavaMachine::new, JavaMachine::installed);
        let found = targets_at_hand(named, &config.jvm.targets, &env.stop, new, found)?;
        let jvm = |machine| Jvm {
            machine,
            settings: Vec::new(),
            stress_flags: Vec::new(),
            pool: JvmFlagPool::default(),
            lacks: Vec::new(),
            n_asked: 0,
        };
        let machines = found.into_iter().map(jvm).collect();
        Ok(Self { machines, ..Self::without_targets(config, env)? })
    }

    fn target_lines(&self) -> Vec<String> {
        let line = |(machine, settings): (&JavaMachine, Vec<String>)| {
            format!("{}: {}: {}", machine.name, machine.version, settings.join(", "))
        };
        self.settings().map(line).collect()
    }
}

//! Java virtual machines.

use pathsmith_backend::Style;
use pathsmith_backend_jvm::{JvmBackend, JvmClasses, JvmOptions};
use pathsmith_oracles::jvm::{
    CRASH_FILE, HOST, HOST_FILE, HOST_SOURCE, JVM_SETTINGS, JavaMachine, JvmFlagPool, JvmOracle,
    JvmSetting, JvmTarget, Warmup, request,
};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, OracleError, Report, Spent, Verdict};
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{Rng, Seed};

use crate::config::{FuzzConfig, JvmConfig};
use crate::discover::{Discover, Env, TargetRequest, named_targets, none_found};
use crate::error::CampaignError;
use crate::family::{Family, TargetFamily};
use crate::finding::{File, Finding, SerializeError, TargetInfo, shell_quoted};
use crate::language::Language;
use crate::option_reduce::fewer;

/// Java virtual machines, with their settings and the flags that each of them takes.
#[derive(Clone, Debug)]
pub struct Jvms {
    config: JvmConfig,
    machines: Vec<(JavaMachine, Vec<JvmSetting>, JvmFlagPool)>,
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
        let with_flags = |machine: JavaMachine| {
            let mut settings = JvmSetting::built_in(&machine, config.warmup);
            if !config.settings.is_empty() {
                settings.retain(|setting| config.settings.contains(&setting.name.to_string()));
            }
            let extras = config.extras.iter();
            settings.extend(extras.map(|(name, f)| JvmSetting::named(name, f, config.warmup)));
            let pool = match config.random_settings {
                0 => JvmFlagPool::default(),
                _ => JvmFlagPool::new(&machine, stop)?,
            };
            Ok((machine, settings, pool))
        };
        let machines = machines.into_iter().map(with_flags).collect::<Result<_, _>>()?;
        Ok(Self { config, machines })
    }

    /// Each JVM, and the names of its settings.
    pub fn settings(&self) -> impl Iterator<Item = (&JavaMachine, Vec<String>)> {
        self.machines.iter().map(|(machine, settings, pool)| {
            let names = settings.iter().map(|setting| setting.name.to_string());
            let random = (!pool.is_empty()).then(|| "random flags".to_owned());
            (machine, names.chain(random).collect())
        })
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
        let mut targets = Vec::new();
        let number = number / u64::from(self.config.programs_per_random_setting);
        for (machine, settings, pool) in &self.machines {
            let mut rng = Seed::new(seed).child("flags").child(&machine.name).nth(number).rng();
            let n_random = if pool.is_empty() { 0 } else { self.config.random_settings };
            let random = (0..n_random).map(|_| pool.choose(self.config.warmup, &mut rng));
            let target = |setting| JvmTarget { machine: machine.clone(), setting };
            targets.extend(settings.iter().cloned().chain(random).map(target));
        }
        targets
    }

    fn versions_of(&self, target: &JvmTarget) -> Vec<JvmTarget> {
        let machines = self.machines.iter().map(|(machine, ..)| machine);
        let alike = machines.filter(|other| other.is_hotspot == target.machine.is_hotspot);
        alike.map(|machine| JvmTarget { machine: machine.clone(), ..target.clone() }).collect()
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
        }
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
            binary("request.bin".to_owned(), &request(classes, &steps, true)),
            File { is_script: true, ..File::text("repro.sh", script(finding, target, classes)) },
        ];
        files.extend(classes.classes.iter().map(|class| binary(class.file_name(), &class.bytes)));
        files.extend(classes.listing().ok().map(|listing| File::text("program.jasm", listing)));
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
        let (named, stop) = (&config.jvm.targets, &env.stop);
        let found = named_targets(request, named, stop, JavaMachine::new, JavaMachine::found)?;
        if found.is_empty() {
            let message = "there is no java on PATH; --targets names JVMs that are elsewhere";
            return none_found(config, message);
        }
        let family = Self::new(config.jvm.clone(), found, stop)?;
        let without = family.settings().find(|(_, settings)| settings.is_empty());
        if let Some((machine, _)) = without {
            let name = &machine.name;
            return fail(format!("in the section `jvm`: no setting is left for {name}"));
        }
        Ok(Some(family))
    }

    fn without_targets(config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError> {
        Ok(Self::new(config.jvm.clone(), Vec::new(), &env.stop)?)
    }

    fn target_lines(&self) -> Vec<String> {
        let line = |(machine, settings): (&JavaMachine, Vec<String>)| {
            format!("{}: {}: {}", machine.name, machine.version, settings.join(", "))
        };
        self.settings().map(line).collect()
    }
}

/// What shows a finding with the JVM alone.
fn script(finding: &Finding, target: &JvmTarget, classes: &JvmClasses) -> String {
    let args: Vec<String> = target.args().iter().map(|arg| shell_quoted(arg)).collect();
    let times = match target.setting.warmup {
        Warmup::Once => "once".to_owned(),
        Warmup::Twice => "twice".to_owned(),
        Warmup::Hot(n) => format!("about {n} times"),
    };
    let patience = if finding.verdict == Verdict::Hang { 60 } else { 600 };
    format!(
        "#!/bin/sh\n\
         # {}\n\
         # Seen with {}; JAVA=... tries another JVM, FLAGS=... other flags.\n\
         # Host.class loads the classes (program.jasm shows them) from request.bin, calls each\n\
         # function {times} and compares its result each time.\n\
         # Exits with 0 if the JVM does what it should.\n\
         cd \"$(dirname \"$0\")\" || exit 2\n\
         JAVA=${{JAVA:-{}}}\n\
         FLAGS=${{FLAGS-{}}}\n\
         echo request.bin | timeout {patience} $JAVA $FLAGS > actual.txt\n\
         grep -E '^(wrong|thrown|rejected)' actual.txt && exit 1\n\
         grep -qx 'done {}' actual.txt\n",
        finding.summary(),
        target.machine.version,
        target.machine.command.display(),
        args.join(" "),
        classes.calls.len(),
    )
}

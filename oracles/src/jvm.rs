//! Java virtual machines: what they make of classes, and whether those return what they should.
//!
//! A JVM is started once for each setting and asked many questions: a small class, [`HOST`], loads
//! a program, calls its functions until they are compiled, and reports what each call returns and
//! whether any repetition of it does something else. If the JVM dies or hangs, that is a verdict about the call that it was at, and a new one
//! takes its place.

mod flags;
mod machine;
mod plain;
mod protocol;
mod setting;
mod triage;
mod warmup;

use std::collections::BTreeMap;
use std::path::PathBuf;

use pathsmith_backend_jvm::JvmClasses;
use serde::{Deserialize, Serialize};

pub use flags::{JvmFlagPool, stress_flags};
pub use machine::JavaMachine;
pub use protocol::{lines_of_repro, request_for_repro};
pub use setting::{JVM_SETTINGS, JvmSetting, settings_in_turn};
pub use warmup::{Step, Warmup};

use self::protocol::JvmProtocol;
use self::setting::UNLOCK;
use crate::oracle::{Limits, Oracle, OracleError, Spent};
use crate::process::Stop;
use crate::session::Sessions;
use crate::verdict::Report;

/// The class that runs programs inside of a JVM. Its source is beside it.
pub const HOST: &[u8] = include_bytes!("jvm/runtime/Host.class");
/// The source of that class.
pub const HOST_SOURCE: &str = include_str!("jvm/runtime/Host.java");
/// The name of the file that a JVM looks for.
pub const HOST_FILE: &str = "Host.class";
/// The name of the file that HotSpot describes a crash in.
pub const CRASH_FILE: &str = "hs_err.log";

/// How many times functions are called that have to be hot, by default.
pub const DEFAULT_WARMUP: u32 = 2000;

/// The flags that HotSpot always gets: little memory, no files in other folders, and its own output
/// on standard error, because standard output is the host's.
const HOTSPOT_FLAGS: [&str; 6] = [
    "-Xmx256m",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:ErrorFile=hs_err.log",
    // Without it, HotSpot makes a class for each method of a program that is called.
    "-Djava.lang.invoke.MethodHandle.CUSTOMIZE_THRESHOLD=-1",
];

/// A JVM and its setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JvmTarget {
    /// The JVM.
    pub machine: JavaMachine,
    /// Its flags, and how often functions are called.
    pub setting: JvmSetting,
}

impl JvmTarget {
    /// The same target with further flags that suppress known bugs.
    #[must_use]
    pub fn without_known_bugs(&self, flags: &[String]) -> Self {
        let JvmSetting { name, flags: own, warmup, slot } = &self.setting;
        let name = name.without_known_bugs(flags);
        let unlock = (!own.iter().any(|flag| flag == UNLOCK)).then(|| UNLOCK.to_owned());
        let all = own.iter().cloned().chain(unlock).chain(flags.iter().cloned());
        let (warmup, slot) = (*warmup, slot.clone());
        let setting = JvmSetting { name, flags: all.collect(), warmup, slot };
        Self { setting, ..self.clone() }
    }

    /// Whether the JVM takes the flags of its setting.
    ///
    /// # Errors
    /// If it cannot be run, or is stopped.
    pub fn is_taken(&self, stop: &Stop) -> Result<bool, OracleError> {
        self.machine.takes(&self.setting.flags, stop)
    }

    /// All arguments: what it takes to run the host in the folder it is in.
    pub fn args(&self) -> Vec<String> {
        let own: &[&str] = if self.machine.is_hotspot { &HOTSPOT_FLAGS } else { &[] };
        let own = own.iter().map(|&flag| flag.to_owned());
        let host = ["-cp", ".", "Host"].map(str::to_owned);
        let flags = self.machine.launch.flags.iter().chain(&self.setting.flags).cloned();
        own.chain(flags).chain(host).collect()
    }
}

/// Runs classes on JVMs.
#[derive(Debug)]
pub struct JvmOracle {
    sessions: Sessions,
    /// The flags that disable optimizations, by JVM and compiler, once they were asked for.
    disabling_flags: BTreeMap<(PathBuf, &'static str), Vec<String>>,
}

impl JvmOracle {
    /// An oracle without JVMs: they are started when they are needed.
    ///
    /// # Errors
    /// If there is no room for its files.
    pub fn new(stop: Stop) -> Result<Self, OracleError> {
        let sessions = Sessions::new(stop)?;
        sessions.write(HOST_FILE, HOST)?;
        Ok(Self { sessions, disabling_flags: BTreeMap::new() })
    }

    /// Runs `classes` on a JVM that has not run anything else.
    ///
    /// # Errors
    /// As for [`Oracle::run`].
    pub fn run_fresh(
        &mut self,
        classes: &JvmClasses,
        target: &JvmTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        self.sessions.fresh::<JvmProtocol, _>(target, |sessions| {
            sessions.run::<JvmProtocol>(classes, target, limits)
        })
    }

    /// What stops it.
    pub fn stop(&self) -> Stop {
        self.sessions.stop.clone()
    }

    /// Takes the CPU time that was spent since it was last taken.
    pub fn take_spent(&mut self) -> Spent {
        std::mem::take(&mut self.sessions.spent)
    }
}

impl Oracle for JvmOracle {
    type Artifact = JvmClasses;
    type Target = JvmTarget;

    fn targets(&self) -> Result<Vec<JvmTarget>, OracleError> {
        let mut targets = Vec::new();
        for machine in JavaMachine::found(&self.sessions.stop)? {
            let settings = JvmSetting::built_in(&machine, DEFAULT_WARMUP);
            let target = |setting| JvmTarget { machine: machine.clone(), setting };
            targets.extend(settings.into_iter().map(target));
        }
        Ok(targets)
    }

    fn run(
        &mut self,
        classes: &JvmClasses,
        target: &JvmTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        self.sessions.run::<JvmProtocol>(classes, target, limits)
    }
}

//! C compilers.

mod bug;
mod script;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pathsmith_backend::Style;
use pathsmith_backend_c::{CBackend, COptions, CSource};
use pathsmith_oracles::c::{
    COracle, CSetting, CTarget, Features, FlagPool, OPTIMIZATION_LEVELS, SourceReduction,
    Toolchain, has_instruction_set,
};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, Oracle, OracleError, Report, Setting, Spent};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{Rng, Seed};

use self::bug::BugSearch;
pub(crate) use self::bug::bug_of_c_program;
use self::script::interestingness_script;
pub(super) use self::script::repro_script;
use crate::batch_window::MEMORY_LAG;
use crate::bug_file::Bug;
use crate::config::{CConfig, FuzzConfig};
use crate::discover::{Discover, Env, TargetRequest, named_targets, none_found, targets_at_hand};
use crate::error::CampaignError;
use crate::family::{Family, TargetFamily};
use crate::finding::{Finding, SerializeError, TargetInfo};
use crate::folder_file::File;
use crate::language::Language;
use crate::lineup::{IsAsked, Lineup};
use crate::option_reduce::fewer;
use crate::reproducer::{Reproducer, failed_call};

/// C compilers, with the flags that each of them takes.
#[derive(Clone, Debug)]
pub struct CCompilers {
    config: CConfig,
    compilers: Vec<Compiler>,
    mode: CMode,
    stop: Stop,
    /// The random settings that have shown something.
    yielding: Arc<Mutex<BTreeSet<Yielding>>>,
}

/// A random setting that has shown something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Yielding {
    batch: u64,
    compiler: String,
    flags: Vec<String>,
}

/// What is asked of compilers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CMode {
    /// That programs return what they should.
    #[default]
    Run,
    /// That sanitizers report nothing, to find bugs of pathsmith.
    Sanitize,
    /// That they neither crash nor time out; programs are not run.
    CompileOnly,
}

/// A compiler and what it takes.
#[derive(Clone, Debug)]
struct Compiler {
    toolchain: Toolchain,
    pool: FlagPool,
    /// The instruction sets that it knows and this machine has.
    instruction_sets: Vec<String>,
    /// Its settings with link-time optimization.
    lto: Vec<CSetting>,
    /// Its own settings, if the config has some: then it has no others.
    own: Vec<CSetting>,
}

impl CCompilers {
    /// The given compilers, and what is asked of them.
    ///
    /// # Errors
    /// If the flags of one of them cannot be found out, or one of them does not take a setting of
    /// the config.
    pub fn new(
        config: CConfig,
        toolchains: Vec<Toolchain>,
        mode: CMode,
        stop: &Stop,
    ) -> Result<Self, OracleError> {
        let needs_flags = config.random_settings > 0 && mode != CMode::Sanitize;
        let with_flags = |toolchain: Toolchain| {
            // If it does not work at all, preflight says why, and its flags are of no interest.
            let works = CSetting::level("-O0").is_taken_by(&toolchain, stop)?;
            let pool = match needs_flags && works {
                true => FlagPool::new(&toolchain, stop)?,
                false => FlagPool::default(),
            };
            let needs_settings = mode != CMode::Sanitize;
            let own = own_settings(&config, &toolchain);
            for setting in own.iter().chain(&fixed_settings(&config)).filter(|_| needs_settings) {
                check_setting(setting, &toolchain, stop)?;
            }
            let mut instruction_sets = Vec::new();
            for set in config.instruction_sets.iter().filter(|_| needs_settings && works) {
                if has_instruction_set(&toolchain, set, stop)? {
                    instruction_sets.push(set.clone());
                }
            }
            let lto = config.lto.iter().map(|level| CSetting::link_time(level)).collect();
            Ok(Compiler { toolchain, pool, instruction_sets, lto, own })
        };
        let compilers = toolchains.into_iter().map(with_flags).collect::<Result<_, _>>()?;
        let stop = stop.clone();
        Ok(Self { config, compilers, mode, stop, yielding: Arc::default() })
    }

    fn settings(&self, compiler: &Compiler, batch: u64, rng: &mut Rng) -> Vec<CSetting> {
        let Compiler { toolchain, pool, instruction_sets, lto, own } = compiler;
        if self.mode == CMode::Sanitize {
            return vec![CSetting::sanitizers(toolchain.compiler)];
        }
        if !own.is_empty() {
            return own.clone();
        }
        let config = &self.config;
        let levels = levels_in_turn(&config.levels, instruction_sets, batch);
        let extras = config.extras.iter().map(|(name, flags)| CSetting::named(name, flags));
        let n_random = if pool.is_empty() { 0 } else { config.random_settings };
        let random = (0..n_random).map(|_| self.random_setting(compiler, batch, rng));
        levels.into_iter().chain(lto.iter().cloned()).chain(extras).chain(random).collect()
    }

    /// A setting with random flags: one of its own, or one next to a setting that showed something
    /// a while ago, half of the time once there is one.
    fn random_setting(&self, compiler: &Compiler, batch: u64, rng: &mut Rng) -> CSetting {
        let Compiler { toolchain, pool, instruction_sets, .. } = compiler;
        let wants_near = choose_bool(self.config.flags_by_yield, rng);
        let yielding = self.yielding.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |found: &&Yielding| {
            found.compiler == toolchain.name && found.batch + MEMORY_LAG <= batch
        };
        let known: Vec<&Vec<String>> =
            yielding.iter().filter(is_known).map(|found| &found.flags).collect();
        match wants_near && !known.is_empty() {
            true => pool.choose_near(known[choose_below(known.len(), rng)], rng),
            false => pool.choose(&self.config.levels, instruction_sets, rng),
        }
    }
}

/// The settings that the config names.
fn fixed_settings(config: &CConfig) -> Vec<CSetting> {
    let levels = config.levels.iter().map(|level| CSetting::level(level));
    let extras = config.extras.iter().map(|(name, flags)| CSetting::named(name, flags));
    levels.chain(extras).collect()
}

/// The settings that the config has for one compiler.
fn own_settings(config: &CConfig, toolchain: &Toolchain) -> Vec<CSetting> {
    let known = config.targets.iter().find(|target| target.name == toolchain.name);
    let settings = known.into_iter().flat_map(|target| &target.settings);
    settings.map(|(name, flags)| CSetting::named(name, flags)).collect()
}

/// Checks that a setting of the config may be tested at all. Preflight tells whether the compiler
/// takes it.
fn check_setting(
    setting: &CSetting,
    toolchain: &Toolchain,
    stop: &Stop,
) -> Result<(), OracleError> {
    match setting.obstacle(toolchain, stop)? {
        None => Ok(()),
        Some(why) => Err(OracleError::Target {
            name: toolchain.name.clone(),
            why: format!("in the setting {}: {why}", setting.name),
        }),
    }
}

/// The levels of a batch, each for the compiler's default instruction set or for another one.
///
/// In one batch, neighbouring levels take different instruction sets; from batch to batch, each
/// level goes through all of them. Every other one is the default, which most users compile for.
fn levels_in_turn(levels: &[String], instruction_sets: &[String], batch: u64) -> Vec<CSetting> {
    let turns: Vec<Option<&String>> =
        instruction_sets.iter().flat_map(|set| [None, Some(set)]).collect();
    let mut turn = batch;
    let setting = |level: &String| {
        // Without optimization, there is nothing to vectorize.
        if level == "-O0" || turns.is_empty() {
            return CSetting::level(level);
        }
        let set = turns[(turn % turns.len() as u64) as usize];
        turn += 1;
        match set {
            None => CSetting::level(level),
            Some(set) => CSetting::for_instruction_set(level, set),
        }
    };
    levels.iter().map(setting).collect()
}

impl Family for CCompilers {
    const FAMILY: TargetFamily = TargetFamily::C;
    /// In one file, the harness is compiled each time.
    const LAST_OPTION: Option<&'static str> = Some("layout");

    type Backend = CBackend;
    type Oracle = COracle;

    fn backend(&self) -> &CBackend {
        &CBackend
    }

    fn oracle(&self, stop: Stop) -> Result<COracle, OracleError> {
        match self.mode {
            CMode::Run | CMode::Sanitize => COracle::new(stop),
            CMode::CompileOnly => COracle::compile_only(stop),
        }
    }

    fn functions_per_artifact(&self) -> u32 {
        self.config.functions_per_file
    }

    fn choose_options(&self, program: &Program, rng: &mut Rng) -> COptions {
        self.config.style.choose(program, rng)
    }

    fn targets(&self, seed: u64, number: u64) -> Vec<CTarget> {
        let mut targets = Vec::new();
        for compiler in &self.compilers {
            let toolchain = &compiler.toolchain;
            let seed = Seed::new(seed).child("flags").child(&toolchain.name).nth(number);
            let target = |setting| CTarget { toolchain: toolchain.clone(), setting };
            targets
                .extend(self.settings(compiler, number, &mut seed.rng()).into_iter().map(target));
        }
        targets
    }

    fn versions_of(&self, target: &CTarget) -> Vec<CTarget> {
        let toolchains = self.compilers.iter().map(|compiler| &compiler.toolchain);
        let alike = toolchains.filter(|other| other.compiler == target.toolchain.compiler);
        let with =
            |toolchain: &Toolchain| CTarget { toolchain: toolchain.clone(), ..target.clone() };
        alike.map(with).collect()
    }

    fn other_levels(target: &CTarget) -> Vec<CTarget> {
        let is_level = |flag: &&String| OPTIMIZATION_LEVELS.contains(&&flag[..]);
        let [own] = target.setting.flags.iter().filter(is_level).collect::<Vec<_>>()[..] else {
            return Vec::new();
        };
        let with = |level: &str| {
            let flag = |flag: &String| if flag == own { level.to_owned() } else { flag.clone() };
            let flags = target.setting.flags.iter().map(flag).collect();
            CTarget { setting: target.setting.with_flags(flags), ..target.clone() }
        };
        OPTIMIZATION_LEVELS.into_iter().filter(|level| level != own).map(with).collect()
    }

    fn version_details(target: &CTarget, stop: &Stop) -> Result<String, OracleError> {
        target.toolchain.version_details(stop)
    }

    fn plain(target: &CTarget) -> CTarget {
        let setting = match target.setting.name.is_sanitizer() {
            true => target.setting.clone(),
            false => CSetting::level("-O0"),
        };
        CTarget { setting, ..target.clone() }
    }

    fn learn(&self, finding: &Finding) {
        let target = &finding.target;
        if let Setting::Random(flags) = &target.setting {
            let mut yielding = self.yielding.lock().unwrap_or_else(PoisonError::into_inner);
            yielding.insert(Yielding {
                batch: finding.batch,
                compiler: target.name.clone(),
                flags: flags.clone(),
            });
        }
    }

    fn run_alone(
        oracle: &mut COracle,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        oracle.run_whole(source, target, limits)
    }

    fn run_quickly(
        oracle: &mut COracle,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Report, OracleError> {
        oracle.run(source, target, limits)
    }

    fn features(
        oracle: &mut COracle,
        source: &CSource,
        target: &CTarget,
        limits: &Limits,
    ) -> Result<Option<Vec<Features>>, OracleError> {
        oracle.features(source, target, limits)
    }

    fn simpler_targets(target: &CTarget) -> Vec<CTarget> {
        let with = |flags: Vec<String>| {
            let setting = target.setting.with_flags(flags);
            CTarget { setting, ..target.clone() }
        };
        fewer(&target.setting.flags).into_iter().map(with).collect()
    }

    fn without_known_bugs(target: &CTarget, flags: &[String]) -> CTarget {
        target.without_known_bugs(flags)
    }

    fn takes_flags(target: &CTarget, stop: &Stop) -> Result<bool, OracleError> {
        target.setting.is_taken_by(&target.toolchain, stop)
    }

    fn take_spent(oracle: &mut COracle) -> Spent {
        oracle.take_spent()
    }

    fn describe(target: &CTarget) -> TargetInfo {
        TargetInfo {
            name: target.toolchain.name.clone(),
            command: target.toolchain.command.display().to_string(),
            version: target.toolchain.version.clone(),
            setting: target.setting.name.clone(),
            flags: target.all_flags(),
            path: target.toolchain.path.display().to_string(),
            runner: target.toolchain.launch.runner.clone(),
            env: target.toolchain.launch.env.clone(),
        }
    }

    fn bug(
        &self,
        finding: &Finding,
        oracle: &mut COracle,
        limits: &Limits,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Bug>, OracleError> {
        bug_of(self, finding, oracle, limits, is_over)
    }

    fn files(
        finding: &Finding,
        target: &CTarget,
        source: &CSource,
    ) -> Result<Vec<File>, SerializeError> {
        let mut files: Vec<File> =
            source.all_files().map(|file| File::text(&file.name, file.text.clone())).collect();
        let script = |name, text| File { is_script: true, ..File::text(name, text) };
        files.push(script("repro.sh", repro_script(finding, target, source)));
        if let Some(file) = finding.bug.as_ref().and_then(|bug| bug.file.as_ref()) {
            files.push(File::text(&file.name, file.text.clone()));
            files.push(script("interesting.sh", interestingness_script(target, file)));
        }
        Ok(files)
    }
}

/// Looks for a file of plain C that shows a finding. What sanitizers report is a bug of pathsmith,
/// and has none.
fn bug_of(
    compilers: &CCompilers,
    finding: &Finding,
    oracle: &mut COracle,
    limits: &Limits,
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<Option<Bug>, OracleError> {
    let Ok(known) = Reproducer::of(compilers, finding) else { return Ok(None) };
    if !finding.verdict.is_finding() {
        return Ok(None);
    }
    let suppressing = finding.signature.as_ref().and_then(|known| known.suppressing_flags.first());
    let search = BugSearch {
        oracle,
        target: known.target.clone(),
        options: known.options.clone(),
        call: failed_call(finding, &known.program),
        suppressing: suppressing
            .map(|flag| flag.flag.split_whitespace().map(str::to_owned).collect()),
        verdict: finding.verdict,
        limits: limits.clone(),
        hang_time: None,
        stop: compilers.stop.clone(),
        is_over,
    };
    search.run(&known.program).map(Some)
}

impl Discover for CCompilers {
    const ABOUT: &'static str = "C compilers";
    const HAS_SANITIZERS: bool = true;

    fn language() -> &'static dyn Language {
        &CBackend
    }

    fn discover(
        request: &TargetRequest,
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Option<Self>, CampaignError> {
        let found = named_targets(
            request,
            &config.c.targets,
            &env.stop,
            Toolchain::new,
            Toolchain::on_path,
        )?;
        if found.is_empty() {
            let message = "there is no gcc and no clang on PATH; --targets names compilers that are \
                           elsewhere";
            return none_found(config, message);
        }
        let mode = CMode::of(config, request.sanitize);
        Ok(Some(Self::new(config.c.clone(), found, mode, &env.stop)?))
    }

    fn without_targets(config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError> {
        let mode = CMode::of(config, false);
        Ok(Self::new(config.c.clone(), Vec::new(), mode, &env.stop)?)
    }

    fn at_hand(named: &[String], config: &FuzzConfig, env: &Env) -> Result<Self, CampaignError> {
        let (new, found) = (Toolchain::new, Toolchain::on_path);
        let found = targets_at_hand(named, &config.c.targets, &env.stop, new, found)?;
        let compiler = |toolchain| Compiler {
            toolchain,
            pool: FlagPool::default(),
            instruction_sets: Vec::new(),
            lto: Vec::new(),
            own: Vec::new(),
        };
        let compilers = found.into_iter().map(compiler).collect();
        Ok(Self { compilers, ..Self::without_targets(config, env)? })
    }

    fn target_lines(&self) -> Vec<String> {
        let line = |Compiler { toolchain, instruction_sets, .. }: &Compiler| {
            let sets: Vec<String> = instruction_sets.iter().map(|set| format!(", {set}")).collect();
            format!("{}: {}{}", toolchain.name, toolchain.version, sets.concat())
        };
        self.compilers.iter().map(line).collect()
    }

    fn has_results(&self) -> bool {
        self.mode != CMode::CompileOnly
    }

    fn lineups(&self, is_asked: IsAsked) -> Vec<Lineup<CTarget>> {
        let lineup = |compiler: &Compiler| {
            let Compiler { toolchain, instruction_sets, lto, own, .. } = compiler;
            let target = |setting| CTarget { toolchain: toolchain.clone(), setting };
            if self.mode == CMode::Sanitize {
                let plain = target(CSetting::sanitizers(toolchain.compiler));
                return Lineup { plain, plain_setting: None, settings: Vec::new(), is_asked };
            }
            let mut settings = match own.is_empty() {
                true => fixed_settings(&self.config),
                false => own.clone(),
            };
            let n_asked = settings.len();
            if own.is_empty() {
                settings.extend_from_slice(lto);
                // With one level they show whether they work.
                let level = self.config.levels.last().map_or("-O2", String::as_str);
                let sets = instruction_sets.iter();
                settings.extend(sets.map(|set| CSetting::for_instruction_set(level, set)));
            }
            let asked = |(at, setting)| (target(setting), IsAsked::of(at < n_asked));
            let settings = settings.into_iter().enumerate().map(asked).collect();
            let plain = target(CSetting::level("-O0"));
            Lineup { plain, plain_setting: None, settings, is_asked }
        };
        self.compilers.iter().map(lineup).collect()
    }

    fn leave_out(&mut self, targets: &BTreeSet<String>, settings: &BTreeSet<(String, String)>) {
        self.compilers.retain(|compiler| !targets.contains(&compiler.toolchain.name));
        for Compiler { toolchain, instruction_sets, lto, .. } in &mut self.compilers {
            let has = |setting: &CSetting| {
                !settings.contains(&(toolchain.name.clone(), setting.name.to_string()))
            };
            lto.retain(has);
            let level = self.config.levels.last().map_or("-O2", String::as_str);
            instruction_sets.retain(|set| has(&CSetting::for_instruction_set(level, set)));
        }
    }

    fn is_empty(&self) -> bool {
        self.compilers.is_empty()
    }

    fn source_reduce(
        &self,
        finding: &Finding,
        stop: Stop,
        n_jobs: usize,
        time: Duration,
    ) -> Result<SourceReduction, OracleError> {
        let file = finding.bug.as_ref().and_then(|bug| bug.file.as_ref());
        let (Ok(known), Some(file)) = (Reproducer::of(self, finding), file) else {
            return Ok(Err("the finding has no bug.c".to_owned()));
        };
        let setting = known.target.setting.with_flags(file.flags.clone());
        let target = CTarget { setting, ..known.target };
        let mut oracle = self.oracle(stop)?;
        oracle.reduce_source(&file.text, &target, file.verdict, n_jobs, time)
    }
}

impl CMode {
    fn of(config: &FuzzConfig, sanitize: bool) -> Self {
        match (sanitize, config.generate.crash_only) {
            (true, _) => Self::Sanitize,
            (false, true) => Self::CompileOnly,
            (false, false) => Self::Run,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(settings: &[CSetting]) -> Vec<String> {
        settings.iter().map(|setting| setting.name.to_string()).collect()
    }

    #[test]
    fn levels_take_turns_with_instruction_sets() {
        let levels = ["-O0", "-O1", "-O2"].map(str::to_owned);
        let sets = ["v3", "v4"].map(str::to_owned);
        let of = |batch| names(&levels_in_turn(&levels, &sets, batch));
        assert_eq!(of(0), ["-O0", "-O1", "-O2-march=v3"]);
        assert_eq!(of(1), ["-O0", "-O1-march=v3", "-O2"]);
        assert_eq!(of(2), ["-O0", "-O1", "-O2-march=v4"]);
        assert_eq!(of(4), of(0));
        assert_eq!(names(&levels_in_turn(&levels, &[], 3)), levels);
        let flags = &levels_in_turn(&levels, &sets, 0)[2].flags;
        assert_eq!(*flags, ["-O2", "-march=v3"]);
    }

    #[test]
    fn every_level_meets_every_instruction_set() {
        let levels = ["-O1", "-Os", "-O2", "-O3"].map(str::to_owned);
        let sets = ["v3", "v4", "native"].map(str::to_owned);
        let met: BTreeSet<String> =
            (0..6).flat_map(|batch| names(&levels_in_turn(&levels, &sets, batch))).collect();
        assert_eq!(met.len(), 4 * 4);
    }
}

//! `pathsmith fuzz`

use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pathsmith_campaign::{
    CCompilers, Campaign, Event, Finding, FuzzConfig, Stats, Stopping, WasmEngines,
};
use pathsmith_oracles::c::Toolchain;
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::{WasmOracle, embedded_settings};

use crate::config::{ConfigArgs, to_toml};
use crate::errors::{Failure, note};
use crate::output::OutputArgs;
use crate::parallel::{Progress, n_jobs};

/// Look for bugs in compilers and engines
///
/// Makes functions and whole programs, gives many of them at a time to every target with every
/// setting, runs them, and compares what every realization gives with what it has to give. Whatever
/// differs is narrowed down to one function or program and one realization, seen again alone, and
/// only then told of; each finding gets a folder with the program, what the target is given, and a
/// script that shows it with the target alone. The exit code is 1 where something was found.
///
/// Examples:
///   pathsmith fuzz --time 5m
///   pathsmith fuzz wasm --time 2m --targets wasmtime
///   pathsmith fuzz c --targets gcc-12,clang-14 --count 10000 --seed 7 --dir findings
///   pathsmith fuzz c --sanitize --count 5000
///   pathsmith fuzz c --set c.random_settings=4 --set 'c.levels=["-O2"]' --swarm
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// What to test [default: everything that is found on this machine]
    #[arg(value_enum)]
    kind: Option<Kind>,

    /// Stop after this time, such as 90s, 5m or 2h [default: go on until Ctrl-C]
    #[arg(short, long, value_name = "TIME", value_parser = parse_time)]
    time: Option<Duration>,

    /// Stop after so many cases of each kind: functions or whole programs
    #[arg(short = 'n', long, value_name = "N")]
    count: Option<u64>,

    /// How many threads to use [default: one for each core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Which targets to test. C compilers: names of those in the config, commands or paths
    /// [default: all of the config; where it has none, every gcc and clang on PATH].
    /// WebAssembly engines: wasmtime, wasmi, node, wasm-interp [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "kind")]
    targets: Vec<String>,

    /// Where all randomness comes from
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// Where findings go
    #[arg(long, value_name = "FOLDER", default_value = "findings")]
    dir: PathBuf,

    /// Compile C with sanitizers instead, to find bugs of pathsmith's own
    #[arg(long, requires = "kind")]
    sanitize: bool,

    /// Print the config that would be used, and test nothing
    #[arg(long)]
    print_config: bool,

    #[command(flatten)]
    config: ConfigArgs,
}

/// What can be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// C compilers
    C,
    /// WebAssembly engines
    Wasm,
}

/// A campaign of any kind.
enum AnyCampaign {
    C(Campaign<CCompilers>),
    Wasm(Campaign<WasmEngines>),
}

impl AnyCampaign {
    fn run(
        &self,
        stopping: Stopping,
        n_jobs: usize,
        on_event: impl FnMut(Event) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match self {
            Self::C(campaign) => campaign.run(stopping, n_jobs, on_event),
            Self::Wasm(campaign) => campaign.run(stopping, n_jobs, on_event),
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let config = args.config.load_fuzz()?;
    if args.print_config {
        return OutputArgs::stdout().write_text(&to_toml(&config)?);
    }
    if args.sanitize && args.kind != Some(Kind::C) {
        return Err(Failure::Usage("--sanitize is for C compilers only".to_owned()));
    }
    check_writable(&args.dir)?;
    let stop = stop_on_signals()?;
    let campaigns = campaigns(args, &config, &stop)?;
    let deadline = args.time.and_then(|time| Instant::now().checked_add(time));
    let stopping = Stopping { count: args.count, deadline };
    let tally = Mutex::new(Tally::new(&args.dir));
    let n_jobs = n_jobs(args.jobs).div_ceil(campaigns.len().max(1));
    let results: Vec<Result<(), Failure>> = std::thread::scope(|scope| {
        let start = |campaign: AnyCampaign| {
            let (tally, stop) = (&tally, &stop);
            scope.spawn(move || {
                let tell = |event| match tally.lock() {
                    Ok(mut tally) => tally.event(event),
                    Err(_) => Err(Failure::No),
                };
                let result = campaign.run(stopping, n_jobs, tell);
                if result.is_err() {
                    stop.raise();
                }
                result
            })
        };
        let threads: Vec<_> = campaigns.into_iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(Err(Failure::No))).collect()
    });
    let mut tally = tally.into_inner().map_err(|_| Failure::No)?;
    tally.finish();
    results.into_iter().collect::<Result<Vec<()>, Failure>>()?;
    if stop.is_raised() {
        note("stopped");
    }
    if tally.n_findings + tally.n_own > 0 { Err(Failure::No) } else { Ok(()) }
}

/// The campaigns that were asked for, or one for each kind of target that is found.
fn campaigns(args: &Args, config: &FuzzConfig, stop: &Stop) -> Result<Vec<AnyCampaign>, Failure> {
    let mut campaigns = Vec::new();
    let (generate, limits) = (&config.generate, &config.limits);
    if args.kind.is_none_or(|kind| kind == Kind::C) {
        let toolchains = toolchains(args, config, stop)?;
        for toolchain in &toolchains {
            note(&format!("testing {}: {}", toolchain.name, toolchain.version));
        }
        if toolchains.is_empty() && args.kind.is_some() {
            return Err(Failure::Usage(
                "there is no gcc and no clang on PATH; --targets names compilers that are elsewhere"
                    .to_owned(),
            ));
        }
        if !toolchains.is_empty() {
            campaigns.push(AnyCampaign::C(Campaign {
                kind: CCompilers::new(config.c.clone(), toolchains, args.sanitize, stop)?,
                generate: generate.clone(),
                limits: limits.clone(),
                seed: args.seed,
                stop: stop.clone(),
            }));
        }
    }
    if args.kind.is_none_or(|kind| kind == Kind::Wasm) {
        let kind = wasm_engines(args, config, stop)?;
        let mut versions: Vec<&String> = kind.targets.iter().map(|t| &t.version).collect();
        versions.dedup();
        for version in versions {
            let settings = kind.targets.iter().filter(|t| t.version == *version);
            let settings: Vec<&str> = settings.map(|target| &target.setting[..]).collect();
            note(&format!("testing {version}: {}", settings.join(", ")));
        }
        campaigns.push(AnyCampaign::Wasm(Campaign {
            kind,
            generate: generate.clone(),
            limits: limits.clone(),
            seed: args.seed,
            stop: stop.clone(),
        }));
    }
    Ok(campaigns)
}

/// The engines to test.
fn wasm_engines(args: &Args, config: &FuzzConfig, stop: &Stop) -> Result<WasmEngines, Failure> {
    let program = std::env::current_exe()
        .map_err(|source| Failure::io("cannot find this program's own file", source))?;
    let mut targets = WasmOracle::embedded_targets(&program);
    let wanted = &config.wasm.settings;
    let is_unknown = |name: &&String| !targets.iter().any(|target| target.setting == **name);
    if let Some(unknown) = wanted.iter().find(is_unknown) {
        let names: Vec<String> = targets.into_iter().map(|target| target.setting).collect();
        let names = names.join(", ");
        return Err(Failure::Usage(format!(
            "in the section `wasm`: there is no setting {unknown}; expected some of {names}"
        )));
    }
    let mut engines: Vec<&str> = embedded_settings().iter().map(|s| s.engine).collect();
    engines.extend(["node", "wasm-interp"]);
    engines.dedup();
    if let Some(unknown) = args.targets.iter().find(|name| !engines.contains(&&name[..])) {
        let engines = engines.join(", ");
        let message = format!("there is no engine {unknown}; expected some of {engines}");
        return Err(Failure::Usage(message));
    }
    let is_asked = |name: &str| args.targets.is_empty() || args.targets.iter().any(|t| t == name);
    targets.retain(|target| {
        is_asked(&target.engine) && (wanted.is_empty() || wanted.contains(&target.setting))
    });
    if is_asked("node") && (config.wasm.node || !args.targets.is_empty()) {
        targets.extend(WasmOracle::node_targets(stop)?);
    }
    if is_asked("wasm-interp") {
        targets.extend(WasmOracle::interp_target(stop));
    }
    if targets.is_empty() {
        return Err(Failure::Usage("none of these engines is on this machine".to_owned()));
    }
    Ok(WasmEngines { config: config.wasm.clone(), targets, program })
}

/// The compilers to test.
fn toolchains(args: &Args, config: &FuzzConfig, stop: &Stop) -> Result<Vec<Toolchain>, Failure> {
    let named = &config.c.targets;
    let mut found = Vec::new();
    if !args.targets.is_empty() {
        for name in &args.targets {
            let command = named.iter().find(|target| target.name == *name);
            let command = command.map_or(Path::new(name), |target| &target.command);
            let name = Path::new(name)
                .file_name()
                .map_or(name.clone(), |file| file.to_string_lossy().into_owned());
            found.push(Toolchain::new(&name, command, stop)?);
        }
    } else if !named.is_empty() {
        for target in named {
            found.push(Toolchain::new(&target.name, &target.command, stop)?);
        }
    } else {
        found = Toolchain::on_path(stop)?;
    }
    Ok(found)
}

/// Says at the beginning, and not with the first finding, that there is nowhere to put it.
fn check_writable(dir: &Path) -> Result<(), Failure> {
    let failed = |source| Failure::io(format!("cannot write to {}", dir.display()), source);
    std::fs::create_dir_all(dir).map_err(failed)?;
    tempfile::tempfile_in(dir).map_err(failed)?;
    Ok(())
}

/// The first Ctrl-C ends the campaign in order, the second one at once.
fn stop_on_signals() -> Result<Stop, Failure> {
    let stop = Stop::new();
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let failed = |source| Failure::io("cannot wait for signals", source);
        signal_hook::flag::register_conditional_shutdown(signal, 130, stop.flag())
            .map_err(failed)?;
        signal_hook::flag::register(signal, stop.flag()).map_err(failed)?;
    }
    Ok(stop)
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a time such as 90s, 5m or 2h".to_owned();
    let (number, unit) = match text.find(|c: char| !c.is_ascii_digit() && c != '.') {
        Some(at) => text.split_at(at),
        None => (text, "s"),
    };
    let seconds = match unit {
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

/// What happened so far.
struct Tally<'a> {
    dir: &'a Path,
    stats: Stats,
    n_findings: u64,
    n_own: u64,
    n_unconfirmed: u64,
    progress: Progress,
}

impl<'a> Tally<'a> {
    fn new(dir: &'a Path) -> Self {
        let progress = Progress::new();
        Self { dir, stats: Stats::default(), n_findings: 0, n_own: 0, n_unconfirmed: 0, progress }
    }

    fn event(&mut self, event: Event) -> Result<(), Failure> {
        match event {
            Event::Batch(stats) => self.stats.add(&stats),
            Event::Found(finding) => self.found(&finding)?,
            Event::NotConfirmed { verdict, target, number } => {
                self.n_unconfirmed += 1;
                self.say(&format!(
                    "not confirmed: {verdict}: {target}: seen once, from case {number} on"
                ));
            }
            Event::CouldNotRun { target, why } => {
                self.say(&format!("could not run: {target}: {why}"));
            }
        }
        let line = self.line();
        self.progress.show(|| line);
        Ok(())
    }

    fn found(&mut self, finding: &Finding) -> Result<(), Failure> {
        let folder = finding.write(self.dir).map_err(|error| {
            let what = format!("cannot write {}", error.path.display());
            Failure::io(what, error.source)
        })?;
        if finding.verdict.is_finding() {
            self.n_findings += 1;
        } else {
            self.n_own += 1;
        }
        let whose = if finding.verdict.is_finding() { "" } else { "our own bug: " };
        self.progress.clear();
        // Findings are the product; all other talk goes to standard error.
        let line = format!("{whose}{}\n    {}\n", finding.summary(), folder.display());
        std::io::stdout()
            .write_all(line.as_bytes())
            .map_err(|source| Failure::io("cannot write the output", source))
    }

    fn say(&mut self, message: &str) {
        self.progress.clear();
        note(message);
    }

    /// Rates, for a line that is shown again and again.
    fn line(&self) -> String {
        let seconds = self.progress.seconds().max(1e-9);
        let rate = |n: u64| n as f64 / seconds;
        let stats = &self.stats;
        format!(
            "{seconds:.0} s: {} cases of {} functions ({:.0}/s), {} realizations checked \
             ({:.0}/s), {} compilations ({:.1}/s), {} findings",
            stats.n_cases,
            stats.n_functions,
            rate(stats.n_functions),
            stats.n_checked,
            rate(stats.n_checked),
            stats.spent.n_compilations,
            rate(stats.spent.n_compilations),
            self.n_findings,
        )
    }

    fn finish(&mut self) {
        self.progress.clear();
        note(&self.line());
        note(&self.stats.to_string());
        let stats = &self.stats;
        for (name, target) in &stats.targets {
            let rate = target.n_checked as f64 / target.cpu.as_secs_f64().max(1e-9);
            let (n, cpu) = (target.n_checked, target.cpu.as_secs_f64());
            note(&format!(
                "{name}: {n} realizations checked in {cpu:.1} s of its time, {rate:.0}/s"
            ));
        }
        if stats.n_unsolved > 0 {
            note(&format!("{} cases are unsolved", stats.n_unsolved));
        }
        if stats.n_could_not_run > 0 {
            note(&format!("{} runs could not take place", stats.n_could_not_run));
        }
        if self.n_unconfirmed > 0 {
            note(&format!("{} times something was seen once only", self.n_unconfirmed));
        }
        if self.n_own > 0 {
            note(&format!("{} bugs of pathsmith's own: please report them", self.n_own));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let seconds = |text| parse_time(text).map(|time| time.as_secs_f64());
        assert_eq!(seconds("90"), Ok(90.0));
        assert_eq!(seconds("90s"), Ok(90.0));
        assert_eq!(seconds("1.5m"), Ok(90.0));
        assert_eq!(seconds("2h"), Ok(7200.0));
        for wrong in ["", "m", "5 m", "5d", "-3s", "1e3", "9999999999999999999999h"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}

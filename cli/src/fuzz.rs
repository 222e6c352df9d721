//! `pathsmith fuzz`

mod display;
mod tally;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use pathsmith_campaign::{
    Budget, FuzzConfig, Header, Job, KindName, Stopping, Store, StoreError, Time,
};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::sweep_scratch_folders;

use self::display::Display;
use self::tally::Tally;
use crate::config::{ConfigArgs, to_toml};
use crate::errors::{Failure, note};
use crate::output::OutputArgs;
use crate::parallel::n_jobs;
use crate::targets::{AnyCampaign, Asked, campaigns, check_programs, fingerprint};

/// Look for bugs in compilers and engines
///
/// Makes functions and whole programs, gives many of them at a time to every target with every
/// setting, runs them, and compares what every realization gives with what it has to give. Whatever
/// differs is narrowed down to one function or program and one realization, seen again alone, and
/// only then told of. Findings are told apart by what they need, and the first of each kind is
/// reduced; each gets a folder with the program, what the target is given, and a script that shows
/// it with the target alone. The exit code is 1 where something was found.
///
/// Everything is recorded: a campaign that was stopped in whatever way goes on with --resume.
///
/// Examples:
///   pathsmith fuzz --time 5m
///   pathsmith fuzz wasm --time 2m --targets wasmtime
///   pathsmith fuzz c --targets gcc-12,clang-14 --count 10000 --seed 7 --dir findings
///   pathsmith fuzz --resume findings --time 8h
///   pathsmith fuzz --config campaign.toml
///   pathsmith fuzz c --sanitize --count 5000
///   pathsmith fuzz c --crash-only --time 10m
///   pathsmith fuzz jvm --time 10m --targets java,/opt/jdk-24/bin/java
///   pathsmith fuzz c --set c.random_settings=4 --set 'c.levels=["-O2"]' --swarm
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// What to test [default: everything that is found on this machine]
    #[arg(value_enum)]
    kind: Option<Kind>,

    /// Stop after this time, such as 90s, 5m or 2h [default: go on until Ctrl-C]
    #[arg(short, long, value_name = "TIME")]
    time: Option<Time>,

    /// Stop after so many cases of each kind: functions or whole programs
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "resume")]
    count: Option<u64>,

    /// How many threads to use [default: one for each core]
    #[arg(short, long, value_name = "N")]
    jobs: Option<NonZeroUsize>,

    /// Which targets to test. C compilers: names of those in the config, commands or paths
    /// [default: all of the config; where it has none, every gcc and clang on PATH].
    /// WebAssembly engines: wasmtime, wasmi, node, wasm-interp [default: all].
    /// JVMs: names of those in the config, commands or paths [default: all of the config; where
    /// it has none, java on PATH and that of JAVA_HOME]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "kind")]
    targets: Vec<String>,

    /// Where all randomness comes from [default: 0]
    #[arg(short, long, conflicts_with = "resume")]
    seed: Option<u64>,

    /// Where everything goes [default: findings, or findings-2 where that is taken, and so on]
    #[arg(long, value_name = "FOLDER", conflicts_with = "resume")]
    dir: Option<PathBuf>,

    /// Go on with the campaign in this folder, with the config it was begun with
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["kind", "config", "settings", "engine", "swarm", "preset"]
    )]
    resume: Option<PathBuf>,

    /// Compile C with sanitizers instead, to find bugs of pathsmith's own
    #[arg(long, requires = "kind")]
    sanitize: bool,

    /// Break rules of definedness everywhere and compare nothing: what compilers crash on or do
    /// not come to an end with is what is left to find. C compilers and WebAssembly engines only
    #[arg(long, conflicts_with_all = ["sanitize", "resume"])]
    crash_only: bool,

    /// Tell what happens as lines of JSON on standard output
    #[arg(long)]
    json: bool,

    /// Print the config that would be used, and test nothing
    #[arg(long)]
    print_config: bool,

    #[command(flatten)]
    config: ConfigArgs,
}

/// What can be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// C compilers
    C,
    /// WebAssembly engines
    Wasm,
    /// Java virtual machines
    Jvm,
}

impl From<Kind> for KindName {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::C => Self::C,
            Kind::Wasm => Self::Wasm,
            Kind::Jvm => Self::Jvm,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let stop = stop_on_signals()?;
    sweep_scratch_folders();
    let (mut store, campaigns) = match &args.resume {
        Some(dir) => resume(dir, &stop)?,
        None => {
            let config = config_of(args)?;
            if args.print_config {
                return OutputArgs::stdout().write_text(&to_toml(&config)?);
            }
            begin(args, config, &stop)?
        }
    };
    let config = store.header()?.config;
    restore(&mut store, &campaigns, config.campaign.reduce)?;
    let display = Display::new(args.json, config.campaign.seed, store.dir());
    let tally = Mutex::new(Tally::new(store, &campaigns, config.campaign.reduce, display)?);
    let results: Vec<Result<(), Failure>> = std::thread::scope(|scope| {
        let (tally, stop) = (&tally, &stop);
        let start = |campaign| {
            let budget = own_budget(&config, campaign, args);
            let all = campaigns.len();
            scope.spawn(move || {
                let result = run_one(campaign, budget, all, tally);
                if result.is_err() {
                    stop.raise();
                }
                result
            })
        };
        let threads: Vec<_> = campaigns.iter().map(start).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or(Err(Failure::No))).collect()
    });
    let mut tally = tally.into_inner().map_err(|_| Failure::No)?;
    tally.finish(stop.is_raised())?;
    results.into_iter().collect::<Result<Vec<()>, Failure>>()?;
    if tally.has_findings()? { Err(Failure::No) } else { Ok(()) }
}

/// The config with what the command line says.
fn config_of(args: &Args) -> Result<FuzzConfig, Failure> {
    let mut config = args.config.load_fuzz()?;
    config.generate.crash_only |= args.crash_only;
    let campaign = &mut config.campaign;
    campaign.seed = args.seed.unwrap_or(campaign.seed);
    campaign.kinds = args.kind.map_or(campaign.kinds.clone(), |kind| vec![kind.into()]);
    let limit = campaign.limit;
    campaign.limit = Budget {
        time: args.time.or(limit.time),
        count: args.count.or(limit.count),
        jobs: args.jobs.or(limit.jobs),
    };
    if args.sanitize && campaign.kinds != [KindName::C] {
        return Err(Failure::Usage("--sanitize is for C compilers only".to_owned()));
    }
    let needs_runs = args.sanitize || campaign.kinds == [KindName::Jvm];
    if config.generate.crash_only && needs_runs {
        let what = if args.sanitize { "--sanitize" } else { "jvm" };
        let message = format!("crash-only programs are not run, which {what} would need");
        return Err(Failure::Usage(message));
    }
    Ok(config)
}

/// What a campaign may use now: the command line goes before what it was begun with.
fn own_budget(config: &FuzzConfig, campaign: &AnyCampaign, args: &Args) -> Budget {
    let budget = config.campaign.budget_of(campaign.name());
    let time = match args.resume {
        // How long it went on at first says nothing of how long it is to go on now.
        Some(_) => args.time,
        None => args.time.or(budget.time),
    };
    Budget { time, jobs: args.jobs.or(budget.jobs), ..budget }
}

fn run_one(
    campaign: &AnyCampaign,
    budget: Budget,
    n_campaigns: usize,
    tally: &Mutex<Tally>,
) -> Result<(), Failure> {
    let locked = || tally.lock().map_err(|_| Failure::No);
    let n_jobs = match budget.jobs {
        Some(jobs) => jobs.get(),
        None => n_jobs(None).div_ceil(n_campaigns.max(1)),
    };
    let deadline = budget.time.and_then(|time| Instant::now().checked_add(time.0));
    let stopping = Stopping { count: budget.count, deadline };
    loop {
        let done = locked()?.done(campaign.name())?;
        campaign.run(done, stopping, n_jobs, |event| locked()?.event(event))?;
        // What was found last may still wait to be reduced.
        if !campaign.has_jobs() || campaign.is_over(stopping) {
            return Ok(());
        }
    }
}

/// Begins a campaign.
fn begin(
    args: &Args,
    mut config: FuzzConfig,
    stop: &Stop,
) -> Result<(Store, Vec<AnyCampaign>), Failure> {
    let asked = Asked { targets: args.targets.clone(), sanitize: args.sanitize };
    let campaigns = campaigns(&asked, &config, stop)?;
    config.campaign.kinds = campaigns.iter().map(AnyCampaign::name).collect();
    let header = Header {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        fingerprint: fingerprint(&campaigns)?,
        versions: campaigns.iter().flat_map(AnyCampaign::versions).collect(),
        targets: asked.targets,
        sanitize: asked.sanitize,
        config,
    };
    let store = match &args.dir {
        Some(dir) => Store::create(dir, &header)?,
        None => create_in_free_folder(&header)?,
    };
    note(&format!("everything goes to {}", store.dir().display()));
    Ok((store, campaigns))
}

/// In `findings`, or, where there is a campaign already, in `findings-2`, and so on.
fn create_in_free_folder(header: &Header) -> Result<Store, Failure> {
    let names = (2..).map(|n| format!("findings-{n}"));
    for name in std::iter::once("findings".to_owned()).chain(names) {
        match Store::create(Path::new(&name), header) {
            Err(StoreError::Exists(_) | StoreError::InUse(_)) => {}
            other => return Ok(other?),
        }
    }
    // The names do not end.
    Err(Failure::No)
}

/// Goes on with the campaign in `dir`.
fn resume(dir: &Path, stop: &Stop) -> Result<(Store, Vec<AnyCampaign>), Failure> {
    let store = Store::open(dir)?;
    let header = store.header()?;
    let asked = Asked { targets: header.targets.clone(), sanitize: header.sanitize };
    let campaigns = campaigns(&asked, &header.config, stop)?;
    if campaigns.iter().map(AnyCampaign::name).collect::<Vec<_>>() != header.config.campaign.kinds {
        let dir = dir.display();
        let message = format!("some targets of the campaign in {dir} are not on this machine");
        return Err(Failure::Usage(message));
    }
    check_programs(&campaigns, &header, dir)?;
    for (name, version) in campaigns.iter().flat_map(AnyCampaign::versions) {
        match header.versions.get(&name) {
            Some(before) if *before == version => {}
            Some(before) => note(&format!("{name} was {before} before, and is {version} now")),
            None => note(&format!("the campaign was begun without {name}")),
        }
    }
    Ok((store, campaigns))
}

/// Brings back what campaigns know of what was found before: the folders of findings, flags that
/// have shown something, and what is not reduced yet.
fn restore(store: &mut Store, campaigns: &[AnyCampaign], reduce: bool) -> Result<(), Failure> {
    for id in store.ids()? {
        let mut saved = store.finding(id)?;
        let Some(campaign) = campaigns.iter().find(|c| c.name() == saved.kind) else { continue };
        campaign.learn(&saved.finding);
        let folder = store.dir().join(&saved.name);
        if !folder.exists() {
            campaign.add_files(&mut saved.finding);
            saved.finding.write(&folder)?;
        }
    }
    let unreduced = if reduce { store.unreduced()? } else { Vec::new() };
    for id in unreduced {
        let saved = store.finding(id)?;
        let begun = store.reduction(id)?;
        let n_tests = begun.as_ref().map_or(0, |begun| begun.n_tests);
        let finding = begun.map_or(saved.finding, |begun| begun.finding);
        if let Some(campaign) = campaigns.iter().find(|c| c.name() == saved.kind) {
            campaign.add_job(Job { id, finding, n_tests });
        }
    }
    Ok(())
}

/// The first Ctrl-C ends the campaign in order, the second one at once.
pub(crate) fn stop_on_signals() -> Result<Stop, Failure> {
    let stop = Stop::new();
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let failed = |source| Failure::io("cannot wait for signals", source);
        signal_hook::flag::register_conditional_shutdown(signal, 130, stop.flag())
            .map_err(failed)?;
        signal_hook::flag::register(signal, stop.flag()).map_err(failed)?;
    }
    Ok(stop)
}

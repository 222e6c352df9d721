//! `pathsmith fuzz`

mod display;
mod preflight;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use pathsmith_campaign::registry::{check_request, entry, families_of};
use pathsmith_campaign::{
    Budget, CorpusSource, Env, FuzzConfig, IdentityChange, Outcome, Runner, Store, TargetFamily,
    TargetRequest, Time, read_corpus_folder,
};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::sweep_scratch_folders;

use self::display::Display;
use crate::config::{ConfigArgs, to_toml};
use crate::errors::{Failure, note};
use crate::output::OutputArgs;
use crate::parallel::parse_jobs;
use crate::trust::{self, TrustArgs};

/// Find bugs in C compilers, WebAssembly engines and JVMs
///
/// Generates functions and whole programs, runs batches of them on every target with every setting,
/// and compares the result of each realization (a test vector: input, path, output) with its
/// expected output. A mismatch is bisected to one function or program and one realization,
/// confirmed alone, and only then reported. Findings are deduplicated by what triggers them, and
/// the first of each cluster is reduced; each gets a folder with the program, the files for the
/// target, and a script that reproduces it with the target alone.
///
/// Everything is recorded: --resume resumes a campaign, however it was stopped.
///
/// Bugs that are known (known.toml in the output directory) step aside: failures of them are only
/// counted.
///
/// Before anything else, every target runs programs that are known to be good in every setting, and
/// one that it has to be seen to fail: a wrong flag or architecture is an error, not a finding.
///
/// Exit codes: 0 nothing found but known bugs, 1 something found, 2 to 4 as for all commands, 5 a
/// target stopped working (what it did not run is run by --resume), 6 a possible bug of pathsmith
/// was found, 130 interrupted before anything was found. If several apply, 5 comes before 6, and 6
/// before 1.
///
/// Examples:
///   pathsmith fuzz --time 5m
///   pathsmith fuzz wasm --time 2m --targets wasmtime
///   pathsmith fuzz c --targets gcc-12,clang-14 --count 10000 --seed 7 --dir findings
///   pathsmith fuzz --resume findings --time 8h
///   pathsmith fuzz --config campaign.toml
///   pathsmith fuzz c --corpus functions --set mutate.share=0.5
///   pathsmith fuzz c --sanitize --count 5000
///   pathsmith fuzz c --crash-only --time 10m
///   pathsmith fuzz jvm --time 10m --targets java,/opt/jdk-24/bin/java
///   pathsmith fuzz c --set c.random_settings=4 --set 'c.levels=["-O2"]' --set graph.blocks=30
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The target family to test [default: those of the config; if it names none and has no
    /// targets, all that have targets on this machine]
    #[arg(value_parser = families())]
    family: Option<TargetFamily>,

    /// Stop after this time, such as 90s, 5m, 2h or 1d; the unit is needed [default: run until
    /// Ctrl-C]
    #[arg(short, long, value_name = "TIME")]
    time: Option<Time>,

    /// Stop after so many test cases per family: functions or whole programs
    #[arg(short = 'n', long, value_name = "N", conflicts_with = "resume")]
    count: Option<u64>,

    /// How many threads to use [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<NonZeroUsize>,

    /// Which targets to test. C compilers: names of those in the config, commands or paths
    /// [default: all of the config; if it has none, every gcc and clang on PATH].
    /// WebAssembly engines: names of those in the config, wasmtime, wasmi, node, wasm-interp, or
    /// the path of a node [default: all of the config; if it has none, all that are known].
    /// JVMs: names of those in the config, commands or paths [default: all of the config; if it
    /// has none, java on PATH and that of JAVA_HOME]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "resume")]
    targets: Vec<String>,

    /// RNG seed [default: a random one, which is printed first]
    #[arg(short, long, conflicts_with = "resume")]
    seed: Option<u64>,

    /// Output directory [default: findings, or findings-2 if that is taken, and so on]
    #[arg(long, value_name = "FOLDER", conflicts_with = "resume")]
    dir: Option<PathBuf>,

    /// Begin with the known bugs of this file, such as the known.toml of another campaign: failures
    /// that they explain are counted, and neither triaged nor reduced
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    known: Option<PathBuf>,

    /// Add the programs of this folder (files that end with .sym) to the corpus, of which variants are
    /// made (docs/mutation.md); can be given several times. The campaign keeps them: --resume does not
    /// need the folder. A program without realizations gets some by being run
    #[arg(long, value_name = "FOLDER", conflicts_with = "resume")]
    corpus: Vec<PathBuf>,

    /// Resume the campaign in this folder, with the config it was started with
    #[arg(
        long,
        value_name = "FOLDER",
        conflicts_with_all = ["family", "config", "settings", "engine", "swarm", "preset"]
    )]
    resume: Option<PathBuf>,

    #[command(flatten)]
    trust: TrustArgs,

    /// Compile C with sanitizers instead, to find bugs of pathsmith
    #[arg(long, conflicts_with = "resume")]
    sanitize: bool,

    /// Allow undefined behaviour everywhere and compare no results: only compiler crashes and
    /// compiler timeouts are left to find. C compilers and WebAssembly engines only
    #[arg(long, conflicts_with_all = ["sanitize", "resume"])]
    crash_only: bool,

    /// Report events as lines of JSON on standard output
    #[arg(long)]
    json: bool,

    /// Print the config that would be used, and test nothing
    #[arg(long)]
    print_config: bool,

    #[command(flatten)]
    config: ConfigArgs,
}

/// The families of the registry, as values on the command line.
fn families() -> impl TypedValueParser<Value = TargetFamily> {
    let values = TargetFamily::ALL
        .map(|family| PossibleValue::new(family.as_str()).help(entry(family).about()));
    // The parser lets no other name pass.
    PossibleValuesParser::new(values)
        .map(|name| TargetFamily::named(&name).unwrap_or(TargetFamily::C))
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let env = env()?;
    sweep_scratch_folders();
    let runner = match &args.resume {
        Some(dir) => {
            args.trust.check(&Store::read(dir)?)?;
            preflight::begin();
            let resumed = Runner::resume(dir, env);
            preflight::clear();
            let (runner, changes) = resumed?;
            note(&format!("RNG seed: {}", runner.config().campaign.seed()));
            note_targets(&runner);
            changes.iter().for_each(note_change);
            runner
        }
        None => {
            let request = TargetRequest { targets: args.targets.clone(), sanitize: args.sanitize };
            let mut config = config_of(args, &request)?;
            if args.print_config {
                return OutputArgs::stdout().write_text(&to_toml(&config)?);
            }
            let seed = *config.campaign.seed.get_or_insert_with(random_seed);
            note(&format!("RNG seed: {seed}"));
            preflight::begin();
            let runner =
                Runner::start(request, config, args.dir.as_deref(), args.known.as_deref(), env);
            preflight::clear();
            let runner = runner?;
            trust::remember(runner.store());
            note_targets(&runner);
            note(&format!("output directory: {}", runner.dir().display()));
            runner
        }
    };
    let mut display = Display::new(args.json, &runner);
    let budget = Budget { time: args.time, jobs: args.jobs, count: None };
    let Outcome { has_findings, has_possible_pathsmith_bug, is_incomplete, is_interrupted } =
        runner.run(budget, &mut display)?;
    // What makes the rest doubtful comes first.
    if is_incomplete {
        Err(Failure::Infrastructure(
            "not everything could be run; --resume runs what is left".into(),
        ))
    } else if has_possible_pathsmith_bug {
        Err(Failure::PossiblePathsmithBug)
    } else if has_findings {
        Err(Failure::NegativeResult)
    } else if is_interrupted {
        Err(Failure::Interrupted)
    } else {
        Ok(())
    }
}

fn note_targets(runner: &Runner) {
    for line in runner.target_lines() {
        note(&format!("testing {line}"));
    }
    runner.notes().into_iter().for_each(|line| note(line));
}

fn note_change(change: &IdentityChange) {
    let IdentityChange { target, before, now } = change;
    note(&match before {
        Some(before) if before.version == now.version => {
            format!("{target} was {} before, and is {} now", before.path, now.path)
        }
        Some(before) => {
            format!("{target} was {} before, and is {} now", before.version, now.version)
        }
        None => format!("the campaign was started without {target}"),
    });
}

/// The config with what the command line says.
fn config_of(args: &Args, request: &TargetRequest) -> Result<FuzzConfig, Failure> {
    let mut config = args.config.load_fuzz()?;
    config.generate.crash_only |= args.crash_only;
    let campaign = &mut config.campaign;
    campaign.seed = args.seed.or(campaign.seed);
    let limit = campaign.limit;
    campaign.limit = Budget {
        time: args.time.or(limit.time),
        count: args.count.or(limit.count),
        jobs: args.jobs.or(limit.jobs),
    };
    for folder in &args.corpus {
        let corpus = read_corpus_folder(folder)?;
        config.mutate.own.extend(corpus.entries().iter().map(CorpusSource::from));
    }
    config.campaign.families =
        args.family.map_or_else(|| families_of(&config), |family| vec![family]);
    check_request(request, &config)?;
    Ok(config)
}

/// What a campaign needs of this process, which stops it on a signal.
pub(crate) fn env() -> Result<Env, Failure> {
    let program = std::env::current_exe()
        .map_err(|source| Failure::io("cannot find this program's own file", source))?;
    Ok(Env { program, stop: stop_on_signals()?, on_preflight: preflight::show })
}

/// A seed that no one has chosen. It has 32 bits: short enough to be typed, and exact as a number
/// in any JSON reader.
fn random_seed() -> u64 {
    RandomState::new().build_hasher().finish() >> 32
}

/// The first Ctrl-C stops the campaign in order, the second one at once.
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

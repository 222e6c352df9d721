//! `pathsmith fuzz`

mod tally;
mod targets;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pathsmith_campaign::Stopping;
use pathsmith_oracles::process::Stop;

use self::tally::Tally;
use self::targets::{AnyCampaign, campaigns};
use crate::config::{ConfigArgs, to_toml};
use crate::errors::{Failure, note};
use crate::output::OutputArgs;
use crate::parallel::n_jobs;

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
    /// WebAssembly engines: wasmtime, wasmi, node, wasm-interp [default: all].
    /// JVMs: names of those in the config, commands or paths [default: all of the config; where
    /// it has none, java on PATH and that of JAVA_HOME]
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

    /// Break rules of definedness everywhere and compare nothing: what compilers crash on or do
    /// not come to an end with is what is left to find. C compilers and WebAssembly engines only
    #[arg(long, conflicts_with = "sanitize")]
    crash_only: bool,

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
    /// Java virtual machines
    Jvm,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut config = args.config.load_fuzz()?;
    config.generate.crash_only |= args.crash_only;
    if args.print_config {
        return OutputArgs::stdout().write_text(&to_toml(&config)?);
    }
    if args.sanitize && args.kind != Some(Kind::C) {
        return Err(Failure::Usage("--sanitize is for C compilers only".to_owned()));
    }
    if config.generate.crash_only && (args.sanitize || args.kind == Some(Kind::Jvm)) {
        let what = if args.sanitize { "--sanitize" } else { "jvm" };
        let message = format!("crash-only programs are not run, which {what} would need");
        return Err(Failure::Usage(message));
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

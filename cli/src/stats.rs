//! `pathsmith stats`

mod arms;
mod optimizations;
mod policies;
mod templates;

use std::collections::BTreeMap;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use pathsmith_generate::policy::{Policy, Theme};
use pathsmith_generate::{Census, Counted, Leaf, Observation, ValueKind, generate_leaf};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

use pathsmith_campaign::{ArmStats, Optimizations, PolicyStats};

use crate::config::ConfigArgs;
use crate::errors::{Failure, note};
use crate::fuzz::env;
use crate::output::{OutputArgs, written};
use crate::parallel::{in_order, n_jobs, parse_jobs};

/// Print statistics of generated functions: policies, operators, values
///
/// Generates the functions of a seed and counts, for all of them and for those of each theme, each
/// policy and each kind of observation, their size, their operators, and the kinds of their constants and inputs.
///
/// With --compiler, compiles them as C and counts what the compiler reports: gcc's notes and
/// statistics, clang's remarks, and its statistics if it was built with assertions.
///
/// With --campaign, prints how many functions of campaigns triggered a finding, for each theme,
/// with and without each policy; what their CPU time was for; how many cases were variants, and which
/// new features guidance has found; and for each theme, policy and transform, how many new bugs its
/// functions showed and its share of the functions, which grows with these.
///
/// Examples:
///   pathsmith stats --count 2000
///   pathsmith stats --seed 7 --set policy.related=0 --dialect wasm
///   pathsmith stats --count 300 --compiler gcc --flags -O3
///   pathsmith stats --campaign findings --campaign findings-2
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// RNG seed
    #[arg(short, long, default_value_t = 0)]
    seed: u64,

    /// How many functions to look at
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1000)]
    count: u64,

    /// The dialect that decides what is undefined: c, wasm or jvm
    #[arg(short, long, default_value_t = Dialect::C)]
    dialect: Dialect,

    /// How many threads to use [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<NonZeroUsize>,

    /// Look at the functions of this campaign; can be given several times
    #[arg(long, value_name = "FOLDER", conflicts_with_all = [
        "seed", "count", "dialect", "jobs", "compiler", "config", "preset", "settings", "engine",
        "swarm", "templates", "callable",
    ])]
    campaign: Vec<PathBuf>,

    /// Count what this compiler does to the functions: a command or path
    #[arg(long, value_name = "COMMAND")]
    compiler: Option<PathBuf>,

    /// The flags of the compiler
    #[arg(
        long,
        value_name = "FLAGS",
        default_value = "-O2",
        requires = "compiler",
        allow_hyphen_values = true
    )]
    flags: String,

    /// How many of its counters to show, those that count most
    #[arg(long, value_name = "N", default_value_t = 12, requires = "compiler")]
    counters: usize,

    #[command(flatten)]
    config: ConfigArgs,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if !args.campaign.is_empty() {
        let stats = PolicyStats::of_campaigns(&args.campaign, &env()?)?;
        let arms = ArmStats::of_campaigns(&args.campaign, &env()?)?;
        return args.output.write(|out| {
            policies::write(&stats, out)?;
            arms::write(&arms, out)
        });
    }
    let config = args.config.load()?;
    let seed = Seed::new(args.seed);
    let mut census = Census::default();
    let make = |number| generate_leaf(&config, args.dialect, seed, number).ok();
    let mut leaves: Vec<Leaf> = Vec::new();
    in_order(args.count, n_jobs(args.jobs), make, |_, leaf| {
        match leaf {
            Some(leaf) if args.compiler.is_some() => leaves.push(leaf),
            Some(leaf) => census.add(&leaf),
            None => {}
        }
        Ok::<(), Failure>(())
    })?;
    if let Some(command) = &args.compiler {
        if args.dialect != Dialect::C {
            return Err(Failure::Usage("--compiler is for dialect c only".to_owned()));
        }
        let (flags, jobs) = (&args.flags, n_jobs(args.jobs));
        let found = Optimizations::count(command, flags, &leaves, args.seed, jobs)?;
        if found.counts_remarks {
            note(&format!(
                "{} keeps no statistics, because it is no build with assertions; its remarks are \
                 counted instead",
                command.display()
            ));
        }
        return args.output.write(|out| optimizations::write(&found, args.counters, out));
    }
    args.output.write(|out| {
        let n_all = census.all.n_functions;
        written(writeln!(out, "{n_all} functions of {} are solved\n", args.count))?;
        sizes(&census, out)?;
        distributions(&census, out)?;
        let kinds = |kinds: &BTreeMap<ValueKind, u64>| {
            let named = ValueKind::ALL.map(|kind| (kind.name(), kinds.get(&kind).copied()));
            named.into_iter().map(|(name, n)| (name, n.unwrap_or(0))).collect::<Vec<_>>()
        };
        shares("constants, in percent", &census, |counted| kinds(&counted.constants), out)?;
        shares("inputs, in percent", &census, |counted| kinds(&counted.inputs), out)?;
        let names: Vec<&'static str> = census.all.operators.keys().copied().collect();
        let operators = |counted: &Counted| {
            let n = |name: &&'static str| counted.operators.get(name).copied().unwrap_or(0);
            names.iter().map(|name| (*name, n(name))).collect::<Vec<_>>()
        };
        shares("operators, in percent", &census, operators, out)?;
        templates::write(&census, out)
    })
}

/// The rows of every table: all functions, then those of each theme and of each policy.
fn rows(census: &Census) -> Vec<(&'static str, Counted)> {
    let of_theme =
        |theme: Theme| (theme.name(), census.by_theme.get(&theme).cloned().unwrap_or_default());
    let of = |policy: Policy| {
        (policy.name(), census.by_policy.get(&policy).cloned().unwrap_or_default())
    };
    let mut rows = vec![("all", census.all.clone())];
    rows.extend(Theme::ALL.map(of_theme));
    rows.extend(Policy::ALL.map(of));
    rows.extend(Observation::ALL.map(|kind| {
        let counted = census.by_observation.get(&kind).cloned();
        (observed(kind), counted.unwrap_or_default())
    }));
    rows
}

/// The row of a kind of observation.
fn observed(kind: Observation) -> &'static str {
    match kind {
        Observation::All => "observes all",
        Observation::Some => "observes some",
        Observation::One => "observes one",
        Observation::Expression => "observes expr.",
        Observation::Memory => "observes memory",
    }
}

fn sizes(census: &Census, out: &mut dyn Write) -> Result<(), Failure> {
    let headings = ["functions", "blocks", "steps", "realiz.", "encoded"];
    written(write!(out, "{:<18}", "policy"))?;
    for heading in headings {
        written(write!(out, "{heading:>11}"))?;
    }
    written(writeln!(out))?;
    for (name, counted) in rows(census) {
        let mean = |n: u64| format!("{:.1}", n as f64 / counted.n_functions.max(1) as f64);
        let cells = [
            counted.n_functions.to_string(),
            mean(counted.n_blocks),
            mean(counted.n_steps),
            mean(counted.n_realizations),
            mean(counted.n_encoded),
        ];
        written(write!(out, "{name:<18}"))?;
        for cell in cells {
            written(write!(out, "{cell:>11}"))?;
        }
        written(writeln!(out))?;
    }
    written(writeln!(out))
}

/// How sizes are distributed: the first path's steps and iterations, and the values of variables.
fn distributions(census: &Census, out: &mut dyn Write) -> Result<(), Failure> {
    written(write!(out, "{:<26}", "distribution"))?;
    for percent in PERCENTILES {
        written(write!(out, "{:>8}", format!("{percent} %")))?;
    }
    written(writeln!(out, "{:>8}", "max"))?;
    let rows = [
        ("steps", &census.steps),
        ("visits of a loop's block", &census.visits),
        ("values in variables", &census.cells),
    ];
    for (name, counts) in rows {
        written(write!(out, "{name:<26}"))?;
        for percent in PERCENTILES {
            written(write!(out, "{:>8}", counts.percentile(percent)))?;
        }
        written(writeln!(out, "{:>8}", counts.max()))?;
    }
    written(writeln!(out))
}

const PERCENTILES: [u32; 6] = [10, 25, 50, 75, 90, 99];

/// A table of shares, with a column for each thing that was counted.
fn shares(
    title: &str,
    census: &Census,
    counts: impl Fn(&Counted) -> Vec<(&'static str, u64)>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let headings = counts(&census.all);
    let width = headings.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(5) + 1;
    written(write!(out, "{title}\n{:<18}", "policy"))?;
    for (name, _) in &headings {
        written(write!(out, "{name:>width$}"))?;
    }
    written(writeln!(out))?;
    for (name, counted) in rows(census) {
        let cells = counts(&counted);
        let all: u64 = cells.iter().map(|(_, n)| n).sum();
        written(write!(out, "{name:<18}"))?;
        for (_, n) in cells {
            written(write!(out, "{:>width$.1}", 100.0 * n as f64 / all.max(1) as f64))?;
        }
        written(writeln!(out))?;
    }
    written(writeln!(out))
}

//! What a campaign has done, and what its CPU time went to.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use pathsmith_mutate::Rejections;
use pathsmith_oracles::Spent;
use serde::{Deserialize, Serialize};

use crate::shares::ArmCounts;

/// Counts and CPU times, of a batch or of a whole campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stats {
    /// How many batches are done.
    pub n_batches: u64,
    /// How many functions and programs were made.
    pub n_cases: u64,
    /// How many functions they have.
    pub n_functions: u64,
    /// How many of their realizations there are.
    pub n_realizations: u64,
    /// How many realizations were run, on all targets together.
    pub n_checked: u64,
    /// How many of them could not be solved.
    pub n_unsolved: u64,
    /// How many functions and programs were left out because they are too large.
    pub n_oversized: u64,
    /// How many functions and programs are variants.
    pub n_variants: u64,
    /// How many were to be variants, but no transform applied to them.
    pub n_without_variant: u64,
    /// How many batches were looked at for new features.
    pub n_looked_at: u64,
    /// How many programs were run, on all targets together.
    pub n_runs: u64,
    /// How many times a target was not run because it cannot check the program.
    pub n_skipped: u64,
    /// How many times a target could not be run.
    pub n_infrastructure_failures: u64,
    /// Making functions.
    #[serde(rename = "generate_seconds", alias = "generate", with = "pathsmith_oracles::seconds")]
    pub generate: Duration,
    /// Making variants of them.
    #[serde(rename = "mutate_seconds", with = "pathsmith_oracles::seconds")]
    pub mutate: Duration,
    /// Lowering them.
    #[serde(rename = "lower_seconds", alias = "lower", with = "pathsmith_oracles::seconds")]
    pub lower: Duration,
    /// Whatever else this program does.
    #[serde(rename = "own_seconds", alias = "own", with = "pathsmith_oracles::seconds")]
    pub own: Duration,
    /// What targets took.
    pub spent: Spent,
    /// The same, for each target.
    pub targets: BTreeMap<String, TargetStats>,
    /// All CPU time, by what it was for.
    pub purposes: Purposes,
    /// The same, without the first 30 minutes of CPU time, in which nothing is known yet.
    pub late: Purposes,
    /// How many functions each arm has.
    pub arms: ArmCounts,
    /// What came of the attempts of each transform.
    pub transforms: BTreeMap<String, TransformStats>,
}

/// After so much CPU time, failures of known bugs are to take little of it.
const SETTLING: Duration = Duration::from_secs(30 * 60);

/// What CPU time is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Making functions.
    Generate,
    /// Making variants of them.
    Mutate,
    /// Lowering them.
    Lower,
    /// Looking for new features.
    Guide,
    /// Compiling and running batches.
    Test,
    /// Narrowing down and confirming findings.
    Confirm,
    /// Their signatures.
    Triage,
    /// Reducing them.
    Reduce,
    /// Failures of bugs that are known: confirming and recognizing them, and triage of findings
    /// whose cluster was there before.
    Known,
}

/// CPU time, by what it was for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Purposes {
    /// Making functions.
    #[serde(rename = "generate_seconds", alias = "generate", with = "pathsmith_oracles::seconds")]
    pub generate: Duration,
    /// Making variants of them.
    #[serde(rename = "mutate_seconds", with = "pathsmith_oracles::seconds")]
    pub mutate: Duration,
    /// Lowering them.
    #[serde(rename = "lower_seconds", alias = "lower", with = "pathsmith_oracles::seconds")]
    pub lower: Duration,
    /// Looking for new features.
    #[serde(rename = "guide_seconds", with = "pathsmith_oracles::seconds")]
    pub guide: Duration,
    /// Compiling and running batches.
    #[serde(rename = "test_seconds", alias = "test", with = "pathsmith_oracles::seconds")]
    pub test: Duration,
    /// Narrowing down and confirming findings.
    #[serde(rename = "confirm_seconds", alias = "confirm", with = "pathsmith_oracles::seconds")]
    pub confirm: Duration,
    /// Their signatures.
    #[serde(rename = "triage_seconds", alias = "triage", with = "pathsmith_oracles::seconds")]
    pub triage: Duration,
    /// Reducing them.
    #[serde(rename = "reduce_seconds", alias = "reduce", with = "pathsmith_oracles::seconds")]
    pub reduce: Duration,
    /// Failures of known bugs.
    #[serde(rename = "known_seconds", alias = "known", with = "pathsmith_oracles::seconds")]
    pub known: Duration,
}

impl Purposes {
    /// Adds some time.
    pub(crate) fn spend(&mut self, purpose: Purpose, time: Duration) {
        *match purpose {
            Purpose::Generate => &mut self.generate,
            Purpose::Mutate => &mut self.mutate,
            Purpose::Lower => &mut self.lower,
            Purpose::Guide => &mut self.guide,
            Purpose::Test => &mut self.test,
            Purpose::Confirm => &mut self.confirm,
            Purpose::Triage => &mut self.triage,
            Purpose::Reduce => &mut self.reduce,
            Purpose::Known => &mut self.known,
        } += time;
    }

    fn add(&mut self, other: &Self) {
        self.generate += other.generate;
        self.mutate += other.mutate;
        self.lower += other.lower;
        self.guide += other.guide;
        self.test += other.test;
        self.confirm += other.confirm;
        self.triage += other.triage;
        self.reduce += other.reduce;
        self.known += other.known;
    }

    /// All of it.
    pub fn all(&self) -> Duration {
        let Self { generate, mutate, lower, guide, test, confirm, triage, reduce, known } = *self;
        generate + mutate + lower + guide + test + confirm + triage + reduce + known
    }
}

/// The split of the CPU time by purpose.
impl fmt::Display for Purposes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.all().as_secs_f64().max(1e-9);
        let share = |part: Duration| part.as_secs_f64() / all * 100.0;
        write!(
            f,
            "generate {:.1} %, mutate {:.1} %, lower {:.1} %, guide {:.1} %, test {:.1} %, \
             confirm {:.1} %, triage {:.1} %, reduce {:.1} %, known bugs {:.1} %",
            share(self.generate),
            share(self.mutate),
            share(self.lower),
            share(self.guide),
            share(self.test),
            share(self.confirm),
            share(self.triage),
            share(self.reduce),
            share(self.known),
        )
    }
}

/// What one target has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetStats {
    /// How many realizations were run on it.
    pub n_checked: u64,
    /// The CPU time that it took.
    #[serde(rename = "cpu_seconds", alias = "cpu", with = "pathsmith_oracles::seconds")]
    pub cpu: Duration,
}

/// What came of the attempts of one transform.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TransformStats {
    /// How often it made a variant.
    pub n_made: u64,
    /// How often it did not, by the reason.
    pub rejected: BTreeMap<String, u64>,
}

/// The attempts of each transform.
pub(crate) fn transform_stats(counts: &Rejections) -> BTreeMap<String, TransformStats> {
    let mut all: BTreeMap<String, TransformStats> = BTreeMap::new();
    for (name, n) in &counts.made {
        all.entry((*name).to_owned()).or_default().n_made = *n;
    }
    for ((name, why), n) in &counts.rejected {
        all.entry((*name).to_owned()).or_default().rejected.insert(why.to_string(), *n);
    }
    all
}

impl Stats {
    /// Adds up.
    pub fn add(&mut self, other: &Self) {
        self.n_batches += other.n_batches;
        self.n_cases += other.n_cases;
        self.n_functions += other.n_functions;
        self.n_realizations += other.n_realizations;
        self.n_checked += other.n_checked;
        self.n_unsolved += other.n_unsolved;
        self.n_oversized += other.n_oversized;
        self.n_variants += other.n_variants;
        self.n_without_variant += other.n_without_variant;
        self.n_looked_at += other.n_looked_at;
        self.n_runs += other.n_runs;
        self.n_skipped += other.n_skipped;
        self.n_infrastructure_failures += other.n_infrastructure_failures;
        self.generate += other.generate;
        self.mutate += other.mutate;
        self.lower += other.lower;
        self.own += other.own;
        self.spent.add(&other.spent);
        for (name, stats) in &other.targets {
            let known = self.targets.entry(name.clone()).or_default();
            known.n_checked += stats.n_checked;
            known.cpu += stats.cpu;
        }
        self.purposes.add(&other.purposes);
        self.late.add(&other.late);
        for (arm, n) in &other.arms {
            *self.arms.entry(arm.clone()).or_default() += n;
        }
        for (name, stats) in &other.transforms {
            let known = self.transforms.entry(name.clone()).or_default();
            known.n_made += stats.n_made;
            for (why, n) in &stats.rejected {
                *known.rejected.entry(why.clone()).or_default() += n;
            }
        }
    }

    /// Adds the figures of a batch, which count as late if the campaign has taken a while already.
    pub(crate) fn add_late(&mut self, batch: &Self) {
        if self.purposes.all() >= SETTLING {
            self.late.add(&batch.purposes);
        }
        self.add(batch);
    }

    /// Adds what a run on one target has come to. What all targets took is added up elsewhere.
    pub(crate) fn add_run(&mut self, target: String, n_checked: u64, spent: &Spent) {
        self.n_runs += 1;
        self.n_checked += n_checked;
        let stats = self.targets.entry(target).or_default();
        stats.n_checked += n_checked;
        stats.cpu += spent.compile + spent.link + spent.run;
    }

    /// The same for a batch that was run before, on other targets: its cases count once.
    #[must_use]
    pub(crate) fn of_runs_alone(self) -> Self {
        Self {
            n_batches: 0,
            n_cases: 0,
            n_functions: 0,
            n_realizations: 0,
            n_unsolved: 0,
            n_oversized: 0,
            n_variants: 0,
            n_without_variant: 0,
            n_looked_at: 0,
            arms: ArmCounts::default(),
            transforms: BTreeMap::new(),
            ..self
        }
    }

    /// All CPU time, ours and the targets'.
    pub fn cpu(&self) -> Duration {
        let Spent { compile, link, run, overhead, .. } = self.spent;
        self.generate + self.mutate + self.lower + self.own + overhead + compile + link + run
    }
}

/// The split of the CPU time.
impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.cpu().as_secs_f64().max(1e-9);
        let share = |part: Duration| part.as_secs_f64() / all * 100.0;
        write!(
            f,
            "{:.1} s of CPU time: compiling {:.1} %, linking {:.1} %, running {:.1} %, \
             generating {:.1} %, mutating {:.1} %, lowering {:.1} %, overhead {:.1} %",
            self.cpu().as_secs_f64(),
            share(self.spent.compile),
            share(self.spent.link),
            share(self.spent.run),
            share(self.generate),
            share(self.mutate),
            share(self.lower),
            share(self.own + self.spent.overhead),
        )
    }
}

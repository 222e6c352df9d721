//! What a C compiler does to functions, by the policies they were generated with.

use std::collections::BTreeMap;
use std::path::Path;

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_c::{CBackend, COptions, CStyle};
use pathsmith_generate::Leaf;
use pathsmith_generate::policy::Policy;
use pathsmith_oracles::c::{COracle, CSetting, CTarget, Counters, Toolchain};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, OracleError, StepError, TargetSpec};
use pathsmith_symlang::Seed;

use crate::batch::Batch;
use crate::parallel::in_order;

/// How many functions a compiler is given at once: a guess, few enough to keep all cores busy.
const PER_COMMAND: usize = 20;

/// Counts over some of the functions.
#[derive(Clone, Debug, Default)]
pub struct CounterSum {
    /// How many functions.
    pub n_functions: u64,
    /// Their counters, added up.
    pub counters: Counters,
}

impl CounterSum {
    fn add(&mut self, counters: &Counters) {
        self.n_functions += 1;
        for (name, number) in counters {
            *self.counters.entry(name.clone()).or_default() += number;
        }
    }

    /// The mean of a counter, over all functions.
    pub fn mean(&self, name: &str) -> f64 {
        let number = self.counters.get(name).copied().unwrap_or(0);
        number as f64 / self.n_functions.max(1) as f64
    }
}

/// What a compiler did: to all functions, and to those of each policy and each lowering style.
#[derive(Clone, Debug, Default)]
pub struct Optimizations {
    /// The compiler and its flags.
    pub compiler: String,
    /// Whether its remarks are counted, because it keeps no statistics of its own.
    pub counts_remarks: bool,
    /// All functions.
    pub all: CounterSum,
    /// Those of each policy.
    pub by_policy: BTreeMap<Policy, CounterSum>,
    /// Those that were lowered in each style.
    pub by_style: BTreeMap<&'static str, CounterSum>,
}

/// What was drawn for a function and its C, and what the compiler did to it.
struct Compiled {
    policies: Vec<Policy>,
    styles: Vec<&'static str>,
    counters: Counters,
}

impl Optimizations {
    /// Compiles functions with a compiler and its flags, on `n_jobs` threads, and counts what the
    /// compiler reports. The lowering options are drawn from `seed`.
    ///
    /// # Errors
    /// If the compiler cannot be run, or does not compile a function.
    pub fn count(
        command: &Path,
        flags: &str,
        leaves: &[Leaf],
        seed: u64,
        n_jobs: usize,
    ) -> Result<Self, OracleError> {
        let stop = Stop::new();
        let name = command.file_name().unwrap_or(command.as_os_str()).to_string_lossy();
        let toolchain = Toolchain::new(&TargetSpec::new(name, command), &stop)?;
        let words: Vec<&str> = flags.split_whitespace().collect();
        let target = CTarget { toolchain, setting: CSetting::named(flags, &words) };
        let has_statistics =
            COracle::new(stop.clone())?.has_statistics(&target, &Limits::default())?;
        let mut found = Self {
            compiler: format!("{} {}", target.toolchain.version, target.setting.name),
            counts_remarks: !has_statistics,
            ..Self::default()
        };
        let chunks: Vec<&[Leaf]> = leaves.chunks(PER_COMMAND).collect();
        let seed = Seed::new(seed).child("lower");
        let compile = |number: u64| {
            compiled(chunks[number as usize], seed.nth(number), &target, stop.clone())
        };
        in_order(chunks.len() as u64, n_jobs, compile, |_, compiled| {
            compiled?.iter().for_each(|function| found.add(function));
            Ok::<(), OracleError>(())
        })?;
        Ok(found)
    }

    fn add(&mut self, function: &Compiled) {
        self.all.add(&function.counters);
        for policy in &function.policies {
            self.by_policy.entry(*policy).or_default().add(&function.counters);
        }
        for style in &function.styles {
            self.by_style.entry(style).or_default().add(&function.counters);
        }
    }
}

/// Compiles some functions, each in a file of its own.
fn compiled(
    leaves: &[Leaf],
    seed: Seed,
    target: &CTarget,
    stop: Stop,
) -> Result<Vec<Compiled>, OracleError> {
    let mut batch = Batch::default();
    for (number, leaf) in leaves.iter().enumerate() {
        batch.add(number as u64, leaf.program.clone());
    }
    let style = CStyle { file_per_function: 1.0, ..CStyle::default() };
    let options = style.choose(&batch.program, &mut seed.rng());
    let failed = |why: String| OracleError::Target { name: target.name(), why };
    let source =
        CBackend.lower(&batch.program, &options).map_err(|error| failed(error.to_string()))?;
    let mut oracle = COracle::new(stop)?;
    let counted =
        oracle.counters(&source, target, &Limits::default()).map_err(|error| match error {
            StepError::Verdict(report) => failed(report.verdict.to_string()),
            StepError::Oracle(error) => error,
        })?;
    let functions = std::iter::zip(leaves, counted).enumerate();
    let with_counters = |(i, (leaf, counters)): (usize, (&Leaf, Counters))| Compiled {
        policies: leaf.policies.clone(),
        styles: styles(&options, i),
        counters,
    };
    Ok(functions.map(with_counters).collect())
}

/// The lowering styles of a function in C that are compared with each other, as policies are.
fn styles(options: &COptions, at: usize) -> Vec<&'static str> {
    let Some(function) = options.functions.get(at) else { return Vec::new() };
    let all = [
        ("c: checked", !function.checked.is_none()),
        ("c: uninitialised", !function.uninitialised.is_empty()),
    ];
    all.into_iter().filter(|(_, is_drawn)| *is_drawn).map(|(name, _)| name).collect()
}

//! What compilers do to functions, by policy.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use pathsmith_backend::Backend;
use pathsmith_backend_c::{CBackend, COptions, CStyle};
use pathsmith_campaign::Batch;
use pathsmith_generate::Leaf;
use pathsmith_generate::policy::Policy;
use pathsmith_oracles::c::{COracle, CTarget, Counters, Setting, Toolchain};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, OracleError};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

use super::Args;
use crate::errors::{Failure, note};
use crate::output::written;
use crate::parallel::{in_order, n_jobs};

/// How many functions a compiler is given at once.
const PER_COMMAND: usize = 20;
/// How many counters stand beside each other.
const PER_TABLE: usize = 4;

/// Counts over some of the functions.
#[derive(Clone, Debug, Default)]
struct Sum {
    n_functions: u64,
    counters: Counters,
}

impl Sum {
    fn add(&mut self, counters: &Counters) {
        self.n_functions += 1;
        for (name, number) in counters {
            *self.counters.entry(name.clone()).or_default() += number;
        }
    }

    /// The mean of a counter, over all functions.
    fn mean(&self, name: &str) -> f64 {
        let number = self.counters.get(name).copied().unwrap_or(0);
        number as f64 / self.n_functions.max(1) as f64
    }
}

/// What a compiler did: to all functions, and to those of each policy and each way to spell them.
#[derive(Debug, Default)]
pub(super) struct Optimizations {
    compiler: String,
    all: Sum,
    by_policy: BTreeMap<Policy, Sum>,
    by_style: BTreeMap<&'static str, Sum>,
}

/// What was drawn for a function and its C, and what the compiler did to it.
struct Compiled {
    policies: Vec<Policy>,
    styles: Vec<&'static str>,
    counters: Counters,
}

impl Optimizations {
    /// Compiles functions, and counts what the compiler says that it has done.
    pub(super) fn count(args: &Args, command: &Path, leaves: &[Leaf]) -> Result<Self, Failure> {
        if args.dialect != Dialect::C {
            return Err(Failure::Usage("--compiler is for dialect c only".to_owned()));
        }
        let stop = Stop::new();
        let name = command.file_name().unwrap_or(command.as_os_str()).to_string_lossy();
        let toolchain = Toolchain::new(&name, command, &stop)?;
        let flags: Vec<&str> = args.flags.split_whitespace().collect();
        let target = CTarget { toolchain, setting: Setting::named(&args.flags, &flags) };
        if !COracle::new(stop.clone())?.has_statistics(&target, &Limits::default())? {
            note(&format!(
                "{name} counts nothing by itself, because it is no build with assertions; its \
                 remarks are counted instead"
            ));
        }
        let mut found = Self {
            compiler: format!("{} {}", target.toolchain.version, target.setting.name),
            ..Self::default()
        };
        let chunks: Vec<&[Leaf]> = leaves.chunks(PER_COMMAND).collect();
        let seed = Seed::new(args.seed).child("lower");
        let compile = |number: u64| {
            compiled(chunks[number as usize], seed.nth(number), &target, stop.clone())
        };
        in_order(chunks.len() as u64, n_jobs(args.jobs), compile, |_, compiled| {
            compiled?.iter().for_each(|function| found.add(function));
            Ok::<(), Failure>(())
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

    /// Tables of the counters that count most, a few beside each other: the mean for all
    /// functions, and for those of each policy the mean and how many times that of all it is.
    pub(super) fn write(&self, n_counters: usize, out: &mut dyn Write) -> Result<(), Failure> {
        let mut names: Vec<&String> = self.all.counters.keys().collect();
        names.sort_by_key(|name| std::cmp::Reverse(self.all.counters[*name]));
        names.truncate(n_counters);
        let (n, compiler) = (self.all.n_functions, &self.compiler);
        written(writeln!(
            out,
            "what {compiler} does to {n} functions: the mean for each, and its ratio to that of all\n"
        ))?;
        let none = Sum::default();
        let mut rows = vec![("all", &self.all)];
        let policies = Policy::ALL.iter();
        rows.extend(policies.map(|p| (p.name(), self.by_policy.get(p).unwrap_or(&none))));
        rows.extend(self.by_style.iter().map(|(name, sum)| (*name, sum)));
        for names in names.chunks(PER_TABLE) {
            written(write!(out, "{:<18}{:>10}", "policy", "functions"))?;
            let width = |name: &String| name.chars().count().max(14) + 2;
            for name in names {
                written(write!(out, "{name:>width$}", width = width(name)))?;
            }
            written(writeln!(out))?;
            for (row, sum) in &rows {
                written(write!(out, "{row:<18}{:>10}", sum.n_functions))?;
                for name in names {
                    let cell = self.cell(sum, name);
                    written(write!(out, "{cell:>width$}", width = width(name)))?;
                }
                written(writeln!(out))?;
            }
            written(writeln!(out))?;
        }
        Ok(())
    }

    fn cell(&self, sum: &Sum, name: &str) -> String {
        if sum.n_functions == 0 {
            return "-".to_owned();
        }
        let (mean, all) = (sum.mean(name), self.all.mean(name));
        format!("{mean:.2} ×{:.2}", mean / all)
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
    let counted = match oracle.counters(&source, target, &Limits::default())? {
        Ok(counted) => counted,
        Err(report) => return Err(failed(report.verdict.to_string())),
    };
    let functions = std::iter::zip(leaves, counted).enumerate();
    let with_counters = |(i, (leaf, counters)): (usize, (&Leaf, Counters))| Compiled {
        policies: leaf.policies.clone(),
        styles: styles(&options, i),
        counters,
    };
    Ok(functions.map(with_counters).collect())
}

/// The ways to spell a function in C that are held against each other, as policies are.
fn styles(options: &COptions, at: usize) -> Vec<&'static str> {
    let Some(function) = options.functions.get(at) else { return Vec::new() };
    let all = [
        ("c: checked", !function.checked.is_none()),
        ("c: uninitialised", !function.uninitialised.is_empty()),
    ];
    all.into_iter().filter(|(_, is_drawn)| *is_drawn).map(|(name, _)| name).collect()
}

//! Tables of what a compiler does to functions.

use std::io::Write;

use pathsmith_campaign::{CounterSum, Optimizations};
use pathsmith_generate::policy::Policy;

use crate::errors::Failure;
use crate::output::written;

/// How many counters stand beside each other.
const PER_TABLE: usize = 4;

/// Tables of the counters that count most, a few beside each other: the mean for all
/// functions, and for those of each policy the mean and how many times that of all it is.
pub(super) fn write(
    found: &Optimizations,
    n_counters: usize,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut names: Vec<&String> = found.all.counters.keys().collect();
    names.sort_by_key(|name| std::cmp::Reverse(found.all.counters[*name]));
    names.truncate(n_counters);
    let (n, compiler) = (found.all.n_functions, &found.compiler);
    written(writeln!(
        out,
        "what {compiler} does to {n} functions: the mean per function, and its ratio to the mean of all\n"
    ))?;
    let none = CounterSum::default();
    let mut rows = vec![("all", &found.all)];
    let policies = Policy::ALL.iter();
    rows.extend(policies.map(|p| (p.name(), found.by_policy.get(p).unwrap_or(&none))));
    rows.extend(found.by_style.iter().map(|(name, sum)| (*name, sum)));
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
                let cell = cell(found, sum, name);
                written(write!(out, "{cell:>width$}", width = width(name)))?;
            }
            written(writeln!(out))?;
        }
        written(writeln!(out))?;
    }
    Ok(())
}

fn cell(found: &Optimizations, sum: &CounterSum, name: &str) -> String {
    if sum.n_functions == 0 {
        return "-".to_owned();
    }
    let (mean, all) = (sum.mean(name), found.all.mean(name));
    format!("{mean:.2} ×{:.2}", mean / all)
}

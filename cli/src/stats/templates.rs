//! How often each template was used, and how often in vain.

use std::io::Write;

use pathsmith_generate::Census;

use crate::errors::Failure;
use crate::output::written;

/// A table with a row for each template that was drawn.
pub(super) fn write(census: &Census, out: &mut dyn Write) -> Result<(), Failure> {
    let solved = census.by_template.keys();
    let mut names: Vec<&String> = solved.chain(census.unsolved_templates.keys()).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Ok(());
    }
    let width = names.iter().map(|name| name.len()).max().unwrap_or(0).max("template".len()) + 2;
    let headings = ["functions", "blocks", "steps", "realiz.", "unsolved"];
    written(write!(out, "{:<width$}", "template"))?;
    for heading in headings {
        written(write!(out, "{heading:>11}"))?;
    }
    written(writeln!(out))?;
    for name in names {
        let counted = census.by_template.get(name).cloned().unwrap_or_default();
        let mean = |n: u64| format!("{:.1}", n as f64 / counted.n_functions.max(1) as f64);
        let cells = [
            counted.n_functions.to_string(),
            mean(counted.n_blocks),
            mean(counted.n_steps),
            mean(counted.n_realizations),
            census.unsolved_templates.get(name).copied().unwrap_or(0).to_string(),
        ];
        written(write!(out, "{name:<width$}"))?;
        for cell in cells {
            written(write!(out, "{cell:>11}"))?;
        }
        written(writeln!(out))?;
    }
    written(writeln!(out))
}

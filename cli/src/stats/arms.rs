//! What campaigns took their CPU time for, and which arms showed new bugs.

use std::io::Write;

use pathsmith_campaign::ArmStats;

use crate::errors::Failure;
use crate::output::written;

/// For each campaign, its CPU time by purpose, and a table with a row for each arm.
pub(super) fn write(all: &[ArmStats], out: &mut dyn Write) -> Result<(), Failure> {
    for stats in all {
        let (folder, family) = (stats.folder.display(), stats.family);
        let seconds = stats.purposes.all().as_secs_f64();
        written(writeln!(
            out,
            "\n{folder}, {family}: {seconds:.1} s of CPU time: {}",
            stats.purposes
        ))?;
        let late = stats.late.all().as_secs_f64();
        if late > 0.0 {
            written(writeln!(out, "after the first 30 minutes, {late:.1} s: {}", stats.late))?;
        }
        written(writeln!(out, "{} failures of known bugs", stats.n_known))?;
        let fixed = if stats.is_adaptive { "" } else { " (campaign.adaptive is off)" };
        written(writeln!(
            out,
            "\n{:<28}{:>10}{:>10}{:>12}{:>12}{fixed}",
            "arm", "functions", "new bugs", "share", "now"
        ))?;
        for line in &stats.arms {
            let percent = |share: Option<f64>| {
                share.map_or("-".to_owned(), |share| format!("{:.1} %", 100.0 * share))
            };
            let (base, now) = (percent(line.base), percent(line.share));
            let (arm, n, n_new) = (&line.arm, line.n_functions, line.n_new);
            written(writeln!(out, "{arm:<28}{n:>10}{n_new:>10}{base:>12}{now:>12}"))?;
        }
    }
    Ok(())
}

//! What campaigns took their CPU time for, and which arms showed new bugs.

use std::io::Write;

use pathsmith_campaign::{ArmStats, TransformStats, VariantStats};

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
        variants(stats, out)?;
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

/// How many cases are variants, and how the corpus has grown.
fn variants(stats: &ArmStats, out: &mut dyn Write) -> Result<(), Failure> {
    let VariantStats { n_cases, n_variants, n_without_variant, n_looked_at, transforms, .. } =
        &stats.variants;
    written(writeln!(
        out,
        "{n_variants} of {n_cases} cases are variants; to {n_without_variant} others no transform \
         applied"
    ))?;
    if !transforms.is_empty() {
        written(writeln!(out, "\n{:<28}{:>10}{:>10}", "transform", "made", "rejected"))?;
    }
    for (name, TransformStats { n_made, rejected }) in transforms {
        let n_rejected: u64 = rejected.values().sum();
        written(writeln!(out, "{name:<28}{n_made:>10}{n_rejected:>10}"))?;
        for (why, n) in rejected {
            written(writeln!(out, "{:<28}{:>10}{n:>10}  {why}", "", ""))?;
        }
    }
    let guide = stats.purposes.guide.as_secs_f64();
    let (n_features, n_programs) = stats.variants.grown_before(u64::MAX);
    let rate = n_features as f64 / (guide / 60.0).max(1e-9);
    if *n_looked_at == 0 {
        return written(writeln!(out, "no batch was looked at for new features"));
    }
    let kinds: Vec<String> =
        stats.variants.kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    written(writeln!(
        out,
        "{n_programs} programs showed {n_features} new features ({}) in {n_looked_at} batches, \
         which took {guide:.1} s of CPU time: {rate:.0}/min",
        kinds.join(", ")
    ))?;
    written(writeln!(out, "\n{:<28}{:>10}{:>10}", "before batch", "features", "programs"))?;
    let n_batches = stats.variants.n_batches;
    for part in 1..=PARTS.min(n_batches) {
        let batch = n_batches * part / PARTS.min(n_batches);
        let (n_features, n_programs) = stats.variants.grown_before(batch);
        written(writeln!(out, "{batch:<28}{n_features:>10}{n_programs:>10}"))?;
    }
    Ok(())
}

/// How many rows show how the corpus has grown.
const PARTS: u64 = 8;

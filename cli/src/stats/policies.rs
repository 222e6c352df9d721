//! How many functions triggered a finding in campaigns, by policy.

use std::io::Write;

use pathsmith_campaign::{HitRate, PolicyStats, ThemeStats};
use pathsmith_generate::Observation;
use pathsmith_generate::policy::{Policy, Theme};

use crate::errors::Failure;
use crate::output::written;

/// A table for each theme, with a row for each policy: functions with it, and functions without.
/// Then one for what is observed.
pub(super) fn write(stats: &PolicyStats, out: &mut dyn Write) -> Result<(), Failure> {
    let HitRate { n_functions, n_failing } = stats.all();
    written(writeln!(
        out,
        "{n_failing} of {n_functions} functions triggered a finding, {:.2} per thousand; with and \
         without each policy:",
        stats.all().per_thousand()
    ))?;
    for (theme, stats) in &stats.by_theme {
        write_theme(*theme, stats, out)?;
    }
    written(writeln!(
        out,
        "\n{:<18}{:>10}{:>9}{:>10}",
        "observed", "functions", "failing", "per 1000"
    ))?;
    for kind in Observation::ALL {
        let rate = stats.by_observation.get(&kind).copied().unwrap_or_default();
        let HitRate { n_functions, n_failing } = rate;
        let (name, share) = (kind.name(), rate.per_thousand());
        written(writeln!(out, "{name:<18}{n_functions:>10}{n_failing:>9}{share:>10.2}"))?;
    }
    Ok(())
}

fn write_theme(
    theme: Option<Theme>,
    stats: &ThemeStats,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let name = theme.map_or("no theme", Theme::name);
    let HitRate { n_functions, n_failing } = stats.all;
    written(writeln!(
        out,
        "\n{name}: {n_failing} of {n_functions} functions, {:.2} per thousand\n",
        stats.all.per_thousand()
    ))?;
    written(writeln!(
        out,
        "{:<18}{:>10}{:>9}{:>10}{:>13}{:>9}{:>10}{:>9}",
        "policy", "with", "failing", "per 1000", "without", "failing", "per 1000", "ratio"
    ))?;
    for policy in Policy::ALL {
        let [without, with] = stats.by_policy.get(&policy).copied().unwrap_or_default();
        let (rate, rate_without) = (with.per_thousand(), without.per_thousand());
        let ratio = match without.n_failing {
            0 => "-".to_owned(),
            _ => format!("{:.2}", rate / rate_without),
        };
        written(writeln!(
            out,
            "{:<18}{:>10}{:>9}{rate:>10.2}{:>13}{:>9}{rate_without:>10.2}{ratio:>9}",
            policy.name(),
            with.n_functions,
            with.n_failing,
            without.n_functions,
            without.n_failing,
        ))?;
    }
    Ok(())
}

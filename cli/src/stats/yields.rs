//! What functions have shown in campaigns, by policy.

use std::io::Write;
use std::path::PathBuf;

use pathsmith_campaign::{PolicyYields, Store, Yield, Yields};
use pathsmith_generate::policy::{Policy, Theme};
use pathsmith_oracles::process::Stop;

use crate::errors::Failure;
use crate::output::written;
use crate::targets::{check_programs, without_targets};

/// What the functions of all these campaigns have shown together.
pub(super) fn of_campaigns(folders: &[PathBuf]) -> Result<Yields, Failure> {
    let mut yields = Yields::default();
    for folder in folders {
        let store = Store::read(folder)?;
        let header = store.header()?;
        let kinds = &header.config.campaign.kinds;
        let campaigns: Result<Vec<_>, Failure> =
            kinds.iter().map(|kind| without_targets(*kind, &header.config, &Stop::new())).collect();
        // Its functions are made again, and have to be the same.
        check_programs(&campaigns?, &header, folder)?;
        for kind in kinds {
            yields.add(&store, *kind)?;
        }
    }
    Ok(yields)
}

/// A table for each theme, with a row for each policy: functions with it, and functions without.
pub(super) fn write(yields: &Yields, out: &mut dyn Write) -> Result<(), Failure> {
    let Yield { n_functions, n_failing } = yields.all();
    written(writeln!(
        out,
        "{n_failing} of {n_functions} functions have shown something, {:.2} of a thousand; with \
         and without each policy:",
        yields.all().per_thousand()
    ))?;
    for (theme, yields) in &yields.by_theme {
        write_theme(*theme, yields, out)?;
    }
    Ok(())
}

fn write_theme(
    theme: Option<Theme>,
    yields: &PolicyYields,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let name = theme.map_or("no theme", Theme::name);
    let Yield { n_functions, n_failing } = yields.all;
    written(writeln!(
        out,
        "\n{name}: {n_failing} of {n_functions} functions, {:.2} of a thousand\n",
        yields.all.per_thousand()
    ))?;
    written(writeln!(
        out,
        "{:<18}{:>10}{:>9}{:>10}{:>13}{:>9}{:>10}{:>9}",
        "policy", "with", "failing", "of 1000", "without", "failing", "of 1000", "ratio"
    ))?;
    for policy in Policy::ALL {
        let [without, with] = yields.by_policy.get(&policy).copied().unwrap_or_default();
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

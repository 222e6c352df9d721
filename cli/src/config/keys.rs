//! The keys of all settings, for shells that complete `--set`.

use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::time::Duration;

use clap_complete::CompletionCandidate;
use pathsmith_campaign::{Budget, FuzzConfig, Time};
use pathsmith_generate::GenConfig;
use pathsmith_mutate::MutateConfig;
use toml::{Table, Value};

use super::to_table;

/// What may follow `--set` in commands that generate programs.
pub(crate) fn gen_keys(current: &OsStr) -> Vec<CompletionCandidate> {
    candidates(to_table(&GenConfig::default()).unwrap_or_default(), current)
}

/// What may follow `--set` in `mutate`.
pub(crate) fn mutate_keys(current: &OsStr) -> Vec<CompletionCandidate> {
    candidates(to_table(&MutateConfig::default()).unwrap_or_default(), current)
}

/// What may follow `--set` in `fuzz`. The generator's settings have their short names.
pub(crate) fn fuzz_keys(current: &OsStr) -> Vec<CompletionCandidate> {
    let mut table = all_settings();
    if let Some(Value::Table(generate)) = table.remove("generate") {
        table.extend(generate);
    }
    candidates(table, current)
}

/// All settings of a campaign.
pub(super) fn all_settings() -> Table {
    let mut config = FuzzConfig::default();
    // Settings without a value have a key too.
    config.campaign.seed = Some(0);
    config.campaign.limit = Budget {
        time: Some(Time(Duration::from_secs(3600))),
        count: Some(1000),
        jobs: Some(NonZeroUsize::MIN),
    };
    to_table(&config).unwrap_or_default()
}

fn candidates(table: Table, current: &OsStr) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else { return Vec::new() };
    let mut found = Vec::new();
    add_keys("", &table, &mut |key, value| {
        if key.starts_with(current) {
            let help = format!("for example {value}");
            found.push(CompletionCandidate::new(format!("{key}=")).help(Some(help.into())));
        }
    });
    found
}

fn add_keys(prefix: &str, table: &Table, add: &mut dyn FnMut(&str, &Value)) {
    for (name, value) in table {
        let key = format!("{prefix}{name}");
        match value {
            Value::Table(inner) if !inner.is_empty() => add_keys(&format!("{key}."), inner, add),
            Value::Table(_)
            | Value::Array(_)
            | Value::String(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::Boolean(_)
            | Value::Datetime(_) => add(&key, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(complete: fn(&OsStr) -> Vec<CompletionCandidate>, current: &str) -> Vec<String> {
        let found = complete(OsStr::new(current)).into_iter();
        found.map(|one| one.get_value().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn keys_are_completed_by_their_beginning() {
        assert_eq!(keys(gen_keys, "walk.mod"), ["walk.mode="]);
        assert_eq!(keys(gen_keys, "c.level"), Vec::<String>::new());
        assert_eq!(keys(fuzz_keys, "c.level"), ["c.levels="]);
        assert_eq!(keys(fuzz_keys, "walk.mod"), ["walk.mode="]);
        assert_eq!(keys(mutate_keys, "weights.tw"), ["weights.twin="]);
        assert_eq!(keys(fuzz_keys, "campaign.ti"), ["campaign.time="]);
        assert!(keys(gen_keys, "").len() > 50);
    }
}

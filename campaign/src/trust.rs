//! Whose campaign it is: running one runs what its database says.
//!
//! A folder that someone else has made may name any command. So each store has a random token, and
//! the user's own folder for state has a file for each campaign that was made here, named by the
//! token, with the campaign's folder in it. A campaign is trusted if both agree: a store that came
//! from elsewhere has no such file, nor does a copy that was changed and lies in another folder.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

use pathsmith_oracles::{shell_command, shown_line};
use serde_json::Value;

use crate::error::CampaignError;
use crate::finding::SerializeError;
use crate::store::{Store, StoreError};

/// The field of a target that says what is run.
const COMMAND: &str = "command";
/// What a target says of itself in words, which is not run. All else is shown.
const LABELS: [&str; 8] =
    ["name", "version", "path", "engine", "compiler", "kind", "slot", "protocol"];
/// The field of a target with variables of its environment.
const ENV: &str = "env";

/// Whether this user has made a campaign here, or has trusted it.
///
/// # Errors
/// If the store cannot be read.
pub fn is_trusted(store: &Store) -> Result<bool, StoreError> {
    let (Some(token), Ok(folder), Some(state)) =
        (store.token()?, store.dir().canonicalize(), state_folder())
    else {
        return Ok(false);
    };
    let known = std::fs::read(state.join(token)).unwrap_or_default();
    Ok(known.split(|byte| *byte == 0).any(|known| known == folder.as_os_str().as_bytes()))
}

/// Remembers that a campaign can be trusted.
///
/// # Errors
/// Why it cannot be remembered: the user has no folder for state, or it cannot be written to.
pub fn remember_trust(store: &Store) -> io::Result<()> {
    let token = store.make_token().map_err(io::Error::other)?;
    let token = token.ok_or_else(|| io::Error::other("the store has no token"))?;
    let no_folder = || io::Error::other("neither XDG_STATE_HOME nor HOME names a folder");
    let state = state_folder().ok_or_else(no_folder)?;
    let folder = store.dir().canonicalize()?;
    let with_path =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", state.display()));
    DirBuilder::new().recursive(true).mode(0o700).create(&state).map_err(with_path)?;
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).mode(0o600).open(state.join(token));
    // Folders may hold line ends in their names, but no NUL.
    let entry = [folder.as_os_str().as_bytes(), &[0]].concat();
    file.and_then(|mut file| file.write_all(&entry)).map_err(with_path)
}

/// Where trusted campaigns are remembered.
fn state_folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("pathsmith").join("campaigns"))
}

/// The distinct command lines that a campaign's database names: the targets and flags of its config,
/// and the targets of its findings and of what they were reduced to.
///
/// # Errors
/// If the store cannot be read.
pub fn commands_of(store: &Store) -> Result<Vec<String>, CampaignError> {
    let header = store.header()?;
    let mut commands: BTreeSet<String> =
        header.targets.iter().map(|target| shell_command([target])).collect();
    let config = serde_json::to_value(&header.config).map_err(SerializeError::of("config"))?;
    add_targets(&config, &mut commands);
    commands.insert(shell_command(&header.config.mutate.coverage));
    let mut flags = Vec::new();
    add_words(&config, &mut flags);
    flags.retain(|word: &String| word.starts_with('-'));
    if !flags.is_empty() {
        commands.insert(format!("with some of the flags {}", shell_command(flags)));
    }
    for id in store.ids()? {
        let saved = store.finding(id)?;
        let reduced = store.reduction(id)?.map(|reduction| reduction.finding);
        for finding in std::iter::once(saved.finding).chain(reduced) {
            commands.insert(command_of(&finding.run_on));
        }
    }
    // Findings that cannot be run have none.
    commands.remove("");
    Ok(commands.iter().map(|command| shown_line(command)).collect())
}

/// Adds all targets that a config names: whatever has a command.
fn add_targets(config: &Value, commands: &mut BTreeSet<String>) {
    match config {
        Value::Object(fields) if fields.contains_key(COMMAND) => {
            commands.insert(command_of(config));
        }
        Value::Object(fields) => fields.values().for_each(|field| add_targets(field, commands)),
        Value::Array(items) => items.iter().for_each(|item| add_targets(item, commands)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The command line of a target: its command, and all other words in it that are no labels. What
/// this version does not know of is shown too.
fn command_of(target: &Value) -> String {
    let mut words = Vec::new();
    add_words(target, &mut words);
    let command = find_command(target);
    if let Some(at) = command.and_then(|command| words.iter().position(|word| *word == command)) {
        words[..=at].rotate_right(1);
    }
    shell_command(words)
}

fn find_command(value: &Value) -> Option<&str> {
    match value {
        Value::Object(fields) => match fields.get(COMMAND) {
            Some(Value::String(command)) => Some(command),
            _ => fields.values().find_map(find_command),
        },
        Value::Array(items) => items.iter().find_map(find_command),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn add_words(value: &Value, words: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                // The name of a setting may be the list of its flags.
                let is_label =
                    LABELS.contains(&&name[..]) || name == "setting" && field.is_string();
                match field {
                    _ if is_label => {}
                    Value::Object(variables) if name == ENV => {
                        let assigned = |(name, value): (&String, &Value)| {
                            format!("{name}={}", value.as_str().unwrap_or_default())
                        };
                        words.extend(variables.iter().map(assigned));
                    }
                    other => add_words(other, words),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| add_words(item, words)),
        Value::String(word) => words.push(word.clone()),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn targets_are_shown_as_they_are_run() {
        let c = json!({
            "toolchain": { "name": "cc", "command": "/opt/a b/cc", "compiler": "Gcc", "version": "1" },
            "setting": { "name": ["-O2", "-fx"], "flags": ["-O2", "-fplugin=$(x)"] },
            "launch": { "env": { "LD_PRELOAD": "./x.so" }, "runner": ["qemu"] },
        });
        let expected = "'/opt/a b/cc' LD_PRELOAD=./x.so qemu -O2 '-fplugin=$(x)'";
        assert_eq!(command_of(&c), expected);
        let wasm = json!({
            "args": ["engine", "x"], "command": "/bin/pathsmith", "engine": "wasmtime",
            "setting": "cranelift", "version": "48",
        });
        assert_eq!(command_of(&wasm), "/bin/pathsmith engine x");
        let config = json!({ "c": { "targets": [{ "name": "evil", "command": "./evil" }] } });
        let mut commands = BTreeSet::new();
        add_targets(&config, &mut commands);
        assert_eq!(commands.into_iter().collect::<Vec<_>>(), ["./evil"]);
        assert_eq!(command_of(&Value::Null), "");
    }
}

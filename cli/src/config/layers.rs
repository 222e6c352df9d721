//! Settings on top of each other, and which of them is to blame if the whole is no config.

use std::fmt;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::keys::all_settings;
use crate::errors::Failure;

/// With more settings than this, the one to blame is not looked for: each is a config to be read.
const MAX_BLAMED: usize = 2_000;

/// The sections of a campaign's config besides that of the generator.
const CAMPAIGN_SECTIONS: [&str; 6] = ["campaign", "mutate", "c", "wasm", "jvm", "limits"];
/// The generator's section in a campaign's config.
const GENERATE: &str = "generate";

/// What a config consists of. The generator's settings have the same names everywhere, with or
/// without `generate.` in front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sections {
    /// The generator's settings alone.
    Generate,
    /// Those of a campaign.
    Campaign,
    /// Those of mutation alone.
    Mutate,
}

/// A config under a file and single settings.
#[derive(Debug)]
pub(super) struct Layers {
    base: Table,
    sections: Sections,
    layers: Vec<Layer>,
}

/// Settings from one place.
#[derive(Debug)]
struct Layer {
    origin: Origin,
    table: Table,
}

#[derive(Debug)]
enum Origin {
    /// A file with this name and text.
    File(String, String),
    /// A `--set` on the command line.
    Setting(String),
}

/// A step on the way to a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Key {
    Name(String),
    /// One of several tables, as in `[[c.targets]]`.
    Nth(usize),
}

impl Layers {
    pub(super) fn over(base: Table, sections: Sections) -> Self {
        Self { base, sections, layers: Vec::new() }
    }

    /// Adds the settings of a file.
    pub(super) fn add_file(&mut self, name: String, text: String) -> Result<(), Failure> {
        let table = text.parse().map_err(|error| Failure::Input(format!("{name}: {error}")))?;
        self.layers.push(Layer { origin: Origin::File(name, text), table });
        Ok(())
    }

    /// Adds `a.b=value`.
    pub(super) fn add_setting(&mut self, setting: &str) -> Result<(), Failure> {
        let table = parse_setting(setting)
            .map_err(|why| Failure::Usage(format!("--set {setting}: {why}")))?;
        self.layers.push(Layer { origin: Origin::Setting(setting.to_owned()), table });
        Ok(())
    }

    /// Reads the whole with `read`; in error, says which settings are to blame.
    pub(super) fn read<T>(&self, read: impl Fn(&Table) -> Result<T, String>) -> Result<T, Failure> {
        read(&self.merged(None)).map_err(|why| self.blame(&why, &|table| read(table).err()))
    }

    /// All settings, but for the one at `left_out` of a layer.
    fn merged(&self, left_out: Option<(usize, &[Key])>) -> Table {
        let mut all = self.base.clone();
        for (i, layer) in self.layers.iter().enumerate() {
            let mut table = layer.table.clone();
            if let Some((at, path)) = left_out
                && at == i
            {
                remove_from_table(&mut table, path);
            }
            merge(&mut all, self.placed(table, &layer.origin));
        }
        all
    }

    /// The settings with the names that this config has for them.
    fn placed(&self, mut table: Table, origin: &Origin) -> Table {
        match self.sections {
            Sections::Mutate => table,
            Sections::Generate => {
                if let Origin::File(..) = origin {
                    // A campaign's file serves the generator too.
                    CAMPAIGN_SECTIONS.iter().for_each(|name| drop(table.remove(*name)));
                }
                if let Some(Value::Table(inner)) = table.remove(GENERATE) {
                    merge(&mut table, inner);
                }
                table
            }
            Sections::Campaign => {
                let known = self.base.get(GENERATE).and_then(Value::as_table);
                let is_generators = |name: &str| known.is_some_and(|it| it.contains_key(name));
                let (moved, mut kept): (Table, Table) =
                    table.into_iter().partition(|(name, _)| is_generators(name));
                if !moved.is_empty() {
                    let short = Table::from_iter([(GENERATE.to_owned(), Value::Table(moved))]);
                    merge(&mut kept, short);
                }
                kept
            }
        }
    }

    /// Settings without which the config fails in another way, or not at all, are to blame: one of
    /// a wrong type, or two that contradict each other.
    fn blame(&self, why: &str, failing: &dyn Fn(&Table) -> Option<String>) -> Failure {
        let mut leaves = Vec::new();
        for (i, layer) in self.layers.iter().enumerate() {
            table_leaves(&layer.table, &mut Vec::new(), &mut |path| leaves.push((i, path)));
        }
        if leaves.len() > MAX_BLAMED {
            leaves.clear();
        }
        leaves.retain(|(i, path)| failing(&self.merged(Some((*i, path)))).as_deref() != Some(why));
        let hint = match &leaves[..] {
            [(i, path)] if why.ends_with("expected a sequence") => {
                list_hint(&self.layers[*i].table, path)
            }
            // What is read as several parts does not say what it expects.
            [(_, path)] if why.starts_with("unknown field") && !why.contains("expected") => {
                names_hint(&all_settings(), path)
            }
            _ => String::new(),
        };
        let mut places: Vec<String> =
            leaves.iter().map(|(i, path)| self.layers[*i].origin.place(path)).collect();
        places.dedup();
        let message = match places.is_empty() {
            true => why.to_owned(),
            false => format!("{}: {why}{hint}", places.join(" and ")),
        };
        let is_file =
            |(i, _): &(usize, Vec<Key>)| matches!(self.layers[*i].origin, Origin::File(..));
        match !leaves.is_empty() && leaves.iter().all(is_file) {
            true => Failure::Input(message),
            false => Failure::Usage(message),
        }
    }
}

impl Origin {
    /// Where a setting stands, for people.
    fn place(&self, path: &[Key]) -> String {
        match self {
            Self::Setting(setting) => format!("--set {setting}"),
            Self::File(name, text) => {
                let line =
                    line_of(text, path).map_or(String::new(), |line| format!(", line {line}"));
                format!("{name}{line}: `{}`", Dotted(path))
            }
        }
    }
}

/// The list that a single value was probably meant to be.
fn list_hint(table: &Table, path: &[Key]) -> String {
    let found = path.iter().try_fold(None, |at: Option<&Value>, key| match (at, key) {
        (None, Key::Name(name)) => table.get(name).map(Some),
        (Some(Value::Table(table)), Key::Name(name)) => table.get(name).map(Some),
        (Some(_) | None, Key::Name(_) | Key::Nth(_)) => None,
    });
    match found.flatten() {
        Some(value) => format!("; write {} = [{value}]", Dotted(path)),
        None => String::new(),
    }
}

/// What the innermost section that exists on the way to a setting has.
fn names_hint(settings: &Table, path: &[Key]) -> String {
    let mut section = settings;
    for key in path {
        let Key::Name(name) = key else { break };
        let Some(Value::Table(inner)) = section.get(name) else { break };
        section = inner;
    }
    let names: Vec<String> = section.keys().map(|name| format!("`{name}`")).collect();
    format!(", expected one of {}", names.join(", "))
}

/// A way to a setting, as it is written in a file.
struct Dotted<'a>(&'a [Key]);

impl fmt::Display for Dotted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, key) in self.0.iter().enumerate() {
            match key {
                Key::Name(name) if i == 0 => f.write_str(name)?,
                Key::Name(name) => write!(f, ".{name}")?,
                Key::Nth(nth) => write!(f, "[{nth}]")?,
            }
        }
        Ok(())
    }
}

/// The line of a text that a setting stands on, counted from 1.
fn line_of(text: &str, path: &[Key]) -> Option<usize> {
    let root = DeTable::parse(text).ok()?;
    let (first, rest) = path.split_first()?;
    let Key::Name(name) = first else { return None };
    let at = offset_in_table(root.get_ref(), name, rest)?;
    Some(1 + text.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count())
}

fn offset_in_table(table: &DeTable<'_>, name: &str, rest: &[Key]) -> Option<usize> {
    let (key, value) = table.iter().find(|(key, _)| key.get_ref() == name)?;
    match rest.split_first() {
        None => Some(key.span().start),
        Some((next, rest)) => offset_in_value(value, next, rest),
    }
}

fn offset_in_value(value: &Spanned<DeValue<'_>>, next: &Key, rest: &[Key]) -> Option<usize> {
    match (value.get_ref(), next) {
        (DeValue::Table(table), Key::Name(name)) => offset_in_table(table, name, rest),
        (DeValue::Array(array), Key::Nth(nth)) => {
            let element = array.get(*nth)?;
            match rest.split_first() {
                None => Some(element.span().start),
                Some((next, rest)) => offset_in_value(element, next, rest),
            }
        }
        _ => None,
    }
}

/// Calls `visit` on the way to every setting of a table.
fn table_leaves(table: &Table, path: &mut Vec<Key>, visit: &mut impl FnMut(Vec<Key>)) {
    for (name, value) in table {
        path.push(Key::Name(name.clone()));
        match value {
            Value::Table(inner) if !inner.is_empty() => table_leaves(inner, path, visit),
            Value::Array(all) if !all.is_empty() && all.iter().all(Value::is_table) => {
                for nth in 0..all.len() {
                    path.push(Key::Nth(nth));
                    visit(path.clone());
                    path.pop();
                }
            }
            _ => visit(path.clone()),
        }
        path.pop();
    }
}

/// Removes a setting, and the tables that are empty without it.
fn remove_from_table(table: &mut Table, path: &[Key]) {
    let Some((Key::Name(name), rest)) = path.split_first() else { return };
    let is_empty = match (table.get_mut(name), rest) {
        (Some(Value::Table(inner)), [_, ..]) => {
            remove_from_table(inner, rest);
            inner.is_empty()
        }
        (Some(Value::Array(all)), [Key::Nth(nth)]) if *nth < all.len() => {
            all.remove(*nth);
            all.is_empty()
        }
        _ => true,
    };
    if is_empty {
        table.remove(name);
    }
}

/// Puts what `over` has into `under`.
fn merge(under: &mut Table, over: Table) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(value)) => merge(inner, value),
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
}

/// `a.b=value`, in which a value that is not TOML is taken as a string.
fn parse_setting(setting: &str) -> Result<Table, String> {
    let (key, value) = setting.split_once('=').ok_or_else(|| "expected KEY=VALUE".to_owned())?;
    let parsed = format!("{key} = {value}").parse::<Table>();
    parsed.or_else(|_| {
        let quoted = Value::from(value.trim());
        format!("{key} = {quoted}").parse().map_err(|_| format!("`{key}` is not a key"))
    })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Config {
        low: u32,
        high: u32,
        inner: Inner,
        all: Vec<Named>,
    }

    #[derive(Debug, Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Inner {
        share: f64,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Named {
        #[expect(dead_code, reason = "only read")]
        name: String,
    }

    /// What is said of a config file and settings.
    fn error(file: &str, settings: &[&str]) -> String {
        let base = "low = 1\nhigh = 5".parse().unwrap();
        let mut layers = Layers::over(base, Sections::Campaign);
        layers.add_file("x.toml".to_owned(), file.to_owned()).unwrap();
        settings.iter().for_each(|setting| layers.add_setting(setting).unwrap());
        let read = |table: &Table| {
            let config: Config =
                table.clone().try_into().map_err(|e: toml::de::Error| e.message().to_owned())?;
            match config.low <= config.high && config.inner.share < 1.0 {
                true => Ok(()),
                false => Err("low is too high".to_owned()),
            }
        };
        layers.read(read).map_or_else(|failure| failure.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn key_and_line_are_named() {
        let check = |file, settings: &[&str], expected: &str| {
            let error = error(file, settings);
            assert!(error.contains(expected), "{error}");
        };
        check("low = 2\n\n# a comment\nhigh = 'x'", &[], "x.toml, line 4: `high`: invalid type");
        check("[inner]\n\nshare = true", &[], "x.toml, line 3: `inner.share`: invalid type");
        check("inner.share = 'a'", &[], "x.toml, line 1: `inner.share`: invalid type");
        check("\n[other]\nkey = 1", &[], "x.toml, line 3: `other.key`: unknown field `other`");
        check("\nother = 1", &[], "x.toml, line 2: `other`: unknown field `other`");
        check(
            "[[all]]\nname = 'a'\n[[all]]\nnme = 'b'",
            &[],
            "x.toml, line 3: `all[1]`: unknown field `nme`",
        );
        check("low = 2", &["inner.share=x"], "--set inner.share=x: invalid type");
        check("\nall = 'a'", &[], "x.toml, line 2: `all`: invalid type");
        check("\nall = 'a'", &[], r#"expected a sequence; write all = ["a"]"#);
    }

    #[test]
    fn sections_say_what_they_have() {
        let path = ["campaign", "tim"].map(|name| Key::Name(name.to_owned()));
        let hint = names_hint(&all_settings(), &path);
        assert!(hint.starts_with(", expected one of `adaptive`"), "{hint}");
        assert!(hint.contains("`time`") && hint.contains("`seed`"), "{hint}");
    }

    #[test]
    fn settings_that_contradict_each_other_are_all_named() {
        assert_eq!(error("low = 3", &[]), "fine");
        assert_eq!(error("low = 7", &["high=9"]), "fine");
        assert_eq!(
            error("high = 9\nlow = 7", &["high=6"]),
            "x.toml, line 2: `low` and --set high=6: low is too high"
        );
        assert_eq!(error("", &["low=8"]), "--set low=8: low is too high");
    }
}

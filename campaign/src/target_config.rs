//! Targets in the config: one schema for all kinds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use pathsmith_oracles::{Launch, TargetSpec, is_hidden};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A compiler, engine or virtual machine, and how it is started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetConfig {
    /// What it is called.
    pub name: String,
    /// The command that runs it: a name on PATH, or a path.
    pub command: PathBuf,
    /// Flags that it always gets, before those of its settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
    /// What stands in front of the program that is run, such as an emulator with its arguments. For
    /// a C compiler that is the program that it made; the compiler itself is run as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runner: Vec<String>,
    /// Its settings, each with its flags, instead of those of the section.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, Vec<String>>,
    /// Environment variables of its processes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// How a WebAssembly engine is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protocol: Option<EngineProtocol>,
}

/// How a WebAssembly engine is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineProtocol {
    /// The command is a node.
    Node,
    /// The command speaks the line protocol.
    Lines,
    /// The command runs WASI modules.
    Wasi,
}

impl EngineProtocol {
    /// The name of what asks it.
    pub const fn engine(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Lines => "lines",
            Self::Wasi => "wasi",
        }
    }
}

/// Why a target of the config makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("in the section `{section}`: the target `{name}`: {why}")]
pub struct TargetConfigError {
    section: &'static str,
    name: String,
    why: String,
}

impl TargetConfig {
    /// The target.
    pub fn spec(&self) -> TargetSpec {
        let Self { name, command, flags, runner, env, settings: _, protocol: _ } = self;
        let launch = Launch { flags: flags.clone(), runner: runner.clone(), env: env.clone() };
        TargetSpec { name: name.clone(), command: command.clone(), launch }
    }

    /// Checks what can be checked without running it.
    fn validate(&self, section: &'static str) -> Result<(), TargetConfigError> {
        let fail = |why: String| Err(TargetConfigError { section, name: self.name.clone(), why });
        check_name(&self.name).or_else(fail)?;
        if self.command.as_os_str().is_empty() {
            return fail("`command` is empty".to_owned());
        }
        if self.runner.first().is_some_and(String::is_empty) {
            return fail("the first word of `runner` is empty".to_owned());
        }
        for name in self.env.keys() {
            if name.is_empty() || name.contains(['=', '\0']) {
                return fail(format!("`{name}` is no name of an environment variable"));
            }
        }
        let lists = std::iter::once(("flags", &self.flags))
            .chain(self.settings.iter().map(|(name, flags)| (&name[..], flags)));
        for name in self.settings.keys() {
            check_name(name).map_err(|why| format!("in `settings`: {why}")).or_else(fail)?;
        }
        for (list, flags) in lists {
            check_flags(list, flags).or_else(fail)?;
        }
        match (section, self.protocol) {
            ("wasm", None) if !self.looks_like_node() => fail(
                "`protocol` is missing; expected \"lines\" for a command that speaks the line \
                 protocol, \"wasi\" for one that runs WASI modules, or \"node\""
                    .to_owned(),
            ),
            ("wasm", _) | (_, None) => Ok(()),
            (_, Some(_)) => fail("`protocol` is for WebAssembly engines only".to_owned()),
        }
    }

    /// The protocol of an engine: that of node, if it is called like that.
    pub fn engine_protocol(&self) -> EngineProtocol {
        self.protocol.unwrap_or(EngineProtocol::Node)
    }

    fn looks_like_node(&self) -> bool {
        looks_like_node(&self.command)
    }
}

/// Whether a command is called like node is: `node`, `nodejs`, `node-14`.
pub(crate) fn looks_like_node(command: &std::path::Path) -> bool {
    let file = command.file_name().map(|name| name.to_string_lossy().into_owned());
    file.is_some_and(|name| name.starts_with("node"))
}

/// Refuses names of targets and settings that messages, scripts and reports could not show.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    match name.is_empty() || name.chars().any(is_hidden) {
        true => Err("a name has at least one character, and no control characters".to_owned()),
        false => Ok(()),
    }
}

/// Refuses several flags in one string, which compilers would take for one.
pub(crate) fn check_flags(list: &str, flags: &[String]) -> Result<(), String> {
    several_flags(flags).map_or(Ok(()), |(flag, words)| {
        Err(format!("in `{list}`, `{flag}` is several flags; expected [{words}]"))
    })
}

/// The same for a list whose flags are settings of their own, so that several do not fit in.
pub(crate) fn check_single_flags(list: &str, flags: &[String]) -> Result<(), String> {
    several_flags(flags).map_or(Ok(()), |(flag, words)| {
        Err(format!(
            "in `{list}`, `{flag}` is several flags, and each of `{list}` is one; expected \
             `extras = {{ mine = [{words}] }}` instead"
        ))
    })
}

/// A string that is several flags, and those flags as they stand in a list.
fn several_flags(flags: &[String]) -> Option<(&String, String)> {
    let is_several = |flag: &&String| {
        flag.starts_with('-') && flag.split_whitespace().skip(1).any(|word| word.starts_with('-'))
    };
    let flag = flags.iter().find(is_several)?;
    let words: Vec<String> = flag.split_whitespace().map(|word| format!("\"{word}\"")).collect();
    Some((flag, words.join(", ")))
}

/// Checks the targets of a section.
///
/// # Errors
/// The first that makes no sense.
pub(crate) fn check_targets(
    section: &'static str,
    targets: &[TargetConfig],
) -> Result<(), TargetConfigError> {
    let mut names = BTreeSet::new();
    for target in targets {
        target.validate(section)?;
        if !names.insert(&target.name) {
            let why = "there are two targets of that name".to_owned();
            return Err(TargetConfigError { section, name: target.name.clone(), why });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(section: &'static str, text: &str) -> String {
        let target: TargetConfig = toml::from_str(text).unwrap();
        target.validate(section).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        let fine = "name = 'a'\ncommand = 'gcc'\nflags = ['-O2', '-DX=a b']";
        assert_eq!(problem("c", fine), "");
        let expected = "in the section `c`: the target `a`: in `flags`, `-O2 -march=native` is \
                        several flags; expected [\"-O2\", \"-march=native\"]";
        assert_eq!(
            problem("c", "name = 'a'\ncommand = 'gcc'\nflags = ['-O2 -march=native']"),
            expected
        );
        for (section, text, why) in [
            ("c", "name = ''\ncommand = 'gcc'", "at least one character"),
            ("c", "name = \"a\\u001b[31m\"\ncommand = 'gcc'", "no control characters"),
            (
                "c",
                "name = 'a'\ncommand = 'b'\nsettings = { \"a\\nb\" = [] }",
                "in `settings`: a name",
            ),
            (
                "wasm",
                "name = 'a'\ncommand = 'node'\nsettings = { '' = [] }",
                "in `settings`: a name",
            ),
            ("c", "name = 'a'\ncommand = ''", "`command` is empty"),
            ("c", "name = 'a'\ncommand = 'b'\nenv = { 'A=B' = '1' }", "`A=B` is no name"),
            ("c", "name = 'a'\ncommand = 'b'\nprotocol = 'node'", "WebAssembly engines only"),
            ("wasm", "name = 'a'\ncommand = 'iwasm'", "`protocol` is missing"),
            ("jvm", "name = 'a'\ncommand = 'b'\nsettings = { x = ['-a -b'] }", "in `x`, `-a -b`"),
        ] {
            let said = problem(section, text);
            assert!(said.contains(why), "{said}");
        }
        assert_eq!(problem("wasm", "name = 'a'\ncommand = '/opt/node-14/bin/node'"), "");
    }

    #[test]
    fn names_are_unique() {
        let target = |name: &str| TargetConfig {
            name: name.to_owned(),
            command: "gcc".into(),
            ..TargetConfig::default()
        };
        assert_eq!(check_targets("c", &[target("a"), target("b")]), Ok(()));
        let error = check_targets("c", &[target("a"), target("a")]).unwrap_err();
        assert!(error.to_string().contains("two targets of that name"));
    }
}

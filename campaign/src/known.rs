//! `known.toml`: bugs that are known, each with the condition that suppresses it.
//!
//! Triage adds what it learns at the end of the file and changes nothing else in it, so that
//! whatever people write there stays.

use std::io;
use std::path::{Path, PathBuf};

use pathsmith_oracles::Signature;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use toml::Spanned;

use crate::file_names::check_no_link;
use crate::files::{read_text, write_file};
use crate::finding::{Finding, TargetInfo};
use crate::variation::Variation;

/// The name of the file in a campaign's folder.
pub const KNOWN_FILE: &str = "known.toml";

/// The largest file of known bugs that is read, in bytes. A guess: tens of thousands of bugs.
pub(crate) const MAX_KNOWN: u64 = 16 << 20;

/// What a new file begins with.
const HEAD: &str = "\
# Bugs that are known. A failure that the condition of one suppresses is counted under it, and is
# neither triaged nor reduced. A campaign adds what it learns at the end and keeps all edits; it
# reads them when it is resumed. `off = true` switches an entry off; one that is removed is learned
# again. docs/triage.md describes the format.
";

/// A bug that is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBug {
    /// What it is called. No two have the same name.
    pub name: String,
    /// The name of the target, in which `*` stands for any text: `gcc-12`, `gcc*`.
    pub target: String,
    /// The version of the target, in which `*` stands for any text.
    #[serde(default = "any")]
    pub version: String,
    /// What suppresses it, or how it is recognized.
    pub condition: Condition,
    /// Where it is reported.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tracker: String,
    /// Whatever people want to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// Whether the entry is to be ignored.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
    /// Where the campaign has learned it, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Learned>,
}

/// The target and the version of a bug, and its condition.
pub(crate) type Identity = (String, String, Condition);

/// What tells a known bug from others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// Flags with which the target does what it should, all of them together.
    Flags(String),
    /// The name of a setting in which the target does what it should.
    Setting(String),
    /// A lowering option with which the target does what it should: `selects=if-else`.
    Lowering(String),
    /// Where the target says that it crashed, as in the key of a cluster.
    Crash(String),
}

/// Where a campaign has learned of a bug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learned {
    /// The name of the finding.
    pub finding: String,
    /// The cluster of the finding.
    pub cluster: String,
}

fn any() -> String {
    "*".to_owned()
}

/// Why there are no known bugs.
#[derive(Debug, Error)]
pub enum KnownError {
    /// The file is malformed.
    #[error("{}: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where and why.
        why: String,
    },
    /// The file cannot be read or written.
    #[error("cannot use {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl Condition {
    /// The words of its flags, if it has flags.
    pub fn words(&self) -> Option<Vec<String>> {
        match self {
            Self::Flags(flags) => Some(flags.split_whitespace().map(str::to_owned).collect()),
            Self::Setting(_) | Self::Lowering(_) | Self::Crash(_) => None,
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Flags(text) | Self::Setting(text) | Self::Lowering(text) | Self::Crash(text) => {
                text
            }
        }
    }
}

impl KnownBug {
    /// The bug that a finding shows, as far as its signature tells one from others. It is off if
    /// what suppresses the finding suppresses too much.
    pub fn of(finding: &Finding) -> Option<Self> {
        let signature = finding.signature.as_ref()?;
        let flag = signature.suppressing_flags.first();
        let lowering = signature.suppressing_lowerings.first();
        let condition = match (signature.is_crash_report, flag) {
            (true, _) if signature.suspected_causes.is_empty() => return None,
            (true, _) => Condition::Crash(signature.suspected_causes.join(", ")),
            (false, Some(known)) => Condition::Flags(known.flag.clone()),
            (false, None) => Condition::Lowering(lowering?.flag.clone()),
        };
        let doubt = if signature.is_crash_report { None } else { doubt(signature) };
        let off = doubt.is_some();
        let note = doubt.unwrap_or_default().to_owned();
        let TargetInfo { name, version, .. } = &finding.target;
        Some(Self {
            name: format!("{name}: {}", condition.text()),
            target: name.clone(),
            version: version.clone(),
            condition,
            tracker: String::new(),
            note,
            off,
            learned: None,
        })
    }

    /// What makes two bugs that were learned the same: target, version and condition.
    pub(crate) fn identity(&self) -> Identity {
        (self.target.clone(), self.version.clone(), self.condition.clone())
    }

    /// Whether it is about a target.
    pub fn is_of(&self, target: &TargetInfo) -> bool {
        matches(&self.target, &target.name) && matches(&self.version, &target.version)
    }

    /// The entry as a person would write it.
    fn text(&self) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let kind = match &self.condition {
            Condition::Flags(_) => "flags",
            Condition::Setting(_) => "setting",
            Condition::Lowering(_) => "lowering",
            Condition::Crash(_) => "crash",
        };
        let condition = format!("{{ {kind} = {} }}", quoted(self.condition.text()));
        let learned = self.learned.as_ref().map(|Learned { finding, cluster }| {
            format!("{{ finding = {}, cluster = {} }}", quoted(finding), quoted(cluster))
        });
        let if_any = |text: &String| (!text.is_empty()).then(|| quoted(text));
        let lines = [
            ("name", Some(quoted(&self.name))),
            ("target", Some(quoted(&self.target))),
            ("version", Some(quoted(&self.version))),
            ("condition", Some(condition)),
            ("tracker", if_any(&self.tracker)),
            ("note", if_any(&self.note)),
            ("off", self.off.then(|| "true".to_owned())),
            ("learned", learned),
        ];
        let lines =
            lines.into_iter().filter_map(|(key, value)| Some(format!("{key} = {}\n", value?)));
        format!("\n[[bug]]\n{}", lines.collect::<String>())
    }

    fn check(&self) -> Result<(), String> {
        let empty = [("name", &self.name), ("target", &self.target)]
            .into_iter()
            .find(|(_, text)| text.trim().is_empty());
        if let Some((key, _)) = empty {
            return Err(format!("`{key}` is empty"));
        }
        if self.condition.text().trim().is_empty() {
            return Err("the condition is empty".to_owned());
        }
        if let Condition::Lowering(text) = &self.condition {
            text.parse::<Variation>()?;
        }
        let words = self.condition.words().unwrap_or_default();
        if words.first().is_some_and(|word| !word.starts_with('-')) {
            let text = self.condition.text();
            return Err(format!("`{text}` does not begin with a flag, such as -fno-ivopts"));
        }
        Ok(())
    }
}

/// With more suppressing flags than this, it is not known which one disables what is wrong. A guess:
/// a finding of one bug in gcc 12 had 13, and others of it two.
const MAX_FLAGS: usize = 3;

/// Why what suppresses a finding may suppress other bugs too.
fn doubt(signature: &Signature) -> Option<&'static str> {
    let Some(first) = signature.suppressing_flags.first() else {
        let lowerings = &signature.suppressing_lowerings;
        let n_specific = lowerings.iter().filter(|known| !known.is_broad).count();
        let is_doubtful = lowerings.first()?.is_broad || n_specific > MAX_FLAGS;
        return is_doubtful.then_some(
            "This way of lowering may suppress findings of many bugs, so the entry is off.",
        );
    };
    let n_specific = signature.suppressing_flags.iter().filter(|known| !known.is_broad).count();
    let pass = signature.bisected_pass.as_deref().map(|pass| pass.trim_start_matches("tree-"));
    let is_pass = pass.is_some_and(|pass| first.flag.ends_with(pass));
    if first.is_broad {
        Some("This flag suppresses findings of many bugs, so the entry is off.")
    } else if n_specific > MAX_FLAGS && !is_pass {
        Some("Many flags suppress the finding, and this may be the wrong one, so the entry is off.")
    } else {
        None
    }
}

/// The bugs of a file, each with a table `[[bug]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KnownFile {
    #[serde(default)]
    bug: Vec<Spanned<KnownBug>>,
}

/// Reads the text of a file.
///
/// # Errors
/// If it is malformed, with the place.
pub fn parse_known(text: &str, path: &Path) -> Result<Vec<KnownBug>, KnownError> {
    let malformed = |why: String| KnownError::Malformed { path: path.to_owned(), why };
    let file: KnownFile =
        toml::from_str(text).map_err(|error| malformed(error.to_string().trim_end().to_owned()))?;
    let mut bugs: Vec<KnownBug> = Vec::new();
    for bug in file.bug {
        let line = text[..bug.span().start.min(text.len())].lines().count() + 1;
        let bug = bug.into_inner();
        bug.check().map_err(|why| malformed(format!("line {line}: {why}")))?;
        if bugs.iter().any(|known| known.name == bug.name) {
            let why = format!("line {line}: there are two bugs called `{}`", bug.name);
            return Err(malformed(why));
        }
        bugs.push(bug);
    }
    Ok(bugs)
}

/// Reads a file. One that is not there has no bugs.
///
/// # Errors
/// If it cannot be read, or is malformed.
pub fn read_known(path: &Path) -> Result<Vec<KnownBug>, KnownError> {
    match read_text(path, MAX_KNOWN) {
        Ok(text) => parse_known(&text, path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(KnownError::Io { path: path.to_owned(), source }),
    }
}

/// Adds bugs at the end of a file, and keeps all else as it is. Those whose name is taken get
/// another.
///
/// # Errors
/// If the file cannot be read or written, or is malformed.
pub fn add_known(path: &Path, bugs: &[KnownBug]) -> Result<(), KnownError> {
    let failed = |source| KnownError::Io { path: path.to_owned(), source };
    let mut text = match read_text(path, MAX_KNOWN) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => HEAD.to_owned(),
        Err(error) => return Err(failed(error)),
    };
    let mut known = parse_known(&text, path)?;
    for bug in bugs {
        let mut bug = bug.clone();
        let mut n = 1;
        while known.iter().any(|other| other.name == bug.name) {
            n += 1;
            bug.name = format!("{} ({n})", bug.name.trim_end_matches(&format!(" ({})", n - 1)));
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&bug.text());
        known.push(bug);
    }
    check_no_link(path).map_err(failed)?;
    write_file(path, failed, |out| out.write_all(text.as_bytes()).map_err(failed))
}

/// Whether a text is like a pattern, in which `*` stands for any text.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((start, rest)) => {
            let Some(text) = text.strip_prefix(start) else { return false };
            (0..=text.len())
                .filter(|at| text.is_char_boundary(*at))
                .any(|at| matches(rest, &text[at..]))
        }
    }
}

#[cfg(test)]
mod tests;

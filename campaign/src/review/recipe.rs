//! What is generated for a review: which seeds, and with which options.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use pathsmith_symlang::dialect::Dialect;
use serde::{Deserialize, Serialize};

/// The most seeds of a review. A guess: each takes several processes on either side.
const MAX_SEEDS: u64 = 1_000_000;

/// Seeds from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct SeedRange {
    first: u64,
    last: u64,
}

impl SeedRange {
    /// The seeds.
    pub fn seeds(self) -> RangeInclusive<u64> {
        self.first..=self.last
    }

    /// The first seed.
    pub fn first(self) -> u64 {
        self.first
    }

    /// How many there are.
    pub fn n_seeds(self) -> u64 {
        self.last - self.first + 1
    }

    /// Whether all seeds of `other` are in it.
    pub fn includes(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

/// `7`, or `0..99` for one hundred seeds.
impl FromStr for SeedRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let expected = || "expected seeds such as `7` or `0..99`, both ends included".to_owned();
        let first: u64 = first.parse().map_err(|_| expected())?;
        let last: u64 = last.parse().map_err(|_| expected())?;
        match last.checked_sub(first) {
            None => Err(format!("the range {text} is empty")),
            Some(n) if n >= MAX_SEEDS => Err(format!("expected at most {MAX_SEEDS} seeds")),
            Some(_) => Ok(Self { first, last }),
        }
    }
}

impl TryFrom<String> for SeedRange {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<SeedRange> for String {
    fn from(range: SeedRange) -> Self {
        range.to_string()
    }
}

impl fmt::Display for SeedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.last)
    }
}

/// The source of lowering options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lowering {
    /// They are drawn from the seed of the function.
    Drawn,
    /// They are the defaults.
    Default,
}

/// What is generated: for each seed and dialect one function or program, and its lowering.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The seeds.
    pub seeds: SeedRange,
    /// The dialects, each with its target language.
    pub dialects: Vec<Dialect>,
    /// Where lowering options come from.
    pub lowering: Lowering,
    /// How functions are generated.
    pub settings: GenSettings,
}

/// Options of `pathsmith gen`, which both sides get. Files are here with their content, so that
/// a recipe can be saved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GenSettings {
    /// `--functions`: how many functions a program has; single functions if there is none.
    pub functions: Option<u32>,
    /// `--preset`.
    pub preset: Option<String>,
    /// `--engine`.
    pub engine: Option<String>,
    /// `--set`, each time.
    pub settings: Vec<String>,
    /// The text of `--config`.
    pub config: Option<String>,
    /// The names and texts of `--template`, each time.
    pub templates: Vec<(String, String)>,
    /// `--callable`.
    pub callable: bool,
    /// `--swarm`.
    pub swarm: bool,
}

const CONFIG_FILE: &str = "config.toml";

impl GenSettings {
    /// The options of `gen` for one seed. Values are never words of their own: a saved recipe may
    /// come from anywhere, and must not be able to pass other options.
    pub(super) fn options(&self, seed: u64, dialect: Dialect) -> Vec<String> {
        let mut words: Vec<String> =
            vec![format!("--seed={seed}"), format!("--dialect={dialect}"), "--jobs=1".to_owned()];
        let mut add = |option: &str, value: &str| words.push(format!("--{option}={value}"));
        self.functions.iter().for_each(|n| add("functions", &n.to_string()));
        self.preset.iter().for_each(|preset| add("preset", preset));
        self.engine.iter().for_each(|engine| add("engine", engine));
        self.config.iter().for_each(|_| add("config", CONFIG_FILE));
        self.settings.iter().for_each(|setting| add("set", setting));
        for at in 0..self.templates.len() {
            add("template", &self.template_file(at));
        }
        let flags = [("--callable", self.callable), ("--swarm", self.swarm)];
        words.extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| (*flag).into()));
        words
    }

    /// The files that the options name.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let config = self.config.iter().map(|text| (CONFIG_FILE.to_owned(), text.clone()));
        let templates = self.templates.iter().enumerate();
        config
            .chain(templates.map(|(at, (_, text))| (self.template_file(at), text.clone())))
            .collect()
    }

    /// The name of a template's file, which gives the template its name.
    fn template_file(&self, at: usize) -> String {
        let is_plain = |c: &char| c.is_ascii_alphanumeric() || *c == '_' || *c == '-';
        let name: String = self.templates[at].0.chars().filter(is_plain).take(100).collect();
        let is_taken = self.templates[..at].iter().any(|(other, _)| *other == self.templates[at].0);
        match name.is_empty() || is_taken {
            true => format!("template{at}.sym"),
            false => format!("{name}.sym"),
        }
    }

    /// What one of its products is called.
    pub(super) fn noun(&self) -> &'static str {
        if self.functions.is_some() { "program" } else { "function" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends() {
        let range: SeedRange = "3..5".parse().unwrap();
        assert_eq!((range.seeds().collect::<Vec<_>>(), range.n_seeds()), (vec![3, 4, 5], 3));
        assert_eq!("7".parse::<SeedRange>().unwrap().n_seeds(), 1);
        assert!(range.includes("4".parse().unwrap()) && !range.includes("4..6".parse().unwrap()));
        for wrong in ["", "..", "5..3", "a..b", "1..", "-1..2", "0..18446744073709551615"] {
            assert!(wrong.parse::<SeedRange>().is_err(), "{wrong}");
        }
    }

    /// Whatever a recipe says, it adds no words but values of the options that it may pass.
    #[test]
    fn values_do_not_become_options() {
        let settings = GenSettings {
            functions: Some(3),
            preset: Some("--output=x".to_owned()),
            settings: vec!["--dir".to_owned(), "a=b c".to_owned()],
            config: Some("text".to_owned()),
            templates: vec![
                ("../x".to_owned(), "one".to_owned()),
                ("../x".to_owned(), "two".to_owned()),
            ],
            swarm: true,
            ..GenSettings::default()
        };
        assert_eq!(
            settings.options(7, Dialect::Wasm),
            [
                "--seed=7",
                "--dialect=wasm",
                "--jobs=1",
                "--functions=3",
                "--preset=--output=x",
                "--config=config.toml",
                "--set=--dir",
                "--set=a=b c",
                "--template=x.sym",
                "--template=template1.sym",
                "--swarm",
            ]
        );
        let names: Vec<String> = settings.files().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["config.toml", "x.sym", "template1.sym"]);
    }
}

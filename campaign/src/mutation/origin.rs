//! Where a variant comes from.

use std::fmt;

use pathsmith_mutate::Lineage;
use pathsmith_symlang::lang::Program;
use serde::{Deserialize, Serialize};

use crate::case_name::case_name;

/// Where a variant comes from: a program, and what was done to it. It can be made again from that
/// alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// What the program is.
    pub parent: Parent,
    /// The program that it was made of, with the names that it has in its batch.
    pub program: Program,
    /// What was done to it.
    pub lineage: Lineage,
    /// Which steps of the lineage it takes to show the finding, by number, once reduction has found
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<Vec<usize>>,
}

/// What a variant was made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parent {
    /// What was generated for the case itself.
    Generated {
        /// The number of the case.
        number: u64,
    },
    /// A program of the corpus.
    Corpus {
        /// Its name.
        name: String,
    },
    /// A program that has shown a bug.
    Finding {
        /// The case that showed it.
        number: u64,
        /// Which variant of the case.
        variant: u32,
    },
    /// A program that has shown a new feature.
    Grown {
        /// The case that showed it.
        number: u64,
        /// Which variant of the case.
        variant: u32,
    },
}

/// The arm of variants of whole programs that were generated.
pub(crate) const PROGRAM_ARM: &str = "variant:program";

/// What the names of arms begin with that are transforms.
pub(crate) const TRANSFORM: &str = "transform:";

/// The kinds of programs that variants are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ParentKind {
    Generated,
    Corpus,
    Finding,
    Grown,
}

impl ParentKind {
    pub(crate) const ALL: [Self; 4] = [Self::Generated, Self::Corpus, Self::Finding, Self::Grown];

    /// The arm of variants of such programs.
    pub(crate) const fn arm(self) -> &'static str {
        match self {
            Self::Generated => "variant:generated",
            Self::Corpus => "variant:corpus",
            Self::Finding => "variant:finding",
            Self::Grown => "variant:grown",
        }
    }
}

impl Parent {
    /// Which kind it is of.
    pub(crate) const fn kind(&self) -> ParentKind {
        match self {
            Self::Generated { .. } => ParentKind::Generated,
            Self::Corpus { .. } => ParentKind::Corpus,
            Self::Finding { .. } => ParentKind::Finding,
            Self::Grown { .. } => ParentKind::Grown,
        }
    }
}

impl fmt::Display for Parent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Generated { number } => write!(f, "case {number} as it was generated"),
            Self::Corpus { name } => write!(f, "{name} of the corpus"),
            Self::Finding { number, variant } => {
                write!(f, "case {}, which showed a bug", case_name(*number, *variant))
            }
            Self::Grown { number, variant } => {
                write!(f, "case {}, which showed a new feature", case_name(*number, *variant))
            }
        }
    }
}

impl Origin {
    /// What adaptive shares know a variant by: a single function, or not.
    pub(crate) fn arms(&self, is_function: bool) -> Vec<String> {
        let steps = self.lineage.steps.iter();
        let mut arms: Vec<String> =
            steps.map(|step| format!("{TRANSFORM}{}", step.transform)).collect();
        let arm = match (self.parent.kind(), is_function) {
            (ParentKind::Generated, false) => PROGRAM_ARM,
            (kind, _) => kind.arm(),
        };
        arms.push(arm.to_owned());
        arms.sort_unstable();
        arms.dedup();
        arms
    }

    /// Which transforms it takes to show the finding, in words, once that is known.
    pub fn needed_text(&self) -> Option<String> {
        let needed = self.needed.as_ref()?;
        let names: Vec<&str> =
            needed.iter().filter_map(|&at| Some(self.lineage.steps.get(at)?.transform)).collect();
        Some(match names.is_empty() {
            true => "none of them: the program that it was made of shows it too".to_owned(),
            false => names.join(", "),
        })
    }
}

//! Failures of bugs that are known already.

use pathsmith_oracles::Verdict;

use crate::family::TargetFamily;
use crate::finding::Finding;
use crate::known::Condition;

/// A failure that was confirmed, and is neither triaged nor reduced, because its bug is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sighting {
    /// The target family.
    pub family: TargetFamily,
    /// The batch.
    pub batch: u64,
    /// The case.
    pub number: u64,
    /// Which variant of the case.
    pub variant: u32,
    /// What was seen.
    pub verdict: Verdict,
    /// The name of the target.
    pub target: String,
    /// The setting of the target.
    pub setting: String,
    /// What it is counted under.
    pub under: CountedUnder,
}

/// What a failure of a known bug is counted under.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CountedUnder {
    /// A bug of `known.toml`, by its name.
    Known(String),
    /// A finding of the same function on the same target.
    Finding {
        /// The setting that the finding was found with.
        setting: String,
        /// The cluster of the finding.
        cluster: String,
    },
}

/// A failure of the batch under way whose bug is known by now.
#[derive(Clone, Debug)]
pub(crate) struct Explained {
    /// The number and variant of the case.
    pub(crate) case: (u64, u32),
    /// The name of the target.
    pub(crate) target: String,
    pub(crate) is_about_compiling: bool,
    /// Where the target says that it crashed.
    pub(crate) crash: Option<Vec<String>>,
    /// What suppresses it; nothing if that is not known.
    pub(crate) suppressing: Option<Condition>,
    pub(crate) under: CountedUnder,
}

impl Explained {
    /// A finding that other failures of its function may belong to.
    pub(crate) fn finding(finding: &Finding, crash: Option<Vec<String>>) -> Option<Self> {
        let signature = finding.signature.as_ref()?;
        let flag = signature.suppressing_flags.first();
        let lowering = signature.suppressing_lowerings.first();
        let suppressing = flag
            .map(|known| Condition::Flags(known.flag.clone()))
            .or_else(|| lowering.map(|known| Condition::Lowering(known.flag.clone())));
        Some(Self {
            case: (finding.number, finding.variant),
            target: finding.target.name.clone(),
            is_about_compiling: finding.verdict.is_about_compiling(),
            crash,
            suppressing,
            under: CountedUnder::Finding {
                setting: finding.target.setting.to_string(),
                cluster: signature.key(),
            },
        })
    }
}

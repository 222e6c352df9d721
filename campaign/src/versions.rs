//! What versions of a target make of a finding: which show it, which do not, and which say nothing.

use pathsmith_oracles::Verdict;
use serde::{Deserialize, Serialize};

/// What a target makes of a finding now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replayed {
    /// The name of the target.
    pub target: String,
    /// The name of its setting.
    pub setting: String,
    /// The command that runs it.
    pub command: String,
    /// Its version, in one line.
    pub version: String,
    /// What it says of its version in full: `gcc -v`. Nothing if it was not asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub details: String,
    /// What it does.
    #[serde(flatten)]
    pub outcome: ReplayOutcome,
}

/// What a target does with the program of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum ReplayOutcome {
    /// The finding remains.
    Shows {
        /// What is wrong: the verdict of the finding, or for wrong code another one of wrong code.
        verdict: Verdict,
    },
    /// It does what it should.
    DoesNotShow,
    /// It says nothing of the finding: it does not take the flags or the program, does not work at
    /// all, or does something else that is wrong.
    NotComparable {
        /// Why.
        why: String,
    },
    /// It works, but could not be run.
    InfrastructureFailure {
        /// Why.
        why: String,
    },
}

impl ReplayOutcome {
    /// That a target says nothing of a finding.
    pub fn not_comparable(why: impl Into<String>) -> Self {
        Self::NotComparable { why: why.into() }
    }
}

impl Replayed {
    /// The target and its setting.
    pub fn full_name(&self) -> String {
        format!("{} {}", self.target, self.setting)
    }

    /// Whether the target does what it should.
    pub fn is_fixed(&self) -> bool {
        self.outcome == ReplayOutcome::DoesNotShow
    }

    /// Whether the finding remains. A target that does not work, or does not take the program, says
    /// neither.
    pub fn remains(&self) -> bool {
        matches!(self.outcome, ReplayOutcome::Shows { .. })
    }

    /// The number of its version.
    pub fn number(&self) -> Vec<u64> {
        version_number(&self.version)
    }

    /// The number of its version, as people write it; the whole line if there is none.
    pub fn short_version(&self) -> String {
        let number: Vec<String> = self.number().iter().map(u64::to_string).collect();
        if number.is_empty() { self.version.clone() } else { number.join(".") }
    }
}

/// What all versions of a target that are at hand make of a finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Each version, the oldest first, with the flags of the finding.
    pub versions: Vec<Replayed>,
    /// The target that showed it, at its other levels of optimization.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<Replayed>,
}

impl Versions {
    /// Those of a finding, in order.
    pub fn new(mut versions: Vec<Replayed>, levels: Vec<Replayed>) -> Self {
        versions.sort_by_cached_key(|known| (known.number(), known.target.clone()));
        Self { versions, levels }
    }

    /// The oldest version at hand that shows it.
    pub fn first_bad(&self) -> Option<&Replayed> {
        self.versions.iter().find(|known| known.remains())
    }

    /// The newest version before [`first_bad`](Self::first_bad) that does not show it.
    pub fn last_good(&self) -> Option<&Replayed> {
        let at = self.versions.iter().position(Replayed::remains)?;
        let bad = self.versions[at].number();
        let is_older = |known: &&Replayed| known.is_fixed() && known.number() < bad;
        self.versions[..at].iter().rev().find(is_older)
    }

    /// The oldest version after all that show it that does not.
    pub fn fixed_in(&self) -> Option<&Replayed> {
        let at = self.versions.iter().rposition(Replayed::remains)?;
        let bad = self.versions[at].number();
        self.versions[at..].iter().find(|known| known.is_fixed() && known.number() > bad)
    }
}

/// The number in what a target says of its version: `[12, 2, 0]` of `gcc (Debian 12.2.0-14) 12.2.0`.
/// It stands after the word `version`, or last. Nothing if there is none.
pub fn version_number(version: &str) -> Vec<u64> {
    let words: Vec<&str> = version.split_whitespace().collect();
    let after = words.iter().position(|word| *word == "version").and_then(|at| words.get(at + 1));
    let candidates = after.into_iter().chain(words.iter().rev());
    candidates.map(|word| number_of(word)).find(|number| !number.is_empty()).unwrap_or_default()
}

/// The number that a word begins with, as in `12.2.0`, `v20.11.1` and `17.0.15+6`.
fn number_of(word: &str) -> Vec<u64> {
    let word = word.trim_start_matches(['v', '"', '(']);
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
    word[..end].split('.').map_while(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replayed(version: &str, outcome: ReplayOutcome) -> Replayed {
        Replayed {
            target: version.replace(' ', "-"),
            setting: "-O2".to_owned(),
            command: "gcc".to_owned(),
            version: version.to_owned(),
            details: String::new(),
            outcome,
        }
    }

    fn short(known: Option<&Replayed>) -> Option<String> {
        known.map(Replayed::short_version)
    }

    #[test]
    fn numbers_are_read_off_what_targets_say() {
        assert_eq!(version_number("gcc (Debian 12.2.0-14) 12.2.0"), [12, 2, 0]);
        assert_eq!(version_number("Debian clang version 14.0.6"), [14, 0, 6]);
        let snapshot = "Ubuntu clang version 22.1.0 (++20261001-1~exp1~20)";
        assert_eq!(version_number(snapshot), [22, 1, 0]);
        assert_eq!(version_number("OpenJDK 64-Bit Server VM 17.0.15"), [17, 0, 15]);
        assert_eq!(version_number("OpenJDK 64-Bit Server VM 25-ea"), [25]);
        assert_eq!(version_number("node v20.11.1"), [20, 11, 1]);
        assert_eq!(version_number("a compiler"), [0_u64; 0]);
    }

    #[test]
    fn a_regression_has_a_first_bad_and_a_last_good_version() {
        let shows = || ReplayOutcome::Shows { verdict: Verdict::WrongResult };
        let good = || ReplayOutcome::DoesNotShow;
        let all = Versions::new(
            vec![
                replayed("gcc 14.1", good()),
                replayed("gcc 9.5", good()),
                replayed("gcc 13.2", shows()),
                replayed("gcc 12.2", shows()),
                replayed("gcc 11.4", ReplayOutcome::not_comparable("no such flag")),
                replayed("gcc 10.5", good()),
            ],
            Vec::new(),
        );
        assert_eq!(short(all.first_bad()).as_deref(), Some("12.2"));
        assert_eq!(short(all.last_good()).as_deref(), Some("10.5"), "11.4 says nothing");
        assert_eq!(short(all.fixed_in()).as_deref(), Some("14.1"));
    }

    #[test]
    fn without_an_older_or_newer_version_nothing_is_claimed() {
        let shows = ReplayOutcome::Shows { verdict: Verdict::Hang };
        let same = Versions::new(
            vec![replayed("gcc 12.2", ReplayOutcome::DoesNotShow), replayed("a gcc 12.2", shows)],
            Vec::new(),
        );
        assert_eq!(short(same.first_bad()).as_deref(), Some("12.2"));
        assert_eq!((same.last_good(), same.fixed_in()), (None, None), "it is the same version");
        let none = Versions::new(vec![replayed("gcc 1", ReplayOutcome::DoesNotShow)], Vec::new());
        assert_eq!((none.first_bad(), none.last_good(), none.fixed_in()), (None, None, None));
    }

    #[test]
    fn outcomes_are_flat_in_json() {
        let shows = ReplayOutcome::Shows { verdict: Verdict::WrongResult };
        let json = serde_json::to_value(replayed("gcc 1", shows.clone())).unwrap();
        assert_eq!((&json["outcome"], &json["verdict"]), (&"shows".into(), &"wrong-result".into()));
        for outcome in [
            shows,
            ReplayOutcome::DoesNotShow,
            ReplayOutcome::not_comparable("no such flag"),
            ReplayOutcome::InfrastructureFailure { why: "no room".to_owned() },
        ] {
            let known = replayed("gcc 1", outcome);
            let json = serde_json::to_string(&known).unwrap();
            assert_eq!(serde_json::from_str::<Replayed>(&json).unwrap(), known);
        }
    }
}

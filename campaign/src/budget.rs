//! How long a campaign runs, and with what.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::time::Duration;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::family::TargetFamily;

/// What a campaign does, apart from how programs are generated and what each target family is
/// given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CampaignConfig {
    /// The RNG seed; if there is none, `fuzz` draws one at random.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The target families; none stands for all that are found.
    pub families: Vec<TargetFamily>,
    /// When it stops, for each family that has no budget of its own.
    #[serde(flatten)]
    pub limit: Budget,
    /// What each family may use, instead.
    pub budget: BTreeMap<TargetFamily, Budget>,
    /// Whether findings are deduplicated by what triggers them.
    pub triage: bool,
    /// Whether the first finding of each cluster is reduced.
    pub reduce: bool,
    /// Whether the first finding of each cluster is run on all versions of its target that are at
    /// hand.
    pub versions: bool,
    /// The share of compilations that known bugs are suppressed in from the start, so that bugs
    /// behind them can be reached. A guess.
    pub known_off: f64,
    /// Whether themes, templates and policies that show new bugs are drawn more often.
    pub adaptive: bool,
}

impl Default for CampaignConfig {
    fn default() -> Self {
        Self {
            seed: None,
            families: Vec::new(),
            limit: Budget::default(),
            budget: BTreeMap::new(),
            triage: true,
            reduce: true,
            versions: true,
            known_off: 0.25,
            adaptive: true,
        }
    }
}

impl CampaignConfig {
    /// The RNG seed. Campaigns that have started have one.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or_default()
    }

    /// What a family may use.
    pub fn budget_of(&self, family: TargetFamily) -> Budget {
        let own = self.budget.get(&family).copied().unwrap_or_default();
        Budget {
            time: own.time.or(self.limit.time),
            count: own.count.or(self.limit.count),
            jobs: own.jobs.or(self.limit.jobs),
        }
    }
}

/// What a campaign may use. What is left out has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Budget {
    /// How long it runs, each time it is started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// How many cases there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// How many threads there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<NonZeroUsize>,
}

/// A time as people write it, with its unit: `90s`, `5m`, `2h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "String")]
pub struct Time(pub Duration);

/// Text that is no time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TimeError {
    /// A number alone.
    #[error("{0} has no unit: write {0}s for seconds, {0}m for minutes or {0}h for hours")]
    NoUnit(String),
    /// Anything else.
    #[error("expected a time such as 90s, 5m, 2h or 1d")]
    NoTime,
}

impl FromStr for Time {
    type Err = TimeError;

    fn from_str(text: &str) -> Result<Self, TimeError> {
        let (number, unit) = match text.find(|c: char| !c.is_ascii_digit() && c != '.') {
            Some(at) => text.split_at(at),
            None if text.parse::<f64>().is_ok() => return Err(TimeError::NoUnit(text.to_owned())),
            None => return Err(TimeError::NoTime),
        };
        let seconds = match unit {
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return Err(TimeError::NoTime),
        };
        let number: f64 = number.parse().map_err(|_| TimeError::NoTime)?;
        Duration::try_from_secs_f64(number * seconds).map(Self).map_err(|_| TimeError::NoTime)
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TimeVisitor;
        impl Visitor<'_> for TimeVisitor {
            type Value = Time;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(r#"a time with its unit, such as "90s", "5m", "2h" or "1d""#)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Time, E> {
                text.parse().map_err(E::custom)
            }
        }
        deserializer.deserialize_str(TimeVisitor)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.0.as_secs_f64())
    }
}

impl From<Time> for String {
    fn from(time: Time) -> Self {
        time.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_has_no_other_keys() {
        let read = |text: &str| serde_json::from_str::<CampaignConfig>(text);
        let good = read(r#"{"time": "5m", "budget": {"c": {"count": 7}}}"#).unwrap();
        assert_eq!(good.budget_of(TargetFamily::C).count, Some(7));
        assert_eq!(good.budget_of(TargetFamily::C).time, "5m".parse().ok());
        for wrong in [r#"{"budget": {"c": {"tim": "5m"}}}"#, r#"{"tim": "5m"}"#] {
            assert!(
                read(wrong).unwrap_err().to_string().contains("unknown field `tim`"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        let seconds = |text: &str| text.parse().map(|time: Time| time.0.as_secs_f64());
        let no_unit = seconds("90").unwrap_err().to_string();
        assert!(no_unit.contains("90 has no unit") && no_unit.contains("90m"), "{no_unit}");
        assert_eq!(seconds("90s"), Ok(90.0));
        assert_eq!(seconds("1.5m"), Ok(90.0));
        assert_eq!(seconds("2h"), Ok(7200.0));
        assert_eq!(seconds("7d"), Ok(604_800.0));
        for wrong in ["", "m", "5 m", "5w", "-3s", "1e3", "9999999999999999999999h"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
        let time = Time(Duration::from_millis(2500));
        assert_eq!(time.to_string().parse(), Ok(time));
    }

    #[test]
    fn a_kind_has_what_it_is_given_and_else_what_all_have() {
        let own = Budget { count: Some(7), ..Budget::default() };
        let limit = Budget { count: Some(3), jobs: NonZeroUsize::new(2), time: None };
        let config = CampaignConfig {
            limit,
            budget: [(TargetFamily::C, own)].into(),
            ..CampaignConfig::default()
        };
        assert_eq!(config.budget_of(TargetFamily::C), Budget { count: Some(7), ..limit });
        assert_eq!(config.budget_of(TargetFamily::Jvm), limit);
    }
}

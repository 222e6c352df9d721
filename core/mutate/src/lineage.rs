//! How a variant was made: which transforms, with which seeds, of which parents.

use std::fmt;
use std::str::FromStr;

use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::Program;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sizes::Sizes;
use crate::transforms::named;

/// One transform that was applied. It is written `live-block:9f2c01d4a7e65b33`, and, if it took code
/// from the second donor, `inline:9f2c01d4a7e65b33+1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The name of the transform.
    pub transform: &'static str,
    /// The stream that the transform drew from; no other step drew from it.
    pub seed: Seed,
    /// The donor that it took code from, by its position in [`Lineage::donors`].
    pub donor: Option<usize>,
}

/// All that is needed to make a variant again from its parent, with all of its steps or some.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lineage {
    /// The transforms that were applied, in order.
    pub steps: Vec<Step>,
    /// The programs that steps took code from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub donors: Vec<Program>,
    /// How large what the steps added is.
    #[serde(default)]
    pub sizes: Sizes,
}

impl Lineage {
    /// The lineage without the steps for which `keep`, which is given their positions, says no.
    /// Donors that no step needs any more go, too.
    #[must_use]
    pub fn retaining(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self { sizes: self.sizes.clone(), ..Self::default() };
        let mut moved: Vec<Option<usize>> = vec![None; self.donors.len()];
        for (_, step) in self.steps.iter().enumerate().filter(|(at, _)| keep(*at)) {
            let donor = step.donor.and_then(|donor| {
                let program = self.donors.get(donor)?;
                let at = *moved[donor].get_or_insert_with(|| {
                    kept.donors.push(program.clone());
                    kept.donors.len() - 1
                });
                Some(at)
            });
            kept.steps.push(Step { donor, ..step.clone() });
        }
        kept
    }
}

/// The names of the transforms, in order: `live-block, twin, inline`.
impl fmt::Display for Lineage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.steps.iter().map(|step| step.transform).collect();
        f.write_str(&names.join(", "))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:016x}", self.transform, self.seed.state())?;
        match self.donor {
            Some(donor) => write!(f, "+{donor}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Step {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || format!("expected TRANSFORM:SEED or TRANSFORM:SEED+DONOR, found {text:?}");
        let (name, rest) = text.split_once(':').ok_or_else(expected)?;
        let transform =
            named(name).ok_or_else(|| format!("there is no transform `{name}`"))?.transform.name();
        let (seed, donor) = match rest.split_once('+') {
            Some((seed, donor)) => (seed, Some(donor.parse().map_err(|_| expected())?)),
            None => (rest, None),
        };
        let is_hex = seed.len() == 16 && seed.bytes().all(|byte| byte.is_ascii_hexdigit());
        let state = u64::from_str_radix(seed, 16).ok().filter(|_| is_hex).ok_or_else(expected)?;
        Ok(Self { transform, seed: Seed::from_state(state), donor })
    }
}

/// As it is written.
impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    fn step(text: &str) -> Step {
        text.parse().unwrap()
    }

    #[test]
    fn steps_read_back_as_they_are_written() {
        for text in ["live-block:9f2c01d4a7e65b33", "twin:0000000000000001+12"] {
            assert_eq!(step(text).to_string(), text);
        }
        for wrong in
            ["twin", "twin:", "twin:123", "twins:0000000000000001", "twin:+000000000000001"]
        {
            assert!(wrong.parse::<Step>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn lineages_keep_the_donors_that_they_need() {
        let donor = |n: u32| parse("donor", &format!("fn f{n}() -> i32 {{ entry: return 1; }}"));
        let lineage = Lineage {
            steps: vec![
                step("twin:0000000000000001+0"),
                step("split:0000000000000002"),
                step("twin:0000000000000003+1"),
            ],
            donors: vec![donor(0).unwrap(), donor(1).unwrap()],
            sizes: Sizes { region: 3, ..Sizes::default() },
        };
        let text = serde_json::to_string(&lineage).unwrap();
        assert_eq!(serde_json::from_str::<Lineage>(&text).unwrap(), lineage);
        let kept = lineage.retaining(|at| at != 0);
        assert_eq!(kept.steps, [step("split:0000000000000002"), step("twin:0000000000000003+0")]);
        assert_eq!(kept.donors, [donor(1).unwrap()]);
        assert_eq!((kept.sizes.region, kept.to_string().as_str()), (3, "split, twin"));
    }
}

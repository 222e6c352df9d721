//! Targets with known bugs suppressed.

use std::collections::BTreeSet;

use pathsmith_symlang::Seed;
use pathsmith_symlang::choose::choose_bool;

use crate::campaign::Campaign;
use crate::error::CampaignError;
use crate::family::{Family, Options, Target};
use crate::known::{Condition, KnownBug};
use crate::variation::Variation;

impl<F: Family> Campaign<F> {
    /// The targets of a batch. Some of them have known bugs suppressed.
    pub(crate) fn targets(&self, batch: u64) -> Vec<Target<F>> {
        let mut rng = Seed::new(self.seed).child("known-off").nth(batch).rng();
        let mut targets = self.family.targets(self.seed, batch);
        for target in &mut targets {
            // Drawn for each, whatever is known, so that one does not shift the others.
            if !choose_bool(self.known_off, &mut rng) {
                continue;
            }
            let info = F::describe(target);
            // What sanitizers report is a bug of pathsmith, whatever compilers do.
            if info.setting.is_sanitizer() {
                continue;
            }
            let known = self.memory.known(batch, &info);
            let flags: BTreeSet<Vec<String>> =
                known.iter().filter_map(|bug| bug.condition.words()).collect();
            if !flags.is_empty() {
                let words: Vec<String> = flags.into_iter().flatten().collect();
                *target = F::without_known_bugs(target, &words);
            }
        }
        targets
    }

    /// Checks that targets take the flags, and have the settings, of bugs that are known.
    ///
    /// # Errors
    /// If one does not: what it then said of programs would be no finding.
    pub fn check_known(&self, bugs: &[KnownBug]) -> Result<(), CampaignError> {
        let mut checked = BTreeSet::new();
        for target in self.family.targets(self.seed, 0) {
            let info = F::describe(&target);
            for bug in bugs.iter().filter(|bug| !bug.off && bug.is_of(&info)) {
                if !checked.insert((info.name.clone(), bug.name.clone())) {
                    continue;
                }
                let is_fit = match &bug.condition {
                    Condition::Flags(_) => {
                        let words = bug.condition.words().unwrap_or_default();
                        F::takes_flags(&F::without_known_bugs(&target, &words), &self.stop)?
                    }
                    Condition::Setting(name) => F::in_setting(&target, name).is_some(),
                    Condition::Lowering(text) => {
                        let options = Options::<F>::default();
                        text.parse().is_ok_and(|it: Variation| it.of(&options, 1).is_ok())
                    }
                    Condition::Crash(_) => true,
                };
                if !is_fit {
                    let (name, target) = (&bug.name, &info.name);
                    return Err(CampaignError::Request(format!(
                        "the known bug `{name}`: {target} does not take its condition"
                    )));
                }
            }
        }
        Ok(())
    }
}

//! Guidance: which cases show a feature that none before them did. Features are what a compiler says
//! that it has done, what it has emitted, and what an instrumented target has covered.

use std::collections::BTreeSet;
use std::sync::Arc;

use pathsmith_oracles::covered_edges;
use pathsmith_symlang::Seed;
use pathsmith_symlang::choose::{choose_below, choose_share};

use crate::batch::{Batch, Case};
use crate::campaign::{Campaign, Worker};
use crate::error::CampaignError;
use crate::family::{Artifact, Family, Options};
use crate::finding::SerializeError;
use crate::growth::Grown;
use crate::language::OptionSource;
use crate::registry::entry;
use crate::stats::{Purpose, Stats};

impl<F: Family> Worker<'_, F> {
    /// Looks at some batches, and returns the cases that show features that are news to them.
    pub(crate) fn look_for_features(
        &mut self,
        batch: &Batch,
        options: &Options<F>,
        artifact: &Artifact<F>,
        stats: &mut Stats,
    ) -> Result<Vec<Grown>, CampaignError> {
        let campaign = self.campaign;
        let config = &campaign.plan.mutate;
        let mut rng = Seed::new(campaign.seed).child("guide").nth(self.batch).rng();
        let sampled = if config.guidance { config.sampled } else { 0.0 };
        // What is only compiled has no realizations that variants could keep.
        let is_useful = config.share > 0.0 && !campaign.plan.generate.crash_only;
        if !is_useful || batch.cases.is_empty() || !choose_share(sampled, &mut rng) {
            return Ok(Vec::new());
        }
        let targets = campaign.targets(self.batch);
        let mut features: Vec<BTreeSet<String>> = vec![BTreeSet::new(); batch.cases.len()];
        let mut has_any = !config.coverage.is_empty();
        if !targets.is_empty() {
            let target = &targets[choose_below(targets.len(), &mut rng)];
            let limits = &campaign.limits;
            if let Some(found) = F::features(&mut self.oracle, artifact, target, limits)? {
                has_any = true;
                for (case, features) in std::iter::zip(&batch.cases, &mut features) {
                    let own = found.get(case.functions.clone()).unwrap_or_default();
                    features.extend(own.iter().flatten().cloned());
                }
            }
        }
        for (case, features) in std::iter::zip(&batch.cases, &mut features) {
            features.extend(self.covered(case, options)?);
        }
        self.spend(Purpose::Guide);
        stats.n_looked_at += u64::from(has_any);
        let known = campaign.memory.features(self.batch);
        Ok(news(self.batch, &batch.cases, features, &known))
    }

    /// The edges of an instrumented target that a case covers, if the config has one.
    fn covered(
        &mut self,
        case: &Case,
        options: &Options<F>,
    ) -> Result<BTreeSet<String>, CampaignError> {
        let campaign = self.campaign;
        let command = &campaign.plan.mutate.coverage;
        if command.is_empty() {
            return Ok(BTreeSet::new());
        }
        let options = Campaign::<F>::restricted(options, std::slice::from_ref(case));
        let options =
            serde_json::to_string(&options).map_err(SerializeError::of("lowering options"))?;
        let language = entry(F::FAMILY).language();
        let Some(format) = language.formats().first() else { return Ok(BTreeSet::new()) };
        let emitted = language.emit(&case.program, OptionSource::Json(&options), format);
        // Whatever it is, it shows when the batch is run.
        let Ok(emitted) = emitted else { return Ok(BTreeSet::new()) };
        let files: Vec<(&str, &[u8])> =
            emitted.files.iter().map(|file| (&file.name[..], &file.bytes[..])).collect();
        let covered = covered_edges(command, &files, &campaign.limits, &campaign.stop)?;
        self.spend_time(Purpose::Guide, covered.cpu);
        Ok(covered.edges.into_iter().map(|edge| format!("edge: {edge}")).collect())
    }
}

/// The cases of a batch that show something that neither `known` nor a case before them has.
fn news(
    batch: u64,
    cases: &[Case],
    features: Vec<BTreeSet<String>>,
    known: &BTreeSet<String>,
) -> Vec<Grown> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut grown = Vec::new();
    for (case, features) in std::iter::zip(cases, features) {
        let is_new = |name: &String| !known.contains(name) && !seen.contains(name);
        let new: Vec<String> = features.into_iter().filter(is_new).collect();
        if new.is_empty() {
            continue;
        }
        seen.extend(new.iter().cloned());
        let (number, variant) = (case.number, case.variant);
        let program = Arc::new(case.program.clone());
        grown.push(Grown { batch, number, variant, program, features: new });
    }
    grown
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::Program;

    use super::*;

    #[test]
    fn the_first_case_with_something_new_is_news() {
        let mut batch = Batch::default();
        (0..4).for_each(|number| batch.add(number, Program::default()));
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let features = vec![set(&["a"]), set(&["a", "b"]), set(&["b"]), set(&["b", "c"])];
        let grown = news(7, &batch.cases, features, &set(&["a"]));
        let found: Vec<(u64, &[String])> =
            grown.iter().map(|case| (case.number, &case.features[..])).collect();
        assert_eq!(found, [(1, &["b".to_owned()][..]), (3, &["c".to_owned()][..])]);
    }
}

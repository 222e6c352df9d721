//! What campaigns took their CPU time for, and which arms showed new bugs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::any_campaign::remember;
use crate::error::CampaignError;
use crate::family::TargetFamily;
use crate::registry::{Env, campaigns_without_targets};
use crate::shares::{mutation_share, share};
use crate::stats::{Purposes, TransformStats};
use crate::store::Store;

/// A campaign against one target family.
#[derive(Clone, Debug)]
pub struct ArmStats {
    /// The campaign's folder.
    pub folder: PathBuf,
    /// The target family.
    pub family: TargetFamily,
    /// The CPU time, by what it was for.
    pub purposes: Purposes,
    /// The same, without the first 30 minutes of CPU time.
    pub late: Purposes,
    /// How many failures were of known bugs.
    pub n_known: usize,
    /// Whether shares are adaptive.
    pub is_adaptive: bool,
    /// The arms, by name.
    pub arms: Vec<ArmLine>,
    /// Its variants.
    pub variants: VariantStats,
}

/// What a campaign has made of variants and guidance.
#[derive(Clone, Debug, Default)]
pub struct VariantStats {
    /// How many cases there are.
    pub n_cases: u64,
    /// How many of them are variants.
    pub n_variants: u64,
    /// How many were to be, but no transform applied to them.
    pub n_without_variant: u64,
    /// What came of the attempts of each transform.
    pub transforms: BTreeMap<String, TransformStats>,
    /// How many batches are done.
    pub n_batches: u64,
    /// How many of them were looked at for new features.
    pub n_looked_at: u64,
    /// How many features of each kind there are.
    pub kinds: BTreeMap<String, usize>,
    /// For each batch that showed something new: its number, how many features, how many programs.
    pub growth: Vec<(u64, usize, usize)>,
}

impl VariantStats {
    /// How many features and programs there were before a batch.
    pub fn grown_before(&self, batch: u64) -> (usize, usize) {
        let before = self.growth.iter().take_while(|(number, ..)| *number < batch);
        before.fold((0, 0), |(n, m), (_, features, programs)| (n + features, m + programs))
    }
}

/// What was drawn for some functions, and what these showed.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmLine {
    /// Its name: `theme:loops`.
    pub arm: String,
    /// How many functions it was drawn for.
    pub n_functions: u64,
    /// How many new bugs they showed.
    pub n_new: u64,
    /// Its share in the config.
    pub base: Option<f64>,
    /// Its share by now.
    pub share: Option<f64>,
}

impl ArmStats {
    /// Those of some campaigns, in order.
    ///
    /// # Errors
    /// If a store cannot be read.
    pub fn of_campaigns(folders: &[PathBuf], env: &Env) -> Result<Vec<Self>, CampaignError> {
        let mut all = Vec::new();
        for folder in folders {
            let store = Store::read(folder)?;
            let config = store.header()?.config;
            let sightings = store.sightings()?;
            for campaign in campaigns_without_targets(&config, env)? {
                remember(&store, &*campaign)?;
                let family = campaign.family();
                let (done, stats) = store.progress(family)?;
                let now = campaign.plan(done.below);
                let share_in = |generate, mutate, arm: &str| {
                    share(generate, arm).or_else(|| mutation_share(mutate, arm))
                };
                let new = campaign.memory().new_bugs();
                let line = |(arm, n): (&String, &u64)| ArmLine {
                    arm: arm.clone(),
                    n_functions: *n,
                    n_new: new.iter().filter(|bug| bug.arms.contains(arm)).count() as u64,
                    base: share_in(&config.generate, &config.mutate, arm),
                    share: share_in(&now.generate, &now.mutate, arm),
                };
                let variants = VariantStats {
                    n_cases: stats.n_cases,
                    n_variants: stats.n_variants,
                    n_without_variant: stats.n_without_variant,
                    transforms: stats.transforms,
                    n_batches: stats.n_batches,
                    n_looked_at: stats.n_looked_at,
                    kinds: campaign.memory().feature_kinds(),
                    growth: campaign.memory().growth(),
                };
                all.push(Self {
                    folder: folder.clone(),
                    family,
                    purposes: stats.purposes,
                    late: stats.late,
                    n_known: sightings.iter().filter(|it| it.family == family).count(),
                    is_adaptive: config.campaign.adaptive,
                    arms: stats.arms.iter().map(line).collect(),
                    variants,
                });
            }
        }
        Ok(all)
    }
}

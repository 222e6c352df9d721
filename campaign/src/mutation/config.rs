//! Which share of a campaign's cases are variants, and of what.

use pathsmith_mutate::{MutateConfig, MutateConfigError};
use pathsmith_symlang::knobs::KnobError;
use thiserror::Error;

use super::corpus_source::CorpusSource;
use super::origin::ParentKind;

pathsmith_symlang::knobs! {
    /// Which share of a campaign's cases are variants, and of what. All numbers are guesses.
    pub struct MutationConfig {
        /// Share of cases that are variants.
        share: share = 0.25;
        /// Weight of what is generated for the case, among the programs that variants are made of.
        generated: f64 = 0.5, in 0.0..=1000.0;
        /// Weight of the corpus: the programs that ship with pathsmith, and those of `--corpus`.
        corpus: f64 = 0.25, in 0.0..=1000.0;
        /// Whether the programs that ship with pathsmith are in the corpus.
        shipped: bool = true;
        /// Further programs of the corpus: those of `--corpus`.
        own: Vec<CorpusSource> = Vec::new();
        /// Weight of programs that have shown a bug in this campaign.
        findings: f64 = 0.1, in 0.0..=1000.0;
        /// Weight of programs that have shown a new feature in this campaign.
        grown: f64 = 0.15, in 0.0..=1000.0;
        /// How many of those there are: the last ones.
        max_grown: u32 = 256, in 1..=100_000;
        /// Whether programs that show new features are looked for: what compilers say that they have
        /// done, and what they have emitted.
        guidance: bool = true;
        /// Share of batches that are looked at for that.
        sampled: share = 0.05;
        /// A command that is run with the files of each case of those batches, and prints what the case
        /// covers in an instrumented target: one name for each edge, one on a line.
        coverage: Vec<String> = Vec::new();
        /// Which transforms make variants, and how many of them.
        variants: MutateConfig = MutateConfig::default();
    }
}

/// Why a [`MutationConfig`] makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum MutationConfigError {
    /// A setting is out of its bounds.
    #[error(transparent)]
    Knob(#[from] KnobError),
    /// How variants are made.
    #[error("in the section `variants`: {0}")]
    Variants(#[from] MutateConfigError),
}

impl MutationConfig {
    /// Checks that everything makes sense.
    ///
    /// # Errors
    /// The first setting that does not.
    pub fn validate(&self) -> Result<(), MutationConfigError> {
        self.check_knobs()?;
        Ok(self.variants.validate()?)
    }

    /// The weight of a kind of parents.
    pub(crate) const fn weight(&self, kind: ParentKind) -> f64 {
        match kind {
            ParentKind::Generated => self.generated,
            ParentKind::Corpus => self.corpus,
            ParentKind::Finding => self.findings,
            ParentKind::Grown => self.grown,
        }
    }

    /// The same, to be changed.
    pub(crate) const fn weight_mut(&mut self, kind: ParentKind) -> &mut f64 {
        match kind {
            ParentKind::Generated => &mut self.generated,
            ParentKind::Corpus => &mut self.corpus,
            ParentKind::Finding => &mut self.findings,
            ParentKind::Grown => &mut self.grown,
        }
    }
}

//! The programs that variants can be made of.

use std::sync::Arc;

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::Program;
use rand::RngExt;

use super::config::MutationConfig;
use super::origin::{Parent, ParentKind};

/// A program that variants can be made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// What it is.
    pub parent: Parent,
    /// The program.
    pub program: Arc<Program>,
}

/// All that a batch knows.
#[derive(Clone, Debug, Default)]
pub struct Parents {
    /// The corpus.
    pub corpus: Arc<Vec<Known>>,
    /// Programs that have shown a bug.
    pub findings: Vec<Known>,
    /// Programs that have shown a new feature.
    pub grown: Vec<Known>,
}

impl Parents {
    /// Those of a kind; nothing for what is generated.
    fn of(&self, kind: ParentKind) -> &[Known] {
        match kind {
            ParentKind::Generated => &[],
            ParentKind::Corpus => &self.corpus,
            ParentKind::Finding => &self.findings,
            ParentKind::Grown => &self.grown,
        }
    }

    /// Draws one of them. `None` stands for what is generated for the case.
    pub(crate) fn choose(&self, config: &MutationConfig, rng: &mut Rng) -> Option<&Known> {
        let weight = |kind: ParentKind| match kind {
            ParentKind::Corpus | ParentKind::Finding | ParentKind::Grown
                if self.of(kind).is_empty() =>
            {
                0.0
            }
            ParentKind::Generated
            | ParentKind::Corpus
            | ParentKind::Finding
            | ParentKind::Grown => config.weight(kind),
        };
        let all: f64 = ParentKind::ALL.into_iter().map(weight).sum();
        let mut at = rng.random::<f64>() * all;
        let kind = ParentKind::ALL.into_iter().find(|kind| {
            at -= weight(*kind);
            at < 0.0
        });
        let known = self.of(kind.unwrap_or(ParentKind::Generated));
        (!known.is_empty()).then(|| &known[choose_below(known.len(), rng)])
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::Seed;

    use super::*;

    #[test]
    fn only_what_is_there_is_drawn_and_by_its_weight() {
        let known = |name: &str| Known {
            parent: Parent::Corpus { name: name.to_owned() },
            program: Arc::default(),
        };
        let mut config =
            MutationConfig { generated: 1.0, corpus: 3.0, ..MutationConfig::default() };
        let mut rng = Seed::new(1).rng();
        assert!(Parents::default().choose(&config, &mut rng).is_none());
        let parents =
            Parents { corpus: Arc::new(vec![known("a"), known("b")]), ..Parents::default() };
        let n = (0..1000).filter(|_| parents.choose(&config, &mut rng).is_some()).count();
        assert!((700..800).contains(&n), "{n}");
        config.generated = 0.0;
        assert!((0..100).all(|_| parents.choose(&config, &mut rng).is_some()));
        config.corpus = 0.0;
        assert!(parents.choose(&config, &mut rng).is_none());
    }
}

//! The corpus that a campaign begins with: the programs that ship with pathsmith, and those of a
//! folder.

use std::sync::Arc;

use pathsmith_mutate::{Corpus, CorpusText, Unusable};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

use crate::error::CampaignError;
use crate::mutation::config::MutationConfig;
use crate::mutation::corpus_source::CorpusSource;
use crate::mutation::origin::Parent;
use crate::mutation::parents::Known;
use crate::mutation::variant::variant_limits;

/// What a campaign can use of its corpus.
#[derive(Debug, Default)]
pub(crate) struct UsableCorpus {
    /// The programs.
    pub(crate) known: Vec<Known>,
    /// Which of the user's programs are left out, and why.
    pub(crate) notes: Vec<String>,
}

/// What can be used in a dialect: each with realizations that hold.
///
/// # Errors
/// If a program of the user is malformed, or none of them can be used in any way.
pub(crate) fn corpus_of(
    config: &MutationConfig,
    dialect: Dialect,
    seed: u64,
) -> Result<UsableCorpus, CampaignError> {
    let (limits, seed) = (variant_limits(), Seed::new(seed).child("corpus"));
    let mut found = UsableCorpus::default();
    if config.share == 0.0 {
        return Ok(found);
    }
    let text = |source: &CorpusSource| {
        let CorpusSource { name, file, text } = source.clone();
        CorpusText { name, file, text }
    };
    let own = Corpus::from_texts(config.own.iter().map(text))?;
    let shipped = config.shipped.then(Corpus::shipped);
    for corpus in shipped.into_iter().chain([&own]) {
        let (usable, unusable) = corpus.usable(dialect, limits, seed);
        found.known.extend(usable.into_iter().map(|usable| Known {
            parent: Parent::Corpus { name: usable.entry.name.clone() },
            program: Arc::new(usable.program),
        }));
        for (entry, why) in unusable {
            let is_of_others = matches!(why, Unusable::OtherDialect(_));
            let is_own = config.own.iter().any(|source| source.name == entry.name);
            if is_own && !is_of_others {
                found.notes.push(format!("{}: left out of the corpus: {why}", entry.origin));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(texts: &[(&str, &str)]) -> MutationConfig {
        let source = |(name, text): &(&str, &str)| CorpusSource {
            name: (*name).to_owned(),
            file: format!("corpus/{name}.sym"),
            text: (*text).to_owned(),
        };
        let own = texts.iter().map(source).collect();
        MutationConfig { shipped: false, own, ..MutationConfig::default() }
    }

    #[test]
    fn what_cannot_be_used_is_said() {
        let good = ("good", "fn f(a: i32) -> i32 { e: return a ^ 1; }");
        let wasm = ("wasm", "dialect wasm; fn f(a: i32) -> i32 { e: return a + 1; }");
        let wrong = ("wrong", "fn f(a: i32) -> i32 { e: return a; } realize f(1) = 2 via e;");
        let found = corpus_of(&config(&[good, wasm, wrong]), Dialect::C, 1).unwrap();
        assert_eq!(found.known.len(), 1);
        assert!(!found.known[0].program.functions[0].realizations.is_empty());
        let [note] = &found.notes[..] else { panic!("{:?}", found.notes) };
        assert!(note.starts_with("corpus/wrong.sym: left out of the corpus: "), "{note}");
        let malformed = ("malformed", "fn f( -> i32 { e: return 1; }");
        let error = corpus_of(&config(&[malformed]), Dialect::C, 1).unwrap_err().to_string();
        assert!(error.contains("corpus/malformed.sym: one problem"), "{error}");
    }
}

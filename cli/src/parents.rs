//! The programs that variants are made of.

use pathsmith_campaign::read_corpus_folder;
use pathsmith_mutate::{Corpus, CorpusEntry, Origin, Unusable};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::Program;

use crate::errors::{Failure, note};
use crate::input::Input;
use crate::options::RunOptions;

/// A program with a name for the files of its variants.
#[derive(Debug)]
pub(crate) struct Parent {
    pub(crate) name: String,
    pub(crate) program: Program,
}

/// Reads files and folders, and adds the corpus that ships with pathsmith if asked. All programs have
/// a dialect, and realizations that hold: those of their text, or drawn ones.
///
/// A file that is of no use is an error. In a folder or in the corpus, it is reported and left out,
/// unless no program is left.
pub(crate) fn read_parents(
    inputs: &[Input],
    with_corpus: bool,
    run: &RunOptions,
    seed: Seed,
) -> Result<Vec<Parent>, Failure> {
    let mut corpus = Corpus::default();
    let mut is_named = Vec::new();
    for input in inputs {
        let n_before = corpus.entries().len();
        if let Some(folder) = input.folder() {
            for entry in read_corpus_folder(folder)?.entries() {
                corpus.add(entry.clone())?;
            }
        } else {
            let bytes = input.read()?;
            let program = input.parsed(&bytes)?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let origin = Origin::File(input.name());
            corpus.add(CorpusEntry { name: input.stem(), origin, text, program })?;
        }
        let n_added = corpus.entries().len() - n_before;
        is_named.resize(is_named.len() + n_added, input.folder().is_none());
    }
    if with_corpus {
        for entry in Corpus::shipped().entries() {
            corpus.add(entry.clone())?;
            is_named.push(false);
        }
    }
    let mut parents = Vec::new();
    let mut last_failure = None;
    for (entry, is_named) in std::iter::zip(corpus.entries(), is_named) {
        match ready(entry, run, seed) {
            Ok(program) => parents.push(Parent { name: entry.name.clone(), program }),
            Err(Unusable::OtherDialect(_)) if entry.origin == Origin::Shipped => {}
            Err(why) => {
                let message = format!("{}: {why}", entry.origin);
                if is_named {
                    return Err(Failure::Input(message));
                }
                note(&message);
                last_failure = Some(message);
            }
        }
    }
    match (parents.is_empty(), last_failure) {
        (true, Some(message)) => Err(Failure::Input(message)),
        (true, None) => Err(Failure::Usage("there is no program to mutate".to_owned())),
        (false, _) => Ok(parents),
    }
}

/// The program in the dialect that the command line says, or its text, or else in C. The command
/// line overrides a file, but not the corpus, in which a program says a dialect if it needs it.
fn ready(entry: &CorpusEntry, run: &RunOptions, seed: Seed) -> Result<Program, Unusable> {
    let dialect = run.dialect(&entry.program);
    let mut entry = entry.clone();
    if entry.origin != Origin::Shipped {
        entry.program.dialect = Some(dialect);
    }
    entry.in_dialect(dialect, run.limits(), seed)
}

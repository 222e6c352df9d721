//! `pathsmith corpus`

use std::io::Write;

use pathsmith_mutate::{Corpus, CorpusEntry, Report};

use crate::errors::Failure;
use crate::output::{OutputArgs, written};

/// List the programs that ship with pathsmith for mutation, or print one
///
/// Each is distilled from a bug report of a compiler, an engine or a JVM (docs/mutation.md). Without
/// arguments, all are listed with their reports; a NAME prints the text of that program. `mutate
/// --corpus` makes variants of them.
///
/// Examples:
///   pathsmith corpus
///   pathsmith corpus zero_less_half
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The program to print
    name: Option<String>,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let corpus = Corpus::shipped();
    let Some(name) = &args.name else {
        return args.output.write(|out| list(corpus.entries(), out));
    };
    let Some(entry) = corpus.named(name) else {
        return Err(Failure::Usage(format!(
            "there is no program `{name}` in the corpus; `pathsmith corpus` lists them"
        )));
    };
    args.output.write_text(&entry.text)
}

fn list(entries: &[CorpusEntry], out: &mut dyn Write) -> Result<(), Failure> {
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    for entry in entries {
        for (nth, report) in entry.reports().iter().enumerate() {
            let name = if nth == 0 { &entry.name[..] } else { "" };
            let Report { about, .. } = report;
            let source = report.to_string();
            written(writeln!(out, "{name:width$}  {source:16}  {about}"))?;
        }
    }
    Ok(())
}

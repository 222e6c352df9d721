//! `pathsmith man`

use std::path::PathBuf;

use clap_mangen::Man;

use crate::errors::Failure;
use crate::output::{OutputArgs, written};

/// Write man pages: one for pathsmith, and one for each command
///
/// Examples:
///   pathsmith man --dir ~/.local/share/man/man1 && man pathsmith-fuzz
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The folder that they are written to, which is created if it is not there
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    dir: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let dir = &args.dir;
    std::fs::create_dir_all(dir).map_err(|source| {
        Failure::io(format!("cannot create the folder {}", dir.display()), source)
    })?;
    let mut program = crate::command().disable_help_subcommand(true);
    program.build();
    let commands = program.get_subcommands().cloned().collect::<Vec<_>>();
    for command in std::iter::once(program).chain(commands) {
        let page = Man::new(command);
        let mut text = Vec::new();
        written(page.render(&mut text))?;
        let text = with_examples(&String::from_utf8_lossy(&text));
        OutputArgs::to(dir.join(page.get_filename())).write_text(&text)?;
    }
    Ok(())
}

/// The page, with indented lines as they are: examples are not to be filled.
fn with_examples(page: &str) -> String {
    let mut out = String::new();
    let mut is_example = false;
    for line in page.lines() {
        if line.starts_with("  ") != is_example {
            is_example = !is_example;
            out += if is_example { ".nf\n" } else { ".fi\n" };
        }
        out += line;
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_keep_their_lines() {
        let page = "Text\n.PP\nExamples:\n  pathsmith gen\n  pathsmith fuzz\n.SH NEXT\n";
        let expected =
            "Text\n.PP\nExamples:\n.nf\n  pathsmith gen\n  pathsmith fuzz\n.fi\n.SH NEXT\n";
        assert_eq!(with_examples(page), expected);
    }
}

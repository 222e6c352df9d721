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
        // Wide lines suit a terminal; a man page has its own width.
        let page = Man::new(command);
        let mut text = Vec::new();
        written(page.render(&mut text))?;
        OutputArgs::to(dir.join(page.get_filename())).write_bytes(&text)?;
    }
    Ok(())
}

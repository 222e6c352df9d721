//! `pathsmith completions`

use clap_complete::env::Shells;

use crate::errors::Failure;
use crate::output::{OutputArgs, written};

/// The environment variable by which a shell asks this program for completions.
pub(crate) const VARIABLE: &str = "PATHSMITH_COMPLETE";

/// Print a script that teaches a shell to complete pathsmith's commands, options, values, and the
/// keys of --set
///
/// The script asks the `pathsmith` on PATH each time, so it need not be renewed with a new version.
///
/// Examples:
///   pathsmith completions bash -o ~/.local/share/bash-completion/completions/pathsmith
///   pathsmith completions zsh -o ~/.zfunc/_pathsmith
///   pathsmith completions fish -o ~/.config/fish/completions/pathsmith.fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_parser = ["bash", "elvish", "fish", "powershell", "zsh"])]
    shell: String,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let shells = Shells::builtins();
    let Some(shell) = shells.completer(&args.shell) else {
        return Err(Failure::Usage(format!("there are no completions for {}", args.shell)));
    };
    args.output.write(|out| {
        let mut script = Vec::new();
        let name = "pathsmith";
        written(shell.write_registration(VARIABLE, name, name, name, &mut script))?;
        written(out.write_all(&script))
    })
}

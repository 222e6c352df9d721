//! `pathsmith completions`

use clap::CommandFactory;
use clap_complete::Shell;

use crate::errors::Failure;
use crate::output::OutputArgs;

/// Print a script that teaches a shell to complete pathsmith's commands and options
///
/// For bash: pathsmith completions bash -o ~/.local/share/bash-completion/completions/pathsmith
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    args.output.write(|out| {
        let mut script = Vec::new();
        clap_complete::generate(args.shell, &mut crate::Cli::command(), "pathsmith", &mut script);
        crate::output::written(out.write_all(&script))
    })
}

//! The `pathsmith` binary: arguments, files and messages. Everything else is in the libraries.

mod bench;
mod bisect;
mod check;
mod completions;
mod config;
mod corpus;
mod diff;
mod engine;
mod errors;
mod fuzz;
mod r#gen;
mod input;
mod link;
mod lower;
mod man;
mod mutate;
mod options;
mod output;
mod parallel;
mod parents;
mod profile;
mod reduce;
mod replay;
mod report;
mod run;
mod sample;
mod shape;
mod show;
mod sketch;
mod solve;
mod stats;
mod templates;
mod terminal;
mod triage;
mod trust;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::{ArgValueCompleter, CompleteEnv};

use crate::errors::ColorChoice;

/// The generator makes many small trees; the system's allocator takes noticeably longer.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Generates programs whose path and output are known before any compiler sees them.
///
/// pathsmith takes a control-flow graph (what a program can do) and an execution path through it
/// (what it does do), and generates a program, an input and the expected output. A compiler, engine
/// or virtual machine that disagrees has a bug.
///
/// Output goes to standard output, or to the file that -o names; messages go to standard error. A
/// FILE of `-` is standard input.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, after_long_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to colour messages
    #[arg(long, value_enum, global = true, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
}

/// Shown at the end of `--help`.
const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  a negative result: a realization does not hold, a run did not return, something was found, or
     there are differences
  2  the command line is wrong
  3  an input is malformed or breaks a rule
  4  a file could not be read or written
  5  a target, or what running one takes, does not work
  6  something was found that is a possible bug of pathsmith
  130  interrupted

A first tour:
  pathsmith shape --seed 3 --min-len 20 | pathsmith show - --format svg -o shape.svg
  pathsmith check docs/examples/figure1.sym
  pathsmith run docs/examples/figure1.sym --trace";

#[derive(Debug, Subcommand)]
enum Command {
    Shape(Box<shape::Args>),
    Check(check::Args),
    Run(run::Args),
    Fuzz(fuzz::Args),
    Triage(triage::Args),
    Reduce(reduce::Args),
    Report(report::Args),
    Replay(replay::Args),
    Bisect(bisect::Args),
    Gen(r#gen::Args),
    Diff(diff::Args),
    Sketch(sketch::Args),
    Solve(solve::Args),
    Link(link::Args),
    Mutate(mutate::Args),
    Profile(profile::Args),
    Corpus(corpus::Args),
    Bench(bench::Args),
    Stats(stats::Args),
    Templates(templates::Args),
    Lower(lower::Args),
    Engine(engine::Args),
    Show(show::Args),
    Sample(sample::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// The command line, with what shells complete.
fn command() -> clap::Command {
    let complete_keys = |command: clap::Command| {
        let keys = match command.get_name() {
            "fuzz" => ArgValueCompleter::new(config::fuzz_keys),
            "mutate" => ArgValueCompleter::new(config::mutate_keys),
            _ => ArgValueCompleter::new(config::gen_keys),
        };
        let has_settings = command.get_arguments().any(|arg| arg.get_id() == "settings");
        match has_settings {
            true => command.mut_arg("settings", |arg| arg.add(keys)),
            false => command,
        }
    };
    Cli::command().mut_subcommands(complete_keys)
}

fn main() -> ExitCode {
    // If a shell asks, this answers and ends the process.
    CompleteEnv::with_factory(command).var(completions::VARIABLE).complete();
    let matches = Cli::command().get_matches();
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let result = match &cli.command {
        Command::Shape(args) => shape::run(args),
        Command::Check(args) => check::run(args),
        Command::Run(args) => run::run(args),
        Command::Fuzz(args) => fuzz::run(args),
        Command::Triage(args) => triage::run(args),
        Command::Reduce(args) => reduce::run(args),
        Command::Report(args) => report::run(args),
        Command::Replay(args) => replay::run(args),
        Command::Bisect(args) => bisect::run(args),
        Command::Gen(args) => r#gen::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Sketch(args) => sketch::run(args),
        Command::Solve(args) => solve::run(args),
        Command::Link(args) => link::run(args),
        Command::Mutate(args) => mutate::run(args),
        Command::Profile(args) => profile::run(args),
        Command::Corpus(args) => corpus::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Stats(args) => stats::run(args),
        Command::Templates(args) => templates::run(args),
        Command::Engine(args) => engine::run(args),
        Command::Lower(args) => lower::run(args),
        Command::Show(args) => show::run(args),
        Command::Sample(args) => sample::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(cli.color),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_well_formed() {
        super::command().debug_assert();
    }
}

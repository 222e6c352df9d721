//! `pathsmith reduce`

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pathsmith_campaign::{
    Env, Saved, SavedReduction, Store, Time, bug_of_program, campaign_of, findings_in, reduce_saved,
};
use pathsmith_oracles::c::ReducedSource;

use crate::errors::{Failure, note};
use crate::fuzz::env;
use crate::input::Input;
use crate::output::OutputArgs;
use crate::parallel::{Progress, n_jobs, parse_jobs};
use crate::trust::TrustArgs;

/// Reduce a finding to a smaller program that still shows it
///
/// Takes the folder of a finding, or of a campaign, which stands for the smallest finding of each
/// of its clusters that is not reduced yet. Tries smaller programs, simpler lowering options and
/// fewer flags. The interpreter runs each program first: it computes the expected output and
/// rejects undefined behaviour; only then does the target run. The result goes to the folder
/// `reduced` in the finding's. A reduction that is stopped with Ctrl-C resumes when the command is
/// given again; one that is finished is not repeated.
///
/// For a C compiler, the folder then has `bug.c`, a file that a person could have written, which
/// shows the bug without a harness. It is written only if the compiler gets it wrong twice in a row,
/// all C compilers of this machine get it right without optimization, and their sanitizers report
/// nothing. For a WebAssembly engine, it has `bug.wat` and `bug.wasm`, which import nothing, and
/// which another engine gets right; for a JVM, `bug.jasm` and `Bug.class`, which has a `main`, and
/// which the interpreters of all JVMs at hand get right.
///
/// With --target, takes a program instead that a target gets wrong, and prints that file.
///
/// Examples:
///   pathsmith reduce findings/f168-gcc-12-O2-wrong-result
///   pathsmith reduce findings
///   pathsmith reduce docs/findings/gcc-12-strength-reduction.sym --target gcc-12 -o bug.c
///   pathsmith reduce docs/findings/wasmi-2-select.sym --target wasmi -o bug.wat
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The folder of a finding, or of a campaign; with --target, a program
    folder: PathBuf,

    /// The compiler, engine or JVM that gets the program wrong
    #[arg(long, value_name = "COMMAND")]
    target: Option<String>,

    /// Flags for a C compiler that are tried after plain -O2, -O3, -O1 and -Os
    #[arg(
        long,
        value_name = "FLAGS",
        requires = "target",
        value_delimiter = ' ',
        allow_hyphen_values = true
    )]
    flags: Vec<String>,

    /// How many threads to use [default: one for each core]
    #[arg(short, long, value_name = "N", value_parser = parse_jobs)]
    jobs: Option<NonZeroUsize>,

    /// For C, reduce bug.c with cvise or creduce to reduced.c, for at most this time [default if no
    /// time is given: 10m]
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "10m")]
    source_reduce: Option<Time>,

    /// Start from the finding as it was found, whatever was reduced before
    #[arg(long, aliases = ["again", "force"])]
    restart: bool,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    trust: TrustArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let env = env()?;
    if let Some(target) = &args.target {
        return reduce_program(args, target, &env);
    }
    // It is only read until it is trusted.
    args.trust.check(&Store::read(&campaign_of(&args.folder)?)?)?;
    let (mut store, ids) = findings_in(&args.folder)?;
    if ids.is_empty() {
        note("everything is reduced");
    }
    for id in ids {
        let saved = store.finding(id)?;
        reduce(&mut store, &saved, args, &env)?;
        if env.stop.is_raised() {
            note("stopped; the same command resumes");
            return Err(Failure::NegativeResult);
        }
    }
    Ok(())
}

/// Prints a file that shows what a compiler does to a program.
fn reduce_program(args: &Args, target: &str, env: &Env) -> Result<(), Failure> {
    let program = Input::from(args.folder.clone().into_os_string()).program()?;
    let flags: Vec<String> = args.flags.iter().filter(|flag| !flag.is_empty()).cloned().collect();
    let bug = with_clock(target, || bug_of_program(&program, target, &flags, env))?;
    note(&bug.to_string());
    match bug.file {
        Some(file) => {
            args.output.write_text(&file.text)?;
            args.output.write_beside(&file.binaries)
        }
        None => Err(Failure::NegativeResult),
    }
}

/// Shows how long something takes that does not say how far it is.
fn with_clock<T>(target: &str, work: impl FnOnce() -> T) -> T {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let clock = scope.spawn(|| {
            let mut progress = Progress::new();
            while !is_done.load(Ordering::Relaxed) {
                let seconds = progress.seconds();
                progress.show(|| format!("looking for a small file for {target}: {seconds:.0} s"));
                std::thread::park_timeout(Duration::from_millis(500));
            }
            progress.clear();
        });
        let result = work();
        is_done.store(true, Ordering::Relaxed);
        clock.thread().unpark();
        result
    })
}

fn reduce(store: &mut Store, saved: &Saved, args: &Args, env: &Env) -> Result<(), Failure> {
    let (name, before) = (&saved.name, saved.finding.size());
    let mut progress = Progress::new();
    let reduced = reduce_saved(store, saved, args.restart, n_jobs(args.jobs), env, |reduced| {
        progress.show(|| {
            let (size, n) = (reduced.reduction.finding.size(), reduced.reduction.n_tests);
            format!("{name}: {size} of {before} statements after {n} tests: {}", reduced.pass)
        });
    });
    progress.clear();
    let reduced = reduced?;
    if reduced.was_done {
        note(&format!("{name} is reduced; --restart starts over"));
    }
    match &reduced.last {
        Some(last) if last.is_done => {
            let (size, n) = (last.finding.size(), last.n_tests);
            note(&format!("{name}: {size} of {before} statements left, after {n} tests"));
            note(&format!("{}", reduced.folder.display()));
            if let Some(bug) = &last.finding.bug {
                note(&bug.to_string());
            }
            if let Some(time) = args.source_reduce {
                reduce_source(&reduced, time, args)?;
            }
        }
        Some(_) => {}
        None if env.stop.is_raised() => {}
        None => note(&format!("{name}: this version cannot run it")),
    }
    Ok(())
}

/// Reduces the source text in the target language, if there are tools for it.
fn reduce_source(reduced: &SavedReduction, time: Time, args: &Args) -> Result<(), Failure> {
    let Some(last) = &reduced.last else { return Ok(()) };
    let source = reduced.campaign.source_reduce(&last.finding, n_jobs(args.jobs), time.0)?;
    let ReducedSource { tool, text, .. } = match source {
        Ok(source) => source,
        Err(why) => {
            note(&format!("the source is not reduced further: {why}"));
            return Ok(());
        }
    };
    OutputArgs::to(reduced.folder.join("reduced.c")).write_text(&text)?;
    note(&format!("{tool} left {} lines in reduced.c", text.lines().count()));
    Ok(())
}

//! A file that shows what a target does to a program that somebody has at hand.

use pathsmith_oracles::Limits;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;

use crate::bug_file::Bug;
use crate::config::FuzzConfig;
use crate::discover::{Discover, Env, TargetRequest};
use crate::error::CampaignError;
use crate::families::{Jvms, WasmEngines, bug_of_c_program};
use crate::family::Options;
use crate::lineup::IsAsked;
use crate::reproducer::Reproducer;

/// Looks for a file that shows that a target gets a program wrong. `flags` are for C compilers, where
/// plain levels of optimization do not show it.
///
/// # Errors
/// If the target cannot be used, or an oracle cannot work.
pub fn bug_of_program(
    program: &Program,
    target: &str,
    flags: &[String],
    env: &Env,
) -> Result<Bug, CampaignError> {
    let dialect = program.dialect.unwrap_or(Dialect::C);
    if dialect != Dialect::C && !flags.is_empty() {
        let message = format!("flags are for C compilers, and this program is for {dialect}");
        return Err(CampaignError::Request(message));
    }
    match dialect {
        Dialect::C => Ok(bug_of_c_program(program, target, flags, env)?),
        Dialect::Wasm => in_any_setting::<WasmEngines>(program, target, env),
        Dialect::Jvm => in_any_setting::<Jvms>(program, target, env),
    }
}

/// Tries the settings of a target until there is a file.
fn in_any_setting<F: Discover>(
    program: &Program,
    target: &str,
    env: &Env,
) -> Result<Bug, CampaignError>
where
    Options<F>: Default,
{
    let request = TargetRequest { targets: vec![target.to_owned()], sanitize: false };
    let mut last = Bug::none("the target gets the program right in all settings");
    let Some(family) = F::discover(&request, &FuzzConfig::default(), env)? else {
        return Ok(last);
    };
    let limits = Limits::default();
    let is_over = || env.stop.is_raised();
    let mut oracle = family.oracle(env.stop.clone())?;
    let lineups = family.lineups(IsAsked::Yes).into_iter();
    for (target, _) in lineups.flat_map(|lineup| lineup.settings) {
        let (program, options) = (program.clone(), Options::<F>::default());
        let reproducer = Reproducer::<F> { program, options, target };
        let Some((_, report)) = reproducer.run(&family, &mut oracle, &limits)? else { continue };
        if !report.verdict.is_finding() {
            continue;
        }
        let finding = reproducer.finding(report.verdict, &report)?;
        if let Some(bug) = family.bug(&finding, &mut oracle, &limits, &is_over)? {
            last = bug;
        }
        if last.file.is_some() || is_over() {
            break;
        }
    }
    Ok(last)
}

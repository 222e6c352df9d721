//! Bisecting the passes of gcc.
//!
//! gcc has no limit to bisect, as clang has. But each pass can be disabled by name
//! (`-fdisable-tree-slsr`), so all that come after a given one can be.

use super::trials::Trials;
use crate::oracle::{OracleError, StepError};
use crate::search::turning_point;

/// The groups of passes that a compiler without optimization does not go into.
const OPTIONAL_GROUPS: [&str; 2] = ["tree-early_optimizations", "*all_optimizations"];

/// Passes that others rely on, beginnings of their names. Without them, gcc crashes or miscompiles.
const ESSENTIAL: [&str; 21] = [
    "tree-early_optimizations",
    "tree-nothrow",
    "tree-fixup_cfg",
    "tree-fnsplit",
    "tree-loopinit",
    "tree-loopdone",
    "tree-loop",
    "tree-no_loop",
    "tree-veclower",
    "tree-cplxlower",
    "tree-profile",
    "tree-objsz",
    "tree-fab",
    "tree-nrv",
    "tree-sincos",
    "tree-switchlower",
    "tree-isel",
    "rtl-dfinit",
    "rtl-init-regs",
    "rtl-split",
    "rtl-loop2",
];

/// The pass that the finding is bisected to: with all optional passes after it disabled the finding
/// shows, and with this one disabled too it does not.
pub(super) fn bisected_pass(
    trials: &mut Trials<'_>,
    flags: &[String],
) -> Result<Option<String>, OracleError> {
    let with = listed(trials, flags)?;
    let without = listed(trials, &[flags, &["-O0".to_owned()]].concat())?;
    let optional = optional(&with, &without);
    let found = turning_point(optional.len(), |n_kept| {
        let disabled = optional[n_kept..].iter().map(|name| format!("-fdisable-{name}"));
        trials.with_flags(&flags.iter().cloned().chain(disabled).collect::<Vec<_>>())
    })?;
    Ok(found.and_then(|n_kept| optional.get(n_kept.checked_sub(1)?)).cloned())
}

/// A pass without its number, which says how many of its kind come before it.
pub(super) fn kind(pass: &str) -> &str {
    pass.trim_end_matches(|c: char| c.is_ascii_digit())
}

fn listed(trials: &mut Trials<'_>, flags: &[String]) -> Result<Vec<Pass>, OracleError> {
    // The output stays in the folder: as root, a device is not safe from a tool that removes it.
    let words = ["-fdump-passes", "-S", "-x", "c", "-", "-o", "empty.s"];
    let words = [flags, &words.map(str::to_owned)].concat();
    Ok(passes(&printed(trials, &words)?.1))
}

/// What the compiler prints with these arguments, on standard output and on standard error.
pub(super) fn printed(
    trials: &mut Trials<'_>,
    words: &[String],
) -> Result<(String, String), OracleError> {
    if !trials.budget.take() {
        return Ok(Default::default());
    }
    let dir = trials.oracle.fresh_folder()?;
    let command = trials.target.toolchain.line(dir.path()).args(words);
    let limits = trials.limits;
    let ended = match trials.oracle.run_command(&command, limits.compile_time, true, limits) {
        Ok(ended) => ended,
        Err(StepError::Verdict(_)) => return Ok(Default::default()),
        Err(StepError::Oracle(error)) => return Err(error),
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&ended.stdout), text(&ended.stderr)))
}

/// A pass as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pass {
    name: String,
    is_on: bool,
    /// Whether it is inside of a group that is optional.
    is_inside: bool,
}

/// Reads lines such as `      tree-slsr         :  ON`, nested by their indentation.
fn passes(listing: &str) -> Vec<Pass> {
    let mut passes = Vec::new();
    let mut around: Vec<(usize, bool)> = Vec::new();
    for line in listing.lines() {
        let Some((name, state)) = line.split_once(" :") else { continue };
        let depth = name.len() - name.trim_start().len();
        let name = name.trim().to_owned();
        while around.last().is_some_and(|(outer, _)| *outer >= depth) {
            around.pop();
        }
        let is_inside = around.iter().any(|(_, is_optional)| *is_optional);
        around.push((depth, OPTIONAL_GROUPS.contains(&&name[..])));
        passes.push(Pass { name, is_on: state.trim() == "ON", is_inside });
    }
    passes
}

/// The passes that can be disabled, in order: those of optional groups, and those that are off
/// without optimization.
fn optional(with: &[Pass], without: &[Pass]) -> Vec<String> {
    let is_off = |name: &str| without.iter().any(|pass| pass.name == name && !pass.is_on);
    let is_essential =
        |name: &str| ESSENTIAL.iter().any(|known| *known == name || *known == kind(name));
    let chosen = with.iter().filter(|pass| {
        let is_named = pass.name.starts_with("tree-") || pass.name.starts_with("rtl-");
        pass.is_on
            && is_named
            && !is_essential(&pass.name)
            && (pass.is_inside || is_off(&pass.name))
    });
    chosen.map(|pass| pass.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_that_can_be_disabled_are_read_from_listings() {
        let with = "   tree-lower                :  ON\n   \
            *all_optimizations           :  ON\n      \
               tree-ccp2                 :  ON\n      \
               tree-loop                 :  ON\n         \
                  tree-lim2              :  ON\n         \
                  tree-parloops2         :  OFF\n   \
            rtl-combine                  :  ON\n   \
            rtl-split2                   :  ON\n   \
            rtl-reload                   :  ON\n";
        let without = with
            .replace("rtl-combine                  :  ON", "rtl-combine                  :  OFF");
        let found = optional(&passes(with), &passes(&without));
        assert_eq!(found, ["tree-ccp2", "tree-lim2", "rtl-combine"]);
    }

    #[test]
    fn passes_of_a_kind_have_one_name() {
        assert_eq!(kind("tree-dom3"), "tree-dom");
        assert_eq!(kind("tree-slsr"), "tree-slsr");
    }
}

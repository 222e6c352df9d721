//! The flags of gcc that suppress a finding, each alone.

use super::passes::printed;
use super::trials::{Compiled, Trials};
use crate::oracle::OracleError;
use crate::search::singles;
use crate::signature::TrialOutcome;

/// How many flags that seldom matter are disabled at once. A guess.
const GROUP: usize = 12;

/// The flags that often change what is compiled, and are disabled one at a time. Trying the others
/// in groups takes half to two thirds of the compilations that it takes to try each alone
/// (measured).
///
/// A group that can be disabled without changing the objects has no suppressing flag in it, unless
/// one change undoes another to the byte. That disabling a group does not suppress the finding is
/// no such sign: in a finding with seven suppressing flags, groups of eight hid two of them.
const OFTEN: [&str; 26] = [
    "align-functions",
    "align-jumps",
    "align-loops",
    "asynchronous-unwind-tables",
    "cprop-registers",
    "guess-branch-probability",
    "inline",
    "omit-frame-pointer",
    "peephole2",
    "plt",
    "sched-critical-path-heuristic",
    "sched-dep-count-heuristic",
    "schedule-insns2",
    "toplevel-reorder",
    "tree-ch",
    "tree-coalesce-vars",
    "tree-forwprop",
    "tree-fre",
    "tree-loop-im",
    "tree-loop-optimize",
    "tree-loop-vectorize",
    "tree-pre",
    "tree-slsr",
    "tree-ter",
    "tree-vrp",
    "unswitch-loops",
];

/// Optimizations that prepare the ground for most others. Without them many a bug does not show, so
/// that they suppress a finding says little about it. A guess.
const BROAD: [&str; 36] = [
    "asynchronous-unwind-tables",
    "branch-count-reg",
    "compare-elim",
    "cprop-registers",
    "dce",
    "defer-pop",
    "dse",
    "early-inlining",
    "expensive-optimizations",
    "forward-propagate",
    "guess-branch-probability",
    "if-conversion",
    "inline",
    "inline-functions",
    "inline-functions-called-once",
    "inline-small-functions",
    "ipa-cp",
    "ipa-pure-const",
    "ipa-sra",
    "ipa-vrp",
    "omit-frame-pointer",
    "reorder-blocks",
    "toplevel-reorder",
    "tree-ccp",
    "tree-ch",
    "tree-coalesce-vars",
    "tree-copy-prop",
    "tree-dce",
    "tree-dominator-opts",
    "tree-forwprop",
    "tree-fre",
    "tree-loop-optimize",
    "tree-sra",
    "tree-ter",
    "tree-vrp",
    "unit-at-a-time",
];

/// Whether disabling an optimization hides findings of many bugs.
pub(super) fn is_broad(name: &str) -> bool {
    BROAD.contains(&name)
}

/// The optimizations that are on with `flags` and whose `-fno-` flag suppresses the finding: with
/// any one of them disabled, the compiler does what it should.
pub(super) fn suppressing_flags(
    trials: &mut Trials<'_>,
    flags: &[String],
) -> Result<Vec<String>, OracleError> {
    let Some(Compiled::Objects(base)) = trials.compiled(flags)? else { return Ok(Vec::new()) };
    let listing =
        printed(trials, &[&["-Q", "--help=optimizers"].map(str::to_owned), flags].concat())?;
    let names = enabled(&listing.0);
    let (often, seldom): (Vec<String>, Vec<String>) =
        names.iter().cloned().partition(|name| OFTEN.contains(&&name[..]));
    let mut changing = Vec::new();
    let mut is_change = |names: &[String]| -> Result<bool, OracleError> {
        let with = without(flags, names);
        Ok(match trials.compiled(&with)? {
            Some(Compiled::Objects(objects)) if objects == base => false,
            Some(Compiled::Objects(objects)) => {
                if let [name] = names {
                    changing.push((name.clone(), with, objects));
                }
                true
            }
            Some(Compiled::Not(_)) => true,
            None => false,
        })
    };
    for group in often.chunks(1).chain(seldom.chunks(GROUP)) {
        singles(group, &mut is_change)?;
    }
    // In the order in which the compiler lists them.
    changing.sort_by_key(|(name, ..)| names.iter().position(|known| known == name));
    let mut suppressing = Vec::new();
    for (name, flags, objects) in changing {
        if trials.run(&flags, objects)? == TrialOutcome::Passes {
            suppressing.push(name);
        }
    }
    Ok(suppressing)
}

fn without(flags: &[String], names: &[String]) -> Vec<String> {
    flags.iter().cloned().chain(names.iter().map(|name| format!("-fno-{name}"))).collect()
}

/// The optimizations that are enabled in gcc's listing.
fn enabled(listing: &str) -> Vec<String> {
    let on = listing.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let name = words.next()?.strip_prefix("-f")?;
        (words.next() == Some("[enabled]") && !name.contains('=')).then(|| name.to_owned())
    });
    on.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enabled_flags_are_read_from_a_listing() {
        let listing = "The following options control optimizations:\n  \
                       -O<number>\n  -faggressive-loop-optimizations \t[enabled]\n  \
                       -falign-functions \t\t[disabled]\n  -fvect-cost-model=cheap \t[enabled]\n";
        assert_eq!(enabled(listing), ["aggressive-loop-optimizations"]);
    }
}

//! A review as text.

use std::fmt::Write;

use pathsmith_oracles::{shown_line, shown_lines};

use super::classify::Aspect;
use super::compare::{Change, Form, Review, Tally};
use super::recipe::{Lowering, Recipe};
use crate::report::counted;

/// A review as text: what was compared, how many changed, and the differences.
pub fn text(review: &Review) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "old: {}", shown_line(&review.old));
    let _ = writeln!(out, "new: {}", shown_line(&review.new));
    let _ = writeln!(out, "{}\n", described(&review.recipe));
    let width = review.tallies.keys().map(|form| form.to_string().len()).max().unwrap_or(0);
    for (form, tally) in in_order(review) {
        let form = form.to_string();
        let _ = writeln!(out, "{form:width$}  {}", summary(tally));
    }
    for change in review.changes.iter().filter(|change| !follows_the_program(change)) {
        put_change(&mut out, change);
    }
    let follow = review.changes.iter().filter(|change| follows_the_program(change)).count();
    if follow > 0 {
        let n = counted(follow, "difference");
        let _ = writeln!(out, "\nnot shown, as emitted code follows the program: {n}; see --html");
    }
    if review.n_left_off > 0 {
        let n = counted(review.n_left_off, "more change");
        let _ = writeln!(out, "\n{n}: --most shows them");
    }
    out
}

fn put_change(out: &mut String, change: &Change) {
    let _ = write!(out, "\nseed {}, {}: {}\n", change.seed, change.form, aspects(change));
    for difference in &change.differences {
        let _ = writeln!(out, "--- old {0}\n+++ new {0}", difference.of);
        let _ = write!(out, "{}", shown_lines(&difference.text));
        if difference.n_left_off > 0 {
            let _ = writeln!(out, "({} left off)", counted(difference.n_left_off, "line"));
        }
    }
}

/// What was generated, in words.
pub(super) fn described(recipe: &Recipe) -> String {
    let Recipe { seeds, dialects, lowering, settings } = recipe;
    let n = usize::try_from(seeds.n_seeds()).unwrap_or(usize::MAX);
    let dialects: Vec<String> = dialects.iter().map(ToString::to_string).collect();
    let lowering = match lowering {
        Lowering::Drawn => "lowering options drawn from the seed",
        Lowering::Default => "default lowering options",
    };
    let what = counted(n, settings.noun());
    format!("seeds {seeds}: {what} in each dialect ({}), {lowering}", dialects.join(", "))
}

/// Tallies in the order of dialects, the program before its code.
pub(super) fn in_order(review: &Review) -> Vec<(Form, &Tally)> {
    let forms = review.recipe.dialects.iter().flat_map(|d| [Form::Program(*d), Form::Code(*d)]);
    forms.filter_map(|form| Some((form, review.tallies.get(&form)?))).collect()
}

fn summary(tally: &Tally) -> String {
    let Tally { n_compared, n_changed, by_aspect } = tally;
    if *n_changed == 0 {
        return format!("none of {n_compared} changed");
    }
    let parts: Vec<String> = by_aspect.iter().map(|(aspect, n)| format!("{aspect} {n}")).collect();
    format!("{n_changed} of {n_compared} changed: {}", parts.join(", "))
}

/// In what something changed.
pub(super) fn aspects(change: &Change) -> String {
    let names: Vec<String> = change.aspects.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Whether code changed because its program did: that is the difference to look at.
pub(super) fn follows_the_program(change: &Change) -> bool {
    change.aspects.contains(&Aspect::Program)
}

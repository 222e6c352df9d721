//! Two sides, seed by seed.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use pathsmith_oracles::Product;
use pathsmith_symlang::dialect::Dialect;
use similar::TextDiff;

use super::classify::{Aspect, is_same_without_comments, program_aspects};
use super::error::ReviewError;
use super::output::Output;
use super::recipe::Recipe;
use super::seeds::for_each_seed;
use super::side::Side;

/// Texts with more lines are not compared line by line, which takes quadratic time. A guess.
const MAX_LINES: usize = 5000;
/// How many lines of a difference are kept. A guess: nobody reads more.
const MAX_SHOWN: usize = 400;
/// How many characters of each are. A guess: no line that is generated comes near.
const MAX_LINE: usize = 10_000;

/// What is compared: functions in a dialect, or what they are lowered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// SYMLANG.
    Program(Dialect),
    /// The target language of the dialect.
    Code(Dialect),
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(dialect) => write!(f, "SYMLANG, dialect {dialect}"),
            Self::Code(Dialect::C) => f.write_str("C"),
            Self::Code(Dialect::Wasm) => f.write_str("WAT"),
            Self::Code(Dialect::Jvm) => f.write_str("class listing"),
        }
    }
}

/// How two sides differ.
#[derive(Clone, Debug)]
pub struct Review {
    /// The old side, in words.
    pub old: String,
    /// The new side.
    pub new: String,
    /// What was generated.
    pub recipe: Recipe,
    /// How many changed, in each form.
    pub tallies: BTreeMap<Form, Tally>,
    /// The first changes of each form, by seed.
    pub changes: Vec<Change>,
    /// How many changes are not among them.
    pub n_left_off: usize,
}

/// How many changed in a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many there are.
    pub n_compared: usize,
    /// How many changed.
    pub n_changed: usize,
    /// How many of them in what.
    pub by_aspect: BTreeMap<Aspect, usize>,
}

/// A function that changed in a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its seed.
    pub seed: u64,
    /// In which form.
    pub form: Form,
    /// In what.
    pub aspects: BTreeSet<Aspect>,
    /// The lines that differ.
    pub differences: Vec<Difference>,
}

/// A unified diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Of what.
    pub of: &'static str,
    /// The diff, without names of files.
    pub text: String,
    /// How many of its lines are left off.
    pub n_left_off: usize,
}

impl Review {
    /// Whether anything changed.
    pub fn has_changes(&self) -> bool {
        self.tallies.values().any(|tally| tally.n_changed > 0)
    }

    /// Counts a function, and keeps its differences if it is one of the first `most` of its form.
    fn add(&mut self, change: Change, most: usize) {
        let tally = self.tallies.entry(change.form).or_default();
        tally.n_compared += 1;
        if change.aspects.is_empty() {
            return;
        }
        tally.n_changed += 1;
        for aspect in &change.aspects {
            *tally.by_aspect.entry(*aspect).or_default() += 1;
        }
        match tally.n_changed <= most {
            true => self.changes.push(change),
            false => self.n_left_off += 1,
        }
    }
}

/// Compares two sides, and keeps the differences of the first `most` functions that changed in each
/// form.
///
/// # Errors
/// If a side does not work.
pub fn compare(
    old: &Side,
    new: &Side,
    recipe: &Recipe,
    most: usize,
    n_jobs: usize,
    mut progress: impl FnMut(u64),
) -> Result<Review, ReviewError> {
    let mut review = Review {
        old: old.describe(),
        new: new.describe(),
        recipe: recipe.clone(),
        tallies: BTreeMap::new(),
        changes: Vec::new(),
        n_left_off: 0,
    };
    // The outputs themselves may be large, and are not kept.
    let changes = |seed| -> Result<Vec<Change>, ReviewError> {
        let mut all = Vec::new();
        for dialect in &recipe.dialects {
            let old = old.output(recipe, seed, *dialect)?;
            let new = new.output(recipe, seed, *dialect)?;
            all.extend(changes_of(seed, *dialect, &old, &new));
        }
        Ok(all)
    };
    let mut n_done = 0;
    for_each_seed(recipe.seeds, n_jobs, changes, |_, changes| {
        changes.into_iter().for_each(|change| review.add(change, most));
        n_done += 1;
        progress(n_done);
        Ok(())
    })?;
    Ok(review)
}

/// How a seed differs in a dialect; without aspects, it does not.
fn changes_of(seed: u64, dialect: Dialect, old: &Output, new: &Output) -> [Change; 2] {
    let in_program = difference("program", &old.program, &new.program);
    let options = |output: &Output| Product::Made(output.options.clone());
    let in_code = [
        difference("lowering options", &options(old), &options(new)),
        difference("code", &old.code, &new.code),
    ];
    [
        Change {
            seed,
            form: Form::Program(dialect),
            aspects: program_changes(&old.program, &new.program),
            differences: Vec::from_iter(in_program),
        },
        Change {
            seed,
            form: Form::Code(dialect),
            aspects: code_changes(old, new, dialect),
            differences: in_code.into_iter().flatten().collect(),
        },
    ]
}

fn program_changes(old: &Product<String>, new: &Product<String>) -> BTreeSet<Aspect> {
    match (old, new) {
        (Product::Made(old), Product::Made(new)) => program_aspects(old, new),
        // Why it is unsolved may be said in other words.
        (Product::Nothing(_), Product::Nothing(_)) => BTreeSet::new(),
        (Product::Made(_), Product::Nothing(_)) | (Product::Nothing(_), Product::Made(_)) => {
            BTreeSet::from([Aspect::Solved])
        }
    }
}

fn code_changes(old: &Output, new: &Output, dialect: Dialect) -> BTreeSet<Aspect> {
    let (old_code, new_code) = match (&old.code, &new.code) {
        (Product::Made(old), Product::Made(new)) => (old, new),
        (Product::Nothing(_), Product::Nothing(_)) => return BTreeSet::new(),
        (Product::Made(_), Product::Nothing(_)) | (Product::Nothing(_), Product::Made(_)) => {
            return BTreeSet::from([Aspect::Lowered]);
        }
    };
    let (same_options, same_code) = (old.options == new.options, old_code == new_code);
    let aspect = match (same_options, same_code) {
        (true, true) => return BTreeSet::new(),
        _ if old.program != new.program => Aspect::Program,
        (false, true) => Aspect::OptionsOnly,
        (false, false) => Aspect::Options,
        (true, false) if is_same_without_comments(old_code, new_code, dialect) => Aspect::Comments,
        (true, false) => Aspect::Code,
    };
    BTreeSet::from([aspect])
}

/// The lines in which two products differ; nothing if they are the same.
fn difference(
    of: &'static str,
    old: &Product<String>,
    new: &Product<String>,
) -> Option<Difference> {
    let text = |product: &Product<String>| match product {
        Product::Made(text) => text.clone(),
        Product::Nothing(why) => format!("(nothing: {why})\n"),
    };
    let (old, new) = (text(old), text(new));
    if old == new {
        return None;
    }
    let n_lines = |text: &str| text.lines().count();
    if n_lines(&old).max(n_lines(&new)) > MAX_LINES {
        let (before, after) = (n_lines(&old), n_lines(&new));
        let text =
            format!("(too long to compare by lines: {before} lines before, {after} after)\n");
        return Some(Difference { of, text, n_left_off: 0 });
    }
    let diff = TextDiff::from_lines(&old, &new).unified_diff().to_string();
    let n_lines = n_lines(&diff);
    let shown = diff.split_inclusive('\n').take(MAX_SHOWN);
    let text = shown.map(|line| cut(line, MAX_LINE)).collect();
    Some(Difference { of, text, n_left_off: n_lines.saturating_sub(MAX_SHOWN) })
}

/// A line, or its first characters and an ellipsis.
fn cut(line: &str, most: usize) -> Cow<'_, str> {
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…\n", &line[..end]).into(),
        None => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::recipe::{GenSettings, Lowering};
    use super::*;

    fn output(program: &str, options: &str, code: &str) -> Output {
        let made = |text: &str| Product::Made(text.to_owned());
        Output { program: made(program), options: options.to_owned(), code: made(code) }
    }

    fn review(pairs: &[[Output; 2]], most: usize) -> Review {
        let recipe = Recipe {
            seeds: format!("0..{}", pairs.len() - 1).parse().unwrap(),
            dialects: vec![Dialect::C],
            lowering: Lowering::Drawn,
            settings: GenSettings::default(),
        };
        let mut review = Review {
            old: "old".to_owned(),
            new: "new".to_owned(),
            recipe,
            tallies: BTreeMap::new(),
            changes: Vec::new(),
            n_left_off: 0,
        };
        for (seed, [old, new]) in (0..).zip(pairs) {
            let changes = changes_of(seed, Dialect::C, old, new);
            changes.into_iter().for_each(|change| review.add(change, most));
        }
        review
    }

    #[test]
    fn changes_of_code_have_one_cause() {
        let before = output("a = 1;\n", "{}", "int a;\n");
        let check = |after: Output, expected: Option<Aspect>| {
            let changes = code_changes(&before, &after, Dialect::C);
            assert_eq!(changes.into_iter().collect::<Vec<_>>(), Vec::from_iter(expected));
        };
        check(before.clone(), None);
        check(output("a = 2;\n", "{}", "int b;\n"), Some(Aspect::Program));
        check(output("a = 2;\n", "{}", "int a;\n"), None);
        check(output("a = 1;\n", "{1}", "int b;\n"), Some(Aspect::Options));
        check(output("a = 1;\n", "{1}", "int a;\n"), Some(Aspect::OptionsOnly));
        check(output("a = 1;\n", "{}", "int b;\n"), Some(Aspect::Code));
        check(output("a = 1;\n", "{}", "int a; // B1\n"), Some(Aspect::Comments));
        let refused = Output { code: Product::Nothing("too large".to_owned()), ..before.clone() };
        check(refused, Some(Aspect::Lowered));
    }

    #[test]
    fn changes_are_counted_and_bounded() {
        let (a, b) = (output("a = 1;\n", "{}", "x\n"), output("a = 2;\n", "{}", "y\n"));
        let unsolved = Output { program: Product::Nothing("no".to_owned()), ..a.clone() };
        let pairs = [
            [a.clone(), b.clone()],
            [a.clone(), a.clone()],
            [b.clone(), a.clone()],
            [a.clone(), unsolved.clone()],
            [unsolved.clone(), Output { program: Product::Nothing("other".to_owned()), ..a }],
        ];
        let review = review(&pairs, 1);
        let tally = &review.tallies[&Form::Program(Dialect::C)];
        assert_eq!((tally.n_compared, tally.n_changed), (5, 3));
        let by_aspect = BTreeMap::from([(Aspect::Constants, 2), (Aspect::Solved, 1)]);
        assert_eq!(tally.by_aspect, by_aspect);
        assert_eq!(review.tallies[&Form::Code(Dialect::C)].n_changed, 2);
        assert_eq!((review.changes.len(), review.n_left_off), (2, 3));
        assert_eq!(review.changes[0].differences[0].text, "@@ -1 +1 @@\n-a = 1;\n+a = 2;\n");
        assert!(review.has_changes());
    }

    #[test]
    fn long_differences_are_cut() {
        let made = |n: usize, line: &str| Product::Made(format!("{line}\n").repeat(n));
        let cut = difference("code", &made(1000, "a"), &made(1000, "b")).unwrap();
        assert_eq!((cut.text.lines().count(), cut.n_left_off), (MAX_SHOWN, 2001 - MAX_SHOWN));
        let long = difference("code", &made(MAX_LINES + 1, "a"), &made(1, "b")).unwrap();
        assert!(long.text.contains("5001 lines before, 1 after"));
        let wide = difference("code", &made(1, &"é".repeat(MAX_LINE)), &made(1, "b")).unwrap();
        assert!(wide.text.contains("é…\n+b\n"));
    }
}

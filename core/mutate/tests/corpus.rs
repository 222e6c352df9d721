//! The programs that ship with pathsmith, and those of users.

use std::collections::BTreeMap;

use pathsmith_edit::check_realizations;
use pathsmith_mutate::{Corpus, CorpusError, CorpusText, Tracker, Unusable};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::validate;
use pathsmith_symlang::semantics::Limits;

#[test]
fn there_are_many_programs_from_all_trackers() {
    let mut per_tracker: BTreeMap<Tracker, usize> = BTreeMap::new();
    let entries = Corpus::shipped().entries();
    for entry in entries {
        let reports = entry.reports();
        assert!(!reports.is_empty(), "{}: no line `TRACKER NUMBER: …`", entry.name);
        for report in reports {
            *per_tracker.entry(report.tracker).or_default() += 1;
            let n_words = report.about.split_whitespace().count();
            assert!(n_words >= 5, "{}: {report} does not say what went wrong", entry.name);
        }
    }
    assert!(entries.len() >= 150, "{} programs", entries.len());
    for tracker in [Tracker::Gcc, Tracker::Llvm, Tracker::OpenJdk, Tracker::Wasmtime] {
        assert!(per_tracker[&tracker] >= 15, "{per_tracker:?}");
    }
    assert!(per_tracker[&Tracker::V8] + per_tracker[&Tracker::Chromium] >= 10, "{per_tracker:?}");
}

/// Every program runs in every dialect, except for those that say which one they need.
#[test]
fn realizations_hold_in_the_dialects_that_programs_are_for() {
    let mut n_for_all = 0;
    for entry in Corpus::shipped().entries() {
        let program = &entry.program;
        assert_eq!(validate(program), [], "{}", entry.name);
        n_for_all += usize::from(program.dialect.is_none());
        for dialect in Dialect::ALL {
            let is_meant = program.dialect.is_none_or(|own| own == dialect);
            match entry.in_dialect(dialect, Limits::default(), Seed::new(1)) {
                Ok(ready) => {
                    assert!(is_meant, "{} in {dialect}", entry.name);
                    assert_eq!(ready.dialect, Some(dialect));
                    let n = check_realizations(program, dialect, Limits::default());
                    assert!(n.clone().is_ok_and(|n| n > 0), "{}: {n:?}", entry.name);
                }
                Err(Unusable::OtherDialect(own)) => assert!(!is_meant && own != dialect),
                Err(why) => panic!("{} in {dialect}: {why}", entry.name),
            }
        }
    }
    let n = Corpus::shipped().entries().len();
    assert!(n_for_all * 10 >= n * 9, "{n_for_all} of {n} programs need no dialect");
}

/// A function that returns the same whatever it is given tests little.
#[test]
fn programs_have_several_realizations() {
    for entry in Corpus::shipped().entries() {
        let functions = &entry.program.functions;
        let realizations: Vec<_> = functions.iter().flat_map(|f| &f.realizations).collect();
        let has_params = functions.iter().any(|f| !f.realizations.is_empty() && f.n_params > 0);
        assert!(!has_params || realizations.len() >= 2, "{}", entry.name);
    }
    let n_paths = |entry: &pathsmith_mutate::CorpusEntry| {
        let realizations = entry.program.functions.iter().flat_map(|f| &f.realizations);
        let mut paths: Vec<_> = realizations.map(|r| r.path.blocks().to_vec()).collect();
        paths.sort();
        paths.dedup();
        paths.len()
    };
    let entries = Corpus::shipped().entries();
    let n_branching = entries.iter().filter(|entry| n_paths(entry) >= 2).count();
    assert!(n_branching * 10 >= entries.len() * 6, "{n_branching} of {}", entries.len());
}

/// The text of each is what a reader of the folder sees, and reads as the program.
#[test]
fn texts_are_those_of_the_programs() {
    for entry in Corpus::shipped().entries() {
        assert_eq!(parse(&entry.name, &entry.text).ok().as_ref(), Some(&entry.program));
    }
}

/// The table in docs/mutation.md says how many there are of each tracker.
#[test]
fn docs_count_the_programs() {
    const DOCS: &str = include_str!("../../../docs/mutation.md");
    let mut per_tracker: BTreeMap<Tracker, usize> = BTreeMap::new();
    for entry in Corpus::shipped().entries() {
        *per_tracker.entry(entry.reports()[0].tracker).or_default() += 1;
    }
    for (tracker, n) in &per_tracker {
        let start = format!("| `{}` |", tracker.name());
        let row = DOCS.lines().find(|line| line.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("docs/mutation.md has no row {start}"));
        assert!(row.ends_with(&format!("| {n} |")), "{row}: there are {n}");
    }
}

fn text(name: &str, text: &str) -> CorpusText {
    CorpusText { name: name.to_owned(), file: format!("{name}.sym"), text: text.to_owned() }
}

#[test]
fn malformed_texts_and_names_that_are_taken_are_said() {
    const PROGRAM: &str = "fn f() -> i32 { entry: return 1; }";
    let corpus = Corpus::from_texts([text("a", PROGRAM), text("b", PROGRAM)]).unwrap();
    assert_eq!(corpus.entries().len(), 2);
    assert!(corpus.named("b").is_some() && corpus.named("c").is_none());

    let twice = Corpus::from_texts([text("a", PROGRAM), text("a", PROGRAM)]).unwrap_err();
    assert_eq!(twice.to_string(), "a.sym: the corpus has a program `a` already, in a.sym");

    let malformed = Corpus::from_texts([text("a", PROGRAM), text("b", "fn f( {}")]);
    let Err(CorpusError::Source(errors)) = malformed else { panic!("{malformed:?}") };
    assert_eq!(errors.to_string(), "b.sym: one problem");
}

/// The seed and the name decide which inputs are drawn, and not what else is in the corpus.
#[test]
fn inputs_are_drawn_from_the_seed() {
    const BODY: &str = "fn f(a: i32) -> i32 { entry: if a < 77 goto low else exit;
        low: a = a + 1; goto exit; exit: return a; }";
    let corpus = Corpus::from_texts([text("a", BODY), text("b", BODY)]).unwrap();
    let alone = Corpus::from_texts([text("b", BODY)]).unwrap();
    let draw = |corpus: &Corpus, name: &str, seed| {
        let entry = corpus.named(name).unwrap();
        entry.in_dialect(Dialect::C, Limits::default(), Seed::new(seed)).unwrap().to_string()
    };
    assert_eq!(draw(&corpus, "b", 1), draw(&alone, "b", 1));
    assert_ne!(draw(&corpus, "b", 1), draw(&corpus, "b", 2));
    assert_ne!(draw(&corpus, "a", 1), draw(&corpus, "b", 1));
    let (usable, unusable) = corpus.usable(Dialect::Jvm, Limits::default(), Seed::new(1));
    let names: Vec<&str> = usable.iter().map(|usable| &usable.entry.name[..]).collect();
    assert_eq!((names, unusable.len()), (vec!["a", "b"], 0));
}

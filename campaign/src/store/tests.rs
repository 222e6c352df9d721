use std::sync::Arc;
use std::time::Duration;

use pathsmith_oracles::{Setting, Signature, Verdict};
use pathsmith_symlang::lang::text::parse;
use proptest::prelude::*;

use super::*;
use crate::finding::{Finding, TargetInfo};
use crate::growth::Grown;
use crate::shares::ArmCounts;
use crate::sighting::{CountedUnder, Sighting};

fn header() -> Header {
    Header {
        version: "0.0.0".to_owned(),
        fingerprint: "c 0".to_owned(),
        identities: [(
            "gcc".to_owned(),
            Identity { version: "gcc 12".to_owned(), path: "/usr/bin/gcc".to_owned() },
        )]
        .into(),
        targets: Vec::new(),
        sanitize: false,
        config: FuzzConfig::default(),
    }
}

fn finding(batch: u64, number: u64, cause: &str) -> Finding {
    let text = format!("fn f() -> i32 {{ var a: i32 = 0; e: a = {number}; return a; }}");
    Finding {
        batch,
        number,
        variant: 0,
        seed: 0,
        verdict: Verdict::WrongResult,
        target: TargetInfo {
            name: "gcc".to_owned(),
            command: "gcc".to_owned(),
            version: "gcc 12".to_owned(),
            setting: Setting::named("-O2"),
            flags: vec!["-O2".to_owned()],
            path: String::new(),
            runner: Vec::new(),
            env: Default::default(),
        },
        call: None,
        expected: None,
        actual: None,
        evidence: Vec::new(),
        program: parse("test", &text).unwrap(),
        options: serde_json::Value::Null,
        run_on: serde_json::Value::Null,
        signature: Some(Signature::new(Verdict::WrongResult, "gcc", vec![cause.to_owned()])),
        arms: Vec::new(),
        origin: None,
        bug: None,
        files: Vec::new(),
    }
}

fn stats(n_cases: u64) -> Stats {
    Stats { n_cases, generate: Duration::from_millis(n_cases), ..Stats::default() }
}

#[test]
fn what_is_recorded_is_there_when_it_is_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    let saved = store.record(TargetFamily::C, &finding(3, 7, "slsr")).unwrap().unwrap();
    store.finish_batch(TargetFamily::C, 0, &stats(5), &BTreeSet::new(), &[]).unwrap();
    store.finish_batch(TargetFamily::C, 2, &stats(5), &BTreeSet::new(), &[]).unwrap();
    store.finish_batch(TargetFamily::Jvm, 0, &stats(1), &BTreeSet::new(), &[]).unwrap();
    drop(store);
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(store.header().unwrap(), header());
    let (done, stats) = store.progress(TargetFamily::C).unwrap();
    assert_eq!(done, Done { below: 1, ahead: [2].into(), ..Done::default() });
    assert_eq!((stats.n_cases, stats.generate), (10, Duration::from_millis(10)));
    assert_eq!(store.progress(TargetFamily::Wasm).unwrap(), Default::default());
    assert_eq!(store.finding(saved.id).unwrap().finding, finding(3, 7, "slsr"));
    assert_eq!(store.counts().unwrap(), [("wrong-result".to_owned(), 1)]);
}

#[test]
fn nothing_is_counted_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    assert!(store.record(TargetFamily::C, &finding(0, 7, "slsr")).unwrap().is_some());
    assert!(store.record(TargetFamily::C, &finding(0, 7, "slsr")).unwrap().is_none());
    for _ in 0..2 {
        store.finish_batch(TargetFamily::C, 0, &stats(5), &BTreeSet::new(), &[]).unwrap();
    }
    assert_eq!(store.progress(TargetFamily::C).unwrap().1.n_cases, 5);
    assert_eq!(store.ids().unwrap().len(), 1);
}

#[test]
fn findings_with_one_signature_are_one_cluster() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    let mut ids = Vec::new();
    for (number, cause) in [(0, "slsr"), (1, "vrp"), (2, "slsr")] {
        let saved = store.record(TargetFamily::C, &finding(0, number, cause)).unwrap().unwrap();
        ids.push(saved.id);
    }
    assert_eq!(store.unreduced().unwrap(), ids[..2]);
    let reduction = |is_done| Reduction { is_done, n_tests: 9, finding: finding(0, 0, "slsr") };
    store.save_reduction(ids[2], &reduction(false)).unwrap();
    assert_eq!(store.unreduced().unwrap(), [ids[1], ids[2]], "what was started is resumed");
    store.save_reduction(ids[2], &reduction(true)).unwrap();
    assert_eq!(store.unreduced().unwrap(), [ids[1]]);
    let clusters = store.clusters().unwrap();
    let members: Vec<usize> = clusters.iter().map(|(_, members)| members.len()).collect();
    assert_eq!(members, [2, 1]);
    let names: Vec<String> = ids.iter().map(|id| store.finding(*id).unwrap().name).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), 3, "{names:?}");
}

#[test]
fn one_process_writes_and_others_may_look() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::create(dir.path(), &header()).unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::InUse(_))));
    assert!(matches!(Store::create(dir.path(), &header()), Err(StoreError::InUse(_))));
    assert!(Store::read(dir.path()).is_ok());
    drop(store);
    assert!(matches!(Store::create(dir.path(), &header()), Err(StoreError::Exists(_))));
}

/// What a process leaves that is killed in the middle of a transaction: a database that is half
/// written, and a journal to take it back.
#[test]
fn a_store_that_was_left_in_the_middle_of_a_transaction_can_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    let left = tempfile::tempdir().unwrap();
    store.database.pragma_update(None, "cache_size", 1).unwrap();
    let transaction = store.database.transaction().unwrap();
    let padded = format!("{{\"padding\": \"{}\"}}", "x".repeat(1 << 20));
    transaction.execute("UPDATE campaign SET header = ?1", [padded]).unwrap();
    transaction.execute("UPDATE campaign SET header = 'no header'", []).unwrap();
    for name in [DATABASE.to_owned(), format!("{DATABASE}-journal")] {
        std::fs::copy(dir.path().join(&name), left.path().join(&name)).unwrap();
    }
    transaction.rollback().unwrap();
    assert_eq!(Store::read(left.path()).unwrap().header().unwrap(), header());
}

#[test]
fn what_is_no_store_is_said() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::None(_))));
    drop(Store::create(dir.path(), &header()).unwrap());
    let path = dir.path().join(DATABASE);
    let whole = std::fs::read(&path).unwrap();

    std::fs::write(&path, "something else, long enough to be a database".repeat(99)).unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::NotOurs(_))));

    Connection::open(dir.path().join("x")).unwrap().execute("CREATE TABLE t (a)", []).unwrap();
    std::fs::copy(dir.path().join("x"), &path).unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::NotOurs(_))));

    let mut torn = whole.clone();
    torn.truncate(whole.len() / 2);
    std::fs::write(&path, torn).unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::Damaged { .. })));
}

/// The message about a store that has another format.
fn said_of_format(format: i64) -> String {
    let dir = tempfile::tempdir().unwrap();
    let header = Header { version: "0.7.1".to_owned(), ..header() };
    drop(Store::create(dir.path(), &header).unwrap());
    let path = dir.path().join(DATABASE);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", format).unwrap();
    let before = std::fs::read(&path).unwrap();
    let [opened, read] = [Store::open(dir.path()), Store::read(dir.path())];
    let said = opened.unwrap_err().to_string();
    assert_eq!(said, read.unwrap_err().to_string());
    assert_eq!(std::fs::read(&path).unwrap(), before, "it is left as it is");
    said
}

#[test]
fn an_older_store_says_who_wrote_it_and_what_to_do() {
    let said = said_of_format(2);
    for part in [
        "pathsmith 0.7.1 wrote this store in format 2",
        "reads format 6 only",
        "use the version that wrote it to resume",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_newer_store_says_who_wrote_it_and_what_to_do() {
    let said = said_of_format(99);
    for part in [
        "pathsmith 0.7.1 wrote this store in format 99",
        "knows format 6 only",
        "use pathsmith 0.7.1 or later",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn variants_of_a_case_are_findings_of_their_own() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    let as_generated = finding(0, 7, "slsr");
    let variant = Finding { variant: 2, ..as_generated.clone() };
    let saved = store.record(TargetFamily::C, &as_generated).unwrap().unwrap();
    assert_eq!(saved.name, "f7-gcc-O2-wrong-result");
    let saved = store.record(TargetFamily::C, &variant).unwrap().unwrap();
    assert_eq!(saved.name, "f7v2-gcc-O2-wrong-result");
    assert!(store.record(TargetFamily::C, &variant).unwrap().is_none());
    assert_eq!(store.finding(saved.id).unwrap().finding, variant);
    assert!(variant.summary().ends_with("case 7, variant 2"), "{}", variant.summary());
    let flaky = |variant| Flaky {
        family: TargetFamily::C,
        batch: 0,
        number: 7,
        variant,
        verdict: Verdict::Hang,
        target: "gcc -O2".to_owned(),
        why: String::new(),
    };
    for variant in [0, 1, 1] {
        store.record_flaky(&flaky(variant)).unwrap();
    }
    assert_eq!(store.flaky().unwrap(), [flaky(0), flaky(1)]);
}

proptest! {
    #[test]
    fn batches_are_done_in_any_order(order in Just((0..40_u64).collect::<Vec<_>>()).prop_shuffle()) {
        let mut done = Done::default();
        for (n, batch) in order.iter().enumerate() {
            prop_assert!(!done.contains(*batch));
            prop_assert!(done.insert(*batch));
            prop_assert!(!done.insert(*batch));
            prop_assert_eq!(done.below as usize + done.ahead.len(), n + 1);
        }
        prop_assert_eq!(done, Done { below: 40, ..Done::default() });
    }
}

#[test]
fn failures_of_known_bugs_are_recorded_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    let known = Sighting {
        family: TargetFamily::C,
        batch: 3,
        number: 120,
        variant: 0,
        verdict: Verdict::WrongResult,
        target: "gcc".to_owned(),
        setting: "-O2".to_owned(),
        under: CountedUnder::Known("slsr".to_owned()),
    };
    let (setting, cluster) = ("-O2".to_owned(), "gcc: hang: -O2".to_owned());
    let under = CountedUnder::Finding { setting, cluster };
    let further = Sighting { setting: "-O3".to_owned(), under, ..known.clone() };
    assert!(store.record_sighting(&known).unwrap() && store.record_sighting(&further).unwrap());
    assert!(!store.record_sighting(&known).unwrap());
    assert_eq!(store.sightings().unwrap(), [known, further]);
}

#[test]
fn arms_are_counted_by_epoch() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    let arms = |n: u64| ArmCounts::from([("theme:loops".to_owned(), n)]);
    for (batch, n) in [(0, 3), (1, 4), (EPOCH, 5), (1, 100)] {
        let stats = Stats { arms: arms(n), ..Stats::default() };
        store.finish_batch(TargetFamily::C, batch, &stats, &BTreeSet::new(), &[]).unwrap();
    }
    let expected = BTreeMap::from([(0, arms(7)), (1, arms(5))]);
    assert_eq!(store.arms(TargetFamily::C).unwrap(), expected);
    assert_eq!(store.progress(TargetFamily::C).unwrap().1.arms, arms(12));
}

/// What a batch could not be run on stays to be done, until it is.
#[test]
fn missed_targets_are_run_later() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    let missed: BTreeSet<String> = ["gcc -O2".to_owned()].into();
    store.finish_batch(TargetFamily::C, 0, &stats(5), &missed, &[]).unwrap();
    let done = store.progress(TargetFamily::C).unwrap().0;
    assert_eq!((done.below, done.missed), (1, [(0, missed)].into()));
    let later = Stats { n_checked: 3, ..Stats::default() };
    store.finish_batch(TargetFamily::C, 0, &later, &BTreeSet::new(), &[]).unwrap();
    let (done, all) = store.progress(TargetFamily::C).unwrap();
    assert_eq!((done.below, done.missed.len()), (1, 0));
    assert_eq!(all.n_checked, stats(5).n_checked + 3);
    assert_eq!(all.n_cases, stats(5).n_cases);
}

/// A program that broke a rule when it was recorded does not keep a campaign from being resumed.
#[test]
fn an_unreadable_program_with_new_features_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    let text = "global g: i32 = 1; global h: i32 = 2; fn f() -> i32 { e: g = h; return g; }";
    let sound = parse("test", text).unwrap();
    let mut broken = sound.clone();
    broken.globals[1].name = "g".to_owned();
    let grown = [(7, sound), (8, broken)].map(|(number, program)| Grown {
        batch: 0,
        number,
        variant: 1,
        program: Arc::new(program),
        features: vec!["gcc: x".to_owned()],
    });
    store.finish_batch(TargetFamily::C, 0, &stats(2), &BTreeSet::new(), &grown).unwrap();
    let (readable, notes) = store.grown(TargetFamily::C).unwrap();
    assert_eq!(readable, grown[..1]);
    let [note] = &notes[..] else { panic!("{notes:?}") };
    assert!(note.contains("8") && note.contains("is left out"), "{note}");
}

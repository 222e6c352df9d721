use std::time::Duration;

use pathsmith_oracles::{Signature, Verdict};
use pathsmith_symlang::lang::text::parse;
use proptest::prelude::*;

use super::*;
use crate::finding::{Finding, TargetInfo};

fn header() -> Header {
    Header {
        version: "0.0.0".to_owned(),
        fingerprint: "c 0".to_owned(),
        versions: [("gcc".to_owned(), "gcc 12".to_owned())].into(),
        targets: Vec::new(),
        sanitize: false,
        config: FuzzConfig::default(),
    }
}

fn finding(batch: u64, number: u64, culprit: &str) -> Finding {
    let text = format!("fn f() -> i32 {{ var a: i32 = 0; e: a = {number}; return a; }}");
    Finding {
        batch,
        number,
        seed: 0,
        verdict: Verdict::WrongOutput,
        target: TargetInfo {
            name: "gcc".to_owned(),
            command: "gcc".to_owned(),
            version: "gcc 12".to_owned(),
            setting: "-O2".to_owned(),
            flags: vec!["-O2".to_owned()],
        },
        call: None,
        expected: None,
        actual: None,
        evidence: Vec::new(),
        program: parse("test", &text).unwrap(),
        options: serde_json::Value::Null,
        run_on: serde_json::Value::Null,
        signature: Some(Signature {
            verdict: Verdict::WrongOutput,
            target: "gcc".to_owned(),
            culprit: vec![culprit.to_owned()],
            detail: None,
        }),
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
    let saved = store.record(KindName::C, &finding(3, 7, "slsr")).unwrap().unwrap();
    store.finish_batch(KindName::C, 0, &stats(5)).unwrap();
    store.finish_batch(KindName::C, 2, &stats(5)).unwrap();
    store.finish_batch(KindName::Jvm, 0, &stats(1)).unwrap();
    drop(store);
    let store = Store::open(dir.path()).unwrap();
    assert_eq!(store.header().unwrap(), header());
    let (done, stats) = store.progress(KindName::C).unwrap();
    assert_eq!(done, Done { below: 1, ahead: [2].into() });
    assert_eq!((stats.n_cases, stats.generate), (10, Duration::from_millis(10)));
    assert_eq!(store.progress(KindName::Wasm).unwrap(), Default::default());
    assert_eq!(store.finding(saved.id).unwrap().finding, finding(3, 7, "slsr"));
    assert_eq!(store.counts().unwrap(), [("wrong output".to_owned(), 1)]);
}

#[test]
fn nothing_is_counted_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    assert!(store.record(KindName::C, &finding(0, 7, "slsr")).unwrap().is_some());
    assert!(store.record(KindName::C, &finding(0, 7, "slsr")).unwrap().is_none());
    for _ in 0..2 {
        store.finish_batch(KindName::C, 0, &stats(5)).unwrap();
    }
    assert_eq!(store.progress(KindName::C).unwrap().1.n_cases, 5);
    assert_eq!(store.ids().unwrap().len(), 1);
}

#[test]
fn findings_with_one_signature_are_one_cluster() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = Store::create(dir.path(), &header()).unwrap();
    let mut ids = Vec::new();
    for (number, culprit) in [(0, "slsr"), (1, "vrp"), (2, "slsr")] {
        let saved = store.record(KindName::C, &finding(0, number, culprit)).unwrap().unwrap();
        ids.push(saved.id);
    }
    assert_eq!(store.unreduced().unwrap(), ids[..2]);
    let reduction = |is_done| Reduction { is_done, n_tests: 9, finding: finding(0, 0, "slsr") };
    store.save_reduction(ids[2], &reduction(false)).unwrap();
    assert_eq!(store.unreduced().unwrap(), [ids[1], ids[2]], "what was begun goes on");
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

#[test]
fn what_is_no_store_is_said() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(Store::open(dir.path()), Err(StoreError::None(_))));
    drop(Store::create(dir.path(), &header()).unwrap());
    let path = dir.path().join(DATABASE);
    let whole = std::fs::read(&path).unwrap();

    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = Store::open(dir.path()).unwrap_err().to_string();
    assert!(error.contains("version 99"), "{error}");

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
        prop_assert_eq!(done, Done { below: 40, ahead: BTreeSet::new() });
    }
}

use pathsmith_oracles::{Setting, Signature, SuppressingFlag, Verdict};
use pathsmith_symlang::lang::text::parse;

use super::*;

fn finding(batch: u64, flags: &[&str], arms: &[&str]) -> Finding {
    let mut signature = Signature::new(Verdict::WrongResult, "gcc", vec![flags.join(", ")]);
    signature.suppressing_flags = flags
        .iter()
        .map(|&flag| SuppressingFlag { flag: flag.to_owned(), is_broad: flag == "-fno-inline" })
        .collect();
    Finding {
        bug: None,
        batch,
        number: 40 * batch,
        variant: 0,
        seed: 1,
        verdict: Verdict::WrongResult,
        target: TargetInfo {
            name: "gcc-12".to_owned(),
            command: "gcc".to_owned(),
            version: "12.2".to_owned(),
            setting: Setting::named("-O2"),
            flags: Vec::new(),
            path: String::new(),
            runner: Vec::new(),
            env: Default::default(),
        },
        call: None,
        expected: None,
        actual: None,
        evidence: Vec::new(),
        program: Default::default(),
        options: serde_json::Value::Null,
        run_on: serde_json::Value::Null,
        signature: Some(signature),
        arms: arms.iter().map(|&arm| arm.to_owned()).collect(),
        origin: None,
        files: Vec::new(),
    }
}

fn names(memory: &Memory, batch: u64) -> Vec<String> {
    let target = finding(0, &[], &[]).target;
    memory.known(batch, &target).into_iter().map(|bug| bug.name).collect()
}

#[test]
fn a_batch_knows_what_was_learned_long_enough_before() {
    let memory = Memory::default();
    let later = finding(9, &["-fno-ivopts"], &[]);
    let earlier = finding(5, &["-fno-ivopts", "-fno-inline"], &[]);
    assert!(memory.learn(&later).is_some());
    assert_eq!(memory.learn(&earlier), None, "the same bug");
    assert_eq!(names(&memory, 4 + MEMORY_LAG), [] as [String; 0]);
    // The order in which threads learn does not matter.
    assert_eq!(names(&memory, 5 + MEMORY_LAG), ["gcc-12: -fno-ivopts"]);
    let other = TargetInfo { name: "clang".to_owned(), ..later.target.clone() };
    assert_eq!(memory.known(1000, &other), []);
}

#[test]
fn edits_and_entries_of_people_count() {
    let memory = Memory::default();
    let shown = finding(5, &["-fno-ivopts"], &[]);
    let mut bug = KnownBug::of(&shown).unwrap();
    bug.name = "PR 1".to_owned();
    memory.edit(&shown, bug.clone());
    memory.learn(&shown);
    assert_eq!(names(&memory, 1000), ["PR 1"]);
    // What is given counts from the first batch on, and is not learned once more.
    let memory = Memory::default();
    memory.give([bug]);
    assert_eq!(memory.learn(&shown), None);
    assert_eq!(names(&memory, 0), ["PR 1"]);
}

#[test]
fn a_flag_that_suppresses_too_much_is_off() {
    let memory = Memory::default();
    assert!(memory.learn(&finding(1, &["-fno-inline"], &[])).unwrap().off);
    // So is one of many, unless the finding is bisected to what it disables.
    let mut many = finding(1, &["-fno-tree-slsr", "-fa", "-fb", "-fc"], &[]);
    assert!(memory.learn(&many).unwrap().off);
    assert_eq!(names(&memory, 1000), [] as [String; 0]);
    many.signature.as_mut().unwrap().bisected_pass = Some("tree-slsr".to_owned());
    assert!(!KnownBug::of(&many).unwrap().off);
}

#[test]
fn shares_follow_from_epochs_that_are_far_enough_back() {
    let memory = Memory::default();
    let arms = ArmCounts::from([("theme:loops".to_owned(), 900), ("theme:none".to_owned(), 900)]);
    memory.add_arms(0, &arms);
    for (batch, flag) in [(1, "-fa"), (2, "-fb"), (3, "-fa"), (4, "-fc")] {
        memory.learn(&finding(batch, &[flag], &["theme:loops"]));
    }
    assert_eq!(memory.new_bugs().len(), 3);
    let base = Plan::default();
    let config = base.generate.clone();
    let loops = |batch: u64| memory.plan(&base, true, batch).generate.policy.loops;
    // Every batch of epoch 3 may know of all batches of epoch 0.
    assert_eq!(loops(3 * EPOCH - 1), config.policy.loops);
    assert!(loops(3 * EPOCH) > 1.2 * config.policy.loops);
    assert_eq!(loops(3 * EPOCH), loops(4 * EPOCH - 1));
}

#[test]
fn programs_of_findings_become_parents_once_they_are_far_enough_back() {
    let memory = Memory::default();
    let mut shown = finding(5, &["-fa"], &[]);
    shown.program =
        parse("test", "dialect c; fn f() -> i32 { e: return 1; } realize f() = 1 via e;")
            .expect("a program");
    // Another target shows it too.
    let other = Finding {
        target: TargetInfo { name: "zcc".to_owned(), ..shown.target.clone() },
        ..shown.clone()
    };
    memory.learn(&other);
    memory.learn(&shown);
    let base = Plan::default();
    let n = |batch| memory.plan(&base, false, batch).parents.findings.len();
    assert_eq!((n(3 * EPOCH - 1), n(3 * EPOCH)), (0, 1));
    let own = Memory::default();
    own.learn(&Finding { verdict: Verdict::CompileError, ..shown });
    assert_eq!(own.plan(&base, false, 3 * EPOCH).parents.findings.len(), 0);
}

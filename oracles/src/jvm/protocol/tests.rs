use pathsmith_symlang::lang::{FloatTy, WordTy};

use super::*;
use crate::jvm::{JavaMachine, JvmSetting, Warmup};
use crate::launch::Launch;
use crate::setting::Setting;

fn result(call: usize, value: &str, left: u32) -> CallResult {
    CallResult { call, value: value.to_owned(), left }
}

#[test]
fn replies_are_read_and_other_lines_are_errors() {
    let reply = |line: &str| Reply::parse(line);
    assert_eq!(reply("loaded"), Some(Reply::Loaded));
    assert_eq!(reply("returned 17 -5 7"), Some(Reply::Returned(result(17, "-5", 7))));
    let differs = Reply::Differs { nth: 250, result: result(17, "-5", 7) };
    assert_eq!(reply("differs 17 250 -5 7"), Some(differs));
    let thrown = Reply::Thrown { call: 1, message: "a b".to_owned() };
    assert_eq!(reply("thrown 1 a b"), Some(thrown));
    assert_eq!(reply("done 40 900"), Some(Reply::Done { n_calls: 40, n_repetitions: 900 }));
    for line in [
        "",
        "ready now",
        "loaded x",
        "returned 1",
        "returned 1 2 -3",
        "returned 1 2 3 4",
        "differs 1 2 3",
        "differs 1 -2 3 4",
        "thrown x y",
        "thrown 1",
        "at -1",
        "done 40",
        "# A",
    ] {
        assert_eq!(reply(line), None, "{line}");
    }
}

/// Two calls of one function, which return -1 and leave 7; each is made twice.
fn classes() -> JvmClasses {
    let call = |realization| JvmCall {
        function: 0,
        realization,
        args: Vec::new(),
        expected: Scalar::new(WordTy::I32, -1),
        leaving: Some(7),
        result: WordTy::I32.into(),
    };
    let methods = vec![("f".to_owned(), 1)];
    JvmClasses { classes: Vec::new(), calls: vec![call(0), call(1)], methods }
}

/// Reads lines. Gives the verdict and the calls that went wrong, with messages.
fn read(lines: &[&str]) -> (Verdict, Vec<usize>, String) {
    let machine = JavaMachine {
        name: "java".to_owned(),
        command: "java".into(),
        version: String::new(),
        is_hotspot: false,
        path: "java".into(),
        launch: Launch::default(),
    };
    let (name, warmup) = (Setting::named("default"), Warmup::Twice);
    let setting = JvmSetting { name, flags: Vec::new(), warmup, slot: None };
    let (classes, target) = (classes(), JvmTarget { machine, setting });
    let mut transcript = Transcript::default();
    for line in lines {
        match JvmProtocol::read_line(line, &classes, &target, &mut transcript) {
            Ok(Progress::Done) => break,
            Ok(Progress::Same | Progress::Running) => {}
            Err(interruption) => {
                transcript = transcript.interrupted(interruption);
                break;
            }
        }
    }
    let report = transcript.report(&JvmProtocol::calls(&classes), Evidence::default());
    let blamed = report.disagreements.iter().map(|found| found.realization).collect();
    (report.verdict, blamed, transcript.message("the JVM"))
}

const RIGHT: [&str; 5] = ["loaded", "begun 0", "returned 0 -1 7", "returned 1 -1 7", "done 2 4"];

#[track_caller]
fn check(lines: &[&str], verdict: Verdict, blamed: &[usize], message: &str) {
    let (found, calls, said) = read(lines);
    assert_eq!((found, &calls[..]), (verdict, blamed), "{lines:?}: {said}");
    assert!(said.contains(message), "{said}");
}

#[test]
fn values_are_compared_here() {
    check(&RIGHT, Verdict::Agrees, &[], "");
    let wrong = Verdict::WrongResult;
    let mut lines = RIGHT;
    lines[2] = "returned 0 5 7";
    check(&lines, wrong, &[0], "f #0: returned 5 in repetition 0");
    // All 64 bits count.
    lines[2] = "returned 0 4294967295 7";
    check(&lines, wrong, &[0], "f #0: returned 4294967295 in repetition 0");
    lines[2] = "returned 0 -1 8";
    check(&lines, wrong, &[0], "f #0: left memory checksum 8 in repetition 0");
}

#[test]
fn floats_travel_as_their_bits() {
    let call = |ty: FloatTy, value: f64| JvmCall {
        function: 0,
        realization: 0,
        args: vec![Scalar::new(ty, ty.word(-1.5))],
        expected: Scalar::new(ty, ty.word(value)),
        leaving: None,
        result: ty.into(),
    };
    let compared = |ty, value, text: &str| compared_result(&call(ty, value), text);
    assert_eq!(value_text(call(FloatTy::F32, -0.0).expected), "2147483648");
    assert_eq!(value_bytes(call(FloatTy::F32, 0.0).args[0]), 0xbfc0_0000_i64.to_be_bytes());
    assert_eq!(compared(FloatTy::F32, -0.0, "2147483648"), Some(None));
    assert_eq!(compared(FloatTy::F32, -0.0, "0"), Some(Some("0.0".to_owned())));
    assert_eq!(compared(FloatTy::F64, 0.0, "-9223372036854775808"), Some(Some("-0.0".to_owned())));
    assert_eq!(compared(FloatTy::F32, f64::NAN, "2143289344"), Some(None));
    // Another NaN than the one, and a float that is extended by its sign, are shown as they came.
    assert_eq!(compared(FloatTy::F32, f64::NAN, "2143289345"), Some(Some("2143289345".to_owned())));
    assert_eq!(compared(FloatTy::F32, -0.0, "-2147483648"), Some(Some("-2147483648".to_owned())));
    assert_eq!(compared(FloatTy::F32, 1.0, "1.0"), None);
}

#[test]
fn a_repetition_that_differs_is_wrong_or_the_first_was() {
    let wrong = Verdict::WrongResult;
    let [a, b, c, d, _] = RIGHT;
    check(&[a, b, c, d, "differs 1 1 6 7", "done 2 2"], wrong, &[1], "returned 6 in repetition 1");
    check(&[a, b, c, "returned 1 6 7", "differs 1 1 -1 7", "done 2 2"], wrong, &[1], "returned 6");
    check(&[a, b, c, "thrown 1 oops", "done 2 2"], Verdict::Crash, &[1], "f #1: oops");
    check(&[a, b, c, d, "thrown 0 oops", "done 2 2"], Verdict::Crash, &[0], "f #0: oops");
}

#[test]
fn every_call_is_answered_once_and_in_order() {
    let [a, b, c, d, done] = RIGHT;
    let crash = Verdict::Crash;
    check(&[a, b, c, c, d, done], crash, &[], "expected an answer about call 1, got \"returned 0");
    check(&[a, b, d, c, done], crash, &[], "expected an answer about call 0");
    check(&[a, b, c, done], crash, &[], "expected an answer about call 1, got \"done 2 4\"");
    check(&[a, b, c, d, d, done], crash, &[], "got \"returned 1");
    check(&[a, b, c, d, "returned 2 -1 7", done], crash, &[], "got \"returned 2");
    check(&[a, b, c, d, "done 1 4"], crash, &[], "`done 2`, got \"done 1 4\"");
    check(&[a, b, c, d, "done 2 3"], crash, &[], "`done 2`, got \"done 2 3\"");
    check(&[b, c, d, done], crash, &[], "expected `loaded`");
    check(&[a, a, b, c, d, done], crash, &[], "got \"loaded\"");
    // A repetition that differs from nothing, that is none, or that comes twice.
    check(&[a, b, "differs 0 1 6 7"], crash, &[], "got \"differs 0");
    check(&[a, b, c, "differs 0 0 6 7"], crash, &[], "got \"differs 0");
    check(&[a, b, c, "differs 0 1 -1 7"], crash, &[], "got \"differs 0");
    let twice = ["differs 0 1 6 7", "differs 0 1 6 7"];
    check(&[a, b, c, twice[0], twice[1]], Verdict::WrongResult, &[0], "got \"differs 0");
}

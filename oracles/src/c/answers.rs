//! What the harness of a compiled program answers, compared with what is expected.
//!
//! The program is not believed: it says what each realization returned and left, and the comparison
//! is made here. The harness (`backends/c/src/runtime/harness_end.c`) answers about the realizations in
//! order, each once, and every line begins with the nonce of this run. Everything else that is on
//! standard output was written by wrong code, which can do anything.

use pathsmith_backend_c::{CExpected, CTest};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Scalar, ScalarTy};

use crate::nonce::{Nonce, quoted};
use crate::verdict::{Disagreement, Observed, Verdict};

/// The answers of one run.
pub(super) struct Answers<'a> {
    tests: &'a [CTest],
    /// The realization that is to be answered next, by function and number; none if all are.
    next: Option<(usize, usize)>,
    /// How many realizations were answered.
    pub(super) n_answered: usize,
    /// Whether the last line was read.
    pub(super) is_done: bool,
    /// Whether an answer was not the next one, so that nothing after it was read.
    pub(super) is_lost: bool,
    /// Whether there was a line that the harness does not write, or not at this point.
    pub(super) has_violation: bool,
    /// The realizations that are wrong.
    pub(super) found: Vec<Disagreement>,
    /// What is wrong, in words.
    pub(super) messages: Vec<String>,
}

impl<'a> Answers<'a> {
    /// Reads what a program wrote to standard output.
    pub(super) fn read(stdout: &[u8], tests: &'a [CTest], nonce: &Nonce) -> Self {
        let mut answers = Self {
            tests,
            next: None,
            n_answered: 0,
            is_done: false,
            is_lost: false,
            has_violation: false,
            found: Vec::new(),
            messages: Vec::new(),
        };
        answers.next = answers.first_from(0, 0);
        for line in String::from_utf8_lossy(stdout).lines() {
            match nonce.strip(line) {
                Some(answer) if !answers.is_done => {
                    if answers.answer(answer).is_none() {
                        answers.violation(answer);
                        answers.is_lost = true;
                        break;
                    }
                }
                Some(late) => answers.violation(late),
                None => answers.violation(line),
            }
        }
        answers
    }

    /// The first realization at or after this one.
    fn first_from(&self, mut function: usize, mut realization: usize) -> Option<(usize, usize)> {
        while realization >= self.tests.get(function)?.expected.len() {
            (function, realization) = (function + 1, 0);
        }
        Some((function, realization))
    }

    /// Reads a line without its nonce. Nothing, if it is not what comes next.
    fn answer(&mut self, line: &str) -> Option<()> {
        let words: Vec<&str> = line.split(' ').collect();
        if let ["done", n] = words[..] {
            self.is_done = self.next.is_none() && n.parse() == Ok(self.n_answered);
            return self.is_done.then_some(());
        }
        let [function, realization, first, second] = words[..] else { return None };
        let about = (function.parse().ok()?, realization.parse().ok()?);
        let (function, realization) = self.next.filter(|next| *next == about)?;
        let failure = match first {
            "hung" => {
                let limit: u32 = second.parse().ok()?;
                Some((Verdict::Hang, None, format!("no end after {limit} ms")))
            }
            "crashed" => {
                let signal: u32 = second.parse().ok()?;
                Some((Verdict::Crash, None, format!("signal {signal}")))
            }
            value => {
                let value = u64::from_str_radix(value, 16).ok()?;
                let memory = u32::from_str_radix(second, 16).ok()?;
                let expected = &self.tests[function].expected[realization];
                compared(expected, value, memory)
                    .map(|(actual, message)| (Verdict::WrongResult, Some(actual), message))
            }
        };
        self.n_answered += 1;
        let has_returned = !matches!(first, "hung" | "crashed");
        self.next = match has_returned {
            true => self.first_from(function, realization + 1),
            // The harness skips the others of its function.
            false => self.first_from(function + 1, 0),
        };
        if let Some((verdict, actual, message)) = failure {
            self.blame((function, realization), verdict, actual, &message);
        }
        Some(())
    }

    /// A line that the harness does not write, or not at this point. It is blamed on the realization
    /// that was being run, once.
    fn violation(&mut self, line: &str) {
        let got = quoted(line);
        let is_first = !self.has_violation;
        self.has_violation = true;
        match self.next {
            Some((function, realization)) => {
                let id = FuncId::new(function);
                let is_blamed =
                    |found: &Disagreement| (found.function, found.realization) == (id, realization);
                if !self.found.iter().any(is_blamed) {
                    let message = format!("expected its answer, got {got}");
                    self.blame((function, realization), Verdict::Crash, None, &message);
                }
            }
            None if is_first && self.is_done => {
                self.messages.push(format!("expected nothing after the last line, got {got}"));
            }
            None if is_first => {
                let n = self.n_answered;
                self.messages.push(format!("expected the last line, with {n} answers, got {got}"));
            }
            None => {}
        }
    }

    fn blame(
        &mut self,
        (function, realization): (usize, usize),
        verdict: Verdict,
        actual: Option<Observed>,
        message: &str,
    ) {
        self.messages.push(format!("{} #{realization}: {message}", self.tests[function].name));
        let function = FuncId::new(function);
        let blamed = Disagreement { function, realization, verdict, actual };
        if !self.found.contains(&blamed) {
            self.found.push(blamed);
        }
    }

    /// Whether every realization was answered rightly, and nothing else was written.
    pub(super) fn are_right(&self) -> bool {
        self.is_done && !self.has_violation && self.found.is_empty()
    }

    /// Blames the realization that was running when the output ended, if any was. That comes first.
    pub(super) fn interrupted(&mut self, verdict: Verdict, how: &str) {
        match self.next {
            Some(next) => {
                // What it wrote before is part of the same failure.
                let (function, realization) = (FuncId::new(next.0), next.1);
                self.found
                    .retain(|found| (found.function, found.realization) != (function, realization));
                self.blame(next, verdict, None, how);
                self.messages.rotate_right(1);
            }
            None => self.messages.insert(0, how.to_owned()),
        }
    }
}

/// What is wrong with a result, and in words.
fn compared(expected: &CExpected, value: u64, memory: u32) -> Option<(Observed, String)> {
    // All 64 bits: that a narrow result is extended properly is up to the compiler too.
    if canonical(expected.value.ty(), value) != expected.value.word() as u64 {
        let value = shown(expected.value.ty(), value);
        let message = format!("expected {}, got {value}", expected.value);
        return Some((Observed::Returned(value), message));
    }
    let leaving = expected.leaving.filter(|leaving| *leaving != memory)?;
    Some((Observed::Left(memory), format!("expected memory checksum {leaving}, got {memory}")))
}

/// An answer with the one NaN instead of any.
fn canonical(ty: ScalarTy, value: u64) -> u64 {
    match ty {
        ScalarTy::Int(_) => value,
        ScalarTy::Float(float) if is_of_width(ty, value) => float.canonical(value as i64) as u64,
        ScalarTy::Float(_) => value,
    }
}

/// An answer, as results are written.
fn shown(ty: ScalarTy, value: u64) -> String {
    match ty {
        ScalarTy::Int(ty) if ty.is_signed() => (value as i64).to_string(),
        ScalarTy::Int(_) => value.to_string(),
        ScalarTy::Float(_) if is_of_width(ty, value) => Scalar::new(ty, value as i64).to_string(),
        ScalarTy::Float(_) => format!("the bits {value:#x}"),
    }
}

/// Whether a type is wide enough for the bits of an answer.
fn is_of_width(ty: ScalarTy, bits: u64) -> bool {
    u64::BITS - bits.leading_zeros() <= ty.bits()
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::{FloatTy, IntTy};
    use proptest::prelude::*;

    use super::*;

    /// Floating-point numbers are answered as their bits. There is one NaN, and there are two zeros.
    #[test]
    fn numbers_are_compared_by_their_bits() {
        let message = |text: &str, ty: FloatTy, answer: u64| {
            let value = Scalar::new(ty, ty.parse(text).unwrap());
            compared(&CExpected { value, leaving: None }, answer, 0).map(|(_, message)| message)
        };
        assert_eq!(message("1.5", FloatTy::F64, 0x3ff8_0000_0000_0000), None);
        assert_eq!(message("nan", FloatTy::F64, 0xfff8_0000_0000_0001), None);
        assert_eq!(message("nan", FloatTy::F32, 0x7fc0_0000), None);
        let got = |text, ty, answer| message(text, ty, answer).unwrap();
        assert_eq!(got("0.0", FloatTy::F64, 1 << 63), "expected 0.0, got -0.0");
        assert_eq!(got("0.1", FloatTy::F32, 0x3dcc_ccce), "expected 0.1, got 0.10000001");
        assert_eq!(got("inf", FloatTy::F32, 0x7fc0_0001), "expected inf, got nan");
        let wide = got("nan", FloatTy::F32, 0x1_7fc0_0000);
        assert_eq!(wide, "expected nan, got the bits 0x17fc00000");
    }

    /// Two functions with two realizations each, all of which return -1 and leave 7.
    fn tests() -> Vec<CTest> {
        let known = CExpected { value: Scalar::new(IntTy::I32, -1), leaving: Some(7) };
        let test = |name: &str| CTest { name: name.to_owned(), expected: vec![known; 2] };
        vec![test("f1"), test("f2")]
    }

    const RIGHT: [&str; 5] = [
        "repro 0 0 ffffffffffffffff 7",
        "repro 0 1 ffffffffffffffff 7",
        "repro 1 0 ffffffffffffffff 7",
        "repro 1 1 ffffffffffffffff 7",
        "repro done 4",
    ];

    /// Reads lines, and says who is blamed for what.
    #[track_caller]
    fn check(lines: &[&str], are_right: bool, blamed: &[(usize, usize, Verdict)], message: &str) {
        let tests = tests();
        let text = lines.join("\n") + "\n";
        let answers = Answers::read(text.as_bytes(), &tests, &Nonce::of_repro());
        let found: Vec<_> = answers
            .found
            .iter()
            .map(|found| (found.function.index(), found.realization, found.verdict))
            .collect();
        assert_eq!((answers.are_right(), &found[..]), (are_right, blamed), "{lines:?}");
        let said = answers.messages.join("\n");
        assert!(said.contains(message), "{said}");
    }

    #[test]
    fn values_are_compared_here() {
        check(&RIGHT, true, &[], "");
        let mut lines = RIGHT;
        lines[1] = "repro 0 1 ffffffff 7";
        lines[2] = "repro 1 0 ffffffffffffffff 8";
        let wrong = Verdict::WrongResult;
        check(&lines, false, &[(0, 1, wrong), (1, 0, wrong)], "f1 #1: expected -1, got 4294967295");
        check(&lines, false, &[(0, 1, wrong), (1, 0, wrong)], "expected memory checksum 7, got 8");
    }

    #[test]
    fn what_crashes_or_hangs_skips_the_rest_of_its_function() {
        let [_, _, c, d, _] = RIGHT;
        let lines = ["repro 0 0 crashed 11", c, d, "repro done 3"];
        check(&lines, false, &[(0, 0, Verdict::Crash)], "f1 #0: signal 11");
        let lines = ["repro 0 0 hung 60", c, d, "repro done 3"];
        check(&lines, false, &[(0, 0, Verdict::Hang)], "f1 #0: no end after 60 ms");
    }

    #[test]
    fn every_realization_is_answered_once_and_in_order() {
        let [a, b, c, d, done] = RIGHT;
        let crash = Verdict::Crash;
        check(&[a, a, b, c, d, done], false, &[(0, 1, crash)], "f1 #1: expected its answer");
        check(&[a, b, d, done], false, &[(1, 0, crash)], "got \"1 1 ffff");
        check(&[a, b, c, done], false, &[(1, 1, crash)], "got \"done 4\"");
        check(&[a, b, c, "repro done 3"], false, &[(1, 1, crash)], "got \"done 3\"");
        check(&[a, b, c, d, "repro done 3"], false, &[], "expected the last line, with 4 answers");
        check(&[a, b, c, d, "repro 2 0 1 1"], false, &[], "expected the last line");
        check(&[a, b, c, d, done, d], false, &[], "expected nothing after the last line");
        check(&[a, b, c, d, done, "bye"], false, &[], "nothing after the last line, got \"bye\"");
        check(&[a, b, c, d], false, &[], "");
    }

    #[test]
    fn what_lacks_the_nonce_is_no_answer() {
        let [a, b, c, d, done] = RIGHT;
        let crash = Verdict::Crash;
        let forged = ["0 0 ffffffffffffffff 7", "ok f1 #0: -1", "1234 0 0 ffffffffffffffff 7"];
        for line in forged {
            check(&[line, b, c, d, done], false, &[(0, 0, crash)], "f1 #0: expected its answer");
            check(&[a, line, b, c, d, done], false, &[(0, 1, crash)], "f1 #1");
        }
        // Those after it count.
        let wrong = "repro 1 0 5 7";
        let blamed = [(0, 1, crash), (1, 0, Verdict::WrongResult)];
        check(&[a, "\x1b[2J", b, wrong, d, done], false, &blamed, "got \"\\u{1b}[2J\"");
    }

    proptest! {
        /// Lines that are left out, repeated, swapped or changed never agree.
        #[test]
        fn no_other_lines_agree(
            lines in prop::collection::vec(prop::sample::select(RIGHT.to_vec()), 0..8),
            other in "[ -~]{0,30}",
            at in 0_usize..5,
        ) {
            let tests = tests();
            let right = |lines: &[&str]| {
                let text = lines.join("\n");
                Answers::read(text.as_bytes(), &tests, &Nonce::of_repro()).are_right()
            };
            prop_assert_eq!(right(&lines), lines == RIGHT);
            let mut changed = RIGHT;
            changed[at] = &other;
            prop_assert!(!right(&changed));
            prop_assert!(!right(&[&RIGHT[..at], &[&other[..]], &RIGHT[at..]].concat()));
        }
    }
}

//! From what commands did to verdicts.

use pathsmith_backend_c::CTest;

use super::answers::Answers;
use super::toolchain::Compiler;
use crate::nonce::Nonce;
use crate::process::{CommandLine, End, Ended};
use crate::verdict::{Disagreement, Evidence, Report, Verdict};

/// Judges how a compiler ended. The evidence grows if all is well.
///
/// # Errors
/// The report, if not.
pub(super) fn compiled(
    command: &CommandLine,
    ended: &Ended,
    has_product: bool,
    compiler: Compiler,
    evidence: &mut Vec<Evidence>,
) -> Result<(), Report> {
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let (verdict, message) = match ended.end {
        End::Limit(reached) => (Verdict::CompilerTimeout, reached.to_string()),
        _ if ended.end.is_success() && has_product => {
            evidence.push(Evidence::of(command, ended, first_lines(&stderr)));
            return Ok(());
        }
        _ if ended.end.is_success() => {
            (Verdict::CompilerCrash, "it succeeded without a product".to_owned())
        }
        _ if stderr.contains("No space left on device") => {
            (Verdict::InfrastructureFailure, first_lines(&stderr))
        }
        _ if is_out_of_memory(&stderr) => (Verdict::CompilerTimeout, first_lines(&stderr)),
        _ if compiler.has_crashed(ended.end, &stderr) => {
            (Verdict::CompilerCrash, first_lines(&stderr))
        }
        _ => (Verdict::CompileError, first_lines(&stderr)),
    };
    let mut last = Evidence::of(command, ended, message);
    // The first lines may end before the trace begins.
    last.log = (verdict == Verdict::CompilerCrash && stderr.lines().count() > MESSAGE_LINES)
        .then(|| stderr.chars().take(MAX_LOG).collect());
    evidence.push(last);
    Err(Report::new(verdict, std::mem::take(evidence)))
}

/// Under a memory limit, a compiler that needs more reports that and exits.
fn is_out_of_memory(stderr: &str) -> bool {
    ["out of memory allocating", "virtual memory exhausted", "Cannot allocate memory", "bad_alloc"]
        .iter()
        .any(|sign| stderr.contains(sign))
}

/// The verdict about a run of the harness.
pub(super) struct Ran {
    pub(super) verdict: Verdict,
    /// The realizations that show it.
    pub(super) disagreements: Vec<Disagreement>,
    pub(super) message: String,
    /// How many realizations were answered.
    pub(super) n_checked: u64,
}

/// Judges a run of a compiled program by what its harness answers.
///
/// Known-good programs ran with this target before, so whatever a program does that the harness does
/// not do is wrong code: it ends early, it writes something else, it answers twice or not at all, or
/// its exit status contradicts its answers.
pub(super) fn ran(ended: &Ended, tests: &[CTest], nonce: &Nonce, is_sanitizer: bool) -> Ran {
    let mut answers = Answers::read(&ended.stdout, tests, nonce);
    let n_checked = answers.n_answered as u64;
    let (is_success, are_right) = (ended.end.is_success(), answers.are_right());
    let stderr = String::from_utf8_lossy(&ended.stderr);
    if is_success && are_right {
        let (disagreements, message) = (Vec::new(), first_lines(&stderr));
        return Ran { verdict: Verdict::Agrees, disagreements, message, n_checked };
    }
    if is_sanitizer {
        let verdict = Verdict::SanitizerError;
        answers.interrupted(verdict, &format!("it ended with {}", how(ended.end)));
        let said = first_lines(&stderr);
        let message =
            if said.is_empty() { first_lines(&answers.messages.join("\n")) } else { said };
        answers.found.retain(|found| found.verdict == verdict);
        return Ran { verdict, disagreements: answers.found, message, n_checked };
    }
    match ended.end {
        End::Limit(reached) => answers.interrupted(Verdict::Hang, &reached.to_string()),
        // The harness itself did not finish: the next realization is to blame.
        end if !answers.is_done && !answers.is_lost => {
            let how = format!("expected its answer, but the program ended with {}", how(end));
            answers.interrupted(Verdict::Crash, &how);
        }
        end if are_right => {
            answers.messages.push(format!("all answers are right, but it ended with {}", how(end)));
        }
        end if is_success && !answers.has_violation => {
            answers.messages.push(format!("it ended with {} all the same", how(end)));
        }
        _ => {}
    }
    let worst = answers.found.iter().map(|found| found.verdict).max();
    let at_least = match ended.end {
        End::Limit(_) => Verdict::Hang,
        // What is blamed on no realization.
        End::Status(_) | End::Stopped if answers.has_violation => Verdict::Crash,
        End::Status(_) | End::Stopped => worst.unwrap_or(Verdict::Crash),
    };
    let verdict = worst.map_or(at_least, |worst| worst.max(at_least));
    let message = first_lines(&[&answers.messages.join("\n"), &stderr[..]].join("\n"));
    Ran { verdict, disagreements: answers.found, message, n_checked }
}

/// How a program ended, in words.
fn how(end: End) -> String {
    match (end.code(), end.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no status".to_owned(),
    }
}

const MESSAGE_LINES: usize = 12;

/// How much is kept of what a compiler prints when it crashes, in characters.
const MAX_LOG: usize = 1 << 16;

/// The beginning of what was printed.
pub(super) fn first_lines(text: &str) -> String {
    const MAX_LINE: usize = 300;
    let lines =
        text.lines().take(MESSAGE_LINES).map(|line| match line.char_indices().nth(MAX_LINE) {
            Some((end, _)) => &line[..end],
            None => line,
        });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use std::time::Duration;

    use pathsmith_backend_c::CExpected;
    use pathsmith_symlang::lang::{IntTy, Scalar};

    use super::*;
    use crate::process::Reached;

    fn ended(status: i32, stdout: &str, stderr: &str) -> Ended {
        Ended {
            end: End::Status(ExitStatus::from_raw(status)),
            stdout: stdout.as_bytes().to_vec(),
            stderr: stderr.as_bytes().to_vec(),
            cpu: Duration::ZERO,
        }
    }

    /// Runs two functions with two realizations each, which return 1; says the verdict and who is to
    /// blame.
    fn check(status: i32, stdout: &str, expected: (Verdict, &[(usize, usize)])) -> String {
        let known = CExpected { value: Scalar::new(IntTy::U32, 1), leaving: None };
        let test = |name: &str| CTest { name: name.to_owned(), expected: vec![known; 2] };
        let tests = [test("f1"), test("f2")];
        let ran = ran(&ended(status, stdout, "said"), &tests, &Nonce::of_repro(), false);
        let Ran { verdict, disagreements, message, .. } = ran;
        let blamed: Vec<(usize, usize)> =
            disagreements.iter().map(|found| (found.function.index(), found.realization)).collect();
        assert_eq!((verdict, &blamed[..]), expected, "{stdout}");
        message
    }

    const ALL_RIGHT: &str = "repro 0 0 1 0\nrepro 0 1 1 0\nrepro 1 0 1 0\nrepro 1 1 1 0\n";

    #[test]
    fn answers_become_verdicts() {
        check(0, &format!("{ALL_RIGHT}repro done 4\n"), (Verdict::Agrees, &[]));
        let wrong = ALL_RIGHT.replace("1 0 1 0", "1 0 7 0") + "repro done 4\n";
        let message = check(256, &wrong, (Verdict::WrongResult, &[(1, 0)]));
        assert_eq!(message, "f2 #0: expected 1, got 7\nsaid");
        // What it thinks of itself counts for nothing.
        let message = check(0, &wrong, (Verdict::WrongResult, &[(1, 0)]));
        assert!(message.contains("it ended with exit status 0 all the same"), "{message}");
        let hung = "repro 0 0 1 0\nrepro 0 1 hung 60\nrepro 1 0 1 0\nrepro 1 1 1 0\nrepro done 4\n";
        check(256, hung, (Verdict::Hang, &[(0, 1)]));
    }

    #[test]
    fn a_program_that_ends_early_is_wrong_code() {
        let message = check(0, "", (Verdict::Crash, &[(0, 0)]));
        assert!(message.starts_with("f1 #0: expected its answer, but the program ended with exit"));
        check(0, "repro done 0\n", (Verdict::Crash, &[(0, 0)]));
        check(11, "repro 0 0 1 0\n", (Verdict::Crash, &[(0, 1)]));
        check(11, "repro 0 0 1 0\nrepro 0 1 1 0\n", (Verdict::Crash, &[(1, 0)]));
        check(11, "repro 0 0 crashed 11\n", (Verdict::Crash, &[(0, 0), (1, 0)]));
        check(0, ALL_RIGHT, (Verdict::Crash, &[]));
    }

    #[test]
    fn a_program_that_floods_its_output_hangs() {
        let known = CExpected { value: Scalar::new(IntTy::U32, 1), leaving: None };
        let tests = [CTest { name: "f1".to_owned(), expected: vec![known] }];
        let flood = ended(0, "y\ny\ny\n", "");
        let flood = Ended { end: End::Limit(Reached::Output), ..flood };
        let ran = ran(&flood, &tests, &Nonce::of_repro(), false);
        assert_eq!((ran.verdict, ran.disagreements.len()), (Verdict::Hang, 1));
        assert!(ran.message.starts_with("f1 #0: output limit reached\n"), "{}", ran.message);
    }

    #[test]
    fn an_exit_status_that_contradicts_the_answers_is_wrong_code() {
        let all = format!("{ALL_RIGHT}repro done 4\n");
        let message = check(3 << 8, &all, (Verdict::Crash, &[]));
        assert!(message.starts_with("all answers are right, but it ended with exit status 3"));
        let message = check(11, &all, (Verdict::Crash, &[]));
        assert!(message.starts_with("all answers are right, but it ended with signal 11"));
    }

    #[test]
    fn a_program_that_says_ok_is_not_believed() {
        let ok = "ok f1 #0: 1\nok f1 #1: 1\nok f2 #0: 1\nok f2 #1: 1\ndone: 4 checked, 0 failed\n";
        check(0, ok, (Verdict::Crash, &[(0, 0)]));
        check(0, &ALL_RIGHT.replace("repro", "1234"), (Verdict::Crash, &[(0, 0)]));
    }

    #[test]
    fn crashes_errors_and_timeouts_of_compilers_are_distinguished() {
        let verdict = |status, stderr: &str, has_product| {
            let command = CommandLine::new("cc", ".");
            let ended = ended(status, "", stderr);
            compiled(&command, &ended, has_product, Compiler::Gcc, &mut Vec::new())
                .err()
                .map(|report| report.verdict)
        };
        assert_eq!(verdict(0, "", true), None);
        assert_eq!(verdict(0, "", false), Some(Verdict::CompilerCrash));
        assert_eq!(
            verdict(1 << 8, "x.c:1: error: expected ';'", false),
            Some(Verdict::CompileError)
        );
        assert_eq!(verdict(4 << 8, "", false), Some(Verdict::CompilerCrash));
        assert_eq!(verdict(11, "", false), Some(Verdict::CompilerCrash));
        let full = "as: x.o: No space left on device";
        assert_eq!(verdict(1 << 8, full, false), Some(Verdict::InfrastructureFailure));
        let memory = "cc1: out of memory allocating 65536 bytes";
        assert_eq!(verdict(1 << 8, memory, false), Some(Verdict::CompilerTimeout));
    }
}

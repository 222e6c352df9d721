//! From what commands did to verdicts.

use pathsmith_symlang::FuncId;

use super::toolchain::Compiler;
use crate::process::{CommandLine, End, Ended, Reached};
use crate::verdict::{Disagreement, Evidence, Observed, Report, Verdict};

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
    /// How many realizations were reported.
    pub(super) n_checked: u64,
}

/// Reads what the harness prints.
pub(super) fn ran(ended: &Ended, tests: &[(String, usize)], is_sanitizer: bool) -> Ran {
    let stdout = String::from_utf8_lossy(&ended.stdout);
    let stderr = String::from_utf8_lossy(&ended.stderr);
    let mut reading =
        Reading { tests, at: None, skipped: false, found: Vec::new(), is_done: false, n_ok: 0 };
    for line in stdout.lines() {
        reading.line(line);
    }
    let mut failed: Vec<&str> =
        stdout.lines().filter(|line| !line.starts_with("ok ")).take(MESSAGE_LINES).collect();
    if failed.is_empty() {
        failed.extend(stderr.lines().take(MESSAGE_LINES));
    }
    let message = failed.join("\n");
    let n_tests: usize = tests.iter().map(|(_, n)| n).sum();
    let agrees = ended.end.is_success() && reading.is_done && reading.found.is_empty();
    let n_checked = (reading.n_ok + reading.found.len()) as u64;
    let ran = |verdict, disagreements, message| Ran { verdict, disagreements, message, n_checked };
    if agrees && reading.n_ok == n_tests {
        return ran(Verdict::Agrees, Vec::new(), message);
    }
    if is_sanitizer {
        let found = reading.interrupted(Verdict::SanitizerError).into_iter().collect();
        return ran(Verdict::SanitizerError, found, first_lines(&stderr));
    }
    let verdict = match ended.end {
        End::Limit(Reached::Time | Reached::Output | Reached::Files) => Some(Verdict::Hang),
        _ if !reading.is_done => Some(Verdict::Crash),
        _ => None,
    };
    // The harness itself did not finish: the next realization is to blame.
    if let Some(verdict) = verdict {
        let found = reading.interrupted(verdict);
        reading.found.extend(found);
        let message = match ended.end {
            End::Limit(reached) => format!("{reached}\n{message}"),
            _ => message,
        };
        return ran(verdict, reading.found, message);
    }
    let worst = reading.found.iter().map(|found| found.verdict).max();
    // It finished and found nothing, but its exit status is wrong, or it left realizations out.
    ran(worst.unwrap_or(Verdict::Crash), reading.found, message)
}

/// Reads what the harness prints.
struct Reading<'a> {
    tests: &'a [(String, usize)],
    /// The last realization that was reported.
    at: Option<(usize, usize)>,
    /// Whether the rest of its function's realizations is left out.
    skipped: bool,
    found: Vec<Disagreement>,
    is_done: bool,
    n_ok: usize,
}

impl Reading<'_> {
    /// `ok f1 #0: 5`, `WRONG f1 #0: 4, expected 5`, `WRONG f1 #0: memory 4, expected memory 5`,
    /// `HUNG f1 #0: …`, `CRASHED f1 #0: …`, `done: …`
    fn line(&mut self, line: &str) {
        if line.starts_with("done: ") {
            self.is_done = true;
            return;
        }
        let Some((word, rest)) = line.split_once(' ') else { return };
        let Some((name, rest)) = rest.split_once(" #") else { return };
        let Some((number, result)) = rest.split_once(": ") else { return };
        let Ok(realization) = number.parse::<usize>() else { return };
        let Some(function) = self.tests.iter().position(|(known, _)| known == name) else { return };
        self.at = Some((function, realization));
        let verdict = match word {
            "ok" => {
                self.n_ok += 1;
                return;
            }
            "WRONG" => Verdict::WrongResult,
            "HUNG" => Verdict::Hang,
            "CRASHED" => Verdict::Crash,
            _ => return,
        };
        self.skipped = verdict != Verdict::WrongResult;
        let value = result.split(',').next().unwrap_or(result);
        self.found.push(Disagreement {
            function: FuncId::new(function),
            realization,
            verdict,
            actual: (!self.skipped).then(|| observed(value)),
        });
    }

    /// The realization that was running when the output ended.
    fn interrupted(&self, verdict: Verdict) -> Option<Disagreement> {
        let (mut function, mut realization) = match self.at {
            Some((function, _)) if self.skipped => (function + 1, 0),
            Some((function, realization)) => (function, realization + 1),
            None => (0, 0),
        };
        while realization >= self.tests.get(function)?.1 {
            (function, realization) = (function + 1, 0);
        }
        Some(Disagreement { function: FuncId::new(function), realization, verdict, actual: None })
    }
}

/// `4`, or `memory 4`.
fn observed(value: &str) -> Observed {
    let left = value.strip_prefix("memory ").and_then(|crc| crc.parse().ok());
    left.map_or_else(|| Observed::Returned(value.to_owned()), Observed::Left)
}

const MESSAGE_LINES: usize = 12;

/// How much is kept of what a compiler prints when it crashes, in characters.
const MAX_LOG: usize = 1 << 16;

/// The beginning of what was printed.
fn first_lines(text: &str) -> String {
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

    use super::*;

    fn ended(status: i32, stdout: &str, stderr: &str) -> Ended {
        Ended {
            end: End::Status(ExitStatus::from_raw(status)),
            stdout: stdout.as_bytes().to_vec(),
            stderr: stderr.as_bytes().to_vec(),
            cpu: Duration::ZERO,
        }
    }

    /// Runs two functions with two realizations each; says the verdict and who is to blame.
    fn check(status: i32, stdout: &str, expected: (Verdict, &[(usize, usize)])) {
        let tests = [("f1".to_owned(), 2), ("f2".to_owned(), 2)];
        let Ran { verdict, disagreements, .. } = ran(&ended(status, stdout, ""), &tests, false);
        let blamed: Vec<(usize, usize)> =
            disagreements.iter().map(|found| (found.function.index(), found.realization)).collect();
        assert_eq!((verdict, &blamed[..]), expected, "{stdout}");
    }

    const ALL_OK: &str = "ok f1 #0: 1\nok f1 #1: 1\nok f2 #0: 1\nok f2 #1: 1\n";

    #[test]
    fn the_harness_is_read() {
        check(0, &format!("{ALL_OK}done: 4 checked, 0 failed\n"), (Verdict::Agrees, &[]));
        let wrong = ALL_OK.replace("ok f2 #0: 1", "WRONG f2 #0: 7, expected 1");
        check(
            256,
            &format!("{wrong}done: 4 checked, 1 failed\n"),
            (Verdict::WrongResult, &[(1, 0)]),
        );
        let hung =
            "ok f1 #0: 1\nHUNG f1 #1: x\nok f2 #0: 1\nok f2 #1: 1\ndone: 4 checked, 1 failed\n";
        check(256, hung, (Verdict::Hang, &[(0, 1)]));
    }

    #[test]
    fn memory_is_distinguished_from_what_is_returned() {
        let lines = "WRONG f1 #0: 7, expected 1\nWRONG f1 #1: memory 9, expected memory 4\n";
        let lines = format!("{lines}ok f2 #0: 1\nok f2 #1: 1\ndone: 4 checked, 2 failed\n");
        let tests = [("f1".to_owned(), 2), ("f2".to_owned(), 2)];
        let ran = ran(&ended(256, &lines, ""), &tests, false);
        let actual: Vec<Option<Observed>> =
            ran.disagreements.into_iter().map(|found| found.actual).collect();
        let expected = [Some(Observed::Returned("7".to_owned())), Some(Observed::Left(9))];
        assert_eq!(actual, expected);
    }

    #[test]
    fn a_harness_that_exits_early_is_a_crash() {
        check(0, "", (Verdict::Crash, &[(0, 0)]));
        check(0, "done: 0 checked, 0 failed\n", (Verdict::Crash, &[]));
        check(11, "ok f1 #0: 1\n", (Verdict::Crash, &[(0, 1)]));
        check(11, "ok f1 #0: 1\nok f1 #1: 1\n", (Verdict::Crash, &[(1, 0)]));
        check(11, "CRASHED f1 #0: signal 11\n", (Verdict::Crash, &[(0, 0), (1, 0)]));
        check(3 << 8, &format!("{ALL_OK}done: 4 checked, 0 failed\n"), (Verdict::Crash, &[]));
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

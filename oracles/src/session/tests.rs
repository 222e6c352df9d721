//! A protocol whose targets are shell scripts: `ok` and `bad` answer a call, `done` ends an answer.
//! The request is the nonce, and whether to be careful.

use super::*;

struct Shell;

/// A number of calls, which all have to be `ok`.
struct Calls(usize);

#[derive(Clone)]
struct Script {
    name: &'static str,
    text: String,
}

impl SessionProtocol for Shell {
    type Artifact = Calls;
    type Target = Script;

    const WHO: &'static str = "the shell";
    const REQUEST_FILE: &'static str = "request";
    const GREETING: Option<&'static str> = Some("hello");
    const CRASH_FILE: Option<&'static str> = Some("crash.log");

    fn command(target: &Script, folder: &Path) -> CommandLine {
        CommandLine::new("sh", folder).args(["-c", &target.text])
    }

    fn key(target: &Script) -> String {
        target.name.to_owned()
    }

    fn request(
        _: &Calls,
        _: &Script,
        nonce: &Nonce,
        careful: bool,
    ) -> Result<Vec<u8>, OracleError> {
        let how = if careful { "careful" } else { "quick" };
        Ok(format!("{nonce} {how}\n").into_bytes())
    }

    fn calls(calls: &Calls) -> Vec<(FuncId, usize)> {
        (0..calls.0).map(|i| (FuncId::new(i), 0)).collect()
    }

    fn read_line(
        line: &str,
        _: &Calls,
        _: &Script,
        transcript: &mut Transcript,
    ) -> Result<Progress, Interruption> {
        let call = transcript.n_checked as usize;
        let verdict = Verdict::WrongResult;
        match line {
            "loaded" => {
                transcript.is_running = true;
                transcript.at = Some(0);
                return Ok(Progress::Running);
            }
            "refused" => return Err(Interruption::CompileError("no".to_owned())),
            "done" => return Ok(Progress::Done),
            "ok" => {}
            "bad" => {
                transcript.failures.push(CallFailure {
                    call,
                    verdict,
                    actual: None,
                    message: None,
                });
            }
            _ => return Err(ProtocolError::new("an answer", line).into()),
        }
        transcript.n_checked += 1;
        transcript.at = Some(call + 1);
        Ok(Progress::Same)
    }

    fn read_crash(log: String, transcript: &mut Transcript, evidence: &mut Evidence) {
        transcript.has_crashed_compiling = true;
        evidence.log = Some(log);
    }
}

fn script(text: &str) -> Script {
    // `asked` reads a question, and `say` answers it.
    let functions = "asked() { read x && read n how < $x; }; say() { echo \"$n $1\"; }";
    Script { name: "script", text: format!("{functions}; echo hello; {text}") }
}

fn limits() -> Limits {
    Limits { compile_time: 2, run_time: 1, ..Limits::default() }
}

fn run(text: &str) -> Report {
    let mut sessions = Sessions::new(Stop::new()).unwrap();
    sessions.run::<Shell>(&Calls(2), &script(text), &limits()).unwrap()
}

fn blamed(report: &Report) -> Vec<usize> {
    report.disagreements.iter().map(|found| found.function.index()).collect()
}

#[test]
fn answers_become_reports() {
    let report = run("while asked; do say loaded; say ok; say ok; say done; done");
    assert_eq!((report.verdict, report.n_checked), (Verdict::Agrees, 2));
    let report = run("while asked; do say loaded; say ok; say bad; say done; done");
    assert_eq!((report.verdict, blamed(&report)), (Verdict::WrongResult, vec![1]));
    assert_eq!(run("asked; say refused; sleep 100").verdict, Verdict::CompileError);
    let report = run("asked; say loaded; say what; sleep 100");
    assert_eq!(report.verdict, Verdict::Crash);
    assert_eq!(
        report.evidence[0].message,
        r#"the shell violated the protocol: expected an answer, got "what""#
    );
}

/// What lacks the nonce of the request is no answer, and neither is what comes after the last line.
#[test]
fn forged_replayed_and_late_answers_never_agree() {
    let message = |text: &str| {
        let report = run(text);
        assert_eq!(report.verdict, Verdict::Crash, "{text}: {report:?}");
        report.evidence[0].message.clone()
    };
    let nonce = "expected a line that begins with the nonce of the request, got ";
    assert!(message("asked; echo loaded; echo ok; echo ok; echo done; sleep 100").contains(nonce));
    assert!(message("asked; n=12345678; say loaded; sleep 100").contains(nonce));
    assert!(message("asked; say loaded; say ok; echo ok; sleep 100").contains(nonce));
    let late =
        "asked; printf '%s\\n' \"$n loaded\" \"$n ok\" \"$n ok\" \"$n done\" late; sleep 100";
    assert!(message(late).contains("expected nothing after the last line, got \"late\""));
    // An answer that is repeated is not one to the next question.
    let mut sessions = Sessions::new(Stop::new()).unwrap();
    let replays = "asked; while :; do say loaded; say ok; say ok; say done; read x; done";
    let mut ask = || sessions.run::<Shell>(&Calls(2), &script(replays), &limits()).unwrap();
    assert_eq!([ask().verdict, ask().verdict], [Verdict::Agrees, Verdict::Crash]);
}

#[test]
fn deaths_and_hangs_are_blamed_on_what_was_being_done() {
    let report = run("asked; kill -SEGV $$");
    assert_eq!((report.verdict, blamed(&report)), (Verdict::CompilerCrash, vec![]));
    assert_eq!(report.evidence[0].signal, Some(libc::SIGSEGV));
    let report = run("asked; say loaded; say ok; kill -SEGV $$");
    assert_eq!((report.verdict, blamed(&report)), (Verdict::Crash, vec![1]));
    let report = run("asked; say loaded; sleep 100");
    assert_eq!((report.verdict, blamed(&report)), (Verdict::Hang, vec![0]));
    assert_eq!(run("asked; sleep 100").verdict, Verdict::CompilerTimeout);
}

/// What dies while it runs is asked again, carefully; if it survives that, it has died all the same.
#[test]
fn only_a_careful_answer_says_where_it_was() {
    let text = "asked; say loaded; if [ $how = careful ]; then say ok; fi; kill -SEGV $$";
    let report = run(text);
    assert_eq!((report.verdict, blamed(&report)), (Verdict::Crash, vec![1]));
    let text = "asked; say loaded; [ $how = quick ] && kill -SEGV $$; say ok; say ok; say done";
    let report = run(text);
    assert_eq!((report.verdict, blamed(&report)), (Verdict::Crash, vec![0]));
}

#[test]
fn a_target_that_does_not_start_is_an_infrastructure_failure() {
    let mut sessions = Sessions::new(Stop::new()).unwrap();
    for text in ["exit 1", "echo goodbye; sleep 100", "sleep 100"] {
        let target = Script { name: "none", text: text.to_owned() };
        let report = sessions.run::<Shell>(&Calls(1), &target, &limits()).unwrap();
        assert_eq!(report.verdict, Verdict::InfrastructureFailure, "{text}");
        assert!(report.evidence[0].message.contains("does not start"), "{report:?}");
    }
}

#[test]
fn a_process_is_kept_while_its_command_stays_the_same() {
    let mut sessions = Sessions::new(Stop::new()).unwrap();
    let answers = "while asked; do say loaded; say ok; say done; done";
    let counting = |n: u32| script(&format!("echo started >> log{n}; {answers}"));
    let mut ask = |target: &Script| {
        let report = sessions.run::<Shell>(&Calls(1), target, &limits()).unwrap();
        assert_eq!(report.verdict, Verdict::Agrees);
    };
    for n in [1, 1, 2, 1] {
        ask(&counting(n));
    }
    let n_started = |n: u32| {
        let text = std::fs::read_to_string(sessions.folder().join(format!("log{n}"))).unwrap();
        text.lines().count()
    };
    assert_eq!((n_started(1), n_started(2)), (2, 1));
}

#[test]
fn the_description_of_a_crash_is_read_and_belongs_to_one_process() {
    let mut sessions = Sessions::new(Stop::new()).unwrap();
    let mut run = |text: &str| sessions.run::<Shell>(&Calls(1), &script(text), &limits()).unwrap();
    let report = run("asked; say loaded; echo compiling > crash.log; kill -SEGV $$");
    assert_eq!(report.verdict, Verdict::CompilerCrash);
    assert_eq!(report.evidence[0].log.as_deref(), Some("compiling\n"));
    let report = run("asked; say loaded; kill -SEGV $$");
    assert_eq!((report.verdict, &report.evidence[0].log), (Verdict::Crash, &None));
}

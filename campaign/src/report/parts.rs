//! What bug reports for all trackers are made of.

use pathsmith_oracles::{Verdict, shell_command};

use super::model::{Cluster, Source, Specimen, Syntax};
use super::title::LEVELS;
use super::words::{counted, ending, happened};
use crate::bug_file::{BugFile, CheckedCall, Scrutiny};
use crate::versions::{ReplayOutcome, Replayed, Versions};

/// How many lines of what a command wrote are shown.
const MAX_LINES: usize = 40;

/// A command and what it does, as a person would show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// The command.
    pub(super) command: String,
    /// What it wrote, and how it ended; nothing if that is no news.
    pub(super) output: String,
}

/// The test: the one that was made for people if there is one, or what the target was given.
pub(super) fn test_files(front: &Specimen) -> Vec<&Source> {
    let bug = front.sources.iter().find(|source| front.is_bug_file(source));
    if let Some(bug) = bug {
        return vec![bug];
    }
    let is_code = |source: &&Source| match source.syntax {
        Syntax::C | Syntax::Wat | Syntax::Jasm => true,
        Syntax::Symlang | Syntax::Sh => false,
    };
    front.sources.iter().filter(is_code).collect()
}

/// What to run, and what it does.
pub(super) fn shown(cluster: &Cluster) -> Vec<Shown> {
    let front = &cluster.front;
    if let Some(file) = front.bug_file() {
        return of_bug_file(cluster, file);
    }
    if test_files(front).iter().any(|source| source.syntax == Syntax::C) {
        return evidence(front);
    }
    let output = front.evidence.last().map(|last| said(&last.message)).unwrap_or_default();
    let commands = front.commands.iter().cloned();
    let mut all: Vec<Shown> =
        commands.map(|command| Shown { command, output: String::new() }).collect();
    if let Some(last) = all.last_mut() {
        last.output = output;
    }
    all
}

/// `gcc -O3 bug.c && ./a.out`, and the same without optimization, which was seen to be right.
fn of_bug_file(cluster: &Cluster, file: &BugFile) -> Vec<Shown> {
    let front = &cluster.front;
    let output = match cluster.verdict {
        Verdict::CompilerCrash => front.evidence.first().map(|first| said(&first.message)),
        _ => None,
    };
    let output = output.filter(|said| !said.is_empty()).unwrap_or_else(|| file.shows.clone());
    let mut all = vec![Shown { command: file.run.clone(), output }];
    if let [level] = &file.flags[..]
        && LEVELS.contains(&&level[..])
        && !file.verdict.is_about_compiling()
    {
        let command = file.run.replacen(level, "-O0", 1);
        all.push(Shown { command, output: String::new() });
    }
    all
}

/// The commands that were run, without flags that are for pathsmith.
fn evidence(front: &Specimen) -> Vec<Shown> {
    let is_needed = |word: &&String| !["-w", "-pass-exit-codes"].contains(&&word[..]);
    let of = |evidence: &pathsmith_oracles::Evidence| {
        let mut output = said(&evidence.message);
        match ending(evidence) {
            Some(ending) if evidence.status != Some(0) => output += &format!("({ending})"),
            _ => {}
        }
        Shown { command: shell_command(evidence.command.iter().filter(is_needed)), output }
    };
    front.evidence.iter().map(of).collect()
}

/// The first lines of what was written.
fn said(message: &str) -> String {
    let lines: Vec<&str> = message.lines().collect();
    let mut text: String = lines.iter().take(MAX_LINES).map(|line| format!("{line}\n")).collect();
    if lines.len() > MAX_LINES {
        text += &format!("({} more)\n", counted(lines.len() - MAX_LINES, "line"));
    }
    text
}

/// As a session of a shell.
pub(super) fn session(shown: &[Shown]) -> String {
    let mut out = String::new();
    for Shown { command, output } in shown {
        out += &format!("$ {command}\n{output}");
        if !output.is_empty() && !output.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// What should happen.
pub(super) fn expected(cluster: &Cluster) -> String {
    let front = &cluster.front;
    match (front.bug_file(), &front.call, &front.expected, cluster.verdict) {
        (_, _, _, verdict) if verdict.is_about_compiling() => "the program compiles".to_owned(),
        (Some(BugFile { checked: Some(checked), .. }), ..) => {
            format!("{} returns {}", checked.call, checked.expected)
        }
        (Some(_), ..) => "the program exits with 0".to_owned(),
        (None, Some(call), Some(expected), _) => format!("{call} {}", returning(expected)),
        _ => "the program runs to its end".to_owned(),
    }
}

/// What does happen.
pub(super) fn actual(cluster: &Cluster) -> String {
    let front = &cluster.front;
    match (front.bug_file(), &front.call, &front.actual) {
        (Some(file @ BugFile { checked: Some(checked), .. }), ..) => {
            wrong_result(file, checked, front)
        }
        (Some(file), ..) => file.does.clone(),
        (None, Some(call), Some(actual)) => format!("{call} {}", returning(actual)),
        (None, Some(call), None) => format!("{call} {}", happened(cluster.verdict)),
        (None, None, _) => happened(cluster.verdict).to_owned(),
    }
}

/// What a call of a file returns, and how the file shows that. What a C program returned before the
/// file was made of it need not be what it returns there.
fn wrong_result(file: &BugFile, checked: &CheckedCall, front: &Specimen) -> String {
    let CheckedCall { call, expected } = checked;
    let is_c = file.name.ends_with(".c");
    let known =
        front.actual.as_ref().filter(|_| !is_c && front.expected.as_ref() == Some(expected));
    let returned = match known {
        Some(actual) => format!("{call} returns {actual}, expected {expected}"),
        None => format!("{call} does not return {expected}"),
    };
    let what = if is_c { "the program" } else { "the module" };
    format!("{returned}; {} to show it", file.does.replacen("it", what, 1))
}

fn returning(value: &str) -> String {
    match value.strip_prefix("memory checksum ") {
        Some(checksum) => format!("leaves memory with the checksum {checksum}"),
        None => format!("returns {value}"),
    }
}

/// What each version at hand does.
pub(super) fn version_lines(versions: &Versions) -> Vec<(String, String)> {
    let line = |known: &Replayed| {
        let result = match &known.outcome {
            ReplayOutcome::Shows { verdict } => format!("shows it ({verdict})"),
            ReplayOutcome::DoesNotShow => "does not show it".to_owned(),
            ReplayOutcome::NotComparable { why } => format!("not comparable: {why}"),
            ReplayOutcome::InfrastructureFailure { why } => format!("could not be run: {why}"),
        };
        (known.version.clone(), result)
    };
    versions.versions.iter().map(line).collect()
}

/// `First bad: 12.2.0, last good: 11.3.0, fixed in: 13.1.0`, among the versions at hand.
pub(super) fn version_summary(versions: &Versions) -> Option<String> {
    let first_bad = versions.first_bad()?;
    if versions.versions.len() < 2 {
        return None;
    }
    let mut text = format!("First bad: {}", first_bad.short_version());
    if versions.last_good().is_none() {
        text += ", and no older one is known to be good";
    }
    for (what, known) in [("last good", versions.last_good()), ("fixed in", versions.fixed_in())] {
        if let Some(known) = known {
            text += &format!(", {what}: {}", known.short_version());
        }
    }
    Some(text + " (among the versions at hand, one run each).")
}

/// What the target says of its version in full.
pub(super) fn version_details(cluster: &Cluster) -> &str {
    let target = &cluster.front.target;
    let known = cluster.versions.iter().flat_map(|versions| &versions.versions);
    let own = known
        .into_iter()
        .find(|known| known.version == target.version && known.command == target.command);
    own.map(|own| &own.details[..]).filter(|it| !it.is_empty()).unwrap_or(&target.version)
}

/// Sentences about the cause: flags that hide it, and the pass.
pub(super) fn causes(cluster: &Cluster, code: impl Fn(&str) -> String) -> Vec<String> {
    let mut facts = Vec::new();
    let flags: Vec<String> = cluster.suppressing_flags.iter().map(|flag| code(flag)).collect();
    match &flags[..] {
        [] => {}
        [one] => facts.push(format!("{one} hides it.")),
        several => {
            facts.push(format!("Each of these flags alone hides it: {}.", several.join(", ")));
        }
    }
    match (&cluster.bisected_pass, &cluster.detail) {
        (Some(pass), _) => facts.push(format!("Bisected to the pass {}.", code(pass))),
        (None, Some(detail)) => facts.push(format!("Detail: {}.", code(detail))),
        (None, None) if !cluster.suspected_causes.is_empty() => {
            let causes: Vec<String> = cluster.suspected_causes.iter().map(|it| code(it)).collect();
            facts.push(format!("Suspected cause: {}.", causes.join(", ")));
        }
        (None, None) => {}
    }
    facts
}

/// Why the target is to blame and not the test, and how this was checked.
pub(super) fn soundness(cluster: &Cluster) -> String {
    let front = &cluster.front;
    let tests = test_files(front);
    let syntax = tests.first().map(|source| source.syntax);
    let interpreter = "the program was generated together with its expected output, and executed by \
                       pathsmith's interpreter, which checks every operation";
    let mut text = match syntax {
        Some(Syntax::Wat) => format!(
            "The module is valid, and WebAssembly has no undefined behaviour. The expected output is \
             not that of another engine: {interpreter}."
        ),
        Some(Syntax::Jasm) => format!(
            "The classes pass the verifier. The expected output is not that of another JVM: \
             {interpreter}."
        ),
        Some(Syntax::C | Syntax::Symlang | Syntax::Sh) | None => {
            format!("The test is free of undefined behaviour: {interpreter}.")
        }
    };
    if let (Some(file), Some(bug)) = (front.bug_file(), &front.bug) {
        text += &format!(" {} was checked before it was written: {}.", file.name, bug.note);
        text += &bug.scrutiny.as_ref().map(scrutinized).unwrap_or_default();
    }
    let right: Vec<&str> = cluster
        .versions
        .iter()
        .flat_map(|versions| &versions.levels)
        .filter(|known| known.is_fixed())
        .map(|known| &known.setting[..])
        .collect();
    if !right.is_empty() {
        text += &format!(" With {} it is right.", right.join(", "));
    }
    text
}

/// What maintainers of C compilers ask about first.
fn scrutinized(scrutiny: &Scrutiny) -> String {
    let Scrutiny { warnings, is_clean, hiding, showing } = scrutiny;
    let mut text = match &warnings[..] {
        [] => " No warning with -Wall -Wextra.".to_owned(),
        [one] => format!(" -Wall -Wextra warns: {one}."),
        [first, others @ ..] => {
            format!(" -Wall -Wextra warns: {first} (and {} more).", others.len())
        }
    };
    let clean = if *is_clean { " (clean under UBSan at -O0)" } else { "" };
    for flag in hiding {
        text += &match &flag[..] {
            "-fwrapv" if *is_clean => {
                format!(" -fwrapv hides it, although nothing overflows{clean}.")
            }
            flag => format!(" {flag} hides it{clean}."),
        };
    }
    if !showing.is_empty() {
        text += &format!(" With {} it shows all the same.", showing.join(", or "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::sample::{bug_file, cluster};
    use super::*;

    #[test]
    fn a_minimal_test_is_run_as_a_person_would() {
        let mut bug = cluster(1, Verdict::WrongResult, "gcc", 5);
        bug.front.bug = Some(bug_file("int main(void) {}\n"));
        bug.front.sources.push(Source {
            name: "bug.c".to_owned(),
            syntax: Syntax::C,
            text: "int main(void) {}\n".to_owned(),
        });
        assert_eq!(test_files(&bug.front)[0].name, "bug.c");
        let session_text =
            "$ gcc-12 -O3 bug.c && ./a.out\nAborted\n$ gcc-12 -O0 bug.c && ./a.out\n";
        assert_eq!(session(&shown(&bug)), session_text);
        assert_eq!(
            (&expected(&bug)[..], &actual(&bug)[..]),
            ("the program exits with 0", "it aborts")
        );
        assert!(soundness(&bug).contains("bug.c was checked before it was written: right at -O0"));
        let doubts = "No warning with -Wall -Wextra. -fwrapv hides it, although nothing overflows \
                      (clean under UBSan at -O0). With -fno-strict-aliasing it shows all the same.";
        assert!(soundness(&bug).contains(doubts), "{}", soundness(&bug));
        let checked = CheckedCall { call: "f(5)".to_owned(), expected: "1198163047".to_owned() };
        let edited = |bug: &mut Cluster, name: &str| {
            let file = bug.front.bug.as_mut().and_then(|bug| bug.file.as_mut()).expect("a file");
            (file.name, file.checked) = (name.to_owned(), Some(checked.clone()));
        };
        edited(&mut bug, "bug.c");
        assert_eq!(expected(&bug), "f(5) returns 1198163047");
        assert_eq!(actual(&bug), "f(5) does not return 1198163047; the program aborts to show it");
        edited(&mut bug, "bug.wat");
        let returned = "f(5) returns 2395484009, expected 1198163047; the module aborts to show it";
        assert_eq!(actual(&bug), returned);
        edited(&mut bug, "bug.c");
        bug.verdict = Verdict::CompilerCrash;
        bug.front.evidence[0].message = "internal compiler error".to_owned();
        assert!(session(&shown(&bug)).starts_with("$ gcc-12 -O3 bug.c && ./a.out\ninternal"));
    }

    #[test]
    fn without_one_it_is_what_the_target_was_given() {
        let bug = cluster(1, Verdict::WrongResult, "gcc", 5);
        let names: Vec<&str> = test_files(&bug.front).iter().map(|it| &it.name[..]).collect();
        assert_eq!(names, ["test.c"], "scripts are no tests");
        let text = session(&shown(&bug));
        assert!(text.starts_with("$ gcc -O3 test.c\n$ ./test\nWRONG f7 #0"), "{text}");
        assert!(text.ends_with("(exit status 1)\n"), "{text}");
    }

    #[test]
    fn versions_are_summed_up() {
        let bug = cluster(1, Verdict::WrongResult, "gcc", 5);
        let versions = bug.versions.as_ref().expect("versions");
        let summary = version_summary(versions).expect("a summary");
        assert!(summary.starts_with("First bad: 12.2.0, last good: 11.3.0 (among"), "{summary}");
        assert!(version_details(&bug).contains("Target: x86_64-linux-gnu"));
        let one = Versions::new(versions.versions[1..].to_vec(), Vec::new());
        assert_eq!(version_summary(&one), None, "it says nothing that the report does not");
    }
}

//! A small report for tests.

use pathsmith_oracles::{Evidence, Setting, Verdict};
use pathsmith_symlang::lang::text;

use super::model::{
    BugGroupView, Cluster, Figure, Incident, Member, Report, Source, Specimen, Syntax, TargetView,
};
use super::specimen::draw_call;
use crate::bug_file::{Bug, BugFile, Scrutiny};
use crate::finding::TargetInfo;
use crate::versions::{ReplayOutcome, Replayed, Versions};

const PROGRAM: &str = "dialect c;

fn f7(a: i32) -> u32 {
entry:
    goto B1;
B1:
    a = a + 3;
    if a < 10 goto B1 else exit;
exit:
    return checksum;
}
realize f7(5) = 1198163047 via entry B1 B1 exit;
";

/// A report with one cluster, in which every field says something of its own.
pub(super) fn report() -> Report {
    let incident = |case, why: &str| Incident {
        verdict: Verdict::CompileError,
        target: "clang -O2".to_owned(),
        case,
        why: why.to_owned(),
    };
    Report {
        generator: "pathsmith 0.1.0".to_owned(),
        machine: "linux, x86_64".to_owned(),
        title: "Two compilers, one hour".to_owned(),
        seed: 20,
        started: "2024-05-01 12:00 UTC".to_owned(),
        cpu_seconds: 3725.5,
        figures: vec![Figure::new("functions", "23,000"), Figure::new("realizations", "516,229")],
        targets: vec![TargetView {
            name: "gcc".to_owned(),
            version: "gcc 12.2.0".to_owned(),
            n_checked: 516_229,
            cpu_seconds: 1800.0,
        }],
        clusters: vec![cluster(3, Verdict::WrongResult, "gcc", 5)],
        bug_groups: vec![BugGroupView {
            target: "gcc".to_owned(),
            suspected_cause: Some("tree-slsr".to_owned()),
            certainty: "one cluster".to_owned(),
            clusters: vec![3],
            n_findings: 1,
        }],
        flaky: vec![incident(91, "agreed when it was run alone")],
        own_bugs: vec![incident(92, "error: too many parameters")],
    }
}

/// A file of plain C for a cluster of [`cluster`].
pub(super) fn bug_file(text: &str) -> Bug {
    let file = BugFile {
        name: "bug.c".to_owned(),
        text: text.to_owned(),
        verdict: Verdict::WrongResult,
        flags: vec!["-O3".to_owned()],
        run: "gcc-12 -O3 bug.c && ./a.out".to_owned(),
        does: "it aborts".to_owned(),
        shows: "Aborted".to_owned(),
        checked: None,
        binaries: Vec::new(),
    };
    Bug {
        file: Some(file),
        note: "right at -O0 with gcc; clean under the sanitizers of gcc".to_owned(),
        scrutiny: Some(Scrutiny {
            is_clean: true,
            hiding: vec!["-fwrapv".to_owned()],
            showing: vec!["-fno-strict-aliasing".to_owned()],
            ..Scrutiny::default()
        }),
    }
}

/// A cluster with a member.
pub(super) fn cluster(id: u32, verdict: Verdict, target: &str, size: usize) -> Cluster {
    let call = Some("f7(5)".to_owned());
    let program = text::parse("sample", PROGRAM).expect("the sample is a program");
    let front = Specimen {
        name: format!("f7-{target}-O3"),
        seed: 20,
        case: 7,
        target: TargetInfo {
            name: target.to_owned(),
            command: format!("/usr/bin/{target}-12"),
            version: format!("{target} (Debian 12.2.0-14) 12.2.0"),
            setting: Setting::named("-O3"),
            flags: vec!["-O3".to_owned(), "-std=gnu17".to_owned()],
            path: String::new(),
            runner: Vec::new(),
            env: Default::default(),
        },
        variant: None,
        call: call.clone(),
        expected: Some("1198163047".to_owned()),
        actual: Some("2395484009".to_owned()),
        program: program.to_string(),
        size,
        original_size: Some(96),
        sources: vec![
            source("test.c", Syntax::C, "int f7(int a) { return a < 10; }\n"),
            source("repro.sh", Syntax::Sh, "#!/bin/sh\nexec ./test\n"),
        ],
        bug: None,
        graph: draw_call(&program, call.as_deref()),
        commands: vec![format!("{target} -O3 test.c -o test"), "./test".to_owned()],
        evidence: vec![
            Evidence {
                command: vec![target.to_owned(), "-O3".to_owned(), "test.c".to_owned()],
                status: Some(0),
                ..Evidence::default()
            },
            Evidence {
                command: vec!["./test".to_owned()],
                status: Some(1),
                message: "WRONG f7 #0: 2395484009, expected 1198163047".to_owned(),
                log: Some("a log of its own".to_owned()),
                ..Evidence::default()
            },
        ],
    };
    Cluster {
        id,
        key: format!("{target}: {}: tree-slsr", verdict.name().replace('-', " ")),
        verdict,
        target: target.to_owned(),
        suspected_causes: vec!["tree-slsr".to_owned(), "tree-vrp".to_owned()],
        kind: target.to_owned(),
        is_untriaged: false,
        suppressing_flags: vec!["-fno-tree-slsr".to_owned()],
        suppressing_lowerings: Vec::new(),
        bisected_pass: Some("tree-slsr".to_owned()),
        versions: Some(versions(
            &[(&format!("{target} 11.3.0"), false), (&front.target.version, true)],
            &[("-O0", false), ("-O2", true)],
        )),
        detail: Some("in pass 142".to_owned()),
        members: vec![member(&front)],
        front,
    }
}

/// Versions, and levels of the last of them, and whether each shows the finding.
pub(super) fn versions(versions: &[(&str, bool)], levels: &[(&str, bool)]) -> Versions {
    let replayed = |version: &str, setting: &str, shows| Replayed {
        target: "gcc".to_owned(),
        setting: setting.to_owned(),
        command: "/usr/bin/gcc-12".to_owned(),
        version: version.to_owned(),
        details: format!("Target: x86_64-linux-gnu\n{version}"),
        outcome: match shows {
            true => ReplayOutcome::Shows { verdict: Verdict::WrongResult },
            false => ReplayOutcome::DoesNotShow,
        },
    };
    let all = versions.iter().map(|(version, shows)| replayed(version, "-O3", *shows));
    let levels = levels.iter().map(|(level, shows)| replayed("12.2.0", level, *shows));
    Versions::new(all.collect(), levels.collect())
}

fn source(name: &str, syntax: Syntax, text: &str) -> Source {
    Source { name: name.to_owned(), syntax, text: text.to_owned() }
}

fn member(front: &Specimen) -> Member {
    Member {
        name: front.name.clone(),
        seed: front.seed,
        case: front.case,
        setting: front.target.setting.to_string(),
        size: 96,
        call: front.call.clone(),
        expected: front.expected.clone(),
        actual: front.actual.clone(),
    }
}

//! Campaigns with variants: of a corpus, of findings, and of programs with new features.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use pathsmith_campaign::{Finding, Store, TargetFamily};
use support::workshop::{WRONG, Workshop, edit_all};
use support::{pathsmith, root, state};

/// Every function whose number ends with a 3 is wrong.
const SOME: &str = "f[0-9]*3";

/// More than half of all cases are variants, and of nothing that ships with pathsmith.
const VARIANTS: [&str; 4] = ["--set", "mutate.share=0.6", "--set", "mutate.shipped=false"];

/// A folder with two programs, one of them without realizations.
fn write_corpus(folder: &Path) {
    fs::create_dir(folder).expect("a folder");
    let masks = "fn masks(a: u32, b: u32) -> u32 {\n    var c: u32 = 7;\nentry:\n    c = a & 255u32 | b * 9u32;\n    \
                 if c > 1000u32 goto more else exit;\nmore:\n    c = c ^ a;\n    goto exit;\nexit:\n    \
                 return c * 3u32;\n}\n";
    let sum = "dialect c;\nfn sum(n: i32) -> i32 {\n    var i: i32 = 0;\n    var s: i32 = 0;\nentry:\n    \
               goto head;\nhead:\n    if i < n goto body else exit;\nbody:\n    s = s + i;\n    \
               i = i + 1;\n    goto head;\nexit:\n    return s;\n}\n\
               realize sum(3) = 3 via entry head body head body head body head exit;\n";
    fs::write(folder.join("masks.sym"), masks).expect("a file");
    fs::write(folder.join("sum.sym"), sum).expect("a file");
}

fn resume(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
    command.args(["fuzz", "--jobs", "3", "--resume"]).arg(dir).current_dir(root());
    command.env("XDG_STATE_HOME", state());
    command
}

/// All that the store of a campaign has, but for times and what commands said.
fn content(dir: &Path) -> String {
    let store = Store::read(dir).expect("a store");
    let (done, stats) = store.progress(TargetFamily::C).expect("a store");
    let mut lines = vec![
        format!("{done:?}"),
        format!("{} {} {}", stats.n_cases, stats.n_variants, stats.n_without_variant),
        format!("{:?}", stats.arms),
    ];
    let mut findings: Vec<String> = Vec::new();
    for id in store.ids().expect("findings") {
        let Finding { batch, number, variant, program, origin, options, .. } =
            store.finding(id).expect("a finding").finding;
        let origin = serde_json::to_string(&origin).expect("text");
        findings.push(format!("{batch} {number} {variant} {origin} {options}\n{program}"));
    }
    findings.sort();
    lines.extend(findings);
    for grown in store.grown(TargetFamily::C).expect("a store").0 {
        lines.push(format!("{grown:?}"));
    }
    lines.join("\n")
}

/// Which kinds of programs the variants of a campaign were made of.
fn kinds(dir: &Path) -> BTreeSet<String> {
    let (_, stats) = Store::read(dir).expect("a store").progress(TargetFamily::C).expect("a store");
    stats.arms.into_keys().filter(|arm| arm.starts_with("variant:")).collect()
}

/// With a corpus and guidance, a campaign that is killed, loses the folder of its corpus and is
/// resumed on more threads does what one does that is left alone.
#[test]
fn a_campaign_with_a_corpus_is_the_same_killed_and_on_other_threads() {
    let faulty = || Workshop::against(SOME, &edit_all(SOME, WRONG)).calls_itself_gcc();
    // Far enough for the last batches to know what the first ones have found.
    let n_cases = "224";
    let workshops = [faulty(), faulty()];
    let command = |workshop: &Workshop, jobs: &str| {
        let corpus = workshop.dir.path().join("corpus");
        write_corpus(&corpus);
        let corpus = corpus.to_string_lossy().into_owned();
        let mut args = [&VARIANTS[..], &["--corpus", &corpus]].concat();
        for setting in [
            "c.functions_per_file=1",
            "campaign.reduce=false",
            "mutate.sampled=0.5",
            "mutate.findings=1.0",
            "mutate.grown=1.0",
        ] {
            args.extend(["--set", setting]);
        }
        workshop.command_on(jobs, n_cases, &args)
    };
    let output = command(&workshops[0], "1").output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let alone = workshops[0].findings();
    let expected =
        ["corpus", "finding", "generated", "grown"].map(|kind| format!("variant:{kind}"));
    assert_eq!(kinds(&alone), BTreeSet::from(expected));

    let killed = workshops[1].findings();
    let mut child = command(&workshops[1], "2")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it");
    let begun = Instant::now();
    let n_done = |dir: &Path| {
        let store = Store::read(dir).ok()?;
        Some(store.progress(TargetFamily::C).ok()?.0.below)
    };
    while n_done(&killed).is_none_or(|n| n < 60) {
        assert!(begun.elapsed() < Duration::from_secs(600), "nothing happens");
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().expect("a process");
    child.wait().expect("a process");
    fs::remove_dir_all(workshops[1].dir.path().join("corpus")).expect("a folder");
    let output = resume(&killed).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let (first, second) = (content(&alone), content(&killed));
    // The folder's name is not the same, and is of no consequence.
    assert!(first == second, "{}", difference(&first, &second));

    let stats = pathsmith(&["stats", "--campaign", &alone.to_string_lossy()]).ok();
    for part in ["of 224 cases are variants", "new features (asm ", "transform:", "variant:corpus"]
    {
        assert!(stats.contains(part), "{part}:\n{stats}");
    }
}

/// The first line that differs.
fn difference(first: &str, second: &str) -> String {
    let different = std::iter::zip(first.lines(), second.lines()).find(|(a, b)| a != b);
    different.map_or("one is longer".to_owned(), |(a, b)| format!("{a}\n{b}"))
}

/// Findings of a compiler that gets functions with a `switch` wrong, which only a transform makes
/// here, reduced: those that `is_wanted` accepts, at most two, with the names of what is needed.
fn reduced(
    transforms: &[&str],
    is_wanted: impl Fn(&Finding) -> bool,
) -> Vec<(Finding, Vec<String>)> {
    // What runs the realizations has a switch of its own.
    let has_switch = "grep 'switch (' \"$file\" | grep -qv 'switch (ps_n)'";
    let fault = format!("if {has_switch}; then {}; fi", edit_all("f[0-9]*", WRONG));
    let workshop = Workshop::against("f[0-9]*", &fault);
    let listed = pathsmith(&["mutate", "--list"]).ok();
    let names = listed.lines().filter_map(|line| line.split_whitespace().next());
    let weights: Vec<String> = names
        .map(|name| {
            let weight = if transforms.contains(&name) { 1.0 } else { 0.0 };
            format!("mutate.variants.weights.{name}={weight:?}")
        })
        .collect();
    let mut args: Vec<&str> = weights.iter().flat_map(|weight| ["--set", weight]).collect();
    for setting in [
        "mutate.share=1.0",
        "mutate.shipped=false",
        "mutate.variants.min_transforms=4",
        "mutate.variants.max_transforms=4",
        "mutate.guidance=false",
        "generate.template.share=0.0",
        "c.functions_per_file=1",
    ] {
        args.extend(["--set", setting]);
    }
    let run = workshop.fuzz("24", &args);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let read = |file: &Path| -> Finding {
        serde_json::from_slice(&fs::read(file).expect("a file")).expect("a finding")
    };
    let folders = workshop.all_findings().into_iter();
    let wanted = folders.filter(|folder| is_wanted(&read(&folder.join("finding.json"))));
    let mut all = Vec::new();
    for folder in wanted.take(2) {
        let text = fs::read_to_string(folder.join("finding.txt")).expect("a file");
        assert!(text.contains("variant:  of case ") && text.contains("made by:  "), "{text}");
        pathsmith(&["reduce", &folder.to_string_lossy(), "--jobs", "1"]).ok();
        let finding = read(&folder.join("reduced/finding.json"));
        let origin = finding.origin.as_ref().expect("it is a variant");
        let needed = origin.needed.as_ref().expect("it is known");
        let steps = &origin.lineage.steps;
        let names: Vec<String> = needed.iter().map(|at| steps[*at].transform.to_owned()).collect();
        let text = fs::read_to_string(folder.join("reduced/finding.txt")).expect("a file");
        assert!(text.contains(&format!("needed:   {}", names.join(", "))), "{text}");
        all.push((finding, names));
    }
    assert!(!all.is_empty());
    all
}

/// Reduction undoes the transforms that a finding does not need, and says which one it does.
#[test]
fn a_finding_says_which_transforms_it_needs() {
    let all = reduced(&["split", "switch", "guard", "live-block"], |_| true);
    for (finding, needed) in &all {
        assert_eq!(needed, &["switch"], "{}", finding.program);
    }
    let n_steps =
        |finding: &Finding| finding.origin.as_ref().map_or(0, |it| it.lineage.steps.len());
    assert!(all.iter().any(|(finding, needed)| n_steps(finding) > needed.len()));
}

/// Transforms that add functions are undone as well.
#[test]
fn transforms_that_add_functions_are_undone() {
    let adds = |finding: &Finding| {
        let origin = finding.origin.as_ref().expect("it is a variant");
        let steps = &origin.lineage.steps;
        let n_before = origin.program.functions.len();
        steps.iter().any(|step| step.transform == "switch")
            && finding.program.functions.len() > n_before
    };
    for transform in ["outline", "sequence"] {
        for (finding, needed) in reduced(&["switch", transform], adds) {
            // A realization of a function that was added needs what added it.
            assert!(needed.contains(&"switch".to_owned()), "{needed:?} {}", finding.program);
        }
    }
}

/// Crossovers of programs with globals can be recorded, resumed, reported and counted.
#[test]
fn crossovers_of_programs_with_globals_leave_a_readable_campaign() {
    let workshop = Workshop::against(SOME, &edit_all(SOME, WRONG)).calls_itself_gcc();
    let corpus = workshop.dir.path().join("corpus");
    fs::create_dir(&corpus).expect("a folder");
    for (name, mask) in [("a", "255"), ("b", "511")] {
        let text = format!(
            "global t: [u32; 2] = [1, 2];\nglobal s: u32 = 5;\nfn f(a: u32) -> u32 {{\nentry:\n    \
             t[a & 1u32] = (s & {mask}u32) + a;\n    s = t[0] ^ t[1];\n    return checksum;\n}}\n"
        );
        fs::write(corpus.join(format!("{name}.sym")), text).expect("a file");
    }
    let corpus = corpus.to_string_lossy().into_owned();
    let mut args = [&VARIANTS[..], &["--corpus", &corpus]].concat();
    for setting in [
        "mutate.share=1.0",
        "mutate.generated=0.0",
        "mutate.sampled=1.0",
        "mutate.grown=1.0",
        "mutate.variants.min_transforms=2",
        "mutate.variants.weights.inline=50.0",
        "mutate.variants.weights.sequence=50.0",
        "campaign.reduce=false",
    ] {
        args.extend(["--set", setting]);
    }
    let run = workshop.fuzz("48", &args);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let dir = workshop.findings();
    let store = Store::read(&dir).expect("a store");
    let (grown, unreadable) = store.grown(TargetFamily::C).expect("a store");
    assert!(!grown.is_empty() && unreadable.is_empty(), "{unreadable:?}");
    let has_added = |name: &str| name.contains("_m");
    let programs = grown.iter().map(|case| &case.program);
    assert!(programs.flat_map(|program| &program.globals).any(|global| has_added(&global.name)));
    drop(store);
    let output = resume(&dir).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let dir = dir.to_string_lossy().into_owned();
    pathsmith(&["report", &dir]).ok();
    let stats = pathsmith(&["stats", "--campaign", &dir]).ok();
    let attempts = stats.lines().find(|line| line.starts_with("inline  ")).expect("a line");
    assert!(attempts.split_whitespace().nth(1).is_some_and(|n| n != "0"), "{attempts}");
}

/// What a folder has that is of no use is said, and the rest is used.
#[test]
fn what_is_wrong_with_a_corpus_is_said() {
    let workshop = Workshop::new(":");
    let folder = workshop.dir.path().join("corpus");
    write_corpus(&folder);
    let corpus = folder.to_string_lossy().into_owned();
    let endless = "fn f(a: i32) -> i32 {\nentry:\n    goto more;\nmore:\n    if 1 goto more else exit;\n\
                   exit:\n    return a;\n}\n";
    let undefined = "fn f(a: i32) -> i32 {\nentry:\n    return a / (a - a);\n}\n";
    fs::write(folder.join("endless.sym"), endless).expect("a file");
    fs::write(folder.join("undefined.sym"), undefined).expect("a file");
    let args = [&VARIANTS[..], &["--corpus", &corpus]].concat();
    let run = workshop.fuzz("2", &args);
    for part in ["endless.sym: left out of the corpus: ", "undefined.sym: left out of the corpus: "]
    {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    assert!(!run.stderr.contains("sum.sym"), "{}", run.stderr);
    fs::write(folder.join("malformed.sym"), "fn f(a: i32) -> i32 {\nentry:\n    goto\n}\n")
        .expect("it");
    let other = Workshop::new(":");
    other.fuzz("2", &args).fails(3, &["malformed.sym"]);
    let empty = workshop.dir.path().join("empty");
    fs::create_dir(&empty).expect("a folder");
    other
        .fuzz("2", &["--corpus", &empty.to_string_lossy()])
        .fails(3, &["expected programs in files *.sym"]);
    other.fuzz("2", &["--set", "mutate.share=2.0"]).fails(2, &["`share` is 2"]);
}

/// A command that says what a program covers guides a campaign; one that fails stops it.
#[test]
fn an_instrumented_target_guides_a_campaign() {
    let workshop = Workshop::new(":");
    let script = workshop.dir.path().join("cover.sh");
    fs::write(&script, "grep -o ' [%/^*] ' \"$1\" | sort -u\n").expect("a script");
    let command = format!("mutate.coverage=[\"sh\", \"{}\"]", script.display());
    let args = ["--set", &command, "--set", "mutate.sampled=1.0"];
    let args = [&VARIANTS[..], &args].concat();
    let run = workshop.fuzz("16", &args);
    let store = Store::read(&workshop.findings()).unwrap_or_else(|_| panic!("{}", run.stderr));
    let grown = store.grown(TargetFamily::C).expect("a store").0;
    let edges: BTreeSet<&String> = grown.iter().flat_map(|case| &case.features).collect();
    assert!(edges.iter().any(|edge| edge.contains("edge: ")), "{edges:?}");
    assert!(edges.len() >= 3, "{edges:?}");
    let other = Workshop::new(":");
    fs::write(&script, "echo no such target >&2; exit 3\n").expect("a script");
    other.fuzz("16", &args).fails(2, &["mutate.coverage cannot be used", "no such target"]);
}

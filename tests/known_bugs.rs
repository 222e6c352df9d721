//! Bugs that are known step aside: what they explain is counted, and neither triaged nor reduced.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use pathsmith_campaign::{CountedUnder, KNOWN_FILE, Sighting, Store, TargetFamily, read_known};
use pathsmith_oracles::Verdict;
use support::workshop::{WRONG, Workshop, edit_all};
use support::{Run, pathsmith};

/// A compiler that gets some functions wrong unless it is given a flag.
fn wrong_unless(switch: &str, pattern: &str) -> Workshop {
    let fault = edit_all(pattern, WRONG);
    let fault = format!("case \" $* \" in *' -fno-{switch} '*) ;; *) {fault};; esac");
    Workshop::against(pattern, &fault).calls_itself_gcc()
}

/// Triage, and no reduction, which is not what is looked at here; known bugs are suppressed only
/// where a test says so.
const TRIAGE: [&str; 6] = [
    "--set",
    "campaign.triage=true",
    "--set",
    "campaign.reduce=false",
    "--set",
    "campaign.known_off=0.0",
];

fn fuzz(workshop: &Workshop, count: &str, more: &[&str]) -> Run {
    workshop.fuzz(count, &[&TRIAGE[..], more].concat())
}

/// What a campaign has come to: findings with their clusters, failures of known bugs, and arms.
#[derive(Debug, PartialEq)]
struct Outcome {
    found: BTreeSet<(u64, String, String)>,
    sightings: Vec<Sighting>,
    arms: String,
}

fn outcome(dir: &Path) -> Outcome {
    let store = Store::read(dir).expect("a store");
    let found = store.ids().expect("findings").into_iter().map(|id| {
        let finding = store.finding(id).expect("a finding").finding;
        let key = finding.signature.as_ref().map(|signature| signature.key());
        (finding.number, finding.target.setting.to_string(), key.unwrap_or_default())
    });
    let found = found.collect();
    let arms = format!("{:?}", store.arms(TargetFamily::C).expect("arms"));
    Outcome { found, sightings: store.sightings().expect("sightings"), arms }
}

fn known_file(workshop: &Workshop, text: &str) -> PathBuf {
    let path = workshop.dir.path().join("given.toml");
    fs::write(&path, text).expect("a file");
    path
}

const SLSR: &str = r#"
[[bug]]
name = "PR 1"
target = "faulty"
version = "faulty *"
condition = { flags = "-fno-tree-slsr" }
tracker = "https://example.org/1"
"#;

/// What one function shows at three levels is one finding, and is triaged once.
#[test]
fn a_function_is_triaged_once_for_all_settings() {
    let workshop = wrong_unless("tree-slsr", "f3");
    let run = fuzz(&workshop, "8", &["--set", r#"c.levels=["-O1", "-O2", "-O3"]"#]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let Outcome { found, sightings, .. } = outcome(&workshop.findings());
    let cluster = "gcc: wrong result: tree-slsr".to_owned();
    assert_eq!(found, BTreeSet::from([(3, "-O1".to_owned(), cluster.clone())]));
    let settings: Vec<&str> = sightings.iter().map(|sighting| &sighting.setting[..]).collect();
    assert_eq!(settings, ["-O2", "-O3"]);
    for Sighting { verdict, under, .. } in &sightings {
        assert_eq!(*verdict, Verdict::WrongResult);
        let (setting, cluster) = ("-O1".to_owned(), cluster.clone());
        assert_eq!(*under, CountedUnder::Finding { setting, cluster });
    }
    let dir = workshop.findings();
    let listed = pathsmith(&["triage", dir.to_str().expect("a path")]).ok();
    assert!(listed.contains("2 failures of these functions with other settings"), "{listed}");
    assert!(listed.contains("1 clusters (one cluster)"), "{listed}");
    // What was learned is in the file.
    let known = read_known(&dir.join(KNOWN_FILE)).expect("known bugs");
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!(known[0].condition.words().expect("flags"), ["-fno-tree-slsr"]);
    assert!(!known[0].off && known[0].learned.is_some(), "{known:?}");
}

/// A bug that another flag suppresses is a finding of its own, in the same function too.
#[test]
fn what_a_known_bug_does_not_explain_is_a_finding() {
    let faults = ["tree-slsr", "tree-vrp"].map(|switch| {
        let (pattern, level) = if switch == "tree-slsr" { ("f3", "-O1") } else { ("f3", "-O2") };
        let fault = edit_all(pattern, WRONG);
        format!("case \" $* \" in *' -fno-{switch} '*) ;; *' {level} '*) {fault};; esac")
    });
    let workshop = Workshop::against("f3", &faults.join("\n")).calls_itself_gcc();
    let given = known_file(&workshop, SLSR);
    let given = given.to_str().expect("a path");
    let on = ["--set", r#"c.levels=["-O1", "-O2"]"#, "--known", given];
    let run = fuzz(&workshop, "8", &on);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let Outcome { found, sightings, .. } = outcome(&workshop.findings());
    let vrp = (3, "-O2".to_owned(), "gcc: wrong result: tree-vrp".to_owned());
    assert_eq!(found, BTreeSet::from([vrp]));
    let unders: Vec<&CountedUnder> = sightings.iter().map(|sighting| &sighting.under).collect();
    assert_eq!(unders, [&CountedUnder::Known("PR 1".to_owned())]);
}

/// A file from elsewhere counts from the first batch on, and edits of it count when the campaign is
/// resumed.
#[test]
fn known_bugs_are_read_and_edits_of_people_are_kept() {
    let workshop = wrong_unless("tree-slsr", "f[0-9]*3");
    let given = known_file(&workshop, SLSR);
    let given = given.to_str().expect("a path");
    let run = fuzz(&workshop, "8", &["--known", given]);
    // Nothing is new.
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(run.stderr.contains("1 failures of known bugs"), "{}", run.stderr);
    assert!(run.stderr.contains("by purpose: generate"), "{}", run.stderr);
    let dir = workshop.findings();
    let Outcome { found, sightings, .. } = outcome(&dir);
    assert_eq!((found.len(), sightings.len(), sightings[0].number), (0, 1, 3));

    // Someone switches the entry off, and there is more to do: now f13 is a finding.
    let path = dir.join(KNOWN_FILE);
    let text = fs::read_to_string(&path).expect("a file");
    let edited = format!("# Mine.\n{text}").replace("tracker =", "off = true\ntracker =");
    fs::write(&path, &edited).expect("a file");
    let store = rusqlite::Connection::open(dir.join("campaign.db")).expect("a store");
    let query = "UPDATE campaign SET header = replace(header, '\"count\":8', '\"count\":16')";
    assert_eq!(store.execute(query, []).expect("a store"), 1);
    drop(store);
    let folder = dir.to_str().expect("a path");
    let resumed = pathsmith(&["fuzz", "--jobs", "1", "--resume", folder]);
    assert_eq!(resumed.code, 1, "{}", resumed.stderr);
    let Outcome { found, sightings, .. } = outcome(&dir);
    assert_eq!((found.len(), sightings.len()), (1, 1), "{found:?}");
    assert_eq!(found.first().map(|found| found.0), Some(13));
    // The finding's condition is the entry that is off, so nothing is added.
    assert_eq!(fs::read_to_string(&path).expect("a file"), edited);

    // The CPU time and the arms are shown.
    let table = pathsmith(&["stats", "--campaign", folder]).ok();
    for part in ["1 failures of known bugs", "theme:", "policy:boundary", "known bugs "] {
        assert!(table.contains(part), "{part}: {table}");
    }
    fs::write(&path, edited.replace("condition", "conditions")).expect("a file");
    let expected = ["known.toml", "line "];
    pathsmith(&["fuzz", "--resume", folder]).fails(3, &expected);
}

#[test]
fn a_file_that_is_no_good_leaves_no_campaign() {
    let workshop = wrong_unless("tree-slsr", "f3");
    let fails = |text: &str, code: i32, parts: &[&str]| {
        let given = known_file(&workshop, text);
        let run = fuzz(&workshop, "8", &["--known", given.to_str().expect("a path")]);
        run.fails(code, parts);
        assert!(!workshop.findings().join("campaign.db").exists());
    };
    fails("[[bug]]\nname = \"x\"\n", 3, &["given.toml", "line 1", "target"]);
    fails(&SLSR.replace("flags", "flag"), 3, &["given.toml", "line 6"]);
    let unknown = SLSR.replace("-fno-tree-slsr", "-fno-such-thing");
    fails(&unknown, 2, &["the known bug `PR 1`", "faulty does not take its condition"]);
    let setting = SLSR.replace("flags", "setting");
    fails(&setting, 2, &["faulty does not take its condition"]);
    let run = fuzz(&workshop, "8", &["--known", "no-such-file.toml"]);
    run.fails(4, &["cannot read no-such-file.toml"]);
}

/// What is learned counts from 128 batches later on, with any number of threads, and some
/// compilations then have it suppressed from the start.
#[test]
fn what_was_learned_explains_later_failures() {
    let outcomes = ["1", "3"].map(|jobs| {
        // f1, and f130 and above.
        let workshop = wrong_unless("tree-slsr", "f1\\(3[0-9]\\)\\{0,1\\}");
        let more = [
            &TRIAGE[..],
            &["--set", "c.functions_per_file=1", "--set", "generate.graph.blocks=2"],
            &["--set", "campaign.known_off=0.5"],
        ]
        .concat();
        let output = workshop.command_on(jobs, "140", &more).output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        let known = read_known(&workshop.findings().join(KNOWN_FILE)).expect("known bugs");
        assert_eq!(known.len(), 1, "{known:?}");
        outcome(&workshop.findings())
    });
    let Outcome { found, sightings, .. } = &outcomes[0];
    assert_eq!(found.iter().map(|found| found.0).collect::<Vec<_>>(), [1]);
    // Those fail that were not compiled with the flag: some of f130 to f139.
    assert!((1..10).contains(&sightings.len()), "{sightings:?}");
    assert!(sightings.iter().all(|sighting| sighting.number >= 130), "{sightings:?}");
    assert_eq!(outcomes[0], outcomes[1]);
}

/// Functions that wasmi 2.0 gets wrong: a `select` between 0 and 1 by a comparison with 0.
const SELECTS: &str = r#"
[generate.template]
share = 1.0
bare_share = 1.0
second_share = 0.0
weights = { selects = 1e9 }

[[generate.template.own]]
name = "selects"
text = """
//! A select of constants.
//! origin: wasmi, docs/findings/wasmi-2-select.sym
class ranges;
let T = i32 u32;
fn selects(x: $T) -> u32 {
    var p: i32 = 0;
    var r: i32 = 0;
entry: p = 1; r = select(p != 0, 0, 1); goto exit;
exit: return checksum;
}
"""

[generate.link]
share = 0.0

[wasm.style]
if_else = 0.0
"#;

/// wasmi has no flags; what hides its bug is a program without `select`, and that is learned.
#[test]
fn a_bug_of_an_engine_without_flags_steps_aside_by_how_programs_are_lowered() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let config = dir.path().join("selects.toml");
    fs::write(&config, SELECTS).expect("a file");
    let findings = dir.path().join("findings");
    let fuzz = |more: &[&str]| {
        let config = config.to_str().expect("a path");
        let folder = findings.to_str().expect("a path");
        let args = ["fuzz", "wasm", "--targets", "wasmi", "--seed", "1", "--jobs", "1"];
        let shape = ["--count", "10", "--config", config, "--dir", folder];
        let once = ["--set", "campaign.versions=false"];
        pathsmith(&[&args[..], &shape, &once, &TRIAGE, more].concat())
    };
    let run = fuzz(&[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let store = Store::read(&findings).expect("a store");
    let first = store.finding(store.ids().expect("findings")[0]).expect("a finding").finding;
    let signature = first.signature.expect("a signature");
    assert_eq!(signature.key(), "wasmi: wrong result: lowering of selects");
    let known = read_known(&findings.join(KNOWN_FILE)).expect("known bugs");
    let text = fs::read_to_string(findings.join(KNOWN_FILE)).expect("a file");
    assert_eq!(known.len(), 1, "{text}");
    assert!(text.contains("condition = { lowering = \"selects=if-else\" }"), "{text}");
    assert!(!known[0].off, "{text}");

    // Another campaign that is given the file finds nothing new.
    let given = dir.path().join("given.toml");
    fs::rename(findings.join(KNOWN_FILE), &given).expect("a file");
    fs::remove_dir_all(&findings).expect("a folder");
    let given = given.to_str().expect("a path");
    let run = fuzz(&["--known", given]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let outcome = Store::read(&findings).expect("a store").sightings().expect("sightings");
    let name = known[0].name.clone();
    assert!(!outcome.is_empty(), "{}", run.stderr);
    assert!(outcome.iter().all(|it| it.under == CountedUnder::Known(name.clone())), "{outcome:?}");

    // An option that the backend does not have is an error, as an unknown flag is.
    fs::remove_dir_all(&findings).expect("a folder");
    for (from, to, code, part) in [
        ("if-else", "neither", 2, "wasmi does not take its condition"),
        ("selects=if-else", "selects", 3, "is no option with a value, as in selects=if-else"),
    ] {
        fs::write(given, text.replace(from, to)).expect("a file");
        fuzz(&["--known", given]).fails(code, &[part]);
    }
}

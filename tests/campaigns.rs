//! Campaigns that are stopped, in whatever way, and resumed.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use pathsmith_campaign::{Done, Store, TargetFamily};
use support::workshop::{WRONG, Workshop, edit_all};
use support::{Run, pathsmith, root, state};

/// Every function whose number ends with a 3 is wrong.
const SOME: &str = "f[0-9]*3";
const N_CASES: u64 = 96;

fn faulty() -> Workshop {
    Workshop::against(SOME, &edit_all(SOME, WRONG))
}

fn resume(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pathsmith"));
    command.args(["fuzz", "--jobs", "2", "--resume"]).arg(dir).current_dir(root());
    command.env("XDG_STATE_HOME", state());
    command
}

/// What a campaign has come to.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// The batches that are done.
    done: Done,
    /// How many cases they had.
    n_cases: u64,
    /// What was found: its batch, case, target and verdict.
    found: BTreeSet<(u64, u64, String, String)>,
}

fn outcome(dir: &Path) -> Outcome {
    let store = Store::read(dir).expect("a store");
    let (done, stats) = store.progress(TargetFamily::C).expect("a store");
    let found = store.ids().expect("findings").into_iter().map(|id| {
        let saved = store.finding(id).expect("a finding");
        assert!(dir.join(&saved.name).join("repro.sh").is_file(), "{} has no folder", saved.name);
        let finding = saved.finding;
        (finding.batch, finding.number, finding.target.full_name(), finding.verdict.to_string())
    });
    Outcome { done, n_cases: stats.n_cases, found: found.collect() }
}

/// Killed at random moments, and resumed each time, a campaign comes to the same as one that was
/// left alone. `KILLS=50` kills it as often.
#[test]
fn a_campaign_survives_being_killed() {
    let alone = faulty();
    let run = alone.fuzz(&N_CASES.to_string(), &[]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let expected = outcome(&alone.findings());
    assert_eq!((expected.n_cases, expected.found.len()), (N_CASES, 10));

    let killed = faulty();
    let n_kills: u64 = std::env::var("KILLS").map_or(6, |n| n.parse().expect("a number"));
    let mut first = killed.command(&N_CASES.to_string(), &[]);
    let mut command = Some(&mut first);
    let mut later = resume(&killed.findings());
    let mut n_killed = 0;
    for kill in 0..n_kills {
        let command = command.take().unwrap_or(&mut later);
        command.env("TMPDIR", killed.dir.path().join("tmp"));
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let _rest = after_preflight(&mut child);
        // Any moment between the first and the last thing that it does.
        std::thread::sleep(Duration::from_millis(kill * 7919 % 900));
        n_killed += u64::from(child.try_wait().expect("a process").is_none());
        child.kill().expect("a process");
        child.wait().expect("a process");
        // Nothing was recorded if it was killed before it had started.
        if !killed.findings().join("campaign.db").exists() {
            fs::remove_dir_all(killed.findings()).ok();
            let run = killed.fuzz(&N_CASES.to_string(), &[]);
            assert_eq!(run.code, 1, "{}", run.stderr);
        }
    }
    assert!(n_killed > 0, "it was never killed");
    let output = resume(&killed.findings()).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(outcome(&killed.findings()), expected);
}

/// Waits until all targets were checked. Returns what it says after that.
fn after_preflight(child: &mut Child) -> BufReader<ChildStderr> {
    let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.starts_with("note: testing") {
        line.clear();
        assert_ne!(said.read_line(&mut line).expect("text"), 0, "it ended");
    }
    said
}

#[test]
fn ctrl_c_leaves_a_campaign_that_resumes() {
    let alone = faulty();
    alone.fuzz("32", &[]);
    let workshop = faulty();
    let mut command = workshop.command("32", &[]);
    let mut child =
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut rest = after_preflight(&mut child);
    std::thread::sleep(Duration::from_millis(400));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.expect("kill").success());
    child.wait().expect("it ends");
    let mut stderr = String::new();
    rest.read_to_string(&mut stderr).expect("text");
    if workshop.findings().join("campaign.db").exists() && stderr.contains("stopped") {
        assert!(stderr.contains("fuzz --resume"), "{stderr}");
    }
    let output = resume(&workshop.findings()).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(outcome(&workshop.findings()), outcome(&alone.findings()));
}

/// With several threads and flags that are drawn by what was found, the same as with one.
#[test]
fn the_number_of_threads_does_not_matter() {
    let args = ["--set", "c.random_settings=1"];
    let outcomes = ["1", "3"].map(|jobs| {
        let workshop = faulty();
        let mut command = workshop.command_on(jobs, "64", &args);
        let output = command.output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        outcome(&workshop.findings())
    });
    assert_eq!(outcomes[0], outcomes[1]);
}

#[test]
fn policies_are_compared_by_their_findings() {
    let workshop = faulty();
    workshop.fuzz("32", &["--set", "generate.link.share=0"]);
    let failing: BTreeSet<u64> =
        outcome(&workshop.findings()).found.into_iter().map(|found| found.1).collect();
    let folder = workshop.findings();
    let table = pathsmith(&["stats", "--campaign", folder.to_str().expect("a path")]).ok();
    let first = format!("{} of 32 functions triggered a finding", failing.len());
    assert!(!failing.is_empty() && table.starts_with(&first), "{table}");
    // Every theme has its own table, with a row for each policy.
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("boundary"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    let n_themes = table.matches("policy  ").count();
    assert!(n_themes > 1 && rows.len() == n_themes, "{table}");
    let sum = |at: usize| {
        rows.iter().map(|row| row[at].parse::<usize>().expect("a number")).sum::<usize>()
    };
    assert_eq!((sum(1) + sum(4), sum(2) + sum(5)), (32, failing.len()));
    pathsmith(&["stats", "--campaign", "no-such-folder"]).fails(2, &["no-such-folder"]);
}

#[test]
fn other_programs_of_the_same_seed_are_not_mixed_up() {
    let workshop = faulty();
    workshop.fuzz("8", &[]);
    let mut header =
        Store::read(&workshop.findings()).expect("a store").header().expect("its head");
    header.fingerprint = "c 00000000".to_owned();
    let other = workshop.dir.path().join("other");
    drop(Store::create(&other, &header).expect("a store"));
    let other = other.to_str().expect("a path");
    let expected = ["which generates other programs from the same seed"];
    pathsmith(&["fuzz", "--resume", other, "--trust"]).fails(3, &expected);
    pathsmith(&["stats", "--campaign", other]).fails(3, &expected);
}

#[test]
fn bad_stores_are_reported_and_kept() {
    let workshop = faulty();
    workshop.fuzz("8", &[]);
    let dir = workshop.findings();
    let text = dir.to_string_lossy().into_owned();
    let database = dir.join("campaign.db");
    let whole = fs::read(&database).expect("a store");

    workshop.fuzz("8", &[]).fails(2, &["there is a campaign in", "--resume"]);
    pathsmith(&["fuzz", "--resume", "Cargo.toml"]).fails(2, &["there is no campaign in"]);
    pathsmith(&["fuzz", "--resume", &text, "--seed", "3"]).fails(2, &["cannot be used with"]);

    fs::write(&database, &whole[..whole.len() / 2]).expect("a file");
    pathsmith(&["fuzz", "--resume", &text]).fails(3, &["campaign.db is damaged"]);
    fs::write(&database, "no database at all").expect("a file");
    pathsmith(&["fuzz", "--resume", &text]).fails(3, &["is not the store of a campaign"]);
    assert_eq!(fs::read(&database).expect("a file"), b"no database at all");

    fs::write(&database, &whole).expect("a file");
    let lock = fs::File::open(dir.join("lock")).expect("a lock");
    lock.lock().expect("a lock");
    pathsmith(&["fuzz", "--resume", &text]).fails(2, &["another process is running"]);
    drop(lock);
    let store = rusqlite::Connection::open(&database).expect("a store");
    let query = "UPDATE campaign SET header = replace(header, '\"fingerprint\":\"c ', '$0x')";
    assert_eq!(store.execute(query, []).expect("a store"), 1);
    drop(store);
    let run = pathsmith(&["fuzz", "--resume", &text]);
    assert_eq!(run.code, 3, "{}", run.stderr);
}

#[test]
fn a_file_can_say_everything() {
    let workshop = faulty();
    let config = workshop.dir.path().join("campaign.toml");
    let text = format!(
        "[campaign]\nseed = 5\nfamilies = [\"c\"]\ntriage = false\n\
         [campaign.budget.c]\ncount = 4\njobs = 1\n\
         [c]\nlevels = [\"-O1\"]\nrandom_settings = 0\nfunctions_per_file = 2\n\
         [[c.targets]]\nname = \"mine\"\ncommand = {:?}\n\
         [generate.link]\nshare = 0.0\n",
        workshop.dir.path().join("faulty")
    );
    fs::write(&config, text).expect("a file");
    let dir = workshop.findings().to_string_lossy().into_owned();
    let config = config.to_string_lossy().into_owned();
    let run = pathsmith(&["fuzz", "--config", &config, "--dir", &dir, "--json"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let Outcome { n_cases, found, .. } = outcome(&workshop.findings());
    assert_eq!((n_cases, found.len()), (4, 1));
    check_json(&run);
    let wrong = pathsmith(&["fuzz", "--set", "campaign.time=soon", "--dir", &dir]);
    wrong.fails(2, &["expected a time such as"]);
}

/// Every line is an object with an event.
fn check_json(run: &Run) {
    let events: Vec<serde_json::Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let start = events.first().expect("a start");
    assert_eq!((&start["event"], &start["is_resumed"]), (&"start".into(), &false.into()));
    assert_eq!(start["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(start["seed"], start["config"]["campaign"]["seed"]);
    let target = &start["targets"][0];
    assert_eq!((&target["family"], &target["name"]), (&"c".into(), &"mine".into()));
    assert!(target["path"].as_str().expect("a path").ends_with("/faulty"), "{target}");
    assert!(target["version"].is_string(), "{target}");
    let found = events.iter().find(|event| event["event"] == "found").expect("a finding");
    assert_eq!(found["verdict"], "wrong-result");
    assert_eq!(found["case"], 3);
    let end = events.last().expect("an end");
    assert_eq!((&end["event"], &end["stats"]["n_cases"]), (&"end".into(), &4.into()));
    assert_eq!(end["findings"]["wrong-result"], 1);
    // Durations are numbers of seconds, and there is nothing left to do.
    assert!(end["elapsed_seconds"].as_f64().expect("seconds") > 0.0);
    assert!(end["stats"]["spent"]["compile_seconds"].as_f64().expect("seconds") > 0.0);
    assert_eq!((&end["left_seconds"], &end["left_cases"]), (&serde_json::Value::Null, &0.into()));
    assert!(!end.to_string().contains("nanos"), "{end}");
}

/// A fault that one flag suppresses.
fn suppressed_by(switch: &str, pattern: &str) -> String {
    let fault = edit_all(pattern, WRONG);
    format!("case \" $* \" in *' -fno-{switch} '*) ;; *) {fault};; esac")
}

/// Two faults, each suppressed by another flag: two clusters, each with a reduced finding, and a
/// report of both; a compiler without the faults has them fixed.
#[test]
fn findings_are_deduplicated_reduced_reported_and_replayed() {
    let faults =
        [suppressed_by("tree-slsr", "f[0-9]*3"), suppressed_by("tree-vrp", "f[0-9]*5")].join("\n");
    let workshop = Workshop::against("f[0-9]*[35]", &faults).calls_itself_gcc();
    let dir = workshop.findings();
    let text = dir.to_string_lossy().into_owned();
    let on = ["--set", r#"c.levels=["-O2"]"#, "--json"];
    let run = workshop.fuzz("16", &on);
    assert_eq!(run.code, 1, "{}", run.stderr);
    // What was not triaged is reported too, by target and verdict.
    pathsmith(&["report", &text]).ok();
    let report_file = |name: &str| fs::read_to_string(dir.join("report").join(name));
    let untriaged: serde_json::Value =
        serde_json::from_str(&report_file("report.json").expect("a report")).expect("JSON");
    assert_eq!(untriaged["clusters"][0]["is_untriaged"], true);
    let n_untriaged = untriaged["clusters"][0]["members"].as_array().map(Vec::len);
    assert!(n_untriaged >= Some(3), "{n_untriaged:?}");
    let (index, page) = (report_file("index.md"), report_file("index.html"));
    assert!(index.expect("an index").contains("Not triaged: "));
    let page = page.expect("a page");
    assert!(page.contains("pathsmith triage") && !page.contains("Nothing found yet"));
    let stale = "bug-1-faulty-wrong-code-wrong-result-not-triaged.md";
    assert!(report_file(stale).expect("a bug report").contains("may be several bugs"));
    fs::write(dir.join("report/bug-9-notes.md"), "mine").expect("a file");
    // Clusters come with the command, where the campaign has left them out.
    let listed = pathsmith(&["triage", &text]).ok();
    assert!(listed.contains("2  gcc: wrong result: tree-slsr\n"), "{listed}");
    assert!(listed.contains("  gcc: wrong result: tree-vrp\n"), "{listed}");
    assert!(listed.ends_with("findings, 2 clusters\n"), "{listed}");

    pathsmith(&["reduce", &text]).ok();
    let store = Store::read(&dir).expect("a store");
    assert!(store.unreduced().expect("a store").is_empty());
    for (key, members) in store.clusters().expect("clusters") {
        let front = store.finding(members[0]).expect("a finding");
        let reduction = store.reduction(front.id).expect("a store").expect("a reduction");
        assert!(reduction.is_done && reduction.finding.size() <= 3, "{key}");
        let folder = dir.join(&front.name).join("reduced");
        let check = pathsmith(&["check", &folder.join("program.sym").to_string_lossy()]);
        assert_eq!(check.code, 0, "{}", check.stderr);
        let shown = Command::new("sh").arg(folder.join("repro.sh")).output().expect("a shell");
        assert!(!shown.status.success(), "{}", folder.display());
    }
    let again = pathsmith(&["reduce", &text]);
    assert!(again.stderr.contains("everything is reduced"), "{}", again.stderr);
    pathsmith(&["reduce", &dir.join("f99").to_string_lossy()]).fails(4, &["cannot read"]);

    pathsmith(&["report", &text]).ok();
    let page = fs::read_to_string(dir.join("report/index.html")).expect("a page");
    for part in ["gcc: wrong result: tree-slsr", "gcc: wrong result: tree-vrp", "faulty 1.0"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(report_file(stale).is_err(), "it is not there any more");
    assert_eq!(report_file("bug-9-notes.md").expect("not ours"), "mine");
    let entries = fs::read_dir(dir.join("report")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    for end in ["gcc-wrong-result-tree-slsr.md", "gcc-wrong-result-tree-slsr.sym"] {
        assert!(names.iter().any(|name| name.ends_with(end)), "{names:?}");
    }
    let report = fs::read_to_string(dir.join("report/report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["clusters"].as_array().map(Vec::len), Some(2));
    assert!(dir.join("report/index.md").is_file());

    let replayed = pathsmith(&["replay", &text, "--targets", "gcc"]);
    assert_eq!(replayed.code, 0, "{}\n{}", replayed.stdout, replayed.stderr);
    assert!(replayed.stdout.contains("fixed: gcc -O2"), "{}", replayed.stdout);
    let replayed = pathsmith(&["replay", &text]);
    assert_eq!(replayed.code, 1, "{}", replayed.stderr);
    assert!(
        replayed.stdout.contains("wrong code: wrong result: faulty -O2 (faulty 1.0)"),
        "{}",
        replayed.stdout
    );
}

/// With triage and reduction on, as by default, a campaign does all of it by itself.
#[test]
fn a_campaign_tells_apart_and_reduces() {
    let fault = suppressed_by("tree-slsr", "f[0-9]*3");
    let workshop = Workshop::against("f[0-9]*3", &fault).calls_itself_gcc();
    let on = ["--set", "campaign.triage=true", "--set", r#"c.levels=["-O2"]"#];
    let run = workshop.fuzz("16", &on);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stderr.contains(": reduced to "), "{}", run.stderr);
    let store = Store::read(&workshop.findings()).expect("a store");
    let clusters = store.clusters().expect("clusters");
    let members: Vec<usize> = clusters.iter().map(|(_, members)| members.len()).collect();
    assert_eq!(members, [2]);
    assert!(store.unreduced().expect("a store").is_empty());
}

/// A finding without a known suppressing flag is reduced all the same.
#[test]
fn what_nothing_suppresses_is_reduced_too() {
    let workshop = Workshop::against("f[0-9]*3", &edit_all("f[0-9]*3", WRONG)).calls_itself_gcc();
    let run = workshop.fuzz("8", &["--set", "campaign.triage=true"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let store = Store::read(&workshop.findings()).expect("a store");
    let clusters = store.clusters().expect("clusters");
    let [(key, members)] = &clusters[..] else { panic!("{clusters:?}") };
    assert_eq!(key, "gcc: wrong result: -O1");
    let reduction = store.reduction(members[0]).expect("a store").expect("a reduction");
    assert!(reduction.is_done && reduction.finding.size() <= 3, "{}", reduction.finding.program);
}

/// The seed is drawn, said first, and kept.
#[test]
fn seeds_are_random_and_kept() {
    let workshop = Workshop::new("true");
    let config = workshop.dir.path().join("campaign.toml");
    let text = format!(
        "[campaign]\ntriage = false\n[c]\nlevels = [\"-O1\"]\nrandom_settings = 0\n\
         functions_per_file = 2\n[[c.targets]]\nname = \"mine\"\ncommand = {:?}\n",
        workshop.dir.path().join("faulty")
    );
    fs::write(&config, text).expect("a file");
    let config = config.to_string_lossy().into_owned();
    let dir = |name: &str| workshop.dir.path().join(name).to_string_lossy().into_owned();
    // The file has targets of one family, so that it need not be named; nor for --targets.
    let start = |name: &str| {
        let args = ["fuzz", "--config", &config, "--targets", "mine", "--count", "2"];
        pathsmith(&[&args[..], &["--dir", &dir(name)]].concat())
    };
    let seed = |run: &Run| {
        let first = run.stderr.lines().next().expect("a line").to_owned();
        first.strip_prefix("note: RNG seed: ").expect("a seed").parse::<u64>().expect("a number")
    };
    let (first, second) = (start("first"), start("second"));
    assert_eq!((first.code, second.code), (0, 0), "{}", first.stderr);
    assert_ne!(seed(&first), seed(&second));
    let resumed = pathsmith(&["fuzz", "--resume", &dir("first"), "--time", "1s", "--json"]);
    assert_eq!(seed(&resumed), seed(&first));
    let start: serde_json::Value =
        serde_json::from_str(resumed.stdout.lines().next().expect("a line")).expect("JSON");
    assert_eq!(start["event"], "start");
    assert_eq!((&start["seed"], &start["is_resumed"]), (&seed(&first).into(), &true.into()));
    assert_eq!(start["config"]["campaign"]["seed"], start["seed"]);
    // The config that is printed has no seed that no one has chosen.
    assert!(!pathsmith(&["fuzz", "--print-config"]).ok().contains("\nseed = "));
}

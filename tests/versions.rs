//! Findings on other versions of their targets: what a campaign records by itself, `replay`, and
//! `bisect`. The versions are scripts around the real gcc.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use pathsmith_campaign::{ReplayOutcome, Replayed, Store, Versions};
use support::workshop::{WRONG, Workshop, edit_all};
use support::{Run, root, state};

/// The functions that bad versions get wrong.
const GUILTY: &str = "f[0-9]*3";

/// A version of a compiler: what it does with its arguments before it runs gcc.
const GOOD: &str = "";
/// It does not know the level.
const REJECTS: &str = "case \" $* \" in *' -O2 '*) echo \"error: unrecognized option '-O2'\" >&2; \
                       exit 1;; esac";
/// What it makes cannot be run here.
const FOREIGN: &str = "gcc \"$@\" || exit\n\
                       out=a.out\n\
                       while [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\n\
                       printf '\\177ELF\\002\\001\\001foreign' > \"$out\"; exit 0";

/// A campaign with one bad compiler, and other versions on PATH.
struct Versioned {
    workshop: Workshop,
}

impl Versioned {
    /// The bad compiler is version 103.1.0, at -O2 and -O3.
    fn new() -> Self {
        let fault = edit_all(GUILTY, WRONG);
        let fault = format!("case \" $* \" in *' -O2 '*|*' -O3 '*) {fault};; esac");
        let workshop = Workshop::against(GUILTY, &fault).calls_itself_gcc();
        let path = workshop.dir.path().join("faulty");
        let script = fs::read_to_string(&path).expect("a script");
        fs::write(&path, script.replace("faulty 1.0", "'gcc (Fake) 103.1.0'")).expect("a script");
        fs::create_dir(workshop.dir.path().join("bin")).expect("a folder");
        Self { workshop }
    }

    /// Adds a version on PATH, and returns its command.
    fn add(&self, number: u32, does: &str) -> String {
        let path = self.bin().join(format!("gcc-{number}"));
        let says = format!("echo 'gcc (Fake) {number}.1.0'; echo Free Software Foundation; exit");
        let script = format!(
            "#!/bin/sh\nif [ \"$1\" = --version ]; then {says}; fi\n{does}\nexec gcc \"$@\"\n"
        );
        fs::write(&path, script).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
        path.to_string_lossy().into_owned()
    }

    /// Adds a version that is as bad as the compiler of the campaign.
    fn add_bad(&self, number: u32) -> String {
        let command = self.add(number, "");
        let faulty = fs::read_to_string(self.workshop.dir.path().join("faulty")).expect("a script");
        fs::write(&command, faulty.replace("103.1.0", &format!("{number}.1.0"))).expect("a script");
        command
    }

    fn bin(&self) -> PathBuf {
        self.workshop.dir.path().join("bin")
    }

    fn path(&self) -> String {
        format!("{}:{}", self.bin().display(), std::env::var("PATH").expect("a PATH"))
    }

    /// Runs a campaign with triage.
    fn fuzz(&self, more: &[&str]) {
        let on = ["campaign.triage=true", "campaign.versions=true", r#"c.levels=["-O2"]"#];
        let on = on.map(|setting| ["--set", setting]).concat();
        let mut command = self.workshop.command("8", &[&on[..], more].concat());
        let output = command.env("PATH", self.path()).output().expect("the binary runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
    }

    fn pathsmith(&self, args: &[&str]) -> Run {
        let output = Command::new(env!("CARGO_BIN_EXE_pathsmith"))
            .args(args)
            .env("PATH", self.path())
            .env("XDG_STATE_HOME", state())
            .current_dir(root())
            .output()
            .expect("the binary runs");
        Run {
            code: output.status.code().expect("no signal ended it"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }

    fn store(&self) -> Store {
        Store::read(&self.workshop.findings()).expect("a store")
    }

    /// What is recorded of the one cluster.
    fn versions(&self) -> Option<Versions> {
        let store = self.store();
        let clusters = store.clusters().expect("clusters");
        let [(_, members)] = &clusters[..] else { panic!("{clusters:?}") };
        store.versions(members[0]).expect("a store")
    }

    /// The folder of the smallest finding.
    fn finding(&self) -> String {
        let store = self.store();
        let (_, members) = &store.clusters().expect("clusters")[0];
        let name = store.finding(members[0]).expect("a finding").name;
        self.workshop.findings().join(name).to_string_lossy().into_owned()
    }
}

fn named<'a>(versions: &'a [Replayed], target: &str) -> &'a Replayed {
    let found = versions.iter().find(|known| known.target == target);
    found.unwrap_or_else(|| panic!("no {target} in {versions:#?}"))
}

#[track_caller]
fn assert_not_comparable(known: &Replayed, part: &str) {
    let ReplayOutcome::NotComparable { why } = &known.outcome else { panic!("{known:#?}") };
    assert!(why.contains(part), "{why}");
}

/// A campaign runs the reduced finding on all versions by itself, and the report has them.
#[test]
fn a_campaign_records_what_other_versions_do() {
    let versioned = Versioned::new();
    versioned.add(101, GOOD);
    versioned.add(102, REJECTS);
    versioned.add(104, FOREIGN);
    versioned.add(105, GOOD);
    versioned.fuzz(&[]);
    let known = versioned.versions().expect("versions are recorded");
    let all = &known.versions;
    assert!(named(all, "gcc-101").is_fixed() && named(all, "gcc-105").is_fixed());
    assert!(named(all, "faulty").remains());
    assert_not_comparable(named(all, "gcc-102"), "-O2");
    assert_not_comparable(named(all, "gcc-104"), "Exec format error");
    let short = |known: Option<&Replayed>| known.map(Replayed::short_version);
    assert_eq!(short(known.first_bad()).as_deref(), Some("103.1.0"));
    assert_eq!(short(known.last_good()).as_deref(), Some("101.1.0"));
    assert_eq!(short(known.fixed_in()).as_deref(), Some("105.1.0"));
    assert!(named(all, "faulty").details.contains("gcc version"), "{known:#?}");
    let shown: Vec<(&str, bool)> =
        known.levels.iter().map(|known| (&known.setting[..], known.remains())).collect();
    assert_eq!(shown, [("-O0", false), ("-O1", false), ("-Os", false), ("-O3", true)]);

    let findings = versioned.workshop.findings().to_string_lossy().into_owned();
    versioned.pathsmith(&["report", &findings]).ok();
    let report = fs::read_dir(versioned.workshop.findings().join("report")).expect("a folder");
    let names = report.map(|entry| entry.expect("an entry").path());
    let is_bug = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.contains("/bug-1-") && name.ends_with(".md")
    };
    let bug = names.into_iter().find(is_bug);
    let text = fs::read_to_string(bug.expect("a bug report")).expect("text");
    assert!(text.contains("wrong code at -O2 and above in GCC 103, not in GCC 101"), "{text}");
    for part in ["101.1.0", "not comparable", "First bad: 103.1.0", "last good: 101.1.0"] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    // Nothing is done twice.
    let again = versioned.pathsmith(&["triage", &findings]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(versioned.versions().as_ref(), Some(&known));
}

#[test]
fn versions_can_be_switched_off_and_come_with_triage() {
    let versioned = Versioned::new();
    versioned.add(101, GOOD);
    versioned.fuzz(&["--set", "campaign.versions=false", "--set", "campaign.reduce=false"]);
    assert_eq!(versioned.versions(), None);
    let other = Versioned::new();
    other.add(101, GOOD);
    other.fuzz(&["--set", "campaign.triage=false", "--set", "campaign.reduce=false"]);
    assert!(other.store().clusters().expect("clusters").is_empty());
    let findings = other.workshop.findings().to_string_lossy().into_owned();
    other.pathsmith(&["triage", &findings]).ok();
    let known = other.versions().expect("versions are recorded");
    assert!(named(&known.versions, "gcc-101").is_fixed());
}

/// A version that rejects the flags, or whose programs do not run here, neither shows a finding nor
/// has it fixed.
#[test]
fn replay_says_which_versions_are_not_comparable() {
    let versioned = Versioned::new();
    versioned.fuzz(&["--set", "campaign.versions=false", "--set", "campaign.reduce=false"]);
    let (rejects, foreign) = (versioned.add(102, REJECTS), versioned.add(104, FOREIGN));
    let good = versioned.add(101, GOOD);
    let findings = versioned.workshop.findings().to_string_lossy().into_owned();
    let targets = [&good[..], &rejects, &foreign].join(",");
    let replay = versioned.pathsmith(&["replay", &findings, "--targets", &targets]);
    assert_eq!(replay.code, 0, "{}\n{}", replay.stdout, replay.stderr);
    assert!(replay.stdout.contains("fixed: gcc-101 -O2"), "{}", replay.stdout);
    assert!(replay.stdout.contains("not comparable: gcc-102 -O2"), "{}", replay.stdout);
    assert!(replay.stdout.contains("not comparable: gcc-104 -O2"), "{}", replay.stdout);
    assert!(replay.stderr.contains("0 findings remain, 0 are fixed"), "{}", replay.stderr);
    let all = versioned.pathsmith(&["replay", &findings, "--json"]);
    assert_eq!(all.code, 1, "{}\n{}", all.stdout, all.stderr);
    assert!(all.stdout.contains(r#""outcome":"not-comparable""#), "{}", all.stdout);
}

#[test]
fn bisect_finds_the_first_bad_version() {
    let versioned = Versioned::new();
    versioned.fuzz(&["--set", "campaign.versions=false", "--set", "campaign.reduce=false"]);
    let finding = versioned.finding();
    let list: Vec<String> = vec![
        versioned.add(101, GOOD),
        versioned.add(102, GOOD),
        versioned.add(103, REJECTS),
        versioned.add(104, GOOD),
        versioned.add_bad(105),
        versioned.add(106, REJECTS),
        versioned.add_bad(107),
    ];
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    let bisected = |args: &[&str]| versioned.pathsmith(&[&["bisect", &finding], args].concat());
    let run = bisected(&list);
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(
        run.stdout.starts_with("first bad: gcc-105 -O2 (gcc (Fake) 105.1.0)"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("last good: gcc-104 "), "{}", run.stdout);
    assert!(!run.stderr.contains("gcc-102"), "it is not needed: {}", run.stderr);
    // The ends can be named.
    let ends = bisected(&["--good", list[0], "--bad", list[6], list[3], list[4]]);
    assert_eq!((ends.code, &ends.stdout), (0, &run.stdout), "{}", ends.stderr);
    // What is skipped may be the first.
    let unsure = bisected(&[list[1], list[2], list[4]]);
    assert_eq!(unsure.code, 1, "{}\n{}", unsure.stdout, unsure.stderr);
    assert!(
        unsure.stdout.contains("one of these:\n    not comparable: gcc-103"),
        "{}",
        unsure.stdout
    );
    // Without a list, it is those that are installed.
    let installed = bisected(&[]);
    assert!(
        installed.stdout.contains("last good: gcc-102"),
        "{}\n{}",
        installed.stdout,
        installed.stderr
    );

    bisected(&[list[4], list[6]]).fails(2, &["has to be good", "gcc-105", "wrong result"]);
    bisected(&[list[0], list[1]]).fails(2, &["has to be bad", "gcc-102", "does not show it"]);
    bisected(&[list[2], list[4]]).fails(2, &["has to be good", "not comparable"]);
    bisected(&[list[0]]).fails(2, &["at least two"]);
    bisected(&[list[0], "/nowhere/gcc"]).fails(2, &["there is no /nowhere/gcc"]);
    let folder = versioned.workshop.findings().to_string_lossy().into_owned();
    versioned.pathsmith(&["bisect", &folder]).fails(2, &["the folder of a campaign"]);
    versioned.pathsmith(&["bisect", "/nowhere"]).fails(4, &["cannot read /nowhere"]);
}

//! Review of generated code: `pathsmith diff` with builds of pathsmith, with what they have saved,
//! and with programs that only pretend to be one.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use pathsmith_campaign::review::Aspect;
use support::browser::{Browser, MEASURE};
use support::{Run, pathsmith, root};
use tempfile::TempDir;

const PATHSMITH: &str = env!("CARGO_BIN_EXE_pathsmith");

/// A folder with a script that stands for a build of pathsmith.
struct Build {
    dir: TempDir,
}

impl Build {
    fn new(script: &str) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let path = dir.path().join("build");
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a script");
        Self { dir }
    }

    /// A build whose generator differs in its defaults.
    fn with_settings(settings: &str) -> Self {
        Self::new(&format!(
            "if [ \"$1\" = gen ]; then shift; exec {PATHSMITH} gen {settings} \"$@\"; fi\n\
             exec {PATHSMITH} \"$@\""
        ))
    }

    /// Says that it is pathsmith, and then does something else.
    fn pretending(script: &str) -> Self {
        Self::new(&format!(
            "if [ \"$1\" = --version ]; then echo pathsmith 9.9.9; exit; fi\n{script}"
        ))
    }

    fn path(&self) -> String {
        self.file("build")
    }

    fn file(&self, name: &str) -> String {
        self.dir.path().join(name).to_string_lossy().into_owned()
    }
}

fn diff(args: &[&str]) -> Run {
    pathsmith(&[&["diff"], args].concat())
}

#[test]
fn a_build_does_not_differ_from_itself() {
    let run = diff(&[PATHSMITH, "--seeds", "0..3"]);
    let text = run.ok();
    assert_eq!(text.matches("none of 4 changed").count(), 6, "{text}");
    let programs = diff(&["--seeds", "1", "--functions", "3", "--dialect", "wasm"]).ok();
    assert!(programs.contains("1 program in each dialect (wasm)"), "{programs}");
    assert_eq!(programs.matches("none of 1 changed").count(), 2, "{programs}");
}

/// Saved output is compared with the options that it was made with.
#[test]
fn saved_output_keeps_its_options() {
    let build = Build::with_settings("");
    let saved = build.file("saved");
    let options = ["--seeds", "5..7", "--dialect", "c,jvm", "--default-lowering"];
    let more = ["--preset", "paper", "--set", "sketch.vars=3", "--swarm"];
    diff(&[&["--save", &saved, PATHSMITH], &options[..], &more[..]].concat()).ok();
    let text = diff(&[&saved]).ok();
    assert!(text.contains("seeds 5..7: 3 functions in each dialect (c, jvm), default"), "{text}");
    assert_eq!(text.matches("none of 3 changed").count(), 4, "{text}");
    // The saved text is what `gen` prints.
    let args = ["gen", "--seed", "6", "--dialect", "jvm", "--preset", "paper"];
    let generated = pathsmith(&[&args[..], &["--set", "sketch.vars=3", "--swarm"]].concat()).ok();
    assert_eq!(fs::read_to_string(build.file("saved/jvm/6.sym")).expect("text"), generated);
    let part = diff(&[&saved, "--seeds", "6", "--dialect", "c"]).ok();
    assert_eq!(part.matches("none of 1 changed").count(), 2, "{part}");

    diff(&[&saved, "--seeds", "6..8"]).fails(2, &["has seeds 5..7, not 6..8"]);
    diff(&[&saved, "--dialect", "wasm"]).fails(2, &["has no dialect wasm"]);
    diff(&[&saved, "--set", "sketch.vars=4"]).fails(2, &["has its own options"]);
    diff(&["--save", &saved, "--seeds", "1"]).fails(3, &["there is saved output already"]);
    fs::remove_file(build.file("saved/c/6.c")).expect("it is there");
    diff(&[&saved]).fails(3, &["6.c", "no such file"]);
}

#[test]
fn other_settings_are_summarised() {
    let build = Build::with_settings("--set realize.most=2");
    let saved = build.file("saved");
    diff(&[&build.path(), "--save", &saved, "--seeds", "0..3"]).ok();
    let run = diff(&[&saved, "--most", "1"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let text = run.stdout;
    // What is not changed has fewer realizations anyway.
    assert!(text.contains("of 4 changed: realizations only "), "{text}");
    assert!(text.contains("WAT                    none of 4 changed"), "{text}");
    assert!(text.contains("\n+realize f0("), "{text}");
    assert!(!text.contains("seed 1, SYMLANG"), "one function is enough:\n{text}");
    assert!(text.contains("more changes: --most shows them"), "{text}");

    let shape = Build::with_settings("--preset paper");
    let run = diff(&[&shape.path(), "--seeds", "0..3", "--dialect", "c", "--most", "0"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("graph "), "{}", run.stdout);
    assert!(run.stdout.contains("follows the program "), "{}", run.stdout);
    assert!(!run.stdout.contains("@@"), "{}", run.stdout);

    // A backend that emits something else for the same program.
    let backend = Build::new(&format!(
        "{PATHSMITH} \"$@\" || exit\n\
         if [ \"$1\" = lower ]; then sed -i 's/i32\\.add/i32.sub/; s/;; entry/;; start/' out/*; fi"
    ));
    let run = diff(&[&backend.path(), "--seeds", "0..3", "--dialect", "wasm"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("SYMLANG, dialect wasm  none of 4 changed"), "{}", run.stdout);
    assert!(run.stdout.contains("emitted code only "), "{}", run.stdout);
    assert!(run.stdout.contains("+    ;; entry"), "{}", run.stdout);
}

#[test]
fn programs_that_are_no_pathsmith_are_refused() {
    let refused = |build: &Build| diff(&[&build.path(), "--seeds", "1", "--timeout", "2"]);
    refused(&Build::new("echo gcc 12.2.0")).fails(2, &["is not pathsmith", "`gcc 12.2.0`"]);
    refused(&Build::new("exit 1")).fails(2, &["is not pathsmith", "exit status 1"]);
    refused(&Build::new("sleep 1000")).fails(2, &["is not pathsmith", "time limit reached"]);
    refused(&Build::new("yes pathsmith 1.0")).fails(2, &["is not pathsmith"]);
    diff(&["no/such/pathsmith", "--seeds", "1"]).fails(2, &["is not pathsmith", "cannot be run"]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().to_string_lossy();
    diff(&[&folder, "--seeds", "1"]).fails(3, &["there is no saved output"]);
    diff(&[PATHSMITH]).fails(2, &["--seeds is needed"]);
    diff(&["--seeds", "9..1"]).fails(2, &["the range 9..1 is empty"]);
}

#[test]
fn builds_may_misbehave() {
    let run = |script: &str| {
        let build = Build::pretending(script);
        diff(&[&build.path(), "--seeds", "0..200", "--timeout", "2"])
    };
    run("sleep 1000").fails(5, &["gen --seed=", "time limit reached"]);
    let flood = Build::pretending("yes");
    let flooded = diff(&[&flood.path(), "--seeds", "0..200", "--timeout", "60"]);
    flooded.fails(5, &["gen --seed=", "output limit reached"]);
    run("kill -SEGV $$").fails(5, &["signal 11"]);
    run("exit 101").fails(5, &["exit status 101"]);
    run("echo 'no --jobs here' >&2; exit 2").fails(2, &["rejects the command line", "no --jobs"]);
    // The crash of a backend, and not of the generator.
    let lower = "if [ $1 = gen ]; then echo 'dialect c;'; else kill -ABRT $$; fi";
    run(lower).fails(5, &["lower program.sym --to c", "signal 6"]);
}

/// Whatever a build writes, terminals and browsers show it, and obey nothing of it.
#[test]
fn text_of_builds_is_escaped() {
    let build = Build::pretending(
        "if [ $1 = gen ]; then printf '<script>alert(1)</script>\\033[2J\\n'\n\
         else mkdir out; printf '</pre><img src=x>\\033]0;x\\n' > out/x.c; fi",
    );
    let page = build.file("page.html");
    let run = diff(&[&build.path(), "--seeds", "0", "--dialect", "c", "--html", &page]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.contains("-<script>alert(1)</script>\\u{1b}[2J"), "{}", run.stdout);
    let page = fs::read_to_string(&page).expect("a page");
    for text in [&page, &run.stdout] {
        assert!(!text.contains('\u{1b}'));
    }
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
}

/// What a saved recipe says becomes values of options, never options.
#[test]
fn saved_recipes_of_others_do_no_harm() {
    let build = Build::with_settings("");
    let saved = build.file("saved");
    diff(&["--save", &saved, "--seeds", "0", "--dialect", "c"]).ok();
    let manifest = Path::new(&saved).join("review.json");
    let text = fs::read_to_string(&manifest).expect("text");
    let stolen = build.file("stolen");
    let evil = text.replace("\"preset\": null", &format!("\"preset\": \"full --output={stolen}\""));
    assert_ne!(evil, text);
    fs::write(&manifest, evil).expect("a file");
    diff(&[&saved]).fails(2, &["rejects the command line"]);
    assert!(!Path::new(&stolen).exists());
    fs::write(&manifest, text.replace("\"format\": 1", "\"format\": 2")).expect("a file");
    diff(&[&saved]).fails(3, &["review.json", "expected format 1, got 2"]);
    fs::write(&manifest, "{").expect("a file");
    diff(&[&saved]).fails(3, &["review.json"]);
}

#[test]
fn a_browser_shows_the_page() {
    let Some(browser) = Browser::find() else { return };
    let build = Build::with_settings("--preset paper");
    let file = build.file("page.html");
    let run = diff(&[&build.path(), "--seeds", "0..2", "--html", &file, "--most", "2"]);
    assert_eq!(run.code, 1, "{}", run.stderr);
    let page = fs::read_to_string(&file).expect("a page");
    assert!(!page.contains("<script"));
    let visit = browser.visit(&browser.write("review.html", &page), 1280);
    assert_eq!(visit.console, [""; 0], "nothing to complain about");
    assert!(visit.dom.contains("SYMLANG, dialect wasm") && visit.dom.contains("<ins>"));
    // The measuring script is not the page's own, which may run none.
    let measured = page.replace("img-src", "script-src 'unsafe-inline'; img-src");
    let address = browser.write("measured.html", &measured.replace("</body>", MEASURE));
    for width in [1280, 500] {
        let dom = browser.visit(&address, width).dom;
        assert!(dom.contains("data-overflow=\"0\""), "too wide for {width} pixels");
    }
    let address = browser.write("seen.html", &page);
    let light = browser.shoot("light.png", &address, &["--window-size=1280,1600"]);
    let dark = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"];
    let dark =
        browser.shoot("dark.png", &address, &[&dark[..], &["--window-size=1280,1600"]].concat());
    assert!(light != dark, "there are two sets of colours");
    let same = build.file("same.html");
    diff(&["--seeds", "0", "--html", &same]).ok();
    let same = fs::read_to_string(same).expect("a page");
    assert!(browser.visit(&browser.write("same.html", &same), 800).dom.contains("No difference"));
}

/// Every command in docs/review.md is one, with the binary as both builds.
#[test]
fn documented_commands_run() {
    let text = fs::read_to_string(root().join("docs/review.md")).expect("there is such a page");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let commands: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("    pathsmith ")).collect();
    assert_eq!(commands.len(), 5, "{commands:?}");
    for command in commands {
        let words = command.split(' ').map(|word| match word {
            "before/pathsmith" => PATHSMITH,
            "0..99" => "0..1",
            word => word,
        });
        let status = std::process::Command::new(PATHSMITH)
            .args(words)
            .current_dir(dir.path())
            .stdout(std::process::Stdio::null())
            .status()
            .expect("the binary runs");
        assert!(status.success(), "{command}");
    }
    assert!(dir.path().join("diff.html").is_file());
}

/// All aspects are in the table of docs/review.md.
#[test]
fn aspects_are_documented() {
    let text = fs::read_to_string(root().join("docs/review.md")).expect("there is such a page");
    for aspect in Aspect::ALL {
        assert!(text.contains(&format!("\n| {aspect} |")), "no row for {aspect}");
    }
}

//! Limits and files: what is too large, never ends or is no regular file.

mod support;

use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{pathsmith, pathsmith_with_input};

const FIGURE_1: &str = "docs/examples/figure1.sym";

fn text(path: &Path) -> &str {
    path.to_str().expect("a name that is text")
}

/// A temporary folder with a file.
fn with_file(name: &str, contents: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join(name);
    fs::write(&path, contents).expect("a file");
    (dir, path)
}

fn make(command: &str, args: &[&str]) -> bool {
    Command::new(command).args(args).status().is_ok_and(|status| status.success())
}

#[test]
fn numbers_of_threads_are_bounded_everywhere() {
    let wrong = ["0", "1025", "1000000", "18446744073709551615", "-1", "many"];
    let commands: [&[&str]; 5] =
        [&["gen"], &["sketch"], &["stats"], &["fuzz", "c"], &["reduce", "nowhere"]];
    for command in commands {
        for jobs in wrong {
            let jobs = format!("--jobs={jobs}");
            let args: Vec<&str> = command.iter().copied().chain([&*jobs]).collect();
            pathsmith(&args).fails(2, &["--jobs", "expected a number from 1 to 1024"]);
        }
    }
    let set = "campaign.jobs=5000";
    pathsmith(&["fuzz", "c", "--print-config", "--set", set])
        .fails(2, &["--set campaign.jobs=5000", "`jobs` is 5000", "from 1 to 1024"]);
    assert!(pathsmith(&["gen", "--count", "1", "--jobs", "1024"]).ok().contains("fn f0"));
}

#[test]
fn config_errors_name_key_and_line() {
    let says = |contents: &str, code, parts: &[&str]| {
        let (_dir, path) = with_file("my.toml", contents);
        let run = pathsmith(&["gen", "--print-config", "--config", text(&path)]);
        run.fails(code, parts);
    };
    says("swarm = true\n\n[sketch]\nvars = 'many'\n", 3, &["my.toml, line 4: `sketch.vars`: "]);
    says("[sketch]\n# a comment\nvarz = 3\n", 3, &["line 3: `sketch.varz`: unknown field"]);
    says("[sketch]\nassigns = 1\nvars = 0\n", 3, &["line 3: `sketch.vars`: ", "`vars` is 0"]);
    says("[sketch]\nvars = = 3\n", 3, &["my.toml: ", "line 2"]);
    let set = |setting: &str, parts: &[&str]| {
        pathsmith(&["gen", "--print-config", "--set", setting]).fails(2, parts);
    };
    set("sketch.vars=many", &["--set sketch.vars=many: ", "expected u32"]);
    set("sketch.vars=0", &["--set sketch.vars=0: ", "`vars` is 0"]);
    set("sketch.varz=1", &["--set sketch.varz=1: ", "unknown field `varz`, expected one of"]);
    // A file is not to blame for what the command line changes.
    let (_dir, path) = with_file("my.toml", "[sketch]\nvars = 4\n");
    pathsmith(&["gen", "--print-config", "--config", text(&path), "--set", "sketch.vars=0"])
        .fails(2, &["--set sketch.vars=0: "]);
}

#[test]
fn configs_that_never_end_are_refused() {
    pathsmith(&["gen", "--config", "/dev/zero"])
        .fails(4, &["cannot read /dev/zero", "too large", "1048576 bytes"]);
    let (_dir, path) = with_file("my.toml", &"# nothing\n".repeat(200_000));
    pathsmith(&["gen", "--config", text(&path)]).fails(4, &["too large"]);
    let pipe = path.with_file_name("pipe");
    assert!(make("mkfifo", &[text(&pipe)]));
    let writer = Command::new("sh").arg("-c").arg("yes > \"$0\"").arg(&pipe).spawn();
    pathsmith(&["gen", "--config", text(&pipe)]).fails(4, &["too large"]);
    writer.expect("a shell").wait().expect("it ends with its reader");
}

#[test]
fn output_keeps_what_it_is_written_to() {
    let (dir, file) = with_file("file", "before");
    let at = |name: &str| dir.path().join(name);
    let expected = pathsmith(&["show", FIGURE_1]).ok();
    let write = |to: &Path| pathsmith(&["show", FIGURE_1, "-o", text(to)]);
    let contents = |path: &Path| fs::read_to_string(path).expect("a file");

    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("the mode");
    symlink("file", at("link")).expect("a link");
    assert_eq!(write(&at("link")).ok(), "");
    assert!(fs::symlink_metadata(at("link")).expect("a link").is_symlink());
    assert_eq!(contents(&file), expected);
    assert_eq!(fs::metadata(&file).expect("a file").mode() & 0o7777, 0o640);

    let umask = Command::new("sh").args(["-c", "umask"]).output().expect("a shell").stdout;
    let umask = u32::from_str_radix(String::from_utf8_lossy(&umask).trim(), 8).expect("a number");
    assert_eq!(write(&at("new")).ok(), "");
    assert_eq!(fs::metadata(at("new")).expect("a file").mode() & 0o7777, 0o666 & !umask);

    assert!(make("mkfifo", &[text(&at("pipe"))]));
    let reader = std::thread::spawn({
        let pipe = at("pipe");
        move || fs::read_to_string(pipe).expect("it is read to its end")
    });
    assert_eq!(write(&at("pipe")).ok(), "");
    assert!(fs::symlink_metadata(at("pipe")).expect("a pipe").file_type().is_fifo());
    assert_eq!(reader.join().expect("no panic"), expected);

    // Only root can make devices; this one is like /dev/null.
    if make("mknod", &[text(&at("null")), "c", "1", "3"]) {
        assert_eq!(write(&at("null")).ok(), "");
        let kind = fs::symlink_metadata(at("null")).expect("a device").file_type();
        assert!(kind.is_char_device());
    }
    write(dir.path()).fails(4, &["cannot write"]);
    assert_eq!(
        fs::read_dir(dir.path())
            .expect("a folder")
            .filter(|entry| {
                let name = entry.as_ref().expect("an entry").file_name();
                !["file", "link", "new", "pipe", "null"].iter().any(|known| name == *known)
            })
            .count(),
        0
    );
}

#[test]
fn what_is_too_large_for_a_picture_is_refused() {
    let n = 16_000;
    let mut source = "fn f(a: i32) -> i32 {\n".to_owned();
    for i in 0..n {
        source += &format!("b{i}: if a > {i} goto b{} else b{n};\n", i + 1);
    }
    source += &format!("b{n}: return a;\n}}\n");
    let show =
        |format: &str| pathsmith_with_input(&["show", "-", "--format", format], source.as_bytes());
    show("svg").fails(3, &["16001 blocks is too large for a picture", "use --format dot"]);
    assert!(show("dot").ok().starts_with("digraph"));
    assert_eq!(show("text").ok().lines().filter(|line| line.ends_with(':')).count(), n + 1);
}

#[test]
fn solving_gives_up_on_calls_that_do_not_return() {
    let source = b"fn endless(a: i32) -> i32 {
            entry: goto again; again: if a == a goto again else exit; exit: return a; }
        fn f(x: i32) -> i32 { entry: x = endless(x) + ?s0; goto exit; exit: return x; }";
    for engine in ["auto", "forward"] {
        let args = ["solve", "-", "-f", "f", "--path", "entry exit", "--engine", engine];
        pathsmith_with_input(&args, source)
            .fails(1, &["gave up", "calls of `endless` do not return within 1000000 steps"]);
        let few: Vec<&str> = args.into_iter().chain(["--steps", "5000"]).collect();
        pathsmith_with_input(&few, source).fails(1, &["do not return within 5000 steps"]);
    }
}

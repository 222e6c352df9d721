//! Making functions: `gen`, `solve` and `bench`.

mod support;

use support::{pathsmith, pathsmith_with_input, root};

const SKETCH: &str = "docs/examples/sketch.sym";
const PATH: &str = "entry B1 B3 B1 B2 exit";

#[test]
fn generated_functions_pass_their_own_check() {
    for dialect in ["c", "wasm", "jvm"] {
        for preset in ["full", "paper"] {
            let args = ["gen", "--count", "40", "--dialect", dialect, "--preset", preset];
            let program = pathsmith(&args).ok();
            let check = pathsmith_with_input(&["check", "-"], program.as_bytes()).ok();
            assert!(check.contains("40 functions") && check.contains("all hold"), "{check}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_with_any_number_of_threads() {
    let with_jobs =
        |jobs| pathsmith(&["gen", "--seed", "3", "--count", "300", "--jobs", jobs]).ok();
    let one = with_jobs("1");
    assert_eq!(with_jobs("2"), one);
    assert_eq!(with_jobs("7"), one);
    assert_ne!(pathsmith(&["gen", "--seed", "4", "--count", "300"]).ok(), one);
}

#[test]
fn functions_go_to_files_of_their_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path().join("made");
    let dir = dir.to_str().expect("a name in UTF-8");
    pathsmith(&["gen", "--count", "12", "--dir", dir, "--dialect", "jvm"]).ok();
    let files: Vec<_> = (0..12).map(|i| format!("{dir}/f{i}.sym")).collect();
    let mut args = vec!["check"];
    args.extend(files.iter().map(String::as_str));
    assert_eq!(pathsmith(&args).ok().lines().count(), 12);
    assert_eq!(std::fs::read_dir(dir).expect("a folder").count(), 12);
    pathsmith(&["gen", "--dir", SKETCH]).fails(4, &["cannot create the folder"]);
}

#[test]
fn long_loops_are_taken() {
    let args = ["gen", "--seed", "1", "--count", "20", "--set", "walk.mode=loops"];
    let program = pathsmith(&[&args[..], &["--set", "walk.min_len=200"]].concat()).ok();
    pathsmith_with_input(&["check", "-"], program.as_bytes()).ok();
    assert!(program.contains(")^"), "no path repeats");
}

#[test]
fn paths_that_are_found_by_running_are_no_shorter_than_asked_for() {
    let args = ["gen", "--seed", "1", "--count", "20", "--preset", "paper"];
    let args = [&args[..], &["--set", "walk.min_len=30"]].concat();
    let drawn = pathsmith(&args).ok();
    // No run is as long, so paths are drawn as they are without the policy.
    let paths = |program: &str| -> Vec<String> {
        let first = program.split("\n}\n").filter_map(|after| after.lines().next());
        first.filter_map(|line| line.split(" via ").nth(1)).map(str::to_owned).collect()
    };
    let found = pathsmith(&[&args[..], &["--set", "policy.execution_first=1"]].concat()).ok();
    assert_eq!(paths(&drawn).len(), 20);
    assert_eq!(paths(&drawn), paths(&found));
}

#[test]
fn configs_come_from_files_and_settings() {
    let printed = pathsmith(&["gen", "--preset", "paper", "--print-config"]).ok();
    assert!(printed.contains("language = \"paper\""), "{printed}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("pathsmith.toml");
    std::fs::write(&file, &printed).expect("it can be written");
    let file = file.to_str().expect("a name in UTF-8");
    let by_file = pathsmith(&["gen", "--config", file, "--count", "5"]).ok();
    assert_eq!(by_file, pathsmith(&["gen", "--preset", "paper", "--count", "5"]).ok());
    let small = pathsmith(&["gen", "--config", file, "--set", "graph.blocks=2"]).ok();
    assert!(small.contains("B2:") && !small.contains("B3:"), "{small}");
    let swarm = pathsmith(&["gen", "--swarm", "--count", "30"]).ok();
    pathsmith_with_input(&["check", "-"], swarm.as_bytes()).ok();

    std::fs::write(folder.path().join("bad.toml"), "[sketch]\nvars = \"eight\"\n")
        .expect("written");
    let bad = folder.path().join("bad.toml");
    let bad = bad.to_str().expect("a name in UTF-8");
    pathsmith(&["gen", "--config", bad]).fails(3, &["bad.toml", "expected u32"]);
    std::fs::write(bad, "[sketch\n").expect("written");
    pathsmith(&["gen", "--config", bad]).fails(3, &["bad.toml", "line 1"]);
    pathsmith(&["gen", "--config", "nowhere.toml"]).fails(4, &["cannot read nowhere.toml"]);
    pathsmith(&["gen", "--set", "sketch.vars=0"]).fails(2, &["`vars` is 0"]);
    pathsmith(&["gen", "--set", "sketch.colour=1"]).fails(2, &["unknown field `colour`"]);
}

#[test]
fn a_sketch_is_completed() {
    for engine in ["auto", "forward", "smt"] {
        for dialect in ["c", "wasm", "jvm"] {
            let args = ["solve", SKETCH, "--path", PATH, "--engine", engine, "--dialect", dialect];
            let program = pathsmith(&args).ok();
            assert!(!program.contains("?s1"), "{program}");
            assert!(program.contains(" via entry B1 B3 B1 B2 exit;"), "{program}");
            pathsmith_with_input(&["check", "-"], program.as_bytes()).ok();
        }
    }
}

#[test]
fn an_impossible_path_is_proven() {
    let contradictory = b"
        fn f(x: i32) -> u32 {
        entry: goto head;
        head: if x > ?s0 goto body else exit;
        body: goto head;
        exit: return checksum;
        }";
    let args = ["solve", "-", "--path", "entry head body head exit"];
    pathsmith_with_input(&args, contradictory).fails(1, &["impossible"]);
    let forward_only = [&args[..], &["--engine", "forward"]].concat();
    pathsmith_with_input(&forward_only, contradictory)
        .fails(1, &["gave up: block head", "cannot be told apart"]);
}

#[test]
fn wrong_sketches_and_paths_are_reported() {
    let solve = |path| pathsmith(&["solve", SKETCH, "--path", path]);
    solve("entry B9 exit").fails(2, &["`func` has no block `B9`"]);
    solve("entry B2 exit").fails(2, &["from `entry` to `B2`, but no edge does"]);
    solve("B1 B2 exit").fails(2, &["begins at `B1`"]);
    solve("entry B1").fails(2, &["ends at `B1`"]);
    solve("").fails(2, &["the path is empty"]);
    let text = std::fs::read_to_string(root().join(SKETCH)).expect("the example is there");
    let with = |from: &str, to: &str| {
        let args = ["solve", "-", "--path", PATH];
        pathsmith_with_input(&args, text.replace(from, to).as_bytes())
    };
    with("goto B1;", "goto B7;").fails(3, &["there is no block `B7`"]);
    with("?s4", "?s4:u64").fails(3, &["type-mismatch"]);
    with("var a: i32 = ?s1", "var a: u8 = ?s3").fails(3, &["hole-type", "?s3"]);
}

#[test]
fn bench_prints_a_table() {
    let table = pathsmith(&["bench", "--time", "0.05", "--dialect", "wasm"]).ok();
    let row = table.lines().find(|line| line.starts_with("as given")).expect("a row");
    assert!(row.contains("100.00%"), "{table}");
    pathsmith(&["bench", "--time=-1"]).fails(2, &["--time"]);
}

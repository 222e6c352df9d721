//! Each stage run alone gives what the whole pipeline gives: `sketch`, `solve` and `link`.

mod support;

use support::{pathsmith, pathsmith_with_input};

/// What `gen` gives with these options, and what `solve` makes of what `sketch` gives.
fn both_ways(options: &[&str]) -> (String, String) {
    let generated = pathsmith(&[&["gen"], options].concat()).ok();
    let sketches = pathsmith(&[&["sketch"], options].concat()).ok();
    (generated, pathsmith_with_input(&["solve", "-"], sketches.as_bytes()).ok())
}

#[test]
fn a_saved_sketch_is_solved_to_what_gen_generates() {
    for dialect in ["c", "wasm", "jvm"] {
        for seed in ["1", "2", "3"] {
            let options = ["--seed", seed, "--count", "60", "--dialect", dialect];
            for more in [&[][..], &["--swarm"], &["--preset", "paper"]] {
                let (generated, solved) = both_ways(&[&options[..], more].concat());
                assert_eq!(generated, solved, "{dialect}, seed {seed}, {more:?}");
            }
        }
    }
    let long = ["--count", "10", "--set", "walk.mode=loops", "--set", "walk.min_len=100"];
    let (generated, solved) = both_ways(&long);
    assert_eq!(generated, solved);
}

#[test]
fn sketches_go_to_files_of_their_own() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path().join("sketches");
    let dir = dir.to_str().expect("a name in UTF-8");
    pathsmith(&["sketch", "--seed", "5", "--count", "3", "--dir", dir]).ok();
    let lines = pathsmith(&["sketch", "--seed", "5", "--count", "3"]).ok();
    let files: String = (0..3)
        .map(|i| std::fs::read_to_string(format!("{dir}/f{i}.json")).expect("a sketch"))
        .collect();
    assert_eq!(files, lines);
    assert!(lines.lines().all(|line| line.starts_with(r#"{"version":2,"#)), "{lines}");
}

#[test]
fn solve_says_what_is_wrong_with_a_saved_sketch() {
    let sketch = pathsmith(&["sketch", "--seed", "5"]).ok();
    let solve = |args: &[&str], text: &str| {
        pathsmith_with_input(&[&["solve", "-"], args].concat(), text.as_bytes())
    };
    solve(&[], &sketch.replace("\"version\":2", "\"version\":9"))
        .fails(3, &["standard input: line 1", "version 9"]);
    solve(&[], &sketch.replace("\"known\"", "\"unknown\"")).fails(3, &["unknown field `unknown`"]);
    solve(&[], &sketch.replace("return checksum", "return nowhere"))
        .fails(3, &["`program`", "nowhere"]);
    solve(&[], "{").fails(3, &["expected a sketch such as"]);
    solve(&["--path", "entry exit"], &sketch).fails(2, &["--path is for programs"]);
    // The engine can be another one.
    solve(&["--engine", "forward"], &sketch).ok();
    pathsmith(&["solve", "docs/examples/sketch.sym"]).fails(2, &["--path is missing"]);
    let wasm = pathsmith(&["sketch", "--dialect", "wasm"]).ok();
    solve(&[], &(sketch + &wasm)).fails(3, &["sketches are in c and in wasm"]);
}

#[test]
fn linked_functions_are_what_gen_links() {
    // A pool keeps no more realizations than programs can call, and looks for no others.
    let few = ["--set", "realize.tries=12", "--set", "realize.most=3"];
    for dialect in ["c", "wasm", "jvm"] {
        let pool = ["--seed", "7", "--dialect", dialect];
        let functions =
            pathsmith(&[&["gen", "--callable", "--count", "12"], &pool[..], &few].concat()).ok();
        let programs = ["--seed", "7", "--functions", "5", "--count", "4"];
        let linked =
            pathsmith_with_input(&[&["link", "-"], &programs[..]].concat(), functions.as_bytes());
        let generated =
            pathsmith(&[&["gen", "--pool", "12", "--dialect", dialect], &programs[..]].concat());
        assert_eq!(linked.ok(), generated.ok());
    }
}

#[test]
fn linked_programs_hold_and_errors_are_told() {
    let sketches = pathsmith(&["sketch", "--callable", "--count", "6"]).ok();
    let functions = pathsmith_with_input(&["solve", "-"], sketches.as_bytes()).ok();
    let link = |args: &[&str], text: &str| {
        pathsmith_with_input(&[&["link", "-"], args].concat(), text.as_bytes())
    };
    let program = link(&["--seed", "3", "--set", "link.recursion=1"], &functions).ok();
    assert!(program.contains("main f0;"), "{program}");
    let check = pathsmith_with_input(&["check", "-"], program.as_bytes()).ok();
    assert!(check.contains("all hold"), "{check}");
    assert_ne!(program, link(&["--seed", "4", "--set", "link.recursion=1"], &functions).ok());
    link(&["--functions", "7"], &functions).fails(3, &["the pool has 6 functions"]);
    link(&["--dialect", "jvm"], &functions).fails(3, &["dialect c, but the pool is in jvm"]);
    link(&[], &program).fails(3, &["standard input", "calls nothing"]);
    pathsmith(&["link", "docs/examples/sketch.sym"]).fails(3, &["has no realization"]);
    pathsmith(&["link"]).fails(2, &["<FILE>"]);
}

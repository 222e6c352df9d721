//! Variants of programs, from the command line to real targets.

mod support;

use std::fs;

use support::{pathsmith, pathsmith_with_input};

#[test]
fn transforms_are_listed_and_each_is_used_alone() {
    let list = pathsmith(&["mutate", "--list"]).ok();
    let names: Vec<(&str, bool)> = list
        .lines()
        .filter_map(|line| {
            let (name, about) = line.split_once(' ')?;
            let about = about.trim_start();
            Some((name, about.starts_with("free: ") || about.starts_with("crossover: ")))
        })
        .collect();
    assert!(names.len() >= 26, "{list}");
    let pages = fs::read_to_string(support::root().join("docs/mutation.md")).expect("a page");
    for (name, is_free) in names {
        assert!(pages.contains(&format!("`{name}`")), "docs/mutation.md lacks {name}");
        let mut n_made = 0;
        for (seed, functions) in [("1", "1"), ("2", "1"), ("3", "3"), ("4", "5")] {
            let program = pathsmith(&["gen", "--seed", seed, "--functions", functions]).ok();
            let args = ["mutate", "-", "--transforms", name, "--seed", seed];
            let run = pathsmith_with_input(&args, program.as_bytes());
            if run.code == 1 {
                let reason = if is_free { ": " } else { "there is nothing to edit" };
                assert!(run.stderr.contains(reason), "{}", run.stderr);
                continue;
            }
            let variant = run.ok();
            n_made += 1;
            assert!(variant.contains(&format!("/// mutated: {name}")), "{variant}");
            let realized = |text: &str| -> Vec<String> {
                let lines = text.lines().filter(|line| line.starts_with("realize "));
                // Paths differ.
                lines.filter_map(|line| Some(line.split_once(" via ")?.0.to_owned())).collect()
            };
            if !is_free {
                assert_eq!(realized(&variant), realized(&program), "{variant}");
            }
            pathsmith_with_input(&["check", "-"], variant.as_bytes()).ok();
        }
        assert!(n_made > 0, "{name}");
    }
}

#[test]
fn weights_and_sizes_are_set() {
    let figure = "docs/examples/figure1.sym";
    let config = pathsmith(&["mutate", "--print-config"]).ok();
    for part in ["[weights]", "live-block = ", "max_transforms = 4", "[sizes]", "region = "] {
        assert!(config.contains(part), "no {part:?} in:\n{config}");
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("config.toml");
    fs::write(&path, config.replace("live-block = 2.0", "live-block = 0.0")).expect("a file");
    let path = path.to_string_lossy().into_owned();
    let with_file = pathsmith(&["mutate", "--config", &path, "--print-config"]).ok();
    assert!(with_file.contains("live-block = 0.0"), "{with_file}");
    let more = ["--set", "weights.split=1000", "--set", "min_transforms=4"];
    let variant = pathsmith(&[&["mutate", figure], &more[..]].concat()).ok();
    assert!(variant.matches("/// mutated: ").count() == 4, "{variant}");
    pathsmith(&["mutate", figure, "--set", "weights.spilt=1"])
        .fails(2, &["--set weights.spilt=1", "there is no transform `spilt`"]);
    pathsmith(&["mutate", figure, "--set", "sizes.region=0"]).fails(2, &["`region` is 0"]);
    pathsmith(&["mutate", figure, "--set", "weights.twin=-1"]).fails(2, &["`twin` is -1"]);
}

#[test]
fn many_variants_go_to_a_folder_and_are_the_same_again() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let make = |name: &str| {
        let folder = dir.path().join(name).to_string_lossy().into_owned();
        let figure = "docs/examples/figure1.sym";
        let more = ["--count", "20", "--times", "3", "--seed", "4", "--dir", &folder];
        pathsmith(&[&["mutate", figure], &more[..]].concat()).ok();
        let read = |n| fs::read_to_string(dir.path().join(name).join(format!("variant{n}.sym")));
        (0..20).map(|n| read(n).expect("a variant")).collect::<Vec<String>>()
    };
    let (first, again) = (make("first"), make("again"));
    assert_eq!(first, again);
    let distinct: std::collections::BTreeSet<&String> = first.iter().collect();
    assert!(distinct.len() > 15, "{}", distinct.len());
}

/// Variants are ordinary programs to backends and compilers.
#[test]
fn compilers_agree_on_variants() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let folder = path("variants");
    let args = ["--count", "8", "--times", "5", "--dir", &folder];
    pathsmith(&[&["mutate", "docs/examples/figure1.sym"], &args[..]].concat()).ok();
    for number in 0..8 {
        let variant = path(&format!("variants/variant{number}.sym"));
        let (source, program) = (path("test.c"), path("test"));
        pathsmith(&["lower", &variant, "--to", "c", "-o", &source]).ok();
        let gcc = std::process::Command::new("gcc").args([&source, "-w", "-o", &program]).status();
        assert!(gcc.expect("gcc runs").success());
        let run = std::process::Command::new(&program).output().expect("it runs");
        assert!(run.status.success(), "{variant}: {}", String::from_utf8_lossy(&run.stdout));
    }
}

#[test]
fn profiles_are_printed() {
    let profile = pathsmith(&["profile", "docs/examples/figure1.sym"]).ok();
    assert!(profile.starts_with("fn func\n  entry.0: 1 states: b={-2147483647}"), "{profile}");
    assert!(profile.contains("B1.") && profile.contains("a={0, 1}"), "{profile}");
}

#[test]
fn what_cannot_be_mutated_is_said() {
    let mutate = |text: &str| pathsmith_with_input(&["mutate", "-"], text.as_bytes());
    mutate("fn f() -> i32 { entry: return 1; }").fails(3, &["there is no realization"]);
    let wrong = "dialect c; fn f(a: i32) -> i32 { entry: return a + 1; }\n";
    mutate(&format!("{wrong}realize f(1) = 3 via entry;"))
        .fails(3, &["f(1) does not hold: expected 3, got 2"]);
    mutate(&format!("{wrong}realize f(2147483647) = 3 via entry;"))
        .fails(3, &["does not hold: undefined: signed overflow"]);
    let endless = "dialect c; fn f(a: i32) -> i32 {\nentry: goto B;\nB: if a goto B else exit;\n\
                   exit: return 0;\n}\nrealize f(1) = 0 via entry B exit;";
    mutate(endless).fails(3, &["does not hold"]);
    let figure = "docs/examples/figure1.sym";
    pathsmith(&["mutate", figure, "--count", "2"]).fails(2, &["--count needs --dir"]);
    pathsmith(&["mutate", figure, "--transforms", "no-such"])
        .fails(2, &["there is no transform `no-such`", "dead-block"]);
    pathsmith(&["mutate"]).fails(2, &["FILE"]);
}

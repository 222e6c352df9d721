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
    // One without realizations gets some.
    let text = "fn f(a: u8) -> u32 {\nentry:\n    return u32(a) + 1u32;\n}\n";
    let profile = pathsmith_with_input(&["profile", "-", "--seed", "4"], text.as_bytes()).ok();
    assert!(profile.starts_with("fn f\n  entry.0: ") && profile.contains(" a={"), "{profile}");
}

#[test]
fn what_cannot_be_mutated_is_said() {
    let mutate = |text: &str| pathsmith_with_input(&["mutate", "-"], text.as_bytes());
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
    pathsmith(&["mutate", figure, "--count", "0"]).fails(2, &["'0'", "--count"]);
    pathsmith(&["mutate", figure, "--transforms", "no-such"])
        .fails(2, &["there is no transform `no-such`", "dead-block"]);
    pathsmith(&["mutate"]).fails(2, &["FILE"]);
    pathsmith(&["mutate", figure, figure, "--dir", "x"])
        .fails(2, &["the corpus has a program `figure1` already"]);
    let other = "docs/examples/sketch.sym";
    pathsmith(&["mutate", figure, other]).fails(3, &["sketch.sym", "has holes"]);
    pathsmith(&["mutate", "no-such.sym"]).fails(4, &["cannot read no-such.sym"]);
    pathsmith(&["mutate", "--corpus"]).fails(2, &["several programs need --dir"]);
}

/// A program from outside gets realizations by being run on drawn inputs.
#[test]
fn programs_without_realizations_get_some() {
    let text = "fn f(a: i32) -> i32 {\nentry: if a == 12345 goto hit else miss;\n\
                hit: a = 7;\n    goto exit;\nmiss: a = a & 255;\n    goto exit;\n\
                exit: return a;\n}\n";
    for dialect in ["c", "wasm", "jvm"] {
        let mutate = |seed: &str| {
            let args = ["mutate", "-", "--dialect", dialect, "--seed", seed];
            pathsmith_with_input(&args, text.as_bytes()).ok()
        };
        let variant = mutate("5");
        assert_eq!(variant, mutate("5"));
        assert_ne!(variant, mutate("6"));
        assert!(variant.contains("realize f(12345) = 7 via"), "{variant}");
        assert!(variant.matches("realize f(").count() > 4, "{variant}");
        pathsmith_with_input(&["check", "-"], variant.as_bytes()).ok();
    }
}

/// What a program does on all inputs that were tried is said.
#[test]
fn programs_that_return_nothing_are_explained() {
    let mutate = |text: &str| pathsmith_with_input(&["mutate", "-"], text.as_bytes());
    let tried = "`f` returns on none of the inputs that were tried: of ";
    let hang = "fn f(a: i32) -> i32 {\nentry: goto B;\nB: if a == a goto B else exit;\n\
                exit: return 0;\n}";
    mutate(hang).fails(3, &["standard input: ", tried, "hang (visit more than 1000000 blocks)"]);
    let limited = ["mutate", "-", "--steps", "50"];
    pathsmith_with_input(&limited, hang.as_bytes()).fails(3, &["(visit more than 50 blocks)"]);
    let undefined = "fn f(a: i32) -> i32 { entry: return 1 / (a - a); }";
    mutate(undefined).fails(3, &[tried, "have undefined behaviour", "division by zero"]);
    pathsmith_with_input(&["mutate", "-", "--dialect", "jvm"], undefined.as_bytes())
        .fails(3, &[tried, " trap; f("]);
    mutate("fn f(a: i32) -> i32 { entry: return a + ?s0; }").fails(3, &["`f` has holes"]);
    mutate("fn f(a: i32) -> i32 { entry: return f(a); }")
        .fails(3, &[tried, "nest calls too deeply"]);
}

/// Several files and folders: variants are named after their programs, what is of no use in a folder
/// is reported and left out, and what is malformed is an error with its file and line.
#[test]
fn folders_of_programs_are_mutated() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    fs::create_dir(path("programs")).expect("a folder");
    let write = |name: &str, text: &str| {
        fs::write(dir.path().join("programs").join(name), text).expect("a file");
    };
    write("sum.sym", "fn f(a: i32, b: i32) -> i32 { entry: return (a & 7) + (b & 3); }");
    write("notes.txt", "not a program");
    write("hang.sym", "fn f(a: i32) -> i32 { entry: goto B; B: if 1 goto B else C; C: return a; }");
    let figure = "docs/examples/figure1.sym";
    let (programs, out) = (path("programs"), path("out"));
    let args = ["mutate", &programs, figure, "--count", "5", "--times", "2", "--dir", &out];
    let run = pathsmith(&args);
    assert!(run.stderr.contains("hang.sym: `f` returns on none"), "{}", run.stderr);
    run.ok();
    let mut names: Vec<String> = fs::read_dir(&out)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let numbered = |name: &str| [0, 1, 2, 3, 4].map(|n| format!("{name}-variant{n}.sym"));
    let expected: Vec<String> = ["figure1", "sum"].into_iter().flat_map(numbered).collect();
    assert_eq!(names, expected);
    let files: Vec<String> = names.iter().map(|name| format!("{out}/{name}")).collect();
    let check: Vec<&str> =
        ["check"].into_iter().chain(files.iter().map(|file| &file[..])).collect();
    pathsmith(&check).ok();

    write("wrong.sym", "fn f() -> i32 {\nentry:\n    return b;\n}");
    pathsmith(&args).fails(3, &["wrong.sym:3", "`b`"]);
    let empty = path("empty");
    fs::create_dir(&empty).expect("a folder");
    pathsmith(&["mutate", &empty]).fails(3, &["expected programs in files *.sym"]);
}

#[test]
fn the_corpus_is_listed_printed_and_mutated() {
    let list = pathsmith(&["corpus"]).ok();
    assert!(list.lines().count() >= 150, "{list}");
    let line = list.lines().find(|line| line.starts_with("zero_less_half ")).expect("a program");
    assert!(line.contains("  gcc 56250 "), "{line}");
    let text = pathsmith(&["corpus", "zero_less_half"]).ok();
    assert!(text.starts_with("//! gcc 56250: "), "{text}");
    pathsmith_with_input(&["check", "-"], text.as_bytes()).ok();
    pathsmith(&["corpus", "no-such"]).fails(2, &["there is no program `no-such` in the corpus"]);

    let dir = tempfile::tempdir().expect("a temporary folder");
    for dialect in ["c", "wasm", "jvm"] {
        let out = dir.path().join(dialect).to_string_lossy().into_owned();
        pathsmith(&["mutate", "--corpus", "--dialect", dialect, "--dir", &out]).ok();
        let n_variants = fs::read_dir(&out).expect("a folder").count();
        assert!(n_variants >= 145, "{n_variants} variants in {dialect}");
    }
}

//! What the generator emits for pinned seeds, for review.
//!
//! Each snapshot names the command that makes it. `cargo insta review` shows what a change did.

mod support;

use support::{pathsmith, pathsmith_with_input};

/// Compares what a command prints with `snapshots/FOLDER/NAME.snap`.
fn check(folder: &str, name: &str, args: &[&str]) {
    compare(folder, name, &format!("pathsmith {}", args.join(" ")), &pathsmith(args).ok());
}

fn compare(folder: &str, name: &str, description: &str, product: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(support::root().join("snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(description);
    settings.bind(|| insta::assert_snapshot!(name, product));
}

#[test]
fn shapes() {
    check("shape", "default", &["shape", "--seed", "1", "--count", "5"]);
    check("shape", "reducible", &["shape", "--seed", "1", "--count", "5", "--reducible"]);
    let loops = ["shape", "--seed", "1", "--blocks", "4", "--loops", "2", "--walk", "loops"];
    check("shape", "loops", &[&loops[..], &["--iterations", "3"]].concat());
    check("shape", "switches", &["shape", "--seed", "1", "--count", "3", "--switches", "0.3"]);
    check("shape", "statistics", &["shape", "--seed", "1", "--count", "1000", "--stats"]);
}

#[test]
fn programs() {
    check("symlang", "sample-c", &["sample", "--seed", "1", "--dialect", "c"]);
    check("symlang", "sample-wasm", &["sample", "--seed", "9", "--dialect", "wasm"]);
    check("symlang", "sample-jvm", &["sample", "--seed", "10", "--dialect", "jvm"]);
    check("symlang", "sample-holes", &["sample", "--seed", "4", "--holes", "0.5"]);
}

#[test]
fn functions() {
    for dialect in ["c", "wasm", "jvm"] {
        let args = ["gen", "--seed", "1", "--count", "2", "--dialect", dialect];
        check("symlang", &format!("full-{dialect}"), &args);
    }
    check("symlang", "paper", &["gen", "--seed", "1", "--count", "2", "--preset", "paper"]);
    let loops = ["gen", "--seed", "2", "--set", "walk.mode=loops", "--set", "walk.min_len=100"];
    check("symlang", "long-loops", &loops);
    let switches = ["gen", "--seed", "1", "--count", "2", "--set", "graph.switch_share=0.3"];
    check("symlang", "switches", &switches);
}

#[test]
fn pictures() {
    let figure_1 = "docs/examples/figure1.sym";
    check("draw", "figure1-svg", &["show", figure_1, "--format", "svg"]);
    check("draw", "figure1-dot", &["show", figure_1, "--format", "dot"]);
}

#[test]
fn errors() {
    let sources = [
        (
            "syntax",
            "fn f(a: i32) -> u32 {\nentry:\n    a = a + ;\n    a = 5 $ 6\n    return checksum;\n}\n",
        ),
        (
            "names",
            "fn f(a: i32) -> u32 {\nentry:\n    a = b + g(a);\n    goto nowhere;\nexit:\n    return checksum;\n}\n",
        ),
        (
            "types",
            "fn f(a: u8, b: i64) -> u32 {\nentry:\n    a = a * b;\n    if b goto exit else exit;\nexit:\n    return b;\n}\n",
        ),
    ];
    for (name, source) in sources {
        let run = pathsmith_with_input(&["check", "-"], source.as_bytes());
        assert_eq!(run.code, 3);
        compare("errors", name, "pathsmith check -", &format!("{source}\n{}", run.stderr));
    }
}

/// Compares the class files of a program with `snapshots/jvm/NAME.snap`. The options are those of
/// each of its functions.
fn check_classes(name: &str, source: &str, layout: &str, options: &str) {
    let n_functions = source.lines().filter(|line| line.starts_with("fn ")).count();
    let functions = vec![options; n_functions].join(", ");
    let options = format!(r#"{{"layout": "{layout}", "functions": [{functions}]}}"#);
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let file = folder.path().join("options.json");
    std::fs::write(&file, &options).expect("options can be written");
    let args = ["lower", "-", "--to", "jasm", "--options", &file.to_string_lossy()];
    let listing = pathsmith_with_input(&args, source.as_bytes()).ok();
    let description = "pathsmith lower - --to jasm --options options.json";
    compare("jvm", name, description, &format!("// {options}\n{source}\n{listing}"));
}

#[test]
fn classes() {
    let args = ["gen", "--seed", "1", "--dialect", "jvm", "--set", "graph.blocks=3"];
    let args = [&args[..], &["--set", "realize.tries=0"]].concat();
    let function = pathsmith(&args).ok();
    let by_options = [
        ("plain", "{}"),
        ("open-code", r#"{"intrinsics": "open-code", "iinc": true}"#),
        ("jdk-checksum", r#"{"checksum": "jdk"}"#),
    ];
    for (name, options) in by_options {
        check_classes(name, &function, "one-class", options);
    }
    for storage in ["static", "field", "element"] {
        let array = if storage == "element" { "static" } else { storage };
        let vars = vec![format!("\"{storage}\""); 7].join(", ");
        let options = format!(r#"{{"vars": [{vars}, "{array}"]}}"#);
        check_classes(storage, &function, "one-class", &options);
    }
    let switches = "\
fn ints(a: i32) -> i32 {
entry:
    switch a { 7 -> B1, 9 -> B2, else -> exit };
B1:
    a = a + 1;
    goto exit;
B2:
    a = a - 1;
    goto exit;
exit:
    return a;
}
fn longs(a: u64) -> u64 {
entry:
    switch a { 7 -> B1, 30064771072 -> B2, 18446744073709551615 -> B1, else -> exit };
B1:
    a = a + 1u64;
    goto exit;
B2:
    a = a >> 1u64;
    goto exit;
exit:
    return a;
}
";
    check_classes("switches", switches, "one-class", "{}");
    let hashed = r#"{"switches": "lookup", "long_switches": "hash"}"#;
    check_classes("lookup-switches", switches, "one-class", hashed);
    let calls = "\
global g: u8 = 200;
global t: [u16; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 65535];
fn leaf(a: i8) -> u32 {
entry:
    return select(a < 0, g, t[a & 7]);
}
fn root(a: i64) -> u32 {
    var b: i16 = -1;
entry:
    g = leaf(i32(a)) + leaf(i32(b));
    return checksum;
}
";
    check_classes("class-per-function", calls, "class-per-function", "{}");
}

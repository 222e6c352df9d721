//! What the generator emits for pinned seeds, for review.
//!
//! Each snapshot names the command that makes it. `cargo insta review` shows what a change did.

mod support;

use std::io::Write;

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

/// A loop with two entries, and a `switch` into it.
const IRREDUCIBLE: &str = "dialect wasm;
fn f(a: i64, n: i16) -> u32 {
entry:
    switch a { 3 -> left, 4 -> right, 6 -> left, else -> exit };
left:
    n = n - 1;
    goto right;
right:
    n = n ^ 5;
    if n > 0 goto left else exit;
exit:
    return checksum;
}
";

/// Globals, and a function that calls itself.
const RECURSIVE: &str = "dialect wasm;
global scale: u8 = 3;
global steps: [i32; 2] = [1, -1];
fn down(n: u16) -> u32 {
    var seen: [i64; 3] = [7, 8, 9];
    var below: u32 = 0;
entry:
    seen[n % 3u32] = i64(steps[n & 1u32]);
    if n == 0u32 goto exit else more;
more:
    below = down(u32(n) - 1u32) * scale;
    goto exit;
exit:
    return checksum;
}
";

/// Compares the WebAssembly text of a program with `snapshots/wasm/NAME.snap`.
fn check_wat(name: &str, program: &str, description: &str, options: &str) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(options.as_bytes()).expect("a file that can be written");
    let path = file.path().to_str().expect("a path in UTF-8");
    let args = ["lower", "-", "--to", "wat", "--options", path];
    let wat = pathsmith_with_input(&args, program.as_bytes()).ok();
    compare("wasm", name, &format!("{description} with {options}"), &wat);
}

#[test]
fn wasm_modules() {
    let small = ["--set", "graph.blocks=3", "--set", "sketch.vars=4", "--set", "sketch.assigns=1"];
    let args = [&["gen", "--seed", "4", "--dialect", "wasm"], &small[..]].concat();
    let program = pathsmith(&args).ok();
    let command = format!("pathsmith {}", args.join(" "));
    for (name, options) in [
        ("plain", "{}"),
        ("bitwise", r#"{"checksum": "bitwise"}"#),
        ("dispatch", r#"{"checksum": "host", "functions": [{"control": "dispatch"}]}"#),
        ("br-if", r#"{"checksum": "host", "functions": [{"conditions": "br-if"}]}"#),
        (
            "globals",
            r#"{"checksum": "host", "functions": [{"vars": ["global", "global", "global", "global"]}]}"#,
        ),
        (
            "memory",
            r#"{"checksum": "host", "functions": [{"base": "local", "vars": ["memory", "memory", "memory", "memory"]}]}"#,
        ),
        (
            "packed",
            r#"{"checksum": "host", "packed": true, "functions": [{"base": "global", "bulk": true, "vars": ["memory", "memory"]}]}"#,
        ),
        ("stack", r#"{"checksum": "host", "functions": [{"base": "stack"}]}"#),
        ("multi-value", r#"{"checksum": "host", "functions": [{"returns": "multi"}]}"#),
        ("visible", r#"{"checksum": "host", "functions": [{"n_visible": 2}]}"#),
        (
            "open-code",
            r#"{"checksum": "host", "functions": [{"narrowing": "shifts", "intrinsics": "calls", "selects": "if-else"}]}"#,
        ),
    ] {
        check_wat(name, &program, &command, options);
    }
    let host = r#"{"checksum": "host"}"#;
    check_wat("irreducible", IRREDUCIBLE, IRREDUCIBLE, host);
    let compared = r#"{"checksum": "host", "functions": [{"max_table": 0}]}"#;
    check_wat("irreducible-compared", IRREDUCIBLE, IRREDUCIBLE, compared);
    let split = r#"{"checksum": "host", "functions": [{"control": "split"}]}"#;
    check_wat("irreducible-split", IRREDUCIBLE, IRREDUCIBLE, split);
    check_wat("recursive", RECURSIVE, RECURSIVE, host);
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

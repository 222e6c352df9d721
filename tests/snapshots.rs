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

/// What a command prints that makes functions without policies: what backends are shown is to
/// have all of the language in it.
fn plain(args: &[&str]) -> String {
    let config = support::root().join("tests/support/plain.toml");
    let config = config.to_str().expect("the path is text");
    pathsmith(&[args, &["--config", config]].concat()).ok()
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
    for theme in ["strides", "loops"] {
        let share = |name: &str| format!("policy.{name}={}", u8::from(name == theme));
        let (strides, loops) = (share("strides"), share("loops"));
        let args = ["gen", "--seed", "1", "--count", "3", "--set", &strides, "--set", &loops];
        check("symlang", &format!("theme-{theme}"), &args);
    }
    check("symlang", "paper", &["gen", "--seed", "1", "--count", "2", "--preset", "paper"]);
    let loops = ["gen", "--seed", "2", "--set", "walk.mode=loops", "--set", "walk.min_len=100"];
    check("symlang", "long-loops", &loops);
    let switches = ["gen", "--seed", "1", "--count", "2", "--set", "graph.switch_share=0.3"];
    check("symlang", "switches", &switches);
    let small =
        ["--set", "graph.blocks=3", "--set", "sketch.vars=3", "--set", "link.recursion=1.0"];
    let linked = [&["gen", "--seed", "1", "--functions", "3"], &small[..]].concat();
    check("symlang", "linked", &linked);
}

/// The part of a C file that other programs do not share.
fn own_part(text: &str) -> &str {
    let own = match text.split_once("ps_crc_add(uint32_t crc, uint64_t value, int n_bytes);\n") {
        Some((_, own)) => own,
        None => text,
    };
    own.split("// Runs every realization").next().unwrap_or(own)
}

/// The C of a program, without what all programs share.
fn check_c(name: &str, program: &str, options: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    std::fs::write(path("program.sym"), program).expect("a file");
    std::fs::write(path("options.json"), options).expect("a file");
    let (program, options_file, out) = (path("program.sym"), path("options.json"), path("out"));
    pathsmith(&["lower", &program, "--to", "c", "--options", &options_file, "--dir", &out]).ok();
    let mut files: Vec<_> = std::fs::read_dir(&out)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .filter(|path| !path.ends_with("harness.c"))
        .collect();
    files.sort();
    let mut product = String::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("text");
        let own = own_part(&text);
        let file_name = file.file_name().expect("a name").to_string_lossy().into_owned();
        product += &format!("// {file_name}\n{own}");
    }
    compare("c", name, &format!("pathsmith lower --to c --options {options}"), &product);
}

#[test]
fn c() {
    let small = ["gen", "--seed", "4", "--set", "graph.blocks=3", "--set", "sketch.vars=4"];
    let more = ["--set", "realize.most=3", "--set", "sketch.depth=1"];
    let function = plain(&[&small[..], &more[..]].concat());
    let switch = [
        &small[..],
        &more[..],
        &["--set", "graph.switch_share=1.0", "--set", "graph.branch_share=0.0"],
    ]
    .concat();
    let switch = plain(&switch);
    let check = |name: &str, options: &str| check_c(name, &function, options);
    check("gotos", "{}");
    check("structured", r#"{"functions":[{"control":"structured"}]}"#);
    check_c("switch-gotos", &switch, "{}");
    check_c("switch-structured", &switch, r#"{"functions":[{"control":"structured"}]}"#);
    for linkage in ["static", "no-inline", "no-ipa", "always-inline"] {
        let options = format!(r#"{{"functions":[{{"linkage":"{linkage}"}}]}}"#);
        check(linkage, &options);
    }
    check("visible-inputs", r#"{"functions":[{"n_visible":2}]}"#);
    check(
        "inputs-in-another-unit",
        r#"{"layout":"two-files","functions":[{"inputs":"other-unit"}]}"#,
    );
    check("open-code", r#"{"functions":[{"intrinsics":"open-code"}]}"#);
    let operators = "[0,1,2,3,4,5,6,7,8,9]";
    for form in ["function", "macro"] {
        let checked = format!(r#"{{"form":"{form}","operators":{operators}}}"#);
        let options = format!(r#"{{"functions":[{{"checked":{checked}}}]}}"#);
        check(&format!("checked-by-{form}s"), &options);
    }
    let unread = "dialect c;
        fn f1(a: i32) -> i32 {
            var v: i32 = 3;
            var w: i32 = 4;
        entry:
            if a > 0 goto left else exit;
        left:
            v = a + w;
            goto exit;
        exit:
            return v;
        }
        realize f1(1) = 5 via entry left exit;";
    check_c("uninitialised", unread, r#"{"functions":[{"uninitialised":[1,2]}]}"#);
    for (name, storage, volatile) in [
        ("static-variables", "static", false),
        ("global-variables", "global", false),
        ("volatile-variables", "auto", true),
    ] {
        let placement = format!(r#"{{"storage":"{storage}","volatile":{volatile}}}"#);
        let vars = vec![placement; 4].join(",");
        check(name, &format!(r#"{{"functions":[{{"vars":[{vars}]}}]}}"#));
    }
    let calls = "dialect c;
        global g: [i16; 3] = [1, -2, 3];
        global h: u64 = 18446744073709551615;
        fn caller(a: i32, b: u8) -> u32 {
            var least: i64 = -9223372036854775808;
        entry:
            a = a + callee(a, b + 1u32) + -2147483648;
            least = least + min(i64(g[b % 3u32]), 7i64) + i64(clz(h)) + i64(rotl(a, 3));
            return checksum;
        }
        realize caller(5, 255) = 3506349952 via entry;
        fn callee(x: i32, y: u8) -> i32 {
        entry:
            return select(x > i32(y), x, 2147483647);
        }
        realize callee(5, 0) = 5 via entry;
        realize callee(5, 9) = 2147483647 via entry;";
    check_c("calls-and-globals", calls, "{}");
    let options = r#"{"layout":"file-per-function","globals":[{"volatile":true}]}"#;
    check_c("file-per-function", calls, options);
    // One in full, with what all programs share.
    let figure_1 = "docs/examples/figure1.sym";
    self::check("c", "figure1", &["lower", figure_1, "--to", "c"]);
}

/// What transforms need: a loop, a call, an array, a `switch`, and code that never runs.
const MUTATED: &str = "\
global table: [i32; 4] = [3, -1, 4, 1];
fn mutated(n: i32, k: i32) -> i32 {
    var i: i32 = 0;
    var sum: i32 = 7;
entry:
    if n > 5 goto large else head;
head:
    if i < n goto body else done;
body:
    sum = sum + table[i] * k;
    sum = sum ^ twice(i);
    i = i + 1;
    goto head;
large:
    sum = n - 12;
    goto done;
done:
    switch sum & 3 { 0 -> left, 1 -> right, else -> exit };
left:
    sum = sum + 1;
    goto exit;
right:
    sum = sum - k;
    goto exit;
exit:
    return sum * 2 + i;
}
realize mutated(3, 2) = 41 via entry (head body)^3 head done right exit;
realize mutated(0, 5) = 14 via entry head done exit;
realize mutated(4, -1) = 6 via entry (head body)^4 head done left exit;
fn twice(x: i32) -> i32 {
    var y: i32 = 1;
entry:
    y = x + x;
    goto exit;
exit:
    return y & 6;
}
realize twice(3) = 6 via entry exit;
main mutated;
";

/// A variant by every transform, in every language, with the program that it is lowered from.
#[test]
fn variants() {
    let list = pathsmith(&["mutate", "--list"]).ok();
    for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
        for (dialect, to) in [("c", "c"), ("wasm", "wat"), ("jvm", "jasm")] {
            let parent = format!("dialect {dialect};\n{MUTATED}");
            let args = ["mutate", "-", "--transforms", name, "--times", "1", "--seed", "3"];
            let variant = pathsmith_with_input(&args, parent.as_bytes()).ok();
            let lowered =
                pathsmith_with_input(&["lower", "-", "--to", to], variant.as_bytes()).ok();
            let lowered = own_part(&lowered);
            let description = format!("pathsmith {}", args.join(" "));
            let product = format!("{variant}\n// lowered to {to}\n{lowered}");
            compare("mutate", &format!("{name}-{to}"), &description, &product);
        }
    }
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
    let program = plain(&args);
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
    let function = plain(&args);
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

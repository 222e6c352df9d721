//! The command line: what each command does, and what it says when it cannot.

mod support;

use support::{pathsmith, pathsmith_with_input, root};

const FIGURE_1: &str = "docs/examples/figure1.sym";

#[test]
fn figure_1_runs_to_its_published_output_along_its_published_path() {
    let output = pathsmith(&["run", FIGURE_1]).ok();
    assert_eq!(output, "func(-2147483647) = -2147483645, 6 steps, as realized\n");
    let trace = pathsmith(&["run", FIGURE_1, "--trace", "--dialect", "c"]).ok();
    let blocks: Vec<&str> =
        trace.lines().filter_map(|line| line.split_whitespace().nth(1)).take(6).collect();
    assert_eq!(blocks, ["entry", "B1", "B3", "B1", "B2", "exit"], "{trace}");
    assert!(trace.contains("exit     b=-2147483647 a=1 c=1"), "{trace}");
}

#[test]
fn dialects_differ_where_they_should() {
    let run = |dialect| pathsmith(&["run", FIGURE_1, "--input", "5", "--dialect", dialect]);
    let c = run("c");
    assert_eq!(c.code, 1);
    assert!(
        c.stdout.contains("undefined: signed overflow in `a * 1 + b * 1 + 2147483647`"),
        "{c:?}"
    );
    assert_eq!(run("wasm").ok(), "func(5) = -2147483629, 6 steps\n");
}

#[test]
fn endless_runs_end() {
    let source = b"fn f() -> u32 { e: goto a; a: if 1 goto a else x; x: return checksum; }";
    let run = pathsmith_with_input(&["run", "-", "--steps", "1000"], source);
    assert_eq!((run.code, &*run.stdout), (1, "f(): ran out of steps, after 1000 steps\n"));
}

#[test]
fn check_holds_realizations_against_the_interpreter() {
    let output = pathsmith(&["check", FIGURE_1]).ok();
    let name = FIGURE_1;
    assert_eq!(output, format!("{name}: 1 function, 1 realization, all hold in dialect c\n"));
    let text = std::fs::read_to_string(root().join(FIGURE_1)).expect("the example is there");

    let wrong = text.replace("= -2147483645 via", "= -2147483646 via");
    let run = pathsmith_with_input(&["check", "-"], wrong.as_bytes());
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("expected -2147483646, got -2147483645"), "{run:?}");

    let wrong = text.replace("via entry B1 B3 B1 B2", "via entry B1 B2");
    let run = pathsmith_with_input(&["check", "-"], wrong.as_bytes());
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("at step 2, expected block B2, got B3"), "{run:?}");
}

#[test]
fn bad_files_have_their_own_exit_codes() {
    let check = |input: &[u8]| pathsmith_with_input(&["check", "-"], input);
    check(b"").fails(3, &["the source is empty"]);
    check(b"\xff\xfe\x00").fails(3, &["not a text", "0xff"]);
    check(b"\x7fELF\x00\x00").fails(3, &["not a text", "control character"]);
    check(&vec![b' '; (16 << 20) + 1]).fails(3, &["too large", "16 MiB"]);
    check("(".repeat(1 << 20).as_bytes()).fails(3, &["unexpected `(`"]);
    check(b"fn f() -> u32 {\nentry:\n    return che")
        .fails(3, &["unexpected", "standard input:3:"]);
    pathsmith(&["check", "no-such-file.sym"]).fails(4, &["cannot read no-such-file.sym"]);
    pathsmith(&["check", "docs"]).fails(4, &["cannot read docs"]);
}

#[test]
fn wrong_command_lines_are_reported() {
    pathsmith(&[]).fails(2, &["Usage"]);
    pathsmith(&["run"]).fails(2, &["FILE"]);
    pathsmith(&["run", FIGURE_1, "--function", "g"]).fails(2, &["no function `g`", "func"]);
    pathsmith(&["run", FIGURE_1, "--input", "1,2"]).fails(2, &["2 values", "takes 1"]);
    pathsmith(&["run", FIGURE_1, "--input", "2147483648"]).fails(2, &["does not fit `b`"]);
    pathsmith(&["run", FIGURE_1, "--dialect", "basic"])
        .fails(2, &["expected `c`, `wasm` or `jvm`"]);
    pathsmith(&["shape", "--blocks", "0"]).fails(2, &["`blocks` is 0"]);
    pathsmith(&["shape", "--iterations", "many"]).fails(2, &["--iterations"]);
    pathsmith(&["show", FIGURE_1, "-F", "svg", "--path", "entry B9"]).fails(2, &["no block `B9`"]);
    pathsmith(&["show", FIGURE_1, "-F", "svg", "--realization", "3"])
        .fails(2, &["1 realization: 0"]);
}

#[test]
fn shapes_are_the_same_for_the_same_seed() {
    let ten = pathsmith(&["shape", "--seed", "7", "--count", "10"]).ok();
    assert_eq!(pathsmith(&["shape", "--seed", "7", "--count", "10"]).ok(), ten);
    let twenty = pathsmith(&["shape", "--seed", "7", "--count", "20"]).ok();
    assert!(twenty.starts_with(&ten));
    assert_ne!(pathsmith(&["shape", "--seed", "8", "--count", "10"]).ok(), ten);
}

#[test]
fn shapes_can_be_given() {
    let mined = br#"{"name":"mined","blocks":3,"succs":[[1,2],[0],[]]}"#;
    let run = pathsmith_with_input(&["shape", "--graphs", "-", "--count", "2"], mined);
    assert!(run.stderr.contains("graph mined: the entry has predecessors"), "{run:?}");
    let lines: Vec<String> = run.ok().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].starts_with(r#"{"name":"mined","blocks":4,"succs":[[1],[2,3],[1],[]],"path":[0,"#)
    );

    let wrong = |text: &[u8]| pathsmith_with_input(&["shape", "--graphs", "-"], text);
    wrong(b"").fails(3, &["the text is empty"]);
    wrong(br#"{"blocks":2,"succs":[[7],[]]}"#).fails(3, &["line 1", "block 7"]);
    wrong(b"{\"blocks\":1,\"succs\":[[]]}\n{\"blocks\":").fails(3, &["line 2, column"]);
    wrong(b"\xff").fails(3, &["not a text"]);
}

#[test]
fn statistics_report_the_distribution_of_iterations() {
    let args = ["shape", "--count", "500", "--stats", "--walk", "loops", "--iterations", "5"];
    let stats = pathsmith(&[&args[..], &["--max-len", "100000"]].concat()).ok();
    let iterations = stats.lines().find(|line| line.trim_start().starts_with("5-8"));
    assert!(iterations.is_some_and(|line| line.contains("100.0%")), "{stats}");
}

#[test]
fn show_prints_the_standard_form() {
    let text = std::fs::read_to_string(root().join(FIGURE_1)).expect("the example is there");
    assert_eq!(pathsmith(&["show", FIGURE_1]).ok(), text);
    let squeezed = text.replace("    ", " ").replace("\n\n", "\n");
    assert_eq!(pathsmith_with_input(&["show", "-"], squeezed.as_bytes()).ok(), text);
}

#[test]
fn show_draws_programs_and_graphs() {
    let svg = pathsmith(&["show", FIGURE_1, "--format", "svg"]).ok();
    assert!(svg.starts_with("<svg") && svg.contains("B3"), "{svg}");
    let dot = pathsmith(&["show", FIGURE_1, "--format", "dot", "--bare"]).ok();
    assert!(dot.starts_with("digraph"), "{dot}");
    let shape = pathsmith(&["shape", "--seed", "3"]).ok();
    let drawn = pathsmith_with_input(&["show", "-", "-F", "svg"], shape.as_bytes()).ok();
    assert!(drawn.starts_with("<svg"));
}

#[test]
fn samples_pass_their_own_check() {
    for seed in 0..20 {
        for dialect in ["c", "wasm", "jvm"] {
            let seed = seed.to_string();
            let sample = pathsmith(&["sample", "--seed", &seed, "--dialect", dialect]).ok();
            let run = pathsmith_with_input(&["check", "-"], sample.as_bytes());
            assert_eq!(run.code, 0, "{run:?}\n{sample}");
        }
    }
}

#[test]
fn outputs_appear_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("shape.svg");
    let name = file.to_str().expect("a name in UTF-8");
    pathsmith(&["show", FIGURE_1, "-F", "svg", "-o", name]).ok();
    let first = std::fs::read(&file).expect("it was written");
    assert!(first.starts_with(b"<svg"));
    // A run that fails leaves the file as it was, and nothing beside it.
    pathsmith_with_input(&["show", "-", "-F", "svg", "-o", name], b"fn").fails(3, &["expected"]);
    assert_eq!(std::fs::read(&file).expect("it is still there"), first);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
    let nowhere = folder.path().join("nowhere").join("shape.svg");
    let nowhere = nowhere.to_str().expect("a name in UTF-8");
    pathsmith(&["show", FIGURE_1, "-o", nowhere]).fails(4, &["cannot write", "nowhere"]);
}

#[test]
fn help_teaches() {
    let help = pathsmith(&["--help"]).ok();
    assert!(help.contains("Exit codes") && help.contains("A first tour"), "{help}");
    for command in
        ["shape", "check", "run", "show", "gen", "solve", "bench", "sample", "completions"]
    {
        let help = pathsmith(&[command, "--help"]).ok();
        assert!(help.contains("Usage: pathsmith"), "{command}: {help}");
    }
}

#[test]
fn class_files_are_written_with_their_options() {
    let folder = tempfile::tempdir().expect("there is a place for temporary files");
    let dir = folder.path().join("classes");
    let dir_name = dir.to_string_lossy().into_owned();
    let function = pathsmith(&["gen", "--seed", "1", "--dialect", "jvm"]).ok();
    let lower = |args: &[&str]| {
        pathsmith_with_input(&[&["lower", "-"], args].concat(), function.as_bytes())
    };
    lower(&["--to", "class", "--choose", "3", "--dir", &dir_name]).ok();
    let bytes = std::fs::read(dir.join("Program.class")).expect("the main class is there");
    assert_eq!(bytes[..4], [0xca, 0xfe, 0xba, 0xbe]);
    let options = dir.join("options.json").to_string_lossy().into_owned();
    let listing = lower(&["--to", "jasm", "--options", &options]).ok();
    assert_eq!(lower(&["--to", "jasm", "--choose", "3"]).ok(), listing);
    assert!(listing.starts_with("public final class Program"), "{listing}");
    lower(&["--to", "class"]).fails(2, &["class files need --dir"]);
    let stmts = "a = a + a * a; ".repeat(2000);
    let huge = format!("dialect jvm; fn f(a: i32) -> i32 {{ entry: {stmts} return a; }}");
    let run = pathsmith_with_input(&["lower", "-", "--to", "jasm"], huge.as_bytes());
    assert!(
        run.stderr.contains("HotSpot does not compile methods of more than 8000"),
        "{}",
        run.stderr
    );
    lower(&["--to", "c"]).fails(3, &["dialect jvm, but c needs c"]);
    pathsmith(&["lower", FIGURE_1, "--to", "jasm"]).fails(3, &["dialect c, but jvm needs jvm"]);
}

#[test]
fn stats_say_what_functions_are_made_of() {
    let stats = pathsmith(&["stats", "--count", "100"]).ok();
    assert!(stats.starts_with("100 functions of 100 are solved\n"), "{stats}");
    let sizes = |text: &str, policy: &str| -> Vec<String> {
        let row = text.lines().find(|line| line.starts_with(&format!("{policy} ")));
        row.expect("a row").split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(sizes(&stats, "all")[1], "100");
    let never = pathsmith(&["stats", "--count", "100", "--set", "policy.boundary=0"]).ok();
    assert_eq!(sizes(&never, "boundary")[1], "0");
    assert_ne!(sizes(&stats, "boundary")[1], "0");
}

#[test]
fn lower_makes_modules_and_their_text() {
    let program = pathsmith(&["gen", "--dialect", "wasm"]).ok();
    let lower = |args: &[&str]| {
        pathsmith_with_input(&[&["lower", "-", "--to"], args].concat(), program.as_bytes())
    };
    assert!(lower(&["wat"]).ok().starts_with("(module"));
    let drawn = lower(&["wat", "--choose", "7"]).ok();
    assert_eq!(drawn, lower(&["wat", "--choose", "7"]).ok());

    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    lower(&["wasm", "-o", &path("f.wasm")]).ok();
    let bytes = std::fs::read(path("f.wasm")).expect("a module");
    assert!(bytes.starts_with(b"\0asm"), "{bytes:?}");
    // What was drawn is kept, and gives the same again.
    lower(&["wat", "--choose", "7", "--dir", &path("drawn")]).ok();
    let again = lower(&["wat", "--options", &path("drawn/options.json")]).ok();
    assert_eq!(again, drawn);

    pathsmith(&["lower", FIGURE_1, "--to", "wasm"]).fails(3, &["dialect c, but wasm needs wasm"]);
    let c = pathsmith(&["lower", FIGURE_1, "--to", "c", "--choose", "1"]);
    c.fails(2, &["several files, which need --dir"]);
    std::fs::write(path("wrong.json"), r#"{"checksums": "host"}"#).expect("a file");
    lower(&["wat", "--options", &path("wrong.json")]).fails(3, &["unknown field `checksums`"]);
}

#[test]
fn functions_without_parameters_are_run() {
    let source = b"fn f() -> i32 { e: return 5; } fn g(a: i32) -> i32 { e: return a; }
        realize g(7) = 7 via e;";
    let run = |args: &[&str]| pathsmith_with_input(&[&["run", "-"], args].concat(), source);
    assert_eq!(run(&["-f", "f", "-i", ""]).ok(), "f() = 5, 1 steps\n");
    assert_eq!(run(&["-f", "g", "-i", " -3"]).ok(), "g(-3) = -3, 1 steps\n");
    run(&["-f", "g", "-i", ""]).fails(2, &["--input has 0 values, but `g` takes 1"]);
    run(&["-f", "f", "-i", "1"]).fails(2, &["--input has 1 value, but `f` takes 0"]);
    run(&["-f", "g", "-i", "x"]).fails(2, &["`x` is not a whole number"]);
    run(&["-f", "g", "-i", "1,"]).fails(2, &["a value is missing beside a comma"]);
    run(&["-i", "1"]).fails(2, &["--input needs --function", "there are: f, g"]);
    run(&["-f", "h"]).fails(2, &["there is no function `h`; there are: f, g"]);
}

#[test]
fn what_is_shown_is_there() {
    let source = b"fn f() -> i32 { e: return 5; } fn g(a: i32) -> i32 { e: return a; }
        realize g(7) = 7 via e; realize g(8) = 8 via e;";
    let show = |args: &[&str]| pathsmith_with_input(&[&["show", "-"], args].concat(), source);
    for format in ["text", "svg", "dot"] {
        show(&["-F", format, "-f", "h"]).fails(2, &["there is no function `h`; there are: f, g"]);
        show(&["-F", format, "-f", "g", "-r", "2"])
            .fails(2, &["there is no number 2; `g` has 2 realizations: 0 to 1"]);
        show(&["-F", format, "-f", "f", "-r", "0"]).fails(2, &["`f` has no realization"]);
    }
    assert!(show(&["-F", "dot", "-f", "g", "-r", "1"]).ok().contains("digraph"));
    show(&["-f", "g"]).fails(2, &["choose what is drawn"]);
    let graphs = pathsmith(&["shape", "--count", "2"]).ok();
    let graph =
        |args: &[&str]| pathsmith_with_input(&[&["show", "-"], args].concat(), graphs.as_bytes());
    assert_eq!(graph(&[]).ok(), graphs);
    assert_eq!(graph(&["-r", "1"]).ok(), graphs.lines().nth(1).expect("a graph").to_owned() + "\n");
    graph(&["-r", "2"]).fails(2, &["there is no number 2; the file has 2 graphs: 0 to 1"]);
    graph(&["-f", "g"]).fails(2, &["--function is for programs"]);
}

#[test]
fn times_need_a_unit() {
    let fuzz = |args: &[&str]| pathsmith(&[&["fuzz", "c", "--print-config"], args].concat());
    fuzz(&["--time", "5"]).fails(2, &["5 has no unit: write 5s for seconds, 5m for minutes"]);
    fuzz(&["--set", "campaign.time=5"]).fails(2, &["integer `5`, expected a time with its unit"]);
    assert!(fuzz(&["--time", "5m"]).ok().contains("time = \"300s\""));
}

#[test]
fn settings_have_the_same_names_everywhere() {
    let config = |args: &[&str]| pathsmith(&[args, &["--print-config"]].concat()).ok();
    for command in [&["gen"][..], &["fuzz"]] {
        let short = config(&[command, &["--set", "graph.blocks=29"]].concat());
        assert!(short.contains("\nblocks = 29\n"), "{short}");
        let long = config(&[command, &["--set", "generate.graph.blocks=29"]].concat());
        assert_eq!(short, long);
    }
    // A campaign's file serves the generator too, but settings of campaigns are none of its own.
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("campaign.toml");
    std::fs::write(&file, "[c]\nlevels = ['-O1']\n[generate.graph]\nblocks = 29\n")
        .expect("a file");
    let file = file.to_string_lossy().into_owned();
    assert!(config(&["gen", "--config", &file]).contains("\nblocks = 29\n"));
    assert!(config(&["fuzz", "--config", &file]).contains("levels = [\"-O1\"]"));
    pathsmith(&["gen", "--set", "c.random_settings=1"]).fails(2, &["unknown field `c`"]);
    // Whatever its name, a wrong setting is found in its line.
    std::fs::write(&file, "[graph]\n\nblocks = 'many'\n").expect("a file");
    for command in ["gen", "fuzz"] {
        pathsmith(&[command, "--print-config", "--config", &file])
            .fails(3, &["campaign.toml, line 3: `graph.blocks`: "]);
    }
}

#[test]
fn a_list_of_one_is_shown() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("campaign.toml");
    std::fs::write(&file, "[c]\nlevels = '-O2'\n").expect("a file");
    pathsmith(&["fuzz", "--print-config", "--config", &file.to_string_lossy()])
        .fails(3, &["campaign.toml, line 2: `c.levels`: ", r#"write c.levels = ["-O2"]"#]);
    pathsmith(&["fuzz", "--print-config", "--set", "c.levels=-O2"])
        .fails(2, &["--set c.levels=-O2: ", r#"write c.levels = ["-O2"]"#]);
}

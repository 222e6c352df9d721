//! docs/symlang.md is true and complete: its examples hold, and another interpreter that was
//! written from it (`tests/support/symlang.py`) agrees with ours.

mod support;

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use pathsmith_symlang::FuncId;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, Notation, Program, Scalar, ScalarTy, UnOp, ValueTy};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use support::{pathsmith, pathsmith_with_input, root};

/// The same as in the other interpreter, which has less time.
const LIMITS: Limits = Limits { steps: 1_000, depth: 100 };

/// The fenced blocks of the page, each with the words behind its first fence.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("```") {
        let (info, after) = after.split_once('\n').expect("a line");
        let (body, after) = after.split_once("```").expect("a fence");
        blocks.push((info, body));
        rest = after;
    }
    blocks
}

#[test]
fn the_examples_of_the_page_hold() {
    let page = fs::read_to_string(root().join("docs/symlang.md")).expect("a page");
    let (mut n_good, mut n_bad) = (0, 0);
    for (info, body) in blocks(&page) {
        let run = || pathsmith_with_input(&["check", "-"], body.as_bytes());
        match info {
            "symlang" => {
                let said = run();
                assert_eq!(said.code, 0, "{body}\n{}{}", said.stdout, said.stderr);
                assert!(said.stdout.contains("all hold"), "{body}\n{}", said.stdout);
                n_good += 1;
            }
            "symlang error" => {
                let expected = body.lines().next().and_then(|line| line.split_once("expected: "));
                run().fails(3, &[expected.expect("what is expected").1]);
                n_bad += 1;
            }
            "" | "ebnf" => {}
            other => panic!("a block of an unknown kind: {other}"),
        }
    }
    assert!(n_good >= 6 && n_bad >= 4, "{n_good} good, {n_bad} bad");
}

/// A value in the words of the other interpreter.
fn shown(value: Scalar) -> String {
    match value.ty() {
        ScalarTy::Int(_) => value.to_string(),
        ScalarTy::Float(ty) if ty.is_nan(value.word()) => "nan".to_owned(),
        ScalarTy::Float(ty) => format!("{ty}:{:x}", value.word()),
    }
}

/// How our interpreter ends a call, in the words of the other one.
fn ending(program: &Program, machine: &mut Machine<'_>, id: FuncId, args: &[Scalar]) -> String {
    let outcome = machine.run(id, args, LIMITS);
    let leaving = machine.leaving().map_or(String::new(), |crc| format!(" leaving {crc}"));
    let ending = match outcome {
        Outcome::Returned(value) => format!("= {}{leaving}", shown(value)),
        Outcome::Trapped(kind, _) => format!("traps {kind}{leaving}"),
        Outcome::Undefined(_) => "undefined".to_owned(),
        Outcome::OutOfSteps => "out of steps".to_owned(),
        Outcome::OutOfDepth => "out of depth".to_owned(),
        Outcome::Hole(..) => panic!("there are no holes"),
    };
    let name = |block: &pathsmith_symlang::BlockId| program.function(id).block(*block).name.clone();
    let path: Vec<String> = machine.path().iter().map(name).collect();
    format!("{ending} via {}", path.join(" "))
}

/// The inputs of realizations, and further ones with boundary values.
fn inputs(program: &Program, id: FuncId) -> Vec<Vec<Scalar>> {
    let function = program.function(id);
    let realized = function.realizations.iter().take(6).map(|known| known.args.clone());
    let mut inputs: Vec<Vec<Scalar>> = realized.collect();
    for k in 0..6 {
        let value = |(i, ty): (usize, ScalarTy)| {
            let words = match ty {
                ScalarTy::Int(int) => {
                    [int.min(), int.max(), 0, int.wrap(-1), 1, int.wrap(0x5bd1_e995)]
                }
                ScalarTy::Float(float) => [
                    float.infinity(),
                    float.word(-0.0),
                    float.nan(),
                    float.word(-2.5),
                    float.word(1e10),
                    // The largest subnormal number.
                    (1 << (float.precision() - 1)) - 1,
                ],
            };
            Scalar::new(ty, words[(k + i * (k + 1)) % words.len()])
        };
        let types = function.params().iter().map(|param| param.ty.cell_ty());
        inputs.push(types.enumerate().map(value).collect());
    }
    inputs
}

/// What the other interpreter says of calls.
fn other(file: &str, dialect: Dialect, calls: &str) -> Vec<String> {
    let mut child = Command::new("python3")
        .arg(root().join("tests/support/symlang.py"))
        .args([file, dialect.name()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    let mut stdin = child.stdin.take().expect("a pipe");
    let calls = calls.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(calls.as_bytes()));
    let output = child.wait_with_output().expect("an end");
    writer.join().expect("a thread").expect("a pipe");
    assert!(output.status.success(), "{file} in {dialect}");
    String::from_utf8(output.stdout).expect("text").lines().map(str::to_owned).collect()
}

/// Compares both interpreters on a program; how its calls ended.
fn compare(text: &str, dialect: Dialect) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("program.sym");
    fs::write(&file, text).expect("a file");
    let program = parse("program.sym", text).expect("a program");
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, dialect);
    let (mut calls, mut ours) = (Vec::new(), Vec::new());
    for (id, function) in program.functions_with_ids() {
        for args in inputs(&program, id) {
            ours.push(ending(&program, &mut machine, id, &args));
            let words = args.iter().map(|arg| format!(" {arg}")).collect::<String>();
            calls.push(format!("{}{words}", function.name));
        }
    }
    let theirs = other(&file.to_string_lossy(), dialect, &(calls.join("\n") + "\n"));
    assert_eq!(ours.len(), theirs.len());
    for (call, (ours, theirs)) in std::iter::zip(&calls, std::iter::zip(&ours, &theirs)) {
        assert_eq!(ours, theirs, "{call} in {dialect}:\n{text}");
    }
    ours
}

#[test]
fn an_interpreter_made_from_the_page_agrees() {
    let mut endings = Vec::new();
    for made_for in Dialect::ALL {
        let mut texts = Vec::new();
        for number in 0..9 {
            let number = number.to_string();
            let args = ["sample", "--seed", "21", "--functions", "4", "--number", &number];
            for floats in ["0.4", "1.0"] {
                let more = ["--dialect", made_for.name(), "--floats", floats];
                texts.push(pathsmith(&[&args[..], &more].concat()).ok());
            }
        }
        let made = ["gen", "--seed", "21", "--dialect", made_for.name(), "--count", "15"];
        texts.push(pathsmith(&made).ok());
        let linked = ["gen", "--seed", "21", "--dialect", made_for.name(), "--functions", "5"];
        texts.push(pathsmith(&linked).ok());
        for text in texts {
            // What is defined in one dialect may not be in another.
            for dialect in Dialect::ALL {
                endings.extend(compare(&text, dialect));
            }
        }
    }
    // All ways to end were seen, so that each was compared.
    let traps = ["traps division_by_zero", "traps out_of_bounds", "traps conversion_range"];
    for way in ["= ", "= f64:", "undefined", "out of steps"].iter().chain(&traps) {
        let n = endings.iter().filter(|ending| ending.starts_with(way)).count();
        assert!(n >= 10, "{n} calls ended with `{way}`, of {}", endings.len());
    }
}

/// Every operator and cast on floating-point numbers, and literals of all forms.
#[test]
fn both_interpreters_compute_alike() {
    let mut text = "global g: [f32; 3] = [0x1.8p-3, -0, nan];\n".to_owned();
    let mut add = |params: &str, ret: &str, expr: &str| {
        let n = text.lines().count();
        text += &format!("fn t{n}({params}) -> {ret} {{ entry: return {expr}; }}\n");
    };
    for ty in ValueTy::ALL {
        for op in UnOp::ALL.into_iter().filter(|op| op.takes(ty)) {
            let (Notation::Prefix(name) | Notation::Named(name) | Notation::Infix(name, _)) =
                op.notation();
            let ret = op.result_ty(ty);
            add(&format!("a: {ty}"), ret.name(), &format!("{name}(a)"));
        }
        for op in BinOp::ALL.into_iter().filter(|op| op.takes(ty)) {
            let expr = match op.notation() {
                Notation::Infix(symbol, _) => format!("a {symbol} b"),
                Notation::Named(name) | Notation::Prefix(name) => format!("{name}(a, b)"),
            };
            add(&format!("a: {ty}, b: {ty}"), op.result_ty(ty).name(), &expr);
        }
    }
    for from in ScalarTy::ALL {
        for to in ScalarTy::ALL {
            add(&format!("a: {from}"), to.widened().name(), &format!("{to}(a)"));
        }
    }
    add("a: f32", "f32", "a * 0x1.8p3f32 + 1.25e-3f32 - -inff32 / - 1f32");
    add("a: f64", "f64", "a * 0x10p-3 + 1.25E-3 - 0.1 * -0.0 + 1e3 * -nan * -0f64");
    add("a: f32, b: f32", "f32", "g[1] * select(a < b, -a, min(-b, a / b))");
    let mut endings = Vec::new();
    for dialect in Dialect::ALL {
        endings.extend(compare(&text, dialect));
    }
    for way in ["= f32:", "= f64:", "= nan", "undefined", "traps conversion_range"] {
        let n = endings.iter().filter(|ending| ending.starts_with(way)).count();
        assert!(n >= 20, "{n} calls ended with `{way}`, of {}", endings.len());
    }
}

#[test]
fn both_interpreters_count_steps_and_calls_alike() {
    let text = "fn down(n: i32) -> i32 {
        entry: if n <= 0 goto exit else B1;
        B1: n = down(n - 1) + 1; goto exit;
        exit: return n;
    }
    fn turn(n: i32) -> i32 {
        entry: goto B1;
        B1: n = n - down(0); if n > 0 goto B2 else exit;
        B2: n = n - 1; goto B1;
        exit: return n;
    }";
    let program = parse("steps.sym", text).expect("a program");
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, Dialect::C);
    let mut run = |name: &str, n: i64| {
        let id = program.function_named(name).expect("a function");
        let ty = program.function(id).params()[0].ty.cell_ty();
        ending(&program, &mut machine, id, &[Scalar::new(ty, n)])
    };
    // The function itself, and a hundred calls in each other.
    assert_eq!(run("down", 100), "= 100 via entry B1 exit");
    assert_eq!(run("down", 101), "out of depth via entry B1");
    // Entry, four steps for each round, two of them in the call, and four at the end.
    assert!(run("turn", 248).starts_with("= 0 "));
    assert!(run("turn", 249).starts_with("out of steps "));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("steps.sym");
    fs::write(&file, text).expect("a file");
    let theirs =
        other(&file.to_string_lossy(), Dialect::C, "down 100\ndown 101\nturn 248\nturn 249\n");
    let ours = [("down", 100), ("down", 101), ("turn", 248), ("turn", 249)];
    assert_eq!(ours.map(|(name, n)| run(name, n)).to_vec(), theirs);
}

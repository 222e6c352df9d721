//! Class files as another reader sees them, and where they end.

mod support;

use std::collections::BTreeSet;

use classfile_parser::attribute_info::{
    StackMapFrame, code_attribute_parser, stack_map_table_attribute_parser,
};
use classfile_parser::code_attribute::code_parser;
use classfile_parser::constant_info::ConstantInfo;
use classfile_parser::method_info::MethodAccessFlags;
use classfile_parser::{ClassFile, class_parser};
use pathsmith_backend::{Backend, LowerError, Style};
use pathsmith_backend_jvm::classfile::listing;
use pathsmith_backend_jvm::{DIALECT, JvmBackend, JvmClasses, JvmOptions, JvmStyle};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Ending, IntTy, Program, Realization, Scalar, WordTy};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{FuncId, Seed};
use support::{Suite, has_java};

fn name(class: &ClassFile, index: u16) -> &str {
    match &class.const_pool[usize::from(index) - 1] {
        ConstantInfo::Utf8(text) => &text.utf8_string,
        other => panic!("{other:?} is no name"),
    }
}

fn delta(frame: &StackMapFrame) -> usize {
    match frame {
        StackMapFrame::SameFrame { frame_type } => (*frame_type).into(),
        StackMapFrame::SameLocals1StackItemFrame { frame_type, .. } => {
            usize::from(*frame_type) - 64
        }
        StackMapFrame::SameLocals1StackItemFrameExtended { offset_delta, .. }
        | StackMapFrame::ChopFrame { offset_delta, .. }
        | StackMapFrame::SameFrameExtended { offset_delta, .. }
        | StackMapFrame::AppendFrame { offset_delta, .. }
        | StackMapFrame::FullFrame { offset_delta, .. } => (*offset_delta).into(),
    }
}

/// Reads a class back, and gives how many instructions and frames it has.
fn read_back(bytes: &[u8]) -> (usize, usize) {
    let (rest, class) = class_parser(bytes).expect("it can be read");
    assert!(rest.is_empty());
    assert_eq!((class.major_version, class.minor_version), (52, 0));
    let (mut n_instructions, mut n_frames) = (0, 0);
    for method in &class.methods {
        if method.access_flags.contains(MethodAccessFlags::ABSTRACT) {
            assert!(method.attributes.is_empty());
            continue;
        }
        let [attribute] = &method.attributes[..] else { panic!("a method is its code") };
        assert_eq!(name(&class, attribute.attribute_name_index), "Code");
        let (rest, code) = code_attribute_parser(&attribute.info).expect("it can be read");
        assert!(rest.is_empty());
        let (rest, instructions) = code_parser(&code.code).expect("it can be read");
        assert!(rest.is_empty());
        let starts: BTreeSet<usize> = instructions.iter().map(|(at, _)| *at).collect();
        n_instructions += instructions.len();
        for attribute in &code.attributes {
            assert_eq!(name(&class, attribute.attribute_name_index), "StackMapTable");
            let (rest, table) =
                stack_map_table_attribute_parser(&attribute.info).expect("it can be read");
            assert!(rest.is_empty());
            let mut next = 0;
            for frame in &table.entries {
                let at = next + delta(frame);
                assert!(starts.contains(&at), "a frame is in the middle of an instruction");
                next = at + 1;
                n_frames += 1;
            }
        }
    }
    (n_instructions, n_frames)
}

fn lower(source: &str) -> Result<JvmClasses, LowerError> {
    JvmBackend.lower(&parse("test", source).expect("it is valid"), &JvmOptions::default())
}

#[test]
fn another_reader_reads_what_is_written() {
    let options = SampleOptions { dialect: DIALECT, ..SampleOptions::default() };
    let (mut n_instructions, mut n_frames) = (0, 0);
    for seed in 0..200 {
        let mut rng = Seed::new(seed).child("classes").rng();
        let program = sample_program(&options, &mut rng);
        let style = JvmStyle { class_per_function: 0.5, placed: 0.8, ..JvmStyle::default() };
        let lowered = JvmBackend.lower(&program, &style.choose(&program, &mut rng)).unwrap();
        for class in &lowered.classes {
            let (instructions, frames) = read_back(&class.bytes);
            n_instructions += instructions;
            n_frames += frames;
        }
        let listing = lowered.listing().unwrap();
        for block in program.functions.iter().flat_map(|function| &function.blocks) {
            let comment = format!("    // {}", block.name);
            assert!(listing.lines().any(|line| line == comment), "{comment} in {listing}");
        }
    }
    assert!(n_instructions > 50_000 && n_frames > 3_000, "{n_instructions} {n_frames}");
}

#[test]
fn a_wrong_output_is_found_with_its_call() {
    if !has_java() {
        return;
    }
    let source = "fn f(a: u32) -> u32 { entry: return a - 1u32; } realize f(0) = 7 via entry;
        realize f(1) = 0 via entry;";
    let mut suite = Suite::default();
    suite.add(&parse("test", source).unwrap(), &JvmOptions::default()).unwrap();
    let found = suite.run(&["-Xint"], 5);
    assert_eq!(found, "P0.f [0] gives, not 7, in call 0: 4294967295\ndone");
}

#[test]
fn whatever_is_not_a_class_file_is_an_error() {
    let source = "fn f(a: i32) -> u32 { var t: [i8; 3] = [1, 2, 3];
        entry: switch a { 1 -> B, 5 -> exit, else -> B }; B: goto exit; exit: return checksum; }";
    let bytes = &lower(source).unwrap().classes[0].bytes;
    for at in 0..bytes.len() {
        assert!(listing(&bytes[..at]).is_err() || at + 2 >= bytes.len());
        for value in [0, 1, 0x7f, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[at] = value;
            // It may still be one.
            drop(listing(&changed));
        }
    }
}

#[test]
fn calls_have_variables_of_their_own() {
    if !has_java() {
        return;
    }
    let source = "fn f(a: i64) -> u32 { var b: u8 = 250; var t: [i16; 2] = [-1, 1];
        entry: b = b + u32(a); t[1] = i32(a) + t[0]; if a <= 0i64 goto exit else B;
        B: t[0] = i32(f(a - 1i64) ^ f(a - 2i64)) + t[1]; goto exit;
        exit: return checksum; }";
    let program = with_realization(source, 7);
    let mut suite = Suite::default();
    for vars in [r#""local""#, r#""field", "field", "field""#, r#""element", "element", "field""#] {
        for layout in ["one-class", "class-per-function"] {
            let options =
                format!(r#"{{"layout": "{layout}", "functions": [{{"vars": [{vars}]}}]}}"#);
            suite.add(&program, &serde_json::from_str(&options).unwrap()).unwrap();
        }
    }
    suite.check();
}

#[test]
fn globals_begin_anew_at_every_call() {
    if !has_java() {
        return;
    }
    let source = "global g: i32 = 3;
        global t: [u16; 10] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 65535];
        fn f() -> i32 { entry: g = g + 1; t[0] = t[0] + 1u32; return g + i32(t[0] ^ t[9]); }
        realize f() = 65537 via entry;";
    let mut suite = Suite::default();
    suite.add(&parse("test", source).unwrap(), &JvmOptions::default()).unwrap();
    suite.check();
}

#[test]
fn arrays_of_any_size_have_their_values() {
    if !has_java() {
        return;
    }
    let mut functions = String::new();
    for (n, (ty, len)) in
        [("i8", 65_536), ("u8", 300), ("i16", 40_000), ("u16", 9), ("u32", 20_000), ("i64", 9_000)]
            .into_iter()
            .enumerate()
    {
        let values: Vec<String> = (0..len).map(|i| (i * 37 % 128).to_string()).collect();
        let (last, wide) = (len - 1, wide_name(ty));
        let (expected, values) = (last * 37 % 128, values.join(", "));
        functions += &format!(
            "fn f{n}() -> {wide} {{ var t: [{ty}; {len}] = [{values}]; entry: return t[{last}]; }}
             realize f{n}() = {expected} via entry;
             fn g{n}() -> {wide} {{ var t: [{ty}; {len}] = [7; {len}]; entry: return t[{last}]; }}
             realize g{n}() = 7 via entry;\n"
        );
    }
    let mut suite = Suite::default();
    suite.add(&parse("test", &functions).unwrap(), &JvmOptions::default()).unwrap();
    suite.check();
}

fn wide_name(ty: &str) -> WordTy {
    IntTy::from_name(ty).expect("it is a type").widened()
}

/// A function that runs through `n` blocks and jumps back from the last to the first.
fn long_loop(n: usize) -> String {
    let mut text = String::from(
        "fn f(a: i32) -> i32 { var n: i32 = 0; entry: goto B0; B0: n = n + 1; goto B1;\n",
    );
    for i in 1..n {
        let next = i + 1;
        text +=
            &format!("B{i}: if a < {i} goto exit else C{i}; C{i}: a = a ^ {i}; goto B{next};\n");
    }
    text += &format!("B{n}: if n < 3 goto B0 else exit; exit: return a + n; }}\n");
    text
}

fn with_realization(source: &str, arg: i64) -> Program {
    let mut program = parse("test", source).expect("it is valid");
    let arg = Scalar::new(program.functions[0].vars[0].ty.cell_ty(), arg);
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, DIALECT);
    let limits = Limits { steps: 1_000_000, depth: 10 };
    let Outcome::Returned(output) = machine.run(FuncId::FIRST, &[arg], limits) else {
        panic!("it has to return")
    };
    let path = Path::new(machine.path().to_vec());
    program.functions[0].realizations =
        vec![Realization { args: vec![arg], path, ending: Ending::Returns(output), leaving: None }];
    program
}

#[test]
fn jumps_lead_as_far_as_needed() {
    if !has_java() {
        return;
    }
    let mut suite = Suite::default();
    let program = with_realization(&long_loop(4_000), 1_000_000);
    let lowered = suite.add(&program, &JvmOptions::default()).unwrap();
    let n_bytes = lowered.methods[0].1;
    assert!(n_bytes > 40_000, "{n_bytes}");
    assert!(lowered.listing().unwrap().contains("goto_w"));
    assert_eq!(lowered.huge_methods().count(), 1);
    suite.check();
}

#[test]
fn what_does_not_fit_is_said() {
    let error = lower(&long_loop(8_000)).unwrap_err().to_string();
    assert!(error.starts_with("the code of f exceeds a limit of jvm: "), "{error}");
    let params: Vec<String> = (0..128).map(|i| format!("p{i}: i64")).collect();
    let source = format!("fn f({}) -> i32 {{ entry: return 1; }}", params.join(", "));
    let error = lower(&source).unwrap_err().to_string();
    assert_eq!(
        error,
        "the size of the parameters of f exceeds a limit of jvm: 256 is more than 255"
    );
    let name = "f".repeat(70_000);
    let error = lower(&format!("fn {name}() -> i32 {{ entry: return 1; }}")).unwrap_err();
    assert!(matches!(error, LowerError::Limit { actual: 70_000.., limit: 65_535, .. }));
}

#[test]
fn deep_expressions_have_room() {
    if !has_java() {
        return;
    }
    let mut expr = "a".to_owned();
    for _ in 0..120 {
        expr = format!("3i64 - ({expr})");
    }
    let source = format!("fn f(a: i64) -> i64 {{ entry: return {expr}; }}");
    let nested = "select(a < 5, ".repeat(250) + "a" + &", 1)".repeat(250);
    let select = format!("fn f(a: i32) -> i32 {{ entry: return {nested}; }}");
    let mut suite = Suite::default();
    suite.add(&with_realization(&source, 77), &JvmOptions::default()).unwrap();
    suite.add(&with_realization(&select, 4), &JvmOptions::default()).unwrap();
    suite.check();
}

#[test]
fn a_loop_that_calls_a_function_gets_hot() {
    if !has_java() {
        return;
    }
    let mut suite = Suite::default();
    let source = "fn f(a: i32) -> i32 { var s: i32 = 0; entry: goto B; B: s = s + a * a; a = a - 1;
        if a > 0 goto B else exit; exit: return s; }";
    suite.add(&with_realization(source, 20), &JvmOptions::default()).unwrap();
    let printed = suite.run(&["-XX:+PrintCompilation", "-XX:-BackgroundCompilation"], 200_000);
    let is_osr = |line: &&str| line.contains('%') && line.contains("P0::$bridge0");
    assert!(printed.lines().any(|line| is_osr(&line)), "{printed}");
    let is_c2 = |line: &&str| line.contains(" 4 ") && line.contains("P0::f ");
    assert!(printed.lines().any(|line| is_c2(&line)), "{printed}");
    assert!(printed.contains("done"), "{printed}");
}

/// A function that is called through an object, by its class and by an interface.
#[test]
fn calls_through_objects_agree() {
    let text = "dialect jvm; fn f(a: i32, b: i64) -> i64 { entry: return b - i64(a); }
        fn g(a: i32) -> i64 { entry: return f(a, 7i64) + f(a + 1, 5i64); }
        realize f(3, 9) = 6 via entry; realize g(2) = 7 via entry;";
    let program = parse("test", text).expect("a valid program");
    let mut suite = Suite::default();
    for (call, expected, n) in [
        // The caller of `check` calls it once more.
        ("static", "invokestatic  P0.f (IJ)J", 3),
        ("virtual", "invokevirtual P1$f$Called.call (IJ)J", 2),
        ("interface", "invokeinterface P2$f$Callable.call (IJ)J", 2),
    ] {
        let options = format!(r#"{{"functions": [{{"call": "{call}"}}]}}"#);
        let options: JvmOptions = serde_json::from_str(&options).expect("options");
        let lowered = suite.add(&program, &options).expect("it fits");
        let listing = lowered.listing().expect("a listing");
        assert_eq!(listing.matches(expected).count(), n, "{listing}");
        lowered.classes.iter().for_each(|class| {
            read_back(&class.bytes);
        });
    }
    if has_java() {
        suite.check();
    }
}

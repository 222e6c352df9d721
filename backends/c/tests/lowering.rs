//! What is drawn can be lowered, and what cannot be lowered is said.

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_c::{
    CBackend, COptions, CStyle, CallKind, Control, FileLayout, FunctionOptions, Inputs, Linkage,
    Placement, Storage,
};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::lang::text::parse;
use proptest::prelude::*;

proptest! {
    /// Whatever program and style: the options fit, survive being saved, and yield the same bytes.
    #[test]
    fn drawn_options_fit_their_program(seed: u64) {
        let mut rng = Seed::new(seed).rng();
        let program = sample_program(&SampleOptions::default(), &mut rng);
        let style = CStyle {
            file_per_function: 0.5,
            placed: 0.9,
            checked: 0.5,
            uninitialised: 0.5,
            watched: 0.5,
            ..CStyle::default()
        };
        let options = style.choose(&program, &mut rng);
        let source = CBackend.lower(&program, &options).unwrap();
        let saved = serde_json::to_string(&options).unwrap();
        let loaded: COptions = serde_json::from_str(&saved).unwrap();
        prop_assert_eq!(CBackend.lower(&program, &loaded).unwrap(), source.clone());
        prop_assert_eq!(source.tests.len(), program.functions.len());
        // Options say which operators they mean by their place in the text.
        let read = parse("again", &program.to_string()).unwrap();
        prop_assert_eq!(CBackend.lower(&read, &options).unwrap(), source);
    }
}

fn error(program: &Program, options: &COptions) -> String {
    CBackend.lower(program, options).expect_err("it does not fit").to_string()
}

#[test]
fn options_that_do_not_fit_are_named() {
    let text = "global g: i32 = 1;
        fn f() -> i32 { var v: i32 = 3; entry: return v + g + h(); }
        fn h() -> i32 { var w: i32 = 1; entry: if w goto again else exit;
            again: w = h(); goto exit; exit: return w; }";
    let program = parse("test", text).unwrap();
    let with = |function: FunctionOptions| COptions {
        functions: vec![FunctionOptions::default(), function],
        ..COptions::default()
    };
    let placed = |storage| vec![Placement { storage, ..Placement::default() }];

    let inline = FunctionOptions { linkage: Linkage::AlwaysInline, ..Default::default() };
    let expected = "h is recursive, so it cannot always be inlined";
    assert_eq!(error(&program, &with(inline)), expected);

    let pointed = FunctionOptions {
        call: CallKind::Pointer,
        linkage: Linkage::AlwaysInline,
        ..Default::default()
    };
    let expected = "h is called through a pointer, so it cannot always be inlined";
    assert_eq!(error(&program, &with(pointed)), expected);

    let shared = FunctionOptions { vars: placed(Storage::Static), ..Default::default() };
    assert_eq!(error(&program, &with(shared)), "h is recursive, but its calls share w");

    let hidden = FunctionOptions { linkage: Linkage::Static, ..Default::default() };
    let options = COptions { layout: FileLayout::FilePerFunction, ..with(hidden) };
    assert_eq!(error(&program, &options), "h is static, but it is called from another file");

    let options = COptions {
        layout: FileLayout::FilePerFunction,
        globals: placed(Storage::Static),
        ..COptions::default()
    };
    assert_eq!(error(&program, &options), "the global g is static, but there are several files");

    let elsewhere = FunctionOptions { inputs: Inputs::OtherUnit, ..Default::default() };
    let expected = "h has its inputs in another file, but there is only one";
    assert_eq!(error(&program, &with(elsewhere)), expected);

    let many = FunctionOptions { vars: vec![Placement::default(); 9], ..Default::default() };
    let expected = "there are options for more variables than h has";
    assert_eq!(error(&program, &with(many)), expected);
}

#[test]
fn probabilities_are_checked() {
    assert_eq!(CStyle::default().check_knobs(), Ok(()));
    let wrong = CStyle { visible: 1.5, ..CStyle::default() };
    let expected = "`visible` is 1.5, but a probability is between 0 and 1";
    assert_eq!(wrong.check_knobs().unwrap_err().to_string(), expected);
    assert!(CStyle { placed: f64::NAN, ..CStyle::default() }.check_knobs().is_err());
}

/// Compilers warn of a label that the type of a narrow variable does not have, so the value is
/// promoted in so many words.
#[test]
fn switches_on_narrow_variables_may_have_wide_labels() {
    let text = |label: i32| {
        let source = format!(
            "dialect c; fn f(a: i16) -> i32 {{ entry: switch a {{ {label} -> B1, else -> exit }};
             B1: goto exit; exit: return 1; }} realize f(3) = 1 via entry exit;"
        );
        let program = parse("test", &source).expect("it is valid");
        let options = COptions {
            functions: vec![FunctionOptions { control: Control::Structured, ..Default::default() }],
            ..COptions::default()
        };
        CBackend.lower(&program, &options).expect("C").files[0].text.clone()
    };
    assert!(text(32767).contains("switch (a) {"), "{}", text(32767));
    assert!(text(32768).contains("switch ((int32_t)a) {"), "{}", text(32768));
}

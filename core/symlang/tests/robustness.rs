//! Nothing that can stand in a file makes the reader panic, and what is read is read right.

use miette::NarratableReportHandler;
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::text::{SourceErrors, parse, parse_bytes};
use proptest::prelude::*;

/// Renders errors as a user would see them, which must not fail either.
fn render(errors: &SourceErrors) -> String {
    let mut text = String::new();
    NarratableReportHandler::new().render_report(&mut text, errors).expect("errors can be shown");
    text
}

fn read(text: &str) {
    match parse("fuzzed.sym", text) {
        Ok(program) => {
            let printed = program.to_string();
            assert_eq!(parse("printed.sym", &printed).as_ref().ok(), Some(&program), "{printed}");
        }
        Err(errors) => assert!(render(&errors).len() < 100_000),
    }
}

fn sample_text(seed: u64) -> String {
    let options = SampleOptions { holes: 0.05, ..SampleOptions::default() };
    sample_program(&options, &mut Seed::new(seed).rng()).to_string()
}

/// Pieces of the language, put where they may or may not belong.
const PIECES: &[&str] = &[
    "fn",
    "var",
    "global",
    "realize",
    "via",
    "traps",
    "division_by_zero",
    "main",
    "dialect",
    "goto",
    "if",
    "else",
    "switch",
    "return",
    "checksum",
    "select",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "->",
    "=",
    ";",
    ",",
    ":",
    "-",
    "+",
    "*",
    "/",
    "%",
    "<<",
    "~",
    "==",
    "<",
    "^",
    "?s0",
    "?s1:u64",
    "?",
    "i8",
    "u64",
    "[i32; 2]",
    "0",
    "1",
    "-5",
    "4294967295u32",
    "99999999999999999999999999999999999999999999",
    "0x",
    "1i8",
    "f0",
    "v0",
    "p0",
    "g0",
    "B1",
    "entry",
    "exit",
    "rotl",
    "clz",
    "/// doc\n",
    "//! doc\n",
    "// c\n",
    "é",
    "\u{0}",
    "\u{feff}",
    "(B1 B1)^16777216",
    "[0; 65536]",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text(text: String) {
        read(&text);
    }

    #[test]
    fn any_bytes(bytes: Vec<u8>) {
        if let Err(errors) = parse_bytes("fuzzed.sym", &bytes) {
            render(&errors);
        }
    }

    #[test]
    fn pieces_in_any_order(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        read(&pieces.join(" "));
    }

    #[test]
    fn programs_with_pieces_changed(
        seed in 0u64..1000,
        changes in prop::collection::vec(
            (any::<prop::sample::Index>(), 0usize..12, prop::sample::select(PIECES)), 1..6,
        ),
    ) {
        let mut text = sample_text(seed);
        for (at, removed, piece) in changes {
            let start = text.floor_char_boundary(at.index(text.len()));
            let end = text.floor_char_boundary((start + removed).min(text.len()));
            text.replace_range(start..end, piece);
        }
        read(&text);
    }
}

#[test]
fn truncated_programs() {
    let text = sample_text(11);
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
        read(&text[..end]);
    }
}

#[test]
fn deep_nesting_ends_in_an_error() {
    let deep = 1_000_000;
    for (open, close) in [("(", ")"), ("-", ""), ("clz(", ")"), ("a[", "]"), ("1 + ", "")] {
        let text = format!(
            "fn f() -> i32 {{ var a: [i32; 1] = [0]; entry: return {}1{}; }}",
            open.repeat(deep),
            close.repeat(deep),
        );
        let errors = parse("deep.sym", &text).expect_err("too deep");
        assert_eq!(errors.problems()[0].rule(), "too-large", "{open}");
        assert!(render(&errors).len() < 2_000);
    }
}

#[test]
fn bombs_do_not_go_off() {
    let path = |steps: &str| {
        format!(
            "fn f() -> i32 {{ entry: goto a; a: if 1 goto a else e; e: return 1; }} realize f() = 1 via entry {steps} e;"
        )
    };
    let arrays: String =
        (0..1000).map(|i| format!("var v{i}: [u64; 65536] = [0; 65536]; ")).collect();
    let bombs = [
        path("(a a a a)^16777216"),
        path(&"(a)^16777216 ".repeat(50)),
        format!("fn f() -> i32 {{ {arrays} entry: return 1; }}"),
        "fn f() -> i32 { var a: [u64; 4000000000] = [0; 4000000000]; entry: return 1; }".to_owned(),
        "fn f() -> i32 { entry: return ?s4294967295; }".to_owned(),
    ];
    for bomb in bombs {
        let errors = parse("bomb.sym", &bomb).expect_err("too large");
        assert!(render(&errors).len() < 5_000);
    }
}

#[test]
fn a_source_that_is_too_long_is_refused_at_once() {
    let text = " ".repeat((16 << 20) + 1);
    let errors = parse("long.sym", &text).expect_err("too long");
    assert_eq!(errors.problems()[0].message(), "the source has more than 16 MiB");
}

//! Plain C: what it looks like, that compilers take it without a warning, and that it does what the
//! interpreter does.

mod support;

use std::process::Command;

use pathsmith_backend::Style;
use pathsmith_backend_c::{
    Arguments, CBackend, COptions, CStyle, Control, FileLayout, FunctionOptions, Initialised,
    Linkage, PlainMain, PlainOptions, plain_c,
};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_oracles::c::{COracle, CSetting, CTarget, Toolchain, Witnesses};
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::{Limits, TargetSpec, Verdict};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, IntTy, Notation, Program, Scalar, UnOp, WordTy};
use pathsmith_symlang::semantics::table;
use pathsmith_symlang::{FuncId, Seed};

fn gcc() -> CTarget {
    let toolchain = Toolchain::new(&TargetSpec::new("gcc", "gcc"), &Stop::new()).expect("gcc");
    CTarget { toolchain, setting: CSetting::level("-O0") }
}

fn options(program: &Program, id: FuncId, lowering: COptions) -> PlainOptions {
    let n_realizations = program.function(id).realizations.len();
    PlainOptions {
        lowering,
        has_noipa: true,
        arguments: Arguments::Literal,
        initialised: Initialised::AtEntry,
        main: PlainMain::Returned(id, (0..n_realizations).collect()),
    }
}

fn structured(program: &Program) -> COptions {
    let function = FunctionOptions {
        control: Control::Structured,
        linkage: Linkage::NoIpa,
        ..FunctionOptions::default()
    };
    COptions { functions: vec![function; program.functions.len()], ..COptions::default() }
}

/// Whatever the generator makes, with whatever options, returns what it should.
#[test]
fn plain_c_returns_what_the_interpreter_does() {
    let mut oracle = COracle::new(Stop::new()).expect("an oracle");
    let gcc = gcc();
    let style = CStyle { checked: 0.3, uninitialised: 0.5, ..CStyle::default() };
    let mut n_checked = 0;
    for number in 0..120 {
        let leaf = generate_leaf(&GenConfig::default(), Dialect::C, Seed::new(17), number);
        let Ok(leaf) = leaf else { continue };
        let program = &leaf.program;
        let mut drawn = style.choose(program, &mut Seed::new(number).rng());
        drawn.layout = FileLayout::OneFile;
        for function in &mut drawn.functions {
            function.inputs = Default::default();
        }
        for lowering in [structured(program), drawn] {
            for (id, function) in program.functions_with_ids() {
                if function.realizations.is_empty() {
                    continue;
                }
                let mut plain = options(program, id, lowering.clone());
                let text = match plain_c(program, &plain) {
                    Ok(text) => text,
                    // Functions that assign globals are called once.
                    Err(_) => {
                        plain.main = PlainMain::Returned(id, vec![0]);
                        plain_c(program, &plain).expect("plain C")
                    }
                };
                let report = oracle.run_plain(&text, &gcc, true, &Limits::default());
                let report = report.expect("a report");
                assert_eq!(report.verdict, Verdict::Agrees, "{:?}\n{program}\n{text}", report.evidence);
                n_checked += 1;
            }
        }
    }
    assert!(n_checked > 100, "{n_checked}");
}

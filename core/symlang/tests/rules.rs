//! Every rule of the language, broken once, and what is said about it.

use std::sync::Arc;

use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{
    Block, Const, ConstOrHole, Ending, Expr, Function, IntTy, Program, Realization, Return, Rule,
    Scalar, Term, Var, VarTy, WordTy, validate,
};
use pathsmith_symlang::{BlockId, ExprId};

/// Sources that break one rule each, and where: the text that the error points at.
const BROKEN: &[(&str, &str, &str)] = &[
    ("bad-name", "fn f(u8: i32) -> u32 { e: return checksum; }", "u8"),
    ("bad-name", "fn rotl() -> u32 { e: return checksum; }", "rotl"),
    ("duplicate-name", "fn f(a: i32, a: i64) -> u32 { e: return checksum; }", "a"),
    (
        "duplicate-name",
        "fn f() -> u32 { e: return checksum; } fn f() -> u32 { e: return checksum; }",
        "f",
    ),
    ("duplicate-name", "global g: i8 = 0; fn f(g: i32) -> u32 { e: return checksum; }", "g"),
    (
        "duplicate-name",
        "fn f() -> u32 { e: goto x; x: goto y; x: goto y; y: return checksum; }",
        "x",
    ),
    ("array-parameter", "fn f(a: [i32; 2]) -> u32 { e: return checksum; }", "a"),
    ("initial-value-count", "fn f() -> u32 { var a: [i8; 3] = [1, 2]; e: return checksum; }", "a"),
    ("initial-value-count", "fn f() -> u32 { var a: i8 = [1, 2]; e: return checksum; }", "a"),
    ("value-out-of-range", "fn f() -> u32 { var a: i8 = 128; e: return checksum; }", "128"),
    ("value-out-of-range", "fn f() -> i32 { e: return 2147483648; }", "2147483648"),
    ("value-out-of-range", "fn f(a: u8) -> i32 { e: return 0; } realize f(-1) = 0 via e;", "-1"),
    (
        "value-out-of-range",
        "fn f(a: i32) -> u32 { e: switch a { 4294967295 -> x, else -> x }; x: return checksum; }",
        "4294967295",
    ),
    ("global-hole", "global g: i32 = ?s0; fn f() -> u32 { e: return checksum; }", "g"),
    ("no-function", "dialect c;", ""),
    ("no-block", "fn f() -> u32 { }", "f"),
    (
        "entry-is-target",
        "fn f() -> u32 { e: goto x; x: if 1 goto e else y; y: return checksum; }",
        "if 1 goto e else y;",
    ),
    ("exit-count", "fn f() -> u32 { e: goto x; x: goto x; }", "f"),
    (
        "exit-count",
        "fn f() -> u32 { e: if 1 goto x else y; x: return checksum; y: return checksum; }",
        "return checksum;",
    ),
    (
        "exit-unreachable",
        "fn f() -> u32 { e: goto x; x: goto x; y: return checksum; }",
        "return checksum;",
    ),
    ("not-a-scalar", "fn f() -> u32 { var a: [u32; 2] = [1, 2]; e: return a; }", "a"),
    ("not-an-array", "fn f(a: u32) -> u32 { e: return a[0]; }", "a[0]"),
    ("type-mismatch", "fn f(a: u32, b: i32) -> u32 { e: return a + b; }", "a + b"),
    (
        "type-mismatch",
        "fn f(a: u32, b: i32) -> u32 { e: return select(b, a, b); }",
        "select(b, a, b)",
    ),
    ("type-mismatch", "fn f(a: u8) -> u32 { e: a = 1; return checksum; }", "1"),
    ("type-mismatch", "fn f(a: f32) -> f32 { e: return a + 1.5; }", "a + 1.5"),
    ("type-mismatch", "fn f(a: f64) -> u32 { e: a = 1; return checksum; }", "1"),
    ("operand-type", "fn f(a: f32) -> f32 { e: return a % 2.0f32; }", "a % 2.0f32"),
    ("operand-type", "fn f(a: f64) -> f64 { e: return ~a; }", "~a"),
    ("operand-type", "fn f(a: i32) -> i32 { e: return sqrt(a); }", "sqrt(a)"),
    ("operand-type", "fn f(a: u64) -> i32 { e: return sat_i32(a); }", "sat_i32(a)"),
    ("operand-type", "fn f(a: f64) -> f32 { e: return f32(from_bits(a)); }", "from_bits(a)"),
    ("operand-type", "fn f(a: i32) -> i32 { e: return copysign(a, a); }", "copysign(a, a)"),
    ("operand-type", "fn f(a: f64) -> i32 { e: return cmp(a, a); }", "cmp(a, a)"),
    (
        "integer-type",
        "fn f(a: f64) -> u32 { e: switch a { 1.5 -> x, else -> x }; x: return checksum; }",
        "a",
    ),
    ("integer-type", "fn f() -> u32 { var t: [u32; 2] = [1, 2]; e: return t[1.0]; }", "1.0"),
    (
        "integer-type",
        "fn f(a: f32) -> u32 { var t: [i32; 2] = [1, 2]; e: t[a] = 1; return checksum; }",
        "a",
    ),
    ("condition-type", "fn f(a: f64) -> f64 { e: return select(a, a, a); }", "a"),
    ("return-type", "fn f(a: f64) -> f32 { e: return a; }", "a"),
    ("argument-type", "fn f(a: f32) -> f32 { e: return f(1.0); }", "1.0"),
    ("hole-type", "fn f() -> f64 { var a: f32 = ?s0; e: return ?s0:f64; }", "?s0:f64"),
    ("bad-name", "fn f(nan: f32) -> u32 { e: return checksum; }", "nan"),
    ("bad-name", "fn f() -> u32 { var sqrt: f32 = 0; e: return checksum; }", "sqrt"),
    ("value-out-of-range", "fn f() -> u32 { var a: i8 = 1.0; e: return checksum; }", "1.0"),
    ("value-out-of-range", "fn f() -> f32 { e: return 4e38f32; }", "4e38f32"),
    (
        "value-out-of-range",
        "fn f(a: f64) -> f64 { e: return a; } realize f(-1e400) = 0 via e;",
        "-1e400",
    ),
    ("condition-type", "fn f(a: u32) -> u32 { e: if a goto x else x; x: return checksum; }", "a"),
    ("condition-type", "fn f(a: u32) -> u32 { e: return select(a, a, a); }", "a"),
    ("return-type", "fn f(a: i32) -> u32 { e: return a; }", "a"),
    ("return-type", "fn f(a: i32) -> i32 { e: return checksum; }", "return checksum;"),
    ("return-type", "fn f(a: i32) -> i32 { e: return checksum(a); }", "return checksum(a);"),
    (
        "checksum-list",
        "fn f(a: i32) -> u32 { e: return checksum(a, a); }",
        "return checksum(a, a);",
    ),
    ("unknown-name", "fn f(a: i32) -> u32 { e: return checksum(a, b); }", "b"),
    ("argument-count", "fn f(a: u32) -> u32 { e: return f(); }", "f()"),
    ("argument-type", "fn f(a: u8) -> u32 { e: return f(1); }", "1"),
    (
        "duplicate-case",
        "fn f(a: i32) -> u32 { e: switch a { 1 -> x, 1 -> x, else -> x }; x: return checksum; }",
        "switch a { 1 -> x, 1 -> x, else -> x };",
    ),
    ("hole-type", "fn f() -> u32 { var a: i8 = ?s0; e: return u32(?s0); }", "?s0"),
    (
        "callee-writes-global",
        "global g: u32 = 0; fn f() -> u32 { e: g = 1u32; return checksum; } fn h() -> u32 { e: return f(); } fn k() -> u32 { e: return h(); }",
        "f()",
    ),
    (
        "realization-path",
        "fn f() -> u32 { e: goto x; x: return checksum; } realize f() = 0 via e;",
        "realize f() = 0 via e;",
    ),
    (
        "realization-path",
        "fn f() -> u32 { e: goto x; x: return checksum; } realize f() = 0 via ;",
        "realize f() = 0 via ;",
    ),
    (
        "realization-path",
        "fn f() -> u32 { e: goto x; x: goto y; y: return checksum; } realize f() traps out_of_bounds via e y;",
        "realize f() traps out_of_bounds via e y;",
    ),
    (
        "realization-path",
        "fn f() -> u32 { e: goto x; x: return checksum; } realize f() traps out_of_bounds via x;",
        "realize f() traps out_of_bounds via x;",
    ),
    (
        "realization-path",
        "fn f() -> u32 { e: return checksum; } realize f() traps out_of_bounds via ;",
        "realize f() traps out_of_bounds via ;",
    ),
    ("unknown-name", "fn f() -> u32 { e: return x; }", "x"),
    ("unknown-name", "fn f() -> u32 { e: return g(); }", "g"),
    ("unknown-name", "fn f() -> u32 { e: goto x; y: return checksum; }", "x"),
    ("unknown-name", "fn f() -> u32 { e: return checksum; } main g;", "g"),
];

#[test]
fn broken_sources_are_told_what_and_where() {
    for (rule, source, at) in BROKEN {
        let errors = parse("broken.sym", source).expect_err(source);
        let problem = errors.problems().iter().find(|problem| problem.rule() == *rule);
        let problem = problem.unwrap_or_else(|| panic!("{source}: {:?}", errors.problems()));
        let span = problem.span();
        assert_eq!(&source[span.start..span.end], *at, "{rule}: {source}");
    }
}

/// A function that returns 0, to be broken.
fn sound() -> Program {
    let mut function = Function::new("f", WordTy::I32);
    let zero = function.add_expr(Expr::Const(Const::new(WordTy::I32, 0)));
    let term = Term::Return(Return::Value(zero));
    function.blocks.push(Block { name: "entry".to_owned(), stmts: Vec::new(), term });
    Program { functions: vec![function], ..Program::default() }
}

fn check(break_it: impl FnOnce(&mut Program), rule: Rule) {
    let mut program = sound();
    assert_eq!(validate(&program), []);
    break_it(&mut program);
    let violations = validate(&program);
    assert!(violations.iter().any(|violation| violation.rule == rule), "{rule:?}: {violations:?}");
}

#[test]
fn rules_that_text_cannot_break() {
    let nowhere = BlockId::new(7);
    check(|p| p.functions[0].blocks[0].term = Term::Goto(nowhere), Rule::UnknownId);
    check(
        |p| p.functions[0].blocks[0].term = Term::Return(Return::Value(ExprId::new(9))),
        Rule::UnknownId,
    );
    check(|p| p.main = Some(pathsmith_symlang::FuncId::new(3)), Rule::UnknownId);
    check(|p| p.functions[0].n_params = 1, Rule::UnknownId);
    check(
        |p| {
            let zero = ExprId::new(0);
            let twice = Expr::Binary(pathsmith_symlang::lang::BinOp::Add, zero, zero);
            let twice = p.functions[0].add_expr(twice);
            p.functions[0].blocks[0].term = Term::Return(Return::Value(twice));
        },
        Rule::SharedExpr,
    );
    check(
        |p| {
            for _ in 0..300 {
                let function = &mut p.functions[0];
                let root = function.blocks[0].term.root().unwrap();
                let deeper = Expr::Unary(pathsmith_symlang::lang::UnOp::Not, root);
                let deeper = function.add_expr(deeper);
                function.blocks[0].term = Term::Return(Return::Value(deeper));
            }
        },
        Rule::TooLarge,
    );
    check(|p| p.docs.push("two\nlines".to_owned()), Rule::BadDoc);
    check(|p| p.functions[0].name = "two words".to_owned(), Rule::BadName);
    check(|p| p.functions[0].name = String::new(), Rule::BadName);
    let empty = Var { name: "empty".to_owned(), ty: VarTy::array(IntTy::I8, 0), init: Vec::new() };
    check(|p| p.globals.push(empty), Rule::ArrayLength);
    let row = VarTy::array(IntTy::I8, 2);
    let zeros = vec![ConstOrHole::Const(Scalar::new(IntTy::I8, 0)); 4];
    let table = Var { name: "table".to_owned(), ty: VarTy::Array(Arc::new(row), 2), init: zeros };
    check(|p| p.globals.push(table), Rule::NestedArray);
}

/// A value keeps its own type, so one that is out of range is one of another type.
#[test]
fn values_have_the_type_of_their_context() {
    let word = |value| Scalar::new(IntTy::U16, value);
    let wide = Var {
        name: "wide".to_owned(),
        ty: VarTy::scalar(IntTy::U8),
        init: vec![ConstOrHole::Const(word(256))],
    };
    check(|p| p.globals.push(wide.clone()), Rule::ValueType);
    // Neither do values that would fit make up for the wrong type.
    let fits = Var { init: vec![ConstOrHole::Const(word(255))], ..wide };
    check(|p| p.globals.push(fits), Rule::ValueType);
    check(
        |p| {
            let function = &mut p.functions[0];
            let on = function.add_expr(Expr::Const(Const::new(WordTy::I32, 1)));
            let exit = function.blocks[0].clone();
            let cases = vec![(ConstOrHole::Const(word(1)), BlockId::new(1))];
            function.blocks[0].term = Term::Switch { on, cases, default: BlockId::new(1) };
            function.blocks.push(Block { name: "exit".to_owned(), ..exit });
        },
        Rule::ValueType,
    );
    let realization = |args: Vec<Scalar>, output: Scalar| Realization {
        args,
        path: Path::new(vec![BlockId::new(0)]),
        ending: Ending::Returns(output),
        leaving: None,
    };
    let zero = Scalar::new(IntTy::I32, 0);
    let realized = realization(Vec::new(), word(0));
    check(|p| p.functions[0].realizations.push(realized), Rule::ValueType);
    check(
        |p| {
            let x = Var { name: "x".to_owned(), ty: VarTy::scalar(IntTy::I8), init: Vec::new() };
            p.functions[0].vars.push(x);
            p.functions[0].n_params = 1;
            p.functions[0].realizations.push(realization(vec![word(0)], zero));
        },
        Rule::ValueType,
    );
}

#[test]
fn every_rule_is_tested_and_documented() {
    let documentation = include_str!("../../../docs/symlang.md");
    let beyond_text = [
        Rule::UnknownId,
        Rule::SharedExpr,
        Rule::TooLarge,
        Rule::BadDoc,
        Rule::ArrayLength,
        Rule::NestedArray,
        Rule::ValueType,
    ];
    for rule in Rule::ALL {
        let tested = BROKEN.iter().any(|(name, ..)| *name == rule.name());
        assert!(tested || beyond_text.contains(rule), "{rule:?} is not tested");
        let row = format!("| `{}` | {} |", rule.name(), rule.describe());
        assert!(documentation.contains(&row), "docs/symlang.md lacks the row\n{row}");
    }
}

#[test]
fn statements_are_located() {
    let source =
        "fn f(a: [i32; 1]) -> u32 { var x: i64 = 0; e: x = 1i64; a = 1; return checksum; }";
    let errors = parse("located.sym", source).unwrap_err();
    let places: Vec<&str> =
        errors.problems().iter().map(|p| &source[p.span().start..p.span().end]).collect();
    assert_eq!(places, ["a", "a = 1;"]);
}

//! What is too large for engines is said to be so.

use pathsmith_backend::{Backend, LowerError};
use pathsmith_backend_wasm::{FunctionOptions, Returns, Storage, WasmBackend, WasmOptions};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{
    Block, ConstOrHole, Function, IntTy, Program, Return, Scalar, Term, Var, VarTy, WordTy,
};

fn check(program: &Program, function: FunctionOptions, expected: Option<(&str, usize, usize)>) {
    let options = WasmOptions { functions: vec![function], ..WasmOptions::default() };
    let lowered = WasmBackend.lower(program, &options);
    let limit = match &lowered {
        Ok(_) => None,
        Err(LowerError::Limit { what, actual, limit, .. }) => Some((&**what, *actual, *limit)),
        Err(other) => panic!("{other}"),
    };
    assert_eq!(limit, expected);
}

/// A function with so many variables, of which so many are parameters.
fn with_vars(n_vars: usize, n_params: usize) -> Program {
    let mut function = Function::new("f", WordTy::U32);
    function.n_params = n_params;
    function.vars = (0..n_vars)
        .map(|at| Var {
            name: format!("v{at}"),
            ty: VarTy::scalar(IntTy::I8),
            init: if at < n_params {
                vec![]
            } else {
                vec![ConstOrHole::Const(Scalar::new(IntTy::I8, 3))]
            },
        })
        .collect();
    let term = Term::Return(Return::Checksum);
    function.blocks.push(Block { name: "entry".to_owned(), stmts: Vec::new(), term });
    Program { functions: vec![function], ..Program::default() }
}

#[test]
fn of_parameters() {
    check(&with_vars(1000, 1000), FunctionOptions::default(), None);
    let expected = ("the number of parameters of f", 1001, 1000);
    check(&with_vars(1001, 1001), FunctionOptions::default(), Some(expected));
}

#[test]
fn of_locals_and_results() {
    let many = FunctionOptions { returns: Returns::Multi, ..FunctionOptions::default() };
    check(&with_vars(1000, 0), many.clone(), None);
    check(&with_vars(1001, 0), many, Some(("the number of results of f", 1001, 1000)));
    check(&with_vars(50_000, 9), FunctionOptions::default(), None);
    let expected = ("the number of locals of f", 50_001, 50_000);
    check(&with_vars(50_001, 9), FunctionOptions::default(), Some(expected));
    let vars = vec![Storage::Memory; 50_001];
    check(&with_vars(50_001, 9), FunctionOptions { vars, ..FunctionOptions::default() }, None);
}

#[test]
fn of_the_size_of_a_function() {
    let stmts = "a = a * 123456789 + 1234567890;\n".repeat(500_000);
    let text = format!("fn f(a: i32) -> i32 {{ entry: {stmts} return a; }}");
    let program = parse("test", &text).expect("a valid program");
    let error = WasmBackend.lower(&program, &WasmOptions::default());
    assert!(matches!(error, Err(LowerError::Limit { limit: 7_654_321, .. })), "{error:?}");
}

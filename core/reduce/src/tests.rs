use super::*;
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::{Dialect, TrapKind};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Ending, Expr, IntTy, RecursionGuard, Scalar, Stmt};
use pathsmith_symlang::semantics::{Code, Machine, Outcome, Visit};
use pathsmith_symlang::{ExprId, FuncId};

fn parsed(text: &str) -> Program {
    parse("test", text).unwrap()
}

/// All candidates that one pass has for a program, none of which is accepted.
fn candidates(text: &str, pass: &str) -> Vec<String> {
    let mut reducer = Reducer::new(parsed(text));
    let mut found = Vec::new();
    loop {
        let candidates = reducer.propose(16);
        if candidates.is_empty() {
            return found;
        }
        let of_pass = candidates.into_iter().filter(|candidate| candidate.pass == pass);
        found.extend(of_pass.map(|candidate| candidate.program.to_string()));
        reducer.answer(None);
    }
}

/// That a pass proposes what `after` says, among others.
#[track_caller]
fn assert_proposes(before: &str, pass: &str, after: &str) {
    let (found, after) = (candidates(before, pass), parsed(after).to_string());
    assert!(found.contains(&after), "{pass} has\n{}", found.join("\n"));
}

#[test]
fn tracing_sees_what_the_interpreter_does() {
    let mut n_runs = 0;
    for number in 0..300 {
        for dialect in Dialect::ALL {
            let options = SampleOptions { dialect, ..SampleOptions::default() };
            let program = sample_program(&options, &mut Seed::new(3).nth(number).rng());
            let facts = Facts::new(&program);
            let code = Code::new(&program);
            let mut machine = Machine::new(&code, dialect);
            let mut visits: Vec<Vec<u64>> =
                program.functions.iter().map(|f| vec![0; f.blocks.len()]).collect();
            for (id, function) in program.functions_with_ids() {
                for realization in &function.realizations {
                    n_runs += 1;
                    machine.run_observed(
                        id,
                        &realization.args,
                        Limits::default(),
                        &mut |visit: &Visit<'_>| {
                            visits[visit.function.index()][visit.block.index()] += 1;
                        },
                    );
                }
                if let [only] = &function.realizations[..]
                    && program.functions.len() == 1
                {
                    let returned = facts.function(id).returned.unwrap();
                    let output = only.ending.returned().unwrap().word();
                    assert_eq!((returned.first, returned.is_constant()), (output, true));
                }
            }
            for (function, visits) in std::iter::zip(&facts.functions, &visits) {
                assert_eq!(&function.visits, visits, "{program}");
                assert_eq!(function.n_visits, visits.iter().sum::<u64>());
            }
        }
    }
    assert!(n_runs > 500, "{n_runs}");
}

#[test]
fn what_expressions_gave_is_known() {
    let program = parsed(
        "dialect c;
        fn f() -> i32 {
            var n: i32 = 0;
        e: goto b;
        b: n = n + 2; if n < 6 goto b else x;
        x: return n;
        }
        realize f() = 6 via e (b)^3 x;",
    );
    let facts = Facts::new(&program);
    let function = &program.functions[0];
    let Stmt::Assign { value: sum, .. } = function.blocks[1].stmts[0];
    let seen = facts.seen(FuncId::FIRST, sum).unwrap();
    assert_eq!((seen.first, seen.range), (2, (2, 6)));
    let Expr::Binary(_, n, bound) = *function.expr(function.blocks[1].term.root().unwrap()) else {
        panic!("a comparison");
    };
    let ranges = |id: ExprId| {
        facts.function(FuncId::FIRST).decided[id.index()].map(|seen| seen.unwrap().range)
    };
    assert_eq!(ranges(n), [(6, 6), (2, 4)]);
    assert_eq!(ranges(bound), [(6, 6), (6, 6)]);
}

const TWO: &str = "dialect c;
    fn f(a: i32) -> i32 {
        var b: i32 = 1;
    e: b = g(a, 3) + 2; goto x;
    x: return b;
    }
    realize f(4) = 9 via e x;
    fn g(p: i32, q: i32) -> i32 {
    e: p = p + q; return p;
    }
    main f;";

#[test]
fn functions_go_and_leave_their_values() {
    let alone = "dialect c; fn f(a: i32) -> i32 { var b: i32 = 1; e: b = 7 + 2; goto x;
        x: return b; } realize f(4) = 9 via e x; main f;";
    assert_proposes(TWO, "one function alone", alone);
    let callee = "dialect c; fn g(p: i32, q: i32) -> i32 { e: p = p + q; return p; }
        realize g(4, 3) = 7 via e; main g;";
    assert_proposes(TWO, "one function alone", callee);
    let stub = "dialect c; fn f(a: i32) -> i32 { var b: i32 = 1; e: b = g(a, 3) + 2; goto x;
        x: return b; } realize f(4) = 9 via e x;
        fn g(p: i32, q: i32) -> i32 { e: return 7; } main f;";
    assert_proposes(TWO, "one function over stubs", stub);
}

/// `g` returns 4 in the place of 7; what is added to it makes up for it.
#[test]
fn callers_do_not_notice() {
    let after = "dialect c; fn f(a: i32) -> i32 { var b: i32 = 1; e: b = g(a, 3) + 5; goto x;
        x: return b; } realize f(4) = 9 via e x;
        fn g(p: i32, q: i32) -> i32 { e: return p; } main f;";
    assert_proposes(TWO, "statements", after);
}

#[test]
fn parameters_go_with_what_is_passed() {
    let after = "dialect c; fn f(a: i32) -> i32 { var b: i32 = 1; e: b = g(3) + 2; goto x;
        x: return b; } realize f(4) = 9 via e x;
        fn g(q: i32) -> i32 { var p: i32 = 4; e: p = p + q; return p; } main f;";
    assert_proposes(TWO, "parameters", after);
}

const LOOP: &str = "dialect jvm;
    fn f(a: u8) -> u32 {
        var n: i64 = 5;
        var m: [i16; 4] = [7; 4];
    e: goto b;
    b: n = n + 1000i64; m[2] = 1;
       switch n { 2005 -> d, 3005 -> d, else -> b };
    d: if a == 200u32 goto x else b;
    x: return checksum;
    }
    realize f(200) = 0 via e b b d x;";

/// A program whose output is still to be found.
fn run(text: &str) -> String {
    recompute_realizations(parsed(text), Limits::default()).unwrap().to_string()
}

#[test]
fn branches_blocks_statements_and_variables_go() {
    let check = |pass: &str, edits: &[(&str, &str)]| {
        let after = edits.iter().fold(LOOP.to_owned(), |text, (from, to)| text.replace(from, to));
        assert_proposes(&run(LOOP), pass, &run(&after));
    };
    check("branches", &[("if a == 200u32 goto x else b", "goto x")]);
    check("cases", &[(", 3005 -> d", "")]);
    check("statements", &[(" m[2] = 1;", "")]);
    check("arrays", &[("[i16; 4] = [7; 4]", "[i16; 3] = [7; 3]")]);
    check("returns", &[("-> u32", "-> i64"), ("checksum", "n")]);
    check("variables", &[("a: u8", ""), ("a == 200u32", "200u32 == 200u32"), ("f(200)", "f()")]);
    check("parameters", &[("a: u8) -> u32 {", ") -> u32 { var a: u8 = 200;"), ("f(200)", "f()")]);
    check(
        "short cuts",
        &[("switch n { 2005 -> d, 3005 -> d, else -> b }", "goto d"), ("b b", "b")],
    );
    check("types", &[("i16", "i32")]);
}

const GATE: &str = "dialect c;
    global n: u32 = 0;
    fn f(a: i32) -> i32 {
        var b: i32 = 1;
        var c: i32 = 5;
    e: b = g(a) + -6 + a; c = c + b; return c;
    }
    realize f(1) = 6 via e;
    fn g(a: i32) -> i32 {
        var out: i32 = 6;
    entry: if n >= 2u32 goto exit else fresh;
    fresh: n = n + 1u32; out = f(a); goto exit;
    exit: return out;
    }";

/// What a recursion guard returns at once is what its function returns, also after the function was changed.
#[test]
fn guards_keep_their_word() {
    let program = parsed(GATE);
    let guard = RecursionGuard::of(&program, FuncId::new(1)).unwrap();
    assert_eq!(guard.output, Scalar::new(IntTy::I32, 6));
    // Without the second statement, `f` returns 5.
    let after = GATE
        .replace(" c = c + b;", "")
        .replace("-6", "-5")
        .replace("out: i32 = 6", "out: i32 = 5")
        .replace("f(1) = 6", "f(1) = 5");
    assert_proposes(GATE, "statements", &after);
    // The output is put right where it can be, and what cannot be put right is refused.
    let wrong = parsed(&GATE.replace("-6", "-5"));
    assert_eq!(recompute_realizations(wrong, Limits::default()), None);
    let two = GATE.replace("g(a) + -6 + a", "g(a) + g(2) + -12 + a");
    assert_eq!(recompute_realizations(parsed(&two), Limits::default()), None);
}

#[test]
fn conditions_and_numbers_become_simple() {
    let text = "dialect c; fn f() -> i32 { var n: i32 = -77;
        e: goto b; b: n = n + 1900; if n * -3 + 8000 >= 0 goto b else x; x: return 0; }
        realize f() = 0 via e b b x;";
    let simple = text.replace("n * -3 + 8000 >= 0", "n < 1824");
    assert_proposes(text, "decisions", &simple);
    let shifted = simple.replace("-77", "0").replace("1824", "1901");
    assert_proposes(&simple, "counters", &shifted);
    // With a step of 1 it would take more steps.
    let scaled = simple.replace("1900", "1").replace("1824", "1").replace("e b b x", "e (b)^78 x");
    assert!(!candidates(&simple, "scale").contains(&run(&scaled)));
    let scaled = simple.replace("-77", "-4").replace("1900", "118").replace("1824", "114");
    assert_proposes(&simple, "scale", &scaled.replace("e b b x", "e b x"));
}

#[test]
fn switches_become_ifs() {
    let text = "dialect wasm; fn f(a: i64) -> i32 { e: switch a { 7 -> b, else -> x };
        b: a = 1i64; goto x; x: return 0; } realize f(7) = 0 via e b x;";
    let after = text.replace("switch a { 7 -> b, else -> x }", "if a == 7i64 goto b else x");
    assert_proposes(text, "switches", &after);
}

#[test]
fn reductions_can_go_to_another_thread() {
    fn assert_send<T: Send>() {}
    assert_send::<Reducer>();
}

#[test]
fn interpreter_has_the_last_word() {
    // Without the statement, it would divide by 0.
    let text = "dialect c; fn f(a: i32) -> i32 { e: a = 1; return 7 / a; }
        realize f(0) = 7 via e;";
    assert_eq!(candidates(text, "statements"), [""; 0]);
    let code = Code::new(&parsed(text));
    let number = |value| Scalar::new(IntTy::I32, value);
    let mut machine = Machine::new(&code, Dialect::C);
    let outcome = machine.run(FuncId::FIRST, &[number(0)], Limits::default());
    assert_eq!(outcome, Outcome::Returned(number(7)));
}

/// Where a division by 0 traps it is defined, but it is not what the program did before.
#[test]
fn what_returns_goes_on_returning() {
    for dialect in Dialect::ALL {
        let text = format!(
            "dialect {dialect}; fn f(a: i32) -> i32 {{ e: a = 1; return 7 / a; }}
            realize f(0) = 7 via e;"
        );
        assert_eq!(candidates(&text, "statements"), [""; 0], "{dialect}");
    }
}

#[test]
fn what_traps_goes_on_trapping() {
    let text = "dialect jvm;
        fn f(a: i32, b: i32) -> i32 { var t: [i32; 2] = [0, 0];
        e: b = b + 1; a = 7 / a; b = t[b]; goto x; x: return a; }
        realize f(0, 5) traps division_by_zero via e;";
    assert_proposes(text, "statements", &text.replace("b = b + 1; ", ""));
    let mut n_found = 0;
    let mut reducer = Reducer::new(parsed(text));
    loop {
        let candidates = reducer.propose(16);
        if candidates.is_empty() {
            break;
        }
        for candidate in &candidates {
            n_found += 1;
            let function = &candidate.program.functions[0];
            let [only] = &function.realizations[..] else { panic!("{}", candidate.program) };
            let expected = Ending::Traps(TrapKind::DivisionByZero);
            assert_eq!(only.ending, expected, "{}", candidate.program);
        }
        reducer.answer(None);
    }
    assert!(n_found > 3, "{n_found}");
}

#[test]
fn what_is_plain_at_a_glance_goes() {
    // A branch that a constant decides, in a block that no run visits.
    let function = |term: &str| {
        format!(
            "dialect c; fn f(a: i32) -> i32 {{
                entry: if a goto off else exit;
                off: a = a / 3; {term}
                exit: return a; }}
            realize f(0) = 0 via entry exit;"
        )
    };
    assert_proposes(&function("if 0 goto exit else off;"), "branches", &function("goto off;"));
    assert_proposes(&function("if a goto off else off;"), "branches", &function("goto off;"));
    // A cast there and back.
    let value = |value: &str| {
        format!(
            "dialect c; fn f(a: i32) -> i32 {{ entry: return {value}; }} realize f(3) = 3 via entry;"
        )
    };
    assert_proposes(&value("i32(i64(a))"), "operands", &value("a"));
    // A checksum that is as good as a mixture.
    assert_proposes(
        "dialect c; fn f(a: i32, b: i32) -> u32 { entry: b = b * 2; return checksum(a, b); }
        realize f(5, 3) = 1843784021 via entry;"
            .replace("1843784021", &crc_of(&[5, 6]).to_string())
            .as_str(),
        "mixtures",
        "dialect c; fn f(a: i32, b: i32) -> i32 { entry: b = b * 2; return b ^ a; }
        realize f(5, 3) = 3 via entry;",
    );
}

fn crc_of(values: &[i64]) -> u32 {
    let mut crc = pathsmith_symlang::semantics::checksum::Crc32::new();
    values.iter().for_each(|value| crc.add(IntTy::I32.into(), *value));
    crc.value()
}

/// What is only compiled may be anything, and is reduced all the same.
#[test]
fn programs_that_are_never_run_are_reduced() {
    let text = "dialect c; fn f(a: i32, b: i32) -> i32 { var c: i32 = 7;
            entry: c = a / 0; b = b * 2147483647; if c < b goto entry2 else exit;
            entry2: c = c << 40; goto entry2;
            exit: return c; }
        fn g(a: i32) -> i32 { entry: return a % 0; }";
    let mut reducer = Reducer::new(parsed(text));
    while let Some(candidate) = reducer.propose(1).into_iter().next() {
        let shows_it = candidate.program.to_string().contains("<< 40");
        reducer.answer(shows_it.then_some(0));
    }
    let best = reducer.best().to_string();
    assert!(best.contains("<< 40") && !best.contains("fn g") && !best.contains('/'), "{best}");
    assert!(reducer.best().functions[0].blocks.len() <= 3, "{best}");
}

#[test]
fn signs_that_say_nothing_go() {
    let with = |value: &str| {
        format!(
            "dialect c;
            fn f(a: i32, b: i32) -> i32 {{ entry: return {value}; }}
            realize f(5, 7) = 0 via entry;"
        )
    };
    for (before, after, output) in [
        ("a - b * -3", "a + b * 3", 26),
        ("a + b * -3", "a - b * 3", -16),
        ("a * -3 + b", "b - a * 3", -8),
        ("a - -3", "a + 3", 8),
        ("a + -3", "a - 3", 2),
        ("a * -1", "-a", -5),
        ("a + -b", "a - b", -2),
        ("-a + b", "b - a", 2),
    ] {
        let output = format!("= {output} via");
        let program = |value: &str| with(value).replace("= 0 via", &output);
        assert_proposes(&program(before), "signs", &program(after));
    }
    // Minus the smallest value is none.
    let none =
        candidates(&with("a + b * -2147483648").replace("(5, 7) = 0", "(5, 0) = 5"), "signs");
    assert_eq!(none, [""; 0]);
}

#[test]
fn floating_point_numbers_become_simple() {
    let before = "dialect c;
        fn f(a: f64) -> f64 {
            var b: f64 = 1234.5;
        e: b = b * 3.14159 + a; return b;
        }
        realize f(-0.25) = 3878.0428549999997 via e;";
    let with = |init: &str, factor: &str, arg: &str, output: &str| {
        format!(
            "dialect c; fn f(a: f64) -> f64 {{ var b: f64 = {init};
            e: b = b * {factor} + a; return b; }} realize f({arg}) = {output} via e;"
        )
    };
    assert_proposes(before, "constants", &with("1234.5", "3.0", "-0.25", "3703.25"));
    assert_proposes(before, "constants", &with("1234.5", "3.1", "-0.25", "3826.7000000000003"));
    assert_proposes(before, "initial values", &with("0", "3.14159", "-0.25", "-0.25"));
    assert_proposes(before, "initial values", &with("1234", "3.14159", "-0.25", "3876.47206"));
    assert_proposes(before, "arguments", &with("1234.5", "3.14159", "1", "3879.2928549999997"));
    assert_proposes(before, "arguments", &with("1234.5", "3.14159", "0.25", "3878.5428549999997"));
    let nan = "dialect c; fn f() -> f32 { e: return -inff32 * nanf32; } realize f() = nan via e;";
    let simple = "dialect c; fn f() -> f32 { e: return 1f32 * nanf32; } realize f() = nan via e;";
    assert_proposes(nan, "constants", simple);
}

#[test]
fn floating_point_types_become_usual_ones() {
    let before = "dialect c;
        fn f(a: f64) -> u32 {
            var t: [f64; 2] = [1.5, 1e300];
        e: t[0] = floor(a) * copysign(2.5, a); return sat_u32(t[0]) + u32(a < t[1]);
        }
        realize f(3.5) = 8 via e;";
    let narrow = "dialect c;
        fn f(a: f32) -> u32 {
            var t: [f32; 2] = [1.5, inf];
        e: t[0] = floor(a) * copysign(2.5f32, a); return sat_u32(t[0]) + u32(a < t[1]);
        }
        realize f(3.5) = 8 via e;";
    assert_proposes(before, "types", narrow);
    let whole = "dialect c;
        fn f(a: i32) -> u32 {
            var t: [i32; 2] = [1, 2147483647];
        e: t[0] = i32(a) * max(2, a); return u32(t[0]) + u32(a < t[1]);
        }
        realize f(3) = 10 via e;";
    assert_proposes(before, "types", whole);
    assert!(Size::of(&parsed(whole)) < Size::of(&parsed(narrow)));
    assert!(Size::of(&parsed(narrow)) < Size::of(&parsed(before)));
}

#[test]
fn signs_of_floating_point_numbers_go() {
    let before =
        "dialect c; fn f(a: f64) -> f64 { e: return a + a * -2.5; } realize f(2) = -3 via e;";
    let after =
        "dialect c; fn f(a: f64) -> f64 { e: return a - a * 2.5; } realize f(2) = -3 via e;";
    assert_proposes(before, "signs", after);
    let before = "dialect c; fn f(a: f32) -> f32 { e: return a * -1f32; } realize f(2) = -2 via e;";
    let after = "dialect c; fn f(a: f32) -> f32 { e: return -a; } realize f(2) = -2 via e;";
    assert_proposes(before, "signs", after);
}

#[test]
fn checksums_of_floating_point_numbers_become_values() {
    let before = "dialect c;
        fn f(a: f32, b: i32) -> u32 { e: a = a + 1f32; return checksum; }
        realize f(2, 3) = 2118117085 via e;";
    let program = parsed(before);
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, Dialect::C);
    let args = &program.functions[0].realizations[0].args;
    let Outcome::Returned(value) = machine.run(FuncId::FIRST, args, Limits::default()) else {
        panic!("it returns");
    };
    let right = before.replace("2118117085", &value.to_string());
    let alone = "dialect c; fn f(a: f32, b: i32) -> f32 { e: a = a + 1f32; return a; }
        realize f(2, 3) = 3 via e;";
    assert_proposes(&right, "returns", alone);
    let sum = "dialect c; fn f(a: f32, b: i32) -> f64 { e: a = a + 1f32; return f64(a) + f64(b); }
        realize f(2, 3) = 6 via e;";
    assert_proposes(&right, "mixtures", sum);
}

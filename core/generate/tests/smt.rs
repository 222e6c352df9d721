//! The SMT engine against the interpreter: what one of them finds, the other accepts.

use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_generate::shape::{WalkOptions, random_path};
use pathsmith_generate::solve::smt::satisfied;
use pathsmith_generate::solve::{
    Answer, AutoEngine, Engine, Model, Obstacle, SmtEngine, SolveOptions, Task, verify,
};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Program, Scalar};
use pathsmith_symlang::{BlockId, FuncId, Seed};
use rand::RngExt;

/// The path along the named blocks of the first function.
fn path_of(program: &Program, names: &str) -> Path {
    let blocks = &program.functions[0].blocks;
    let id =
        |name| BlockId::new(blocks.iter().position(|block| block.name == name).expect("a block"));
    Path::new(names.split_whitespace().map(id).collect())
}

fn solve(text: &str, names: &str, dialect: Dialect) -> Answer {
    let program = parse("sketch", text).unwrap_or_else(|errors| panic!("{errors}"));
    let path = path_of(&program, names);
    let task = Task { program: &program, function: FuncId::new(0), path: &path, dialect };
    let answer = SmtEngine::default().solve(&task, &mut Seed::new(1).rng());
    if let Answer::Solved(model) = &answer {
        verify(&task, model).expect("it takes the path");
        satisfied(&task, model).unwrap_or_else(|end| panic!("{}", end.describe(&task)));
    }
    answer
}

/// Asks for an answer in each dialect: `+` for values, `-` for none.
fn check(text: &str, names: &str, expected: &str) {
    for (dialect, expected) in std::iter::zip(Dialect::ALL, expected.chars()) {
        let answer = solve(text, names, dialect);
        let is_expected = match expected {
            '+' => matches!(answer, Answer::Solved(_)),
            _ => answer == Answer::Impossible,
        };
        assert!(is_expected, "{dialect}: {answer:?}\n{text}");
    }
}

#[test]
fn the_example_of_the_paper() {
    let sketch = "
        fn func(b: i32) -> i32 {
            var a: i32 = ?s1;
            var c: i32 = ?s2;
        entry: goto B1;
        B1: c = a * ?s3 + b * ?s4 + ?s5; if c * ?s6 + ?s7 <= 0 goto B3 else B2;
        B2: goto exit;
        B3: a = c * ?s8 + ?s9; goto B1;
        exit: return a + b + c;
        }";
    check(sketch, "entry B1 B3 B1 B2 exit", "+++");
    check(sketch, "entry B1 B2 exit", "+++");
    check(sketch, "entry B1 B3 B1 B3 B1 B3 B1 B2 exit", "+++");
}

#[test]
fn contradictions_are_proven() {
    check(
        "fn f() -> i32 { entry: if 0 goto a else exit; a: goto exit; exit: return 0; }",
        "entry a exit",
        "---",
    );
    // No square ends in the bits 10.
    let square = "
        fn f(x: i64) -> i32 {
        entry: if x * x % 4i64 == 2i64 goto a else exit;
        a: goto exit;
        exit: return 0;
        }";
    check(square, "entry a exit", "---");
    // The second visit sees what the first one saw.
    let revisit = "
        fn f(x: i32, y: i32) -> i32 {
        entry: goto head;
        head: y = x ^ ?s0; if x * ?s1 + ?s2 < y goto body else exit;
        body: y = y + ?s3; goto head;
        exit: return y;
        }";
    check(revisit, "entry head body head exit", "---");
    check(revisit, "entry head exit", "+++");
}

#[test]
fn what_is_defined_depends_on_the_dialect() {
    let through = |condition: &str| {
        format!(
            "fn f(x: i32, y: i64) -> i32 {{
                entry: if {condition} goto a else exit;
                a: goto exit;
                exit: return 0;
            }}"
        )
    };
    check(&through("x + 1 < x"), "entry a exit", "-++");
    check(&through("-x == x"), "entry a exit", "+++");
    check(&through("-(x & ?s0) == -2147483648"), "entry a exit", "-++");
    check(&through("x * 3 == 1"), "entry a exit", "-++");
    check(&through("y * 3i64 == 1i64"), "entry a exit", "-++");
    check(&through("(-2147483648 / x) == -2147483648"), "entry a exit", "+++");
    check(&through("(-2147483648 / (x | -2)) == -2147483648"), "entry a exit", "--+");
    check(&through("(-2147483648 % (x | -1)) == 0"), "entry a exit", "-++");
    check(&through("7 / (x & 0) == 7"), "entry a exit", "---");
    check(&through("1 << x == 8"), "entry a exit", "+++");
    check(&through("x << 1 == -4"), "entry a exit", "-++");
    check(&through("1 << (x | 32) == 8"), "entry a exit", "-++");
    check(&through("(-16 >> x) == -4"), "entry a exit", "+++");
    check(&through("clz(x) == 32"), "entry a exit", "-++");
    check(&through("ctz(y) == 64i64"), "entry a exit", "-++");
    check(&through("ctz(x) == 31"), "entry a exit", "+++");
}

#[test]
fn all_types_and_operators_can_be_solved_for() {
    let sketch = "
        fn f(a: i8, b: u8, c: i16, d: u16, e: i32, g: u32, h: i64, k: u64) -> u32 {
        entry:
            a = i8(b) + ?s0;
            c = c - a;
            d = u32(bswap(g)) + ?s1:u32;
            if rotl(g, u32(e)) == u32(c) goto one else exit;
        one:
            h = max(h, ?s2:i64) ^ i64(d);
            k = rotr(k, ?s3:u64) & ~u64(h);
            if popcnt(k) == 40u64 goto two else exit;
        two:
            e = select(a < 0, e | ?s4, min(e, ?s5));
            if clz(g) > 3u32 goto three else exit;
        three:
            g = g / (?s6:u32 | 1u32) % 1000u32;
            if u64(a) > 18446744073709551600u64 goto exit else two;
        exit: return checksum;
        }";
    check(sketch, "entry one two three exit", "+++");
    check(sketch, "entry one two three two three exit", "---");
    check(&sketch.replace("else two", "else one"), "entry one two exit", "+++");
}

#[test]
fn arrays_of_any_length_with_unknown_indices() {
    for (len, loops) in [(1, 1), (3, 3), (5, 3), (16, 3), (40, 3), (200, 2)] {
        let sketch = format!(
            "fn f(i: i32, x: u8) -> u32 {{
                var a: [u8; {len}] = [?s0; {len}];
                var n: i64 = 0;
            entry: goto head;
            head:
                a[i] = u32(x) * ?s1:u32 + a[n];
                x = a[i] + 7u32;
                n = n + 1i64;
                i = i * ?s2 + ?s3;
                if a[u64(i)] > ?s4:u32 goto head else next;
            next: if a[?s5] == 77u32 goto last else exit;
            last: goto exit;
            exit: return checksum;
            }}"
        );
        let mut names = String::from("entry");
        (0..loops).for_each(|_| names.push_str(" head"));
        check(&sketch, &format!("{names} next last exit"), "+++");
    }
    // Beyond the only element there is nothing.
    let beyond = "
        fn f(i: u64) -> u32 {
            var a: [i16; 1] = [5];
        entry: if a[i] != 5 goto on else exit;
        on: goto exit;
        exit: return checksum;
        }";
    check(beyond, "entry on exit", "---");
    let negative = "
        fn f(i: i32) -> u32 {
            var a: [i16; 3] = [5, 6, 7];
        entry: a[i] = 1; if i < 0 goto on else exit;
        on: goto exit;
        exit: return checksum;
        }";
    check(negative, "entry on exit", "---");
}

#[test]
fn switches_with_labels_to_be_found() {
    let sketch = "
        fn f(x: u32) -> u32 {
        entry: goto head;
        head: x = x * 5u32 + 1u32; switch x { ?s0 -> a, ?s1 -> b, 7 -> c, ?s2 -> a, else -> exit };
        a: goto head;
        b: goto head;
        c: goto head;
        exit: return checksum;
        }";
    check(sketch, "entry head a head b head a head c head exit", "+++");
    // Only two labels lead to `a`, and values do not come twice.
    check(sketch, "entry head a head a head a head exit", "---");
    check(&sketch.replace("?s1", "?s0"), "entry head a head exit", "---");
    // A label that is used elsewhere has to fit there too.
    let shared = "
        fn f(x: i32) -> u32 {
        entry: switch x + ?s0 - ?s0 { ?s1 -> a, else -> exit };
        a: if x == 5 goto exit else b;
        b: switch x { 5 -> a, ?s1 -> exit, else -> b };
        exit: return checksum;
        }";
    check(shared, "entry a exit", "---");
    check(&shared.replace("{ 5", "{ 6"), "entry a exit", "+++");
}

#[test]
fn globals_and_calls_with_known_arguments() {
    let program = |argument: &str| {
        format!(
            "global g: [i16; 2] = [3, 4];
            fn f(x: i32) -> i32 {{
            entry: g[1] = 10; if sum({argument}) == x * 2 goto a else exit;
            a: goto exit;
            exit: return g[0];
            }}
            fn sum(n: i32) -> i32 {{
            entry: return g[0] + g[1] + n;
            }}"
        )
    };
    check(&program("5"), "entry a exit", "+++");
    check(&program("4"), "entry a exit", "---");
    check(&program("2147483647"), "entry a exit", "-++");
    for text in [program("x"), program("5").replace("= 10", "= x")] {
        let Answer::GaveUp(end) = solve(&text, "entry a exit", Dialect::Wasm) else {
            panic!("a call that depends on x is not supported")
        };
        assert!(end.why.contains("sum") && end.why.contains("not"), "{}", end.why);
    }
}

#[test]
fn a_small_budget_is_used_up() {
    let text = "
        fn f(x: u64, y: u64) -> u32 {
        entry: if x * y == 18446744073709551557u64 goto a else exit;
        a: if (x > 1u64) + (y > 1u64) + (x < 4294967296u64) + (y < 4294967296u64) == 4 goto b else exit;
        b: goto exit;
        exit: return checksum;
        }";
    let program = parse("hard", text).unwrap();
    let path = path_of(&program, "entry a b exit");
    let task =
        Task { program: &program, function: FuncId::new(0), path: &path, dialect: Dialect::C };
    let mut engine = SmtEngine { budget: 10_000, ..SmtEngine::default() };
    let Answer::GaveUp(end) = engine.solve(&task, &mut Seed::new(1).rng()) else {
        panic!("this is a prime number")
    };
    assert!(end.why.contains("budget") && end.step == 3, "{end:?}");
}

/// What Z3 does is bounded by its own count of work, so a busy machine changes nothing.
#[test]
fn the_clock_decides_nothing() {
    assert_eq!(SmtEngine::default().timeout, None);
    assert_eq!(SolveOptions::default().smt_timeout, 0);
    let text = "
        fn f(x: u64, y: u64) -> u32 {
        entry: if x * y == ?s0 * 3u64 + 18446744073709u64 goto a else exit;
        a: if x > y * 1000u64 goto exit else entry2;
        entry2: goto exit;
        exit: return checksum;
        }"
    .replace("?s0", "?s0:u64");
    let program = parse("busy", &text).unwrap();
    let path = path_of(&program, "entry a entry2 exit");
    let answer = |budget| {
        let task =
            Task { program: &program, function: FuncId::new(0), path: &path, dialect: Dialect::C };
        let mut engine = SmtEngine { budget, ..SmtEngine::default() };
        format!("{:?}", engine.solve(&task, &mut Seed::new(1).rng()))
    };
    for budget in [1_000, 20_000, 100_000] {
        let alone = answer(budget);
        let together: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| answer(budget))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(together.iter().all(|other| *other == alone), "{alone}");
    }
}

/// Holds the realizations of a program against the encoding, each as it is and with another input.
/// Gives how many inputs were rejected.
fn check_realizations(program: &Program, dialect: Dialect, seed: u64) -> usize {
    let mut rng = Seed::new(seed).child("other inputs").rng();
    let mut n_rejected = 0;
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            let task = Task { program, function: id, path: &realization.path, dialect };
            let with = |args: &[Scalar]| Model {
                args: args.iter().map(|arg| Some(*arg)).collect(),
                ..Model::default()
            };
            let right = satisfied(&task, &with(&realization.args));
            assert_eq!(right, Ok(()), "{program}");
            if realization.args.is_empty() {
                continue;
            }
            let mut args = realization.args.clone();
            let at = rng.random_range(0..args.len() as u32) as usize;
            args[at] = Scalar::new(function.vars[at].ty.cell_ty(), rng.random());
            // The encoding and the interpreter say the same of any input.
            let other = with(&args);
            let accepted = satisfied(&task, &other).is_ok();
            assert_eq!(accepted, verify(&task, &other).is_ok(), "{args:?}\n{program}");
            n_rejected += usize::from(!accepted);
        }
    }
    n_rejected
}

/// How many programs are checked; many more on request.
fn n_programs() -> u64 {
    std::env::var("SMT_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(60)
}

#[test]
fn whatever_the_interpreter_finds_meets_the_constraints() {
    for dialect in Dialect::ALL {
        let options = SampleOptions { dialect, floats: 0.0, ..SampleOptions::default() };
        for seed in 0..n_programs() {
            let program = sample_program(&options, &mut Seed::new(seed).rng());
            check_realizations(&program, dialect, seed);
        }
    }
}

#[test]
fn whatever_the_forward_engine_finds_meets_the_constraints() {
    let mut config = GenConfig::default();
    config.sketch.float_share = 0.0;
    for dialect in Dialect::ALL {
        let mut n_rejected = 0;
        for number in 0..n_programs() {
            let leaf = generate_leaf(&config, dialect, Seed::new(9), number);
            let Ok(mut leaf) = leaf else { continue };
            // The first takes the path that was asked for; a few others will do.
            leaf.program.functions[0].realizations.truncate(4);
            n_rejected += check_realizations(&leaf.program, dialect, number);
        }
        assert!(n_rejected > 0, "no input was ever rejected");
    }
}

#[test]
fn functions_with_floats_are_declined() {
    let text = "fn f(x: f32) -> i32 { entry: if x < ?s0:f32 goto a else exit; a: goto exit;
        exit: return 1; }";
    let program = parse("sketch", text).unwrap();
    let path = Path::new([0, 1, 2].map(BlockId::new).to_vec());
    let task =
        Task { program: &program, function: FuncId::FIRST, path: &path, dialect: Dialect::Wasm };
    let why = "the SMT engine does not encode floating-point numbers (in `f`)";
    let mut rng = Seed::new(1).rng();
    let Answer::GaveUp(gave_up) = SmtEngine::default().solve(&task, &mut rng) else {
        panic!("it is declined")
    };
    assert_eq!((gave_up.obstacle, &gave_up.why[..]), (Obstacle::Unsupported, why));
    let model = Model::empty(program.function(FuncId::FIRST));
    assert_eq!(satisfied(&task, &model).unwrap_err().describe(&task), why);
    // The forward engine does without.
    assert!(matches!(AutoEngine::default().solve(&task, &mut rng), Answer::Solved(_)));
}

#[test]
fn whatever_z3_finds_takes_the_path() {
    let mut n_solved = 0;
    for seed in 0..30 {
        let dialect = Dialect::ALL[seed as usize % 3];
        let options = SampleOptions {
            dialect,
            holes: 0.6,
            functions: 1,
            floats: 0.0,
            ..SampleOptions::default()
        };
        let mut rng = Seed::new(seed).rng();
        let program = sample_program(&options, &mut rng);
        let cfg = program.functions[0].cfg().unwrap();
        let walk = WalkOptions { max_len: 6, ..WalkOptions::default() };
        let path = random_path(&cfg, &walk, &mut rng);
        let task = Task { program: &program, function: FuncId::FIRST, path: &path, dialect };
        let mut engine = SmtEngine { budget: 300_000, ..SmtEngine::default() };
        if let Answer::Solved(model) = engine.solve(&task, &mut rng) {
            assert!(verify(&task, &model).is_ok());
            assert_eq!(satisfied(&task, &model), Ok(()));
            n_solved += 1;
        }
    }
    assert!(n_solved >= 5, "{n_solved}");
}

//! The encoding against the interpreter, on sampled programs: both say the same of every run.

use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_generate::shape::{WalkOptions, random_path};
use pathsmith_generate::solve::smt::{Requirement, Unsatisfied, satisfied};
use pathsmith_generate::solve::{Answer, Engine, Model, SmtEngine, Task, verify};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{IntTy, Program, Scalar, ScalarTy};
use pathsmith_symlang::semantics::{Code, Fault, Limits, Machine, Outcome};
use pathsmith_symlang::{BlockId, FuncId, HoleId, Rng, Seed};
use rand::RngExt;

/// The path along the named blocks of the first function.
fn path_of(program: &Program, names: &str) -> Path {
    let blocks = &program.functions[0].blocks;
    let position = |name| blocks.iter().position(|block| block.name == name);
    let id = |name| BlockId::new(position(name).expect("a block of that name"));
    Path::new(names.split_whitespace().map(id).collect())
}

/// Values of type `i32`, as far as they are known.
fn numbers<const N: usize>(values: [Option<i64>; N]) -> Vec<Option<Scalar>> {
    values.map(|value| value.map(|value| Scalar::new(IntTy::I32, value))).to_vec()
}

#[test]
fn known_values_are_kept_where_that_is_possible() {
    let text = "
        fn f(x: i32) -> i32 {
        entry: x = x * ?s0 + ?s1; if x == 30 goto a else exit;
        a: goto exit;
        exit: return x;
        }";
    let program = parse("sketch", text).unwrap();
    let path = path_of(&program, "entry a exit");
    let task =
        Task { program: &program, function: FuncId::new(0), path: &path, dialect: Dialect::C };
    let mut engine = SmtEngine::default();
    let mut solve = |holes: [Option<i64>; 2], arg| {
        let partial = Model { holes: numbers(holes), args: numbers([arg]) };
        match engine.solve_with(&task, &partial, &mut Seed::new(3).rng()) {
            Answer::Solved(model) => model,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(solve([Some(7), None], Some(4)).holes, numbers([Some(7), Some(2)]));
    assert_eq!(solve([Some(4), Some(2)], None).args, numbers([Some(7)]));
    // 30 is no multiple of 4, so something has to give.
    let model = solve([Some(4), Some(0)], None);
    assert_ne!(model.holes, numbers([Some(4), Some(0)]));
}

#[test]
fn the_same_question_gets_the_same_answer() {
    let options = SampleOptions { holes: 0.5, floats: 0.0, ..SampleOptions::default() };
    for seed in 0..5 {
        let answers = [(); 2].map(|()| {
            let mut rng = Seed::new(seed).rng();
            let program = sample_program(&options, &mut rng);
            let function = FuncId::new(0);
            let cfg = program.function(function).cfg().unwrap();
            let path = random_path(&cfg, &WalkOptions::default(), &mut rng);
            let task = Task { program: &program, function, path: &path, dialect: Dialect::C };
            SmtEngine { budget: 300_000, ..SmtEngine::default() }.solve(&task, &mut rng)
        });
        assert_eq!(answers[0], answers[1], "seed {seed}");
    }
}

fn random_value(ty: ScalarTy, rng: &mut Rng) -> Scalar {
    Scalar::new(ty, rng.random::<i64>() >> rng.random_range(0..64_u32))
}

/// Random values for all parameters and holes.
fn random_model(program: &Program, function: FuncId, rng: &mut Rng) -> Model {
    let data = program.function(function);
    let mut model = Model::empty(data);
    program.for_each_hole(data, |hole, ty, _| {
        model.holes[hole.index()] = Some(random_value(ty, rng));
    });
    for (arg, param) in std::iter::zip(&mut model.args, data.params()) {
        *arg = Some(random_value(param.ty.cell_ty(), rng));
    }
    model
}

fn known_args(args: &[Scalar]) -> Model {
    Model { holes: Vec::new(), args: args.iter().map(|arg| Some(*arg)).collect() }
}

/// Whether the encoder stopped where and why the interpreter did.
fn is_same_fault(function: FuncId, fault: &Fault, end: &Unsatisfied) -> bool {
    match end.requirement {
        Requirement::Defined(hazard, expr) => {
            hazard == fault.hazard
                && Some(expr) == fault.spot.expr
                && function == fault.spot.function
        }
        Requirement::CallReturns(_) => function != fault.spot.function,
        _ => false,
    }
}

/// What the interpreter makes of a function and its arguments, the encoder makes of them too: the
/// same path, or the same hazard at the same place.
#[test]
fn interpreter_and_encoder_agree_on_samples() {
    let (mut n_same, mut n_elsewhere, mut n_faults) = (0, 0, 0);
    for seed in 0..900 {
        let dialect = Dialect::ALL[(seed % 3) as usize];
        let options = SampleOptions { dialect, floats: 0.0, ..SampleOptions::default() };
        let mut rng = Seed::new(seed).rng();
        let program = sample_program(&options, &mut rng);
        let code = Code::new(&program);
        let mut machine = Machine::new(&code, dialect);
        for (function, data) in program.functions_with_ids() {
            let realized = data.realizations.iter().map(|known| known.args.clone());
            let mut inputs: Vec<Vec<Scalar>> = realized.take(2).collect();
            for _ in 0..3 {
                let model = random_model(&program, function, &mut rng);
                inputs.push(model.args.into_iter().flatten().collect());
            }
            let mut other: Option<Path> = None;
            for args in inputs {
                let limits = Limits { steps: 500, ..Limits::default() };
                let outcome = machine.run(function, &args, limits);
                if outcome == Outcome::OutOfSteps {
                    continue;
                }
                let path = Path::new(machine.path().to_vec());
                let task = Task { program: &program, function, path: &path, dialect };
                let end = satisfied(&task, &known_args(&args));
                let what = || format!("seed {seed}, {}{args:?}: {outcome:?} {end:?}", data.name);
                match (outcome, &end) {
                    (Outcome::Returned(_), Ok(())) => n_same += 1,
                    (Outcome::Undefined(fault) | Outcome::Trapped(_, fault), Err(end)) => {
                        assert_eq!(end.step, path.len() - 1, "{}", what());
                        assert!(is_same_fault(function, &fault, end), "{}", what());
                        n_faults += 1;
                    }
                    _ => panic!("{}", what()),
                }
                // Where two inputs part ways, so do their constraints.
                if let Some(other) = other.replace(path.clone())
                    && !path.blocks().starts_with(other.blocks())
                {
                    let task = Task { path: &other, ..task };
                    let end = satisfied(&task, &known_args(&args)).unwrap_err();
                    let both = std::iter::zip(path.blocks(), other.blocks());
                    let n_common = both.take_while(|(a, b)| a == b).count();
                    assert_eq!(end.step, n_common - 1, "{} {end:?}", what());
                    n_elsewhere += usize::from(end.requirement == Requirement::Goes);
                }
            }
        }
    }
    assert!(
        n_same > 600 && n_elsewhere > 20 && n_faults > 300,
        "{n_same} {n_elsewhere} {n_faults}"
    );
}

/// Arbitrary sketches along arbitrary paths, with a budget that is soon used up.
#[test]
fn answers_on_samples_hold() {
    let (mut n_solved, mut n_impossible, mut n_others) = (0, 0, 0);
    let mut engine = SmtEngine { budget: 100_000, ..SmtEngine::default() };
    for seed in 0..100 {
        let dialect = Dialect::ALL[(seed % 3) as usize];
        let options = SampleOptions {
            dialect,
            holes: 0.6,
            functions: 1,
            floats: 0.0,
            ..SampleOptions::default()
        };
        let mut rng = Seed::new(seed).rng();
        let program = sample_program(&options, &mut rng);
        let function = FuncId::new(0);
        let cfg = program.function(function).cfg().unwrap();
        let walk = WalkOptions { max_len: 20, ..WalkOptions::default() };
        let path = random_path(&cfg, &walk, &mut rng);
        let task = Task { program: &program, function, path: &path, dialect };
        match engine.solve(&task, &mut rng) {
            Answer::Solved(model) => {
                verify(&task, &model).unwrap();
                satisfied(&task, &model).unwrap_or_else(|end| panic!("{}", end.describe(&task)));
                n_solved += 1;
            }
            Answer::Impossible => n_impossible += 1,
            Answer::GaveUp(end) => {
                assert!(!end.why.contains("bug"), "seed {seed}: {}", end.why);
                n_others += 1;
            }
        }
    }
    assert!(n_solved > 20 && n_impossible > 20, "{n_solved} {n_impossible} {n_others}");
}

/// A path that some values take is never called impossible.
#[test]
fn what_happens_is_possible() {
    let (mut n_solved, mut n_others) = (0, 0);
    let mut engine = SmtEngine { budget: 100_000, ..SmtEngine::default() };
    for seed in 0..250 {
        let dialect = Dialect::ALL[(seed % 3) as usize];
        let options = SampleOptions {
            dialect,
            holes: 0.6,
            functions: 1,
            floats: 0.0,
            ..SampleOptions::default()
        };
        let mut rng = Seed::new(seed).rng();
        let program = sample_program(&options, &mut rng);
        let function = FuncId::new(0);
        let model = random_model(&program, function, &mut rng);
        let mut filled = program.clone();
        model.fill(&mut filled.functions[function.index()]);
        let code = Code::new(&filled);
        let mut machine = Machine::new(&code, dialect);
        let args: Vec<Scalar> = model.args.iter().copied().flatten().collect();
        let limits = Limits { steps: 50, ..Limits::default() };
        let Outcome::Returned(_) = machine.run(function, &args, limits) else { continue };
        let path = Path::new(machine.path().to_vec());
        let task = Task { program: &program, function, path: &path, dialect };
        match engine.solve(&task, &mut rng) {
            Answer::Solved(_) => n_solved += 1,
            Answer::Impossible => panic!("seed {seed}: {model:?} takes {path:?}\n{program}"),
            Answer::GaveUp(end) => {
                assert!(!end.why.contains("bug"), "seed {seed}: {}", end.why);
                n_others += 1;
            }
        }
    }
    assert!(n_solved > 50 && n_others < n_solved / 4, "{n_solved} {n_others}");
}

#[test]
fn what_is_not_satisfied_is_named() {
    let text = "
        fn f(x: i32) -> i32 {
        entry: x = x * ?s0; switch x { ?s1 -> a, 4 -> exit, else -> exit };
        a: goto exit;
        exit: return x;
        }";
    let program = parse("sketch", text).unwrap();
    let path = path_of(&program, "entry a exit");
    let task =
        Task { program: &program, function: FuncId::new(0), path: &path, dialect: Dialect::C };
    let check = |holes: [Option<i64>; 2], arg, expected: Result<(), &str>| {
        let model = Model { holes: numbers(holes), args: numbers([arg]) };
        let actual = satisfied(&task, &model).map_err(|end| end.describe(&task));
        assert_eq!(actual, expected.map_err(str::to_owned));
    };
    check([Some(2), Some(6)], Some(3), Ok(()));
    check([Some(2), Some(7)], Some(3), Err("the path goes on elsewhere, at step 0 in block entry"));
    check(
        [Some(2), Some(6)],
        Some(1 << 30),
        Err("signed overflow in `x * ?s0`, at step 0 in block entry"),
    );
    check([Some(2), None], Some(3), Err("?s1 has no value, at step 0 in block entry"));
    check([Some(2), Some(6)], None, Err("parameter 0 has no value, at step 0 in block entry"));
    check(
        [Some(2), Some(4)],
        Some(2),
        Err("two labels of the switch in block entry are the same, at step 2 in block exit"),
    );
    let unknown = HoleId::new(0);
    let model = Model { holes: Vec::new(), args: numbers([Some(1)]) };
    let end = satisfied(&task, &model).unwrap_err();
    assert_eq!(end.requirement, Requirement::HoleKnown(unknown));
}

/// Z3 walks terms with stacks of its own, so a long chain of operations is no danger to ours.
#[test]
fn long_paths_do_not_overflow_the_stack() {
    let text = "
        fn f(x: u32, n: i32) -> u32 {
        entry: goto head;
        head: x = x ^ (x << ?s0:u32); n = n - 1; if n > 0 goto head else exit;
        exit: return x;
        }";
    let program = parse("sketch", text).unwrap();
    let mut blocks = vec![BlockId::new(0)];
    blocks.extend(vec![BlockId::new(1); 5_000]);
    blocks.push(BlockId::new(2));
    let path = Path::new(blocks);
    let task =
        Task { program: &program, function: FuncId::new(0), path: &path, dialect: Dialect::Wasm };
    let mut engine = SmtEngine { budget: 100_000, ..SmtEngine::default() };
    let Answer::GaveUp(end) = engine.solve(&task, &mut Seed::new(1).rng()) else {
        panic!("this takes more than that")
    };
    assert!(end.why.contains("budget"), "{}", end.why);
    let unsigned = |value| Some(Scalar::new(IntTy::U32, value));
    let args = vec![unsigned(5), Some(Scalar::new(IntTy::I32, 5_000))];
    let model = Model { holes: vec![unsigned(1)], args };
    satisfied(&task, &model).unwrap();
}

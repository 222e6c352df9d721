//! Realizations for a program that has none: it is run on inputs that are drawn.

use std::fmt;

use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{
    ConstOrHole, Ending, Expr, FloatTy, Function, Program, Realization, Scalar, ScalarTy, Term,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome, Visit};
use pathsmith_symlang::{FuncId, Rng};
use rand::RngExt;
use thiserror::Error;

use crate::holds::call_text;
use crate::inputs::{choose_afresh, choose_float, choose_nearby};
use crate::recompute::recompute_realizations;

/// Inputs that are tried for a function …
const TRIES: usize = 400;
/// … and how many in a row may yield nothing once there are realizations.
const PATIENCE: usize = 150;
/// Realizations that are enough.
const MOST: usize = 16;
/// Realizations that may take a path that another one takes.
const MOST_ALIKE: usize = 6;
/// Steps that a run may take at first: short paths make better test vectors. All of these are
/// guesses.
const FEW_STEPS: u64 = 2_000;
/// All runs together take no more steps than this many times the limit of one, which counts as
/// `MIN_LIMIT` if it is lower.
const MAX_LONG_RUNS: u64 = 8;
const MIN_LIMIT: u64 = 100_000;

/// Why a program gets no realizations.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unrealizable {
    /// It is a sketch.
    #[error("`{0}` has holes: only a solved program can run")]
    Holes(String),
    /// No input leads to an output.
    #[error("`{function}` returns on none of the inputs that were tried: {tried}")]
    NoInput {
        /// The name of the function.
        function: String,
        /// What happened instead.
        tried: Tried,
    },
    /// A recursion guard lies.
    #[error("a recursion guard does not return what the function behind it returns")]
    Guard,
}

/// What became of inputs that led to no output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// How many inputs were tried.
    pub n_inputs: u64,
    /// Runs that were out of steps, and how many steps they were allowed.
    pub hung: (u64, u64),
    /// Runs that were out of call depth.
    pub n_deep: u64,
    /// Runs that trapped.
    pub n_trapped: u64,
    /// Runs with undefined behaviour.
    pub n_undefined: u64,
    /// A call that was undefined or trapped, and why.
    pub example: Option<String>,
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "of {}", self.n_inputs)?;
        let (n_hung, steps) = self.hung;
        let counts = [
            (n_hung, format!("hang (visit more than {steps} blocks)")),
            (self.n_deep, "nest calls too deeply".to_owned()),
            (self.n_trapped, "trap".to_owned()),
            (self.n_undefined, "have undefined behaviour".to_owned()),
        ];
        for (n, what) in counts.iter().filter(|(n, _)| *n > 0) {
            write!(f, ", {n} {what}")?;
        }
        match &self.example {
            Some(example) => write!(f, "; {example}"),
            None => Ok(()),
        }
    }
}

impl Tried {
    fn note(&mut self, program: &Program, call: impl FnOnce() -> String, outcome: &Outcome) {
        self.n_inputs += 1;
        match outcome {
            Outcome::Returned(_) | Outcome::Hole(..) => return,
            Outcome::OutOfSteps => {
                self.hung.0 += 1;
                return;
            }
            Outcome::OutOfDepth => {
                self.n_deep += 1;
                return;
            }
            Outcome::Undefined(_) => self.n_undefined += 1,
            Outcome::Trapped(..) => self.n_trapped += 1,
        }
        if self.example.is_none() {
            self.example = Some(format!("{}: {}", call(), outcome.describe(program)));
        }
    }
}

/// Gives a valid program realizations in `dialect`, in place of those that it has: for the function
/// that it names as `main`, or else for every function that no other one calls. Inputs are drawn
/// near the constants of the program, at boundaries, small, and near inputs that took a path of
/// their own. Every input that leads to an output becomes a realization; inputs with distinct paths
/// are preferred.
///
/// # Errors
/// If there is no input on which a function returns within `limits`.
pub fn realize(
    program: &Program,
    dialect: Dialect,
    limits: Limits,
    rng: &mut Rng,
) -> Result<Program, Unrealizable> {
    if let Some(sketch) = program.functions.iter().find(|function| function.n_holes() > 0) {
        return Err(Unrealizable::Holes(sketch.name.clone()));
    }
    let mut realized = program.clone();
    realized.dialect = Some(dialect);
    let code = Code::new(program);
    let mut machine = Machine::new(&code, dialect);
    for function in &mut realized.functions {
        function.realizations.clear();
    }
    for id in entry_functions(program) {
        let mut search = Search::new(program, id, &mut machine);
        let found = search.run(limits, rng);
        if found.is_empty() {
            let function = program.function(id).name.clone();
            return Err(Unrealizable::NoInput { function, tried: search.tried });
        }
        realized.functions[id.index()].realizations = found;
    }
    recompute_realizations(realized, limits).ok_or(Unrealizable::Guard)
}

/// The functions that a program is run by.
fn entry_functions(program: &Program) -> Vec<FuncId> {
    if let Some(main) = program.main {
        return vec![main];
    }
    let mut is_called = vec![false; program.functions.len()];
    for function in &program.functions {
        function.for_each_expr(|_, expr| {
            if let Expr::Call(callee, _) = expr {
                is_called[callee.index()] = true;
            }
        });
    }
    let roots = (0..is_called.len()).filter(|at| !is_called[*at]).map(FuncId::new);
    let roots: Vec<FuncId> = roots.collect();
    // There may be no root: functions that only call each other.
    if roots.is_empty() { vec![FuncId::FIRST] } else { roots }
}

/// Looking for inputs of one function.
struct Search<'s, 'c> {
    program: &'s Program,
    id: FuncId,
    machine: &'s mut Machine<'c>,
    types: Vec<ScalarTy>,
    /// Numbers that decisions may depend on.
    numbers: Vec<i64>,
    /// Floating-point numbers that they may depend on.
    floats: Vec<f64>,
    tried: Tried,
    steps_left: u64,
}

impl<'s, 'c> Search<'s, 'c> {
    fn new(program: &'s Program, id: FuncId, machine: &'s mut Machine<'c>) -> Self {
        let params = program.function(id).params().iter();
        let types = params.map(|param| param.ty.cell_ty()).collect();
        let ((numbers, floats), tried) = (numbers(program), Tried::default());
        Self { program, id, machine, types, numbers, floats, tried, steps_left: 0 }
    }

    /// Tries with few steps first, and with all that are allowed only if nothing returns.
    fn run(&mut self, limits: Limits, rng: &mut Rng) -> Vec<Realization> {
        self.steps_left = limits.steps.max(MIN_LIMIT).saturating_mul(MAX_LONG_RUNS);
        let few = Limits { steps: limits.steps.min(FEW_STEPS), ..limits };
        let found = self.run_within(few, rng);
        if found.is_empty() && few != limits { self.run_within(limits, rng) } else { found }
    }

    fn run_within(&mut self, limits: Limits, rng: &mut Rng) -> Vec<Realization> {
        self.tried = Tried { hung: (0, limits.steps), ..Tried::default() };
        let mut found: Vec<Realization> = Vec::new();
        // The first realization of each path.
        let mut pioneers: Vec<usize> = Vec::new();
        let (mut n_alike, mut n_in_vain) = (0, 0);
        let mut known: Vec<Vec<i64>> = Vec::new();
        let mut args = Vec::new();
        for attempt in 0..TRIES {
            if found.len() >= MOST || (n_in_vain >= PATIENCE && !found.is_empty()) {
                break;
            }
            n_in_vain += 1;
            match pioneers.len() {
                n if n > 0 && attempt % 3 == 2 => {
                    let base = &found[pioneers[choose_below(n, rng)]];
                    choose_nearby(&self.types, &base.args, &mut args, rng);
                }
                _ => self.choose_args(attempt, &mut args, rng),
            }
            if known.contains(&args) {
                continue;
            }
            known.push(args.clone());
            let input: Vec<Scalar> = std::iter::zip(&self.types, &args)
                .map(|(ty, word)| Scalar::new(*ty, *word))
                .collect();
            let mut n_steps = 0;
            let mut count = |_: &Visit<'_>| n_steps += 1;
            let outcome = self.machine.run_observed(self.id, &input, limits, &mut count);
            let call = || call_text(self.program.function(self.id), &input);
            self.tried.note(self.program, call, &outcome);
            if let Outcome::Returned(output) = outcome {
                let path = self.machine.path();
                let is_new = pioneers.iter().all(|at| found[*at].path.blocks() != path);
                if is_new {
                    pioneers.push(found.len());
                } else if n_alike < MOST_ALIKE {
                    n_alike += 1;
                } else {
                    continue;
                }
                n_in_vain = 0;
                let (path, ending) = (Path::new(path.to_vec()), Ending::Returns(output));
                let leaving = self.machine.leaving();
                found.push(Realization { args: input, path, ending, leaving });
            }
            self.steps_left = self.steps_left.saturating_sub(n_steps);
            if self.steps_left == 0 || self.types.is_empty() {
                break;
            }
        }
        found
    }

    /// Draws arguments that have nothing to do with others.
    fn choose_args(&self, attempt: usize, args: &mut Vec<i64>, rng: &mut Rng) {
        if attempt % 8 == 6 {
            return choose_afresh(&self.types, args, rng);
        }
        args.clear();
        for &ty in &self.types {
            let ty = match ty {
                ScalarTy::Int(ty) => ty,
                ScalarTy::Float(ty) => {
                    args.push(self.choose_float_arg(ty, rng));
                    continue;
                }
            };
            args.push(ty.wrap(match choose_below(8, rng) {
                0..=1 => rng.random_range(-4..=20),
                2 => [0, 1, -1, ty.min(), ty.max()][choose_below(5, rng)],
                3..=5 if !self.numbers.is_empty() => self.choose_number(rng),
                6..=7 if !self.numbers.is_empty() => {
                    self.choose_number(rng).wrapping_add(rng.random_range(-2..=2))
                }
                _ => rng.random_range(-100..=100),
            }));
        }
    }

    fn choose_float_arg(&self, ty: FloatTy, rng: &mut Rng) -> i64 {
        match choose_below(4, rng) {
            0 => choose_float(ty, 4, rng),
            1 if !self.numbers.is_empty() => ty.word(self.choose_number(rng) as f64),
            2 if !self.floats.is_empty() => {
                let near = self.floats[choose_below(self.floats.len(), rng)];
                ty.word(near + f64::from(rng.random_range(-2..=2_i32)))
            }
            _ => choose_float(ty, 12, rng),
        }
    }

    fn choose_number(&self, rng: &mut Rng) -> i64 {
        self.numbers[choose_below(self.numbers.len(), rng)]
    }
}

/// The constants, labels and initial values of scalars of a program, each once: integers, and
/// floating-point numbers.
fn numbers(program: &Program) -> (Vec<i64>, Vec<f64>) {
    let (mut numbers, mut floats) = (Vec::new(), Vec::new());
    let mut note = |value: Scalar| match value.ty() {
        ScalarTy::Int(_) => numbers.push(value.word()),
        ScalarTy::Float(ty) => floats.push(ty.value(value.word())),
    };
    let mut note_fill = |fill: &ConstOrHole| {
        if let ConstOrHole::Const(value) = fill {
            note(*value);
        }
    };
    let scalars = |function: &Function| {
        let locals = function.locals().iter().filter(|var| !var.ty.is_array());
        locals.flat_map(|var| var.init.clone()).collect::<Vec<_>>()
    };
    for function in &program.functions {
        scalars(function).iter().for_each(&mut note_fill);
        for block in &function.blocks {
            if let Term::Switch { cases, .. } = &block.term {
                cases.iter().for_each(|(label, _)| note_fill(label));
            }
        }
    }
    for function in &program.functions {
        function.for_each_expr(|_, expr| {
            if let Expr::Const(value) = expr {
                note(value.scalar());
            }
        });
    }
    numbers.sort_unstable();
    numbers.dedup();
    floats.sort_by(f64::total_cmp);
    floats.dedup();
    (numbers, floats)
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    fn realized(text: &str, dialect: Dialect, seed: u64) -> Result<Program, String> {
        let program = parse("test", text).unwrap();
        let rng = &mut Seed::new(seed).rng();
        realize(&program, dialect, Limits::default(), rng).map_err(|why| why.to_string())
    }

    fn realizations(program: &Program, function: &str) -> Vec<Realization> {
        let id = program.function_named(function).unwrap();
        program.function(id).realizations.clone()
    }

    const SWITCH: &str = "fn f(a: i32, b: u8) -> i32 {
        entry: switch a { 123456 -> B1, -98765 -> B2, else -> B3 };
        B1: if b == 200u32 goto B2 else B3;
        B2: a = a / 2; goto B3;
        B3: return a; }";

    #[test]
    fn inputs_near_constants_find_paths() {
        for seed in 0..20 {
            let program = realized(SWITCH, Dialect::C, seed).unwrap();
            assert_eq!(program.dialect, Some(Dialect::C));
            let found = realizations(&program, "f");
            let mut paths: Vec<_> = found.iter().map(|r| r.path.blocks().to_vec()).collect();
            paths.sort();
            paths.dedup();
            assert!(paths.len() >= 3 && found.len() >= 4, "seed {seed}: {program}");
            let checked = crate::check_realizations(&program, Dialect::C, Limits::default());
            assert_eq!(checked, Ok(found.len()));
        }
    }

    #[test]
    fn the_seed_decides() {
        let text = |seed| realized(SWITCH, Dialect::Jvm, seed).unwrap().to_string();
        assert_eq!(text(1), text(1));
        assert_ne!(text(1), text(2));
    }

    #[test]
    fn main_or_what_nothing_calls_is_run() {
        let text = "global g: i32 = 3;
            fn f(a: i32) -> i32 { entry: return h(a) + g; }
            fn h(a: i32) -> i32 { entry: return a & 7; }
            fn k() -> i32 { entry: return 5; }";
        let program = realized(text, Dialect::Wasm, 1).unwrap();
        assert!(realizations(&program, "f").len() > 2);
        assert!(realizations(&program, "f").iter().all(|r| r.leaving.is_some()));
        assert!(realizations(&program, "h").is_empty());
        assert_eq!(realizations(&program, "k").len(), 1);
        let program = realized(&format!("{text} main h;"), Dialect::Wasm, 1).unwrap();
        assert!(realizations(&program, "f").is_empty());
        assert!(realizations(&program, "h").len() > 2);
    }

    /// Undefined inputs are left out.
    #[test]
    fn only_defined_inputs_are_kept() {
        let text = "fn f(a: i32) -> i32 { entry: return 100 / a + 2147483000; }";
        let program = realized(text, Dialect::C, 1).unwrap();
        assert!(realizations(&program, "f").len() > 2);
    }

    #[test]
    fn long_runs_are_tried_if_nothing_else_returns() {
        let text = "fn f(a: i32) -> i32 { var i: i32 = 0; entry: goto B;
            B: i = i + 1; if i < 50000 goto B else exit; exit: return i; }";
        let program = realized(text, Dialect::C, 1).unwrap();
        assert!(!realizations(&program, "f").is_empty());
    }

    #[test]
    fn what_was_tried_is_said() {
        let hang = "fn f(a: i32) -> i32 { entry: goto B; B: if a == a goto B else exit;
            exit: return 0; }";
        let why = realized(hang, Dialect::C, 1).unwrap_err();
        assert!(why.starts_with("`f` returns on none of the inputs that were tried: of "), "{why}");
        assert!(why.ends_with(" hang (visit more than 1000000 blocks)"), "{why}");

        let undefined = "fn f(a: i32) -> i32 { entry: return 2147483647 + (a & 7 | 1); }";
        let why = realized(undefined, Dialect::C, 1).unwrap_err();
        assert!(why.contains(" have undefined behaviour; f("), "{why}");
        assert!(why.contains("signed overflow"), "{why}");
        assert!(realized(undefined, Dialect::Jvm, 1).is_ok());

        let trap = "fn f(a: i32) -> i32 { entry: return a / 0; }";
        let why = realized(trap, Dialect::Wasm, 1).unwrap_err();
        assert!(why.contains(" trap; f("), "{why}");

        let hole = "fn f(a: i32) -> i32 { entry: return a + ?s0; }";
        let why = realized(hole, Dialect::C, 1).unwrap_err();
        assert_eq!(why, "`f` has holes: only a solved program can run");

        let deep = "fn f(a: i32) -> i32 { entry: return f(a); }";
        let why = realized(deep, Dialect::C, 1).unwrap_err();
        assert!(why.contains("nest calls too deeply"), "{why}");
    }
}

//! Reducing findings: targets that get one shape of program wrong, and what is left of programs of
//! ten functions that show it.
//!
//! What is faulty is the lowering: a program that does what the fault is about is lowered as
//! another one, which does something else there. Compilers, engines and virtual machines are real.

mod support;

use std::collections::BTreeMap;

use pathsmith_backend::{Backend, LowerError};
use pathsmith_campaign::{
    Artifact, CCompilers, CConfig, CMode, Family, File, Finding, Job, JvmConfig, Jvms, Options,
    Reduced, Reproducer, SerializeError, Target, TargetFamily, TargetInfo, WasmConfig, WasmEngines,
};
use pathsmith_generate::{GenConfig, generate_program};
use pathsmith_oracles::c::Toolchain;
use pathsmith_oracles::jvm::JavaMachine;
use pathsmith_oracles::process::Stop;
use pathsmith_oracles::wasm::WasmOracle;
use pathsmith_oracles::{OracleError, Report, Spent, TargetSpec, Verdict};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{BinOp, Const, Expr, Function, Program, Stmt};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Visit};
use pathsmith_symlang::{BlockId, ExprId, FuncId, Rng, Seed};
use support::tools::has_tool;

/// A fault: an operator that goes wrong in a block that one call visits so often.
#[derive(Clone, Copy, Debug)]
struct Fault {
    op: BinOp,
    n_visits: usize,
}

const DIVISION_IN_LOOP: Fault = Fault { op: BinOp::Div, n_visits: 3 };
const PRODUCT_IN_LOOP: Fault = Fault { op: BinOp::Mul, n_visits: 2 };

impl Fault {
    /// The expressions that go wrong.
    fn hits(self, program: &Program) -> Vec<(FuncId, ExprId)> {
        let blocks = visited_often(program, self.n_visits);
        let mut hits = Vec::new();
        for (function, block) in blocks {
            let data = program.function(function);
            for root in roots(data, block) {
                let is_int = |expr| program.expr_ty(data, expr).is_int();
                collect(data, root, self.op, &mut |expr| {
                    if is_int(expr) {
                        hits.push((function, expr));
                    }
                });
            }
        }
        hits
    }

    /// The program that a faulty target makes of a program, if there is anything to get wrong.
    fn applied(self, program: &Program) -> Option<Program> {
        let hits = self.hits(program);
        let mut wrong = program.clone();
        for (function, expr) in &hits {
            let ty = program.expr_ty(program.function(*function), *expr);
            let function = &mut wrong.functions[function.index()];
            let right = function.add_expr(function.expr(*expr).clone());
            let one = function.add_expr(Expr::Const(Const::new(ty, 1)));
            *function.expr_mut(*expr) = Expr::Binary(BinOp::Xor, right, one);
        }
        (!hits.is_empty()).then_some(wrong)
    }
}

/// The blocks that some call visits at least `n` times.
fn visited_often(program: &Program, n: usize) -> Vec<(FuncId, BlockId)> {
    let code = Code::new(program);
    let Some(dialect) = program.dialect else { return Vec::new() };
    let mut machine = Machine::new(&code, dialect);
    let mut often = Vec::new();
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            // The visits of each call that is under way.
            let mut calls: Vec<BTreeMap<BlockId, usize>> = Vec::new();
            let mut watch = |visit: &Visit<'_>| {
                calls.truncate(visit.depth + 1);
                calls.resize(visit.depth + 1, BTreeMap::new());
                if visit.block.index() == 0 {
                    calls[visit.depth].clear();
                }
                let count = calls[visit.depth].entry(visit.block).or_default();
                *count += 1;
                if *count == n && !often.contains(&(visit.function, visit.block)) {
                    often.push((visit.function, visit.block));
                }
            };
            machine.run_observed(id, &realization.args, Limits::default(), &mut watch);
        }
    }
    often
}

fn roots(function: &Function, block: BlockId) -> Vec<ExprId> {
    let block = function.block(block);
    let stmts = block.stmts.iter().flat_map(Stmt::roots);
    stmts.chain(block.term.root()).collect()
}

fn collect(function: &Function, id: ExprId, op: BinOp, found: &mut dyn FnMut(ExprId)) {
    if matches!(function.expr(id), Expr::Binary(other, ..) if *other == op) {
        found(id);
    }
    for operand in function.expr(id).operands() {
        collect(function, operand, op, found);
    }
}

/// A backend that lowers some programs wrongly.
#[derive(Debug)]
struct FaultyBackend<B> {
    inner: B,
    fault: Option<Fault>,
}

impl<B: Backend> Backend for FaultyBackend<B> {
    type Options = B::Options;
    type Artifact = B::Artifact;

    fn name(&self) -> &'static str {
        self.inner.name()
    }

    fn dialect(&self) -> Dialect {
        self.inner.dialect()
    }

    fn lower(&self, program: &Program, options: &B::Options) -> Result<B::Artifact, LowerError> {
        let wrong = self.fault.and_then(|fault| fault.applied(program));
        self.inner.lower(wrong.as_ref().unwrap_or(program), options)
    }
}

/// A target family with a faulty backend.
struct Faulty<F: Family> {
    family: F,
    backend: FaultyBackend<F::Backend>,
}

impl<F: Family> Family for Faulty<F>
where
    F::Backend: Send + Sync,
{
    const FAMILY: TargetFamily = F::FAMILY;
    type Backend = FaultyBackend<F::Backend>;
    type Oracle = F::Oracle;

    fn backend(&self) -> &Self::Backend {
        &self.backend
    }

    fn oracle(&self, stop: Stop) -> Result<F::Oracle, OracleError> {
        self.family.oracle(stop)
    }

    fn functions_per_artifact(&self) -> u32 {
        self.family.functions_per_artifact()
    }

    fn choose_options(&self, program: &Program, rng: &mut Rng) -> Options<Self> {
        self.family.choose_options(program, rng)
    }

    fn targets(&self, seed: u64, number: u64) -> Vec<Target<Self>> {
        self.family.targets(seed, number)
    }

    fn versions_of(&self, target: &Target<Self>) -> Vec<Target<Self>> {
        self.family.versions_of(target)
    }

    fn run_alone(
        oracle: &mut Self::Oracle,
        artifact: &Artifact<Self>,
        target: &Target<Self>,
        limits: &pathsmith_oracles::Limits,
    ) -> Result<Report, OracleError> {
        F::run_alone(oracle, artifact, target, limits)
    }

    fn simpler_targets(target: &Target<Self>) -> Vec<Target<Self>> {
        F::simpler_targets(target)
    }

    fn without_known_bugs(target: &Target<Self>, flags: &[String]) -> Target<Self> {
        F::without_known_bugs(target, flags)
    }

    fn takes_flags(target: &Target<Self>, stop: &Stop) -> Result<bool, OracleError> {
        F::takes_flags(target, stop)
    }

    fn take_spent(oracle: &mut Self::Oracle) -> Spent {
        F::take_spent(oracle)
    }

    fn describe(target: &Target<Self>) -> TargetInfo {
        F::describe(target)
    }

    fn files(
        finding: &Finding,
        target: &Target<Self>,
        artifact: &Artifact<Self>,
    ) -> Result<Vec<File>, SerializeError> {
        F::files(finding, target, artifact)
    }
}

/// Reduces the first program of ten functions that shows a fault on the last target of a family.
#[expect(clippy::print_stdout, reason = "figures for people, with --nocapture")]
fn check<F: Family>(family: F, backend: F::Backend, fault: Fault)
where
    F::Backend: Send + Sync,
{
    let dialect = backend.dialect();
    let faulty = Faulty { family, backend: FaultyBackend { inner: backend, fault: Some(fault) } };
    let stop = Stop::new();
    let mut oracles: Vec<F::Oracle> =
        (0..2).map(|_| faulty.oracle(stop.clone()).expect("an oracle")).collect();
    let limits = pathsmith_oracles::Limits::default();
    let target = faulty.targets(0, 0).pop().expect("a target");
    let started = std::time::Instant::now();
    let shown = (0..).find_map(|number| {
        let config = GenConfig::default();
        let linked = generate_program(&config, dialect, Seed::new(3), number).ok()?;
        let options = faulty.choose_options(&linked.program, &mut Seed::new(number).rng());
        let trial: Reproducer<Faulty<F>> =
            Reproducer { program: linked.program, options, target: target.clone() };
        let (_, report) = trial.run(&faulty, &mut oracles[0], &limits).expect("a run")?;
        (report.verdict == Verdict::WrongResult)
            .then(|| trial.finding(report.verdict, &report).expect("a finding"))
    });
    let finding = shown.expect("a program that shows it");
    let before = finding.size();
    let mut last: Option<Reduced> = None;
    let job = Job { id: 1, finding, n_tests: 0, is_reduced: false };
    let found_after = started.elapsed();
    let over = || false;
    let mut on_step = |reduced| last = Some(reduced);
    job.run(&faulty, &mut oracles, &limits, &over, &mut on_step).expect("a run");
    let reduction = last.expect("something smaller").reduction;
    let program = &reduction.finding.program;
    println!(
        "{} on {}: {before} statements to {} in {} tests, {:.1} s (found after {:.1} s)\n{program}",
        dialect,
        reduction.finding.target.full_name(),
        reduction.finding.size(),
        reduction.n_tests,
        (started.elapsed() - found_after).as_secs_f64(),
        found_after.as_secs_f64(),
    );
    assert!(reduction.is_done);
    assert_eq!(program.functions.len(), 1, "{program}");
    assert!(reduction.finding.size() <= 12, "{program}");
    assert!(!fault.hits(program).is_empty(), "the shape is gone: {program}");
    assert_eq!(reduction.finding.verdict, Verdict::WrongResult);
    // What is left is right: only the faulty lowering shows it.
    let right = Faulty { backend: FaultyBackend { fault: None, ..faulty.backend }, ..faulty };
    let trial: Reproducer<Faulty<F>> = Reproducer::of(&right, &reduction.finding).expect("a trial");
    let run = trial.run(&right, &mut oracles[0], &limits).expect("a run");
    assert_eq!(run.expect("a program").1.verdict, Verdict::Agrees, "{program}");
}

fn c() -> CCompilers {
    let gcc = Toolchain::new(&TargetSpec::new("gcc", "gcc"), &Stop::new()).expect("gcc");
    let config =
        CConfig { levels: vec!["-O1".to_owned()], random_settings: 0, ..CConfig::default() };
    CCompilers::new(config, vec![gcc], CMode::Run, &Stop::new()).expect("gcc")
}

fn wasm() -> WasmEngines {
    let program = std::path::PathBuf::from(env!("CARGO_BIN_EXE_pathsmith"));
    let mut targets = WasmOracle::embedded_targets(&program);
    targets.retain(|target| target.setting.name() == Some("cranelift-speed"));
    WasmEngines { config: WasmConfig::default(), targets, program }
}

fn jvm() -> Option<Jvms> {
    if !has_tool("java", &["-version"]) {
        return None;
    }
    let java = JavaMachine::new(&TargetSpec::new("java", "java"), &Stop::new()).expect("a JVM");
    let settings = vec!["int".to_owned()];
    let config = JvmConfig { settings, random_settings: 0, ..JvmConfig::default() };
    Some(Jvms::new(config, vec![java], &Stop::new()).expect("a JVM"))
}

#[test]
fn a_division_in_a_loop_in_c() {
    check(c(), pathsmith_backend_c::CBackend, DIVISION_IN_LOOP);
}

#[test]
fn a_division_in_a_loop_in_wasm() {
    check(wasm(), pathsmith_backend_wasm::WasmBackend, DIVISION_IN_LOOP);
}

#[test]
fn a_division_in_a_loop_on_the_jvm() {
    let Some(jvm) = jvm() else { return };
    check(jvm, pathsmith_backend_jvm::JvmBackend, DIVISION_IN_LOOP);
}

#[test]
fn a_product_in_a_loop_in_c() {
    check(c(), pathsmith_backend_c::CBackend, PRODUCT_IN_LOOP);
}

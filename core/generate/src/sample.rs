//! Arbitrary valid programs, with no promise about what they do.
//!
//! They use the whole language, so they are what printers, parsers, interpreters and backends are
//! tested with. Their realizations are whatever the interpreter makes of a few random inputs;
//! programs that are made to take a given path come from solving, not from here.

mod exprs;
mod floats;
mod values;

use self::exprs::Scope;
use self::values::Types;
use crate::shape::{GraphOptions, OptionsError, random_cfg};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::{Cfg, Path};
use pathsmith_symlang::lang::{
    Block, ConstOrHole, Ending, Function, Place, Program, Realization, Return, Scalar, Stmt, Term,
    ValueTy, Var, VarRef, VarTy, function_name,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{BlockId, FuncId, GlobalId, HoleId, VarId};

/// What sampled programs look like.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleOptions {
    /// The dialect that realizations hold in.
    pub dialect: Dialect,
    /// The most functions in a program, at least one.
    pub functions: u32,
    /// The graphs of its functions; `blocks` is the most.
    pub graph: GraphOptions,
    /// The share of constants that are holes. A function with a hole on its way has no
    /// realizations.
    pub holes: f64,
    /// How many inputs are tried for each function.
    pub inputs: u32,
    /// The share of programs with floating-point numbers.
    pub floats: f64,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self {
            dialect: Dialect::C,
            functions: 3,
            graph: GraphOptions { blocks: 8, switch_share: 0.15, ..GraphOptions::default() },
            holes: 0.0,
            inputs: 8,
            floats: 0.4,
        }
    }
}

impl SampleOptions {
    /// Checks that the options describe programs.
    ///
    /// # Errors
    /// The first option that does not make sense.
    pub fn validate(&self) -> Result<(), SampleOptionsError> {
        for (name, share) in [("holes", self.holes), ("floats", self.floats)] {
            if !(0.0..=1.0).contains(&share) {
                return Err(SampleOptionsError::Share(name, share));
            }
        }
        const MAX_FUNCTIONS: u32 = 1000;
        if !(1..=MAX_FUNCTIONS).contains(&self.functions) {
            return Err(SampleOptionsError::Functions(self.functions, MAX_FUNCTIONS));
        }
        Ok(self.graph.validate()?)
    }
}

/// Why [`SampleOptions`] describe no programs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SampleOptionsError {
    /// A share is none.
    #[error("`{0}` is {1}, but a share lies between 0 and 1")]
    Share(&'static str, f64),
    /// There are no functions, or too many.
    #[error("`functions` is {0}, but has to be between 1 and {1}")]
    Functions(u32, u32),
    /// The graphs make no sense.
    #[error(transparent)]
    Graph(#[from] OptionsError),
}

/// Draws a valid program. Options that do not [`validate`](SampleOptions::validate) give some
/// program or other.
///
/// ```
/// use pathsmith_symlang::Seed;
/// use pathsmith_symlang::lang::text::parse;
/// use pathsmith_generate::sample::{SampleOptions, sample_program};
///
/// let program = sample_program(&SampleOptions::default(), &mut Seed::new(1).rng());
/// assert_eq!(parse("sample", &program.to_string())?, program);
/// # Ok::<(), pathsmith_symlang::lang::text::SourceErrors>(())
/// ```
pub fn sample_program(options: &SampleOptions, rng: &mut Rng) -> Program {
    let mut program = Program { dialect: Some(options.dialect), ..Program::default() };
    let types = Types { has_floats: choose_share(options.floats, rng) };
    for i in 0..choose_below(4, rng) {
        let global = choose_var(types, format!("g{i}"), 0.0, &mut 0, rng);
        program.globals.push(global);
    }
    let n_functions = 1 + choose_below(options.functions.max(1) as usize, rng);
    for i in 0..n_functions {
        let is_last = i + 1 == n_functions;
        let function = Sampler { options, types, program: &program, rng, n_holes: 0 }
            .function(function_name(i as u64), is_last);
        program.functions.push(function);
    }
    if choose_bool(0.8, rng) {
        program.main = Some(FuncId::new(n_functions - 1));
    }
    find_realizations(options, &mut program, rng);
    program
}

/// Draws a variable with its initial values.
fn choose_var(types: Types, name: String, holes: f64, n_holes: &mut usize, rng: &mut Rng) -> Var {
    let elem = types.choose_storage(rng);
    let ty = match choose_bool(0.3, rng) {
        true => VarTy::array(elem, 1 + choose_below(8, rng) as u32),
        false => VarTy::scalar(elem),
    };
    let init = (0..ty.n_cells())
        .map(|_| match choose_bool(holes, rng) {
            true => ConstOrHole::Hole(new_hole(n_holes)),
            false => ConstOrHole::Const(values::choose_scalar(elem, rng)),
        })
        .collect();
    Var { name, ty, init }
}

fn new_hole(n_holes: &mut usize) -> HoleId {
    *n_holes += 1;
    HoleId::new(*n_holes - 1)
}

/// Draws one function.
struct Sampler<'a> {
    options: &'a SampleOptions,
    types: Types,
    program: &'a Program,
    rng: &'a mut Rng,
    n_holes: usize,
}

impl Sampler<'_> {
    /// The last function is not called by others, so it may assign to globals.
    fn function(mut self, name: String, is_last: bool) -> Function {
        let mut function = Function::new(name, self.types.choose_value_ty(self.rng));
        if choose_bool(0.3, self.rng) {
            function.docs = vec!["An arbitrary function.".to_owned(), String::new()];
        }
        function.n_params = choose_below(5, self.rng);
        for i in 0..function.n_params {
            let ty = VarTy::scalar(self.types.choose_storage(self.rng));
            function.vars.push(Var { name: format!("p{i}"), ty, init: Vec::new() });
        }
        for i in 0..choose_below(6, self.rng) {
            let name = format!("v{i}");
            let local =
                choose_var(self.types, name, self.options.holes, &mut self.n_holes, self.rng);
            function.vars.push(local);
        }
        let graph = &self.options.graph;
        let blocks = 1 + choose_below(graph.blocks.max(1) as usize, self.rng) as u32;
        let cfg = random_cfg(&GraphOptions { blocks, ..graph.clone() }, self.rng);
        for block in cfg.blocks() {
            let data = self.block(&mut function, &cfg, block, is_last);
            function.blocks.push(data);
        }
        function
    }

    fn block(
        &mut self,
        function: &mut Function,
        cfg: &Cfg,
        block: BlockId,
        globals_too: bool,
    ) -> Block {
        let mut stmts = Vec::new();
        for _ in 0..choose_below(4, self.rng) {
            stmts.extend(self.stmt(function, globals_too));
        }
        let term = self.term(function, cfg, block);
        let name = match block {
            _ if block == cfg.exit() => "exit".to_owned(),
            _ if block == cfg.entry() => "entry".to_owned(),
            _ => format!("B{}", block.index()),
        };
        Block { name, stmts, term }
    }

    fn stmt(&mut self, function: &mut Function, globals_too: bool) -> Option<Stmt> {
        let n_own = function.vars.len();
        let n_all = n_own + if globals_too { self.program.globals.len() } else { 0 };
        if n_all == 0 {
            return None;
        }
        let at = choose_below(n_all, self.rng);
        let var = match at.checked_sub(n_own) {
            None => VarRef::Var(VarId::new(at)),
            Some(global) => VarRef::Global(GlobalId::new(global)),
        };
        let ty = self.program.var(function, var).ty.clone();
        let value_ty = ty.cell_ty().widened();
        let mut scope = self.scope(function);
        let place = match ty {
            VarTy::Scalar(_) => Place::scalar(var),
            VarTy::Array(_, len) => Place::element(var, scope.index(len)),
        };
        Some(Stmt::Assign { place, value: scope.expr(value_ty, 3) })
    }

    fn term(&mut self, function: &mut Function, cfg: &Cfg, block: BlockId) -> Term {
        let ret = function.ret;
        match *cfg.succs(block) {
            [] if ret == ValueTy::CHECKSUM && choose_bool(0.7, self.rng) => self.checksum(function),
            [] => Term::Return(Return::Value(self.scope(function).expr(ret, 3))),
            [target] => Term::Goto(target),
            [then, otherwise] if choose_bool(0.9, self.rng) => {
                Term::If { cond: self.scope(function).condition(), then, otherwise }
            }
            ref targets => self.switch(function, targets),
        }
    }

    /// A checksum of everything, or of some variables.
    fn checksum(&mut self, function: &Function) -> Term {
        let own = (0..function.vars.len()).map(|at| VarRef::Var(VarId::new(at)));
        let globals = (0..self.program.globals.len()).map(|at| VarRef::Global(GlobalId::new(at)));
        let mut vars: Vec<VarRef> = own.chain(globals).collect();
        if choose_bool(0.6, self.rng) {
            return Term::Return(Return::Checksum);
        }
        vars.retain(|_| choose_bool(0.5, self.rng));
        Term::Return(if vars.is_empty() { Return::Checksum } else { Return::ChecksumOf(vars) })
    }

    fn switch(&mut self, function: &mut Function, targets: &[BlockId]) -> Term {
        let ty = values::choose_word_ty(self.rng);
        let on = self.scope(function).expr(ty.into(), 3);
        let (default, others) = targets.split_first().expect("a switch has targets");
        let mut cases: Vec<(ConstOrHole, BlockId)> = Vec::new();
        for target in others {
            let fill = match choose_bool(self.options.holes, self.rng) {
                true => ConstOrHole::Hole(new_hole(&mut self.n_holes)),
                false => ConstOrHole::Const(values::choose_int(ty.into(), self.rng)),
            };
            if cases.iter().all(|(known, _)| *known != fill) {
                cases.push((fill, *target));
            } else {
                // Labels differ, so this edge needs one of its own.
                let used =
                    |value| cases.iter().any(|(known, _)| *known == ConstOrHole::Const(value));
                let numbers = (0..).map(|number| Scalar::new(ty, number));
                let free = numbers.into_iter().find(|value| !used(*value));
                let free = free.expect("some value is free");
                cases.push((ConstOrHole::Const(free), *target));
            }
        }
        Term::Switch { on, cases, default: *default }
    }

    fn scope<'s>(&'s mut self, function: &'s mut Function) -> Scope<'s> {
        Scope {
            program: self.program,
            types: self.types,
            function,
            rng: self.rng,
            holes: self.options.holes,
            n_holes: &mut self.n_holes,
        }
    }
}

/// Tries inputs, and keeps those that lead to a defined output.
fn find_realizations(options: &SampleOptions, program: &mut Program, rng: &mut Rng) {
    let code = Code::new(program);
    let mut machine = Machine::new(&code, options.dialect);
    let limits = Limits { steps: 2_000, depth: 50 };
    for id in (0..program.functions.len()).map(FuncId::new) {
        let mut found: Vec<Realization> = Vec::new();
        for _ in 0..options.inputs {
            let params = program.function(id).params();
            let choose = |param: &Var| values::choose_scalar(param.ty.cell_ty(), rng);
            let args: Vec<Scalar> = params.iter().map(choose).collect();
            if found.iter().any(|known| known.args == args) {
                continue;
            }
            if let Outcome::Returned(output) = machine.run(id, &args, limits) {
                let path = Path::new(machine.path().to_vec());
                let (ending, leaving) = (Ending::Returns(output), machine.leaving());
                found.push(Realization { args, path, ending, leaving });
            }
        }
        program.functions[id.index()].realizations = found;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::lang::text::parse;
    use pathsmith_symlang::lang::{BinOp, Expr, FloatTy, ScalarTy, UnOp, validate};

    proptest! {
        #[test]
        fn samples_are_valid_and_round_trip(seed: u64, holes in prop_oneof![Just(0.0), 0.0..1.0]) {
            let dialect = Dialect::ALL[(seed % 3) as usize];
            let options = SampleOptions { dialect, holes, ..SampleOptions::default() };
            let program = sample_program(&options, &mut Seed::new(seed).rng());
            prop_assert_eq!(validate(&program), vec![]);
            let text = program.to_string();
            let again = parse("sample", &text).unwrap();
            prop_assert_eq!(&again, &program);
            prop_assert_eq!(again.to_string(), text);
        }
    }

    /// All operators and conversions are drawn, and most programs come to defined ends.
    #[test]
    fn samples_with_floats_use_all_operators_and_have_realizations() {
        let mut n_runs = 0;
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..300 {
            let dialect = Dialect::ALL[(seed % 3) as usize];
            let options = SampleOptions { dialect, floats: 1.0, ..SampleOptions::default() };
            let program = sample_program(&options, &mut Seed::new(seed).rng());
            for function in &program.functions {
                n_runs += function.realizations.len();
                function.for_each_expr(|_, expr| {
                    let what = match expr {
                        Expr::Unary(op, on) => (format!("{op:?}"), *on),
                        Expr::Binary(op, on, _) => (format!("{op:?}"), *on),
                        Expr::Cast(to, on) => (to.to_string(), *on),
                        Expr::Const(_)
                        | Expr::Hole(..)
                        | Expr::Read(_)
                        | Expr::Select(..)
                        | Expr::Call(..) => return,
                    };
                    seen.insert((what.0, program.expr_ty(function, what.1)));
                });
            }
        }
        assert!(n_runs > 600, "{n_runs}");
        for ty in FloatTy::ALL {
            let on = ValueTy::Float(ty);
            let unary = UnOp::ALL.into_iter().filter(|op| op.takes(on)).map(|op| format!("{op:?}"));
            let binary =
                BinOp::ALL.into_iter().filter(|op| op.takes(on)).map(|op| format!("{op:?}"));
            let casts = ScalarTy::ALL.into_iter().filter(|to| *to != ScalarTy::Float(ty));
            for what in unary.chain(binary).chain(casts.map(|to| to.to_string())) {
                assert!(seen.contains(&(what.clone(), on)), "{what} of {on}");
            }
        }
    }

    #[test]
    fn a_fair_share_of_samples_has_realizations_and_few_are_alike() {
        let mut n_realized = 0;
        let mut paths = std::collections::BTreeSet::new();
        for seed in 0..200 {
            let program = sample_program(&SampleOptions::default(), &mut Seed::new(seed).rng());
            let all = program.functions.iter().flat_map(|f| &f.realizations);
            n_realized += usize::from(all.clone().next().is_some());
            paths.extend(all.map(|realization| format!("{:?}", realization.path)));
        }
        assert!(n_realized > 60, "{n_realized}");
        assert!(paths.len() > 30, "{}", paths.len());
    }
}

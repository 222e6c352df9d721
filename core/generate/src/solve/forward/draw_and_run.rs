//! Constants and inputs that are drawn at random, and judged by running the function.
//!
//! For functions whose course does not hang on their constants, as that of a loop over an array
//! does not: any values will do that keep it defined. They get tamer from try to try.

use super::draw::{Bias, choose_for_role, choose_scalar};
use super::eval_context::EvalContext;
use super::roles::{HoleSite, collect, collect_stmt};
use crate::solve::{Model, ValuePolicy, Words};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{ConstOrHole, Program, Scalar, ScalarTy, Term};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{FuncId, HoleId, Rng};

/// How often values are drawn; each two tries are tamer than the two before (a guess).
const N_TRIES: usize = 12;

/// Draws values for all holes and for the arguments that are not given, until the function returns
/// within `max_steps`. Returns them, and the path that it takes.
pub(crate) fn draw_and_run(
    program: &Program,
    function: FuncId,
    args: &[Option<Scalar>],
    dialect: Dialect,
    value_policy: ValuePolicy<'_>,
    max_steps: u64,
    rng: &mut Rng,
) -> Option<(Model, Path)> {
    let ctx = EvalContext::new(program, function, dialect, value_policy, Limits::default());
    let holes = Holes::of(&ctx);
    let mut words = Words::empty(ctx.function);
    let limits = Limits { steps: max_steps, ..Limits::default() };
    let n_tries = if holes.is_empty() && args.iter().all(Option::is_some) { 1 } else { N_TRIES };
    (0..n_tries).find_map(|nth| {
        let bias = (nth / 2) as Bias;
        holes.draw(value_policy, bias, &mut words.holes, rng);
        for (at, param) in ctx.function.params().iter().enumerate() {
            let ty = param.ty.cell_ty();
            let word =
                args[at].map_or_else(|| choose_scalar(value_policy, ty, bias, rng), Scalar::word);
            words.args[at] = Some(word);
        }
        let model = words.clone().typed(ctx.function, |id| ctx.ty(id));
        let mut filled = program.clone();
        model.fill(&mut filled.functions[function.index()]);
        let input: Vec<Scalar> = model.args.iter().copied().collect::<Option<_>>()?;
        let code = Code::new(&filled);
        let mut machine = Machine::new(&code, dialect);
        match machine.run(function, &input, limits) {
            Outcome::Returned(_) => Some((model, Path::new(machine.path().to_vec()))),
            Outcome::Undefined(_)
            | Outcome::Trapped(..)
            | Outcome::OutOfSteps
            | Outcome::OutOfDepth
            | Outcome::Hole(..) => None,
        }
    })
}

/// All holes of a function, by what is known of them.
struct Holes {
    sites: Vec<HoleSite>,
    initial: Vec<(HoleId, ScalarTy)>,
    labels: Vec<(HoleId, ScalarTy)>,
}

impl Holes {
    fn of(ctx: &EvalContext<'_>) -> Self {
        let mut sites = Vec::new();
        let mut labels = Vec::new();
        for block in &ctx.function.blocks {
            block.stmts.iter().for_each(|stmt| collect_stmt(ctx, stmt, &mut sites));
            if let Some(root) = block.term.root() {
                collect(ctx, root, &mut sites);
            }
            if let Term::Switch { on, cases, .. } = &block.term {
                let ty = ctx.ty(*on).stored_as();
                labels.extend(cases.iter().filter_map(|(label, _)| hole(label, ty)));
            }
        }
        let initial = ctx.function.vars.iter().flat_map(|var| {
            let ty = var.ty.cell_ty();
            var.init.iter().filter_map(move |fill| hole(fill, ty))
        });
        Self { sites, initial: initial.collect(), labels }
    }

    fn is_empty(&self) -> bool {
        self.sites.is_empty() && self.initial.is_empty() && self.labels.is_empty()
    }

    fn draw(
        &self,
        value_policy: ValuePolicy<'_>,
        bias: Bias,
        holes: &mut [Option<i64>],
        rng: &mut Rng,
    ) {
        for site in &self.sites {
            holes[site.hole.index()] = Some(choose_for_role(value_policy, site, bias, rng));
        }
        for (hole, ty) in self.initial.iter().chain(&self.labels) {
            holes[hole.index()] = Some(choose_scalar(value_policy, *ty, bias, rng));
        }
    }
}

fn hole(fill: &ConstOrHole, ty: ScalarTy) -> Option<(HoleId, ScalarTy)> {
    match fill {
        ConstOrHole::Hole(hole) => Some((*hole, ty)),
        ConstOrHole::Const(_) => None,
    }
}

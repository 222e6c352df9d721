//! Callers that go on as before although what they call returns something else.
//!
//! Programs are linked by calls of the form `f(i) + (c - o)`, where `o` is what `f` returns. When an
//! edit changes what `f` returns, the constant beside the call is changed along with it, so that
//! the sum stays what it was: otherwise nothing of a function could be left out without turning its
//! callers off their paths.

use pathsmith_edit::Facts;
use pathsmith_edit::Finished;
use pathsmith_edit::set_guard_output;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, Function, Program, RecursionGuard, Scalar, ScalarTy, Term, Var,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, table};
use pathsmith_symlang::{ExprId, FuncId};

/// A constant beside a call.
struct Site {
    caller: FuncId,
    constant: ExprId,
    callee: FuncId,
    args: Vec<Scalar>,
    /// What the value that is returned goes through, the innermost first.
    casts: Vec<ScalarTy>,
    /// The word that the call returned before the edit, after all casts.
    before: i64,
}

impl Site {
    /// What has to be added to the constant if the callee returns `output`.
    fn correction(&self, output: Scalar) -> i64 {
        let start = (output.ty().widened(), output.word());
        let (_, now) = self
            .casts
            .iter()
            .fold(start, |(from, word), ty| (ty.widened(), table::cast(from, *ty, word).word));
        self.before.wrapping_sub(now)
    }
}

/// The program with the constants beside calls, and the outputs of guards, corrected for what is
/// returned now; `None` if nothing has to be corrected. `base` is the program before the edit,
/// `facts` what was seen of it.
pub(super) fn compensated(
    finished: &Finished,
    base: &Program,
    facts: &Facts,
    limits: Limits,
) -> Option<Program> {
    let dialect = base.dialect?;
    let sites = sites(finished, base, facts);
    if sites.is_empty() {
        return None;
    }
    let mut program = finished.program.clone();
    let mut closed = closed(&program);
    let mut changed = false;
    for caller in callees_first(&closed.program) {
        let mut corrections = Vec::new();
        for site in sites.iter().filter(|site| site.caller == caller) {
            if closed.is_guard[site.callee.index()] {
                continue;
            }
            if let Some(output) = closed.run(dialect, site.callee, &site.args, limits) {
                corrections.push((site, site.correction(output)));
            }
        }
        corrections.retain(|(_, correction)| *correction != 0);
        for (site, correction) in corrections {
            correct(&mut program, site, correction);
            correct(&mut closed.program, site, correction);
            (closed.code, changed) = (None, true);
        }
    }
    for (id, _) in finished.program.functions_with_ids() {
        let Some(guard) = RecursionGuard::of(&finished.program, id) else { continue };
        let args = facts.function(finished.origins[id.index()].0).calls.first();
        let Some(args) = args.filter(|args| args.len() == program.function(guard.body).n_params)
        else {
            continue;
        };
        let Some(output) = closed.run(dialect, guard.body, args, limits) else { continue };
        if output != guard.output {
            changed = true;
            set_guard_output(&mut program, id, output);
            for site in sites.iter().filter(|site| site.callee == id) {
                correct(&mut program, site, site.correction(output));
            }
        }
    }
    changed.then_some(program)
}

fn correct(program: &mut Program, site: &Site, correction: i64) {
    let function = &mut program.functions[site.caller.index()];
    if let Expr::Const(constant) = function.expr_mut(site.constant) {
        *constant = Const::new(constant.ty(), constant.word().wrapping_add(correction));
    }
}

/// A program in which guards return at once what they returned before, so that functions can be
/// asked for their outputs one by one, callees first.
struct Closed {
    program: Program,
    is_guard: Vec<bool>,
    code: Option<Code>,
}

impl Closed {
    /// What a function returns, if it does.
    fn run(
        &mut self,
        dialect: Dialect,
        id: FuncId,
        args: &[Scalar],
        limits: Limits,
    ) -> Option<Scalar> {
        let code = self.code.get_or_insert_with(|| Code::new(&self.program));
        Machine::new(code, dialect).run(id, args, limits).ending()?.returned()
    }
}

fn closed(program: &Program) -> Closed {
    let ids = (0..program.functions.len()).map(FuncId::new);
    let is_guard: Vec<bool> = ids.map(|id| RecursionGuard::of(program, id).is_some()).collect();
    let mut program = program.clone();
    for (function, is_guard) in std::iter::zip(&mut program.functions, &is_guard) {
        if let (true, Term::If { cond, .. }) = (is_guard, &function.blocks[0].term)
            && let Expr::Binary(_, _, rounds) = *function.expr(*cond)
        {
            *function.expr_mut(rounds) = Expr::Const(Const::new(RecursionGuard::COUNTER_TY, 0));
        }
    }
    Closed { program, is_guard, code: None }
}

/// The functions of a program, each after those that it calls, as far as there is such an order.
fn callees_first(program: &Program) -> Vec<FuncId> {
    let mut order = Vec::new();
    let mut seen = vec![false; program.functions.len()];
    for root in (0..program.functions.len()).map(FuncId::new) {
        let mut stack = vec![(root, false)];
        while let Some((id, ready)) = stack.pop() {
            if ready {
                order.push(id);
            } else if !std::mem::replace(&mut seen[id.index()], true) {
                stack.push((id, true));
                if RecursionGuard::of(program, id).is_none() {
                    program.function(id).for_each_expr(|_, expr| {
                        if let Expr::Call(callee, _) = expr {
                            stack.push((*callee, false));
                        }
                    });
                }
            }
        }
    }
    order
}

/// All sums of a constant and a call that always gave the same.
fn sites(finished: &Finished, base: &Program, facts: &Facts) -> Vec<Site> {
    let program = &finished.program;
    let mut sites = Vec::new();
    if program.functions.len() < 2 {
        return sites;
    }
    for (caller, function) in program.functions_with_ids() {
        let (old_caller, origins) = &finished.origins[caller.index()];
        let old = base.function(*old_caller);
        // What an expression of now always was before, if it was there.
        let was = |id: ExprId| {
            let old_id = *origins.get(id.index())?;
            let is_old = old_id.index() < old.n_exprs();
            let seen = is_old.then(|| facts.seen(*old_caller, old_id)).flatten()?;
            let same_ty = base.expr_ty(old, old_id) == program.expr_ty(function, id);
            (same_ty && seen.is_constant()).then_some(seen.first)
        };
        function.for_each_expr(|_, expr| {
            let Expr::Binary(BinOp::Add, a, b) = *expr else { return };
            // Sums of floating-point numbers are rounded: no number corrects them.
            let is_int = |constant: &Const| constant.ty().is_int();
            let (constant, call) = match (function.expr(a), function.expr(b)) {
                (Expr::Const(number), _) if is_int(number) => (a, b),
                (_, Expr::Const(number)) if is_int(number) => (b, a),
                _ => return,
            };
            let Some((callee, args, casts)) = call_within(function, call) else { return };
            let value = |arg: &ExprId| match function.expr(*arg) {
                Expr::Const(constant) => Some(constant.word()),
                _ => was(*arg),
            };
            let params = program.function(callee).params().iter();
            let arg = |(param, arg): (&Var, _)| Some(Scalar::new(param.ty.cell_ty(), value(arg)?));
            let args: Option<Vec<Scalar>> = params.zip(args).map(arg).collect();
            if let (Some(args), Some(before)) = (args, was(call)) {
                sites.push(Site { caller, constant, callee, args, casts, before });
            }
        });
    }
    sites
}

/// The call that an expression consists of, casts aside.
fn call_within(function: &Function, of: ExprId) -> Option<(FuncId, &[ExprId], Vec<ScalarTy>)> {
    let (mut casts, mut id) = (Vec::new(), of);
    while let Expr::Cast(ty, operand) = function.expr(id) {
        casts.push(*ty);
        id = *operand;
    }
    casts.reverse();
    match function.expr(id) {
        Expr::Call(callee, args) => Some((*callee, args, casts)),
        _ => None,
    }
}

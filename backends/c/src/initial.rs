//! Initial values that are never read.
//!
//! A local is initialised when its function is called. If every run that is known to take place
//! assigns to it before reading it, the initial value does not matter, and C can do without it.

use pathsmith_backend::FunctionContext;
use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::lang::effects::{for_each_read, may_write, overwrites};
use pathsmith_symlang::lang::{Function, Return, Term, VarRef, VarTy};
use pathsmith_symlang::{BlockId, ExprId, Rng, VarId};

/// For each variable of a function, whether nothing reads its initial value. It holds for scalar
/// locals only.
///
/// A function that nothing calls runs along the paths of its realizations. One that others call may
/// run along any path, and so may one without realizations.
pub(crate) fn unread(function: &Function, is_called: bool) -> Vec<bool> {
    let effects: Vec<Effect> =
        function.blocks_with_ids().map(|(block, _)| Effect::of(function, block)).collect();
    let mut is_read = match function.realizations.is_empty() || is_called {
        true => read_on_any_path(function, &effects),
        false => read_on_known_paths(function, &effects),
    };
    for (i, is_read) in is_read.iter_mut().enumerate() {
        let is_scalar = matches!(function.vars[i].ty, VarTy::Scalar(_));
        *is_read |= i < function.params().len() || !is_scalar;
    }
    is_read.into_iter().map(|is_read| !is_read).collect()
}

/// Draws which locals are left without an initial value, each with the given probability.
pub(crate) fn choose_uninitialised(
    context: &FunctionContext<'_>,
    probability: f64,
    rng: &mut Rng,
) -> Vec<VarId> {
    let unread = unread(context.function, context.is_called).into_iter().enumerate();
    let chosen = unread.filter(|(_, is_unread)| choose_bool(probability, rng) && *is_unread);
    chosen.map(|(i, _)| VarId::new(i)).collect()
}

/// What a block does to variables.
struct Effect {
    /// Those that it reads before it assigns to them.
    reads: Vec<bool>,
    /// Those that it assigns to, as a whole.
    assigns: Vec<bool>,
}

impl Effect {
    fn of(function: &Function, block: BlockId) -> Self {
        let none = vec![false; function.vars.len()];
        let mut effect = Self { reads: none.clone(), assigns: none };
        let data = function.block(block);
        for stmt in &data.stmts {
            stmt.roots().for_each(|root| effect.read_expr(function, root));
            for var in (0..function.vars.len()).map(VarId::new) {
                if overwrites(stmt, VarRef::Var(var)) {
                    effect.assigns[var.index()] = true;
                } else if may_write(stmt, VarRef::Var(var)) {
                    // What is not written of it keeps its initial value.
                    effect.read(var);
                }
            }
        }
        match &data.term {
            Term::Return(Return::Checksum) => {
                (0..function.vars.len()).for_each(|i| effect.read(VarId::new(i)));
            }
            Term::Return(Return::ChecksumOf(vars)) => {
                for var in vars {
                    match var {
                        VarRef::Var(var) => effect.read(*var),
                        VarRef::Global(_) => {}
                    }
                }
            }
            Term::Goto(_) => {}
            Term::If { cond: root, .. }
            | Term::Switch { on: root, .. }
            | Term::Return(Return::Value(root)) => effect.read_expr(function, *root),
        }
        effect
    }

    fn read_expr(&mut self, function: &Function, root: ExprId) {
        for_each_read(function, root, &mut |place| match place.var() {
            VarRef::Var(var) => self.read(var),
            VarRef::Global(_) => {}
        });
    }

    fn read(&mut self, var: VarId) {
        let i = var.index();
        self.reads[i] |= !self.assigns[i];
    }
}

/// The variables whose initial value some realization reads.
fn read_on_known_paths(function: &Function, effects: &[Effect]) -> Vec<bool> {
    let mut is_read = vec![false; function.vars.len()];
    for realization in &function.realizations {
        let mut is_assigned = vec![false; function.vars.len()];
        let mut was_here = vec![false; effects.len()];
        for block in realization.path.blocks() {
            // A second visit reads nothing that the first has not read with less assigned.
            if std::mem::replace(&mut was_here[block.index()], true) {
                continue;
            }
            let effect = &effects[block.index()];
            for i in 0..is_read.len() {
                is_read[i] |= effect.reads[i] && !is_assigned[i];
                is_assigned[i] |= effect.assigns[i];
            }
        }
    }
    is_read
}

/// The variables whose initial value is read on some way through the graph.
fn read_on_any_path(function: &Function, effects: &[Effect]) -> Vec<bool> {
    let n_vars = function.vars.len();
    // For each block that was reached, what is assigned on all paths that lead there.
    let mut assigned: Vec<Option<Vec<bool>>> = vec![None; effects.len()];
    assigned[0] = Some(vec![false; n_vars]);
    let mut work = vec![BlockId::new(0)];
    while let Some(block) = work.pop() {
        let Some(mut after) = assigned[block.index()].clone() else { continue };
        for (after, assigns) in std::iter::zip(&mut after, &effects[block.index()].assigns) {
            *after |= assigns;
        }
        function.block(block).term.for_each_target(|target| {
            let known = &mut assigned[target.index()];
            let met: Vec<bool> = match known {
                Some(known) => std::iter::zip(&*known, &after).map(|(a, b)| *a && *b).collect(),
                None => after.clone(),
            };
            if known.as_ref() != Some(&met) {
                *known = Some(met);
                work.push(target);
            }
        });
    }
    let mut is_read = vec![false; n_vars];
    for (effect, assigned) in std::iter::zip(effects, &assigned) {
        let Some(assigned) = assigned else { continue };
        for i in 0..n_vars {
            is_read[i] |= effect.reads[i] && !assigned[i];
        }
    }
    is_read
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    /// The names of the variables of the first function that need no initial value.
    fn check(body: &str, rest: &str, expected: &[&str]) {
        let text = format!(
            "fn f(a: i32) -> u32 {{
                var v: i32 = 1; var w: i32 = 2; var x: [i32; 2] = [3, 4];
                {body}
            }} {rest}"
        );
        let program = parse("test", &text).unwrap();
        let context = FunctionContext::all(&program)[0];
        let is_unread = unread(context.function, context.is_called);
        let vars = std::iter::zip(&program.functions[0].vars, is_unread);
        let names: Vec<&str> =
            vars.filter(|(_, is_unread)| *is_unread).map(|(var, _)| &var.name[..]).collect();
        assert_eq!(names, expected, "{text}");
    }

    const DIAMOND: &str = "entry: if a goto left else right;
        left: v = 5; w = v; goto exit;
        right: v = a; goto exit;
        exit: x[0] = a; return checksum;";

    #[test]
    fn without_realizations_every_way_counts() {
        check(DIAMOND, "", &["v"]);
        check("entry: w = v; v = 1; return checksum;", "", &["w"]);
        check("entry: w = 1; w = w + v; return u32(w);", "", &["w"]);
        check("entry: x[0] = 1; return 0u32;", "", &["v", "w"]);
        check("entry: a = x[v]; return checksum;", "", &[]);
        let cycle = "entry: goto head;
            head: if a goto body else exit;
            body: v = w; w = 1; a = 0; goto head;
            exit: return checksum;";
        check(cycle, "", &[]);
    }

    #[test]
    fn with_realizations_only_their_ways_count() {
        let left = "realize f(1) = 0 via entry left exit;";
        let right = "realize f(0) = 0 via entry right exit;";
        check(DIAMOND, left, &["v", "w"]);
        check(DIAMOND, right, &["v"]);
        check(DIAMOND, &format!("{left} {right}"), &["v"]);
    }

    #[test]
    fn functions_that_are_called_may_take_any_path() {
        let left = "realize f(1) = 0 via entry left exit;";
        check(DIAMOND, &format!("{left} fn g() -> u32 {{ entry: return f(0); }}"), &["v"]);
    }
}

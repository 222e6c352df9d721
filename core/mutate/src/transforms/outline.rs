//! Regions as functions of their own.

use pathsmith_edit::{Claim, Draft, Reach, Transform};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{
    Block, ConstOrHole, Expr, Function, PlaceForm, Program, Return, Stmt, Term, ValueTy, Var,
    VarRef, VarTy,
};
use pathsmith_symlang::{BlockId, ExprId, FuncId, Rng, VarId};

use crate::edits::{
    add_block, add_local, add_read, assign, fresh_function_name, param_prefix, split,
};
use crate::profile::Point;
use crate::sites::{choose_loop, choose_site, for_each_in};
use crate::subject::Subject;

/// For each variable that a region assigns, there is a function that returns it. A guess.
const MAX_ASSIGNED: usize = 3;

/// So many parameters a new function has at most. A guess: more than fit into registers.
const MAX_PARAMS: usize = 12;

/// Moves statements, a loop or an expression to a new function, and calls that. A function returns one
/// value and leaves nothing in memory: so each variable that the region assigns gets a function, all
/// with the whole region for a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline;

impl Transform for Outline {
    type Profile = Subject;

    fn name(&self) -> &'static str {
        "outline"
    }

    fn claim(&self) -> Claim {
        Claim::Equivalent
    }

    fn edit(&self, draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
        (choose_bool(0.3, rng) && outline_loop(draft, subject, rng))
            || (choose_bool(0.6, rng) && outline_stmts(draft, subject, rng))
            || outline_expr(draft, subject, rng)
    }
}

/// Blocks with one entry, the first, that lead to one block outside.
struct Region {
    function: FuncId,
    blocks: Vec<BlockId>,
    after: BlockId,
    /// The scalars that are assigned.
    assigned: Vec<VarRef>,
    /// The scalars that are read or assigned.
    named: Vec<VarRef>,
}

fn outline_loop(draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
    let site = choose_site(&subject.sites.blocks, rng, |_| true);
    let Some((id, _)) = site else { return false };
    let function = draft.program.function(id);
    let Some(blocks) = choose_loop(function, subject.sizes.region as usize, rng) else {
        return false;
    };
    let Some(region) = Region::new(&draft.program, id, blocks) else { return false };
    region.outline(draft);
    true
}

fn outline_stmts(draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
    let program = &draft.program;
    let n_stmts = |point: &Point| program.function(point.function).block(point.block).stmts.len();
    let site = choose_site(&subject.sites.live, rng, |point| point.at < n_stmts(point));
    let Some(point) = site else { return false };
    let n = 1 + choose_below(n_stmts(&point) - point.at, rng);
    let before = program.function(point.function).clone();
    let function = draft.function(point.function);
    split(function, point.block, point.at + n);
    let middle = split(function, point.block, point.at);
    match Region::new(&draft.program, point.function, vec![middle]) {
        Some(region) => region.outline(draft),
        None => {
            *draft.function(point.function) = before;
            return false;
        }
    }
    true
}

impl Region {
    /// Nothing if the blocks do not lead to one block outside, use local arrays or assign other than
    /// a few scalars, or evaluate calls, which would be evaluated several times.
    fn new(program: &Program, id: FuncId, blocks: Vec<BlockId>) -> Option<Self> {
        let function = program.function(id);
        let (mut assigned, mut named, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        let mut is_fine = true;
        for block in &blocks {
            let content = function.block(*block);
            content.term.for_each_target(|target| {
                if !blocks.contains(&target) && !targets.contains(&target) {
                    targets.push(target);
                }
            });
            for stmt in &content.stmts {
                match stmt.assigned().form() {
                    PlaceForm::Scalar(var) => {
                        push_new(&mut assigned, var);
                        push_new(&mut named, var);
                    }
                    PlaceForm::Element(..) => is_fine = false,
                }
            }
            let roots = content.stmts.iter().flat_map(Stmt::roots).chain(content.term.root());
            for root in roots {
                for_each_in(function, root, &mut |expr| match function.expr(expr) {
                    Expr::Read(place) => match place.form() {
                        PlaceForm::Scalar(var) => push_new(&mut named, var),
                        PlaceForm::Element(..) => is_fine = false,
                    },
                    Expr::Call(..) | Expr::Hole(..) => is_fine = false,
                    Expr::Const(_)
                    | Expr::Unary(..)
                    | Expr::Binary(..)
                    | Expr::Select(..)
                    | Expr::Cast(..) => {}
                });
            }
        }
        let [after] = targets[..] else { return None };
        let n_assigned = assigned.len();
        let is_small = (1..=MAX_ASSIGNED).contains(&n_assigned) && named.len() <= MAX_PARAMS;
        (is_fine && is_small).then_some(Self { function: id, blocks, after, assigned, named })
    }

    /// Calls new functions in the place of the region.
    fn outline(&self, draft: &mut Draft) {
        let callees: Vec<(VarRef, FuncId)> =
            self.assigned.iter().map(|var| (*var, self.add_function(draft, *var))).collect();
        // All are called before the first variable changes.
        let results: Vec<VarRef> = callees
            .iter()
            .map(|(var, _)| {
                let ty = self.ty(draft, *var);
                add_local(draft, self.function, ty.stored_as(), 0)
            })
            .collect();
        let function = draft.function(self.function);
        let mut stmts = Vec::new();
        for ((_, callee), result) in std::iter::zip(&callees, &results) {
            let args = self.named.iter().map(|var| add_read(function, *var)).collect();
            let call = function.add_expr(Expr::Call(*callee, args));
            stmts.push(assign(*result, call));
        }
        for ((var, _), result) in std::iter::zip(&callees, &results) {
            let read = add_read(function, *result);
            stmts.push(assign(*var, read));
        }
        let call = add_block(function, stmts, Term::Goto(self.after));
        for (at, block) in function.blocks.iter_mut().enumerate() {
            if !self.blocks.contains(&BlockId::new(at)) {
                block
                    .term
                    .map_targets(|target| if target == self.blocks[0] { call } else { target });
            }
        }
    }

    fn ty(&self, draft: &Draft, var: VarRef) -> ValueTy {
        let function = draft.program.function(self.function);
        draft.program.var(function, var).ty.cell_ty().widened()
    }

    /// A function that does what the region does, and returns `result`.
    fn add_function(&self, draft: &mut Draft, result: VarRef) -> FuncId {
        let name = fresh_function_name(&draft.program, "outlined");
        let program = &draft.program;
        let old = program.function(self.function);
        let mut new = Function::new(name, self.ty(draft, result));
        let prefix = param_prefix(program);
        for (at, var) in self.named.iter().enumerate() {
            let ty = program.var(old, *var).ty.clone();
            new.vars.push(Var { name: format!("{prefix}{at}"), ty, init: Vec::new() });
        }
        new.n_params = new.vars.len();
        let renamed = |var: VarRef| {
            let at = self.named.iter().position(|named| *named == var).unwrap_or(0);
            VarRef::Var(VarId::new(at))
        };
        new.blocks.push(Block {
            name: "entry".to_owned(),
            stmts: Vec::new(),
            term: Term::Goto(BlockId::new(1)),
        });
        let exit = BlockId::new(1 + self.blocks.len());
        for (at, id) in self.blocks.iter().enumerate() {
            let block = old.block(*id);
            let mut stmts = Vec::with_capacity(block.stmts.len());
            for Stmt::Assign { place, value } in &block.stmts {
                let PlaceForm::Scalar(var) = place.form() else { continue };
                let value = copy_renamed(old, &mut new, *value, &renamed);
                stmts.push(assign(renamed(var), value));
            }
            let mut term = block.term.clone();
            match &mut term {
                Term::If { cond: root, .. } | Term::Switch { on: root, .. } => {
                    *root = copy_renamed(old, &mut new, *root, &renamed);
                }
                Term::Goto(_) | Term::Return(_) => {}
            }
            term.map_targets(|target| {
                let at = self.blocks.iter().position(|block| *block == target);
                at.map_or(exit, |at| BlockId::new(1 + at))
            });
            new.blocks.push(Block { name: format!("B{at}"), stmts, term });
        }
        let value = add_read(&mut new, renamed(result));
        new.blocks.push(Block {
            name: "exit".to_owned(),
            stmts: Vec::new(),
            term: Term::Return(Return::Value(value)),
        });
        debug_assert!(Reach::blocks_of(&new)[exit.index()], "a region leads to what is behind it");
        draft.add_function(new)
    }
}

fn push_new(vars: &mut Vec<VarRef>, var: VarRef) {
    if !vars.contains(&var) {
        vars.push(var);
    }
}

fn copy_renamed(
    from: &Function,
    to: &mut Function,
    root: ExprId,
    renamed: &impl Fn(VarRef) -> VarRef,
) -> ExprId {
    let mut expr = from.expr(root).clone();
    if let Expr::Read(place) = &mut expr {
        *place.var_mut() = renamed(place.var());
    }
    expr.for_each_operand_mut(|operand| *operand = copy_renamed(from, to, *operand, renamed));
    to.add_expr(expr)
}

/// Moves an expression to a new function. What it reads, and what it calls, is passed.
fn outline_expr(draft: &mut Draft, subject: &Subject, rng: &mut Rng) -> bool {
    let program = &draft.program;
    let is_operation = |(point, expr): &(Point, ExprId)| {
        let function = program.function(point.function);
        match function.expr(*expr) {
            Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) | Expr::Cast(..) => {
                let mut n_passed = 0;
                passed(function, *expr, &mut |_| n_passed += 1);
                n_passed <= MAX_PARAMS
            }
            Expr::Const(_) | Expr::Hole(..) | Expr::Read(_) | Expr::Call(..) => false,
        }
    };
    let Some((point, root)) = choose_site(&subject.sites.exprs, rng, is_operation) else {
        return false;
    };
    let old = program.function(point.function);
    let mut new =
        Function::new(fresh_function_name(program, "outlined"), program.expr_ty(old, root));
    let (mut args, prefix) = (Vec::new(), param_prefix(program));
    passed(old, root, &mut |expr| {
        let ty = program.expr_ty(old, expr).stored_as();
        new.vars.push(Var {
            name: format!("{prefix}{}", args.len()),
            ty: VarTy::scalar(ty),
            init: Vec::<ConstOrHole>::new(),
        });
        args.push(expr);
    });
    new.n_params = new.vars.len();
    let mut n_read = 0;
    let value = copy_with_params(old, &mut new, root, &mut n_read);
    new.blocks.push(Block {
        name: "entry".to_owned(),
        stmts: Vec::new(),
        term: Term::Return(Return::Value(value)),
    });
    let callee = draft.add_function(new);
    *draft.function(point.function).expr_mut(root) = Expr::Call(callee, args.into());
    true
}

/// Calls `visit` on the parts of an expression that only its own function can evaluate.
fn passed(function: &Function, root: ExprId, visit: &mut impl FnMut(ExprId)) {
    match function.expr(root) {
        Expr::Read(_) | Expr::Call(..) | Expr::Hole(..) => visit(root),
        Expr::Const(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Select(..) | Expr::Cast(..) => {
            for operand in function.expr(root).operands() {
                passed(function, operand, visit);
            }
        }
    }
}

fn copy_with_params(
    from: &Function,
    to: &mut Function,
    root: ExprId,
    n_read: &mut usize,
) -> ExprId {
    match from.expr(root) {
        Expr::Read(_) | Expr::Call(..) | Expr::Hole(..) => {
            *n_read += 1;
            add_read(to, VarRef::Var(VarId::new(*n_read - 1)))
        }
        other @ (Expr::Const(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select(..)
        | Expr::Cast(..)) => {
            let mut expr = other.clone();
            expr.for_each_operand_mut(|operand| {
                *operand = copy_with_params(from, to, *operand, n_read);
            });
            to.add_expr(expr)
        }
    }
}

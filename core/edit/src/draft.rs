//! A program while it is being edited.
//!
//! Several edits can be made to one draft, so none of them may move what another one names: what
//! goes is only marked, and taken out in the end, together with what nothing leads to any more.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::reach::Reach;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{
    Const, Ending, Expr, Function, Place, Program, Realization, Return, Scalar, Term, ValueTy,
    VarRef,
};
use pathsmith_symlang::{BlockId, ExprId, FuncId, GlobalId, VarId};

/// An edited program, and where its parts come from.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The program. Its realizations have arguments and say whether they trap; paths and outputs
    /// are still to be found.
    pub program: Program,
    /// For each function, which one it was and which each of its expressions was. Those that were
    /// not there before have ids beyond those that were.
    pub origins: Vec<(FuncId, Vec<ExprId>)>,
}

/// A program while it is being edited. Ids are those of the program that it began as.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The program as it is so far.
    pub program: Program,
    /// What nothing led to before the first edit. It is not an edit's business.
    before: Arc<Reach>,
    /// The functions that were asked for, to be changed.
    touched: BTreeSet<FuncId>,
    functions: BTreeSet<FuncId>,
    realizations: BTreeSet<(FuncId, usize)>,
    blocks: BTreeSet<(FuncId, BlockId)>,
    stmts: BTreeSet<(FuncId, BlockId, usize)>,
    vars: BTreeSet<(FuncId, VarId)>,
    /// Parameters that become locals.
    to_locals: BTreeSet<(FuncId, VarId)>,
}

impl Draft {
    /// A draft of `program`, without edits.
    pub fn new(program: &Program) -> Self {
        Self::with_reach(program, Arc::new(Reach::of(program)))
    }

    /// A draft of `program`, whose reach is known.
    pub fn with_reach(program: &Program, reach: Arc<Reach>) -> Self {
        Self {
            program: program.clone(),
            before: reach,
            touched: BTreeSet::new(),
            functions: BTreeSet::new(),
            realizations: BTreeSet::new(),
            blocks: BTreeSet::new(),
            stmts: BTreeSet::new(),
            vars: BTreeSet::new(),
            to_locals: BTreeSet::new(),
        }
    }

    /// A function, to be changed in place.
    pub fn function(&mut self, id: FuncId) -> &mut Function {
        self.touched.insert(id);
        &mut self.program.functions[id.index()]
    }

    /// Adds a function.
    pub fn add_function(&mut self, function: Function) -> FuncId {
        let id = FuncId::new(self.program.functions.len());
        self.program.functions.push(function);
        self.touched.insert(id);
        id
    }

    /// The edited program, if the edits fit together, and which functions were asked for to be
    /// changed, or added. For drafts in which nothing was dropped or made local, and nothing changed
    /// but by [`function`](Self::function) and by adding globals. Ids move if nothing leads to a
    /// function, or names a global, any more: then there is no list.
    pub fn finish_touched(mut self) -> Option<(Program, Option<Vec<FuncId>>)> {
        let touched: Vec<FuncId> = self.touched.iter().copied().collect();
        for id in &touched {
            let reached = self.reached_or_led_to(*id);
            self.take_out_blocks(*id, &reached)?;
        }
        let n_before = (self.program.functions.len(), self.program.globals.len());
        let reached = self.reached_or_called();
        self.take_out_functions(&reached)?;
        self.take_out_globals();
        let n_after = (self.program.functions.len(), self.program.globals.len());
        if n_before != n_after {
            self.program.functions.iter_mut().for_each(|function| drop(compact(function)));
            return Some((self.program, None));
        }
        for id in &touched {
            compact(&mut self.program.functions[id.index()]);
        }
        Some((self.program, Some(touched)))
    }

    /// Takes out a function. Nothing may call it in the end.
    pub fn drop_function(&mut self, id: FuncId) {
        self.functions.insert(id);
    }

    /// Takes out a realization.
    pub fn drop_realization(&mut self, id: FuncId, nth: usize) {
        self.realizations.insert((id, nth));
    }

    /// Takes out a block. Nothing may lead to it in the end.
    pub fn drop_block(&mut self, id: FuncId, block: BlockId) {
        self.blocks.insert((id, block));
    }

    /// Takes out a statement.
    pub fn drop_stmt(&mut self, id: FuncId, block: BlockId, at: usize) {
        self.stmts.insert((id, block, at));
    }

    /// Takes out a variable, and what calls and realizations pass for it if it is a parameter.
    /// Nothing may name it in the end.
    pub fn drop_var(&mut self, id: FuncId, var: VarId) {
        self.vars.insert((id, var));
    }

    /// Makes a parameter a local. It needs to be given an initial value, and is no longer passed.
    pub fn make_local(&mut self, id: FuncId, param: VarId) {
        self.to_locals.insert((id, param));
    }

    /// Puts a constant in the place of an expression.
    pub fn put_constant(&mut self, id: FuncId, expr: ExprId, constant: Const) {
        *self.function(id).expr_mut(expr) = Expr::Const(constant);
    }

    /// Puts one of its operands in the place of an expression, as a value of type `ty`.
    pub fn put_operand(&mut self, id: FuncId, expr: ExprId, operand: ExprId, ty: ValueTy) {
        let function = self.program.function(id);
        let new = if self.program.expr_ty(function, operand) == ty {
            function.expr(operand).clone()
        } else {
            Expr::Cast(ty.into(), operand)
        };
        *self.function(id).expr_mut(expr) = new;
    }

    /// Puts in what a function is known to be called with.
    pub fn add_realization(&mut self, id: FuncId, args: Vec<Scalar>) {
        let function = self.function(id);
        let ending = unknown_ending(function);
        function.realizations.push(Realization {
            args,
            path: Path::default(),
            ending,
            leaving: None,
        });
    }

    /// The edited program, if the edits fit together.
    pub fn finish(mut self) -> Option<Finished> {
        self.take_out_stmts();
        for id in (0..self.program.functions.len()).map(FuncId::new) {
            self.take_out_realizations(id);
            let reached = Reach::blocks_of(self.program.function(id));
            self.take_out_blocks(id, &reached)?;
        }
        self.take_out_vars()?;
        // What is taken out may have been all that named something else.
        let reached = Reach::functions_of(&self.program);
        let kept = self.take_out_functions(&reached)?;
        self.take_out_globals();
        let exprs = self.program.functions.iter_mut().map(compact);
        let origins = std::iter::zip(kept, exprs).collect();
        Some(Finished { program: self.program, origins })
    }

    fn take_out_stmts(&mut self) {
        // The last ones first: the others keep their places.
        for (id, block, at) in self.stmts.iter().rev() {
            self.program.functions[id.index()].blocks[block.index()].stmts.remove(*at);
        }
    }

    fn take_out_realizations(&mut self, id: FuncId) {
        let function = &mut self.program.functions[id.index()];
        let mut nth = 0;
        function.realizations.retain(|_| {
            nth += 1;
            !self.realizations.contains(&(id, nth - 1))
        });
        let unknown = unknown_ending(function);
        for realization in &mut function.realizations {
            realization.path = Path::default();
            realization.ending = match realization.ending {
                Ending::Returns(_) => unknown,
                Ending::Traps(kind) => Ending::Traps(kind),
            };
        }
    }

    /// The blocks that the entry leads to, and those that blocks lead to which it did not lead to before.
    fn reached_or_led_to(&self, id: FuncId) -> Vec<bool> {
        let function = self.program.function(id);
        let mut stack = vec![BlockId::FIRST];
        if let Some(before) = self.before.blocks.get(id.index()) {
            let unreached = before.iter().enumerate().filter(|(_, reached)| !**reached);
            stack.extend(unreached.map(|(at, _)| BlockId::new(at)));
        }
        Reach::blocks_from(function, stack)
    }

    fn take_out_blocks(&mut self, id: FuncId, now: &[bool]) -> Option<()> {
        let function = &mut self.program.functions[id.index()];
        let before = self.before.blocks.get(id.index());
        let stays = |at: usize| {
            let unreached_before =
                before.and_then(|before| before.get(at)).is_some_and(|reached| !reached);
            (now[at] || unreached_before) && !self.blocks.contains(&(id, BlockId::new(at)))
        };
        let moved = moves(function.blocks.len(), stays);
        if !moved.contains(&None) {
            return Some(());
        }
        let mut lost = false;
        for (at, block) in function.blocks.iter().enumerate() {
            block.term.for_each_target(|target| {
                lost |= moved[at].is_some() && moved[target.index()].is_none();
            });
        }
        if lost {
            return None;
        }
        retain_at(&mut function.blocks, &moved);
        for block in &mut function.blocks {
            block.term.map_targets(|target| moved[target.index()].map_or(target, BlockId::new));
        }
        Some(())
    }

    fn take_out_vars(&mut self) -> Option<()> {
        if self.vars.is_empty() && self.to_locals.is_empty() {
            return Some(());
        }
        let mut passed = Vec::with_capacity(self.program.functions.len());
        for (at, function) in self.program.functions.iter_mut().enumerate() {
            let id = FuncId::new(at);
            let gone = |var: usize| self.vars.contains(&(id, VarId::new(var)));
            let is_param = |var: usize| {
                var < function.n_params && !self.to_locals.contains(&(id, VarId::new(var)))
            };
            let kept = (0..function.vars.len()).filter(|var| !gone(*var));
            let (params, locals): (Vec<usize>, Vec<usize>) = kept.partition(|var| is_param(*var));
            let mut moved = vec![None; function.vars.len()];
            for (new, old) in params.iter().chain(&locals).enumerate() {
                moved[*old] = Some(VarId::new(new));
            }
            rename_vars(function, &moved)?;
            function.vars = params
                .iter()
                .chain(&locals)
                .map(|var| function.vars.get(*var).cloned())
                .collect::<Option<_>>()?;
            function.n_params = params.len();
            for realization in &mut function.realizations {
                realization.args = pick(&realization.args, &params)?;
            }
            passed.push(params);
        }
        for function in &mut self.program.functions {
            for expr in function.exprs_mut() {
                if let Expr::Call(callee, args) = expr {
                    *args = pick(args, &passed[callee.index()])?.into();
                }
            }
        }
        Some(())
    }

    /// The functions that realizations lead to, and those that functions lead to which they did not
    /// lead to before.
    fn reached_or_called(&self) -> Vec<bool> {
        let reached = Reach::functions_of(&self.program);
        let roots = (0..reached.len()).filter(|at| {
            reached[*at] || self.before.functions.get(*at).is_some_and(|reached| !reached)
        });
        Reach::functions_from(&self.program, roots.map(FuncId::new).collect())
    }

    /// Gives the functions that stay.
    fn take_out_functions(&mut self, now: &[bool]) -> Option<Vec<FuncId>> {
        let program = &mut self.program;
        if program.main.is_some_and(|main| self.functions.contains(&main)) {
            let heir = program.functions_with_ids().find(|(id, function)| {
                !self.functions.contains(id) && !function.realizations.is_empty()
            });
            program.main = heir.map(|(id, _)| id);
        }
        let stays = |at: usize| {
            let unreached_before = self.before.functions.get(at).is_some_and(|reached| !reached);
            (now[at] || unreached_before) && !self.functions.contains(&FuncId::new(at))
        };
        let moved = moves(program.functions.len(), stays);
        if !moved.contains(&None) {
            return Some((0..moved.len()).map(FuncId::new).collect());
        }
        retain_at(&mut program.functions, &moved);
        program.main = match program.main {
            Some(main) => Some(FuncId::new(moved[main.index()]?)),
            None => None,
        };
        for function in &mut program.functions {
            let mut calls = Vec::new();
            function.for_each_expr(|id, expr| {
                if let Expr::Call(callee, _) = expr {
                    calls.push((id, *callee));
                }
            });
            for (id, callee) in calls {
                let new = FuncId::new(moved[callee.index()]?);
                if let Expr::Call(callee, _) = function.expr_mut(id) {
                    *callee = new;
                }
            }
        }
        let kept = moved.iter().enumerate().filter(|(_, moved)| moved.is_some());
        Some(kept.map(|(at, _)| FuncId::new(at)).collect())
    }

    fn take_out_globals(&mut self) {
        let program = &mut self.program;
        let now = Reach::globals_of(program);
        let unreached_before = |at: usize| self.before.globals.get(at).is_some_and(|named| !named);
        let moved = moves(program.globals.len(), |at| now[at] || unreached_before(at));
        if !moved.contains(&None) {
            return;
        }
        retain_at(&mut program.globals, &moved);
        for function in &mut program.functions {
            let rename = |var: &mut VarRef| {
                if let VarRef::Global(id) = var
                    && let Some(new) = moved[id.index()]
                {
                    *id = GlobalId::new(new);
                }
            };
            for_each_var_mut(function, rename);
        }
    }
}

/// What stands for the ending of a realization until it is known.
fn unknown_ending(function: &Function) -> Ending {
    Ending::Returns(Scalar::new(function.ret, 0))
}

/// Where the items that stay move to.
fn moves(n: usize, stays: impl Fn(usize) -> bool) -> Vec<Option<usize>> {
    let mut next = 0..;
    (0..n).map(|at| if stays(at) { next.next() } else { None }).collect()
}

fn retain_at<T>(items: &mut Vec<T>, moved: &[Option<usize>]) {
    let mut stays = moved.iter();
    items.retain(|_| stays.next().is_some_and(Option::is_some));
}

fn pick<T: Copy>(items: &[T], at: &[usize]) -> Option<Vec<T>> {
    at.iter().map(|at| items.get(*at).copied()).collect()
}

fn rename_vars(function: &mut Function, moved: &[Option<VarId>]) -> Option<()> {
    let mut lost = false;
    let named = places(function).into_iter().map(|place| place.var());
    for var in named.chain(function.listed_vars().iter().copied()) {
        lost |= matches!(var, VarRef::Var(id) if moved[id.index()].is_none());
    }
    if lost {
        return None;
    }
    for_each_var_mut(function, |var| {
        if let VarRef::Var(id) = var
            && let Some(new) = moved[id.index()]
        {
            *id = new;
        }
    });
    Some(())
}

/// All places that a function reads or assigns.
pub fn places(function: &Function) -> Vec<Place> {
    let stmts = function.blocks.iter().flat_map(|block| &block.stmts);
    let mut places: Vec<Place> = stmts.map(|stmt| stmt.assigned().clone()).collect();
    function.for_each_expr(|_, expr| {
        if let Expr::Read(place) = expr {
            places.push(place.clone());
        }
    });
    places
}

/// Calls `change` on every variable that is named, in expressions that are not in use too.
pub fn for_each_var_mut(function: &mut Function, mut change: impl FnMut(&mut VarRef)) {
    for stmt in function.blocks.iter_mut().flat_map(|block| &mut block.stmts) {
        change(stmt.assigned_mut().var_mut());
    }
    for expr in function.exprs_mut() {
        if let Expr::Read(place) = expr {
            change(place.var_mut());
        }
    }
    function.for_each_listed_mut(change);
}

/// Forgets the expressions that are not in use, and gives the former ids of the others.
pub fn compact(function: &mut Function) -> Vec<ExprId> {
    let mut fresh = Function::new(std::mem::take(&mut function.name), function.ret);
    let old = std::mem::replace(function, Function::new("", fresh.ret));
    let mut origins = Vec::new();
    for block in &old.blocks {
        let mut block = block.clone();
        let mut copy = |root: &mut ExprId| *root = copy_tree(&old, *root, &mut fresh, &mut origins);
        block.stmts.iter_mut().for_each(|stmt| stmt.for_each_root_mut(&mut copy));
        match &mut block.term {
            Term::If { cond: root, .. }
            | Term::Switch { on: root, .. }
            | Term::Return(Return::Value(root)) => copy(root),
            Term::Goto(_) | Term::Return(Return::Checksum | Return::ChecksumOf(_)) => {}
        }
        fresh.blocks.push(block);
    }
    (fresh.docs, fresh.vars, fresh.n_params) = (old.docs, old.vars, old.n_params);
    fresh.realizations = old.realizations;
    *function = fresh;
    origins
}

fn copy_tree(
    from: &Function,
    root: ExprId,
    to: &mut Function,
    origins: &mut Vec<ExprId>,
) -> ExprId {
    let mut expr = from.expr(root).clone();
    expr.for_each_operand_mut(|operand| *operand = copy_tree(from, *operand, to, origins));
    origins.push(root);
    to.add_expr(expr)
}

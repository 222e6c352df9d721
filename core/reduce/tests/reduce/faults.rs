//! Targets that get something wrong, made up: what a program has to do for them to show it.

use std::collections::BTreeMap;

use pathsmith_reduce::Reducer;
use pathsmith_symlang::lang::{
    BinOp, Expr, Function, Place, PlaceForm, Program, Stmt, ValueTy, VarRef, WordTy,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome, Visit, table};
use pathsmith_symlang::{BlockId, ExprId, FuncId};

/// Whether a program shows a fault.
pub(crate) type Fault = fn(&Program) -> bool;

/// All faults, with their names.
pub(crate) const FAULTS: [(&str, Fault); 7] = [
    ("a division in a loop", division_in_loop),
    ("a call in a loop", call_in_loop),
    ("a loop called in a loop", loop_in_loop),
    ("an element read after a store", element_after_store),
    ("an i64 product of something negative", negative_product),
    ("xor taken for or", wrong_xor),
    ("three things at once", three_things),
];

/// What a reduction came to.
pub(crate) struct Reduced {
    /// The program that is left.
    pub(crate) program: Program,
    /// How many programs were tried.
    pub(crate) n_tests: usize,
    /// How many of each pass were tried and accepted.
    pub(crate) by_pass: BTreeMap<&'static str, (usize, usize)>,
}

/// Reduces a program that shows a fault, `n` candidates at a time.
pub(crate) fn reduce(program: Program, fault: Fault, n: usize) -> Reduced {
    let mut reducer = Reducer::new(program);
    let (mut n_tests, mut by_pass) = (0, BTreeMap::<_, (usize, usize)>::new());
    loop {
        let candidates = reducer.propose(n);
        if candidates.is_empty() {
            return Reduced { program: reducer.best().clone(), n_tests, by_pass };
        }
        let accepted = candidates.iter().position(|candidate| {
            n_tests += 1;
            by_pass.entry(candidate.pass).or_default().0 += 1;
            fault(&candidate.program)
        });
        if let Some(at) = accepted {
            by_pass.entry(candidates[at].pass).or_default().1 += 1;
        }
        reducer.answer(accepted);
    }
}

/// Calls `visit` on every visit of a block in any realization; `true` at the beginning of each
/// realization.
fn watch(program: &Program, mut visit: impl FnMut(bool, &Visit<'_>)) {
    let code = Code::new(program);
    let mut machine = Machine::new(&code, program.dialect.expect("reduced programs have one"));
    for (id, function) in program.functions_with_ids() {
        for realization in &function.realizations {
            let mut fresh = true;
            let outcome = machine.run_observed(
                id,
                &realization.args,
                Limits::default(),
                &mut |seen: &Visit<'_>| visit(std::mem::take(&mut fresh), seen),
            );
            assert!(matches!(outcome, Outcome::Returned(_)), "{program}");
            assert_eq!(outcome.ending(), Some(realization.ending), "{program}");
            assert_eq!(machine.leaving(), realization.leaving, "{program}");
        }
    }
}

/// Whether a block that `has` something is visited three times in one call.
fn three_times(program: &Program, has: impl Fn(&Expr) -> bool) -> bool {
    visited_three_times(program, has)[0]
}

/// Whether some block that `has` something is visited three times in one call; and whether one is
/// while one of a caller has been, too.
fn visited_three_times(program: &Program, has: impl Fn(&Expr) -> bool) -> [bool; 2] {
    let blocks: Vec<Vec<bool>> = program
        .functions
        .iter()
        .map(|function| {
            let in_block = |block| trees(function, block).any(|id| has(function.expr(id)));
            (0..function.blocks.len()).map(|at| in_block(BlockId::new(at))).collect()
        })
        .collect();
    // How often each block was visited in the calls under way.
    let mut calls: Vec<BTreeMap<BlockId, u32>> = Vec::new();
    let mut found = [false; 2];
    watch(program, |_, visit| {
        if visit.block == BlockId::FIRST {
            calls.truncate(visit.depth);
            calls.push(BTreeMap::new());
        }
        calls.truncate(visit.depth + 1);
        let n = calls[visit.depth].entry(visit.block).or_default();
        *n += 1;
        if *n >= 3 {
            found[0] |= blocks[visit.function.index()][visit.block.index()];
            let callers = &calls[..visit.depth];
            found[1] |= callers.iter().any(|visits| visits.values().any(|n| *n >= 3));
        }
    });
    found
}

/// All expressions of a block.
fn trees(function: &Function, block: BlockId) -> impl Iterator<Item = ExprId> {
    let data = function.block(block);
    let roots = data.stmts.iter().flat_map(Stmt::roots);
    let mut stack: Vec<ExprId> = roots.chain(data.term.root()).collect();
    std::iter::from_fn(move || {
        let id = stack.pop()?;
        stack.extend(function.expr(id).operands());
        Some(id)
    })
}

fn division_in_loop(program: &Program) -> bool {
    three_times(program, |expr| matches!(expr, Expr::Binary(BinOp::Div, ..)))
}

fn call_in_loop(program: &Program) -> bool {
    three_times(program, |expr| matches!(expr, Expr::Call(..)))
}

/// What is called in a loop need not be asked for: only a loop can come to a block again.
fn loop_in_loop(program: &Program) -> bool {
    visited_three_times(program, |_| true)[1]
}

/// Things that have nothing to do with each other.
fn three_things(program: &Program) -> bool {
    division_in_loop(program) && element_after_store(program) && negative_product(program)
}

fn element_after_store(program: &Program) -> bool {
    let mut stored: Vec<(FuncId, VarRef)> = Vec::new();
    let mut found = false;
    watch(program, |fresh, visit| {
        if fresh {
            stored.clear();
        }
        let function = program.function(visit.function);
        let data = function.block(visit.block);
        let reads = |root: ExprId, stored: &[(FuncId, VarRef)]| {
            let (mut stack, mut found) = (vec![root], false);
            while let Some(id) = stack.pop() {
                stack.extend(function.expr(id).operands());
                if let Expr::Read(place) = function.expr(id)
                    && let PlaceForm::Element(var, _) = place.form()
                {
                    found |= stored.contains(&(visit.function, var));
                }
            }
            found
        };
        for stmt in &data.stmts {
            let Stmt::Assign { place, value } = stmt;
            found |= reads(*value, &stored);
            if let PlaceForm::Element(var, _) = place.form() {
                stored.push((visit.function, var));
            }
        }
        found |= data.term.root().is_some_and(|root| reads(root, &stored));
    });
    found
}

fn negative_product(program: &Program) -> bool {
    let mut found = false;
    watch(program, |_, visit| {
        let function = program.function(visit.function);
        let mut scene = Scene { program, function, cells: visit.cells.to_vec(), found: false };
        for stmt in &function.block(visit.block).stmts {
            let Stmt::Assign { place, value } = stmt;
            let Some(value) = scene.value(*value) else { break };
            let Some(index) = scene.index(place) else { break };
            let VarRef::Var(var) = place.var() else { break };
            let cell = scene.cell(var.index(), index);
            scene.cells[cell] = function.var(var).ty.cell_ty().stored(value);
        }
        found |= scene.found;
    });
    found
}

struct Scene<'a> {
    program: &'a Program,
    function: &'a Function,
    cells: Vec<i64>,
    found: bool,
}

impl Scene<'_> {
    fn cell(&self, var: usize, index: i64) -> usize {
        self.function.vars[..var].iter().map(|var| var.ty.n_cells()).sum::<usize>() + index as usize
    }

    /// The index of a place, which is 0 for a scalar.
    fn index(&mut self, place: &Place) -> Option<i64> {
        match place.form() {
            PlaceForm::Scalar(_) => Some(0),
            PlaceForm::Element(_, index) => self.value(index),
        }
    }

    /// The value of an expression, unless a call or a global has a part in it.
    fn value(&mut self, id: ExprId) -> Option<i64> {
        let ty = |scene: &Self, id| scene.program.expr_ty(scene.function, id);
        match self.function.expr(id).clone() {
            Expr::Const(constant) => Some(constant.word()),
            Expr::Read(place) => {
                let index = self.index(&place)?;
                let VarRef::Var(var) = place.var() else { return None };
                Some(self.cells[self.cell(var.index(), index)])
            }
            Expr::Unary(op, a) => Some(table::unary(op, ty(self, a), self.value(a)?).word),
            Expr::Binary(op, a, b) => {
                let (x, y, ty) = (self.value(a)?, self.value(b)?, ty(self, a));
                let is_i64 = ty == ValueTy::Int(WordTy::I64);
                self.found |= op == BinOp::Mul && is_i64 && (x < 0 || y < 0);
                Some(table::binary(op, ty, x, y).word)
            }
            Expr::Select(cond, then, otherwise) => {
                let (cond, then) = (self.value(cond)?, self.value(then)?);
                let otherwise = self.value(otherwise)?;
                Some(if cond != 0 { then } else { otherwise })
            }
            Expr::Cast(to, a) => Some(table::cast(ty(self, a), to, self.value(a)?).word),
            Expr::Call(..) | Expr::Hole(..) => None,
        }
    }
}

/// A compiler that makes `|` of `^`: shown where an output is another one then.
fn wrong_xor(program: &Program) -> bool {
    let mut compiled = program.clone();
    for function in &mut compiled.functions {
        for expr in function.exprs_mut() {
            if let Expr::Binary(op @ BinOp::Xor, ..) = expr {
                *op = BinOp::Or;
            }
        }
    }
    let code = Code::new(&compiled);
    let mut machine = Machine::new(&code, program.dialect.expect("reduced programs have one"));
    program.functions_with_ids().any(|(id, function)| {
        function.realizations.iter().any(|realization| {
            let outcome = machine.run(id, &realization.args, Limits::default());
            let is_other = outcome.ending() != Some(realization.ending);
            matches!(outcome, Outcome::Returned(_)) && is_other
        })
    })
}

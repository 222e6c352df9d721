//! The body of one function inside of another.

use std::collections::BTreeMap;

use pathsmith_edit::{Draft, Reach};
use pathsmith_symlang::lang::{
    BinOp, Const, ConstOrHole, Expr, Function, Place, PlaceForm, Return, Scalar, Stmt, Term,
    ValueTy, VarRef, WordTy,
};
use pathsmith_symlang::{BlockId, ExprId, FuncId, GlobalId, VarId};

use crate::edits::{add_block, add_cast, add_const, add_local, add_read, add_var, assign};

/// So many variables become part of the result if it was a checksum, which no expression is. A guess.
const MAX_FOLDED: usize = 16;

/// With more initial values than this, which become assignments, a body is not put into another
/// function: each assignment is a point with states of its own. A guess.
pub(crate) const MAX_INITIAL: usize = 64;

/// The variables of a function that stand for those of another one, whose body is put into it.
#[derive(Clone, Debug)]
pub(crate) struct Splice {
    vars: Vec<VarRef>,
    n_params: usize,
    globals: BTreeMap<GlobalId, VarRef>,
    /// The variable that another function has used before.
    shared: Option<usize>,
    /// Where the result is left.
    pub(crate) result: VarRef,
}

impl Splice {
    /// For the body of a function of the same program. Its globals are the same.
    pub(crate) fn of_program(draft: &mut Draft, id: FuncId, body: &Function) -> Self {
        let named = draft.program.globals_named(body);
        let globals = named.into_iter().map(|global| (global, VarRef::Global(global))).collect();
        Self::with_globals(draft, id, body, globals)
    }

    /// For the body of a function whose globals these variables stand for. Adds a local for each of
    /// its variables, and one for the result.
    pub(crate) fn with_globals(
        draft: &mut Draft,
        id: FuncId,
        body: &Function,
        globals: BTreeMap<GlobalId, VarRef>,
    ) -> Self {
        let result = add_local(draft, id, body.ret.stored_as(), 0);
        let mut vars = Vec::with_capacity(body.vars.len());
        for var in &body.vars {
            // Parameters have no initial value.
            let zero = Scalar::new(var.ty.cell_ty(), 0);
            let init = match var.init.is_empty() {
                true => vec![ConstOrHole::Const(zero); var.ty.n_cells()],
                false => var.init.clone(),
            };
            vars.push(add_var(draft, id, var.ty.clone(), init));
        }
        Self { vars, n_params: body.n_params, globals, shared: None, result }
    }

    /// What stands for the parameters.
    pub(crate) fn params(&self) -> &[VarRef] {
        &self.vars[..self.n_params]
    }

    /// What stands for a variable.
    pub(crate) fn var(&self, var: VarRef) -> VarRef {
        match var {
            VarRef::Var(id) => self.vars[id.index()],
            VarRef::Global(id) => self.globals.get(&id).copied().unwrap_or(var),
        }
    }

    /// Lets another variable stand for one, which is then left as it is at the beginning.
    pub(crate) fn share(&mut self, var: usize, with: VarRef) {
        self.vars[var] = with;
        self.shared = Some(var);
    }

    /// As [`insert`](Self::insert), with arguments: the parameters of the function itself, from this
    /// one on.
    pub(crate) fn insert_with_params(
        &self,
        function: &mut Function,
        body: &Function,
        after: BlockId,
        first_param: usize,
    ) -> BlockId {
        let first = self.insert(function, body, after);
        let mut stmts = Vec::new();
        for (at, param) in self.params().iter().enumerate() {
            let read = add_read(function, VarRef::Var(VarId::new(first_param + at)));
            stmts.push(assign(*param, read));
        }
        function.blocks[first.index()].stmts.splice(0..0, stmts);
        first
    }

    /// Adds the blocks of the body, which lead to `after` in the end. Returns the first, which gives
    /// the locals their initial values.
    pub(crate) fn insert(
        &self,
        function: &mut Function,
        body: &Function,
        after: BlockId,
    ) -> BlockId {
        let start = initial_stmts(self, function, body);
        let first = add_block(function, start, Term::Goto(after));
        let reached = Reach::blocks_of(body);
        let mut ids: Vec<BlockId> = Vec::with_capacity(body.blocks.len());
        for reached in &reached {
            let id =
                if *reached { add_block(function, Vec::new(), Term::Goto(after)) } else { first };
            ids.push(id);
        }
        for (at, block) in body.blocks.iter().enumerate().filter(|(at, _)| reached[*at]) {
            let mut stmts = Vec::with_capacity(block.stmts.len());
            for Stmt::Assign { place, value } in &block.stmts {
                let place = self.copy_place(function, body, place);
                let value = self.copy_expr(function, body, *value);
                stmts.push(Stmt::Assign { place, value });
            }
            let mut term = match &block.term {
                Term::Goto(target) => Term::Goto(*target),
                Term::If { cond, then, otherwise } => Term::If {
                    cond: self.copy_expr(function, body, *cond),
                    then: *then,
                    otherwise: *otherwise,
                },
                Term::Switch { on, cases, default } => Term::Switch {
                    on: self.copy_expr(function, body, *on),
                    cases: cases.clone(),
                    default: *default,
                },
                Term::Return(returned) => {
                    let value = self.returned(function, body, returned);
                    stmts.push(assign(self.result, value));
                    Term::Goto(BlockId::FIRST)
                }
            };
            match &block.term {
                Term::Return(_) => term = Term::Goto(after),
                Term::Goto(_) | Term::If { .. } | Term::Switch { .. } => {
                    term.map_targets(|target| ids[target.index()]);
                }
            }
            let copy = &mut function.blocks[ids[at].index()];
            (copy.stmts, copy.term) = (stmts, term);
        }
        function.blocks[first.index()].term = Term::Goto(ids[0]);
        first
    }

    /// The value that is returned. In the place of a checksum, a sum of the variables that it covers.
    fn returned(&self, function: &mut Function, body: &Function, returned: &Return) -> ExprId {
        let listed: Vec<VarRef> = match returned {
            Return::Value(value) => return self.copy_expr(function, body, *value),
            Return::ChecksumOf(vars) => vars.iter().map(|var| self.var(*var)).collect(),
            Return::Checksum => self.vars.iter().chain(self.globals.values()).copied().collect(),
        };
        let word = WordTy::U32;
        let mut sum = add_const(function, word, 0);
        for var in listed.into_iter().take(MAX_FOLDED) {
            let Some(read) = self.read_part(function, body, var) else { continue };
            let turn = add_const(function, word, 5);
            let turned = function.add_expr(Expr::Binary(BinOp::Rotl, sum, turn));
            sum = function.add_expr(Expr::Binary(BinOp::Xor, turned, read));
        }
        sum
    }

    /// A variable, or the first element of an array, as a `u32`.
    fn read_part(&self, function: &mut Function, body: &Function, var: VarRef) -> Option<ExprId> {
        let at = self.vars.iter().position(|known| *known == var);
        let is_array = match (at, var) {
            (Some(at), _) => body.vars[at].ty.is_array(),
            (None, VarRef::Var(id)) => function.var(id).ty.is_array(),
            // Its type is not known here.
            (None, VarRef::Global(_)) => return None,
        };
        let read = if is_array {
            let index = add_const(function, WordTy::U32, 0);
            function.add_expr(Expr::Read(Place::element(var, index)))
        } else {
            add_read(function, var)
        };
        let from = match (at, var) {
            (Some(at), _) => body.vars[at].ty.cell_ty().widened(),
            (None, VarRef::Var(id)) => function.var(id).ty.cell_ty().widened(),
            (None, VarRef::Global(_)) => return None,
        };
        let part = match from {
            ValueTy::Int(_) => (read, from),
            // Negative numbers are worth seeing too.
            ValueTy::Float(_) => {
                let whole = ValueTy::Int(WordTy::I32);
                (add_cast(function, read, from, whole), whole)
            }
        };
        Some(add_cast(function, part.0, part.1, ValueTy::Int(WordTy::U32)))
    }

    fn copy_place(&self, function: &mut Function, body: &Function, place: &Place) -> Place {
        match place.form() {
            PlaceForm::Scalar(var) => Place::scalar(self.var(var)),
            PlaceForm::Element(var, index) => {
                Place::element(self.var(var), self.copy_expr(function, body, index))
            }
        }
    }

    fn copy_expr(&self, function: &mut Function, body: &Function, root: ExprId) -> ExprId {
        let expr = match body.expr(root) {
            Expr::Read(place) => Expr::Read(self.copy_place(function, body, place)),
            other => {
                let mut copy = other.clone();
                copy.for_each_operand_mut(|operand| {
                    *operand = self.copy_expr(function, body, *operand);
                });
                copy
            }
        };
        function.add_expr(expr)
    }
}

/// How many statements give a function's locals their initial values.
pub(crate) fn n_initial_stmts(body: &Function) -> usize {
    body.locals().iter().map(|var| var.init.len()).sum()
}

/// Statements that give the locals of a body their initial values. The body may be run again.
fn initial_stmts(splice: &Splice, function: &mut Function, body: &Function) -> Vec<Stmt> {
    let mut stmts = Vec::new();
    let shared = |at: usize| splice.shared == Some(at);
    for (at, var) in body.vars.iter().enumerate().skip(body.n_params).filter(|(at, _)| !shared(*at))
    {
        let target = splice.vars[at];
        for (element, fill) in var.init.iter().enumerate() {
            let ConstOrHole::Const(fill) = fill else { continue };
            let ty = var.ty.cell_ty().widened();
            let value = function.add_expr(Expr::Const(Const::new(ty, fill.word())));
            let place = if var.ty.is_array() {
                let index = add_const(function, WordTy::U32, element as i64);
                Place::element(target, index)
            } else {
                Place::scalar(target)
            };
            stmts.push(Stmt::Assign { place, value });
        }
    }
    stmts
}

//! Programs made ready to run: expressions flattened into instructions on numbered slots.
//!
//! A call of a function works on a frame of slots: first the cells of its variables in order of
//! declaration, then its constants, then temporaries. Making code costs about as much as running
//! it once, and it is made for all dialects: a dialect only decides what hazards mean.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ids::{BlockId, ExprId, FuncId, GlobalId, HoleId};
use crate::lang::{
    BinOp, Cells, ConstOrHole, Expr, Function, GlobalLayout, IntTy, Layout, Place, PlaceForm,
    Program, Return, ScalarTy, Stmt, Term, UnOp, ValueTy, VarRef, WordTy,
};

/// A program made ready to run.
#[derive(Clone, Debug)]
pub struct Code {
    /// Shared, because a variant of a program has the same code for most of its functions.
    pub(super) functions: Vec<Arc<FunctionCode>>,
    /// The initial cells of all globals.
    pub(super) globals: Vec<i64>,
}

#[derive(Clone, Debug)]
pub(super) struct FunctionCode {
    pub(super) blocks: Vec<BlockCode>,
    pub(super) instrs: Vec<Instr>,
    /// What instruction `i` was made from.
    pub(super) origins: Vec<ExprId>,
    /// A frame as a call finds it.
    pub(super) template: Vec<i64>,
    /// The types of the parameters, whose cells come first in the frame.
    pub(super) params: Vec<ScalarTy>,
    /// What is returned.
    pub(super) ret: ValueTy,
    /// How many slots are cells of variables.
    pub(super) n_cells: usize,
    /// The arrays that are indexed, in the frame or among the globals.
    pub(super) arrays: Vec<Cells>,
    pub(super) cases: Vec<(Label, BlockId)>,
    /// The slots of the arguments of all calls.
    pub(super) args: Vec<u32>,
    /// What the checksum covers.
    pub(super) checksum: Vec<Covered>,
    /// The globals that the function names.
    pub(super) named: Vec<Cells>,
    /// A hole among the initial values, which keeps the function from running at all.
    pub(super) unfilled: Option<HoleId>,
}

#[derive(Clone, Debug)]
pub(super) struct BlockCode {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) term: TermCode,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum TermCode {
    Goto(BlockId),
    If {
        cond: u32,
        then: BlockId,
        otherwise: BlockId,
    },
    /// The cases are `cases[start..end]`.
    Switch {
        on: u32,
        start: u32,
        end: u32,
        default: BlockId,
    },
    ReturnChecksum,
    ReturnSlot(u32),
}

/// A case label.
#[derive(Clone, Copy, Debug)]
pub(super) enum Label {
    Value(i64),
    Hole(HoleId),
}

/// Consecutive cells of one type, in the frame or among the globals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    pub(super) global: bool,
    pub(super) cells: Cells,
}

/// One instruction; what `dst`, `a` and `b` are depends on `op`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instr {
    pub(super) op: u16,
    pub(super) dst: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// Numbers of instructions: a flat space, so that one jump leads to an operator at its type.
pub(super) mod opcode {
    use super::{BinOp, IntTy, ScalarTy, UnOp, ValueTy, WordTy};

    /// How many types there are for operators to work on.
    const N_TYPES: u16 = ValueTy::ALL.len() as u16;

    const fn ty_number(ty: ValueTy) -> u16 {
        match ty {
            ValueTy::Int(ty) => ty as u16,
            ValueTy::Float(ty) => FIRST_FLOAT + ty as u16,
        }
    }

    /// The position of the first floating-point type in [`ValueTy::ALL`].
    const FIRST_FLOAT: u16 = WordTy::ALL.len() as u16;

    pub(in crate::semantics) const fn binary(op: BinOp, ty: ValueTy) -> u16 {
        op as u16 * N_TYPES + ty_number(ty)
    }

    pub(in crate::semantics) const fn unary(op: UnOp, ty: ValueTy) -> u16 {
        (BinOp::ALL.len() as u16 + op as u16) * N_TYPES + ty_number(ty)
    }

    const FIRST_OTHER: u16 = (BinOp::ALL.len() + UnOp::ALL.len()) as u16 * N_TYPES;
    /// `dst = a`
    pub(in crate::semantics) const MOVE: u16 = FIRST_OTHER;
    /// `if a != 0 { dst = b }`
    pub(in crate::semantics) const MOVE_IF: u16 = FIRST_OTHER + 1;
    /// `dst = array a [slot b]`
    pub(in crate::semantics) const LOAD: u16 = FIRST_OTHER + 2;
    /// `array dst [slot b] = slot a`
    pub(in crate::semantics) const STORE: u16 = FIRST_OTHER + 3;
    /// `dst = global cell a`
    pub(in crate::semantics) const GET_GLOBAL: u16 = FIRST_OTHER + 4;
    /// `global cell dst = slot a`
    pub(in crate::semantics) const SET_GLOBAL: u16 = FIRST_OTHER + 5;
    /// `dst = global array a [slot b]`
    pub(in crate::semantics) const LOAD_GLOBAL: u16 = FIRST_OTHER + 6;
    /// `global array dst [slot b] = slot a`
    pub(in crate::semantics) const STORE_GLOBAL: u16 = FIRST_OTHER + 7;
    /// `dst = function a (args from b on)`
    pub(in crate::semantics) const CALL: u16 = FIRST_OTHER + 8;
    /// stops at hole `a`
    pub(in crate::semantics) const HOLE: u16 = FIRST_OTHER + 9;
    /// `dst = slot a`, as a cell of the type that the number says keeps it
    pub(in crate::semantics) const STORED: u16 = FIRST_OTHER + 10;

    pub(in crate::semantics) const fn stored(ty: IntTy) -> u16 {
        STORED + ty as u16
    }

    /// The type that the number of a [`STORED`] says.
    #[inline(always)]
    pub(in crate::semantics) const fn stored_ty(op: u16) -> IntTy {
        IntTy::ALL[(op - STORED) as usize]
    }

    /// `dst = slot a`, converted between the types that the number says
    pub(in crate::semantics) const CONVERT: u16 = STORED + IntTy::ALL.len() as u16;

    const N_CELL_TYPES: u16 = ScalarTy::ALL.len() as u16;

    /// The instruction for a cast: integers to integers only have to be cut off.
    pub(in crate::semantics) const fn cast(from: ValueTy, to: ScalarTy) -> u16 {
        match (from, to) {
            (ValueTy::Int(_), ScalarTy::Int(to)) => stored(to),
            (ValueTy::Float(_), _) | (_, ScalarTy::Float(_)) => {
                let to = match to {
                    ScalarTy::Int(ty) => ty as u16,
                    ScalarTy::Float(ty) => IntTy::ALL.len() as u16 + ty as u16,
                };
                CONVERT + ty_number(from) * N_CELL_TYPES + to
            }
        }
    }

    /// The types that the number of a [`CONVERT`] says.
    #[inline(always)]
    pub(in crate::semantics) const fn converted_tys(op: u16) -> (ValueTy, ScalarTy) {
        let number = (op - CONVERT) as usize;
        let n_cell_types = N_CELL_TYPES as usize;
        (ValueTy::ALL[number / n_cell_types], ScalarTy::ALL[number % n_cell_types])
    }
}

impl Code {
    /// Makes a valid program ready to run. Holes may be left in it: a run that comes to one stops
    /// there.
    pub fn new(program: &Program) -> Self {
        let layout = GlobalLayout::new(program);
        let functions = program.functions.iter();
        let functions = functions.map(|function| compile(program, function, &layout));
        Self { functions: functions.collect(), globals: initial_globals(program) }
    }

    /// The code of a program that differs from the one that this is the code of in these functions
    /// only, and in functions and globals that were added behind the others.
    #[must_use]
    pub fn with_changed(&self, program: &Program, changed: &[FuncId]) -> Self {
        let layout = GlobalLayout::new(program);
        let functions = program.functions_with_ids().map(|(id, function)| {
            match self.functions.get(id.index()).filter(|_| !changed.contains(&id)) {
                Some(known) => Arc::clone(known),
                None => compile(program, function, &layout),
            }
        });
        Self { functions: functions.collect(), globals: initial_globals(program) }
    }

    /// How many values the variables of a function hold: the length of a state.
    pub fn n_cells(&self, function: FuncId) -> usize {
        self.functions[function.index()].n_cells
    }
}

fn initial_globals(program: &Program) -> Vec<i64> {
    program.globals.iter().flat_map(|global| &global.init).map(word_or_zero).collect()
}

fn compile(program: &Program, function: &Function, layout: &GlobalLayout) -> Arc<FunctionCode> {
    let layout = Layout::with_globals(layout.clone(), function);
    Arc::new(Compiler::new(program, function, layout).compile())
}

fn word_or_zero(fill: &ConstOrHole) -> i64 {
    match fill {
        ConstOrHole::Const(value) => value.word(),
        ConstOrHole::Hole(_) => 0,
    }
}

/// The type of a cell that does not keep all values that are stored to it.
fn narrow(ty: ScalarTy) -> Option<IntTy> {
    match ty.as_value() {
        Some(_) => None,
        None => ty.as_int(),
    }
}

struct Compiler<'a> {
    function: &'a Function,
    program: &'a Program,
    layout: Layout,
    /// The position in `arrays` of what was asked for so far.
    arrays: BTreeMap<VarRef, u32>,
    /// Operands that are temporaries are numbered from here; constants come before them in the
    /// frame, but how many there are is known only at the end.
    n_temps: u32,
    max_temps: u32,
    /// The globals that the function names, as far as they were met; in order, and each once, when
    /// all is compiled.
    named: Vec<GlobalId>,
    code: FunctionCode,
}

/// Marks a temporary until all constants are known.
const TEMP: u32 = 1 << 31;

impl<'a> Compiler<'a> {
    fn new(program: &'a Program, function: &'a Function, layout: Layout) -> Self {
        // Variables and constants; about every second expression is a constant.
        let mut template = Vec::with_capacity(2 * function.vars.len() + function.n_exprs() / 2);
        let mut unfilled = None;
        for var in &function.vars {
            if var.init.is_empty() {
                template.resize(template.len() + var.ty.n_cells(), 0);
            }
            for fill in &var.init {
                if let (ConstOrHole::Hole(hole), None) = (fill, unfilled) {
                    unfilled = Some(*hole);
                }
                template.push(word_or_zero(fill));
            }
        }
        let code = FunctionCode {
            blocks: Vec::with_capacity(function.blocks.len()),
            instrs: Vec::with_capacity(function.n_exprs()),
            origins: Vec::with_capacity(function.n_exprs()),
            n_cells: template.len(),
            template,
            params: function.params().iter().map(|param| param.ty.cell_ty()).collect(),
            ret: function.ret,
            arrays: Vec::new(),
            cases: Vec::new(),
            args: Vec::new(),
            checksum: Vec::new(),
            named: Vec::new(),
            unfilled,
        };
        Self {
            function,
            layout,
            program,
            arrays: BTreeMap::new(),
            n_temps: 0,
            max_temps: 0,
            named: Vec::new(),
            code,
        }
    }

    fn compile(mut self) -> FunctionCode {
        for block in &self.function.blocks {
            let start = self.code.instrs.len() as u32;
            for stmt in &block.stmts {
                self.n_temps = 0;
                let Stmt::Assign { place, value } = stmt;
                self.assign(place, *value);
            }
            self.n_temps = 0;
            let term = self.terminator(&block.term);
            let end = self.code.instrs.len() as u32;
            self.code.blocks.push(BlockCode { start, end, term });
        }
        self.named.sort_unstable();
        self.named.dedup();
        self.code.checksum = self.covered();
        self.code.named = self.named_globals().copied().collect();
        self.place_temps();
        self.code
    }

    /// Puts the temporaries behind the constants.
    fn place_temps(&mut self) {
        let first = self.code.template.len() as u32;
        self.code.template.resize((first + self.max_temps) as usize, 0);
        let place = |slot: &mut u32| {
            if *slot & TEMP != 0 {
                *slot = first + (*slot & !TEMP);
            }
        };
        for instr in &mut self.code.instrs {
            place(&mut instr.dst);
            place(&mut instr.a);
            place(&mut instr.b);
        }
        self.code.args.iter_mut().for_each(place);
        for block in &mut self.code.blocks {
            match &mut block.term {
                TermCode::If { cond: slot, .. }
                | TermCode::Switch { on: slot, .. }
                | TermCode::ReturnSlot(slot) => place(slot),
                TermCode::Goto(_) | TermCode::ReturnChecksum => {}
            }
        }
    }

    fn assign(&mut self, place: &Place, value: ExprId) {
        match place.form() {
            PlaceForm::Scalar(var @ VarRef::Var(_)) => {
                let Cells { start: slot, ty, .. } = self.layout.cells(var);
                match narrow(ty) {
                    None => {
                        self.value_into(value, slot);
                    }
                    Some(ty) => {
                        let (wide, _) = self.value(value);
                        self.emit(opcode::stored(ty), slot, wide, 0, value);
                    }
                }
            }
            PlaceForm::Scalar(VarRef::Global(id)) => {
                let Cells { start: cell, ty, .. } = self.global(id);
                let (mut slot, _) = self.value(value);
                if let Some(ty) = narrow(ty) {
                    let stored = self.temp();
                    self.emit(opcode::stored(ty), stored, slot, 0, value);
                    slot = stored;
                }
                self.emit(opcode::SET_GLOBAL, cell, slot, 0, value);
            }
            PlaceForm::Element(var, index) => {
                let (index_slot, _) = self.value(index);
                let (slot, _) = self.value(value);
                let array = self.array(var);
                let op = match var {
                    VarRef::Var(_) => opcode::STORE,
                    VarRef::Global(_) => opcode::STORE_GLOBAL,
                };
                self.emit(op, array, slot, index_slot, index);
            }
        }
    }

    fn terminator(&mut self, term: &Term) -> TermCode {
        match term {
            Term::Goto(target) => TermCode::Goto(*target),
            Term::If { cond, then, otherwise } => {
                TermCode::If { cond: self.value(*cond).0, then: *then, otherwise: *otherwise }
            }
            Term::Switch { on, cases, default } => {
                let (on, _) = self.value(*on);
                let start = self.code.cases.len() as u32;
                self.code.cases.extend(cases.iter().map(|(fill, target)| {
                    let label = match fill {
                        ConstOrHole::Const(value) => Label::Value(value.word()),
                        ConstOrHole::Hole(hole) => Label::Hole(*hole),
                    };
                    (label, *target)
                }));
                let end = self.code.cases.len() as u32;
                TermCode::Switch { on, start, end, default: *default }
            }
            Term::Return(Return::Value(value)) => TermCode::ReturnSlot(self.value(*value).0),
            Term::Return(Return::Checksum) => TermCode::ReturnChecksum,
            Term::Return(Return::ChecksumOf(vars)) => {
                for var in vars {
                    if let VarRef::Global(id) = var {
                        self.global(*id);
                    }
                }
                TermCode::ReturnChecksum
            }
        }
    }

    fn covered(&self) -> Vec<Covered> {
        let covered = |global, cells: &Cells| Covered { global, cells: *cells };
        match self.function.returned() {
            Some(Return::Checksum) => {
                let vars = self.layout.vars().iter().map(|cells| covered(false, cells));
                vars.chain(self.named_globals().map(|cells| covered(true, cells))).collect()
            }
            Some(Return::ChecksumOf(vars)) => {
                let is_global = |var: &VarRef| matches!(var, VarRef::Global(_));
                let listed = |var| covered(is_global(var), &self.layout.cells(*var));
                vars.iter().map(listed).collect()
            }
            Some(Return::Value(_)) | None => Vec::new(),
        }
    }

    /// The cells of the globals that the function names.
    fn named_globals(&self) -> impl Iterator<Item = &Cells> {
        self.named.iter().map(|id| &self.layout.globals()[id.index()])
    }

    /// The slot that holds the value of `id` once the instructions made here have run, and the
    /// value's type. Types are found on the way: to make a table of them takes as long as all this.
    fn value(&mut self, id: ExprId) -> (u32, ValueTy) {
        match self.function.expr(id) {
            Expr::Const(constant) => {
                self.code.template.push(constant.word());
                (self.code.template.len() as u32 - 1, constant.ty())
            }
            Expr::Read(place) if let Some(var @ VarRef::Var(_)) = place.as_scalar() => {
                let cells = self.layout.cells(var);
                (cells.start, cells.ty.widened())
            }
            Expr::Read(_)
            | Expr::Hole(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..)
            | Expr::Cast(..)
            | Expr::Call(..) => {
                let first_temp = self.n_temps;
                let dst = self.temp();
                let ty = self.value_into(id, dst);
                // Operands are done with: only the result stays.
                self.n_temps = first_temp + 1;
                (dst, ty)
            }
        }
    }

    /// Makes the instructions that put the value of `id` into `dst`, the last of which writes it
    /// and none of which writes it before all reads are done.
    fn value_into(&mut self, id: ExprId, dst: u32) -> ValueTy {
        match self.function.expr(id) {
            Expr::Const(_) => {
                let (slot, ty) = self.value(id);
                self.emit(opcode::MOVE, dst, slot, 0, id);
                ty
            }
            Expr::Hole(hole, ty) => {
                self.emit(opcode::HOLE, dst, hole.index() as u32, 0, id);
                *ty
            }
            Expr::Read(place) => match place.form() {
                PlaceForm::Scalar(VarRef::Var(_)) => {
                    let (slot, ty) = self.value(id);
                    self.emit(opcode::MOVE, dst, slot, 0, id);
                    ty
                }
                PlaceForm::Scalar(VarRef::Global(global)) => {
                    let cells = self.global(global);
                    self.emit(opcode::GET_GLOBAL, dst, cells.start, 0, id);
                    cells.ty.widened()
                }
                PlaceForm::Element(var, index) => {
                    let (index_slot, _) = self.value(index);
                    let array = self.array(var);
                    let op = match var {
                        VarRef::Var(_) => opcode::LOAD,
                        VarRef::Global(_) => opcode::LOAD_GLOBAL,
                    };
                    self.emit(op, dst, array, index_slot, index);
                    self.layout.cells(var).ty.widened()
                }
            },
            Expr::Unary(op, operand) => {
                let (slot, ty) = self.value(*operand);
                self.emit(opcode::unary(*op, ty), dst, slot, 0, id);
                op.result_ty(ty)
            }
            Expr::Binary(op, lhs, rhs) => {
                let (a, ty) = self.value(*lhs);
                let (b, _) = self.value(*rhs);
                self.emit(opcode::binary(*op, ty), dst, a, b, id);
                op.result_ty(ty)
            }
            Expr::Select(cond, then, otherwise) => {
                let (cond, _) = self.value(*cond);
                let (then, ty) = self.value(*then);
                let (otherwise, _) = self.value(*otherwise);
                // A variable may be an operand too, a temporary that is still to be written not.
                let chosen = if dst & TEMP != 0 { dst } else { self.temp() };
                self.emit(opcode::MOVE, chosen, otherwise, 0, id);
                self.emit(opcode::MOVE_IF, chosen, cond, then, id);
                if chosen != dst {
                    self.emit(opcode::MOVE, dst, chosen, 0, id);
                }
                ty
            }
            Expr::Cast(to, operand) => {
                let (slot, from) = self.value(*operand);
                self.emit(opcode::cast(from, *to), dst, slot, 0, id);
                to.widened()
            }
            Expr::Call(callee, args) => {
                let slots: Vec<u32> = args.iter().map(|arg| self.value(*arg).0).collect();
                let start = self.code.args.len() as u32;
                self.code.args.extend(slots);
                self.emit(opcode::CALL, dst, callee.index() as u32, start, id);
                self.program.function(*callee).ret
            }
        }
    }

    fn array(&mut self, var: VarRef) -> u32 {
        if let Some(array) = self.arrays.get(&var) {
            return *array;
        }
        let cells = match var {
            VarRef::Var(_) => self.layout.cells(var),
            VarRef::Global(id) => self.global(id),
        };
        let array = self.code.arrays.len() as u32;
        self.code.arrays.push(cells);
        self.arrays.insert(var, array);
        array
    }

    /// The cells of a global, which is named from now on.
    fn global(&mut self, id: GlobalId) -> Cells {
        self.named.push(id);
        self.layout.cells(VarRef::Global(id))
    }

    fn temp(&mut self) -> u32 {
        self.n_temps += 1;
        self.max_temps = self.max_temps.max(self.n_temps);
        TEMP | (self.n_temps - 1)
    }

    fn emit(&mut self, op: u16, dst: u32, a: u32, b: u32, origin: ExprId) {
        self.code.instrs.push(Instr { op, dst, a, b });
        self.code.origins.push(origin);
    }
}

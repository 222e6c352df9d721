//! Programs made ready to run: expressions flattened into instructions on numbered slots.
//!
//! A call of a function works on a frame of slots: first the cells of its variables in order of
//! declaration, then its constants, then temporaries. Making code costs about as much as running
//! it once, and it is made for all dialects: a dialect only decides what hazards mean.

use crate::ids::{BlockId, ExprId, FuncId, GlobalId, HoleId};
use crate::lang::{
    BinOp, ConstOrHole, Expr, Function, IntTy, Place, Program, Return, Term, UnOp, Var, VarRef,
    WordTy,
};

/// A program made ready to run.
#[derive(Clone, Debug)]
pub struct Code {
    pub(super) functions: Vec<FunctionCode>,
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
    pub(super) params: Vec<IntTy>,
    /// How many slots are cells of variables.
    pub(super) n_cells: usize,
    pub(super) arrays: Vec<ArrayCode>,
    pub(super) cases: Vec<(Label, BlockId)>,
    /// The slots of the arguments of all calls.
    pub(super) args: Vec<u32>,
    /// What the checksum covers.
    pub(super) checksum: Vec<Covered>,
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

/// An array: where its cells begin, in the frame or among the globals.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrayCode {
    pub(super) start: u32,
    pub(super) len: u32,
    pub(super) elem: IntTy,
}

/// Consecutive cells of one type, in the frame or among the globals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    pub(super) global: bool,
    pub(super) cells: ArrayCode,
}

/// One instruction; what `dst`, `a` and `b` are depends on `op`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Instr {
    pub(super) op: u8,
    pub(super) dst: u32,
    pub(super) a: u32,
    pub(super) b: u32,
}

/// Numbers of instructions: a flat space, so that one jump leads to an operator at its type.
pub(super) mod opcode {
    use super::{BinOp, IntTy, UnOp, WordTy};

    pub(in crate::semantics) const fn binary(op: BinOp, ty: WordTy) -> u8 {
        op as u8 * 4 + ty as u8
    }

    pub(in crate::semantics) const fn unary(op: UnOp, ty: WordTy) -> u8 {
        BinOp::ALL.len() as u8 * 4 + op as u8 * 4 + ty as u8
    }

    const FIRST_OTHER: u8 = (BinOp::ALL.len() + UnOp::ALL.len()) as u8 * 4;
    /// `dst = a`
    pub(in crate::semantics) const MOVE: u8 = FIRST_OTHER;
    /// `if a != 0 { dst = b }`
    pub(in crate::semantics) const MOVE_IF: u8 = FIRST_OTHER + 1;
    /// `dst = array a [slot b]`
    pub(in crate::semantics) const LOAD: u8 = FIRST_OTHER + 2;
    /// `array dst [slot b] = slot a`
    pub(in crate::semantics) const STORE: u8 = FIRST_OTHER + 3;
    /// `dst = global cell a`
    pub(in crate::semantics) const GET_GLOBAL: u8 = FIRST_OTHER + 4;
    /// `global cell dst = slot a`
    pub(in crate::semantics) const SET_GLOBAL: u8 = FIRST_OTHER + 5;
    /// `dst = global array a [slot b]`
    pub(in crate::semantics) const LOAD_GLOBAL: u8 = FIRST_OTHER + 6;
    /// `global array dst [slot b] = slot a`
    pub(in crate::semantics) const STORE_GLOBAL: u8 = FIRST_OTHER + 7;
    /// `dst = function a (args from b on)`
    pub(in crate::semantics) const CALL: u8 = FIRST_OTHER + 8;
    /// stops at hole `a`
    pub(in crate::semantics) const HOLE: u8 = FIRST_OTHER + 9;
    /// `dst = slot a`, wrapped to the type that the lowest bits say
    pub(in crate::semantics) const WRAP: u8 = FIRST_OTHER + 10;

    pub(in crate::semantics) const fn wrap(ty: IntTy) -> u8 {
        WRAP + ty as u8
    }
}

impl Code {
    /// Makes a valid program ready to run. Holes may be left in it: a run that comes to one stops
    /// there.
    pub fn new(program: &Program) -> Self {
        let mut globals = Vec::new();
        let mut global_starts = Vec::with_capacity(program.globals.len());
        for global in &program.globals {
            global_starts.push(globals.len() as u32);
            globals.extend(global.init.iter().map(fill_or_zero));
        }
        let functions = program
            .functions
            .iter()
            .map(|function| Compiler::new(program, function, &global_starts).compile())
            .collect();
        Self { functions, globals }
    }

    /// How many values the variables of a function hold: the length of a state.
    pub fn n_cells(&self, function: FuncId) -> usize {
        self.functions[function.index()].n_cells
    }
}

fn fill_or_zero(fill: &ConstOrHole) -> i64 {
    match fill {
        ConstOrHole::Value(value) => *value,
        ConstOrHole::Hole(_) => 0,
    }
}

struct Compiler<'a> {
    program: &'a Program,
    function: &'a Function,
    global_starts: &'a [u32],
    /// Where the cells of each variable begin.
    starts: Vec<u32>,
    /// The position in `arrays` of what was asked for so far.
    arrays: Vec<(VarRef, u32)>,
    /// Operands that are temporaries are numbered from here; constants come before them in the
    /// frame, but how many there are is known only at the end.
    n_temps: u32,
    max_temps: u32,
    /// The globals that the function names, as far as they were met.
    named: Vec<bool>,
    code: FunctionCode,
}

/// Marks a temporary until all constants are known.
const TEMP: u32 = 1 << 31;

impl<'a> Compiler<'a> {
    fn new(program: &'a Program, function: &'a Function, global_starts: &'a [u32]) -> Self {
        let mut starts = Vec::with_capacity(function.vars.len());
        // Variables and constants; about every second expression is a constant.
        let mut template = Vec::with_capacity(2 * function.vars.len() + function.n_exprs() / 2);
        let mut unfilled = None;
        for var in &function.vars {
            starts.push(template.len() as u32);
            if var.init.is_empty() {
                template.resize(template.len() + var.ty.n_cells(), 0);
            }
            for fill in &var.init {
                if let (ConstOrHole::Hole(hole), None) = (fill, unfilled) {
                    unfilled = Some(*hole);
                }
                template.push(fill_or_zero(fill));
            }
        }
        let code = FunctionCode {
            blocks: Vec::with_capacity(function.blocks.len()),
            instrs: Vec::with_capacity(function.n_exprs()),
            origins: Vec::with_capacity(function.n_exprs()),
            n_cells: template.len(),
            template,
            params: function.params().iter().map(|param| param.ty.elem()).collect(),
            arrays: Vec::new(),
            cases: Vec::new(),
            args: Vec::new(),
            checksum: Vec::new(),
            unfilled,
        };
        Self {
            program,
            function,
            global_starts,
            starts,
            arrays: Vec::new(),
            n_temps: 0,
            max_temps: 0,
            named: vec![false; global_starts.len()],
            code,
        }
    }

    fn compile(mut self) -> FunctionCode {
        for block in &self.function.blocks {
            let start = self.code.instrs.len() as u32;
            for stmt in &block.stmts {
                self.n_temps = 0;
                self.assign(stmt.place, stmt.value);
            }
            self.n_temps = 0;
            let term = self.terminator(&block.term);
            let end = self.code.instrs.len() as u32;
            self.code.blocks.push(BlockCode { start, end, term });
        }
        if self.code.blocks.iter().any(|block| matches!(block.term, TermCode::ReturnChecksum)) {
            self.code.checksum = self.covered();
        }
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

    fn assign(&mut self, place: Place, value: ExprId) {
        let var = self.program.var(self.function, place.var());
        let elem = var.ty.elem();
        match place {
            Place::Scalar(VarRef::Var(id)) => {
                let slot = self.starts[id.index()];
                if elem.as_word().is_some() {
                    self.value_into(value, slot);
                } else {
                    let (wide, _) = self.value(value);
                    self.emit(opcode::wrap(elem), slot, wide, 0, value);
                }
            }
            Place::Scalar(VarRef::Global(id)) => {
                let (mut slot, _) = self.value(value);
                if elem.as_word().is_none() {
                    let narrow = self.temp();
                    self.emit(opcode::wrap(elem), narrow, slot, 0, value);
                    slot = narrow;
                }
                let cell = self.global(id);
                self.emit(opcode::SET_GLOBAL, cell, slot, 0, value);
            }
            Place::Element(var, index) => {
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
                        ConstOrHole::Value(value) => Label::Value(*value),
                        ConstOrHole::Hole(hole) => Label::Hole(*hole),
                    };
                    (label, *target)
                }));
                let end = self.code.cases.len() as u32;
                TermCode::Switch { on, start, end, default: *default }
            }
            Term::Return(Return::Value(value)) => TermCode::ReturnSlot(self.value(*value).0),
            Term::Return(Return::Checksum) => TermCode::ReturnChecksum,
        }
    }

    fn covered(&self) -> Vec<Covered> {
        let covered = |global, start, var: &Var| Covered {
            global,
            cells: ArrayCode { start, len: var.ty.n_cells() as u32, elem: var.ty.elem() },
        };
        let vars = std::iter::zip(&self.starts, &self.function.vars);
        let globals = (0..self.named.len()).filter(|at| self.named[*at]).map(GlobalId::new);
        vars.map(|(start, var)| covered(false, *start, var))
            .chain(
                globals.map(|id| {
                    covered(true, self.global_starts[id.index()], self.program.global(id))
                }),
            )
            .collect()
    }

    /// The slot that holds the value of `id` once the instructions made here have run, and the
    /// value's type.
    fn value(&mut self, id: ExprId) -> (u32, WordTy) {
        match self.function.expr(id) {
            Expr::Const(constant) => {
                self.code.template.push(constant.value());
                (self.code.template.len() as u32 - 1, constant.ty())
            }
            Expr::Read(Place::Scalar(VarRef::Var(var))) => {
                (self.starts[var.index()], self.function.var(*var).ty.elem().widened())
            }
            _ => {
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
    fn value_into(&mut self, id: ExprId, dst: u32) -> WordTy {
        match self.function.expr(id) {
            Expr::Const(_) | Expr::Read(Place::Scalar(VarRef::Var(_))) => {
                let (slot, ty) = self.value(id);
                self.emit(opcode::MOVE, dst, slot, 0, id);
                ty
            }
            Expr::Hole(hole, ty) => {
                self.emit(opcode::HOLE, dst, hole.index() as u32, 0, id);
                *ty
            }
            Expr::Read(Place::Scalar(VarRef::Global(global))) => {
                let cell = self.global(*global);
                self.emit(opcode::GET_GLOBAL, dst, cell, 0, id);
                self.program.global(*global).ty.elem().widened()
            }
            Expr::Read(Place::Element(var, index)) => {
                let (index_slot, _) = self.value(*index);
                let array = self.array(*var);
                let op = match var {
                    VarRef::Var(_) => opcode::LOAD,
                    VarRef::Global(_) => opcode::LOAD_GLOBAL,
                };
                self.emit(op, dst, array, index_slot, *index);
                self.program.var(self.function, *var).ty.elem().widened()
            }
            Expr::Unary(op, operand) => {
                let (slot, ty) = self.value(*operand);
                self.emit(opcode::unary(*op, ty), dst, slot, 0, id);
                ty
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
                let (slot, _) = self.value(*operand);
                self.emit(opcode::wrap(*to), dst, slot, 0, id);
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
        if let Some((_, array)) = self.arrays.iter().find(|(known, _)| *known == var) {
            return *array;
        }
        let start = match var {
            VarRef::Var(id) => self.starts[id.index()],
            VarRef::Global(id) => self.global(id),
        };
        let ty = self.program.var(self.function, var).ty;
        let array = self.code.arrays.len() as u32;
        self.code.arrays.push(ArrayCode { start, len: ty.n_cells() as u32, elem: ty.elem() });
        self.arrays.push((var, array));
        array
    }

    /// Where the cells of a global begin.
    fn global(&mut self, id: GlobalId) -> u32 {
        self.named[id.index()] = true;
        self.global_starts[id.index()]
    }

    fn temp(&mut self) -> u32 {
        self.n_temps += 1;
        self.max_temps = self.max_temps.max(self.n_temps);
        TEMP | (self.n_temps - 1)
    }

    fn emit(&mut self, op: u8, dst: u32, a: u32, b: u32, origin: ExprId) {
        self.code.instrs.push(Instr { op, dst, a, b });
        self.code.origins.push(origin);
    }
}

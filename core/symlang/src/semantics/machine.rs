//! The interpreter: the ground truth of what a program does.

use super::checksum::Crc32;
use super::code::{Code, FunctionCode, Instr, Label, TermCode, opcode};
use super::outcome::{Fault, Outcome, ProgramPoint};
use super::table::{self, Meaning};
use crate::dialect::{Definedness, Dialect};
use crate::dialect::{Hazard, HazardSet};
use crate::ids::{BlockId, FuncId, HoleId};
use crate::lang::{BinOp, FloatTy, Scalar, UnOp, ValueTy, WordTy, with_operators};

/// How long a run may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many blocks may be visited, those of called functions included.
    pub steps: u64,
    /// How many calls may be nested in each other.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 1_000_000, depth: 1_000 }
    }
}

/// However deep calls may nest, their frames take no more slots than this (128 MiB).
const MAX_STACK: usize = 1 << 24;

/// Watches a run.
pub trait Observer {
    /// A block is about to run.
    fn visit(&mut self, visit: &Visit<'_>);
}

/// What an [`Observer`] sees of a visit.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// How many calls are around this one; 0 for the function that was asked for.
    pub depth: usize,
    /// The function.
    pub function: FuncId,
    /// The block that is about to run.
    pub block: BlockId,
    /// The function's state: the words of its variables' cells, in order of declaration.
    pub cells: &'a [i64],
    /// The words of the globals' cells, in order of declaration.
    pub globals: &'a [i64],
}

/// Watches nothing.
impl Observer for () {
    #[inline(always)]
    fn visit(&mut self, _: &Visit<'_>) {}
}

/// Watches with a closure.
impl<F: FnMut(&Visit<'_>)> Observer for F {
    #[inline(always)]
    fn visit(&mut self, visit: &Visit<'_>) {
        self(visit);
    }
}

/// Runs the functions of a program, in one dialect. It can be used again and again, and then
/// allocates nothing.
///
/// ```
/// use pathsmith_symlang::lang::text::parse;
/// use pathsmith_symlang::lang::{IntTy, Scalar};
/// use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
/// use pathsmith_symlang::dialect::Dialect;
///
/// let program = parse("double.sym", "
///     fn double(x: i32) -> i32 {
///     entry:
///         return x + x;
///     }
/// ").unwrap();
/// let code = Code::new(&program);
/// let double = program.function_named("double").unwrap();
///
/// let mut machine = Machine::new(&code, Dialect::C);
/// let number = |value| Scalar::new(IntTy::I32, value);
/// let run = |machine: &mut Machine, x| machine.run(double, &[number(x)], Limits::default());
/// assert_eq!(run(&mut machine, 21), Outcome::Returned(number(42)));
/// assert!(matches!(run(&mut machine, i32::MAX.into()), Outcome::Undefined(_)));
/// ```
#[derive(Clone, Debug)]
pub struct Machine<'c> {
    code: &'c Code,
    dialect: Dialect,
    forbidden: HazardSet,
    globals: Vec<i64>,
    /// The frames of all calls under way, the innermost last.
    stack: Vec<i64>,
    /// Where to go on when the innermost call returns.
    callers: Vec<Caller>,
    path: Vec<BlockId>,
    n_cells: usize,
    /// The function that was asked for last.
    entry: Option<FuncId>,
}

#[derive(Clone, Copy, Debug)]
struct Caller {
    function: FuncId,
    block: BlockId,
    /// The instruction after the call.
    pc: u32,
    base: usize,
    dst: u32,
}

/// Why the instructions of a block did not run to their end.
enum Break {
    Hazard(HazardSet),
    Hole(HoleId),
    Call { callee: FuncId, args: u32, dst: u32 },
}

impl<'c> Machine<'c> {
    /// A machine that runs `code` in `dialect`.
    pub fn new(code: &'c Code, dialect: Dialect) -> Self {
        Self {
            code,
            dialect,
            forbidden: dialect.forbidden(),
            globals: Vec::new(),
            stack: Vec::new(),
            callers: Vec::new(),
            path: Vec::new(),
            n_cells: 0,
            entry: None,
        }
    }

    /// Calls `function` with `args`, with all globals at their initial values.
    ///
    /// # Panics
    /// If there are not as many arguments as parameters.
    pub fn run(&mut self, function: FuncId, args: &[Scalar], limits: Limits) -> Outcome {
        self.run_observed(function, args, limits, &mut ())
    }

    /// The blocks of the function that the last [`run`](Self::run) visited.
    pub fn path(&self) -> &[BlockId] {
        &self.path
    }

    /// The cells of the function's variables, in order of declaration, as the last
    /// [`run`](Self::run) left them. Where it ended inside a call, those of the caller.
    pub fn state(&self) -> &[i64] {
        &self.stack[..self.n_cells]
    }

    /// The cells of the globals as the last [`run`](Self::run) left them.
    pub fn globals(&self) -> &[i64] {
        &self.globals
    }

    /// The CRC-32 of the globals that the function itself names, as the last [`run`](Self::run)
    /// left them. Nothing if it names none.
    pub fn leaving(&self) -> Option<u32> {
        let named = &self.code.functions[self.entry?.index()].named;
        let mut crc = Crc32::new();
        for cells in named {
            self.globals[cells.range()].iter().for_each(|word| crc.add(cells.ty, *word));
        }
        (!named.is_empty()).then(|| crc.value())
    }

    /// Like [`run`](Self::run), with an observer that sees the state at every visit of a block.
    ///
    /// # Panics
    /// If there are not as many arguments as parameters.
    pub fn run_observed(
        &mut self,
        function: FuncId,
        args: &[Scalar],
        limits: Limits,
        observer: &mut impl Observer,
    ) -> Outcome {
        let code: &'c Code = self.code;
        let entry_code = &*code.functions[function.index()];
        assert_eq!(args.len(), entry_code.params.len(), "one argument for each parameter");
        self.globals.clone_from(&code.globals);
        self.callers.clear();
        self.path.clear();
        self.n_cells = entry_code.n_cells;
        self.entry = Some(function);
        self.stack.clear();
        self.stack.extend_from_slice(&entry_code.template);
        for (cell, (arg, ty)) in
            std::iter::zip(&mut self.stack, std::iter::zip(args, &entry_code.params))
        {
            *cell = ty.stored(arg.word());
        }
        self.interpret(function, limits, observer)
    }

    fn interpret(
        &mut self,
        function: FuncId,
        limits: Limits,
        observer: &mut impl Observer,
    ) -> Outcome {
        let code: &'c Code = self.code;
        let mut steps = limits.steps;
        let mut base = 0;
        let mut function = function;
        let mut function_code = &*code.functions[function.index()];
        let mut block = BlockId::new(0);
        // The next instruction, where a block goes on after a call.
        let mut resume = None;
        if let Some(hole) = function_code.unfilled {
            return Outcome::Hole(hole, ProgramPoint { function, block, expr: None });
        }
        loop {
            let block_code = &function_code.blocks[block.index()];
            let start = match resume.take() {
                Some(pc) => pc,
                None => {
                    if steps == 0 {
                        return Outcome::OutOfSteps;
                    }
                    steps -= 1;
                    if self.callers.is_empty() {
                        self.path.push(block);
                    }
                    let cells = &self.stack[base..base + function_code.n_cells];
                    let (depth, globals) = (self.callers.len(), &self.globals[..]);
                    observer.visit(&Visit { depth, function, block, cells, globals });
                    block_code.start
                }
            };
            let instrs = &function_code.instrs[start as usize..block_code.end as usize];
            let frame = &mut self.stack[base..];
            if let Some((done, reason)) =
                run_instrs(instrs, function_code, frame, &mut self.globals, self.forbidden)
            {
                let pc = start + done as u32;
                let expr = function_code.origins[pc as usize];
                let spot = ProgramPoint { function, block, expr: Some(expr) };
                match reason {
                    Break::Hazard(hazards) => return self.fault(hazards, spot),
                    Break::Hole(hole) => return Outcome::Hole(hole, spot),
                    Break::Call { callee, args, dst } => {
                        let callee_code = &*code.functions[callee.index()];
                        if self.callers.len() >= limits.depth
                            || self.stack.len() + callee_code.template.len() > MAX_STACK
                        {
                            return Outcome::OutOfDepth;
                        }
                        self.callers.push(Caller { function, block, pc: pc + 1, base, dst });
                        let callee_base = self.stack.len();
                        self.stack.extend_from_slice(&callee_code.template);
                        for (i, ty) in callee_code.params.iter().enumerate() {
                            let slot = function_code.args[args as usize + i];
                            self.stack[callee_base + i] =
                                ty.stored(self.stack[base + slot as usize]);
                        }
                        (function, function_code) = (callee, callee_code);
                        (base, block) = (callee_base, BlockId::new(0));
                        if let Some(hole) = callee_code.unfilled {
                            return Outcome::Hole(
                                hole,
                                ProgramPoint { function, block, expr: None },
                            );
                        }
                        continue;
                    }
                }
            }
            let frame = &self.stack[base..];
            let output = match block_code.term {
                TermCode::Goto(target) => {
                    block = target;
                    continue;
                }
                TermCode::If { cond, then, otherwise } => {
                    block = if frame[cond as usize] != 0 { then } else { otherwise };
                    continue;
                }
                TermCode::Switch { on, start, end, default } => {
                    let cases = &function_code.cases[start as usize..end as usize];
                    match choose_case(cases, frame[on as usize], default) {
                        Ok(target) => block = target,
                        Err(hole) => {
                            return Outcome::Hole(
                                hole,
                                ProgramPoint { function, block, expr: None },
                            );
                        }
                    }
                    continue;
                }
                TermCode::ReturnChecksum => self.checksum(function_code, base),
                TermCode::ReturnSlot(slot) => frame[slot as usize],
            };
            let Some(caller) = self.callers.pop() else {
                return Outcome::Returned(Scalar::new(function_code.ret, output));
            };
            self.stack.truncate(base);
            self.stack[caller.base + caller.dst as usize] = output;
            (function, block, base) = (caller.function, caller.block, caller.base);
            function_code = &*code.functions[function.index()];
            resume = Some(caller.pc);
        }
    }

    /// The first of `hazards` that the dialect does not define decides.
    #[cold]
    fn fault(&self, hazards: HazardSet, spot: ProgramPoint) -> Outcome {
        let fates = hazards.iter().map(|hazard| (hazard, self.dialect.definedness(hazard)));
        for (hazard, fate) in fates {
            match fate {
                Definedness::Defined => {}
                Definedness::Trap(kind) => return Outcome::Trapped(kind, Fault { hazard, spot }),
                Definedness::Undefined => return Outcome::Undefined(Fault { hazard, spot }),
            }
        }
        unreachable!("a run stops only at a hazard that is not defined")
    }

    fn checksum(&self, function_code: &FunctionCode, base: usize) -> i64 {
        let mut crc = Crc32::new();
        for covered in &function_code.checksum {
            let memory = if covered.global { &self.globals } else { &self.stack[base..] };
            for word in &memory[covered.cells.range()] {
                crc.add(covered.cells.ty, *word);
            }
        }
        crc.value().into()
    }
}

/// Where a `switch` leads: labels differ, so the first that fits is the one, unless a label that
/// is not known yet comes before it.
fn choose_case(
    cases: &[(Label, BlockId)],
    value: i64,
    default: BlockId,
) -> Result<BlockId, HoleId> {
    for (label, target) in cases {
        match label {
            Label::Value(label) if *label == value => return Ok(*target),
            Label::Value(_) => {}
            Label::Hole(hole) => return Err(*hole),
        }
    }
    Ok(default)
}

/// Gives each operator a module of numbers for its instructions, which patterns can name.
macro_rules! opcodes {
    (
        {}
        unary { $($(#[$un_doc:meta])* $un:ident $un_rest:tt)* }
        binary { $($(#[$bin_doc:meta])* $bin:ident $bin_rest:tt)* }
    ) => {
        $(opcodes! { @module opcode::unary, UnOp, $un })*
        $(opcodes! { @module opcode::binary, BinOp, $bin })*
    };
    (@module $number:path, $kind:ident, $op:ident) => {
        #[allow(non_snake_case, reason = "named like the operator")]
        mod $op {
            use super::{$kind, FloatTy, ValueTy, WordTy, opcode};
            pub(super) const I32: u16 = $number($kind::$op, ValueTy::Int(WordTy::I32));
            pub(super) const U32: u16 = $number($kind::$op, ValueTy::Int(WordTy::U32));
            pub(super) const I64: u16 = $number($kind::$op, ValueTy::Int(WordTy::I64));
            pub(super) const U64: u16 = $number($kind::$op, ValueTy::Int(WordTy::U64));
            pub(super) const F32: u16 = $number($kind::$op, ValueTy::Float(FloatTy::F32));
            pub(super) const F64: u16 = $number($kind::$op, ValueTy::Float(FloatTy::F64));
        }
    };
}

with_operators!(opcodes! {});

/// Matches an instruction's number against that of every operator at every type. Each arm calls
/// the table with an operator and a type that the compiler knows, and so becomes a few machine
/// instructions.
macro_rules! dispatch {
    (
        { $opcode:expr, $unary:ident, $binary:ident, { $($rest:tt)* } }
        unary { $($(#[$un_doc:meta])* $un:ident $un_rest:tt)* }
        binary { $($(#[$bin_doc:meta])* $bin:ident $bin_rest:tt)* }
    ) => {
        match $opcode {
            $($un::I32 => $unary!(UnOp::$un, ValueTy::Int(WordTy::I32)),
              $un::U32 => $unary!(UnOp::$un, ValueTy::Int(WordTy::U32)),
              $un::I64 => $unary!(UnOp::$un, ValueTy::Int(WordTy::I64)),
              $un::U64 => $unary!(UnOp::$un, ValueTy::Int(WordTy::U64)),
              $un::F32 => $unary!(UnOp::$un, ValueTy::Float(FloatTy::F32)),
              $un::F64 => $unary!(UnOp::$un, ValueTy::Float(FloatTy::F64)),)*
            $($bin::I32 => $binary!(BinOp::$bin, ValueTy::Int(WordTy::I32)),
              $bin::U32 => $binary!(BinOp::$bin, ValueTy::Int(WordTy::U32)),
              $bin::I64 => $binary!(BinOp::$bin, ValueTy::Int(WordTy::I64)),
              $bin::U64 => $binary!(BinOp::$bin, ValueTy::Int(WordTy::U64)),
              $bin::F32 => $binary!(BinOp::$bin, ValueTy::Float(FloatTy::F32)),
              $bin::F64 => $binary!(BinOp::$bin, ValueTy::Float(FloatTy::F64)),)*
            $($rest)*
        }
    };
}

/// Runs instructions up to their end, or to one that cannot go on: its position, and why.
#[inline(always)]
fn run_instrs(
    instrs: &[Instr],
    function: &FunctionCode,
    frame: &mut [i64],
    globals: &mut [i64],
    forbidden: HazardSet,
) -> Option<(usize, Break)> {
    for (pc, &Instr { op, dst, a, b }) in instrs.iter().enumerate() {
        let (dst, a, b) = (dst as usize, a as usize, b as usize);
        macro_rules! finish {
            ($meaning:expr) => {{
                let Meaning { word, hazards } = $meaning;
                let hazards = hazards.and(forbidden);
                if !hazards.is_empty() {
                    return Some((pc, Break::Hazard(hazards)));
                }
                frame[dst] = word;
            }};
        }
        macro_rules! unary {
            ($op:expr, $ty:expr) => {
                finish!(table::unary($op, $ty, frame[a]))
            };
        }
        macro_rules! binary {
            ($op:expr, $ty:expr) => {
                finish!(table::binary($op, $ty, frame[a], frame[b]))
            };
        }
        macro_rules! cell {
            ($array:expr) => {
                match function.arrays[$array].element(frame[b]) {
                    Some(cell) => cell,
                    // No dialect defines it.
                    None => {
                        return Some((pc, Break::Hazard(HazardSet::only(Hazard::OutOfBounds))));
                    }
                }
            };
        }
        with_operators! { dispatch! { op, unary, binary, {
            opcode::MOVE => frame[dst] = frame[a],
            opcode::MOVE_IF => if frame[a] != 0 { frame[dst] = frame[b] },
            opcode::LOAD => frame[dst] = frame[cell!(a)],
            opcode::STORE => {
                let cell = cell!(dst);
                frame[cell] = function.arrays[dst].ty.stored(frame[a]);
            }
            opcode::GET_GLOBAL => frame[dst] = globals[a],
            opcode::SET_GLOBAL => globals[dst] = frame[a],
            opcode::LOAD_GLOBAL => frame[dst] = globals[cell!(a)],
            opcode::STORE_GLOBAL => {
                let cell = cell!(dst);
                globals[cell] = function.arrays[dst].ty.stored(frame[a]);
            }
            opcode::CALL => {
                let callee = FuncId::new(a);
                return Some((pc, Break::Call { callee, args: b as u32, dst: dst as u32 }));
            }
            opcode::HOLE => return Some((pc, Break::Hole(HoleId::new(a)))),
            stored if stored < opcode::CONVERT => {
                frame[dst] = opcode::stored_ty(stored).wrap(frame[a]);
            }
            convert => {
                let (from, to) = opcode::converted_tys(convert);
                finish!(table::cast(from, to, frame[a]))
            }
        }}}
    }
    None
}

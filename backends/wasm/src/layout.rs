//! Where everything lives: locals, globals, and addresses in memory.
//!
//! Memory begins with the stack, which grows down, so that what is too deep for it traps and does
//! not reach other data. What has a fixed address comes behind it.

use pathsmith_backend::{PerFunction, ProgramOptions};
use pathsmith_symlang::lang::{Calls, ConstOrHole, IntTy, Program, Scalar, ScalarTy, Var};
use pathsmith_symlang::{FuncId, VarId};

use crate::options::{Base, Checksum, GlobalStorage, Storage, WasmOptions};
use crate::types::n_bytes;

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarLocation {
    /// In a local.
    Local(u32),
    /// In a global of the module.
    Global(u32),
    /// In memory, so many bytes behind the first fixed address.
    Static(u32),
    /// In memory, so many bytes into the frame of the call.
    Frame(u32),
}

impl VarLocation {
    pub(crate) fn is_memory(self) -> bool {
        matches!(self, Self::Static(_) | Self::Frame(_))
    }
}

/// A mutable global of the module.
#[derive(Clone, Debug)]
pub(crate) struct ModuleGlobal {
    pub(crate) name: String,
    pub(crate) init: Scalar,
}

/// Where everything lives.
#[derive(Clone, Debug)]
pub(crate) struct ModuleLayout {
    /// By function and variable.
    pub(crate) vars: Vec<Vec<VarLocation>>,
    /// By global of the program.
    pub(crate) globals: Vec<VarLocation>,
    /// How each function finds its variables in memory.
    pub(crate) bases: Vec<Base>,
    /// The size of each function's frame on the stack.
    pub(crate) frames: Vec<u32>,
    pub(crate) module_globals: Vec<ModuleGlobal>,
    /// The global that holds the first fixed address.
    pub(crate) base: Option<u32>,
    /// The global that holds the stack pointer.
    pub(crate) stack_pointer: Option<u32>,
    /// The global that watched variables are kept in.
    pub(crate) sink: Option<u32>,
    /// The first fixed address.
    pub(crate) static_start: u32,
    /// Where the checksum's table is, so many bytes behind the first fixed address.
    pub(crate) crc_table: Option<u32>,
    /// How many pages of memory there are.
    pub(crate) n_pages: u32,
    pub(crate) packed: bool,
}

const PAGE: u32 = 1 << 16;
/// How deep calls may nest, as in the interpreter, and how much memory they may take.
const MAX_DEPTH: u64 = 1_001;
const MAX_STACK: u64 = 1 << 27;
/// How much is left free before the first fixed address, so that it is never 0: an engine that
/// forgot to add it would go unnoticed.
const GAP: u32 = 1 << 8;
/// What a frame is a multiple of.
const FRAME_ALIGN: u32 = 16;

/// A range of memory that is filled from its beginning.
#[derive(Default)]
struct Range {
    end: u32,
    packed: bool,
}

impl Range {
    fn place(&mut self, ty: ScalarTy, n_cells: usize) -> u32 {
        let size = n_bytes(ty);
        let at = if self.packed { self.end } else { self.end.next_multiple_of(size) };
        self.end = at + size * n_cells as u32;
        at
    }
}

impl ModuleLayout {
    pub(crate) fn new(program: &Program, options: &WasmOptions) -> Self {
        let calls = Calls::new(program);
        let packed = options.packed;
        let mut fixed = Range { end: 0, packed: false };
        let crc_table =
            (options.checksum == Checksum::Table).then(|| fixed.place(IntTy::U32.into(), 256));
        // One byte off, so that what is packed is not aligned by chance.
        fixed = Range { end: fixed.end + u32::from(packed), packed };
        let mut layout = Self {
            vars: Vec::new(),
            globals: Vec::new(),
            bases: Vec::new(),
            frames: Vec::new(),
            module_globals: Vec::new(),
            base: None,
            stack_pointer: None,
            sink: None,
            static_start: 0,
            crc_table,
            n_pages: 0,
            packed,
        };
        for (at, global) in program.globals.iter().enumerate() {
            let in_memory = options.globals.get(at) == Some(&GlobalStorage::Memory);
            let location = match global.ty.is_array() || in_memory {
                true => VarLocation::Static(fixed.place(global.ty.cell_ty(), global.ty.n_cells())),
                false => layout.add_global(global.name.clone(), global),
            };
            layout.globals.push(location);
        }
        let mut stack = 0;
        let mut deepest = 0;
        for (id, _) in program.functions_with_ids() {
            let is_recursive = calls.is_recursive(id);
            let base = if is_recursive { Base::Stack } else { options.function(id).base };
            let frame = layout.place_vars(program, options, id, base, &mut fixed);
            match is_recursive {
                true => deepest = deepest.max(u64::from(frame)),
                false => stack += u64::from(frame),
            }
        }
        let stack = (stack + deepest * MAX_DEPTH).next_multiple_of(u64::from(FRAME_ALIGN));
        let stack = stack.min(MAX_STACK) as u32;
        layout.static_start = stack + GAP;
        if layout.bases.iter().any(|base| matches!(base, Base::Global | Base::Local)) {
            layout.base = Some(layout.add_pointer("base", stack + GAP));
        }
        if stack > 0 {
            layout.stack_pointer = Some(layout.add_pointer("stack_pointer", stack));
        }
        if options.functions.iter().any(|function| !function.watched.is_empty()) {
            let init = Scalar::new(IntTy::U64, 0);
            layout.module_globals.push(ModuleGlobal { name: "sink".to_owned(), init });
            layout.sink = Some(layout.module_globals.len() as u32 - 1);
        }
        if stack > 0 || fixed.end > u32::from(packed) {
            layout.n_pages = (layout.static_start + fixed.end).div_ceil(PAGE);
        }
        layout
    }

    /// Finds a location for each variable of a function, and returns the size of its frame.
    fn place_vars(
        &mut self,
        program: &Program,
        options: &WasmOptions,
        id: FuncId,
        base: Base,
        fixed: &mut Range,
    ) -> u32 {
        let function = program.function(id);
        let mut frame = Range { end: 0, packed: self.packed };
        let mut n_locals = function.params().len() as u32;
        let mut locations = Vec::with_capacity(function.vars.len());
        for (at, var) in function.vars.iter().enumerate() {
            let is_param = at < function.params().len();
            let storage = match var.ty.is_array() {
                true => Storage::Memory,
                false => options.function(id).var(VarId::new(at)),
            };
            locations.push(match storage {
                Storage::Local if is_param => VarLocation::Local(at as u32),
                Storage::Local => {
                    n_locals += 1;
                    VarLocation::Local(n_locals - 1)
                }
                Storage::Global => self.add_global(format!("{}.{}", function.name, var.name), var),
                Storage::Memory if base == Base::Stack => {
                    VarLocation::Frame(frame.place(var.ty.cell_ty(), var.ty.n_cells()))
                }
                Storage::Memory => {
                    VarLocation::Static(fixed.place(var.ty.cell_ty(), var.ty.n_cells()))
                }
            });
        }
        let frame = frame.end.next_multiple_of(FRAME_ALIGN);
        self.vars.push(locations);
        self.bases.push(base);
        self.frames.push(frame);
        frame
    }

    fn add_global(&mut self, name: String, var: &Var) -> VarLocation {
        let init = initial_value(var);
        self.module_globals.push(ModuleGlobal { name, init });
        VarLocation::Global(self.module_globals.len() as u32 - 1)
    }

    fn add_pointer(&mut self, name: &str, value: u32) -> u32 {
        let (name, init) = (name.to_owned(), Scalar::new(IntTy::U32, value.into()));
        self.module_globals.push(ModuleGlobal { name, init });
        self.module_globals.len() as u32 - 1
    }
}

/// The initial values of a variable's cells; programs with holes are not lowered.
pub(crate) fn initial_values(var: &Var) -> impl Iterator<Item = Scalar> {
    var.init.iter().map(|fill| match fill {
        ConstOrHole::Const(value) => *value,
        ConstOrHole::Hole(_) => Scalar::new(var.ty.cell_ty(), 0),
    })
}

/// The initial value of a scalar. Parameters have none, and begin as 0.
pub(crate) fn initial_value(var: &Var) -> Scalar {
    initial_values(var).next().unwrap_or_else(|| Scalar::new(var.ty.cell_ty(), 0))
}

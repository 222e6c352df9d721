//! Functions: their locals, what happens on entry and on return, and their statements.

use pathsmith_symlang::lang::{
    Block, ExprTypes, Function, PlaceForm, Program, Return, ScalarTy, Stmt, Var, VarRef,
};
use pathsmith_symlang::{BlockId, FuncId, GlobalId, VarId};
use wasm_encoder::{Instruction, MemArg, ValType};

use crate::helpers::Helpers;
use crate::layout::{Home, Layout, initial_value, initial_values};
use crate::options::{Base, Conditions, FunctionOptions, Returns, WasmOptions};
use crate::types::{Code, Types, load, loaded, n_bytes, storage_type, store};

/// The longest array that gets its initial values by stores.
const MAX_STORES: usize = 64;

/// The data segment with the initial values of arrays.
pub(crate) const IMAGES: u32 = 0;

/// What the functions of a module have in common, and what they leave to it.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
    /// The index of the program's first function.
    pub(crate) first_function: u32,
    pub(crate) helpers: Helpers,
    pub(crate) module_options: &'a WasmOptions,
    /// The types of functions, as far as something names them already.
    pub(crate) types: Types,
    /// The initial values of arrays that are copied from the module.
    pub(crate) images: Vec<u8>,
}

/// Writes one function.
#[derive(Debug)]
pub(crate) struct FunctionWriter<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
    pub(crate) first_function: u32,
    pub(crate) helpers: &'a mut Helpers,
    pub(crate) module_options: &'a WasmOptions,
    pub(crate) types: &'a mut Types,
    images: &'a mut Vec<u8>,
    pub(crate) function: &'a Function,
    /// The types of the function's expressions.
    pub(crate) expr_types: ExprTypes,
    pub(crate) options: &'a FunctionOptions,
    homes: Vec<Home>,
    base: Base,
    pub(crate) frame: u32,
    n_params: u32,
    /// Types and names of the locals that are no parameters.
    locals: Vec<(ValType, String)>,
    /// The local that the base of memory, or of the frame, is in.
    pointer: Option<u32>,
    selector: Option<u32>,
    scratch: Vec<(ValType, usize, u32)>,
    code: Code,
}

/// A function that has been written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) locals: Vec<(ValType, String)>,
    pub(crate) code: Code,
}

/// A place in memory whose address is on the stack, but for the offset.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address {
    ty: ScalarTy,
    at: MemArg,
}

impl Address {
    pub(crate) fn load(self) -> Instruction<'static> {
        load(self.ty, self.at)
    }

    pub(crate) fn store(self) -> Instruction<'static> {
        store(self.ty, self.at)
    }
}

impl<'a> FunctionWriter<'a> {
    pub(crate) fn new<'s: 'a>(
        shared: &'a mut Shared<'s>,
        id: FuncId,
        options: &'a FunctionOptions,
    ) -> Self {
        let function = shared.program.function(id);
        let layout = shared.layout;
        let homes = layout.vars[id.index()].clone();
        let mut writer = Self {
            program: shared.program,
            layout,
            first_function: shared.first_function,
            helpers: &mut shared.helpers,
            module_options: shared.module_options,
            types: &mut shared.types,
            images: &mut shared.images,
            function,
            expr_types: ExprTypes::new(shared.program, function),
            options,
            base: layout.bases[id.index()],
            frame: layout.frames[id.index()],
            n_params: function.params().len() as u32,
            locals: Vec::new(),
            pointer: None,
            selector: None,
            scratch: Vec::new(),
            code: Code::new(),
            homes,
        };
        for (var, home) in function.vars.iter().zip(&writer.homes) {
            if let Home::Local(local) = home
                && *local >= writer.n_params
            {
                writer.locals.push((storage_type(var.ty.cell_ty()), var.name.clone()));
            }
        }
        writer
    }

    /// Writes the function that collects what `id` returns, so its scalars are locals here.
    pub(crate) fn new_around<'s: 'a>(
        shared: &'a mut Shared<'s>,
        id: FuncId,
        options: &'a FunctionOptions,
    ) -> Self {
        let mut writer = Self::new(shared, id, options);
        writer.locals.clear();
        writer.frame = 0;
        for (home, var) in writer.homes.iter_mut().zip(&writer.function.vars) {
            if !var.ty.is_array() {
                *home = Home::Local(writer.n_params + writer.locals.len() as u32);
                writer.locals.push((storage_type(var.ty.cell_ty()), format!("{}.out", var.name)));
            }
        }
        writer
    }

    /// Writes the function that gives the program's globals their initial values.
    pub(crate) fn new_reset<'s: 'a>(
        shared: &'a mut Shared<'s>,
        options: &'a FunctionOptions,
    ) -> Self {
        // It has no variables of its own, so it may stand in the scope of any function.
        let mut writer = Self::new(shared, FuncId::FIRST, options);
        writer.locals.clear();
        (writer.base, writer.frame, writer.n_params) = (Base::Static, 0, 0);
        writer
    }

    /// The function as it is now.
    pub(crate) fn finish(mut self) -> Written {
        // Behind the last label nothing comes, but the validator does not know.
        if !matches!(self.code.last(), Some(Instruction::Return)) {
            self.code.push(Instruction::Unreachable);
        }
        self.code.push(Instruction::End);
        Written { locals: self.locals, code: self.code }
    }

    pub(crate) fn push(&mut self, instruction: Instruction<'static>) {
        self.code.push(instruction);
    }

    /// A branch to the table's entry at the index on the stack; the last is the default.
    pub(crate) fn push_table(&mut self, mut labels: Vec<u32>) {
        if let Some(last) = labels.pop() {
            self.push(Instruction::BrTable(labels.into(), last));
        }
    }

    /// Takes back a branch to where control comes anyway, because the block around it ends here.
    pub(crate) fn fall_through(&mut self) {
        if matches!(self.code.last(), Some(Instruction::Br(0))) {
            self.code.pop();
        }
    }

    pub(crate) fn block(&self, block: BlockId) -> &'a Block {
        self.function.block(block)
    }

    pub(crate) fn conditions(&self) -> Conditions {
        self.options.conditions
    }

    pub(crate) fn max_table(&self) -> u32 {
        self.options.max_table
    }

    pub(crate) fn emit_set_selector(&mut self, selector: u32) {
        let local = self.selector();
        self.push(Instruction::I32Const(selector as i32));
        self.push(Instruction::LocalSet(local));
    }

    pub(crate) fn emit_get_selector(&mut self) {
        let local = self.selector();
        self.push(Instruction::LocalGet(local));
    }

    fn selector(&mut self) -> u32 {
        if let Some(selector) = self.selector {
            return selector;
        }
        let selector = self.add_local(ValType::I32, "selector");
        self.selector = Some(selector);
        selector
    }

    fn add_local(&mut self, ty: ValType, name: &str) -> u32 {
        self.locals.push((ty, name.to_owned()));
        self.n_params + self.locals.len() as u32 - 1
    }

    /// A local for a moment: whoever uses it next finds something else in it.
    pub(crate) fn scratch(&mut self, ty: ValType, number: usize) -> u32 {
        let known = self.scratch.iter().find(|(known, at, _)| (*known, *at) == (ty, number));
        if let Some((.., local)) = known {
            return *local;
        }
        let local = self.add_local(ty, &format!("tmp{}", self.scratch.len()));
        self.scratch.push((ty, number, local));
        local
    }

    fn var(&self, var: VarRef) -> &'a Var {
        self.program.var(self.function, var)
    }

    fn home(&self, var: VarRef) -> Home {
        match var {
            VarRef::Var(id) => self.homes[id.index()],
            VarRef::Global(id) => self.layout.globals[id.index()],
        }
    }

    /// What happens before the entry block: a frame, the base of memory, parameters that live
    /// elsewhere, and initial values.
    pub(crate) fn emit_prologue(&mut self) {
        self.emit_pointer();
        let function = self.function;
        for (at, var) in function.vars.iter().enumerate() {
            let var_ref = VarRef::Var(VarId::new(at));
            if at >= function.params().len() {
                self.emit_init(var_ref);
            } else if self.home(var_ref) != Home::Local(at as u32) {
                let ty = var.ty.cell_ty();
                self.emit_store(var_ref, ty, |writer| {
                    writer.push(Instruction::LocalGet(at as u32));
                });
            }
        }
    }

    /// Keeps the base of memory in a local, where the function asks for it.
    pub(crate) fn emit_pointer(&mut self) {
        let globals = self.program.globals_named(self.function);
        let global_homes = globals.iter().map(|id| self.layout.globals[id.index()]);
        let uses_memory = self.homes.iter().copied().chain(global_homes).any(Home::is_memory);
        if let (Base::Local, true, Some(base)) = (self.base, uses_memory, self.layout.base) {
            let local = self.add_local(ValType::I32, "base");
            self.pointer = Some(local);
            self.push(Instruction::GlobalGet(base));
            self.push(Instruction::LocalSet(local));
        }
        if let (true, Some(stack_pointer)) = (self.frame > 0, self.layout.stack_pointer) {
            let local = self.add_local(ValType::I32, "frame");
            self.pointer = Some(local);
            self.push(Instruction::GlobalGet(stack_pointer));
            self.push(Instruction::I32Const(self.frame as i32));
            self.push(Instruction::I32Sub);
            self.push(Instruction::LocalTee(local));
            self.push(Instruction::GlobalSet(stack_pointer));
        }
    }

    /// Gives a variable its initial values.
    pub(crate) fn emit_init(&mut self, var: VarRef) {
        let declared = self.var(var);
        let ty = declared.ty.cell_ty();
        if !declared.ty.is_array() {
            let init = initial_value(declared);
            // Locals are 0 on entry.
            if !(init.word() == 0 && matches!(self.home(var), Home::Local(_))) {
                self.emit_store(var, ty, |writer| writer.push(loaded(init)));
            }
            return;
        }
        if declared.init.len() <= MAX_STORES && !self.options.bulk {
            for (at, init) in initial_values(declared).enumerate() {
                let address = self.emit_cell(var, at as u32);
                self.push(loaded(init));
                self.push(address.store());
            }
            return;
        }
        let mut image = Vec::new();
        for init in initial_values(declared) {
            let ScalarTy::Int(_) = init.ty();
            image.extend_from_slice(&init.word().to_le_bytes()[..n_bytes(ty) as usize]);
        }
        let address = self.emit_cell(var, 0);
        if address.at.offset > 0 {
            self.push(Instruction::I32Const(address.at.offset as i32));
            self.push(Instruction::I32Add);
        }
        let is_uniform = image.iter().all(|byte| *byte == image[0]);
        let source = if is_uniform { i32::from(image[0]) } else { self.images.len() as i32 };
        self.push(Instruction::I32Const(source));
        self.push(Instruction::I32Const(image.len() as i32));
        if is_uniform {
            self.push(Instruction::MemoryFill(0));
        } else {
            self.push(Instruction::MemoryInit { mem: 0, data_index: IMAGES });
            self.images.extend(image);
        }
    }

    /// Pushes what an address begins with, if it does not begin at 0, and gives the offset.
    fn emit_base(&mut self, home: Home) -> Option<u32> {
        match (home, self.base) {
            (Home::Frame(offset), _) => {
                let pointer = self.pointer.unwrap_or(0);
                self.push(Instruction::LocalGet(pointer));
                Some(offset)
            }
            (Home::Static(offset), Base::Global) => {
                self.push(Instruction::GlobalGet(self.layout.base.unwrap_or(0)));
                Some(offset)
            }
            (Home::Static(offset), Base::Local) => {
                let pointer = self.pointer.unwrap_or(0);
                self.push(Instruction::LocalGet(pointer));
                Some(offset)
            }
            _ => None,
        }
    }

    fn address(&self, var: VarRef, offset: u32) -> Address {
        let ty = self.var(var).ty.cell_ty();
        let align = if self.layout.packed { 0 } else { n_bytes(ty).trailing_zeros() };
        Address { ty, at: MemArg { offset: offset.into(), align, memory_index: 0 } }
    }

    /// The fixed address of something in memory.
    fn fixed(&self, home: Home) -> u32 {
        match home {
            Home::Static(offset) => self.layout.static_start + offset,
            _ => 0,
        }
    }

    /// Pushes the address of the cell at a known index.
    pub(crate) fn emit_cell(&mut self, var: VarRef, at: u32) -> Address {
        let home = self.home(var);
        let skipped = at * n_bytes(self.var(var).ty.cell_ty());
        match self.emit_base(home) {
            Some(offset) => self.address(var, offset + skipped),
            None => {
                self.push(Instruction::I32Const((self.fixed(home) + skipped) as i32));
                self.address(var, 0)
            }
        }
    }

    /// Pushes the address of an element, whose index is pushed as an `i32` by `emit_index`.
    pub(crate) fn emit_element(
        &mut self,
        var: VarRef,
        emit_index: impl FnOnce(&mut Self),
    ) -> Address {
        let home = self.home(var);
        let based = self.emit_base(home);
        emit_index(self);
        let shift = n_bytes(self.var(var).ty.cell_ty()).trailing_zeros();
        if shift > 0 {
            self.push(Instruction::I32Const(shift as i32));
            self.push(Instruction::I32Shl);
        }
        match based {
            Some(offset) => {
                self.push(Instruction::I32Add);
                self.address(var, offset)
            }
            None => self.address(var, self.fixed(home)),
        }
    }

    /// Pushes the value of a scalar, widened.
    pub(crate) fn emit_load(&mut self, var: VarRef) {
        match self.home(var) {
            Home::Local(local) => self.push(Instruction::LocalGet(local)),
            Home::Global(global) => self.push(Instruction::GlobalGet(global)),
            Home::Static(_) | Home::Frame(_) => {
                let address = self.emit_cell(var, 0);
                self.push(address.load());
            }
        }
    }

    /// Assigns to a scalar what `emit_value` pushes; memory narrows by itself.
    pub(crate) fn emit_store(
        &mut self,
        var: VarRef,
        ty: ScalarTy,
        emit_value: impl FnOnce(&mut Self),
    ) {
        match self.home(var) {
            Home::Local(local) => {
                emit_value(self);
                self.push(Instruction::LocalSet(local));
            }
            Home::Global(global) => {
                emit_value(self);
                self.push(Instruction::GlobalSet(global));
            }
            Home::Static(_) | Home::Frame(_) => {
                let address = self.emit_cell(var, 0);
                debug_assert_eq!(address.ty, ty);
                emit_value(self);
                self.push(address.store());
            }
        }
    }

    /// Emits the assignments of a block.
    pub(crate) fn emit_stmts(&mut self, block: BlockId) {
        for stmt in &self.block(block).stmts {
            let Stmt::Assign { place, value } = stmt;
            match place.form() {
                PlaceForm::Element(var, index) => {
                    let address = self.emit_element(var, |writer| writer.emit_index(index));
                    self.emit_expr(*value);
                    self.push(address.store());
                }
                PlaceForm::Scalar(var) => {
                    let ty = self.var(var).ty.cell_ty();
                    let narrows = !self.home(var).is_memory();
                    self.emit_store(var, ty, |writer| {
                        writer.emit_expr(*value);
                        if narrows {
                            writer.emit_narrow(ty);
                        }
                    });
                }
            }
        }
    }

    /// Emits the end of the function.
    pub(crate) fn emit_return(&mut self, what: Return) {
        match what {
            Return::Value(value) => {
                self.emit_expr(value);
            }
            Return::Checksum if self.options.returns == Returns::Multi => {
                for (at, var) in self.function.vars.iter().enumerate() {
                    if !var.ty.is_array() {
                        self.emit_load(VarRef::Var(VarId::new(at)));
                    }
                }
            }
            Return::Checksum => self.emit_checksum(),
        }
        if let (true, Some(stack_pointer)) = (self.frame > 0, self.layout.stack_pointer) {
            self.push(Instruction::LocalGet(self.pointer.unwrap_or(0)));
            self.push(Instruction::I32Const(self.frame as i32));
            self.push(Instruction::I32Add);
            self.push(Instruction::GlobalSet(stack_pointer));
        }
        self.push(Instruction::Return);
    }

    /// Emits the whole of the function that gives the program's globals their initial values.
    pub(crate) fn emit_reset(&mut self) {
        for at in 0..self.program.globals.len() {
            self.emit_init(VarRef::Global(GlobalId::new(at)));
        }
        self.push(Instruction::Return);
    }

    /// Emits the whole of the function around one that returns several values.
    pub(crate) fn emit_around(&mut self, inner: u32) {
        self.emit_pointer();
        for at in 0..self.n_params {
            self.push(Instruction::LocalGet(at));
        }
        self.push(Instruction::Call(inner));
        for home in self.homes.clone().into_iter().rev() {
            if let Home::Local(local) = home {
                self.push(Instruction::LocalSet(local));
            }
        }
        self.emit_checksum();
        self.push(Instruction::Return);
    }
}

//! Functions: their locals, what happens on entry and on return, and their statements.

mod memory;

use pathsmith_backend::assigned_scalar;
use pathsmith_symlang::lang::{
    Block, ExprTypes, FloatTy, Function, PlaceForm, Program, Return, ScalarTy, Stmt, Var, VarRef,
};
use pathsmith_symlang::{BlockId, FuncId, GlobalId, VarId};
use wasm_encoder::{Instruction, ValType};

use crate::floats::to_bits;
use crate::helpers::Helpers;
use crate::layout::{ModuleLayout, VarLocation};
use crate::options::{Base, Conditions, FunctionOptions, Returns, WasmOptions};
use crate::types::{Code, Types, is_wide, storage_type};

/// What the functions of a module have in common, and what they leave to it.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a ModuleLayout,
    /// The index of the program's first function.
    pub(crate) first_function: u32,
    /// The index of the function that keeps watched variables, if there is one.
    pub(crate) see: u32,
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
    pub(crate) layout: &'a ModuleLayout,
    pub(crate) first_function: u32,
    see: u32,
    pub(crate) helpers: &'a mut Helpers,
    pub(crate) module_options: &'a WasmOptions,
    pub(crate) types: &'a mut Types,
    images: &'a mut Vec<u8>,
    pub(crate) function: &'a Function,
    /// The types of the function's expressions.
    pub(crate) expr_types: ExprTypes,
    pub(crate) options: &'a FunctionOptions,
    locations: Vec<VarLocation>,
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
    sources: Vec<(usize, String)>,
}

/// A function that has been written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) locals: Vec<(ValType, String)>,
    pub(crate) code: Code,
    /// Which instructions begin a range, and what the range comes from.
    pub(crate) sources: Vec<(usize, String)>,
}

impl<'a> FunctionWriter<'a> {
    pub(crate) fn new<'s: 'a>(
        shared: &'a mut Shared<'s>,
        id: FuncId,
        options: &'a FunctionOptions,
    ) -> Self {
        let function = shared.program.function(id);
        let layout = shared.layout;
        let locations = layout.vars[id.index()].clone();
        let mut writer = Self {
            program: shared.program,
            layout,
            first_function: shared.first_function,
            see: shared.see,
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
            sources: Vec::new(),
            locations,
        };
        for (var, location) in function.vars.iter().zip(&writer.locations) {
            if let VarLocation::Local(local) = location
                && *local >= writer.n_params
            {
                writer.locals.push((storage_type(var.ty.cell_ty()), var.name.clone()));
            }
        }
        writer
    }

    /// Writes the function that collects what `id` returns, so its scalars are locals here.
    pub(crate) fn new_wrapper<'s: 'a>(
        shared: &'a mut Shared<'s>,
        id: FuncId,
        options: &'a FunctionOptions,
    ) -> Self {
        let mut writer = Self::new(shared, id, options);
        writer.locals.clear();
        writer.frame = 0;
        for (location, var) in writer.locations.iter_mut().zip(&writer.function.vars) {
            if !var.ty.is_array() {
                *location = VarLocation::Local(writer.n_params + writer.locals.len() as u32);
                writer.locals.push((storage_type(var.ty.cell_ty()), format!("{}.out", var.name)));
            }
        }
        writer
    }

    /// Writes a function of the harness, which works on the program's globals only.
    pub(crate) fn new_harness<'s: 'a>(
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
        Written { locals: self.locals, code: self.code, sources: self.sources }
    }

    pub(crate) fn push(&mut self, instruction: Instruction<'static>) {
        self.code.push(instruction);
    }

    pub(crate) fn extend(&mut self, code: impl IntoIterator<Item = Instruction<'static>>) {
        self.code.extend(code);
    }

    /// Says what the instructions that follow come from, for readers of the text.
    pub(crate) fn begin_range(&mut self, source: String) {
        if self.sources.last().is_none_or(|(_, last)| *last != source) {
            self.sources.push((self.code.len(), source));
        }
    }

    /// A branch to the table's entry at the index on the stack; the last is the default.
    pub(crate) fn push_table(&mut self, mut labels: Vec<u32>) {
        if let Some(last) = labels.pop() {
            self.push(Instruction::BrTable(labels.into(), last));
        }
    }

    /// Removes a branch to the end of the innermost block, which falls through anyway.
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

    /// A scratch local: the next user overwrites it.
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

    fn location(&self, var: VarRef) -> VarLocation {
        match var {
            VarRef::Var(id) => self.locations[id.index()],
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
            } else if self.location(var_ref) != VarLocation::Local(at as u32) {
                let ty = var.ty.cell_ty();
                self.emit_store(var_ref, ty, |writer| {
                    writer.push(Instruction::LocalGet(at as u32));
                });
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
                    let narrows = !self.location(var).is_memory();
                    self.emit_store(var, ty, |writer| {
                        writer.emit_expr(*value);
                        if narrows {
                            writer.emit_narrow(ty);
                        }
                    });
                }
            }
            if let Some(var) = assigned_scalar(stmt)
                && self.options.watched.contains(&var)
            {
                self.emit_watch(VarRef::Var(var));
            }
        }
    }

    /// Passes the value of a scalar to the function that keeps it where everyone can see it.
    fn emit_watch(&mut self, var: VarRef) {
        self.emit_load(var);
        match self.var(var).ty.cell_ty() {
            ScalarTy::Int(ty) if is_wide(ty.widened()) => {}
            ScalarTy::Int(_) => self.push(Instruction::I64ExtendI32S),
            // Nothing compares what is kept there.
            ScalarTy::Float(FloatTy::F32) => {
                self.push(to_bits(FloatTy::F32));
                self.push(Instruction::I64ExtendI32U);
            }
            ScalarTy::Float(FloatTy::F64) => self.push(to_bits(FloatTy::F64)),
        }
        self.push(Instruction::Call(self.see));
    }

    /// Emits the end of the function.
    pub(crate) fn emit_return(&mut self, what: &Return) {
        match what {
            Return::Value(value) => {
                self.emit_expr(*value);
            }
            Return::Checksum | Return::ChecksumOf(_) if self.options.returns == Returns::Multi => {
                for var in returned_scalars(self.program, self.function) {
                    self.emit_load(VarRef::Var(var));
                }
            }
            Return::Checksum | Return::ChecksumOf(_) => self.emit_checksum(),
        }
        if let (true, Some(stack_pointer)) = (self.frame > 0, self.layout.stack_pointer) {
            self.push(Instruction::LocalGet(self.pointer.unwrap_or(0)));
            self.push(Instruction::I32Const(self.frame as i32));
            self.push(Instruction::I32Add);
            self.push(Instruction::GlobalSet(stack_pointer));
        }
        self.push(Instruction::Return);
    }

    /// Emits the whole function that resets the program's globals to their initial values.
    pub(crate) fn emit_reset(&mut self) {
        for at in 0..self.program.globals.len() {
            self.emit_init(VarRef::Global(GlobalId::new(at)));
        }
        self.push(Instruction::Return);
    }

    /// Emits the whole function that returns the checksum of some globals.
    pub(crate) fn emit_memory(&mut self, globals: Vec<GlobalId>) {
        self.emit_checksum_of(globals.into_iter().map(VarRef::Global));
        self.push(Instruction::Return);
    }

    /// Emits the whole wrapper of a function that returns several values.
    pub(crate) fn emit_wrapper(&mut self, inner: u32) {
        self.emit_pointer();
        for at in 0..self.n_params {
            self.push(Instruction::LocalGet(at));
        }
        self.push(Instruction::Call(inner));
        for var in returned_scalars(self.program, self.function).into_iter().rev() {
            if let VarLocation::Local(local) = self.location(VarRef::Var(var)) {
                self.push(Instruction::LocalSet(local));
            }
        }
        self.emit_checksum();
        self.push(Instruction::Return);
    }
}

/// The scalars of a function that it returns itself if it returns several values: those that its
/// checksum covers.
pub(crate) fn returned_scalars(program: &Program, function: &Function) -> Vec<VarId> {
    let own = program.checksum_vars(function).into_iter().filter_map(|var| match var {
        VarRef::Var(id) => Some(id),
        VarRef::Global(_) => None,
    });
    own.filter(|id| !function.var(*id).ty.is_array()).collect()
}

//! Variables in memory and elsewhere: addresses, loads, stores and initial values.

use pathsmith_symlang::lang::{ScalarTy, VarRef};
use wasm_encoder::{Instruction, MemArg, ValType};

use super::FunctionWriter;
use crate::layout::{VarLocation, initial_value, initial_values};
use crate::options::Base;
use crate::types::{load, loaded, n_bytes, store};

/// The longest array that gets its initial values by stores. A guess.
const MAX_STORES: usize = 64;

/// The data segment with the initial values of arrays.
const IMAGES: u32 = 0;

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

impl FunctionWriter<'_> {
    /// Keeps the base of memory in a local, if the function asks for it.
    pub(crate) fn emit_pointer(&mut self) {
        let globals = self.program.globals_named(self.function);
        let global_locations = globals.iter().map(|id| self.layout.globals[id.index()]);
        let uses_memory =
            self.locations.iter().copied().chain(global_locations).any(VarLocation::is_memory);
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

    /// Stores the initial values of a variable.
    pub(crate) fn emit_init(&mut self, var: VarRef) {
        let declared = self.var(var);
        let ty = declared.ty.cell_ty();
        if !declared.ty.is_array() {
            let init = initial_value(declared);
            // Locals are 0 on entry.
            if !(init.word() == 0 && matches!(self.location(var), VarLocation::Local(_))) {
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

    /// Pushes the base of an address, if it is not 0, and returns the offset.
    fn emit_base(&mut self, location: VarLocation) -> Option<u32> {
        match (location, self.base) {
            (VarLocation::Frame(offset), _) => {
                let pointer = self.pointer.unwrap_or(0);
                self.push(Instruction::LocalGet(pointer));
                Some(offset)
            }
            (VarLocation::Static(offset), Base::Global) => {
                self.push(Instruction::GlobalGet(self.layout.base.unwrap_or(0)));
                Some(offset)
            }
            (VarLocation::Static(offset), Base::Local) => {
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
    fn fixed(&self, location: VarLocation) -> u32 {
        match location {
            VarLocation::Static(offset) => self.layout.static_start + offset,
            _ => 0,
        }
    }

    /// Pushes the address of the cell at a known index.
    pub(crate) fn emit_cell(&mut self, var: VarRef, at: u32) -> Address {
        let location = self.location(var);
        let skipped = at * n_bytes(self.var(var).ty.cell_ty());
        match self.emit_base(location) {
            Some(offset) => self.address(var, offset + skipped),
            None => {
                self.push(Instruction::I32Const((self.fixed(location) + skipped) as i32));
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
        let location = self.location(var);
        let based = self.emit_base(location);
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
            None => self.address(var, self.fixed(location)),
        }
    }

    /// Pushes the value of a scalar, widened.
    pub(crate) fn emit_load(&mut self, var: VarRef) {
        match self.location(var) {
            VarLocation::Local(local) => self.push(Instruction::LocalGet(local)),
            VarLocation::Global(global) => self.push(Instruction::GlobalGet(global)),
            VarLocation::Static(_) | VarLocation::Frame(_) => {
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
        match self.location(var) {
            VarLocation::Local(local) => {
                emit_value(self);
                self.push(Instruction::LocalSet(local));
            }
            VarLocation::Global(global) => {
                emit_value(self);
                self.push(Instruction::GlobalSet(global));
            }
            VarLocation::Static(_) | VarLocation::Frame(_) => {
                let address = self.emit_cell(var, 0);
                debug_assert_eq!(address.ty, ty);
                emit_value(self);
                self.push(address.store());
            }
        }
    }
}

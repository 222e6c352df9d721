//! The checksum that functions return: CRC-32, as in `pathsmith_symlang::semantics::checksum`.

use pathsmith_symlang::lang::{FloatTy, IntTy, ScalarTy, VarRef};
use wasm_encoder::{BlockType, Instruction, ValType};

use crate::function::FunctionWriter;
use crate::helpers::Helper;
use crate::types::n_bytes;

/// The longest array whose elements are added one by one, without a loop.
const MAX_UNROLLED: u32 = 4;

impl FunctionWriter<'_> {
    /// Pushes the checksum of all that the function computed.
    pub(crate) fn emit_checksum(&mut self) {
        self.emit_checksum_of(self.program.checksum_vars(self.function));
    }

    /// Pushes the checksum of some variables.
    pub(crate) fn emit_checksum_of(&mut self, vars: impl IntoIterator<Item = VarRef>) {
        self.push(Instruction::I32Const(-1));
        vars.into_iter().for_each(|var| self.emit_add_var(var));
        self.push(Instruction::I32Const(-1));
        self.push(Instruction::I32Xor);
    }

    /// Adds a variable to the checksum on the stack.
    fn emit_add_var(&mut self, var: VarRef) {
        let declared = self.program.var(self.function, var);
        let ty = declared.ty.cell_ty();
        let n_cells = declared.ty.n_cells() as u32;
        if !declared.ty.is_array() {
            self.emit_load(var);
            self.emit_add(ty);
        } else if n_cells <= MAX_UNROLLED {
            for at in 0..n_cells {
                let address = self.emit_cell(var, at);
                self.push(address.load());
                self.emit_add(ty);
            }
        } else {
            let (crc, at) = (self.scratch(ValType::I32, 0), self.scratch(ValType::I32, 1));
            self.push(Instruction::LocalSet(crc));
            self.push(Instruction::I32Const(0));
            self.push(Instruction::LocalSet(at));
            self.push(Instruction::Loop(BlockType::Empty));
            self.push(Instruction::LocalGet(crc));
            let address = self.emit_element(var, |w| w.push(Instruction::LocalGet(at)));
            self.push(address.load());
            self.emit_add(ty);
            self.push(Instruction::LocalSet(crc));
            self.push(Instruction::LocalGet(at));
            self.push(Instruction::I32Const(1));
            self.push(Instruction::I32Add);
            self.push(Instruction::LocalTee(at));
            self.push(Instruction::I32Const(n_cells as i32));
            self.push(Instruction::I32LtU);
            self.push(Instruction::BrIf(0));
            self.push(Instruction::End);
            self.push(Instruction::LocalGet(crc));
        }
    }

    /// Adds the value on the stack to the checksum under it.
    fn emit_add(&mut self, ty: ScalarTy) {
        match ty {
            ScalarTy::Int(IntTy::I64 | IntTy::U64) => {}
            ScalarTy::Int(IntTy::I8 | IntTy::I16 | IntTy::I32) => {
                self.push(Instruction::I64ExtendI32S);
            }
            ScalarTy::Int(IntTy::U8 | IntTy::U16 | IntTy::U32) => {
                self.push(Instruction::I64ExtendI32U);
            }
            ScalarTy::Float(float) => {
                self.emit_canonical_bits(float);
                match float {
                    FloatTy::F32 => self.push(Instruction::I64ExtendI32U),
                    FloatTy::F64 => {}
                }
            }
        }
        self.push(Instruction::I32Const(n_bytes(ty) as i32));
        self.emit_helper(Helper::CrcAdd);
    }
}

//! The checksum that functions return: CRC-32, as in `pathsmith_symlang::semantics::checksum`.

use pathsmith_backend::checksum_vars;
use pathsmith_symlang::lang::{IntTy, ScalarTy, VarRef};
use wasm_encoder::{BlockType, Instruction, MemArg, ValType};

use crate::function::FunctionWriter;
use crate::helpers::Helper;
use crate::types::{Code, n_bytes};

/// The longest array whose elements are added one by one, without a loop.
const MAX_UNROLLED: u32 = 4;
const POLYNOMIAL: u32 = 0xedb8_8320;

impl FunctionWriter<'_> {
    /// Pushes the checksum of all that the function computed.
    pub(crate) fn emit_checksum(&mut self) {
        self.push(Instruction::I32Const(-1));
        for var in checksum_vars(self.program, self.function) {
            self.emit_add_var(var);
        }
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
        }
        self.push(Instruction::I32Const(n_bytes(ty) as i32));
        self.emit_helper(Helper::CrcAdd);
    }
}

/// The body of a function that adds the lowest bytes of a value to a checksum: by the table at
/// this address, or bit by bit. Its fourth local counts bits.
pub(crate) fn crc_add(table: Option<u32>) -> Code {
    use Instruction as I;
    const CRC: u32 = 0;
    const VALUE: u32 = 1;
    const N_BYTES: u32 = 2;
    const BIT: u32 = 3;
    let low_byte = [I::LocalGet(VALUE), I::I32WrapI64, I::I32Const(0xff), I::I32And];
    let mut code = vec![I::Loop(BlockType::Empty), I::LocalGet(CRC)];
    match table {
        Some(table) => {
            let at = MemArg { offset: table.into(), align: 2, memory_index: 0 };
            code.extend([I::I32Const(8), I::I32ShrU, I::LocalGet(CRC)]);
            code.extend(low_byte[..2].iter().cloned());
            code.extend([I::I32Xor, I::I32Const(0xff), I::I32And, I::I32Const(2), I::I32Shl]);
            code.extend([I::I32Load(at), I::I32Xor, I::LocalSet(CRC)]);
        }
        None => {
            code.extend(low_byte);
            code.extend([I::I32Xor, I::LocalSet(CRC), I::I32Const(8), I::LocalSet(BIT)]);
            code.push(I::Loop(BlockType::Empty));
            code.extend([I::LocalGet(CRC), I::I32Const(1), I::I32ShrU]);
            // The polynomial, if the lowest bit is set: a mask of all ones or none.
            code.extend([I::I32Const(0), I::LocalGet(CRC), I::I32Const(1), I::I32And, I::I32Sub]);
            code.extend([I::I32Const(POLYNOMIAL as i32), I::I32And, I::I32Xor, I::LocalSet(CRC)]);
            code.extend([I::LocalGet(BIT), I::I32Const(1), I::I32Sub, I::LocalTee(BIT)]);
            code.extend([I::BrIf(0), I::End]);
        }
    }
    code.extend([I::LocalGet(VALUE), I::I64Const(8), I::I64ShrU, I::LocalSet(VALUE)]);
    code.extend([I::LocalGet(N_BYTES), I::I32Const(1), I::I32Sub, I::LocalTee(N_BYTES)]);
    code.extend([I::BrIf(0), I::End, I::LocalGet(CRC)]);
    code
}

/// What each byte does to a checksum, as bytes in memory.
pub(crate) fn table() -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1024);
    for byte in 0..256_u32 {
        let mut crc = byte;
        for _ in 0..8 {
            crc = (crc >> 1) ^ (POLYNOMIAL * (crc & 1));
        }
        bytes.extend_from_slice(&crc.to_le_bytes());
    }
    bytes
}

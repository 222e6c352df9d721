//! CRC-32 as instructions and as a table.

use wasm_encoder::{BlockType, Instruction, MemArg};

use crate::types::Code;

const POLYNOMIAL: u32 = 0xedb8_8320;

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

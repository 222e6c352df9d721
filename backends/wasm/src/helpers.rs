//! Helper functions for what has no instruction; a module has only those that it calls.

use pathsmith_symlang::lang::{FloatTy, WordTy};
use wasm_encoder::{Instruction, ValType};

use crate::crc32;
use crate::floats;
use crate::idioms::{self, Locals, selected};
use crate::options::{Checksum, Selects};
use crate::types::{Choice, Code, Idiom, bits_ty, val_type};

/// A helper function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Helper {
    /// The bytes of its parameter in reverse order.
    Bswap { is_wide: bool },
    /// The smaller or the larger of its parameters.
    Choice { choice: Choice, ty: WordTy },
    /// Another operator without an instruction.
    Idiom { idiom: Idiom, ty: WordTy },
    /// The bits of its parameter, with those of the one NaN for any.
    CanonicalBits { ty: FloatTy },
    /// Its parameter without a fraction, or the nearest limit of the integer type.
    Saturated { from: FloatTy, to: WordTy },
    /// A checksum with the lowest bytes of a value added: checksum, value, how many bytes.
    CrcAdd,
}

/// The helper functions that a module calls.
#[derive(Debug)]
pub(crate) struct Helpers {
    /// The index of the first one.
    first: u32,
    used: Vec<Helper>,
    checksum: Checksum,
}

/// The import, if there is one, is the first function.
const HOST_CRC: u32 = 0;

impl Helpers {
    pub(crate) fn new(first: u32, checksum: Checksum) -> Self {
        Self { first, used: Vec::new(), checksum }
    }

    /// The index of a function, which is there from now on.
    pub(crate) fn index(&mut self, helper: Helper) -> u32 {
        if helper == Helper::CrcAdd && self.checksum == Checksum::Host {
            return HOST_CRC;
        }
        let known = self.used.iter().position(|used| *used == helper);
        let at = known.unwrap_or_else(|| {
            self.used.push(helper);
            self.used.len() - 1
        });
        self.first + at as u32
    }

    pub(crate) fn used(&self) -> &[Helper] {
        &self.used
    }
}

impl Helper {
    pub(crate) fn name(self) -> String {
        match self {
            Self::Bswap { is_wide } => format!("ps.bswap{}", if is_wide { 64 } else { 32 }),
            Self::Choice { choice: Choice::Min, ty } => format!("ps.min_{ty}"),
            Self::Choice { choice: Choice::Max, ty } => format!("ps.max_{ty}"),
            Self::Idiom { idiom, ty } => format!("ps.{}_{ty}", idiom.name()),
            Self::CanonicalBits { ty } => format!("ps.bits_{ty}"),
            Self::Saturated { from, to } => format!("ps.sat_{to}_{from}"),
            Self::CrcAdd => "ps.crc_add".to_owned(),
        }
    }

    /// Parameters and result.
    pub(crate) fn signature(self) -> (Vec<ValType>, ValType) {
        match self {
            Self::Bswap { is_wide } => {
                let ty = if is_wide { ValType::I64 } else { ValType::I32 };
                (vec![ty], ty)
            }
            Self::Choice { ty, .. } => {
                let ty = val_type(ty.into());
                (vec![ty; 2], ty)
            }
            Self::Idiom { idiom, ty } => {
                (vec![val_type(ty.into()); idiom.n_operands()], idiom.result(ty))
            }
            Self::CanonicalBits { ty } => (vec![val_type(ty.into())], val_type(bits_ty(ty).into())),
            Self::Saturated { from, to } => (vec![val_type(from.into())], val_type(to.into())),
            Self::CrcAdd => (vec![ValType::I32, ValType::I64, ValType::I32], ValType::I32),
        }
    }

    /// The body, to its `end`. The table of the checksum is at `crc_table`.
    pub(crate) fn body(self, crc_table: Option<u32>) -> Code {
        let mut code = match self {
            Self::Bswap { is_wide } => bswap(is_wide, 0),
            Self::Choice { choice, ty } => smaller_or_larger(choice, ty, Selects::Plain, 0, 1),
            Self::Idiom { idiom, ty } => {
                let locals = Locals { a: 0, b: 1, between: idiom.n_operands() as u32 };
                idioms::code(idiom, ty, Selects::Plain, locals)
            }
            Self::CanonicalBits { ty } => floats::canonical_bits(ty, Selects::Plain, 0),
            Self::Saturated { from, to } => floats::saturated(from, to, 0),
            Self::CrcAdd => crc32::crc_add(crc_table),
        };
        code.push(Instruction::End);
        code
    }
}

/// The smaller or the larger of two locals.
pub(crate) fn smaller_or_larger(
    choice: Choice,
    ty: WordTy,
    selects: Selects,
    a: u32,
    b: u32,
) -> Code {
    let (get_a, get_b) = (vec![Instruction::LocalGet(a)], vec![Instruction::LocalGet(b)]);
    let takes_first = [get_a.clone(), get_b.clone(), vec![choice.takes_first(ty)]].concat();
    selected(val_type(ty.into()), selects, get_a, get_b, takes_first)
}

/// The bytes of a local in reverse order.
pub(crate) fn bswap(is_wide: bool, local: u32) -> Code {
    use Instruction as I;
    let get = I::LocalGet(local);
    if !is_wide {
        // Bytes 0 and 2 come from a rotation to the left, bytes 1 and 3 from one to the right.
        return vec![
            get.clone(),
            I::I32Const(8),
            I::I32Rotl,
            I::I32Const(0x00ff_00ff),
            I::I32And,
            get,
            I::I32Const(8),
            I::I32Rotr,
            I::I32Const(0xff00_ff00_u32 as i32),
            I::I32And,
            I::I32Or,
        ];
    }
    // Bytes change places with their neighbours, then pairs of them, then halves.
    let mut code = Code::new();
    for (shift, mask) in [(8, 0x00ff_00ff_00ff_00ff_i64), (16, 0x0000_ffff_0000_ffff)] {
        code.extend([
            get.clone(),
            I::I64Const(shift),
            I::I64ShrU,
            I::I64Const(mask),
            I::I64And,
            get.clone(),
            I::I64Const(mask),
            I::I64And,
            I::I64Const(shift),
            I::I64Shl,
            I::I64Or,
            I::LocalSet(local),
        ]);
    }
    code.extend([get, I::I64Const(32), I::I64Rotl]);
    code
}

//! How types of SYMLANG are kept on the JVM.

use pathsmith_symlang::lang::{FloatTy, Function, IntTy, ScalarTy, ValueTy, VarTy, WordTy};

use crate::classfile::{CodeBuilder, Op};

/// What the JVM keeps in a field or in the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CellKind {
    Byte,
    Short,
    Char,
    Int,
    Long,
    Float,
    Double,
}

impl CellKind {
    pub(crate) const fn of(ty: ScalarTy) -> Self {
        match ty {
            ScalarTy::Int(IntTy::I8 | IntTy::U8) => Self::Byte,
            ScalarTy::Int(IntTy::I16) => Self::Short,
            ScalarTy::Int(IntTy::U16) => Self::Char,
            ScalarTy::Int(IntTy::I32 | IntTy::U32) => Self::Int,
            ScalarTy::Int(IntTy::I64 | IntTy::U64) => Self::Long,
            ScalarTy::Float(FloatTy::F32) => Self::Float,
            ScalarTy::Float(FloatTy::F64) => Self::Double,
        }
    }

    pub(crate) const fn descriptor(self) -> &'static str {
        match self {
            Self::Byte => "B",
            Self::Short => "S",
            Self::Char => "C",
            Self::Int => "I",
            Self::Long => "J",
            Self::Float => "F",
            Self::Double => "D",
        }
    }

    pub(crate) const fn array_descriptor(self) -> &'static str {
        match self {
            Self::Byte => "[B",
            Self::Short => "[S",
            Self::Char => "[C",
            Self::Int => "[I",
            Self::Long => "[J",
            Self::Float => "[F",
            Self::Double => "[D",
        }
    }

    pub(crate) const fn n_bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Short | Self::Char => 2,
            Self::Int | Self::Float => 4,
            Self::Long | Self::Double => 8,
        }
    }

    pub(crate) const fn load(self) -> Op {
        match self {
            Self::Byte => Op::Baload,
            Self::Short => Op::Saload,
            Self::Char => Op::Caload,
            Self::Int => Op::Iaload,
            Self::Long => Op::Laload,
            Self::Float => Op::Faload,
            Self::Double => Op::Daload,
        }
    }

    pub(crate) const fn store(self) -> Op {
        match self {
            Self::Byte => Op::Bastore,
            Self::Short => Op::Sastore,
            Self::Char => Op::Castore,
            Self::Int => Op::Iastore,
            Self::Long => Op::Lastore,
            Self::Float => Op::Fastore,
            Self::Double => Op::Dastore,
        }
    }

    /// The instruction that narrows an int, if not every int fits.
    pub(crate) const fn narrow(self) -> Option<Op> {
        match self {
            Self::Byte => Some(Op::I2b),
            Self::Short => Some(Op::I2s),
            Self::Char => Some(Op::I2c),
            Self::Int | Self::Long | Self::Float | Self::Double => None,
        }
    }

    /// Turns the value on the stack into a long: an integer as it is there, a floating-point number
    /// as its bits, with one NaN.
    pub(crate) fn emit_to_long(self, code: &mut CodeBuilder<'_>) {
        match self {
            Self::Byte | Self::Short | Self::Char | Self::Int => code.op(Op::I2l),
            Self::Long => {}
            Self::Float => {
                emit_float_bits(FloatTy::F32, code);
                code.op(Op::I2l);
            }
            Self::Double => emit_float_bits(FloatTy::F64, code),
        }
    }

    /// Turns the long on the stack, whose low bits are those of a value, into the value.
    pub(crate) fn emit_from_long(self, code: &mut CodeBuilder<'_>) {
        match self {
            Self::Byte | Self::Short | Self::Char | Self::Int => code.op(Op::L2i),
            Self::Long => {}
            Self::Float => {
                code.op(Op::L2i);
                emit_float_of_bits(FloatTy::F32, code);
            }
            Self::Double => emit_float_of_bits(FloatTy::F64, code),
        }
    }
}

/// Turns a floating-point number into its bits, which are the canonical ones for every NaN.
pub(crate) fn emit_float_bits(ty: FloatTy, code: &mut CodeBuilder<'_>) {
    match ty {
        FloatTy::F32 => code.invoke_static("java/lang/Float", "floatToIntBits", "(F)I"),
        FloatTy::F64 => code.invoke_static("java/lang/Double", "doubleToLongBits", "(D)J"),
    }
}

/// Turns bits into the floating-point number that has them.
pub(crate) fn emit_float_of_bits(ty: FloatTy, code: &mut CodeBuilder<'_>) {
    match ty {
        FloatTy::F32 => code.invoke_static("java/lang/Float", "intBitsToFloat", "(I)F"),
        FloatTy::F64 => code.invoke_static("java/lang/Double", "longBitsToDouble", "(J)D"),
    }
}

/// The instruction for a floating-point type.
pub(crate) const fn pick_float(ty: FloatTy, float: Op, double: Op) -> Op {
    match ty {
        FloatTy::F32 => float,
        FloatTy::F64 => double,
    }
}

/// Whether integer arithmetic happens in longs.
pub(crate) const fn is_long(ty: WordTy) -> bool {
    match ty {
        WordTy::I32 | WordTy::U32 => false,
        WordTy::I64 | WordTy::U64 => true,
    }
}

/// Whether a value is an integer and a long.
pub(crate) const fn is_long_int(ty: ValueTy) -> bool {
    match ty {
        ValueTy::Int(ty) => is_long(ty),
        ValueTy::Float(_) => false,
    }
}

/// The signed type of the same width.
pub(crate) const fn signed(ty: WordTy) -> WordTy {
    if is_long(ty) { WordTy::I64 } else { WordTy::I32 }
}

/// The instruction for the width of an integer type.
pub(crate) const fn pick(ty: WordTy, int: Op, long: Op) -> Op {
    if is_long(ty) { long } else { int }
}

/// What values of a type are kept in on the stack.
pub(crate) const fn stack_descriptor(ty: ValueTy) -> &'static str {
    match ty {
        ValueTy::Int(WordTy::I32 | WordTy::U32) => "I",
        ValueTy::Int(WordTy::I64 | WordTy::U64) => "J",
        ValueTy::Float(FloatTy::F32) => "F",
        ValueTy::Float(FloatTy::F64) => "D",
    }
}

/// How many slots of the stack and of the local variables a value takes.
pub(crate) const fn n_slots(ty: ValueTy) -> usize {
    match ty {
        ValueTy::Int(WordTy::I32 | WordTy::U32) | ValueTy::Float(FloatTy::F32) => 1,
        ValueTy::Int(WordTy::I64 | WordTy::U64) | ValueTy::Float(FloatTy::F64) => 2,
    }
}

/// What returns the value on the stack.
pub(crate) const fn return_op(ty: ValueTy) -> Op {
    match ty {
        ValueTy::Int(WordTy::I32 | WordTy::U32) => Op::Ireturn,
        ValueTy::Int(WordTy::I64 | WordTy::U64) => Op::Lreturn,
        ValueTy::Float(FloatTy::F32) => Op::Freturn,
        ValueTy::Float(FloatTy::F64) => Op::Dreturn,
    }
}

/// What a variable of a type is kept in, if it is a field.
pub(crate) fn field_descriptor(ty: &VarTy) -> &'static str {
    match ty {
        VarTy::Scalar(ty) => CellKind::of(*ty).descriptor(),
        VarTy::Array(elem, _) => CellKind::of(elem.cell_ty()).array_descriptor(),
    }
}

/// The types of a function's method. Integer parameters come as ints or longs, however narrow they
/// are.
pub(crate) fn method_descriptor(function: &Function) -> String {
    let params: String = function
        .params()
        .iter()
        .map(|param| stack_descriptor(param.ty.cell_ty().widened()))
        .collect();
    format!("({params}){}", stack_descriptor(function.ret))
}

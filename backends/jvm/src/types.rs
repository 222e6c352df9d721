//! How types of SYMLANG are kept on the JVM.

use pathsmith_symlang::lang::{Function, IntTy, ScalarTy, ValueTy, VarTy, WordTy};

use crate::classfile::Op;

/// What the JVM keeps in a field or in the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CellKind {
    Byte,
    Short,
    Char,
    Int,
    Long,
}

impl CellKind {
    pub(crate) const fn of(ty: ScalarTy) -> Self {
        match ty {
            ScalarTy::Int(IntTy::I8 | IntTy::U8) => Self::Byte,
            ScalarTy::Int(IntTy::I16) => Self::Short,
            ScalarTy::Int(IntTy::U16) => Self::Char,
            ScalarTy::Int(IntTy::I32 | IntTy::U32) => Self::Int,
            ScalarTy::Int(IntTy::I64 | IntTy::U64) => Self::Long,
        }
    }

    pub(crate) const fn descriptor(self) -> &'static str {
        match self {
            Self::Byte => "B",
            Self::Short => "S",
            Self::Char => "C",
            Self::Int => "I",
            Self::Long => "J",
        }
    }

    pub(crate) const fn array_descriptor(self) -> &'static str {
        match self {
            Self::Byte => "[B",
            Self::Short => "[S",
            Self::Char => "[C",
            Self::Int => "[I",
            Self::Long => "[J",
        }
    }

    pub(crate) const fn n_bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Short | Self::Char => 2,
            Self::Int => 4,
            Self::Long => 8,
        }
    }

    pub(crate) const fn load(self) -> Op {
        match self {
            Self::Byte => Op::Baload,
            Self::Short => Op::Saload,
            Self::Char => Op::Caload,
            Self::Int => Op::Iaload,
            Self::Long => Op::Laload,
        }
    }

    pub(crate) const fn store(self) -> Op {
        match self {
            Self::Byte => Op::Bastore,
            Self::Short => Op::Sastore,
            Self::Char => Op::Castore,
            Self::Int => Op::Iastore,
            Self::Long => Op::Lastore,
        }
    }

    /// The instruction that narrows an int, if not every int fits.
    pub(crate) const fn narrow(self) -> Option<Op> {
        match self {
            Self::Byte => Some(Op::I2b),
            Self::Short => Some(Op::I2s),
            Self::Char => Some(Op::I2c),
            Self::Int | Self::Long => None,
        }
    }
}

/// Whether integer arithmetic happens in longs.
pub(crate) const fn is_long(ty: WordTy) -> bool {
    match ty {
        WordTy::I32 | WordTy::U32 => false,
        WordTy::I64 | WordTy::U64 => true,
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
    }
}

/// How many slots of the stack and of the local variables a value takes.
pub(crate) const fn n_slots(ty: ValueTy) -> usize {
    match ty {
        ValueTy::Int(WordTy::I32 | WordTy::U32) => 1,
        ValueTy::Int(WordTy::I64 | WordTy::U64) => 2,
    }
}

/// What returns the value on the stack.
pub(crate) const fn return_op(ty: ValueTy) -> Op {
    match ty {
        ValueTy::Int(WordTy::I32 | WordTy::U32) => Op::Ireturn,
        ValueTy::Int(WordTy::I64 | WordTy::U64) => Op::Lreturn,
    }
}

/// What a variable of a type is kept in, if it is a field.
pub(crate) fn field_descriptor(ty: &VarTy) -> &'static str {
    match ty {
        VarTy::Scalar(ty) => CellKind::of(*ty).descriptor(),
        VarTy::Array(elem, _) => CellKind::of(elem.cell_ty()).array_descriptor(),
    }
}

/// The types of a function's method. Parameters come as ints or longs, however narrow they are.
pub(crate) fn method_descriptor(function: &Function) -> String {
    let params: String = function
        .params()
        .iter()
        .map(|param| stack_descriptor(param.ty.cell_ty().widened()))
        .collect();
    format!("({params}){}", stack_descriptor(function.ret))
}

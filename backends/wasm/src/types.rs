//! Types, constants and operators as instructions.

use std::collections::BTreeMap;

use pathsmith_symlang::lang::{BinOp, FloatTy, IntTy, Scalar, ScalarTy, ValueTy, WordTy};
use wasm_encoder::{Ieee32, Ieee64, Instruction, MemArg, TypeSection, ValType};

/// What the validator refuses becomes this: it traps if it is executed all the same.
pub(crate) const NO_SUCH_OPERATOR: Instruction<'static> = Instruction::Unreachable;

/// The types of functions, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    pub(crate) section: TypeSection,
    known: BTreeMap<(Vec<ValType>, Vec<ValType>), u32>,
}

impl Types {
    pub(crate) fn index(&mut self, params: Vec<ValType>, results: Vec<ValType>) -> u32 {
        let next = self.section.len();
        let section = &mut self.section;
        *self.known.entry((params, results)).or_insert_with_key(|(params, results)| {
            section.ty().function(params.iter().copied(), results.iter().copied());
            next
        })
    }
}

/// The instructions of a function, in order.
pub(crate) type Code = Vec<Instruction<'static>>;

/// The type of a value on the operand stack.
pub(crate) const fn val_type(ty: ValueTy) -> ValType {
    match ty {
        ValueTy::Int(WordTy::I32 | WordTy::U32) => ValType::I32,
        ValueTy::Int(WordTy::I64 | WordTy::U64) => ValType::I64,
        ValueTy::Float(FloatTy::F32) => ValType::F32,
        ValueTy::Float(FloatTy::F64) => ValType::F64,
    }
}

/// Whether an integer is an `i64`, not an `i32`.
pub(crate) const fn is_wide(ty: WordTy) -> bool {
    match ty {
        WordTy::I32 | WordTy::U32 => false,
        WordTy::I64 | WordTy::U64 => true,
    }
}

/// The integer type of a number's bits.
pub(crate) const fn bits_ty(ty: FloatTy) -> WordTy {
    match ty {
        FloatTy::F32 => WordTy::U32,
        FloatTy::F64 => WordTy::U64,
    }
}

/// The type of a variable that lives in a local or a global.
pub(crate) const fn storage_type(ty: ScalarTy) -> ValType {
    val_type(ty.widened())
}

/// A constant, from a word in its type's canonical form.
pub(crate) const fn constant(ty: ValueTy, word: i64) -> Instruction<'static> {
    match ty {
        ValueTy::Int(WordTy::I32 | WordTy::U32) => Instruction::I32Const(word as i32),
        ValueTy::Int(WordTy::I64 | WordTy::U64) => Instruction::I64Const(word),
        ValueTy::Float(FloatTy::F32) => Instruction::F32Const(Ieee32::new(word as u32)),
        ValueTy::Float(FloatTy::F64) => Instruction::F64Const(Ieee64::new(word as u64)),
    }
}

/// What a load of a value yields that is kept in a cell.
pub(crate) const fn loaded(value: Scalar) -> Instruction<'static> {
    constant(value.ty().widened(), value.word())
}

/// How many bytes a value takes in memory.
pub(crate) const fn n_bytes(ty: ScalarTy) -> u32 {
    ty.bits() / 8
}

/// A load that widens.
pub(crate) const fn load(ty: ScalarTy, at: MemArg) -> Instruction<'static> {
    match ty {
        ScalarTy::Int(IntTy::I8) => Instruction::I32Load8S(at),
        ScalarTy::Int(IntTy::U8) => Instruction::I32Load8U(at),
        ScalarTy::Int(IntTy::I16) => Instruction::I32Load16S(at),
        ScalarTy::Int(IntTy::U16) => Instruction::I32Load16U(at),
        ScalarTy::Int(IntTy::I32 | IntTy::U32) => Instruction::I32Load(at),
        ScalarTy::Int(IntTy::I64 | IntTy::U64) => Instruction::I64Load(at),
        ScalarTy::Float(FloatTy::F32) => Instruction::F32Load(at),
        ScalarTy::Float(FloatTy::F64) => Instruction::F64Load(at),
    }
}

/// A store that narrows.
pub(crate) const fn store(ty: ScalarTy, at: MemArg) -> Instruction<'static> {
    match ty {
        ScalarTy::Int(IntTy::I8 | IntTy::U8) => Instruction::I32Store8(at),
        ScalarTy::Int(IntTy::I16 | IntTy::U16) => Instruction::I32Store16(at),
        ScalarTy::Int(IntTy::I32 | IntTy::U32) => Instruction::I32Store(at),
        ScalarTy::Int(IntTy::I64 | IntTy::U64) => Instruction::I64Store(at),
        ScalarTy::Float(FloatTy::F32) => Instruction::F32Store(at),
        ScalarTy::Float(FloatTy::F64) => Instruction::F64Store(at),
    }
}

/// Which of two operands is the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Min,
    Max,
}

impl Choice {
    /// The comparison that says whether the first operand is the result.
    pub(crate) const fn takes_first(self, ty: WordTy) -> Instruction<'static> {
        match (self, ty) {
            (Self::Min, WordTy::I32) => Instruction::I32LtS,
            (Self::Min, WordTy::U32) => Instruction::I32LtU,
            (Self::Min, WordTy::I64) => Instruction::I64LtS,
            (Self::Min, WordTy::U64) => Instruction::I64LtU,
            (Self::Max, WordTy::I32) => Instruction::I32GtS,
            (Self::Max, WordTy::U32) => Instruction::I32GtU,
            (Self::Max, WordTy::I64) => Instruction::I64GtS,
            (Self::Max, WordTy::U64) => Instruction::I64GtU,
        }
    }
}

/// An operator without an instruction, other than a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Idiom {
    Abs,
    Bitrev,
    Cmp,
    Mulh,
    Addsat,
    Subsat,
}

impl Idiom {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Abs => "abs",
            Self::Bitrev => "bitrev",
            Self::Cmp => "cmp",
            Self::Mulh => "mulh",
            Self::Addsat => "addsat",
            Self::Subsat => "subsat",
        }
    }

    pub(crate) const fn n_operands(self) -> usize {
        match self {
            Self::Abs | Self::Bitrev => 1,
            Self::Cmp | Self::Mulh | Self::Addsat | Self::Subsat => 2,
        }
    }

    pub(crate) const fn result(self, ty: WordTy) -> ValType {
        match self {
            Self::Cmp => val_type(ValueTy::ORDER),
            Self::Abs | Self::Bitrev | Self::Mulh | Self::Addsat | Self::Subsat => {
                val_type(ValueTy::Int(ty))
            }
        }
    }
}

/// What an operator becomes.
#[derive(Clone, Debug)]
pub(crate) enum Binary {
    Instruction(Instruction<'static>),
    /// One of the operands, which there is no instruction for.
    Choice(Choice),
    /// Something else that there is no instruction for.
    Idiom(Idiom),
}

/// What an operator on integers becomes.
pub(crate) const fn binary(op: BinOp, ty: WordTy) -> Binary {
    use Instruction as I;
    Binary::Instruction(match (op, is_wide(ty), ty.is_signed()) {
        (BinOp::Add, false, _) => I::I32Add,
        (BinOp::Add, true, _) => I::I64Add,
        (BinOp::Sub, false, _) => I::I32Sub,
        (BinOp::Sub, true, _) => I::I64Sub,
        (BinOp::Mul, false, _) => I::I32Mul,
        (BinOp::Mul, true, _) => I::I64Mul,
        (BinOp::Div, false, true) => I::I32DivS,
        (BinOp::Div, false, false) => I::I32DivU,
        (BinOp::Div, true, true) => I::I64DivS,
        (BinOp::Div, true, false) => I::I64DivU,
        (BinOp::Rem, false, true) => I::I32RemS,
        (BinOp::Rem, false, false) => I::I32RemU,
        (BinOp::Rem, true, true) => I::I64RemS,
        (BinOp::Rem, true, false) => I::I64RemU,
        (BinOp::And, false, _) => I::I32And,
        (BinOp::And, true, _) => I::I64And,
        (BinOp::Or, false, _) => I::I32Or,
        (BinOp::Or, true, _) => I::I64Or,
        (BinOp::Xor, false, _) => I::I32Xor,
        (BinOp::Xor, true, _) => I::I64Xor,
        (BinOp::Shl, false, _) => I::I32Shl,
        (BinOp::Shl, true, _) => I::I64Shl,
        (BinOp::Shr, false, true) => I::I32ShrS,
        (BinOp::Shr, false, false) => I::I32ShrU,
        (BinOp::Shr, true, true) => I::I64ShrS,
        (BinOp::Shr, true, false) => I::I64ShrU,
        (BinOp::Rotl, false, _) => I::I32Rotl,
        (BinOp::Rotl, true, _) => I::I64Rotl,
        (BinOp::Rotr, false, _) => I::I32Rotr,
        (BinOp::Rotr, true, _) => I::I64Rotr,
        (BinOp::Min, ..) => return Binary::Choice(Choice::Min),
        (BinOp::Max, ..) => return Binary::Choice(Choice::Max),
        (BinOp::Cmp, ..) => return Binary::Idiom(Idiom::Cmp),
        (BinOp::Mulh, ..) => return Binary::Idiom(Idiom::Mulh),
        (BinOp::Addsat, ..) => return Binary::Idiom(Idiom::Addsat),
        (BinOp::Subsat, ..) => return Binary::Idiom(Idiom::Subsat),
        (BinOp::Copysign, ..) => NO_SUCH_OPERATOR,
        (BinOp::Eq, false, _) => I::I32Eq,
        (BinOp::Eq, true, _) => I::I64Eq,
        (BinOp::Ne, false, _) => I::I32Ne,
        (BinOp::Ne, true, _) => I::I64Ne,
        (BinOp::Lt, false, true) => I::I32LtS,
        (BinOp::Lt, false, false) => I::I32LtU,
        (BinOp::Lt, true, true) => I::I64LtS,
        (BinOp::Lt, true, false) => I::I64LtU,
        (BinOp::Le, false, true) => I::I32LeS,
        (BinOp::Le, false, false) => I::I32LeU,
        (BinOp::Le, true, true) => I::I64LeS,
        (BinOp::Le, true, false) => I::I64LeU,
        (BinOp::Gt, false, true) => I::I32GtS,
        (BinOp::Gt, false, false) => I::I32GtU,
        (BinOp::Gt, true, true) => I::I64GtS,
        (BinOp::Gt, true, false) => I::I64GtU,
        (BinOp::Ge, false, true) => I::I32GeS,
        (BinOp::Ge, false, false) => I::I32GeU,
        (BinOp::Ge, true, true) => I::I64GeS,
        (BinOp::Ge, true, false) => I::I64GeU,
    })
}

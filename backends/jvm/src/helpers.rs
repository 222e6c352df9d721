//! Helper methods that the code of functions calls.

use pathsmith_symlang::lang::{FloatTy, WordTy};

use crate::classfile::{ClassBuilder, CodeBuilder, Cond, Flags, Local, Op, TooLarge};
use crate::types::{CellKind, stack_descriptor};

mod checksum;
mod floats;
mod idioms;
mod open_code;

pub(crate) use floats::comparison;

/// A method of the main class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Helper {
    /// An operator on bits in open code.
    Bits(Bits, WordTy),
    /// An operator in open code.
    Binary(OpenOp, WordTy),
    /// An unsigned `min` or `max` by the JDK's comparison.
    ByCompare(Choice, WordTy),
    /// What a byte does to the checksum, for all bytes.
    CrcTable,
    /// Adds a value to a checksum.
    Crc,
    /// Adds the elements of an array to a checksum.
    CrcArray(CellKind),
    /// Adds a value to a `java.util.zip.CRC32`.
    JdkCrc,
    /// Adds the elements of an array to a `java.util.zip.CRC32`.
    JdkCrcArray(CellKind),
    /// Fills an array with the values that are written in a string.
    Decode(CellKind),
    /// An absolute value in open code.
    Abs(WordTy),
    /// An operator that the JDK has a method for at some types, or for a part of it.
    ByJdk(OpenOp, WordTy),
    /// An operator on floating-point numbers.
    Float(FloatOp, FloatTy),
}

/// An operator on bits that the JVM has no instruction for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bits {
    LeadingZeros,
    TrailingZeros,
    Count,
    SwapBytes,
    Reverse,
}

/// Another operator on integers that the JVM has no instruction for. The order is that in which
/// helpers stand in the main class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OpenOp {
    UnsignedDiv,
    UnsignedRem,
    RotateLeft,
    RotateRight,
    Choice(Choice),
    Compare,
    MulHigh,
    AddSat,
    SubSat,
}

/// An operator on floating-point numbers, or a conversion from or to them, that the JVM has no
/// instruction for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FloatOp {
    Abs,
    Round(Rounding),
    /// `Round(Trunc)` by the JDK's `floor` and `ceil`.
    TruncByJdk,
    Choice(Choice),
    Copysign,
    Bits,
    ToU32,
    ToU64,
    FromU64,
}

/// Which integer a floating-point number becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rounding {
    Floor,
    Ceil,
    Trunc,
    Nearest,
}

/// Which of two operands is the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Choice {
    Min,
    Max,
}

impl Bits {
    /// What it is called in `Integer` and `Long`.
    pub(crate) const fn jdk_name(self) -> &'static str {
        match self {
            Self::LeadingZeros => "numberOfLeadingZeros",
            Self::TrailingZeros => "numberOfTrailingZeros",
            Self::Count => "bitCount",
            Self::SwapBytes => "reverseBytes",
            Self::Reverse => "reverse",
        }
    }
}

/// The JDK's checksum.
pub(crate) const CRC32: &str = "java/util/zip/CRC32";

impl Helper {
    /// The method's name. No function is called like this, as names in SYMLANG have no `$`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bits(op, _) => match op {
                Bits::LeadingZeros => "$clz",
                Bits::TrailingZeros => "$ctz",
                Bits::Count => "$popcnt",
                Bits::SwapBytes => "$bswap",
                Bits::Reverse => "$bitrev",
            },
            Self::Binary(op, ty) => match (op, ty.is_signed()) {
                (OpenOp::RotateLeft, _) => "$rotl",
                (OpenOp::RotateRight, _) => "$rotr",
                (OpenOp::Choice(Choice::Min), true) => "$min",
                (OpenOp::Choice(Choice::Max), true) => "$max",
                (OpenOp::Choice(Choice::Min), false) => "$umin",
                (OpenOp::Choice(Choice::Max), false) => "$umax",
                (OpenOp::UnsignedRem, _) => "$urem",
                (OpenOp::UnsignedDiv, _) => "$udiv",
                (OpenOp::Compare, true) => "$cmp",
                (OpenOp::Compare, false) => "$ucmp",
                (OpenOp::MulHigh, true) => "$mulh",
                (OpenOp::MulHigh, false) => "$umulh",
                (OpenOp::AddSat, true) => "$addsat",
                (OpenOp::AddSat, false) => "$uaddsat",
                (OpenOp::SubSat, true) => "$subsat",
                (OpenOp::SubSat, false) => "$usubsat",
            },
            Self::ByJdk(op, ty) => match (op, ty.is_signed()) {
                (OpenOp::MulHigh, false) => "$umulh_by_jdk",
                (OpenOp::AddSat, true) => "$addsat_by_jdk",
                (OpenOp::AddSat, false) => "$uaddsat_by_jdk",
                (OpenOp::SubSat, true) => "$subsat_by_jdk",
                (OpenOp::SubSat, false) => "$usubsat_by_jdk",
                // For these, the JDK has a method for all of it, or none that helps.
                (OpenOp::MulHigh | OpenOp::Compare | OpenOp::Choice(_), _)
                | (OpenOp::UnsignedDiv | OpenOp::UnsignedRem, _)
                | (OpenOp::RotateLeft | OpenOp::RotateRight, _) => Self::Binary(op, ty).name(),
            },
            Self::Abs(_) => "$abs",
            Self::ByCompare(Choice::Min, _) => "$umin_by_compare",
            Self::ByCompare(Choice::Max, _) => "$umax_by_compare",
            Self::CrcTable => "$crc_table",
            Self::Crc | Self::CrcArray(_) | Self::JdkCrc | Self::JdkCrcArray(_) => "$crc",
            Self::Decode(_) => "$decode",
            Self::Float(op, ty) => match (op, ty) {
                (FloatOp::Abs, _) => "$abs",
                (FloatOp::Round(Rounding::Floor), _) => "$floor",
                (FloatOp::Round(Rounding::Ceil), _) => "$ceil",
                (FloatOp::Round(Rounding::Trunc), _) => "$trunc",
                (FloatOp::Round(Rounding::Nearest), _) => "$nearest",
                (FloatOp::TruncByJdk, _) => "$trunc_by_jdk",
                (FloatOp::Choice(Choice::Min), _) => "$min",
                (FloatOp::Choice(Choice::Max), _) => "$max",
                (FloatOp::Copysign, _) => "$copysign",
                (FloatOp::Bits, _) => "$bits",
                (FloatOp::ToU32, _) => "$to_u32",
                (FloatOp::ToU64, _) => "$to_u64",
                (FloatOp::FromU64, FloatTy::F32) => "$u64_to_f32",
                (FloatOp::FromU64, FloatTy::F64) => "$u64_to_f64",
            },
        }
    }

    pub(crate) fn descriptor(self) -> String {
        match self {
            Self::Bits(_, ty) | Self::Abs(ty) => {
                let ty = stack_descriptor(ty.into());
                format!("({ty}){ty}")
            }
            Self::Binary(OpenOp::RotateLeft | OpenOp::RotateRight, ty) => {
                let ty = stack_descriptor(ty.into());
                format!("({ty}I){ty}")
            }
            Self::Binary(OpenOp::Compare, ty) => {
                let ty = stack_descriptor(ty.into());
                format!("({ty}{ty})I")
            }
            Self::Binary(OpenOp::UnsignedDiv | OpenOp::UnsignedRem | OpenOp::Choice(_), ty)
            | Self::Binary(OpenOp::MulHigh | OpenOp::AddSat | OpenOp::SubSat, ty)
            | Self::ByCompare(_, ty)
            | Self::ByJdk(_, ty) => {
                let ty = stack_descriptor(ty.into());
                format!("({ty}{ty}){ty}")
            }
            Self::CrcTable => "()[I".to_owned(),
            Self::Crc => "(IJI)I".to_owned(),
            Self::CrcArray(kind) => format!("(I{})I", kind.array_descriptor()),
            Self::JdkCrc => format!("(L{CRC32};JI)V"),
            Self::JdkCrcArray(kind) => format!("(L{CRC32};{})V", kind.array_descriptor()),
            Self::Decode(kind) => format!("({}ILjava/lang/String;)V", kind.array_descriptor()),
            Self::Float(op, float) => {
                let ty = stack_descriptor(float.into());
                match op {
                    FloatOp::Abs | FloatOp::Round(_) | FloatOp::TruncByJdk => {
                        format!("({ty}){ty}")
                    }
                    FloatOp::Choice(_) | FloatOp::Copysign => format!("({ty}{ty}){ty}"),
                    FloatOp::Bits => match float {
                        FloatTy::F32 => "(F)I".to_owned(),
                        FloatTy::F64 => "(D)J".to_owned(),
                    },
                    FloatOp::ToU32 => format!("({ty})I"),
                    FloatOp::ToU64 => format!("({ty})J"),
                    FloatOp::FromU64 => format!("(J){ty}"),
                }
            }
        }
    }

    /// Another helper that this one calls.
    pub(crate) const fn needs(self) -> Option<Self> {
        match self {
            Self::Crc => Some(Self::CrcTable),
            Self::CrcArray(_) => Some(Self::Crc),
            Self::JdkCrcArray(_) => Some(Self::JdkCrc),
            _ => None,
        }
    }

    /// Adds the method to the main class.
    pub(crate) fn add_to(self, main: &mut ClassBuilder) -> Result<(), TooLarge> {
        let class = main.name().to_owned();
        let (code, params) = main.static_code(&self.descriptor());
        let mut body = Body { code, class: &class };
        match (self, &params[..]) {
            (Self::Bits(op, ty), &[x]) => body.bits(op, ty, x),
            (Self::Binary(op, ty), &[a, b]) => body.binary(op, ty, a, b, false),
            (Self::Abs(ty), &[x]) => body.abs(ty, x),
            (Self::ByJdk(op, ty), &[a, b]) => body.binary(op, ty, a, b, true),
            (Self::ByCompare(choice, ty), &[a, b]) => body.min_or_max(choice, ty, a, b, true),
            (Self::Crc, &[crc, value, n]) => body.crc(crc, value, n),
            (Self::CrcArray(kind), &[crc, array]) => body.crc_array(kind, crc, array),
            (Self::JdkCrc, &[crc, value, n]) => body.jdk_crc(crc, value, n),
            (Self::JdkCrcArray(kind), &[crc, array]) => body.jdk_crc_array(kind, crc, array),
            (Self::Decode(kind), &[array, at, text]) => body.decode(kind, array, at, text),
            (Self::Float(op, ty), &[a, .., b] | &[a @ b]) => body.float(op, ty, a, b),
            _ => body.crc_table(),
        }
        let code = body.code.finish(self.name())?;
        main.method(Flags::PUBLIC | Flags::STATIC, self.name(), &self.descriptor(), code);
        Ok(())
    }
}

/// The code of one helper.
struct Body<'a, 'c> {
    code: CodeBuilder<'c>,
    /// The class it is in.
    class: &'a str,
}

impl Body<'_, '_> {
    /// A local variable with a value.
    fn local(&mut self, descriptor: &str, value: i64) -> Local {
        let local = self.code.add_local(descriptor);
        match descriptor {
            "J" => self.code.push_long(value),
            _ => self.code.push_int(value as i32),
        }
        self.code.store(local);
        local
    }

    fn ops(&mut self, ops: &[Op]) {
        ops.iter().for_each(|op| self.code.op(*op));
    }

    /// Writes values from the characters of a string, which are their bytes, the lowest first.
    fn decode(&mut self, kind: CellKind, array: Local, at: Local, text: Local) {
        let n_bits = 8 * kind.n_bytes() as i32;
        let (next, bits) = (self.local("I", 0), self.local("I", 0));
        let value = self.local("J", 0);
        let (outer, inner, end) =
            (self.code.add_label(), self.code.add_label(), self.code.add_label());
        self.code.place(outer);
        self.code.load(next);
        self.code.load(text);
        self.code.invoke_virtual("java/lang/String", "length", "()I");
        self.code.branch_int(Cond::Ge, end);
        self.code.push_long(0);
        self.code.store(value);
        self.code.push_int(0);
        self.code.store(bits);
        self.code.place(inner);
        self.code.load(value);
        self.code.load(text);
        self.code.load(next);
        self.code.invoke_virtual("java/lang/String", "charAt", "(I)C");
        self.code.op(Op::I2l);
        self.code.load(bits);
        self.ops(&[Op::Lshl, Op::Lor]);
        self.code.store(value);
        self.code.increment(next, 1);
        self.code.increment(bits, 8);
        self.code.load(bits);
        self.code.push_int(n_bits);
        self.code.branch_int(Cond::Lt, inner);
        self.code.load(array);
        self.code.load(at);
        self.code.load(value);
        kind.emit_from_long(&mut self.code);
        self.code.op(kind.store());
        self.code.increment(at, 1);
        self.code.goto(outer);
        self.code.place(end);
        self.code.op(Op::Return);
    }
}

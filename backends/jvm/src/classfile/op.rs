//! Instructions.

/// Declares instructions without operands: their code, and what they take from the stack and put
/// there (`I` for an int, `J` for a long, `F` for a float, `D` for a double, `A` for a reference).
macro_rules! ops {
    ($($(#[$doc:meta])* $name:ident = $code:literal $takes:literal $gives:literal;)*) => {
        /// An instruction without operands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[expect(missing_docs, reason = "they are named as in the JVM's specification")]
        pub enum Op { $($name = $code,)* }

        impl Op {
            /// What it takes from the stack, and what it puts there.
            pub(super) const fn effect(self) -> (&'static str, &'static str) {
                match self { $(Self::$name => ($takes, $gives),)* }
            }
        }
    };
}

ops! {
    Iaload = 0x2e "AI" "I";
    Laload = 0x2f "AI" "J";
    Faload = 0x30 "AI" "F";
    Daload = 0x31 "AI" "D";
    Baload = 0x33 "AI" "I";
    Caload = 0x34 "AI" "I";
    Saload = 0x35 "AI" "I";
    Iastore = 0x4f "AII" "";
    Lastore = 0x50 "AIJ" "";
    Fastore = 0x51 "AIF" "";
    Dastore = 0x52 "AID" "";
    Bastore = 0x54 "AII" "";
    Castore = 0x55 "AII" "";
    Sastore = 0x56 "AII" "";
    Pop = 0x57 "I" "";
    Pop2 = 0x58 "J" "";
    Iadd = 0x60 "II" "I";
    Ladd = 0x61 "JJ" "J";
    Fadd = 0x62 "FF" "F";
    Dadd = 0x63 "DD" "D";
    Isub = 0x64 "II" "I";
    Lsub = 0x65 "JJ" "J";
    Fsub = 0x66 "FF" "F";
    Dsub = 0x67 "DD" "D";
    Imul = 0x68 "II" "I";
    Lmul = 0x69 "JJ" "J";
    Fmul = 0x6a "FF" "F";
    Dmul = 0x6b "DD" "D";
    Idiv = 0x6c "II" "I";
    Ldiv = 0x6d "JJ" "J";
    Fdiv = 0x6e "FF" "F";
    Ddiv = 0x6f "DD" "D";
    Irem = 0x70 "II" "I";
    Lrem = 0x71 "JJ" "J";
    Ineg = 0x74 "I" "I";
    Lneg = 0x75 "J" "J";
    Fneg = 0x76 "F" "F";
    Dneg = 0x77 "D" "D";
    Ishl = 0x78 "II" "I";
    Lshl = 0x79 "JI" "J";
    Ishr = 0x7a "II" "I";
    Lshr = 0x7b "JI" "J";
    Iushr = 0x7c "II" "I";
    Lushr = 0x7d "JI" "J";
    Iand = 0x7e "II" "I";
    Land = 0x7f "JJ" "J";
    Ior = 0x80 "II" "I";
    Lor = 0x81 "JJ" "J";
    Ixor = 0x82 "II" "I";
    Lxor = 0x83 "JJ" "J";
    I2l = 0x85 "I" "J";
    I2f = 0x86 "I" "F";
    I2d = 0x87 "I" "D";
    L2i = 0x88 "J" "I";
    L2f = 0x89 "J" "F";
    L2d = 0x8a "J" "D";
    F2i = 0x8b "F" "I";
    F2l = 0x8c "F" "J";
    F2d = 0x8d "F" "D";
    D2i = 0x8e "D" "I";
    D2l = 0x8f "D" "J";
    D2f = 0x90 "D" "F";
    I2b = 0x91 "I" "I";
    I2c = 0x92 "I" "I";
    I2s = 0x93 "I" "I";
    Lcmp = 0x94 "JJ" "I";
    Fcmpl = 0x95 "FF" "I";
    Fcmpg = 0x96 "FF" "I";
    Dcmpl = 0x97 "DD" "I";
    Dcmpg = 0x98 "DD" "I";
    Ireturn = 0xac "I" "";
    Lreturn = 0xad "J" "";
    Freturn = 0xae "F" "";
    Dreturn = 0xaf "D" "";
    Areturn = 0xb0 "A" "";
    Return = 0xb1 "" "";
    Arraylength = 0xbe "A" "I";
    Athrow = 0xbf "A" "";
}

impl Op {
    /// Whether nothing comes after it.
    pub const fn is_last(self) -> bool {
        matches!(
            self,
            Self::Ireturn
                | Self::Lreturn
                | Self::Freturn
                | Self::Dreturn
                | Self::Areturn
                | Self::Return
                | Self::Athrow
        )
    }
}

/// A comparison that a branch makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are named as in the JVM's specification")]
pub enum Cond {
    Eq,
    Ne,
    Lt,
    Ge,
    Gt,
    Le,
}

impl Cond {
    /// The comparison that holds where this one does not.
    pub const fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Ge => Self::Lt,
            Self::Gt => Self::Le,
            Self::Le => Self::Gt,
        }
    }

    /// The branch that compares an int with 0.
    pub(super) const fn with_zero(self) -> u8 {
        0x99 + self as u8
    }

    /// The branch that compares two ints.
    pub(super) const fn with_int(self) -> u8 {
        0x9f + self as u8
    }
}

pub(super) const BIPUSH: u8 = 0x10;
pub(super) const SIPUSH: u8 = 0x11;
pub(super) const LDC: u8 = 0x12;
pub(super) const LDC_W: u8 = 0x13;
pub(super) const LDC2_W: u8 = 0x14;
pub(super) const ICONST_0: u8 = 0x03;
pub(super) const LCONST_0: u8 = 0x09;
pub(super) const FCONST_0: u8 = 0x0b;
pub(super) const DCONST_0: u8 = 0x0e;
pub(super) const DUP: u8 = 0x59;
pub(super) const IINC: u8 = 0x84;
pub(super) const GOTO: u8 = 0xa7;
pub(super) const TABLESWITCH: u8 = 0xaa;
pub(super) const LOOKUPSWITCH: u8 = 0xab;
pub(super) const GETSTATIC: u8 = 0xb2;
pub(super) const PUTSTATIC: u8 = 0xb3;
pub(super) const GETFIELD: u8 = 0xb4;
pub(super) const PUTFIELD: u8 = 0xb5;
pub(super) const INVOKEVIRTUAL: u8 = 0xb6;
pub(super) const INVOKESPECIAL: u8 = 0xb7;
pub(super) const INVOKESTATIC: u8 = 0xb8;
pub(super) const INVOKEINTERFACE: u8 = 0xb9;
pub(super) const NEW: u8 = 0xbb;
pub(super) const NEWARRAY: u8 = 0xbc;
pub(super) const CHECKCAST: u8 = 0xc0;
pub(super) const WIDE: u8 = 0xc4;
pub(super) const GOTO_W: u8 = 0xc8;

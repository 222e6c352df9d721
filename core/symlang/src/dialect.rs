//! Dialects: where an operator's meaning holds, and what lies outside.

mod hazard;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use hazard::{Hazard, HazardSet, TrapKind};

/// The rules of definedness that a target language brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// C17 as gcc and clang have it on x86-64.
    C,
    /// WebAssembly.
    Wasm,
    /// The Java virtual machine.
    Jvm,
}

/// What a hazard means in a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Definedness {
    /// Nothing: the operator's meaning holds.
    Defined,
    /// A trap or an exception of this kind ends the run.
    Trap(TrapKind),
    /// Anything may happen.
    Undefined,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Self; 3] = [Self::C, Self::Wasm, Self::Jvm];

    /// The one table: what each hazard means in this dialect.
    pub const fn definedness(self, hazard: Hazard) -> Definedness {
        use Definedness::{Defined, Trap, Undefined};
        use TrapKind::{ConversionRange, DivisionByZero, DivisionOverflow, OutOfBounds};
        //                               C          Wasm       JVM
        let [c, wasm, jvm] = match hazard {
            Hazard::SignedOverflow => [Undefined, Defined, Defined],
            Hazard::DivisionByZero => [Undefined, Trap(DivisionByZero), Trap(DivisionByZero)],
            Hazard::QuotientOverflow => [Undefined, Trap(DivisionOverflow), Defined],
            Hazard::RemainderOverflow => [Undefined, Defined, Defined],
            Hazard::ShiftCount => [Undefined, Defined, Defined],
            Hazard::ShiftedOut => [Undefined, Defined, Defined],
            // Beyond an array, Wasm may trap or may reach other data: nothing to rely on.
            Hazard::OutOfBounds => [Undefined, Undefined, Trap(OutOfBounds)],
            Hazard::CountOfZero => [Undefined, Defined, Defined],
            Hazard::ConversionRange => [Undefined, Trap(ConversionRange), Defined],
            // Which NaN an operation yields is up to the processor; Java asks for the canonical one.
            Hazard::NanBits => [Undefined, Undefined, Defined],
        };
        match self {
            Self::C => c,
            Self::Wasm => wasm,
            Self::Jvm => jvm,
        }
    }

    /// The hazards that are not defined in this dialect.
    pub const fn forbidden(self) -> HazardSet {
        let mut set = HazardSet::NONE;
        let mut i = 0;
        while i < Hazard::ALL.len() {
            if !matches!(self.definedness(Hazard::ALL[i]), Definedness::Defined) {
                set = set.with(Hazard::ALL[i]);
            }
            i += 1;
        }
        set
    }

    /// Its name, in SYMLANG text and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::C => "c",
            Self::Wasm => "wasm",
            Self::Jvm => "jvm",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that is no dialect's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no dialect `{0}`: expected `c`, `wasm` or `jvm`")]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}

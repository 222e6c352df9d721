//! Types of single values, and values with their types.
//!
//! A value is a 64-bit *word* in the canonical form of its type: integers are extended from their
//! width, floating-point numbers are their bits. Frames of the interpreter hold words; everything that outlives a run (constants, models,
//! realizations, artifacts) holds words with their types.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::float::FloatTy;
use super::int::{IntTy, WordTy};

/// The type of a cell: what a scalar variable, an element or a parameter is kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum ScalarTy {
    /// An integer.
    Int(IntTy),
    /// A floating-point number.
    Float(FloatTy),
}

/// The type of an expression's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ValueTy {
    /// An integer.
    Int(WordTy),
    /// A floating-point number.
    Float(FloatTy),
}

impl ScalarTy {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Int(IntTy::I8),
        Self::Int(IntTy::U8),
        Self::Int(IntTy::I16),
        Self::Int(IntTy::U16),
        Self::Int(IntTy::I32),
        Self::Int(IntTy::U32),
        Self::Int(IntTy::I64),
        Self::Int(IntTy::U64),
        Self::Float(FloatTy::F32),
        Self::Float(FloatTy::F64),
    ];

    /// The name in SYMLANG text.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int(ty) => ty.name(),
            Self::Float(ty) => ty.name(),
        }
    }

    /// The type called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }

    /// The type that a load yields.
    pub const fn widened(self) -> ValueTy {
        match self {
            Self::Int(ty) => ValueTy::Int(ty.widened()),
            Self::Float(ty) => ValueTy::Float(ty),
        }
    }

    /// The type of values that are kept as they are; none if a store narrows.
    pub fn as_value(self) -> Option<ValueTy> {
        match self {
            Self::Int(ty) => ty.as_word().map(ValueTy::Int),
            Self::Float(ty) => Some(ValueTy::Float(ty)),
        }
    }

    /// The word that a store of `word`, a value of the type that a load yields, leaves in a cell of
    /// this type.
    #[inline(always)]
    pub const fn stored(self, word: i64) -> i64 {
        match self {
            Self::Int(ty) => ty.wrap(word),
            Self::Float(ty) => ty.canonical(word),
        }
    }

    /// How many bits a value has.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Int(ty) => ty.bits(),
            Self::Float(ty) => ty.bits(),
        }
    }

    /// The integer type, if it is one.
    pub const fn as_int(self) -> Option<IntTy> {
        match self {
            Self::Int(ty) => Some(ty),
            Self::Float(_) => None,
        }
    }
}

impl ValueTy {
    /// All of them, integers first.
    pub const ALL: [Self; 6] = [
        Self::Int(WordTy::I32),
        Self::Int(WordTy::U32),
        Self::Int(WordTy::I64),
        Self::Int(WordTy::U64),
        Self::Float(FloatTy::F32),
        Self::Float(FloatTy::F64),
    ];

    /// The type of conditions and of the results of comparisons.
    pub const CONDITION: Self = Self::Int(WordTy::I32);

    /// The type of the results of three-way comparisons.
    pub const ORDER: Self = Self::Int(WordTy::I32);

    /// The type of checksums.
    pub const CHECKSUM: Self = Self::Int(WordTy::U32);

    /// The name in SYMLANG text.
    pub const fn name(self) -> &'static str {
        self.stored_as().name()
    }

    /// The type of a cell that keeps such a value as it is.
    pub const fn stored_as(self) -> ScalarTy {
        match self {
            Self::Int(ty) => ScalarTy::Int(IntTy::from_word(ty)),
            Self::Float(ty) => ScalarTy::Float(ty),
        }
    }

    /// How many bits a value has.
    pub const fn bits(self) -> u32 {
        match self {
            Self::Int(ty) => ty.bits(),
            Self::Float(ty) => ty.bits(),
        }
    }

    /// The integer type, if it is one.
    pub const fn as_int(self) -> Option<WordTy> {
        match self {
            Self::Int(ty) => Some(ty),
            Self::Float(_) => None,
        }
    }

    /// Whether it is an integer type.
    pub const fn is_int(self) -> bool {
        self.as_int().is_some()
    }
}

/// A value and its type. It is saved as text that has both: `255u8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Scalar {
    ty: ScalarTy,
    word: i64,
}

impl Scalar {
    /// What a cell of type `ty` holds after `word` was stored to it.
    #[inline]
    pub fn new(ty: impl Into<ScalarTy>, word: i64) -> Self {
        let ty = ty.into();
        Self { ty, word: ty.stored(word) }
    }

    /// The value's type.
    #[inline]
    pub const fn ty(self) -> ScalarTy {
        self.ty
    }

    /// The value as a word, in its type's canonical form.
    #[inline]
    pub const fn word(self) -> i64 {
        self.word
    }

    /// Whether a target that returned `other` returned this value. This is the one place that says
    /// when two results are the same: there is one NaN, and the two zeros differ.
    pub fn same_result(self, other: Self) -> bool {
        self == other
    }

    /// The value of type `ty` that `text` stands for, as [`Display`](fmt::Display) writes it.
    ///
    /// # Errors
    /// If `text` is no value of this type.
    pub fn parse(ty: ScalarTy, text: &str) -> Result<Self, ScalarError> {
        let word = match ty {
            ScalarTy::Int(int) => text.parse().ok().and_then(|wide| int.from_wide(wide)),
            ScalarTy::Float(float) => float.parse(text).ok(),
        };
        let word = word.ok_or_else(|| ScalarError { ty, text: text.to_owned() })?;
        Ok(Self { ty, word })
    }
}

impl From<Scalar> for String {
    fn from(value: Scalar) -> Self {
        format!("{value}{}", value.ty)
    }
}

impl TryFrom<String> for Scalar {
    type Error = UntypedScalar;

    fn try_from(text: String) -> Result<Self, UntypedScalar> {
        let typed = |ty: ScalarTy| Some((ty, text.strip_suffix(ty.name())?));
        ScalarTy::ALL
            .into_iter()
            .find_map(typed)
            .and_then(|(ty, value)| Self::parse(ty, value).ok())
            .ok_or_else(|| UntypedScalar(text.clone()))
    }
}

/// A text that is no value with its type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{}` is no value with its type, such as `-5i32` or `255u8`", .0.escape_debug())]
pub struct UntypedScalar(String);

/// A text that is no value of a type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{}` is not a value of type {ty}", text.escape_debug())]
pub struct ScalarError {
    ty: ScalarTy,
    text: String,
}

/// As in SYMLANG text where the context gives the type: without a suffix.
impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ty {
            ScalarTy::Int(ty) => ty.to_wide(self.word).fmt(f),
            ScalarTy::Float(ty) => ty.fmt_word(self.word, f),
        }
    }
}

/// A constant in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Const {
    ty: ValueTy,
    word: i64,
}

impl Const {
    /// The constant of type `ty` that `word` stands for, brought into canonical form.
    #[inline]
    pub fn new(ty: impl Into<ValueTy>, word: i64) -> Self {
        let ty = ty.into();
        Self { ty, word: ty.stored_as().stored(word) }
    }

    /// The constant's type.
    #[inline]
    pub const fn ty(self) -> ValueTy {
        self.ty
    }

    /// The constant as a word, in its type's canonical form.
    #[inline]
    pub const fn word(self) -> i64 {
        self.word
    }

    /// The constant as a value that can be stored.
    #[inline]
    pub const fn scalar(self) -> Scalar {
        Scalar { ty: self.ty.stored_as(), word: self.word }
    }
}

/// As in SYMLANG text: a bare number is an `i32`, or an `f64` if it is no integer; all others carry
/// their type.
impl fmt::Display for Const {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scalar().fmt(f)?;
        match self.ty {
            ValueTy::Int(WordTy::I32) | ValueTy::Float(FloatTy::F64) => Ok(()),
            ValueTy::Int(WordTy::U32 | WordTy::I64 | WordTy::U64)
            | ValueTy::Float(FloatTy::F32) => self.ty.fmt(f),
        }
    }
}

impl From<IntTy> for ScalarTy {
    fn from(ty: IntTy) -> Self {
        Self::Int(ty)
    }
}

impl From<FloatTy> for ScalarTy {
    fn from(ty: FloatTy) -> Self {
        Self::Float(ty)
    }
}

impl From<FloatTy> for ValueTy {
    fn from(ty: FloatTy) -> Self {
        Self::Float(ty)
    }
}

impl From<WordTy> for ScalarTy {
    fn from(ty: WordTy) -> Self {
        Self::Int(ty.into())
    }
}

impl From<ValueTy> for ScalarTy {
    fn from(ty: ValueTy) -> Self {
        ty.stored_as()
    }
}

impl From<WordTy> for ValueTy {
    fn from(ty: WordTy) -> Self {
        Self::Int(ty)
    }
}

impl From<ScalarTy> for String {
    fn from(ty: ScalarTy) -> Self {
        ty.name().to_owned()
    }
}

/// A name that is no type's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is no type: expected i8, u8, i16, u16, i32, u32, i64, u64, f32 or f64")]
pub struct UnknownTy(String);

impl TryFrom<String> for ScalarTy {
    type Error = UnknownTy;

    fn try_from(name: String) -> Result<Self, UnknownTy> {
        Self::from_name(&name).ok_or(UnknownTy(name))
    }
}

impl fmt::Display for ScalarTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for ValueTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_print_with_their_type() {
        assert_eq!(Const::new(WordTy::I32, -5).to_string(), "-5");
        assert_eq!(Const::new(WordTy::U64, -1).to_string(), "18446744073709551615u64");
        assert_eq!(Const::new(WordTy::U32, -1).to_string(), "4294967295u32");
    }

    #[test]
    fn values_are_kept_as_a_store_leaves_them() {
        let stored = Scalar::new(IntTy::U8, -1);
        assert_eq!((stored.word(), stored.to_string()), (255, "255".to_owned()));
        assert!(stored.same_result(Scalar::new(IntTy::U8, 511)));
        assert!(!stored.same_result(Scalar::new(IntTy::I16, 255)));
    }

    #[test]
    fn values_are_read_as_they_are_printed() {
        for ty in IntTy::ALL.map(ScalarTy::Int) {
            for word in [0, 1, -1, i64::MIN, i64::MAX, 1 << 31] {
                let value = Scalar::new(ty, word);
                assert_eq!(Scalar::parse(ty, &value.to_string()), Ok(value));
            }
        }
        for value in [Scalar::new(IntTy::U8, 255), Scalar::new(IntTy::I64, i64::MIN)] {
            assert_eq!(Scalar::try_from(String::from(value)), Ok(value));
        }
        let wrong = ["", "5", "i32", "300u8", "5i33", "5 u8", "-1u64"];
        assert!(wrong.iter().all(|text| Scalar::try_from((*text).to_owned()).is_err()));
        let error = Scalar::parse(IntTy::I8.into(), "128").unwrap_err();
        assert_eq!(error.to_string(), "`128` is not a value of type i8");
        assert!(Scalar::parse(IntTy::U64.into(), "-1").is_err());
        assert!(Scalar::parse(IntTy::I32.into(), "1.5").is_err());
    }

    #[test]
    fn types_are_serialized_by_their_names() {
        for ty in ScalarTy::ALL {
            let json = serde_json::to_string(&ty).unwrap();
            assert_eq!(json, format!("\"{ty}\""));
            assert_eq!(serde_json::from_str::<ScalarTy>(&json).unwrap(), ty);
        }
        for other in ["\"f16\"", "\"U8\"", "8", "{\"Int\":\"u8\"}"] {
            assert!(serde_json::from_str::<ScalarTy>(other).is_err(), "{other}");
        }
        let error = serde_json::from_str::<ScalarTy>("\"f16\"").unwrap_err().to_string();
        assert!(error.starts_with("`f16` is no type: expected i8, u8, "), "{error}");
    }

    /// Files that name types of integers read as before.
    #[test]
    fn types_of_integers_are_serialized_alike() {
        for ty in IntTy::ALL {
            let json = serde_json::to_string(&ty).unwrap();
            assert_eq!(json, serde_json::to_string(&ScalarTy::Int(ty)).unwrap());
            assert_eq!(serde_json::from_str::<IntTy>(&json).unwrap(), ty);
        }
        for ty in WordTy::ALL {
            let json = serde_json::to_string(&ty).unwrap();
            assert_eq!(json, serde_json::to_string(&IntTy::from(ty)).unwrap());
            assert_eq!(serde_json::from_str::<WordTy>(&json).unwrap(), ty);
        }
    }
}

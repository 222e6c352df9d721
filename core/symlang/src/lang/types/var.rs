//! Types of variables.

use std::fmt;
use std::sync::Arc;

use super::scalar::ScalarTy;

/// The type of a variable. Nested types share their parts, so that a copy costs no allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VarTy {
    /// One value.
    Scalar(ScalarTy),
    /// A fixed number of elements of one type.
    Array(Arc<VarTy>, u32),
}

impl VarTy {
    /// The type of a variable that holds one value.
    pub fn scalar(ty: impl Into<ScalarTy>) -> Self {
        Self::Scalar(ty.into())
    }

    /// The type of an array of `len` values.
    pub fn array(elem: impl Into<ScalarTy>, len: u32) -> Self {
        Self::Array(Arc::new(Self::scalar(elem)), len)
    }

    /// The type of each cell.
    pub fn cell_ty(&self) -> ScalarTy {
        match self {
            Self::Scalar(ty) => *ty,
            Self::Array(elem, _) => elem.cell_ty(),
        }
    }

    /// How many cells a variable of this type has.
    pub fn n_cells(&self) -> usize {
        match self {
            Self::Scalar(_) => 1,
            Self::Array(elem, len) => elem.n_cells().saturating_mul(*len as usize),
        }
    }

    /// The type of the elements, if it is an array.
    pub fn element(&self) -> Option<&Self> {
        match self {
            Self::Scalar(_) => None,
            Self::Array(elem, _) => Some(elem),
        }
    }

    /// Whether it is an array.
    pub const fn is_array(&self) -> bool {
        match self {
            Self::Scalar(_) => false,
            Self::Array(..) => true,
        }
    }
}

impl fmt::Display for VarTy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(ty) => write!(f, "{ty}"),
            Self::Array(elem, len) => write!(f, "[{elem}; {len}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::IntTy;

    #[test]
    fn types_nest() {
        let row = VarTy::array(IntTy::U8, 3);
        let table = VarTy::Array(Arc::new(row.clone()), 4);
        assert_eq!(table.to_string(), "[[u8; 3]; 4]");
        assert_eq!((table.n_cells(), table.cell_ty()), (12, ScalarTy::Int(IntTy::U8)));
        assert_eq!(table.element(), Some(&row));
    }
}

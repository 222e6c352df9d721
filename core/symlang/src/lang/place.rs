//! Places: what can be read and assigned.

use crate::ids::{ExprId, GlobalId, VarId};

/// What can be read and assigned: a base, and projections that lead from it to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place(Form);

/// Expressions hold places, and should stay small: what most places are needs no allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Whole(Base),
    Part(Base, Projection),
    /// Two projections or more.
    Deep(Box<(Base, Vec<Projection>)>),
}

/// Where a place begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// At a variable.
    Var(VarRef),
}

/// A step from something to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// To the element with this index.
    Index(ExprId),
}

/// A variable that a function can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VarRef {
    /// One of its own.
    Var(VarId),
    /// One of the program's.
    Global(GlobalId),
}

/// The forms of places that valid programs have, for code that treats each in its own way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceForm {
    /// A scalar variable.
    Scalar(VarRef),
    /// An element of an array of scalars.
    Element(VarRef, ExprId),
}

impl Place {
    /// The place at `base` that `projections` lead to.
    pub fn new(base: Base, projections: Vec<Projection>) -> Self {
        Self(match projections[..] {
            [] => Form::Whole(base),
            [only] => Form::Part(base, only),
            _ => Form::Deep(Box::new((base, projections))),
        })
    }

    /// A whole variable.
    #[inline]
    pub const fn scalar(var: VarRef) -> Self {
        Self(Form::Whole(Base::Var(var)))
    }

    /// An element of an array.
    #[inline]
    pub const fn element(var: VarRef, index: ExprId) -> Self {
        Self(Form::Part(Base::Var(var), Projection::Index(index)))
    }

    /// Where it begins.
    #[inline]
    pub fn base(&self) -> Base {
        match &self.0 {
            Form::Whole(base) | Form::Part(base, _) => *base,
            Form::Deep(deep) => deep.0,
        }
    }

    /// The steps from the base to the place, in order.
    #[inline]
    pub fn projections(&self) -> &[Projection] {
        match &self.0 {
            Form::Whole(_) => &[],
            Form::Part(_, only) => std::slice::from_ref(only),
            Form::Deep(deep) => &deep.1,
        }
    }

    /// The variable that is read or assigned, whole or in part.
    #[inline]
    pub fn var(&self) -> VarRef {
        let Base::Var(var) = self.base();
        var
    }

    /// The variable, to be exchanged for another.
    pub fn var_mut(&mut self) -> &mut VarRef {
        let Base::Var(var) = match &mut self.0 {
            Form::Whole(base) | Form::Part(base, _) => base,
            Form::Deep(deep) => &mut deep.0,
        };
        var
    }

    /// The expressions that say which element, in order of evaluation.
    #[inline]
    pub fn indices(&self) -> impl Iterator<Item = ExprId> + Clone {
        self.projections().iter().map(|projection| {
            let Projection::Index(index) = projection;
            *index
        })
    }

    /// Calls `change` on each expression that says which element, in order of evaluation.
    pub fn for_each_index_mut(&mut self, mut change: impl FnMut(&mut ExprId)) {
        let projections = match &mut self.0 {
            Form::Whole(_) => &mut [],
            Form::Part(_, only) => std::slice::from_mut(only),
            Form::Deep(deep) => &mut deep.1[..],
        };
        for projection in projections {
            let Projection::Index(index) = projection;
            change(index);
        }
    }

    /// The variable, if the place is a whole one.
    #[inline]
    pub const fn as_scalar(&self) -> Option<VarRef> {
        match self.0 {
            Form::Whole(Base::Var(var)) => Some(var),
            Form::Part(..) | Form::Deep(_) => None,
        }
    }

    /// The form of a place of a valid program.
    ///
    /// # Panics
    /// If it leads further than to an element of an array, which the rule `nested-array` forbids.
    #[inline]
    pub fn form(&self) -> PlaceForm {
        let var = self.var();
        match self.projections() {
            [] => PlaceForm::Scalar(var),
            [Projection::Index(index)] => PlaceForm::Element(var, *index),
            [Projection::Index(_), ..] => unreachable!("valid programs have no nested arrays"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_a_base_and_projections() {
        let var = VarRef::Var(VarId::new(1));
        let [i, j] = [3, 4].map(ExprId::new);
        assert_eq!(Place::scalar(var).form(), PlaceForm::Scalar(var));
        assert_eq!(Place::scalar(var).as_scalar(), Some(var));
        assert_eq!(Place::element(var, i).as_scalar(), None);
        assert_eq!(Place::element(var, i).form(), PlaceForm::Element(var, i));
        let mut nested = Place::new(Base::Var(var), [i, j].map(Projection::Index).to_vec());
        assert_eq!(nested.indices().collect::<Vec<_>>(), [i, j]);
        nested.for_each_index_mut(|index| *index = j);
        assert_eq!(nested.projections(), [Projection::Index(j); 2]);
        let one = Place::new(Base::Var(var), vec![Projection::Index(i)]);
        assert_eq!(one, Place::element(var, i));
    }
}

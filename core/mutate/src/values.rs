//! The values of expressions in the states of a program point.

use pathsmith_symlang::dialect::HazardSet;
use pathsmith_symlang::lang::{
    Expr, ExprTypes, Function, Layout, Place, PlaceForm, Program, VarRef,
};
use pathsmith_symlang::semantics::eval::{Env, evaluate};
use pathsmith_symlang::{ExprId, FuncId, HoleId};

use crate::identities::Side;
use crate::profile::{Point, ValueProfile};

/// Evaluates expressions of a function in all states of a point.
#[derive(Debug)]
pub(crate) struct Values<'a> {
    function: &'a Function,
    layout: &'a Layout,
    types: ExprTypes,
    states: Vec<&'a [i64]>,
    forbidden: HazardSet,
}

/// Why there is no value: a call, a hole, an index out of bounds or an undefined operation.
#[derive(Debug)]
pub(crate) struct Unknown;

impl<'a> Values<'a> {
    /// Nothing if not all states of the point are known.
    pub(crate) fn new(
        program: &'a Program,
        profile: &'a ValueProfile,
        point: Point,
    ) -> Option<Self> {
        let function = program.function(point.function);
        Some(Self {
            function,
            layout: profile.layout(point.function),
            types: ExprTypes::new(program, function),
            states: profile.states(point).all()?.collect(),
            forbidden: program.dialect.map_or(HazardSet::NONE, |dialect| dialect.forbidden()),
        })
    }

    /// The values of some expressions, for each state. Nothing if one is not known.
    pub(crate) fn of_all(&self, exprs: &[Option<ExprId>; 3]) -> Option<Vec<[i64; 3]>> {
        let of_state = |state: &&[i64]| {
            let mut words = [0; 3];
            for (word, expr) in std::iter::zip(&mut words, exprs) {
                if let Some(expr) = expr {
                    *word = AtState { values: self, state }.value(*expr).ok()?;
                }
            }
            Some(words)
        };
        self.states.iter().map(of_state).collect()
    }

    /// Whether a side of an identity is defined and equal to `expr` in all states. Its variables have
    /// these values there.
    pub(crate) fn are_equal(&self, expr: ExprId, side: &Side, operands: &[[i64; 3]]) -> bool {
        std::iter::zip(&self.states, operands).all(|(state, words)| {
            let mut env = AtWords { side, types: &side.types, words, forbidden: self.forbidden };
            let expected = AtState { values: self, state }.value(expr);
            expected.is_ok_and(|expected| env.operand(side.root).is_ok_and(|word| word == expected))
        })
    }
}

/// Whether something is called while an expression is evaluated.
pub(crate) fn has_call(function: &Function, root: ExprId) -> bool {
    let expr = function.expr(root);
    matches!(expr, Expr::Call(..)) || expr.operands().any(|operand| has_call(function, operand))
}

/// A function in one state.
struct AtState<'a> {
    values: &'a Values<'a>,
    state: &'a [i64],
}

impl AtState<'_> {
    fn value(&mut self, expr: ExprId) -> Result<i64, Unknown> {
        let Values { function, types, forbidden, .. } = self.values;
        let meaning = evaluate(function.expr(expr), types, self)?;
        if meaning.hazards.and(*forbidden).is_empty() { Ok(meaning.word) } else { Err(Unknown) }
    }
}

impl Env for AtState<'_> {
    type Error = Unknown;

    fn operand(&mut self, id: ExprId) -> Result<i64, Unknown> {
        self.value(id)
    }

    fn read(&mut self, place: &Place) -> Result<i64, Unknown> {
        let layout = self.values.layout;
        let (var, index) = match place.form() {
            PlaceForm::Scalar(var) => (var, 0),
            PlaceForm::Element(var, index) => (var, self.value(index)?),
        };
        let first = match var {
            // A variable that is newer than the profile.
            VarRef::Var(id) if id.index() >= layout.vars().len() => return Err(Unknown),
            VarRef::Var(_) => 0,
            VarRef::Global(_) => layout.n_cells(),
        };
        Ok(self.state[first + layout.cells(var).element(index).ok_or(Unknown)?])
    }

    fn hole(&mut self, _: HoleId) -> Result<i64, Unknown> {
        Err(Unknown)
    }

    fn call(&mut self, _: FuncId, _: &[ExprId]) -> Result<i64, Unknown> {
        Err(Unknown)
    }
}

/// A side of an identity with values for its variables.
struct AtWords<'a> {
    side: &'a Side,
    types: &'a ExprTypes,
    words: &'a [i64; 3],
    forbidden: HazardSet,
}

impl Env for AtWords<'_> {
    type Error = Unknown;

    fn operand(&mut self, id: ExprId) -> Result<i64, Unknown> {
        if let Some(var) = self.side.variable(id) {
            return Ok(self.words[var]);
        }
        let forbidden = self.forbidden;
        let meaning = evaluate(self.side.function.expr(id), self.types, self)?;
        if meaning.hazards.and(forbidden).is_empty() { Ok(meaning.word) } else { Err(Unknown) }
    }

    fn read(&mut self, _: &Place) -> Result<i64, Unknown> {
        Err(Unknown)
    }

    fn hole(&mut self, _: HoleId) -> Result<i64, Unknown> {
        Err(Unknown)
    }

    fn call(&mut self, _: FuncId, _: &[ExprId]) -> Result<i64, Unknown> {
        Err(Unknown)
    }
}

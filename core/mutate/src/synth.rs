//! Expressions and predicates over the states of a program point.
//!
//! Expressions are built from the bottom up: values of variables and constants first, then operators
//! on what is there. Each carries its values in all states, so it is known at once whether it is
//! defined in all of them, and what can be said of it: a comparison that comes out the same in every
//! state is a predicate that always or never holds.

use pathsmith_edit::choose_float;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::dialect::HazardSet;
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, FloatTy, Function, Place, Program, ScalarTy, UnOp, ValueTy, VarRef, WordTy,
};
use pathsmith_symlang::semantics::table;
use pathsmith_symlang::{ExprId, Rng, VarId};
use rand::RngExt;

use crate::profile::{Point, ValueProfile};

/// How often another operator is tried where one is undefined, before a leaf is taken. A guess.
const N_TRIES: usize = 4;

/// How often a comparison is drawn before there is none that always or never holds. A guess.
const N_PREDICATES: usize = 12;

/// An expression that is not part of a function yet.
#[derive(Clone, Debug)]
enum Tree {
    Const(Const),
    Read(VarRef),
    Element(VarRef, u32),
    Unary(UnOp, Box<Self>),
    Binary(BinOp, Box<Self>, Box<Self>),
    Select(Box<Self>, Box<Self>, Box<Self>),
    Cast(ScalarTy, Box<Self>),
}

/// An expression with its values in all states.
#[derive(Clone, Debug)]
pub(crate) struct Valued {
    tree: Tree,
    /// Its type.
    pub(crate) ty: ValueTy,
    /// Its value in each state.
    pub(crate) values: Vec<i64>,
}

/// Whether undefined behaviour is allowed: where nothing runs, it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// The expression is evaluated in all states.
    Live,
    /// It is never evaluated.
    Dead,
}

/// Makes expressions for one point.
#[derive(Debug)]
pub(crate) struct Synth<'a> {
    /// Scalars, with their columns in states; arrays, with the column of their first element.
    vars: Vec<(VarRef, ScalarTy, Option<u32>, usize)>,
    states: Vec<&'a [i64]>,
    forbidden: HazardSet,
}

impl<'a> Synth<'a> {
    /// For a point of `program`, whose function may have got further variables since `profile` was
    /// taken: those are not used. Nothing if not all states of the point are known.
    pub(crate) fn new(program: &Program, profile: &'a ValueProfile, point: Point) -> Option<Self> {
        let function = program.function(point.function);
        let layout = profile.layout(point.function);
        let own = (0..layout.vars().len()).map(|at| VarRef::Var(VarId::new(at)));
        // A global that the function does not name yet would become part of its outcome.
        let globals = program.globals_named(function).into_iter().map(VarRef::Global);
        let vars = own.chain(globals).map(|var| {
            let cells = layout.cells(var);
            let is_array = program.var(function, var).ty.is_array();
            (var, cells.ty, is_array.then_some(cells.len), profile.column(point.function, var))
        });
        let forbidden = program.dialect.map_or(HazardSet::NONE, |dialect| dialect.forbidden());
        Some(Self {
            vars: vars.collect(),
            states: profile.states(point).all()?.collect(),
            forbidden,
        })
    }

    /// The scalar variables, with their types.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = (VarRef, ScalarTy)> {
        self.vars.iter().filter(|var| var.2.is_none()).map(|var| (var.0, var.1))
    }

    /// The arrays, with the types of their elements.
    pub(crate) fn arrays(&self) -> impl Iterator<Item = (VarRef, ScalarTy)> {
        self.vars.iter().filter(|var| var.2.is_some()).map(|var| (var.0, var.1))
    }

    /// The states.
    pub(crate) fn states(&self) -> impl Iterator<Item = &[i64]> {
        self.states.iter().copied()
    }

    /// A scalar variable, as a value of type `ty`.
    fn read(&self, var: VarRef, ty: ValueTy) -> Valued {
        let known = self.vars.iter().find(|known| known.0 == var);
        let (cell, column) = known.map_or((ScalarTy::from(ty), 0), |known| (known.1, known.3));
        let values = self.states.iter().map(|state| state[column]).collect();
        self.cast(Valued { tree: Tree::Read(var), ty: cell.widened(), values }, ty)
    }

    /// An expression of variables, if there are any: one that a compiler cannot fold.
    pub(crate) fn choose_live(&self, ty: ValueTy, depth: u32, rng: &mut Rng) -> Valued {
        let made = (0..N_TRIES).find_map(|_| {
            Some(self.choose(ty, depth, Runs::Live, rng)).filter(Valued::has_variables)
        });
        made.unwrap_or_else(|| self.choose_leaf(ty, rng))
    }

    /// A condition on a scalar variable, among others, that holds in all states or in none.
    pub(crate) fn choose_predicate_of(
        &self,
        var: VarRef,
        holds: bool,
        depth: u32,
        rng: &mut Rng,
    ) -> Option<Valued> {
        let ty = WordTy::ALL[choose_below(WordTy::ALL.len(), rng)];
        let left = self.read(var, ty.into());
        let right = self.choose_boundary(ty.into(), &left.values, rng);
        let mut ops = turned(ty.into(), rng).into_iter();
        let op = ops.find(|op| self.compares(*op, &left, &right, holds));
        let decides = match op {
            Some(op) => self.binary(op, left, right, Runs::Live)?,
            None => {
                let last = self.constant(ty, last_of(ty, &left.values));
                let op = if holds { BinOp::Le } else { BinOp::Gt };
                self.binary(op, left, last, Runs::Live)?
            }
        };
        if depth == 0 {
            return Some(decides);
        }
        let Some(other) = self.choose_predicate(holds, depth - 1, rng) else {
            return Some(decides);
        };
        let op = [BinOp::And, BinOp::Or][choose_below(2, rng)];
        self.binary(op, decides, other, Runs::Live)
    }

    /// An expression of two scalar variables that has the value of the first in all states.
    pub(crate) fn unchanged(
        &self,
        var: VarRef,
        other: VarRef,
        ty: ValueTy,
        rng: &mut Rng,
    ) -> Valued {
        let value = self.read(var, ty);
        let (zero, op) = match ty {
            ValueTy::Int(word) => {
                let zero = self.zero_of(other, word);
                let ops = [BinOp::Add, BinOp::Sub, BinOp::Xor, BinOp::Or];
                (zero, ops[choose_below(ops.len(), rng)])
            }
            // Adding 0 would change -0.
            ValueTy::Float(_) => {
                let zero = self.zero_of(other, WordTy::I32).map(|zero| self.cast(zero, ty));
                (zero, BinOp::Sub)
            }
        };
        let made = zero.and_then(|zero| self.binary(op, value.clone(), zero, Runs::Live));
        made.filter(|made| made.values == value.values).unwrap_or(value)
    }

    /// An expression of a scalar variable that is 0 in all states.
    fn zero_of(&self, var: VarRef, ty: WordTy) -> Option<Valued> {
        let used = self.read(var, ty.into());
        let seen = used.values.iter().fold(0, |seen, value| seen | value);
        let mask = self.constant(ty, !seen);
        let is_masked = mask.values.first().is_some_and(|mask| *mask != 0);
        if is_masked {
            return self.binary(BinOp::And, used, mask, Runs::Live);
        }
        let last = self.constant(ty, last_of(ty, &used.values));
        self.binary(BinOp::Gt, used, last, Runs::Live).map(|zero| self.cast(zero, ty))
    }

    /// The constant that a word stands for.
    pub(crate) fn constant(&self, ty: impl Into<ValueTy>, word: i64) -> Valued {
        let constant = Const::new(ty, word);
        let values = vec![constant.word(); self.states.len()];
        Valued { tree: Tree::Const(constant), ty: constant.ty(), values }
    }

    /// A type to compare values of: one of floating-point numbers only if there are some.
    fn choose_compared_ty(&self, rng: &mut Rng) -> ValueTy {
        let has_floats = self.vars.iter().any(|var| var.1.as_int().is_none());
        match has_floats {
            true => ValueTy::ALL[choose_below(ValueTy::ALL.len(), rng)],
            false => WordTy::ALL[choose_below(WordTy::ALL.len(), rng)].into(),
        }
    }

    /// A constant, often one that compilers have rules for.
    fn choose_constant(&self, ty: ValueTy, rng: &mut Rng) -> Valued {
        let ty = match ty {
            ValueTy::Int(ty) => ty,
            ValueTy::Float(ty) => return self.constant(ty, choose_float(ty, 10, rng)),
        };
        let bit = 1_i64 << rng.random_range(0..ty.bits());
        let value = match choose_below(6, rng) {
            0 => rng.random_range(-2..=16),
            1 => bit,
            2 => bit.wrapping_sub(1),
            3 => [ty.min(), ty.max()][choose_below(2, rng)],
            4 => -rng.random_range(1..=255),
            _ => rng.random(),
        };
        self.constant(ty, value)
    }

    fn choose_leaf(&self, ty: ValueTy, rng: &mut Rng) -> Valued {
        if self.vars.is_empty() || choose_bool(0.25, rng) {
            return self.choose_constant(ty, rng);
        }
        let (var, cell, len, column) = self.vars[choose_below(self.vars.len(), rng)];
        let at = len.map(|len| choose_below(len as usize, rng) as u32);
        let column = column + at.unwrap_or(0) as usize;
        let values = self.states.iter().map(|state| state[column]).collect();
        let tree = at.map_or(Tree::Read(var), |at| Tree::Element(var, at));
        self.cast(Valued { tree, ty: cell.widened(), values }, ty)
    }

    /// The expression as a value of another type, by a conversion that is defined for all values.
    pub(crate) fn cast(&self, operand: Valued, ty: impl Into<ValueTy>) -> Valued {
        let (from, to) = (operand.ty, ty.into());
        if from == to {
            return operand;
        }
        let of_all = |meaning: &dyn Fn(i64) -> table::Meaning| {
            operand.values.iter().map(|value| meaning(*value).word).collect()
        };
        match (from, to) {
            (ValueTy::Float(_), ValueTy::Int(word)) => {
                let op = saturating(word);
                let values = of_all(&|value| table::unary(op, from, value));
                Valued { tree: Tree::Unary(op, Box::new(operand.tree)), ty: to, values }
            }
            (ValueTy::Int(_), ValueTy::Int(_) | ValueTy::Float(_))
            | (ValueTy::Float(_), ValueTy::Float(_)) => {
                let cell = to.stored_as();
                let values = of_all(&|value| table::cast(from, cell, value));
                Valued { tree: Tree::Cast(cell, Box::new(operand.tree)), ty: to, values }
            }
        }
    }

    fn unary(&self, op: UnOp, a: Valued, runs: Runs) -> Option<Valued> {
        let mut values = Vec::with_capacity(a.values.len());
        for value in &a.values {
            let meaning = table::unary(op, a.ty, *value);
            if runs == Runs::Live && !meaning.hazards.and(self.forbidden).is_empty() {
                return None;
            }
            values.push(meaning.word);
        }
        let ty = op.result_ty(a.ty);
        Some(Valued { tree: Tree::Unary(op, Box::new(a.tree)), ty, values })
    }

    fn binary(&self, op: BinOp, a: Valued, b: Valued, runs: Runs) -> Option<Valued> {
        let mut values = Vec::with_capacity(a.values.len());
        for (left, right) in std::iter::zip(&a.values, &b.values) {
            let meaning = table::binary(op, a.ty, *left, *right);
            if runs == Runs::Live && !meaning.hazards.and(self.forbidden).is_empty() {
                return None;
            }
            values.push(meaning.word);
        }
        let (left, right) = (Box::new(a.tree), Box::new(b.tree));
        Some(Valued { tree: Tree::Binary(op, left, right), ty: op.result_ty(a.ty), values })
    }

    /// An expression of operators up to `depth`.
    pub(crate) fn choose(
        &self,
        ty: impl Into<ValueTy>,
        depth: u32,
        runs: Runs,
        rng: &mut Rng,
    ) -> Valued {
        let ty = ty.into();
        if depth == 0 {
            return self.choose_leaf(ty, rng);
        }
        for _ in 0..N_TRIES {
            let made = if choose_bool(0.2, rng) {
                let ops: Vec<UnOp> = unary_ops(ty).collect();
                let op = ops[choose_below(ops.len(), rng)];
                self.unary(op, self.choose(ty, depth - 1, runs, rng), runs)
            } else {
                let ops: Vec<BinOp> = binary_ops(ty).collect();
                let op = ops[choose_below(ops.len(), rng)];
                let a = self.choose(ty, depth - 1, runs, rng);
                let b = self.choose(ty, choose_below(depth as usize, rng) as u32, runs, rng);
                self.binary(op, a, b, runs)
            };
            if let Some(made) = made {
                return self.cast(made, ty);
            }
        }
        self.choose_leaf(ty, rng)
    }

    /// A condition that holds in all states, or in none: 1 or 0. It is built from the top down, of
    /// negations, conjunctions, disjunctions and comparisons. Nothing if there are no variables.
    pub(crate) fn choose_predicate(
        &self,
        holds: bool,
        depth: u32,
        rng: &mut Rng,
    ) -> Option<Valued> {
        if depth == 0 || choose_below(2, rng) == 0 {
            return self.choose_comparison(holds, depth, rng);
        }
        let word = WordTy::I32;
        match choose_below(3, rng) {
            0 => {
                let negated = self.choose_predicate(!holds, depth - 1, rng)?;
                match choose_bool(0.5, rng) {
                    true => self.binary(BinOp::Eq, negated, self.constant(word, 0), Runs::Live),
                    false => self.binary(BinOp::Xor, negated, self.constant(word, 1), Runs::Live),
                }
            }
            // One of them decides, unless it has to hold; then both do. And the other way round.
            joined => {
                let is_and = joined == 1;
                let decides = self.choose_predicate(holds, depth - 1, rng)?;
                let other = match holds == is_and {
                    true => self.choose_predicate(holds, depth - 1, rng)?,
                    false => self.choose_condition(depth - 1, rng),
                };
                let sides = if choose_bool(0.5, rng) { (decides, other) } else { (other, decides) };
                let (a, b) = sides;
                if choose_bool(0.25, rng) {
                    let short = self.constant(word, i64::from(!is_and));
                    return Some(match is_and {
                        true => self.select(a, b, short),
                        false => self.select(a, short, b),
                    });
                }
                let op = if is_and { BinOp::And } else { BinOp::Or };
                self.binary(op, a, b, Runs::Live)
            }
        }
    }

    /// A condition that is defined in all states, and holds in some of them perhaps: 1 or 0.
    pub(crate) fn choose_condition(&self, depth: u32, rng: &mut Rng) -> Valued {
        let ty = self.choose_compared_ty(rng);
        let ops = BinOp::ALL.iter().filter(|op| op.is_comparison());
        let ops: Vec<BinOp> = ops.copied().collect();
        let op = ops[choose_below(ops.len(), rng)];
        let (left, right) =
            (self.choose(ty, depth.min(1), Runs::Live, rng), self.choose_leaf(ty, rng));
        let made = self.binary(op, left, right, Runs::Live);
        made.unwrap_or_else(|| self.constant(WordTy::I32, 1))
    }

    fn select(&self, cond: Valued, then: Valued, otherwise: Valued) -> Valued {
        let values = std::iter::zip(&cond.values, std::iter::zip(&then.values, &otherwise.values));
        let values = values.map(|(c, (t, o))| if *c != 0 { *t } else { *o }).collect();
        let trees = (Box::new(cond.tree), Box::new(then.tree), Box::new(otherwise.tree));
        Valued { tree: Tree::Select(trees.0, trees.1, trees.2), ty: then.ty, values }
    }

    /// A comparison that holds in all states, or in none. Nothing if there are no variables.
    fn choose_comparison(&self, holds: bool, depth: u32, rng: &mut Rng) -> Option<Valued> {
        for _ in 0..N_PREDICATES {
            let ty = self.choose_compared_ty(rng);
            let left = self.choose(ty, depth.min(2), Runs::Live, rng);
            let right = match choose_below(3, rng) {
                0 => self.choose(ty, depth.saturating_sub(1).min(1), Runs::Live, rng),
                1 => self.choose_boundary(ty, &left.values, rng),
                _ => self.choose_constant(ty, rng),
            };
            let ops = turned(ty, rng);
            if !left.has_variables() && !right.has_variables() {
                continue;
            }
            for op in ops {
                if self.compares(op, &left, &right, holds) {
                    return self.binary(op, left, right, Runs::Live);
                }
            }
        }
        // A value is not beyond the last that was seen.
        let ty = WordTy::ALL[choose_below(WordTy::ALL.len(), rng)];
        let left = (0..N_PREDICATES)
            .find_map(|_| Some(self.choose_leaf(ty.into(), rng)).filter(Valued::has_variables))?;
        let last = self.constant(ty, last_of(ty, &left.values));
        let op = if holds { BinOp::Le } else { BinOp::Gt };
        self.binary(op, left, last, Runs::Live)
    }

    /// Whether a comparison holds in all states, or in none.
    fn compares(&self, op: BinOp, left: &Valued, right: &Valued, holds: bool) -> bool {
        std::iter::zip(&left.values, &right.values)
            .all(|(a, b)| (table::binary(op, left.ty, *a, *b).word != 0) == holds)
    }

    /// An expression of variables that has one value in all states, and the difference to `word`.
    /// Nothing if none was found.
    pub(crate) fn choose_constant_valued(
        &self,
        ty: ValueTy,
        word: i64,
        depth: u32,
        rng: &mut Rng,
    ) -> Option<Valued> {
        let ty = match ty {
            ValueTy::Int(ty) => ty,
            ValueTy::Float(ty) => return self.choose_float_valued(ty, word, depth, rng),
        };
        for _ in 0..N_PREDICATES {
            let made = self.choose(ty, depth, Runs::Live, rng);
            let first = *made.values.first()?;
            if !made.has_variables() || made.values.iter().any(|value| *value != first) {
                continue;
            }
            if first == word {
                return Some(made);
            }
            let difference = self.constant(ty, word.wrapping_sub(first));
            let by_sum = self.binary(BinOp::Add, made.clone(), difference, Runs::Live);
            let is_right = |sum: &Valued| sum.values.iter().all(|value| *value == word);
            if let Some(sum) = by_sum.filter(is_right)
                && choose_bool(0.5, rng)
            {
                return Some(sum);
            }
            return self.binary(BinOp::Xor, made, self.constant(ty, word ^ first), Runs::Live);
        }
        // Bits that were never one.
        let made = (0..N_PREDICATES)
            .find_map(|_| Some(self.choose_leaf(ty.into(), rng)).filter(Valued::has_variables))?;
        let seen = made.values.iter().fold(0, |seen, value| seen | value);
        let masked = self.binary(BinOp::And, made, self.constant(ty, !seen), Runs::Live)?;
        let op = [BinOp::Or, BinOp::Xor][choose_below(2, rng)];
        self.binary(op, masked, self.constant(ty, word), Runs::Live)
    }

    /// An expression of variables that is a floating-point number in all states: a conversion of
    /// an integer, or of its bits.
    fn choose_float_valued(
        &self,
        ty: FloatTy,
        word: i64,
        depth: u32,
        rng: &mut Rng,
    ) -> Option<Valued> {
        let whole = table::unary(UnOp::SatI32, ty.into(), word).word;
        let is_whole = table::cast(WordTy::I32.into(), ty.into(), whole).word == word;
        if is_whole && choose_bool(0.5, rng) {
            let made = self.choose_constant_valued(WordTy::I32.into(), whole, depth, rng)?;
            return Some(self.cast(made, ty));
        }
        let (bits, pattern) = match ty {
            FloatTy::F32 => (WordTy::U32, WordTy::U32.wrap(word)),
            FloatTy::F64 => (WordTy::U64, word),
        };
        let made = self.choose_constant_valued(bits.into(), pattern, depth, rng)?;
        self.unary(UnOp::FromBits, made, Runs::Live)
    }

    /// A value just beyond those that were seen, or the last of them.
    fn choose_boundary(&self, ty: ValueTy, values: &[i64], rng: &mut Rng) -> Valued {
        let (first, last) = match ty {
            ValueTy::Int(ty) => {
                let first = values.iter().min_by_key(|value| wide(ty, **value)).copied();
                (first.unwrap_or(0), last_of(ty, values))
            }
            ValueTy::Float(ty) => {
                let order = |a: &&i64, b: &&i64| ty.value(**a).total_cmp(&ty.value(**b));
                let (first, last) = (values.iter().min_by(order), values.iter().max_by(order));
                (first.copied().unwrap_or(0), last.copied().unwrap_or(0))
            }
        };
        let at = [first, last, first.wrapping_sub(1), last.wrapping_add(1)];
        self.constant(ty, at[choose_below(at.len(), rng)])
    }

    /// Puts another value of a variable in the place of that in all states: what an assignment does.
    pub(crate) fn with_assigned(&self, var: VarRef, ty: ScalarTy, value: &Valued) -> Vec<Vec<i64>> {
        let column = self.vars.iter().find(|known| known.0 == var).map_or(0, |known| known.3);
        let states = std::iter::zip(&self.states, &value.values);
        let assigned = states.map(|(state, word)| {
            let mut state = state.to_vec();
            state[column] = ty.stored(*word);
            state
        });
        assigned.collect()
    }

    /// The same variables in other states.
    pub(crate) fn in_states<'b>(&self, states: &'b [Vec<i64>]) -> Synth<'b> {
        let states = states.iter().map(Vec::as_slice).collect();
        Synth { vars: self.vars.clone(), states, forbidden: self.forbidden }
    }
}

/// The operators on operands of type `ty`; on integers, those that yield integers.
fn unary_ops(ty: ValueTy) -> impl Iterator<Item = UnOp> {
    let is_fine = move |op: &UnOp| op.takes(ty) && (!ty.is_int() || op.result_ty(ty).is_int());
    UnOp::ALL.into_iter().filter(is_fine)
}

fn binary_ops(ty: ValueTy) -> impl Iterator<Item = BinOp> {
    BinOp::ALL.into_iter().filter(move |op| op.takes(ty))
}

/// The comparisons, beginning with any.
fn turned(ty: ValueTy, rng: &mut Rng) -> Vec<BinOp> {
    let mut ops: Vec<BinOp> = binary_ops(ty).collect();
    let first = choose_below(ops.len(), rng);
    ops.rotate_left(first);
    ops.retain(|op| op.is_comparison());
    ops
}

fn wide(ty: WordTy, value: i64) -> i128 {
    if ty.is_signed() { i128::from(value) } else { i128::from(value as u64) }
}

/// The largest of them.
fn last_of(ty: WordTy, values: &[i64]) -> i64 {
    values.iter().max_by_key(|value| wide(ty, **value)).copied().unwrap_or(0)
}

impl Valued {
    /// Whether it reads anything.
    pub(crate) fn has_variables(&self) -> bool {
        self.tree.has_variables()
    }

    /// Adds the expression to a function.
    pub(crate) fn install(&self, function: &mut Function) -> ExprId {
        self.tree.install(function)
    }
}

impl Tree {
    fn has_variables(&self) -> bool {
        match self {
            Self::Const(_) => false,
            Self::Read(_) | Self::Element(..) => true,
            Self::Unary(_, a) | Self::Cast(_, a) => a.has_variables(),
            Self::Binary(_, a, b) => a.has_variables() || b.has_variables(),
            Self::Select(a, b, c) => a.has_variables() || b.has_variables() || c.has_variables(),
        }
    }

    fn install(&self, function: &mut Function) -> ExprId {
        let expr = match self {
            Self::Const(constant) => Expr::Const(*constant),
            Self::Read(var) => Expr::Read(Place::scalar(*var)),
            Self::Element(var, at) => {
                let index = function.add_expr(Expr::Const(Const::new(WordTy::U32, i64::from(*at))));
                Expr::Read(Place::element(*var, index))
            }
            Self::Unary(op, a) => Expr::Unary(*op, a.install(function)),
            Self::Binary(op, a, b) => {
                let a = a.install(function);
                Expr::Binary(*op, a, b.install(function))
            }
            Self::Select(a, b, c) => {
                let (a, b) = (a.install(function), b.install(function));
                Expr::Select(a, b, c.install(function))
            }
            Self::Cast(ty, a) => Expr::Cast(*ty, a.install(function)),
        };
        function.add_expr(expr)
    }
}

/// The conversion of floating-point numbers that is defined for all of them.
pub(crate) const fn saturating(to: WordTy) -> UnOp {
    match to {
        WordTy::I32 => UnOp::SatI32,
        WordTy::U32 => UnOp::SatU32,
        WordTy::I64 => UnOp::SatI64,
        WordTy::U64 => UnOp::SatU64,
    }
}

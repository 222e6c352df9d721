//! Expressions of floating-point numbers, and integers that are made of them.

use rand::RngExt;

use crate::sketch::ExprKnobs;
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, FloatTy, Function, IntTy, Place, ScalarTy, UnOp, ValueTy, VarRef, VarTy,
    WordTy,
};
use pathsmith_symlang::{ExprId, HoleId, Rng, VarId};

/// Numbers that programs are full of, and those at which integers stop being exact.
const CONSTANTS: [f64; 14] = [
    0.0,
    -0.0,
    0.5,
    1.0,
    1.0,
    -1.0,
    2.0,
    0.1,
    3.0,
    10.0,
    1e-3,
    16_777_216.0,
    9_007_199_254_740_992.0,
    4_294_967_296.0,
];

/// Makes expressions of a function.
pub(super) struct Composer<'a> {
    pub(super) function: &'a mut Function,
    pub(super) rng: &'a mut Rng,
    dialect: Dialect,
    types: Vec<FloatTy>,
    /// The floating-point variables.
    pub(super) floats: Vec<VarId>,
    /// Those of them that are no arrays.
    scalars: Vec<VarId>,
    /// The integer variables that are no arrays.
    ints: Vec<VarId>,
    pub(super) n_holes: usize,
    pub(super) is_unordered: bool,
    round_trip_share: f64,
    terms: (u32, u32),
}

impl<'a> Composer<'a> {
    pub(super) fn new(
        function: &'a mut Function,
        dialect: Dialect,
        types: Vec<FloatTy>,
        knobs: &ExprKnobs,
        rng: &'a mut Rng,
    ) -> Self {
        let all = || (0..function.vars.len()).map(VarId::new);
        let is_float = |var: &VarId| function.var(*var).ty.cell_ty().as_int().is_none();
        let is_scalar = |var: &VarId| !function.var(*var).ty.is_array();
        let floats: Vec<VarId> = all().filter(is_float).collect();
        let scalars = floats.iter().copied().filter(is_scalar).collect();
        let ints = all().filter(|var| is_scalar(var) && !is_float(var)).collect();
        let n_holes = function.n_holes();
        let sizes = &knobs.sizes;
        Self {
            function,
            rng,
            dialect,
            types,
            floats,
            scalars,
            ints,
            n_holes,
            is_unordered: knobs.is_unordered,
            round_trip_share: knobs.round_trip_share,
            terms: (sizes.terms_assign.min(3), sizes.terms_cond.min(2)),
        }
    }

    pub(super) fn choose_ty(&mut self) -> FloatTy {
        self.types[choose_below(self.types.len(), self.rng)]
    }

    /// The type of a floating-point variable.
    pub(super) fn float_ty(&self, var: VarId) -> FloatTy {
        match self.function.var(var).ty.cell_ty() {
            ScalarTy::Float(ty) => ty,
            ScalarTy::Int(_) => unreachable!("it is listed as a floating-point variable"),
        }
    }

    pub(super) fn hole(&mut self, ty: ValueTy) -> ExprId {
        let hole = HoleId::new(self.n_holes);
        self.n_holes += 1;
        self.function.add_expr(Expr::Hole(hole, ty))
    }

    pub(super) fn constant(&mut self, ty: impl Into<ValueTy>, word: i64) -> ExprId {
        self.function.add_expr(Expr::Const(Const::new(ty, word)))
    }

    fn number(&mut self, ty: FloatTy, value: f64) -> ExprId {
        self.constant(ty, ty.word(value))
    }

    pub(super) fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.add_expr(Expr::Binary(op, lhs, rhs))
    }

    fn unary(&mut self, op: UnOp, operand: ExprId) -> ExprId {
        self.function.add_expr(Expr::Unary(op, operand))
    }

    fn select(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> ExprId {
        self.function.add_expr(Expr::Select(cond, then, otherwise))
    }

    fn convert(&mut self, value: ExprId, from: ValueTy, to: ValueTy) -> ExprId {
        match from == to {
            true => value,
            false => self.function.add_expr(Expr::Cast(to.into(), value)),
        }
    }

    fn read(&mut self, var: VarId) -> ExprId {
        self.function.add_expr(Expr::Read(Place::scalar(VarRef::Var(var))))
    }

    /// An index that is in bounds whatever the state.
    pub(super) fn index(&mut self, len: u32) -> ExprId {
        match self.choose_int() {
            Some(var) if choose_bool(0.5, self.rng) => {
                let from = self.function.var(var).ty.cell_ty().widened();
                let read = self.read(var);
                let unsigned = ValueTy::Int(WordTy::U32);
                let value = self.convert(read, from, unsigned);
                let len = self.constant(WordTy::U32, len.into());
                self.binary(BinOp::Rem, value, len)
            }
            _ => {
                let at = choose_below(len as usize, self.rng);
                self.constant(WordTy::I32, at as i64)
            }
        }
    }

    fn choose_int(&mut self) -> Option<VarId> {
        match self.ints.len() {
            0 => None,
            n => Some(self.ints[choose_below(n, self.rng)]),
        }
    }

    /// A parameter as a number of this type.
    pub(super) fn parameter(&mut self, ty: FloatTy) -> ExprId {
        let n_params = self.function.n_params;
        let params: Vec<VarId> =
            self.scalars.iter().copied().filter(|var| var.index() < n_params).collect();
        let var = params[choose_below(params.len(), self.rng)];
        self.variable(var, ty)
    }

    fn variable(&mut self, var: VarId, ty: FloatTy) -> ExprId {
        let from = self.float_ty(var);
        let read = match self.function.var(var).ty {
            VarTy::Scalar(_) => self.read(var),
            VarTy::Array(_, len) => {
                let index = self.index(len);
                self.function.add_expr(Expr::Read(Place::element(VarRef::Var(var), index)))
            }
        };
        self.convert(read, from.into(), ty.into())
    }

    fn leaf(&mut self, ty: FloatTy) -> ExprId {
        let kind = choose_below(20, self.rng);
        match kind {
            _ if choose_share(self.round_trip_share, self.rng) => self.of_int(ty),
            0..=5 => self.parameter(ty),
            6..=13 => {
                let var = self.floats[choose_below(self.floats.len(), self.rng)];
                self.variable(var, ty)
            }
            14..=16 => self.of_int(ty),
            17..=18 => {
                let value = CONSTANTS[choose_below(CONSTANTS.len(), self.rng)];
                self.number(ty, value)
            }
            _ => self.hole(ty.into()),
        }
    }

    /// An integer variable as a number of this type, by its value or by its bits.
    fn of_int(&mut self, ty: FloatTy) -> ExprId {
        let Some(var) = self.choose_int() else { return self.parameter(ty) };
        let from = self.function.var(var).ty.cell_ty().widened();
        let read = self.read(var);
        if choose_bool(0.1, self.rng) {
            let word = UnOp::Bits.result_ty(ty.into());
            let bits = self.convert(read, from, word);
            return self.unary(UnOp::FromBits, bits);
        }
        self.convert(read, from, ty.into())
    }

    /// The value of an assignment: terms, and a hole that is added to them.
    pub(super) fn value(&mut self, ty: FloatTy, hot: bool) -> ExprId {
        let n_terms = self.rng.random_range(1..=self.terms.0);
        let mut sum = self.sum(ty, n_terms);
        if hot && choose_bool(0.6, self.rng) {
            sum = self.contraction(ty, sum);
        }
        if choose_bool(0.2, self.rng) {
            return sum;
        }
        let hole = self.hole(ty.into());
        let op = if choose_bool(0.7, self.rng) { BinOp::Add } else { BinOp::Sub };
        self.binary(op, sum, hole)
    }

    /// A sum whose first term is an input.
    pub(super) fn sum_of_input(&mut self, ty: FloatTy) -> ExprId {
        let input = self.parameter(ty);
        let first = match choose_bool(0.5, self.rng) {
            true => self.term(ty, input, 1),
            false => input,
        };
        if self.rng.random_range(0..=self.terms.1) < 2 {
            return first;
        }
        let rest = self.sum(ty, 1);
        self.binary(BinOp::Add, first, rest)
    }

    fn sum(&mut self, ty: FloatTy, n_terms: u32) -> ExprId {
        let first = self.leaf(ty);
        let mut sum = self.term(ty, first, 2);
        for _ in 1..n_terms {
            const OPS: [BinOp; 8] = [
                BinOp::Add,
                BinOp::Add,
                BinOp::Add,
                BinOp::Sub,
                BinOp::Sub,
                BinOp::Mul,
                BinOp::Min,
                BinOp::Max,
            ];
            let op = OPS[choose_below(OPS.len(), self.rng)];
            let leaf = self.leaf(ty);
            let term = self.term(ty, leaf, 2);
            sum = match choose_bool(0.7, self.rng) {
                true => self.binary(op, sum, term),
                false => self.binary(op, term, sum),
            };
        }
        sum
    }

    /// What keeps a number from growing, however often it is applied.
    fn contraction(&mut self, ty: FloatTy, value: ExprId) -> ExprId {
        match choose_below(3, self.rng) {
            0 => {
                let factor = [0.5, 0.1, -0.25][choose_below(3, self.rng)];
                let factor = self.number(ty, factor);
                self.binary(BinOp::Mul, value, factor)
            }
            1 => {
                let most = self.number(ty, 1000.0);
                let below = self.binary(BinOp::Min, value, most);
                let least = self.number(ty, -1000.0);
                self.binary(BinOp::Max, below, least)
            }
            _ => {
                let whole = self.unary(UnOp::Abs, value);
                self.unary(UnOp::Sqrt, whole)
            }
        }
    }

    /// A term around `operand`.
    fn term(&mut self, ty: FloatTy, operand: ExprId, depth: u32) -> ExprId {
        let term = match choose_below(20, self.rng) {
            0..=5 => {
                use BinOp::{Add, Div, Max, Min, Mul, Sub};
                const OPS: [BinOp; 9] = [Mul, Mul, Mul, Div, Div, Add, Sub, Min, Max];
                let op = OPS[choose_below(OPS.len(), self.rng)];
                let hole = self.hole(ty.into());
                self.binary(op, operand, hole)
            }
            // A product that something is added to, which must not be one operation.
            6..=8 => {
                let (factor, added) = (self.leaf(ty), self.leaf(ty));
                let product = self.binary(BinOp::Mul, operand, factor);
                let op = if choose_bool(0.5, self.rng) { BinOp::Add } else { BinOp::Sub };
                match choose_bool(0.5, self.rng) {
                    true => self.binary(op, product, added),
                    false => self.binary(op, added, product),
                }
            }
            9 => {
                let divisor = self.leaf(ty);
                self.binary(BinOp::Div, operand, divisor)
            }
            // What is added and taken away again is rounded.
            10 => {
                let var = self.scalars[choose_below(self.scalars.len(), self.rng)];
                let (first, second) = (self.variable(var, ty), self.variable(var, ty));
                let sum = self.binary(BinOp::Add, operand, first);
                self.binary(BinOp::Sub, sum, second)
            }
            11..=12 => self.rounded(operand),
            13 => {
                let positive = match choose_bool(0.8, self.rng) {
                    true => self.unary(UnOp::Abs, operand),
                    false => operand,
                };
                self.unary(UnOp::Sqrt, positive)
            }
            14 => {
                let sign = match choose_bool(0.5, self.rng) {
                    true => self.with_bits(ty),
                    false => {
                        let sign = if choose_bool(0.5, self.rng) { 1.0 } else { -1.0 };
                        self.number(ty, sign)
                    }
                };
                self.binary(BinOp::Copysign, operand, sign)
            }
            15 => {
                let (cond, other) = (self.comparison(), self.leaf(ty));
                self.select(cond, operand, other)
            }
            16 => self.changed_bits(ty),
            17 => self.narrowed(ty, operand),
            _ => operand,
        };
        if depth > 1 && choose_bool(0.3, self.rng) {
            return self.term(ty, term, depth - 1);
        }
        term
    }

    fn rounded(&mut self, operand: ExprId) -> ExprId {
        const OPS: [UnOp; 6] =
            [UnOp::Floor, UnOp::Ceil, UnOp::Trunc, UnOp::Nearest, UnOp::Neg, UnOp::Abs];
        let op = OPS[choose_below(OPS.len(), self.rng)];
        self.unary(op, operand)
    }

    /// A number by way of the other type, or by way of an integer type.
    fn narrowed(&mut self, ty: FloatTy, operand: ExprId) -> ExprId {
        if choose_bool(0.6, self.rng) {
            let other = match ty {
                FloatTy::F32 => FloatTy::F64,
                FloatTy::F64 => FloatTy::F32,
            };
            let there = self.convert(operand, ty.into(), other.into());
            return self.convert(there, other.into(), ty.into());
        }
        let (op, by) = self.choose_saturating();
        let whole = self.unary(op, operand);
        self.convert(whole, by.into(), ty.into())
    }

    fn choose_saturating(&mut self) -> (UnOp, WordTy) {
        let ty = WordTy::ALL[choose_below(WordTy::ALL.len(), self.rng)];
        (saturating(ty), ty)
    }

    /// A number whose bits may be looked at: one that is no NaN.
    fn with_bits(&mut self, ty: FloatTy) -> ExprId {
        let var = self.scalars[choose_below(self.scalars.len(), self.rng)];
        if self.dialect == Dialect::Jvm && choose_bool(0.5, self.rng) {
            return self.variable(var, ty);
        }
        let [a, b, value] = [(); 3].map(|()| self.variable(var, ty));
        let is_number = self.binary(BinOp::Eq, a, b);
        let other = self.number(ty, 1.0);
        self.select(is_number, value, other)
    }

    /// A number of which some bits are changed, as one does for its sign, or for the next number.
    fn changed_bits(&mut self, ty: FloatTy) -> ExprId {
        let number = self.with_bits(ty);
        let bits = self.unary(UnOp::Bits, number);
        let word = UnOp::Bits.result_ty(ty.into());
        let sign = ty.word(-0.0);
        let (op, by) = match choose_below(5, self.rng) {
            0 => (BinOp::Xor, sign),
            1 => (BinOp::And, ty.magnitude(-1)),
            2 => (BinOp::Or, sign),
            3 => (BinOp::Add, 1),
            _ => (BinOp::And, !0xff),
        };
        let by = self.constant(word, by);
        let changed = self.binary(op, bits, by);
        self.unary(UnOp::FromBits, changed)
    }

    /// A condition that holds unless a variable is NaN, or the other way round.
    pub(super) fn is_number(&mut self, ty: FloatTy, wanted: bool) -> ExprId {
        let var = self.scalars[choose_below(self.scalars.len(), self.rng)];
        let [a, b] = [(); 2].map(|()| self.variable(var, ty));
        self.binary(if wanted { BinOp::Eq } else { BinOp::Ne }, a, b)
    }

    fn comparison(&mut self) -> ExprId {
        const OPS: [BinOp; 6] = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];
        let ty = self.choose_ty();
        if self.is_unordered && choose_bool(0.4, self.rng) {
            let wanted = choose_bool(0.5, self.rng);
            return self.is_number(ty, wanted);
        }
        let (lhs, rhs) = (self.leaf(ty), self.leaf(ty));
        let op = OPS[choose_below(OPS.len(), self.rng)];
        self.binary(op, lhs, rhs)
    }

    /// Makes an integer of floating-point numbers of a read of `var`.
    pub(super) fn replace_operand(&mut self, site: ExprId, var: VarId) {
        let ValueTy::Int(ty) = self.function.var(var).ty.cell_ty().widened() else { return };
        let root = self.int_of_float(ty);
        // The site keeps its number, and the root is left without operands of its own.
        let zero = Expr::Const(Const::new(ty, 0));
        let expr = std::mem::replace(self.function.expr_mut(root), zero);
        *self.function.expr_mut(site) = expr;
    }

    fn int_of_float(&mut self, ty: WordTy) -> ExprId {
        if choose_share(self.round_trip_share, self.rng) {
            return self.round_trip(ty);
        }
        let from = self.choose_ty();
        match choose_below(10, self.rng) {
            0..=2 => {
                let comparison = self.comparison();
                self.convert(comparison, ValueTy::CONDITION, ty.into())
            }
            3..=4 => {
                let operand = self.sum(from, 1);
                let (op, by) = self.choose_saturating();
                let whole = self.unary(op, operand);
                let converted = self.convert(whole, by.into(), ty.into());
                self.tamed(ty, converted)
            }
            5..=6 => self.converted_within(from, ty),
            7 => {
                let number = self.with_bits(from);
                let bits = self.unary(UnOp::Bits, number);
                let word = UnOp::Bits.result_ty(from.into());
                let converted = self.convert(bits, word, ty.into());
                self.tamed(ty, converted)
            }
            _ => self.round_trip(ty),
        }
    }

    /// A variable that is converted if its magnitude is below a bound, which every type that it is
    /// converted to has.
    fn converted_within(&mut self, from: FloatTy, ty: WordTy) -> ExprId {
        let var = self.scalars[choose_below(self.scalars.len(), self.rng)];
        let tested = self.variable(var, from);
        let magnitude = self.unary(UnOp::Abs, tested);
        let bound = [100.0, 1000.0, 30_000.0][choose_below(3, self.rng)];
        let bound = self.number(from, bound);
        let is_below = self.binary(BinOp::Lt, magnitude, bound);
        let mut value = self.variable(var, from);
        if !ty.is_signed() {
            value = self.unary(UnOp::Abs, value);
        }
        let other = choose_below(20, self.rng) as f64 / 2.0;
        let other = self.number(from, other);
        let within = self.select(is_below, value, other);
        let narrow: Vec<IntTy> = IntTy::ALL.into_iter().filter(|to| to.widened() == ty).collect();
        let to = narrow[choose_below(narrow.len(), self.rng)];
        self.function.add_expr(Expr::Cast(to.into(), within))
    }

    /// An integer variable that becomes a floating-point number and an integer again, which is
    /// rounded where it has too many digits.
    fn round_trip(&mut self, ty: WordTy) -> ExprId {
        let by = self.choose_ty();
        let Some(var) = self.choose_int() else { return self.converted_within(by, ty) };
        let ValueTy::Int(own) = self.function.var(var).ty.cell_ty().widened() else {
            return self.converted_within(by, ty);
        };
        let read = self.read(var);
        let mut number = self.convert(read, own.into(), by.into());
        let half = match choose_below(4, self.rng) {
            0 => Some(BinOp::Mul),
            1 => Some(BinOp::Add),
            _ => None,
        };
        if let Some(op) = half {
            let constant = self.number(by, 0.5);
            number = self.binary(op, number, constant);
        }
        // All numbers of 32 bits, rounded or not, are within 64 bits with a sign; those of 64 bits
        // may be just beyond them.
        let (whole, word) = match own.bits() {
            32 if own == WordTy::I32 && by == FloatTy::F64 && half.is_none() => {
                (self.function.add_expr(Expr::Cast(IntTy::I32.into(), number)), WordTy::I32)
            }
            32 => (self.function.add_expr(Expr::Cast(IntTy::I64.into(), number)), WordTy::I64),
            _ => (self.unary(saturating(own), number), own),
        };
        let converted = self.convert(whole, word.into(), ty.into());
        if word == ty { converted } else { self.tamed(ty, converted) }
    }

    /// An integer that leaves room for sums where overflow is undefined.
    fn tamed(&mut self, ty: WordTy, value: ExprId) -> ExprId {
        if !ty.is_signed() || self.dialect != Dialect::C {
            return value;
        }
        match choose_below(3, self.rng) {
            0 => {
                let count = self.rng.random_range(ty.bits() / 2..ty.bits());
                let count = self.constant(ty, count.into());
                self.binary(BinOp::Shr, value, count)
            }
            1 => {
                let n_ones = self.rng.random_range(3..ty.bits() / 2);
                let mask = self.constant(ty, (1 << n_ones) - 1);
                self.binary(BinOp::And, value, mask)
            }
            _ => {
                let divisor = self.hole(ty.into());
                self.binary(BinOp::Rem, value, divisor)
            }
        }
    }
}

/// The conversion to a type that is defined for all numbers.
const fn saturating(ty: WordTy) -> UnOp {
    match ty {
        WordTy::I32 => UnOp::SatI32,
        WordTy::U32 => UnOp::SatU32,
        WordTy::I64 => UnOp::SatI64,
        WordTy::U64 => UnOp::SatU64,
    }
}

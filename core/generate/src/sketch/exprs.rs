//! Expressions with holes.

use rand::RngExt;

use super::Sketcher;
use super::operator_family::OperatorFamily;
use super::options::Language;
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, OpUse, Place, UnOp, ValueTy, VarRef, VarTy, WordTy,
};
use pathsmith_symlang::{ExprId, HoleId, VarId};

/// A block that is visited at least this often has statements that stay bounded.
pub(super) const HOT: usize = 4;

impl Sketcher<'_> {
    /// A new hole of type `ty`.
    pub(super) fn hole(&mut self, ty: WordTy) -> ExprId {
        let hole = HoleId::new(self.n_holes);
        self.n_holes += 1;
        self.function.add_expr(Expr::Hole(hole, ty.into()))
    }

    pub(super) fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.add_expr(Expr::Binary(op, lhs, rhs))
    }

    /// The value of an assignment: terms, and a hole that is added to them.
    pub(super) fn value(&mut self, ty: WordTy, hot: bool) -> ExprId {
        let mut sum = match self.repeated(ty) {
            Some(repeated) => repeated,
            None => {
                let sum = match self.wants_pair() {
                    true => self.pair(ty),
                    false => self.sum(ty, self.options.terms_assign as usize, hot, &[]),
                };
                match hot && choose_bool(0.85, self.rng) {
                    true => self.contraction(ty, sum),
                    false => sum,
                }
            }
        };
        self.remember(sum, ty);
        if !hot && choose_share(self.knobs.second_pair_share, self.rng) {
            let other = self.pair(ty);
            sum = self.binary(BinOp::Add, sum, other);
        }
        let hole = self.hole(ty);
        let op = if choose_bool(0.7, self.rng) { BinOp::Add } else { BinOp::Sub };
        self.binary(op, sum, hole)
    }

    /// What keeps a value within bounds, however often it is applied.
    fn contraction(&mut self, ty: WordTy, sum: ExprId) -> ExprId {
        let ops: &[BinOp] = match self.options.language {
            Language::Paper => &[BinOp::Rem, BinOp::Rem, BinOp::Div],
            Language::Full => &[BinOp::Rem, BinOp::Rem, BinOp::Div, BinOp::And, BinOp::Shr],
        };
        let op = ops[choose_below(ops.len(), self.rng)];
        let hole = self.hole(ty);
        self.binary(op, sum, hole)
    }

    /// `n` terms; those of `first` read the given variables.
    pub(super) fn sum(&mut self, ty: WordTy, n: usize, hot: bool, first: &[VarId]) -> ExprId {
        let mut sum = None;
        for i in 0..n.max(1) {
            let term = match first.get(i) {
                Some(var) => {
                    let read = self.read_scalar(*var);
                    let from = self.word_ty(*var);
                    let operand = self.convert(read, from, ty);
                    self.input_dependent_term(ty, operand, hot)
                }
                None => {
                    let operand = self.leaf(ty);
                    self.term(ty, operand, hot, self.options.depth)
                }
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => {
                    let op = self.joining_op();
                    self.binary(op, sum, term)
                }
            });
        }
        sum.unwrap_or_else(|| self.hole(ty))
    }

    /// Draws the operators that the function's terms are made of, where they have a distribution
    /// of their own.
    pub(super) fn choose_operators(&mut self) {
        let is_term = |op: &BinOp| op.is_used_to(OpUse::Term) && op.takes(ValueTy::CONDITION);
        let all: Vec<BinOp> = BinOp::ALL.into_iter().filter(is_term).collect();
        if self.knobs.own_operators {
            let n = self.rng.random_range(1..=5_u32);
            self.operators = (0..n).map(|_| all[choose_below(all.len(), self.rng)]).collect();
        }
    }

    /// Draws the family of operators that the next block keeps to, if it keeps to one.
    pub(super) fn choose_family(&mut self) {
        let has_one = choose_share(self.knobs.family_share, self.rng);
        self.family = has_one.then(|| OperatorFamily::choose(self.rng));
    }

    fn joining_op(&mut self) -> BinOp {
        use BinOp::{Add, And, Max, Min, Or, Sub, Xor};
        if let Some(family) = self.family {
            let ops = family.joining();
            return ops[choose_below(ops.len(), self.rng)];
        }
        match self.options.language {
            Language::Paper => [Add, Sub][choose_below(2, self.rng)],
            Language::Full => {
                const OPS: [BinOp; 12] =
                    [Add, Add, Add, Add, Sub, Sub, Sub, Xor, Or, And, Min, Max];
                OPS[choose_below(OPS.len(), self.rng)]
            }
        }
    }

    /// A term around `operand` that mostly moves whenever `operand` does.
    fn input_dependent_term(&mut self, ty: WordTy, operand: ExprId, hot: bool) -> ExprId {
        if choose_bool(0.2, self.rng) {
            return self.term(ty, operand, hot, self.options.depth);
        }
        const OPS: [BinOp; 4] = [BinOp::Mul, BinOp::Mul, BinOp::Add, BinOp::Sub];
        let op = OPS[choose_below(OPS.len(), self.rng)];
        let hole = self.hole(ty);
        self.binary(op, operand, hole)
    }

    /// A term around `operand`.
    fn term(&mut self, ty: WordTy, operand: ExprId, hot: bool, depth: u32) -> ExprId {
        use BinOp::{Add, And, Div, Max, Min, Mul, Or, Rem, Rotl, Rotr, Shr, Sub, Xor};
        if self.options.language == Language::Paper {
            const TAME: [BinOp; 6] = [Rem, Rem, Div, Div, Mul, Sub];
            const ANY: [BinOp; 8] = [Mul, Mul, Mul, Div, Rem, Add, Sub, Mul];
            let op =
                if hot { TAME[choose_below(6, self.rng)] } else { ANY[choose_below(8, self.rng)] };
            let hole = self.hole(ty);
            return self.binary(op, operand, hole);
        }
        let kind = choose_below(20, self.rng);
        let term = match kind {
            _ if self.family.is_some() => self.term_of_family(ty, operand, hot),
            0..=11 if !hot && !self.operators.is_empty() => {
                let op = self.operators[choose_below(self.operators.len(), self.rng)];
                let hole = self.hole(ty);
                self.binary(op, operand, hole)
            }
            0..=11 => {
                const TAME: [BinOp; 9] = [Rem, Div, And, Shr, Min, Max, Xor, Rem, Mul];
                const ANY: [BinOp; 14] =
                    [Mul, Mul, Mul, Div, Rem, Add, Sub, And, Or, Xor, Shr, Rotl, Rotr, Min];
                let op = if hot {
                    TAME[choose_below(9, self.rng)]
                } else {
                    ANY[choose_below(14, self.rng)]
                };
                let hole = self.hole(ty);
                self.binary(op, operand, hole)
            }
            12 => self.shift_left(ty, operand),
            13 => self.unary(ty, operand),
            14 => self.select(ty, operand),
            15 if ty == WordTy::I32 => self.comparison(),
            16 => self.variable_divisor(ty, operand),
            17 => self.product(ty, operand, hot),
            _ => operand,
        };
        if depth > 1 && choose_bool(0.3, self.rng) {
            return self.term(ty, term, hot, depth - 1);
        }
        term
    }

    /// A term of the family of operators that the block keeps to.
    fn term_of_family(&mut self, ty: WordTy, operand: ExprId, hot: bool) -> ExprId {
        let Some(family) = self.family else { return operand };
        if family == OperatorFamily::Logical && ty == WordTy::I32 {
            return self.comparison();
        }
        if let Some(op) = family.unary()
            && choose_bool(0.2, self.rng)
        {
            return self.function.add_expr(Expr::Unary(op, operand));
        }
        let ops = family.binary();
        match ops[choose_below(ops.len(), self.rng)] {
            BinOp::Shl => self.shift_left(ty, operand),
            BinOp::Mul if choose_bool(0.3, self.rng) => self.product(ty, operand, hot),
            BinOp::Div if choose_bool(0.3, self.rng) => self.variable_divisor(ty, operand),
            op @ (BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Min | BinOp::Max)
                if choose_bool(0.5, self.rng) =>
            {
                let other = self.leaf(ty);
                self.binary(op, operand, other)
            }
            op => {
                let hole = self.hole(ty);
                self.binary(op, operand, hole)
            }
        }
    }

    /// `x << ?n`, of bits that are few enough where the type is signed.
    fn shift_left(&mut self, ty: WordTy, operand: ExprId) -> ExprId {
        let operand = match ty.is_signed() {
            true => {
                let ones = self.rng.random_range(2..=12_u32);
                let mask = self.constant(ty, (1 << ones) - 1);
                self.binary(BinOp::And, operand, mask)
            }
            false => operand,
        };
        let count = match ty.is_signed() {
            true => {
                let count = self.rng.random_range(1..=12);
                self.constant(ty, count)
            }
            false => self.hole(ty),
        };
        self.binary(BinOp::Shl, operand, count)
    }

    fn unary(&mut self, ty: WordTy, operand: ExprId) -> ExprId {
        const OPS: [UnOp; 8] = [
            UnOp::Not,
            UnOp::Not,
            UnOp::Neg,
            UnOp::Neg,
            UnOp::Popcnt,
            UnOp::Bswap,
            UnOp::Clz,
            UnOp::Ctz,
        ];
        let op = OPS[choose_below(OPS.len(), self.rng)];
        // Neither is defined of 0 in C; a bit that is always set sees to that.
        let operand = match op {
            UnOp::Clz | UnOp::Ctz => {
                let hole = self.hole(ty);
                self.binary(BinOp::Or, operand, hole)
            }
            UnOp::Neg | UnOp::Not | UnOp::Popcnt | UnOp::Bswap => operand,
            UnOp::Bitrev | UnOp::Abs => operand,
            UnOp::Sqrt
            | UnOp::Floor
            | UnOp::Ceil
            | UnOp::Trunc
            | UnOp::Nearest
            | UnOp::Bits
            | UnOp::FromBits
            | UnOp::SatI32
            | UnOp::SatU32
            | UnOp::SatI64
            | UnOp::SatU64 => unreachable!("not drawn"),
        };
        self.function.add_expr(Expr::Unary(op, operand))
    }

    fn select(&mut self, ty: WordTy, operand: ExprId) -> ExprId {
        let cond = self.comparison();
        let other = if choose_bool(0.5, self.rng) { self.hole(ty) } else { self.leaf(ty) };
        self.function.add_expr(Expr::Select(cond, operand, other))
    }

    fn comparison(&mut self) -> ExprId {
        let ty = self.choose_ty();
        let lhs = self.leaf(ty);
        let rhs = if choose_bool(0.5, self.rng) { self.hole(ty) } else { self.leaf(ty) };
        let op = self.comparison_op();
        self.binary(op, lhs, rhs)
    }

    pub(super) fn comparison_op(&mut self) -> BinOp {
        const OPS: [BinOp; 6] = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];
        OPS[choose_below(OPS.len(), self.rng)]
    }

    /// `x / (y | ?m)`: a divisor that is not known, and is not 0.
    fn variable_divisor(&mut self, ty: WordTy, operand: ExprId) -> ExprId {
        let (other, mask) = (self.leaf(ty), self.hole(ty));
        let divisor = self.binary(BinOp::Or, other, mask);
        let op = if choose_bool(0.5, self.rng) { BinOp::Div } else { BinOp::Rem };
        self.binary(op, operand, divisor)
    }

    /// A product of two variables; of their remainders where it is run often.
    fn product(&mut self, ty: WordTy, operand: ExprId, hot: bool) -> ExprId {
        let other = self.leaf(ty);
        let mut tame = |factor| match hot || ty.is_signed() {
            true => {
                let hole = self.hole(ty);
                self.binary(BinOp::Rem, factor, hole)
            }
            false => factor,
        };
        let (a, b) = (tame(operand), tame(other));
        self.binary(BinOp::Mul, a, b)
    }

    pub(super) fn constant(&mut self, ty: WordTy, value: i64) -> ExprId {
        self.function.add_expr(Expr::Const(Const::new(ty, value)))
    }

    /// A variable or element as a value of type `ty`.
    pub(super) fn leaf(&mut self, ty: WordTy) -> ExprId {
        if choose_share(self.knobs.constant_leaf_share, self.rng) {
            return self.hole(ty);
        }
        let n_vars =
            match choose_bool(self.knobs.input_share, self.rng) && self.function.n_params > 0 {
                true => self.function.n_params,
                false => self.function.vars.len(),
            };
        // A variable of the right type if one is found soon, any other with a cast.
        let mut var = VarId::new(choose_below(n_vars, self.rng));
        for _ in 0..2 {
            if self.word_ty(var) == ty {
                break;
            }
            var = VarId::new(choose_below(n_vars, self.rng));
        }
        let from = self.word_ty(var);
        let read = match self.function.var(var).ty {
            VarTy::Scalar(_) => self.read_scalar(var),
            VarTy::Array(_, len) => {
                let index = self.index(len);
                self.function.add_expr(Expr::Read(Place::element(VarRef::Var(var), index)))
            }
        };
        self.convert(read, from, ty)
    }

    pub(super) fn read_scalar(&mut self, var: VarId) -> ExprId {
        self.function.add_expr(Expr::Read(Place::scalar(VarRef::Var(var))))
    }

    pub(super) fn convert(&mut self, value: ExprId, from: WordTy, to: WordTy) -> ExprId {
        if from == to {
            return value;
        }
        self.function.add_expr(Expr::Cast(to.into(), value))
    }

    /// An index that is in bounds whatever the state: a constant, or a variable that is masked or
    /// taken modulo the length.
    pub(super) fn index(&mut self, len: u32) -> ExprId {
        let scalars: Vec<VarId> = (0..self.function.vars.len())
            .map(VarId::new)
            .filter(|var| !self.function.var(*var).ty.is_array())
            .collect();
        if self.options.language == Language::Paper
            || scalars.is_empty()
            || choose_bool(0.4, self.rng)
        {
            let ty = match self.options.language {
                Language::Paper => WordTy::I32,
                Language::Full => self.choose_ty(),
            };
            return self.hole(ty);
        }
        let var = scalars[choose_below(scalars.len(), self.rng)];
        let from = self.word_ty(var);
        let read = self.read_scalar(var);
        if choose_bool(0.5, self.rng) {
            let hole = self.hole(from);
            return self.binary(BinOp::And, read, hole);
        }
        let unsigned = from.unsigned();
        let value = self.convert(read, from, unsigned);
        let len = self.constant(unsigned, len.into());
        self.binary(BinOp::Rem, value, len)
    }

    /// An arithmetic type that the options have.
    pub(super) fn choose_ty(&mut self) -> WordTy {
        let types = &self.options.types;
        types[choose_below(types.len(), self.rng)].widened()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sketch::knobs::ExprKnobs;
    use crate::sketch::options::SketchOptions;
    use crate::sketch::path_profile::PathProfile;
    use crate::sketch::patterns::Favourites;
    use pathsmith_symlang::graph::Cfg;
    use pathsmith_symlang::lang::Function;
    use pathsmith_symlang::{BlockId, Seed};

    /// The results of many draws, by a sketcher with variables.
    fn drawn<T: Ord>(
        knobs: &ExprKnobs,
        mut draw: impl FnMut(&mut Sketcher<'_>) -> T,
    ) -> BTreeSet<T> {
        let cfg = Cfg::new(&[vec![BlockId::new(1)], Vec::new()]).unwrap();
        let mut rng = Seed::new(1).rng();
        let mut sketcher = Sketcher {
            options: &knobs.sizes,
            knobs,
            rng: &mut rng,
            function: Function::new("f", WordTy::U32),
            n_holes: 0,
            profile: PathProfile::new(&cfg, None),
            counters: Vec::new(),
            favourites: Favourites::default(),
            unassigned: Vec::new(),
            remembered: Vec::new(),
            family: None,
            operators: Vec::new(),
        };
        sketcher.declare(&cfg);
        (0..4_000).map(|_| draw(&mut sketcher)).collect()
    }

    fn knobs(language: Language) -> ExprKnobs {
        let sizes = SketchOptions { language, ..SketchOptions::default() };
        ExprKnobs { sizes, ..ExprKnobs::default() }
    }

    fn declared(role: OpUse) -> BTreeSet<BinOp> {
        let is_declared = |op: &BinOp| op.is_used_to(role) && op.takes(ValueTy::CONDITION);
        BinOp::ALL.into_iter().filter(is_declared).collect()
    }

    /// Draws of the full language, with the knobs that no policy has changed.
    fn drawn_in_full<T: Ord>(draw: impl FnMut(&mut Sketcher<'_>) -> T) -> BTreeSet<T> {
        drawn(&knobs(Language::Full), draw)
    }

    #[test]
    fn operators_that_join_are_those_declared_to() {
        assert_eq!(drawn_in_full(|sketcher| sketcher.joining_op()), declared(OpUse::Join));
        let paper = drawn(&knobs(Language::Paper), |sketcher| sketcher.joining_op());
        assert!(paper.is_subset(&declared(OpUse::Join)), "{paper:?}");
    }

    #[test]
    fn operators_that_compare_are_those_declared_to() {
        assert_eq!(drawn_in_full(|sketcher| sketcher.comparison_op()), declared(OpUse::Compare));
    }

    /// The operators of terms of the form `x op ?s`: those that are taken from a list. At a signed
    /// type, nothing else has this form.
    fn operators_of_terms(language: Language, hot: bool) -> BTreeSet<BinOp> {
        let terms = drawn(&knobs(language), |sketcher| {
            let operand = sketcher.constant(WordTy::I64, 5);
            let term = sketcher.term(WordTy::I64, operand, hot, 1);
            match *sketcher.function.expr(term) {
                Expr::Binary(op, lhs, rhs) if lhs == operand => {
                    let is_hole = matches!(sketcher.function.expr(rhs), Expr::Hole(..));
                    is_hole.then_some(op)
                }
                _ => None,
            }
        });
        terms.into_iter().flatten().collect()
    }

    #[test]
    fn operators_of_terms_are_those_declared_to_be() {
        let [hot, cold] = [true, false].map(|hot| operators_of_terms(Language::Full, hot));
        assert_eq!(&hot | &cold, declared(OpUse::Term));
        for hot in [true, false] {
            let paper = operators_of_terms(Language::Paper, hot);
            assert!(paper.is_subset(&declared(OpUse::Term)), "{paper:?}");
        }
        let shuffled = ExprKnobs { own_operators: true, ..knobs(Language::Full) };
        let lists = drawn(&shuffled, |sketcher| {
            sketcher.choose_operators();
            sketcher.operators.clone()
        });
        assert_eq!(lists.into_iter().flatten().collect::<BTreeSet<_>>(), declared(OpUse::Term));
    }

    #[test]
    fn unary_operators_of_terms_are_those_declared_to_be() {
        let ops = drawn_in_full(|sketcher| {
            let operand = sketcher.constant(WordTy::U32, 5);
            let term = sketcher.unary(WordTy::U32, operand);
            let Expr::Unary(op, _) = *sketcher.function.expr(term) else { panic!("a unary term") };
            op
        });
        let is_declared = |op: &UnOp| op.is_used_to(OpUse::Term) && op.takes(ValueTy::CONDITION);
        let declared = UnOp::ALL.into_iter().filter(is_declared);
        assert_eq!(ops, declared.collect());
    }

    /// A family has operators of terms and `<<`, whose operand needs to be masked.
    #[test]
    fn families_are_made_of_operators_declared_for_them() {
        let [terms, joining] = [OpUse::Term, OpUse::Join].map(declared);
        for family in OperatorFamily::ALL {
            assert!(family.joining().iter().all(|op| joining.contains(op)), "{family:?}");
            let is_fine = |op: &BinOp| terms.contains(op) || *op == BinOp::Shl;
            assert!(family.binary().iter().all(is_fine), "{family:?}");
            assert!(family.unary().is_none_or(|op| op.is_used_to(OpUse::Term)), "{family:?}");
        }
    }
}

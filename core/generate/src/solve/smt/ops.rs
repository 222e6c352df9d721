//! Operators as bit-vector terms: what they give, and when a hazard is present.
//!
//! This is [`table`](pathsmith_symlang::semantics::table) once more, for operands that are not known yet; the
//! tests hold the two against each other. A term has the width of its type. Z3's operators are
//! total, so a result is a term also where a dialect leaves it undefined.

use z3::ast::{BV, Bool};

use pathsmith_symlang::dialect::Hazard;
use pathsmith_symlang::lang::{BinOp, Comparison, UnOp, ValueTy, WordTy};

/// A literal of `bits` bits; higher bits of `value` do not count.
pub(super) fn literal(value: i64, bits: u32) -> BV {
    BV::from_u64(value as u64 & (u64::MAX >> (64 - bits)), bits)
}

/// `op a`, for `a` of type `ty`.
pub(super) fn unary(op: UnOp, ty: WordTy, a: &BV) -> BV {
    match op {
        UnOp::Neg => a.bvneg(),
        UnOp::Not => a.bvnot(),
        UnOp::Clz => leading_zeros(ty.bits(), a),
        UnOp::Ctz => trailing_zeros(ty.bits(), a),
        UnOp::Popcnt => ones(ty.bits(), a),
        UnOp::Bswap => swap_bytes(ty.bits(), a),
        UnOp::Bitrev => reverse_bits(ty.bits(), a),
        UnOp::Abs if ty.is_signed() => is_negative(ty.bits(), a).ite(&a.bvneg(), a),
        UnOp::Abs => a.clone(),
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
        | UnOp::SatU64 => unreachable!("functions with floating-point numbers are declined"),
    }
}

/// `a op b`, for `a` and `b` of type `ty`. A comparison yields a term of 32 bits.
pub(super) fn binary(op: BinOp, ty: WordTy, a: &BV, b: &BV) -> BV {
    let signed = ty.is_signed();
    match op {
        BinOp::Add => a.bvadd(b),
        BinOp::Sub => a.bvsub(b),
        BinOp::Mul => a.bvmul(b),
        BinOp::Div if signed => a.bvsdiv(b),
        BinOp::Div => a.bvudiv(b),
        BinOp::Rem if signed => a.bvsrem(b),
        BinOp::Rem => a.bvurem(b),
        BinOp::And => a.bvand(b),
        BinOp::Or => a.bvor(b),
        BinOp::Xor => a.bvxor(b),
        BinOp::Shl => a.bvshl(masked_count(ty, b)),
        BinOp::Shr if signed => a.bvashr(masked_count(ty, b)),
        BinOp::Shr => a.bvlshr(masked_count(ty, b)),
        BinOp::Rotl => rotate_left(ty, a, b),
        BinOp::Rotr => rotate_left(ty, a, &b.bvneg()),
        BinOp::Min => compare(Comparison::Lt, ty, b, a).ite(b, a),
        BinOp::Max => compare(Comparison::Lt, ty, a, b).ite(b, a),
        BinOp::Mulh => upper_half(ty, a, b),
        BinOp::Addsat => saturated_sum(ty, a, b),
        BinOp::Subsat => saturated_difference(ty, a, b),
        BinOp::Cmp => order(ty, a, b),
        BinOp::Copysign => unreachable!("functions with floating-point numbers are declined"),
        BinOp::Eq => truth(compare(Comparison::Eq, ty, a, b)),
        BinOp::Ne => truth(compare(Comparison::Ne, ty, a, b)),
        BinOp::Lt => truth(compare(Comparison::Lt, ty, a, b)),
        BinOp::Le => truth(compare(Comparison::Le, ty, a, b)),
        BinOp::Gt => truth(compare(Comparison::Gt, ty, a, b)),
        BinOp::Ge => truth(compare(Comparison::Ge, ty, a, b)),
    }
}

/// A condition as a number.
fn truth(holds: Bool) -> BV {
    holds.ite(&literal(1, 32), &literal(0, 32))
}

/// Whether `op a` runs into `hazard`, one of those that the operator can run into.
pub(super) fn unary_hazard(op: UnOp, ty: WordTy, hazard: Hazard, a: &BV) -> Bool {
    debug_assert!(op.hazards(ValueTy::Int(ty)).contains(hazard));
    match hazard {
        Hazard::CountOfZero => a.eq(literal(0, ty.bits())),
        Hazard::SignedOverflow => a.eq(literal(ty.min(), ty.bits())),
        // Not hazards of operators with one operand.
        Hazard::DivisionByZero
        | Hazard::QuotientOverflow
        | Hazard::RemainderOverflow
        | Hazard::ShiftCount
        | Hazard::ShiftedOut
        | Hazard::OutOfBounds
        | Hazard::ConversionRange
        | Hazard::NanBits => Bool::from_bool(true),
    }
}

/// Whether `a op b` runs into `hazard`, one of those that the operator can run into.
pub(super) fn binary_hazard(op: BinOp, ty: WordTy, hazard: Hazard, a: &BV, b: &BV) -> Bool {
    debug_assert!(op.hazards(ValueTy::Int(ty)).contains(hazard));
    let width = ty.bits();
    match hazard {
        Hazard::SignedOverflow => match op {
            BinOp::Add => sum_overflows(width, a, b),
            BinOp::Sub => difference_overflows(width, a, b),
            _ => match (a.as_u64(), b.as_u64()) {
                (Some(factor), _) => multiple_overflows(ty, b, ty.wrap(factor as i64)),
                (_, Some(factor)) => multiple_overflows(ty, a, ty.wrap(factor as i64)),
                _ => product_overflows(width, a, b),
            },
        },
        Hazard::DivisionByZero => b.eq(literal(0, width)),
        Hazard::QuotientOverflow | Hazard::RemainderOverflow => {
            Bool::and(&[a.eq(literal(ty.min(), width)), b.eq(literal(-1, width))])
        }
        Hazard::ShiftCount => b.bvuge(literal(width.into(), width)),
        // As in the table: shifting back, by the masked count, has to give the operand.
        Hazard::ShiftedOut => {
            let count = masked_count(ty, b);
            let back = a.bvshl(&count).bvashr(&count);
            Bool::or(&[is_negative(width, a), back.ne(a)])
        }
        // Not hazards of operators with two operands.
        Hazard::OutOfBounds | Hazard::CountOfZero | Hazard::ConversionRange | Hazard::NanBits => {
            Bool::from_bool(true)
        }
    }
}

/// The comparison `a op b` as a truth value.
pub(super) fn compare(op: Comparison, ty: WordTy, a: &BV, b: &BV) -> Bool {
    match (op, ty.is_signed()) {
        (Comparison::Lt, true) => a.bvslt(b),
        (Comparison::Lt, false) => a.bvult(b),
        (Comparison::Le, true) => a.bvsle(b),
        (Comparison::Le, false) => a.bvule(b),
        (Comparison::Gt, true) => a.bvsgt(b),
        (Comparison::Gt, false) => a.bvugt(b),
        (Comparison::Ge, true) => a.bvsge(b),
        (Comparison::Ge, false) => a.bvuge(b),
        (Comparison::Ne, _) => a.ne(b),
        (Comparison::Eq, _) => a.eq(b),
    }
}

fn is_negative(width: u32, a: &BV) -> Bool {
    a.extract(width - 1, width - 1).eq(literal(1, 1))
}

/// Whether a signed sum leaves its width.
fn sum_overflows(width: u32, a: &BV, b: &BV) -> Bool {
    let sum = a.bvadd(b);
    is_negative(width, &a.bvxor(&sum).bvand(b.bvxor(&sum)))
}

/// Whether a signed difference leaves its width.
fn difference_overflows(width: u32, a: &BV, b: &BV) -> Bool {
    let difference = a.bvsub(b);
    is_negative(width, &a.bvxor(b).bvand(a.bvxor(&difference)))
}

/// The limit that a signed result is nearest to if it overflows: its left operand's sign decides.
fn nearest_limit(ty: WordTy, a: &BV) -> BV {
    let (min, max) = (literal(ty.min(), ty.bits()), literal(ty.max(), ty.bits()));
    is_negative(ty.bits(), a).ite(&min, &max)
}

fn saturated_sum(ty: WordTy, a: &BV, b: &BV) -> BV {
    let sum = a.bvadd(b);
    match ty.is_signed() {
        true => sum_overflows(ty.bits(), a, b).ite(&nearest_limit(ty, a), &sum),
        false => sum.bvult(a).ite(&literal(ty.max(), ty.bits()), &sum),
    }
}

fn saturated_difference(ty: WordTy, a: &BV, b: &BV) -> BV {
    let difference = a.bvsub(b);
    match ty.is_signed() {
        true => difference_overflows(ty.bits(), a, b).ite(&nearest_limit(ty, a), &difference),
        false => a.bvult(b).ite(&literal(0, ty.bits()), &difference),
    }
}

/// The upper half of a product of twice the width.
fn upper_half(ty: WordTy, a: &BV, b: &BV) -> BV {
    let width = ty.bits();
    let product = match ty.is_signed() {
        true => a.sign_ext(width).bvmul(b.sign_ext(width)),
        false => a.zero_ext(width).bvmul(b.zero_ext(width)),
    };
    product.extract(2 * width - 1, width)
}

/// -1, 0 or 1, in 32 bits.
fn order(ty: WordTy, a: &BV, b: &BV) -> BV {
    let greater = truth(compare(Comparison::Gt, ty, a, b));
    compare(Comparison::Lt, ty, a, b).ite(&literal(-1, 32), &greater)
}

/// Whether a signed product leaves its width, after Gok's and others' "Integer multipliers with
/// overflow detection" (2006): a circuit that is little larger than the product's own. Z3's own
/// predicates are not used, because they are wrong on literals in 4.8.12: there, `MIN + 1` times -1
/// overflows.
fn product_overflows(width: u32, a: &BV, b: &BV) -> Bool {
    // The bits that count are those that differ from the sign.
    let counting = |x: &BV| x.bvxor(x.extract(width - 1, width - 1).sign_ext(width - 1));
    let (mut a_below, b_bits) = (counting(a), counting(b));
    // The highest of them and all below it.
    let mut step = 1;
    while step < width {
        a_below = a_below.bvor(a_below.bvlshr(literal(step.into(), width)));
        step *= 2;
    }
    // Where the numbers of one of each add up to the width or more, less one, that is too many.
    let b_reversed = reverse_bits(width, &b_bits);
    let are_too_long = a_below.bvand(&b_reversed).ne(literal(0, width));
    // Otherwise one more bit has room for the product.
    let product = a.sign_ext(1).bvmul(b.sign_ext(1));
    let leaves = product.extract(width, width).ne(product.extract(width - 1, width - 1));
    Bool::or(&[are_too_long, leaves])
}

/// Whether a signed multiple leaves its width: whether the operand is outside a range.
fn multiple_overflows(ty: WordTy, a: &BV, factor: i64) -> Bool {
    // In wide integers, whose division rounds towards zero, hence into the range.
    let (min, max, factor) = (i128::from(ty.min()), i128::from(ty.max()), i128::from(factor));
    let (low, high) = match factor {
        0 => return Bool::from_bool(false),
        1.. => (min / factor, max / factor),
        _ => (max / factor, min / factor),
    };
    let low = a.bvslt(literal(low as i64, ty.bits()));
    // Only for a factor of -1 is the upper limit itself out of reach.
    let high =
        if high > max { Bool::from_bool(false) } else { a.bvsgt(literal(high as i64, ty.bits())) };
    Bool::or(&[low, high])
}

/// A count modulo the width, which is a power of two.
fn masked_count(ty: WordTy, count: &BV) -> BV {
    count.bvand(literal(i64::from(ty.bits()) - 1, ty.bits()))
}

/// Two shifts: by 0 both give the operand.
fn rotate_left(ty: WordTy, a: &BV, count: &BV) -> BV {
    let left = a.bvshl(masked_count(ty, count));
    left.bvor(a.bvlshr(masked_count(ty, &count.bvneg())))
}

/// Halves the part that is searched until one bit is left.
fn leading_zeros(width: u32, a: &BV) -> BV {
    let mut rest = a.clone();
    let mut count = literal(0, width);
    let mut step = width / 2;
    while step > 0 {
        let is_clear = rest.extract(width - 1, width - step).eq(literal(0, step));
        count = is_clear.ite(&count.bvadd(literal(step.into(), width)), &count);
        rest = is_clear.ite(&rest.bvshl(literal(step.into(), width)), &rest);
        step /= 2;
    }
    // The highest bit is now set, unless there was none.
    let last = rest.extract(width - 1, width - 1).bvnot().zero_ext(width - 1);
    count.bvadd(&last)
}

/// The zeros below the lowest bit are the ones of `a - 1` that `a` lacks.
fn trailing_zeros(width: u32, a: &BV) -> BV {
    ones(width, &a.bvnot().bvand(a.bvsub(literal(1, width))))
}

/// Adds neighbouring fields of bits, each time half as many and twice as wide.
fn ones(width: u32, a: &BV) -> BV {
    let mut fields = a.clone();
    let mut size = 1;
    while size < width {
        // `size` ones, `size` zeros, and so on, from the lowest bit.
        let mask = literal((u64::MAX / ((1 << size) + 1)) as i64, width);
        let upper = fields.bvlshr(literal(size.into(), width));
        fields = fields.bvand(&mask).bvadd(upper.bvand(&mask));
        size *= 2;
    }
    fields
}

fn swap_bytes(width: u32, a: &BV) -> BV {
    let mut bytes = (0..width / 8).map(|i| a.extract(8 * i + 7, 8 * i));
    let first = bytes.next();
    first.map_or_else(|| a.clone(), |first| bytes.fold(first, |high, low| high.concat(&low)))
}

fn reverse_bits(width: u32, a: &BV) -> BV {
    (1..width).fold(a.extract(0, 0), |high, i| high.concat(a.extract(i, i)))
}

#[cfg(test)]
mod tests {
    use z3::ast::Ast;
    use z3::{SatResult, Solver};

    use super::*;
    use pathsmith_symlang::semantics::table;
    use pathsmith_symlang::semantics::table::Meaning;

    /// Values around the limits that operators care about.
    fn boundaries(ty: WordTy) -> Vec<i64> {
        let width = i64::from(ty.bits());
        let (half, root) = (1 << (width / 2), 1 << (width / 4));
        let mut values = vec![0, 1, 2, 3, -1, -2, 7, width - 1, width, width + 1, -width, 100];
        values.extend([ty.min(), ty.min().wrapping_add(1), ty.max(), ty.max().wrapping_sub(1)]);
        values.extend([ty.max() >> 1, (ty.max() >> 1).wrapping_add(1), ty.min() >> 1]);
        values.extend([half, half - 1, -half, root, 0x0123_4567_89ab_cdef]);
        values.iter_mut().for_each(|value| *value = ty.wrap(*value));
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Holds the terms of one operation on literals against the table.
    fn check(
        ty: WordTy,
        value: &BV,
        hazards: impl Iterator<Item = (Hazard, Bool)>,
        meaning: Meaning,
        what: impl Fn() -> String,
    ) {
        let mut all = Vec::new();
        let mut is_total = true;
        for (hazard, present) in hazards {
            let is_present = meaning.hazards.contains(hazard);
            all.push(present.iff(Bool::from_bool(is_present)));
            // The table gives 0 for a division by zero, which no dialect defines.
            is_total &= !(is_present && hazard == Hazard::DivisionByZero);
        }
        if is_total {
            all.push(value.eq(literal(meaning.word, ty.bits())));
        }
        assert_eq!(Bool::and(&all).simplify().as_bool(), Some(true), "{}", what());
    }

    #[test]
    fn unary_operators_agree_with_the_table() {
        let same =
            |op: &UnOp| op.takes(ValueTy::CONDITION) && op.result_ty(ValueTy::CONDITION).is_int();
        for op in UnOp::ALL.into_iter().filter(same) {
            for ty in WordTy::ALL {
                let bits = (0..ty.bits()).map(|i| ty.wrap(1 << i));
                for a in boundaries(ty).into_iter().chain(bits) {
                    let term = literal(a, ty.bits());
                    let hazards = op.hazards(ty.into()).iter();
                    let hazards = hazards.map(|h| (h, unary_hazard(op, ty, h, &term)));
                    let value = unary(op, ty, &term);
                    let what = || format!("{op:?} {a}{ty}");
                    check(ty, &value, hazards, table::unary(op, ty.into(), a), what);
                }
            }
        }
    }

    #[test]
    fn binary_operators_agree_with_the_table() {
        for op in BinOp::ALL.into_iter().filter(|op| op.takes(ValueTy::CONDITION)) {
            for ty in WordTy::ALL {
                for a in boundaries(ty) {
                    for b in boundaries(ty) {
                        let (lhs, rhs) = (literal(a, ty.bits()), literal(b, ty.bits()));
                        let hazards = op.hazards(ty.into()).iter();
                        let hazards = hazards.map(|h| (h, binary_hazard(op, ty, h, &lhs, &rhs)));
                        let value = binary(op, ty, &lhs, &rhs);
                        let what = || format!("{a}{ty} {op:?} {b}{ty}");
                        let meaning = table::binary(op, ty.into(), a, b);
                        let result = op.result_ty(ty.into()).as_int().unwrap();
                        check(result, &value, hazards, meaning, what);
                    }
                }
            }
        }
    }

    /// A proof, at widths where it is quick; 32 and 64 bits differ in nothing but size.
    #[test]
    fn products_overflow_where_wider_ones_differ() {
        for width in [2, 4, 8] {
            let (a, b) = (BV::new_const("a", width), BV::new_const("b", width));
            let wide = a.sign_ext(width).bvmul(b.sign_ext(width));
            let differs = wide.ne(a.bvmul(&b).sign_ext(width));
            let solver = Solver::new();
            solver.assert(differs.iff(product_overflows(width, &a, &b)).not());
            assert_eq!(solver.check(), SatResult::Unsat, "{width} bits");
        }
    }

    /// Boundary operands, but not as literals, so that all ways to say it are held against the
    /// table: only one factor known, or none.
    #[test]
    fn products_of_unknowns_overflow_as_the_table_says() {
        let (x, y) = (BV::new_const("x", 32), BV::new_const("y", 32));
        let ty = WordTy::I32;
        for a in boundaries(ty) {
            for b in boundaries(ty) {
                let hazards = table::binary(BinOp::Mul, ty.into(), a, b).hazards;
                let (a, b) = (literal(a, 32), literal(b, 32));
                for (lhs, rhs) in [(&x, &y), (&a, &y), (&x, &b)] {
                    let term = binary_hazard(BinOp::Mul, ty, Hazard::SignedOverflow, lhs, rhs);
                    let term = term.substitute(&[(&x, &a), (&y, &b)]).simplify();
                    assert_eq!(term.as_bool(), Some(!hazards.is_empty()), "{a:?} * {b:?}");
                }
            }
        }
    }
}

//! Every operator and cast on floating-point numbers in every dialect, held against arithmetic on
//! integers: numbers are taken apart, computed with exactly, and rounded here.

mod support;

use pathsmith_symlang::FuncId;
use pathsmith_symlang::dialect::{Definedness, Dialect, Hazard, HazardSet, TrapKind};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{
    BinOp, FloatTy, IntTy, Notation, OperandClass, Scalar, ScalarTy, UnOp, ValueTy, WordTy,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome, table};
use proptest::prelude::*;
use support::exact::{Exact, Number};

/// What an operation should come to: a word, and what happened on the way.
type Expected = (i64, HazardSet);

fn plain(word: i64) -> Expected {
    (word, HazardSet::NONE)
}

fn if_so(word: i64, hazard: Hazard, happens: bool) -> Expected {
    (word, if happens { HazardSet::only(hazard) } else { HazardSet::NONE })
}

/// The number as an integer between two limits, and whether it is one of them without its fraction.
fn clamped(a: Number, (min, max): (i128, i128)) -> (i128, bool) {
    match a {
        Number::Nan => (0, false),
        Number::Infinity { is_negative } => (if is_negative { min } else { max }, false),
        Number::Finite(exact) => {
            let whole = exact.truncated();
            (whole.clamp(min, max), (min..=max).contains(&whole))
        }
    }
}

fn limits_of(ty: WordTy) -> (i128, i128) {
    let int = IntTy::from(ty);
    (int.to_wide(int.min()), int.to_wide(int.max()))
}

fn int_word(ty: WordTy, value: i128) -> i64 {
    IntTy::from(ty).from_wide(value).expect("in range")
}

fn expected_unary(op: UnOp, ty: FloatTy, word: i64) -> Expected {
    let a = Number::of(ty, word);
    let saturated = |to: WordTy| plain(int_word(to, clamped(a, limits_of(to)).0));
    let whole = |round: fn(Exact) -> i128| {
        plain(match a {
            Number::Nan | Number::Infinity { .. } => word,
            // What is larger has no fraction.
            Number::Finite(exact) if exact.exponent >= 0 => word,
            Number::Finite(exact) => {
                let rounded = round(exact);
                let is_negative = exact.is_negative;
                let magnitude = rounded.unsigned_abs();
                Exact { is_negative, magnitude, exponent: 0, is_inexact: false }.rounded(ty)
            }
        })
    };
    let sign = 1_i64 << (ty.bits() - 1);
    match op {
        UnOp::Neg => plain(if a == Number::Nan { word } else { ty.canonical(word ^ sign) }),
        UnOp::Abs => plain(if a == Number::Nan { word } else { ty.canonical(word & !sign) }),
        UnOp::Sqrt => plain(match a {
            Number::Nan => word,
            Number::Infinity { is_negative } => {
                if is_negative {
                    ty.nan()
                } else {
                    word
                }
            }
            Number::Finite(exact) if exact.magnitude == 0 => word,
            Number::Finite(exact) if exact.is_negative => ty.nan(),
            Number::Finite(exact) => exact.square_root().rounded(ty),
        }),
        UnOp::Floor => whole(|a| a.truncated() - i128::from(a.is_negative && a.has_fraction())),
        UnOp::Ceil => whole(|a| a.truncated() + i128::from(!a.is_negative && a.has_fraction())),
        UnOp::Trunc => whole(|a| a.truncated()),
        UnOp::Nearest => whole(Exact::nearest),
        UnOp::Bits => {
            let bits = if ty == FloatTy::F32 { word & 0xffff_ffff } else { word };
            if_so(bits, Hazard::NanBits, a == Number::Nan)
        }
        UnOp::SatI32 => saturated(WordTy::I32),
        UnOp::SatU32 => saturated(WordTy::U32),
        UnOp::SatI64 => saturated(WordTy::I64),
        UnOp::SatU64 => saturated(WordTy::U64),
        UnOp::Not
        | UnOp::Clz
        | UnOp::Ctz
        | UnOp::Popcnt
        | UnOp::Bswap
        | UnOp::Bitrev
        | UnOp::FromBits => unreachable!("{op:?} takes integers"),
    }
}

fn expected_binary(op: BinOp, ty: FloatTy, left: i64, right: i64) -> Expected {
    let (a, b) = (Number::of(ty, left), Number::of(ty, right));
    let has_nan = a == Number::Nan || b == Number::Nan;
    let sign = 1_i64 << (ty.bits() - 1);
    let is_negative = |word: i64| word & sign != 0;
    // A number that orders words as the numbers that they stand for, -0 below 0.
    let rank = |word: i64| {
        let magnitude = i128::from(ty.magnitude(word));
        if is_negative(word) { -magnitude - 1 } else { magnitude }
    };
    let is_zero = |word: i64| ty.magnitude(word) == 0;
    let is_equal = !has_nan && (left == right || (is_zero(left) && is_zero(right)));
    let is_less = !has_nan && !is_equal && rank(left) < rank(right);
    let is_greater = !has_nan && !is_equal && rank(left) > rank(right);
    let truth = |truth: bool| plain(truth.into());
    match op {
        BinOp::Add => plain(a.plus(b).rounded(ty)),
        BinOp::Sub => plain(a.plus(b.negated()).rounded(ty)),
        BinOp::Mul => plain(a.times(b).rounded(ty)),
        BinOp::Div => plain(a.over(b).rounded(ty)),
        BinOp::Min | BinOp::Max if has_nan => plain(ty.nan()),
        BinOp::Min => plain(if rank(left) <= rank(right) { left } else { right }),
        BinOp::Max => plain(if rank(left) >= rank(right) { left } else { right }),
        BinOp::Copysign => {
            let magnitude = left & !sign;
            let signed = if is_negative(right) { magnitude | sign } else { magnitude };
            let word = if a == Number::Nan { ty.nan() } else { ty.canonical(signed) };
            if_so(word, Hazard::NanBits, b == Number::Nan)
        }
        BinOp::Eq => truth(is_equal),
        BinOp::Ne => truth(!is_equal),
        BinOp::Lt => truth(is_less),
        BinOp::Le => truth(is_less || is_equal),
        BinOp::Gt => truth(is_greater),
        BinOp::Ge => truth(is_greater || is_equal),
        BinOp::Rem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::Shr
        | BinOp::Rotl
        | BinOp::Rotr
        | BinOp::Mulh
        | BinOp::Addsat
        | BinOp::Subsat
        | BinOp::Cmp => unreachable!("{op:?} takes integers"),
    }
}

/// What a cast from or to a floating-point type should come to.
fn expected_cast(from: ValueTy, to: ScalarTy, word: i64) -> Expected {
    match (from, to) {
        (ValueTy::Int(from), ScalarTy::Float(to)) => {
            let wide = IntTy::from(from).to_wide(word);
            let (is_negative, magnitude) = (wide < 0, wide.unsigned_abs());
            plain(Exact { is_negative, magnitude, exponent: 0, is_inexact: false }.rounded(to))
        }
        (ValueTy::Float(from), ScalarTy::Float(to)) => plain(Number::of(from, word).rounded(to)),
        (ValueTy::Float(from), ScalarTy::Int(to)) => {
            let by_way_of = match to {
                IntTy::I8 | IntTy::I16 | IntTy::I32 => WordTy::I32,
                IntTy::U8 | IntTy::U16 | IntTy::U32 => WordTy::U32,
                IntTy::I64 => WordTy::I64,
                IntTy::U64 => WordTy::U64,
            };
            let (whole, is_within) = clamped(Number::of(from, word), limits_of(by_way_of));
            let modulus = 1_i128 << to.bits();
            let reduced = whole.rem_euclid(modulus);
            let is_above = reduced > to.to_wide(to.max());
            let wide = if is_above { reduced - modulus } else { reduced };
            let word = to.from_wide(wide).expect("in range");
            if_so(word, Hazard::ConversionRange, !is_within)
        }
        (ValueTy::Int(_), ScalarTy::Int(_)) => unreachable!("no floating-point type"),
    }
}

/// The numbers at which operators behave in ways of their own, and those next to them.
fn edges(ty: FloatTy) -> Vec<i64> {
    let mut numbers = vec![0.0, 0.1, 0.5, 1.0 / 3.0, 1.0, 1.5, 2.5, 3.5, 100.0, 127.5, 255.5];
    numbers.extend([16, 23, 24, 25, 31, 32, 33, 52, 53, 54, 63, 64, 65, 127].map(|n| 2f64.powi(n)));
    numbers.extend([-1, -23, -75, -126, -127, -149, -150, -160].map(|n| 2f64.powi(n)));
    numbers.extend([2147483647.5, 4294967295.5, 8388607.5, 4503599627370495.5, 1e-45, 3e-45]);
    // From here on, an `f64` becomes an infinite `f32`.
    numbers.push(2f64.powi(128) - 2f64.powi(103));
    let mut words: Vec<i64> = numbers.into_iter().map(|number| ty.word(number)).collect();
    let smallest_normal = 1_i64 << (ty.precision() - 1);
    words.extend([1, smallest_normal, ty.infinity() - 1, ty.infinity()]);
    let around = words.into_iter().flat_map(|word| [word - 1, word, word + 1]);
    let mut words: Vec<i64> = around
        .filter(|word| (0..=ty.infinity()).contains(word))
        .flat_map(|word| [word, ty.canonical(word | 1 << (ty.bits() - 1))])
        .collect();
    words.push(ty.nan());
    words.sort_unstable();
    words.dedup();
    words
}

/// Runs one expression over `a` and `b` of type `ty` through the whole interpreter.
struct Calculator {
    code: Code,
    ty: ValueTy,
}

impl Calculator {
    fn new(expr: &str, ty: ValueTy, ret: ValueTy) -> Self {
        let text = format!("fn f(a: {ty}, b: {ty}) -> {ret} {{ entry: return {expr}; }}");
        Self { code: Code::new(&parse("calculator", &text).expect("a valid program")), ty }
    }

    fn check(&self, a: i64, b: i64, expected: Expected, what: &str) {
        for dialect in Dialect::ALL {
            let mut machine = Machine::new(&self.code, dialect);
            let args = [Scalar::new(self.ty, a), Scalar::new(self.ty, b)];
            let outcome = machine.run(FuncId::new(0), &args, Limits::default());
            let (word, hazards) = expected;
            let fate = hazards.iter().map(|hazard| dialect.definedness(hazard)).next();
            let is_right = match (&outcome, fate) {
                (Outcome::Returned(value), None | Some(Definedness::Defined)) => {
                    value.word() == word
                }
                (Outcome::Trapped(kind, _), Some(Definedness::Trap(wanted))) => *kind == wanted,
                (Outcome::Undefined(_), Some(Definedness::Undefined)) => true,
                _ => false,
            };
            let args = args.map(|arg| arg.to_string());
            assert!(is_right, "{dialect}: {what} of {args:?}: {outcome:?}, not {expected:?}");
        }
    }
}

#[test]
fn dialects_differ_as_the_page_says() {
    use Definedness::{Defined, Trap, Undefined};
    let of = |hazard| Dialect::ALL.map(|dialect| dialect.definedness(hazard));
    let trap = Trap(TrapKind::ConversionRange);
    assert_eq!(of(Hazard::ConversionRange), [Undefined, trap, Defined]);
    assert_eq!(of(Hazard::NanBits), [Undefined, Undefined, Defined]);
}

#[test]
fn unary_operators_at_edges() {
    for ty in FloatTy::ALL {
        for op in UnOp::ALL.into_iter().filter(|op| op.takes(ty.into())) {
            let expr = match op.notation() {
                Notation::Prefix(symbol) => format!("{symbol}a"),
                Notation::Named(name) => format!("{name}(a)"),
                Notation::Infix(..) => unreachable!(),
            };
            let calculator = Calculator::new(&expr, ty.into(), op.result_ty(ty.into()));
            for a in edges(ty) {
                calculator.check(a, 0, expected_unary(op, ty, a), &expr);
            }
        }
    }
}

#[test]
fn binary_operators_at_edges() {
    for ty in FloatTy::ALL {
        for op in BinOp::ALL.into_iter().filter(|op| op.takes(ty.into())) {
            let expr = match op.notation() {
                Notation::Infix(symbol, _) => format!("a {symbol} b"),
                Notation::Named(name) => format!("{name}(a, b)"),
                Notation::Prefix(_) => unreachable!(),
            };
            let calculator = Calculator::new(&expr, ty.into(), op.result_ty(ty.into()));
            let words = edges(ty);
            for &a in &words {
                for &b in &words {
                    calculator.check(a, b, expected_binary(op, ty, a, b), &expr);
                }
            }
        }
    }
}

#[test]
fn casts_at_edges() {
    for from in FloatTy::ALL {
        for to in ScalarTy::ALL {
            let calculator = Calculator::new(&format!("{to}(a)"), from.into(), to.widened());
            for a in edges(from) {
                calculator.check(a, 0, expected_cast(from.into(), to, a), &format!("{to}"));
            }
        }
    }
}

/// All numbers whose highest 16 bits are not all the same, with three kinds of bits below.
fn patterns(ty: FloatTy) -> impl Iterator<Item = i64> {
    let below = ty.bits() - 16;
    let fills = move |high: i64| {
        let first = high << below;
        [first, first + (1 << (below - 1)), first | ((1 << below) - 1)]
    };
    (0..=0xffff).flat_map(fills).map(move |word| ty.canonical(word))
}

#[test]
fn conversions_of_all_upper_halves() {
    for from in FloatTy::ALL {
        for a in patterns(from) {
            for to in ScalarTy::ALL {
                let meaning = table::cast(from.into(), to, a);
                let expected = expected_cast(from.into(), to, a);
                let shown = Scalar::new(from, a);
                assert_eq!((meaning.word, meaning.hazards), expected, "{to} of {shown} {from}");
            }
            for op in UnOp::ALL.into_iter().filter(|op| op.takes(from.into())) {
                let meaning = table::unary(op, from.into(), a);
                let expected = expected_unary(op, from, a);
                let shown = Scalar::new(from, a);
                assert_eq!((meaning.word, meaning.hazards), expected, "{op:?} of {shown} {from}");
            }
        }
    }
}

#[test]
fn integers_become_the_nearest_numbers() {
    for from in WordTy::ALL {
        for pattern in 0..=0xffff_i64 {
            for shift in (0..64).step_by(8) {
                for next in [-1, 0, 1] {
                    let a = from.wrap((pattern << shift).wrapping_add(next));
                    for to in FloatTy::ALL {
                        let meaning = table::cast(from.into(), to.into(), a);
                        let expected = expected_cast(from.into(), to.into(), a);
                        let shown = Scalar::new(from, a);
                        assert_eq!((meaning.word, meaning.hazards), expected, "{to} of {shown}");
                    }
                }
            }
        }
    }
}

#[test]
fn bits_make_numbers() {
    for ty in WordTy::ALL {
        let float = match ty.bits() {
            32 => FloatTy::F32,
            _ => FloatTy::F64,
        };
        let calculator = Calculator::new("from_bits(a)", ty.into(), float.into());
        for word in patterns(float).chain(edges(float)) {
            let bits = ty.wrap(word);
            calculator.check(bits, 0, plain(word), "from_bits");
        }
        // All NaNs are one.
        for other in [float.nan() + 1, float.infinity() + 1, float.nan() | 1 << (ty.bits() - 1)] {
            calculator.check(ty.wrap(other), 0, plain(float.nan()), "from_bits");
        }
    }
}

#[test]
fn possible_hazards_are_those_that_occur() {
    for ty in FloatTy::ALL {
        let words = edges(ty);
        for op in UnOp::ALL.into_iter().filter(|op| op.takes(ty.into())) {
            let seen = words.iter().map(|a| table::unary(op, ty.into(), *a).hazards);
            let seen = seen.fold(HazardSet::NONE, HazardSet::or);
            assert_eq!(seen, op.hazards(ty.into()), "{op:?} {ty}");
        }
        for op in BinOp::ALL.into_iter().filter(|op| op.takes(ty.into())) {
            let pairs = words.iter().flat_map(|a| words.iter().map(move |b| (*a, *b)));
            let seen = pairs.map(|(a, b)| table::binary(op, ty.into(), a, b).hazards);
            let seen = seen.fold(HazardSet::NONE, HazardSet::or);
            assert_eq!(seen, op.hazards(ty.into()), "{op:?} {ty}");
        }
    }
}

/// What neither takes is refused, so that no meaning of it is ever asked for.
#[test]
fn operators_are_refused_what_they_do_not_take() {
    let classes = UnOp::ALL.map(UnOp::operands);
    assert!([OperandClass::Int, OperandClass::Float].iter().all(|class| classes.contains(class)));
    for ty in ValueTy::ALL {
        for op in BinOp::ALL {
            let expr = match op.notation() {
                Notation::Infix(symbol, _) => format!("a {symbol} a"),
                Notation::Named(name) => format!("{name}(a, a)"),
                Notation::Prefix(_) => unreachable!(),
            };
            let ret = op.result_ty(ty);
            let text = format!("fn f(a: {ty}) -> {ret} {{ entry: return {expr}; }}");
            assert_eq!(parse("taken", &text).is_ok(), op.takes(ty), "{text}");
        }
        for op in UnOp::ALL {
            let expr = match op.notation() {
                Notation::Prefix(symbol) => format!("{symbol}a"),
                Notation::Named(name) => format!("{name}(a)"),
                Notation::Infix(..) => unreachable!(),
            };
            let ret = op.result_ty(ty);
            let text = format!("fn f(a: {ty}) -> {ret} {{ entry: return {expr}; }}");
            assert_eq!(parse("taken", &text).is_ok(), op.takes(ty), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn operators_on_any_numbers(a: i64, b: i64, shift in 0u32..64, is_near: bool) {
        for ty in FloatTy::ALL {
            let left = ty.canonical(a);
            // Two that are far apart say little of sums.
            let right = ty.canonical(if is_near { left ^ (b as u64 >> shift) as i64 } else { b });
            for op in BinOp::ALL.into_iter().filter(|op| op.takes(ty.into())) {
                let meaning = table::binary(op, ty.into(), left, right);
                let expected = expected_binary(op, ty, left, right);
                prop_assert_eq!((meaning.word, meaning.hazards), expected, "{:?} {}", op, ty);
            }
            for op in UnOp::ALL.into_iter().filter(|op| op.takes(ty.into())) {
                let meaning = table::unary(op, ty.into(), left);
                prop_assert_eq!((meaning.word, meaning.hazards), expected_unary(op, ty, left));
            }
            for to in ScalarTy::ALL {
                let meaning = table::cast(ty.into(), to, left);
                let expected = expected_cast(ty.into(), to, left);
                prop_assert_eq!((meaning.word, meaning.hazards), expected);
            }
            for from in WordTy::ALL {
                let int = from.wrap(a >> shift);
                let meaning = table::cast(from.into(), ty.into(), int);
                prop_assert_eq!(meaning.word, expected_cast(from.into(), ty.into(), int).0);
            }
        }
    }
}

//! Every operator on integers of every type in every dialect, held against arithmetic on wide integers
//! and against the table of the design, written down here a second time. `floats.rs` has the others.

use std::cmp::Ordering;

use pathsmith_symlang::FuncId;
use pathsmith_symlang::dialect::{Dialect, TrapKind};
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{BinOp, IntTy, Notation, Scalar, UnOp, ValueTy, WordTy};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome, table};
use proptest::prelude::*;

/// What a run should come to.
#[derive(Debug, PartialEq, Eq)]
enum Expected {
    Value(i128),
    Undefined,
    Trap(TrapKind),
}

use Expected::{Trap, Undefined, Value};

fn wide_limits(ty: WordTy) -> (i128, i128) {
    match ty {
        WordTy::I32 => (-(1 << 31), (1 << 31) - 1),
        WordTy::U32 => (0, (1 << 32) - 1),
        WordTy::I64 => (-(1 << 63), (1 << 63) - 1),
        WordTy::U64 => (0, (1 << 64) - 1),
    }
}

fn wrapped(ty: WordTy, value: i128) -> i128 {
    let (min, max) = wide_limits(ty);
    let modulus = max - min + 1;
    (value - min).rem_euclid(modulus) + min
}

/// `value` as its bits, the highest first.
fn bits(ty: WordTy, value: i128) -> Vec<bool> {
    (0..ty.bits()).rev().map(|i| value >> i & 1 == 1).collect()
}

fn from_bits(ty: WordTy, bits: &[bool]) -> i128 {
    wrapped(ty, bits.iter().fold(0, |value, &bit| value * 2 + i128::from(bit)))
}

/// Signed arithmetic whose exact result is at hand.
fn arithmetic(dialect: Dialect, ty: WordTy, exact: i128) -> Expected {
    let (min, max) = wide_limits(ty);
    if ty.is_signed() && dialect == Dialect::C && !(min..=max).contains(&exact) {
        return Undefined;
    }
    Value(wrapped(ty, exact))
}

/// The upper half of a product, by schoolbook multiplication of half-width digits: a product of
/// two u64 does not fit into 128 bits with a sign.
fn upper_half(ty: WordTy, a: i128, b: i128) -> i128 {
    let half = ty.bits() / 2;
    let low = |x: i128| x & ((1 << half) - 1);
    let high = |x: i128| x >> half;
    let carry = high(low(a) * low(b));
    let middle = high(a) * low(b) + carry;
    let other = low(a) * high(b) + low(middle);
    high(a) * high(b) + high(middle) + high(other)
}

fn expected_unary(dialect: Dialect, op: UnOp, ty: WordTy, a: i128) -> Expected {
    let bits = bits(ty, a);
    let count_of_zero = |count: usize| match dialect {
        Dialect::C if a == 0 => Undefined,
        _ => Value(count as i128),
    };
    match op {
        UnOp::Neg => arithmetic(dialect, ty, -a),
        UnOp::Not => Value(from_bits(ty, &bits.iter().map(|bit| !bit).collect::<Vec<_>>())),
        UnOp::Clz => count_of_zero(bits.iter().take_while(|bit| !**bit).count()),
        UnOp::Ctz => count_of_zero(bits.iter().rev().take_while(|bit| !**bit).count()),
        UnOp::Popcnt => Value(bits.iter().filter(|bit| **bit).count() as i128),
        UnOp::Bswap => {
            let bytes: Vec<&[bool]> = bits.chunks(8).rev().collect();
            Value(from_bits(ty, &bytes.concat()))
        }
        UnOp::Bitrev => Value(from_bits(ty, &bits.iter().rev().copied().collect::<Vec<_>>())),
        UnOp::Abs => arithmetic(dialect, ty, if a < 0 { -a } else { a }),
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
        | UnOp::SatU64 => unreachable!("{op:?} takes or yields other numbers"),
    }
}

fn expected_binary(dialect: Dialect, op: BinOp, ty: WordTy, a: i128, b: i128) -> Expected {
    let (min, max) = wide_limits(ty);
    let width = i128::from(ty.bits());
    let overflows = ty.is_signed() && a == min && b == -1;
    let bad_count = dialect == Dialect::C && !(0..width).contains(&b);
    let count = b.rem_euclid(width) as usize;
    let truth = |truth: bool| Value(truth.into());
    let bitwise = |f: fn(bool, bool) -> bool| {
        let both = std::iter::zip(bits(ty, a), bits(ty, b));
        Value(from_bits(ty, &both.map(|(a, b)| f(a, b)).collect::<Vec<_>>()))
    };
    let rotated = |left: usize| {
        let mut bits = bits(ty, a);
        bits.rotate_left(left);
        Value(from_bits(ty, &bits))
    };
    match op {
        BinOp::Add => arithmetic(dialect, ty, a + b),
        BinOp::Sub => arithmetic(dialect, ty, a - b),
        // Two u64 can overflow 128 bits, but not in a way that the low 64 bits see.
        BinOp::Mul => arithmetic(dialect, ty, a.wrapping_mul(b)),
        BinOp::Div | BinOp::Rem if b == 0 => match dialect {
            Dialect::C => Undefined,
            Dialect::Wasm | Dialect::Jvm => Trap(TrapKind::DivisionByZero),
        },
        BinOp::Div if overflows => match dialect {
            Dialect::C => Undefined,
            Dialect::Wasm => Trap(TrapKind::DivisionOverflow),
            Dialect::Jvm => Value(min),
        },
        BinOp::Rem if overflows => match dialect {
            Dialect::C => Undefined,
            Dialect::Wasm | Dialect::Jvm => Value(0),
        },
        BinOp::Div => Value(a / b),
        BinOp::Rem => Value(a % b),
        BinOp::And => bitwise(|a, b| a & b),
        BinOp::Or => bitwise(|a, b| a | b),
        BinOp::Xor => bitwise(|a, b| a ^ b),
        BinOp::Shl | BinOp::Shr if bad_count => Undefined,
        BinOp::Shl if ty.is_signed() && dialect == Dialect::C && a < 0 => Undefined,
        BinOp::Shl => arithmetic(dialect, ty, a << count),
        // Rounds down, whatever the sign.
        BinOp::Shr => Value(a.div_euclid(1 << count)),
        BinOp::Rotl => rotated(count),
        BinOp::Rotr => rotated((width as usize - count) % width as usize),
        BinOp::Min => Value(a.min(b)),
        BinOp::Max => Value(a.max(b)),
        BinOp::Mulh => Value(upper_half(ty, a, b)),
        BinOp::Addsat => Value((a + b).max(min).min(max)),
        BinOp::Subsat => Value((a - b).max(min).min(max)),
        BinOp::Copysign => unreachable!("it takes other numbers"),
        BinOp::Cmp => Value(match a.cmp(&b) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }),
        BinOp::Eq => truth(a == b),
        BinOp::Ne => truth(a != b),
        BinOp::Lt => truth(a < b),
        BinOp::Le => truth(a <= b),
        BinOp::Gt => truth(a > b),
        BinOp::Ge => truth(a >= b),
    }
}

/// The number that a word of type `ty` stands for.
fn wide(ty: ValueTy, word: i64) -> i128 {
    IntTy::from(ty.as_int().expect("an integer type")).to_wide(word)
}

/// Runs one expression over `a` and `b` of type `ty` through the whole interpreter.
struct Calculator {
    code: Code,
    ret: ValueTy,
}

impl Calculator {
    fn new(expr: &str, ty: WordTy, ret: ValueTy) -> Self {
        let text = format!("fn f(a: {ty}, b: {ty}) -> {ret} {{ entry: return {expr}; }}");
        Self { code: Code::new(&parse("calculator", &text).expect("a valid program")), ret }
    }

    fn run(&self, dialect: Dialect, ty: WordTy, a: i128, b: i128) -> Expected {
        let mut machine = Machine::new(&self.code, dialect);
        let arg = |value| {
            let word = IntTy::from(ty).from_wide(value).expect("in range");
            Scalar::new(ty, word)
        };
        match machine.run(FuncId::new(0), &[arg(a), arg(b)], Limits::default()) {
            Outcome::Returned(value) => {
                assert_eq!(value.ty(), self.ret.stored_as());
                Value(wide(self.ret, value.word()))
            }
            Outcome::Undefined(_) => Undefined,
            Outcome::Trapped(kind, _) => Trap(kind),
            other => panic!("unexpected outcome {other:?}"),
        }
    }
}

fn unary_calculator(op: UnOp, ty: WordTy) -> Calculator {
    let expr = match op.notation() {
        Notation::Prefix(symbol) => format!("{symbol}a"),
        Notation::Named(name) => format!("{name}(a)"),
        Notation::Infix(..) => unreachable!(),
    };
    Calculator::new(&expr, ty, ty.into())
}

fn binary_calculator(op: BinOp, ty: WordTy) -> Calculator {
    let expr = match op.notation() {
        Notation::Infix(symbol, _) => format!("a {symbol} b"),
        Notation::Named(name) => format!("{name}(a, b)"),
        Notation::Prefix(_) => unreachable!(),
    };
    Calculator::new(&expr, ty, op.result_ty(ty.into()))
}

/// Values around every limit that an operator could care about.
fn boundaries(ty: WordTy) -> Vec<i128> {
    let (min, max) = wide_limits(ty);
    let mut centers = vec![0, min, max, min / 2, max / 2, i128::from(ty.bits()), 1000, -1000];
    centers.extend([7, 8, 15, 16, 31, 32, 46_340, 65_536, 3_037_000_499]);
    centers.extend((0..ty.bits()).step_by(5).flat_map(|i| [1 << i, -(1 << i)]));
    let mut values: Vec<i128> = centers
        .into_iter()
        .flat_map(|center: i128| (center - 2)..=(center + 2))
        .filter(|value| (min..=max).contains(value))
        .collect();
    values.sort_unstable();
    values.dedup();
    values
}

#[test]
fn unary_operators_at_boundaries() {
    for (op, ty, dialect) in all(&unary_ops()) {
        let calculator = unary_calculator(op, ty);
        for a in boundaries(ty) {
            let expected = expected_unary(dialect, op, ty, a);
            assert_eq!(calculator.run(dialect, ty, a, 0), expected, "{dialect}: {op:?} {a}{ty}");
        }
    }
}

#[test]
fn binary_operators_at_boundaries() {
    for (op, ty, dialect) in all(&binary_ops()) {
        let calculator = binary_calculator(op, ty);
        let values = boundaries(ty);
        for &a in &values {
            for &b in &values {
                let expected = expected_binary(dialect, op, ty, a, b);
                let actual = calculator.run(dialect, ty, a, b);
                assert_eq!(actual, expected, "{dialect}: {a}{ty} {op:?} {b}{ty}");
            }
        }
    }
}

/// The operators on integers that yield integers. They do so at all types.
fn unary_ops() -> Vec<UnOp> {
    let ty = ValueTy::Int(WordTy::I32);
    UnOp::ALL.into_iter().filter(|op| op.takes(ty) && op.result_ty(ty).is_int()).collect()
}

fn binary_ops() -> Vec<BinOp> {
    BinOp::ALL.into_iter().filter(|op| op.takes(ValueTy::Int(WordTy::I32))).collect()
}

fn all<Op: Copy>(ops: &[Op]) -> impl Iterator<Item = (Op, WordTy, Dialect)> {
    ops.iter().flat_map(|&op| {
        let pairs = WordTy::ALL.into_iter().flat_map(|ty| Dialect::ALL.map(|d| (ty, d)));
        pairs.map(move |(ty, dialect)| (op, ty, dialect))
    })
}

#[test]
fn casts_and_stores_are_exhaustively_modular() {
    for to in IntTy::ALL {
        let text = format!(
            "fn f(a: i32) -> i64 {{ var x: {to} = 0; entry: x = {}(a); return i64({to}(a)) + 0i64 * i64(x); }}",
            to.widened()
        );
        let program = parse("cast", &text).unwrap();
        let code = Code::new(&program);
        let mut machine = Machine::new(&code, Dialect::Wasm);
        let modulus = 1i128 << to.bits();
        for a in -70_000i64..70_000 {
            let arg = Scalar::new(IntTy::I32, a);
            let Outcome::Returned(cast) = machine.run(FuncId::new(0), &[arg], Limits::default())
            else {
                panic!("a cast is always defined");
            };
            let stored = machine.state()[1];
            // `i64(…)` keeps the bits, so a u64 of 2^63 or more comes out negative.
            assert_eq!(Scalar::new(IntTy::I64, stored), cast, "{to} of {a}");
            let value = to.to_wide(stored);
            assert_eq!((value - i128::from(a)).rem_euclid(modulus), 0, "{to} of {a}");
            assert!(to.from_wide(value).is_some());
        }
    }
}

#[test]
fn possible_hazards_are_those_that_occur() {
    for (op, ty, _) in all(&binary_ops()) {
        let values = boundaries(ty);
        let mut seen = pathsmith_symlang::dialect::HazardSet::NONE;
        for &a in &values {
            for &b in &values {
                seen = seen.or(table::binary(op, ty.into(), a as i64, b as i64).hazards);
            }
        }
        assert_eq!(seen, op.hazards(ty.into()), "{op:?} {ty}");
    }
    for (op, ty, _) in all(&unary_ops()) {
        let values = boundaries(ty).into_iter();
        let hazards = values.map(|a| table::unary(op, ty.into(), a as i64).hazards);
        let seen = hazards.fold(pathsmith_symlang::dialect::HazardSet::NONE, |a, b| a.or(b));
        assert_eq!(seen, op.hazards(ty.into()), "{op:?} {ty}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn operators_on_any_values(a: i64, b: i64, shift in 0u32..64) {
        // Shifting makes small values as likely as large ones.
        let b = b >> shift;
        for ty in WordTy::ALL {
            let (wide_a, wide_b) = (wrapped(ty, a.into()), wrapped(ty, b.into()));
            for dialect in Dialect::ALL {
                for op in binary_ops() {
                    let meaning = table::binary(op, ty.into(), ty.wrap(a), ty.wrap(b));
                    let actual = settled(dialect, meaning, op.result_ty(ty.into()));
                    prop_assert_eq!(actual, expected_binary(dialect, op, ty, wide_a, wide_b));
                }
                for op in unary_ops() {
                    let meaning = table::unary(op, ty.into(), ty.wrap(a));
                    let actual = settled(dialect, meaning, ty.into());
                    prop_assert_eq!(actual, expected_unary(dialect, op, ty, wide_a));
                }
            }
        }
    }
}

/// What a meaning comes to in a dialect.
fn settled(dialect: Dialect, meaning: table::Meaning, ty: ValueTy) -> Expected {
    use pathsmith_symlang::dialect::Definedness;
    let mut fates = meaning.hazards.iter().map(|hazard| dialect.definedness(hazard));
    match fates.find(|fate| *fate != Definedness::Defined) {
        None | Some(Definedness::Defined) => Value(wide(ty, meaning.word)),
        Some(Definedness::Trap(kind)) => Trap(kind),
        Some(Definedness::Undefined) => Undefined,
    }
}

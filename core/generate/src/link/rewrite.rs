//! Calls in the place of constants.

use rand::RngExt;

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::dialect::{Definedness, Dialect, Hazard};
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, Function, IntTy, Place, Scalar, ScalarTy, UnOp, ValueTy, VarRef, WordTy,
};
use pathsmith_symlang::semantics::table;
use pathsmith_symlang::{ExprId, FuncId, VarId};

/// A function that is called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Callee<'a> {
    pub(super) id: FuncId,
    /// The function, or the one behind the guard.
    pub(super) function: &'a Function,
}

impl Callee<'_> {
    fn params(&self) -> impl ExactSizeIterator<Item = ScalarTy> {
        self.function.params().iter().map(|param| param.ty.cell_ty())
    }
}

/// The type that `f(i) + (c - o)` is computed in, so that it is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SumType {
    /// In the constant's own type.
    Own,
    /// In the unsigned type of the same width, where sums wrap.
    Wrapping,
    /// In 64 bits.
    Wide,
}

/// Puts a call in the place of the constant `at`: `f(i) + (c - o)`, with the same value and type.
/// Gives the constants that came with it.
pub(super) fn put_known_call(
    caller: &mut Function,
    at: ExprId,
    constant: Const,
    callee: Callee<'_>,
    (args, output): (&[Scalar], Scalar),
    dialect: Dialect,
    rng: &mut Rng,
) -> Vec<ExprId> {
    let own = match constant.ty() {
        ValueTy::Int(own) => own,
        ValueTy::Float(_) => {
            // Its bits are an integer, and any sum with a floating-point number may round.
            let bits = UnOp::Bits.result_ty(constant.ty());
            let bits = Const::new(bits, constant.word());
            let inner = caller.add_expr(Expr::Const(bits));
            *caller.expr_mut(at) = Expr::Unary(UnOp::FromBits, inner);
            return put_known_call(caller, inner, bits, callee, (args, output), dialect, rng);
        }
    };
    let mut fresh: Vec<ExprId> = Vec::with_capacity(args.len() + 1);
    for (param, arg) in callee.params().zip(args) {
        fresh.push(caller.add_expr(Expr::Const(Const::new(param.widened(), arg.word()))));
    }
    let call = caller.add_expr(Expr::Call(callee.id, fresh.clone().into()));
    // Outputs and constants are put together as integers.
    let (call, ret, output) = match callee.function.ret {
        ValueTy::Int(ret) => (call, ret, output),
        ValueTy::Float(ret) => {
            const TO_INT: [UnOp; 4] = [UnOp::SatI32, UnOp::SatU32, UnOp::SatI64, UnOp::SatU64];
            let at = choose_below(TO_INT.len(), rng);
            let (op, ty) = (TO_INT[at], WordTy::ALL[at]);
            let whole = table::unary(op, ret.into(), output.word()).word;
            (caller.add_expr(Expr::Unary(op, call)), ty, Scalar::new(ty, whole))
        }
    };
    let sum_type = choose_sum_type(constant.word(), own, ret, output.word(), dialect, rng);
    let ty = summed_in(own, sum_type);
    let call = converted(caller, call, ret.into(), ty.into());
    let rest = ty.wrap(constant.word().wrapping_sub(ty.wrap(output.word())));
    let rest = caller.add_expr(Expr::Const(Const::new(ty, rest)));
    fresh.push(rest);
    let (lhs, rhs) = if choose_bool(0.7, rng) { (call, rest) } else { (rest, call) };
    let sum = Expr::Binary(BinOp::Add, lhs, rhs);
    *caller.expr_mut(at) = if ty == own {
        sum
    } else {
        let sum = caller.add_expr(sum);
        Expr::Cast(own.into(), sum)
    };
    fresh
}

/// Puts a call in the place of the constant `at` whose value does not matter, because nothing comes
/// by: with whatever the caller has at hand for arguments.
pub(super) fn put_free_call(
    caller: &mut Function,
    at: ExprId,
    constant: Const,
    callee: Callee<'_>,
    scalars: &[VarId],
    rng: &mut Rng,
) {
    let args: Box<[ExprId]> = callee
        .params()
        .map(|param| {
            let ty = param.widened();
            if scalars.is_empty() || choose_bool(0.3, rng) {
                let value = rng.random::<i64>() >> rng.random_range(0..64);
                return caller.add_expr(Expr::Const(Const::new(ty, value)));
            }
            let var = scalars[choose_below(scalars.len(), rng)];
            let from = caller.var(var).ty.cell_ty().widened();
            let read = caller.add_expr(Expr::Read(Place::scalar(VarRef::Var(var))));
            converted(caller, read, from, ty)
        })
        .collect();
    let call = Expr::Call(callee.id, args);
    if callee.function.ret == constant.ty() {
        *caller.expr_mut(at) = call;
        return;
    }
    let call = caller.add_expr(call);
    *caller.expr_mut(at) = Expr::Cast(constant.ty().into(), call);
}

fn summed_in(own: WordTy, sum_type: SumType) -> WordTy {
    match (sum_type, own) {
        (SumType::Own, own) => own,
        (SumType::Wrapping, WordTy::I32 | WordTy::U32) => WordTy::U32,
        (SumType::Wrapping, WordTy::I64 | WordTy::U64) => WordTy::U64,
        (SumType::Wide, _) => WordTy::I64,
    }
}

fn choose_sum_type(
    constant: i64,
    own: WordTy,
    ret: WordTy,
    output: i64,
    dialect: Dialect,
    rng: &mut Rng,
) -> SumType {
    let sum_type = match rng.random_range(0..10) {
        0..6 => SumType::Own,
        6..8 => SumType::Wrapping,
        _ => SumType::Wide,
    };
    let ty = summed_in(own, sum_type);
    if is_defined(constant, ty, output, dialect) {
        return sum_type;
    }
    // What does not fit may fit in 64 bits; sums without a sign always wrap.
    let is_narrow = own.bits() < 64 && ret.bits() < 64;
    let prefers_wide = is_narrow && choose_bool(0.5, rng);
    if prefers_wide { SumType::Wide } else { SumType::Wrapping }
}

/// Whether `ty(output) + (constant - output)` is defined in `ty`.
fn is_defined(constant: i64, ty: WordTy, output: i64, dialect: Dialect) -> bool {
    if !ty.is_signed() || dialect.definedness(Hazard::SignedOverflow) == Definedness::Defined {
        return true;
    }
    let wide = |value: i64| IntTy::from(ty).to_wide(ty.wrap(value));
    let (c, o) = (wide(constant), wide(output));
    IntTy::from(ty).from_wide(c - o).is_some()
}

fn converted(function: &mut Function, expr: ExprId, from: ValueTy, to: ValueTy) -> ExprId {
    match from == to {
        true => expr,
        false => function.add_expr(Expr::Cast(to.into(), expr)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::lang::text::parse;
    use pathsmith_symlang::lang::{Block, Program, Return, Term, validate};
    use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};

    /// Every type of constant against every type of callee, at the edges of both.
    #[test]
    fn calls_have_the_constants_value_and_type_and_are_defined() {
        let edges = |ty: ValueTy| match ty {
            ValueTy::Int(ty) => {
                [0, 1, -1, ty.min(), ty.max(), ty.min() + 1, 12345].map(|v| ty.wrap(v))
            }
            ValueTy::Float(ty) => [0.0, -0.0, 1.5, -1e30, f64::INFINITY, f64::NAN, 12345.0]
                .map(|value| ty.word(value)),
        };
        let mut rng = Seed::new(1).rng();
        for dialect in Dialect::ALL {
            for (own, ret) in ValueTy::ALL.into_iter().flat_map(|a| ValueTy::ALL.map(|b| (a, b))) {
                for (c, o) in edges(own).into_iter().flat_map(|c| edges(ret).map(|o| (c, o))) {
                    for _ in 0..8 {
                        check(Const::new(own, c), Const::new(ret, o), dialect, &mut rng);
                    }
                }
            }
        }
    }

    fn check(constant: Const, output: Const, dialect: Dialect, rng: &mut Rng) {
        let text = format!("fn f() -> {} {{ e: return {output}; }}", output.ty());
        let mut program: Program = parse("test", &text).unwrap();
        let mut caller = Function::new("g", constant.ty());
        let at = caller.add_expr(Expr::Const(constant));
        let term = Term::Return(Return::Value(at));
        caller.blocks = vec![Block { name: "e".to_owned(), stmts: Vec::new(), term }];
        let callee = Callee { id: FuncId::FIRST, function: &program.functions[0] };
        let known = (&[][..], output.scalar());
        put_known_call(&mut caller, at, constant, callee, known, dialect, rng);
        program.functions.push(caller);
        assert_eq!(validate(&program), [], "{program}");
        let code = Code::new(&program);
        let outcome = Machine::new(&code, dialect).run(FuncId::new(1), &[], Limits::default());
        assert_eq!(outcome, Outcome::Returned(constant.scalar()), "{dialect}\n{program}");
    }
}

//! The table of identities: what may replace an expression.

use std::sync::LazyLock;

use pathsmith_symlang::ExprId;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{
    BinOp, Expr, ExprTypes, Function, Program, Return, UnOp, ValueTy, VarRef, WordTy,
};

const TABLE: &str = include_str!("../identities.txt");

/// Two expressions over variables `a`, `b` and `c` that are equal where both are defined.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The line of the table.
    #[cfg(test)]
    text: &'static str,
    /// The type of the variables.
    pub(crate) ty: ValueTy,
    /// What is replaced.
    pub(crate) left: Side,
    /// What replaces it.
    pub(crate) right: Side,
}

/// One side of an identity.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// A function that returns the expression. Its parameters are the variables.
    pub(crate) function: Function,
    /// The expression.
    pub(crate) root: ExprId,
    /// The types of its parts.
    pub(crate) types: ExprTypes,
    /// How often each variable stands in it.
    uses: [usize; 3],
}

/// All identities, at all types that they hold for. Lines that cannot be read are missing, which a
/// test would notice.
pub(crate) static IDENTITIES: LazyLock<Vec<Identity>> =
    LazyLock::new(|| lines().flat_map(|line| read(line).unwrap_or_default()).collect());

/// The positions of the identities by the node that their left sides begin with; those whose left
/// sides are a variable are in each list. First those of integers, then those of floating-point
/// numbers.
static BY_ROOT: LazyLock<[Vec<Vec<usize>>; 2]> =
    LazyLock::new(|| [true, false].map(|of_ints| by_root(|ty| ty.is_int() == of_ints)));

fn by_root(is_wanted: impl Fn(ValueTy) -> bool) -> Vec<Vec<usize>> {
    let mut by_root = vec![Vec::new(); N_ROOTS];
    for (at, identity) in IDENTITIES.iter().enumerate().filter(|(_, it)| is_wanted(it.ty)) {
        let left = &identity.left;
        match left.variable(left.root) {
            Some(_) => by_root.iter_mut().for_each(|list| list.push(at)),
            None => by_root[number_of(left.function.expr(left.root))].push(at),
        }
    }
    by_root
}

const FIRST_UNARY: usize = 6;
const FIRST_BINARY: usize = FIRST_UNARY + UnOp::ALL.len();
const N_ROOTS: usize = FIRST_BINARY + BinOp::ALL.len();

/// The number of the kind of a node.
fn number_of(expr: &Expr) -> usize {
    match expr {
        Expr::Const(_) => 0,
        Expr::Hole(..) => 1,
        Expr::Read(_) => 2,
        Expr::Select(..) => 3,
        Expr::Cast(..) => 4,
        Expr::Call(..) => 5,
        Expr::Unary(op, _) => FIRST_UNARY + *op as usize,
        Expr::Binary(op, ..) => FIRST_BINARY + *op as usize,
    }
}

/// The positions of the identities that may fit an expression: those of floating-point numbers if
/// it is one or is computed from some.
pub(crate) fn that_may_fit(program: &Program, function: &Function, id: ExprId) -> &'static [usize] {
    let expr = function.expr(id);
    let is_float = |id: ExprId| !program.expr_ty(function, id).is_int();
    let [of_ints, of_floats] = &*BY_ROOT;
    let has_floats = is_float(id) || expr.operands().any(is_float);
    &(if has_floats { of_floats } else { of_ints })[number_of(expr)]
}

fn lines() -> impl Iterator<Item = &'static str> {
    TABLE.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The identities of a line, one for each type.
fn read(line: &'static str) -> Result<Vec<Identity>, String> {
    let expected = || format!("expected CLASS: LEFT => RIGHT in {line:?}");
    let (class, rest) = line.split_once(": ").ok_or_else(expected)?;
    let (sides, width) = match rest.split_once(" where ") {
        Some((sides, width)) => (sides, Some(width.parse::<u32>().map_err(|_| expected())?)),
        None => (rest, None),
    };
    let (left, right) = sides.split_once(" => ").ok_or_else(expected)?;
    let is_int = |ty: &ValueTy, fits: fn(WordTy) -> bool| ty.as_int().is_some_and(fits);
    let is_of_class = |ty: &ValueTy| match class {
        "any" => Ok(ty.is_int()),
        "signed" => Ok(is_int(ty, WordTy::is_signed)),
        "unsigned" => Ok(is_int(ty, |ty| !ty.is_signed())),
        "float" => Ok(!ty.is_int()),
        _ => Err(expected()),
    };
    let mut identities = Vec::new();
    for ty in ValueTy::ALL {
        if is_of_class(&ty)? && width.is_none_or(|width| width == ty.bits()) {
            let (left, right) = (side(left, ty)?, side(right, ty)?);
            identities.push(Identity {
                #[cfg(test)]
                text: line,
                ty,
                left,
                right,
            });
        }
    }
    Ok(identities)
}

/// Reads one side, in which `T` is the suffix of constants of type `ty`.
fn side(text: &str, ty: ValueTy) -> Result<Side, String> {
    let expr = text.replace('T', &ty.to_string());
    let mut why = String::new();
    // Comparisons and orders are `i32` whatever they compare.
    for ret in [ty, ValueTy::CONDITION] {
        let source =
            format!("fn f(a: {ty}, b: {ty}, c: {ty}) -> {ret} {{ entry: return {expr}; }}");
        match parse("identities", &source) {
            Ok(mut program) => {
                let function = program.functions.remove(0);
                if let Some(Return::Value(root)) = function.returned() {
                    let root = *root;
                    let types = ExprTypes::new(&Program::default(), &function);
                    let mut side = Side { function, root, types, uses: [0; 3] };
                    side.uses = side.count_uses();
                    return Ok(side);
                }
            }
            Err(error) => why = format!("{text}: {error}"),
        }
    }
    Err(why)
}

impl Side {
    /// The variable that an expression of this side is, if it is one.
    pub(crate) fn variable(&self, id: ExprId) -> Option<usize> {
        match self.function.expr(id) {
            Expr::Read(place) => match place.as_scalar() {
                Some(VarRef::Var(var)) => Some(var.index()),
                Some(VarRef::Global(_)) | None => None,
            },
            Expr::Const(_)
            | Expr::Hole(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..)
            | Expr::Cast(..)
            | Expr::Call(..) => None,
        }
    }

    /// How often each variable stands in it.
    pub(crate) const fn uses(&self) -> [usize; 3] {
        self.uses
    }

    fn count_uses(&self) -> [usize; 3] {
        let mut uses = [0; 3];
        self.function.for_each_expr(|id, _| {
            if let Some(var) = self.variable(id) {
                uses[var] += 1;
            }
        });
        uses
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::dialect::Dialect;
    use pathsmith_symlang::lang::{IntTy, Scalar, ScalarTy};
    use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
    use pathsmith_symlang::{FuncId, Seed};
    use rand::RngExt;

    use super::*;

    #[test]
    fn every_line_is_read() {
        for line in lines() {
            read(line).unwrap();
        }
        assert!(lines().count() >= 300, "{}", lines().count());
        assert!(read("any: a + b").is_err() && read("some: a => a").is_err());
        assert!(read("any: a => a +").is_err());
    }

    /// An edit that drops an expression, or needs one that it does not have, would not be one.
    #[test]
    fn variables_stand_on_both_sides() {
        for identity in &*IDENTITIES {
            let (left, right) = (identity.left.uses(), identity.right.uses());
            for (left, right) in std::iter::zip(left, right) {
                let fits = if left == 0 { right == 0 } else { left == 1 && right >= 1 };
                assert!(fits, "{}", identity.text);
            }
        }
    }

    fn edges(ty: ScalarTy) -> Vec<i64> {
        match ty {
            ScalarTy::Int(ty) => int_edges(ty).to_vec(),
            ScalarTy::Float(ty) => {
                let sign = 1 << (ty.bits() - 1);
                let first_normal = 1 << (ty.precision() - 1);
                let some = [0, 1, 3, first_normal, first_normal - 1, ty.infinity() - 1];
                let all = some.into_iter().chain([ty.infinity(), ty.word(0.3), ty.word(2.5)]);
                all.flat_map(|word| [word, word | sign]).chain([ty.nan()]).collect()
            }
        }
    }

    const fn int_edges(ty: IntTy) -> [i64; 10] {
        [0, 1, 2, -1, -2, ty.min(), ty.max(), ty.min() + 1, ty.max() - 1, 1 << 31]
    }

    /// All pairs of values of eight bits, those around the limits of types, and random ones.
    #[test]
    fn both_sides_are_equal() {
        let mut rng = Seed::new(3).rng();
        for identity in &*IDENTITIES {
            let sides = [&identity.left, &identity.right];
            let functions = sides.map(|side| side.function.clone()).into();
            let program = Program { functions, ..Program::default() };
            let code = Code::new(&program);
            let ty = identity.ty.stored_as();
            let mut machine = Machine::new(&code, Dialect::C);
            let mut n_defined = 0;
            let mut check = |values: [i64; 3]| {
                let args = values.map(|value| Scalar::new(ty, value));
                let mut run = |id| machine.run(FuncId::new(id), &args, Limits::default());
                if let (Outcome::Returned(left), Outcome::Returned(right)) = (run(0), run(1)) {
                    n_defined += 1;
                    assert_eq!(left, right, "{} at {} of {args:?}", identity.text, ty);
                }
            };
            for a in -128..128 {
                for b in -128..128 {
                    match ty {
                        ScalarTy::Int(_) => check([a, b, a ^ (b >> 1)]),
                        ScalarTy::Float(ty) => {
                            let quarters = |n: i64| ty.word(n as f64 / 4.0);
                            check([quarters(a), quarters(b), quarters(a ^ (b >> 1))]);
                        }
                    }
                }
            }
            let edges = edges(ty);
            for a in &edges {
                for b in &edges {
                    edges.iter().for_each(|c| check([*a, *b, *c]));
                }
            }
            // Two that are about as large.
            for _ in 0..1000 {
                let (a, b): (i64, u64) = (rng.random(), rng.random());
                check([a, a ^ (b >> rng.random_range(0..64_u32)) as i64, b as i64]);
            }
            for _ in 0..1000 {
                check([rng.random(), rng.random(), rng.random()]);
            }
            assert!(n_defined > 300, "{}: {n_defined}", identity.text);
        }
    }
}

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
    pub(crate) ty: WordTy,
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
/// sides are a variable are in each list.
static BY_ROOT: LazyLock<Vec<Vec<usize>>> = LazyLock::new(|| {
    let mut by_root = vec![Vec::new(); N_ROOTS];
    for (at, identity) in IDENTITIES.iter().enumerate() {
        let left = &identity.left;
        match left.variable(left.root) {
            Some(_) => by_root.iter_mut().for_each(|list| list.push(at)),
            None => by_root[number_of(left.function.expr(left.root))].push(at),
        }
    }
    by_root
});

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

/// The positions of the identities that may fit an expression.
pub(crate) fn with_root(expr: &Expr) -> &'static [usize] {
    &BY_ROOT[number_of(expr)]
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
    let is_of_class = |ty: &WordTy| match class {
        "any" => Ok(true),
        "signed" => Ok(ty.is_signed()),
        "unsigned" => Ok(!ty.is_signed()),
        _ => Err(expected()),
    };
    let mut identities = Vec::new();
    for ty in WordTy::ALL {
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
fn side(text: &str, ty: WordTy) -> Result<Side, String> {
    let expr = text.replace('T', &ty.to_string());
    let mut why = String::new();
    // Comparisons and orders are `i32` whatever they compare.
    for ret in [ValueTy::from(ty), ValueTy::CONDITION] {
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
    use pathsmith_symlang::lang::{IntTy, Scalar};
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

    /// All pairs of values of eight bits, those around the limits of types, and random ones.
    #[test]
    fn both_sides_are_equal() {
        let mut rng = Seed::new(3).rng();
        for identity in &*IDENTITIES {
            let sides = [&identity.left, &identity.right];
            let functions = sides.map(|side| side.function.clone()).into();
            let program = Program { functions, ..Program::default() };
            let code = Code::new(&program);
            let ty = IntTy::from(identity.ty);
            let mut machine = Machine::new(&code, Dialect::C);
            let mut n_defined = 0;
            let mut check = |values: [i64; 3]| {
                let args = values.map(|value| Scalar::new(ty, ty.wrap(value)));
                let mut run = |id| machine.run(FuncId::new(id), &args, Limits::default());
                if let (Outcome::Returned(left), Outcome::Returned(right)) = (run(0), run(1)) {
                    n_defined += 1;
                    assert_eq!(left, right, "{} at {} of {args:?}", identity.text, ty);
                }
            };
            for a in -128..128 {
                for b in -128..128 {
                    check([a, b, a ^ (b >> 1)]);
                }
            }
            let edges = [0, 1, 2, -1, -2, ty.min(), ty.max(), ty.min() + 1, ty.max() - 1, 1 << 31];
            for a in edges {
                for b in edges {
                    edges.into_iter().for_each(|c| check([a, b, c]));
                }
            }
            for _ in 0..1000 {
                check([rng.random(), rng.random(), rng.random()]);
            }
            assert!(n_defined > 300, "{}: {n_defined}", identity.text);
        }
    }
}

//! Equality of functions: that of their text, wherever their expressions are kept.

use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{
    Base, BinOp, Const, Expr, Function, Place, Program, Projection, Return, Stmt, Term, VarRef,
    WordTy,
};
use pathsmith_symlang::{ExprId, GlobalId, VarId};

/// A function with these statements.
fn with_statement(stmt: &str) -> Program {
    let source = format!(
        "global g: [i32; 3] = [1, 2, 3]; global h: i32 = 0;
        fn f(x: i32, y: i32) -> i32 {{ var a: [i32; 2] = [0, 0]; var b: [i32; 2] = [0, 0];
        entry: {stmt} return x; }}"
    );
    parse("equality.sym", &source).unwrap_or_else(|errors| panic!("{:?}", errors.problems()))
}

#[test]
fn statements_are_equal_if_they_are_written_alike() {
    let all = [
        "a[x] = y;",
        "a[y] = y;",
        "a[0] = y;",
        "a[x] = x;",
        "a[x + 0] = y;",
        "a[x] = a[y];",
        "a[x] = a[x];",
        "a[x] = b[x];",
        "a[x] = g[x];",
        "b[x] = y;",
        "g[x] = y;",
        "h = y;",
        "x = y;",
        "y = y;",
        "x = y; x = y;",
        "",
    ];
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            let equal = with_statement(a) == with_statement(b);
            assert_eq!(equal, i == j, "{a} and {b}");
        }
    }
}

/// Moves every expression of a function to another place.
fn rearranged(function: &Function) -> Function {
    let mut moved = function.clone();
    // One expression in front that is not in use, and all others in reverse order.
    let n = function.n_exprs();
    let new = |id: ExprId| ExprId::new(n - id.index());
    let unused = Expr::Const(Const::new(WordTy::I32, 77));
    moved.add_expr(unused.clone());
    *moved.expr_mut(ExprId::new(0)) = unused;
    for (at, expr) in function.exprs().iter().enumerate() {
        let mut expr = expr.clone();
        expr.for_each_operand_mut(|operand| *operand = new(*operand));
        *moved.expr_mut(new(ExprId::new(at))) = expr;
    }
    for block in &mut moved.blocks {
        for stmt in &mut block.stmts {
            stmt.for_each_root_mut(|root| *root = new(*root));
        }
        match &mut block.term {
            Term::If { cond: root, .. }
            | Term::Switch { on: root, .. }
            | Term::Return(Return::Value(root)) => *root = new(*root),
            Term::Goto(_) | Term::Return(Return::Checksum | Return::ChecksumOf(_)) => {}
        }
    }
    moved
}

#[test]
fn it_does_not_matter_where_expressions_are_kept() {
    let program = with_statement("a[x & 1] = select(x < y, b[y % 2], -x); b[h] = i8(f(y, g[x]));");
    let mut other = program.clone();
    other.functions[0] = rearranged(&program.functions[0]);
    assert_ne!(other.functions[0].blocks, program.functions[0].blocks, "the ids differ");
    assert_eq!(other.to_string(), program.to_string());
    assert_eq!(other, program);
}

/// Places with several projections are not valid yet, but they are told apart.
#[test]
fn places_are_equal_if_all_projections_are() {
    let a = VarRef::Var(VarId::new(2));
    let with_indices = |values: &[i64]| {
        let mut program = with_statement("a[x] = y;");
        let function = &mut program.functions[0];
        let constants = values.iter().map(|value| Expr::Const(Const::new(WordTy::I32, *value)));
        let indices = constants.map(|index| Projection::Index(function.add_expr(index)));
        let place = Place::new(Base::Var(a), indices.collect());
        *function.blocks[0].stmts[0].assigned_mut() = place;
        program
    };
    let all: [&[i64]; 6] = [&[], &[0], &[1], &[0, 0], &[0, 1], &[0, 0, 0]];
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            assert_eq!(with_indices(a) == with_indices(b), i == j, "{a:?} and {b:?}");
        }
    }
}

/// Equality of places and statements themselves goes by ids, within one function.
#[test]
fn places_and_statements_are_equal_if_their_ids_are() {
    let [i, j] = [3, 4].map(ExprId::new);
    let vars = [VarRef::Var(VarId::new(0)), VarRef::Var(VarId::new(1))];
    let global = VarRef::Global(GlobalId::new(0));
    let mut places = vec![Place::scalar(global), Place::element(global, i)];
    for var in vars {
        places.push(Place::scalar(var));
        places.extend([i, j].map(|index| Place::element(var, index)));
        let two = [i, j].map(Projection::Index).to_vec();
        places.push(Place::new(Base::Var(var), two));
    }
    let stmts = places
        .iter()
        .flat_map(|place| [i, j].map(|value| Stmt::Assign { place: place.clone(), value }));
    let stmts: Vec<Stmt> = stmts.collect();
    for (at, a) in stmts.iter().enumerate() {
        for (other, b) in stmts.iter().enumerate() {
            assert_eq!(a == b, at == other, "{a:?} and {b:?}");
        }
    }
}

#[test]
fn operators_are_told_apart() {
    let program = with_statement("x = x + y;");
    for op in BinOp::ALL {
        let mut other = program.clone();
        for expr in other.functions[0].exprs_mut() {
            if let Expr::Binary(known, ..) = expr {
                *known = op;
            }
        }
        assert_eq!(other == program, op == BinOp::Add, "{op:?}");
    }
}

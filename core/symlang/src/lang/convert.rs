//! Implicit conversions, for programs whose operands need not agree in type.
//!
//! Templates of programs draw the types of their variables, so they cannot say which operands have
//! to be cast. Here conversions are put where C puts them: operands are converted to the wider of
//! their types, to the unsigned one where both are as wide, to the floating-point one where one is;
//! a shift keeps the type of what is
//! shifted; an assignment converts to the type of its target. A constant takes the type of what it
//! meets, unless it is wider.

use super::expr::Expr;
use super::function::{Function, Return, Stmt, Term};
use super::ops::{BinOp, ResultTy};
use super::place::{Place, Projection};
use super::program::Program;
use super::types::{Const, ValueTy};
use crate::ids::ExprId;

/// Inserts the conversions that make operands of all functions agree. With each function's
/// expressions comes where each of them was before: a conversion has the place of its operand.
pub(super) fn insert_conversions(program: &mut Program) -> Vec<Vec<ExprId>> {
    let functions: Vec<(Function, Vec<ExprId>)> =
        program.functions.iter().map(|function| converted(program, function)).collect();
    let (functions, origins) = functions.into_iter().unzip();
    program.functions = functions;
    origins
}

/// What an expression is before it is converted.
#[derive(Clone, Copy)]
struct Natural {
    ty: ValueTy,
    /// Whether it is made of constants only, which take any type.
    is_bare: bool,
}

impl Natural {
    /// The type that two operands are converted to.
    fn common(self, other: Self) -> Self {
        let is_bare = self.is_bare && other.is_bare;
        let (a, b) = match (self.ty, other.ty) {
            (ValueTy::Int(a), ValueTy::Int(b)) => (a, b),
            (ValueTy::Int(_), ValueTy::Float(_)) => return Self { ty: other.ty, is_bare },
            (ValueTy::Float(_), ValueTy::Int(_)) => return Self { ty: self.ty, is_bare },
            (ValueTy::Float(a), ValueTy::Float(b)) => {
                let ty = match (self.is_bare, other.is_bare) {
                    (true, false) => b,
                    (false, true) => a,
                    (true, true) | (false, false) => a.max(b),
                };
                return Self { ty: ty.into(), is_bare };
            }
        };
        let ty = match (self.is_bare, other.is_bare) {
            (true, false) if a.bits() <= b.bits() => other.ty,
            (false, true) if b.bits() <= a.bits() => self.ty,
            _ if a.bits() != b.bits() => {
                if a.bits() > b.bits() {
                    self.ty
                } else {
                    other.ty
                }
            }
            _ => {
                if a.is_signed() {
                    other.ty
                } else {
                    self.ty
                }
            }
        };
        Self { ty, is_bare }
    }
}

/// Whether the right operand only counts, so that the left one decides the type.
const fn is_counted(op: BinOp) -> bool {
    matches!(op, BinOp::Shl | BinOp::Shr | BinOp::Rotl | BinOp::Rotr)
}

/// Whether the type of the result is that of the operands, so that what is wanted of the result is
/// wanted of them.
const fn has_type_of_operands(result: ResultTy) -> bool {
    matches!(result, ResultTy::Same)
}

fn converted(program: &Program, function: &Function) -> (Function, Vec<ExprId>) {
    let mut naturals: Vec<Natural> = Vec::with_capacity(function.n_exprs());
    // The parser keeps operands before what they belong to.
    for expr in function.exprs() {
        naturals.push(natural(program, function, expr, &naturals));
    }
    let mut new = Function::new(function.name.clone(), function.ret);
    new.docs.clone_from(&function.docs);
    new.vars.clone_from(&function.vars);
    new.n_params = function.n_params;
    new.realizations.clone_from(&function.realizations);
    let mut converter = Converter { program, old: function, naturals, new, origins: Vec::new() };
    for block in &function.blocks {
        let mut block = block.clone();
        for stmt in &mut block.stmts {
            converter.convert_stmt(stmt);
        }
        converter.convert_term(&mut block.term);
        converter.new.blocks.push(block);
    }
    (converter.new, converter.origins)
}

fn natural(program: &Program, function: &Function, expr: &Expr, known: &[Natural]) -> Natural {
    let of = |id: ExprId| known[id.index()];
    let typed = |ty: ValueTy| Natural { ty, is_bare: false };
    match expr {
        Expr::Const(constant) => Natural { ty: constant.ty(), is_bare: true },
        Expr::Hole(_, ty) => Natural { ty: *ty, is_bare: true },
        Expr::Read(place) => typed(program.var(function, place.var()).ty.cell_ty().widened()),
        Expr::Unary(op, operand) if has_type_of_operands(op.result()) => of(*operand),
        Expr::Unary(op, operand) => typed(op.result_ty(of(*operand).ty)),
        Expr::Binary(op, lhs, _) if is_counted(*op) => of(*lhs),
        Expr::Binary(op, lhs, rhs) => {
            let common = of(*lhs).common(of(*rhs));
            if has_type_of_operands(op.result()) { common } else { typed(op.result_ty(common.ty)) }
        }
        Expr::Select(_, then, otherwise) => of(*then).common(of(*otherwise)),
        Expr::Cast(to, _) => typed(to.widened()),
        Expr::Call(callee, _) => typed(program.function(*callee).ret),
    }
}

/// A constant in another type.
fn constant_as(ty: ValueTy, constant: Const) -> Const {
    let word = constant.word();
    let converted = match (constant.ty(), ty) {
        (ValueTy::Int(_), ValueTy::Int(_)) => word,
        (ValueTy::Int(from), ValueTy::Float(to)) => to.from_int(from, word),
        (ValueTy::Float(from), ValueTy::Int(to)) => from.to_int(to, word),
        (ValueTy::Float(from), ValueTy::Float(to)) => to.word(from.value(word)),
    };
    Const::new(ty, converted)
}

struct Converter<'a> {
    program: &'a Program,
    old: &'a Function,
    naturals: Vec<Natural>,
    new: Function,
    origins: Vec<ExprId>,
}

impl Converter<'_> {
    fn convert_stmt(&mut self, stmt: &mut Stmt) {
        let Stmt::Assign { place, value } = stmt;
        let ty = self.program.var(self.old, place.var()).ty.cell_ty().widened();
        *place = self.convert_place(place);
        *value = self.convert(*value, ty);
    }

    fn convert_term(&mut self, term: &mut Term) {
        match term {
            Term::Goto(_) | Term::Return(Return::Checksum | Return::ChecksumOf(_)) => {}
            Term::If { cond, .. } => *cond = self.convert_condition(*cond),
            Term::Switch { on, .. } => *on = self.convert_as_is(*on),
            Term::Return(Return::Value(value)) => *value = self.convert(*value, self.old.ret),
        }
    }

    fn keep(&mut self, expr: Expr, origin: ExprId) -> ExprId {
        self.origins.push(origin);
        self.new.add_expr(expr)
    }

    fn convert_place(&mut self, place: &Place) -> Place {
        let steps = place.projections().to_vec();
        let steps = steps.into_iter().map(|Projection::Index(index)| {
            // An index may have any type.
            Projection::Index(self.convert_as_is(index))
        });
        Place::new(place.base(), steps.collect())
    }

    fn convert_as_is(&mut self, id: ExprId) -> ExprId {
        self.convert(id, self.naturals[id.index()].ty)
    }

    /// A condition: what is none is compared with 0.
    fn convert_condition(&mut self, id: ExprId) -> ExprId {
        let ty = self.naturals[id.index()].ty;
        let value = self.convert(id, ty);
        if ty == ValueTy::CONDITION {
            return value;
        }
        let zero = self.keep(Expr::Const(Const::new(ty, 0)), id);
        self.keep(Expr::Binary(BinOp::Ne, value, zero), id)
    }

    /// The expression, converted to `ty`. Expressions nest no deeper than the parser allows, so
    /// this may recurse.
    fn convert(&mut self, id: ExprId, ty: ValueTy) -> ExprId {
        let natural = self.naturals[id.index()];
        // Constants have whatever type is wanted, and so have operators on them, as long as these
        // take it; everything else is cast to it.
        let is_constant = matches!(self.old.expr(id), Expr::Const(_) | Expr::Hole(..));
        let is_free = natural.is_bare && (is_constant || natural.ty.is_int() == ty.is_int());
        let own = if is_free { ty } else { natural.ty };
        let expr = match self.old.expr(id) {
            Expr::Const(constant) => Expr::Const(constant_as(own, *constant)),
            Expr::Hole(hole, _) => Expr::Hole(*hole, own),
            Expr::Read(place) => Expr::Read(self.convert_place(place)),
            Expr::Unary(op, operand) => {
                let operands = match has_type_of_operands(op.result()) {
                    true => own,
                    false => self.naturals[operand.index()].ty,
                };
                Expr::Unary(*op, self.convert(*operand, operands))
            }
            Expr::Binary(op, lhs, rhs) => {
                let operands = match has_type_of_operands(op.result()) {
                    true => own,
                    false => self.naturals[lhs.index()].common(self.naturals[rhs.index()]).ty,
                };
                Expr::Binary(*op, self.convert(*lhs, operands), self.convert(*rhs, operands))
            }
            Expr::Select(cond, then, otherwise) => Expr::Select(
                self.convert_condition(*cond),
                self.convert(*then, own),
                self.convert(*otherwise, own),
            ),
            Expr::Cast(to, operand) => Expr::Cast(*to, self.convert_as_is(*operand)),
            Expr::Call(callee, args) => {
                let params = self.program.function(*callee).params().iter();
                let types = params.map(|param| param.ty.cell_ty().widened());
                let args: Vec<_> = std::iter::zip(args, types).collect();
                Expr::Call(
                    *callee,
                    args.into_iter().map(|(arg, ty)| self.convert(*arg, ty)).collect(),
                )
            }
        };
        let kept = self.keep(expr, id);
        match own == ty {
            true => kept,
            false => self.keep(Expr::Cast(ty.stored_as(), kept), id),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lang::text::parse_converting;

    fn converted(stmt: &str) -> String {
        let text = format!(
            "fn f(a: u8, b: i64, c: i32, d: u32, x: f32, y: f64) -> u32 {{\nvar t: [i16; 4] = [0; 4];\n\
             entry: {stmt} goto exit; exit: return checksum; }}"
        );
        let program = parse_converting("test", &text).unwrap();
        let printed = program.to_string();
        let from = printed.find("entry:").unwrap() + "entry:".len();
        printed[from..printed.find("goto exit").unwrap()].trim().to_owned()
    }

    #[test]
    fn operands_are_converted_as_in_c() {
        assert_eq!(converted("b = a + c;"), "b = i64(a + u32(c));");
        assert_eq!(converted("b = b + c;"), "b = b + i64(c);");
        assert_eq!(converted("c = a;"), "c = i32(a);");
        assert_eq!(converted("a = c < d;"), "a = u32(u32(c) < d);");
        assert_eq!(converted("b = select(a, c, b);"), "b = select(a != 0u32, i64(c), b);");
    }

    #[test]
    fn constants_take_the_type_of_what_they_meet() {
        assert_eq!(converted("b = 1 + b;"), "b = 1i64 + b;");
        assert_eq!(converted("d = d & -1;"), "d = d & 4294967295u32;");
        assert_eq!(converted("c = c + 5000000000i64;"), "c = i32(i64(c) + 5000000000i64);");
        assert_eq!(converted("b = ?s0 * 3;"), "b = ?s0:i64 * 3i64;");
    }

    #[test]
    fn floating_point_numbers_win() {
        assert_eq!(converted("x = x + c;"), "x = x + f32(c);");
        assert_eq!(converted("x = x * 1.5 + 2;"), "x = x * 1.5f32 + 2.0f32;");
        assert_eq!(converted("y = x + y;"), "y = f64(x) + y;");
        assert_eq!(converted("c = x < 1;"), "c = x < 1.0f32;");
        assert_eq!(converted("c = y;"), "c = i32(y);");
        assert_eq!(converted("c = sqrt(2.0);"), "c = i32(sqrt(2.0));");
        assert_eq!(converted("y = 3 & 1;"), "y = f64(3 & 1);");
    }

    #[test]
    fn counts_and_indices_do_not_decide() {
        assert_eq!(converted("c = c << b;"), "c = c << i32(b);");
        assert_eq!(converted("t[b] = t[a] + 1;"), "t[b] = t[a] + 1;");
    }
}

//! Expressions.
//!
//! The C type of what is written here is always that of the SYMLANG expression, or one that C
//! promotes to it: `int` and `unsigned` for 32 bits, `long` and `unsigned long` for 64, and `float`
//! and `double`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pathsmith_symlang::lang::{
    BinOp, Expr, ExprTypes, FloatTy, Function, Place, PlaceForm, Program, Scalar, ScalarTy, UnOp,
    ValueTy, VarRef, WordTy,
};
use pathsmith_symlang::{ExprId, FuncId};

use crate::checked::{Wrapped, Wrappers};
use crate::floats::{Callee, FloatOp};
use crate::helpers::{BitOp, Choice, Helper, Rotation};
use crate::idioms::{Idiom, Idioms};
use crate::names::Names;
use crate::options::Intrinsics;
use crate::types::{is_promoted_to_int, is_wide, literal, narrows, type_name, unsigned};

/// How tight an expression holds together. C has more levels; what is looser than a sum goes into
/// parentheses, because compilers warn of it and readers stumble over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Whole,
    Sum,
    Product,
    Prefix,
}

/// Writes the expressions of one function.
pub(crate) struct ExprWriter<'a> {
    pub(crate) program: &'a Program,
    pub(crate) names: &'a Names,
    pub(crate) id: FuncId,
    /// The types of the function's expressions.
    pub(crate) types: ExprTypes,
    pub(crate) intrinsics: Intrinsics,
    pub(crate) wrappers: Wrappers,
    pub(crate) helpers: BTreeSet<Helper>,
    pub(crate) idioms: Idioms,
    /// The functions that idioms became, by name.
    pub(crate) idiom_texts: BTreeMap<String, String>,
}

impl ExprWriter<'_> {
    fn function(&self) -> &Function {
        self.program.function(self.id)
    }

    /// What a variable is called.
    pub(crate) fn var_name(&self, var: VarRef) -> &str {
        match var {
            VarRef::Var(var) => self.names.var(self.id, var),
            VarRef::Global(global) => self.names.global(global),
        }
    }

    /// An expression as a string of its own.
    pub(crate) fn text(&mut self, expr: ExprId) -> String {
        let mut out = String::new();
        self.expr(&mut out, expr, Level::Whole);
        out
    }

    /// What a `switch` with these labels looks at. Compilers warn of labels that a narrow type does
    /// not have, although the value is promoted before it is compared.
    pub(crate) fn switch_text<'l>(
        &mut self,
        expr: ExprId,
        mut labels: impl Iterator<Item = &'l Scalar>,
    ) -> String {
        let kept_in = match self.function().expr(expr) {
            Expr::Read(place) => self.program.var(self.function(), place.var()).ty.cell_ty(),
            Expr::Cast(to, _) => *to,
            Expr::Const(_)
            | Expr::Hole(..)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..)
            | Expr::Call(..) => return self.text(expr),
        };
        if labels.all(|label| kept_in.stored(label.word()) == label.word()) {
            return self.text(expr);
        }
        let mut out = format!("({})", type_name(kept_in.widened().stored_as()));
        self.expr(&mut out, expr, Level::Prefix);
        out
    }

    /// A condition that compilers take for one: they warn of products and shifts as truth values.
    pub(crate) fn condition(&mut self, expr: ExprId) -> String {
        let mut out = String::new();
        self.write_condition(&mut out, expr);
        out
    }

    fn write_condition(&mut self, out: &mut String, expr: ExprId) {
        if self.is_comparison(expr) {
            self.expr(out, expr, Level::Whole);
        } else {
            self.expr(out, expr, Level::Sum);
            out.push_str(" != 0");
        }
    }

    fn is_comparison(&self, expr: ExprId) -> bool {
        matches!(self.function().expr(expr), Expr::Binary(op, ..) if op.is_comparison())
    }

    /// The value of `expr`, as a value of type `to`, which a store or a call narrows it to.
    pub(crate) fn narrowed(&mut self, expr: ExprId, to: ScalarTy) -> String {
        if !narrows(to) {
            return self.text(expr);
        }
        let mut out = format!("({})", type_name(to));
        self.expr(&mut out, expr, Level::Prefix);
        out
    }

    /// What is read or assigned.
    pub(crate) fn place(&mut self, place: &Place) -> String {
        match place.form() {
            PlaceForm::Scalar(var) => self.var_name(var).to_owned(),
            PlaceForm::Element(var, index) => {
                let mut out = format!("{}[", self.var_name(var));
                self.expr(&mut out, index, Level::Whole);
                out.push(']');
                out
            }
        }
    }

    fn expr(&mut self, out: &mut String, id: ExprId, needed: Level) {
        let program = self.program;
        let function = program.function(self.id);
        match function.expr(id) {
            Expr::Const(constant) => out.push_str(&literal(*constant)),
            Expr::Hole(hole, _) => {
                // Programs with holes are not lowered.
                let _ = write!(out, "/* ?s{} */ 0", hole.index());
            }
            Expr::Read(place) => {
                if is_promoted_to_int(program.var(function, place.var()).ty.cell_ty()) {
                    out.push_str("(uint32_t)");
                }
                let place = self.place(place);
                out.push_str(&place);
            }
            Expr::Unary(op, operand) => self.unary(out, id, *op, *operand),
            Expr::Binary(op, lhs, rhs) => {
                let ty = self.types.of(*lhs);
                match self.wrappers.wrapper(function, id, Wrapped::binary(*op), ty) {
                    Some(name) => self.call(out, &name, [*lhs, *rhs]),
                    None => self.binary(out, *op, *lhs, *rhs, needed),
                }
            }
            Expr::Select(cond, then, otherwise) => {
                out.push('(');
                if self.is_comparison(*cond) {
                    out.push('(');
                    self.write_condition(out, *cond);
                    out.push(')');
                } else {
                    self.write_condition(out, *cond);
                }
                out.push_str(" ? ");
                self.expr(out, *then, Level::Sum);
                out.push_str(" : ");
                self.expr(out, *otherwise, Level::Sum);
                out.push(')');
            }
            Expr::Cast(to, operand) => {
                if is_promoted_to_int(*to) {
                    out.push_str("(uint32_t)");
                }
                let _ = write!(out, "({})", type_name(*to));
                if !self.types.of(*operand).is_int() && narrows(*to) {
                    // Converted to the type that a load yields, and then narrowed.
                    let _ = write!(out, "({})", type_name(to.widened().stored_as()));
                }
                // All other casts of C are those of SYMLANG, as far as they are defined.
                self.expr(out, *operand, Level::Prefix);
            }
            Expr::Call(callee, args) => {
                out.push_str(self.names.callee(*callee));
                out.push('(');
                let params = program.function(*callee).params();
                for (i, (arg, param)) in std::iter::zip(args, params).enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    let arg = self.narrowed(*arg, param.ty.cell_ty());
                    out.push_str(&arg);
                }
                out.push(')');
            }
        }
    }

    /// A call of something of ours that takes operands as they are.
    fn call<const N: usize>(&mut self, out: &mut String, name: &str, operands: [ExprId; N]) {
        out.push_str(name);
        out.push('(');
        for (i, operand) in operands.into_iter().enumerate() {
            out.push_str(if i == 0 { "" } else { ", " });
            self.expr(out, operand, Level::Whole);
        }
        out.push(')');
    }

    fn unary(&mut self, out: &mut String, id: ExprId, op: UnOp, operand: ExprId) {
        let function = self.program.function(self.id);
        let ty = self.types.of(operand);
        if let ValueTy::Float(float) = ty
            && let Some(op) = FloatOp::unary(op)
        {
            return self.float_op(out, op, float, [operand]);
        }
        let wrapper = self.wrappers.wrapper(function, id, Wrapped::unary(op), ty);
        // C's operators are those of SYMLANG where they are defined. Parentheses, because `--` and
        // `~-` are other things to C or to readers.
        let symbol = match op {
            UnOp::Neg if let Some(name) = &wrapper => return self.call(out, name, [operand]),
            UnOp::Neg => "-",
            UnOp::Not => "~",
            UnOp::Abs if let Some(name) = &wrapper => return self.call(out, name, [operand]),
            UnOp::Abs => return self.idiom(out, Idiom::Abs, [operand]),
            UnOp::Bitrev => {
                let int = self.int_ty(operand);
                let name = self.idiom_name(Idiom::Bitrev, int);
                let _ = write!(out, "({}){name}(", type_name(int.into()));
                self.bits(out, operand, int);
                return out.push(')');
            }
            UnOp::FromBits => {
                let int = self.int_ty(operand);
                let float = if is_wide(int) { FloatTy::F64 } else { FloatTy::F32 };
                let name = self.float_callee(FloatOp::FromBits, float);
                let _ = write!(out, "{name}(");
                self.bits(out, operand, int);
                return out.push(')');
            }
            UnOp::Clz => return self.bit_op(out, BitOp::Clz, operand, wrapper),
            UnOp::Ctz => return self.bit_op(out, BitOp::Ctz, operand, wrapper),
            UnOp::Popcnt => return self.bit_op(out, BitOp::Popcnt, operand, wrapper),
            UnOp::Bswap => return self.bit_op(out, BitOp::Bswap, operand, wrapper),
            // These take floating-point numbers only.
            UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Nearest => return,
            UnOp::Bits | UnOp::SatI32 | UnOp::SatU32 | UnOp::SatI64 | UnOp::SatU64 => return,
        };
        let _ = write!(out, "{symbol}(");
        self.expr(out, operand, Level::Whole);
        out.push(')');
    }

    fn bit_op(&mut self, out: &mut String, op: BitOp, operand: ExprId, wrapper: Option<String>) {
        let ty = self.int_ty(operand);
        let name = match (&wrapper, self.intrinsics) {
            (Some(name), _) => name,
            (None, Intrinsics::Builtins) => op.builtin(is_wide(ty)),
            (None, Intrinsics::OpenCode) => self.helper(Helper::open_code(op, is_wide(ty))),
        };
        let _ = write!(out, "({}){name}(", type_name(ty.into()));
        self.bits(out, operand, ty);
        out.push(')');
    }

    fn binary(&mut self, out: &mut String, op: BinOp, lhs: ExprId, rhs: ExprId, needed: Level) {
        if let ValueTy::Float(float) = self.types.of(lhs)
            && let Some(op) = FloatOp::binary(op)
        {
            return self.float_op(out, op, float, [lhs, rhs]);
        }
        // C's operators are those of SYMLANG as far as they are defined.
        let (level, symbol, left, right) = match op {
            BinOp::Add => (Level::Sum, "+", Level::Sum, Level::Product),
            BinOp::Sub => (Level::Sum, "-", Level::Sum, Level::Product),
            BinOp::Mul => (Level::Product, "*", Level::Product, Level::Prefix),
            BinOp::Div => (Level::Product, "/", Level::Product, Level::Prefix),
            BinOp::Rem => (Level::Product, "%", Level::Product, Level::Prefix),
            BinOp::And => (Level::Whole, "&", Level::Prefix, Level::Prefix),
            BinOp::Or => (Level::Whole, "|", Level::Prefix, Level::Prefix),
            BinOp::Xor => (Level::Whole, "^", Level::Prefix, Level::Prefix),
            BinOp::Shl => (Level::Whole, "<<", Level::Prefix, Level::Prefix),
            BinOp::Shr => (Level::Whole, ">>", Level::Prefix, Level::Prefix),
            BinOp::Eq => (Level::Whole, "==", Level::Sum, Level::Sum),
            BinOp::Ne => (Level::Whole, "!=", Level::Sum, Level::Sum),
            BinOp::Lt => (Level::Whole, "<", Level::Sum, Level::Sum),
            BinOp::Le => (Level::Whole, "<=", Level::Sum, Level::Sum),
            BinOp::Gt => (Level::Whole, ">", Level::Sum, Level::Sum),
            BinOp::Ge => (Level::Whole, ">=", Level::Sum, Level::Sum),
            BinOp::Rotl => return self.rotation(out, Rotation::Left, lhs, rhs),
            BinOp::Rotr => return self.rotation(out, Rotation::Right, lhs, rhs),
            BinOp::Min => return self.choice(out, Choice::Min, lhs, rhs),
            BinOp::Max => return self.choice(out, Choice::Max, lhs, rhs),
            BinOp::Cmp => return self.idiom(out, Idiom::Cmp, [lhs, rhs]),
            BinOp::Mulh => return self.idiom(out, Idiom::Mulh, [lhs, rhs]),
            BinOp::Addsat => return self.idiom(out, Idiom::Addsat, [lhs, rhs]),
            BinOp::Subsat => return self.idiom(out, Idiom::Subsat, [lhs, rhs]),
            // It takes floating-point numbers only.
            BinOp::Copysign => return,
        };
        let parenthesized = level < needed;
        if parenthesized {
            out.push('(');
        }
        self.expr(out, lhs, left);
        let _ = write!(out, " {symbol} ");
        self.expr(out, rhs, right);
        if parenthesized {
            out.push(')');
        }
    }

    /// The type of an operand of an operator that takes integers only.
    fn int_ty(&self, operand: ExprId) -> WordTy {
        match self.types.of(operand) {
            ValueTy::Int(ty) => ty,
            // The rules of the language exclude it.
            ValueTy::Float(FloatTy::F32) => WordTy::U32,
            ValueTy::Float(FloatTy::F64) => WordTy::U64,
        }
    }

    fn float_op<const N: usize>(
        &mut self,
        out: &mut String,
        op: FloatOp,
        ty: FloatTy,
        operands: [ExprId; N],
    ) {
        let name = self.float_callee(op, ty);
        self.call(out, &name, operands);
    }

    /// The name of what an operator becomes a call of, which the file has from now on.
    pub(crate) fn float_callee(&mut self, op: FloatOp, ty: FloatTy) -> String {
        let Callee { name, text } = self.idioms.floats.callee(op, ty);
        if let Some(text) = text {
            self.idiom_texts.insert(name.clone(), text);
        }
        name
    }

    fn idiom<const N: usize>(&mut self, out: &mut String, idiom: Idiom, operands: [ExprId; N]) {
        let ty = self.int_ty(operands[0]);
        let name = self.idiom_name(idiom, ty);
        self.call(out, &name, operands);
    }

    /// The name of the function that an operator becomes, which the file has from now on.
    fn idiom_name(&mut self, idiom: Idiom, ty: WordTy) -> String {
        let (name, text) = self.idioms.definition(idiom, ty);
        self.idiom_texts.insert(name.clone(), text);
        name
    }

    fn rotation(&mut self, out: &mut String, rotation: Rotation, lhs: ExprId, rhs: ExprId) {
        let ty = self.int_ty(lhs);
        let is_builtin = self.intrinsics == Intrinsics::Builtins;
        let name = self.helper(Helper::rotation(rotation, is_wide(ty), is_builtin));
        let _ = write!(out, "({}){name}(", type_name(ty.into()));
        self.bits(out, lhs, ty);
        out.push_str(", ");
        self.bits(out, rhs, ty);
        out.push(')');
    }

    fn choice(&mut self, out: &mut String, choice: Choice, lhs: ExprId, rhs: ExprId) {
        let ty = self.int_ty(lhs);
        let name = self.helper(Helper::choice(choice, ty));
        self.call(out, name, [lhs, rhs]);
    }

    /// An operand's bits.
    fn bits(&mut self, out: &mut String, operand: ExprId, ty: WordTy) {
        if ty.is_signed() {
            let _ = write!(out, "({})", type_name(unsigned(ty).into()));
            self.expr(out, operand, Level::Prefix);
        } else {
            self.expr(out, operand, Level::Whole);
        }
    }

    fn helper(&mut self, helper: Helper) -> &'static str {
        self.helpers.insert(helper);
        helper.name()
    }
}

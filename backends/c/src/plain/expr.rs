//! Expressions in plain C.
//!
//! The value of what is written here is always that of the SYMLANG expression, as a number. Its C
//! type is that of the expression, or `int` if the value is known to fit: then the other operand, or
//! what the value is stored to, converts it. A cast or a suffix is written only where nothing does.

use std::collections::BTreeMap;

use pathsmith_symlang::ExprId;
use pathsmith_symlang::lang::{
    BinOp, Const, Expr, ExprTypes, FloatTy, Function, IntTy, Notation, Place, PlaceForm, Scalar,
    ScalarTy, UnOp, ValueTy, VarRef, WordTy,
};

use super::PlainFile;
use super::words::{literal, plain_words, type_name, typed_literal, wide};
use crate::checked::{Wrapped, Wrappers};
use crate::expr::Level;
use crate::floats::{Callee, FloatOp};
use crate::helpers::{BitOp, Choice, Helper, Rotation};
use crate::idioms::{AbsForm, CmpForm, Idiom};
use crate::options::{FunctionOptions, Intrinsics};
use crate::types::{decimal, is_promoted_to_int, is_wide};
use pathsmith_symlang::FuncId;

/// An expression in C.
#[derive(Clone, Debug)]
pub(super) struct Text {
    text: String,
    level: Level,
    /// Whether its C type is `int`.
    is_int: bool,
}

impl Text {
    fn new(text: impl Into<String>, level: Level, is_int: bool) -> Self {
        Self { text: text.into(), level, is_int }
    }

    /// The text as an operand.
    fn within(&self, needed: Level) -> String {
        match self.level < needed {
            true => format!("({})", self.text),
            false => self.text.clone(),
        }
    }
}

/// Writes the expressions of one function.
pub(super) struct PlainExprs<'a> {
    pub(super) file: &'a PlainFile<'a>,
    pub(super) id: FuncId,
    pub(super) function: &'a Function,
    pub(super) options: &'a FunctionOptions,
    pub(super) types: ExprTypes,
    pub(super) wrappers: Wrappers,
    /// The functions that operators became, by name, in the words of the emitter of tests.
    pub(super) helpers: BTreeMap<String, String>,
}

impl PlainExprs<'_> {
    /// The type of an operand of an operator that takes integers only, and of such an operator.
    fn int_ty(&self, id: ExprId) -> WordTy {
        match self.types.of(id) {
            ValueTy::Int(ty) => ty,
            // The rules of the language exclude it.
            ValueTy::Float(FloatTy::F32) => WordTy::U32,
            ValueTy::Float(FloatTy::F64) => WordTy::U64,
        }
    }

    fn cell_ty(&self, var: VarRef) -> ScalarTy {
        self.file.program.var(self.function, var).ty.cell_ty()
    }

    pub(super) fn var_name(&self, var: VarRef) -> String {
        self.file.names.var(self.id, var).to_owned()
    }

    /// A value that is converted to whatever it is for.
    pub(super) fn value(&mut self, id: ExprId) -> String {
        self.expr(id).text
    }

    /// A value that is stored to a cell of type `to`, or passed for a parameter of that type.
    /// Casts that the conversion makes anyway are left out.
    pub(super) fn stored(&mut self, id: ExprId, to: ScalarTy) -> String {
        let to = match to {
            ScalarTy::Int(to) => to,
            ScalarTy::Float(_) => return self.value(id),
        };
        let mut id = id;
        while let Expr::Cast(ScalarTy::Int(cast), operand) = self.function.expr(id)
            && cast.bits() >= to.bits()
            && self.types.of(*operand).is_int()
        {
            id = *operand;
        }
        self.value(id)
    }

    /// What a block assigns.
    pub(super) fn assignment(&mut self, place: &Place, value: ExprId) -> String {
        let to = self.cell_ty(place.var());
        let target = self.place(place);
        if let Some(text) = self.compound(&target, to, value) {
            return text;
        }
        let value = self.stored(value, to);
        format!("{target} = {value};")
    }

    /// `x += 1;`, if the value is an operator whose first operand is what is assigned. An unsigned
    /// type that is promoted to `int` could overflow, which SYMLANG's operator does not.
    fn compound(&mut self, target: &str, to: ScalarTy, value: ExprId) -> Option<String> {
        if is_promoted_to_int(to) {
            return None;
        }
        let Expr::Binary(op, lhs, rhs) = *self.function.expr(value) else { return None };
        let Expr::Read(place) = self.function.expr(lhs).clone() else { return None };
        if self.place(&place) != target || self.is_checked(value, op) {
            return None;
        }
        let symbol = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => symbol(op),
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => symbol(op),
            BinOp::Rotl | BinOp::Rotr | BinOp::Min | BinOp::Max => return None,
            BinOp::Mulh | BinOp::Addsat | BinOp::Subsat | BinOp::Cmp => return None,
            BinOp::Copysign => return None,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => return None,
        };
        let (symbol, value) = match (op, self.opposite(rhs)) {
            (BinOp::Add, Some(opposite)) => ("-", opposite),
            (BinOp::Sub, Some(opposite)) => ("+", opposite),
            _ => (symbol, self.value(rhs)),
        };
        Some(match (symbol, &value[..]) {
            ("+" | "-", "1") => format!("{target}{symbol}{symbol};"),
            _ => format!("{target} {symbol}= {value};"),
        })
    }

    /// The literal of `-c`, if an expression is a constant `c` that looks simpler that way.
    fn opposite(&self, id: ExprId) -> Option<String> {
        let Expr::Const(constant) = self.function.expr(id) else { return None };
        let ty = constant.ty().as_int()?;
        let (word, negated) = (constant.word(), ty.wrap(constant.word().wrapping_neg()));
        let is_simpler = match ty.is_signed() {
            true => word < 0 && word != ty.min(),
            false => wide(ty, negated) < wide(ty, word).min(1 << 30),
        };
        is_simpler.then(|| literal(ty, negated).0)
    }

    fn is_checked(&mut self, id: ExprId, op: BinOp) -> bool {
        let (Expr::Binary(_, lhs, _), wrapped) = (self.function.expr(id), Wrapped::binary(op))
        else {
            return false;
        };
        let ty = self.types.of(*lhs);
        self.wrappers.wrapper(self.function, id, wrapped, ty).is_some()
    }

    /// A condition, or its opposite.
    pub(super) fn condition(&mut self, id: ExprId, negated: bool) -> String {
        if let Expr::Binary(op, lhs, rhs) = *self.function.expr(id)
            && op.is_comparison()
        {
            return match negated {
                true => self.opposite_comparison(op, lhs, rhs),
                false => self.comparison(op, lhs, rhs).text,
            };
        }
        let is_product = match self.function.expr(id) {
            Expr::Binary(op, ..) => matches!(op, BinOp::Mul | BinOp::Shl),
            Expr::Select(..) => true,
            Expr::Const(_) | Expr::Hole(..) | Expr::Read(_) | Expr::Unary(..) => false,
            Expr::Cast(..) | Expr::Call(..) => false,
        };
        let value = self.expr(id);
        match (negated, value.level) {
            (true, Level::Prefix) => format!("!{}", value.text),
            (true, _) => format!("{} == 0", value.within(Level::Sum)),
            // Compilers warn of products and shifts as truth values.
            (false, _) if is_product => format!("{} != 0", value.within(Level::Sum)),
            (false, _) => value.text,
        }
    }

    /// The condition that a comparison does not hold. NaN is neither less than a number nor not.
    fn opposite_comparison(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> String {
        let has_opposite = self.types.of(lhs).is_int() || matches!(op, BinOp::Eq | BinOp::Ne);
        match has_opposite {
            true => self.comparison(opposite_comparison(op), lhs, rhs).text,
            false => format!("!({})", self.comparison(op, lhs, rhs).text),
        }
    }

    /// What a `switch` with these labels looks at: compilers warn of labels that a narrow type does
    /// not have.
    pub(super) fn switched<'l>(
        &mut self,
        id: ExprId,
        mut labels: impl Iterator<Item = &'l Scalar>,
    ) -> String {
        let kept_in = match self.function.expr(id) {
            Expr::Read(place) => self.cell_ty(place.var()),
            Expr::Cast(to, _) => *to,
            Expr::Const(_) | Expr::Hole(..) | Expr::Unary(..) | Expr::Binary(..) => {
                return self.typed(id).text;
            }
            Expr::Select(..) | Expr::Call(..) => return self.typed(id).text,
        };
        let text = self.typed(id);
        match labels.all(|label| kept_in.stored(label.word()) == label.word()) {
            true => text.text,
            false => cast_text(kept_in.widened().stored_as(), &text, false).text,
        }
    }

    /// What is read or assigned.
    pub(super) fn place(&mut self, place: &Place) -> String {
        match place.form() {
            PlaceForm::Scalar(var) => self.var_name(var),
            PlaceForm::Element(var, index) => {
                let index = self.value(index);
                format!("{}[{index}]", self.var_name(var))
            }
        }
    }

    fn expr(&mut self, id: ExprId) -> Text {
        match self.function.expr(id) {
            Expr::Const(constant) => constant_text(*constant),
            // Programs with holes are not lowered.
            Expr::Hole(..) => Text::new("0", Level::Prefix, true),
            Expr::Read(place) => {
                let kept_in = self.cell_ty(place.var());
                let place = place.clone();
                Text::new(self.place(&place), Level::Prefix, is_int_in_c(kept_in))
            }
            Expr::Unary(op, operand) => self.unary(id, *op, *operand),
            Expr::Binary(op, lhs, rhs) => self.binary(id, *op, *lhs, *rhs),
            Expr::Select(cond, then, otherwise) => {
                let (cond, then, otherwise) = (*cond, *then, *otherwise);
                self.select(cond, then, otherwise)
            }
            Expr::Cast(to, operand) => match (*to, self.types.of(*operand)) {
                (ScalarTy::Int(to), ValueTy::Int(_)) => self.cast(to, *operand),
                (to, from) => self.conversion(from, to, *operand),
            },
            Expr::Call(callee, args) => {
                let (callee, args) = (*callee, args.clone());
                let params = self.file.program.function(callee).params();
                let args: Vec<String> = std::iter::zip(args, params)
                    .map(|(arg, param)| self.stored(arg, param.ty.cell_ty()))
                    .collect();
                let text = format!("{}({})", self.file.names.callee(callee), args.join(", "));
                Text::new(text, Level::Prefix, self.is_i32(id))
            }
        }
    }

    fn is_i32(&self, id: ExprId) -> bool {
        self.types.of(id) == ValueTy::Int(WordTy::I32)
    }

    /// A cast to a floating-point type or from one.
    fn conversion(&mut self, from: ValueTy, to: ScalarTy, operand: ExprId) -> Text {
        if from == to.widened() {
            return self.expr(operand);
        }
        let mut text = self.expr(operand);
        if to.as_value().is_none() {
            // Converted to the type that a load yields, and then narrowed.
            text = cast_text(to.widened().stored_as(), &text, false);
        }
        cast_text(to, &text, is_int_in_c(to))
    }

    /// An expression whose C type is that of the expression.
    fn typed(&mut self, id: ExprId) -> Text {
        let (ty, text) = (self.int_ty(id), self.expr(id));
        match self.function.expr(id) {
            _ if !text.is_int || ty == WordTy::I32 => text,
            Expr::Const(constant) => {
                Text::new(typed_literal(ty, constant.word()), Level::Prefix, false)
            }
            _ => cast_text(ty.into(), &text, false),
        }
    }

    /// The two operands of an operator that computes in their type.
    fn operands(&mut self, lhs: ExprId, rhs: ExprId) -> (Text, Text) {
        let (left, right) = (self.expr(lhs), self.expr(rhs));
        if self.is_i32(lhs) || !(left.is_int && right.is_int) {
            return (left, right);
        }
        match self.function.expr(rhs) {
            Expr::Const(_) => (left, self.typed(rhs)),
            _ => (self.typed(lhs), right),
        }
    }

    fn comparison(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Text {
        // People write the constant behind what it is compared with.
        if let (Expr::Const(_), false) = (self.function.expr(lhs), self.is_constant(rhs)) {
            return self.comparison(mirrored_comparison(op), rhs, lhs);
        }
        // If both are `int`, they compare as the numbers that they are.
        let (left, right) = (self.expr(lhs), self.expr(rhs));
        let (left, right) = (left.within(Level::Sum), right.within(Level::Sum));
        Text::new(format!("{left} {} {right}", symbol(op)), Level::Whole, true)
    }

    fn binary(&mut self, id: ExprId, op: BinOp, lhs: ExprId, rhs: ExprId) -> Text {
        let value_ty = self.types.of(lhs);
        if let (ValueTy::Float(float), Some(op)) = (value_ty, FloatOp::binary(op)) {
            return self.float_op(op, float, &[lhs, rhs], false);
        }
        let ty = self.int_ty(lhs);
        let wrapper = self.wrappers.wrapper(self.function, id, Wrapped::binary(op), value_ty);
        let is_i32 = value_ty == ValueTy::Int(WordTy::I32);
        if let Some(name) = wrapper {
            return self.call(&name, &[lhs, rhs], is_i32);
        }
        match op {
            BinOp::Add | BinOp::Sub => {
                if let Some(opposite) = self.opposite(rhs) {
                    let symbol = if op == BinOp::Add { "-" } else { "+" };
                    // The constant no longer says what type the operator has.
                    let left = self.typed(lhs).within(Level::Sum);
                    return Text::new(format!("{left} {symbol} {opposite}"), Level::Sum, is_i32);
                }
                self.infix(op, lhs, rhs, (Level::Sum, Level::Sum, Level::Product))
            }
            BinOp::Mul | BinOp::Div | BinOp::Rem => {
                self.infix(op, lhs, rhs, (Level::Product, Level::Product, Level::Prefix))
            }
            BinOp::And | BinOp::Or | BinOp::Xor => {
                // If both are `int`, so is the result, and it is the same number.
                let (left, right) = (self.expr(lhs), self.expr(rhs));
                let is_int = left.is_int && right.is_int;
                let (left, right) = (left.within(Level::Prefix), right.within(Level::Prefix));
                Text::new(format!("{left} {} {right}", symbol(op)), Level::Whole, is_int)
            }
            BinOp::Shl | BinOp::Shr => {
                let (left, right) = (self.typed(lhs), self.expr(rhs));
                let (left, right) = (left.within(Level::Prefix), right.within(Level::Prefix));
                Text::new(format!("{left} {} {right}", symbol(op)), Level::Whole, is_i32)
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                self.comparison(op, lhs, rhs)
            }
            BinOp::Rotl => self.rotation(Rotation::Left, ty, lhs, rhs),
            BinOp::Rotr => self.rotation(Rotation::Right, ty, lhs, rhs),
            BinOp::Min | BinOp::Max if self.is_leaf(lhs) && self.is_leaf(rhs) => {
                let (then, otherwise) = if op == BinOp::Min { (lhs, rhs) } else { (rhs, lhs) };
                let condition = self.comparison(BinOp::Lt, lhs, rhs).text;
                self.choice(&condition, then, otherwise)
            }
            BinOp::Min => self.min_or_max(Choice::Min, ty, lhs, rhs),
            BinOp::Max => self.min_or_max(Choice::Max, ty, lhs, rhs),
            BinOp::Cmp
                if self.options.idioms.cmp == CmpForm::Difference
                    && self.is_leaf(lhs)
                    && self.is_leaf(rhs) =>
            {
                let greater = self.comparison(BinOp::Gt, lhs, rhs).text;
                let less = self.comparison(BinOp::Lt, lhs, rhs).text;
                Text::new(format!("({greater}) - ({less})"), Level::Sum, true)
            }
            BinOp::Cmp => self.idiom(Idiom::Cmp, ty, &[lhs, rhs], true),
            BinOp::Mulh => self.idiom(Idiom::Mulh, ty, &[lhs, rhs], is_i32),
            BinOp::Addsat => self.idiom(Idiom::Addsat, ty, &[lhs, rhs], is_i32),
            BinOp::Subsat => self.idiom(Idiom::Subsat, ty, &[lhs, rhs], is_i32),
            // It takes floating-point numbers only.
            BinOp::Copysign => Text::new("0", Level::Prefix, true),
        }
    }

    fn infix(
        &mut self,
        op: BinOp,
        lhs: ExprId,
        rhs: ExprId,
        (level, left_level, right_level): (Level, Level, Level),
    ) -> Text {
        let is_int = self.is_i32(lhs);
        let (left, right) = self.operands(lhs, rhs);
        let (left, right) = (left.within(left_level), right.within(right_level));
        Text::new(format!("{left} {} {right}", symbol(op)), level, is_int)
    }

    fn unary(&mut self, id: ExprId, op: UnOp, operand: ExprId) -> Text {
        let value_ty = self.types.of(operand);
        if let (ValueTy::Float(float), Some(float_op)) = (value_ty, FloatOp::unary(op)) {
            return self.float_op(float_op, float, &[operand], op == UnOp::SatI32);
        }
        let ty = self.int_ty(operand);
        let is_i32 = value_ty == ValueTy::Int(WordTy::I32);
        let wrapper = self.wrappers.wrapper(self.function, id, Wrapped::unary(op), value_ty);
        let symbol = match op {
            UnOp::Neg | UnOp::Abs if let Some(name) = &wrapper => {
                return self.call(name, &[operand], is_i32);
            }
            UnOp::Neg => "-",
            UnOp::Not => "~",
            UnOp::Abs if !ty.is_signed() => return self.expr(operand),
            UnOp::Abs if self.options.idioms.abs == AbsForm::Select && self.is_leaf(operand) => {
                let text = self.typed(operand);
                let operand = text.within(Level::Prefix);
                let text = format!("{operand} < 0 ? {} : {operand}", negative(&operand));
                return Text::new(text, Level::Whole, is_i32);
            }
            UnOp::Abs => return self.idiom(Idiom::Abs, ty, &[operand], is_i32),
            UnOp::Bitrev => {
                let text = self.idiom(Idiom::Bitrev, ty, &[operand], false);
                return if ty.is_signed() { cast_text(ty.into(), &text, is_i32) } else { text };
            }
            UnOp::Clz => return self.bit_op(BitOp::Clz, ty, operand, wrapper),
            UnOp::Ctz => return self.bit_op(BitOp::Ctz, ty, operand, wrapper),
            UnOp::Popcnt => return self.bit_op(BitOp::Popcnt, ty, operand, wrapper),
            UnOp::Bswap => return self.bit_op(BitOp::Bswap, ty, operand, wrapper),
            UnOp::FromBits => {
                let float = if is_wide(ty) { FloatTy::F64 } else { FloatTy::F32 };
                return self.float_op(FloatOp::FromBits, float, &[operand], false);
            }
            // These take floating-point numbers only.
            UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Nearest => "",
            UnOp::Bits | UnOp::SatI32 | UnOp::SatU32 | UnOp::SatI64 | UnOp::SatU64 => "",
        };
        let operand = self.typed(operand).within(Level::Prefix);
        match symbol {
            "-" => Text::new(negative(&operand), Level::Prefix, is_i32),
            _ => Text::new(format!("{symbol}{operand}"), Level::Prefix, is_i32),
        }
    }

    fn bit_op(&mut self, op: BitOp, ty: WordTy, operand: ExprId, wrapper: Option<String>) -> Text {
        // What counts bits returns an `int`, what swaps bytes or is a wrapper something unsigned.
        let is_int = op != BitOp::Bswap && wrapper.is_none();
        let name = match (wrapper, self.options.intrinsics) {
            (Some(name), _) => name,
            (None, Intrinsics::Builtins) => op.builtin(is_wide(ty)).to_owned(),
            (None, Intrinsics::OpenCode) => self.helper(Helper::open_code(op, is_wide(ty))),
        };
        let text = self.call(&name, &[operand], is_int);
        match ty.is_signed() == is_int {
            true => text,
            false => cast_text(ty.into(), &text, ty == WordTy::I32),
        }
    }

    fn rotation(&mut self, rotation: Rotation, ty: WordTy, lhs: ExprId, rhs: ExprId) -> Text {
        let name = self.helper(Helper::rotation(rotation, is_wide(ty), false));
        let text = self.call(&name, &[lhs, rhs], false);
        if ty.is_signed() { cast_text(ty.into(), &text, ty == WordTy::I32) } else { text }
    }

    fn min_or_max(&mut self, choice: Choice, ty: WordTy, lhs: ExprId, rhs: ExprId) -> Text {
        let name = self.helper(Helper::choice(choice, ty));
        self.call(&name, &[lhs, rhs], ty == WordTy::I32)
    }

    fn float_op(&mut self, op: FloatOp, ty: FloatTy, operands: &[ExprId], is_int: bool) -> Text {
        let name = self.float_callee(op, ty);
        self.call(&name, operands, is_int)
    }

    /// The name of what an operator becomes a call of, which the file has from now on.
    pub(super) fn float_callee(&mut self, op: FloatOp, ty: FloatTy) -> String {
        let Callee { name, text } = self.options.idioms.floats.callee(op, ty);
        if let Some(text) = text {
            self.helpers.insert(name.clone(), text);
        }
        name
    }

    fn idiom(&mut self, idiom: Idiom, ty: WordTy, operands: &[ExprId], is_int: bool) -> Text {
        let (name, text) = self.options.idioms.definition(idiom, ty);
        self.helpers.insert(name.clone(), text);
        self.call(&name, operands, is_int)
    }

    /// A call of a function that converts its operands, or of a macro, which does not.
    fn call(&mut self, name: &str, operands: &[ExprId], is_int: bool) -> Text {
        let is_macro = name.starts_with("PS_");
        let operands: Vec<String> = operands
            .iter()
            .map(|id| if is_macro { self.typed(*id).text } else { self.value(*id) })
            .collect();
        let name = plain_words(name);
        Text::new(format!("{name}({})", operands.join(", ")), Level::Prefix, is_int)
    }

    fn helper(&mut self, helper: Helper) -> String {
        self.helpers.insert(helper.name().to_owned(), helper.text().to_owned());
        helper.name().to_owned()
    }

    fn select(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> Text {
        let condition = self.condition(cond, false);
        self.choice(&condition, then, otherwise)
    }

    fn choice(&mut self, condition: &str, then: ExprId, otherwise: ExprId) -> Text {
        let (then, otherwise) = (self.expr(then), self.expr(otherwise));
        let is_int = then.is_int && otherwise.is_int;
        let (then, otherwise) = (then.within(Level::Sum), otherwise.within(Level::Sum));
        Text::new(format!("{condition} ? {then} : {otherwise}"), Level::Whole, is_int)
    }

    fn cast(&mut self, to: IntTy, operand: ExprId) -> Text {
        let mut operand = operand;
        // A cast to something that has at least as many bits changes nothing that is left of it.
        while let Expr::Cast(ScalarTy::Int(between), inner) = self.function.expr(operand)
            && between.bits() >= to.bits()
            && self.types.of(*inner).is_int()
        {
            operand = *inner;
        }
        let (from, text) = (self.int_ty(operand), self.expr(operand));
        if let Expr::Read(place) = self.function.expr(operand)
            && self.cell_ty(place.var()) == ScalarTy::Int(to)
        {
            return text;
        }
        let is_same_number = match to {
            IntTy::I32 | IntTy::I64 => text.is_int,
            // An `int` of an unsigned type is not negative.
            IntTy::U32 | IntTy::U64 => text.is_int && !from.is_signed(),
            IntTy::I8 | IntTy::U8 | IntTy::I16 | IntTy::U16 => false,
        };
        if is_same_number || to == IntTy::from_word(from) {
            return text;
        }
        cast_text(to.into(), &text, is_int_in_c(to.into()))
    }

    fn is_constant(&self, id: ExprId) -> bool {
        matches!(self.function.expr(id), Expr::Const(_))
    }

    /// A constant or a scalar, which may be named twice.
    fn is_leaf(&self, id: ExprId) -> bool {
        match self.function.expr(id) {
            Expr::Const(_) => true,
            Expr::Read(place) => match place.var() {
                VarRef::Var(var) => {
                    place.as_scalar().is_some()
                        && !self.options.vars.get(var.index()).is_some_and(|var| var.volatile)
                }
                VarRef::Global(_) => false,
            },
            Expr::Hole(..) | Expr::Unary(..) | Expr::Binary(..) => false,
            Expr::Select(..) | Expr::Cast(..) | Expr::Call(..) => false,
        }
    }
}

/// Whether C computes with `int` when it reads a value of this type.
const fn is_int_in_c(ty: ScalarTy) -> bool {
    match ty {
        ScalarTy::Int(IntTy::I8 | IntTy::U8 | IntTy::I16 | IntTy::U16 | IntTy::I32) => true,
        ScalarTy::Int(IntTy::U32 | IntTy::I64 | IntTy::U64) => false,
        ScalarTy::Float(FloatTy::F32 | FloatTy::F64) => false,
    }
}

fn constant_text(constant: Const) -> Text {
    let (text, is_int) = match constant.ty() {
        ValueTy::Int(ty) => literal(ty, constant.word()),
        ValueTy::Float(ty) => (decimal(ty, constant.word()), false),
    };
    Text::new(text, Level::Prefix, is_int)
}

fn cast_text(to: ScalarTy, text: &Text, is_int: bool) -> Text {
    Text::new(format!("({}){}", type_name(to), text.within(Level::Prefix)), Level::Prefix, is_int)
}

/// `--` is something else.
fn negative(operand: &str) -> String {
    match operand.starts_with('-') {
        true => format!("-({operand})"),
        false => format!("-{operand}"),
    }
}

/// What is written between operands.
const fn symbol(op: BinOp) -> &'static str {
    match op.notation() {
        Notation::Infix(symbol, _) | Notation::Prefix(symbol) | Notation::Named(symbol) => symbol,
    }
}

/// The comparison that holds for exchanged operands.
const fn mirrored_comparison(op: BinOp) -> BinOp {
    match op {
        BinOp::Lt => BinOp::Gt,
        BinOp::Le => BinOp::Ge,
        BinOp::Gt => BinOp::Lt,
        BinOp::Ge => BinOp::Le,
        BinOp::Eq | BinOp::Ne => op,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => op,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => op,
        BinOp::Rotl | BinOp::Rotr | BinOp::Min | BinOp::Max => op,
        BinOp::Mulh | BinOp::Addsat | BinOp::Subsat | BinOp::Cmp | BinOp::Copysign => op,
    }
}

const fn opposite_comparison(op: BinOp) -> BinOp {
    match op {
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => op,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => op,
        BinOp::Rotl | BinOp::Rotr | BinOp::Min | BinOp::Max => op,
        BinOp::Mulh | BinOp::Addsat | BinOp::Subsat | BinOp::Cmp | BinOp::Copysign => op,
    }
}

//! Expressions.

use pathsmith_symlang::ExprId;
use pathsmith_symlang::lang::{BinOp, Expr, FloatTy, ScalarTy, UnOp, ValueTy, WordTy};

use crate::body::Body;
use crate::classfile::{Cond, Label, Op};
use crate::helpers::{Bits, Choice, Helper, OpenOp};
use crate::location::emit_cast;
use crate::shared::push_value;
use crate::types::{emit_float_of_bits, is_long, is_long_int, pick, signed};

impl Body<'_, '_, '_> {
    /// Puts the value of an expression on the stack, and returns its type.
    pub(crate) fn emit_expr(&mut self, id: ExprId) -> ValueTy {
        match self.function.expr(id) {
            Expr::Const(constant) => {
                push_value(constant.ty(), constant.word(), &mut self.code);
                constant.ty()
            }
            // Programs with holes are not lowered.
            Expr::Hole(_, ty) => {
                push_value(*ty, 0, &mut self.code);
                *ty
            }
            Expr::Read(place) => {
                self.emit_read(place);
                self.elem(place.var()).widened()
            }
            Expr::Unary(op, operand) => {
                let ty = self.emit_expr(*operand);
                match ty {
                    ValueTy::Int(ty) => self.emit_unary(*op, ty),
                    ValueTy::Float(ty) => self.emit_float_unary(*op, ty),
                }
                op.result_ty(ty)
            }
            Expr::Binary(op, _, _) if op.is_comparison() => {
                let (yes, end) = (self.code.add_label(), self.code.add_label());
                self.emit_branch(id, true, yes);
                self.code.push_int(0);
                self.code.goto(end);
                self.code.place(yes);
                self.code.push_int(1);
                self.code.place(end);
                ValueTy::CONDITION
            }
            Expr::Binary(BinOp::Cmp, lhs, rhs) if self.is_sign(*lhs, *rhs) => {
                let ty = self.emit_expr(*lhs);
                let (class, types) =
                    if is_long_int(ty) { (LONG, "(J)I") } else { (INTEGER, "(I)I") };
                self.code.invoke_static(class, "signum", types);
                ValueTy::ORDER
            }
            Expr::Binary(op, lhs, rhs) => {
                let ty = self.emit_expr(*lhs);
                if takes_count(*op) {
                    self.emit_count(*rhs);
                } else {
                    self.emit_expr(*rhs);
                }
                match ty {
                    ValueTy::Int(ty) => self.emit_binary(*op, ty),
                    ValueTy::Float(ty) => self.emit_float_binary(*op, ty),
                }
                op.result_ty(ty)
            }
            Expr::Select(cond, then, otherwise) => {
                let (no, end) = (self.code.add_label(), self.code.add_label());
                self.emit_branch(*cond, false, no);
                let ty = self.emit_expr(*then);
                self.code.goto(end);
                self.code.place(no);
                self.emit_expr(*otherwise);
                self.code.place(end);
                ty
            }
            Expr::Cast(to, operand) => {
                let from = self.emit_expr(*operand);
                self.emit_cast(from, *to);
                to.widened()
            }
            Expr::Call(callee, args) => {
                self.shared.push_receiver(*callee, &mut self.code);
                args.iter().for_each(|arg| {
                    self.emit_expr(*arg);
                });
                self.shared.invoke(*callee, &mut self.code);
                self.program.function(*callee).ret
            }
        }
    }

    fn emit_cast(&mut self, from: ValueTy, to: ScalarTy) {
        match (from, to) {
            (ValueTy::Int(from), ScalarTy::Int(int)) => self.emit_int_to_int(from, int.widened()),
            (ValueTy::Int(from), ScalarTy::Float(to)) => self.emit_int_to_float(from, to),
            (ValueTy::Float(from), ScalarTy::Int(int)) => {
                self.emit_float_to_int(from, int.widened());
            }
            (ValueTy::Float(from), ScalarTy::Float(to)) => self.emit_float_to_float(from, to),
        }
        emit_cast(to, &mut self.code);
    }

    fn emit_int_to_int(&mut self, from: WordTy, to: WordTy) {
        match (is_long(from), is_long(to)) {
            (true, true) | (false, false) => {}
            (true, false) => self.code.op(Op::L2i),
            (false, true) => {
                self.code.op(Op::I2l);
                if !from.is_signed() {
                    self.code.push_long(0xffff_ffff);
                    self.code.op(Op::Land);
                }
            }
        }
    }

    /// An operator on an integer that is on the stack.
    fn emit_unary(&mut self, op: UnOp, ty: WordTy) {
        match op {
            UnOp::Neg => self.code.op(pick(ty, Op::Ineg, Op::Lneg)),
            UnOp::Not => {
                push_value(ty.into(), -1, &mut self.code);
                self.code.op(pick(ty, Op::Ixor, Op::Lxor));
            }
            UnOp::Clz => self.emit_bits(Bits::LeadingZeros, ty),
            UnOp::Ctz => self.emit_bits(Bits::TrailingZeros, ty),
            UnOp::Popcnt => self.emit_bits(Bits::Count, ty),
            UnOp::Bswap => self.emit_bits(Bits::SwapBytes, ty),
            UnOp::Bitrev => self.emit_bits(Bits::Reverse, ty),
            // An unsigned number is its own absolute value.
            UnOp::Abs if !ty.is_signed() => {}
            UnOp::Abs if self.by_jdk() => {
                let types = if is_long(ty) { "(J)J" } else { "(I)I" };
                self.code.invoke_static(MATH, "abs", types);
            }
            UnOp::Abs => self.shared.call(Helper::Abs(ty), &mut self.code),
            UnOp::FromBits if is_long(ty) => emit_float_of_bits(FloatTy::F64, &mut self.code),
            UnOp::FromBits => emit_float_of_bits(FloatTy::F32, &mut self.code),
            // Only floating-point numbers have these.
            UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Nearest | UnOp::Bits => {}
            UnOp::SatI32 | UnOp::SatU32 | UnOp::SatI64 | UnOp::SatU64 => {}
        }
    }

    /// Whether a three-way comparison is with 0, for which the JDK has a method of its own.
    fn is_sign(&self, lhs: ExprId, rhs: ExprId) -> bool {
        let is_signed = match self.program.expr_ty(self.function, lhs) {
            ValueTy::Int(ty) => ty.is_signed(),
            ValueTy::Float(_) => false,
        };
        self.by_jdk()
            && is_signed
            && matches!(self.function.expr(rhs), Expr::Const(zero) if zero.word() == 0)
    }

    fn emit_bits(&mut self, op: Bits, ty: WordTy) {
        match (self.by_jdk(), is_long(ty)) {
            (false, _) => self.shared.call(Helper::Bits(op, signed(ty)), &mut self.code),
            (true, false) => self.code.invoke_static(INTEGER, op.jdk_name(), "(I)I"),
            (true, true) if matches!(op, Bits::SwapBytes | Bits::Reverse) => {
                self.code.invoke_static(LONG, op.jdk_name(), "(J)J");
            }
            (true, true) => {
                self.code.invoke_static(LONG, op.jdk_name(), "(J)I");
                self.code.op(Op::I2l);
            }
        }
    }

    /// The count of a shift or rotation, which is an int for longs too: its low bits are what
    /// counts.
    fn emit_count(&mut self, count: ExprId) {
        if let Expr::Const(count) = self.function.expr(count) {
            return self.code.push_int(count.word() as i32);
        }
        let ty = self.emit_expr(count);
        if is_long_int(ty) {
            self.code.op(Op::L2i);
        }
    }

    /// An operator whose operands are integers on the stack, and which is no comparison.
    fn emit_binary(&mut self, op: BinOp, ty: WordTy) {
        let op = match lowering(op, ty) {
            Lowering::Instruction(instruction) => return self.code.op(instruction),
            Lowering::Branch | Lowering::OfFloats => return,
            Lowering::Open(op) => op,
        };
        let ty = match op {
            OpenOp::RotateLeft | OpenOp::RotateRight => signed(ty),
            OpenOp::UnsignedDiv | OpenOp::UnsignedRem | OpenOp::Choice(_) => ty,
            OpenOp::Compare | OpenOp::MulHigh | OpenOp::AddSat | OpenOp::SubSat => ty,
        };
        if op == OpenOp::Compare && ty == WordTy::I64 && !self.by_jdk() {
            return self.code.op(Op::Lcmp);
        }
        if !self.by_jdk() {
            return self.shared.call(Helper::Binary(op, ty), &mut self.code);
        }
        let (class, two, counted) = match is_long(ty) {
            true => (LONG, "(JJ)J", "(JI)J"),
            false => (INTEGER, "(II)I", "(II)I"),
        };
        match op {
            OpenOp::UnsignedDiv => self.code.invoke_static(class, "divideUnsigned", two),
            OpenOp::UnsignedRem => self.code.invoke_static(class, "remainderUnsigned", two),
            OpenOp::RotateLeft => self.code.invoke_static(class, "rotateLeft", counted),
            OpenOp::RotateRight => self.code.invoke_static(class, "rotateRight", counted),
            OpenOp::Choice(choice) if ty.is_signed() => {
                let name = match choice {
                    Choice::Min => "min",
                    Choice::Max => "max",
                };
                self.code.invoke_static(MATH, name, two);
            }
            OpenOp::Compare => {
                let name = if ty.is_signed() { "compare" } else { "compareUnsigned" };
                self.code.invoke_static(class, name, if is_long(ty) { "(JJ)I" } else { "(II)I" });
            }
            OpenOp::MulHigh if ty == WordTy::I64 => {
                self.code.invoke_static(MATH, "multiplyHigh", two);
            }
            // Ints need no method for it.
            OpenOp::MulHigh if !is_long(ty) => {
                self.shared.call(Helper::Binary(op, ty), &mut self.code);
            }
            OpenOp::MulHigh | OpenOp::AddSat | OpenOp::SubSat => {
                self.shared.call(Helper::ByJdk(op, ty), &mut self.code);
            }
            OpenOp::Choice(choice) => {
                self.shared.call(Helper::ByCompare(choice, ty), &mut self.code);
            }
        }
    }

    /// Jumps to `target` if the condition is as `wanted`, and falls through if it is not.
    pub(crate) fn emit_branch(&mut self, cond: ExprId, wanted: bool, target: Label) {
        let Expr::Binary(op, lhs, rhs) = *self.function.expr(cond) else {
            return self.emit_plain_branch(cond, wanted, target);
        };
        let Some(holds) = condition(op) else {
            return self.emit_plain_branch(cond, wanted, target);
        };
        let ty = match self.emit_expr(lhs) {
            ValueTy::Int(ty) => ty,
            ValueTy::Float(ty) => return self.emit_float_branch(ty, rhs, holds, wanted, target),
        };
        let cond = if wanted { holds } else { holds.negated() };
        let is_equality = matches!(op, BinOp::Eq | BinOp::Ne);
        if !ty.is_signed() && !is_equality {
            return self.emit_unsigned_branch(ty, rhs, cond, target);
        }
        if is_long(ty) {
            self.emit_expr(rhs);
            self.code.op(Op::Lcmp);
            self.code.branch_zero(cond, target);
        } else if matches!(self.function.expr(rhs), Expr::Const(zero) if zero.word() == 0) {
            self.code.branch_zero(cond, target);
        } else {
            self.emit_expr(rhs);
            self.code.branch_int(cond, target);
        }
    }

    fn emit_plain_branch(&mut self, cond: ExprId, wanted: bool, target: Label) {
        self.emit_expr(cond);
        self.code.branch_zero(if wanted { Cond::Ne } else { Cond::Eq }, target);
    }

    /// The left operand is on the stack. With the highest bit turned over, unsigned numbers are in
    /// the order of signed ones.
    fn emit_unsigned_branch(&mut self, ty: WordTy, rhs: ExprId, cond: Cond, target: Label) {
        if self.by_jdk() {
            self.emit_expr(rhs);
            let (class, types) = if is_long(ty) { (LONG, "(JJ)I") } else { (INTEGER, "(II)I") };
            self.code.invoke_static(class, "compareUnsigned", types);
            return self.code.branch_zero(cond, target);
        }
        self.emit_turn_over(ty);
        self.emit_expr(rhs);
        self.emit_turn_over(ty);
        if is_long(ty) {
            self.code.op(Op::Lcmp);
            self.code.branch_zero(cond, target);
        } else {
            self.code.branch_int(cond, target);
        }
    }

    fn emit_turn_over(&mut self, ty: WordTy) {
        push_value(ty.into(), signed(ty).min(), &mut self.code);
        self.code.op(pick(ty, Op::Ixor, Op::Lxor));
    }
}

const INTEGER: &str = "java/lang/Integer";
const LONG: &str = "java/lang/Long";
pub(crate) const MATH: &str = "java/lang/Math";

/// What an operator becomes.
enum Lowering {
    Instruction(Op),
    /// Something that the JVM has no instruction for.
    Open(OpenOp),
    /// A branch, because it is a comparison.
    Branch,
    /// Nothing, because integers have no such operator.
    OfFloats,
}

/// What an operator on integers becomes.
const fn lowering(op: BinOp, ty: WordTy) -> Lowering {
    Lowering::Instruction(match (op, ty.is_signed()) {
        (BinOp::Add, _) => pick(ty, Op::Iadd, Op::Ladd),
        (BinOp::Sub, _) => pick(ty, Op::Isub, Op::Lsub),
        (BinOp::Mul, _) => pick(ty, Op::Imul, Op::Lmul),
        (BinOp::Div, true) => pick(ty, Op::Idiv, Op::Ldiv),
        (BinOp::Rem, true) => pick(ty, Op::Irem, Op::Lrem),
        (BinOp::And, _) => pick(ty, Op::Iand, Op::Land),
        (BinOp::Or, _) => pick(ty, Op::Ior, Op::Lor),
        (BinOp::Xor, _) => pick(ty, Op::Ixor, Op::Lxor),
        (BinOp::Shl, _) => pick(ty, Op::Ishl, Op::Lshl),
        (BinOp::Shr, true) => pick(ty, Op::Ishr, Op::Lshr),
        (BinOp::Shr, false) => pick(ty, Op::Iushr, Op::Lushr),
        (BinOp::Div, false) => return Lowering::Open(OpenOp::UnsignedDiv),
        (BinOp::Rem, false) => return Lowering::Open(OpenOp::UnsignedRem),
        (BinOp::Rotl, _) => return Lowering::Open(OpenOp::RotateLeft),
        (BinOp::Rotr, _) => return Lowering::Open(OpenOp::RotateRight),
        (BinOp::Min, _) => return Lowering::Open(OpenOp::Choice(Choice::Min)),
        (BinOp::Max, _) => return Lowering::Open(OpenOp::Choice(Choice::Max)),
        (BinOp::Cmp, _) => return Lowering::Open(OpenOp::Compare),
        (BinOp::Mulh, _) => return Lowering::Open(OpenOp::MulHigh),
        (BinOp::Addsat, _) => return Lowering::Open(OpenOp::AddSat),
        (BinOp::Subsat, _) => return Lowering::Open(OpenOp::SubSat),
        (BinOp::Copysign, _) => return Lowering::OfFloats,
        (BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, _) => {
            return Lowering::Branch;
        }
    })
}

/// When a comparison holds; none if the operator is something else.
const fn condition(op: BinOp) -> Option<Cond> {
    match op {
        BinOp::Eq => Some(Cond::Eq),
        BinOp::Ne => Some(Cond::Ne),
        BinOp::Lt => Some(Cond::Lt),
        BinOp::Le => Some(Cond::Le),
        BinOp::Gt => Some(Cond::Gt),
        BinOp::Ge => Some(Cond::Ge),
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => None,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => None,
        BinOp::Rotl | BinOp::Rotr | BinOp::Min | BinOp::Max => None,
        BinOp::Cmp | BinOp::Mulh | BinOp::Addsat | BinOp::Subsat | BinOp::Copysign => None,
    }
}

/// Whether the right operand is a count of bits, and so an int for longs too.
const fn takes_count(op: BinOp) -> bool {
    match op {
        BinOp::Shl | BinOp::Shr | BinOp::Rotl | BinOp::Rotr => true,
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => false,
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Min | BinOp::Max => false,
        BinOp::Cmp | BinOp::Mulh | BinOp::Addsat | BinOp::Subsat | BinOp::Copysign => false,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => false,
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_backend::Backend;
    use pathsmith_symlang::lang::text::parse;

    use crate::options::{FunctionOptions, Intrinsics};
    use crate::{JvmBackend, JvmOptions};

    /// The instructions of the one function of a program, without what they name.
    fn instructions(source: &str, intrinsics: Intrinsics) -> Vec<String> {
        let functions = vec![FunctionOptions { intrinsics, ..FunctionOptions::default() }];
        let options = JvmOptions { functions, ..JvmOptions::default() };
        let program = parse("test", source).expect("it is valid");
        let classes = JvmBackend.lower(&program, &options).expect("it fits");
        let listing = classes.listing().expect("it can be read");
        let lines = listing.lines().skip_while(|line| !line.contains("static f ")).skip(2);
        let lines = lines.take_while(|line| !line.is_empty()).filter(|line| !line.contains("//"));
        lines.filter_map(|line| line.split_whitespace().nth(1).map(str::to_owned)).collect()
    }

    fn check_if(ty: &str, cond: &str, intrinsics: Intrinsics, expected: &[&str]) {
        let source = format!(
            "fn f(a: {ty}, b: {ty}) -> i32 {{ entry: if {cond} goto B else exit;
             B: goto exit; exit: return 1; }}"
        );
        let found = instructions(&source, intrinsics);
        assert_eq!(found[..found.len() - 2], *expected, "{cond}");
    }

    #[test]
    fn conditions_are_branches() {
        use Intrinsics::{Jdk, OpenCode};
        check_if("i32", "a < b", Jdk, &["iload_0", "iload_1", "if_icmpge"]);
        check_if("i32", "a == 0", Jdk, &["iload_0", "ifne"]);
        check_if("i32", "a", Jdk, &["iload_0", "ifeq"]);
        check_if("u32", "a != b", OpenCode, &["iload_0", "iload_1", "if_icmpeq"]);
        check_if("u32", "a < b", Jdk, &["iload_0", "iload_1", "invokestatic", "ifge"]);
        check_if(
            "u32",
            "a < b",
            OpenCode,
            &["iload_0", "ldc", "ixor", "iload_1", "ldc", "ixor", "if_icmpge"],
        );
        check_if("i64", "a >= b", Jdk, &["lload_0", "lload_2", "lcmp", "iflt"]);
        check_if("u64", "a >= b", Jdk, &["lload_0", "lload_2", "invokestatic", "iflt"]);
    }

    #[test]
    fn a_comparison_within_an_expression_is_a_number() {
        let source = "fn f(a: i32) -> i32 { entry: return a + (a > 3); }";
        assert_eq!(
            instructions(source, Intrinsics::Jdk),
            [
                "iload_0",
                "iload_0",
                "iconst_3",
                "if_icmpgt",
                "iconst_0",
                "goto",
                "iconst_1",
                "iadd",
                "ireturn",
            ]
        );
    }

    #[test]
    fn casts_take_as_few_steps_as_they_can() {
        let check = |from: &str, to: &str, wide: &str, expected: &[&str]| {
            let source = format!("fn f(a: {from}) -> {wide} {{ entry: return {to}(a); }}");
            let found = instructions(&source, Intrinsics::Jdk);
            assert_eq!(found[1..found.len() - 1], *expected, "{from} to {to}");
        };
        check("i32", "u32", "u32", &[]);
        check("u64", "i64", "i64", &[]);
        check("i32", "u64", "u64", &["i2l"]);
        check("u32", "i64", "i64", &["i2l", "ldc2_w", "land"]);
        check("i64", "i8", "i32", &["l2i", "i2b"]);
        check("i32", "u8", "u32", &["sipush", "iand"]);
        check("u32", "u16", "u32", &["i2c"]);
    }
}

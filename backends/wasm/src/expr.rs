//! Expressions: operands onto the stack, then the instruction.

mod floats;

use pathsmith_symlang::ExprId;
use pathsmith_symlang::lang::{
    BinOp, Expr, FloatTy, IntTy, PlaceForm, ScalarTy, UnOp, ValueTy, WordTy,
};
use wasm_encoder::{BlockType, Instruction};

use crate::floats::{converted, from_bits, from_int, to_int};
use crate::function::FunctionWriter;
use crate::helpers::{Helper, bswap, smaller_or_larger};
use crate::idioms::{self, Locals};
use crate::options::{Intrinsics, Narrowing, Selects};
use crate::types::{Binary, Idiom, NO_SUCH_OPERATOR, binary, constant, is_wide, val_type};

impl FunctionWriter<'_> {
    /// Pushes the value of an expression, and returns its type.
    pub(crate) fn emit_expr(&mut self, id: ExprId) -> ValueTy {
        let function = self.function;
        match function.expr(id) {
            Expr::Const(value) => {
                self.emit_constant(value.ty(), value.word());
                value.ty()
            }
            Expr::Hole(_, ty) => {
                // Programs with holes are not lowered.
                self.push(constant(*ty, 0));
                *ty
            }
            Expr::Read(place) => {
                let ty = self.program.var(function, place.var()).ty.cell_ty();
                match place.form() {
                    PlaceForm::Element(var, index) => {
                        let address = self.emit_element(var, |writer| writer.emit_index(index));
                        self.push(address.load());
                    }
                    PlaceForm::Scalar(var) => self.emit_load(var),
                }
                ty.widened()
            }
            Expr::Unary(op, operand) => self.emit_unary(*op, *operand),
            Expr::Binary(op, lhs, rhs) => self.emit_binary(*op, *lhs, *rhs),
            Expr::Select(cond, then, otherwise) => self.emit_select(*cond, *then, *otherwise),
            Expr::Cast(to, operand) => {
                let from = self.emit_expr(*operand);
                self.emit_cast(from, *to);
                to.widened()
            }
            Expr::Call(callee, args) => {
                let callee_function = self.program.function(*callee);
                for (arg, param) in args.iter().zip(callee_function.params()) {
                    self.emit_expr(*arg);
                    self.emit_narrow(param.ty.cell_ty());
                }
                self.emit_call(*callee, false);
                callee_function.ret
            }
        }
    }

    /// Pushes an index as an `i32`. Within an array, the lower half is all there is to it.
    pub(crate) fn emit_index(&mut self, index: ExprId) {
        match self.emit_expr(index) {
            ValueTy::Int(ty) if is_wide(ty) => self.push(Instruction::I32WrapI64),
            ValueTy::Int(_) => {}
            // The validator refuses anything but integers.
            ValueTy::Float(_) => self.push(NO_SUCH_OPERATOR),
        }
    }

    fn emit_unary(&mut self, op: UnOp, operand: ExprId) -> ValueTy {
        if let (UnOp::Neg, ty @ ValueTy::Int(_)) = (op, self.expr_types.of(operand)) {
            // The 0 comes first, so the type has to be known before the operand is emitted.
            self.push(constant(ty, 0));
        }
        let ty = self.emit_expr(operand);
        match ty {
            ValueTy::Int(int) => self.emit_int_unary(op, int),
            ValueTy::Float(float) => self.emit_float_unary(op, float),
        }
        op.result_ty(ty)
    }

    /// An operator on integers, whose operand is on the stack.
    fn emit_int_unary(&mut self, op: UnOp, int: WordTy) {
        let is_wide = is_wide(int);
        let instruction = match (op, is_wide) {
            (UnOp::Neg, false) => Instruction::I32Sub,
            (UnOp::Neg, true) => Instruction::I64Sub,
            (UnOp::Not, _) => {
                self.push(constant(int.into(), -1));
                if is_wide { Instruction::I64Xor } else { Instruction::I32Xor }
            }
            (UnOp::Clz, false) => Instruction::I32Clz,
            (UnOp::Clz, true) => Instruction::I64Clz,
            (UnOp::Ctz, false) => Instruction::I32Ctz,
            (UnOp::Ctz, true) => Instruction::I64Ctz,
            (UnOp::Popcnt, false) => Instruction::I32Popcnt,
            (UnOp::Popcnt, true) => Instruction::I64Popcnt,
            (UnOp::FromBits, false) => from_bits(FloatTy::F32),
            (UnOp::FromBits, true) => from_bits(FloatTy::F64),
            (UnOp::Bitrev, _) => return self.emit_idiom(Idiom::Bitrev, int),
            (UnOp::Abs, _) => return self.emit_idiom(Idiom::Abs, int),
            (UnOp::Bswap, _) => {
                return match self.options.intrinsics {
                    Intrinsics::Calls => self.emit_helper(Helper::Bswap { is_wide }),
                    Intrinsics::Inline => {
                        let local = self.scratch(val_type(int.into()), 0);
                        self.push(Instruction::LocalSet(local));
                        self.extend(bswap(is_wide, local));
                    }
                };
            }
            (
                UnOp::Sqrt
                | UnOp::Floor
                | UnOp::Ceil
                | UnOp::Trunc
                | UnOp::Nearest
                | UnOp::Bits
                | UnOp::SatI32
                | UnOp::SatU32
                | UnOp::SatI64
                | UnOp::SatU64,
                _,
            ) => NO_SUCH_OPERATOR,
        };
        self.push(instruction);
    }

    fn emit_binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ValueTy {
        let ty = self.emit_expr(lhs);
        self.emit_expr(rhs);
        match ty {
            ValueTy::Int(int) => self.emit_int_binary(op, int),
            ValueTy::Float(float) => self.emit_float_binary(op, float),
        }
        op.result_ty(ty)
    }

    /// An operator on integers, whose operands are on the stack.
    fn emit_int_binary(&mut self, op: BinOp, int: WordTy) {
        match (binary(op, int), self.options.intrinsics) {
            (Binary::Instruction(instruction), _) => self.push(instruction),
            (Binary::Idiom(idiom), _) => self.emit_idiom(idiom, int),
            (Binary::Choice(choice), Intrinsics::Calls) => {
                self.emit_helper(Helper::Choice { choice, ty: int });
            }
            (Binary::Choice(choice), Intrinsics::Inline) => {
                let value_ty = val_type(int.into());
                let (a, b) = (self.scratch(value_ty, 0), self.scratch(value_ty, 1));
                self.push(Instruction::LocalSet(b));
                self.push(Instruction::LocalSet(a));
                self.extend(smaller_or_larger(choice, int, self.options.selects, a, b));
            }
        }
    }

    /// An operator without an instruction, whose operands are on the stack.
    fn emit_idiom(&mut self, idiom: Idiom, ty: WordTy) {
        if self.options.intrinsics == Intrinsics::Calls {
            return self.emit_helper(Helper::Idiom { idiom, ty });
        }
        let value_ty = val_type(ty.into());
        let [a, b, between] = [0, 1, 2].map(|number| self.scratch(value_ty, number));
        if idiom.n_operands() == 2 {
            self.push(Instruction::LocalSet(b));
        }
        self.push(Instruction::LocalSet(a));
        self.extend(idioms::code(idiom, ty, self.options.selects, Locals { a, b, between }));
    }

    fn emit_select(&mut self, cond: ExprId, then: ExprId, otherwise: ExprId) -> ValueTy {
        if self.options.selects == Selects::IfElse {
            let ty = self.expr_types.of(then);
            self.emit_expr(cond);
            self.push(Instruction::If(BlockType::Result(val_type(ty))));
            self.emit_expr(then);
            self.push(Instruction::Else);
            self.emit_expr(otherwise);
            self.push(Instruction::End);
            return ty;
        }
        let ty = self.emit_expr(then);
        self.emit_expr(otherwise);
        self.emit_expr(cond);
        self.push(match self.options.selects {
            Selects::Typed => Instruction::TypedSelect(val_type(ty)),
            Selects::Plain | Selects::IfElse => Instruction::Select,
        });
        ty
    }

    /// The value on the stack converted to a storage type, and widened again.
    fn emit_cast(&mut self, from: ValueTy, to: ScalarTy) {
        match (from, to) {
            (ValueTy::Int(from), ScalarTy::Int(to)) => self.emit_resize(from, to.widened()),
            (ValueTy::Int(from), ScalarTy::Float(to)) => self.push(from_int(from, to)),
            (ValueTy::Float(from), ScalarTy::Int(to)) => self.push(to_int(from, to.widened())),
            (ValueTy::Float(from), ScalarTy::Float(to)) => self.extend(converted(from, to)),
        }
        self.emit_narrow(to);
    }

    /// The integer on the stack in another width.
    fn emit_resize(&mut self, from: WordTy, to: WordTy) {
        let (was_wide, is_wide) = (is_wide(from), is_wide(to));
        if was_wide && !is_wide {
            self.push(Instruction::I32WrapI64);
        }
        if is_wide && !was_wide {
            match (from.is_signed(), self.options.narrowing) {
                (false, _) => self.push(Instruction::I64ExtendI32U),
                (true, Narrowing::Extensions) => self.push(Instruction::I64ExtendI32S),
                (true, Narrowing::Shifts) => {
                    self.push(Instruction::I64ExtendI32U);
                    self.push(Instruction::I64Const(32));
                    self.push(Instruction::I64Shl);
                    self.push(Instruction::I64Const(32));
                    self.push(Instruction::I64ShrS);
                }
            }
        }
    }

    /// Narrows an `i32` on the stack to a storage type, in canonical form. Others fit theirs.
    pub(crate) fn emit_narrow(&mut self, to: ScalarTy) {
        let to = match to {
            ScalarTy::Int(to) => to,
            ScalarTy::Float(_) => return,
        };
        match (self.options.narrowing, to) {
            (_, IntTy::I32 | IntTy::U32 | IntTy::I64 | IntTy::U64) => {}
            (Narrowing::Extensions, IntTy::I8) => self.push(Instruction::I32Extend8S),
            (Narrowing::Extensions, IntTy::I16) => self.push(Instruction::I32Extend16S),
            (Narrowing::Extensions, IntTy::U8 | IntTy::U16) => {
                self.push(Instruction::I32Const(to.max() as i32));
                self.push(Instruction::I32And);
            }
            (Narrowing::Shifts, IntTy::I8 | IntTy::U8 | IntTy::I16 | IntTy::U16) => {
                let shift = Instruction::I32Const(32 - to.bits() as i32);
                self.push(shift.clone());
                self.push(Instruction::I32Shl);
                self.push(shift);
                self.push(match to.is_signed() {
                    true => Instruction::I32ShrS,
                    false => Instruction::I32ShrU,
                });
            }
        }
    }

    /// Calls a helper function.
    pub(crate) fn emit_helper(&mut self, helper: Helper) {
        let index = self.helpers.index(helper);
        self.push(Instruction::Call(index));
    }
}

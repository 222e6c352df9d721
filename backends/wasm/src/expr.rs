//! Expressions: operands onto the stack, then the instruction.

use pathsmith_symlang::ExprId;
use pathsmith_symlang::lang::{BinOp, Expr, IntTy, PlaceForm, ScalarTy, UnOp, ValueTy, WordTy};
use wasm_encoder::{BlockType, Instruction};

use crate::function::FunctionWriter;
use crate::helpers::{Helper, bswap, smaller_or_larger};
use crate::idioms::{self, Locals};
use crate::options::{Intrinsics, Narrowing, Selects};
use crate::types::{Binary, Idiom, binary, constant, is_wide, val_type};

impl FunctionWriter<'_> {
    /// Pushes the value of an expression, and returns its type.
    pub(crate) fn emit_expr(&mut self, id: ExprId) -> ValueTy {
        let function = self.function;
        match function.expr(id) {
            Expr::Const(value) => {
                self.push(constant(value.ty(), value.word()));
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
        let ValueTy::Int(ty) = self.emit_expr(index);
        if is_wide(ty) {
            self.push(Instruction::I32WrapI64);
        }
    }

    fn emit_unary(&mut self, op: UnOp, operand: ExprId) -> ValueTy {
        if op == UnOp::Neg {
            // The 0 comes first, so the type has to be known before the operand is emitted.
            self.push(constant(self.expr_types.of(operand), 0));
        }
        let ty = self.emit_expr(operand);
        let ValueTy::Int(int) = ty;
        let is_wide = is_wide(int);
        let instruction = match (op, is_wide) {
            (UnOp::Neg, false) => Instruction::I32Sub,
            (UnOp::Neg, true) => Instruction::I64Sub,
            (UnOp::Not, _) => {
                self.push(constant(ty, -1));
                if is_wide { Instruction::I64Xor } else { Instruction::I32Xor }
            }
            (UnOp::Clz, false) => Instruction::I32Clz,
            (UnOp::Clz, true) => Instruction::I64Clz,
            (UnOp::Ctz, false) => Instruction::I32Ctz,
            (UnOp::Ctz, true) => Instruction::I64Ctz,
            (UnOp::Popcnt, false) => Instruction::I32Popcnt,
            (UnOp::Popcnt, true) => Instruction::I64Popcnt,
            (UnOp::Bitrev, _) => {
                self.emit_idiom(Idiom::Bitrev, int);
                return ty;
            }
            (UnOp::Abs, _) => {
                self.emit_idiom(Idiom::Abs, int);
                return ty;
            }
            (UnOp::Bswap, _) => {
                match self.options.intrinsics {
                    Intrinsics::Calls => self.emit_helper(Helper::Bswap { is_wide }),
                    Intrinsics::Inline => {
                        let local = self.scratch(val_type(ty), 0);
                        self.push(Instruction::LocalSet(local));
                        bswap(is_wide, local).into_iter().for_each(|insn| self.push(insn));
                    }
                }
                return ty;
            }
        };
        self.push(instruction);
        ty
    }

    fn emit_binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ValueTy {
        let ty = self.emit_expr(lhs);
        self.emit_expr(rhs);
        let ValueTy::Int(int) = ty;
        match (binary(op, int), self.options.intrinsics) {
            (Binary::Instruction(instruction), _) => self.push(instruction),
            (Binary::Idiom(idiom), _) => self.emit_idiom(idiom, int),
            (Binary::Choice(choice), Intrinsics::Calls) => {
                self.emit_helper(Helper::Choice { choice, ty: int });
            }
            (Binary::Choice(choice), Intrinsics::Inline) => {
                let value_ty = val_type(ty);
                let (a, b) = (self.scratch(value_ty, 0), self.scratch(value_ty, 1));
                self.push(Instruction::LocalSet(b));
                self.push(Instruction::LocalSet(a));
                let code = smaller_or_larger(choice, int, self.options.selects, a, b);
                code.into_iter().for_each(|insn| self.push(insn));
            }
        }
        op.result_ty(ty)
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
        let code = idioms::code(idiom, ty, self.options.selects, Locals { a, b, between });
        code.into_iter().for_each(|insn| self.push(insn));
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

    /// The value on the stack modulo 2^bits, widened again.
    fn emit_cast(&mut self, from: ValueTy, to: ScalarTy) {
        let (ValueTy::Int(from), ScalarTy::Int(int)) = (from, to);
        let (was_wide, is_wide) = (is_wide(from), is_wide(int.widened()));
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
        self.emit_narrow(to);
    }

    /// Narrows an `i32` on the stack to a storage type, in canonical form.
    pub(crate) fn emit_narrow(&mut self, to: ScalarTy) {
        let ScalarTy::Int(to) = to;
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

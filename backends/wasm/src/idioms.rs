//! Operators without an instruction, as instructions on locals.

use pathsmith_symlang::lang::WordTy;
use wasm_encoder::{BlockType, Instruction, ValType};

use crate::options::Selects;
use crate::types::{Code, Idiom, constant, is_wide, val_type};

/// The locals that an idiom works on: its operands, which it may overwrite, and one for what is in
/// between.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Locals {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) between: u32,
}

/// The code of an operator for operands of type `ty`, which are in locals.
pub(crate) fn code(idiom: Idiom, ty: WordTy, selects: Selects, locals: Locals) -> Code {
    let writer = Writer { ty, selects, locals };
    match idiom {
        Idiom::Abs => writer.abs(),
        Idiom::Bitrev => writer.bitrev(),
        Idiom::Cmp => writer.cmp(),
        Idiom::Mulh if is_wide(ty) => writer.mulh_by_halves(),
        Idiom::Mulh => writer.mulh_by_longs(),
        Idiom::Addsat => writer.saturated_sum(),
        Idiom::Subsat => writer.saturated_difference(),
    }
}

/// One of two values.
pub(crate) fn selected(
    ty: ValType,
    selects: Selects,
    then: Code,
    otherwise: Code,
    cond: Code,
) -> Code {
    match selects {
        Selects::Plain => [then, otherwise, cond, vec![Instruction::Select]].concat(),
        Selects::Typed => [then, otherwise, cond, vec![Instruction::TypedSelect(ty)]].concat(),
        Selects::IfElse => {
            let if_ = vec![Instruction::If(BlockType::Result(ty))];
            let (else_, end) = (vec![Instruction::Else], vec![Instruction::End]);
            [cond, if_, then, else_, otherwise, end].concat()
        }
    }
}

#[derive(Clone, Copy)]
struct Writer {
    ty: WordTy,
    selects: Selects,
    locals: Locals,
}

impl Writer {
    /// The instruction for the width of the type.
    fn pick(self, narrow: Instruction<'static>, wide: Instruction<'static>) -> Code {
        vec![if is_wide(self.ty) { wide } else { narrow }]
    }

    fn a(self) -> Code {
        vec![Instruction::LocalGet(self.locals.a)]
    }

    fn b(self) -> Code {
        vec![Instruction::LocalGet(self.locals.b)]
    }

    fn between(self) -> Code {
        vec![Instruction::LocalGet(self.locals.between)]
    }

    fn keep_between(self) -> Code {
        vec![Instruction::LocalSet(self.locals.between)]
    }

    fn constant(self, value: i64) -> Code {
        vec![constant(self.ty.into(), value)]
    }

    fn add(self) -> Code {
        self.pick(Instruction::I32Add, Instruction::I64Add)
    }

    fn sub(self) -> Code {
        self.pick(Instruction::I32Sub, Instruction::I64Sub)
    }

    fn xor(self) -> Code {
        self.pick(Instruction::I32Xor, Instruction::I64Xor)
    }

    fn and(self) -> Code {
        self.pick(Instruction::I32And, Instruction::I64And)
    }

    fn less(self) -> Code {
        match self.ty.is_signed() {
            true => self.pick(Instruction::I32LtS, Instruction::I64LtS),
            false => self.pick(Instruction::I32LtU, Instruction::I64LtU),
        }
    }

    fn greater(self) -> Code {
        match self.ty.is_signed() {
            true => self.pick(Instruction::I32GtS, Instruction::I64GtS),
            false => self.pick(Instruction::I32GtU, Instruction::I64GtU),
        }
    }

    /// One of two values.
    fn select(self, then: Code, otherwise: Code, cond: Code) -> Code {
        selected(val_type(self.ty.into()), self.selects, then, otherwise, cond)
    }

    fn abs(self) -> Code {
        if !self.ty.is_signed() {
            return self.a();
        }
        let negated = [self.constant(0), self.a(), self.sub()].concat();
        let is_negative = [self.a(), self.constant(0), self.less()].concat();
        self.select(negated, self.a(), is_negative)
    }

    /// Neighbours change places, then pairs of them, and so on; a rotation does the last step.
    fn bitrev(self) -> Code {
        const MASKS: [i64; 5] = [
            0x5555_5555_5555_5555,
            0x3333_3333_3333_3333,
            0x0f0f_0f0f_0f0f_0f0f,
            0x00ff_00ff_00ff_00ff,
            0x0000_ffff_0000_ffff,
        ];
        let n_steps = if is_wide(self.ty) { 5 } else { 4 };
        let mut code = Code::new();
        for (at, mask) in MASKS.into_iter().enumerate().take(n_steps) {
            let mask = [self.constant(mask), self.and()].concat();
            let shift = self.constant(1 << at);
            code.extend([self.a(), shift.clone()].concat());
            code.extend(self.pick(Instruction::I32ShrU, Instruction::I64ShrU));
            code.extend([mask.clone(), self.a(), mask, shift].concat());
            code.extend(self.pick(Instruction::I32Shl, Instruction::I64Shl));
            code.extend(self.pick(Instruction::I32Or, Instruction::I64Or));
            code.push(Instruction::LocalSet(self.locals.a));
        }
        let half = self.constant(i64::from(self.ty.bits()) / 2);
        let rotate = self.pick(Instruction::I32Rotl, Instruction::I64Rotl);
        [code, self.a(), half, rotate].concat()
    }

    fn cmp(self) -> Code {
        let greater = [self.a(), self.b(), self.greater()].concat();
        let less = [self.a(), self.b(), self.less()].concat();
        [greater, less, vec![Instruction::I32Sub]].concat()
    }

    /// In 64 bits, a product of 32-bit operands is exact.
    fn mulh_by_longs(self) -> Code {
        let extend = vec![match self.ty.is_signed() {
            true => Instruction::I64ExtendI32S,
            false => Instruction::I64ExtendI32U,
        }];
        let product = [self.a(), extend.clone(), self.b(), extend].concat();
        let upper = [
            Instruction::I64Mul,
            Instruction::I64Const(32),
            Instruction::I64ShrU,
            Instruction::I32WrapI64,
        ];
        [product, upper.to_vec()].concat()
    }

    /// By products of halves, the upper ones of which have the sign.
    fn mulh_by_halves(self) -> Code {
        let mul = || vec![Instruction::I64Mul];
        let low = |x: Code| [x, self.constant(0xffff_ffff), self.and()].concat();
        let high = |x: Code| {
            let shift = match self.ty.is_signed() {
                true => Instruction::I64ShrS,
                false => Instruction::I64ShrU,
            };
            [x, self.constant(32), vec![shift]].concat()
        };
        let (a_low, a_high) = (low(self.a()), high(self.a()));
        let (b_low, b_high) = (low(self.b()), high(self.b()));
        let carry = [a_low.clone(), b_low.clone(), mul(), self.constant(32)].concat();
        let carry = [carry, vec![Instruction::I64ShrU]].concat();
        let middle = [a_high.clone(), b_low, mul(), carry, self.add()].concat();
        let other = [a_low, b_high.clone(), mul(), low(self.between()), self.add()].concat();
        let upper = [a_high, b_high, mul(), high(self.between()), self.add()].concat();
        [middle, self.keep_between(), upper, high(other), self.add()].concat()
    }

    fn saturated_sum(self) -> Code {
        let sum = [self.a(), self.b(), self.add(), self.keep_between()].concat();
        let result = match self.ty.is_signed() {
            true => {
                // A sum that overflows has another sign than both operands.
                let one = [self.a(), self.between(), self.xor()].concat();
                let other = [self.b(), self.between(), self.xor()].concat();
                self.limited([one, other, self.and()].concat())
            }
            false => {
                let overflows = [self.between(), self.a(), self.less()].concat();
                self.select(self.constant(-1), self.between(), overflows)
            }
        };
        [sum, result].concat()
    }

    fn saturated_difference(self) -> Code {
        let difference = [self.a(), self.b(), self.sub(), self.keep_between()].concat();
        let result = match self.ty.is_signed() {
            true => {
                // A difference that overflows has the sign of the right operand, and not that of
                // the left one.
                let one = [self.a(), self.b(), self.xor()].concat();
                let other = [self.a(), self.between(), self.xor()].concat();
                self.limited([one, other, self.and()].concat())
            }
            false => {
                let overflows = [self.a(), self.b(), self.less()].concat();
                self.select(self.constant(0), self.between(), overflows)
            }
        };
        [difference, result].concat()
    }

    /// What is in between, or, if the highest bit of `overflow` is set, the limit on the side of
    /// the left operand.
    fn limited(self, overflow: Code) -> Code {
        let sign = self.constant(i64::from(self.ty.bits()) - 1);
        let shift = self.pick(Instruction::I32ShrS, Instruction::I64ShrS);
        let largest = self.constant(self.ty.max());
        let limit = [self.a(), sign, shift, largest, self.xor()].concat();
        let overflows = [overflow, self.constant(0), self.less()].concat();
        self.select(limit, self.between(), overflows)
    }
}

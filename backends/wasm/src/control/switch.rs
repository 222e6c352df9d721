//! `switch`: a table if labels lie close together, a chain of comparisons if they do not.

use pathsmith_backend::DenseTable;
use pathsmith_symlang::lang::{ConstOrHole, IntTy, ValueTy, WordTy};
use pathsmith_symlang::{BlockId, ExprId};
use wasm_encoder::{Instruction, ValType};

use crate::function::FunctionWriter;
use crate::types::{NO_SUCH_OPERATOR, constant, is_wide, val_type};

/// Values, in canonical form, and where they branch to.
pub(super) struct Switch {
    cases: Vec<(i64, u32)>,
    default: u32,
}

impl Switch {
    pub(super) fn new(
        cases: &[(ConstOrHole, BlockId)],
        default: BlockId,
        label: impl Fn(BlockId) -> u32,
    ) -> Self {
        let cases = cases.iter().filter_map(|(fill, target)| match fill {
            ConstOrHole::Const(value) => Some((value.word(), label(*target))),
            // Programs with holes are not lowered.
            ConstOrHole::Hole(_) => None,
        });
        Self { cases: cases.collect(), default: label(default) }
    }

    pub(super) fn emit(&self, writer: &mut FunctionWriter<'_>, on: ExprId) {
        let ValueTy::Int(ty) = writer.emit_expr(on) else {
            // The validator refuses anything but integers.
            return writer.push(NO_SUCH_OPERATOR);
        };
        if self.cases.is_empty() {
            writer.push(Instruction::Drop);
            writer.push(Instruction::Br(self.default));
        } else if let Some(table) = self.table(ty, writer.max_table()) {
            self.emit_table(writer, ty, table);
        } else {
            self.emit_chain(writer, ty);
        }
    }

    /// The cases as a table, if it has no more than `max_len` entries.
    fn table(&self, ty: WordTy, max_len: u32) -> Option<DenseTable<u32>> {
        let wide = |(value, label): &(i64, u32)| (IntTy::from(ty).to_wide(*value), *label);
        let cases: Vec<(i128, u32)> = self.cases.iter().map(wide).collect();
        DenseTable::new(&cases, self.default, max_len as usize)
    }

    fn emit_table(&self, writer: &mut FunctionWriter<'_>, ty: WordTy, table: DenseTable<u32>) {
        let (first, len) = (table.first as i64, table.targets.len() as i64);
        if is_wide(ty) {
            let offset = writer.scratch(ValType::I64, 0);
            if first != 0 {
                writer.push(Instruction::I64Const(first));
                writer.push(Instruction::I64Sub);
            }
            // The lower half alone would take values beyond 32 bits for cases.
            writer.push(Instruction::LocalTee(offset));
            writer.push(Instruction::I64Const(len));
            writer.push(Instruction::I64GeU);
            writer.push(Instruction::BrIf(self.default));
            writer.push(Instruction::LocalGet(offset));
            writer.push(Instruction::I32WrapI64);
        } else if first != 0 {
            writer.push(Instruction::I32Const(first as i32));
            writer.push(Instruction::I32Sub);
        }
        writer.push(Instruction::BrTable(table.targets.into(), self.default));
    }

    fn emit_chain(&self, writer: &mut FunctionWriter<'_>, ty: WordTy) {
        let value = writer.scratch(val_type(ty.into()), 0);
        writer.push(Instruction::LocalSet(value));
        for (label_value, label) in &self.cases {
            writer.push(Instruction::LocalGet(value));
            writer.push(constant(ty.into(), *label_value));
            writer.push(if is_wide(ty) { Instruction::I64Eq } else { Instruction::I32Eq });
            writer.push(Instruction::BrIf(*label));
        }
        writer.push(Instruction::Br(self.default));
    }
}

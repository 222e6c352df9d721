//! Calls of the program's functions, and recursion guards that end with one.

use pathsmith_backend::ProgramOptions;
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{RecursionGuard, VarRef};
use wasm_encoder::{BlockType, Instruction};

use crate::function::FunctionWriter;
use crate::options::CallKind;
use crate::types::{constant, loaded, storage_type, val_type};

/// The table that functions are called through; they are in it in the order of the program.
pub(crate) const TABLE: u32 = 0;

impl FunctionWriter<'_> {
    /// Calls a function whose arguments are on the stack; by a tail call, if `is_last`.
    pub(crate) fn emit_call(&mut self, callee: FuncId, is_last: bool) {
        let function_index = self.first_function + callee.index() as u32;
        if self.module_options.function(callee).call == CallKind::Direct {
            self.push(match is_last {
                true => Instruction::ReturnCall(function_index),
                false => Instruction::Call(function_index),
            });
            return;
        }
        let function = self.program.function(callee);
        let params = function.params().iter().map(|param| storage_type(param.ty.cell_ty()));
        let type_index = self.types.index(params.collect(), vec![val_type(function.ret)]);
        self.push(Instruction::I32Const(callee.index() as i32));
        self.push(match is_last {
            true => Instruction::ReturnCallIndirect { type_index, table_index: TABLE },
            false => Instruction::CallIndirect { type_index, table_index: TABLE },
        });
    }

    /// Emits a whole recursion guard: its parameters stay where they come in, and the body is called
    /// last.
    pub(crate) fn emit_guard(&mut self, guard: &RecursionGuard) {
        let (counter, ty) = (VarRef::Global(guard.counter), RecursionGuard::COUNTER_TY);
        // Nothing is in its frame, so it needs none.
        self.frame = 0;
        self.emit_pointer();
        self.emit_load(counter);
        self.push(constant(ty, guard.rounds.into()));
        self.push(Instruction::I32GeU);
        self.push(Instruction::If(BlockType::Empty));
        self.push(loaded(guard.output));
        self.push(Instruction::Return);
        self.push(Instruction::End);
        self.emit_store(counter, ty.into(), |writer| {
            writer.emit_load(counter);
            writer.push(constant(ty, 1));
            writer.push(Instruction::I32Add);
        });
        for at in 0..self.function.params().len() {
            self.push(Instruction::LocalGet(at as u32));
        }
        self.emit_call(guard.body, true);
    }
}

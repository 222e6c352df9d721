//! Modules for people: one call of one function, whose result is checked inside, and no import. Every
//! engine runs them, and a trap says that the result is wrong.

use pathsmith_symlang::lang::{Scalar, WordTy};
use wasm_encoder::{BlockType, Instruction, ValType};

use super::added::Added;
use super::host::Host;
use super::parsed::Parsed;
use super::rewrite;
use super::{WasiError, emit_call, emit_is_wrong};
use crate::module::{WasmCall, WasmModule};
use crate::types::Code;

/// The export that traps if the result is wrong. Engines call it by themselves.
const START: &str = "_start";
/// The export that returns whether the result is wrong.
const TEST: &str = "test";

/// What a stand-alone module looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LooksAt {
    /// What the function returns.
    Result,
    /// What it leaves in memory.
    Memory,
}

impl WasmModule {
    /// A module that imports nothing and makes one call: a realization of a function. Its only call
    /// is of an export that returns 0 if all is well. A new instance needs no reset.
    ///
    /// # Errors
    /// If there is no such realization, or this is not a module as the backend makes it, or the
    /// result is too large.
    pub fn stand_alone(
        &self,
        function: usize,
        realization: usize,
        looks_at: LooksAt,
    ) -> Result<Self, WasiError> {
        let parsed = Parsed::new(&self.bytes, Host::Any)?;
        let is_of = |call: &&WasmCall| (call.function, call.realization) == (function, realization);
        let find = |is_memory: bool| {
            let mut calls = self.calls.iter().filter(is_of);
            let call = calls.find(|call| call.is_memory == is_memory);
            call.ok_or_else(|| WasiError::Module("it has no such call".to_owned()))
        };
        let mut code = Code::new();
        emit_call(&parsed, find(false)?, &mut code)?;
        match looks_at {
            LooksAt::Result => emit_is_wrong(find(false)?, &mut code),
            LooksAt::Memory => {
                code.push(Instruction::Drop);
                emit_call(&parsed, find(true)?, &mut code)?;
                emit_is_wrong(find(true)?, &mut code);
            }
        }
        code.push(Instruction::End);

        let mut added = parsed.missing_crc();
        let test = parsed.n_functions() + added.len() as u32;
        added.push(Added {
            results: vec![ValType::I32],
            export: Some(TEST),
            ..Added::procedure(TEST.to_owned(), code)
        });
        let start = vec![
            Instruction::Call(test),
            Instruction::If(BlockType::Empty),
            Instruction::Unreachable,
            Instruction::End,
            Instruction::End,
        ];
        added.push(Added { export: Some(START), ..Added::procedure(START.to_owned(), start) });
        let call = WasmCall {
            function,
            realization,
            export: TEST.to_owned(),
            args: Vec::new(),
            result: WordTy::I32.into(),
            expected: Scalar::new(WordTy::I32, 0),
            is_memory: false,
        };
        Ok(Self {
            bytes: rewrite::rewritten(&parsed, &added)?,
            tests: self.tests.clone(),
            n_visible: vec![0; self.tests.len()],
            reset: None,
            imports_crc: false,
            n_dispatchers: self.n_dispatchers,
            sources: Vec::new(),
            calls: vec![call],
        })
    }
}

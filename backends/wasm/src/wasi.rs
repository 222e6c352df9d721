//! Self-checking modules: for WASI, where command-line engines run them and their exit status is the
//! answer, and for people, where nothing is imported at all.
//!
//! The functions under test are those of the hosted module, byte for byte except for the numbers of
//! functions. What the host does otherwise is part of the module: `_start` makes the calls, compares
//! the results, and ends with `proc_exit`, which is the only import.

mod added;
mod host;
mod parsed;
mod rewrite;
mod stand_alone;

use std::ops::Range;

use pathsmith_backend::LowerError;
use pathsmith_symlang::lang::{UnOp, ValueTy};
use thiserror::Error;
use wasm_encoder::{BlockType, Ieee32, Ieee64, Instruction};

use self::added::Added;
use self::host::{Host, PROC_EXIT};
use self::parsed::Parsed;
pub use self::stand_alone::LooksAt;
use crate::floats;
use crate::module::{WasmCall, WasmModule, WasmValue};
use crate::types::{Code, bits_ty, constant, is_wide};

/// Which calls a self-checking module makes, and how it reports the first one that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WasiChecks {
    /// The calls, by their numbers in [`WasmModule::calls`]. A call that tells what is left in memory
    /// needs the one before it.
    pub calls: Range<usize>,
    /// The exit status if the first of these calls is wrong; the second has the next one, and so on.
    pub first_status: u8,
    /// Whether the module exits with 0 before the first call. Everything else in it is the same, so
    /// this tells an engine that refuses or cannot compile a module from one that runs it wrong.
    pub loads_only: bool,
}

/// What the exit status of a self-checking module says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasiStatus {
    /// All calls returned what they should.
    Agrees,
    /// This call is the first one that did not.
    Wrong(usize),
    /// The first one that did not is this one or a later one.
    WrongLater(usize),
    /// It is not from the module: the engine ended in its own way.
    Foreign,
}

/// Why no self-checking module can be made.
#[derive(Debug, Error)]
pub enum WasiError {
    /// The module cannot be read, or is not as this backend makes it.
    #[error("the module cannot be made self-checking: {0}")]
    Module(String),
    /// It would be too large for engines.
    #[error(transparent)]
    Limit(#[from] LowerError),
}

impl WasiError {
    fn no_export(name: &str) -> Self {
        Self::Module(format!("it exports no function {name}"))
    }
}

impl WasiChecks {
    /// The exit status of a wrong first call. Engines use small numbers for themselves.
    pub const FIRST_STATUS: u8 = 40;
    /// How many calls have an exit status of their own; all later ones share the next. The last one
    /// is then 100, below the 101 that a Rust program ends with if it panics.
    pub const N_NAMED: usize = 60;

    /// All calls of a module.
    pub fn all(module: &WasmModule) -> Self {
        Self::of(0..module.calls.len())
    }

    /// Some calls of a module.
    pub const fn of(calls: Range<usize>) -> Self {
        Self { calls, first_status: Self::FIRST_STATUS, loads_only: false }
    }

    /// The same calls, none of which are made.
    #[must_use]
    pub fn load_only(&self) -> Self {
        Self { loads_only: true, ..self.clone() }
    }

    /// The same calls with other exit statuses: a status that moves along comes from the module, and
    /// not from the engine.
    #[must_use]
    pub fn shifted(&self) -> Self {
        Self { first_status: self.first_status.saturating_add(1), ..self.clone() }
    }

    /// What an exit status says.
    pub fn meaning(&self, status: i32) -> WasiStatus {
        let later = i32::from(self.first_status) + Self::N_NAMED as i32;
        let at = usize::try_from(status - i32::from(self.first_status));
        match at.map(|at| self.calls.start + at) {
            _ if status == 0 => WasiStatus::Agrees,
            Ok(call) if status < later && self.calls.contains(&call) => WasiStatus::Wrong(call),
            Ok(call) if status == later && self.calls.contains(&call) => {
                WasiStatus::WrongLater(call)
            }
            Ok(_) | Err(_) => WasiStatus::Foreign,
        }
    }

    fn status_of(&self, call: usize) -> i32 {
        let at = call.saturating_sub(self.calls.start).min(Self::N_NAMED);
        i32::from(self.first_status) + at as i32
    }
}

impl WasmModule {
    /// A self-checking WASI module, in its binary form: it exports `_start` and `memory`, and imports
    /// nothing but `wasi_snapshot_preview1.proc_exit`.
    ///
    /// # Errors
    /// If this is not a module as the backend makes it, or the result is too large.
    pub fn self_checking(&self, checks: &WasiChecks) -> Result<Vec<u8>, WasiError> {
        let parsed = Parsed::new(&self.bytes, Host::Wasi)?;
        let mut added = parsed.missing_crc();
        let first = parsed.n_functions() + added.len() as u32;
        let mut start = Code::new();
        if checks.loads_only {
            start.extend([Instruction::I32Const(0), Instruction::Call(PROC_EXIT)]);
        }
        let calls = checks.calls.start..checks.calls.end.min(self.calls.len());
        let numbered = calls.clone().zip(self.calls.get(calls).unwrap_or_default());
        let numbered: Vec<(usize, &WasmCall)> = numbered.collect();
        // One function for all calls of one function, so that none of them gets huge.
        for (index, calls) in (first..).zip(numbered.chunk_by(|a, b| a.1.function == b.1.function))
        {
            let mut code = Code::new();
            for (number, call) in calls {
                self.emit_check(&parsed, call, checks.status_of(*number), &mut code)?;
            }
            code.push(Instruction::End);
            let function = calls.first().map_or(0, |(_, call)| call.function);
            added.push(Added::procedure(format!("ps.check{function}"), code));
            start.push(Instruction::Call(index));
        }
        start.extend(exit(0));
        start.push(Instruction::End);
        added
            .push(Added { export: Some("_start"), ..Added::procedure("_start".to_owned(), start) });
        rewrite::rewritten(&parsed, &added)
    }

    /// Makes a call, and exits if its result is wrong.
    fn emit_check(
        &self,
        parsed: &Parsed<'_>,
        call: &WasmCall,
        status: i32,
        code: &mut Code,
    ) -> Result<(), WasiError> {
        let index = |name: &str| parsed.function(name).ok_or_else(|| WasiError::no_export(name));
        if let Some(reset) = self.reset.as_deref().filter(|_| !call.is_memory) {
            code.push(Instruction::Call(index(reset)?));
        }
        emit_call(parsed, call, code)?;
        emit_is_wrong(call, code);
        code.push(Instruction::If(BlockType::Empty));
        code.extend(exit(status));
        code.push(Instruction::End);
        Ok(())
    }
}

/// Makes a call.
fn emit_call(parsed: &Parsed<'_>, call: &WasmCall, code: &mut Code) -> Result<(), WasiError> {
    code.extend(call.args.iter().map(|arg| match *arg {
        WasmValue::I32(value) => Instruction::I32Const(value),
        WasmValue::I64(value) => Instruction::I64Const(value),
        WasmValue::F32(bits) => Instruction::F32Const(Ieee32::new(bits)),
        WasmValue::F64(bits) => Instruction::F64Const(Ieee64::new(bits)),
    }));
    let index = parsed.function(&call.export);
    code.push(Instruction::Call(index.ok_or_else(|| WasiError::no_export(&call.export))?));
    Ok(())
}

/// Replaces the result of a call by whether it is wrong.
fn emit_is_wrong(call: &WasmCall, code: &mut Code) {
    let ty = match call.result {
        ValueTy::Int(ty) => ty,
        ValueTy::Float(ty) if ty.is_nan(call.expected.word()) => {
            // Any NaN will do: what is not greater than infinity without its sign is none.
            code.extend([floats::unary(UnOp::Abs, ty), floats::to_bits(ty)]);
            code.push(constant(bits_ty(ty).into(), ty.infinity()));
            code.push(if is_wide(bits_ty(ty)) { Instruction::I64LeU } else { Instruction::I32LeU });
            return;
        }
        ValueTy::Float(ty) => {
            // The two zeros differ.
            code.push(floats::to_bits(ty));
            bits_ty(ty)
        }
    };
    code.push(constant(ty.into(), call.raw_expected()));
    code.push(if is_wide(ty) { Instruction::I64Ne } else { Instruction::I32Ne });
}

/// Ends the process. The import does not return, and a trap shows one that does.
fn exit(status: i32) -> [Instruction<'static>; 3] {
    [Instruction::I32Const(status), Instruction::Call(PROC_EXIT), Instruction::Unreachable]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_name_calls() {
        let checks = WasiChecks::of(10..200);
        assert_eq!(checks.meaning(0), WasiStatus::Agrees);
        for call in 10..70 {
            assert_eq!(checks.meaning(checks.status_of(call)), WasiStatus::Wrong(call));
        }
        for call in 70..200 {
            assert_eq!(checks.meaning(checks.status_of(call)), WasiStatus::WrongLater(70));
        }
        assert_eq!(checks.status_of(199), 100);
        for foreign in [1, 2, 39, 101, 124, 134, 139, 255, -1] {
            assert_eq!(checks.meaning(foreign), WasiStatus::Foreign, "{foreign}");
        }
        assert_eq!(checks.shifted().meaning(41), WasiStatus::Wrong(10));
        assert_eq!(checks.shifted().meaning(40), WasiStatus::Foreign);
    }

    /// A status that no call of the module has is not from the module.
    #[test]
    fn few_calls_have_few_statuses() {
        let checks = WasiChecks::of(0..3);
        assert_eq!(checks.meaning(42), WasiStatus::Wrong(2));
        assert_eq!(checks.meaning(43), WasiStatus::Foreign);
        assert_eq!(checks.meaning(100), WasiStatus::Foreign);
    }
}

//! The calls that show whether a module does what it should.

use pathsmith_backend::{LowerError, expected_output};
use pathsmith_symlang::lang::{FloatTy, IntTy, Program, Scalar, ScalarTy, ValueTy, WordTy};

use super::WasmModule;

/// A call of an exported function, and what it has to return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WasmCall {
    /// The function's position in the program.
    pub function: usize,
    /// The realization's position in the function.
    pub realization: usize,
    /// The export.
    pub export: String,
    /// Its arguments.
    pub args: Vec<WasmValue>,
    /// The type that the result has in the program.
    pub result: ValueTy,
    /// The result, as a value of that type.
    pub expected: Scalar,
    /// Whether it tells what the call before it left in memory. Then nothing is reset between the
    /// two, and if that call went wrong, this one says nothing.
    pub is_memory: bool,
}

/// A value of WebAssembly. Floating-point numbers are their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasmValue {
    /// 32 bits.
    I32(i32),
    /// 64 bits.
    I64(i64),
    /// The bits of a binary32.
    F32(u32),
    /// The bits of a binary64.
    F64(u64),
}

impl From<Scalar> for WasmValue {
    fn from(scalar: Scalar) -> Self {
        match scalar.ty() {
            ScalarTy::Int(IntTy::I64 | IntTy::U64) => Self::I64(scalar.word()),
            ScalarTy::Int(
                IntTy::I8 | IntTy::U8 | IntTy::I16 | IntTy::U16 | IntTy::I32 | IntTy::U32,
            ) => Self::I32(scalar.word() as i32),
            ScalarTy::Float(FloatTy::F32) => Self::F32(scalar.word() as u32),
            ScalarTy::Float(FloatTy::F64) => Self::F64(scalar.word() as u64),
        }
    }
}

impl WasmCall {
    /// What an engine returned, as a signed number, as a value of the result's type. If that is a
    /// floating-point type, the number has its bits, and those of any NaN will do.
    pub fn canonical(&self, returned: i64) -> Scalar {
        Scalar::new(self.result, returned)
    }

    /// What an engine has to return, as a signed number, or its bits as one. The bits of a NaN are
    /// those of one of many.
    pub const fn raw_expected(&self) -> i64 {
        match self.result {
            ValueTy::Int(WordTy::I32 | WordTy::U32) | ValueTy::Float(FloatTy::F32) => {
                self.expected.word() as i32 as i64
            }
            ValueTy::Int(WordTy::I64 | WordTy::U64) | ValueTy::Float(FloatTy::F64) => {
                self.expected.word()
            }
        }
    }
}

/// The calls of all realizations of a program.
pub(super) fn calls(program: &Program, n_visible: &[usize]) -> Result<Vec<WasmCall>, LowerError> {
    let mut calls = Vec::new();
    for (i, function) in program.functions.iter().enumerate() {
        for (realization, known) in function.realizations.iter().enumerate() {
            let call = WasmCall {
                function: i,
                realization,
                export: function.name.clone(),
                args: known.args.iter().map(|arg| WasmValue::from(*arg)).collect(),
                result: function.ret,
                expected: expected_output(known)?,
                is_memory: false,
            };
            let memory = known.leaving.map(|crc| WasmCall {
                export: WasmModule::memory_name(&function.name),
                args: Vec::new(),
                result: ValueTy::CHECKSUM,
                expected: Scalar::new(ValueTy::CHECKSUM, crc.into()),
                is_memory: true,
                ..call.clone()
            });
            if realization < n_visible[i] {
                let export = WasmModule::visible_name(&function.name, realization);
                calls.push(WasmCall { export, args: Vec::new(), ..call.clone() });
                calls.extend(memory.clone());
            }
            calls.push(call);
            calls.extend(memory);
        }
    }
    Ok(calls)
}

//! The functions of a module: those of the program, and those that the module adds.

use pathsmith_symlang::lang::Function;
use wasm_encoder::{Instruction, ValType};

use super::WasmModule;
use crate::function::Written;
use crate::helpers::Helper;
use crate::types::{Code, loaded, storage_type, val_type};

/// A function of the module.
pub(super) struct Item {
    pub(super) name: String,
    pub(super) is_exported: bool,
    pub(super) params: Vec<(ValType, String)>,
    pub(super) results: Vec<ValType>,
    pub(super) written: Written,
}

pub(super) fn function_item(function: &Function, written: Written) -> Item {
    let params = function
        .params()
        .iter()
        .map(|param| (storage_type(param.ty.cell_ty()), param.name.clone()));
    Item {
        name: function.name.clone(),
        is_exported: true,
        params: params.collect(),
        results: vec![val_type(function.ret)],
        written,
    }
}

/// A function without parameters that calls another with the arguments of a realization.
pub(super) fn visible_item(
    function: &Function,
    callee: u32,
    realization: usize,
    reset: Option<u32>,
) -> Item {
    let args = &function.realizations[realization].args;
    let reset = reset.map(Instruction::Call).into_iter();
    let mut code: Code = reset.chain(args.iter().map(|arg| loaded(*arg))).collect();
    code.extend([Instruction::Call(callee), Instruction::End]);
    Item {
        name: WasmModule::visible_name(&function.name, realization),
        is_exported: true,
        params: Vec::new(),
        results: vec![val_type(function.ret)],
        written: Written { locals: Vec::new(), code, sources: Vec::new() },
    }
}

/// The function that keeps watched variables where everyone can see them.
pub(super) fn see_item(sink: u32) -> Item {
    let code = vec![Instruction::LocalGet(0), Instruction::GlobalSet(sink), Instruction::End];
    Item {
        name: "ps.see".to_owned(),
        is_exported: false,
        params: vec![(ValType::I64, "value".to_owned())],
        results: Vec::new(),
        written: Written { locals: Vec::new(), code, sources: Vec::new() },
    }
}

pub(super) fn helper_item(helper: Helper, crc_table: Option<u32>) -> Item {
    let (params, result) = helper.signature();
    let locals = match helper {
        Helper::CrcAdd if crc_table.is_none() => vec![(ValType::I32, "bit".to_owned())],
        Helper::Idiom { ty, .. } => vec![(val_type(ty.into()), "between".to_owned())],
        Helper::Bswap { .. }
        | Helper::Choice { .. }
        | Helper::CanonicalBits { .. }
        | Helper::Saturated { .. }
        | Helper::CrcAdd => Vec::new(),
    };
    Item {
        name: helper.name(),
        is_exported: false,
        params: params.into_iter().map(|ty| (ty, String::new())).collect(),
        results: vec![result],
        written: Written { locals, code: helper.body(crc_table), sources: Vec::new() },
    }
}

//! Modules with other functions behind their own.

use std::ops::Range;

use wasm_encoder::{
    CodeSection, ConstExpr, ElementSection, Elements, Encode, EntityType, ExportKind,
    ExportSection, Function, FunctionSection, ImportSection, IndirectNameMap, MemorySection,
    MemoryType, Module, NameMap, NameSection, RawSection, SectionId, StartSection, ValType,
};
use wasmparser::{ExternalKind, FunctionBody, Operator};

use super::WasiError;
use super::added::Added;
use super::host::{Host, PROC_EXIT};
use super::parsed::{Names, Parsed};
use crate::module::limits::{MAX_FUNCTION_SIZE, MAX_FUNCTIONS, check_limit};
use crate::types::Types;

const WASI: &str = "wasi_snapshot_preview1";
const PROC_EXIT_NAME: &str = "proc_exit";

/// Names that engines look for in WASI modules. A function of the program that happens to have one is
/// not exported.
const RESERVED: [&str; 8] =
    ["_start", "_initialize", "memory", "main", "malloc", "free", "__data_end", "__heap_base"];

/// The module with `added` behind its functions, in its binary form.
pub(super) fn rewritten(parsed: &Parsed<'_>, added: &[Added]) -> Result<Vec<u8>, WasiError> {
    let n_functions = parsed.n_functions() as usize + added.len();
    check_limit("the number of functions", n_functions, MAX_FUNCTIONS)?;
    let mut types: Types = parsed.types.clone();
    let mut imports = ImportSection::new();
    if parsed.host == Host::Wasi {
        let exit_type = types.index(vec![ValType::I32], Vec::new());
        imports.import(WASI, PROC_EXIT_NAME, EntityType::Function(exit_type));
    }
    let mut functions = FunctionSection::new();
    let mut exports = ExportSection::new();
    let mut code = CodeSection::new();
    for (ty, body) in parsed.functions.iter().zip(&parsed.bodies) {
        functions.function(*ty);
        code.raw(&renumbered(parsed, body)?);
    }
    for export in parsed.exports.iter().filter(|export| !RESERVED.contains(&export.name)) {
        let (kind, index) = match export.kind {
            ExternalKind::Func if parsed.host == Host::Any => continue,
            ExternalKind::Func => (ExportKind::Func, parsed.renumbered(export.index)),
            ExternalKind::Global => (ExportKind::Global, export.index),
            other => return Err(WasiError::Module(format!("it exports a {other:?}"))),
        };
        exports.export(export.name, kind, index);
    }
    for (index, function) in (parsed.n_functions()..).zip(added) {
        functions.function(types.index(function.params.clone(), function.results.clone()));
        code.function(&body(function)?);
        if let Some(name) = function.export {
            exports.export(name, ExportKind::Func, index);
        }
    }
    if parsed.host == Host::Wasi {
        exports.export("memory", ExportKind::Memory, 0);
    }

    let mut module = Module::new();
    module.section(&types.section);
    if !imports.is_empty() {
        module.section(&imports);
    }
    module.section(&functions);
    copy(parsed, SectionId::Table, &mut module);
    if !copy(parsed, SectionId::Memory, &mut module) && parsed.host == Host::Wasi {
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: 1,
            maximum: Some(1),
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        module.section(&memories);
    }
    copy(parsed, SectionId::Global, &mut module);
    module.section(&exports);
    if let Some(function_index) = parsed.start {
        module.section(&StartSection { function_index });
    }
    if !parsed.elements.is_empty() {
        let mut elements = ElementSection::new();
        for element in &parsed.elements {
            let functions = Elements::Functions(element.functions.as_slice().into());
            // The end of the expression is not part of it here.
            let offset = element.offset.strip_suffix(&[0x0b]).unwrap_or(element.offset);
            let offset = ConstExpr::raw(offset.iter().copied());
            elements.active(element.table, &offset, functions);
        }
        module.section(&elements);
    }
    copy(parsed, SectionId::DataCount, &mut module);
    module.section(&code);
    copy(parsed, SectionId::Data, &mut module);
    module.section(&names(parsed, added));
    Ok(module.finish())
}

/// Copies a section, if there is one.
fn copy(parsed: &Parsed<'_>, id: SectionId, module: &mut Module) -> bool {
    let Some(data) = parsed.sections.get(&(id as u8)) else { return false };
    module.section(&RawSection { id: id as u8, data });
    true
}

/// The body of a function, in which only the numbers of functions change.
fn renumbered(parsed: &Parsed<'_>, body: &FunctionBody<'_>) -> Result<Vec<u8>, WasiError> {
    let old = |range: Range<usize>| parsed.bytes[range].iter().copied();
    let mut bytes = Vec::with_capacity(body.range().len());
    let mut copied = body.range().start;
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let at = operators.original_position();
        let function = match operators.read()? {
            Operator::Call { function_index }
            | Operator::ReturnCall { function_index }
            | Operator::RefFunc { function_index } => function_index,
            _ => continue,
        };
        // The number follows the byte that says what the instruction is.
        bytes.extend(old(copied..at + 1));
        parsed.renumbered(function).encode(&mut bytes);
        copied = operators.original_position();
    }
    bytes.extend(old(copied..body.range().end));
    Ok(bytes)
}

fn body(function: &Added) -> Result<Function, WasiError> {
    let mut body = Function::new_with_locals_types(function.locals.iter().copied());
    for instruction in &function.code {
        body.instruction(instruction);
    }
    let what = format!("the size of {} in bytes", function.name);
    check_limit(&what, body.byte_len(), MAX_FUNCTION_SIZE)?;
    Ok(body)
}

fn names(parsed: &Parsed<'_>, added: &[Added]) -> NameSection {
    let Names { functions, locals, globals } = &parsed.names;
    let mut all = functions.clone();
    if parsed.host == Host::Wasi {
        all.insert(PROC_EXIT, PROC_EXIT_NAME);
    }
    all.extend((parsed.n_functions()..).zip(added.iter().map(|function| function.name.as_str())));
    let name_map = |names: &mut dyn Iterator<Item = (u32, &str)>| {
        let mut map = NameMap::new();
        names.for_each(|(at, name)| map.append(at, name));
        map
    };
    let mut local_names = IndirectNameMap::new();
    for (function, names) in locals {
        local_names.append(*function, &name_map(&mut names.iter().copied()));
    }
    let mut section = NameSection::new();
    section.functions(&name_map(&mut all.into_iter()));
    section.locals(&local_names);
    section.globals(&name_map(&mut globals.iter().copied()));
    section
}

//! The sections of a module.

use std::ops::Range;

use pathsmith_backend::LowerError;
use wasm_encoder::{
    CodeSection, ConstExpr, DataCountSection, DataSection, ElementSection, Elements, EntityType,
    ExportKind, ExportSection, FunctionSection, GlobalSection, GlobalType, ImportSection,
    IndirectNameMap, MemorySection, MemoryType, Module, NameMap, NameSection, RefType,
    StartSection, TableSection, TableType,
};

use super::items::Item;
use super::limits::{MAX_FUNCTION_SIZE, MAX_LOCALS, check_limit};
use super::{HOST_CRC, HOST_MODULE};
use crate::calls::TABLE;
use crate::crc32;
use crate::helpers::Helper;
use crate::layout::{ModuleGlobal, ModuleLayout};
use crate::types::{Types, loaded, storage_type};

/// Encodes a module.
pub(super) fn encode(
    items: &[Item],
    layout: &ModuleLayout,
    mut types: Types,
    table: Option<Range<u32>>,
    imports_crc: bool,
    reset: Option<&str>,
    images: &[u8],
) -> Result<Vec<u8>, LowerError> {
    let mut imports = ImportSection::new();
    let mut functions = FunctionSection::new();
    let mut exports = ExportSection::new();
    let mut code = CodeSection::new();
    let mut names = Names::default();
    let mut start = None;
    if imports_crc {
        let (params, result) = Helper::CrcAdd.signature();
        let ty = types.index(params, vec![result]);
        imports.import(HOST_MODULE, HOST_CRC, EntityType::Function(ty));
        names.functions.append(0, &Helper::CrcAdd.name());
    }
    for (index, item) in (u32::from(imports_crc)..).zip(items) {
        let params = item.params.iter().map(|(ty, _)| *ty).collect();
        functions.function(types.index(params, item.results.clone()));
        if item.is_exported {
            exports.export(&item.name, ExportKind::Func, index);
        }
        if reset == Some(item.name.as_str()) {
            start = Some(StartSection { function_index: index });
        }
        code.function(&body(item)?);
        names.add(index, item);
    }
    if let Some(sink) = layout.sink {
        exports.export("ps.sink", ExportKind::Global, sink);
    }
    for (index, global) in (0..).zip(&layout.module_globals) {
        names.globals.append(index, &global.name);
    }

    let mut module = Module::new();
    module.section(&types.section);
    if imports_crc {
        module.section(&imports);
    }
    module.section(&functions);
    if let Some(table) = &table {
        let n_elements = u64::from(table.end - table.start);
        let mut tables = TableSection::new();
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: n_elements,
            maximum: Some(n_elements),
            shared: false,
        });
        module.section(&tables);
    }
    if layout.n_pages > 0 {
        let pages = u64::from(layout.n_pages);
        let mut memories = MemorySection::new();
        memories.memory(MemoryType {
            minimum: pages,
            maximum: Some(pages),
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        module.section(&memories);
    }
    if !layout.module_globals.is_empty() {
        module.section(&globals(&layout.module_globals));
    }
    module.section(&exports);
    if let Some(start) = start {
        module.section(&start);
    }
    if let Some(table) = table {
        let functions = Elements::Functions(table.collect::<Vec<u32>>().into());
        let mut elements = ElementSection::new();
        elements.active(Some(TABLE), &ConstExpr::i32_const(0), functions);
        module.section(&elements);
    }
    let mut data = DataSection::new();
    if !images.is_empty() {
        data.passive(images.iter().copied());
    }
    if let Some(table) = layout.crc_table {
        let at = ConstExpr::i32_const((layout.static_start + table) as i32);
        data.active(0, &at, crc32::table());
    }
    if !images.is_empty() {
        module.section(&DataCountSection { count: data.len() });
    }
    module.section(&code);
    if !data.is_empty() {
        module.section(&data);
    }
    module.section(&names.section());
    Ok(module.finish())
}

fn body(item: &Item) -> Result<wasm_encoder::Function, LowerError> {
    let locals = &item.written.locals;
    let n_locals = item.params.len() + locals.len();
    check_limit(&format!("the number of locals of {}", item.name), n_locals, MAX_LOCALS)?;
    let types = locals.iter().map(|(ty, _)| *ty);
    let mut function = wasm_encoder::Function::new_with_locals_types(types);
    for instruction in &item.written.code {
        function.instruction(instruction);
    }
    let what = format!("the size of {} in bytes", item.name);
    check_limit(&what, function.byte_len(), MAX_FUNCTION_SIZE)?;
    Ok(function)
}

fn globals(all: &[ModuleGlobal]) -> GlobalSection {
    let mut section = GlobalSection::new();
    for global in all {
        let init = ConstExpr::extended([loaded(global.init)]);
        let val_type = storage_type(global.init.ty());
        let ty = GlobalType { val_type, mutable: true, shared: false };
        section.global(ty, &init);
    }
    section
}

/// What readers of the text see instead of numbers.
#[derive(Default)]
struct Names {
    functions: NameMap,
    locals: IndirectNameMap,
    globals: NameMap,
}

impl Names {
    fn add(&mut self, index: u32, item: &Item) {
        self.functions.append(index, &item.name);
        let mut locals = NameMap::new();
        let all = item.params.iter().chain(&item.written.locals);
        for (at, (_, name)) in (0..).zip(all).filter(|(_, (_, name))| !name.is_empty()) {
            locals.append(at, name);
        }
        self.locals.append(index, &locals);
    }

    fn section(&self) -> NameSection {
        let mut section = NameSection::new();
        section.functions(&self.functions);
        section.locals(&self.locals);
        section.globals(&self.globals);
        section
    }
}

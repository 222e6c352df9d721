//! Modules: the functions of a program, their wrappers, and what they share.

use std::ops::Range;

use pathsmith_backend::{LowerError, ProgramOptions, expected_output};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{
    Function, IntTy, Program, RecursionGuard, Scalar, ScalarTy, ValueTy, WordTy,
};
use thiserror::Error;
use wasm_encoder::{
    CodeSection, ConstExpr, DataCountSection, DataSection, ElementSection, Elements, EntityType,
    ExportKind, ExportSection, FunctionSection, GlobalSection, GlobalType, ImportSection,
    IndirectNameMap, Instruction, MemorySection, MemoryType, Module, NameMap, NameSection, RefType,
    StartSection, TableSection, TableType, ValType,
};

use crate::calls::TABLE;
use crate::control::{Graph, emit_body};
use crate::crc32;
use crate::function::{FunctionWriter, Shared, Written, returned_scalars};
use crate::helpers::{Helper, Helpers};
use crate::layout::{ModuleGlobal, ModuleLayout};
use crate::options::{CallKind, Checksum, FunctionOptions, MAX_RESULTS, Returns, WasmOptions};
use crate::types::{Code, Types, loaded, storage_type, val_type};

/// A program as a WebAssembly module.
///
/// Each function is exported by its name. Parameters and results are `i32` or `i64`; narrow types
/// come as `i32`, sign-extended or zero-extended. A call that traps leaves globals and memory as
/// they are, so what comes after it needs a new instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WasmModule {
    /// The module in its binary form.
    pub bytes: Vec<u8>,
    /// The functions and how many realizations they have, in the order of the program.
    pub tests: Vec<(String, usize)>,
    /// How many of the realizations of each function, from the first on, are also exported as
    /// functions without parameters; see [`visible_name`](Self::visible_name).
    pub n_visible: Vec<usize>,
    /// The exported function that resets the program's globals to their initial values, as every
    /// realization needs them. It is also the start function.
    pub reset: Option<String>,
    /// Whether the module imports `ps.crc_add`: checksum, value, number of bytes; it returns the
    /// checksum with the lowest bytes of the value added.
    pub imports_crc: bool,
    /// How many dispatch loops there are, in all functions.
    pub n_dispatchers: usize,
    /// All calls that show whether the module does what it should: every realization with its
    /// arguments, and the visible ones without.
    pub calls: Vec<WasmCall>,
}

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

/// A value of WebAssembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WasmValue {
    /// 32 bits.
    I32(i32),
    /// 64 bits.
    I64(i64),
}

impl From<Scalar> for WasmValue {
    fn from(scalar: Scalar) -> Self {
        match scalar.ty() {
            ScalarTy::Int(IntTy::I64 | IntTy::U64) => Self::I64(scalar.word()),
            ScalarTy::Int(
                IntTy::I8 | IntTy::U8 | IntTy::I16 | IntTy::U16 | IntTy::I32 | IntTy::U32,
            ) => Self::I32(scalar.word() as i32),
        }
    }
}

impl WasmCall {
    /// What an engine returned, as a signed number, as a value of the result's type.
    pub fn canonical(&self, returned: i64) -> Scalar {
        match self.result {
            ValueTy::Int(ty) => Scalar::new(ty, returned),
        }
    }

    /// What an engine has to return, as a signed number.
    pub const fn raw_expected(&self) -> i64 {
        match self.result {
            ValueTy::Int(WordTy::I32 | WordTy::U32) => self.expected.word() as i32 as i64,
            ValueTy::Int(WordTy::I64 | WordTy::U64) => self.expected.word(),
        }
    }
}

/// The calls of all realizations of a program.
fn calls(program: &Program, n_visible: &[usize]) -> Result<Vec<WasmCall>, LowerError> {
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

/// Why a module has no text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the module cannot be printed: {0}")]
pub struct WatError(String);

impl WasmModule {
    /// The module as text.
    ///
    /// # Errors
    /// What keeps it from being printed, which means that it is not a module.
    pub fn wat(&self) -> Result<String, WatError> {
        wasmprinter::print_bytes(&self.bytes).map_err(|error| WatError(error.to_string()))
    }

    /// The name of the exported function that calls `function` with the arguments of one of its
    /// realizations. It resets the program's globals first.
    pub fn visible_name(function: &str, realization: usize) -> String {
        format!("{function}.visible{realization}")
    }

    /// The name of the exported function that returns the checksum of the globals that `function`
    /// names. There is one if a realization says what is left in them.
    pub fn memory_name(function: &str) -> String {
        format!("{function}.memory")
    }
}

/// The limits that engines agree on.
const MAX_PARAMS: usize = 1_000;
const MAX_LOCALS: usize = 50_000;
const MAX_GLOBALS: usize = 1_000_000;
const MAX_FUNCTIONS: usize = 1_000_000;
const MAX_FUNCTION_SIZE: usize = 7_654_321;

/// Where the host finds the import.
const HOST_MODULE: &str = "ps";
const HOST_CRC: &str = "crc_add";

/// A function of the module.
struct Item {
    name: String,
    is_exported: bool,
    params: Vec<(ValType, String)>,
    results: Vec<ValType>,
    written: Written,
}

/// Lowers a program with options that fit it.
pub(crate) fn module(program: &Program, options: &WasmOptions) -> Result<WasmModule, LowerError> {
    let layout = ModuleLayout::new(program, options);
    check_limit("the number of globals", layout.module_globals.len(), MAX_GLOBALS)?;
    let n_functions = program.functions.len();
    let n_visible: Vec<usize> = program
        .functions_with_ids()
        .map(|(id, f)| f.realizations.len().min(options.function(id).n_visible as usize))
        .collect();
    let returns_many = |id: FuncId| options.function(id).returns == Returns::Multi;
    let inner: Vec<FuncId> =
        program.functions_with_ids().map(|(id, _)| id).filter(|id| returns_many(*id)).collect();
    let imports_crc = options.checksum == Checksum::Host;
    let first_function = u32::from(imports_crc);
    let has_reset = !program.globals.is_empty();
    let says_memory =
        |function: &Function| function.realizations.iter().any(|known| known.leaving.is_some());
    let observed: Vec<&Function> =
        program.functions.iter().filter(|function| says_memory(function)).collect();
    let reset_at = n_functions + inner.len() + n_visible.iter().sum::<usize>();
    let see_at = reset_at + usize::from(has_reset) + observed.len();
    let n_ours = see_at + usize::from(layout.sink.is_some());
    check_limit("the number of functions", n_ours, MAX_FUNCTIONS)?;
    let mut shared = Shared {
        program,
        layout: &layout,
        first_function,
        see: first_function + see_at as u32,
        helpers: Helpers::new(first_function + n_ours as u32, options.checksum),
        module_options: options,
        types: Types::default(),
        images: Vec::new(),
    };

    let mut items = Vec::with_capacity(n_ours);
    let mut n_dispatchers = 0;
    let mut inner_items = Vec::new();
    for (id, function) in program.functions_with_ids() {
        let (written, n) = write_function(&mut shared, id, options.function(id))?;
        n_dispatchers += n;
        let item = function_item(function, written);
        if !returns_many(id) {
            items.push(item);
            continue;
        }
        let inner_at = first_function + (n_functions + inner_items.len()) as u32;
        let mut wrapper = FunctionWriter::new_wrapper(&mut shared, id, options.function(id));
        wrapper.emit_wrapper(inner_at);
        items.push(function_item(function, wrapper.finish()));
        let scalars = returned_scalars(program, function).into_iter().map(|id| function.var(id));
        let results: Vec<ValType> = scalars.map(|var| storage_type(var.ty.cell_ty())).collect();
        let what = format!("the number of results of {}", function.name);
        check_limit(&what, results.len(), MAX_RESULTS)?;
        let name = format!("{}.values", function.name);
        inner_items.push(Item { name, is_exported: false, results, ..item });
    }
    items.append(&mut inner_items);
    for ((id, function), n) in program.functions_with_ids().zip(&n_visible) {
        let callee = first_function + id.index() as u32;
        let reset = has_reset.then_some(first_function + reset_at as u32);
        items.extend((0..*n).map(|at| visible_item(function, callee, at, reset)));
    }
    let reset = has_reset.then(|| reset_name(program));
    if let Some(name) = reset.clone() {
        let plain = FunctionOptions::default();
        let mut writer = FunctionWriter::new_harness(&mut shared, &plain);
        writer.emit_reset();
        let (params, results, written) = (Vec::new(), Vec::new(), writer.finish());
        items.push(Item { name, is_exported: true, params, results, written });
    }
    for function in observed {
        let plain = FunctionOptions::default();
        let mut writer = FunctionWriter::new_harness(&mut shared, &plain);
        writer.emit_memory(program.globals_named(function));
        let (name, params) = (WasmModule::memory_name(&function.name), Vec::new());
        let (results, written) = (vec![val_type(ValueTy::CHECKSUM)], writer.finish());
        items.push(Item { name, is_exported: true, params, results, written });
    }
    items.extend(layout.sink.map(see_item));
    let crc_table = layout.crc_table.map(|table| layout.static_start + table);
    items.extend(shared.helpers.used().iter().map(|helper| helper_item(*helper, crc_table)));

    let images = std::mem::take(&mut shared.images);
    let types = std::mem::take(&mut shared.types);
    let has_table =
        program.functions_with_ids().any(|(id, _)| options.function(id).call == CallKind::Table);
    let table = has_table.then(|| first_function..first_function + n_functions as u32);
    let bytes = encode(&items, &layout, types, table, imports_crc, reset.as_deref(), &images)?;
    let tests = program.functions.iter().map(|f| (f.name.clone(), f.realizations.len())).collect();
    let calls = calls(program, &n_visible)?;
    Ok(WasmModule { bytes, tests, n_visible, reset, imports_crc, n_dispatchers, calls })
}

fn write_function(
    shared: &mut Shared<'_>,
    id: FuncId,
    options: &FunctionOptions,
) -> Result<(Written, usize), LowerError> {
    let function = shared.program.function(id);
    let what = format!("the number of parameters of {}", function.name);
    check_limit(&what, function.params().len(), MAX_PARAMS)?;
    // A valid function has a graph, and so has what becomes of it.
    let no_graph = |error| LowerError::Options(format!("the graph of {}: {error}", function.name));
    let cfg = function.cfg().map_err(no_graph)?;
    let graph = Graph::new(cfg, options.control).map_err(no_graph)?;
    let guard = RecursionGuard::of(shared.program, id).filter(|_| options.tail_calls);
    let mut writer = FunctionWriter::new(shared, id, options);
    if let Some(guard) = guard {
        writer.emit_guard(&guard);
        return Ok((writer.finish(), 0));
    }
    writer.emit_prologue();
    emit_body(&mut writer, &graph);
    Ok((writer.finish(), graph.n_dispatchers()))
}

fn function_item(function: &Function, written: Written) -> Item {
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
fn visible_item(function: &Function, callee: u32, realization: usize, reset: Option<u32>) -> Item {
    let args = &function.realizations[realization].args;
    let reset = reset.map(Instruction::Call).into_iter();
    let mut code: Code = reset.chain(args.iter().map(|arg| loaded(*arg))).collect();
    code.extend([Instruction::Call(callee), Instruction::End]);
    Item {
        name: WasmModule::visible_name(&function.name, realization),
        is_exported: true,
        params: Vec::new(),
        results: vec![val_type(function.ret)],
        written: Written { locals: Vec::new(), code },
    }
}

/// The function that keeps watched variables where everyone can see them.
fn see_item(sink: u32) -> Item {
    let code = vec![Instruction::LocalGet(0), Instruction::GlobalSet(sink), Instruction::End];
    Item {
        name: "ps.see".to_owned(),
        is_exported: false,
        params: vec![(ValType::I64, "value".to_owned())],
        results: Vec::new(),
        written: Written { locals: Vec::new(), code },
    }
}

fn helper_item(helper: Helper, crc_table: Option<u32>) -> Item {
    let (params, result) = helper.signature();
    let locals = match helper {
        Helper::CrcAdd if crc_table.is_none() => vec![(ValType::I32, "bit".to_owned())],
        Helper::Idiom { ty, .. } => vec![(val_type(ty.into()), "between".to_owned())],
        Helper::Bswap { .. } | Helper::Choice { .. } | Helper::CrcAdd => Vec::new(),
    };
    Item {
        name: helper.name(),
        is_exported: false,
        params: params.into_iter().map(|ty| (ty, String::new())).collect(),
        results: vec![result],
        written: Written { locals, code: helper.body(crc_table) },
    }
}

/// A name that no function of the program has.
fn reset_name(program: &Program) -> String {
    match program.function_named("reset") {
        Some(_) => "reset.globals".to_owned(),
        None => "reset".to_owned(),
    }
}

fn check_limit(what: &str, actual: usize, limit: usize) -> Result<(), LowerError> {
    pathsmith_backend::check_limit(crate::NAME, || what.to_owned(), actual, limit)
}

fn encode(
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

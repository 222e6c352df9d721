//! Modules: the functions of a program, their wrappers, and what they share.

mod encode;
mod items;
pub(crate) mod limits;
mod print;
mod test_calls;

use pathsmith_backend::{LowerError, ProgramOptions};
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Function, Program, RecursionGuard, ValueTy};
use thiserror::Error;
use wasm_encoder::ValType;

pub use print::SourceRange;
pub use test_calls::{WasmCall, WasmValue};

use self::encode::encode;
use self::items::{Item, function_item, helper_item, see_item, visible_item};
use self::limits::{MAX_FUNCTIONS, MAX_GLOBALS, MAX_PARAMS, check_limit};
use crate::control::{Graph, emit_body};
use crate::function::{FunctionWriter, Shared, Written, returned_scalars};
use crate::helpers::Helpers;
use crate::layout::ModuleLayout;
use crate::options::{CallKind, Checksum, FunctionOptions, MAX_RESULTS, Returns, WasmOptions};
use crate::types::{Types, storage_type, val_type};

/// A program as a WebAssembly module.
///
/// Each function is exported by its name. Parameters and results are `i32`, `i64`, `f32` or `f64`;
/// narrow types come as `i32`, sign-extended or zero-extended. A call that traps leaves globals and memory as
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
    /// Which block instructions come from, for readers of the text.
    pub sources: Vec<SourceRange>,
    /// All calls that show whether the module does what it should: every realization with its
    /// arguments, and the visible ones without.
    pub calls: Vec<WasmCall>,
}

/// Why a module has no text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the module cannot be printed: {0}")]
pub struct WatError(String);

impl WasmModule {
    /// The module as text. A comment names the block that instructions come from.
    ///
    /// # Errors
    /// What keeps it from being printed, which means that it is not a module.
    pub fn wat(&self) -> Result<String, WatError> {
        print::print(&self.bytes, &self.sources).map_err(WatError)
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

/// Where the host finds the import.
pub(crate) const HOST_MODULE: &str = "ps";
pub(crate) const HOST_CRC: &str = "crc_add";

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
    let calls = test_calls::calls(program, &n_visible)?;
    let sources = source_ranges(items);
    Ok(WasmModule { bytes, tests, n_visible, reset, imports_crc, n_dispatchers, sources, calls })
}

fn source_ranges(items: Vec<Item>) -> Vec<SourceRange> {
    let ranges = items.into_iter().enumerate().flat_map(|(function, item)| {
        let sources = item.written.sources.into_iter();
        sources.map(move |(instruction, source)| SourceRange { function, instruction, source })
    });
    ranges.collect()
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

/// A name that no function of the program has.
fn reset_name(program: &Program) -> String {
    match program.function_named("reset") {
        Some(_) => "reset.globals".to_owned(),
        None => "reset".to_owned(),
    }
}

//! Whole files: functions, what calls them, and `main`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pathsmith_backend::{LowerError, ProgramOptions, expected_output};
use pathsmith_symlang::lang::{
    Calls, FloatTy, Function, IntTy, Program, Realization, Scalar, ScalarTy, ValueTy, WordTy,
};
use pathsmith_symlang::{FuncId, GlobalId};

use crate::call_limit::call_limits;
use crate::constant::is_global_table;
use crate::floats::{Callee, FloatForms, FloatOp, are_observed, are_used};
use crate::function::{assignments, declaration, function_text, initializer, push_line, signature};
use crate::helpers::Helper;
use crate::names::Names;
use crate::options::{COptions, CallKind, FileLayout, Inputs, Storage};
use crate::types::{type_name, value};

/// What every file begins with.
const PRELUDE: &str = include_str!("runtime/prelude.c");
/// What comes next if a program computes with floating-point numbers.
const FLOATS: &str = include_str!("runtime/floats.c");
/// The tests' `main`.
const HARNESS: &str = concat!(
    include_str!("runtime/harness_begin.c"),
    include_str!("runtime/harness_values.c"),
    include_str!("runtime/harness_end.c")
);
/// The same for programs that return floating-point numbers or keep them in globals.
const FLOAT_HARNESS: &str = concat!(
    include_str!("runtime/harness_begin.c"),
    include_str!("runtime/harness_float_values.c"),
    include_str!("runtime/harness_end.c")
);
/// How tests say of which type a result is: the harness has names for those beyond 1.
const FLOAT_RESULT: u8 = 2;
const DOUBLE_RESULT: u8 = 3;

/// A program in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CSource {
    /// The files with the functions in them, which are what a compiler is tested with.
    pub files: Vec<CFile>,
    /// The file with `main` in it, unless that is in one of the others. It is the same for all
    /// programs, or for all that return floating-point numbers or keep them in globals.
    pub harness: Option<CFile>,
    /// The functions with what each of their realizations has to do, in the order in which `main`
    /// runs them.
    pub tests: Vec<CTest>,
    /// How many milliseconds all calls may run together: one of each function may not end, and
    /// the others of that function are left out then.
    pub call_limits: usize,
}

/// What is expected of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CTest {
    /// Its name in the program.
    pub name: String,
    /// What its realizations have to return and leave, in order.
    pub expected: Vec<CExpected>,
}

/// What is expected of a realization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CExpected {
    /// What it has to return. `main` reports results in this canonical form, in 64 bits.
    pub value: Scalar,
    /// The checksum of what it has to leave in the globals that the function names, if known.
    pub leaving: Option<u32>,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CFile {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub text: String,
}

impl CSource {
    /// The file with `main` in it that programs of several files have.
    fn harness_file(harness: &str) -> CFile {
        CFile { name: "harness.c".to_owned(), text: format!("{PRELUDE}\n{harness}") }
    }

    /// How many realizations it has.
    pub fn n_realizations(&self) -> usize {
        self.tests.iter().map(|test| test.expected.len()).sum()
    }

    /// All files.
    pub fn all_files(&self) -> impl Iterator<Item = &CFile> {
        self.files.iter().chain(&self.harness)
    }
}

pub(crate) fn source(program: &Program, options: &COptions) -> Result<CSource, LowerError> {
    let names = Names::new(program, options);
    let calls = Calls::new(program);
    let ids: Vec<FuncId> = program.functions_with_ids().map(|(id, _)| id).collect();
    let limits = call_limits(program);
    let unit = |ids: &[FuncId], has_globals| {
        let unit = Unit { program, names: &names, options, calls: &calls, limits: &limits };
        unit.text(ids, has_globals)
    };
    let tests = program.functions.iter().map(expected).collect::<Result<Vec<CTest>, _>>()?;
    let call_limits = limits.iter().sum();
    let harness = if are_observed(program) { FLOAT_HARNESS } else { HARNESS };
    let file = |name: &str, text: String| CFile { name: name.to_owned(), text };
    Ok(match options.layout {
        FileLayout::OneFile => {
            let text = format!("{}\n{}\n{harness}", unit(&ids, true)?, test_table(&names, &ids));
            CSource { files: vec![file("test.c", text)], harness: None, tests, call_limits }
        }
        FileLayout::TwoFiles => {
            let text = format!("{}\n{}", unit(&ids, true)?, test_table(&names, &ids));
            CSource {
                files: vec![file("test.c", text)],
                harness: Some(CSource::harness_file(harness)),
                tests,
                call_limits,
            }
        }
        FileLayout::FilePerFunction => {
            let mut files = Vec::with_capacity(ids.len() + 1);
            for id in &ids {
                files.push(file(&format!("{}.c", names.function(*id)), unit(&[*id], false)?));
            }
            let mut table = PRELUDE.to_owned();
            for id in &ids {
                let _ =
                    writeln!(table, "extern const struct ps_test ps_test_{};", names.function(*id));
            }
            let globals = Unit { program, names: &names, options, calls: &calls, limits: &limits };
            globals.globals(&mut table, true);
            table.push_str(&test_table(&names, &ids));
            files.push(file("tests.c", table));
            let harness = Some(CSource::harness_file(harness));
            CSource { files, harness, tests, call_limits }
        }
    })
}

/// What is expected of a function.
fn expected(function: &Function) -> Result<CTest, LowerError> {
    let expected = function
        .realizations
        .iter()
        .map(|known| Ok(CExpected { value: expected_output(known)?, leaving: known.leaving }));
    Ok(CTest {
        name: function.name.clone(),
        expected: expected.collect::<Result<_, LowerError>>()?,
    })
}

/// The table of all tests, for `main`.
fn test_table(names: &Names, ids: &[FuncId]) -> String {
    let mut out = String::from("const struct ps_test *const ps_tests[] = {\n");
    for id in ids {
        push_line(&mut out, 1, &format!("&ps_test_{},", names.function(*id)));
    }
    out.push_str("};\n");
    let _ = writeln!(out, "const int ps_n_tests = {};", ids.len());
    out
}

/// One file.
struct Unit<'a> {
    program: &'a Program,
    names: &'a Names,
    options: &'a COptions,
    /// How many milliseconds a call of each function may run.
    limits: &'a [usize],
    calls: &'a Calls,
}

impl Unit<'_> {
    /// The functions `ids` and their tests.
    fn text(&self, ids: &[FuncId], has_globals: bool) -> Result<String, LowerError> {
        let mut functions = String::new();
        let mut helpers: BTreeSet<Helper> = BTreeSet::new();
        let mut definitions: BTreeMap<String, String> = BTreeMap::new();
        for id in ids {
            let text = function_text(self.program, self.names, *id, self.options, self.calls);
            helpers.extend(text.helpers);
            definitions.extend(text.definitions);
            functions.push('\n');
            functions.push_str(&text.variables);
            functions.push_str(&text.definition);
        }
        let mut out = String::new();
        for doc in &self.program.docs {
            let _ = writeln!(out, "// {doc}");
        }
        out.push_str(PRELUDE);
        if are_used(self.program) {
            out.push_str(FLOATS);
        }
        for id in ids {
            self.conversions(*id, &mut definitions);
        }
        for text in helpers
            .iter()
            .map(|helper| helper.text())
            .chain(definitions.values().map(|text| &text[..]))
        {
            out.push_str(text);
            out.push('\n');
        }
        self.globals(&mut out, has_globals);
        // All of them can be called from here, whichever file they are in.
        let has_pointer = self.options.functions.iter().any(|f| f.call != CallKind::Direct);
        if self.program.functions.len() > 1 || has_pointer {
            let here: BTreeSet<&FuncId> = ids.iter().collect();
            for (id, _) in self.program.functions_with_ids() {
                let options = self.options.function(id);
                let is_here = here.contains(&id) || !options.linkage.is_internal();
                if is_here {
                    let _ = writeln!(out, "{};", signature(self.program, self.names, id, options));
                    self.pointer(&mut out, id);
                }
            }
        }
        out.push_str(&functions);
        for id in ids {
            self.test(&mut out, *id)?;
        }
        Ok(out)
    }

    /// The pointer that a function is called through, if it is.
    fn pointer(&self, out: &mut String, id: FuncId) {
        let qualifier = match self.options.function(id).call {
            CallKind::Direct => return,
            CallKind::Pointer => "",
            CallKind::VolatilePointer => "volatile ",
        };
        let function = self.program.function(id);
        let params: Vec<&str> =
            function.params().iter().map(|param| type_name(param.ty.cell_ty())).collect();
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let _ = writeln!(
            out,
            "__attribute__((unused)) static {} (*{qualifier}{})({params}) = {};",
            type_name(function.ret.into()),
            self.names.callee(id),
            self.names.function(id),
        );
    }

    /// The program's globals: defined here, or known to be defined elsewhere.
    fn globals(&self, out: &mut String, defined: bool) {
        for (i, global) in self.program.globals.iter().enumerate() {
            let id = GlobalId::new(i);
            let placement = self.options.global(id);
            let declared = declaration(self.names.global(id), &global.ty, placement.volatile);
            let declared = match self.is_constant(id) {
                true => format!("const {declared}"),
                false => declared,
            };
            let _ = match (defined, placement.storage) {
                (true, Storage::Static) => {
                    writeln!(out, "static {declared} = {};", initializer(global))
                }
                (true, _) => writeln!(out, "{declared} = {};", initializer(global)),
                (false, _) => writeln!(out, "extern {declared};"),
            };
        }
    }

    /// Whether a global is a constant table.
    fn is_constant(&self, id: GlobalId) -> bool {
        self.options.global(id).constant && is_global_table(self.program, id)
    }

    /// Writes the function that resets the globals that a function can reach to their initial
    /// values, before every realization of it. Gives its name, or 0 if there are none.
    fn reset(&self, out: &mut String, id: FuncId) -> String {
        let globals = self.calls.globals_reached(self.program, id);
        if globals.is_empty() {
            return "0".to_owned();
        }
        let name = format!("ps_reset_{}", self.names.function(id));
        let _ = writeln!(out, "\nstatic void {name}(void)\n{{");
        for id in globals.into_iter().filter(|id| !self.is_constant(*id)) {
            push_line(out, 1, "{");
            for assignment in assignments(self.names.global(id), self.program.global(id)) {
                push_line(out, 2, &assignment);
            }
            push_line(out, 1, "}");
        }
        out.push_str("}\n");
        name
    }

    /// Adds what the tests of a function pass floating-point numbers on with.
    fn conversions(&self, id: FuncId, definitions: &mut BTreeMap<String, String>) {
        let function = self.program.function(id);
        let mut needs = |op: FloatOp, ty: ValueTy| {
            if let ValueTy::Float(ty) = ty
                && let Callee { name, text: Some(text) } = in_tests(op, ty)
            {
                definitions.insert(name, text);
            }
        };
        needs(FloatOp::Canonical, function.ret);
        for param in function.params() {
            needs(FloatOp::FromBits, param.ty.cell_ty().widened());
        }
    }

    /// What `main` has to know to test a function: its realizations, and how it is called.
    fn test(&self, out: &mut String, id: FuncId) -> Result<(), LowerError> {
        let function = self.program.function(id);
        let (name, options) = (self.names.function(id), self.options.function(id));
        let n_params = function.params().len();
        let has_params = n_params > 0;
        let realizations = &function.realizations;
        let n_visible = (options.n_visible as usize).min(realizations.len());
        if has_params {
            let _ = writeln!(out, "\nstatic const volatile int64_t ps_in_{name}[] = {{");
            for (i, realization) in realizations.iter().enumerate() {
                let args = realization.args.iter().map(|arg| passed(IntTy::I64, *arg));
                let args: Vec<String> = args.collect();
                push_line(out, 1, &format!("/* {i} */ {},", args.join(", ")));
            }
            if realizations.is_empty() {
                push_line(out, 1, "0");
            }
            out.push_str("};\n");
        }
        let outputs: Vec<String> = realizations
            .iter()
            .map(|realization| Ok(passed(IntTy::U64, expected_output(realization)?)))
            .collect::<Result<_, LowerError>>()?;
        let outputs = if outputs.is_empty() { "0".to_owned() } else { outputs.join(", ") };
        let _ = writeln!(out, "static const volatile uint64_t ps_out_{name}[] = {{{outputs}}};");

        let _ = writeln!(out, "static uint64_t ps_run_{name}(int ps_n, const int64_t *ps_in)\n{{");
        let result = |args: &[String]| {
            let call = format!("{name}({})", args.join(", "));
            match function.ret {
                ValueTy::Int(ty) if ty.is_signed() => format!("return (uint64_t)(int64_t){call};"),
                ValueTy::Int(_) => format!("return (uint64_t){call};"),
                ValueTy::Float(ty) => {
                    format!("return {}({call});", in_tests(FloatOp::Canonical, ty).name)
                }
            }
        };
        if n_visible > 0 {
            push_line(out, 1, "switch (ps_n) {");
            for (i, realization) in realizations.iter().take(n_visible).enumerate() {
                let args: Vec<String> = realization.args.iter().map(|arg| value(*arg)).collect();
                push_line(out, 1, &format!("case {i}:"));
                push_line(out, 2, &result(&args));
            }
            push_line(out, 1, "default:");
            push_line(out, 2, "break;");
            push_line(out, 1, "}");
        }
        let args: Vec<String> = function
            .params()
            .iter()
            .enumerate()
            .map(|(i, param)| {
                let word = match options.inputs {
                    Inputs::Volatile => format!("ps_in_{name}[ps_n * {n_params} + {i}]"),
                    Inputs::OtherUnit => format!("ps_in[{i}]"),
                };
                match param.ty.cell_ty() {
                    ScalarTy::Int(ty) => format!("({}){word}", type_name(ty.into())),
                    ScalarTy::Float(ty) => {
                        let bits = type_name(IntTy::from_word(bits_ty(ty)).into());
                        format!("{}(({bits}){word})", in_tests(FloatOp::FromBits, ty).name)
                    }
                }
            })
            .collect();
        push_line(out, 1, "(void)ps_n;");
        push_line(out, 1, "(void)ps_in;");
        push_line(out, 1, &result(&args));
        out.push_str("}\n");

        let reset = self.reset(out, id);
        let (leaving, objects) = self.memory(out, id);
        let linkage =
            if self.options.layout == FileLayout::FilePerFunction { "" } else { "static " };
        let inputs = if has_params { format!("ps_in_{name}") } else { "0".to_owned() };
        let is_signed = match function.ret {
            ValueTy::Int(ty) => u8::from(ty.is_signed()),
            ValueTy::Float(FloatTy::F32) => FLOAT_RESULT,
            ValueTy::Float(FloatTy::F64) => DOUBLE_RESULT,
        };
        let _ = writeln!(
            out,
            "{linkage}const struct ps_test ps_test_{name} = {{\n    \"{}\", ps_run_{name}, {inputs}, \
             ps_out_{name}, {n_params}, {}, {}, {is_signed}, {reset}, {leaving}, \
             {objects}\n}};",
            function.name,
            realizations.len(),
            self.limits[id.index()],
        );
        Ok(())
    }
}

impl Unit<'_> {
    /// Writes what `main` has to know of the memory that a function leaves behind: checksums, and
    /// which objects they are of. Gives how the test refers to them.
    fn memory(&self, out: &mut String, id: FuncId) -> (String, String) {
        let (function, name) = (self.program.function(id), self.names.function(id));
        if function.realizations.iter().all(|known| known.leaving.is_none()) {
            return ("0".to_owned(), "0, 0".to_owned());
        }
        let leaving =
            |known: &Realization| known.leaving.map_or("-1".into(), |crc| crc.to_string());
        let leaving: Vec<String> = function.realizations.iter().map(leaving).collect();
        let leaving = leaving.join(", ");
        let _ = writeln!(out, "static const volatile int64_t ps_leaving_{name}[] = {{{leaving}}};");
        let objects = self.program.globals_named(function);
        let _ = writeln!(out, "static const struct ps_object ps_objects_{name}[] = {{");
        for global in &objects {
            let ty = &self.program.global(*global).ty;
            let (name, n_bytes) = (self.names.global(*global), ty.cell_ty().bits() / 8);
            let sign = if ty.cell_ty().as_int().is_some() { "" } else { "-" };
            push_line(out, 1, &format!("{{&{name}, {}, {sign}{n_bytes}}},", ty.n_cells()));
        }
        if objects.is_empty() {
            push_line(out, 1, "{0, 0, 0}");
        }
        out.push_str("};\n");
        (format!("ps_leaving_{name}"), format!("ps_objects_{name}, {}", objects.len()))
    }
}

/// What tests call to pass numbers on as their bits, in its first form.
fn in_tests(op: FloatOp, ty: FloatTy) -> Callee {
    FloatForms::default().callee(op, ty)
}

/// The type of a number's bits.
const fn bits_ty(ty: FloatTy) -> WordTy {
    match ty {
        FloatTy::F32 => WordTy::U32,
        FloatTy::F64 => WordTy::U64,
    }
}

/// A literal for an argument or an output as the harness passes it on, in 64 bits: integers as they
/// are, and the bits of other numbers.
fn passed(harness_ty: IntTy, scalar: Scalar) -> String {
    value(Scalar::new(harness_ty, scalar.word()))
}

//! The choices that are open when a program becomes a WebAssembly module.

use std::sync::LazyLock;

use pathsmith_backend::{
    FunctionContext, FunctionIn, LowerError, PerFunction, PerVar, ProgramOptions, by_name,
    moved_vars,
};
use pathsmith_symlang::lang::{Function, Return};
use pathsmith_symlang::{VarId, knobs};
use serde::{Deserialize, Serialize};

/// How a program is lowered to WebAssembly. What is left out is as by default: structured control
/// flow, variables in locals, the checksum inside the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WasmOptions {
    /// Who computes checksums, and how.
    pub checksum: Checksum,
    /// Whether what is in memory lies without gaps, so that accesses may be unaligned.
    pub packed: bool,
    /// For each function.
    pub functions: Vec<FunctionOptions>,
    /// For each global of the program.
    pub globals: Vec<GlobalStorage>,
}

/// Who computes checksums, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Checksum {
    /// The module, with a table in memory.
    #[default]
    Table,
    /// The module, bit by bit.
    Bitwise,
    /// The host, by the import `ps.crc_add`.
    Host,
}

/// Where a scalar global of the program lives; arrays are in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GlobalStorage {
    /// In a mutable global.
    #[default]
    Global,
    /// In linear memory.
    Memory,
}

knobs! {
    /// How one function is lowered.
    #[derive(Eq)]
    pub struct FunctionOptions {
        /// What control flow becomes.
        control: Control = Control::default();
        /// What two-way branches become.
        conditions: Conditions = Conditions::default();
        /// The longest `br_table` that a `switch` may become; beyond that it compares.
        max_table: u32 = 64, in 0..=MAX_TABLE;
        /// What `select` becomes.
        selects: Selects = Selects::default();
        /// Where the code is for intrinsics that have no instruction.
        intrinsics: Intrinsics = Intrinsics::default();
        /// How values are narrowed and extended.
        narrowing: Narrowing = Narrowing::default();
        /// How variables in memory are addressed. Those of a recursive function are always on the
        /// stack.
        base: Base = Base::default();
        /// Whether arrays of any length get their initial values by `memory.init` and
        /// `memory.fill`, and not just long ones.
        bulk: bool = false;
        /// How what the checksum covers leaves the function.
        returns: Returns = Returns::default();
        /// How other functions call it.
        #[serde(alias = "called")]
        call: CallKind = CallKind::default();
        /// Whether it ends with a tail call if it can: a recursion guard can.
        tail_calls: bool = false;
        /// How many of the realizations are also called with constants, which the engine can see.
        n_visible: u32 = 0;
        /// Scalars whose values are passed to a function whenever they are assigned, which keeps
        /// them in an exported global.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        watched: Vec<VarId> = Vec::new();
        /// How operators on floating-point numbers, and their constants, are written.
        #[serde(skip_serializing_if = "Floats::is_default")]
        floats: Floats = Floats::default();
        /// What conversions become that go to the nearest limit of an integer type.
        #[serde(skip_serializing_if = "Saturation::is_default")]
        saturation: Saturation = Saturation::default();
        /// Where each scalar variable lives; those left out are in locals. Arrays are in memory.
        vars: Vec<Storage> = Vec::new();
    }
}

/// What control flow becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// Nested blocks and loops; a dispatch loop for a loop with several entries.
    #[default]
    Structured,
    /// Nested blocks and loops; blocks are copied until every loop has one entry. If that takes too
    /// many copies, what is left gets dispatch loops.
    Split,
    /// One dispatch loop.
    Dispatch,
}

/// What two-way branches become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conditions {
    /// `if` and `else`.
    #[default]
    If,
    /// `br_if`.
    BrIf,
}

/// What `select` becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selects {
    /// `select`.
    #[default]
    Plain,
    /// `select` with its type.
    Typed,
    /// `if` and `else`, which evaluate one side only.
    IfElse,
}

/// Where the code is for intrinsics that have no instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intrinsics {
    /// Where they are used.
    #[default]
    Inline,
    /// In functions of their own.
    Calls,
}

/// How values are narrowed and extended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Narrowing {
    /// By sign-extension instructions and masks.
    #[default]
    Extensions,
    /// By shifts to the left and back.
    Shifts,
}

/// How operators on floating-point numbers, and their constants, are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Floats {
    /// By the instruction for each.
    #[default]
    Instructions,
    /// Signs and constants by their bits, and comparisons the other way round.
    Bits,
}

impl Floats {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What conversions become that go to the nearest limit of an integer type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Saturation {
    /// The instructions that do so.
    #[default]
    Instructions,
    /// Comparisons with the limits, and the instructions that trap beyond them.
    Branches,
}

impl Saturation {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How variables in memory are addressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// At fixed addresses.
    #[default]
    Static,
    /// Relative to a mutable global.
    Global,
    /// Relative to a local, which is read from that global on entry.
    Local,
    /// On a stack, relative to a pointer that every call lowers.
    Stack,
}

/// How what the checksum covers leaves a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Returns {
    /// As the checksum, or the value that the function returns.
    #[default]
    Single,
    /// As several results, all its scalar variables, from which a wrapper computes the checksum.
    Multi,
}

/// How a function is called by others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallKind {
    /// By `call`.
    #[default]
    #[serde(alias = "directly")]
    Direct,
    /// By `call_indirect`, through a table.
    Table,
}

/// Where a scalar variable lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// In a local.
    #[default]
    Local,
    /// In a mutable global.
    Global,
    /// In linear memory.
    Memory,
}

/// The longest table that V8 allows.
const MAX_TABLE: u32 = 65_520;
/// The most results that engines allow.
pub(crate) const MAX_RESULTS: usize = 1_000;

impl ProgramOptions for WasmOptions {
    type Function = FunctionOptions;
    type Global = GlobalStorage;

    const SPECIFIC_VARIATIONS: &'static [&'static str] = &[
        "selects=if-else",
        "selects=plain",
        "narrowing=shifts",
        "narrowing=extensions",
        "intrinsics=calls",
        "intrinsics=inline",
        "floats=bits",
        "floats=instructions",
        "saturation=branches",
        "saturation=instructions",
        "conditions=if",
        "conditions=br-if",
        "max_table=0",
        "bulk=false",
        "tail_calls=false",
        "call=direct",
        "packed=false",
        "checksum=table",
        "checksum=host",
        "watched=[]",
    ];

    const BROAD_VARIATIONS: &'static [&'static str] =
        &["control=dispatch", "control=structured", "base=static", "returns=single", "vars=[]"];

    fn functions(&self) -> &[FunctionOptions] {
        &self.functions
    }

    fn globals(&self) -> &[GlobalStorage] {
        &self.globals
    }

    fn with_lists(&self, functions: Vec<FunctionOptions>, globals: Vec<GlobalStorage>) -> Self {
        Self { checksum: self.checksum, packed: self.packed, functions, globals }
    }

    fn check_function(&self, context: &FunctionContext<'_>) -> Result<(), LowerError> {
        let (options, function) = (self.function(context.id), context.function);
        let name = &function.name;
        if let Err(error) = options.check_knobs() {
            return LowerError::options(format!("in the options of {name}: {error}"));
        }
        if options.returns == Returns::Multi {
            if !returns_checksum(function) {
                return LowerError::options(format!("{name} returns one value, not several"));
            }
            let on_stack = context.is_recursive || options.base == Base::Stack;
            if on_stack && let Some(array) = function.vars.iter().find(|var| var.ty.is_array()) {
                let message =
                    format!("{name} returns several values, but leaves {} behind", array.name);
                return LowerError::options(message);
            }
        }
        Ok(())
    }
}

impl PerFunction for FunctionOptions {
    type Var = Storage;

    fn default_ref() -> &'static Self {
        static DEFAULT: LazyLock<FunctionOptions> = LazyLock::new(FunctionOptions::default);
        &DEFAULT
    }

    fn vars(&self) -> &[Storage] {
        &self.vars
    }

    fn with_vars(&self, vars: Vec<Storage>) -> Self {
        Self { vars, ..self.clone() }
    }

    fn fitted(&self, from: FunctionIn<'_>, to: FunctionIn<'_>) -> Self {
        Self {
            watched: moved_vars(&self.watched, from.function, to.function),
            vars: by_name(&self.vars, &from.function.vars, &to.function.vars),
            ..self.clone()
        }
    }
}

impl PerVar for Storage {
    fn is_shared(self) -> bool {
        match self {
            Self::Global => true,
            // Those of a recursive function are on the stack.
            Self::Local | Self::Memory => false,
        }
    }
}

/// Whether a function returns a checksum, and not a value.
pub(crate) fn returns_checksum(function: &Function) -> bool {
    match function.returned() {
        Some(Return::Checksum | Return::ChecksumOf(_)) => true,
        Some(Return::Value(_)) | None => false,
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    const PROGRAM: &str = "global g: i32 = 1;
        fn f(a: i32) -> i32 { var b: [i8; 2] = [1, 2]; entry: return f(a) + b[0] + g; }
        fn h(a: i32) -> u32 { var b: [i8; 2] = [1, 2]; entry: return checksum; }";

    fn check(f: FunctionOptions, h: FunctionOptions) -> String {
        let program = parse("test", PROGRAM).unwrap();
        let options = WasmOptions { functions: vec![f, h], ..WasmOptions::default() };
        options.check(&program).map_or_else(|error| error.to_string(), |()| "ok".to_owned())
    }

    #[test]
    fn contradictions_are_named() {
        let plain = FunctionOptions::default;
        assert_eq!(check(plain(), plain()), "ok");
        let vars = vec![Storage::Memory, Storage::Global];
        let placed = FunctionOptions { vars, ..plain() };
        assert_eq!(check(placed.clone(), plain()), "f is recursive, but its calls share b");
        assert_eq!(check(plain(), placed), "ok");
        let many = FunctionOptions { returns: Returns::Multi, ..plain() };
        assert_eq!(check(plain(), many.clone()), "ok");
        assert_eq!(check(many.clone(), plain()), "f returns one value, not several");
        let on_stack = FunctionOptions { base: Base::Stack, ..many };
        assert_eq!(check(plain(), on_stack), "h returns several values, but leaves b behind");
        let long = FunctionOptions { vars: vec![Storage::Local; 3], ..plain() };
        assert_eq!(check(long, plain()), "there are options for more variables than f has");
        let wide = FunctionOptions { max_table: 70_000, ..plain() };
        let message =
            "in the options of f: `max_table` is 70000, but has to be between 0 and 65520";
        assert_eq!(check(wide, plain()), message);
        let program = parse("test", PROGRAM).unwrap();
        let options = WasmOptions { globals: vec![GlobalStorage::Memory; 2], ..Default::default() };
        assert!(options.check(&program).is_err());
    }

    #[test]
    fn options_are_saved_and_loaded() {
        let functions = vec![FunctionOptions { bulk: true, ..FunctionOptions::default() }];
        let options = WasmOptions { functions, packed: true, ..WasmOptions::default() };
        let text = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<WasmOptions>(&text).unwrap(), options);
        let some = r#"{"checksum": "host", "functions": [{"base": "local"}]}"#;
        let options: WasmOptions = serde_json::from_str(some).unwrap();
        assert_eq!(options.functions[0].max_table, FunctionOptions::default().max_table);
        assert!(serde_json::from_str::<WasmOptions>(r#"{"checksums": 1}"#).is_err());
    }
}

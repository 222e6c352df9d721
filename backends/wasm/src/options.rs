//! The choices that are open when a program becomes a WebAssembly module.

use std::ops::Range;

use pathsmith_backend::LowerError;
use pathsmith_symlang::lang::{
    Calls, Function, Program, Return, Term, by_function_name, by_var_name,
};
use pathsmith_symlang::{FuncId, GlobalId, VarId};
use serde::{Deserialize, Serialize};

/// How a program is spelled in WebAssembly. What is left out is as in the default: structured
/// control flow, variables in locals, the checksum inside the module.
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

/// How one function is spelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FunctionOptions {
    /// How control flow is spelled.
    pub control: Control,
    /// How two-way branches are spelled.
    pub conditions: Conditions,
    /// The longest `br_table` that a `switch` may become; beyond that it compares.
    pub max_table: u32,
    /// How `select` is spelled.
    pub selects: Selects,
    /// Where the code is for intrinsics that have no instruction.
    pub intrinsics: Intrinsics,
    /// How values are narrowed and extended.
    pub narrowing: Narrowing,
    /// How variables in memory are found. Those of a function that can call itself are always on
    /// the stack.
    pub base: Base,
    /// Whether arrays of any length get their initial values by `memory.init` and `memory.fill`,
    /// and not just long ones.
    pub bulk: bool,
    /// How what the checksum covers leaves the function.
    pub returns: Returns,
    /// How other functions call it.
    pub called: Called,
    /// Whether it ends with a tail call where it can: a gate does.
    pub tail_calls: bool,
    /// How many of the realizations are also called with constants, which the engine can see.
    pub n_visible: u32,
    /// Where each scalar variable lives; those left out are in locals. Arrays are in memory.
    pub vars: Vec<Storage>,
}

/// How control flow is spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// As nested blocks and loops; a dispatch loop where a loop has several entries.
    #[default]
    Structured,
    /// As nested blocks and loops; blocks are copied until every loop has one entry, or until there
    /// are too many of them for the rest to do without a dispatch loop.
    Split,
    /// As one dispatch loop.
    Dispatch,
}

/// How two-way branches are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conditions {
    /// `if` and `else`.
    #[default]
    If,
    /// `br_if`.
    BrIf,
}

/// How `select` is spelled.
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

/// How variables in memory are found.
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
    /// As several results, all its scalar variables, which a function around it adds up.
    Multi,
}

/// How a function is called by others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Called {
    /// By `call`.
    #[default]
    Directly,
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

/// As many entries as V8 allows.
const MAX_TABLE: u32 = 65_520;
/// As many results as engines allow.
pub(crate) const MAX_RESULTS: usize = 1_000;

impl FunctionOptions {
    const DEFAULT: Self = Self {
        control: Control::Structured,
        conditions: Conditions::If,
        max_table: 64,
        selects: Selects::Plain,
        intrinsics: Intrinsics::Inline,
        narrowing: Narrowing::Extensions,
        base: Base::Static,
        bulk: false,
        returns: Returns::Single,
        called: Called::Directly,
        tail_calls: false,
        n_visible: 0,
        vars: Vec::new(),
    };

    /// Where a scalar variable lives.
    pub fn var(&self, id: VarId) -> Storage {
        self.vars.get(id.index()).copied().unwrap_or_default()
    }
}

impl Default for FunctionOptions {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl WasmOptions {
    /// The options of a function.
    pub fn function(&self, id: FuncId) -> &FunctionOptions {
        static DEFAULT: FunctionOptions = FunctionOptions::DEFAULT;
        self.functions.get(id.index()).unwrap_or(&DEFAULT)
    }

    /// Where a scalar global of the program lives.
    pub fn global(&self, id: GlobalId) -> GlobalStorage {
        self.globals.get(id.index()).copied().unwrap_or_default()
    }

    /// The options of some functions and globals, as a program of their own.
    #[must_use]
    pub fn restricted(&self, functions: Range<usize>, globals: Range<usize>) -> Self {
        Self {
            functions: self.functions.get(functions).unwrap_or_default().to_vec(),
            globals: self.globals.get(globals).unwrap_or_default().to_vec(),
            ..self.clone()
        }
    }

    /// The options of `to`, a program that was made from `from`, for whatever has kept its name.
    #[must_use]
    pub fn fitted(&self, from: &Program, to: &Program) -> Self {
        let functions = by_function_name(from, to, |id, old, new| {
            let known = self.function(id);
            let vars = by_var_name(&known.vars, &old.vars, &new.vars);
            FunctionOptions { vars, ..known.clone() }
        });
        let globals = by_var_name(&self.globals, &from.globals, &to.globals);
        Self { functions, globals, ..self.clone() }
    }

    /// Checks that the options fit each other and the program.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn check(&self, program: &Program) -> Result<(), LowerError> {
        let calls = Calls::new(program);
        if self.functions.len() > program.functions.len() {
            return wrong("there are options for more functions than the program has".to_owned());
        }
        if self.globals.len() > program.globals.len() {
            return wrong("there are options for more globals than the program has".to_owned());
        }
        for (id, function) in program.functions_with_ids() {
            self.check_function(function, self.function(id), calls.is_recursive(id))?;
        }
        Ok(())
    }

    fn check_function(
        &self,
        function: &Function,
        options: &FunctionOptions,
        is_recursive: bool,
    ) -> Result<(), LowerError> {
        let name = &function.name;
        if options.vars.len() > function.vars.len() {
            return wrong(format!("{name} has fewer variables than there are options for"));
        }
        if options.max_table > MAX_TABLE {
            let actual = options.max_table;
            return wrong(format!(
                "`max_table` of {name} is {actual}, but engines allow no more than {MAX_TABLE}"
            ));
        }
        if is_recursive {
            let shared = |storage: &Storage| *storage == Storage::Global;
            if let Some(at) = options.vars.iter().position(shared) {
                let var = &function.vars[at].name;
                return wrong(format!("{name} calls itself, but its calls share {var}"));
            }
        }
        if options.returns == Returns::Multi {
            if !returns_checksum(function) {
                return wrong(format!("{name} returns one value, not several"));
            }
            let on_stack = is_recursive || options.base == Base::Stack;
            if on_stack && let Some(array) = function.vars.iter().find(|var| var.ty.is_array()) {
                let array = &array.name;
                return wrong(format!("{name} returns several values, but leaves {array} behind"));
            }
        }
        Ok(())
    }
}

fn wrong<T>(message: String) -> Result<T, LowerError> {
    Err(LowerError::Options(message))
}

/// Whether a function returns a checksum, and not a value.
pub(crate) fn returns_checksum(function: &Function) -> bool {
    function.blocks.iter().any(|block| matches!(block.term, Term::Return(Return::Checksum)))
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
        assert_eq!(check(placed.clone(), plain()), "f calls itself, but its calls share b");
        assert_eq!(check(plain(), placed), "ok");
        let many = FunctionOptions { returns: Returns::Multi, ..plain() };
        assert_eq!(check(plain(), many.clone()), "ok");
        assert_eq!(check(many.clone(), plain()), "f returns one value, not several");
        let on_stack = FunctionOptions { base: Base::Stack, ..many };
        assert_eq!(check(plain(), on_stack), "h returns several values, but leaves b behind");
        let long = FunctionOptions { vars: vec![Storage::Local; 3], ..plain() };
        assert_eq!(check(long, plain()), "f has fewer variables than there are options for");
        let wide = FunctionOptions { max_table: 70_000, ..plain() };
        let message = "`max_table` of f is 70000, but engines allow no more than 65520";
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

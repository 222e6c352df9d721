//! The choices that are open when a program becomes C.

use std::ops::Range;

use pathsmith_backend::LowerError;
use pathsmith_symlang::lang::{
    Calls, Function, Program, Var, VarTy, by_function_name, by_var_name,
};
use pathsmith_symlang::{FuncId, GlobalId, VarId};
use serde::{Deserialize, Serialize};

/// How a program is spelled in C. What is left out is as in the default: one file, labels and
/// gotos, plain functions, variables that live on the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct COptions {
    /// Which files there are.
    pub layout: Layout,
    /// For each function.
    pub functions: Vec<FunctionOptions>,
    /// For each global. `Auto` means that other files can see it.
    pub globals: Vec<Placement>,
}

/// Which files a program becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// One, with `main` in it.
    #[default]
    OneFile,
    /// One for the functions, one for `main`.
    TwoFiles,
    /// One for each function, one for `main`.
    FilePerFunction,
}

/// How one function is spelled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FunctionOptions {
    /// How control flow is spelled.
    pub control: Control,
    /// What the optimizer may do with calls of the function.
    pub linkage: Linkage,
    /// How other functions call it.
    pub called: Called,
    /// Where the inputs come from that the optimizer cannot see.
    pub inputs: Inputs,
    /// How many of the realizations are called with literals, which it can see.
    pub n_visible: u32,
    /// How intrinsics are spelled.
    pub intrinsics: Intrinsics,
    /// Which operators are checked.
    #[serde(skip_serializing_if = "Checked::is_none")]
    pub checked: Checked,
    /// Locals that get no initial value, where no run that is known to take place reads it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uninitialised: Vec<VarId>,
    /// Where each variable lives; those left out are `Auto`.
    pub vars: Vec<Placement>,
}

/// How control flow is spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// A label for each block, and gotos.
    #[default]
    Gotos,
    /// `if`, `while`, `do` and `switch`, and gotos where the graph needs them.
    Structured,
}

/// What the optimizer may do with calls of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// What it likes, but other files may call it too.
    #[default]
    Plain,
    /// What it likes; nobody else calls it.
    Static,
    /// Everything but inlining.
    NoInline,
    /// Nothing: it may not look inside (gcc; clang has no word for it and does not inline it).
    NoIpa,
    /// It has to inline them.
    AlwaysInline,
}

/// How a function is called by others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Called {
    /// By its name.
    #[default]
    Directly,
    /// Through a pointer that never changes, as the optimizer may find out.
    Pointer,
    /// Through a volatile pointer, so that it cannot know which function is called.
    VolatilePointer,
}

/// Where inputs come from that the optimizer cannot see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inputs {
    /// From a volatile array in the same file.
    #[default]
    Volatile,
    /// From `main`'s file.
    OtherUnit,
}

/// How intrinsics are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intrinsics {
    /// As the compiler's builtins, where it has them.
    #[default]
    Builtins,
    /// As C that does the same.
    OpenCode,
}

/// Operators that are spelled through wrappers, which give a result whatever their operands are,
/// and the operator's own where that is defined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Checked {
    /// What the wrappers are.
    pub form: Form,
    /// Which operators have one: numbers in the order of the text, operands first, that count
    /// those operators which are not defined for all operands. Numbers beyond them mean nothing.
    pub operators: Vec<usize>,
}

/// What wrappers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Functions.
    #[default]
    Function,
    /// Macros, which name their operands several times; functions where operands are large or
    /// call something.
    Macro,
}

impl Checked {
    /// No operators.
    pub const NONE: Self = Self { form: Form::Function, operators: Vec::new() };

    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.operators.is_empty()
    }
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Placement {
    /// Where.
    pub storage: Storage,
    /// Whether every access counts.
    pub volatile: bool,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// With the call: a parameter stays one, a local is on the stack or in a register.
    #[default]
    Auto,
    /// In memory that only its function (or, for a global, only its file) can name.
    Static,
    /// In memory that other files can name.
    Global,
}

impl COptions {
    /// The options of a function.
    pub fn function(&self, id: FuncId) -> &FunctionOptions {
        static DEFAULT: FunctionOptions = FunctionOptions {
            control: Control::Gotos,
            linkage: Linkage::Plain,
            called: Called::Directly,
            inputs: Inputs::Volatile,
            n_visible: 0,
            intrinsics: Intrinsics::Builtins,
            checked: Checked::NONE,
            uninitialised: Vec::new(),
            vars: Vec::new(),
        };
        self.functions.get(id.index()).unwrap_or(&DEFAULT)
    }

    /// Where a global lives.
    pub fn global(&self, id: GlobalId) -> Placement {
        self.globals.get(id.index()).copied().unwrap_or_default()
    }

    /// The options of some functions and globals, as a program of their own.
    #[must_use]
    pub fn restricted(&self, functions: Range<usize>, globals: Range<usize>) -> Self {
        Self {
            layout: self.layout,
            functions: self.functions.get(functions).unwrap_or_default().to_vec(),
            globals: self.globals.get(globals).unwrap_or_default().to_vec(),
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
        if self.layout == Layout::FilePerFunction {
            let hidden = self.globals.iter().position(|global| global.storage == Storage::Static);
            if let Some(at) = hidden {
                let name = &program.globals[at].name;
                return wrong(format!("the global {name} is static, but there are several files"));
            }
        }
        for (id, function) in program.functions_with_ids() {
            self.check_function(id, function, &calls)?;
        }
        Ok(())
    }

    fn check_function(
        &self,
        id: FuncId,
        function: &Function,
        calls: &Calls,
    ) -> Result<(), LowerError> {
        let (options, name) = (self.function(id), &function.name);
        if options.vars.len() > function.vars.len() {
            return wrong(format!("{name} has fewer variables than there are options for"));
        }
        if self.layout == Layout::OneFile && options.inputs == Inputs::OtherUnit {
            return wrong(format!("the inputs of {name} are in another file, but there is one"));
        }
        let is_hidden = matches!(options.linkage, Linkage::Static | Linkage::AlwaysInline);
        if self.layout == Layout::FilePerFunction && is_hidden && calls.is_called(id) {
            return wrong(format!("{name} is static, but it is called from another file"));
        }
        if options.called != Called::Directly && options.linkage == Linkage::AlwaysInline {
            return wrong(format!("{name} is called through a pointer, so it cannot be inlined"));
        }
        if calls.is_recursive(id) {
            if options.linkage == Linkage::AlwaysInline {
                return wrong(format!("{name} calls itself, so it cannot always be inlined"));
            }
            let shared = |placement: &Placement| placement.storage != Storage::Auto;
            if let Some(at) = options.vars.iter().position(shared) {
                let var = &function.vars[at].name;
                return wrong(format!("{name} calls itself, but its calls share {var}"));
            }
        }
        Ok(())
    }
}

impl FunctionOptions {
    /// Where a variable lives.
    pub fn var(&self, id: VarId) -> Placement {
        self.vars.get(id.index()).copied().unwrap_or_default()
    }
}

fn wrong<T>(message: String) -> Result<T, LowerError> {
    Err(LowerError::Options(message))
}

/// Whether a variable is an array.
pub(crate) fn is_array(var: &Var) -> bool {
    matches!(var.ty, VarTy::Array(..))
}

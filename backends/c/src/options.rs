//! The choices that are open when a program becomes C.

use std::sync::LazyLock;

use pathsmith_backend::{
    FunctionContext, FunctionIn, LowerError, PerFunction, PerVar, ProgramOptions, by_name,
    moved_vars,
};
use pathsmith_symlang::VarId;
use pathsmith_symlang::lang::{Program, Var, VarTy};
use serde::{Deserialize, Serialize};

use crate::checked::follow;
pub use crate::checked::{Checked, Form};
pub use crate::floats::{BitsForm, ConversionForm, FloatForms, MinMaxForm, RoundingForm, SignForm};
pub use crate::idioms::{AbsForm, BitrevForm, CmpForm, Idioms, MulhForm, SaturationForm};

/// How a program is lowered to C. What is left out is as by default: one file, labels and gotos,
/// plain functions, variables that live on the stack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct COptions {
    /// Which files there are.
    pub layout: FileLayout,
    /// For each function.
    pub functions: Vec<FunctionOptions>,
    /// For each global. `Auto` means that other files can see it.
    pub globals: Vec<Placement>,
}

/// Which files a program becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileLayout {
    /// One, with `main` in it.
    #[default]
    OneFile,
    /// One for the functions, one for `main`.
    TwoFiles,
    /// One for each function, one for `main`.
    FilePerFunction,
}

/// How one function is lowered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FunctionOptions {
    /// What control flow becomes.
    pub control: Control,
    /// What the optimizer may do with calls of the function.
    pub linkage: Linkage,
    /// How other functions call it.
    #[serde(alias = "called")]
    pub call: CallKind,
    /// Where the inputs come from that the optimizer cannot see.
    pub inputs: Inputs,
    /// How many of the realizations are called with literals, which it can see.
    pub n_visible: u32,
    /// What intrinsics become.
    pub intrinsics: Intrinsics,
    /// Which forms operators take that compilers recognize by their form.
    #[serde(skip_serializing_if = "Idioms::is_default")]
    pub idioms: Idioms,
    /// Which operators are checked.
    #[serde(skip_serializing_if = "Checked::is_none")]
    pub checked: Checked,
    /// Locals that get no initial value. Those whose initial value may be read get it all the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uninitialised: Vec<VarId>,
    /// How watched variables are made visible.
    #[serde(skip_serializing_if = "Watch::is_default")]
    pub watch: Watch,
    /// Scalars whose values are made visible whenever they are assigned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<VarId>,
    /// Where each variable lives; those left out are `Auto`.
    pub vars: Vec<Placement>,
}

/// How the value of a watched variable is made visible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Watch {
    /// It is stored to a volatile variable.
    #[default]
    VolatileStore,
    /// It is passed to a function that the optimizer cannot look into.
    OpaqueCall,
}

impl Watch {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// What control flow becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// A label for each block, and gotos.
    #[default]
    Gotos,
    /// `if`, `while`, `do` and `switch`, and gotos for what does not nest.
    Structured,
}

/// What the optimizer may do with calls of a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// Anything, but other files may call it too.
    #[default]
    Plain,
    /// Anything: no other file calls it.
    Static,
    /// Everything but inlining.
    NoInline,
    /// Nothing: no interprocedural analysis (gcc's `noipa`; clang has none and is told `noinline`).
    NoIpa,
    /// Inlining is mandatory.
    AlwaysInline,
}

/// How a function is called by others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallKind {
    /// By its name.
    #[default]
    #[serde(alias = "directly")]
    Direct,
    /// Through a pointer that never changes, which the optimizer may find out.
    Pointer,
    /// Through a volatile pointer, so that the optimizer cannot know which function is called.
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

/// What intrinsics become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intrinsics {
    /// The compiler's builtins, if it has them.
    #[default]
    Builtins,
    /// C that does the same.
    OpenCode,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Placement {
    /// The storage that it has.
    pub storage: Storage,
    /// Whether every access is volatile. A variable that one full expression reads twice is not
    /// volatile all the same: C does not say in which order.
    pub volatile: bool,
    /// Whether it is a constant table. An array that something assigns is none all the same, nor is
    /// a scalar.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub constant: bool,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// In the call's own frame: a parameter stays one, a local is on the stack or in a register. If
    /// arrays take more than 1 MB of stack, they are static all the same.
    #[default]
    Auto,
    /// In memory that only its function (or, for a global, only its file) can name.
    Static,
    /// In memory that other files can name.
    Global,
}

impl ProgramOptions for COptions {
    type Function = FunctionOptions;
    type Global = Placement;

    const SPECIFIC_VARIATIONS: &'static [&'static str] =
        &["intrinsics=open-code", "intrinsics=builtins", "idioms={}", "checked={}", "watched=[]"];

    const BROAD_VARIATIONS: &'static [&'static str] =
        &["control=structured", "control=gotos", "vars=[]", "linkage=no-ipa", "call=direct"];

    fn functions(&self) -> &[FunctionOptions] {
        &self.functions
    }

    fn globals(&self) -> &[Placement] {
        &self.globals
    }

    fn with_lists(&self, functions: Vec<FunctionOptions>, globals: Vec<Placement>) -> Self {
        Self { layout: self.layout, functions, globals }
    }

    fn check_program(&self, program: &Program) -> Result<(), LowerError> {
        let is_static = |global: &Placement| global.storage == Storage::Static;
        if self.layout == FileLayout::FilePerFunction
            && let Some(at) = self.globals.iter().position(is_static)
        {
            let name = &program.globals[at].name;
            let message = format!("the global {name} is static, but there are several files");
            return LowerError::options(message);
        }
        Ok(())
    }

    fn check_function(&self, context: &FunctionContext<'_>) -> Result<(), LowerError> {
        let (options, name) = (self.function(context.id), &context.function.name);
        let wrong = |message: &str| LowerError::options(format!("{name} {message}"));
        if self.layout == FileLayout::OneFile && options.inputs == Inputs::OtherUnit {
            return wrong("has its inputs in another file, but there is only one");
        }
        if self.layout == FileLayout::FilePerFunction
            && options.linkage.is_internal()
            && context.is_called
        {
            return wrong("is static, but it is called from another file");
        }
        if options.linkage == Linkage::AlwaysInline {
            if options.call != CallKind::Direct {
                return wrong("is called through a pointer, so it cannot always be inlined");
            }
            if context.is_recursive {
                return wrong("is recursive, so it cannot always be inlined");
            }
        }
        Ok(())
    }
}

impl PerFunction for FunctionOptions {
    type Var = Placement;

    fn default_ref() -> &'static Self {
        static DEFAULT: LazyLock<FunctionOptions> = LazyLock::new(FunctionOptions::default);
        &DEFAULT
    }

    fn vars(&self) -> &[Placement] {
        &self.vars
    }

    fn with_vars(&self, vars: Vec<Placement>) -> Self {
        Self { vars, ..self.clone() }
    }

    fn fitted(&self, from: FunctionIn<'_>, to: FunctionIn<'_>) -> Self {
        let (old, new) = (&from.function.vars, &to.function.vars);
        Self {
            checked: Checked {
                form: self.checked.form,
                operators: follow(&self.checked.operators, from, to),
            },
            uninitialised: moved_vars(&self.uninitialised, from.function, to.function),
            watched: moved_vars(&self.watched, from.function, to.function),
            vars: by_name(&self.vars, old, new),
            ..self.clone()
        }
    }
}

impl PerVar for Placement {
    fn is_shared(self) -> bool {
        self.storage != Storage::Auto
    }
}

impl Linkage {
    /// Whether other files cannot name the function.
    pub(crate) fn is_internal(self) -> bool {
        matches!(self, Self::Static | Self::AlwaysInline)
    }
}

/// Whether a variable is an array.
pub(crate) fn is_array(var: &Var) -> bool {
    matches!(var.ty, VarTy::Array(..))
}

//! The choices that are open when a program becomes class files.

use std::sync::LazyLock;

use pathsmith_backend::{
    FunctionContext, FunctionIn, LowerError, NoChoice, PerFunction, PerVar, ProgramOptions,
    by_name, moved_vars,
};
use pathsmith_symlang::VarId;
use pathsmith_symlang::lang::Program;
use serde::{Deserialize, Serialize};

/// How a program is lowered to class files. What is left out is as by default: one class called
/// `Program`, variables in locals, the JDK's methods if it has any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JvmOptions {
    /// What the main class is called. The names of all others begin with it and a `$`.
    pub name: String,
    /// Which classes there are.
    pub layout: ClassLayout,
    /// Whether global arrays that nothing assigns are final.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub const_tables: bool,
    /// For each function.
    pub functions: Vec<FunctionOptions>,
}

/// Which classes a program becomes, apart from those whose objects hold variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassLayout {
    /// One, with everything in it.
    #[default]
    OneClass,
    /// One for each function, and the main class with what they share.
    ClassPerFunction,
}

/// How one function is lowered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FunctionOptions {
    /// What intrinsics, unsigned operators and those on floating-point numbers become.
    pub intrinsics: Intrinsics,
    /// What switches become.
    pub switches: Switches,
    /// What switches on 64-bit values become, which the JVM does not have.
    pub long_switches: LongSwitches,
    /// Who computes the checksum.
    pub checksum: Checksum,
    /// Whether a constant is added to a local by `iinc`, if it can be.
    pub iinc: bool,
    /// Whether fields that hold variables are volatile.
    pub volatile: bool,
    /// How other functions call it.
    #[serde(alias = "called")]
    pub call: CallKind,
    /// Scalars whose values are stored to a volatile field whenever they are assigned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watched: Vec<VarId>,
    /// Where each variable lives; those left out are locals.
    pub vars: Vec<Storage>,
}

/// What intrinsics, unsigned operators and those on floating-point numbers become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intrinsics {
    /// Calls of the JDK's methods, many of which a JIT replaces by an instruction.
    #[default]
    Jdk,
    /// Code that does the same.
    OpenCode,
}

/// What switches become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switches {
    /// `tableswitch`, unless most of the table would be empty.
    #[default]
    Table,
    /// `lookupswitch`.
    Lookup,
}

/// What switches on 64-bit values become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LongSwitches {
    /// One comparison after the other.
    #[default]
    Chain,
    /// A switch on the exclusive or of both halves, then comparisons.
    Hash,
}

/// Who computes the checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Checksum {
    /// A loop in a helper method.
    #[default]
    Loop,
    /// `java.util.zip.CRC32`.
    Jdk,
}

/// How a function is called by others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallKind {
    /// By `invokestatic`.
    #[default]
    Static,
    /// By `invokevirtual`, on an object that counts its calls.
    Virtual,
    /// By `invokeinterface`, on such an object.
    Interface,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// In a local variable of the method; for an array, the reference is there.
    #[default]
    Local,
    /// In a static field, which all calls share.
    Static,
    /// In a field of an object that is made at each call.
    Field,
    /// In an element of an array that is made at each call. Arrays cannot be there.
    Element,
}

impl Default for JvmOptions {
    fn default() -> Self {
        Self {
            name: "Program".to_owned(),
            layout: ClassLayout::default(),
            const_tables: false,
            functions: Vec::new(),
        }
    }
}

impl ProgramOptions for JvmOptions {
    type Function = FunctionOptions;
    type Global = NoChoice;

    const SPECIFIC_VARIATIONS: &'static [&'static str] = &[
        "intrinsics=open-code",
        "intrinsics=jdk",
        "switches=lookup",
        "switches=table",
        "long_switches=hash",
        "long_switches=chain",
        "iinc=false",
        "volatile=false",
        "const_tables=false",
        "call=static",
        "watched=[]",
    ];

    const BROAD_VARIATIONS: &'static [&'static str] = &["checksum=jdk", "checksum=loop", "vars=[]"];

    fn functions(&self) -> &[FunctionOptions] {
        &self.functions
    }

    fn globals(&self) -> &[NoChoice] {
        &[]
    }

    fn with_lists(&self, functions: Vec<FunctionOptions>, _globals: Vec<NoChoice>) -> Self {
        let Self { layout, const_tables, .. } = *self;
        Self { name: self.name.clone(), layout, const_tables, functions }
    }

    fn check_program(&self, _program: &Program) -> Result<(), LowerError> {
        match is_class_name(&self.name) {
            true => Ok(()),
            false => LowerError::options(format!("`{}` is no name for a class", self.name)),
        }
    }

    fn check_function(&self, context: &FunctionContext<'_>) -> Result<(), LowerError> {
        let function = context.function;
        for (var, storage) in std::iter::zip(&function.vars, self.function(context.id).vars()) {
            if *storage == Storage::Element && var.ty.is_array() {
                let (var, name) = (&var.name, &function.name);
                let message = format!("the array {var} of {name} does not fit into an element");
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
            Self::Static => true,
            Self::Local | Self::Field | Self::Element => false,
        }
    }
}

/// Letters, digits, `_` and `$`, without packages: class files are found by their name.
fn is_class_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    name.starts_with(is_letter)
        && name.len() <= 200
        && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    fn check(source: &str, options: &str) -> String {
        let program = parse("test", source).unwrap();
        let options: JvmOptions = serde_json::from_str(options).unwrap();
        options.check(&program).map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn options_have_to_fit_the_program() {
        let plain = "fn f(a: i32) -> i32 { var b: [i8; 2] = [0; 2]; entry: return a; }";
        let recursive = "fn f(a: i32) -> i32 { entry: return f(a); }";
        assert_eq!(check(plain, "{}"), "");
        assert_eq!(check(plain, r#"{"functions": [{"vars": ["element", "field"]}]}"#), "");
        assert_eq!(
            check(plain, r#"{"functions": [{"vars": ["local", "element"]}]}"#),
            "the array b of f does not fit into an element"
        );
        assert_eq!(
            check(plain, r#"{"functions": [{"vars": ["local", "local", "local"]}]}"#),
            "there are options for more variables than f has"
        );
        assert_eq!(
            check(plain, r#"{"functions": [{}, {}]}"#),
            "there are options for more functions than the program has"
        );
        assert_eq!(
            check(recursive, r#"{"functions": [{"vars": ["static"]}]}"#),
            "f is recursive, but its calls share a"
        );
        assert_eq!(check(plain, r#"{"name": "a/b"}"#), "`a/b` is no name for a class");
    }

    #[test]
    fn options_are_read_as_they_are_written() {
        let text = r#"{"name": "P", "layout": "class-per-function", "functions": [
            {"intrinsics": "open-code", "switches": "lookup", "long_switches": "hash",
             "checksum": "jdk", "iinc": true, "volatile": true, "vars": ["static"]}]}"#;
        let options: JvmOptions = serde_json::from_str(text).unwrap();
        let again = serde_json::to_string(&options).unwrap();
        assert_eq!(serde_json::from_str::<JvmOptions>(&again).unwrap(), options);
        assert_eq!(options.functions[0].vars, [Storage::Static]);
        assert!(serde_json::from_str::<JvmOptions>(r#"{"nome": "P"}"#).is_err());
    }
}

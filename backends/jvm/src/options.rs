//! The choices that are open when a program becomes class files.

use std::ops::Range;

use pathsmith_backend::LowerError;
use pathsmith_symlang::lang::{Calls, Function, Program, by_function_name, by_var_name};
use pathsmith_symlang::{FuncId, VarId};
use serde::{Deserialize, Serialize};

/// How a program is spelled in class files. What is left out is as in the default: one class
/// called `Program`, variables in locals, the JDK's methods where it has any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JvmOptions {
    /// What the main class is called. The names of all others begin with it and a `$`.
    pub name: String,
    /// Which classes there are.
    pub layout: Layout,
    /// For each function.
    pub functions: Vec<FunctionOptions>,
}

/// Which classes a program becomes, apart from those whose objects hold variables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// One, with everything in it.
    #[default]
    OneClass,
    /// One for each function, and the main class with what they share.
    ClassPerFunction,
}

/// How one function is spelled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FunctionOptions {
    /// How intrinsics and unsigned operators are spelled.
    pub intrinsics: Intrinsics,
    /// How switches are spelled.
    pub switches: Switches,
    /// How switches on 64-bit values are spelled, which the JVM does not have.
    pub long_switches: LongSwitches,
    /// Who computes the checksum.
    pub checksum: Checksum,
    /// Whether a constant is added to a local by `iinc`, where it can be.
    pub iinc: bool,
    /// Whether every access to variables in fields counts.
    pub volatile: bool,
    /// How other functions call it.
    pub called: Called,
    /// Where each variable lives; those left out are locals.
    pub vars: Vec<Storage>,
}

/// How intrinsics and unsigned operators are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intrinsics {
    /// As calls of the JDK's methods, many of which a JIT replaces by an instruction.
    #[default]
    Jdk,
    /// As code that does the same.
    OpenCode,
}

/// How switches are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Switches {
    /// As `tableswitch`, unless most of the table would be empty.
    #[default]
    Table,
    /// As `lookupswitch`.
    Lookup,
}

/// How switches on 64-bit values are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LongSwitches {
    /// As one comparison after the other.
    #[default]
    Chain,
    /// As a switch on the exclusive or of both halves, and comparisons.
    Hash,
}

/// Who computes the checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Checksum {
    /// A loop of our own.
    #[default]
    Loop,
    /// `java.util.zip.CRC32`.
    Jdk,
}

/// How a function is called by others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Called {
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
        Self { name: "Program".to_owned(), layout: Layout::default(), functions: Vec::new() }
    }
}

impl JvmOptions {
    /// The options of a function.
    pub fn function(&self, id: FuncId) -> &FunctionOptions {
        static DEFAULT: FunctionOptions = FunctionOptions {
            intrinsics: Intrinsics::Jdk,
            switches: Switches::Table,
            long_switches: LongSwitches::Chain,
            checksum: Checksum::Loop,
            iinc: false,
            volatile: false,
            called: Called::Static,
            vars: Vec::new(),
        };
        self.functions.get(id.index()).unwrap_or(&DEFAULT)
    }

    /// The options for some functions of a program, if those become a program of their own.
    #[must_use]
    pub fn restricted(&self, functions: Range<usize>) -> Self {
        let functions = self.functions.get(functions).unwrap_or_default().to_vec();
        Self { functions, ..self.clone() }
    }

    /// The options of `to`, a program that was made from `from`, for whatever has kept its name.
    #[must_use]
    pub fn fitted(&self, from: &Program, to: &Program) -> Self {
        let functions = by_function_name(from, to, |id, old, new| {
            let known = self.function(id);
            let vars = by_var_name(&known.vars, &old.vars, &new.vars);
            FunctionOptions { vars, ..known.clone() }
        });
        Self { functions, ..self.clone() }
    }

    /// Checks that the options fit the program.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn check(&self, program: &Program) -> Result<(), LowerError> {
        if !is_class_name(&self.name) {
            return wrong(format!("`{}` is no name for a class", self.name));
        }
        if self.functions.len() > program.functions.len() {
            return wrong("there are options for more functions than the program has".to_owned());
        }
        let calls = Calls::new(program);
        for (id, function) in program.functions_with_ids() {
            check_function(self.function(id), function, calls.is_recursive(id))?;
        }
        Ok(())
    }
}

impl FunctionOptions {
    /// Where a variable lives.
    pub fn var(&self, id: VarId) -> Storage {
        self.vars.get(id.index()).copied().unwrap_or_default()
    }
}

fn check_function(
    options: &FunctionOptions,
    function: &Function,
    is_recursive: bool,
) -> Result<(), LowerError> {
    let name = &function.name;
    if options.vars.len() > function.vars.len() {
        return wrong(format!("{name} has fewer variables than there are options for"));
    }
    for (var, storage) in std::iter::zip(&function.vars, &options.vars) {
        if *storage == Storage::Static && is_recursive {
            return wrong(format!("{name} calls itself, but its calls share {}", var.name));
        }
        if *storage == Storage::Element && var.ty.is_array() {
            let var = &var.name;
            return wrong(format!("the array {var} of {name} does not fit into an element"));
        }
    }
    Ok(())
}

/// Letters, digits, `_` and `$`, without packages: class files are found by their name.
fn is_class_name(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    name.starts_with(is_letter)
        && name.len() <= 200
        && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

fn wrong<T>(message: String) -> Result<T, LowerError> {
    Err(LowerError::Options(message))
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
            "f has fewer variables than there are options for"
        );
        assert_eq!(
            check(plain, r#"{"functions": [{}, {}]}"#),
            "there are options for more functions than the program has"
        );
        assert_eq!(
            check(recursive, r#"{"functions": [{"vars": ["static"]}]}"#),
            "f calls itself, but its calls share a"
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

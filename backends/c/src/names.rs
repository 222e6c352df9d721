//! Names that do not collide with C's own.

use std::collections::BTreeSet;

use pathsmith_backend::{PerFunction, ProgramOptions};
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{FuncId, GlobalId, VarId};

use crate::options::{COptions, CallKind, Storage};

/// What everything in a program is called in C.
///
/// Names are kept if possible. `f1`, `f2`, … are for functions, `ps_` begins what is ours,
/// and `sym_` goes before whatever is a keyword or could be in the way of these.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    functions: Vec<String>,
    /// What calls name: the function, or a pointer to it.
    callees: Vec<String>,
    globals: Vec<String>,
    vars: Vec<Vec<String>>,
}

impl Names {
    pub(crate) fn new(program: &Program, options: &COptions) -> Self {
        let mut taken = BTreeSet::new();
        let functions: Vec<String> = program
            .functions
            .iter()
            .map(|function| {
                let is_plain = is_function_like(&function.name);
                unique(if is_plain { "" } else { "sym_" }, &function.name, &mut taken)
            })
            .collect();
        let globals =
            program.globals.iter().map(|global| unique("sym_", &global.name, &mut taken)).collect();
        let vars = program
            .functions_with_ids()
            .map(|(id, function)| {
                let (placements, c_name) = (options.function(id), &functions[id.index()]);
                let name = |(i, var): (usize, &pathsmith_symlang::lang::Var)| match placements
                    .var(VarId::new(i))
                    .storage
                {
                    Storage::Global => unique(&format!("{c_name}_"), &var.name, &mut taken),
                    Storage::Auto | Storage::Static => local(&var.name),
                };
                function.vars.iter().enumerate().map(name).collect()
            })
            .collect();
        let callees = program.functions_with_ids().map(|(id, _)| {
            let name = &functions[id.index()];
            match options.function(id).call {
                CallKind::Direct => name.clone(),
                CallKind::Pointer | CallKind::VolatilePointer => format!("ps_to_{name}"),
            }
        });
        let callees = callees.collect();
        Self { functions, callees, globals, vars }
    }

    pub(crate) fn function(&self, id: FuncId) -> &str {
        &self.functions[id.index()]
    }

    pub(crate) fn callee(&self, id: FuncId) -> &str {
        &self.callees[id.index()]
    }

    pub(crate) fn global(&self, id: GlobalId) -> &str {
        &self.globals[id.index()]
    }

    pub(crate) fn var(&self, function: FuncId, id: VarId) -> &str {
        &self.vars[function.index()][id.index()]
    }
}

/// A label. Labels have a name space of their own.
pub(crate) fn label(name: &str) -> String {
    if KEYWORDS.contains(&name) || name.starts_with("sym_") {
        format!("sym_{name}")
    } else {
        name.to_owned()
    }
}

/// A name within a function, where it hides nothing that is named in files.
fn local(name: &str) -> String {
    let is_reserved = ["_", "ps_", "sym_"].iter().any(|prefix| name.starts_with(prefix))
        || KEYWORDS.contains(&name)
        || name.ends_with("_t")
        || name.chars().any(|c| c.is_ascii_uppercase())
        || is_function_like(name.split('_').next().unwrap_or(name));
    if is_reserved { format!("sym_{name}") } else { name.to_owned() }
}

/// `f` and a number; or, in linked programs, several: `f7_2`, `f7_2_r0`.
fn is_function_like(name: &str) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|c| c.is_ascii_digit());
    let Some(rest) = name.strip_prefix('f') else { return false };
    let mut words = rest.split('_');
    words.next().is_some_and(is_number)
        && words.all(|word| is_number(word.strip_prefix('r').unwrap_or(word)))
}

fn unique(prefix: &str, name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = format!("{prefix}{name}");
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}

/// The keywords of C17, gcc and clang that SYMLANG allows as names.
const KEYWORDS: [&str; 36] = [
    "asm", "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "linux", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "typeof", "union", "unix", "unsigned", "void",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_out_of_each_others_way() {
        for name in ["v4", "p0", "a", "counter", "volatile_"] {
            assert_eq!(local(name), name);
        }
        for name in ["int", "f1", "f1_v4", "ps_crc", "sym_int", "INT32_MAX", "int8_t", "_Bool"] {
            assert_eq!(local(name), format!("sym_{name}"));
        }
        for name in ["f1", "f12_3", "f12_3_r0", "f0_r2"] {
            assert!(is_function_like(name), "{name}");
        }
        for name in ["f", "f_1", "f1_", "f1_v4", "g1", "f1_r"] {
            assert!(!is_function_like(name), "{name}");
        }
        assert_eq!(label("default"), "sym_default");
        assert_eq!(label("B1"), "B1");
    }
}

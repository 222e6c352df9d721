//! Short names.

use std::collections::BTreeSet;

use pathsmith_symlang::lang::{Calls, Program, VarRef};
use pathsmith_symlang::{FuncId, GlobalId, VarId};

use super::PlainOptions;
use crate::options::CallKind;
use pathsmith_backend::ProgramOptions;

/// What variables are called; `f`, `g` and `h` are functions, and `l` and `o` look like digits.
const LETTERS: [&str; 21] = [
    "a", "b", "c", "d", "e", "i", "j", "k", "m", "n", "p", "q", "r", "s", "t", "u", "v", "w", "x",
    "y", "z",
];

/// What everything in a program is called in plain C. Nothing hides anything else.
#[derive(Debug)]
pub(super) struct PlainNames {
    functions: Vec<String>,
    callees: Vec<String>,
    /// Nothing for globals that no function of the file names.
    globals: Vec<Option<String>>,
    vars: Vec<Vec<String>>,
    labels: Vec<Vec<String>>,
}

impl PlainNames {
    pub(super) fn new(program: &Program, options: &PlainOptions) -> Self {
        // The function that `main` calls comes first.
        let first = options.main.function();
        let mut ids: Vec<FuncId> = program.functions_with_ids().map(|(id, _)| id).collect();
        ids.sort_by_key(|id| (Some(*id) != first, *id));
        let mut functions = vec![String::new(); ids.len()];
        for (n, id) in ids.iter().enumerate() {
            functions[id.index()] = match n {
                0 => "f".to_owned(),
                1 => "g".to_owned(),
                2 => "h".to_owned(),
                n => format!("f{}", n + 1),
            };
        }
        let callees = ids_in_order(program).map(|id| {
            let name = &functions[id.index()];
            match options.lowering.function(id).call {
                CallKind::Direct => name.clone(),
                CallKind::Pointer | CallKind::VolatilePointer => format!("to_{name}"),
            }
        });
        let callees = callees.collect();
        let mut letters = (0..).map(letter);
        let mut next = || letters.next().unwrap_or_default();
        let used = globals_used(program, first);
        let n_globals = program.globals.len();
        let globals: Vec<Option<String>> =
            (0..n_globals).map(|i| used.contains(&GlobalId::new(i)).then(&mut next)).collect();
        let n_used = globals.iter().flatten().count();
        // Variables at file scope belong to functions too, so no two functions share a name, unless
        // there are many of them.
        let mut start = n_used;
        let vars = ids_in_order(program).map(|id| {
            let n_vars = program.function(id).vars.len();
            let named = (0..n_vars).map(|i| letter(start + i)).collect();
            start += n_vars;
            named
        });
        let vars = vars.collect();
        let labels = program.functions.iter().map(|function| {
            (1..=function.blocks.len()).map(|number| format!("L{number}")).collect()
        });
        let labels = labels.collect();
        Self { functions, callees, globals, vars, labels }
    }

    pub(super) fn function(&self, id: FuncId) -> &str {
        &self.functions[id.index()]
    }

    pub(super) fn callee(&self, id: FuncId) -> &str {
        &self.callees[id.index()]
    }

    pub(super) fn global(&self, id: GlobalId) -> Option<&str> {
        self.globals[id.index()].as_deref()
    }

    pub(super) fn local(&self, function: FuncId, id: VarId) -> &str {
        &self.vars[function.index()][id.index()]
    }

    pub(super) fn var(&self, function: FuncId, var: VarRef) -> &str {
        match var {
            VarRef::Var(id) => self.local(function, id),
            // Whatever a function of the file names has a name.
            VarRef::Global(id) => self.global(id).unwrap_or_default(),
        }
    }

    pub(super) fn label(&self, function: FuncId, block: pathsmith_symlang::BlockId) -> &str {
        &self.labels[function.index()][block.index()]
    }
}

fn ids_in_order(program: &Program) -> impl Iterator<Item = FuncId> {
    (0..program.functions.len()).map(FuncId::new)
}

fn letter(n: usize) -> String {
    match LETTERS.get(n) {
        Some(letter) => (*letter).to_owned(),
        None => format!("v{n}"),
    }
}

/// The globals that a function and those that it calls name; all of them if no function is meant.
fn globals_used(program: &Program, first: Option<FuncId>) -> BTreeSet<GlobalId> {
    match first {
        Some(id) => Calls::new(program).globals_reached(program, id).into_iter().collect(),
        None => (0..program.globals.len()).map(GlobalId::new).collect(),
    }
}

//! Plain C: what a person would write to show a bug.
//!
//! One file without a harness: standard types, loops where the graph allows, short names, the
//! simplest constants, and a `main` of one line that aborts on a wrong result. It does the same as
//! the program that [`CBackend`](crate::CBackend) emits, along all paths, but is written to be
//! read.

mod control;
mod expr;
mod function;
mod main_function;
mod names;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pathsmith_backend::{Backend, LowerError, ProgramOptions, check_lowerable};
use pathsmith_symlang::lang::{Calls, Expr, Program, Scalar, VarRef};
use pathsmith_symlang::{FuncId, GlobalId};

use self::function::{FunctionText, function_text, prototype};
use self::names::PlainNames;
use self::words::{declaration, initializer, is_all_zero, plain_words};
use crate::adjust::adjusted;
use crate::constant::is_global_table;
use crate::options::{COptions, CallKind, Storage};
use crate::{CBackend, DIALECT};

/// How a program is lowered to plain C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainOptions {
    /// Control flow, linkage, storage, and the forms of operators. What is about the harness is
    /// ignored.
    pub lowering: COptions,
    /// Whether the compiler knows gcc's attribute `noipa`; if not, it is `noinline`.
    pub has_noipa: bool,
    /// How `main` passes arguments.
    pub arguments: Arguments,
    /// When static variables get their initial values.
    pub initialised: Initialised,
    /// How statements are arranged.
    pub arrangement: Arrangement,
    /// What `main` does.
    pub main: PlainMain,
}

/// How `main` passes arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// As literals.
    Literal,
    /// Through volatile variables, which the optimizer cannot see through.
    Volatile,
    /// Through a function that calls the one that is meant, and which the optimizer cannot see
    /// through. Unlike `main`, it is not taken for one that runs once.
    Caller,
    /// The same, with parameters of 64 bits that are converted for the call.
    WideCaller,
}

/// When static variables and those at file scope get their initial values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initialised {
    /// Whenever the function is called.
    AtEntry,
    /// Before the program starts. That is the same only if the function is called once.
    AtStart,
}

/// How statements are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrangement {
    /// As the graph has them: `if (a) { if (b) …`, and with gotos the blocks in their order.
    AsTheGraph,
    /// In fewer lines: `if (a && b) …`, and with gotos the blocks in an order that needs few of
    /// them. Compilers may treat that differently.
    ForReaders,
    /// The same, and loops that count are `for` loops, although the graph has their condition
    /// behind their body, if it holds before the first iteration.
    WithForLoops,
}

impl Arrangement {
    fn is_for_readers(self) -> bool {
        match self {
            Self::AsTheGraph => false,
            Self::ForReaders | Self::WithForLoops => true,
        }
    }
}

/// What `main` does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainMain {
    /// There is none: the file is only compiled.
    None,
    /// It checks what these realizations of a function return, in this order.
    Returned(FuncId, Vec<usize>),
    /// It runs one realization of a function and checks what that leaves in a cell of a global.
    Left(FuncId, usize, LeftCell),
    /// It runs one realization and exits with the number, from 1 on, of the first of some cells
    /// that has another value.
    FirstDifference(FuncId, usize, Vec<LeftCell>),
}

/// The value that a cell of a global has to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftCell {
    /// The global.
    pub global: GlobalId,
    /// The element, if it is an array.
    pub element: Option<usize>,
    /// The value.
    pub value: Scalar,
}

impl PlainMain {
    /// The function that it calls.
    fn function(&self) -> Option<FuncId> {
        match self {
            Self::None => None,
            Self::Returned(id, _) | Self::Left(id, ..) | Self::FirstDifference(id, ..) => Some(*id),
        }
    }

    fn n_calls(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Returned(_, realizations) => realizations.len(),
            Self::Left(..) | Self::FirstDifference(..) => 1,
        }
    }
}

/// Lowers a program to plain C.
///
/// # Errors
/// If the program cannot be lowered, or the options do not fit it or each other: several calls need
/// globals that nothing assigns, and initial values at each of them.
pub fn plain_c(program: &Program, options: &PlainOptions) -> Result<String, LowerError> {
    check_lowerable(program, CBackend.name(), DIALECT)?;
    options.lowering.check(program)?;
    let lowering = adjusted(program, &options.lowering, CBackend.name())?.into_owned();
    let options = &PlainOptions { lowering, ..options.clone() };
    let calls = Calls::new(program);
    if options.initialised == Initialised::AtStart {
        let is_shared = |(id, _): (FuncId, _)| {
            let vars = &options.lowering.function(id).vars;
            calls.is_called(id) && vars.iter().any(|var| var.storage != Storage::Auto)
        };
        if options.main.n_calls() != 1 || program.functions_with_ids().any(is_shared) {
            return LowerError::options(
                "a function that is called again needs initial values again",
            );
        }
    }
    if let Some(id) = options.main.function()
        && options.main.n_calls() > 1
        && calls.globals_reached(program, id).into_iter().any(|id| !is_unassigned(program, id))
    {
        return LowerError::options("a function that is called again needs globals as they were");
    }
    let names = PlainNames::new(program, options);
    let file = PlainFile { program, options, names: &names };
    Ok(file.text(&calls))
}

/// Whether no function assigns a global.
fn is_unassigned(program: &Program, id: GlobalId) -> bool {
    let var = VarRef::Global(id);
    let stmts = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.stmts);
    stmts.into_iter().all(|stmt| stmt.assigned().var() != var)
}

struct PlainFile<'a> {
    program: &'a Program,
    options: &'a PlainOptions,
    names: &'a PlainNames,
}

impl PlainFile<'_> {
    fn text(&self, calls: &Calls) -> String {
        let mut definitions: BTreeMap<String, String> = BTreeMap::new();
        let mut functions = String::new();
        let order = self.order(calls);
        let mut declared = BTreeSet::new();
        for id in &order {
            if self.options.lowering.function(*id).call != CallKind::Direct {
                functions.push_str(&prototype(self, *id));
                functions.push_str(&function::pointer(self, *id));
                declared.insert(*id);
            }
        }
        for id in order {
            let FunctionText { variables, definition, helpers } = function_text(self, id);
            definitions.extend(helpers);
            functions.push_str(&variables);
            declared.insert(id);
            for callee in self.callees(id) {
                if declared.insert(callee) {
                    functions.push_str(&prototype(self, callee));
                }
            }
            functions.push_str(&definition);
        }
        let mut out = String::new();
        for text in definitions.values() {
            out.push_str(&plain_words(text));
            out.push('\n');
        }
        self.globals(&mut out);
        out.push_str(&functions);
        out.push_str(&main_function::main_text(self));
        out
    }

    /// The functions that are needed, callees first as far as that is possible.
    fn order(&self, calls: &Calls) -> Vec<FuncId> {
        let roots: Vec<FuncId> = match self.options.main.function() {
            Some(id) => vec![id],
            None => self.program.functions_with_ids().map(|(id, _)| id).collect(),
        };
        let mut needed: BTreeSet<FuncId> = roots.iter().copied().collect();
        needed.extend(roots.iter().flat_map(|id| calls.reached(*id)));
        let mut order = Vec::new();
        let mut visited = BTreeSet::new();
        // An explicit stack, because chains of calls may be long.
        for root in roots.into_iter().chain(needed) {
            let mut stack = vec![(root, false)];
            while let Some((id, is_done)) = stack.pop() {
                if is_done {
                    order.push(id);
                } else if visited.insert(id) {
                    stack.push((id, true));
                    stack.extend(self.callees(id).into_iter().map(|callee| (callee, false)));
                }
            }
        }
        order
    }

    fn callees(&self, id: FuncId) -> BTreeSet<FuncId> {
        let mut callees = BTreeSet::new();
        self.program.function(id).for_each_expr(|_, expr| {
            if let Expr::Call(callee, _) = expr {
                callees.insert(*callee);
            }
        });
        callees
    }

    /// The globals that the functions of the file name.
    fn globals(&self, out: &mut String) {
        for (i, global) in self.program.globals.iter().enumerate() {
            let id = GlobalId::new(i);
            let Some(name) = self.names.global(id) else { continue };
            let placement = self.options.lowering.global(id);
            let mut declared = declaration(name, &global.ty, placement.volatile);
            if placement.constant && is_global_table(self.program, id) {
                declared = format!("const {declared}");
            }
            if placement.storage == Storage::Static {
                declared = format!("static {declared}");
            }
            let _ = match is_all_zero(global) {
                true => writeln!(out, "{declared};"),
                false => writeln!(out, "{declared} = {};", initializer(global)),
            };
        }
    }
}

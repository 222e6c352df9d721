//! The rules of the language.
//!
//! A program that breaks none of them can be printed, read, run and lowered. What it computes may
//! still be undefined: that is up to its inputs and its dialect.

mod body;
mod rules;

pub use rules::{Location, Rule, Violation};

use std::collections::BTreeSet;

use crate::graph::CfgError;
use crate::ids::{FuncId, GlobalId, VarId};
use crate::lang::limits::{MAX_ARRAY_LEN, MAX_BLOCKS, MAX_CELLS, MAX_HOLES, MAX_STEPS};
use crate::lang::names::is_name;
use crate::lang::{
    ConstOrHole, Ending, Expr, Function, HoleLocation, Program, RecursionGuard, Scalar, ScalarTy,
    Var, VarTy,
};

/// All the rules that `program` breaks.
///
/// Where ids lead nowhere, no other rule can be checked.
pub fn validate(program: &Program) -> Vec<Violation> {
    let all: Vec<FuncId> = program.functions_with_ids().map(|(id, _)| id).collect();
    validate_changed(program, &all)
}

/// The rules that a program breaks if it is valid but for these functions: what was added to a valid
/// program, or changed, belongs to them.
pub fn validate_changed(program: &Program, changed: &[FuncId]) -> Vec<Violation> {
    let mut validator = Validator { program, changed, violations: Vec::new() };
    for id in changed {
        validator.check_ids(*id, program.function(*id));
    }
    if program.main.is_some_and(|main| main.index() >= program.functions.len()) {
        validator.report(Rule::UnknownId, Location::Main, "`main` is no function", None);
    }
    if validator.violations.is_empty() {
        validator.check_program();
    }
    validator.violations
}

struct Validator<'p> {
    program: &'p Program,
    /// The functions that are checked, in order.
    changed: &'p [FuncId],
    violations: Vec<Violation>,
}

impl Validator<'_> {
    fn report(
        &mut self,
        rule: Rule,
        location: Location,
        message: impl Into<String>,
        expected: Option<String>,
    ) {
        self.violations.push(Violation { rule, location, message: message.into(), expected });
    }

    fn check_program(&mut self) {
        let program = self.program;
        self.check_docs(Location::Program, &program.docs);
        self.check_sizes();
        if program.functions.is_empty() {
            let message = "the program has no function";
            self.report(Rule::NoFunction, Location::Program, message, None);
        }
        let mut globals = BTreeSet::new();
        for (i, global) in program.globals.iter().enumerate() {
            let location = Location::Global(GlobalId::new(i));
            self.check_var(location, global, &mut globals, true);
            if global.init.iter().any(|fill| matches!(fill, ConstOrHole::Hole(_))) {
                let message = format!("`{}` has a hole for an initial value", global.name);
                self.report(Rule::GlobalHole, location, message, None);
            }
        }
        let writers = self.writers();
        let has_writers = writers.contains(&true);
        let mut functions = BTreeSet::new();
        for (id, function) in program.functions_with_ids() {
            let is_taken = !functions.insert(function.name.as_str());
            self.check_name(Location::Function(id), &function.name, is_taken);
            if self.changed.binary_search(&id).is_ok() {
                self.check_function(id, function, &globals);
            }
            // What a function calls may have changed.
            if has_writers {
                self.check_callees(id, function, &writers);
            }
        }
    }

    fn check_sizes(&mut self) {
        let program = self.program;
        let vars = program.functions.iter().flat_map(|f| &f.vars).chain(&program.globals);
        let n_cells: usize = vars.map(|var| var.ty.n_cells()).sum();
        if n_cells > MAX_CELLS {
            let message = format!("the program has {n_cells} values, more than {MAX_CELLS}");
            self.report(Rule::TooLarge, Location::Program, message, None);
        }
        let realizations = program.functions.iter().flat_map(|f| &f.realizations);
        let n_steps: usize = realizations.map(|realization| realization.path.len()).sum();
        if n_steps > MAX_STEPS {
            let message = format!("its paths have {n_steps} steps, more than {MAX_STEPS}");
            self.report(Rule::TooLarge, Location::Program, message, None);
        }
    }

    fn check_function(&mut self, id: FuncId, function: &Function, globals: &BTreeSet<&str>) {
        let at = Location::Function(id);
        self.check_docs(at, &function.docs);
        let mut names = BTreeSet::new();
        for (i, var) in function.vars.iter().enumerate() {
            let location = Location::Var(id, VarId::new(i));
            let is_param = i < function.n_params;
            self.check_var(location, var, &mut names, !is_param);
            if globals.contains(var.name.as_str()) {
                let message = format!("`{}` is the name of a global too", var.name);
                self.report(Rule::DuplicateName, location, message, None);
            }
            if is_param && var.ty.is_array() {
                let message = format!("the parameter `{}` is an array", var.name);
                self.report(Rule::ArrayParameter, location, message, None);
            }
        }
        let mut names: Vec<&str> = Vec::with_capacity(function.blocks.len());
        for (block, data) in function.blocks_with_ids() {
            self.check_name(Location::Block(id, block), &data.name, false);
            names.push(&data.name);
        }
        self.check_labels(id, names);
        self.check_graph(id, function);
        self.check_bodies(id, function);
        self.check_holes(id, function);
        self.check_realizations(id, function);
    }

    /// Reports labels that come twice.
    fn check_labels(&mut self, id: FuncId, names: Vec<&str>) {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|&i| (names[i], i));
        for pair in order.windows(2) {
            if names[pair[0]] == names[pair[1]] {
                let location = Location::Block(id, crate::BlockId::new(pair[1]));
                let message = format!("the label `{}` is there twice", names[pair[1]]);
                self.report(Rule::DuplicateName, location, message, None);
            }
        }
    }

    /// Checks a variable that is declared after those with the names `earlier`.
    fn check_var<'v>(
        &mut self,
        location: Location,
        var: &'v Var,
        earlier: &mut BTreeSet<&'v str>,
        has_init: bool,
    ) {
        let is_taken = !earlier.insert(&var.name);
        self.check_name(location, &var.name, is_taken);
        let n_cells = var.ty.n_cells();
        if n_cells == 0 || n_cells > MAX_ARRAY_LEN as usize {
            let message = format!("`{}` has {n_cells} elements", var.name);
            let expected = format!("expected 1 to {MAX_ARRAY_LEN}");
            self.report(Rule::ArrayLength, location, message, Some(expected));
        }
        let n_expected = if has_init { n_cells } else { 0 };
        if var.init.len() != n_expected {
            let message = format!("`{}` has {} initial values", var.name, var.init.len());
            let expected = format!("expected {n_expected}, for the type {}", var.ty);
            self.report(Rule::InitialValueCount, location, message, Some(expected));
        }
        if let Some(VarTy::Array(..)) = var.ty.element() {
            let message = format!("`{}` is an array of arrays", var.name);
            let expected = Some("expected elements of a scalar type".to_owned());
            self.report(Rule::NestedArray, location, message, expected);
        }
        for fill in &var.init {
            if let ConstOrHole::Const(value) = fill {
                self.check_value(location, var.ty.cell_ty(), *value);
            }
        }
    }

    /// Checks that a value has the type of its context.
    fn check_value(&mut self, location: Location, ty: ScalarTy, value: Scalar) {
        if value.ty() != ty {
            let message = format!("{value} is {} here", body::one(value.ty()));
            let expected = Some(format!("expected {}", body::one(ty)));
            self.report(Rule::ValueType, location, message, expected);
        }
    }

    fn check_name(&mut self, location: Location, name: &str, taken: bool) {
        if !is_name(name) {
            let message = format!("`{}` cannot be a name", name.escape_debug());
            self.report(Rule::BadName, location, message, None);
        }
        if taken {
            let message = format!("the name `{name}` is taken");
            self.report(Rule::DuplicateName, location, message, None);
        }
    }

    fn check_docs(&mut self, location: Location, docs: &[String]) {
        if docs.iter().any(|line| line.contains(char::is_control)) {
            let message = "a line about it has control characters";
            self.report(Rule::BadDoc, location, message, None);
        }
    }

    fn check_graph(&mut self, id: FuncId, function: &Function) {
        let Err(error) = function.cfg() else {
            if function.blocks.len() > MAX_BLOCKS {
                let message = format!("it has more than {MAX_BLOCKS} blocks");
                self.report(Rule::TooLarge, Location::Function(id), message, None);
            }
            return;
        };
        let name = |block: usize| &function.blocks[block].name;
        let term = |block| Location::Term(id, crate::BlockId::new(block));
        match error {
            CfgError::Empty => {
                let message = "the function has no block";
                self.report(Rule::NoBlock, Location::Function(id), message, None);
            }
            CfgError::EntryHasPredecessor { from } => {
                let message = format!("`{}` leads back to the entry", name(from));
                self.report(Rule::EntryIsTarget, term(from), message, None);
            }
            CfgError::NoExit => {
                let message = "no block returns";
                self.report(Rule::ExitCount, Location::Function(id), message, None);
            }
            CfgError::SeveralExits { first, second } => {
                let message = format!("`{}` returns, and so does `{}`", name(second), name(first));
                self.report(Rule::ExitCount, term(second), message, None);
            }
            CfgError::ExitUnreachable { exit } => {
                let message = format!("no path leads from the entry to `{}`", name(exit));
                self.report(Rule::ExitUnreachable, term(exit), message, None);
            }
            // Ids are checked before, and edges that come twice are merged.
            CfgError::TargetOutOfRange { .. } | CfgError::DuplicateEdge { .. } => {}
        }
    }

    fn check_holes(&mut self, id: FuncId, function: &Function) {
        let mut types: std::collections::BTreeMap<_, ScalarTy> = Default::default();
        let mut conflicts = Vec::new();
        self.program.for_each_hole(function, |hole, ty, place| {
            let known = *types.entry(hole).or_insert(ty);
            if known != ty || hole.index() >= MAX_HOLES as usize {
                conflicts.push((hole, known, ty, place));
            }
        });
        for (hole, known, ty, place) in conflicts {
            let location = match place {
                HoleLocation::Init(var) => Location::Var(id, VarId::new(var)),
                HoleLocation::Expr(expr) => Location::Expr(id, expr),
                HoleLocation::Case(block) => Location::Term(id, block),
            };
            let (rule, message) = if known == ty {
                (Rule::TooLarge, format!("?s{} is numbered too high", hole.index()))
            } else {
                (
                    Rule::HoleType,
                    format!(
                        "?s{} is {} here, and {} before",
                        hole.index(),
                        body::one(ty),
                        body::one(known),
                    ),
                )
            };
            self.report(rule, location, message, None);
        }
    }

    fn check_realizations(&mut self, id: FuncId, function: &Function) {
        if function.realizations.is_empty() {
            return;
        }
        let Ok(cfg) = function.cfg() else { return };
        for (nth, realization) in function.realizations.iter().enumerate() {
            let location = Location::Realization(id, nth);
            if realization.args.len() != function.params().len() {
                let message = format!("it has {} arguments", realization.args.len());
                let expected = format!("expected {}", function.params().len());
                self.report(Rule::ArgumentCount, location, message, Some(expected));
            }
            for (arg, param) in std::iter::zip(&realization.args, function.params()) {
                self.check_value(location, param.ty.cell_ty(), *arg);
            }
            let checked = match realization.ending {
                Ending::Returns(output) => {
                    self.check_value(location, function.ret.into(), output);
                    realization.path.check(&cfg)
                }
                Ending::Traps(_) => realization.path.check_prefix(&cfg),
            };
            if let Err(error) = checked {
                let message = error.describe(|block| &function.blocks[block].name);
                self.report(Rule::RealizationPath, location, message, None);
            }
        }
    }

    /// For each function, whether it or a function that it calls assigns to a global; a recursion guard
    /// that counts its calls does not.
    fn writers(&self) -> Vec<bool> {
        let functions = &self.program.functions;
        if !functions.iter().any(Function::writes_global) {
            return vec![false; functions.len()];
        }
        let mut n_namers = vec![0_u32; self.program.globals.len()];
        for function in functions {
            for global in self.program.globals_named(function) {
                n_namers[global.index()] += 1;
            }
        }
        let is_guard = |id: FuncId| {
            RecursionGuard::of(self.program, id)
                .is_some_and(|guard| n_namers[guard.counter.index()] == 1)
        };
        let mut callers = vec![Vec::new(); functions.len()];
        let mut writers = vec![false; functions.len()];
        let mut stack = Vec::new();
        for (id, function) in self.program.functions_with_ids() {
            function.for_each_expr(|_, expr| {
                if let Expr::Call(callee, _) = expr {
                    callers[callee.index()].push(id.index());
                }
            });
            if function.writes_global() && !is_guard(id) {
                writers[id.index()] = true;
                stack.push(id.index());
            }
        }
        while let Some(callee) = stack.pop() {
            for &caller in &callers[callee] {
                if !writers[caller] {
                    writers[caller] = true;
                    stack.push(caller);
                }
            }
        }
        writers
    }

    fn check_callees(&mut self, id: FuncId, function: &Function, writers: &[bool]) {
        let mut found = Vec::new();
        function.for_each_expr(|expr_id, expr| {
            if let Expr::Call(callee, _) = expr
                && writers[callee.index()]
            {
                found.push((expr_id, *callee));
            }
        });
        for (expr, callee) in found {
            let name = &self.program.function(callee).name;
            let message = format!("`{name}` assigns to a global, or calls what does");
            self.report(Rule::CalleeWritesGlobal, Location::Expr(id, expr), message, None);
        }
    }
}

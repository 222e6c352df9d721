//! One function.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use pathsmith_backend::{PerFunction, ProgramOptions, assigned_scalar};
use pathsmith_symlang::lang::text::print_path;
use pathsmith_symlang::lang::{
    Calls, ConstOrHole, Ending, ExprTypes, Function, Program, Return, Scalar, ScalarTy, Stmt, Term,
    Var, VarRef, VarTy,
};
use pathsmith_symlang::{BlockId, FuncId, VarId};

use crate::checked::Wrappers;
use crate::constant::is_table;
use crate::control;
use crate::control::{Condition, LoopKind, Statement};
use crate::expr::ExprWriter;
use crate::floats::FloatOp;
use crate::helpers::Helper;
use crate::initial::unread;
use crate::names::{Names, label};
use crate::options::{COptions, FunctionOptions, Linkage, Placement, Storage, Watch, is_array};
use crate::types::{type_name, value};
use crate::visits::Visits;

/// The text of a function, and what it needs.
pub(crate) struct FunctionText {
    /// Variables that other files can name.
    pub(crate) variables: String,
    pub(crate) definition: String,
    pub(crate) helpers: BTreeSet<Helper>,
    /// The functions and macros that operators became, by name.
    pub(crate) definitions: BTreeMap<String, String>,
}

/// The first line of a function, without what ends a declaration.
pub(crate) fn signature(
    program: &Program,
    names: &Names,
    id: FuncId,
    options: &FunctionOptions,
) -> String {
    let function = program.function(id);
    let linkage = match options.linkage {
        Linkage::Plain => "",
        Linkage::Static => "static ",
        Linkage::NoInline => "__attribute__((noinline)) ",
        Linkage::NoIpa => "PS_NOIPA ",
        Linkage::AlwaysInline => "static inline __attribute__((always_inline)) ",
    };
    let params: Vec<String> = function
        .params()
        .iter()
        .enumerate()
        .map(|(i, param)| {
            format!("{} {}", type_name(param.ty.cell_ty()), param_name(names, id, i, options))
        })
        .collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    format!("{linkage}{} {}({params})", type_name(function.ret.into()), names.function(id))
}

/// A parameter that does not live with the call is copied when it comes in.
fn param_name(names: &Names, id: FuncId, at: usize, options: &FunctionOptions) -> String {
    let name = names.var(id, VarId::new(at));
    if is_copied(options.var(VarId::new(at))) { format!("ps_{name}") } else { name.to_owned() }
}

fn is_copied(placement: Placement) -> bool {
    placement.storage != Storage::Auto || placement.volatile
}

pub(crate) fn function_text(
    program: &Program,
    names: &Names,
    id: FuncId,
    options: &COptions,
    calls: &Calls,
) -> FunctionText {
    let options = options.function(id);
    let function = program.function(id);
    let wrappers = Wrappers::new(program, function, &options.checked);
    let intrinsics = options.intrinsics;
    let (types, helpers) = (ExprTypes::new(program, function), BTreeSet::new());
    let (idioms, idiom_texts) = (options.idioms, BTreeMap::new());
    let exprs = ExprWriter {
        program,
        names,
        id,
        types,
        intrinsics,
        wrappers,
        helpers,
        idioms,
        idiom_texts,
    };
    let mut writer = FunctionWriter {
        program,
        function,
        names,
        id,
        options,
        exprs,
        visits: Visits::new(function),
        is_uninitialised: uninitialised(program.function(id), options, calls.is_called(id)),
        is_target: Vec::new(),
        out: String::new(),
        indent: 1,
    };
    let variables = writer.shared_variables();
    writer.definition();
    let ExprWriter { helpers, wrappers, idiom_texts: mut definitions, .. } = writer.exprs;
    definitions.extend(wrappers.needed);
    FunctionText { variables, definition: writer.out, helpers, definitions }
}

/// For each variable, whether it is left without its initial value: if that was asked for, and the
/// value is never read.
fn uninitialised(function: &Function, options: &FunctionOptions, is_called: bool) -> Vec<bool> {
    let mut is_uninitialised = vec![false; function.vars.len()];
    if !options.uninitialised.is_empty() {
        let unread = unread(function, is_called);
        for (i, is_unread) in unread.into_iter().enumerate() {
            is_uninitialised[i] = is_unread && options.uninitialised.contains(&VarId::new(i));
        }
    }
    is_uninitialised
}

struct FunctionWriter<'a> {
    program: &'a Program,
    function: &'a Function,
    names: &'a Names,
    id: FuncId,
    options: &'a FunctionOptions,
    exprs: ExprWriter<'a>,
    visits: Visits,
    /// For each variable: whether it gets no initial value.
    is_uninitialised: Vec<bool>,
    is_target: Vec<bool>,
    out: String,
    indent: usize,
}

impl FunctionWriter<'_> {
    fn vars(&self) -> impl Iterator<Item = (VarId, &Var, Placement)> {
        let placed = |(i, var)| (VarId::new(i), var, self.options.var(VarId::new(i)));
        self.function.vars.iter().enumerate().map(placed)
    }

    /// Whether a variable is a constant table.
    fn is_constant(&self, id: VarId) -> bool {
        self.options.var(id).constant && is_table(self.function, id)
    }

    /// The declarations of what lives outside of the function.
    fn shared_variables(&self) -> String {
        let mut out = String::new();
        let is_there = |id, placement: Placement| {
            placement.storage == Storage::Global && !self.is_constant(id)
        };
        for (id, var, placement) in self.vars().filter(|(id, _, p)| is_there(*id, *p)) {
            let name = self.names.var(self.id, id);
            let _ = writeln!(out, "{};", declaration(name, &var.ty, placement.volatile));
        }
        out
    }

    fn definition(&mut self) {
        self.header();
        let signature = signature(self.program, self.names, self.id, self.options);
        self.line(0, &signature);
        self.line(0, "{");
        self.declarations();
        let (body, is_target) = control::body(self.function, self.options.control);
        self.is_target = is_target;
        self.stms(&body);
        self.line(0, "}");
    }

    /// The first realization, for readers.
    fn header(&mut self) {
        let function = self.function;
        for doc in &function.docs {
            let _ = writeln!(self.out, "// {doc}");
        }
        if let Some(line) = self.exprs.wrappers.describe() {
            let _ = writeln!(self.out, "// {line}");
        }
        let vars = std::iter::zip(&function.vars, &self.is_uninitialised);
        let uninitialised: Vec<&str> =
            vars.filter(|(_, is)| **is).map(|(var, _)| &var.name[..]).collect();
        if !uninitialised.is_empty() {
            let _ = writeln!(self.out, "// not initialised: {}", uninitialised.join(", "));
        }
        let Some(first) = function.realizations.first() else { return };
        let args: Vec<String> = first.args.iter().map(ToString::to_string).collect();
        let ending = match first.ending {
            Ending::Returns(value) => format!("= {value}"),
            Ending::Traps(kind) => format!("traps {kind}"),
        };
        let left = first.leaving.map_or(String::new(), |crc| format!(" leaving {crc}"));
        let _ = writeln!(
            self.out,
            "// {}({}) {ending}{left}\n// via {}",
            function.name,
            args.join(", "),
            print_path(self.program, function, &first.path)
        );
        match function.realizations.len() {
            1 => {}
            n => drop(writeln!(self.out, "// and {} more", n - 1)),
        }
    }

    fn declarations(&mut self) {
        let (function, n_params) = (self.function, self.function.params().len());
        for (i, var) in function.vars.iter().enumerate() {
            let id = VarId::new(i);
            let placement = self.options.var(id);
            let name = self.names.var(self.id, id).to_owned();
            let declared = declaration(&name, &var.ty, placement.volatile);
            let is_param = i < n_params;
            if self.is_constant(id) {
                self.line(1, &format!("static const {declared} = {};", initializer(var)));
                continue;
            }
            match placement.storage {
                Storage::Static => self.line(1, &format!("static {declared};")),
                Storage::Auto if is_param && is_copied(placement) => {
                    self.line(1, &format!("{declared} = ps_{name};"));
                }
                Storage::Auto if self.is_uninitialised[i] => self.line(1, &format!("{declared};")),
                Storage::Auto if !is_param => {
                    let init = initializer(var);
                    self.line(1, &format!("{declared} = {init};"));
                }
                Storage::Auto | Storage::Global => {}
            }
        }
        for (i, var) in function.vars.iter().enumerate() {
            let id = VarId::new(i);
            let name = self.names.var(self.id, id).to_owned();
            match self.options.var(id).storage {
                _ if self.is_constant(id) => {}
                Storage::Auto => {}
                _ if self.is_uninitialised[i] => {}
                _ if i < n_params => self.line(1, &format!("{name} = ps_{name};")),
                _ => {
                    for assignment in assignments(&name, var) {
                        self.line(1, &assignment);
                    }
                }
            }
        }
        self.out.push('\n');
    }

    fn stms(&mut self, stms: &[Statement]) {
        for stm in stms {
            self.stm(stm);
        }
    }

    fn stm(&mut self, stm: &Statement) {
        match stm {
            Statement::Label(block) => self.label(*block),
            Statement::Block(block) => {
                let function = self.function;
                for stmt in &function.block(*block).stmts {
                    let Stmt::Assign { place, value } = stmt;
                    let ty = self.program.var(function, place.var()).ty.cell_ty();
                    let place = self.exprs.place(place);
                    let value = self.exprs.narrowed(*value, ty);
                    self.line(self.indent, &format!("{place} = {value};"));
                    self.watch(stmt);
                }
            }
            Statement::If(condition, then, otherwise) => self.if_(*condition, then, otherwise),
            Statement::Loop(kind, body) => {
                match kind {
                    LoopKind::Forever => self.line(self.indent, "for (;;) {"),
                    LoopKind::While(condition) => {
                        let condition = self.condition(*condition);
                        self.line(self.indent, &format!("while ({condition}) {{"));
                    }
                    LoopKind::DoWhile(_) => self.line(self.indent, "do {"),
                }
                self.nested(body);
                match kind {
                    LoopKind::Forever | LoopKind::While(_) => self.line(self.indent, "}"),
                    LoopKind::DoWhile(condition) => {
                        let condition = self.condition(*condition);
                        self.line(self.indent, &format!("}} while ({condition});"));
                    }
                }
            }
            Statement::Switch(on, arms) => {
                let labels = arms.iter().flat_map(|(labels, _)| labels).flatten();
                let on = self.exprs.switch_text(*on, labels);
                self.line(self.indent, &format!("switch ({on}) {{"));
                for (labels, arm) in arms {
                    for label in labels {
                        match label {
                            Some(label) => {
                                let label = value(*label);
                                self.line(self.indent, &format!("case {label}:"));
                            }
                            None => self.line(self.indent, "default:"),
                        }
                    }
                    self.nested(arm);
                }
                self.line(self.indent, "}");
            }
            Statement::Goto(block) => {
                let label = label(&self.function.block(*block).name);
                self.line(self.indent, &format!("goto {label};"));
            }
            Statement::Break => self.line(self.indent, "break;"),
            Statement::Continue => self.line(self.indent, "continue;"),
            Statement::Return(block) => self.return_(*block),
        }
    }

    /// Makes the variable that was assigned visible, if that was asked for.
    fn watch(&mut self, stmt: &Stmt) {
        let Some(var) = assigned_scalar(stmt).filter(|var| self.options.watched.contains(var))
        else {
            return;
        };
        let name = self.names.var(self.id, var).to_owned();
        let word = match self.function.var(var).ty.cell_ty() {
            ScalarTy::Int(_) => format!("(uint64_t){name}"),
            // The sink is not compared, so that any NaN will do.
            ScalarTy::Float(ty) => {
                format!("{}({name})", self.exprs.float_callee(FloatOp::Bits, ty))
            }
        };
        let text = match self.options.watch {
            Watch::VolatileStore => format!("ps_sink = {word};"),
            Watch::OpaqueCall => format!("ps_see({word});"),
        };
        self.line(self.indent, &text);
    }

    fn nested(&mut self, stms: &[Statement]) {
        self.indent += 1;
        self.stms(stms);
        self.indent -= 1;
    }

    fn if_(&mut self, condition: Condition, then: &[Statement], otherwise: &[Statement]) {
        let (condition, then, otherwise) = if then.is_empty() && !otherwise.is_empty() {
            (Condition { negated: !condition.negated, ..condition }, otherwise, then)
        } else {
            (condition, then, otherwise)
        };
        let condition = self.condition(condition);
        self.line(self.indent, &format!("if ({condition}) {{"));
        self.nested(then);
        if !otherwise.is_empty() {
            self.line(self.indent, "} else {");
            self.nested(otherwise);
        }
        self.line(self.indent, "}");
    }

    fn condition(&mut self, condition: Condition) -> String {
        let text = self.exprs.condition(condition.expr);
        if condition.negated { format!("!({text})") } else { text }
    }

    /// The label of a block, and when the path is there. The entry is where it is anyway.
    fn label(&mut self, block: BlockId) {
        let comment = self.visits.describe(block);
        let name = label(&self.function.block(block).name);
        let label = match (self.is_target[block.index()], &comment[..]) {
            (true, "") => format!("{name}:;"),
            (true, comment) => format!("{name}:; // {comment}"),
            (false, "") => format!("// {name}"),
            (false, comment) => format!("// {name}: {comment}"),
        };
        self.line(self.indent - 1, &label);
    }

    fn return_(&mut self, block: BlockId) {
        let indent = self.indent;
        match &self.function.block(block).term {
            // These blocks do not return.
            Term::Goto(_) | Term::If { .. } | Term::Switch { .. } => {}
            Term::Return(Return::Value(expr)) => {
                let value = self.exprs.text(*expr);
                self.line(indent, &format!("return {value};"));
            }
            Term::Return(Return::Checksum | Return::ChecksumOf(_)) => {
                self.line(indent, "{");
                self.line(indent + 1, "uint32_t ps_crc = 0xffffffffu;");
                for var in self.program.checksum_vars(self.function) {
                    self.add_to_checksum(var);
                }
                self.line(indent + 1, "return ~ps_crc;");
                self.line(indent, "}");
            }
        }
    }

    fn add_to_checksum(&mut self, var: VarRef) {
        let name = self.exprs.var_name(var).to_owned();
        let ty = &self.program.var(self.function, var).ty;
        let n_bytes = ty.cell_ty().bits() / 8;
        let canonical = match ty.cell_ty() {
            ScalarTy::Int(_) => None,
            ScalarTy::Float(ty) => Some(self.exprs.float_callee(FloatOp::Canonical, ty)),
        };
        let word = |cell: &str| match &canonical {
            None => format!("(uint64_t){cell}"),
            Some(canonical) => format!("{canonical}({cell})"),
        };
        match ty {
            VarTy::Scalar(_) => self.line(
                self.indent + 1,
                &format!("ps_crc = ps_crc_add(ps_crc, {}, {n_bytes});", word(&name)),
            ),
            VarTy::Array(_, len) => {
                self.line(self.indent + 1, &format!("for (int ps_i = 0; ps_i < {len}; ps_i++)"));
                let cell = word(&format!("{name}[ps_i]"));
                self.line(
                    self.indent + 2,
                    &format!("ps_crc = ps_crc_add(ps_crc, {cell}, {n_bytes});"),
                );
            }
        }
    }

    fn line(&mut self, indent: usize, text: &str) {
        push_line(&mut self.out, indent, text);
    }
}

pub(crate) fn push_line(out: &mut String, indent: usize, text: &str) {
    for _ in 0..indent {
        out.push_str("    ");
    }
    out.push_str(text);
    out.push('\n');
}

/// `volatile int32_t name[4]`
pub(crate) fn declaration(name: &str, ty: &VarTy, volatile: bool) -> String {
    let qualifier = if volatile { "volatile " } else { "" };
    let elem = type_name(ty.cell_ty());
    match ty {
        VarTy::Scalar(_) => format!("{qualifier}{elem} {name}"),
        VarTy::Array(_, len) => format!("{qualifier}{elem} {name}[{len}]"),
    }
}

/// The initial values of a variable.
pub(crate) fn initializer(var: &Var) -> String {
    let values: Vec<String> = initial_values(var).map(value).collect();
    if is_array(var) { format!("{{{}}}", values.join(", ")) } else { values.concat() }
}

fn initial_values(var: &Var) -> impl Iterator<Item = Scalar> {
    // Programs with holes are not lowered.
    var.init.iter().map(|fill| match fill {
        ConstOrHole::Const(value) => *value,
        ConstOrHole::Hole(_) => Scalar::new(var.ty.cell_ty(), 0),
    })
}

/// Statements that reset a variable to its initial values.
pub(crate) fn assignments(name: &str, var: &Var) -> Vec<String> {
    let elem = var.ty.cell_ty();
    let mut cells = initial_values(var);
    if !is_array(var) {
        return cells.next().map(|cell| format!("{name} = {};", value(cell))).into_iter().collect();
    }
    let len = var.init.len();
    let copy =
        |from: &str| format!("for (int ps_i = 0; ps_i < {len}; ps_i++) {name}[ps_i] = {from};");
    let first = var.init.first();
    if var.init.iter().all(|fill| Some(fill) == first) {
        return cells.next().map(|cell| copy(&value(cell))).into_iter().collect();
    }
    let values = initializer(var);
    let table = format!("static const {} ps_{name}[{len}] = {values};", type_name(elem));
    vec![table, copy(&format!("ps_{name}[ps_i]"))]
}

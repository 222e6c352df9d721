//! One function in plain C.

use std::collections::{BTreeMap, BTreeSet};

use pathsmith_backend::{PerFunction, ProgramOptions, assigned_scalar};
use pathsmith_symlang::lang::{ExprTypes, Function, Return, ScalarTy, Stmt, Term, VarRef, VarTy};
use pathsmith_symlang::{BlockId, FuncId, VarId};

use super::control::{Init, Loop, Node, Uses, nodes};
use super::expr::PlainExprs;
use super::words::{
    declaration, declarator, initial_values, initializer, is_all_zero, plain_words, qualified_type,
    type_name, value,
};
use super::{Arrangement, Initialised, PlainFile};
use crate::checked::Wrappers;
use crate::constant::is_table;
use crate::control::Condition;
use crate::floats::FloatOp;
use crate::initial::unread;
use crate::options::{CallKind, FunctionOptions, Linkage, Placement, Storage, Watch};

/// The widest line that a short statement shares with what it depends on. A guess at taste.
const MAX_WIDTH: usize = 90;

const CRC: &str = "static unsigned crc_add(unsigned crc, unsigned long long value, int n_bytes) {
    for (int i = 0; i < n_bytes; i++) {
        crc ^= value >> (8 * i) & 0xff;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xedb88320 & -(crc & 1));
    }
    return crc;
}";

/// Whether `a ? b : c` is all there is to a condition.
fn is_choice(text: &str) -> bool {
    let mut depth = 0;
    text.chars().any(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0 && c == '?'
    })
}

/// The text of a function, and what it needs.
pub(super) struct FunctionText {
    /// Variables at file scope.
    pub(super) variables: String,
    pub(super) definition: String,
    /// The functions and macros that operators became, by name.
    pub(super) helpers: BTreeMap<String, String>,
}

/// The declaration of a function.
pub(super) fn prototype(file: &PlainFile<'_>, id: FuncId) -> String {
    format!("{};\n", signature(file, id))
}

/// The pointer that a function is called through.
pub(super) fn pointer(file: &PlainFile<'_>, id: FuncId) -> String {
    let function = file.program.function(id);
    let is_volatile = file.options.lowering.function(id).call == CallKind::VolatilePointer;
    let qualifier = if is_volatile { "volatile " } else { "" };
    let params: Vec<&str> =
        function.params().iter().map(|param| type_name(param.ty.cell_ty())).collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let (ret, name) = (type_name(function.ret.into()), file.names.function(id));
    format!("static {ret} (*{qualifier}{})({params}) = {name};\n", file.names.callee(id))
}

/// The attribute that keeps the optimizer from seeing through calls.
pub(super) fn no_ipa(file: &PlainFile<'_>) -> &'static str {
    match file.options.has_noipa {
        true => "__attribute__((noipa)) ",
        false => "__attribute__((noinline)) ",
    }
}

fn signature(file: &PlainFile<'_>, id: FuncId) -> String {
    let (function, options) = (file.program.function(id), file.options.lowering.function(id));
    let linkage = match options.linkage {
        Linkage::Plain => "",
        Linkage::Static => "static ",
        Linkage::NoInline => "__attribute__((noinline)) ",
        Linkage::NoIpa => no_ipa(file),
        Linkage::AlwaysInline => "static inline __attribute__((always_inline)) ",
    };
    let params: Vec<String> = function
        .params()
        .iter()
        .enumerate()
        .map(|(i, param)| {
            let name = param_name(file, id, VarId::new(i));
            format!("{} {name}", type_name(param.ty.cell_ty()))
        })
        .collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    format!("{linkage}{} {}({params})", type_name(function.ret.into()), file.names.function(id))
}

/// A parameter that does not live with the call is copied when it comes in.
fn param_name(file: &PlainFile<'_>, id: FuncId, param: VarId) -> String {
    let name = file.names.local(id, param);
    match is_copied(file.options.lowering.function(id).var(param)) {
        true => format!("{name}0"),
        false => name.to_owned(),
    }
}

fn is_copied(placement: Placement) -> bool {
    placement.storage != Storage::Auto || placement.volatile
}

pub(super) fn function_text(file: &PlainFile<'_>, id: FuncId) -> FunctionText {
    let (function, options) = (file.program.function(id), file.options.lowering.function(id));
    let exprs = PlainExprs {
        file,
        id,
        function,
        options,
        types: ExprTypes::new(file.program, function),
        wrappers: Wrappers::new(file.program, function, &options.checked),
        helpers: BTreeMap::new(),
    };
    let body = nodes(file.program, function, options.control, file.options.arrangement);
    let uses = Uses { program: file.program, function };
    let is_used = (0..function.vars.len())
        .map(|i| uses.count(&body, VarRef::Var(VarId::new(i))) > 0)
        .collect();
    let mut writer = Writer {
        file,
        id,
        function,
        options,
        exprs,
        is_used,
        is_unread: unread(function, true),
        declared_later: BTreeSet::new(),
        lines: Vec::new(),
    };
    writer.find_loop_variables(&body);
    let variables = writer.shared_variables();
    writer.line(0, &format!("{} {{", signature(file, id)));
    let n_leading = writer.declarations(&body);
    writer.print(&body[n_leading..], 1);
    writer.line(0, "}");
    let Writer { exprs, lines, .. } = writer;
    let PlainExprs { mut helpers, wrappers, .. } = exprs;
    helpers.extend(wrappers.needed);
    FunctionText { variables, definition: lines.concat(), helpers }
}

struct Writer<'a> {
    file: &'a PlainFile<'a>,
    id: FuncId,
    function: &'a Function,
    options: &'a FunctionOptions,
    exprs: PlainExprs<'a>,
    /// For each variable, whether a statement names it.
    is_used: Vec<bool>,
    /// For each variable, whether nothing reads its initial value.
    is_unread: Vec<bool>,
    /// Variables that are declared where they are first assigned.
    declared_later: BTreeSet<VarId>,
    lines: Vec<String>,
}

impl Writer<'_> {
    fn line(&mut self, indent: usize, text: &str) {
        self.lines.push(format!("{}{text}\n", "    ".repeat(indent)));
    }

    fn name(&self, id: VarId) -> String {
        self.file.names.local(self.id, id).to_owned()
    }

    fn is_constant(&self, id: VarId) -> bool {
        self.options.var(id).constant && is_table(self.function, id)
    }

    fn is_param(&self, id: VarId) -> bool {
        id.index() < self.function.params().len()
    }

    /// Whether a variable gets its initial value with its declaration, although it outlives the
    /// call.
    fn is_set_at_start(&self, id: VarId) -> bool {
        self.file.options.initialised == Initialised::AtStart && !self.is_param(id)
    }

    /// The variables that a statement names.
    fn used(&self) -> Vec<VarId> {
        let ids = (0..self.function.vars.len()).map(VarId::new);
        ids.filter(|id| self.is_used[id.index()]).collect()
    }

    /// The declarations of variables at file scope.
    fn shared_variables(&self) -> String {
        let mut by_type: Vec<(String, Vec<String>)> = Vec::new();
        for id in self.used() {
            let (var, placement) = (self.function.var(id), self.options.var(id));
            if placement.storage == Storage::Global && !self.is_constant(id) {
                let ty = qualified_type(&var.ty, placement.volatile);
                let text = self.with_initial_value(declarator(&self.name(id), &var.ty), id);
                match by_type.iter_mut().find(|(known, _)| *known == ty) {
                    Some((_, texts)) => texts.push(text),
                    None => by_type.push((ty, vec![text])),
                }
            }
        }
        by_type.iter().map(|(ty, texts)| format!("{ty} {};\n", texts.join(", "))).collect()
    }

    fn with_initial_value(&self, declared: String, id: VarId) -> String {
        let var = self.function.var(id);
        match self.is_set_at_start(id) && !is_all_zero(var) {
            true => format!("{declared} = {}", initializer(var)),
            false => declared,
        }
    }

    /// Notes the variables that `for` loops declare.
    fn find_loop_variables(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Loop(kind, body) => {
                    if let Loop::For(Init::Declare(VarRef::Var(id), _), ..) = kind
                        && self.is_plain(*id)
                    {
                        self.declared_later.insert(*id);
                    }
                    self.find_loop_variables(body);
                }
                Node::If(_, then, otherwise) => {
                    self.find_loop_variables(then);
                    self.find_loop_variables(otherwise);
                }
                Node::Switch(_, arms) => {
                    arms.iter().for_each(|(_, arm)| self.find_loop_variables(arm));
                }
                Node::Label(_) | Node::Assign(..) | Node::Goto(_) | Node::Break => {}
                Node::Continue | Node::Return(_) => {}
            }
        }
    }

    /// Whether a variable is an ordinary local.
    fn is_plain(&self, id: VarId) -> bool {
        !is_copied(self.options.var(id)) && !self.is_param(id)
    }

    /// Writes declarations, and how many of the first statements are part of them.
    fn declarations(&mut self, body: &[Node]) -> usize {
        let leading = self.leading_assignments(body);
        let mut by_type: Vec<(ScalarTy, Vec<String>)> = Vec::new();
        let mut at_entry = Vec::new();
        for id in self.used() {
            let (var, placement) = (self.function.var(id), self.options.var(id));
            let name = self.name(id);
            let declared = declaration(&name, &var.ty, placement.volatile);
            if self.is_constant(id) {
                self.line(1, &format!("static const {declared} = {};", initializer(var)));
                continue;
            }
            if self.declared_later.contains(&id) {
                continue;
            }
            match placement.storage {
                Storage::Auto if self.is_param(id) && placement.volatile => {
                    self.line(1, &format!("{declared} = {name}0;"));
                }
                Storage::Auto if self.is_param(id) => {}
                Storage::Auto if placement.volatile => {
                    self.line(1, &format!("{declared} = {};", initializer(var)));
                }
                Storage::Auto => {
                    let declarator = declarator(&name, &var.ty);
                    let text = match self.is_unread[id.index()] {
                        true => declarator,
                        false => format!("{declarator} = {}", initializer(var)),
                    };
                    let ty = var.ty.cell_ty();
                    match by_type.iter_mut().find(|(known, _)| *known == ty) {
                        Some((_, texts)) => texts.push(text),
                        None => by_type.push((ty, vec![text])),
                    }
                }
                Storage::Static => {
                    let text = self.with_initial_value(format!("static {declared}"), id);
                    self.line(1, &format!("{text};"));
                }
                Storage::Global => {}
            }
            if placement.storage != Storage::Auto && !self.is_set_at_start(id) {
                at_entry.push(id);
            }
        }
        for (ty, texts) in by_type {
            self.line(1, &format!("{} {};", type_name(ty), texts.join(", ")));
        }
        for id in at_entry {
            self.assign_initial_value(id);
        }
        for node in &body[..leading] {
            let Node::Assign(block, at) = node else { continue };
            let text = self.declaring(*block, *at);
            self.line(1, &text);
            self.watch(*block, *at, 1);
        }
        leading
    }

    /// How many of the first statements declare what they assign.
    fn leading_assignments(&mut self, body: &[Node]) -> usize {
        // If something has to be set at entry, that comes before all statements.
        let mut n = 0;
        for node in body {
            let Node::Assign(block, at) = node else { break };
            let Stmt::Assign { place, .. } = &self.function.block(*block).stmts[*at];
            let Some(VarRef::Var(id)) = place.as_scalar() else { break };
            if !self.is_plain(id) || !self.is_unread[id.index()] || !self.declared_later.insert(id)
            {
                break;
            }
            n += 1;
        }
        n
    }

    /// `int a = 1;`
    fn declaring(&mut self, block: BlockId, at: usize) -> String {
        let Stmt::Assign { place, value } = &self.function.block(block).stmts[at];
        let ty = self.file.program.var(self.function, place.var()).ty.cell_ty();
        let text = self.exprs.stored(*value, ty);
        format!("{} {} = {text};", type_name(ty), self.exprs.var_name(place.var()))
    }

    /// What sets a variable that outlives the call when it begins.
    fn assign_initial_value(&mut self, id: VarId) {
        let (name, var) = (self.name(id), self.function.var(id));
        if self.is_param(id) {
            return self.line(1, &format!("{name} = {name}0;"));
        }
        let mut cells = initial_values(var);
        match var.ty {
            VarTy::Scalar(_) if self.is_unread[id.index()] => {}
            VarTy::Scalar(_) => {
                let text = cells.next().map(|cell| format!("{name} = {};", value(cell)));
                text.into_iter().for_each(|text| self.line(1, &text));
            }
            VarTy::Array(_, len) => {
                let first = var.init.first();
                let is_same = var.init.iter().all(|fill| Some(fill) == first);
                let from = match (is_same, cells.next()) {
                    (true, Some(cell)) => value(cell),
                    _ => {
                        let values = initializer(var);
                        let ty = type_name(var.ty.cell_ty());
                        self.line(1, &format!("static const {ty} {name}0[{len}] = {values};"));
                        format!("{name}0[n_]")
                    }
                };
                let head = format!("for (int n_ = 0; n_ < {len}; n_++)");
                self.line(1, &format!("{head} {name}[n_] = {from};"));
            }
        }
    }

    /// Makes the variable that was assigned visible, if that was asked for.
    fn watch(&mut self, block: BlockId, at: usize, indent: usize) {
        let stmt = &self.function.block(block).stmts[at];
        let Some(var) = assigned_scalar(stmt).filter(|var| self.options.watched.contains(var))
        else {
            return;
        };
        let mut name = self.name(var);
        if let ScalarTy::Float(ty) = self.function.var(var).ty.cell_ty() {
            let bits = self.exprs.float_callee(FloatOp::Bits, ty);
            name = format!("{}({name})", plain_words(&bits));
        }
        let (text, key, helper) = match self.options.watch {
            Watch::VolatileStore => {
                let helper = "volatile unsigned long long sink;".to_owned();
                (format!("sink = {name};"), "sink", helper)
            }
            Watch::OpaqueCall => {
                let head = no_ipa(self.file);
                let helper = format!("{head}void see(unsigned long long n) {{ (void)n; }}");
                (format!("see({name});"), "see", helper)
            }
        };
        self.exprs.helpers.insert(key.to_owned(), helper);
        self.line(indent, &text);
    }

    fn is_watched(&self, block: BlockId, at: usize) -> bool {
        let assigned = assigned_scalar(&self.function.block(block).stmts[at]);
        assigned.is_some_and(|var| self.options.watched.contains(&var))
    }

    fn print(&mut self, nodes: &[Node], indent: usize) {
        let mut is_labelled = false;
        for node in nodes {
            let at = self.lines.len();
            self.node(node, indent);
            let is_label = matches!(node, Node::Label(_));
            if is_labelled && !is_label {
                self.put_behind_label(at);
            }
            is_labelled = is_label;
        }
        // A label needs a statement.
        if let Some(Node::Label(_)) = nodes.last()
            && let Some(last) = self.lines.last_mut()
        {
            *last = format!("{};\n", last.trim_end());
        }
    }

    /// Puts a line behind the label that stands in the line above.
    fn put_behind_label(&mut self, at: usize) {
        let statement = self.lines.remove(at);
        let label = self.lines[at - 1].trim_end().to_owned();
        let column = statement.len() - statement.trim_start().len();
        let gap = column.saturating_sub(label.len()).max(1);
        self.lines[at - 1] = format!("{label}{}{}", " ".repeat(gap), statement.trim_start());
    }

    fn node(&mut self, node: &Node, indent: usize) {
        match node {
            Node::Label(block) => {
                let label = self.file.names.label(self.id, *block).to_owned();
                self.line(indent - 1, &format!("{label}:"));
            }
            Node::Assign(block, at) => {
                let text = self.assignment(*block, *at);
                self.line(indent, &text);
                self.watch(*block, *at, indent);
            }
            Node::If(condition, then, otherwise) => {
                let (condition, then) = self.conjunction(*condition, then, otherwise);
                let head = format!("if ({condition})");
                let is_chain = matches!(otherwise[..], [Node::If(..)]);
                if otherwise.is_empty() {
                    self.headed(&head, then, indent);
                } else if let ([then], [last], false) = (then, &otherwise[..], is_chain)
                    && let (Some(then), Some(last)) = (self.short(then), self.short(last))
                {
                    self.line(indent, &format!("{head} {then}"));
                    self.line(indent, &format!("else {last}"));
                } else {
                    self.line(indent, &format!("{head} {{"));
                    self.print(then, indent + 1);
                    self.line(indent, "} else {");
                    self.print(otherwise, indent + 1);
                    self.line(indent, "}");
                }
            }
            Node::Loop(Loop::DoWhile(condition), body) => {
                let condition = self.condition(*condition);
                let short = match &body[..] {
                    [only] => self.short(only),
                    _ => None,
                };
                let joined = short.map(|short| format!("do {short} while ({condition});"));
                match joined.filter(|text| text.len() + 4 * indent <= MAX_WIDTH) {
                    Some(text) => self.line(indent, &text),
                    None => {
                        self.line(indent, "do {");
                        self.print(body, indent + 1);
                        self.line(indent, &format!("}} while ({condition});"));
                    }
                }
            }
            Node::Loop(kind, body) => {
                let head = self.loop_head(*kind);
                self.headed(&head, body, indent);
            }
            Node::Switch(on, arms) => {
                let labels = arms.iter().flat_map(|(labels, _)| labels).flatten();
                let on = self.exprs.switched(*on, labels);
                self.line(indent, &format!("switch ({on}) {{"));
                for (labels, arm) in arms {
                    for label in labels {
                        match label {
                            Some(label) => {
                                self.line(indent, &format!("case {}:", value(*label)));
                            }
                            None => self.line(indent, "default:"),
                        }
                    }
                    self.print(arm, indent + 1);
                }
                self.line(indent, "}");
            }
            Node::Return(block) => self.return_(*block, indent),
            Node::Goto(_) | Node::Break | Node::Continue => {
                let text = self.short(node).unwrap_or_default();
                self.line(indent, &text);
            }
        }
    }

    /// A statement that depends on something, on its line if it is short.
    fn headed(&mut self, head: &str, body: &[Node], indent: usize) {
        let short = match body {
            [] => Some("{}".to_owned()),
            [only] => self.short(only),
            _ => None,
        };
        let joined = short.map(|short| format!("{head} {short}"));
        match joined.filter(|text| text.len() + 4 * indent <= MAX_WIDTH) {
            Some(text) => self.line(indent, &text),
            None => {
                self.line(indent, &format!("{head} {{"));
                self.print(body, indent + 1);
                self.line(indent, "}");
            }
        }
    }

    /// A statement that is one line.
    fn short(&mut self, node: &Node) -> Option<String> {
        match node {
            Node::Assign(block, at) if self.is_watched(*block, *at) => None,
            Node::Assign(block, at) => Some(self.assignment(*block, *at)),
            Node::Goto(block) => Some(format!("goto {};", self.file.names.label(self.id, *block))),
            Node::Break => Some("break;".to_owned()),
            Node::Continue => Some("continue;".to_owned()),
            Node::Return(block) => match &self.function.block(*block).term {
                Term::Return(Return::Value(value)) => {
                    let value = self.exprs.stored(*value, self.function.ret.into());
                    Some(format!("return {value};"))
                }
                Term::Return(Return::Checksum | Return::ChecksumOf(_))
                | Term::Goto(_)
                | Term::If { .. }
                | Term::Switch { .. } => None,
            },
            Node::Loop(Loop::Forever, body) if body.is_empty() => Some("for (;;) {}".to_owned()),
            Node::Label(_) | Node::If(..) | Node::Loop(..) | Node::Switch(..) => None,
        }
    }

    /// The condition of an `if`, together with those of the `if`s that are all it has, and what
    /// depends on them all.
    fn conjunction<'n>(
        &mut self,
        condition: Condition,
        then: &'n [Node],
        otherwise: &[Node],
    ) -> (String, &'n [Node]) {
        let first = self.condition(condition);
        let is_alone =
            otherwise.is_empty() && self.file.options.arrangement == Arrangement::ForReaders;
        let (true, [Node::If(inner, inside, none)]) = (is_alone, then) else {
            return (first, then);
        };
        if !none.is_empty() {
            return (first, then);
        }
        let (second, inside) = self.conjunction(*inner, inside, none);
        let operand = |text: String| if is_choice(&text) { format!("({text})") } else { text };
        (format!("{} && {}", operand(first), operand(second)), inside)
    }

    fn assignment(&mut self, block: BlockId, at: usize) -> String {
        let Stmt::Assign { place, value } = &self.function.block(block).stmts[at];
        self.exprs.assignment(place, *value)
    }

    fn condition(&mut self, condition: Condition) -> String {
        self.exprs.condition(condition.expr, condition.negated)
    }

    fn loop_head(&mut self, kind: Loop) -> String {
        match kind {
            Loop::Forever => "for (;;)".to_owned(),
            Loop::While(condition) | Loop::DoWhile(condition) => {
                format!("while ({})", self.condition(condition))
            }
            Loop::For(init, condition, (block, at)) => {
                let init = match init {
                    Init::None => ";".to_owned(),
                    Init::Assign(block, at) => self.assignment(block, at),
                    Init::Declare(var, start) => self.loop_start(var, start),
                };
                let condition = self.condition(condition);
                let step = self.assignment(block, at);
                format!("for ({init} {condition}; {})", step.trim_end_matches(';'))
            }
        }
    }

    fn loop_start(&mut self, var: VarRef, start: Option<(BlockId, usize)>) -> String {
        let is_declared_here = match var {
            VarRef::Var(id) => self.declared_later.contains(&id),
            VarRef::Global(_) => false,
        };
        let declared = self.file.program.var(self.function, var);
        match (start, is_declared_here) {
            (Some((block, at)), true) => self.declaring(block, at),
            (Some((block, at)), false) => self.assignment(block, at),
            (None, true) => {
                let ty = type_name(declared.ty.cell_ty());
                format!("{ty} {} = {};", self.exprs.var_name(var), initializer(declared))
            }
            (None, false) => ";".to_owned(),
        }
    }

    fn return_(&mut self, block: BlockId, indent: usize) {
        if let Some(text) = self.short(&Node::Return(block)) {
            return self.line(indent, &text);
        }
        self.exprs.helpers.insert("crc_add".to_owned(), CRC.to_owned());
        self.line(indent, "{");
        self.line(indent + 1, "unsigned crc = 0xffffffff;");
        for var in self.file.program.checksum_vars(self.function) {
            let name = self.exprs.var_name(var);
            let ty = &self.file.program.var(self.function, var).ty;
            let n_bytes = ty.cell_ty().bits() / 8;
            let canonical = match ty.cell_ty() {
                ScalarTy::Int(_) => None,
                ScalarTy::Float(ty) => Some(self.exprs.float_callee(FloatOp::Canonical, ty)),
            };
            let word = |cell: String| match &canonical {
                None => cell,
                Some(canonical) => format!("{}({cell})", plain_words(canonical)),
            };
            let text = match ty {
                VarTy::Scalar(_) => format!("crc = crc_add(crc, {}, {n_bytes});", word(name)),
                VarTy::Array(_, len) => {
                    let cell = word(format!("{name}[n_]"));
                    format!(
                        "for (int n_ = 0; n_ < {len}; n_++) crc = crc_add(crc, {cell}, {n_bytes});"
                    )
                }
            };
            self.line(indent + 1, &text);
        }
        self.line(indent + 1, "return ~crc;");
        self.line(indent, "}");
    }
}

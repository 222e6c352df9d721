//! Operators that are lowered to calls of *wrappers*: functions or macros that return what the
//! operator does if that is defined, and an operand if it is not.

mod follow;

use std::collections::BTreeMap;

use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::lang::{
    BinOp, Expr, ExprTypes, Function, Program, Stmt, UnOp, ValueTy, WordTy,
};
use pathsmith_symlang::{ExprId, Rng};
use rand::RngExt;

use serde::{Deserialize, Serialize};

use crate::DIALECT;
use crate::types::{type_name, unsigned};

/// Operators that are lowered to calls of wrappers, which return a value whatever their operands
/// are, and the operator's own result if that is defined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Checked {
    /// What the wrappers are.
    pub form: Form,
    /// Which operators have one: numbers in the order of the text, operands first, that count
    /// those operators which are not defined for all operands. Numbers beyond them are ignored.
    pub operators: Vec<usize>,
}

/// What wrappers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Functions.
    #[default]
    Function,
    /// Macros, which name their operands several times; functions if operands are large or
    /// call something.
    Macro,
}

impl Checked {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        self.operators.is_empty()
    }
}

pub(crate) use follow::follow;

/// The largest expression, in nodes, that becomes a macro: macros name their operands several times,
/// and macros within macros several times several times. The number is a guess.
const MAX_MACRO_NODES: usize = 7;

/// An operator on integers that there is a wrapper for: not all operands are defined for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapped {
    Neg,
    Abs,
    Clz,
    Ctz,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
}

impl Wrapped {
    pub(crate) const fn unary(op: UnOp) -> Option<Self> {
        match op {
            UnOp::Neg => Some(Self::Neg),
            UnOp::Clz => Some(Self::Clz),
            UnOp::Ctz => Some(Self::Ctz),
            UnOp::Abs => Some(Self::Abs),
            UnOp::Not | UnOp::Popcnt | UnOp::Bswap | UnOp::Bitrev | UnOp::FromBits => None,
            UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Nearest => None,
            UnOp::Bits | UnOp::SatI32 | UnOp::SatU32 | UnOp::SatI64 | UnOp::SatU64 => None,
        }
    }

    pub(crate) const fn binary(op: BinOp) -> Option<Self> {
        match op {
            BinOp::Add => Some(Self::Add),
            BinOp::Sub => Some(Self::Sub),
            BinOp::Mul => Some(Self::Mul),
            BinOp::Div => Some(Self::Div),
            BinOp::Rem => Some(Self::Rem),
            BinOp::Shl => Some(Self::Shl),
            BinOp::Shr => Some(Self::Shr),
            BinOp::And | BinOp::Or | BinOp::Xor => None,
            BinOp::Rotl | BinOp::Rotr | BinOp::Min | BinOp::Max => None,
            BinOp::Mulh | BinOp::Addsat | BinOp::Subsat | BinOp::Cmp | BinOp::Copysign => None,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => None,
        }
    }
}

/// The operators of a function that not all operands are defined for, in the order of its text,
/// and whether some realization is known to reach each of them.
pub(crate) fn checkable(program: &Program, function: &Function) -> Vec<(ExprId, bool)> {
    let mut is_visited = vec![false; function.blocks.len()];
    for realization in &function.realizations {
        for block in realization.path.blocks() {
            is_visited[block.index()] = true;
        }
    }
    let types = ExprTypes::new(program, function);
    let mut found = Vec::new();
    for (block, is_visited) in std::iter::zip(&function.blocks, is_visited) {
        for root in block.stmts.iter().flat_map(Stmt::roots).chain(block.term.root()) {
            for_each_below(function, root, &mut |id| {
                if is_checkable(&types, function, id) {
                    found.push((id, is_visited));
                }
            });
        }
    }
    found
}

/// Calls `visit` on an expression and all that it is made of, operands first.
fn for_each_below(function: &Function, id: ExprId, visit: &mut impl FnMut(ExprId)) {
    for operand in function.expr(id).operands() {
        for_each_below(function, operand, visit);
    }
    visit(id);
}

fn is_checkable(types: &ExprTypes, function: &Function, id: ExprId) -> bool {
    let (hazards, operand) = match function.expr(id) {
        Expr::Unary(op, operand) => (op.hazards(types.of(*operand)), *operand),
        Expr::Binary(op, lhs, _) => (op.hazards(types.of(*lhs)), *lhs),
        Expr::Const(_)
        | Expr::Hole(..)
        | Expr::Read(_)
        | Expr::Select(..)
        | Expr::Cast(..)
        | Expr::Call(..) => return false,
    };
    // What is unknown of NaN is its bits, not whether there are any.
    types.of(operand).is_int() && !hazards.and(DIALECT.forbidden()).is_empty()
}

/// Draws which operators of a function are checked. Those that no realization reaches always are:
/// their wrappers may be needed. Of those that are known to be defined, all keep their wrappers, or
/// none, or a share.
pub(crate) fn choose_checked(program: &Program, function: &Function, rng: &mut Rng) -> Checked {
    let form = if choose_bool(0.5, rng) { Form::Macro } else { Form::Function };
    let redundant = match rng.random_range(0..3) {
        0 => 0.0,
        1 => 1.0,
        _ => rng.random::<f64>(),
    };
    // A function without realizations is called by others, and all of it may run.
    let is_known = !function.realizations.is_empty();
    let operators = checkable(program, function).into_iter().enumerate();
    let kept = operators.filter(|(_, (_, is_visited))| {
        let is_kept = choose_bool(redundant, rng);
        is_kept || (is_known && !is_visited)
    });
    Checked { form, operators: kept.map(|(number, _)| number).collect() }
}

/// The wrappers that a function needs, and which of its operators go through them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wrappers {
    form: Form,
    /// For each expression, whether it is checked.
    is_checked: Vec<bool>,
    /// How many operators could be.
    pub(crate) n_checkable: usize,
    /// The definitions of those that were asked for, by name.
    pub(crate) needed: BTreeMap<String, String>,
}

impl Wrappers {
    pub(crate) fn new(program: &Program, function: &Function, options: &Checked) -> Self {
        if options.operators.is_empty() {
            return Self::default();
        }
        let all = checkable(program, function);
        let mut is_checked = vec![false; function.n_exprs()];
        for number in &options.operators {
            if let Some((id, _)) = all.get(*number) {
                is_checked[id.index()] = true;
            }
        }
        let n_checkable = all.len();
        Self { form: options.form, is_checked, n_checkable, needed: BTreeMap::new() }
    }

    /// The name of the wrapper for the operator of expression `id` on operands of type `ty`, if it
    /// goes through one.
    pub(crate) fn wrapper(
        &mut self,
        function: &Function,
        id: ExprId,
        operator: Option<Wrapped>,
        ty: ValueTy,
    ) -> Option<String> {
        let (operator, ty) = (operator?, ty.as_int()?);
        if !self.is_checked.get(id.index()).copied().unwrap_or(false) {
            return None;
        }
        let form = match self.form {
            Form::Macro if is_small(function, id) => Form::Macro,
            _ => Form::Function,
        };
        let ty = match operator {
            // What counts zeroes is given bits.
            Wrapped::Clz | Wrapped::Ctz => unsigned(ty),
            Wrapped::Neg | Wrapped::Abs | Wrapped::Add | Wrapped::Sub | Wrapped::Mul => ty,
            Wrapped::Div | Wrapped::Rem | Wrapped::Shl | Wrapped::Shr => ty,
        };
        let (name, text) = definition(operator, ty, form);
        self.needed.insert(name.clone(), text);
        Some(name)
    }

    /// A line for readers of a function.
    pub(crate) fn describe(&self) -> Option<String> {
        let n_checked = self.is_checked.iter().filter(|is_checked| **is_checked).count();
        let form = match self.form {
            Form::Function => "functions",
            Form::Macro => "macros",
        };
        (n_checked > 0).then(|| {
            format!("checked: {n_checked} of {} operators, through {form}", self.n_checkable)
        })
    }
}

/// Whether a macro may name the operands of an operator several times. Calls take their time.
fn is_small(function: &Function, id: ExprId) -> bool {
    let (mut n_nodes, mut has_call) = (0, false);
    for_each_below(function, id, &mut |below| {
        n_nodes += 1;
        has_call |= matches!(function.expr(below), Expr::Call(..));
    });
    n_nodes <= MAX_MACRO_NODES && !has_call
}

/// The name and the text of a wrapper.
fn definition(operator: Wrapped, ty: WordTy, form: Form) -> (String, String) {
    let (word, is_unary) = match operator {
        Wrapped::Clz => ("clz", true),
        Wrapped::Ctz => ("ctz", true),
        Wrapped::Neg => ("neg", true),
        Wrapped::Abs => ("abs", true),
        Wrapped::Add => ("add", false),
        Wrapped::Sub => ("sub", false),
        Wrapped::Mul => ("mul", false),
        Wrapped::Div => ("div", false),
        Wrapped::Rem => ("rem", false),
        Wrapped::Shl => ("shl", false),
        Wrapped::Shr => ("shr", false),
    };
    let name = format!("ps_safe_{word}_{ty}");
    match form {
        Form::Function => {
            let c_ty = type_name(ty.into());
            let params = if is_unary { format!("{c_ty} a") } else { format!("{c_ty} a, {c_ty} b") };
            let result = result(operator, ty, "a", "b");
            let text = format!("static inline {c_ty} {name}({params}) {{ return {result}; }}");
            (name, text)
        }
        Form::Macro => {
            let name = name.to_uppercase();
            let params = if is_unary { "a" } else { "a, b" };
            let result = result(operator, ty, "(a)", "(b)");
            let text = format!("#define {name}({params}) ({result})");
            (name, text)
        }
    }
}

/// What a wrapper returns for the operands `a` and `b`: the first of them if the operator is
/// undefined, the width if zeroes of 0 are counted.
fn result(operator: Wrapped, ty: WordTy, a: &str, b: &str) -> String {
    let width = ty.bits();
    let is_signed = ty.is_signed();
    let (min, max, suffix) = match ty {
        WordTy::I64 | WordTy::U64 => ("INT64_MIN", "INT64_MAX", "ll"),
        WordTy::I32 | WordTy::U32 => ("INT32_MIN", "INT32_MAX", ""),
    };
    let count_zeroes =
        |builtin: &str| format!("{a} == 0 ? {width} : __builtin_{builtin}{suffix}({a})");
    let division = |symbol: &str| match is_signed {
        true => {
            format!("{b} == 0 || ({a} == {min} && {b} == -1) ? {a} : {a} {symbol} {b}")
        }
        false => format!("{b} == 0 ? {a} : {a} {symbol} {b}"),
    };
    let bad_count =
        if is_signed { format!("{b} < 0 || {b} >= {width}") } else { format!("{b} >= {width}") };
    match operator {
        Wrapped::Clz => count_zeroes("clz"),
        Wrapped::Ctz => count_zeroes("ctz"),
        Wrapped::Neg => format!("{a} == {min} ? {a} : -{a}"),
        Wrapped::Abs => format!("{a} == {min} || {a} >= 0 ? {a} : -{a}"),
        Wrapped::Add => format!(
            "({b} > 0 && {a} > {max} - {b}) || ({b} < 0 && {a} < {min} - {b}) ? {a} : {a} + {b}"
        ),
        Wrapped::Sub => format!(
            "({b} < 0 && {a} > {max} + {b}) || ({b} > 0 && {a} < {min} + {b}) ? {a} : {a} - {b}"
        ),
        Wrapped::Mul => format!(
            "({a} > 0 && {b} > 0 && {a} > {max} / {b}) || ({a} > 0 && {b} <= 0 && {b} < {min} / {a}) \
             || ({a} <= 0 && {b} > 0 && {a} < {min} / {b}) \
             || ({a} < 0 && {b} <= 0 && {b} < {max} / {a}) ? {a} : {a} * {b}"
        ),
        Wrapped::Div => division("/"),
        Wrapped::Rem => division("%"),
        Wrapped::Shl if is_signed => {
            format!("{a} < 0 || {bad_count} || {a} > ({max} >> {b}) ? {a} : {a} << {b}")
        }
        Wrapped::Shl => format!("{bad_count} ? {a} : {a} << {b}"),
        Wrapped::Shr => format!("{bad_count} ? {a} : {a} >> {b}"),
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    #[test]
    fn what_can_be_undefined_is_checkable() {
        let text = "fn f(a: i32, b: u32) -> i32 {
                entry: if a goto away else exit;
                away: a = -a * 2; goto exit;
                exit: return a + i32(b + b / (b & 3u32) << 2u32);
            }
            realize f(0, 1) = 8 via entry exit;";
        let program = parse("test", text).unwrap();
        let function = &program.functions[0];
        let all = checkable(&program, function);
        let is_visited: Vec<bool> = all.iter().map(|(_, is_visited)| *is_visited).collect();
        // `-`, `*`; then `/`, `<<` and the last `+`.
        assert_eq!(is_visited, [false, false, true, true, true]);
    }

    #[test]
    fn names_say_what_is_wrapped() {
        let (name, text) = definition(Wrapped::Div, WordTy::U32, Form::Function);
        assert_eq!(name, "ps_safe_div_u32");
        let expected = "static inline uint32_t ps_safe_div_u32(uint32_t a, uint32_t b) \
                        { return b == 0 ? a : a / b; }";
        assert_eq!(text, expected);
        let (name, text) = definition(Wrapped::Neg, WordTy::I64, Form::Macro);
        assert_eq!(name, "PS_SAFE_NEG_I64");
        assert_eq!(text, "#define PS_SAFE_NEG_I64(a) ((a) == INT64_MIN ? (a) : -(a))");
    }
}

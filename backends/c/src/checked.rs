//! Operators that are spelled through *wrappers*: functions or macros that do what the operator
//! does where that is defined, and give an operand back where it is not.

mod follow;

use std::collections::BTreeMap;

use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::lang::{BinOp, Expr, Function, Program, UnOp, WordTy};
use pathsmith_symlang::semantics::table::{binary_hazards, unary_hazards};
use pathsmith_symlang::{ExprId, Rng};
use rand::RngExt;

use crate::DIALECT;
use crate::options::{Checked, Form};
use crate::types::type_name;

pub(crate) use follow::follow;

/// How many nodes an expression has at most that is spelled by a macro: macros name their operands
/// several times, and macros within macros several times several times.
const MAX_MACRO_NODES: usize = 7;

/// An operator that not all operands are defined for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Unary(UnOp),
    Binary(BinOp),
}

/// The operators of a function that not all operands are defined for, in the order of its text,
/// and whether some realization is known to come to each of them.
pub(crate) fn checkable(program: &Program, function: &Function) -> Vec<(ExprId, bool)> {
    let mut is_visited = vec![false; function.blocks.len()];
    for realization in &function.realizations {
        for block in realization.path.blocks() {
            is_visited[block.index()] = true;
        }
    }
    let mut found = Vec::new();
    for (block, is_visited) in std::iter::zip(&function.blocks, is_visited) {
        let stmts = block.stmts.iter().flat_map(|stmt| [stmt.place.index(), Some(stmt.value)]);
        for root in stmts.flatten().chain(block.term.root()) {
            for_each_below(function, root, &mut |id| {
                if is_checkable(program, function, id) {
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

fn is_checkable(program: &Program, function: &Function, id: ExprId) -> bool {
    let hazards = match function.expr(id) {
        Expr::Unary(op, operand) => unary_hazards(*op, program.expr_ty(function, *operand)),
        Expr::Binary(op, lhs, _) => binary_hazards(*op, program.expr_ty(function, *lhs)),
        _ => return false,
    };
    !hazards.and(DIALECT.forbidden()).is_empty()
}

/// Draws which operators of a function are checked. Those that no realization comes to are: their
/// wrappers may be needed. Of those that are known to be defined, all keep their wrappers, or
/// none, or a share.
pub(crate) fn choose_checked(program: &Program, function: &Function, rng: &mut Rng) -> Checked {
    let form = if choose_bool(0.5, rng) { Form::Macro } else { Form::Function };
    let redundant = match rng.random_range(0..3) {
        0 => 0.0,
        1 => 1.0,
        _ => rng.random::<f64>(),
    };
    // Where no realization is known, others call the function, and all of it may be run.
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

    /// The name of the wrapper for an operator on operands of type `ty`, if it has one.
    pub(crate) fn wrapper(
        &mut self,
        function: &Function,
        id: ExprId,
        operator: Operator,
        ty: WordTy,
    ) -> Option<String> {
        if !self.is_checked.get(id.index()).copied().unwrap_or(false) {
            return None;
        }
        let form = match self.form {
            Form::Macro if is_small(function, id) => Form::Macro,
            _ => Form::Function,
        };
        let ty = match operator {
            // What counts zeroes is given bits.
            Operator::Unary(UnOp::Clz | UnOp::Ctz) if ty.bits() == 64 => WordTy::U64,
            Operator::Unary(UnOp::Clz | UnOp::Ctz) => WordTy::U32,
            _ => ty,
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
fn definition(operator: Operator, ty: WordTy, form: Form) -> (String, String) {
    let (word, is_unary) = match operator {
        Operator::Unary(UnOp::Clz) => ("clz", true),
        Operator::Unary(UnOp::Ctz) => ("ctz", true),
        Operator::Unary(_) => ("neg", true),
        Operator::Binary(BinOp::Add) => ("add", false),
        Operator::Binary(BinOp::Sub) => ("sub", false),
        Operator::Binary(BinOp::Mul) => ("mul", false),
        Operator::Binary(BinOp::Div) => ("div", false),
        Operator::Binary(BinOp::Rem) => ("rem", false),
        Operator::Binary(BinOp::Shl) => ("shl", false),
        Operator::Binary(_) => ("shr", false),
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

/// What a wrapper gives for the operands `a` and `b`: the first of them where the operator is
/// undefined, the width where zeroes of 0 are counted.
fn result(operator: Operator, ty: WordTy, a: &str, b: &str) -> String {
    let width = ty.bits();
    let is_signed = ty.is_signed();
    let (min, max) = match width {
        64 => ("INT64_MIN", "INT64_MAX"),
        _ => ("INT32_MIN", "INT32_MAX"),
    };
    let division = |symbol: &str| match is_signed {
        true => {
            format!("{b} == 0 || ({a} == {min} && {b} == -1) ? {a} : {a} {symbol} {b}")
        }
        false => format!("{b} == 0 ? {a} : {a} {symbol} {b}"),
    };
    let bad_count =
        if is_signed { format!("{b} < 0 || {b} >= {width}") } else { format!("{b} >= {width}") };
    match operator {
        Operator::Unary(op @ (UnOp::Clz | UnOp::Ctz)) => {
            let builtin = if op == UnOp::Clz { "clz" } else { "ctz" };
            let suffix = if width == 64 { "l" } else { "" };
            format!("{a} == 0 ? {width} : __builtin_{builtin}{suffix}({a})")
        }
        Operator::Unary(_) => format!("{a} == {min} ? {a} : -{a}"),
        Operator::Binary(BinOp::Add) => format!(
            "({b} > 0 && {a} > {max} - {b}) || ({b} < 0 && {a} < {min} - {b}) ? {a} : {a} + {b}"
        ),
        Operator::Binary(BinOp::Sub) => format!(
            "({b} < 0 && {a} > {max} + {b}) || ({b} > 0 && {a} < {min} + {b}) ? {a} : {a} - {b}"
        ),
        Operator::Binary(BinOp::Mul) => format!(
            "({a} > 0 && {b} > 0 && {a} > {max} / {b}) || ({a} > 0 && {b} <= 0 && {b} < {min} / {a}) \
             || ({a} <= 0 && {b} > 0 && {a} < {min} / {b}) \
             || ({a} < 0 && {b} <= 0 && {b} < {max} / {a}) ? {a} : {a} * {b}"
        ),
        Operator::Binary(BinOp::Div) => division("/"),
        Operator::Binary(BinOp::Rem) => division("%"),
        Operator::Binary(BinOp::Shl) if is_signed => {
            format!("{a} < 0 || {bad_count} || {a} > ({max} >> {b}) ? {a} : {a} << {b}")
        }
        Operator::Binary(BinOp::Shl) => format!("{bad_count} ? {a} : {a} << {b}"),
        Operator::Binary(_) => format!("{bad_count} ? {a} : {a} >> {b}"),
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
        let (name, text) = definition(Operator::Binary(BinOp::Div), WordTy::U32, Form::Function);
        assert_eq!(name, "ps_safe_div_u32");
        let expected = "static inline uint32_t ps_safe_div_u32(uint32_t a, uint32_t b) \
                        { return b == 0 ? a : a / b; }";
        assert_eq!(text, expected);
        let (name, text) = definition(Operator::Unary(UnOp::Neg), WordTy::I64, Form::Macro);
        assert_eq!(name, "PS_SAFE_NEG_I64");
        assert_eq!(text, "#define PS_SAFE_NEG_I64(a) ((a) == INT64_MIN ? (a) : -(a))");
    }
}

//! Which operators of an edited function are those that were checked before the edit.
//!
//! Operators are numbered in the order of the text, so their numbers change if something before
//! them is removed. Both texts are aligned: operators keep their order, and of all ways to pair
//! them the one is taken whose pairs have most in common. An operator that an edit moves past
//! others, as inlining does, is found by its text afterwards.
//!
//! An operator without a partner is new and is not checked. That is sound: wrappers matter only
//! off the paths of realizations.

use pathsmith_backend::FunctionIn;
use pathsmith_symlang::ExprId;
use pathsmith_symlang::lang::text::print_expr;
use pathsmith_symlang::lang::{BinOp, Expr, Stmt, UnOp};

use super::{checkable, for_each_below};

/// The numbers that the operators `numbers` of `from` have in `to`.
pub(crate) fn follow(numbers: &[usize], from: FunctionIn<'_>, to: FunctionIn<'_>) -> Vec<usize> {
    if numbers.is_empty() {
        return Vec::new();
    }
    let (old, new) = (sites(from), sites(to));
    let partners = pair(&old, &new);
    let is_checked = |at: &usize| partners[*at].is_some_and(|old| numbers.contains(&old));
    (0..new.len()).filter(is_checked).collect()
}

/// An operator and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Site<'a> {
    op: Op,
    /// Its text, with its operands.
    text: String,
    /// The texts of its operands.
    operands: Vec<String>,
    /// The text of the whole expression that it is part of.
    root: String,
    /// The name of its block.
    block: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Unary(UnOp),
    Binary(BinOp),
}

impl Site<'_> {
    /// How much two operators have in common; 0 if they are different ones. The weights are
    /// guesses: the same text outweighs the same place, and either outweighs the bare operator.
    fn likeness(&self, other: &Self) -> u32 {
        if self.op != other.op {
            return 0;
        }
        let operands = std::iter::zip(&self.operands, &other.operands);
        let n_same = operands.filter(|(a, b)| a == b).count() as u32;
        1 + n_same
            + 2 * u32::from(self.text == other.text)
            + 2 * u32::from(self.root == other.root)
            + 2 * u32::from(self.block == other.block)
    }
}

/// The operators of a function in the order of their numbers.
fn sites(of: FunctionIn<'_>) -> Vec<Site<'_>> {
    let FunctionIn { program, function } = of;
    let text = |id| print_expr(program, function, id);
    let mut roots: Vec<Option<(ExprId, &str)>> = vec![None; function.n_exprs()];
    for block in &function.blocks {
        for root in block.stmts.iter().flat_map(Stmt::roots).chain(block.term.root()) {
            for_each_below(function, root, &mut |id| {
                roots[id.index()] = Some((root, &block.name));
            });
        }
    }
    let site = |id: ExprId| {
        let op = match function.expr(id) {
            Expr::Unary(op, _) => Op::Unary(*op),
            Expr::Binary(op, ..) => Op::Binary(*op),
            Expr::Const(_) | Expr::Hole(..) | Expr::Read(_) => return None,
            Expr::Select(..) | Expr::Cast(..) | Expr::Call(..) => return None,
        };
        let (root, block) = roots[id.index()]?;
        let operands = function.expr(id).operands().map(text).collect();
        Some(Site { op, text: text(id), operands, root: text(root), block })
    };
    checkable(program, function).into_iter().filter_map(|(id, _)| site(id)).collect()
}

/// For each new operator, the old one that it was.
fn pair(old: &[Site<'_>], new: &[Site<'_>]) -> Vec<Option<usize>> {
    let mut partners = vec![None; new.len()];
    // Most edits leave most of a function alone.
    let n_first = std::iter::zip(old, new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[n_first..], &new[n_first..]);
    let same_end = std::iter::zip(old_rest.iter().rev(), new_rest.iter().rev());
    let n_last = same_end.take_while(|(a, b)| a == b).count();
    for (at, partner) in partners[..n_first].iter_mut().enumerate() {
        *partner = Some(at);
    }
    for back in 1..=n_last {
        partners[new.len() - back] = Some(old.len() - back);
    }
    let old_middle = &old_rest[..old_rest.len() - n_last];
    let new_middle = &new_rest[..new_rest.len() - n_last];
    for (a, b) in align(old_middle, new_middle) {
        partners[n_first + b] = Some(n_first + a);
    }
    let mut is_taken = vec![false; old.len()];
    partners.iter().flatten().for_each(|at: &usize| is_taken[*at] = true);
    for (site, partner) in std::iter::zip(new, &mut partners) {
        let is_same = |at: &usize| !is_taken[*at] && old[*at].text == site.text;
        if partner.is_none()
            && let Some(at) = (0..old.len()).find(is_same)
        {
            is_taken[at] = true;
            *partner = Some(at);
        }
    }
    partners
}

/// The pairs of the alignment with the most in common, in order.
fn align(old: &[Site<'_>], new: &[Site<'_>]) -> Vec<(usize, usize)> {
    // `best[a][b]`: what the operators from `a` and from `b` on can have in common.
    let mut best = vec![vec![0; new.len() + 1]; old.len() + 1];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            let skipped = best[a + 1][b].max(best[a][b + 1]);
            let likeness = old[a].likeness(&new[b]);
            best[a][b] = match likeness {
                0 => skipped,
                likeness => skipped.max(best[a + 1][b + 1] + likeness),
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if best[a][b] == best[a + 1][b] {
            a += 1;
        } else if best[a][b] == best[a][b + 1] {
            b += 1;
        } else {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use pathsmith_backend::ProgramOptions;
    use pathsmith_symlang::VarId;
    use pathsmith_symlang::lang::Program;
    use pathsmith_symlang::lang::text::parse;

    use crate::options::{COptions, Checked, Form, FunctionOptions};

    use super::*;

    fn function(body: &str) -> Program {
        let text = format!(
            "fn f(a: i32, b: i32) -> i32 {{ var v: i32 = 1; var w: i32 = 2; entry: {body} }}"
        );
        parse("test", &text).unwrap()
    }

    fn sites_of(program: &Program) -> Vec<Site<'_>> {
        sites(FunctionIn { program, function: &program.functions[0] })
    }

    /// Checks every operator whose text is among `checked`, edits `from` to `to`, and compares the
    /// texts of the operators that are checked then.
    fn check(from: &str, checked: &[&str], to: &str, expected: &[&str]) {
        let (from, to) = (function(from), function(to));
        let old = sites_of(&from);
        let is_checked = |at: &usize| checked.contains(&&old[*at].text[..]);
        let operators: Vec<usize> = (0..old.len()).filter(is_checked).collect();
        assert_eq!(operators.len(), checked.len());
        let checked = Checked { form: Form::Macro, operators };
        let functions = vec![FunctionOptions { checked, ..FunctionOptions::default() }];
        let options = COptions { functions, ..COptions::default() };
        let fitted = options.fitted(&from, &to);
        let Checked { form, operators } = &fitted.functions[0].checked;
        let new = sites_of(&to);
        let texts: Vec<&str> = operators.iter().map(|at| &new[*at].text[..]).collect();
        assert_eq!((*form, &texts[..]), (Form::Macro, expected));
    }

    #[test]
    fn checked_operators_keep_their_wrappers_when_others_are_removed() {
        let from = "v = a + b; w = a / b; v = v - w; return v * w;";
        check(from, &["a / b", "v * w"], from, &["a / b", "v * w"]);
        // A statement, an operand, and what is checked itself.
        check(
            from,
            &["a / b", "v * w"],
            "w = a / b; v = v - w; return v * w;",
            &["a / b", "v * w"],
        );
        check(from, &["a / b", "v * w"], "w = a / b; return w;", &["a / b"]);
        check(from, &["a / b"], "v = a + b; v = v - w; return v * w;", &[]);
        check("return a + (b + v) / w;", &["a + (b + v) / w"], "return a + b / w;", &["a + b / w"]);
    }

    #[test]
    fn likeness_tells_equal_operators_from_each_other() {
        let from = "v = a + 1; w = b + 2; v = a + 1; return v;";
        check(from, &["b + 2"], "v = a + 1; w = b + 2; return v;", &["b + 2"]);
        check(from, &["b + 2"], "w = b + 2; v = a + 1; return v;", &["b + 2"]);
        check(from, &["b + 2"], "w = b + 7; return v;", &["b + 7"]);
    }

    #[test]
    fn inlined_operators_are_found_by_their_text() {
        let from = "v = a / b; w = a - b; return v + w;";
        check(from, &["a / b"], "w = a - b; return a / b + w;", &["a / b"]);
    }

    #[test]
    fn locals_without_initial_value_are_found_by_their_name() {
        let from = function("v = a; w = b; return v + w;");
        let to = parse(
            "test",
            "fn f(b: i32) -> i32 { var w: i32 = 2; var x: i32 = 1; entry: w = b; return w; }",
        )
        .unwrap();
        let uninitialised = vec![VarId::new(2), VarId::new(3)];
        let functions = vec![FunctionOptions { uninitialised, ..FunctionOptions::default() }];
        let fitted = COptions { functions, ..COptions::default() }.fitted(&from, &to);
        assert_eq!(fitted.functions[0].uninitialised, [VarId::new(1)]);
    }
}

//! What a program looks like, to compare the reduced programs of two clusters.

use std::collections::{BTreeMap, BTreeSet};

use pathsmith_symlang::graph::LoopForest;
use pathsmith_symlang::lang::{Expr, Program};

/// The blocks, loops and operators of a program, and what it was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    n_blocks: usize,
    n_loops: usize,
    operators: BTreeMap<String, usize>,
    /// Its theme and templates, by their names.
    made_from: Vec<String>,
}

/// How much of their operators two programs have to have in common to be similar. A guess.
const MIN_OVERLAP: f64 = 0.75;

impl Outline {
    /// That of a program. Of the arms of its function, themes and templates count.
    pub fn of(program: &Program, arms: &[String]) -> Self {
        let is_origin = |arm: &&String| {
            (arm.starts_with("theme:") || arm.starts_with("template:")) && !arm.ends_with(":none")
        };
        let made_from = arms.iter().filter(is_origin).cloned().collect();
        let mut outline = Self { made_from, ..Self::default() };
        for function in &program.functions {
            outline.n_blocks += function.blocks.len();
            if let Ok(cfg) = function.cfg() {
                outline.n_loops += LoopForest::new(&cfg).loops().len();
            }
            function.for_each_expr(|_, expr| {
                let name = match expr {
                    Expr::Unary(op, _) => format!("{op:?}"),
                    Expr::Binary(op, ..) => format!("{op:?}"),
                    Expr::Select(..) => "select".to_owned(),
                    Expr::Cast(..) => "cast".to_owned(),
                    Expr::Call(..) => "call".to_owned(),
                    Expr::Const(_) | Expr::Hole(..) | Expr::Read(_) => return,
                };
                *outline.operators.entry(name).or_default() += 1;
            });
        }
        outline
    }

    /// Whether two programs look alike: about as many blocks, as many loops, the same theme and
    /// templates, and mostly the same operators.
    pub fn is_similar(&self, other: &Self) -> bool {
        self.n_blocks.abs_diff(other.n_blocks) <= 1
            && self.n_loops == other.n_loops
            && self.made_from == other.made_from
            && self.overlap(other) >= MIN_OVERLAP
    }

    /// The part of all operators that both have.
    fn overlap(&self, other: &Self) -> f64 {
        let n_of = |outline: &Self, name: &str| outline.operators.get(name).copied().unwrap_or(0);
        let names = self.operators.keys().chain(other.operators.keys());
        let names: BTreeSet<&str> = names.map(String::as_str).collect();
        let (mut both, mut all) = (0, 0);
        for name in names {
            both += n_of(self, name).min(n_of(other, name));
            all += n_of(self, name).max(n_of(other, name));
        }
        if all == 0 { 1.0 } else { both as f64 / all as f64 }
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    fn outline(body: &str, arms: &[&str]) -> Outline {
        let text = format!(
            "dialect c;\n\nfn f(a: i32) -> u32 {{\nentry:\n    goto B1;\nB1:\n    {body}\n    \
             if a < 10 goto B1 else exit;\nexit:\n    return checksum;\n}}\n"
        );
        let arms: Vec<String> = arms.iter().map(|&arm| arm.to_owned()).collect();
        Outline::of(&parse("test", &text).unwrap(), &arms)
    }

    #[test]
    fn programs_with_the_same_operators_are_similar() {
        let one = outline("a = a + 3 * a;", &["policy:zero", "theme:loops"]);
        assert_eq!(one.n_loops, 1);
        assert!(one.is_similar(&outline("a = 2 * a + a;", &["theme:loops"])));
        assert!(!one.is_similar(&outline("a = a / 3 - a;", &["theme:loops"])));
        assert!(!one.is_similar(&outline("a = a + 3 * a;", &["template:periodic_table"])));
    }
}

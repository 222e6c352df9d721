//! What generated functions are like.

use super::{Leaf, Unsolved};
use crate::shape::{Counts, ShapeStats};
use crate::solve::Obstacle;
use pathsmith_symlang::graph::LoopForest;
use pathsmith_symlang::lang::{ConstOrHole, Expr, Function, Scalar, ScalarTy, Term, text};

/// Measures of many functions, as in the REIFY paper's Table 3 and beyond.
#[derive(Clone, Debug, Default)]
pub struct LeafStats {
    /// How many functions were solved.
    pub n_solved: u64,
    /// How many were given up because the fuel ran out.
    pub n_out_of_fuel: u64,
    /// How many were given up for other reasons.
    pub n_gave_up: u64,
    /// Tokens of a function's text, without its realizations.
    pub tokens: Counts,
    /// Blocks, entry and exit included.
    pub blocks: Counts,
    /// Edges of the graph.
    pub jumps: Counts,
    /// The first path, and its loops.
    pub shapes: ShapeStats,
    /// Realizations.
    pub realizations: Counts,
    /// Different paths among the realizations.
    pub paths: Counts,
    /// Constants, those of case labels and initial values included.
    pub n_constants: u64,
    /// Constants that are 0, 1 or -1.
    pub n_trivial: u64,
    /// Terminators that have to lead to several blocks.
    pub n_two_way: u64,
    /// Those of them that have encoded decisions.
    pub n_encoded: u64,
}

impl LeafStats {
    /// Counts what came of one function.
    pub fn add(&mut self, result: &Result<Leaf, Box<Unsolved>>) {
        match result {
            Ok(leaf) => self.add_solved(leaf),
            Err(unsolved) if unsolved.gave_up.obstacle == Obstacle::OutOfFuel => {
                self.n_out_of_fuel += 1;
            }
            Err(_) => self.n_gave_up += 1,
        }
    }

    /// The share of functions that were solved.
    pub fn solved_share(&self) -> f64 {
        self.n_solved as f64 / (self.n_solved + self.n_out_of_fuel + self.n_gave_up) as f64
    }

    fn add_solved(&mut self, leaf: &Leaf) {
        self.n_solved += 1;
        self.n_two_way += leaf.n_two_way as u64;
        self.n_encoded += leaf.n_encoded as u64;
        let function = &leaf.program.functions[0];
        let mut bare = leaf.program.clone();
        bare.functions[0].realizations.clear();
        self.tokens.add(text::count_tokens(&bare.to_string()) as u64);
        self.add_constants(function);
        let Ok(cfg) = function.cfg() else { return };
        self.blocks.add(cfg.n_blocks() as u64);
        self.jumps.add(cfg.n_edges() as u64);
        if let Some(first) = function.realizations.first() {
            self.shapes.add(&cfg, &LoopForest::new(&cfg), &first.path);
        }
        self.realizations.add(function.realizations.len() as u64);
        let mut paths: Vec<_> =
            function.realizations.iter().map(|known| known.path.blocks()).collect();
        paths.sort_unstable();
        paths.dedup();
        self.paths.add(paths.len() as u64);
    }

    fn add_constants(&mut self, function: &Function) {
        let mut note = |value: Scalar| {
            self.n_constants += 1;
            let is_trivial = match value.ty() {
                ScalarTy::Int(_) => (-1..=1).contains(&value.word()),
                ScalarTy::Float(ty) => [-1.0, 0.0, 1.0].contains(&ty.value(value.word())),
            };
            self.n_trivial += u64::from(is_trivial);
        };
        function.for_each_expr(|_, expr| {
            if let Expr::Const(constant) = expr {
                note(constant.scalar());
            }
        });
        let inits = function.vars.iter().flat_map(|var| var.init.iter());
        let labels = function.blocks.iter().flat_map(|block| match &block.term {
            Term::Switch { cases, .. } => &cases[..],
            _ => &[],
        });
        for fill in inits.chain(labels.map(|(fill, _)| fill)) {
            if let ConstOrHole::Const(value) = fill {
                note(*value);
            }
        }
    }
}

//! The passes: what a reduction tries, in order.
//!
//! A pass lists edits of a program, each of which makes it smaller if it can be made. What is
//! listed need not be valid, defined or smaller: whoever asks for it finds out.

mod arrays;
mod blocks;
mod branches;
mod calls;
mod constants;
mod decisions;
mod exprs;
mod functions;
mod globals;
mod realizations;
mod returns;
mod scale;
mod signs;
mod statements;
mod types;
mod variables;

use pathsmith_edit::Draft;
use pathsmith_edit::Facts;
use pathsmith_symlang::lang::Program;

/// Something that can be done to a program.
pub(super) struct Edit(Box<dyn Fn(&mut Draft) + Send + Sync>);

impl Edit {
    pub(super) fn new(apply: impl Fn(&mut Draft) + Send + Sync + 'static) -> Self {
        Self(Box::new(apply))
    }

    pub(super) fn apply(&self, draft: &mut Draft) {
        (self.0)(draft);
    }
}

/// A kind of edit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pass {
    /// What it does, in a word or two.
    pub(super) name: &'static str,
    /// How its edits are tried.
    pub(super) order: Order,
    /// All its edits. Those that are likely to be large come first.
    pub(super) list: fn(&Program, &Facts) -> Vec<Edit>,
}

/// How the edits of a pass are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// All at once, then halves, quarters and so on.
    Chunks,
    /// One by one.
    Singles,
}

const fn chunks(name: &'static str, list: fn(&Program, &Facts) -> Vec<Edit>) -> Pass {
    Pass { name, order: Order::Chunks, list }
}

const fn singles(name: &'static str, list: fn(&Program, &Facts) -> Vec<Edit>) -> Pass {
    Pass { name, order: Order::Singles, list }
}

/// All passes. What takes away most comes first.
pub(super) const PASSES: &[Pass] = &[
    chunks("realizations", realizations::dropped),
    singles("one function alone", functions::alone),
    singles("one function over stubs", functions::over_stubs),
    singles("one function and what it calls", functions::with_callees),
    chunks("functions", functions::dropped),
    chunks("calls", calls::by_values),
    chunks("guards", calls::past_guards),
    chunks("bodies", functions::stubs),
    chunks("inlined functions", calls::inlined),
    chunks("docs", realizations::docs),
    chunks("unreachable blocks", blocks::unreachable),
    chunks("branches", branches::straightened),
    chunks("off the path", branches::off_path),
    chunks("cases", branches::without_cases),
    chunks("blocks", blocks::dropped),
    singles("short cuts", branches::short_cuts),
    chunks("statements", statements::dropped),
    chunks("merged blocks", blocks::merged),
    chunks("variables", variables::dropped),
    chunks("observed variables", returns::fewer),
    singles("returns", returns::values),
    chunks("mixtures", returns::mixed),
    chunks("globals", globals::to_locals),
    chunks("parameters", variables::params_to_locals),
    chunks("inlined", statements::inlined),
    chunks("values", exprs::values),
    singles("decisions", decisions::simplified),
    singles("operands", exprs::operands),
    singles("nodes", exprs::constants),
    singles("arrays", arrays::shrunk),
    singles("switches", branches::switches_to_ifs),
    singles("types", types::replaced),
    singles("signs", signs::dropped),
    singles("scale", scale::divided),
    chunks("counters", scale::shifted),
    singles("constants", constants::shrunk),
    singles("initial values", constants::initial_values),
    singles("arguments", constants::arguments),
    singles("labels", constants::labels),
];

/// The first of the passes that only make numbers smaller.
pub(super) const FIRST_OF_NUMBERS: usize = PASSES.len() - 6;

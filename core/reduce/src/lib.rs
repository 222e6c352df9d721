//! Reduction: from a program that shows something to a small one that still does.
//!
//! The reducer works on SYMLANG, so it serves all targets alike, and everything that it proposes
//! has outputs that are known: each candidate is valid, is run by the interpreter, and is defined
//! all along its realizations. It does not know what it is that the program shows. Whoever asks
//! for candidates lowers them, runs them on the target, and says which of them still shows it:
//!
//! ```
//! use pathsmith_symlang::lang::text::parse;
//! use pathsmith_reduce::Reducer;
//!
//! let program = parse("two.sym", "
//!     dialect c;
//!     fn f(a: i32) -> i32 {
//!         var b: i32 = 7;
//!     entry:
//!         b = b * 3 + a;
//!         a = a / 2;
//!         if a > b goto more else exit;
//!     more:
//!         b = b - 1;
//!         goto exit;
//!     exit:
//!         return a + b;
//!     }
//!     realize f(9) = 34 via entry exit;
//! ").unwrap();
//! let mut reducer = Reducer::new(program);
//! loop {
//!     let candidates = reducer.propose(1);
//!     let Some(candidate) = candidates.first() else { break };
//!     // This target gets divisions wrong.
//!     let shows_it = candidate.program.to_string().contains('/');
//!     reducer.answer(shows_it.then_some(0));
//! }
//! assert_eq!(reducer.best().to_string(), "\
//! dialect c;
//!
//! fn f() -> i32 {
//!     var a: i32 = 0;
//!
//! entry:
//!     a = 0 / 1;
//!     return 0;
//! }
//! realize f() = 0 via entry;
//! ");
//! ```
//!
//! The method is that of delta debugging: a pass lists what could be left out, tries all of it at
//! once, then halves, then quarters; what takes away most comes first, and the passes are gone
//! through again until none of them has anything left to offer. What is tried is guided by what the
//! program was seen to do: a call can be left out for the value that it gave, a branch for the way
//! that it took. `docs/reduction.md` describes the passes.

mod compensate;
mod passes;
mod size;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use self::compensate::compensated;
use self::passes::{Edit, FIRST_OF_NUMBERS, Order, PASSES};
pub use self::size::Size;
use pathsmith_edit::Facts;
use pathsmith_edit::{Draft, compact};
use pathsmith_edit::{is_valid, recompute_realizations};
use pathsmith_symlang::lang::{Program, validate};
use pathsmith_symlang::semantics::Limits;

/// A reduction under way.
///
/// It is asked for candidates and told which of them was accepted, in turn. What it comes to does
/// not depend on how many candidates it is asked for at a time, and it can be taken up again from
/// [`best`](Self::best).
pub struct Reducer {
    best: Program,
    size: Size,
    /// Whether it has realizations.
    is_run: bool,
    facts: Facts,
    limits: Limits,
    cursor: Cursor,
    /// The edits of the cursor's pass on the best program.
    edits: Option<(usize, Vec<Edit>)>,
    /// Hashes of all candidates that were decided on.
    tried: BTreeSet<u64>,
    proposed: Vec<Proposed>,
    /// Where to go on if none of them is accepted.
    after: Cursor,
}

/// A smaller program to be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The program, with the paths and outputs that its realizations have now.
    pub program: Program,
    /// What was done to the best program to get it.
    pub pass: &'static str,
}

/// Where a reduction stands.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    pass: usize,
    /// How many edits are made at once; 0 before the pass has begun.
    chunk: usize,
    /// The first of them.
    at: usize,
    /// What was accepted since the passes were begun.
    progress: Progress,
}

/// What was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    Nothing,
    /// Nothing but smaller numbers.
    Numbers,
    Other,
}

impl Cursor {
    const START: Self = Self::at_pass(0);

    const fn at_pass(pass: usize) -> Self {
        Self { pass, chunk: 0, at: 0, progress: Progress::Nothing }
    }

    /// The beginning of the next pass; after the last one, of the first that can be of use.
    fn next_pass(self) -> Self {
        let next = Self { progress: self.progress, ..Self::at_pass(self.pass + 1) };
        match self.progress {
            _ if next.pass < PASSES.len() => next,
            Progress::Nothing => next,
            Progress::Numbers => Self::at_pass(FIRST_OF_NUMBERS),
            Progress::Other => Self::START,
        }
    }

    /// The same place, after something was accepted there.
    fn after_progress(self) -> Self {
        let progress =
            if self.pass < FIRST_OF_NUMBERS { Progress::Other } else { Progress::Numbers };
        Self { progress: self.progress.max(progress), ..self }
    }
}

struct Proposed {
    program: Program,
    size: Size,
    hash: u64,
    at: Cursor,
}

impl Reducer {
    /// Begins to reduce `program`, which is valid and without holes, has a dialect, and has
    /// realizations that hold, or none at all: then it is never run, and may be undefined. If it is
    /// not, nothing will be proposed.
    pub fn new(mut program: Program) -> Self {
        let most = Limits::default();
        let is_run = program.functions.iter().any(|function| !function.realizations.is_empty());
        // A program that is not what it should be has nothing to be reduced to.
        let is_sound = validate(&program).is_empty()
            && (!is_run
                || recompute_realizations(program.clone(), most)
                    .is_some_and(|recomputed| recomputed == program));
        if is_sound {
            program.functions.iter_mut().for_each(|function| drop(compact(function)));
        }
        let cursor = if is_sound { Cursor::START } else { Cursor::at_pass(PASSES.len()) };
        let facts = if is_sound { Facts::new(&program) } else { Facts::default() };
        let n_visits: u64 = facts.functions.iter().map(|function| function.n_visits).sum();
        // What leaves a loop without its end should not be run for long.
        let steps = most.steps.min(2 * n_visits + 1_000);
        Self {
            size: Size::of(&program),
            best: program,
            is_run,
            facts,
            limits: Limits { steps, ..most },
            cursor,
            edits: None,
            tried: BTreeSet::new(),
            proposed: Vec::new(),
            after: cursor,
        }
    }

    /// The smallest program that was accepted, or the one that it began with.
    pub fn best(&self) -> &Program {
        &self.best
    }

    /// How large the best program is.
    pub fn size(&self) -> Size {
        self.size
    }

    /// What is being tried.
    pub fn pass_name(&self) -> &'static str {
        PASSES.get(self.cursor.pass).map_or("done", |pass| pass.name)
    }

    /// Up to `n` candidates, in order of preference. Each is derived from the best program and
    /// smaller than it, valid, defined in its dialect along all of its realizations, whose paths
    /// and outputs are up to date; none was decided on before. If there are none, nothing is left
    /// to try.
    ///
    /// [`answer`](Self::answer) has to be called before the next proposal; a proposal that was not
    /// answered is made again.
    pub fn propose(&mut self, n: usize) -> Vec<Candidate> {
        self.proposed.clear();
        let mut cursor = self.cursor;
        let mut candidates = Vec::new();
        while candidates.len() < n
            && let Some(at) = self.next_chunk(cursor)
        {
            cursor = Cursor { at: at.at + at.chunk, ..at };
            if let Some(proposed) = self.candidate(at) {
                let program = proposed.program.clone();
                candidates.push(Candidate { program, pass: PASSES[at.pass].name });
                self.proposed.push(proposed);
            }
        }
        if candidates.is_empty() && n > 0 {
            self.cursor = Cursor::at_pass(PASSES.len());
            cursor = self.cursor;
        }
        self.after = cursor;
        candidates
    }

    /// Says which candidate of the last proposal was the first to be found interesting, if any
    /// was. Those before it were not; those after it are undecided, and may be proposed again.
    pub fn answer(&mut self, accepted: Option<usize>) {
        let mut proposed = std::mem::take(&mut self.proposed);
        let accepted = accepted.filter(|at| *at < proposed.len());
        proposed.truncate(accepted.map_or(proposed.len(), |at| at + 1));
        self.tried.extend(proposed.iter().map(|proposed| proposed.hash));
        self.cursor = self.after;
        if accepted.is_some()
            && let Some(Proposed { program, size, at, .. }) = proposed.pop()
        {
            self.cursor = at.after_progress();
            self.facts = Facts::new(&program);
            (self.best, self.size) = (program, size);
            self.edits = None;
        }
        self.after = self.cursor;
    }

    /// The first chunk of edits at or after `cursor`.
    fn next_chunk(&mut self, mut cursor: Cursor) -> Option<Cursor> {
        loop {
            let pass = PASSES.get(cursor.pass)?;
            let n_edits = self.edits_of(cursor.pass).len();
            if cursor.chunk == 0 {
                cursor.chunk = match pass.order {
                    Order::Chunks => n_edits,
                    Order::Singles => n_edits.min(1),
                };
            }
            cursor.chunk = cursor.chunk.min(n_edits);
            if cursor.at < n_edits {
                return Some(cursor);
            }
            if cursor.chunk > 1 {
                cursor = Cursor { chunk: cursor.chunk / 2, at: 0, ..cursor };
            } else {
                cursor = cursor.next_pass();
            }
        }
    }

    fn edits_of(&mut self, pass: usize) -> &[Edit] {
        let edits = match self.edits.take() {
            Some((of, edits)) if of == pass => edits,
            _ => (PASSES[pass].list)(&self.best, &self.facts),
        };
        &self.edits.insert((pass, edits)).1
    }

    /// What the edits at `at` make of the best program, if that is worth a try.
    fn candidate(&mut self, at: Cursor) -> Option<Proposed> {
        let mut draft = Draft::new(&self.best);
        let edits = self.edits_of(at.pass);
        let end = edits.len().min(at.at + at.chunk);
        edits[at.at..end].iter().for_each(|edit| edit.apply(&mut draft));
        let mut finished = draft.finish()?;
        if !is_valid(&mut finished.program) {
            return None;
        }
        // At best callers do not notice.
        let unnoticed = match self.is_run {
            true => compensated(&finished, &self.best, &self.facts, self.limits),
            false => None,
        };
        let (program, size) = unnoticed
            .and_then(|program| self.smaller(program))
            .or_else(|| self.smaller(finished.program))?;
        let hash = hash_of(&program);
        let is_new = !self.tried.contains(&hash)
            && self.proposed.iter().all(|proposed| proposed.hash != hash);
        is_new.then_some(Proposed { program, size, hash, at })
    }

    /// The program with its paths and outputs, if it is sound and smaller than the best one.
    fn smaller(&self, program: Program) -> Option<(Program, Size)> {
        let program = match self.is_run {
            true => recompute_realizations(program, self.limits)?,
            false => program,
        };
        let size = Size::of(&program);
        (size < self.size).then_some((program, size))
    }
}

impl fmt::Debug for Reducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reducer")
            .field("size", &self.size)
            .field("pass", &self.pass_name())
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}

fn hash_of(program: &Program) -> u64 {
    let mut hasher = DefaultHasher::new();
    program.to_string().hash(&mut hasher);
    hasher.finish()
}

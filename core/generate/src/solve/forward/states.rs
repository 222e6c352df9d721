//! The states along a path, in memory linear in what is assigned along it.
//!
//! A state may be as large as the path is long: decisions that are encoded in an array take an
//! element per visit. A copy of the state for every step would take memory quadratic in the path,
//! 26 GB for 100,000 steps. So what assignments replace is logged, and a cell is looked up in the
//! log of its own.

/// Something that has a word for every cell.
pub(super) trait CellSource: Copy {
    /// The word of a cell.
    fn word(self, cell: usize) -> i64;
}

impl CellSource for &[i64] {
    #[inline(always)]
    fn word(self, cell: usize) -> i64 {
        self[cell]
    }
}

/// An assignment: the cell, and the word that it replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Replaced {
    pub(super) cell: usize,
    pub(super) word: i64,
}

impl Replaced {
    /// Assigns to a cell, and returns what that replaces.
    #[inline]
    pub(super) fn by(cells: &mut [i64], cell: usize, word: i64) -> Self {
        Self { cell, word: std::mem::replace(&mut cells[cell], word) }
    }
}

/// Takes assignments back, the last one first, and empties the list.
pub(super) fn undo(cells: &mut [i64], replaced: &mut Vec<Replaced>) {
    while let Some(Replaced { cell, word }) = replaced.pop() {
        cells[cell] = word;
    }
}

/// The state of a run, with all it takes to go back to an earlier step.
#[derive(Debug)]
pub(super) struct States {
    /// The state now.
    pub(super) cells: Vec<i64>,
    /// All assignments so far, in order.
    log: Vec<Replaced>,
    /// How many assignments there were before each step that has begun.
    starts: Vec<usize>,
}

impl States {
    pub(super) fn new(n_cells: usize) -> Self {
        Self { cells: vec![0; n_cells], log: Vec::new(), starts: Vec::new() }
    }

    /// Begins the next step.
    pub(super) fn begin_step(&mut self) {
        self.starts.push(self.log.len());
    }

    /// Notes an assignment of the step that began last.
    pub(super) fn note(&mut self, replaced: Replaced) {
        self.log.push(replaced);
    }

    /// Goes back to the state before a step.
    pub(super) fn rewind(&mut self, step: usize) {
        let Some(&start) = self.starts.get(step) else { return };
        while self.log.len() > start {
            if let Some(Replaced { cell, word }) = self.log.pop() {
                self.cells[cell] = word;
            }
        }
        self.starts.truncate(step);
    }

    /// The states of the run, which is over.
    pub(super) fn history(self) -> History {
        let Self { cells: last, log, mut starts } = self;
        starts.push(log.len());
        // By cell, and in order of time for each: counted first, then put where they belong.
        let mut first = vec![0; last.len() + 1];
        for replaced in &log {
            first[replaced.cell + 1] += 1;
        }
        for cell in 0..last.len() {
            first[cell + 1] += first[cell];
        }
        let mut next = first.clone();
        let mut steps = vec![0; log.len()];
        let mut words = vec![0; log.len()];
        for (step, range) in starts.windows(2).enumerate() {
            for replaced in &log[range[0]..range[1]] {
                let at = next[replaced.cell];
                (steps[at], words[at]) = (step, replaced.word);
                next[replaced.cell] += 1;
            }
        }
        History { last, log, starts, first, steps, words }
    }
}

/// The states of a run that is over.
#[derive(Debug)]
pub(super) struct History {
    /// The last state.
    last: Vec<i64>,
    log: Vec<Replaced>,
    /// How many assignments there were before each step, and in all.
    starts: Vec<usize>,
    /// For each cell, where its assignments begin in `steps` and `words`, which are by cell.
    first: Vec<usize>,
    /// The step of an assignment.
    steps: Vec<usize>,
    /// The word that an assignment replaced.
    words: Vec<i64>,
}

impl History {
    /// The state before a step; behind the last step, the last state.
    pub(super) fn at(&self, step: usize) -> StateAt<'_> {
        StateAt { history: self, step }
    }

    fn word(&self, cell: usize, step: usize) -> i64 {
        let own = self.first[cell]..self.first[cell + 1];
        let later = self.steps[own.clone()].partition_point(|assigned| *assigned < step);
        match own.len() == later {
            true => self.last[cell],
            false => self.words[own.start + later],
        }
    }
}

/// The state before one step of a [`History`].
#[derive(Clone, Copy, Debug)]
pub(super) struct StateAt<'h> {
    history: &'h History,
    step: usize,
}

impl CellSource for StateAt<'_> {
    #[inline]
    fn word(self, cell: usize) -> i64 {
        self.history.word(cell, self.step)
    }
}

/// A state that moves along a [`History`]; a move costs as much as was assigned in between.
#[derive(Debug)]
pub(super) struct Replay<'h> {
    history: &'h History,
    step: usize,
    cells: Vec<i64>,
}

impl<'h> Replay<'h> {
    /// At the first step.
    pub(super) fn new(history: &'h History) -> Self {
        let cells = (0..history.last.len()).map(|cell| history.word(cell, 0)).collect();
        Self { history, step: 0, cells }
    }

    /// The state before a step. The caller undoes what it assigns to it.
    pub(super) fn to(&mut self, step: usize) -> &mut [i64] {
        let history = self.history;
        let n_steps = history.starts.len() - 1;
        let step = step.min(n_steps);
        let between =
            |from: usize, to: usize| &history.log[history.starts[from]..history.starts[to]];
        if step > self.step {
            for replaced in between(self.step, step) {
                self.cells[replaced.cell] = history.word(replaced.cell, step);
            }
        } else {
            for replaced in between(step, self.step).iter().rev() {
                self.cells[replaced.cell] = replaced.word;
            }
        }
        self.step = step;
        &mut self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const N_CELLS: usize = 5;

    proptest! {
        /// Whatever is assigned and taken back, the states are those that copies would be.
        #[test]
        fn states_are_what_copies_would_be(
            moves in proptest::collection::vec(
                (proptest::collection::vec((0..N_CELLS, any::<i64>()), 0..4), 0..20_usize),
                0..30,
            ),
            visits in proptest::collection::vec(0..40_usize, 1..20),
        ) {
            let mut states = States::new(N_CELLS);
            let mut copies = vec![vec![0; N_CELLS]];
            for (assignments, back) in moves {
                states.begin_step();
                for (cell, word) in assignments {
                    let replaced = Replaced::by(&mut states.cells, cell, word);
                    states.note(replaced);
                }
                copies.push(states.cells.clone());
                if back < 5 && back + 1 < copies.len() {
                    states.rewind(back);
                    copies.truncate(back + 1);
                    prop_assert_eq!(&states.cells, &copies[back]);
                }
            }
            let history = states.history();
            for (step, copy) in copies.iter().enumerate() {
                let read: Vec<i64> = (0..N_CELLS).map(|cell| history.at(step).word(cell)).collect();
                prop_assert_eq!(&read, copy);
            }
            let mut replay = Replay::new(&history);
            for step in visits {
                let step = step % copies.len();
                prop_assert_eq!(replay.to(step), &copies[step][..]);
            }
        }
    }
}

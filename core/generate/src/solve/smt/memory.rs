//! The state along a path: for each variable, its newest version as terms.

use z3::Sort;
use z3::ast::{Array, BV};

use super::ops::literal;
use pathsmith_symlang::lang::{IntTy, VarTy};

/// The longest array whose elements are kept as a term each where an index is not known. A read is
/// then a tree of choices and a write one choice for each element; longer ones become Z3 arrays.
/// A loop over an array of 40 elements took a third of the time with choices, one of 64 two
/// thirds, and with 200 they began to fail.
const MAX_CHOICES: usize = 64;

/// A variable: the cells it has now.
#[derive(Debug)]
pub(super) struct Variable {
    elem: IntTy,
    len: usize,
    cells: Cells,
}

#[derive(Debug)]
enum Cells {
    Terms(Vec<BV>),
    /// By the low bits of the index, as many as elements need.
    Array(Array),
}

/// Which cell is meant. The index is in bounds, or else a constraint is broken anyway.
#[derive(Debug)]
pub(super) enum Cell {
    /// This one.
    At(usize),
    /// The one with this number, of at least as many bits as the numbers of cells need.
    Term(BV),
}

impl Variable {
    /// A variable with these cells, each of the width of `elem`.
    pub(super) fn new(ty: &VarTy, elem: IntTy, cells: Vec<BV>) -> Self {
        Self { elem, len: ty.n_cells(), cells: Cells::Terms(cells) }
    }

    /// The type of its cells.
    pub(super) fn elem(&self) -> IntTy {
        self.elem
    }

    /// How many cells it has.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The cells, as far as they are kept one by one.
    pub(super) fn cells(&self) -> Option<&[BV]> {
        match &self.cells {
            Cells::Terms(terms) => Some(terms),
            Cells::Array(_) => None,
        }
    }

    /// The value of a cell, as wide as it is kept.
    pub(super) fn read(&mut self, cell: &Cell) -> BV {
        self.prepare(cell);
        let (len, bits) = (self.len, self.elem.bits());
        match (&self.cells, cell) {
            (Cells::Terms(terms), Cell::At(at)) => terms[*at].clone(),
            (Cells::Terms(terms), Cell::Term(index)) => chosen(terms, index),
            (Cells::Array(array), cell) => {
                let value = array.select(&number(cell, len));
                value.as_bv().unwrap_or_else(|| literal(0, bits))
            }
        }
    }

    /// Makes a new version of a cell; `value` is as wide as it is kept.
    pub(super) fn write(&mut self, cell: &Cell, value: BV) {
        self.prepare(cell);
        let len = self.len;
        match (&mut self.cells, cell) {
            (Cells::Terms(terms), Cell::At(at)) => terms[*at] = value,
            (Cells::Terms(terms), Cell::Term(index)) => {
                let index = low_bits(index, len);
                for (i, term) in terms.iter_mut().enumerate() {
                    let is_meant = index.eq(literal(i as i64, n_bits(len)));
                    *term = is_meant.ite(&value, term);
                }
            }
            (Cells::Array(array), cell) => *array = array.store(&number(cell, len), &value),
        }
    }

    /// Turns a long array into a Z3 array once an index is not known.
    fn prepare(&mut self, cell: &Cell) {
        if let (Cells::Terms(terms), Cell::Term(_)) = (&self.cells, cell)
            && terms.len() > MAX_CHOICES
        {
            let initial = Array::const_array(&Sort::bitvector(n_bits(self.len)), &terms[0]);
            let array = terms.iter().enumerate().fold(initial, |array, (i, term)| {
                if *term == terms[0] {
                    return array;
                }
                array.store(&literal(i as i64, n_bits(self.len)), term)
            });
            self.cells = Cells::Array(array);
        }
    }
}

/// How many bits tell `len` cells apart.
fn n_bits(len: usize) -> u32 {
    (usize::BITS - (len - 1).leading_zeros()).max(1)
}

fn low_bits(index: &BV, len: usize) -> BV {
    index.extract(n_bits(len) - 1, 0)
}

fn number(cell: &Cell, len: usize) -> BV {
    match cell {
        Cell::At(at) => literal(*at as i64, n_bits(len)),
        Cell::Term(index) => low_bits(index, len),
    }
}

/// One of `terms`: a tree of choices, by one bit of the index at each level.
fn chosen(terms: &[BV], index: &BV) -> BV {
    let mut level = terms.to_vec();
    let mut bit = 0;
    while level.len() > 1 {
        let is_odd = index.extract(bit, bit).eq(literal(1, 1));
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [even, odd] => is_odd.ite(odd, even),
                _ => pair[0].clone(),
            })
            .collect();
        bit += 1;
    }
    level.swap_remove(0)
}

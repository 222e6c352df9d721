//! Where the cells of variables are.

use std::sync::Arc;

use super::function::{Function, Var};
use super::place::VarRef;
use super::program::Program;
use super::types::ScalarTy;

/// The cells of a function's variables and of its program's globals, each numbered from 0: cells
/// stand in the order of declaration, the elements of an array in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    vars: Vec<Cells>,
    n_cells: usize,
    globals: GlobalLayout,
}

/// The cells of a program's globals. All layouts of its functions share them: a copy costs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalLayout {
    cells: Arc<[Cells]>,
    n_cells: usize,
}

impl GlobalLayout {
    /// The layout of the globals of `program`.
    pub fn new(program: &Program) -> Self {
        let (cells, n_cells) = in_a_row(&program.globals);
        Self { cells: cells.into(), n_cells }
    }
}

/// Consecutive cells of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cells {
    /// The number of the first.
    pub start: u32,
    /// How many there are.
    pub len: u32,
    /// Their type.
    pub ty: ScalarTy,
}

impl Cells {
    /// The cell of the element with this index, if it is in bounds: an index is a word in canonical
    /// form, so a negative one and an unsigned one that is too large both count as large.
    #[inline(always)]
    pub fn element(self, index: i64) -> Option<usize> {
        ((index as u64) < u64::from(self.len)).then(|| self.start as usize + index as usize)
    }

    /// The numbers of the cells.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}

impl Layout {
    /// The layout of `function` and of the globals of its program.
    pub fn new(program: &Program, function: &Function) -> Self {
        Self::with_globals(GlobalLayout::new(program), function)
    }

    /// The layout of `function` in a program whose globals have this layout. Laying out all
    /// functions in this way takes time linear in the program.
    pub fn with_globals(globals: GlobalLayout, function: &Function) -> Self {
        let (vars, n_cells) = in_a_row(&function.vars);
        Self { vars, n_cells, globals }
    }

    /// The cells of a variable, among those of the function or among those of the globals.
    #[inline]
    pub fn cells(&self, var: VarRef) -> Cells {
        match var {
            VarRef::Var(id) => self.vars[id.index()],
            VarRef::Global(id) => self.globals.cells[id.index()],
        }
    }

    /// The cells of each of the function's variables.
    pub fn vars(&self) -> &[Cells] {
        &self.vars
    }

    /// The cells of each global.
    pub fn globals(&self) -> &[Cells] {
        &self.globals.cells
    }

    /// How many cells the function's variables have.
    pub fn n_cells(&self) -> usize {
        self.n_cells
    }

    /// How many cells the globals have.
    pub fn n_global_cells(&self) -> usize {
        self.globals.n_cells
    }
}

fn in_a_row(vars: &[Var]) -> (Vec<Cells>, usize) {
    let mut next = 0;
    let cells = vars.iter().map(|var| {
        let (start, len) = (next, var.ty.n_cells());
        next += len;
        Cells { start: start as u32, len: len as u32, ty: var.ty.cell_ty() }
    });
    (cells.collect(), next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::text::parse;
    use crate::lang::{IntTy, VarRef};
    use crate::{GlobalId, VarId};

    #[test]
    fn cells_stand_in_order_of_declaration() {
        let text = "global g: [u16; 2] = [1, 2]; global h: i64 = 3;
            fn f(a: i8, b: i32) -> i32 { var c: [u64; 3] = [0, 0, 0]; var d: i32 = 1;
            entry: return b; }";
        let program = parse("test", text).unwrap();
        let layout = Layout::new(&program, &program.functions[0]);
        let start = |at| layout.cells(VarRef::Var(VarId::new(at))).start;
        assert_eq!([0, 1, 2, 3].map(start), [0, 1, 2, 5]);
        assert_eq!((layout.n_cells(), layout.n_global_cells()), (6, 3));
        let h = layout.cells(VarRef::Global(GlobalId::new(1)));
        assert_eq!(h, Cells { start: 2, len: 1, ty: IntTy::I64.into() });
        let g = layout.globals()[0];
        assert_eq!([-1, 0, 1, 2].map(|index| g.element(index)), [None, Some(0), Some(1), None]);
    }
}

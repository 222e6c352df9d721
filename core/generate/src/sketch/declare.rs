//! The variables of a sketch.

use super::Sketcher;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::graph::Cfg;
use pathsmith_symlang::lang::{ConstOrHole, IntTy, Var, VarTy};
use pathsmith_symlang::{BlockId, HoleId, VarId};

/// How many variables there are for one assignment each, at most.
const MAX_UNASSIGNED: usize = 8;

impl Sketcher<'_> {
    /// Declares parameters, other scalars, then arrays. There is at least one that is no counter.
    pub(super) fn declare(&mut self, cfg: &Cfg) {
        let n_vars = self.options.vars as usize;
        let counted: Vec<BlockId> =
            cfg.blocks().filter(|block| self.wants_counter(*block)).collect();
        let n_arrays = (0..n_vars.saturating_sub(2))
            .filter(|_| choose_bool(self.options.arrays, self.rng))
            .count();
        let n_scalars = (n_vars - n_arrays).max(1);
        let n_counters = counted.len();
        let least = self.knobs.min_params as usize;
        let has_seeds = self.knobs.constant_seeds;
        // One more for what other inputs are to be found by.
        let least_plain = if has_seeds { 3 } else { least };
        let n_plain = n_scalars.saturating_sub(n_counters).max(least_plain);
        let n_params = ((n_plain + n_counters) as f64 * self.options.params).round() as usize;
        let n_params = if has_seeds { 1 } else { n_params.clamp(least, n_plain) };
        // A counter that begins at an input makes the number of iterations depend on it.
        let (outer, inner): (Vec<BlockId>, Vec<BlockId>) =
            counted.into_iter().partition(|_| choose_bool(0.6, self.rng));
        for (i, block) in outer.into_iter().enumerate() {
            self.declare_counter(block, format!("n{i}"), true);
        }
        let n_params = n_params + self.counters.len();
        for i in 0..n_plain {
            let is_param = i < n_params - self.counters.len();
            let ty = VarTy::scalar(self.choose_storage());
            self.variable(if is_param { format!("p{i}") } else { format!("v{i}") }, ty, is_param);
        }
        self.function.n_params = n_params;
        for (i, block) in inner.into_iter().enumerate() {
            self.declare_counter(block, format!("c{i}"), false);
        }
        if self.knobs.single_assignment {
            self.declare_unassigned(cfg);
        }
        for i in 0..n_arrays {
            let len = 1 + choose_below(self.options.array_len as usize, self.rng) as u32;
            let ty = VarTy::array(self.choose_storage(), len);
            self.variable(format!("a{i}"), ty, false);
        }
    }

    /// A variable for each assignment, up to a few.
    fn declare_unassigned(&mut self, cfg: &Cfg) {
        let n_stmts = cfg.n_blocks().saturating_sub(2) * self.options.assigns as usize;
        for i in 0..n_stmts.min(MAX_UNASSIGNED) {
            let ty = VarTy::scalar(self.choose_storage());
            let var = self.variable(format!("r{i}"), ty, false);
            self.unassigned.push(var);
        }
        self.unassigned.reverse();
    }

    fn declare_counter(&mut self, block: BlockId, name: String, is_param: bool) {
        let ty = self.choose_counter_ty(self.profile.of(block).n_visits);
        let var = self.variable(name, VarTy::scalar(ty), is_param);
        self.counters.push((block, var));
    }

    pub(super) fn variable(&mut self, name: String, ty: VarTy, is_param: bool) -> VarId {
        let n_init = if is_param { 0 } else { ty.n_cells() };
        let first = self.n_holes;
        self.n_holes += n_init;
        let init = (first..self.n_holes).map(|hole| ConstOrHole::Hole(HoleId::new(hole))).collect();
        self.function.vars.push(Var { name, ty, init });
        VarId::new(self.function.vars.len() - 1)
    }

    pub(super) fn choose_storage(&mut self) -> IntTy {
        self.options.types[choose_below(self.options.types.len(), self.rng)]
    }

    /// A type that can count so many visits.
    fn choose_counter_ty(&mut self, n_visits: usize) -> IntTy {
        for _ in 0..8 {
            let ty = self.choose_storage();
            if ty.bits() >= 32 || n_visits < 20 {
                return ty;
            }
        }
        IntTy::I32
    }
}

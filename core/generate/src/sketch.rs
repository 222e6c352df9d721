//! Sketches: graphs filled with statements that have holes.
//!
//! A sketch knows the path that it is to take. So every terminator that has to lead to several
//! blocks reads something that changes between its visits, and what is run often stays within
//! bounds. Blocks off the path hold arbitrary code.

mod declare;
mod encode_decisions;
mod exprs;
mod floats;
mod intrinsics;
mod knobs;
mod operator_family;
mod options;
mod path_profile;
mod patterns;
mod saved;

pub use encode_decisions::encode_decisions;
pub use floats::add_floats;
pub use intrinsics::add_intrinsics;
pub use knobs::ExprKnobs;
pub use operator_family::OperatorFamily;
pub use options::{Language, SketchOptions, SketchOptionsError};
pub use saved::SavedSketchError;
pub(crate) use saved::block_named;

use self::exprs::HOT;
use serde::{Deserialize, Serialize};

use self::path_profile::PathProfile;
use self::patterns::Favourites;
use self::saved::SavedSketch;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool, choose_share};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::graph::{Cfg, Path};
use pathsmith_symlang::lang::{
    BinOp, Block, ConstOrHole, Expr, Function, IntTy, Place, PlaceForm, Program, Return, Stmt,
    Term, ValueTy, VarRef, VarTy, WordTy,
};
use pathsmith_symlang::{BlockId, ExprId, FuncId, HoleId, VarId};

/// A function with holes, made for a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "SavedSketch", try_from = "SavedSketch")]
pub struct Sketch {
    /// The function, alone in its program.
    pub program: Program,
    /// How many terminators have to lead to several blocks.
    pub n_two_way: usize,
    /// The blocks whose decisions are encoded in data.
    pub encoded: Vec<BlockId>,
    /// Blocks that count their visits, each with its counter, as long as more than the counter
    /// decides where they lead.
    counters: Vec<(BlockId, VarId)>,
    /// Variables that coefficients are multiplied with.
    pub(crate) strides: Vec<VarId>,
    /// Variables that are updated with each other.
    pub(crate) updated: Vec<VarId>,
}

impl Sketch {
    /// The function's id in the program.
    pub const FUNCTION: FuncId = FuncId::FIRST;

    /// A function that was made otherwise, alone in its program.
    pub(crate) fn of_program(program: Program) -> Self {
        Self {
            program,
            n_two_way: 0,
            encoded: Vec::new(),
            counters: Vec::new(),
            strides: Vec::new(),
            updated: Vec::new(),
        }
    }

    /// The function changed: parameters were inserted behind the first `n_params` variables, so
    /// later ones moved.
    pub(crate) fn params_inserted(&mut self, n_params: usize, n_new: usize) {
        let moved = |var: &mut VarId| {
            if var.index() >= n_params {
                *var = VarId::new(var.index() + n_new);
            }
        };
        self.counters.iter_mut().map(|(_, var)| var).for_each(moved);
        self.strides.iter_mut().for_each(moved);
        self.updated.iter_mut().for_each(moved);
    }

    /// Changes the terminator of `block`, whose visits could not be told apart on the way to
    /// `targets`, so that they can. A block with a counter is given a comparison of the counter
    /// alone; if there is none, or that was tried, the decisions are encoded in data.
    ///
    /// Nothing else changes, so whatever else was found stays right. Gives false where nothing
    /// helps.
    pub fn ease(
        &mut self,
        block: BlockId,
        targets: &[BlockId],
        types: &[IntTy],
        rng: &mut Rng,
    ) -> bool {
        let function = &mut self.program.functions[Self::FUNCTION.index()];
        if let Some(at) = self.counters.iter().position(|(counted, _)| *counted == block) {
            let (_, counter) = self.counters.swap_remove(at);
            if compare_counter(function, block, counter, rng) {
                return true;
            }
        }
        if self.encoded.contains(&block) || !encode_decisions(function, block, targets, types, rng)
        {
            return false;
        }
        self.encoded.push(block);
        true
    }
}

/// Makes a block decide by a comparison of its counter with a hole.
fn compare_counter(function: &mut Function, block: BlockId, counter: VarId, rng: &mut Rng) -> bool {
    let Term::If { then, otherwise, .. } = function.block(block).term else { return false };
    let ty = function.var(counter).ty.cell_ty().widened();
    let hole = HoleId::new(function.n_holes());
    let lhs = function.add_expr(Expr::Read(Place::scalar(VarRef::Var(counter))));
    let rhs = function.add_expr(Expr::Hole(hole, ty));
    let op = ORDERS[choose_below(ORDERS.len(), rng)];
    let cond = function.add_expr(Expr::Binary(op, lhs, rhs));
    function.blocks[block.index()].term = Term::If { cond, then, otherwise };
    true
}

/// The comparisons that tell small from large.
const ORDERS: [BinOp; 4] = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge];

/// Fills `cfg` with statements for a function called `name` that is to take `path`, or any if none
/// is given.
pub fn sketch(
    cfg: &Cfg,
    path: Option<&Path>,
    name: &str,
    dialect: Dialect,
    knobs: &ExprKnobs,
    rng: &mut Rng,
) -> Sketch {
    let options = &knobs.sizes;
    let mut sketcher = Sketcher {
        options,
        knobs,
        rng,
        function: Function::new(name, WordTy::U32),
        n_holes: 0,
        profile: PathProfile::new(cfg, path),
        counters: Vec::new(),
        favourites: Favourites::default(),
        unassigned: Vec::new(),
        remembered: Vec::new(),
        family: None,
        operators: Vec::new(),
    };
    sketcher.choose_operators();
    sketcher.declare(cfg);
    sketcher.choose_favourites();
    // About four expressions for a term, and what stands around them.
    let n_terms = options.assigns * (options.terms_assign + 1) + options.terms_cond + 1;
    sketcher.function.reserve_exprs(cfg.n_blocks() * 4 * n_terms as usize);
    let mut n_two_way = 0;
    let mut to_encode = Vec::new();
    for block in cfg.blocks() {
        let data = sketcher.block(cfg, block);
        sketcher.function.blocks.push(data);
        let visits = sketcher.profile.of(block);
        n_two_way += usize::from(visits.n_changes() > 0);
        let is_irregular = visits.n_changes() > 1;
        if is_irregular && visits.targets.len() > options.max_irregular_visits as usize {
            to_encode.push(block);
        }
    }
    let Sketcher { mut function, profile, mut counters, favourites, .. } = sketcher;
    // A counter alone tells apart what changes direction once.
    counters.retain(|(block, _)| profile.of(*block).n_changes() == 1);
    let mut encoded = Vec::new();
    for block in to_encode {
        let targets = &profile.of(block).targets;
        if encode_decisions(&mut function, block, targets, &options.types, rng) {
            encoded.push(block);
        }
    }
    let program =
        Program { dialect: Some(dialect), functions: vec![function], ..Program::default() };
    let updated = match knobs.update_share > 0.0 {
        true => favourites.all().collect(),
        false => Vec::new(),
    };
    let strides = match knobs.pair_share > 0.0 {
        true => favourites.strides,
        false => Vec::new(),
    };
    Sketch { program, n_two_way, encoded, counters, strides, updated }
}

struct Sketcher<'a> {
    options: &'a SketchOptions,
    knobs: &'a ExprKnobs,
    rng: &'a mut Rng,
    function: Function,
    n_holes: usize,
    profile: PathProfile,
    /// Blocks that count their visits, each with its counter.
    counters: Vec<(BlockId, VarId)>,
    favourites: Favourites,
    /// Variables that are there for one assignment each, and have not had it yet.
    unassigned: Vec<VarId>,
    /// Expressions that may be repeated, with their types.
    remembered: Vec<(ExprId, WordTy)>,
    /// The family of operators that the block at hand keeps to.
    family: Option<OperatorFamily>,
    /// The operators of terms, each as likely as it is listed often; none stands for all.
    operators: Vec<BinOp>,
}

impl Sketcher<'_> {
    /// A block that has to change direction mostly counts its visits, as a loop does, unless its
    /// decisions are going to be encoded.
    fn wants_counter(&mut self, block: BlockId) -> bool {
        let visits = self.profile.of(block);
        match (visits.n_changes(), visits.targets.len()) {
            (0, _) => false,
            (_, 2) => choose_bool(0.6, self.rng),
            (1, _) => true,
            (_, n_visits) => n_visits <= self.options.max_irregular_visits as usize,
        }
    }

    /// The type that reading a variable yields. Sketches are made of integers.
    fn word_ty(&self, var: VarId) -> WordTy {
        match self.function.var(var).ty.cell_ty().widened() {
            ValueTy::Int(ty) => ty,
            ValueTy::Float(_) => unreachable!("sketches begin with integers alone"),
        }
    }

    fn is_counter(&self, var: VarId) -> bool {
        self.counters.iter().any(|(_, counter)| *counter == var)
    }

    /// For a block that always takes the same edge on the path, a parameter that its terminator is
    /// to depend on: other inputs then take other edges.
    fn choose_input_dependence(&mut self, cfg: &Cfg, block: BlockId) -> Option<VarId> {
        let n_params = self.function.n_params;
        let has_choice = cfg.succs(block).len() > 1 && n_params > 0;
        if !has_choice || self.profile.of(block).n_changes() > 0 {
            return None;
        }
        let is_dependent = block == BlockId::FIRST || choose_bool(0.9, self.rng);
        is_dependent.then(|| VarId::new(choose_below(n_params, self.rng)))
    }

    fn counter(&self, block: BlockId) -> Option<VarId> {
        self.counters.iter().find(|(counted, _)| *counted == block).map(|(_, var)| *var)
    }

    fn block(&mut self, cfg: &Cfg, block: BlockId) -> Block {
        self.choose_family();
        let input = self.choose_input_dependence(cfg, block);
        let mut stmts = Vec::new();
        if block != cfg.entry() && block != cfg.exit() {
            for _ in 0..self.options.assigns {
                if !choose_share(self.knobs.omit_share, self.rng) {
                    stmts.push(self.stmt(block));
                }
            }
            if let Some(counter) = self.counter(block) {
                let at = choose_below(stmts.len() + 1, self.rng);
                stmts.insert(at, self.count(counter));
            }
            if let Some(input) = input
                && !stmts.is_empty()
                && !self.is_counter(input)
                && choose_bool(self.knobs.input_step_share, self.rng)
            {
                // Runs that turn away here and come back find something else.
                let at = choose_below(stmts.len(), self.rng);
                stmts[at] = self.count(input);
            }
        }
        let name = match block {
            _ if block == cfg.entry() => "entry".to_owned(),
            _ if block == cfg.exit() => "exit".to_owned(),
            _ => format!("B{}", block.index()),
        };
        let term = self.terminator(cfg, block, &stmts, input);
        Block { name, stmts, term }
    }

    /// `c = c + ?s`
    fn count(&mut self, counter: VarId) -> Stmt {
        let ty = self.word_ty(counter);
        let read = self.read_scalar(counter);
        let step = self.hole(ty);
        let value = self.binary(BinOp::Add, read, step);
        Stmt::Assign { place: Place::scalar(VarRef::Var(counter)), value }
    }

    /// An assignment to any variable but a counter.
    fn stmt(&mut self, block: BlockId) -> Stmt {
        let hot = self.profile.of(block).n_visits >= HOT;
        // What is run often would leave its type.
        if !hot && self.wants_update() {
            return self.update();
        }
        if let Some(var) = self.unassigned.pop() {
            let ty = self.word_ty(var);
            let value = self.value(ty, hot);
            return Stmt::Assign { place: Place::scalar(VarRef::Var(var)), value };
        }
        let var = loop {
            let var = VarId::new(choose_below(self.function.vars.len(), self.rng));
            // What is left of the inputs decides where other inputs lead.
            let is_kept = var.index() < self.function.n_params && choose_bool(0.7, self.rng);
            if !self.is_counter(var) && !is_kept {
                break var;
            }
        };
        let ty = self.word_ty(var);
        let place = match self.function.var(var).ty {
            VarTy::Scalar(_) => Place::scalar(VarRef::Var(var)),
            VarTy::Array(_, len) => Place::element(VarRef::Var(var), self.index(len)),
        };
        Stmt::Assign { place, value: self.value(ty, hot) }
    }

    fn terminator(
        &mut self,
        cfg: &Cfg,
        block: BlockId,
        stmts: &[Stmt],
        input: Option<VarId>,
    ) -> Term {
        match *cfg.succs(block) {
            [] => Term::Return(Return::Checksum),
            [target] => Term::Goto(target),
            [a, b] => {
                let (then, otherwise) = if choose_bool(0.5, self.rng) { (a, b) } else { (b, a) };
                Term::If { cond: self.condition(block, stmts, input, then), then, otherwise }
            }
            ref targets => self.switch(block, targets, stmts, input),
        }
    }

    /// Variables that change between visits of `block`: its counter, or what it assigns.
    fn changing(&self, block: BlockId, stmts: &[Stmt]) -> Vec<VarId> {
        if let Some(counter) = self.counter(block) {
            return vec![counter];
        }
        let scalars = stmts.iter().filter_map(|stmt| match stmt.assigned().form() {
            PlaceForm::Scalar(VarRef::Var(var)) => Some(var),
            PlaceForm::Scalar(VarRef::Global(_)) | PlaceForm::Element(..) => None,
        });
        scalars.rev().take(1).collect()
    }

    fn sum_for(
        &mut self,
        block: BlockId,
        stmts: &[Stmt],
        input: Option<VarId>,
        n_terms: usize,
    ) -> (ExprId, WordTy) {
        let first = match self.profile.of(block).n_changes() {
            0 => input.into_iter().collect(),
            _ => self.changing(block, stmts),
        };
        let ty = match first.first() {
            Some(var) => self.word_ty(*var),
            None => self.choose_ty(),
        };
        let hot = self.profile.of(block).n_visits >= HOT;
        if let (Some(counter), true) = (first.first(), self.counter(block).is_some()) {
            let sum = match self.profile.of(block).n_changes() {
                1 => self.counted_sum(*counter, ty, n_terms),
                _ => self.scattered(*counter, ty),
            };
            return (sum, ty);
        }
        if self.wants_update() {
            return self.updated_sum();
        }
        if self.profile.of(block).n_changes() == 0 {
            if let Some(repeated) = self.repeated(ty) {
                return (repeated, ty);
            }
            if self.wants_pair() {
                let pair = self.pair(ty);
                self.remember(pair, ty);
                return (pair, ty);
            }
        }
        (self.sum(ty, n_terms, hot, &first), ty)
    }

    /// A sum that grows or falls with a counter: `c * ?k`, and terms that the counter outweighs or
    /// that do not change.
    fn counted_sum(&mut self, counter: VarId, ty: WordTy, n_terms: usize) -> ExprId {
        let read = self.read_scalar(counter);
        let scaled = match ty.is_signed() && choose_bool(0.5, self.rng) {
            true => {
                let factor = self.hole(ty);
                self.binary(BinOp::Mul, read, factor)
            }
            false => read,
        };
        if n_terms < 2 || choose_bool(0.5, self.rng) {
            return scaled;
        }
        let rest = self.sum(ty, n_terms - 1, true, &[]);
        self.binary(BinOp::Add, scaled, rest)
    }

    /// A sum that jumps up and down as a counter grows, so that some draw of its constants puts
    /// few visits in any order: `c % ?m` and the like.
    fn scattered(&mut self, counter: VarId, ty: WordTy) -> ExprId {
        let read = self.read_scalar(counter);
        if self.options.language == Language::Full && choose_bool(0.7, self.rng) {
            const MIXERS: [BinOp; 4] = [BinOp::Xor, BinOp::Rotl, BinOp::And, BinOp::Xor];
            let op = MIXERS[choose_below(MIXERS.len(), self.rng)];
            let hole = self.hole(ty);
            let mixed = self.binary(op, read, hole);
            let modulus = self.hole(ty);
            return self.binary(BinOp::Rem, mixed, modulus);
        }
        let modulus = self.hole(ty);
        let first = self.binary(BinOp::Rem, read, modulus);
        let read = self.read_scalar(counter);
        let modulus = self.hole(ty);
        let second = self.binary(BinOp::Rem, read, modulus);
        self.binary(BinOp::Sub, first, second)
    }

    fn condition(
        &mut self,
        block: BlockId,
        stmts: &[Stmt],
        input: Option<VarId>,
        then: BlockId,
    ) -> ExprId {
        let n_terms = self.options.terms_cond as usize;
        let (sum, ty) = self.sum_for(block, stmts, input, n_terms);
        let visits = self.profile.of(block);
        let is_equality = choose_bool(0.25, self.rng);
        let op = match (visits.n_changes(), visits.targets.len()) {
            // An equality that holds on the path fails as soon as anything changes.
            (0, 1..) if is_equality => {
                if visits.targets[0] == then {
                    BinOp::Eq
                } else {
                    BinOp::Ne
                }
            }
            (0 | 1, 0..=2) if is_equality => self.comparison_op(),
            // An equality tells many visits apart only if one side is a single value.
            _ => ORDERS[choose_below(ORDERS.len(), self.rng)],
        };
        let hole = self.hole(ty);
        if ty.is_signed() && choose_bool(self.knobs.plain_condition_share, self.rng) {
            let shifted = self.binary(BinOp::Add, sum, hole);
            let other = match choose_share(self.knobs.variable_condition_share, self.rng) {
                true => self.leaf(ty),
                false => self.constant(ty, 0),
            };
            return self.binary(op, shifted, other);
        }
        self.binary(op, sum, hole)
    }

    /// The target that is taken most often is the default; each other one has a label for each
    /// visit, up to a few.
    fn switch(
        &mut self,
        block: BlockId,
        targets: &[BlockId],
        stmts: &[Stmt],
        input: Option<VarId>,
    ) -> Term {
        let (on, _) = self.sum_for(block, stmts, input, self.options.terms_cond as usize);
        let visits = self.profile.of(block);
        let n_taken =
            |target: &BlockId| visits.targets.iter().filter(|taken| *taken == target).count();
        let most = targets.iter().map(n_taken).max().unwrap_or(0);
        let default = targets.iter().position(|target| n_taken(target) == most).unwrap_or(0);
        let labels: Vec<(BlockId, usize)> = targets
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != default)
            .map(|(_, target)| (*target, n_taken(target).clamp(1, 6)))
            .collect();
        let mut cases = Vec::new();
        for (target, n_labels) in labels {
            for _ in 0..n_labels {
                cases.push((ConstOrHole::Hole(HoleId::new(self.n_holes)), target));
                self.n_holes += 1;
            }
        }
        Term::Switch { on, cases, default: targets[default] }
    }
}

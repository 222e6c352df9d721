//! Solved functions that programs are linked from, and what is known of each.

use thiserror::Error;

use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{
    ConstOrHole, Expr, Function, Program, Realization, Scalar, Stmt, Term,
};
use pathsmith_symlang::{BlockId, ExprId, VarId};

/// Solved functions, made ready to be linked.
#[derive(Clone, Debug)]
pub struct Pool {
    pub(super) dialect: Dialect,
    pub(super) members: Vec<Member>,
}

/// A function of a pool.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// The function, without its realizations.
    pub(super) function: Function,
    pub(super) realizations: Vec<Realization>,
    /// The constants that a call can take the place of.
    pub(super) sites: Vec<Site>,
    /// How often each realization visits each block: those of the first come first.
    visits: Vec<u32>,
    /// Its variables that are no arrays.
    pub(super) scalars: Vec<VarId>,
    /// How many of the sites the first realization comes by.
    pub(super) n_live: usize,
}

/// A constant in an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) expr: ExprId,
    pub(super) block: BlockId,
}

/// Why a program cannot be in a pool.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PoolError {
    /// It is not one function alone.
    #[error("the program of {0} is not one function that names no global and calls nothing")]
    NotALeaf(String),
    /// Nothing is known of what it returns.
    #[error("{0} has no realization")]
    NoRealization(String),
    /// A constant is not known yet.
    #[error("{0} has holes")]
    Hole(String),
    /// Its realizations hold in another dialect.
    #[error("{function} is in dialect {actual}, but the pool is in {expected}")]
    Dialect {
        /// The function.
        function: String,
        /// The pool's dialect.
        expected: Dialect,
        /// The function's dialect.
        actual: Dialect,
    },
}

impl Pool {
    /// A pool for programs in `dialect`.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, members: Vec::new() }
    }

    /// Adds a program that consists of one solved function, with at most `most` of its
    /// realizations. They are taken to hold: whoever links them learns if they do not.
    ///
    /// # Errors
    /// What keeps it from being linked.
    pub fn add(&mut self, mut program: Program, most: usize) -> Result<(), PoolError> {
        let name = program.functions.first().map_or(String::new(), |f| f.name.clone());
        if let Some(actual) = program.dialect.filter(|actual| *actual != self.dialect) {
            let expected = self.dialect;
            return Err(PoolError::Dialect { function: name, expected, actual });
        }
        let mut function = match (program.functions.pop(), program.functions.is_empty()) {
            (Some(function), true) if program.globals.is_empty() => function,
            _ => return Err(PoolError::NotALeaf(name)),
        };
        // A call that ends in a trap has no value to be used.
        function.realizations.retain(|known| known.ending.returned().is_some());
        if function.realizations.is_empty() {
            return Err(PoolError::NoRealization(name));
        }
        self.members.push(Member::new(function, most)?);
        Ok(())
    }

    /// The most steps that a realization of a function takes.
    pub fn longest_path(&self) -> usize {
        let realizations = self.members.iter().flat_map(|member| &member.realizations);
        realizations.map(|realization| realization.path.len()).max().unwrap_or(0)
    }

    /// How many functions there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

impl Member {
    fn new(mut function: Function, most: usize) -> Result<Self, PoolError> {
        let mut realizations = std::mem::take(&mut function.realizations);
        realizations.truncate(most.max(1));
        let n_blocks = function.blocks.len();
        let mut visits = vec![0; n_blocks * realizations.len()];
        for (of_one, realization) in visits.chunks_mut(n_blocks).zip(&realizations) {
            for block in realization.path.blocks() {
                of_one[block.index()] += 1;
            }
        }
        let scalars = (0..function.vars.len()).map(VarId::new);
        let scalars = scalars.filter(|id| !function.var(*id).ty.is_array()).collect();
        let sites = sites(&function)?;
        let n_live = sites.iter().filter(|site| visits[site.block.index()] > 0).count();
        Ok(Self { function, realizations, sites, visits, scalars, n_live })
    }

    /// What a realization returns.
    pub(super) fn output(&self, realization: usize) -> Scalar {
        let returned = self.realizations[realization].ending.returned();
        returned.unwrap_or_else(|| unreachable!("a pool keeps no realization that traps"))
    }

    /// How often a realization visits a block.
    pub(super) fn visits(&self, realization: usize, block: BlockId) -> u32 {
        self.visits[realization * self.function.blocks.len() + block.index()]
    }
}

/// The constants of a function that stand in expressions, block by block.
fn sites(function: &Function) -> Result<Vec<Site>, PoolError> {
    let mut sites = Vec::with_capacity(function.n_exprs() / 2);
    let is_hole = |fill: &ConstOrHole| matches!(fill, ConstOrHole::Hole(_));
    let mut has_hole = function.vars.iter().flat_map(|var| &var.init).any(is_hole);
    let mut has_call = false;
    let mut stack = Vec::new();
    for (block, data) in function.blocks_with_ids() {
        let stmts = data.stmts.iter().flat_map(Stmt::roots);
        if let Term::Switch { cases, .. } = &data.term {
            has_hole |= cases.iter().any(|(fill, _)| is_hole(fill));
        }
        for root in stmts.chain(data.term.root()) {
            stack.push(root);
            while let Some(id) = stack.pop() {
                let expr = function.expr(id);
                match expr {
                    Expr::Const(_) => sites.push(Site { expr: id, block }),
                    Expr::Hole(..) => has_hole = true,
                    Expr::Call(..) => has_call = true,
                    _ => stack.extend(expr.operands()),
                }
            }
        }
    }
    if has_hole {
        return Err(PoolError::Hole(function.name.clone()));
    }
    if has_call {
        return Err(PoolError::NotALeaf(function.name.clone()));
    }
    Ok(sites)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::lang::text::parse;

    fn add(text: &str) -> Result<Pool, String> {
        let mut pool = Pool::new(Dialect::C);
        let added = pool.add(parse("test", text).unwrap(), 8);
        added.map(|()| pool).map_err(|error| error.to_string())
    }

    #[test]
    fn constants_are_found_where_they_stand() {
        let text = "fn f(a: i32) -> i32 { var b: [i32; 2] = 0; e: b[1u64] = a * 3 + 4; goto x;
            x: return b[0] + 7; } realize f(1) = 7 via e x;";
        let text = text.replace("= 0;", "= [0; 2];");
        let member = &add(&text).unwrap().members[0];
        let found = member.sites.iter().map(|site| match member.function.expr(site.expr) {
            Expr::Const(constant) => (site.block.index(), constant.word()),
            other => panic!("{other:?} is no constant"),
        });
        let mut found: Vec<(usize, i64)> = found.collect();
        found.sort_unstable();
        assert_eq!(found, [(0, 1), (0, 3), (0, 4), (1, 0), (1, 7)]);
        assert_eq!(member.scalars, [VarId::FIRST]);
        assert_eq!(member.visits(0, BlockId::new(1)), 1);
    }

    #[test]
    fn says_what_cannot_be_linked() {
        let problem = |text| add(text).unwrap_err();
        assert_eq!(problem("fn f() -> i32 { e: return 1; }"), "f has no realization");
        let hole = "fn f() -> i32 { e: return ?s0; } realize f() = 1 via e;";
        assert_eq!(problem(hole), "f has holes");
        let two = "fn f() -> i32 { e: return g(); } realize f() = 1 via e;
            fn g() -> i32 { e: return 1; }";
        assert!(problem(two).starts_with("the program of f is not one function"));
        let jvm = "dialect jvm; fn f() -> i32 { e: return 1; } realize f() = 1 via e;";
        assert_eq!(problem(jvm), "f is in dialect jvm, but the pool is in c");
    }
}

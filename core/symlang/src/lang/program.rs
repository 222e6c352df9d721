//! Programs: globals, functions that can call each other, and a `main`.

use serde::{Deserialize, Serialize};

use super::expr::Expr;
use super::function::{ConstOrHole, Function, Return, Term, Var};
use super::place::{Place, VarRef};
use super::types::ScalarTy;
use crate::dialect::Dialect;
use crate::ids::{BlockId, ExprId, FuncId, GlobalId, HoleId, VarId};

/// A program. It is saved and loaded in its text form.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Program {
    /// Lines about it, for people.
    pub docs: Vec<String>,
    /// The dialect that its realizations hold in.
    pub dialect: Option<Dialect>,
    /// Variables that all functions can name. They have their initial values at the beginning of
    /// every realization.
    pub globals: Vec<Var>,
    /// Its functions.
    pub functions: Vec<Function>,
    /// The function that stands for the whole program.
    pub main: Option<FuncId>,
}

impl Program {
    /// A function.
    #[inline]
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    /// All functions with their ids.
    pub fn functions_with_ids(&self) -> impl Iterator<Item = (FuncId, &Function)> {
        self.functions.iter().enumerate().map(|(i, function)| (FuncId::new(i), function))
    }

    /// The function called `name`.
    pub fn function_named(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|function| function.name == name).map(FuncId::new)
    }

    /// A global.
    #[inline]
    pub fn global(&self, id: GlobalId) -> &Var {
        &self.globals[id.index()]
    }

    /// The declaration of a variable that `function` names.
    #[inline]
    pub fn var<'a>(&'a self, function: &'a Function, var: VarRef) -> &'a Var {
        match var {
            VarRef::Var(id) => function.var(id),
            VarRef::Global(id) => self.global(id),
        }
    }

    /// Adds the globals and functions of another program, and gives the id of its first function.
    /// Names are taken as they are: what has the same name in both is for the caller to avoid.
    pub fn append(&mut self, other: &Self) -> FuncId {
        let (n_globals, n_functions) = (self.globals.len(), self.functions.len());
        self.globals.extend_from_slice(&other.globals);
        let moved = |var: &mut VarRef| {
            if let VarRef::Global(id) = var {
                *id = GlobalId::new(id.index() + n_globals);
            }
        };
        for function in &other.functions {
            let mut function = function.clone();
            for stmt in function.blocks.iter_mut().flat_map(|block| &mut block.stmts) {
                moved(stmt.assigned_mut().var_mut());
            }
            function.for_each_listed_mut(moved);
            for expr in function.exprs_mut() {
                match expr {
                    Expr::Read(place) => moved(place.var_mut()),
                    Expr::Call(callee, _) => *callee = FuncId::new(callee.index() + n_functions),
                    Expr::Const(_)
                    | Expr::Hole(..)
                    | Expr::Unary(..)
                    | Expr::Binary(..)
                    | Expr::Select(..)
                    | Expr::Cast(..) => {}
                }
            }
            self.functions.push(function);
        }
        FuncId::new(n_functions)
    }

    /// The globals that `function` itself reads, assigns or lists in its checksum, in order.
    pub fn globals_named(&self, function: &Function) -> Vec<GlobalId> {
        if self.globals.is_empty() {
            return Vec::new();
        }
        // Not a table of all globals: there may be as many functions as globals.
        let mut named = Vec::new();
        let mut note_var = |var: VarRef| {
            if let VarRef::Global(id) = var {
                named.push(id);
            }
        };
        function.listed_vars().iter().for_each(|var| note_var(*var));
        let mut note = |place: &Place| note_var(place.var());
        function.blocks.iter().flat_map(|b| &b.stmts).for_each(|stmt| note(stmt.assigned()));
        function.for_each_expr(|_, expr| {
            if let Expr::Read(place) = expr {
                note(place);
            }
        });
        named.sort_unstable();
        named.dedup();
        named
    }

    /// The variables that the checksum of `function` covers, in order. None if it returns a value.
    pub fn checksum_vars(&self, function: &Function) -> Vec<VarRef> {
        match function.returned() {
            Some(Return::Checksum) => {
                let own = (0..function.vars.len()).map(|at| VarRef::Var(VarId::new(at)));
                let globals = self.globals_named(function).into_iter().map(VarRef::Global);
                own.chain(globals).collect()
            }
            Some(Return::ChecksumOf(vars)) => vars.clone(),
            Some(Return::Value(_)) | None => Vec::new(),
        }
    }

    /// Calls `visit` on every hole of `function` and the type its value has to have.
    pub fn for_each_hole(
        &self,
        function: &Function,
        mut visit: impl FnMut(HoleId, ScalarTy, HoleLocation),
    ) {
        for (i, var) in function.vars.iter().enumerate() {
            for fill in &var.init {
                if let ConstOrHole::Hole(hole) = fill {
                    visit(*hole, var.ty.cell_ty(), HoleLocation::Init(i));
                }
            }
        }
        function.for_each_expr(|id, expr| {
            if let Expr::Hole(hole, ty) = expr {
                visit(*hole, (*ty).into(), HoleLocation::Expr(id));
            }
        });
        for (block, data) in function.blocks_with_ids() {
            if let Term::Switch { on, cases, .. } = &data.term {
                for (fill, _) in cases {
                    if let ConstOrHole::Hole(hole) = fill {
                        visit(*hole, self.expr_ty(function, *on).into(), HoleLocation::Case(block));
                    }
                }
            }
        }
    }
}

/// Where a hole stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoleLocation {
    /// In the initial value of the variable at this position.
    Init(usize),
    /// In an expression.
    Expr(ExprId),
    /// In a label of this block's `switch`.
    Case(BlockId),
}

#[cfg(test)]
mod tests {
    use super::VarRef;
    use crate::lang::text::parse;

    #[test]
    fn globals_that_are_not_named_are_not_covered() {
        let covered = |returned: &str| {
            let text = format!(
                "global g: i32 = 1; global h: [i32; 2] = [2, 3];
                fn f(a: i32) -> u32 {{ var b: i32 = 3; entry: b = h[0]; return {returned}; }}"
            );
            let program = parse("test", &text).unwrap();
            let function = &program.functions[0];
            let name = |var: &VarRef| program.var(function, *var).name.clone();
            program.checksum_vars(function).iter().map(name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(covered("checksum"), "a b h");
        assert_eq!(covered("checksum(h, g, a)"), "h g a");
        assert_eq!(covered("u32(a)"), "");
    }

    #[test]
    fn what_is_appended_keeps_its_meaning() {
        let first = "global g: i32 = 1; fn f() -> i32 { entry: return g; } main f;";
        let second = "global h: i32 = 2; fn p() -> i32 { entry: return h + q(); }
            fn r(a: i32) -> u32 { entry: return checksum(h, a); }
            fn q() -> i32 { entry: return 7; }";
        let mut both = parse("first", first).unwrap();
        let added = both.append(&parse("second", second).unwrap());
        assert_eq!(both.function(added).name, "p");
        let text = format!("{} {}", first.replace("main f;", ""), second) + "main f;";
        assert_eq!(both, parse("both", &text).unwrap());
    }
}

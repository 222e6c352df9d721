//! How large a program is.

use pathsmith_symlang::lang::{ConstOrHole, Expr, Function, IntTy, Program, Return, Term};

/// How large a program is. Sizes are compared field by field, in order: a program with fewer
/// functions is the smaller one, whatever else it has. Every size has only finitely many sizes
/// below it that a reduction can pass through, because each field is a number that cannot fall
/// below 0; that is why reductions end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Functions.
    pub functions: usize,
    /// Realizations of all functions.
    pub realizations: usize,
    /// Blocks.
    pub blocks: usize,
    /// Targets of all terminators; a `switch` with three cases has four.
    pub targets: usize,
    /// Blocks that end with a `switch`.
    pub switches: usize,
    /// Assignments.
    pub statements: usize,
    /// Functions that return a checksum.
    pub checksums: usize,
    /// Globals.
    pub globals: usize,
    /// Parameters and locals.
    pub variables: usize,
    /// Parameters.
    pub parameters: usize,
    /// Values that all variables hold.
    pub cells: usize,
    /// Nodes of expressions; those that are not constants count twice.
    pub nodes: usize,
    /// Variables, casts and constants whose type is not `i32`.
    pub types: usize,
    /// Lines about the program and its functions.
    pub docs: usize,
    /// Steps of all paths.
    pub steps: usize,
    /// Binary digits of all constants, initial values, labels and arguments, and their signs.
    pub digits: usize,
}

impl Size {
    /// The size of `program`.
    pub fn of(program: &Program) -> Self {
        let mut size = Self {
            functions: program.functions.len(),
            globals: program.globals.len(),
            docs: program.docs.len(),
            ..Self::default()
        };
        for global in &program.globals {
            size.cells += global.ty.n_cells();
            size.types += is_unusual(global.ty.elem());
            size.add_fills(&global.init, global.ty.elem());
        }
        for function in &program.functions {
            size.add_function(program, function);
        }
        size
    }

    fn add_function(&mut self, program: &Program, function: &Function) {
        self.docs += function.docs.len();
        self.realizations += function.realizations.len();
        self.blocks += function.blocks.len();
        self.variables += function.vars.len();
        self.parameters += function.n_params;
        for var in &function.vars {
            self.cells += var.ty.n_cells();
            self.types += is_unusual(var.ty.elem());
            self.add_fills(&var.init, var.ty.elem());
        }
        for block in &function.blocks {
            self.statements += block.stmts.len();
            block.term.for_each_target(|_| self.targets += 1);
            match &block.term {
                Term::Return(Return::Checksum) => self.checksums += 1,
                Term::Switch { on, cases, .. } => {
                    self.switches += 1;
                    let ty = program.expr_ty(function, *on).into();
                    cases.iter().for_each(|(label, _)| self.add_fills(&[*label], ty));
                }
                _ => {}
            }
        }
        function.for_each_expr(|_, expr| match expr {
            Expr::Const(constant) => {
                self.nodes += 1;
                self.types += is_unusual(constant.ty().into());
                self.digits += digits(constant.to_wide());
            }
            Expr::Cast(ty, _) => {
                self.nodes += 2;
                self.types += is_unusual(*ty);
            }
            _ => self.nodes += 2,
        });
        for realization in &function.realizations {
            self.steps += realization.path.len();
            for (arg, param) in std::iter::zip(&realization.args, function.params()) {
                self.digits += digits(param.ty.elem().to_wide(*arg));
            }
        }
    }

    fn add_fills(&mut self, fills: &[ConstOrHole], ty: IntTy) {
        for fill in fills {
            if let ConstOrHole::Value(value) = fill {
                self.digits += digits(ty.to_wide(*value));
            }
        }
    }
}

fn is_unusual(ty: IntTy) -> usize {
    usize::from(ty != IntTy::I32)
}

/// How many binary digits a number has, with one more for its sign.
pub(super) fn digits(number: i128) -> usize {
    let sign = usize::from(number < 0);
    sign + (u128::BITS - number.unsigned_abs().leading_zeros()) as usize
}

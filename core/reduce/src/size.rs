//! How large a program is.

use pathsmith_symlang::lang::{
    Const, ConstOrHole, Expr, FloatTy, Function, IntTy, Program, Return, Scalar, ScalarTy, Term,
    ValueTy, WordTy,
};
use pathsmith_symlang::semantics::table;

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
    /// Variables that all checksums cover.
    pub observed: usize,
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
    /// Variables, casts and constants whose type is not `i32`; those of floating-point numbers
    /// count more.
    pub types: usize,
    /// Lines about the program and its functions.
    pub docs: usize,
    /// Steps of all paths.
    pub steps: usize,
    /// Binary digits of all constants, initial values, labels and arguments, and their signs; of
    /// floating-point numbers, the characters that they are written with.
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
            size.types += unusual(global.ty.cell_ty());
            size.add_fills(&global.init);
        }
        for function in &program.functions {
            size.observed += program.checksum_vars(function).len();
            size.add_function(function);
        }
        size
    }

    fn add_function(&mut self, function: &Function) {
        self.docs += function.docs.len();
        self.realizations += function.realizations.len();
        self.blocks += function.blocks.len();
        self.variables += function.vars.len();
        self.parameters += function.n_params;
        for var in &function.vars {
            self.cells += var.ty.n_cells();
            self.types += unusual(var.ty.cell_ty());
            self.add_fills(&var.init);
        }
        for block in &function.blocks {
            self.statements += block.stmts.len();
            block.term.for_each_target(|_| self.targets += 1);
            match &block.term {
                Term::Return(Return::Checksum | Return::ChecksumOf(_)) => self.checksums += 1,
                Term::Switch { cases, .. } => {
                    self.switches += 1;
                    cases.iter().for_each(|(label, _)| self.add_fills(&[*label]));
                }
                Term::Goto(_) | Term::If { .. } | Term::Return(Return::Value(_)) => {}
            }
        }
        function.for_each_expr(|_, expr| match expr {
            Expr::Const(constant) => {
                self.nodes += 1;
                self.types += unusual(constant.ty().into());
                self.digits += digits_of(constant.scalar());
            }
            Expr::Cast(ty, _) => {
                self.nodes += 2;
                self.types += unusual(*ty);
            }
            Expr::Hole(..)
            | Expr::Read(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select(..)
            | Expr::Call(..) => self.nodes += 2,
        });
        for realization in &function.realizations {
            self.steps += realization.path.len();
            self.digits += realization.args.iter().map(|arg| digits_of(*arg)).sum::<usize>();
        }
    }

    fn add_fills(&mut self, fills: &[ConstOrHole]) {
        for fill in fills {
            if let ConstOrHole::Const(value) = fill {
                self.digits += digits_of(*value);
            }
        }
    }
}

/// How far a type is from the usual one.
const fn unusual(ty: ScalarTy) -> usize {
    match ty {
        ScalarTy::Int(IntTy::I32) => 0,
        ScalarTy::Int(
            IntTy::I8 | IntTy::U8 | IntTy::I16 | IntTy::U16 | IntTy::U32 | IntTy::I64 | IntTy::U64,
        ) => 1,
        ScalarTy::Float(FloatTy::F32) => 2,
        ScalarTy::Float(FloatTy::F64) => 3,
    }
}

pub(super) fn digits_of(value: Scalar) -> usize {
    match value.ty() {
        ScalarTy::Int(ty) => digits(ty.to_wide(value.word())),
        ScalarTy::Float(_) if value.word() == 0 => 0,
        ScalarTy::Float(_) => {
            let text = value.to_string();
            text.strip_suffix(".0").unwrap_or(&text).len()
        }
    }
}

/// A small number as a constant of any type.
pub(super) fn small(ty: ValueTy, number: i8) -> Const {
    let word = table::cast(WordTy::I32.into(), ty.stored_as(), number.into()).word;
    Const::new(ty, word)
}

/// How many binary digits a number has, with one more for its sign.
pub(super) fn digits(number: i128) -> usize {
    let sign = usize::from(number < 0);
    sign + (u128::BITS - number.unsigned_abs().leading_zeros()) as usize
}

//! Options of a program: some for all of it, some for each function, variable and global.

use std::fmt::Debug;
use std::ops::Range;

use pathsmith_symlang::lang::{Calls, Function, Program, Var};
use pathsmith_symlang::{FuncId, GlobalId, VarId};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::LowerError;

/// How one backend lowers a program.
///
/// A backend has a struct of options for the whole program, with a list of options for each
/// function and, if it has any, one for each global. The struct says where its lists are and what
/// contradicts what; everything else is the same for all backends and stands here.
///
/// A list may be shorter than what it is about: what is left out is as by default. So `{}` reads
/// as the options of any program, and a reducer may drop any part of them.
pub trait ProgramOptions: Clone + Debug + Default + Serialize + DeserializeOwned {
    /// The options of one function.
    type Function: PerFunction;

    /// The options of one global; [`NoChoice`] if nothing is open.
    type Global: Clone + Default;

    /// Other ways to lower a program that change few instructions, as `option=value` with the names
    /// of serialized options. Triage tries them on what no flag suppresses.
    const SPECIFIC_VARIATIONS: &'static [&'static str] = &[];

    /// Other ways to lower a program that change most of its code.
    const BROAD_VARIATIONS: &'static [&'static str] = &[];

    /// The options of the first functions, in the order of the program.
    fn functions(&self) -> &[Self::Function];

    /// The options of the first globals, in the order of the program.
    fn globals(&self) -> &[Self::Global];

    /// The same options of the whole program, with these for functions and globals.
    #[must_use]
    fn with_lists(&self, functions: Vec<Self::Function>, globals: Vec<Self::Global>) -> Self;

    /// Checks what is special about the options of the whole program.
    ///
    /// # Errors
    /// The first contradiction.
    fn check_program(&self, _program: &Program) -> Result<(), LowerError> {
        Ok(())
    }

    /// Checks what is special about the options of one function.
    ///
    /// # Errors
    /// The first contradiction.
    fn check_function(&self, _function: &FunctionContext<'_>) -> Result<(), LowerError> {
        Ok(())
    }

    /// The options of a function.
    fn function(&self, id: FuncId) -> &Self::Function {
        self.functions().get(id.index()).unwrap_or_else(|| Self::Function::default_ref())
    }

    /// The options of a global.
    fn global(&self, id: GlobalId) -> Self::Global {
        self.globals().get(id.index()).cloned().unwrap_or_default()
    }

    /// The options of some functions and globals that become a program of their own.
    #[must_use]
    fn restricted(&self, functions: Range<usize>, globals: Range<usize>) -> Self {
        self.with_lists(part(self.functions(), functions), part(self.globals(), globals))
    }

    /// The options of `to`, a program that was edited out of `from`: whatever has kept its name
    /// keeps its options.
    #[must_use]
    fn fitted(&self, from: &Program, to: &Program) -> Self {
        let functions = to.functions.iter().map(|new| {
            let id = from.function_named(&new.name);
            id.map_or_else(Default::default, |id| {
                let old = FunctionIn { program: from, function: from.function(id) };
                self.function(id).fitted(old, FunctionIn { program: to, function: new })
            })
        });
        let globals = by_name(self.globals(), &from.globals, &to.globals);
        self.with_lists(functions.collect(), globals)
    }

    /// Checks that the options fit each other and the program.
    ///
    /// # Errors
    /// The first contradiction.
    fn check(&self, program: &Program) -> Result<(), LowerError> {
        if self.functions().len() > program.functions.len() {
            return LowerError::options(
                "there are options for more functions than the program has",
            );
        }
        if self.globals().len() > program.globals.len() {
            return LowerError::options("there are options for more globals than the program has");
        }
        self.check_program(program)?;
        for context in FunctionContext::all(program) {
            let (function, options) = (context.function, self.function(context.id));
            let name = &function.name;
            if options.vars().len() > function.vars.len() {
                let message = format!("there are options for more variables than {name} has");
                return LowerError::options(message);
            }
            let mut vars = std::iter::zip(&function.vars, options.vars());
            if context.is_recursive
                && let Some((var, _)) = vars.find(|(_, options)| options.is_shared())
            {
                let message = format!("{name} is recursive, but its calls share {}", var.name);
                return LowerError::options(message);
            }
            self.check_function(&context)?;
        }
        Ok(())
    }
}

/// How one backend lowers a function.
pub trait PerFunction: Clone + Debug + Default + 'static {
    /// The options of one variable.
    type Var: PerVar;

    /// The default, for functions that are left out. Implementations keep it in a `static`.
    fn default_ref() -> &'static Self;

    /// The options of the first variables, in the order of the function.
    fn vars(&self) -> &[Self::Var];

    /// The same options of the whole function, with these for its variables.
    #[must_use]
    fn with_vars(&self, vars: Vec<Self::Var>) -> Self;

    /// The options of a variable.
    fn var(&self, id: VarId) -> Self::Var {
        self.vars().get(id.index()).copied().unwrap_or_default()
    }

    /// The options of `to`, which was edited out of `from`. Options that name something else than
    /// variables by its position have to follow it there.
    #[must_use]
    fn fitted(&self, from: FunctionIn<'_>, to: FunctionIn<'_>) -> Self {
        self.with_vars(by_name(self.vars(), &from.function.vars, &to.function.vars))
    }
}

/// How one backend lowers a variable: where it lives, above all.
pub trait PerVar: Copy + Debug + Default {
    /// Whether all calls of the function share the variable. Those of a recursive function must
    /// not.
    fn is_shared(self) -> bool;
}

/// The options of something about which nothing is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoChoice;

/// A function and the program that it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct FunctionIn<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function.
    pub function: &'a Function,
}

/// A function, and how the rest of the program calls it.
#[derive(Clone, Copy, Debug)]
pub struct FunctionContext<'a> {
    /// The program.
    pub program: &'a Program,
    /// The function's id.
    pub id: FuncId,
    /// The function.
    pub function: &'a Function,
    /// Whether something in the program calls it.
    pub is_called: bool,
    /// Whether a call of it can lead to another one before it returns.
    pub is_recursive: bool,
}

impl<'a> FunctionContext<'a> {
    /// All functions of a program.
    pub fn all(program: &'a Program) -> Vec<Self> {
        let calls = Calls::new(program);
        let context = |(id, function)| Self {
            program,
            id,
            function,
            is_called: calls.is_called(id),
            is_recursive: calls.is_recursive(id),
        };
        program.functions_with_ids().map(context).collect()
    }
}

/// The part of a list that may be shorter than the range.
fn part<T: Clone>(list: &[T], range: Range<usize>) -> Vec<T> {
    let end = range.end.min(list.len());
    list.get(range.start..end).unwrap_or_default().to_vec()
}

/// For each of the variables `to`, what `known` says of the one with the same name among `from`.
pub fn by_name<T: Clone + Default>(known: &[T], from: &[Var], to: &[Var]) -> Vec<T> {
    let of = |var: &Var| {
        let at = from.iter().position(|other| other.name == var.name);
        at.and_then(|at| known.get(at)).cloned().unwrap_or_default()
    };
    to.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;
    use serde::Deserialize;

    use super::*;

    /// The options of a backend that lowers nothing.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Options {
        name: String,
        functions: Vec<OfFunction>,
        globals: Vec<u32>,
    }

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct OfFunction {
        is_odd: bool,
        vars: Vec<OfVar>,
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
    enum OfVar {
        #[default]
        Own,
        Shared,
    }

    impl ProgramOptions for Options {
        type Function = OfFunction;
        type Global = u32;

        fn functions(&self) -> &[OfFunction] {
            &self.functions
        }

        fn globals(&self) -> &[u32] {
            &self.globals
        }

        fn with_lists(&self, functions: Vec<OfFunction>, globals: Vec<u32>) -> Self {
            Self { name: self.name.clone(), functions, globals }
        }

        fn check_program(&self, _program: &Program) -> Result<(), LowerError> {
            match &self.name[..] {
                "wrong" => LowerError::options("the name is wrong"),
                _ => Ok(()),
            }
        }

        fn check_function(&self, context: &FunctionContext<'_>) -> Result<(), LowerError> {
            match self.function(context.id).is_odd {
                true => LowerError::options(format!("{} is odd", context.function.name)),
                false => Ok(()),
            }
        }
    }

    impl PerFunction for OfFunction {
        type Var = OfVar;

        fn default_ref() -> &'static Self {
            static DEFAULT: OfFunction = OfFunction { is_odd: false, vars: Vec::new() };
            &DEFAULT
        }

        fn vars(&self) -> &[OfVar] {
            &self.vars
        }

        fn with_vars(&self, vars: Vec<OfVar>) -> Self {
            Self { vars, ..self.clone() }
        }
    }

    impl PerVar for OfVar {
        fn is_shared(self) -> bool {
            self == Self::Shared
        }
    }

    const TEXT: &str = "global g: i32 = 1; global h: i32 = 2;
        fn f(a: i32, b: i32) -> i32 { entry: return a + b + g; }
        fn r(n: i32) -> i32 { entry: return r(n) + h; }";

    fn function(is_odd: bool, vars: &[OfVar]) -> OfFunction {
        OfFunction { is_odd, vars: vars.to_vec() }
    }

    fn options(functions: Vec<OfFunction>, globals: &[u32]) -> Options {
        Options { name: "n".to_owned(), functions, globals: globals.to_vec() }
    }

    #[test]
    fn what_is_left_out_is_as_by_default() {
        let options = options(vec![function(true, &[OfVar::Shared])], &[7]);
        assert_eq!(options.function(FuncId::new(0)).var(VarId::new(0)), OfVar::Shared);
        assert_eq!(options.function(FuncId::new(0)).var(VarId::new(1)), OfVar::Own);
        assert_eq!(*options.function(FuncId::new(1)), OfFunction::default());
        assert_eq!([0, 1].map(|at| options.global(GlobalId::new(at))), [7, 0]);
    }

    #[test]
    fn a_part_of_a_program_keeps_its_options_even_if_lists_are_short() {
        let all = options(vec![function(false, &[]), function(true, &[])], &[1, 2, 3]);
        let expected = options(vec![function(true, &[])], &[2, 3]);
        assert_eq!(all.restricted(1..2, 1..3), expected);
        assert_eq!(all.restricted(1..5, 1..9), expected);
        assert_eq!(all.restricted(5..6, 3..4), options(Vec::new(), &[]));
    }

    #[test]
    fn an_edited_program_keeps_the_options_of_what_has_kept_its_name() {
        let from = parse("from", TEXT).unwrap();
        let to = "global h: i32 = 2; fn q() -> i32 { entry: return h; }
            fn f(b: i32) -> i32 { var c: i32 = 0; entry: return b + c; }";
        let to = parse("to", to).unwrap();
        let known = vec![function(true, &[OfVar::Own, OfVar::Shared]), function(false, &[])];
        let expected = vec![OfFunction::default(), function(true, &[OfVar::Shared, OfVar::Own])];
        assert_eq!(options(known, &[1, 2]).fitted(&from, &to), options(expected, &[2]));
    }

    #[test]
    fn contradictions_are_named() {
        let program = parse("test", TEXT).unwrap();
        let check = |options: Options| options.check(&program).map_err(|error| error.to_string());
        let wrong = |message: &str| Err(message.to_owned());
        let (own, shared) = (OfVar::Own, OfVar::Shared);
        assert_eq!(check(options(vec![function(false, &[shared, shared])], &[1, 2])), Ok(()));
        assert_eq!(
            check(options(vec![OfFunction::default(); 3], &[])),
            wrong("there are options for more functions than the program has")
        );
        assert_eq!(
            check(options(Vec::new(), &[1, 2, 3])),
            wrong("there are options for more globals than the program has")
        );
        assert_eq!(
            check(options(vec![function(false, &[own; 3])], &[])),
            wrong("there are options for more variables than f has")
        );
        assert_eq!(
            check(options(vec![OfFunction::default(), function(true, &[shared])], &[])),
            wrong("r is recursive, but its calls share n")
        );
        assert_eq!(check(options(vec![function(true, &[])], &[])), wrong("f is odd"));
        let name = "wrong".to_owned();
        assert_eq!(check(Options { name, ..Options::default() }), wrong("the name is wrong"));
    }
}

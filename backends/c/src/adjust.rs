//! Options that a program has no use for.
//!
//! Options follow a program while it is reduced and mutated. What would make the C undefined then, or
//! take more stack than there is, is lowered otherwise.

use std::borrow::Cow;
use std::collections::BTreeSet;

use pathsmith_backend::{LowerError, PerFunction, ProgramOptions, check_limit};
use pathsmith_symlang::lang::effects::for_each_read;
use pathsmith_symlang::lang::{Calls, Function, Program, Stmt, Var, VarRef};
use pathsmith_symlang::{ExprId, FuncId, GlobalId, VarId};

use crate::constant::is_table;
use crate::options::{COptions, FunctionOptions, Placement, Storage, is_array};

/// With more bytes of variables than this on the stack, arrays are static. Stacks have 8 MB, of which
/// compilers take some for themselves. A guess.
const MUCH_STACK: usize = 1 << 20;

/// With more bytes than this even so, a program is not lowered. A guess: half of the stack.
const MAX_STACK: usize = 1 << 22;

/// How deep calls nest at the most, as in the interpreter.
const MAX_DEPTH: usize = 1_001;

/// The options without what the program has no use for.
///
/// # Errors
/// If the variables of functions that are recursive take too much stack, or very many scalars do.
pub(crate) fn adjusted<'o>(
    program: &Program,
    options: &'o COptions,
    backend: &'static str,
) -> Result<Cow<'o, COptions>, LowerError> {
    let mut options = Cow::Borrowed(options);
    let twice: Vec<BTreeSet<VarRef>> = program.functions.iter().map(read_twice).collect();
    for (id, function) in program.functions_with_ids() {
        for var in (0..function.vars.len()).map(VarId::new) {
            let is_volatile = options.function(id).var(var).volatile;
            if is_volatile && twice[id.index()].contains(&VarRef::Var(var)) {
                placement_mut(&mut options, id, var).volatile = false;
            }
        }
    }
    for global in (0..program.globals.len()).map(GlobalId::new) {
        let is_read_twice = twice.iter().any(|vars| vars.contains(&VarRef::Global(global)));
        if is_read_twice && options.global(global).volatile {
            options.to_mut().globals[global.index()].volatile = false;
        }
    }
    let calls = Calls::new(program);
    if stack_size(program, &options, &calls) > MUCH_STACK {
        for (id, function) in program.functions_with_ids() {
            let own = (0..function.vars.len()).map(VarId::new);
            for var in own.filter(|var| is_array(function.var(*var)) && !calls.is_recursive(id)) {
                if options.function(id).var(var).storage == Storage::Auto {
                    placement_mut(&mut options, id, var).storage = Storage::Static;
                }
            }
        }
        let what = || "the number of bytes on the stack".to_owned();
        check_limit(backend, what, stack_size(program, &options, &calls), MAX_STACK)?;
    }
    Ok(options)
}

fn placement_mut<'a>(
    options: &'a mut Cow<'_, COptions>,
    id: FuncId,
    var: VarId,
) -> &'a mut Placement {
    let functions = &mut options.to_mut().functions;
    let n = functions.len().max(id.index() + 1);
    functions.resize(n, FunctionOptions::default());
    let vars = &mut functions[id.index()].vars;
    vars.resize(vars.len().max(var.index() + 1), Placement::default());
    &mut vars[var.index()]
}

/// The variables that one full expression reads twice. C does not say in which order, so they must
/// not be volatile: C17 6.5p2 and 5.1.2.3p2.
fn read_twice(function: &Function) -> BTreeSet<VarRef> {
    let mut twice = BTreeSet::new();
    let mut note = |roots: &mut dyn Iterator<Item = ExprId>| {
        let mut once = BTreeSet::new();
        for root in roots {
            for_each_read(function, root, &mut |place| {
                if !once.insert(place.var()) {
                    twice.insert(place.var());
                }
            });
        }
    };
    for block in &function.blocks {
        block.stmts.iter().for_each(|stmt: &Stmt| note(&mut stmt.roots()));
        note(&mut block.term.root().into_iter());
    }
    twice
}

/// An upper bound of the bytes that the variables of nested calls have on the stack.
fn stack_size(program: &Program, options: &COptions, calls: &Calls) -> usize {
    let frames: Vec<usize> = program
        .functions_with_ids()
        .map(|(id, function)| {
            let depth = if calls.is_recursive(id) { MAX_DEPTH } else { 1 };
            depth * frame_size(function, options.function(id))
        })
        .collect();
    // Most programs are small altogether.
    let all: usize = frames.iter().sum();
    if all <= MUCH_STACK {
        return all;
    }
    let reached = |(id, _): (FuncId, &Function)| {
        calls.reached(id).iter().map(|reached| frames[reached.index()]).sum()
    };
    program.functions_with_ids().map(reached).max().unwrap_or(0)
}

fn frame_size(function: &Function, options: &FunctionOptions) -> usize {
    let is_on_stack = |id: VarId| {
        let Placement { storage, constant, .. } = options.var(id);
        storage == Storage::Auto && !(constant && is_table(function, id))
    };
    let size = |var: &Var| var.ty.n_cells() * var.ty.cell_ty().bits() as usize / 8;
    let vars = function.vars.iter().enumerate().filter(|(at, _)| is_on_stack(VarId::new(*at)));
    vars.map(|(_, var)| size(var)).sum()
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;
    use crate::options::Storage;

    fn everything_volatile(program: &Program) -> COptions {
        let volatile = Placement { volatile: true, ..Placement::default() };
        let of = |function: &Function| FunctionOptions {
            vars: vec![volatile; function.vars.len()],
            ..FunctionOptions::default()
        };
        COptions {
            functions: program.functions.iter().map(of).collect(),
            globals: vec![volatile; program.globals.len()],
            ..COptions::default()
        }
    }

    #[test]
    fn what_one_expression_reads_twice_is_not_volatile() {
        let text = "global g: i32 = 1; global h: i32 = 2;
            fn f(a: i32) -> i32 {
                var b: i32 = 3; var c: i32 = 4; var d: i32 = 5; var x: [i32; 4] = [0, 1, 2, 3];
            entry:
                b = max(b, b);
                c = c + d;
                c = c + h;
                x[d & 3] = x[a & 3];
                x[0] = x[1] + x[2];
                if c > 2 goto more else exit;
            more:
                d = g + g;
                goto exit;
            exit:
                return c + a;
            }";
        let program = parse("test", text).unwrap();
        let options = everything_volatile(&program);
        let adjusted = adjusted(&program, &options, "c").unwrap();
        let vars = std::iter::zip(&program.functions[0].vars, &adjusted.functions[0].vars);
        let names: Vec<&str> =
            vars.filter(|(_, placed)| placed.volatile).map(|(var, _)| &var.name[..]).collect();
        assert_eq!(names, ["a", "c", "d"]);
        assert_eq!(
            adjusted.globals.iter().map(|it| it.volatile).collect::<Vec<_>>(),
            [false, true]
        );
    }

    /// `n` functions in a chain, each with an array of 2048 words: 16 KB.
    fn chain(n: usize, last: &str) -> Program {
        let zeros = vec!["0"; 2048].join(", ");
        let mut text = String::new();
        for at in 0..n {
            let called = if at + 1 < n { format!("step{}(a)", at + 1) } else { last.to_owned() };
            text += &format!(
                "fn step{at}(a: i64) -> i64 {{
                    var x: [i64; 2048] = [{zeros}];
                entry:
                    if a > 0i64 goto more else exit;
                more:
                    x[u32(a) & 7u32] = {called};
                    goto exit;
                exit:
                    return x[1];
                }}\n"
            );
        }
        parse("test", &text).unwrap()
    }

    #[test]
    fn large_arrays_are_not_on_the_stack() {
        let small = chain(20, "a");
        assert!(matches!(adjusted(&small, &COptions::default(), "c"), Ok(Cow::Borrowed(_))));
        let large = chain(100, "a");
        let options = COptions::default();
        let adjusted_options = adjusted(&large, &options, "c").unwrap();
        assert_eq!(adjusted_options.functions.len(), 100);
        assert!(adjusted_options.functions.iter().all(|it| it.vars[1].storage == Storage::Static));
        // Calls of a recursive function must not share them.
        let error = adjusted(&chain(1, "step0(a - 1i64)"), &options, "c").unwrap_err();
        assert!(error.to_string().contains("bytes on the stack"), "{error}");
    }
}

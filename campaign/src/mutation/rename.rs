//! Names that no other case of a batch has.

use std::collections::BTreeSet;
use std::iter;

use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Program, validate};

/// A program with names that begin with `name`: `f7` for the function that stands for the whole,
/// `f7_n0` and so on for the others, `f7_g0` for globals.
pub(super) fn renamed(program: &Program, name: &str) -> Program {
    let mut program = program.clone();
    let last = FuncId::new(program.functions.len().saturating_sub(1));
    let main = program.main.unwrap_or(last).index();
    for (at, function) in program.functions.iter_mut().enumerate() {
        function.name = match at == main {
            true => name.to_owned(),
            false => format!("{name}_n{at}"),
        };
    }
    for (at, global) in program.globals.iter_mut().enumerate() {
        global.name = format!("{name}_g{at}");
    }
    program
}

/// What transforms have made of `parent`, with names of the case `name` for the functions and globals
/// that they have added: transforms know nothing of the other cases of a batch. `None` if it breaks a
/// rule of the language.
pub(crate) fn named(mut variant: Program, parent: &Program, name: &str) -> Option<Program> {
    let vars = variant.functions.iter().flat_map(|function| &function.vars);
    let mut taken: BTreeSet<String> = vars.map(|var| var.name.clone()).collect();
    taken.extend(variant.functions.iter().map(|function| function.name.clone()));
    taken.extend(variant.globals.iter().map(|global| global.name.clone()));
    let known: BTreeSet<&str> =
        parent.functions.iter().map(|function| &function.name[..]).collect();
    for function in &mut variant.functions {
        if !known.contains(&function.name[..]) {
            function.name = free_name(&function.name, name, &mut taken);
        }
    }
    let known: BTreeSet<&str> = parent.globals.iter().map(|global| &global.name[..]).collect();
    for global in &mut variant.globals {
        if !known.contains(&global.name[..]) {
            global.name = free_name(&global.name, name, &mut taken);
        }
    }
    validate(&variant).is_empty().then_some(variant)
}

/// A name of the case `name` that nothing has yet: `f7_outlined0`, or `f7_m0` if that is taken.
fn free_name(added: &str, name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (0..).map(|n| format!("{name}_m{n}"));
    let mut names = iter::once(format!("{name}_{added}")).chain(numbered);
    let free = names.find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(free.clone());
    free
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    #[test]
    fn names_are_those_of_a_case_and_nothing_else_changes() {
        let text = "dialect c;
            global total: i32 = 3;
            fn help(a: i32) -> i32 { e: return a + 1; }
            fn top(a: i32) -> i32 { e: total = help(a); return total; }
            realize top(4) = 5 via e;";
        let program = renamed(&parse("test", text).unwrap(), "f7");
        assert_eq!(validate(&program), []);
        let text = program.to_string();
        for expected in ["fn f7_n0(", "fn f7(", "f7_g0 = f7_n0(a);", "realize f7(4) = 5 via e;"] {
            assert!(text.contains(expected), "{text}");
        }
    }
    #[test]
    fn what_is_added_gets_names_that_nothing_has() {
        let text = "dialect c;
            global total: i32 = 3;
            fn top(a: i32) -> i32 { e: total = total + a; return total; }
            realize top(4) = 7 via e;";
        let parent = renamed(&parse("test", text).unwrap(), "f7");
        // A crossover, which calls its own first global `g0`, and knows of no cases.
        let text = "dialect c;
            global f7_g0: i32 = 3;
            global g0: i32 = 1;
            fn donated0(a: i32) -> i32 { e: return a; }
            fn f7(a: i32) -> i32 { e: f7_g0 = f7_g0 + donated0(a); g0 = f7_g0; return g0; }
            realize f7(4) = 7 via e;";
        let variant = named(parse("test", text).unwrap(), &parent, "f7").unwrap();
        let globals: Vec<&str> = variant.globals.iter().map(|global| &global.name[..]).collect();
        assert_eq!(globals, ["f7_g0", "f7_m0"]);
        assert_eq!(variant.functions[0].name, "f7_donated0");

        let mut broken = variant;
        broken.globals[1].name = "f7_g0".to_owned();
        assert_eq!(named(broken, &parent, "f7"), None);
    }
}

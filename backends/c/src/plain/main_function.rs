//! The `main` of plain C: it calls a function and aborts if something is wrong.

use pathsmith_symlang::lang::{Ending, FloatTy, IntTy, Realization, Scalar, ScalarTy};
use pathsmith_symlang::{FuncId, VarId};

use super::function::no_ipa;
use super::words::{type_name, value};
use super::{Arguments, LeftCell, PlainFile, PlainMain};

/// Whether two numbers are not one: `==` does not tell zeros apart.
const IS_OTHER: [(FloatTy, &str, &str); 2] = [
    (
        FloatTy::F32,
        "is_other_float",
        "static int is_other_float(float a, float b) { return __builtin_memcmp(&a, &b, sizeof a); }\n",
    ),
    (
        FloatTy::F64,
        "is_other_double",
        "static int is_other_double(double a, double b) { return __builtin_memcmp(&a, &b, sizeof a); }\n",
    ),
];

pub(super) fn main_text(file: &PlainFile<'_>) -> String {
    let text = main_and_caller(file);
    let is_needed = |name: &&str| text.contains(&format!("{name}("));
    let helpers = IS_OTHER.iter().filter(|(_, name, _)| is_needed(name)).map(|(.., text)| *text);
    helpers.collect::<String>() + &text
}

fn main_and_caller(file: &PlainFile<'_>) -> String {
    let mut statements = Vec::new();
    match &file.options.main {
        PlainMain::None => return String::new(),
        PlainMain::Returned(id, realizations) => {
            let is_one = realizations.len() == 1;
            for at in realizations {
                let realization = &file.program.function(*id).realizations[*at];
                let (setup, call) = call(file, *id, realization);
                let Ending::Returns(expected) = realization.ending else { continue };
                let is_wrong = differs_from(&call, expected);
                let check = format!("if ({is_wrong}) __builtin_abort();");
                statements.push(match (setup.is_empty(), is_one) {
                    (true, _) => check,
                    (false, true) => format!("{setup} {check}"),
                    (false, false) => format!("{{ {setup} {check} }}"),
                });
            }
        }
        PlainMain::Left(id, at, cell) => {
            statements.push(called(file, *id, *at));
            statements.push(format!("if ({}) __builtin_abort();", differs(file, cell)));
        }
        PlainMain::FirstDifference(id, at, cells) => {
            statements.push(called(file, *id, *at));
            for (i, cell) in cells.iter().enumerate() {
                statements.push(format!("if ({}) return {};", differs(file, cell), i + 1));
            }
        }
    }
    let caller = match (file.options.arguments, file.options.main.function()) {
        (Arguments::Caller | Arguments::WideCaller, Some(id)) => caller(file, id),
        (Arguments::Literal | Arguments::Volatile, _) | (_, None) => String::new(),
    };
    match &statements[..] {
        [first, second] if first.len() + second.len() < 70 => {
            format!("{caller}int main(void) {{ {first} {second} }}\n")
        }
        [only] => format!("{caller}int main(void) {{ {only} }}\n"),
        all => format!("{caller}int main(void) {{\n    {}\n}}\n", all.join("\n    ")),
    }
}

/// A function that passes its arguments on.
fn caller(file: &PlainFile<'_>, id: FuncId) -> String {
    let function = file.program.function(id);
    let names: Vec<&str> =
        (0..function.params().len()).map(|i| file.names.local(id, VarId::new(i))).collect();
    let params: Vec<String> = std::iter::zip(function.params(), &names)
        .map(|(param, name)| {
            let ty = match file.options.arguments {
                Arguments::WideCaller if param.ty.cell_ty().as_int().is_some() => {
                    ScalarTy::Int(IntTy::I64)
                }
                Arguments::WideCaller => param.ty.cell_ty(),
                Arguments::Literal | Arguments::Volatile | Arguments::Caller => param.ty.cell_ty(),
            };
            format!("{} {name}", type_name(ty))
        })
        .collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let (head, ret) = (no_ipa(file), type_name(function.ret.into()));
    let call = format!("{}({})", file.names.function(id), names.join(", "));
    format!("{head}{ret} caller({params}) {{ return {call}; }}\n")
}

fn called(file: &PlainFile<'_>, id: FuncId, at: usize) -> String {
    let (setup, call) = call(file, id, &file.program.function(id).realizations[at]);
    format!("{setup}{}{call};", if setup.is_empty() { "" } else { " " })
}

/// What has to be declared for a call, and the call.
fn call(file: &PlainFile<'_>, id: FuncId, realization: &Realization) -> (String, String) {
    let (function, name) = (file.program.function(id), file.names.function(id));
    let args: Vec<String> = realization.args.iter().map(|arg| value(*arg)).collect();
    match file.options.arguments {
        Arguments::Literal => (String::new(), format!("{name}({})", args.join(", "))),
        Arguments::Caller | Arguments::WideCaller => {
            (String::new(), format!("caller({})", args.join(", ")))
        }
        Arguments::Volatile => {
            let mut by_type: Vec<(ScalarTy, Vec<String>)> = Vec::new();
            let mut names = Vec::new();
            for (i, (param, arg)) in std::iter::zip(function.params(), args).enumerate() {
                let name = file.names.local(id, VarId::new(i)).to_owned();
                let (ty, text) = (param.ty.cell_ty(), format!("{name} = {arg}"));
                match by_type.iter_mut().find(|(known, _)| *known == ty) {
                    Some((_, texts)) => texts.push(text),
                    None => by_type.push((ty, vec![text])),
                }
                names.push(name);
            }
            let declared: Vec<String> = by_type
                .iter()
                .map(|(ty, texts)| format!("volatile {} {};", type_name(*ty), texts.join(", ")))
                .collect();
            (declared.join(" "), format!("{name}({})", names.join(", ")))
        }
    }
}

fn differs(file: &PlainFile<'_>, cell: &LeftCell) -> String {
    let name = file.names.global(cell.global).unwrap_or_default();
    let place = match cell.element {
        Some(element) => format!("{name}[{element}]"),
        None => name.to_owned(),
    };
    differs_from(&place, cell.value)
}

/// The condition that something does not have the value that it should have.
fn differs_from(text: &str, expected: Scalar) -> String {
    match expected.ty() {
        ScalarTy::Int(_) if expected.word() == 0 => text.to_owned(),
        ScalarTy::Float(ty) if ty.is_nan(expected.word()) => {
            format!("!__builtin_isnan({text})")
        }
        ScalarTy::Float(ty) if ty.magnitude(expected.word()) == 0 => {
            let name = IS_OTHER.iter().find(|(known, ..)| *known == ty).map_or("", |it| it.1);
            format!("{name}({text}, {})", value(expected))
        }
        ScalarTy::Int(_) | ScalarTy::Float(_) => format!("{text} != {}", value(expected)),
    }
}

//! A `main` for people: it makes calls, and throws an error with the first wrong result.

use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::ValueTy;

use crate::artifact::JvmCall;
use crate::classfile::{ClassBuilder, CodeBuilder, Cond, Flags, Local, Op, TooLarge};
use crate::program::{memory_name, reset_name, says_memory};
use crate::shared::{Shared, push_value};
use crate::types::{is_long, method_descriptor, stack_descriptor};

/// What is thrown. Its constructors take an int or a long.
const ERROR: &str = "java/lang/AssertionError";
/// What makes one call so many times.
const TEST: &str = "(I)V";

/// A call, and how many times `main` makes it in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverStep {
    /// The number of the call.
    pub call: usize,
    /// How many times.
    pub times: u32,
}

/// No function has the same parameters and result.
fn test_name(call: usize) -> String {
    format!("test{call}")
}

/// Adds a method for each call of a function that `steps` have: it makes the call many times, and
/// looks at what it returns and leaves.
pub(crate) fn add_tests(
    shared: &Shared<'_>,
    calls: &[JvmCall],
    steps: &[DriverStep],
    id: FuncId,
    has_globals: bool,
    main: &mut ClassBuilder,
) -> Result<(), TooLarge> {
    let is_meant = |number: usize| steps.iter().any(|step| step.call == number);
    for (number, call) in calls.iter().enumerate() {
        if call.function == id.index() && is_meant(number) {
            add_test(shared, number, call, has_globals, main)?;
        }
    }
    Ok(())
}

fn add_test(
    shared: &Shared<'_>,
    number: usize,
    call: &JvmCall,
    has_globals: bool,
    main: &mut ClassBuilder,
) -> Result<(), TooLarge> {
    let (id, name) = (FuncId::new(call.function), &shared.options.name);
    let function = shared.program.function(id);
    let left = call.leaving.filter(|_| says_memory(shared.program, id)).map(i64::from);
    let (mut code, params) = main.static_code(TEST);
    let &[times] = &params[..] else { return Ok(()) };
    let result = new_local(function.ret, &mut code);
    let memory = left.map(|left| (left, new_local(ValueTy::CHECKSUM, &mut code)));
    let (start, end) = (code.add_label(), code.add_label());
    code.place(start);
    code.load(times);
    code.branch_zero(Cond::Le, end);
    if has_globals {
        code.invoke_static(name, &reset_name(id), "()V");
    }
    for (param, arg) in std::iter::zip(function.params(), &call.args) {
        push_value(param.ty.cell_ty().widened(), arg.word(), &mut code);
    }
    code.invoke_static(shared.class_of(id), &function.name, &method_descriptor(function));
    code.store(result);
    check(function.ret, result, call.expected.word(), &mut code);
    if let Some((left, memory)) = memory {
        code.invoke_static(name, &memory_name(id), "()I");
        code.store(memory);
        check(ValueTy::CHECKSUM, memory, left, &mut code);
    }
    code.increment(times, -1);
    code.goto(start);
    code.place(end);
    code.op(Op::Return);
    let test = test_name(number);
    let code = code.finish(&test)?;
    main.method(Flags::STATIC, &test, TEST, code);
    Ok(())
}

fn new_local(ty: ValueTy, code: &mut CodeBuilder<'_>) -> Local {
    let local = code.add_local(stack_descriptor(ty));
    push_value(ty, 0, code);
    code.store(local);
    local
}

/// Throws an error if a local is not what it should be.
fn check(ty: ValueTy, actual: Local, expected: i64, code: &mut CodeBuilder<'_>) {
    let right = code.add_label();
    code.load(actual);
    push_value(ty, expected, code);
    match ty {
        ValueTy::Int(word) if is_long(word) => {
            code.op(Op::Lcmp);
            code.branch_zero(Cond::Eq, right);
        }
        ValueTy::Int(_) => code.branch_int(Cond::Eq, right),
    }
    code.begin_object(ERROR);
    code.load(actual);
    code.invoke_special(ERROR, "<init>", &format!("({})V", stack_descriptor(ty)));
    code.op(Op::Athrow);
    code.place(right);
}

/// Adds `main`.
pub(crate) fn add_main(steps: &[DriverStep], main: &mut ClassBuilder) -> Result<(), TooLarge> {
    const MAIN: &str = "([Ljava/lang/String;)V";
    let name = main.name().to_owned();
    let (mut code, _) = main.static_code(MAIN);
    for step in steps {
        code.push_int(i32::try_from(step.times).unwrap_or(i32::MAX));
        code.invoke_static(&name, &test_name(step.call), TEST);
    }
    code.op(Op::Return);
    let code = code.finish("main")?;
    main.method(Flags::PUBLIC | Flags::STATIC, "main", MAIN, code);
    Ok(())
}

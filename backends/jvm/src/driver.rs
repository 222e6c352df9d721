//! A `main` for people: it makes calls, and throws an error with the first wrong result.

use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{FloatTy, ValueTy, WordTy};

use crate::artifact::JvmCall;
use crate::classfile::{ClassBuilder, CodeBuilder, Cond, Flags, Local, Op, TooLarge};
use crate::globals::{memory_name, reset_name, says_memory};
use crate::shared::{Shared, push_value};
use crate::types::{emit_float_bits, method_descriptor, stack_descriptor};

/// What is thrown. Its constructors take an int, a long, a float or a double.
const ERROR: &str = "java/lang/AssertionError";

/// A call, and how many times `main` makes it in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DriverStep {
    /// The number of the call.
    pub call: usize,
    /// How many times.
    pub times: u32,
}

/// The method that makes calls of a function. What it takes says which: the arguments, the result that
/// they give, what they leave in memory if that is known, and how many times. In a constant, a
/// compiler would see more than in what a program computes with.
#[derive(PartialEq, Eq)]
struct Test {
    name: String,
    descriptor: String,
    leaves_memory: bool,
}

impl Test {
    fn new(shared: &Shared<'_>, call: &JvmCall) -> Self {
        let id = FuncId::new(call.function);
        let function = shared.program.function(id);
        let leaves_memory = call.leaving.is_some() && says_memory(shared.program, id);
        let args = function.params().iter().map(|param| param.ty.cell_ty().widened());
        let left = leaves_memory.then_some(ValueTy::CHECKSUM);
        let params: String = args.chain([function.ret]).chain(left).map(stack_descriptor).collect();
        Self {
            name: format!("test{}", id.index()),
            descriptor: format!("({params}I)V"),
            leaves_memory,
        }
    }
}

/// Adds the methods that make the calls of a function that `steps` have.
pub(crate) fn add_tests(
    shared: &Shared<'_>,
    calls: &[JvmCall],
    steps: &[DriverStep],
    id: FuncId,
    has_globals: bool,
    main: &mut ClassBuilder,
) -> Result<(), TooLarge> {
    let mut tests: Vec<Test> = Vec::new();
    for call in steps.iter().filter_map(|step| calls.get(step.call)) {
        let test = Test::new(shared, call);
        if call.function == id.index() && !tests.contains(&test) {
            add_test(shared, &test, id, has_globals, main)?;
            tests.push(test);
        }
    }
    Ok(())
}

/// Adds a method that makes a call many times, and looks at what it returns and leaves.
fn add_test(
    shared: &Shared<'_>,
    test: &Test,
    id: FuncId,
    has_globals: bool,
    main: &mut ClassBuilder,
) -> Result<(), TooLarge> {
    let name = &shared.options.name;
    let function = shared.program.function(id);
    let (mut code, params) = main.static_code(&test.descriptor);
    let (args, rest) = params.split_at(function.params().len());
    let (expected, left, times) = match *rest {
        [expected, left, times] if test.leaves_memory => (expected, Some(left), times),
        [expected, times] => (expected, None, times),
        _ => return Ok(()),
    };
    let result = new_local(function.ret, &mut code);
    let left = left.map(|left| (left, new_local(ValueTy::CHECKSUM, &mut code)));
    let (start, end) = (code.add_label(), code.add_label());
    code.place(start);
    code.load(times);
    code.branch_zero(Cond::Le, end);
    if has_globals {
        code.invoke_static(name, &reset_name(id), "()V");
    }
    for &arg in args {
        code.load(arg);
    }
    code.invoke_static(shared.class_of(id), &function.name, &method_descriptor(function));
    code.store(result);
    check(function.ret, result, expected, &mut code);
    if let Some((left, memory)) = left {
        code.invoke_static(name, &memory_name(id), "()I");
        code.store(memory);
        check(ValueTy::CHECKSUM, memory, left, &mut code);
    }
    code.increment(times, -1);
    code.goto(start);
    code.place(end);
    code.op(Op::Return);
    let code = code.finish(&test.name)?;
    main.method(Flags::STATIC, &test.name, &test.descriptor, code);
    Ok(())
}

fn new_local(ty: ValueTy, code: &mut CodeBuilder<'_>) -> Local {
    let local = code.add_local(stack_descriptor(ty));
    push_value(ty, 0, code);
    code.store(local);
    local
}

/// Throws an error if a local is not what it should be.
fn check(ty: ValueTy, actual: Local, expected: Local, code: &mut CodeBuilder<'_>) {
    let right = code.add_label();
    for local in [actual, expected] {
        code.load(local);
        match ty {
            ValueTy::Int(_) => {}
            // Zeros differ, and NaN equals itself.
            ValueTy::Float(float) => emit_float_bits(float, code),
        }
    }
    match ty {
        ValueTy::Int(WordTy::I64 | WordTy::U64) | ValueTy::Float(FloatTy::F64) => {
            code.op(Op::Lcmp);
            code.branch_zero(Cond::Eq, right);
        }
        ValueTy::Int(WordTy::I32 | WordTy::U32) | ValueTy::Float(FloatTy::F32) => {
            code.branch_int(Cond::Eq, right);
        }
    }
    code.begin_object(ERROR);
    code.load(actual);
    code.invoke_special(ERROR, "<init>", &format!("({})V", stack_descriptor(ty)));
    code.op(Op::Athrow);
    code.place(right);
}

/// Adds `main`.
pub(crate) fn add_main(
    shared: &Shared<'_>,
    calls: &[JvmCall],
    steps: &[DriverStep],
    main: &mut ClassBuilder,
) -> Result<(), TooLarge> {
    const MAIN: &str = "([Ljava/lang/String;)V";
    let name = main.name().to_owned();
    let (mut code, _) = main.static_code(MAIN);
    for step in steps {
        let Some(call) = calls.get(step.call) else { continue };
        let function = shared.program.function(FuncId::new(call.function));
        let test = Test::new(shared, call);
        for (param, arg) in std::iter::zip(function.params(), &call.args) {
            push_value(param.ty.cell_ty().widened(), arg.word(), &mut code);
        }
        push_value(function.ret, call.expected.word(), &mut code);
        if let Some(left) = call.leaving.filter(|_| test.leaves_memory) {
            push_value(ValueTy::CHECKSUM, i64::from(left), &mut code);
        }
        code.push_int(i32::try_from(step.times).unwrap_or(i32::MAX));
        code.invoke_static(&name, &test.name, &test.descriptor);
    }
    code.op(Op::Return);
    let code = code.finish("main")?;
    main.method(Flags::PUBLIC | Flags::STATIC, "main", MAIN, code);
    Ok(())
}

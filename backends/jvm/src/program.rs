//! Whole programs: the classes of functions, and the main class with what calls them.

use pathsmith_backend::ProgramOptions;
use pathsmith_symlang::lang::{Calls, FloatTy, Program, ValueTy, WordTy};
use pathsmith_symlang::{FuncId, GlobalId};

use crate::artifact::{JvmCall, JvmClass, JvmClasses};
use crate::classfile::{ClassBuilder, CodeBuilder, Cond, Flags, Local, Op, TooLarge};
use crate::driver::{DriverStep, add_main, add_tests};
use crate::function::add_function;
use crate::globals::{add_memory, add_reset, memory_name, reset_name, says_memory};
use crate::options::{ClassLayout, JvmOptions};
use crate::shared::{SINK, Shared};
use crate::types::{CellKind, field_descriptor, method_descriptor};

/// What calls one function, and the method for all of them.
const BRIDGE: &str = "([JJJI[J)I";
const CHECK: &str = "(I[JJJI[J)I";

/// What the main class has besides functions.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry<'a> {
    /// A method that a host calls.
    Check,
    /// A `main` that makes calls.
    Main(&'a [DriverStep]),
}

/// The classes of a program, with `calls` of their methods.
pub(crate) fn classes(
    program: &Program,
    options: &JvmOptions,
    calls: Vec<JvmCall>,
    entry: Entry<'_>,
) -> Result<JvmClasses, TooLarge> {
    let mut shared = Shared::new(program, options);
    let mut main = ClassBuilder::new(options.name.as_str(), Flags::PUBLIC | Flags::FINAL);
    let mut others = Vec::new();
    let mut methods = Vec::new();
    for (id, function) in program.functions_with_ids() {
        let lowered = match options.layout {
            ClassLayout::OneClass => add_function(&mut shared, id, &mut main)?,
            ClassLayout::ClassPerFunction => {
                let name = shared.class_of(id).to_owned();
                let mut own = ClassBuilder::new(name, Flags::PUBLIC | Flags::FINAL);
                let lowered = add_function(&mut shared, id, &mut own)?;
                others.push(own);
                lowered
            }
        };
        others.extend(lowered.frame);
        methods.push((function.name.clone(), lowered.n_bytes));
    }
    let calls_between = Calls::new(program);
    for (id, _) in program.functions_with_ids() {
        if !entry.calls(&calls, id) {
            continue;
        }
        let mut globals = calls_between.globals_reached(program, id);
        globals.retain(|global| !shared.is_constant(*global));
        let has_globals = !globals.is_empty();
        match entry {
            Entry::Check => add_bridge(&shared, id, has_globals, &mut main)?,
            Entry::Main(steps) => add_tests(&shared, &calls, steps, id, has_globals, &mut main)?,
        }
        if has_globals {
            add_reset(&mut shared, id, &globals, &mut main)?;
        }
        if says_memory(program, id) {
            add_memory(&mut shared, id, &mut main)?;
        }
    }
    others.extend(shared.receiver_classes()?);
    match entry {
        Entry::Check => add_check(program, &mut main)?,
        Entry::Main(steps) => add_main(&shared, &calls, steps, &mut main)?,
    }
    add_globals(&shared, &mut main);
    shared.add_to(&mut main)?;
    let mut classes = Vec::new();
    for builder in std::iter::once(main).chain(others) {
        let (name, comments) = (builder.name().to_owned(), builder.comments().to_vec());
        classes.push(JvmClass { name, bytes: builder.finish()?, comments });
    }
    Ok(JvmClasses { classes, calls, methods })
}

impl Entry<'_> {
    /// Whether it calls a function.
    fn calls(self, calls: &[JvmCall], id: FuncId) -> bool {
        match self {
            Self::Check => true,
            Self::Main(steps) => steps.iter().any(|step| calls[step.call].function == id.index()),
        }
    }
}

fn bridge_name(id: FuncId) -> String {
    format!("$bridge{}", id.index())
}

/// Adds the method that calls a function many times, and compares what it returns each time, and
/// what it leaves in globals if that is known of any realization.
fn add_bridge(
    shared: &Shared<'_>,
    id: FuncId,
    has_globals: bool,
    main: &mut ClassBuilder,
) -> Result<(), TooLarge> {
    let (program, name) = (shared.program, &shared.options.name);
    let function = program.function(id);
    let (mut code, params) = main.static_code(BRIDGE);
    let &[args, expected, leaving, times, actual] = &params[..] else { return Ok(()) };
    let says_memory = says_memory(program, id);
    let (call, result, memory) = (code.add_local("I"), code.add_local("J"), code.add_local("J"));
    code.push_int(0);
    code.store(call);
    for local in [result, memory] {
        code.push_long(0);
        code.store(local);
    }
    let (mask, memory_mask) = store_masks(&mut code, times, leaving);
    let (start, wrong, end) = (code.add_label(), code.add_label(), code.add_label());
    code.place(start);
    code.load(call);
    code.load(times);
    code.branch_int(Cond::Ge, end);
    if has_globals {
        code.invoke_static(name, &reset_name(id), "()V");
    }
    for (i, param) in function.params().iter().enumerate() {
        code.load(args);
        code.push_int(i as i32);
        code.op(Op::Laload);
        CellKind::of(param.ty.cell_ty().widened().stored_as()).emit_from_long(&mut code);
    }
    code.invoke_static(shared.class_of(id), &function.name, &method_descriptor(function));
    CellKind::of(function.ret.stored_as()).emit_to_long(&mut code);
    match function.ret {
        ValueTy::Int(WordTy::U32) | ValueTy::Float(FloatTy::F32) => {
            code.push_long(0xffff_ffff);
            code.op(Op::Land);
        }
        ValueTy::Int(WordTy::I32 | WordTy::I64 | WordTy::U64) | ValueTy::Float(FloatTy::F64) => {}
    }
    code.store(result);
    if says_memory {
        code.invoke_static(name, &memory_name(id), "()I");
        code.op(Op::I2l);
        code.push_long(0xffff_ffff);
        code.op(Op::Land);
        code.store(memory);
    }
    let comparisons = [(result, expected, mask), (memory, leaving, memory_mask)];
    let n_comparisons = if says_memory { 2 } else { 1 };
    for (observed, expected, mask) in comparisons.into_iter().take(n_comparisons) {
        code.load(observed);
        code.load(expected);
        code.op(Op::Lxor);
        code.load(mask);
        code.op(Op::Land);
        code.push_long(0);
        code.op(Op::Lcmp);
        code.branch_zero(Cond::Ne, wrong);
    }
    code.increment(call, 1);
    code.goto(start);
    for label in [wrong, end] {
        code.place(label);
        for (at, observed) in [(0, result), (1, memory)] {
            code.load(actual);
            code.push_int(at);
            code.load(observed);
            code.op(Op::Lastore);
        }
        if label == wrong {
            code.load(call);
        } else {
            code.push_int(-1);
        }
        code.op(Op::Ireturn);
    }
    let bridge = bridge_name(id);
    let code = code.finish(&bridge)?;
    main.method(Flags::PUBLIC | Flags::STATIC, &bridge, BRIDGE, code);
    Ok(())
}

/// Stores which bits of results and of memory checksums are compared: all or none. If `times` is
/// negative, that is none, and it becomes positive.
///
/// What is not compared is masked, without a branch: the loop has to end in the same way whether
/// anything is compared or not. A compiler that has seen only one way compiles the loop again when it
/// meets the other (measured: C2 needed 40 % more time for all code).
fn store_masks(code: &mut CodeBuilder<'_>, times: Local, leaving: Local) -> (Local, Local) {
    let (mask, memory_mask) = (code.add_local("J"), code.add_local("J"));
    let push_sign = |code: &mut CodeBuilder<'_>| {
        code.load(times);
        code.push_int(31);
        code.op(Op::Ishr);
    };
    push_sign(code);
    code.op(Op::I2l);
    code.push_long(-1);
    code.op(Op::Lxor);
    code.store(mask);
    code.load(leaving);
    code.push_int(63);
    code.op(Op::Lshr);
    code.push_long(-1);
    code.op(Op::Lxor);
    code.load(mask);
    code.op(Op::Land);
    code.store(memory_mask);
    code.load(times);
    push_sign(code);
    code.op(Op::Ixor);
    push_sign(code);
    code.op(Op::Isub);
    code.store(times);
    (mask, memory_mask)
}

/// Adds the method that calls a function by its number.
fn add_check(program: &Program, main: &mut ClassBuilder) -> Result<(), TooLarge> {
    let name = main.name().to_owned();
    let (mut code, params) = main.static_code(CHECK);
    let &[function, args, expected, leaving, times, actual] = &params[..] else { return Ok(()) };
    let targets: Vec<_> = program.functions.iter().map(|_| code.add_label()).collect();
    let unknown = code.add_label();
    code.load(function);
    code.table_switch(0, targets.clone(), unknown);
    for (i, target) in targets.into_iter().enumerate() {
        code.place(target);
        [args, expected, leaving, times, actual].into_iter().for_each(|param| code.load(param));
        code.invoke_static(&name, &bridge_name(FuncId::new(i)), BRIDGE);
        code.op(Op::Ireturn);
    }
    code.place(unknown);
    code.push_int(JvmClasses::NO_FUNCTION);
    code.op(Op::Ireturn);
    let code = code.finish("check")?;
    main.method(Flags::PUBLIC | Flags::STATIC, "check", CHECK, code);
    Ok(())
}

/// Adds the globals, and the field that watched variables are stored to.
fn add_globals(shared: &Shared<'_>, main: &mut ClassBuilder) {
    let program = shared.program;
    for (at, global) in program.globals.iter().enumerate() {
        let descriptor = field_descriptor(&global.ty);
        let flags = Flags::PUBLIC | Flags::STATIC;
        let is_final = shared.is_constant(GlobalId::new(at));
        let flags = if is_final { flags | Flags::FINAL } else { flags };
        main.field(flags, &global.name, descriptor);
    }
    let is_watched = |id| !shared.options.function(id).watched.is_empty();
    if program.functions_with_ids().any(|(id, _)| is_watched(id)) {
        main.field(Flags::PUBLIC | Flags::STATIC | Flags::VOLATILE, SINK, "J");
    }
}

//! Whole programs: the classes of functions, and the main class with what calls them.

use std::rc::Rc;

use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::{Program, ValueTy};

use crate::artifact::{JvmCall, JvmClass, JvmClasses};
use crate::classfile::{ClassBuilder, Cond, Flags, Op, TooLarge};
use crate::function::add_function;
use crate::location::VarLocation;
use crate::options::{ClassLayout, JvmOptions};
use crate::shared::Shared;
use crate::types::{field_descriptor, is_long, method_descriptor};

/// What calls one function, and the method for all of them.
const BRIDGE: &str = "([JJI[J)I";
const CHECK: &str = "(I[JJI[J)I";

/// The classes of a program, with `calls` of their methods.
pub(crate) fn classes(
    program: &Program,
    options: &JvmOptions,
    calls: Vec<JvmCall>,
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
        add_bridge(&shared, id, &mut main)?;
    }
    others.extend(shared.receiver_classes()?);
    add_check(program, &mut main)?;
    add_globals(&mut shared, &mut main)?;
    shared.add_to(&mut main)?;
    let mut classes = Vec::new();
    for builder in std::iter::once(main).chain(others) {
        classes.push(JvmClass { name: builder.name().to_owned(), bytes: builder.finish()? });
    }
    Ok(JvmClasses { classes, calls, methods })
}

fn bridge_name(id: FuncId) -> String {
    format!("$bridge{}", id.index())
}

/// Adds the method that calls a function many times, and compares what it returns each time.
fn add_bridge(shared: &Shared<'_>, id: FuncId, main: &mut ClassBuilder) -> Result<(), TooLarge> {
    let (program, name) = (shared.program, &shared.options.name);
    let function = program.function(id);
    let (mut code, params) = main.static_code(BRIDGE);
    let &[args, expected, times, actual] = &params[..] else { return Ok(()) };
    let (call, result) = (code.add_local("I"), code.add_local("J"));
    code.push_int(0);
    code.store(call);
    code.push_long(0);
    code.store(result);
    let (start, wrong, end) = (code.add_label(), code.add_label(), code.add_label());
    code.place(start);
    code.load(call);
    code.load(times);
    code.branch_int(Cond::Ge, end);
    if !program.globals.is_empty() {
        code.invoke_static(name, "reset", "()V");
    }
    for (i, param) in function.params().iter().enumerate() {
        code.load(args);
        code.push_int(i as i32);
        code.op(Op::Laload);
        let ValueTy::Int(ty) = param.ty.cell_ty().widened();
        if !is_long(ty) {
            code.op(Op::L2i);
        }
    }
    code.invoke_static(shared.class_of(id), &function.name, &method_descriptor(function));
    let ValueTy::Int(ret) = function.ret;
    if !is_long(ret) {
        code.op(Op::I2l);
        if !ret.is_signed() {
            code.push_long(0xffff_ffff);
            code.op(Op::Land);
        }
    }
    code.store(result);
    code.load(result);
    code.load(expected);
    code.op(Op::Lcmp);
    code.branch_zero(Cond::Ne, wrong);
    code.increment(call, 1);
    code.goto(start);
    code.place(wrong);
    code.load(actual);
    code.push_int(0);
    code.load(result);
    code.op(Op::Lastore);
    code.load(call);
    code.op(Op::Ireturn);
    code.place(end);
    code.push_int(-1);
    code.op(Op::Ireturn);
    let bridge = bridge_name(id);
    let code = code.finish(&bridge)?;
    main.method(Flags::PUBLIC | Flags::STATIC, &bridge, BRIDGE, code);
    Ok(())
}

/// Adds the method that calls a function by its number.
fn add_check(program: &Program, main: &mut ClassBuilder) -> Result<(), TooLarge> {
    let name = main.name().to_owned();
    let (mut code, params) = main.static_code(CHECK);
    let &[function, args, expected, times, actual] = &params[..] else { return Ok(()) };
    let targets: Vec<_> = program.functions.iter().map(|_| code.add_label()).collect();
    let unknown = code.add_label();
    code.load(function);
    code.table_switch(0, targets.clone(), unknown);
    for (i, target) in targets.into_iter().enumerate() {
        code.place(target);
        [args, expected, times, actual].into_iter().for_each(|param| code.load(param));
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

/// Adds the globals, and the method that resets them to their initial values.
fn add_globals(shared: &mut Shared<'_>, main: &mut ClassBuilder) -> Result<(), TooLarge> {
    let program = shared.program;
    if program.globals.is_empty() {
        return Ok(());
    }
    for global in &program.globals {
        let descriptor = field_descriptor(&global.ty);
        main.field(Flags::PUBLIC | Flags::STATIC, &global.name, descriptor);
    }
    let class: Rc<str> = main.name().into();
    let (mut code, _) = main.static_code("()V");
    for global in &program.globals {
        let location =
            VarLocation::Static { class: class.clone(), name: global.name.as_str().into() };
        location.initialize(&global.ty, &mut code, |code| {
            shared.push_initial(global, &location, code);
        });
    }
    code.op(Op::Return);
    let code = code.finish("reset")?;
    main.method(Flags::PUBLIC | Flags::STATIC, "reset", "()V", code);
    Ok(())
}

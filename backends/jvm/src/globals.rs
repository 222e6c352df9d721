//! Globals before and after a call: the methods that reset them, and that say what is left in them.

use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{FuncId, GlobalId};

use crate::classfile::{ClassBuilder, Flags, Op, TooLarge};
use crate::function::push_for_checksum;
use crate::helpers::Helper;
use crate::location::VarLocation;
use crate::shared::Shared;
use crate::types::CellKind;

pub(crate) fn reset_name(id: FuncId) -> String {
    format!("$reset{}", id.index())
}

pub(crate) fn memory_name(id: FuncId) -> String {
    format!("$memory{}", id.index())
}

/// Whether it is known what a function leaves in globals.
pub(crate) fn says_memory(program: &Program, id: FuncId) -> bool {
    program.function(id).realizations.iter().any(|known| known.leaving.is_some())
}

/// Where a global lives.
fn location_of(program: &Program, id: GlobalId, main: &ClassBuilder) -> VarLocation {
    let name = program.global(id).name.as_str().into();
    VarLocation::Static { class: main.name().into(), name }
}

/// Adds the method that resets the globals that a function can reach to their initial values.
pub(crate) fn add_reset(
    shared: &mut Shared<'_>,
    id: FuncId,
    globals: &[GlobalId],
    main: &mut ClassBuilder,
) -> Result<(), TooLarge> {
    let program = shared.program;
    let locations: Vec<_> = globals.iter().map(|id| location_of(program, *id, main)).collect();
    let (mut code, _) = main.static_code("()V");
    for (id, location) in std::iter::zip(globals, locations) {
        let global = program.global(*id);
        location.initialize(&global.ty, &mut code, |code| {
            shared.push_initial(global, &location, code);
        });
    }
    code.op(Op::Return);
    let name = reset_name(id);
    let code = code.finish(&name)?;
    main.method(Flags::PUBLIC | Flags::STATIC, &name, "()V", code);
    Ok(())
}

/// Adds the method that returns the checksum of the globals that a function names.
pub(crate) fn add_memory(
    shared: &mut Shared<'_>,
    id: FuncId,
    main: &mut ClassBuilder,
) -> Result<(), TooLarge> {
    let program = shared.program;
    let globals = program.globals_named(program.function(id));
    let locations: Vec<_> = globals.iter().map(|id| location_of(program, *id, main)).collect();
    let (mut code, _) = main.static_code("()I");
    code.push_int(-1);
    for (id, location) in std::iter::zip(globals, locations) {
        let is_scalar = push_for_checksum(&program.global(id).ty, &location, &mut code);
        let kind = CellKind::of(program.global(id).ty.cell_ty());
        let helper = if is_scalar { Helper::Crc } else { Helper::CrcArray(kind) };
        shared.call(helper, &mut code);
    }
    code.push_int(-1);
    code.op(Op::Ixor);
    code.op(Op::Ireturn);
    let name = memory_name(id);
    let code = code.finish(&name)?;
    main.method(Flags::PUBLIC | Flags::STATIC, &name, "()I", code);
    Ok(())
}

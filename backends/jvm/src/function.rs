//! The method of a function.

use std::rc::Rc;

use pathsmith_backend::{PerFunction, ProgramOptions};
use pathsmith_symlang::lang::{ConstOrHole, Function, Return, Term, Var, VarRef, VarTy};
use pathsmith_symlang::{BlockId, ExprId, FuncId, VarId};

use crate::body::{Body, static_name};
use crate::classfile::{ClassBuilder, CodeBuilder, Flags, Op, TooLarge};
use crate::helpers::{CRC32, Helper};
use crate::location::VarLocation;
use crate::options::{Checksum, FunctionOptions, Intrinsics, Storage};
use crate::places::add_locations;
use crate::shared::Shared;
use crate::types::{CellKind, field_descriptor, is_long_int, method_descriptor, return_op};

/// A function's classes: its method is put into a class that is there, and its variables may need
/// one more.
#[derive(Debug)]
pub(crate) struct Lowered {
    /// The class whose objects hold variables.
    pub(crate) frame: Option<ClassBuilder>,
    /// How many bytes the method's instructions take.
    pub(crate) n_bytes: usize,
}

/// Adds the method of a function to `class`.
pub(crate) fn add_function(
    shared: &mut Shared<'_>,
    id: FuncId,
    class: &mut ClassBuilder,
) -> Result<Lowered, TooLarge> {
    let (program, options) = (shared.program, shared.options.function(id));
    let function = program.function(id);
    add_static_fields(function, options, class);
    let frame_name = format!("{}${}$Frame", shared.options.name, function.name);
    let frame = frame_class(function, options, &frame_name);
    let descriptor = method_descriptor(function);
    let owner: Rc<str> = class.name().into();
    let (code, params) = class.static_code(&descriptor);
    let mut body = Body {
        program,
        function,
        options,
        shared,
        code,
        locations: Vec::new(),
        globals: Vec::new(),
        blocks: Vec::new(),
        switched: None,
    };
    add_locations(&mut body, &params, &owner, &frame_name.into());
    body.emit();
    let code = body.code.finish(&function.name)?;
    let n_bytes = code.n_bytes();
    class.method(Flags::PUBLIC | Flags::STATIC, &function.name, &descriptor, code);
    Ok(Lowered { frame, n_bytes })
}

fn vars_in<'a>(
    function: &'a Function,
    options: &'a FunctionOptions,
    storage: Storage,
) -> impl Iterator<Item = &'a Var> {
    let is_there = move |i| options.var(VarId::new(i)) == storage;
    function.vars.iter().enumerate().filter(move |(i, _)| is_there(*i)).map(|(_, var)| var)
}

fn add_static_fields(function: &Function, options: &FunctionOptions, class: &mut ClassBuilder) {
    for var in vars_in(function, options, Storage::Static) {
        let name = static_name(function, &var.name);
        class.field(field_flags(Flags::STATIC, options), &name, field_descriptor(&var.ty));
    }
}

fn field_flags(flags: Flags, options: &FunctionOptions) -> Flags {
    if options.volatile { flags | Flags::VOLATILE } else { flags }
}

fn frame_class(function: &Function, options: &FunctionOptions, name: &str) -> Option<ClassBuilder> {
    let mut vars = vars_in(function, options, Storage::Field).peekable();
    vars.peek()?;
    let mut class = ClassBuilder::new(name, Flags::PUBLIC | Flags::FINAL);
    for var in vars {
        class.field(field_flags(Flags::PUBLIC, options), &var.name, field_descriptor(&var.ty));
    }
    class.constructor();
    Some(class)
}

impl Body<'_, '_, '_> {
    fn emit(&mut self) {
        if self.has_long_switch() {
            let local = self.code.add_local("J");
            self.code.push_long(0);
            self.code.store(local);
            self.switched = Some(local);
        }
        self.blocks = self.function.blocks.iter().map(|_| self.code.add_label()).collect();
        for (id, block) in self.function.blocks_with_ids() {
            self.code.place(self.blocks[id.index()]);
            self.code.comment(&block.name);
            for stmt in &block.stmts {
                self.emit_assignment(stmt);
            }
            self.emit_term(id, &block.term);
        }
    }

    fn has_long_switch(&self) -> bool {
        self.function.blocks.iter().any(|block| match &block.term {
            Term::Switch { on, .. } => is_long_int(self.program.expr_ty(self.function, *on)),
            Term::Goto(_) | Term::If { .. } | Term::Return(_) => false,
        })
    }

    fn emit_term(&mut self, block: BlockId, term: &Term) {
        match term {
            Term::Goto(target) => self.emit_goto(block, *target),
            Term::If { cond, then, otherwise } => self.emit_if(block, *cond, *then, *otherwise),
            Term::Switch { on, cases, default } => {
                // Programs with holes are not lowered.
                let cases = cases.iter().filter_map(|(fill, target)| match fill {
                    ConstOrHole::Const(value) => Some((value.word(), self.blocks[target.index()])),
                    ConstOrHole::Hole(_) => None,
                });
                let (cases, default) = (cases.collect(), self.blocks[default.index()]);
                self.emit_switch(*on, cases, default);
            }
            Term::Return(Return::Value(value)) => {
                let ty = self.emit_expr(*value);
                self.code.op(return_op(ty));
            }
            Term::Return(Return::Checksum | Return::ChecksumOf(_)) => self.emit_checksum(),
        }
    }

    fn emit_goto(&mut self, from: BlockId, target: BlockId) {
        if target.index() != from.index() + 1 {
            self.code.goto(self.blocks[target.index()]);
        }
    }

    fn emit_if(&mut self, block: BlockId, cond: ExprId, then: BlockId, otherwise: BlockId) {
        if then.index() == block.index() + 1 {
            self.emit_branch(cond, false, self.blocks[otherwise.index()]);
        } else {
            self.emit_branch(cond, true, self.blocks[then.index()]);
            self.emit_goto(block, otherwise);
        }
    }

    fn emit_checksum(&mut self) {
        let vars = self.program.checksum_vars(self.function);
        match self.options.checksum {
            Checksum::Loop => {
                self.code.push_int(-1);
                for var in vars {
                    let is_scalar = self.push_for_checksum(var);
                    let kind = self.kind_of(var);
                    let helper = if is_scalar { Helper::Crc } else { Helper::CrcArray(kind) };
                    self.shared.call(helper, &mut self.code);
                }
                self.code.push_int(-1);
                self.code.op(Op::Ixor);
            }
            Checksum::Jdk => {
                self.code.new_object(CRC32);
                for var in vars {
                    self.code.dup();
                    let is_scalar = self.push_for_checksum(var);
                    let kind = self.kind_of(var);
                    let helper = if is_scalar { Helper::JdkCrc } else { Helper::JdkCrcArray(kind) };
                    self.shared.call(helper, &mut self.code);
                }
                self.code.invoke_virtual(CRC32, "getValue", "()J");
                self.code.op(Op::L2i);
            }
        }
        self.code.op(Op::Ireturn);
    }

    fn kind_of(&self, var: VarRef) -> CellKind {
        CellKind::of(self.program.var(self.function, var).ty.cell_ty())
    }

    fn push_for_checksum(&mut self, var: VarRef) -> bool {
        let location = self.location(var);
        let ty = &self.program.var(self.function, var).ty;
        push_for_checksum(ty, &location, &mut self.code)
    }

    /// Where a variable or global lives.
    pub(crate) fn location(&self, var: VarRef) -> VarLocation {
        match var {
            VarRef::Var(id) => self.locations[id.index()].clone(),
            VarRef::Global(id) => self.globals[id.index()].clone(),
        }
    }

    /// Whether to call the JDK's method, if it has one.
    pub(crate) fn by_jdk(&self) -> bool {
        self.options.intrinsics == Intrinsics::Jdk
    }
}

/// Puts a scalar and its size on the stack, or an array, and tells which.
pub(crate) fn push_for_checksum(
    ty: &VarTy,
    location: &VarLocation,
    code: &mut CodeBuilder<'_>,
) -> bool {
    match ty {
        VarTy::Scalar(ty) => {
            location.load(*ty, code);
            let kind = CellKind::of(*ty);
            kind.emit_to_long(code);
            code.push_int(kind.n_bytes() as i32);
            true
        }
        VarTy::Array(elem, _) => {
            location.load_array(elem.cell_ty(), code);
            false
        }
    }
}

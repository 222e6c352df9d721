//! Where a variable lives, and how it is read and assigned there.

use std::rc::Rc;

use pathsmith_symlang::lang::{IntTy, ScalarTy, VarTy};

use crate::classfile::{CodeBuilder, Local, Op};
use crate::types::CellKind;

/// Where a variable lives.
#[derive(Clone, Debug)]
pub(crate) enum VarLocation {
    /// In a local variable.
    Local(Local),
    /// In a static field.
    Static { class: Rc<str>, name: Rc<str> },
    /// In a field of an object.
    Field { object: Local, class: Rc<str>, name: Rc<str> },
    /// In an element of an array.
    Element { array: Local, at: i32 },
}

impl VarLocation {
    /// Puts a scalar on the stack.
    pub(crate) fn load(&self, ty: ScalarTy, code: &mut CodeBuilder<'_>) {
        let kind = CellKind::of(ty);
        match self {
            Self::Local(local) => return code.load(*local),
            Self::Static { class, name } => code.get_static(class, name, kind.descriptor()),
            Self::Field { object, class, name } => {
                code.load(*object);
                code.get_field(class, name, kind.descriptor());
            }
            Self::Element { array, at } => {
                code.load(*array);
                code.push_int(*at);
                code.op(kind.load());
            }
        }
        emit_widening(ty, code);
    }

    /// Puts on the stack what has to be below a scalar that is assigned.
    pub(crate) fn prepare(&self, code: &mut CodeBuilder<'_>) {
        match self {
            Self::Local(_) | Self::Static { .. } => {}
            Self::Field { object, .. } => code.load(*object),
            Self::Element { array, at } => {
                code.load(*array);
                code.push_int(*at);
            }
        }
    }

    /// Assigns the scalar on the stack, which need not fit.
    pub(crate) fn store(&self, ty: ScalarTy, code: &mut CodeBuilder<'_>) {
        match self {
            Self::Local(_) => emit_cast(ty, code),
            Self::Static { .. } | Self::Field { .. } => {
                CellKind::of(ty).narrow().into_iter().for_each(|op| code.op(op));
            }
            // Such instructions narrow by themselves.
            Self::Element { .. } => {}
        }
        self.store_fitting(ty, code);
    }

    /// Assigns the scalar on the stack, which is as it is kept.
    fn store_fitting(&self, ty: ScalarTy, code: &mut CodeBuilder<'_>) {
        let kind = CellKind::of(ty);
        match self {
            Self::Local(local) => code.store(*local),
            Self::Static { class, name } => code.put_static(class, name, kind.descriptor()),
            Self::Field { class, name, .. } => code.put_field(class, name, kind.descriptor()),
            Self::Element { .. } => code.op(kind.store()),
        }
    }

    /// Puts the reference to an array on the stack.
    pub(crate) fn load_array(&self, elem: ScalarTy, code: &mut CodeBuilder<'_>) {
        let descriptor = CellKind::of(elem).array_descriptor();
        match self {
            Self::Local(local) => code.load(*local),
            Self::Static { class, name } => code.get_static(class, name, descriptor),
            Self::Field { object, class, name } => {
                code.load(*object);
                code.get_field(class, name, descriptor);
            }
            // Options that ask for this are refused.
            Self::Element { array, .. } => code.load(*array),
        }
    }

    /// Assigns the reference to an array on the stack.
    pub(crate) fn store_array(&self, elem: ScalarTy, code: &mut CodeBuilder<'_>) {
        let descriptor = CellKind::of(elem).array_descriptor();
        match self {
            Self::Local(local) => code.store(*local),
            Self::Static { class, name } => code.put_static(class, name, descriptor),
            Self::Field { class, name, .. } => code.put_field(class, name, descriptor),
            Self::Element { .. } => {}
        }
    }

    /// Assigns the initial value that `push` puts on the stack.
    pub(crate) fn initialize(
        &self,
        ty: &VarTy,
        code: &mut CodeBuilder<'_>,
        push: impl FnOnce(&mut CodeBuilder<'_>),
    ) {
        self.prepare(code);
        push(code);
        match ty {
            VarTy::Scalar(ty) => self.store_fitting(*ty, code),
            VarTy::Array(elem, _) => self.store_array(elem.cell_ty(), code),
        }
    }
}

/// From what is kept to what arithmetic has. The JVM knows unsigned bytes only as signed ones.
pub(crate) fn emit_widening(ty: ScalarTy, code: &mut CodeBuilder<'_>) {
    match ty {
        ScalarTy::Int(IntTy::U8) => {
            code.push_int(255);
            code.op(Op::Iand);
        }
        ScalarTy::Int(IntTy::I8 | IntTy::I16 | IntTy::U16) => {}
        ScalarTy::Int(IntTy::I32 | IntTy::U32 | IntTy::I64 | IntTy::U64) => {}
        ScalarTy::Float(_) => {}
    }
}

/// Takes the number on the stack modulo 2^bits, for all types that fit into an int, and leaves
/// longs and floating-point numbers alone.
pub(crate) fn emit_cast(ty: ScalarTy, code: &mut CodeBuilder<'_>) {
    match ty {
        ScalarTy::Int(IntTy::U8) => emit_widening(ty, code),
        ScalarTy::Int(IntTy::I8 | IntTy::I16 | IntTy::U16) => {
            CellKind::of(ty).narrow().into_iter().for_each(|op| code.op(op));
        }
        ScalarTy::Int(IntTy::I32 | IntTy::U32 | IntTy::I64 | IntTy::U64) => {}
        ScalarTy::Float(_) => {}
    }
}

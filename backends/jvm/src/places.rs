//! Where variables live, and how they are read and assigned there.

use std::collections::BTreeMap;
use std::rc::Rc;

use pathsmith_backend::PerFunction;
use pathsmith_symlang::lang::{
    BinOp, Expr, IntTy, Place, PlaceForm, ScalarTy, Stmt, ValueTy, Var, VarRef, VarTy,
};
use pathsmith_symlang::{ExprId, VarId};

use crate::classfile::{CodeBuilder, Local, Op};
use crate::function::{Body, static_name};
use crate::options::Storage;
use crate::types::{CellKind, is_long};

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
fn emit_widening(ty: ScalarTy, code: &mut CodeBuilder<'_>) {
    match ty {
        ScalarTy::Int(IntTy::U8) => {
            code.push_int(255);
            code.op(Op::Iand);
        }
        ScalarTy::Int(IntTy::I8 | IntTy::I16 | IntTy::U16) => {}
        ScalarTy::Int(IntTy::I32 | IntTy::U32 | IntTy::I64 | IntTy::U64) => {}
    }
}

/// Takes the number on the stack modulo 2^bits, for all types that fit into an int, and leaves
/// longs alone.
pub(crate) fn emit_cast(ty: ScalarTy, code: &mut CodeBuilder<'_>) {
    match ty {
        ScalarTy::Int(IntTy::U8) => emit_widening(ty, code),
        ScalarTy::Int(IntTy::I8 | IntTy::I16 | IntTy::U16) => {
            CellKind::of(ty).narrow().into_iter().for_each(|op| code.op(op));
        }
        ScalarTy::Int(IntTy::I32 | IntTy::U32 | IntTy::I64 | IntTy::U64) => {}
    }
}

/// Finds a location for every variable, and stores its argument or its initial value there.
pub(crate) fn add_locations(
    body: &mut Body<'_, '_, '_>,
    params: &[Local],
    owner: &Rc<str>,
    frame: &Rc<str>,
) {
    let main: Rc<str> = body.shared.options.name.as_str().into();
    let globals = body.program.globals.iter();
    body.globals = globals
        .map(|global| VarLocation::Static {
            class: main.clone(),
            name: global.name.as_str().into(),
        })
        .collect();
    let mut makers = LocationMaker { owner, frame, object: None, cells: Vec::new() };
    makers.make_containers(body);
    for (i, var) in body.function.vars.iter().enumerate() {
        let location = makers.location(body, VarId::new(i), var, params.get(i).copied());
        match params.get(i) {
            Some(param) => {
                // A narrow parameter comes as an int, and counts modulo 2^bits.
                let elem = var.ty.cell_ty();
                let is_narrow = CellKind::of(elem).narrow().is_some();
                if is_narrow || !matches!(location, VarLocation::Local(_)) {
                    location.prepare(&mut body.code);
                    body.code.load(*param);
                    location.store(elem, &mut body.code);
                }
            }
            None => location.initialize(&var.ty, &mut body.code, |code| {
                body.shared.push_initial(var, &location, code);
            }),
        }
        body.locations.push(location);
    }
}

/// What is made at each call to hold variables.
struct LocationMaker<'a> {
    owner: &'a Rc<str>,
    frame: &'a Rc<str>,
    object: Option<Local>,
    /// One array for each kind, and how many of its elements are taken.
    cells: Vec<(CellKind, Local, i32)>,
}

impl LocationMaker<'_> {
    fn make_containers(&mut self, body: &mut Body<'_, '_, '_>) {
        let mut n_cells = BTreeMap::new();
        for (i, var) in body.function.vars.iter().enumerate() {
            match body.options.var(VarId::new(i)) {
                Storage::Local | Storage::Static => {}
                Storage::Element => {
                    *n_cells.entry(CellKind::of(var.ty.cell_ty())).or_insert(0) += 1
                }
                Storage::Field if self.object.is_some() => {}
                Storage::Field => {
                    let object = body.code.add_local(&format!("L{};", self.frame));
                    body.code.new_object(self.frame);
                    body.code.store(object);
                    self.object = Some(object);
                }
            }
        }
        for (kind, n) in n_cells {
            let array = body.code.add_local(kind.array_descriptor());
            body.code.push_int(n);
            body.code.new_array(kind.descriptor());
            body.code.store(array);
            self.cells.push((kind, array, 0));
        }
    }

    fn location(
        &mut self,
        body: &mut Body<'_, '_, '_>,
        id: VarId,
        var: &Var,
        param: Option<Local>,
    ) -> VarLocation {
        let kind = CellKind::of(var.ty.cell_ty());
        let storage = body.options.var(id);
        if storage == Storage::Element
            && let Some(cells) = self.cells.iter_mut().find(|cells| cells.0 == kind)
        {
            cells.2 += 1;
            return VarLocation::Element { array: cells.1, at: cells.2 - 1 };
        }
        match (storage, self.object) {
            (Storage::Static, _) => VarLocation::Static {
                class: self.owner.clone(),
                name: static_name(body.function, &var.name).into(),
            },
            (Storage::Field, Some(object)) => VarLocation::Field {
                object,
                class: self.frame.clone(),
                name: var.name.as_str().into(),
            },
            _ => {
                let descriptor = match var.ty {
                    VarTy::Array(..) => kind.array_descriptor(),
                    VarTy::Scalar(_) => kind.descriptor(),
                };
                VarLocation::Local(param.unwrap_or_else(|| body.code.add_local(descriptor)))
            }
        }
    }
}

impl Body<'_, '_, '_> {
    pub(crate) fn emit_assignment(&mut self, stmt: &Stmt) {
        let Stmt::Assign { place, value } = stmt;
        let location = self.location(place.var());
        let elem = self.elem(place.var());
        match place.form() {
            PlaceForm::Scalar(_) => {
                if let Some((local, by)) = self.increment_of(place, *value, &location) {
                    return self.code.increment(local, by);
                }
                location.prepare(&mut self.code);
                self.emit_expr(*value);
                location.store(elem, &mut self.code);
            }
            PlaceForm::Element(_, index) => {
                location.load_array(elem, &mut self.code);
                self.emit_index(index);
                self.emit_expr(*value);
                // Such instructions narrow by themselves.
                self.code.op(CellKind::of(elem).store());
            }
        }
    }

    /// The local and the step, if an assignment is what `iinc` does and that is asked for.
    fn increment_of(
        &self,
        place: &Place,
        value: ExprId,
        location: &VarLocation,
    ) -> Option<(Local, i16)> {
        let VarLocation::Local(local) = location else { return None };
        let &Expr::Binary(op, lhs, rhs) = self.function.expr(value) else { return None };
        let is_int = CellKind::of(self.elem(place.var())) == CellKind::Int;
        let reads_itself = matches!(self.function.expr(lhs), Expr::Read(read) if read == place);
        let Expr::Const(step) = self.function.expr(rhs) else { return None };
        let step = i64::from(step.word() as i32);
        let step = match op {
            BinOp::Add => step,
            BinOp::Sub => -step,
            BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor => {
                return None;
            }
            BinOp::Shl | BinOp::Shr | BinOp::Rotl | BinOp::Rotr | BinOp::Min | BinOp::Max => {
                return None;
            }
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => return None,
        };
        let step = i16::try_from(step).ok()?;
        (self.options.iinc && is_int && reads_itself).then_some((*local, step))
    }

    pub(crate) fn emit_read(&mut self, place: &Place) {
        let location = self.location(place.var());
        let elem = self.elem(place.var());
        match place.form() {
            PlaceForm::Scalar(_) => location.load(elem, &mut self.code),
            PlaceForm::Element(_, index) => {
                location.load_array(elem, &mut self.code);
                self.emit_index(index);
                self.code.op(CellKind::of(elem).load());
                emit_widening(elem, &mut self.code);
            }
        }
    }

    /// An index is in bounds on the paths of realizations, so its low half is all of it.
    fn emit_index(&mut self, index: ExprId) {
        let ValueTy::Int(ty) = self.emit_expr(index);
        if is_long(ty) {
            self.code.op(Op::L2i);
        }
    }

    pub(crate) fn elem(&self, var: VarRef) -> ScalarTy {
        self.program.var(self.function, var).ty.cell_ty()
    }
}

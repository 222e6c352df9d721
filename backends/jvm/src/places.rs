//! The variables and places of a function.

use std::collections::BTreeMap;
use std::rc::Rc;

use pathsmith_backend::{PerFunction, assigned_scalar};
use pathsmith_symlang::lang::{BinOp, Expr, Place, PlaceForm, ScalarTy, Stmt, Var, VarRef, VarTy};
use pathsmith_symlang::{ExprId, VarId};

use crate::body::{Body, static_name};
use crate::classfile::{Local, Op};
use crate::location::{VarLocation, emit_widening};
use crate::options::Storage;
use crate::shared::SINK;
use crate::types::{CellKind, is_long_int};

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
        self.emit_store(stmt);
        if let Some(var) = assigned_scalar(stmt)
            && self.options.watched.contains(&var)
        {
            self.emit_watch(var);
        }
    }

    /// Stores a scalar to the field that everyone can see.
    fn emit_watch(&mut self, var: VarId) {
        let ty = self.elem(VarRef::Var(var));
        self.location(VarRef::Var(var)).load(ty, &mut self.code);
        CellKind::of(ty).emit_to_long(&mut self.code);
        self.code.put_static(&self.shared.options.name, SINK, "J");
    }

    fn emit_store(&mut self, stmt: &Stmt) {
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
            BinOp::Cmp | BinOp::Mulh | BinOp::Addsat | BinOp::Subsat | BinOp::Copysign => {
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
        let ty = self.emit_expr(index);
        if is_long_int(ty) {
            self.code.op(Op::L2i);
        }
    }

    pub(crate) fn elem(&self, var: VarRef) -> ScalarTy {
        self.program.var(self.function, var).ty.cell_ty()
    }
}

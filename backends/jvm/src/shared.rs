//! What the functions of a program share, and the main class holds.

use std::collections::BTreeSet;

use pathsmith_symlang::lang::effects::may_write;
use pathsmith_symlang::lang::{
    ConstOrHole, FloatTy, Program, ScalarTy, ValueTy, Var, VarRef, VarTy, WordTy,
};
use pathsmith_symlang::{FuncId, GlobalId};

use crate::classfile::{ClassBuilder, CodeBuilder, Flags, Op, TooLarge};
use crate::helpers::Helper;
use crate::location::VarLocation;
use crate::options::{ClassLayout, JvmOptions};
use crate::receiver::Receiver;
use crate::types::{CellKind, field_descriptor};

/// An array with up to so many elements other than 0 is initialised one by one. A guess.
const MAX_ONE_BY_ONE: usize = 8;

/// The most characters of a table that fit into a string, at up to two bytes each.
const MAX_CHARS: usize = 30_000;

/// The field of the main class that watched variables are stored to. No variable has a `$`.
pub(crate) const SINK: &str = "$sink";

/// What the functions of a program share.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    pub(crate) program: &'a Program,
    pub(crate) options: &'a JvmOptions,
    /// The class of each function.
    classes: Vec<String>,
    helpers: BTreeSet<Helper>,
    /// Initial values of arrays.
    tables: Vec<(CellKind, Vec<i64>)>,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(program: &'a Program, options: &'a JvmOptions) -> Self {
        let main = &options.name;
        let class_of = |name: &String| match options.layout {
            ClassLayout::OneClass => main.clone(),
            ClassLayout::ClassPerFunction => format!("{main}${name}"),
        };
        let classes = program.functions.iter().map(|function| class_of(&function.name)).collect();
        Self { program, options, classes, helpers: BTreeSet::new(), tables: Vec::new() }
    }

    /// The class that a function is in.
    pub(crate) fn class_of(&self, id: FuncId) -> &str {
        &self.classes[id.index()]
    }

    /// Whether a global is final: an array that nothing assigns, if that was asked for.
    pub(crate) fn is_constant(&self, id: GlobalId) -> bool {
        let var = VarRef::Global(id);
        let mut stmts =
            self.program.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.stmts);
        self.options.const_tables
            && self.program.global(id).ty.is_array()
            && !stmts.any(|stmt| may_write(stmt, var))
    }

    /// The globals that are final.
    fn constants(&self) -> Vec<GlobalId> {
        let all = (0..self.program.globals.len()).map(GlobalId::new);
        all.filter(|id| self.is_constant(*id)).collect()
    }

    /// Calls a helper.
    pub(crate) fn call(&mut self, helper: Helper, code: &mut CodeBuilder<'_>) {
        code.invoke_static(&self.options.name, helper.name(), &helper.descriptor());
        self.need(helper);
    }

    fn need(&mut self, helper: Helper) {
        if self.helpers.insert(helper)
            && let Some(other) = helper.needs()
        {
            self.need(other);
        }
    }

    /// Puts the initial value of a variable on the stack, in the form that its location holds.
    pub(crate) fn push_initial(
        &mut self,
        var: &Var,
        location: &VarLocation,
        code: &mut CodeBuilder<'_>,
    ) {
        // Programs with holes are not lowered.
        let values = var.init.iter().map(|fill| match fill {
            ConstOrHole::Const(value) => value.word(),
            ConstOrHole::Hole(_) => 0,
        });
        match &var.ty {
            VarTy::Scalar(ty) => {
                let value = values.clone().next().unwrap_or(0);
                match location {
                    VarLocation::Local(_) => push_value(ty.widened(), value, code),
                    _ => push_kept(*ty, value, code),
                }
            }
            VarTy::Array(elem, _) => self.push_array(elem.cell_ty(), values.collect(), code),
        }
    }

    fn push_array(&mut self, elem: ScalarTy, values: Vec<i64>, code: &mut CodeBuilder<'_>) {
        let kind = CellKind::of(elem);
        let array = kind.array_descriptor();
        let first = values.first().copied().unwrap_or(0);
        let n_set = values.iter().filter(|value| **value != 0).count();
        if n_set <= MAX_ONE_BY_ONE {
            push_new_array(kind, values.len(), code);
            for (i, value) in values.iter().enumerate().filter(|(_, value)| **value != 0) {
                code.dup();
                code.push_int(i as i32);
                push_kept(elem, *value, code);
                code.op(kind.store());
            }
        } else if values.iter().all(|value| *value == first) {
            push_new_array(kind, values.len(), code);
            code.dup();
            push_kept(elem, first, code);
            let descriptor = format!("({array}{})V", kind.descriptor());
            code.invoke_static("java/util/Arrays", "fill", &descriptor);
        } else {
            let name = format!("$table{}", self.tables.len());
            self.tables.push((kind, values));
            self.need(Helper::Decode(kind));
            code.get_static(&self.options.name, &name, array);
            code.invoke_virtual(array, "clone", "()Ljava/lang/Object;");
            code.check_cast(array);
        }
    }

    /// Adds all that was needed to the main class.
    pub(crate) fn add_to(mut self, main: &mut ClassBuilder) -> Result<(), TooLarge> {
        let constants = self.constants();
        if !constants.is_empty() {
            self.add_constants(&constants, main)?;
        }
        for helper in &self.helpers {
            helper.add_to(main)?;
        }
        self.add_initializer(main)
    }

    /// Adds the method that makes the global arrays that are final.
    fn add_constants(
        &mut self,
        constants: &[GlobalId],
        main: &mut ClassBuilder,
    ) -> Result<(), TooLarge> {
        let program = self.program;
        for id in constants {
            let global = program.global(*id);
            let descriptor = field_descriptor(&global.ty);
            let (name, signature) = (constant_name(*id), format!("(){descriptor}"));
            let (mut code, _) = main.static_code(&signature);
            let values = global.init.iter().map(|fill| match fill {
                ConstOrHole::Const(value) => value.word(),
                ConstOrHole::Hole(_) => 0,
            });
            self.push_array(global.ty.cell_ty(), values.collect(), &mut code);
            code.op(Op::Areturn);
            let code = code.finish(&name)?;
            main.method(Flags::STATIC, &name, &signature, code);
        }
        Ok(())
    }

    fn add_initializer(&self, main: &mut ClassBuilder) -> Result<(), TooLarge> {
        let name = &self.options.name;
        let has_crc_table = self.helpers.contains(&Helper::CrcTable);
        let receivers: Vec<Receiver> = self.receivers().collect();
        let constants = self.constants();
        let has_none = self.tables.is_empty() && receivers.is_empty() && constants.is_empty();
        if !has_crc_table && has_none {
            return Ok(());
        }
        let table_flags = Flags::STATIC | Flags::FINAL;
        let (mut code, _) = main.static_code("()V");
        if has_crc_table {
            code.invoke_static(name, Helper::CrcTable.name(), &Helper::CrcTable.descriptor());
            code.put_static(name, Helper::CrcTable.name(), "[I");
        }
        for (i, (kind, values)) in self.tables.iter().enumerate() {
            push_new_array(*kind, values.len(), &mut code);
            let per_string = MAX_CHARS / kind.n_bytes();
            for (nth, chunk) in values.chunks(per_string).enumerate() {
                let bytes = chunk
                    .iter()
                    .flat_map(|value| value.to_le_bytes().into_iter().take(kind.n_bytes()));
                let text: String = bytes.map(char::from).collect();
                code.dup();
                code.push_int((nth * per_string) as i32);
                code.push_string(&text);
                let decode = Helper::Decode(*kind);
                code.invoke_static(name, decode.name(), &decode.descriptor());
            }
            code.put_static(name, &format!("$table{i}"), kind.array_descriptor());
        }
        // Some of them are copies of tables.
        for id in constants {
            let global = self.program.global(id);
            let descriptor = field_descriptor(&global.ty);
            code.invoke_static(name, &constant_name(id), &format!("(){descriptor}"));
            code.put_static(name, &global.name, descriptor);
        }
        for receiver in &receivers {
            code.new_object(&receiver.class);
            code.put_static(name, &receiver.field, &receiver.descriptor());
        }
        code.op(Op::Return);
        let code = code.finish("<clinit>")?;
        main.method(Flags::STATIC, "<clinit>", "()V", code);
        if has_crc_table {
            main.field(table_flags, Helper::CrcTable.name(), "[I");
        }
        for (i, (kind, _)) in self.tables.iter().enumerate() {
            main.field(table_flags, &format!("$table{i}"), kind.array_descriptor());
        }
        for receiver in &receivers {
            main.field(Flags::PUBLIC | Flags::STATIC, &receiver.field, &receiver.descriptor());
        }
        Ok(())
    }
}

/// The method that makes a global array that is final.
fn constant_name(id: GlobalId) -> String {
    format!("$constant{}", id.index())
}

fn push_new_array(kind: CellKind, len: usize, code: &mut CodeBuilder<'_>) {
    code.push_int(len as i32);
    code.new_array(kind.descriptor());
}

/// Puts a value on the stack as arithmetic has it, from a word in canonical form.
pub(crate) fn push_value(ty: ValueTy, word: i64, code: &mut CodeBuilder<'_>) {
    match ty {
        ValueTy::Int(WordTy::I32 | WordTy::U32) => code.push_int(word as i32),
        ValueTy::Int(WordTy::I64 | WordTy::U64) => code.push_long(word),
        ValueTy::Float(FloatTy::F32) => code.push_float(f32::from_bits(word as u32)),
        ValueTy::Float(FloatTy::F64) => code.push_double(f64::from_bits(word as u64)),
    }
}

/// Puts a value on the stack as a field or an element has it, from a word in canonical form.
fn push_kept(ty: ScalarTy, word: i64, code: &mut CodeBuilder<'_>) {
    match CellKind::of(ty) {
        CellKind::Long => code.push_long(word),
        CellKind::Byte => code.push_int((word as i8).into()),
        CellKind::Short | CellKind::Char | CellKind::Int => code.push_int(word as i32),
        CellKind::Float | CellKind::Double => push_value(ty.widened(), word, code),
    }
}

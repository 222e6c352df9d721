//! The code of a method.

mod assemble;

use super::descriptor::{Descriptor, class_of};
use super::frame::VerificationType;
use super::op::{self, Cond, Op};
use super::pool::ConstantPool;
use super::{MAX_U16, TooLarge};

/// A place in the code that can be jumped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label(usize);

/// A local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    slot: u16,
    ty: VerificationType,
}

/// The code of a method, ready to be put into a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    pub(super) max_stack: u16,
    pub(super) max_locals: u16,
    pub(super) bytes: Vec<u8>,
    /// The content of the StackMapTable, if anything is jumped to.
    pub(super) frames: Option<Vec<u8>>,
    /// Comments for listings, and the instructions that they stand before.
    pub(super) comments: Vec<(usize, String)>,
}

impl Code {
    /// How many bytes the instructions take.
    pub fn n_bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// Code in the making.
///
/// All local variables have to be added and assigned before the first label is placed, so that
/// they are all there in every frame.
#[derive(Debug)]
pub struct CodeBuilder<'p> {
    pool: &'p mut ConstantPool,
    params: Vec<VerificationType>,
    locals: Vec<VerificationType>,
    n_slots: usize,
    stack: Vec<VerificationType>,
    depth: usize,
    max_depth: usize,
    is_reachable: bool,
    /// The instructions that do not depend on where they stand.
    bytes: Vec<u8>,
    /// All else, in order.
    items: Vec<Item>,
    labels: Vec<LabelState>,
}

/// Something that depends on where it stands: it comes before the byte at `at`.
#[derive(Debug)]
struct Item {
    at: usize,
    kind: ItemKind,
}

#[derive(Debug)]
enum ItemKind {
    Place(Label),
    /// Nothing but words for people.
    Comment(String),
    Goto(Label),
    /// A branch by its code, and the stack behind it.
    Branch(u8, Label, Vec<VerificationType>),
    Table {
        low: i32,
        targets: Vec<Label>,
        default: Label,
    },
    Lookup {
        cases: Vec<(i32, Label)>,
        default: Label,
    },
}

#[derive(Clone, Debug, Default)]
struct LabelState {
    /// What is on the stack there, once it is known.
    stack: Option<Vec<VerificationType>>,
    is_target: bool,
    /// Whether it is placed where nothing falls through to.
    after_end: bool,
}

impl<'p> CodeBuilder<'p> {
    /// The code of a method with parameters of these types.
    pub(super) fn new(pool: &'p mut ConstantPool, params: &[&str]) -> (Self, Vec<Local>) {
        let mut code = Self {
            pool,
            params: Vec::new(),
            locals: Vec::new(),
            n_slots: 0,
            stack: Vec::new(),
            depth: 0,
            max_depth: 0,
            is_reachable: true,
            bytes: Vec::new(),
            items: Vec::new(),
            labels: Vec::new(),
        };
        let locals = params.iter().map(|param| code.add_local(param)).collect();
        code.params = code.locals.clone();
        (code, locals)
    }

    /// Adds a local variable of the type that `descriptor` names.
    pub fn add_local(&mut self, descriptor: &str) -> Local {
        let ty = self.verification_type(descriptor);
        let local = Local { slot: u16::try_from(self.n_slots).unwrap_or(0), ty };
        self.locals.push(ty);
        self.n_slots += ty.n_slots();
        local
    }

    /// Adds a label, which is still to be placed.
    pub fn add_label(&mut self) -> Label {
        self.labels.push(LabelState::default());
        Label(self.labels.len() - 1)
    }

    /// An instruction without operands.
    pub fn op(&mut self, op: Op) {
        let (takes, gives) = op.effect();
        takes.chars().for_each(|_| self.pop());
        for ty in gives.chars() {
            self.push(match ty {
                'J' => VerificationType::Long,
                'F' => VerificationType::Float,
                'D' => VerificationType::Double,
                _ => VerificationType::Int,
            });
        }
        self.bytes.push(op as u8);
        if op.is_last() {
            self.end();
        }
    }

    /// Puts an int on the stack.
    pub fn push_int(&mut self, value: i32) {
        match value {
            -1..=5 => self.bytes.push((i32::from(op::ICONST_0) + value) as u8),
            -0x80..0x80 => self.bytes.extend([op::BIPUSH, value as u8]),
            -0x8000..0x8000 => {
                self.bytes.push(op::SIPUSH);
                self.bytes.extend((value as i16).to_be_bytes());
            }
            _ => {
                let constant = self.pool.int(value);
                self.ldc(constant);
            }
        }
        self.push(VerificationType::Int);
    }

    /// Puts a long on the stack.
    pub fn push_long(&mut self, value: i64) {
        match value {
            0 | 1 => self.bytes.push(op::LCONST_0 + value as u8),
            _ => {
                let constant = self.pool.long(value);
                self.with_u16(op::LDC2_W, constant);
            }
        }
        self.push(VerificationType::Long);
    }

    /// Puts a float on the stack.
    pub fn push_float(&mut self, value: f32) {
        // By its bits: the instruction for 0 puts no -0 there.
        match [0.0f32, 1.0, 2.0].iter().position(|it| it.to_bits() == value.to_bits()) {
            Some(at) => self.bytes.push(op::FCONST_0 + at as u8),
            None => {
                let constant = self.pool.float(value);
                self.ldc(constant);
            }
        }
        self.push(VerificationType::Float);
    }

    /// Puts a double on the stack.
    pub fn push_double(&mut self, value: f64) {
        match [0.0f64, 1.0].iter().position(|it| it.to_bits() == value.to_bits()) {
            Some(at) => self.bytes.push(op::DCONST_0 + at as u8),
            None => {
                let constant = self.pool.double(value);
                self.with_u16(op::LDC2_W, constant);
            }
        }
        self.push(VerificationType::Double);
    }

    /// Puts a string on the stack.
    pub fn push_string(&mut self, text: &str) {
        let constant = self.pool.string(text);
        self.ldc(constant);
        self.push_type("Ljava/lang/String;");
    }

    fn ldc(&mut self, constant: u16) {
        match u8::try_from(constant) {
            Ok(constant) => self.bytes.extend([op::LDC, constant]),
            Err(_) => self.with_u16(op::LDC_W, constant),
        }
    }

    /// Copies what is on top of the stack, which is not a long.
    pub fn dup(&mut self) {
        self.bytes.push(op::DUP);
        let top = self.stack.last().copied().unwrap_or(VerificationType::Int);
        self.push(top);
    }

    /// Puts the value of a local variable on the stack.
    pub fn load(&mut self, local: Local) {
        let (code, short) = match local.ty {
            VerificationType::Int => (0x15, 0x1a),
            VerificationType::Long => (0x16, 0x1e),
            VerificationType::Float => (0x17, 0x22),
            VerificationType::Double => (0x18, 0x26),
            VerificationType::Object(_) => (0x19, 0x2a),
        };
        self.with_local(code, short, local);
        self.push(local.ty);
    }

    /// Assigns what is on top of the stack to a local variable.
    pub fn store(&mut self, local: Local) {
        self.pop();
        let (code, short) = match local.ty {
            VerificationType::Int => (0x36, 0x3b),
            VerificationType::Long => (0x37, 0x3f),
            VerificationType::Float => (0x38, 0x43),
            VerificationType::Double => (0x39, 0x47),
            VerificationType::Object(_) => (0x3a, 0x4b),
        };
        self.with_local(code, short, local);
    }

    fn with_local(&mut self, code: u8, short: u8, local: Local) {
        match local.slot {
            slot @ 0..4 => self.bytes.push(short + slot as u8),
            slot @ 4..256 => self.bytes.extend([code, slot as u8]),
            slot => {
                self.bytes.push(op::WIDE);
                self.with_u16(code, slot);
            }
        }
    }

    /// Adds to an int in a local variable.
    pub fn increment(&mut self, local: Local, by: i16) {
        match (u8::try_from(local.slot), i8::try_from(by)) {
            (Ok(slot), Ok(by)) => self.bytes.extend([op::IINC, slot, by as u8]),
            _ => {
                self.bytes.push(op::WIDE);
                self.with_u16(op::IINC, local.slot);
                self.bytes.extend(by.to_be_bytes());
            }
        }
    }

    /// Reads a static field.
    pub fn get_static(&mut self, class: &str, name: &str, descriptor: &str) {
        let field = self.pool.field(class, name, descriptor);
        self.with_u16(op::GETSTATIC, field);
        self.push_type(descriptor);
    }

    /// Assigns to a static field.
    pub fn put_static(&mut self, class: &str, name: &str, descriptor: &str) {
        self.pop();
        let field = self.pool.field(class, name, descriptor);
        self.with_u16(op::PUTSTATIC, field);
    }

    /// Reads a field of the object on the stack.
    pub fn get_field(&mut self, class: &str, name: &str, descriptor: &str) {
        self.pop();
        let field = self.pool.field(class, name, descriptor);
        self.with_u16(op::GETFIELD, field);
        self.push_type(descriptor);
    }

    /// Assigns to a field of the object on the stack.
    pub fn put_field(&mut self, class: &str, name: &str, descriptor: &str) {
        self.pop();
        self.pop();
        let field = self.pool.field(class, name, descriptor);
        self.with_u16(op::PUTFIELD, field);
    }

    /// Calls a static method.
    pub fn invoke_static(&mut self, class: &str, name: &str, descriptor: &str) {
        self.invoke(op::INVOKESTATIC, class, name, descriptor);
    }

    /// Calls a method of the object on the stack.
    pub fn invoke_virtual(&mut self, class: &str, name: &str, descriptor: &str) {
        self.invoke(op::INVOKEVIRTUAL, class, name, descriptor);
    }

    /// Calls a constructor for the object on the stack.
    pub fn invoke_special(&mut self, class: &str, name: &str, descriptor: &str) {
        self.invoke(op::INVOKESPECIAL, class, name, descriptor);
    }

    /// Calls a method of an interface that the object on the stack has.
    pub fn invoke_interface(&mut self, class: &str, name: &str, descriptor: &str) {
        let types = Descriptor::new(descriptor);
        let slots = |descriptor: &&str| if matches!(*descriptor, "J" | "D") { 2 } else { 1 };
        let n_slots = 1 + types.params.iter().map(slots).sum::<usize>();
        types.params.iter().for_each(|_| self.pop());
        self.pop();
        let method = self.pool.interface_method(class, name, descriptor);
        self.with_u16(op::INVOKEINTERFACE, method);
        // A method has no more than 255.
        self.bytes.extend([n_slots as u8, 0]);
        if let Some(ret) = types.ret {
            self.push_type(ret);
        }
    }

    fn invoke(&mut self, code: u8, class: &str, name: &str, descriptor: &str) {
        let types = Descriptor::new(descriptor);
        types.params.iter().for_each(|_| self.pop());
        if code != op::INVOKESTATIC {
            self.pop();
        }
        let method = self.pool.method(class, name, descriptor);
        self.with_u16(code, method);
        if let Some(ret) = types.ret {
            self.push_type(ret);
        }
    }

    /// Makes an object, with the constructor that has no parameters.
    pub fn new_object(&mut self, class: &str) {
        self.begin_object(class);
        self.invoke_special(class, "<init>", "()V");
    }

    /// Makes an object whose constructor is still to be called, and puts it on the stack twice.
    pub fn begin_object(&mut self, class: &str) {
        let index = self.pool.class(class);
        self.with_u16(op::NEW, index);
        self.push(VerificationType::Object(index));
        self.dup();
    }

    /// Makes an array of as many zeros as the stack says. `elem` names a primitive type.
    pub fn new_array(&mut self, elem: &str) {
        self.pop();
        let code = match elem {
            "C" => 5,
            "F" => 6,
            "D" => 7,
            "B" => 8,
            "S" => 9,
            "I" => 10,
            _ => 11,
        };
        self.bytes.extend([op::NEWARRAY, code]);
        self.push_type(&format!("[{elem}"));
    }

    /// Takes the object on the stack for one of another type.
    pub fn check_cast(&mut self, descriptor: &str) {
        self.pop();
        let class = self.pool.class(class_of(descriptor));
        self.with_u16(op::CHECKCAST, class);
        self.push_type(descriptor);
    }

    /// Places a label here.
    pub fn place(&mut self, label: Label) {
        if let Some(state) = self.labels.get_mut(label.0) {
            if self.is_reachable {
                debug_assert!(state.stack.as_ref().is_none_or(|stack| *stack == self.stack));
                state.stack = Some(self.stack.clone());
            } else {
                state.after_end = true;
                let stack = state.stack.get_or_insert_default().clone();
                self.depth = stack.iter().map(|ty| ty.n_slots()).sum();
                self.stack = stack;
                self.is_reachable = true;
            }
        }
        self.item(ItemKind::Place(label));
    }

    /// A comment on what follows, which stands in listings only.
    pub fn comment(&mut self, text: impl Into<String>) {
        self.item(ItemKind::Comment(text.into()));
    }

    /// Jumps.
    pub fn goto(&mut self, target: Label) {
        self.note_target(target);
        self.item(ItemKind::Goto(target));
        self.end();
    }

    /// Jumps if the int on the stack compares with 0 like this.
    pub fn branch_zero(&mut self, cond: Cond, target: Label) {
        self.pop();
        self.branch(cond.with_zero(), target);
    }

    /// Jumps if the two ints on the stack compare like this.
    pub fn branch_int(&mut self, cond: Cond, target: Label) {
        self.pop();
        self.pop();
        self.branch(cond.with_int(), target);
    }

    fn branch(&mut self, code: u8, target: Label) {
        self.note_target(target);
        self.item(ItemKind::Branch(code, target, self.stack.clone()));
    }

    /// Jumps by the int on the stack, through a table that begins at `low`.
    pub fn table_switch(&mut self, low: i32, targets: Vec<Label>, default: Label) {
        self.pop();
        targets.iter().chain([&default]).for_each(|target| self.note_target(*target));
        self.item(ItemKind::Table { low, targets, default });
        self.end();
    }

    /// Jumps by the int on the stack, which is looked for among `cases`, in order of their keys.
    pub fn lookup_switch(&mut self, cases: Vec<(i32, Label)>, default: Label) {
        self.pop();
        let targets = cases.iter().map(|(_, target)| target);
        targets.chain([&default]).for_each(|target| self.note_target(*target));
        self.item(ItemKind::Lookup { cases, default });
        self.end();
    }

    /// Whether what comes next can be reached without a jump.
    pub fn is_reachable(&self) -> bool {
        self.is_reachable
    }

    fn note_target(&mut self, target: Label) {
        if let Some(state) = self.labels.get_mut(target.0) {
            debug_assert!(state.stack.as_ref().is_none_or(|stack| *stack == self.stack));
            state.stack.get_or_insert_with(|| self.stack.clone());
            state.is_target = true;
        }
    }

    fn item(&mut self, kind: ItemKind) {
        self.items.push(Item { at: self.bytes.len(), kind });
    }

    fn end(&mut self) {
        self.is_reachable = false;
        self.stack.clear();
        self.depth = 0;
    }

    fn with_u16(&mut self, code: u8, operand: u16) {
        self.bytes.push(code);
        self.bytes.extend(operand.to_be_bytes());
    }

    fn push_type(&mut self, descriptor: &str) {
        let ty = self.verification_type(descriptor);
        self.push(ty);
    }

    fn push(&mut self, ty: VerificationType) {
        self.stack.push(ty);
        self.depth += ty.n_slots();
        self.max_depth = self.max_depth.max(self.depth);
    }

    fn pop(&mut self) {
        debug_assert!(!self.stack.is_empty(), "nothing is left on the stack");
        self.depth -= self.stack.pop().map_or(0, VerificationType::n_slots);
    }

    fn verification_type(&mut self, descriptor: &str) -> VerificationType {
        match descriptor.as_bytes().first() {
            Some(b'J') => VerificationType::Long,
            Some(b'F') => VerificationType::Float,
            Some(b'D') => VerificationType::Double,
            Some(b'L' | b'[') => VerificationType::Object(self.pool.class(class_of(descriptor))),
            _ => VerificationType::Int,
        }
    }

    /// The code of the method called `name`.
    ///
    /// # Errors
    /// A limit of class files that it exceeds.
    pub fn finish(self, name: &str) -> Result<Code, TooLarge> {
        TooLarge::check(self.n_slots, MAX_U16, || format!("the local variables of {name}"))?;
        TooLarge::check(self.max_depth, MAX_U16, || format!("the operand stack of {name}"))?;
        let (bytes, frames, comments) = self.assemble(name)?;
        Ok(Code {
            max_stack: self.max_depth as u16,
            max_locals: self.n_slots as u16,
            bytes,
            frames,
            comments,
        })
    }
}

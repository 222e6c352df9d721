//! Classes.

use std::ops::BitOr;

use super::code::{Code, CodeBuilder, Local};
use super::descriptor::Descriptor;
use super::pool::ConstantPool;
use super::{MAX_U16, TooLarge};

/// Access flags of a class, field or method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flags(u16);

impl Flags {
    /// Everybody may use it.
    pub const PUBLIC: Self = Self(0x0001);
    /// Only its class may use it.
    pub const PRIVATE: Self = Self(0x0002);
    /// It belongs to the class, and not to its objects.
    pub const STATIC: Self = Self(0x0008);
    /// It is not changed, or not overridden.
    pub const FINAL: Self = Self(0x0010);
    /// Every access to it counts.
    pub const VOLATILE: Self = Self(0x0040);
    /// It is an interface.
    pub const INTERFACE: Self = Self(0x0200);
    /// It has no code, or methods without any.
    pub const ABSTRACT: Self = Self(0x0400);
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A class in the making, for every JVM from Java 8 on.
#[derive(Clone, Debug)]
pub struct ClassBuilder {
    name: String,
    flags: Flags,
    pool: ConstantPool,
    interfaces: Vec<u16>,
    fields: Vec<u8>,
    n_fields: usize,
    methods: Vec<u8>,
    n_methods: usize,
    comments: Vec<Comment>,
}

/// A comment on the instructions of a method, for listings; class files have no room for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The number of the method in its class.
    pub method: usize,
    /// Where the instruction begins that it stands before.
    pub at: usize,
    /// What it says.
    pub text: String,
}

impl ClassBuilder {
    /// A class without anything, below `java.lang.Object`.
    pub fn new(name: impl Into<String>, flags: Flags) -> Self {
        Self {
            name: name.into(),
            flags,
            pool: ConstantPool::new(),
            interfaces: Vec::new(),
            fields: Vec::new(),
            n_fields: 0,
            methods: Vec::new(),
            n_methods: 0,
            comments: Vec::new(),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The comments on the methods that it has so far.
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// The constant pool.
    pub fn pool(&mut self) -> &mut ConstantPool {
        &mut self.pool
    }

    /// Makes it a class that implements an interface.
    pub fn implements(&mut self, interface: &str) {
        let interface = self.pool.class(interface);
        self.interfaces.push(interface);
    }

    /// Adds a field.
    pub fn field(&mut self, flags: Flags, name: &str, descriptor: &str) {
        let (name, descriptor) = (self.pool.utf8(name), self.pool.utf8(descriptor));
        for part in [flags.0, name, descriptor, 0] {
            self.fields.extend(part.to_be_bytes());
        }
        self.n_fields += 1;
    }

    /// Begins the code of a static method; the parameters are its first local variables.
    pub fn static_code(&mut self, descriptor: &str) -> (CodeBuilder<'_>, Vec<Local>) {
        CodeBuilder::new(&mut self.pool, &Descriptor::new(descriptor).params)
    }

    /// Begins the code of a method of objects; the object and the parameters are its first local
    /// variables.
    pub fn instance_code(&mut self, descriptor: &str) -> (CodeBuilder<'_>, Vec<Local>) {
        let this = format!("L{};", self.name);
        let descriptor = Descriptor::new(descriptor);
        let params: Vec<&str> =
            std::iter::once(&this[..]).chain(descriptor.params.iter().copied()).collect();
        CodeBuilder::new(&mut self.pool, &params)
    }

    /// Adds a method without code.
    pub fn abstract_method(&mut self, name: &str, descriptor: &str) {
        let (name, descriptor) = (self.pool.utf8(name), self.pool.utf8(descriptor));
        for part in [(Flags::PUBLIC | Flags::ABSTRACT).0, name, descriptor, 0] {
            self.methods.extend(part.to_be_bytes());
        }
        self.n_methods += 1;
    }

    /// Adds a method.
    pub fn method(&mut self, flags: Flags, name: &str, descriptor: &str, code: Code) {
        let (name, descriptor) = (self.pool.utf8(name), self.pool.utf8(descriptor));
        let code_name = self.pool.utf8("Code");
        let frames = code.frames.map(|frames| (self.pool.utf8("StackMapTable"), frames));
        let out = &mut self.methods;
        for part in [flags.0, name, descriptor, 1, code_name] {
            out.extend(part.to_be_bytes());
        }
        let frames_len = frames.as_ref().map_or(0, |(_, frames)| 6 + frames.len());
        out.extend(((12 + code.bytes.len() + frames_len) as u32).to_be_bytes());
        out.extend(code.max_stack.to_be_bytes());
        out.extend(code.max_locals.to_be_bytes());
        out.extend((code.bytes.len() as u32).to_be_bytes());
        out.extend(&code.bytes);
        // No exception handlers.
        out.extend([0, 0]);
        out.extend(u16::from(frames.is_some()).to_be_bytes());
        if let Some((name, frames)) = frames {
            out.extend(name.to_be_bytes());
            out.extend((frames.len() as u32).to_be_bytes());
            out.extend(frames);
        }
        let method = self.n_methods;
        let comments = code.comments.into_iter();
        self.comments.extend(comments.map(|(at, text)| Comment { method, at, text }));
        self.n_methods += 1;
    }

    /// Adds the constructor without parameters, which does nothing.
    pub fn constructor(&mut self) {
        let name = format!("L{};", self.name);
        let (mut code, this) = CodeBuilder::new(&mut self.pool, &[&name]);
        this.iter().for_each(|this| code.load(*this));
        code.invoke_special("java/lang/Object", "<init>", "()V");
        code.op(super::Op::Return);
        if let Ok(code) = code.finish("<init>") {
            self.method(Flags::PUBLIC, "<init>", "()V", code);
        }
    }

    /// The bytes of the class file.
    ///
    /// # Errors
    /// A limit of class files that the class exceeds.
    pub fn finish(mut self) -> Result<Vec<u8>, TooLarge> {
        const MAGIC: u32 = 0xcafe_babe;
        const MINOR: u16 = 0;
        const JAVA_8: u16 = 52;
        const SUPER: u16 = 0x0020;
        let this = self.pool.class(&self.name);
        let object = self.pool.class("java/lang/Object");
        self.pool.check()?;
        let what = |members: &str| format!("the number of {members} of {}", self.name);
        TooLarge::check(self.n_fields, MAX_U16, || what("fields"))?;
        TooLarge::check(self.n_methods, MAX_U16, || what("methods"))?;
        let mut out = Vec::from(MAGIC.to_be_bytes());
        out.extend(MINOR.to_be_bytes());
        out.extend(JAVA_8.to_be_bytes());
        self.pool.write(&mut out);
        let is_interface = self.flags.0 & Flags::INTERFACE.0 != 0;
        let flags = self.flags.0 | if is_interface { 0 } else { SUPER };
        for part in [flags, this, object, self.interfaces.len() as u16] {
            out.extend(part.to_be_bytes());
        }
        out.extend(self.interfaces.iter().flat_map(|interface| interface.to_be_bytes()));
        out.extend((self.n_fields as u16).to_be_bytes());
        out.extend(&self.fields);
        out.extend((self.n_methods as u16).to_be_bytes());
        out.extend(&self.methods);
        // No attributes.
        out.extend([0, 0]);
        Ok(out)
    }
}

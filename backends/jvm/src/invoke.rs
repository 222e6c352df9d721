//! Calls of functions, directly or through objects.

use pathsmith_backend::ProgramOptions;
use pathsmith_symlang::FuncId;
use pathsmith_symlang::lang::Function;

use crate::classfile::{ClassBuilder, CodeBuilder, Flags, Op, TooLarge};
use crate::options::CallKind;
use crate::receiver::Receiver;
use crate::shared::Shared;
use crate::types::{method_descriptor, return_op};

/// The method that such an object has.
const METHOD: &str = "call";
/// The field in which it counts its calls. Only the object itself reads it, so it never affects what
/// a function returns.
const COUNTER: &str = "calls";

impl Shared<'_> {
    /// The object that a function is called through, if it is.
    fn receiver(&self, id: FuncId) -> Option<Receiver> {
        let call = self.options.function(id).call;
        if call == CallKind::Static {
            return None;
        }
        let name = format!("{}${}", self.options.name, self.program.function(id).name);
        Some(Receiver {
            function: id,
            class: format!("{name}$Called"),
            interface: (call == CallKind::Interface).then(|| format!("{name}$Callable")),
            field: format!("$called{}", id.index()),
        })
    }

    /// All such objects.
    pub(crate) fn receivers(&self) -> impl Iterator<Item = Receiver> {
        (0..self.program.functions.len()).filter_map(|i| self.receiver(FuncId::new(i)))
    }

    /// Puts the object on the stack that a function is called through, if it is.
    pub(crate) fn push_receiver(&self, callee: FuncId, code: &mut CodeBuilder<'_>) {
        if let Some(receiver) = self.receiver(callee) {
            code.get_static(&self.options.name, &receiver.field, &receiver.descriptor());
        }
    }

    /// Calls a function whose receiver and arguments are on the stack.
    pub(crate) fn invoke(&self, callee: FuncId, code: &mut CodeBuilder<'_>) {
        let descriptor = method_descriptor(self.program.function(callee));
        match self.receiver(callee) {
            None => self.invoke_static(callee, code),
            Some(Receiver { interface: Some(interface), .. }) => {
                code.invoke_interface(&interface, METHOD, &descriptor);
            }
            Some(receiver) => code.invoke_virtual(&receiver.class, METHOD, &descriptor),
        }
    }

    fn invoke_static(&self, callee: FuncId, code: &mut CodeBuilder<'_>) {
        let function = self.program.function(callee);
        code.invoke_static(self.class_of(callee), &function.name, &method_descriptor(function));
    }

    /// The classes and interfaces of the objects that functions are called through.
    pub(crate) fn receiver_classes(&self) -> Result<Vec<ClassBuilder>, TooLarge> {
        let mut classes = Vec::new();
        for receiver in self.receivers() {
            let function = self.program.function(receiver.function);
            classes.push(self.receiver_class(&receiver, function)?);
            if let Some(name) = &receiver.interface {
                let flags = Flags::PUBLIC | Flags::INTERFACE | Flags::ABSTRACT;
                let mut interface = ClassBuilder::new(name.as_str(), flags);
                interface.abstract_method(METHOD, &method_descriptor(function));
                classes.push(interface);
            }
        }
        Ok(classes)
    }

    fn receiver_class(
        &self,
        receiver: &Receiver,
        function: &Function,
    ) -> Result<ClassBuilder, TooLarge> {
        let name = &receiver.class;
        let mut class = ClassBuilder::new(name.as_str(), Flags::PUBLIC);
        receiver.interface.iter().for_each(|interface| class.implements(interface));
        class.field(Flags::PRIVATE, COUNTER, "I");
        class.constructor();
        let descriptor = method_descriptor(function);
        let (mut code, locals) = class.instance_code(&descriptor);
        let Some((this, params)) = locals.split_first() else { return Ok(class) };
        code.load(*this);
        code.load(*this);
        code.get_field(name, COUNTER, "I");
        code.push_int(1);
        code.op(Op::Iadd);
        code.put_field(name, COUNTER, "I");
        params.iter().for_each(|param| code.load(*param));
        self.invoke_static(receiver.function, &mut code);
        code.op(return_op(function.ret));
        let code = code.finish(METHOD)?;
        class.method(Flags::PUBLIC, METHOD, &descriptor, code);
        Ok(class)
    }
}

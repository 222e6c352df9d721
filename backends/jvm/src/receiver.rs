//! Objects that functions are called through.

use pathsmith_symlang::FuncId;

/// An object that a function is called through.
pub(crate) struct Receiver {
    pub(crate) function: FuncId,
    /// Its class.
    pub(crate) class: String,
    /// The interface that calls name instead of the class.
    pub(crate) interface: Option<String>,
    /// The static field of the main class that holds it. It is not final, so that a compiler
    /// cannot know the object, but only what it has seen.
    pub(crate) field: String,
}

impl Receiver {
    /// The type that calls know it by.
    pub(crate) fn known_as(&self) -> &str {
        self.interface.as_ref().unwrap_or(&self.class)
    }

    /// The type of the field.
    pub(crate) fn descriptor(&self) -> String {
        format!("L{};", self.known_as())
    }
}

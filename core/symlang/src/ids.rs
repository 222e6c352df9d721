//! Index newtypes: what programs and graphs use in place of names and pointers.

/// Declares an index into a vector as a type of its own.
macro_rules! define_id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub struct $name(u32);

        impl $name {
            /// The id for position 0.
            pub const FIRST: Self = Self(0);

            /// The id for position `index`.
            ///
            /// # Panics
            /// If `index` does not fit in 32 bits.
            #[inline]
            pub fn new(index: usize) -> Self {
                assert!(index <= u32::MAX as usize, "id out of range");
                Self(index as u32)
            }

            /// The position that this id stands for.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

define_id! {
    /// A block of a function, or a node of a control-flow graph.
    BlockId;
    /// A parameter or local of a function: parameters first, in order of declaration.
    VarId;
    /// A hole of a function: a constant that is still to be found.
    HoleId;
    /// An expression node of a function.
    ExprId;
    /// A function of a program.
    FuncId;
    /// A global of a program.
    GlobalId;
}

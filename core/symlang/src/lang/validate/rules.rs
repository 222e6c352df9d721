//! The rules by name, and what is said of one that is broken.

use crate::ids::{BlockId, ExprId, FuncId, GlobalId, VarId};

/// A rule that is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// Where it is broken.
    pub location: Location,
    /// How.
    pub message: String,
    /// What was expected, where that can be said in a few words.
    pub expected: Option<String>,
}

/// A place in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// The whole program.
    Program,
    /// What is said of `main`.
    Main,
    /// A global.
    Global(GlobalId),
    /// A function as a whole.
    Function(FuncId),
    /// A parameter or local.
    Var(FuncId, VarId),
    /// A block as a whole.
    Block(FuncId, BlockId),
    /// A statement of a block.
    Stmt(FuncId, BlockId, usize),
    /// The terminator of a block.
    Term(FuncId, BlockId),
    /// An expression.
    Expr(FuncId, ExprId),
    /// A realization.
    Realization(FuncId, usize),
}

macro_rules! rules {
    ($($rule:ident $name:literal $text:literal)*) => {
        /// A rule of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule {
            $(#[doc = $text] $rule,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &[Self] = &[$(Self::$rule),*];

            /// The name that errors and `docs/symlang.md` give it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$rule => $name,)* }
            }

            /// What it asks for.
            pub const fn describe(self) -> &'static str {
                match self { $(Self::$rule => $text,)* }
            }
        }
    };
}

rules! {
    UnknownId "unknown-id" "every id leads to something that exists"
    SharedExpr "shared-expr" "every expression is used in one place only"
    TooLarge "too-large" "a program keeps within the limits of the language"
    BadName "bad-name" "a name has letters, digits and `_`, does not begin with a digit, and is no keyword, type or operator"
    DuplicateName "duplicate-name" "functions, the labels of a function, and the variables that a function can name have different names"
    BadDoc "bad-doc" "a line about a program or function is one line without control characters"
    ArrayLength "array-length" "an array has at least one element"
    NestedArray "nested-array" "the elements of an array are scalars"
    ArrayParameter "array-parameter" "parameters are scalars"
    InitialValueCount "initial-value-count" "a local or global has one initial value for each of its cells, a parameter none"
    ValueOutOfRange "value-out-of-range" "a value fits its type"
    ValueType "value-type" "an initial value, a label, an argument and an output have the type of their context"
    GlobalHole "global-hole" "a global has no holes"
    NoFunction "no-function" "a program has at least one function"
    NoBlock "no-block" "a function has at least one block"
    EntryIsTarget "entry-is-target" "nothing leads back to the entry"
    ExitCount "exit-count" "exactly one block of a function returns"
    ExitUnreachable "exit-unreachable" "the exit can be reached from the entry"
    NotAScalar "not-a-scalar" "an array is read and assigned by its elements"
    NotAnArray "not-an-array" "only arrays have elements"
    TypeMismatch "type-mismatch" "the operands of an operator, and both sides of an assignment once widened, have one type"
    OperandType "operand-type" "an operator is applied to what it takes: integers, floating-point numbers, or both"
    IntegerType "integer-type" "an index, and the value of a `switch`, is an integer"
    ConditionType "condition-type" "a condition is an i32"
    ReturnType "return-type" "what is returned has the type that the function says; a checksum is a u32"
    ChecksumList "checksum-list" "a checksum that lists variables lists at least one, and each only once"
    ArgumentCount "argument-count" "a call or realization has an argument for each parameter"
    ArgumentType "argument-type" "an argument has the type that its parameter widens to"
    DuplicateCase "duplicate-case" "the labels of a `switch` differ"
    HoleType "hole-type" "a hole has one type"
    CalleeWritesGlobal "callee-writes-global" "a function that is called assigns to no global, so that the order of evaluation does not matter; only a recursion guard does, to count its calls"
    RealizationPath "realization-path" "the path of a realization leads along edges from the entry to the exit, or to the block that traps"
}

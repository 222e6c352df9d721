//! What a program becomes.

use std::fmt::Write;

use pathsmith_backend::{LowerError, expected_output};
use pathsmith_symlang::lang::{Program, Scalar, ValueTy};

use crate::classfile::{Comment, ReadError, commented_listing};

/// A program in class files.
///
/// The main class comes first. To run the program, call its method
/// `public static int check(int function, long[] in, long expected, long leaving, int times,
/// long[] actual)`, which calls a function up to `times` times in a loop, with the arguments in `in`
/// and, each time, globals that have their initial values. It returns the number of the first call
/// whose result is not `expected`, or that leaves something else in the globals that the function
/// names than what the checksum `leaving` says, and ends with it. If there is none, it returns -1.
/// Then `actual[0]` is the result of the last call that was made, and `actual[1]` the checksum of
/// those globals, or 0 if no realization of the function says what it leaves. A negative `leaving` is
/// compared with nothing; if `times` is negative, nothing is compared, and `-times` calls are made.
/// Arguments and results are in the canonical form of their types: an `i32`
/// sign-extended, a `u32` zero-extended, an `f32` or `f64` as its bits, zero-extended, with one NaN.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JvmClasses {
    /// The classes, all in the package without a name.
    pub classes: Vec<JvmClass>,
    /// A call for each realization, in order.
    pub calls: Vec<JvmCall>,
    /// The functions in order of their numbers, and how many bytes the instructions of their
    /// methods take.
    pub methods: Vec<(String, usize)>,
}

/// A class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JvmClass {
    /// Its name.
    pub name: String,
    /// Its class file.
    pub bytes: Vec<u8>,
    /// Where the instructions of each block begin, for listings.
    pub comments: Vec<Comment>,
}

/// A call that shows a realization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JvmCall {
    /// The number of the function.
    pub function: usize,
    /// The number of the realization.
    pub realization: usize,
    /// The arguments.
    pub args: Vec<Scalar>,
    /// What it has to return.
    pub expected: Scalar,
    /// The type of the result.
    pub result: ValueTy,
    /// The checksum of what it has to leave in the globals that the function names, if known.
    pub leaving: Option<u32>,
}

/// A call for each realization of `program`.
pub(crate) fn calls(program: &Program) -> Result<Vec<JvmCall>, LowerError> {
    let mut calls = Vec::new();
    for (number, function) in program.functions.iter().enumerate() {
        for (realization, known) in function.realizations.iter().enumerate() {
            calls.push(JvmCall {
                function: number,
                realization,
                args: known.args.clone(),
                expected: expected_output(known)?,
                result: function.ret,
                leaving: known.leaving,
            });
        }
    }
    Ok(calls)
}

impl JvmClasses {
    /// What `check` returns if there is no function of that number; `actual` stays as it is.
    pub const NO_FUNCTION: i32 = -2;

    /// HotSpot does not compile methods with more bytes of instructions than this, unless it is
    /// told to (`-XX:-DontCompileHugeMethods`).
    pub const HUGE_METHOD: usize = 8000;

    /// The functions that HotSpot does not compile, and how many bytes their instructions take.
    pub fn huge_methods(&self) -> impl Iterator<Item = &(String, usize)> {
        self.methods.iter().filter(|(_, n_bytes)| *n_bytes > Self::HUGE_METHOD)
    }

    /// All classes in words, for people. A comment names the block that instructions come from.
    ///
    /// # Errors
    /// Classes that were changed into something else.
    pub fn listing(&self) -> Result<String, ReadError> {
        let mut out = String::new();
        for (i, class) in self.classes.iter().enumerate() {
            let gap = if i == 0 { "" } else { "\n" };
            let _ = write!(out, "{gap}{}", commented_listing(&class.bytes, &class.comments)?);
        }
        Ok(out)
    }
}

impl JvmClass {
    /// The name of the file that a JVM looks for.
    pub fn file_name(&self) -> String {
        format!("{}.class", self.name)
    }
}

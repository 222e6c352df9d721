//! The trait that every backend implements.

use std::fmt::Debug;

use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;

use crate::error::LowerError;
use crate::options::ProgramOptions;

/// Lowers programs to one target language.
///
/// A backend is a function from a program and options to an artifact, and nothing else: it draws
/// no random numbers, reads no files and looks at no clock, so that the same program and options
/// yield the same bytes everywhere. Whatever can be lowered in several ways (where variables live,
/// which statements control flow becomes, what the optimizer may see) is an option. The caller
/// draws options from a seed, with the backend's [`Style`](crate::Style), or reads them from a
/// file.
///
/// An artifact carries all of the program's realizations: running it tells for each of them
/// whether the target agrees.
pub trait Backend {
    /// The choices that are open when a program is lowered.
    type Options: ProgramOptions;

    /// What a target can be given: source text, a module, class files.
    type Artifact: Debug;

    /// The name of the target language on the command line.
    fn name(&self) -> &'static str;

    /// What the target language defines. A program is lowered only if its realizations hold in
    /// this dialect; off their paths it may have undefined behaviour.
    fn dialect(&self) -> Dialect;

    /// Lowers a valid program without holes.
    ///
    /// # Errors
    /// What in the program or the options the target language cannot express. This is never the
    /// fault of a target.
    fn lower(
        &self,
        program: &Program,
        options: &Self::Options,
    ) -> Result<Self::Artifact, LowerError>;
}

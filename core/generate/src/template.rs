//! Templates: narrow program shapes, as SYMLANG with holes in more than constants.
//!
//! A template is a file: what it is and where it comes from, what is drawn (types, operators,
//! numbers), and a function. An instance of it has drawn everything and was run by the
//! interpreter; instances are embedded in random functions, or stand alone. `docs/shapes.md`
//! describes the files.

mod arith;
mod choices;
mod embed;
mod expand;
mod file;
mod instance;
mod library;
mod options;

pub(crate) use embed::{edges, embed, empty_host, share_variables};
pub use file::Template;
pub(crate) use instance::Instance;
pub use library::Library;
pub use options::{TemplateOptions, TemplateOptionsError, TemplateSource};

//! Options that several commands share.

use pathsmith_symlang::FuncId;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::semantics::Limits;

use crate::errors::Failure;

/// In which dialect, and for how long, programs run.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RunOptions {
    /// The dialect that decides what is undefined: c, wasm or jvm [default: what the file says, or c]
    #[arg(short, long)]
    pub(crate) dialect: Option<Dialect>,

    /// How many blocks a run may visit
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps)]
    pub(crate) steps: u64,
}

impl RunOptions {
    pub(crate) fn dialect(&self, program: &Program) -> Dialect {
        self.dialect.or(program.dialect).unwrap_or(Dialect::C)
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { steps: self.steps, ..Limits::default() }
    }
}

/// The function that is called `name`.
pub(crate) fn function_named(program: &Program, name: &str) -> Result<FuncId, Failure> {
    program.function_named(name).ok_or_else(|| {
        let names = function_names(program);
        Failure::Usage(format!("there is no function `{name}`; there are: {names}"))
    })
}

/// The names of the first functions, for messages.
pub(crate) fn function_names(program: &Program) -> String {
    const MAX_NAMED: usize = 20;
    let functions = program.functions.iter().take(MAX_NAMED);
    let names: Vec<&str> = functions.map(|function| &*function.name).collect();
    match program.functions.len().saturating_sub(MAX_NAMED) {
        0 => names.join(", "),
        n => format!("{} and {n} more", names.join(", ")),
    }
}

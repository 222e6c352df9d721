//! Output: standard output, or a file that appears whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use pathsmith_campaign::Binary;
use pathsmith_campaign::files::write_file;

use crate::errors::Failure;

/// The output of a command.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Write to FILE instead of standard output. A file is replaced once all is written and keeps its
    /// mode; devices, pipes and what links lead to are written to
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl OutputArgs {
    /// A file.
    pub(crate) fn to(path: PathBuf) -> Self {
        Self { output: Some(path) }
    }

    /// Standard output.
    pub(crate) fn stdout() -> Self {
        Self { output: None }
    }

    /// Lets `produce` write the product.
    pub(crate) fn write(
        &self,
        produce: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        match &self.output {
            Some(path) if path != Path::new("-") => {
                let failed =
                    |source| Failure::io(format!("cannot write {}", path.display()), source);
                write_file(path, failed, produce)
            }
            _ => {
                let mut out = BufWriter::new(io::stdout().lock());
                produce(&mut out)?;
                out.flush().map_err(|source| Failure::io("cannot write the output", source))
            }
        }
    }

    /// Writes a product that is one text.
    pub(crate) fn write_text(&self, text: &str) -> Result<(), Failure> {
        self.write_bytes(text.as_bytes())
    }

    /// Writes a product that is not text.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.write(|out| written(out.write_all(bytes)))
    }

    /// Writes what belongs to a product into the folder of its file. Standard output has none.
    pub(crate) fn write_beside(&self, binaries: &[Binary]) -> Result<(), Failure> {
        match &self.output {
            Some(path) if path != Path::new("-") => binaries.iter().try_for_each(|binary| {
                Self::to(path.with_file_name(&binary.name)).write_bytes(&binary.bytes())
            }),
            _ => Ok(()),
        }
    }
}

/// Turns a failed write of a product into a failure.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Failure> {
    result.map_err(|source| Failure::io("cannot write the output", source))
}

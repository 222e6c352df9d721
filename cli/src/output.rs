//! Output: standard output, or a file that appears whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::errors::Failure;

/// The output of a command.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OutputArgs {
    /// Write to FILE instead of standard output; FILE is replaced once all is written
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
            Some(path) if path != Path::new("-") => to_file(path, produce),
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
}

fn to_file(
    path: &Path,
    produce: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let failed = |source| Failure::io(format!("cannot write {}", path.display()), source);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let temporary = NamedTempFile::new_in(folder).map_err(failed)?;
    let mut out = BufWriter::new(temporary);
    produce(&mut out)?;
    let temporary = out.into_inner().map_err(|error| failed(error.into_error()))?;
    make_readable(&temporary).map_err(failed)?;
    temporary.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Temporary files are for their owner only; output is for all who may read the folder.
#[cfg(unix)]
fn make_readable(file: &NamedTempFile) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn make_readable(_: &NamedTempFile) -> io::Result<()> {
    Ok(())
}

/// Turns a failed write of a product into a failure.
pub(crate) fn written(result: io::Result<()>) -> Result<(), Failure> {
    result.map_err(|source| Failure::io("cannot write the output", source))
}

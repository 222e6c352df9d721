//! Engines that this program does not know, behind a command that speaks the line protocol.

use std::path::{Path, PathBuf};

use super::{Engine, EngineSetting, asked_version};
use crate::launch::TargetSpec;
use crate::oracle::OracleError;
use crate::process::Stop;

/// A command that speaks the line protocol.
#[derive(Debug)]
pub(super) struct Lines;

impl Engine for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn settings(&self) -> Vec<EngineSetting> {
        vec![EngineSetting { name: "default", about: "the command as it is" }]
    }

    /// An adapter need not have a version.
    fn version(&self, spec: &TargetSpec, stop: &Stop) -> Result<Option<String>, OracleError> {
        let version = asked_version(spec, stop)?;
        Ok(Some(version.unwrap_or_else(|| format!("{} of an unknown version", spec.name))))
    }

    fn command(&self, program: &Path) -> PathBuf {
        program.to_owned()
    }

    fn args(&self, flags: Vec<String>) -> Vec<String> {
        flags
    }
}

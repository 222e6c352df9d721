//! What tells findings apart.

use serde::{Deserialize, Serialize};

use crate::verdict::Verdict;

/// What a finding comes from, as far as the target tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// What is wrong.
    pub verdict: Verdict,
    /// Whose target it is: `gcc`.
    pub target: String,
    /// What it needs: optimizations, or where it crashes.
    pub culprit: Vec<String>,
    /// More about it, for people.
    pub detail: Option<String>,
}

impl Signature {
    /// The name of the cluster it belongs to.
    pub fn key(&self) -> String {
        let culprit = self.culprit.join(" ");
        format!("{}: {}: {culprit}", self.target, self.verdict)
    }
}
macro_rules! temporary {
    ($oracle:ty, $artifact:ty, $target:ty, $name:expr) => {
        impl $oracle {
            /// Temporary.
            #[allow(missing_docs, clippy::missing_errors_doc)]
            pub fn signature(
                &mut self,
                _: &$artifact,
                target: &$target,
                report: &crate::Report,
                _: &crate::Limits,
            ) -> Result<Signature, crate::OracleError> {
                let name: fn(&$target) -> String = $name;
                Ok(Signature {
                    verdict: report.verdict,
                    target: name(target),
                    culprit: Vec::new(),
                    detail: None,
                })
            }
        }
    };
}
temporary!(crate::c::COracle, pathsmith_backend_c::CSource, crate::c::CTarget, |t| t
    .toolchain
    .compiler
    .to_string());
temporary!(
    crate::wasm::WasmOracle,
    pathsmith_backend_wasm::WasmModule,
    crate::wasm::WasmTarget,
    |t| t.engine.clone()
);
temporary!(crate::jvm::JvmOracle, pathsmith_backend_jvm::JvmClasses, crate::jvm::JvmTarget, |t| t
    .machine
    .name
    .clone());

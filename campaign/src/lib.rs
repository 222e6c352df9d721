//! Campaigns: functions from a seed, run on targets, with findings that are narrowed down to one
//! function and one realization, and confirmed, before anyone sees them.
//!
//! A [`Campaign`] is against one [`Kind`] of target: a backend with its oracle. It hands
//! out *batches* of functions by number. What is in batch `k` of a seed depends on the seed, the
//! config and `k` alone, so it does not matter which thread takes it, or when.

mod batch;
mod c;
mod campaign;
mod config;
mod finding;
mod jvm;
mod kind;
mod stats;
mod wasm;

pub use batch::{Batch, Case};
pub use c::{CCompilers, CMode};
pub use campaign::{Campaign, Event, Stopping};
pub use config::{CConfig, ConfigError, FuzzConfig, JvmConfig, NamedTarget, WasmConfig};
pub use finding::{File, Finding, TargetInfo, WriteError};
pub use jvm::Jvms;
pub use kind::{Artifact, Kind, Options, Target};
pub use stats::{Stats, TargetStats};
pub use wasm::WasmEngines;

//! Campaigns: functions from a seed, run on targets, with findings that are narrowed down to one
//! function and one realization, and confirmed, before anyone sees them.
//!
//! A [`Campaign`] is against one [`Kind`] of target: a backend with its oracle. It hands
//! out *batches* of functions by number. What is in batch `k` of a seed depends on the seed, the
//! config and `k` alone, so it does not matter which thread takes it, or when.

mod again;
mod batch;
mod budget;
mod c;
mod campaign;
mod config;
mod confirm;
mod family;
mod finding;
mod jvm;
mod kind;
mod pace;
mod reduce;
pub mod report;
mod spelling;
mod stats;
mod store;
mod trial;
mod wasm;
mod yields;

pub use again::Replayed;
pub use batch::{Batch, Case};
pub use budget::{Budget, CampaignConfig, Time, TimeError};
pub use c::{CCompilers, CMode};
pub use campaign::{Campaign, Event, Stopping};
pub use config::{CConfig, ConfigError, FuzzConfig, JvmConfig, NamedTarget, WasmConfig};
pub use family::{Family, families};
pub use finding::{File, Finding, TargetInfo, WriteError};
pub use jvm::Jvms;
pub use kind::{Artifact, Kind, KindName, Options, Target};
pub use reduce::{Job, Jobs, Reduced};
pub use stats::{Stats, TargetStats};
pub use store::{Done, Flaky, Header, Reduction, Saved, Store, StoreError};
pub use trial::{Trial, TrialError};
pub use wasm::WasmEngines;
pub use yields::{PolicyYields, Yield, Yields};

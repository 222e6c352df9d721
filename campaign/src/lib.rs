//! Campaigns: functions from a seed, run on targets, with findings that are narrowed down to one
//! function and one realization, and confirmed, before anyone sees them.
//!
//! A campaign hands out *batches* of functions by number. What is in batch `k` of a seed depends
//! on the seed, the config and `k` alone, so it does not matter which thread takes it, or when.

mod batch;
mod c;
mod config;
mod finding;
mod stats;

pub use batch::{Batch, Case};
pub use c::{CCampaign, Event, Stopping};
pub use config::{CConfig, ConfigError, FuzzConfig, NamedTarget};
pub use finding::{Finding, TargetInfo, WriteError};
pub use stats::Stats;

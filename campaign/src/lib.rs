//! Campaigns: programs generated from a seed and run on targets, with findings that are bisected to
//! one function and one realization, and confirmed, before anyone sees them.
//!
//! A [`Campaign`] is against one [`Family`] of targets: a backend with its oracle. It hands out
//! *batches* of test cases by number. What is in batch `k` of a seed depends on the seed, the
//! config and `k` alone, so it does not matter which thread takes it, or when.
//!
//! The [`registry`] knows all families. Whatever works with any of them ([`Runner`], [`Replay`],
//! [`report`], the command line) has an [`AnyCampaign`] from there.

mod activity;
mod any_campaign;
mod arm_stats;
mod at_hand;
mod availability;
mod batch;
mod batch_window;
mod bisect;
mod budget;
mod bug_file;
mod bug_groups;
mod bug_of_program;
mod campaign;
mod case_name;
mod cluster_versions;
mod config;
mod confirm;
mod corpus;
mod corpus_folder;
mod discover;
mod error;
mod explain;
mod families;
mod family;
mod file_names;
pub mod files;
mod finding;
mod folder_file;
mod growth;
mod guidance;
mod known;
mod known_list;
mod known_targets;
mod language;
mod lineup;
mod lost;
mod lower_batch;
mod lowering_causes;
mod memory;
mod mutation;
mod optimizations;
mod option_reduce;
mod outline;
mod oversized;
pub mod parallel;
mod plan;
mod policy_stats;
mod preflight;
mod reduce;
pub mod registry;
mod replay;
pub mod report;
mod reproducer;
pub mod review;
mod revisit;
mod runner;
mod saved_reduction;
mod shares;
mod short_names;
mod sighting;
mod stats;
mod store;
mod tally;
mod target_config;
mod triage;
mod trust;
mod undo;
mod variation;
mod versions;

pub use activity::{Activity, Stage};
pub use any_campaign::AnyCampaign;
pub use arm_stats::{ArmLine, ArmStats, VariantStats};
pub use batch::{Batch, Case};
pub use bisect::{Bisected, Step, bisect_finding, finding_in};
pub use budget::{Budget, CampaignConfig, Time, TimeError};
pub use bug_file::{Binary, Bug, BugFile, CheckedCall, Scrutiny};
pub use bug_groups::{BugGroup, Certainty, ClusterFacts, bug_groups};
pub use bug_of_program::bug_of_program;
pub use campaign::{Campaign, Event, Stopping};
pub use cluster_versions::add_versions;
pub use config::{CConfig, ConfigError, FuzzConfig, JvmConfig, WasmConfig};
pub use corpus_folder::{CorpusFolderError, read_corpus_folder};
pub use discover::{Discover, Env, PreflightStep, TargetRequest};
pub use error::CampaignError;
pub use families::{CCompilers, CMode, Jvms, WasmEngines};
pub use family::{Artifact, Family, Options, Target, TargetFamily};
pub use finding::{Finding, SerializeError, TargetInfo, WriteError, n_statements};
pub use folder_file::File;
pub use growth::Grown;
pub use known::{
    Condition, KNOWN_FILE, KnownBug, KnownError, Learned, add_known, parse_known, read_known,
};
pub use language::{EmitError, Emitted, Format, Language, OptionSource};
pub use lineup::{IsAsked, Lineup};
pub use memory::Memory;
pub use mutation::config::{MutationConfig, MutationConfigError};
pub use mutation::corpus_source::CorpusSource;
pub use mutation::origin::{Origin, Parent};
pub use mutation::parents::{Known, Parents};
pub use optimizations::{CounterSum, Optimizations};
pub use outline::Outline;
pub use oversized::Oversized;
pub use plan::Plan;
pub use policy_stats::{HitRate, PolicyStats, ThemeStats};
pub use reduce::{Job, Jobs, Reduced};
pub use replay::{Replay, VersionCount};
pub use reproducer::{Reproducer, ReproducerError};
pub use revisit::ReplayOn;
pub use runner::{IdentityChange, Outcome, Runner};
pub use saved_reduction::{SavedReduction, campaign_of, findings_in, reduce_saved};
pub use shares::{ArmCounts, EPOCH, Multipliers, NewBug};
pub use sighting::{CountedUnder, Sighting};
pub use stats::{Purpose, Purposes, Stats, TargetStats, TransformStats};
pub use store::{Done, Flaky, Header, Identity, Reduction, Saved, Store, StoreError};
pub use tally::{CampaignState, FamilyState, Notice, Reporter};
pub use target_config::{EngineProtocol, TargetConfig, TargetConfigError};
pub use triage::{ClusterLine, Clusters, Signed, sign_findings};
pub use trust::{commands_of, is_trusted, remember_trust};
pub use versions::{ReplayOutcome, Replayed, Versions, version_number};

//! Changing programs safely.
//!
//! A [`Draft`] takes several edits and applies them at once; [`Facts`] are the profile of a program:
//! what its realizations were seen to do; [`recompute_realizations`] runs all realizations of an
//! edited program and writes down what they do now; [`realize`] gives realizations to a program that
//! has none. A [`Transform`] is a named change with a
//! promise, and [`transformed`] holds it to that.

mod baseline;
mod draft;
mod facts;
mod holds;
mod inputs;
mod reach;
mod realize;
mod recompute;
mod trace;
mod transform;

pub use baseline::{Baseline, Transformed};
pub use draft::{Draft, Finished, compact, for_each_var_mut, places};
pub use facts::{Facts, FunctionFacts, Seen};
pub use holds::{call_text, check_realization, check_realizations};
pub use inputs::{choose_afresh, choose_float, choose_nearby};
pub use reach::Reach;
pub use realize::{Tried, Unrealizable, realize};
pub use recompute::{is_valid, recompute_realizations, set_guard_output};
pub use transform::{Claim, Rejected, Transform, transformed};

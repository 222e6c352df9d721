//! What a transform is given besides the program.

use std::sync::Arc;

use pathsmith_symlang::lang::Program;

use crate::config::Sizes;
use crate::profile::ValueProfile;

/// What a transform is given besides the program: its profile, sizes, and a program to take code from.
#[derive(Clone, Debug)]
pub struct Subject {
    pub(crate) profile: Arc<ValueProfile>,
    pub(crate) sizes: Sizes,
    /// Nothing if there is none, or the transform needs none.
    pub(crate) donor: Option<Arc<Program>>,
}

impl Subject {
    /// A program's profile, and no donor.
    pub fn new(profile: ValueProfile, sizes: Sizes) -> Self {
        Self { profile: Arc::new(profile), sizes, donor: None }
    }
}

//! What a transform is given besides the program.

use std::sync::Arc;

use pathsmith_symlang::lang::Program;

use crate::profile::ValueProfile;
use crate::sites::Sites;
use crate::sizes::Sizes;

/// What a transform is given besides the program: its profile, sizes, and a program to take code from.
#[derive(Clone, Debug)]
pub struct Subject {
    pub(crate) profile: Arc<ValueProfile>,
    pub(crate) sites: Arc<Sites>,
    pub(crate) sizes: Sizes,
    /// Nothing if there is none, or the transform needs none.
    pub(crate) donor: Option<Arc<Program>>,
}

impl Subject {
    /// For a program with this profile, without a donor.
    pub fn new(program: &Program, profile: ValueProfile, sizes: Sizes) -> Self {
        let sites = Arc::new(Sites::new(program, &profile));
        Self { profile: Arc::new(profile), sites, sizes, donor: None }
    }
}

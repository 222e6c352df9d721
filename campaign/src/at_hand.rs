//! All targets of a family that are on this machine, whatever a campaign tests. They are looked for
//! when they are first needed.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::CampaignError;

/// A family with all targets that are at hand.
pub(crate) struct AtHand<F> {
    find: Box<dyn Fn() -> Result<F, CampaignError> + Send + Sync>,
    found: Mutex<Option<Arc<F>>>,
}

impl<F> AtHand<F> {
    /// What `find` finds.
    pub(crate) fn new(find: impl Fn() -> Result<F, CampaignError> + Send + Sync + 'static) -> Self {
        Self { find: Box::new(find), found: Mutex::new(None) }
    }

    /// The targets.
    ///
    /// # Errors
    /// If one of them cannot be asked what it is.
    pub(crate) fn get(&self) -> Result<Arc<F>, CampaignError> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(family) = &*found {
            return Ok(Arc::clone(family));
        }
        let family = Arc::new((self.find)()?);
        *found = Some(Arc::clone(&family));
        Ok(family)
    }
}

impl<F> fmt::Debug for AtHand<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AtHand")
    }
}

//! What tests share.

pub(crate) mod exact;

//! Targets in all their settings, as preflight checks them.

/// A target in all its settings.
#[derive(Debug)]
pub struct Lineup<T> {
    /// The target without optimization.
    pub plain: T,
    /// The setting of the config that this is, if the target has no plainer one.
    pub plain_setting: Option<String>,
    /// Its settings, and whether each was asked for: one that was not is left out if the target does
    /// not have it.
    pub settings: Vec<(T, IsAsked)>,
    /// Whether the target itself was asked for.
    pub is_asked: IsAsked,
}

/// Whether someone asked for a target or setting by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IsAsked {
    /// What does not work is an error.
    Yes,
    /// What does not work is left out.
    No,
}

impl IsAsked {
    /// Of something that was asked for if `is_asked`.
    pub const fn of(is_asked: bool) -> Self {
        match is_asked {
            true => Self::Yes,
            false => Self::No,
        }
    }
}

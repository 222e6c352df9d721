//! Running what a database says: only for campaigns that were made here, or with --trust.

use pathsmith_campaign::{Store, commands_of, is_trusted, remember_trust};

use crate::errors::{Failure, note};

/// Agreement to run what a campaign's database says.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct TrustArgs {
    /// Run the commands that the campaign's database names, even if the campaign was not made here
    /// by this user; remembered for this folder
    #[arg(long)]
    trust: bool,
}

impl TrustArgs {
    /// Lets a campaign pass that was made here, or that is trusted.
    ///
    /// # Errors
    /// If it is neither. The message lists what would be run.
    pub(crate) fn check(self, store: &Store) -> Result<(), Failure> {
        if is_trusted(store)? {
            return Ok(());
        }
        // All of them: the one that does harm may be the last.
        let list: String =
            commands_of(store)?.iter().map(|command| format!("\n    {command}")).collect();
        if !self.trust {
            return Err(Failure::Usage(format!(
                "the campaign in {} was not made here by this user, and its database says what is \
                 run:{list}\n--trust runs this, and remembers it for this folder",
                store.dir().display()
            )));
        }
        note(&format!("the database says what is run:{list}"));
        remember(store);
        Ok(())
    }
}

/// Remembers that a campaign is this user's own, or is trusted.
pub(crate) fn remember(store: &Store) {
    if let Err(error) = remember_trust(store) {
        note(&format!("later commands on this campaign need --trust: {error}"));
    }
}

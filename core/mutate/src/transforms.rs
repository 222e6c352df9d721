//! All transforms, one file each.

mod constant;
mod dead_block;
mod duplicate;
mod guard;
mod identity;
mod live_block;
mod never_taken;
mod off_path;
mod split;
mod switch;
mod twin;

use pathsmith_edit::Transform;

use crate::profile::ValueProfile;

/// A transform, and what it does in a few words.
#[derive(Clone, Copy)]
pub struct Mutation {
    /// What it does.
    pub about: &'static str,
    /// The transform.
    pub transform: &'static (dyn Transform<Profile = ValueProfile> + Sync),
}

impl std::fmt::Debug for Mutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Mutation").field(&self.transform.name()).finish()
    }
}

/// All transforms.
pub const TRANSFORMS: &[Mutation] = &[
    Mutation {
        about: "a block or loop behind a condition that never holds",
        transform: &dead_block::DeadBlock,
    },
    Mutation { about: "a condition that always holds around statements", transform: &guard::Guard },
    Mutation {
        about: "code that runs, changes variables, decides by them, and restores them",
        transform: &live_block::LiveBlock,
    },
    Mutation { about: "a statement that never runs is deleted", transform: &off_path::Delete },
    Mutation { about: "a statement is inserted where nothing runs", transform: &off_path::Insert },
    Mutation {
        about: "a region copied; a condition chooses between original and copy",
        transform: &twin::Twin,
    },
    Mutation {
        about: "an edge leads to a copy of its region: peeling, tail duplication",
        transform: &duplicate::Duplicate,
    },
    Mutation {
        about: "an edge to any block that is never taken: second entries of loops",
        transform: &never_taken::NeverTaken,
    },
    Mutation { about: "a block cut in two", transform: &split::Split },
    Mutation { about: "an if as a switch, or a switch as ifs", transform: &switch::Switch },
    Mutation { about: "an expression as an equal one", transform: &identity::Identity },
    Mutation { about: "a constant as an expression of variables", transform: &constant::Constant },
];

/// The transform of a name.
pub fn named(name: &str) -> Option<&'static Mutation> {
    TRANSFORMS.iter().find(|mutation| mutation.transform.name() == name)
}

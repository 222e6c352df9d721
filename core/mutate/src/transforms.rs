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

use crate::subject::Subject;

/// A transform, and what it does in a few words.
#[derive(Clone, Copy)]
pub struct Mutation {
    /// What it does.
    pub about: &'static str,
    /// Its weight by default. All are guesses.
    pub weight: f64,
    /// Whether it takes code from another program.
    pub donor: Donor,
    /// The transform.
    pub transform: &'static (dyn Transform<Profile = Subject> + Sync),
}

/// Whether a transform takes code from another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Donor {
    /// It does not.
    None,
    /// From a donor, if there is one, and else from the program itself.
    Optional,
}

impl std::fmt::Debug for Mutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Mutation").field(&self.transform.name()).finish()
    }
}

/// All transforms.
pub const TRANSFORMS: &[Mutation] = &[
    alone("a block or loop behind a condition that never holds", 1.0, &dead_block::DeadBlock),
    alone("a condition that always holds around statements", 1.0, &guard::Guard),
    alone(
        "code that runs, changes variables, decides by them, and restores them",
        1.0,
        &live_block::LiveBlock,
    ),
    alone("a statement that never runs is deleted", 1.0, &off_path::Delete),
    alone("a statement is inserted where nothing runs", 1.0, &off_path::Insert),
    alone("a region copied; a condition chooses between original and copy", 1.0, &twin::Twin),
    alone(
        "an edge leads to a copy of its region: peeling, tail duplication",
        1.0,
        &duplicate::Duplicate,
    ),
    alone(
        "an edge to any block that is never taken: second entries of loops",
        1.0,
        &never_taken::NeverTaken,
    ),
    alone("a block cut in two", 1.0, &split::Split),
    alone("an if as a switch, or a switch as ifs", 1.0, &switch::Switch),
    alone("an expression as an equal one", 1.0, &identity::Identity),
    alone("a constant as an expression of variables", 1.0, &constant::Constant),
];

/// The transform of a name.
pub fn named(name: &str) -> Option<&'static Mutation> {
    TRANSFORMS.iter().find(|mutation| mutation.transform.name() == name)
}

/// One that needs no donor.
const fn alone(
    about: &'static str,
    weight: f64,
    transform: &'static (dyn Transform<Profile = Subject> + Sync),
) -> Mutation {
    Mutation { about, weight, donor: Donor::None, transform }
}

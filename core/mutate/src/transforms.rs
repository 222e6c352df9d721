//! All transforms, one file each.

mod constant;
mod dead_block;
mod duplicate;
mod guard;
mod identity;
mod inline;
mod inline_call;
mod live_block;
mod loops;
mod merge;
mod never_taken;
mod off_path;
mod other;
mod outline;
mod reorder;
mod sequence;
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
    alone("a condition that always holds around statements or blocks", 1.0, &guard::Guard),
    alone(
        "code that runs, changes variables, uses them, and restores them",
        2.0,
        &live_block::LiveBlock,
    ),
    alone("a statement or block that never runs is deleted", 0.5, &off_path::Delete),
    alone("statements or blocks are inserted where nothing runs", 0.5, &off_path::Insert),
    alone("a region copied; a condition chooses between original and copy", 1.0, &twin::Twin),
    alone(
        "an edge leads to a copy of its region: tail duplication, second entries that are taken",
        1.0,
        &duplicate::Duplicate,
    ),
    alone(
        "an edge to any block that is never taken: second entries of loops",
        1.0,
        &never_taken::NeverTaken,
    ),
    alone("a block cut in two", 0.25, &split::Split),
    alone("a block joined with the only one that leads to it", 0.25, &merge::Merge),
    alone("blocks in another order", 0.25, &reorder::Reorder),
    alone("an if as a switch, or a switch as ifs", 0.5, &switch::Switch),
    alone("the body of a loop once before the loop", 0.5, &loops::Peel),
    alone("the head of a loop before the loop, which then decides at its end", 0.5, &loops::Rotate),
    alone("the body of a loop several times in the loop", 0.5, &loops::Unroll),
    alone("statements, a loop or an expression as functions of their own", 1.0, &outline::Outline),
    alone("the body of a function in the place of a call", 1.0, &inline_call::InlineCall),
    alone("an expression as an equal one", 2.0, &identity::Identity),
    alone("a constant as an expression of variables", 1.0, &constant::Constant),
    Mutation {
        about: "crossover: the body of a donor's function at a random point",
        weight: 2.0,
        donor: Donor::Optional,
        transform: &inline::Inline,
    },
    Mutation {
        about: "crossover: a caller of a function and of one of a donor",
        weight: 1.0,
        donor: Donor::Optional,
        transform: &sequence::Sequence,
    },
    alone("free: another constant", 0.5, &other::OtherConstant),
    alone("free: another operator", 0.5, &other::OtherOperator),
    alone("free: a value by way of another type", 0.5, &other::OtherType),
    alone("free: an edge to another block", 0.5, &other::OtherEdge),
    alone("free: statements in another order", 0.5, &other::OtherOrder),
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

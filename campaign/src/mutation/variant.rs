//! A variant of a program, for one case of a campaign.

use pathsmith_mutate::{Mutator, Rejections};
use pathsmith_symlang::Seed;
use pathsmith_symlang::choose::choose_share;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::semantics::Limits;

use super::config::MutationConfig;
use super::origin::{Origin, Parent};
use super::parents::Parents;
use super::rename::{name_added, renamed};

/// How many programs a variant may take code from. A guess.
const N_DONORS: usize = 2;

/// How many steps a run of a variant may take. A guess: far more than generated programs take, and
/// few enough that a transform which multiplies them costs little.
const MAX_STEPS: u64 = 100_000;

/// What the interpreter may use for a variant.
pub(crate) fn variant_limits() -> Limits {
    Limits { steps: MAX_STEPS, ..Limits::default() }
}

/// Where the choices for the variant of a case come from.
fn stream(seed: Seed, number: u64) -> Seed {
    seed.child("mutate").nth(number)
}

/// Whether case `number` of `seed` is a variant.
pub(crate) fn is_variant(config: &MutationConfig, seed: Seed, number: u64) -> bool {
    choose_share(config.share, &mut stream(seed, number).rng())
}

/// What is made of a case that is a variant.
pub(crate) struct CaseParent {
    /// What it is made of.
    pub(crate) parent: Parent,
    /// The program, with the names of the case.
    pub(crate) program: Program,
}

/// Draws what case `number` is made of. `None` stands for what is generated for the case.
pub(crate) fn choose_parent(
    config: &MutationConfig,
    parents: &Parents,
    seed: Seed,
    number: u64,
) -> Option<CaseParent> {
    let known = parents.choose(config, &mut stream(seed, number).child("parent").rng())?;
    let program = renamed(&known.program, &format!("f{number}"));
    Some(CaseParent { parent: known.parent.clone(), program })
}

/// A variant of a program for case `number`. `None` if no transform applies. Counts in `rejections`
/// what transforms made, and why they made nothing.
pub(crate) fn variant_of(
    config: &MutationConfig,
    parents: &Parents,
    seed: Seed,
    number: u64,
    of: CaseParent,
    rejections: &mut Rejections,
) -> Option<(Program, Origin)> {
    let seed = stream(seed, number);
    let CaseParent { parent, program } = of;
    let mut rng = seed.child("donors").rng();
    let donors: Vec<Program> = (0..N_DONORS)
        .filter_map(|at| {
            let known = parents.choose(config, &mut rng)?;
            Some(renamed(&known.program, &format!("f{number}_d{at}")))
        })
        .collect();
    let mutator = Mutator::new(&program, variant_limits());
    let (config, mut rng) = (&config.variants, seed.child("steps").rng());
    let variant = mutator.choose_variant(config, &donors, rejections, &mut rng)?;
    let mut made = variant.program;
    name_added(&mut made, &program, &format!("f{number}"));
    let origin = Origin { parent, program, lineage: variant.lineage, needed: None };
    Some((made, origin))
}

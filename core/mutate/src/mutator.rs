//! Applying transforms to a program, one after another.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use pathsmith_edit::{Baseline, Claim, Rejected, Transformed};
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::semantics::Limits;
use pathsmith_symlang::{FuncId, Rng, Seed};
use rand::RngExt;

use crate::config::MutateConfig;
use crate::lineage::{Lineage, Step};
use crate::profile::ValueProfile;
use crate::sites::{Sites, choose_from};
use crate::sizes::Sizes;
use crate::subject::Subject;
use crate::transforms::{Donor, Mutation, named};

/// How many transforms are drawn for each that is wanted. A guess: programs that are a single path
/// have nothing to edit for every third.
const DRAWS_PER_TRANSFORM: u32 = 8;

/// How many places are tried for a change after which a program may be undefined. A guess.
const N_FREE_TRIES: usize = 4;

/// A program with its profile, from which any number of variants can be made.
#[derive(Clone, Debug)]
pub struct Mutator {
    baseline: Baseline,
    profile: OnceLock<(Arc<ValueProfile>, Arc<Sites>)>,
    limits: Limits,
}

/// A program with known outputs, and how it was made.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The program. The interpreter has run all of its realizations.
    pub program: Program,
    /// How it was made.
    pub lineage: Lineage,
}

/// What came of the steps of a lineage.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// The program after the last step.
    pub program: Program,
    /// Which of the steps were applied; the others have nothing to edit any more, or make a program
    /// that is undefined.
    pub applied: Vec<bool>,
}

/// How often each transform was tried, and why there was no variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejections {
    /// How often each transform gave a variant, by its name.
    pub made: BTreeMap<&'static str, u64>,
    /// How often it did not, by its name and the reason.
    pub rejected: BTreeMap<(&'static str, Rejected), u64>,
}

impl Rejections {
    /// Adds an attempt.
    pub fn note<T>(&mut self, name: &'static str, result: &Result<T, Rejected>) {
        match result {
            Ok(_) => *self.made.entry(name).or_default() += 1,
            Err(why) => *self.rejected.entry((name, *why)).or_default() += 1,
        }
    }

    /// Transforms that are wrong, by name, and how often each changed what a program computes although
    /// it promises not to.
    pub fn wrong(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let is_wrong = |why: &Rejected| *why == Rejected::NotEquivalent;
        self.rejected
            .iter()
            .filter(move |((_, why), _)| is_wrong(why))
            .map(|((of, _), n)| (*of, *n))
    }
}

impl Mutator {
    /// For a valid program with a dialect, in which all realizations hold.
    pub fn new(program: &Program, limits: Limits) -> Self {
        let baseline = Baseline::new(Arc::new(program.clone()), limits);
        Self { baseline, profile: OnceLock::new(), limits }
    }

    /// The profile of the program.
    pub fn profile(&self) -> &Arc<ValueProfile> {
        &self.surveyed().0
    }

    /// The profile, and the places where transforms work.
    fn surveyed(&self) -> &(Arc<ValueProfile>, Arc<Sites>) {
        self.profile.get_or_init(|| {
            let profile = ValueProfile::new(self.program(), self.limits);
            let sites = Sites::new(self.program(), &profile);
            (Arc::new(profile), Arc::new(sites))
        })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.baseline.program()
    }

    fn into_program(self) -> Program {
        self.program().clone()
    }

    /// A variant by one transform. The interpreter has run all of its realizations. Transforms that
    /// take code from another program take it from `donor`.
    ///
    /// # Errors
    /// Why there is none.
    pub fn apply(
        &self,
        mutation: &Mutation,
        sizes: &Sizes,
        donor: Option<&Program>,
        rng: &mut Rng,
    ) -> Result<Program, Rejected> {
        let (profile, sites) = self.surveyed();
        let subject = Subject {
            profile: Arc::clone(profile),
            sites: Arc::clone(sites),
            sizes: sizes.clone(),
            donor: donor.map(|donor| Arc::new(donor.clone())),
        };
        let n_tries = match mutation.transform.claim() {
            Claim::Equivalent | Claim::Nothing => 1,
            Claim::Free => N_FREE_TRIES,
        };
        let mut made = self.baseline.transformed(mutation.transform, &subject, rng);
        for _ in 1..n_tries {
            if made.is_ok() {
                break;
            }
            made = self.baseline.transformed(mutation.transform, &subject, rng);
        }
        let Transformed { program: mut variant, changed } = made?;
        let line = format!("mutated: {}", mutation.transform.name());
        let before = &self.program().functions;
        let mut is_other = false;
        for (at, after) in variant.functions.iter_mut().enumerate() {
            let is_changed = match &changed {
                Some(changed) => {
                    changed.contains(&FuncId::new(at)) && before.get(at) != Some(&*after)
                }
                // Functions that are no longer called are gone.
                None => before.iter().find(|before| before.name == after.name) != Some(&*after),
            };
            if is_changed {
                after.docs.push(line.clone());
                is_other = true;
            }
        }
        if !is_other {
            return Err(Rejected::NothingToEdit);
        }
        Ok(variant)
    }

    /// A variant by as many transforms as `config` says, drawn by their weights. Those that do not
    /// apply are counted, and others are drawn; there are fewer if too many do not, and nothing if
    /// none does. Transforms that take code from other programs take it from `donors`, which have
    /// the dialect of this program, or else from the program itself.
    pub fn choose_variant(
        &self,
        config: &MutateConfig,
        donors: &[Program],
        rejections: &mut Rejections,
        rng: &mut Rng,
    ) -> Option<Variant> {
        let n_wanted = config.choose_count(rng);
        let mut last: Option<Self> = None;
        let mut lineage = Lineage { sizes: config.sizes.clone(), ..Lineage::default() };
        // Where each donor of the lineage stands in `donors`.
        let mut used: Vec<usize> = Vec::new();
        let donors_of_dialect: Vec<usize> =
            (0..donors.len()).filter(|at| donors[*at].dialect == self.program().dialect).collect();
        for _ in 0..n_wanted.saturating_mul(DRAWS_PER_TRANSFORM) {
            let current = last.as_ref().unwrap_or(self);
            let mutation = config.weights.choose(rng)?;
            let donor = match mutation.donor {
                Donor::None => None,
                Donor::Optional => choose_from(&donors_of_dialect, rng),
            };
            let seed = Seed::from_state(rng.random());
            let program = donor.map(|at| &donors[at]);
            let variant = current.apply(mutation, &config.sizes, program, &mut seed.rng());
            rejections.note(mutation.transform.name(), &variant);
            if let Ok(variant) = variant {
                last = Some(Self::new(&variant, self.limits));
                let donor = donor.map(|at| {
                    used.iter().position(|known| *known == at).unwrap_or_else(|| {
                        used.push(at);
                        lineage.donors.push(donors[at].clone());
                        used.len() - 1
                    })
                });
                lineage.steps.push(Step { transform: mutation.transform.name(), seed, donor });
            }
            if lineage.steps.len() == n_wanted as usize {
                break;
            }
        }
        last.map(|last| Variant { program: last.into_program(), lineage })
    }

    /// What the steps of a lineage make of the program. Steps that do not apply are skipped, so that
    /// some can be left out ([`Lineage::retaining`]).
    pub fn replay(&self, lineage: &Lineage) -> Replayed {
        let mut last: Option<Self> = None;
        let apply = |step: &Step| {
            let current = last.as_ref().unwrap_or(self);
            let donor = step.donor.and_then(|at| lineage.donors.get(at));
            let made = named(step.transform).and_then(|mutation| {
                current.apply(mutation, &lineage.sizes, donor, &mut step.seed.rng()).ok()
            });
            let is_applied = made.is_some();
            if let Some(made) = made {
                last = Some(Self::new(&made, self.limits));
            }
            is_applied
        };
        let applied = lineage.steps.iter().map(apply).collect();
        let program = last.map_or_else(|| self.program().clone(), Self::into_program);
        Replayed { program, applied }
    }
}

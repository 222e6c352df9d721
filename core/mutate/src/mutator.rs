//! Applying transforms to a program, one after another.

use std::collections::BTreeMap;

use pathsmith_edit::{Rejected, transformed};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::semantics::Limits;

use crate::profile::ValueProfile;
use crate::sites::choose_from;
use crate::transforms::Mutation;

/// How many transforms are drawn for each that is wanted. A guess: of twelve, four do not apply to
/// programs that are a single path.
const DRAWS_PER_TRANSFORM: usize = 8;

/// A program with its profile, from which any number of variants can be made.
#[derive(Clone, Debug)]
pub struct Mutator {
    program: Program,
    profile: ValueProfile,
    limits: Limits,
}

/// How often each transform was tried, and why there was no variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rejections {
    /// How often each transform gave a variant, by its name.
    pub made: BTreeMap<&'static str, u64>,
    /// How often it did not, by its name and the reason.
    pub rejected: BTreeMap<(&'static str, String), u64>,
}

impl Rejections {
    fn note<T>(&mut self, name: &'static str, result: &Result<T, Rejected>) {
        match result {
            Ok(_) => *self.made.entry(name).or_default() += 1,
            Err(why) => *self.rejected.entry((name, why.to_string())).or_default() += 1,
        }
    }
}

impl Mutator {
    /// For a valid program with a dialect, in which all realizations hold.
    pub fn new(program: &Program, limits: Limits) -> Self {
        let profile = ValueProfile::new(program, limits);
        Self { program: program.clone(), profile, limits }
    }

    /// The profile of the program.
    pub fn profile(&self) -> &ValueProfile {
        &self.profile
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// A variant by one transform. The interpreter has run all of its realizations.
    ///
    /// # Errors
    /// Why there is none.
    pub fn apply(&self, mutation: &Mutation, rng: &mut Rng) -> Result<Program, Rejected> {
        let mut variant =
            transformed(mutation.transform, &self.program, &self.profile, self.limits, rng)?;
        for after in &mut variant.functions {
            // Functions that are no longer called are gone.
            let before = self.program.functions.iter().find(|before| before.name == after.name);
            if before.is_none_or(|before| before != after) {
                after.docs.push(format!("mutated: {}", mutation.transform.name()));
            }
        }
        Ok(variant)
    }

    /// A variant by `n` transforms of those given, one after another. Those that do not apply are
    /// counted, and others are drawn; there are fewer than `n` if too many do not, and nothing if none
    /// does.
    pub fn apply_some(
        &self,
        mutations: &[Mutation],
        n: usize,
        rejections: &mut Rejections,
        rng: &mut Rng,
    ) -> Option<Program> {
        let (mut last, mut n_applied): (Option<Self>, usize) = (None, 0);
        for _ in 0..n.saturating_mul(DRAWS_PER_TRANSFORM) {
            let current = last.as_ref().unwrap_or(self);
            let mutation = choose_from(mutations, rng)?;
            let variant = current.apply(&mutation, rng);
            rejections.note(mutation.transform.name(), &variant);
            if let Ok(variant) = variant {
                last = Some(Self::new(&variant, self.limits));
                n_applied += 1;
            }
            if n_applied == n {
                break;
            }
        }
        last.map(|last| last.program)
    }
}

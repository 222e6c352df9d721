//! Functions and programs that are compiled together.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use pathsmith_generate::{GenConfig, ProgramError, generate_leaf, generate_program};
use pathsmith_mutate::Rejections;
use pathsmith_oracles::process::thread_time;
use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{FuncId, Seed};

use crate::mutation::origin::{Origin, Parent};
use crate::mutation::variant::{CaseParent, choose_parent, is_variant, variant_of};
use crate::oversized::{Oversized, exceeded_limit};
use crate::plan::Plan;
use crate::shares::{ArmCounts, arms_of};

/// A test case: a program that stands for itself, and that a finding is bisected to.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its number in the seed.
    pub number: u64,
    /// Which variant of the case it is; 0 is the case as it was generated.
    pub variant: u32,
    /// The program.
    pub program: Program,
    /// What was drawn for it, if it is a single function: a theme, templates, policies; and, if it is
    /// a variant, what it was made of and by which transforms.
    pub arms: Vec<String>,
    /// Where it comes from, if it is a variant.
    pub origin: Option<Arc<Origin>>,
    /// Where its functions are in the whole batch.
    pub functions: Range<usize>,
    /// Where its globals are.
    pub globals: Range<usize>,
}

/// Several cases, and the program that they make together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The cases.
    pub cases: Vec<Case>,
    /// All of them together.
    pub program: Program,
    /// How many functions could not be solved.
    pub n_unsolved: u64,
    /// Cases that are left out because they are too large.
    pub oversized: Vec<Oversized>,
    /// How many cases were to be variants, but no transform applied to them.
    pub n_without_variant: u64,
    /// What transforms made, and why they made nothing.
    pub rejections: Rejections,
    /// The CPU time that making variants took.
    pub mutating: Duration,
}

/// A case before it has a place in a batch.
struct New {
    number: u64,
    variant: u32,
    arms: Vec<String>,
    program: Program,
    origin: Option<Arc<Origin>>,
}

/// Whether case `number` of `seed` is a whole program, and not a single function.
pub(crate) fn is_program(config: &GenConfig, seed: Seed, number: u64) -> bool {
    choose_bool(config.link.share, &mut seed.child("case").nth(number).rng())
}

impl From<Case> for New {
    fn from(case: Case) -> Self {
        let Case { number, variant, program, arms, origin, functions: _, globals: _ } = case;
        Self { number, variant, arms, program, origin }
    }
}

impl Batch {
    /// Makes the cases `numbers` of `seed`: whole programs, single functions, and variants.
    ///
    /// # Errors
    /// If a program does not do what it was generated for, which is a bug of pathsmith.
    pub fn generate(
        plan: &Plan,
        dialect: Dialect,
        seed: Seed,
        numbers: Range<u64>,
    ) -> Result<Self, ProgramError> {
        let mut batch = Self::default();
        batch.program.dialect = Some(dialect);
        for number in numbers {
            // What is only compiled has no realizations that variants could keep.
            let is_variant = !plan.generate.crash_only && is_variant(&plan.mutate, seed, number);
            let parent = is_variant
                .then(|| choose_parent(&plan.mutate, &plan.parents, seed, number))
                .flatten();
            let made = match parent {
                Some(parent) => match batch.variant(plan, seed, number, parent, Vec::new()) {
                    Some(variant) => Some(variant),
                    None => batch.generated(plan, dialect, seed, number)?,
                },
                None => {
                    let generated = batch.generated(plan, dialect, seed, number)?;
                    match generated {
                        Some(new) if is_variant => Some(batch.variant_or_itself(plan, seed, new)),
                        Some(_) | None => generated,
                    }
                }
            };
            if let Some(new) = made {
                batch.add_new(new);
            }
        }
        Ok(batch)
    }

    /// The case of a number as it is generated. `None`, and counted, if it cannot be solved.
    fn generated(
        &mut self,
        plan: &Plan,
        dialect: Dialect,
        seed: Seed,
        number: u64,
    ) -> Result<Option<New>, ProgramError> {
        let config = &plan.generate;
        let (program, arms) = if is_program(config, seed, number) {
            match generate_program(config, dialect, seed, number) {
                Ok(linked) => (linked.program, Vec::new()),
                Err(ProgramError::Unsolved(_)) => {
                    self.n_unsolved += 1;
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        } else {
            match generate_leaf(config, dialect, seed, number) {
                Ok(leaf) => {
                    let arms = arms_of(&leaf);
                    (leaf.program, arms)
                }
                Err(_) => {
                    self.n_unsolved += 1;
                    return Ok(None);
                }
            }
        };
        Ok(Some(New { number, variant: 0, arms, program, origin: None }))
    }

    /// The variant of what was generated, or that itself if no transform applies.
    fn variant_or_itself(&mut self, plan: &Plan, seed: Seed, new: New) -> New {
        let parent = CaseParent {
            parent: Parent::Generated { number: new.number },
            program: new.program.clone(),
        };
        self.variant(plan, seed, new.number, parent, new.arms.clone()).unwrap_or(new)
    }

    /// A variant of `parent`, which has `arms`. `None`, and counted, if no transform applies.
    fn variant(
        &mut self,
        plan: &Plan,
        seed: Seed,
        number: u64,
        parent: CaseParent,
        mut arms: Vec<String>,
    ) -> Option<New> {
        let started = thread_time();
        let rejections = &mut self.rejections;
        let made = variant_of(&plan.mutate, &plan.parents, seed, number, parent, rejections);
        self.mutating += thread_time().saturating_sub(started);
        let Some((program, origin)) = made else {
            self.n_without_variant += 1;
            return None;
        };
        // Whole programs have no arms of their own: each of their functions would have others.
        let is_function = !arms.is_empty();
        arms.extend(origin.arms(is_function));
        Some(New { number, variant: 1, arms, program, origin: Some(Arc::new(origin)) })
    }

    /// Adds a case, unless it exceeds a limit of the language.
    fn add_new(&mut self, new: New) {
        match exceeded_limit(&new.program) {
            Some(why) => self.oversized.push(Oversized { number: new.number, why }),
            None => self.add_case(new),
        }
    }

    /// Leaves out some of the cases, by position in order, and notes why.
    pub(crate) fn leave_out(&mut self, cases: Vec<(usize, String)>) {
        let mut rest = Self {
            n_unsolved: self.n_unsolved,
            n_without_variant: self.n_without_variant,
            rejections: std::mem::take(&mut self.rejections),
            mutating: self.mutating,
            oversized: std::mem::take(&mut self.oversized),
            ..Self::default()
        };
        rest.program.dialect = self.program.dialect;
        let mut cases = cases.into_iter().peekable();
        for (at, case) in std::mem::take(&mut self.cases).into_iter().enumerate() {
            match cases.next_if(|(left_out, _)| *left_out == at) {
                Some((_, why)) => rest.oversized.push(Oversized { number: case.number, why }),
                None => rest.add_case(New::from(case)),
            }
        }
        *self = rest;
    }

    /// Adds a case as it was generated.
    pub fn add(&mut self, number: u64, program: Program) {
        self.add_case(New { number, variant: 0, arms: Vec::new(), program, origin: None });
    }

    fn add_case(&mut self, new: New) {
        let New { number, variant, arms, program, origin } = new;
        let (first, first_global) = (self.program.functions.len(), self.program.globals.len());
        self.program.append(&program);
        self.cases.push(Case {
            number,
            variant,
            program,
            arms,
            origin,
            functions: first..self.program.functions.len(),
            globals: first_global..self.program.globals.len(),
        });
    }

    /// The cases at `range`, as a batch of their own.
    pub fn part(&self, range: Range<usize>) -> Self {
        let mut part = Self::default();
        part.program.dialect = self.program.dialect;
        for case in &self.cases[range] {
            part.add_case(New::from(case.clone()));
        }
        part
    }

    /// The case that a function of the whole belongs to.
    pub fn case_of(&self, function: FuncId) -> Option<usize> {
        self.cases.iter().position(|case| case.functions.contains(&function.index()))
    }

    /// How many functions each arm has.
    pub fn arms(&self) -> ArmCounts {
        let mut counts = ArmCounts::new();
        for arm in self.cases.iter().flat_map(|case| &case.arms) {
            *counts.entry(arm.clone()).or_default() += 1;
        }
        counts
    }

    /// How many realizations there are.
    pub fn n_realizations(&self) -> u64 {
        self.program.functions.iter().map(|function| function.realizations.len() as u64).sum()
    }
}

//! Functions and programs that are compiled together.

use std::ops::Range;

use pathsmith_generate::{GenConfig, ProgramError, generate_leaf, generate_program};
use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{FuncId, Seed};

use crate::oversized::{Oversized, exceeded_limit};
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
    /// What was drawn for it, if it is a single function: a theme, templates, policies.
    pub arms: Vec<String>,
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
}

/// Whether case `number` of `seed` is a whole program, and not a single function.
pub(crate) fn is_program(config: &GenConfig, seed: Seed, number: u64) -> bool {
    choose_bool(config.link.share, &mut seed.child("case").nth(number).rng())
}

impl Batch {
    /// Generates the cases `numbers` of `seed`: whole programs, and single functions.
    ///
    /// # Errors
    /// If a program does not do what it was generated for, which is a bug of pathsmith.
    pub fn generate(
        config: &GenConfig,
        dialect: Dialect,
        seed: Seed,
        numbers: Range<u64>,
    ) -> Result<Self, ProgramError> {
        let mut batch = Self::default();
        batch.program.dialect = Some(dialect);
        for number in numbers {
            if is_program(config, seed, number) {
                match generate_program(config, dialect, seed, number) {
                    Ok(linked) => batch.add_generated(number, Vec::new(), linked.program),
                    Err(ProgramError::Unsolved(_)) => batch.n_unsolved += 1,
                    Err(error) => return Err(error),
                }
                continue;
            }
            match generate_leaf(config, dialect, seed, number) {
                Ok(leaf) => {
                    let arms = arms_of(&leaf);
                    batch.add_generated(number, arms, leaf.program);
                }
                Err(_) => batch.n_unsolved += 1,
            }
        }
        Ok(batch)
    }

    /// Adds a case, unless it exceeds a limit of the language.
    fn add_generated(&mut self, number: u64, arms: Vec<String>, program: Program) {
        match exceeded_limit(&program) {
            Some(why) => self.oversized.push(Oversized { number, why }),
            None => self.add_case(number, 0, arms, program),
        }
    }

    /// Leaves out some of the cases, by position in order, and notes why.
    pub(crate) fn leave_out(&mut self, cases: Vec<(usize, String)>) {
        let mut rest = Self {
            n_unsolved: self.n_unsolved,
            oversized: std::mem::take(&mut self.oversized),
            ..Self::default()
        };
        rest.program.dialect = self.program.dialect;
        let mut cases = cases.into_iter().peekable();
        for (at, case) in std::mem::take(&mut self.cases).into_iter().enumerate() {
            match cases.next_if(|(left_out, _)| *left_out == at) {
                Some((_, why)) => rest.oversized.push(Oversized { number: case.number, why }),
                None => rest.add_case(case.number, case.variant, case.arms, case.program),
            }
        }
        *self = rest;
    }

    /// Adds a case as it was generated.
    pub fn add(&mut self, number: u64, program: Program) {
        self.add_variant(number, 0, program);
    }

    /// Adds a variant of a case.
    pub fn add_variant(&mut self, number: u64, variant: u32, program: Program) {
        self.add_case(number, variant, Vec::new(), program);
    }

    fn add_case(&mut self, number: u64, variant: u32, arms: Vec<String>, program: Program) {
        let (first, first_global) = (self.program.functions.len(), self.program.globals.len());
        self.program.append(&program);
        self.cases.push(Case {
            number,
            variant,
            program,
            arms,
            functions: first..self.program.functions.len(),
            globals: first_global..self.program.globals.len(),
        });
    }

    /// The cases at `range`, as a batch of their own.
    pub fn part(&self, range: Range<usize>) -> Self {
        let mut part = Self::default();
        part.program.dialect = self.program.dialect;
        for case in &self.cases[range] {
            part.add_case(case.number, case.variant, case.arms.clone(), case.program.clone());
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

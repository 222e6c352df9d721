//! Batches, lowered without the cases that a target has no room for.

use pathsmith_backend::{Backend, LowerError};
use pathsmith_oracles::OracleError;
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::Program;

use crate::batch::Batch;
use crate::campaign::Campaign;
use crate::family::{Artifact, Family, Options};

impl<F: Family> Campaign<F> {
    /// The lowering options of a batch.
    pub(crate) fn options_of(&self, number: u64, program: &Program) -> Options<F> {
        let mut rng = Seed::new(self.seed).child("lower").nth(number).rng();
        self.family.choose_options(program, &mut rng)
    }

    /// Lowers batch `number`. Cases that exceed a limit of the backend are left out: one of them
    /// must not end the campaign, which would come to it again whenever it is resumed.
    pub(crate) fn lowered_batch(
        &self,
        number: u64,
        mut batch: Batch,
        mut options: Options<F>,
    ) -> Result<(Batch, Options<F>, Artifact<F>), OracleError> {
        loop {
            let lowered = self.family.backend().lower(&batch.program, &options);
            match lowered {
                Ok(artifact) => return Ok((batch, options, artifact)),
                Err(error @ LowerError::Limit { .. }) if !batch.cases.is_empty() => {
                    self.leave_out_oversized(&mut batch, &options, &error);
                    options = self.options_of(number, &batch.program);
                }
                Err(error) => return Err(self.cannot_lower(&error)),
            }
        }
    }

    /// Leaves out what cannot be lowered alone; if all can, the largest case, because together they
    /// are too large.
    fn leave_out_oversized(&self, batch: &mut Batch, options: &Options<F>, error: &LowerError) {
        let mut left_out: Vec<(usize, String)> = Vec::new();
        for (at, case) in batch.cases.iter().enumerate() {
            let own = Self::restricted(options, std::slice::from_ref(case));
            if let Err(error @ LowerError::Limit { .. }) =
                self.family.backend().lower(&case.program, &own)
            {
                left_out.push((at, error.to_string()));
            }
        }
        if left_out.is_empty() {
            let size =
                |program: &Program| program.functions.iter().map(|f| f.n_exprs()).sum::<usize>();
            let largest = (0..batch.cases.len()).max_by_key(|&at| size(&batch.cases[at].program));
            left_out.extend(largest.map(|at| (at, error.to_string())));
        }
        batch.leave_out(left_out);
    }
}

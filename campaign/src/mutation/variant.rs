//! A variant of a program, for one case of a campaign.

use pathsmith_mutate::{Mutator, Rejected, Rejections};
use pathsmith_symlang::Seed;
use pathsmith_symlang::choose::choose_share;
use pathsmith_symlang::lang::{Program, function_name};
use pathsmith_symlang::semantics::Limits;

use super::config::MutationConfig;
use super::origin::{Origin, Parent};
use super::parents::Parents;
use super::rename::{named, renamed};

/// How many programs a variant may take code from. A guess.
const N_DONORS: usize = 2;

/// What is counted as a transform that made an invalid program: the names of what was added.
const NAMES: &str = "names";

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
    let program = renamed(&known.program, &function_name(number));
    Some(CaseParent { parent: known.parent.clone(), program })
}

/// A variant of a program for case `number`. `None` if no transform applies, or if what they make
/// breaks a rule of the language, which is a bug of pathsmith. Counts in `rejections` what transforms
/// made, and why they made nothing.
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
    let made = named(variant.program, &program, &function_name(number));
    if made.is_none() {
        rejections.note::<Program>(NAMES, &Err(Rejected::Invalid));
    }
    let made = made?;
    let origin = Origin { parent, program, lineage: variant.lineage, needed: None };
    Some((made, origin))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pathsmith_backend::Backend;
    use pathsmith_backend_c::CBackend;
    use pathsmith_backend_jvm::JvmBackend;
    use pathsmith_backend_wasm::WasmBackend;
    use pathsmith_mutate::Weights;
    use pathsmith_symlang::dialect::Dialect;
    use pathsmith_symlang::lang::text::parse;
    use pathsmith_symlang::lang::validate;

    use super::*;
    use crate::batch::Batch;
    use crate::mutation::parents::Known;
    use crate::plan::Plan;

    const TEXT: &str = "global t: [u32; 4] = [1, 2, 3, 4];
        global s: u32 = 5;
        fn f(a: u32) -> u32 {
            var i: u32 = 0;
        entry:
            goto head;
        head:
            if i < 3u32 goto body else exit;
        body:
            t[i] = (t[i] & 255u32) + (a & 7u32);
            s = (s & 1023u32) + t[i + 1u32];
            i = i + 1u32;
            goto head;
        exit:
            return s;
        }
        realize f(9) = 14 via entry (head body)^3 head exit;";

    /// Crossovers of programs with globals, in every language: their names are unique, and they can
    /// be saved and lowered.
    #[test]
    fn crossovers_of_programs_with_globals_can_be_lowered_and_saved() {
        for dialect in Dialect::ALL {
            let known = |name: &str, text: &str| Known {
                parent: Parent::Corpus { name: name.to_owned() },
                program: Arc::new(parse("test", text).unwrap()),
            };
            let one = format!("dialect {dialect};\n{TEXT}");
            let corpus = vec![known("a", &one), known("b", &one.replace("1023u32", "511u32"))];
            let mut plan = Plan::default();
            plan.parents.corpus = Arc::new(corpus);
            (plan.mutate.share, plan.mutate.generated) = (1.0, 0.0);
            plan.mutate.variants.weights = Weights::only(["inline", "sequence"]).unwrap();
            (plan.mutate.variants.min_transforms, plan.mutate.variants.max_transforms) = (2, 3);
            let batch = Batch::generate(&plan, dialect, Seed::new(5), 0..40).unwrap();
            assert!(batch.cases.iter().filter(|case| case.variant > 0).count() > 30);
            assert!(batch.program.globals.iter().any(|global| global.name.contains("_m")));
            assert_eq!(validate(&batch.program), []);
            assert_eq!(parse("again", &batch.program.to_string()).unwrap(), batch.program);
            assert!(batch.rejections.rejected.keys().all(|(name, _)| *name != NAMES));
            match dialect {
                Dialect::C => drop(CBackend.lower(&batch.program, &Default::default()).unwrap()),
                Dialect::Wasm => {
                    drop(WasmBackend.lower(&batch.program, &Default::default()).unwrap());
                }
                Dialect::Jvm => {
                    drop(JvmBackend.lower(&batch.program, &Default::default()).unwrap());
                }
            }
        }
    }
}

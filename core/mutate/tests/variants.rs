//! Variants of generated programs: what a transform claims holds, and nothing is called equivalent
//! that is not.

use pathsmith_edit::{Claim, Draft, Rejected, Transform, transformed};
use pathsmith_generate::{GenConfig, generate_leaf, generate_program};
use pathsmith_mutate::{
    Lineage, MutateConfig, Mutator, Rejections, Sizes, Subject, TRANSFORMS, ValueProfile, Variant,
};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{BinOp, Expr, Program, validate};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{FuncId, Rng, Seed};

/// How many functions of each dialect are taken; each gets every transform. The full-sized run, which
/// makes over 100,000 variants, is `PATHSMITH_VARIANTS=2800 cargo test --release -p pathsmith-mutate`.
fn n_functions() -> u64 {
    std::env::var("PATHSMITH_VARIANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

fn parents(dialect: Dialect) -> impl Iterator<Item = Program> {
    let config = GenConfig::default();
    (0..n_functions()).filter_map(move |number| {
        // Every tenth is a whole program.
        if number % 10 == 9 {
            let linked = generate_program(&config, dialect, Seed::new(11), number);
            return linked.ok().map(|linked| linked.program);
        }
        let leaf = generate_leaf(&config, dialect, Seed::new(11), number);
        leaf.ok().map(|leaf| leaf.program)
    })
}

/// The endings of all realizations of `before`, run on `after` by an interpreter of its own.
fn agrees(before: &Program, after: &Program) -> bool {
    let code = Code::new(after);
    let mut machine = Machine::new(&code, after.dialect.expect("a dialect"));
    // A function that is no longer called may be gone.
    let realized = before.functions.iter().filter(|function| !function.realizations.is_empty());
    realized.into_iter().all(|function| {
        let id = after.function_named(&function.name).expect("the function");
        function.realizations.iter().all(|realization| {
            let outcome = machine.run(id, &realization.args, Limits::default());
            realization.ending.returned().map(Outcome::Returned) == Some(outcome)
        })
    })
}

#[test]
fn equivalent_variants_keep_all_outputs() {
    let (mut n_made, mut n_tried, mut worst) = (0_u64, 0_u64, Vec::new());
    for mutation in TRANSFORMS {
        let (mut made, mut tried) = (0_u64, 0_u64);
        for dialect in Dialect::ALL {
            for (number, parent) in (0..).zip(parents(dialect)) {
                let mutator = Mutator::new(&parent, Limits::default());
                let mut rng = Seed::new(12).nth(number).rng();
                tried += 1;
                match mutator.apply(mutation, &Sizes::default(), None, &mut rng) {
                    Ok(variant) => {
                        made += 1;
                        assert!(validate(&variant).is_empty(), "{mutation:?}: {variant}");
                        assert!(agrees(&parent, &variant), "{mutation:?}: {parent}\n{variant}");
                        assert_ne!(variant, parent, "{mutation:?} changes nothing");
                    }
                    Err(
                        why @ (Rejected::NotEquivalent | Rejected::Invalid | Rejected::Undefined),
                    ) => {
                        panic!("{mutation:?}: {why}: {parent}");
                    }
                    Err(Rejected::NothingToEdit) => {}
                }
            }
        }
        worst.push((mutation, made, tried));
        (n_made, n_tried) = (n_made + made, n_tried + tried);
    }
    // Of those that do not apply, most have nothing off the path, or no decision.
    assert!(n_made * 100 >= n_tried * 80, "{worst:?}");
}

/// A transform that is wrong is found out.
#[test]
fn a_broken_transform_is_caught() {
    struct Broken;

    impl Transform for Broken {
        type Profile = Subject;

        fn name(&self) -> &'static str {
            "broken"
        }

        fn claim(&self) -> Claim {
            Claim::Equivalent
        }

        /// Every sum becomes a difference.
        fn edit(&self, draft: &mut Draft, _: &Subject, _: &mut Rng) -> bool {
            let mut is_edited = false;
            for expr in draft.function(FuncId::FIRST).exprs_mut() {
                if let Expr::Binary(op @ BinOp::Add, ..) = expr {
                    *op = BinOp::Sub;
                    is_edited = true;
                }
            }
            is_edited
        }
    }

    let mut n_caught = 0;
    for parent in parents(Dialect::Wasm) {
        let profile = ValueProfile::new(&parent, Limits::default());
        let subject = Subject::new(profile, Sizes::default());
        let rng = &mut Seed::new(1).rng();
        let variant = transformed(&Broken, &parent, &subject, Limits::default(), rng);
        n_caught += u64::from(variant == Err(Rejected::NotEquivalent));
    }
    assert!(n_caught * 4 > n_functions(), "{n_caught} of {}", n_functions());
}

/// The same seed makes the same variant.
#[test]
fn variants_are_deterministic() {
    let parent = parents(Dialect::C).next().expect("a function");
    for mutation in TRANSFORMS {
        let make = || {
            let mutator = Mutator::new(&parent, Limits::default());
            let rng = &mut Seed::new(5).rng();
            mutator.apply(mutation, &Sizes::default(), None, rng).map(|variant| variant.to_string())
        };
        assert_eq!(make(), make(), "{mutation:?}");
    }
}

/// A lineage makes the same variant again, survives its text form, and can lose any step.
#[test]
fn variants_are_made_again_from_their_lineage() {
    let config = MutateConfig { min_transforms: 4, max_transforms: 6, ..MutateConfig::default() };
    let donors: Vec<Program> = parents(Dialect::C).skip(20).take(5).collect();
    let (mut n_steps, mut n_applied) = (0, 0);
    for (number, parent) in (0..).zip(parents(Dialect::C).take(20)) {
        let mutator = Mutator::new(&parent, Limits::default());
        let rng = &mut Seed::new(21).nth(number).rng();
        let variant = mutator.choose_variant(&config, &donors, &mut Rejections::default(), rng);
        let Variant { program, lineage } = variant.expect("a variant");
        let text = serde_json::to_string(&lineage).expect("JSON");
        let read: Lineage = serde_json::from_str(&text).expect("a lineage");
        assert_eq!(read, lineage);
        let replayed = mutator.replay(&read);
        assert_eq!(replayed.program, program, "{lineage}");
        assert!(replayed.applied.iter().all(|applied| *applied), "{lineage}");
        for left_out in 0..lineage.steps.len() {
            let replayed = mutator.replay(&lineage.retaining(|at| at != left_out));
            assert!(validate(&replayed.program).is_empty());
            n_steps += replayed.applied.len();
            n_applied += replayed.applied.iter().filter(|applied| **applied).count();
        }
    }
    assert!(n_applied * 10 >= n_steps * 8, "{n_applied} of {n_steps}");
}

//! Variants of programs with floating-point numbers: what transforms claim holds for them too.

use std::collections::BTreeMap;

use pathsmith_edit::{Claim, Rejected};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_mutate::{Donor, Mutator, Sizes, TRANSFORMS};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::lang::{Expr, Program, validate};
use pathsmith_symlang::semantics::{Code, Limits, Machine};

/// How many programs of each dialect are taken; each gets every transform.
const N_PROGRAMS: u64 = 60;

fn parents(dialect: Dialect) -> impl Iterator<Item = Program> {
    let options = SampleOptions { dialect, floats: 1.0, ..SampleOptions::default() };
    let programs = (0..).map(move |n| sample_program(&options, &mut Seed::new(31).nth(n).rng()));
    let is_realized = |p: &Program| p.functions.iter().any(|f| !f.realizations.is_empty());
    let programs = programs.map(move |program| Program { dialect: Some(dialect), ..program });
    programs.filter(is_realized).take(N_PROGRAMS as usize)
}

/// Whether all realizations of `before` hold in `after`.
fn agrees(before: &Program, after: &Program) -> bool {
    let code = Code::new(after);
    let mut machine = Machine::new(&code, after.dialect.expect("a dialect"));
    let realized = before.functions.iter().filter(|function| !function.realizations.is_empty());
    realized.into_iter().all(|function| {
        let id = after.function_named(&function.name).expect("the function");
        function.realizations.iter().all(|realization| {
            let outcome = machine.run(id, &realization.args, Limits::default());
            let leaves = realization.leaving.is_none() || realization.leaving == machine.leaving();
            outcome.ending() == Some(realization.ending) && leaves
        })
    })
}

/// How many operations have a floating-point number among their operands, or are one.
fn n_float_operations(program: &Program) -> usize {
    let of = |function: &pathsmith_symlang::lang::Function| {
        let mut n = 0;
        function.for_each_expr(|id, expr| {
            let is_float = |id| !program.expr_ty(function, id).is_int();
            let is_operation = !matches!(expr, Expr::Read(_) | Expr::Const(_));
            n += usize::from(is_operation && (is_float(id) || expr.operands().any(is_float)));
        });
        n
    };
    program.functions.iter().map(of).sum()
}

#[test]
fn claims_hold_for_floating_point_numbers() {
    let mut made: BTreeMap<&str, u64> = BTreeMap::new();
    let mut more_floats: BTreeMap<&str, u64> = BTreeMap::new();
    for dialect in Dialect::ALL {
        let mut donor: Option<Program> = None;
        for (number, parent) in (0..).zip(parents(dialect)) {
            let mutator = Mutator::new(&parent, Limits::default());
            for mutation in TRANSFORMS {
                let (name, claim) = (mutation.transform.name(), mutation.transform.claim());
                let mut rng = Seed::new(32).child(name).nth(number).rng();
                let donor = donor.as_ref().filter(|_| mutation.donor == Donor::Optional);
                match mutator.apply(mutation, &Sizes::default(), donor, &mut rng) {
                    Ok(variant) => {
                        assert!(validate(&variant).is_empty(), "{mutation:?}: {variant}");
                        let kept = if claim == Claim::Equivalent { &parent } else { &variant };
                        assert!(agrees(kept, &variant), "{mutation:?}: {parent}\n{variant}");
                        let text = variant.to_string();
                        assert_eq!(parse("variant", &text).ok().as_ref(), Some(&variant), "{text}");
                        *made.entry(name).or_default() += 1;
                        let is_more = n_float_operations(&variant) > n_float_operations(&parent);
                        *more_floats.entry(name).or_default() += u64::from(is_more);
                    }
                    // A called function that assigns a global is refused, and so is what no run reaches.
                    Err(Rejected::NothingToEdit) => {}
                    Err(why) => assert_eq!(claim, Claim::Free, "{mutation:?}: {why}: {parent}"),
                }
            }
            donor = Some(parent);
        }
    }
    for name in ["constant", "guard", "identity", "live-block", "twin", "inline", "sequence"] {
        let n = more_floats.get(name).copied().unwrap_or(0);
        assert!(n >= 10, "{name}: {n}; {more_floats:?} of {made:?}");
    }
    for name in ["other-constant", "other-operator", "other-type", "off-path-insert"] {
        assert!(made.get(name).is_some_and(|n| *n >= 10), "{name}: {made:?}");
    }
}

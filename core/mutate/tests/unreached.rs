//! Functions that nothing calls and blocks that nothing leads to: they may be changed as well, and what
//! only they lead to stays.

use pathsmith_edit::{Claim, Rejected};
use pathsmith_mutate::{Mutator, Sizes, TRANSFORMS};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::semantics::Limits;

const TEXT: &str = "dialect c;
    fn f(a: i32) -> i32 {
    entry:
        a = a * 3 - 1;
        goto exit;
    exit:
        return a + 1;
    }
    realize f(2) = 6 via entry exit;
    fn g(b: i32) -> i32 {
    entry:
        goto exit;
    lone:
        b = b * 3 + 1;
        if b < 4 goto lone else exit;
    exit:
        return (b + 2) * (b - 5);
    }
    main f;";

#[test]
fn what_is_not_reached_does_not_make_variants_invalid() {
    let program = parse("test", TEXT).unwrap();
    let mutator = Mutator::new(&program, Limits::default());
    for mutation in TRANSFORMS.iter().filter(|m| m.transform.claim() == Claim::Equivalent) {
        for seed in 0..50 {
            let rng = &mut Seed::new(seed).rng();
            let made = mutator.apply(mutation, &Sizes::default(), None, rng);
            assert!(
                matches!(made, Ok(_) | Err(Rejected::NothingToEdit)),
                "{mutation:?}, seed {seed}: {made:?}"
            );
        }
    }
}

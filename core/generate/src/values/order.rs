//! Order that matters.

use rand::RngExt;

use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::IntTy;

/// Draws a constant `c` for a sum that comes to `sum` before `c` is added to it, and of which
/// `term` is one term: `sum + c` is within the type, but `term + c` is not. So the sum is defined
/// as it is written, and not if `c` is added to that term first.
///
/// There is none where the type is too wide for the two to differ enough.
pub(crate) fn choose_order_constant(
    ty: IntTy,
    sum: i128,
    term: i128,
    rng: &mut Rng,
) -> Option<i64> {
    let (min, max) = (ty.to_wide(ty.min()), ty.to_wide(ty.max()));
    let within = (min - sum).max(min)..=(max - sum).min(max);
    let (low, high) = match term {
        0 => return None,
        1.. => (max - term + 1, *within.end()),
        _ => (*within.start(), min - term - 1),
    };
    if low > high || low < *within.start() || high > *within.end() {
        return None;
    }
    // Near either end, where one step more would change what is defined.
    let span = (high - low).min(8) as i64;
    let near = i128::from(rng.random_range(0..=span));
    let value = if rng.random_bool(0.5) { low + near } else { high - near };
    ty.from_wide(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;

    proptest! {
        #[test]
        fn the_other_order_overflows(seed: u64, ty in 0..8_usize, sum: i64, term: i64) {
            let ty = IntTy::ALL[ty];
            let (sum, term) = (ty.to_wide(ty.wrap(sum)), ty.to_wide(ty.wrap(term)));
            if let Some(c) = choose_order_constant(ty, sum, term, &mut Seed::new(seed).rng()) {
                let c = ty.to_wide(c);
                prop_assert!(ty.from_wide(sum + c).is_some(), "{sum} + {c}");
                prop_assert!(ty.from_wide(term + c).is_none(), "{term} + {c}");
            }
        }
    }

    #[test]
    fn a_constant_is_found_where_there_is_one() {
        let mut rng = Seed::new(1).rng();
        let max = i128::from(i32::MAX);
        assert!(choose_order_constant(IntTy::I32, 7, max, &mut rng).is_some());
        assert!(choose_order_constant(IntTy::I32, -7, -max, &mut rng).is_some());
        assert_eq!(choose_order_constant(IntTy::I32, max, max, &mut rng), None);
        assert_eq!(choose_order_constant(IntTy::I32, 7, 0, &mut rng), None);
    }
}

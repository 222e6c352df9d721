//! Exact distributions of whole numbers.

use std::collections::BTreeMap;

/// How often each number was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    counts: BTreeMap<u64, u64>,
    total: u64,
    sum: u128,
}

impl Counts {
    /// Counts `number`.
    pub fn add(&mut self, number: u64) {
        self.add_times(number, 1);
    }

    /// Counts all that `other` has counted.
    pub fn merge(&mut self, other: &Self) {
        for (&number, &times) in &other.counts {
            self.add_times(number, times);
        }
    }

    /// How many numbers were counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The sum of all numbers.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The mean of all numbers; 0 where there are none.
    pub fn mean(&self) -> f64 {
        if self.total == 0 { 0.0 } else { self.sum as f64 / self.total as f64 }
    }

    /// The least number that `percent` of all numbers do not exceed; 0 where there are none.
    pub fn percentile(&self, percent: u32) -> u64 {
        let wanted = (u128::from(self.total) * u128::from(percent)).div_ceil(100).max(1);
        let mut seen = 0;
        for (&number, &times) in &self.counts {
            seen += u128::from(times);
            if seen >= wanted {
                return number;
            }
        }
        self.max()
    }

    /// The greatest number; 0 where there are none.
    pub fn max(&self) -> u64 {
        self.counts.last_key_value().map_or(0, |(&number, _)| number)
    }

    /// How many of the numbers are in a range.
    pub fn within(&self, range: impl std::ops::RangeBounds<u64>) -> u64 {
        self.counts.range(range).map(|(_, times)| times).sum()
    }

    /// The numbers that were seen, in order, and how often.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        self.counts.iter().map(|(&number, &times)| (number, times))
    }

    fn add_times(&mut self, number: u64, times: u64) {
        *self.counts.entry(number).or_default() += times;
        self.total += times;
        self.sum += u128::from(number) * u128::from(times);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn agrees_with_a_sorted_list(mut numbers in prop::collection::vec(0_u64..50, 1..200)) {
            let mut counts = Counts::default();
            let mut rest = Counts::default();
            let (first, second) = numbers.split_at(numbers.len() / 2);
            first.iter().for_each(|&number| counts.add(number));
            second.iter().for_each(|&number| rest.add(number));
            counts.merge(&rest);
            numbers.sort_unstable();
            prop_assert_eq!(counts.total(), numbers.len() as u64);
            prop_assert_eq!(counts.sum(), numbers.iter().map(|&n| u128::from(n)).sum::<u128>());
            prop_assert_eq!(counts.max(), numbers[numbers.len() - 1]);
            for percent in [1_u32, 50, 90, 99, 100] {
                let rank = (numbers.len() * percent as usize).div_ceil(100);
                prop_assert_eq!(counts.percentile(percent), numbers[rank - 1]);
            }
        }
    }

    #[test]
    fn nothing_counted_is_zero_everywhere() {
        let counts = Counts::default();
        assert_eq!((counts.mean(), counts.percentile(50), counts.max()), (0.0, 0, 0));
    }
}

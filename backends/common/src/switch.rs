//! Switches as tables.

/// The targets of a `switch` from its smallest label to its largest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenseTable<T> {
    /// The smallest label.
    pub first: i128,
    /// Where it leads, and where each number after it leads.
    pub targets: Vec<T>,
}

impl<T: Copy> DenseTable<T> {
    /// The table of these labels and their targets, in any order, with `default` in the gaps.
    /// There is none if there are no labels, or if it had more than `max_len` entries.
    pub fn new(cases: &[(i128, T)], default: T, max_len: usize) -> Option<Self> {
        let labels = || cases.iter().map(|(label, _)| *label);
        let (first, last) = (labels().min()?, labels().max()?);
        let len = usize::try_from(last - first + 1).ok().filter(|len| *len <= max_len)?;
        let mut targets = vec![default; len];
        for (label, target) in cases {
            targets[(label - first) as usize] = *target;
        }
        Some(Self { first, targets })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_lead_to_the_default() {
        let table = |cases: &[(i128, char)], max_len| DenseTable::new(cases, '-', max_len);
        let expected = DenseTable { first: -1, targets: vec!['a', '-', '-', 'b'] };
        assert_eq!(table(&[(2, 'b'), (-1, 'a')], 4), Some(expected));
        assert_eq!(table(&[(2, 'b'), (-1, 'a')], 3), None);
        assert_eq!(table(&[], 3), None);
        let far = [(i64::MIN.into(), 'a'), (u64::MAX.into(), 'b')];
        assert_eq!(table(&far, usize::MAX), None);
        assert_eq!(table(&far[1..], 1).map(|table| table.targets), Some(vec!['b']));
    }
}

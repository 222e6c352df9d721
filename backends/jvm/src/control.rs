//! Switches.

use std::collections::BTreeMap;

use pathsmith_backend::DenseTable;
use pathsmith_symlang::ExprId;

use crate::body::Body;
use crate::classfile::{Cond, Label, Op};
use crate::options::{LongSwitches, Switches};
use crate::types::is_long_int;

/// A table may have so many entries for each case, and `SPARE` more. Both are guesses.
const PER_CASE: usize = 8;
const SPARE: usize = 64;

impl Body<'_, '_, '_> {
    pub(crate) fn emit_switch(&mut self, on: ExprId, cases: Vec<(i64, Label)>, default: Label) {
        // Floating-point numbers are nothing to switch on.
        let ty = self.emit_expr(on);
        if !is_long_int(ty) {
            let cases = cases.into_iter().map(|(key, target)| (key as i32, target)).collect();
            return self.emit_int_switch(cases, default);
        }
        if let Some(switched) = self.switched {
            self.code.store(switched);
            match self.options.long_switches {
                LongSwitches::Chain => self.emit_chain(&cases, default),
                LongSwitches::Hash => self.emit_hashed(cases, default),
            }
        }
    }

    /// A switch on the int on the stack.
    fn emit_int_switch(&mut self, mut cases: Vec<(i32, Label)>, default: Label) {
        let table = match self.options.switches {
            Switches::Table => table(&cases, default),
            Switches::Lookup => None,
        };
        match table {
            Some(table) => self.code.table_switch(table.first as i32, table.targets, default),
            None => {
                cases.sort_by_key(|(key, _)| *key);
                self.code.lookup_switch(cases, default);
            }
        }
    }

    /// Comparisons with what a switch looks at, one after the other.
    fn emit_chain(&mut self, cases: &[(i64, Label)], default: Label) {
        for (key, target) in cases {
            self.switched.into_iter().for_each(|switched| self.code.load(switched));
            self.code.push_long(*key);
            self.code.op(Op::Lcmp);
            self.code.branch_zero(Cond::Eq, *target);
        }
        self.code.goto(default);
    }

    fn emit_hashed(&mut self, cases: Vec<(i64, Label)>, default: Label) {
        let mut buckets: BTreeMap<i32, Vec<(i64, Label)>> = BTreeMap::new();
        for (key, target) in cases {
            buckets.entry((key ^ (key >> 32)) as i32).or_default().push((key, target));
        }
        let heads: Vec<(i32, Label)> =
            buckets.keys().map(|hash| (*hash, self.code.add_label())).collect();
        let Some(switched) = self.switched else { return };
        self.code.load(switched);
        self.code.load(switched);
        self.code.push_int(32);
        self.code.op(Op::Lushr);
        self.code.op(Op::Lxor);
        self.code.op(Op::L2i);
        self.emit_int_switch(heads.clone(), default);
        for ((_, head), bucket) in heads.into_iter().zip(buckets.values()) {
            self.code.place(head);
            self.emit_chain(bucket, default);
        }
    }
}

/// The table of these cases, if it would be full enough.
fn table(cases: &[(i32, Label)], default: Label) -> Option<DenseTable<Label>> {
    let max_len = cases.len() * PER_CASE + SPARE;
    let cases: Vec<(i128, Label)> =
        cases.iter().map(|(key, target)| (i128::from(*key), *target)).collect();
    DenseTable::new(&cases, default, max_len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classfile::{ClassBuilder, Flags};

    #[test]
    fn tables_are_not_mostly_empty() {
        let mut class = ClassBuilder::new("Test", Flags::PUBLIC);
        let label = class.static_code("()V").0.add_label();
        let start = |keys: &[i32]| {
            let cases: Vec<(i32, Label)> = keys.iter().map(|key| (*key, label)).collect();
            table(&cases, label).map(|table| table.first as i32)
        };
        assert_eq!(start(&[]), None);
        assert_eq!(start(&[7]), Some(7));
        assert_eq!(start(&[-3, 0, 5]), Some(-3));
        assert_eq!(start(&[0, 79]), Some(0));
        assert_eq!(start(&[0, 80]), None);
        assert_eq!(start(&[i32::MIN, i32::MAX]), None);
        assert_eq!(start(&[i32::MAX - 1, i32::MAX]), Some(i32::MAX - 1));
    }
}

//! Options from a seed.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{ProbabilityError, check_probabilities, choose_below, choose_bool};
use pathsmith_symlang::lang::{Calls, Function, Program, RecursionGuard};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::options::{
    Base, Called, Checksum, Conditions, Control, FunctionOptions, GlobalStorage, Intrinsics,
    MAX_RESULTS, Narrowing, Returns, Selects, Storage, WasmOptions, returns_checksum,
};

/// How often each way to spell a program is drawn. All are probabilities, but for `n_visible` and
/// `max_table`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WasmStyle {
    /// Modules whose checksums the host computes.
    pub host_checksum: f64,
    /// Modules that compute checksums bit by bit; the rest use a table.
    pub bitwise_checksum: f64,
    /// Modules whose variables lie in memory without gaps.
    pub packed: f64,
    /// Functions that are one dispatch loop.
    pub dispatch: f64,
    /// Functions with copies of blocks in place of dispatch loops.
    pub split: f64,
    /// Functions that branch by `br_if`, and not by `if`.
    pub br_if: f64,
    /// Functions with long tables for `switch`.
    pub long_tables: f64,
    /// How long those are, at most.
    pub max_table: u32,
    /// Functions with typed `select`.
    pub typed_select: f64,
    /// Functions with `if` and `else` in place of `select`.
    pub if_else: f64,
    /// Functions that call others for intrinsics without instructions.
    pub called_intrinsics: f64,
    /// Functions that narrow by shifts.
    pub shifts: f64,
    /// Functions whose memory is found by a global.
    pub global_base: f64,
    /// Functions whose memory is found by a local.
    pub local_base: f64,
    /// Functions whose memory is on the stack.
    pub stack_base: f64,
    /// Functions that use bulk memory instructions for short arrays too.
    pub bulk: f64,
    /// Functions that return several values.
    pub multi_value: f64,
    /// Functions that others call through a table.
    pub tables: f64,
    /// Gates that end with a tail call. Not all engines know tail calls.
    pub tail_calls: f64,
    /// Functions with inputs that the engine sees.
    pub visible: f64,
    /// How many inputs it sees then, at most.
    pub n_visible: u32,
    /// Functions with variables outside of them.
    pub placed: f64,
    /// The variables of such a function that are in globals.
    pub global_vars: f64,
    /// The variables of such a function that are in memory.
    pub memory_vars: f64,
}

impl Default for WasmStyle {
    fn default() -> Self {
        Self {
            host_checksum: 0.3,
            bitwise_checksum: 0.1,
            packed: 0.2,
            dispatch: 0.1,
            split: 0.4,
            br_if: 0.5,
            long_tables: 0.3,
            max_table: 4096,
            typed_select: 0.3,
            if_else: 0.3,
            called_intrinsics: 0.3,
            shifts: 0.3,
            global_base: 0.25,
            local_base: 0.25,
            stack_base: 0.15,
            bulk: 0.2,
            multi_value: 0.2,
            tables: 0.25,
            tail_calls: 0.0,
            visible: 0.2,
            n_visible: 2,
            placed: 0.4,
            global_vars: 0.3,
            memory_vars: 0.4,
        }
    }
}

/// The longest table that is drawn; the format allows longer ones.
const MAX_DRAWN_TABLE: u32 = 1 << 15;

impl WasmStyle {
    /// Checks that probabilities are probabilities.
    ///
    /// # Errors
    /// The first that is not.
    pub fn validate(&self) -> Result<(), ProbabilityError> {
        let all = [
            ("host_checksum", self.host_checksum),
            ("bitwise_checksum", self.bitwise_checksum),
            ("packed", self.packed),
            ("dispatch", self.dispatch),
            ("split", self.split),
            ("br_if", self.br_if),
            ("long_tables", self.long_tables),
            ("typed_select", self.typed_select),
            ("if_else", self.if_else),
            ("called_intrinsics", self.called_intrinsics),
            ("shifts", self.shifts),
            ("global_base", self.global_base),
            ("local_base", self.local_base),
            ("stack_base", self.stack_base),
            ("bulk", self.bulk),
            ("multi_value", self.multi_value),
            ("tables", self.tables),
            ("tail_calls", self.tail_calls),
            ("visible", self.visible),
            ("placed", self.placed),
            ("global_vars", self.global_vars),
            ("memory_vars", self.memory_vars),
        ];
        check_probabilities(&all)
    }

    /// Draws how to spell `program`.
    pub fn choose(&self, program: &Program, rng: &mut Rng) -> WasmOptions {
        let calls = Calls::new(program);
        let checksum = choose_among(
            [(self.host_checksum, Checksum::Host), (self.bitwise_checksum, Checksum::Bitwise)],
            Checksum::Table,
            rng,
        );
        let packed = choose_bool(self.packed, rng);
        let functions = program
            .functions_with_ids()
            .map(|(id, function)| {
                let mut options = self.choose_function(function, calls.is_recursive(id), rng);
                // What nobody calls draws nothing.
                if calls.is_called(id) && choose_bool(self.tables, rng) {
                    options.called = Called::Table;
                }
                let is_gate = RecursionGuard::of(program, id).is_some();
                options.tail_calls = is_gate && choose_bool(self.tail_calls, rng);
                options
            })
            .collect();
        let globals = program.globals.iter().map(|_| match choose_below(2, rng) {
            0 => GlobalStorage::Global,
            _ => GlobalStorage::Memory,
        });
        WasmOptions { checksum, packed, functions, globals: globals.collect() }
    }

    fn choose_function(
        &self,
        function: &Function,
        is_recursive: bool,
        rng: &mut Rng,
    ) -> FunctionOptions {
        let base = choose_among(
            [
                (self.global_base, Base::Global),
                (self.local_base, Base::Local),
                (self.stack_base, Base::Stack),
            ],
            Base::Static,
            rng,
        );
        let has_arrays = function.vars.iter().any(|var| var.ty.is_array());
        let on_stack = is_recursive || base == Base::Stack;
        let can_return_many = returns_checksum(function)
            && !(on_stack && has_arrays)
            && function.vars.len() <= MAX_RESULTS;
        let n_visible = match choose_bool(self.visible, rng) && self.n_visible > 0 {
            true => rng.random_range(1..=self.n_visible),
            false => 0,
        };
        let max_table = match choose_bool(self.long_tables, rng) {
            true => self.max_table.min(MAX_DRAWN_TABLE),
            false => [0, 16, 64][choose_below(3, rng)],
        };
        let is_placed = choose_bool(self.placed, rng);
        let vars = function.vars.iter().map(|_| match is_placed {
            true => self.choose_storage(is_recursive, rng),
            false => Storage::Local,
        });
        FunctionOptions {
            vars: vars.collect(),
            base,
            max_table,
            n_visible,
            control: choose_among(
                [(self.dispatch, Control::Dispatch), (self.split, Control::Split)],
                Control::Structured,
                rng,
            ),
            conditions: match choose_bool(self.br_if, rng) {
                true => Conditions::BrIf,
                false => Conditions::If,
            },
            selects: choose_among(
                [(self.typed_select, Selects::Typed), (self.if_else, Selects::IfElse)],
                Selects::Plain,
                rng,
            ),
            intrinsics: match choose_bool(self.called_intrinsics, rng) {
                true => Intrinsics::Calls,
                false => Intrinsics::Inline,
            },
            narrowing: match choose_bool(self.shifts, rng) {
                true => Narrowing::Shifts,
                false => Narrowing::Extensions,
            },
            bulk: choose_bool(self.bulk, rng),
            called: Called::Directly,
            tail_calls: false,
            returns: match choose_bool(self.multi_value, rng) && can_return_many {
                true => Returns::Multi,
                false => Returns::Single,
            },
        }
    }

    fn choose_storage(&self, is_recursive: bool, rng: &mut Rng) -> Storage {
        let shares = [(self.global_vars, Storage::Global), (self.memory_vars, Storage::Memory)];
        match choose_among(shares, Storage::Local, rng) {
            Storage::Global if is_recursive => Storage::Local,
            storage => storage,
        }
    }
}

/// One of several things, each with its share; what is left goes to `rest`.
fn choose_among<T, const N: usize>(shares: [(f64, T); N], rest: T, rng: &mut Rng) -> T {
    let mut left = rng.random::<f64>();
    for (share, thing) in shares {
        if left < share {
            return thing;
        }
        left -= share;
    }
    rest
}

#[cfg(test)]
mod tests {
    use pathsmith_generate::sample::{SampleOptions, sample_program};
    use pathsmith_symlang::Seed;

    use super::*;

    #[test]
    fn what_is_drawn_fits_the_program() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..1000 {
            let mut rng = Seed::new(seed).rng();
            let dialect = crate::DIALECT;
            let program =
                sample_program(&SampleOptions { dialect, ..SampleOptions::default() }, &mut rng);
            let options = WasmStyle::default().choose(&program, &mut rng);
            assert_eq!(options.check(&program), Ok(()));
            seen.insert(format!("{:?}", options.checksum));
            for function in &options.functions {
                seen.insert(format!("{:?}", function.base));
                seen.insert(format!("{:?} {:?}", function.control, function.conditions));
                seen.insert(format!("{:?} {:?}", function.returns, function.selects));
                seen.extend(function.vars.iter().map(|storage| format!("var {storage:?}")));
            }
        }
        // 3 checksums, 4 bases, 3 × 2 kinds of control flow, 2 × 3 of results, 3 of variables.
        assert_eq!(seen.len(), 3 + 4 + 6 + 6 + 3, "{seen:?}");
    }

    #[test]
    fn probabilities_are_checked() {
        assert_eq!(WasmStyle::default().validate(), Ok(()));
        let error = WasmStyle { shifts: 1.5, ..WasmStyle::default() }.validate().unwrap_err();
        let message = "`shifts` is 1.5, but a probability is between 0 and 1";
        assert_eq!(error.to_string(), message);
        assert!(WasmStyle { dispatch: f64::NAN, ..WasmStyle::default() }.validate().is_err());
    }
}

//! Options from a seed.

use pathsmith_backend::{
    FunctionContext, Style, choose_among, choose_n_visible, choose_storage, choose_vars,
    choose_watched,
};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{ExprTypes, Function, Program, RecursionGuard, ValueTy, Var};
use pathsmith_symlang::{ExprId, Rng, knobs};

use crate::options::{
    Base, CallKind, Checksum, Conditions, Control, Floats, FunctionOptions, GlobalStorage,
    Intrinsics, MAX_RESULTS, Narrowing, Returns, Saturation, Selects, Storage, WasmOptions,
    returns_checksum,
};

knobs! {
    /// How often a program is lowered to WebAssembly in each of the ways there are. All defaults
    /// are guesses, but for `tail_calls`: not all engines know them.
    pub struct WasmStyle {
        /// Modules whose checksums the host computes.
        host_checksum: probability = 0.3;
        /// Modules that compute checksums bit by bit; the rest use a table.
        bitwise_checksum: probability = 0.1;
        /// Modules whose variables lie in memory without gaps.
        packed: probability = 0.2;
        /// Functions that are one dispatch loop.
        dispatch: probability = 0.1;
        /// Functions with copies of blocks instead of dispatch loops.
        split: probability = 0.4;
        /// Functions that branch by `br_if`, and not by `if`.
        br_if: probability = 0.5;
        /// Functions with long tables for `switch`.
        long_tables: probability = 0.3;
        /// How long those are, at most. The format allows longer ones.
        max_table: u32 = 4096, in 0..=1 << 15;
        /// Functions with typed `select`.
        typed_select: probability = 0.3;
        /// Functions with `if` and `else` instead of `select`.
        if_else: probability = 0.3;
        /// Functions that call others for intrinsics without instructions.
        called_intrinsics: probability = 0.3;
        /// Functions that narrow by shifts.
        shifts: probability = 0.3;
        /// Functions with floating-point numbers that change signs and make constants by their bits.
        float_bits: probability = 0.3;
        /// Functions with floating-point numbers that compare them with limits before they convert
        /// them, and use no saturating conversions.
        saturation_branches: probability = 0.3;
        /// Functions whose memory is addressed relative to a global.
        global_base: probability = 0.25;
        /// Functions whose memory is addressed relative to a local.
        local_base: probability = 0.25;
        /// Functions whose memory is on the stack.
        stack_base: probability = 0.15;
        /// Functions that use bulk memory instructions for short arrays too.
        bulk: probability = 0.2;
        /// Functions that return several values.
        multi_value: probability = 0.2;
        /// Functions that others call through a table.
        tables: probability = 0.25;
        /// Recursion guards that end with a tail call.
        tail_calls: probability = 0.0;
        /// Functions with inputs that the engine sees.
        visible: probability = 0.2;
        /// How many inputs it sees then, at most.
        n_visible: u32 = 2;
        /// Functions with variables outside of them.
        placed: probability = 0.4;
        /// The variables of such a function that are in globals.
        global_vars: probability = 0.3;
        /// The variables of such a function that are in memory.
        memory_vars: probability = 0.4;
        /// Functions of which one or two scalars are made visible whenever they are assigned.
        watched: probability = 0.15;
    }
}

impl Style for WasmStyle {
    type Options = WasmOptions;

    fn choose_program(&self, _program: &Program, rng: &mut Rng) -> WasmOptions {
        let checksums =
            [(self.host_checksum, Checksum::Host), (self.bitwise_checksum, Checksum::Bitwise)];
        let checksum = choose_among(checksums, Checksum::Table, rng);
        let packed = choose_bool(self.packed, rng);
        WasmOptions { checksum, packed, ..WasmOptions::default() }
    }

    fn choose_function(
        &self,
        _options: &WasmOptions,
        context: &FunctionContext<'_>,
        rng: &mut Rng,
    ) -> FunctionOptions {
        let (function, is_recursive) = (context.function, context.is_recursive);
        let bases = [
            (self.global_base, Base::Global),
            (self.local_base, Base::Local),
            (self.stack_base, Base::Stack),
        ];
        let base = choose_among(bases, Base::Static, rng);
        let has_arrays = function.vars.iter().any(|var| var.ty.is_array());
        let on_stack = is_recursive || base == Base::Stack;
        let can_return_many = returns_checksum(function)
            && !(on_stack && has_arrays)
            && function.vars.len() <= MAX_RESULTS;
        let n_visible = choose_n_visible(self.visible, self.n_visible, rng);
        let max_table = match choose_bool(self.long_tables, rng) {
            true => self.max_table,
            false => [0, 16, 64][choose_below(3, rng)],
        };
        let (_, vars) = choose_vars(function, self.placed, rng, |_, rng| {
            let shares = [(self.global_vars, Storage::Global), (self.memory_vars, Storage::Memory)];
            choose_storage(shares, is_recursive, rng)
        });
        let controls = [(self.dispatch, Control::Dispatch), (self.split, Control::Split)];
        let selects = [(self.typed_select, Selects::Typed), (self.if_else, Selects::IfElse)];
        FunctionOptions {
            vars,
            base,
            max_table,
            n_visible,
            control: choose_among(controls, Control::Structured, rng),
            conditions: choose_among([(self.br_if, Conditions::BrIf)], Conditions::If, rng),
            selects: choose_among(selects, Selects::Plain, rng),
            intrinsics: choose_among(
                [(self.called_intrinsics, Intrinsics::Calls)],
                Intrinsics::Inline,
                rng,
            ),
            narrowing: choose_among([(self.shifts, Narrowing::Shifts)], Narrowing::Extensions, rng),
            bulk: choose_bool(self.bulk, rng),
            returns: match choose_bool(self.multi_value, rng) && can_return_many {
                true => Returns::Multi,
                false => Returns::Single,
            },
            // A function that nothing calls draws nothing.
            call: match context.is_called && choose_bool(self.tables, rng) {
                true => CallKind::Table,
                false => CallKind::Direct,
            },
            tail_calls: RecursionGuard::of(context.program, context.id).is_some()
                && choose_bool(self.tail_calls, rng),
            watched: Vec::new(),
            floats: Floats::default(),
            saturation: Saturation::default(),
        }
    }

    fn choose_global(&self, _options: &WasmOptions, _global: &Var, rng: &mut Rng) -> GlobalStorage {
        match choose_below(2, rng) {
            0 => GlobalStorage::Global,
            _ => GlobalStorage::Memory,
        }
    }

    fn choose_last(
        &self,
        chosen: &mut FunctionOptions,
        context: &FunctionContext<'_>,
        rng: &mut Rng,
    ) {
        chosen.watched = choose_watched(context.function, self.watched, rng);
        // A function without floating-point numbers draws nothing.
        if has_floats(context.program, context.function) {
            let by_bits = [(self.float_bits, Floats::Bits)];
            chosen.floats = choose_among(by_bits, Floats::Instructions, rng);
            let by_branches = [(self.saturation_branches, Saturation::Branches)];
            chosen.saturation = choose_among(by_branches, Saturation::Instructions, rng);
        }
    }
}

/// Whether a function has a variable or a value of a floating-point type.
fn has_floats(program: &Program, function: &Function) -> bool {
    let types = ExprTypes::new(program, function);
    let is_float = |ty: ValueTy| !ty.is_int();
    let mut vars = function.vars.iter();
    let mut exprs = (0..function.n_exprs()).map(ExprId::new);
    is_float(function.ret)
        || vars.any(|var| is_float(var.ty.cell_ty().widened()))
        || exprs.any(|expr| is_float(types.of(expr)))
}

#[cfg(test)]
mod tests {
    use pathsmith_backend::ProgramOptions;
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
                seen.insert(format!("{:?} {:?}", function.floats, function.saturation));
                seen.extend(function.vars.iter().map(|storage| format!("var {storage:?}")));
            }
        }
        // 3 checksums, 4 bases, 3 × 2 kinds of control flow, 2 × 3 of results, 2 × 2 of
        // floating-point operators, 3 of variables.
        assert_eq!(seen.len(), 3 + 4 + 6 + 6 + 4 + 3, "{seen:?}");
    }

    /// Programs of integers alone are lowered as they were before there were other numbers.
    #[test]
    fn integers_alone_draw_nothing_for_floats() {
        let samples =
            SampleOptions { dialect: crate::DIALECT, floats: 0.0, ..SampleOptions::default() };
        let never = WasmStyle { float_bits: 0.0, saturation_branches: 0.0, ..WasmStyle::default() };
        let always = WasmStyle { float_bits: 1.0, saturation_branches: 1.0, ..never.clone() };
        for seed in 0..100 {
            let program = sample_program(&samples, &mut Seed::new(seed).rng());
            let [never, always] =
                [&never, &always].map(|style| style.choose(&program, &mut Seed::new(seed).rng()));
            assert_eq!(never, always);
            let text = serde_json::to_string(&always).unwrap();
            assert!(!text.contains("floats") && !text.contains("saturation"), "{text}");
        }
    }

    #[test]
    fn probabilities_are_checked() {
        assert_eq!(WasmStyle::default().check_knobs(), Ok(()));
        let error = WasmStyle { shifts: 1.5, ..WasmStyle::default() }.check_knobs().unwrap_err();
        let message = "`shifts` is 1.5, but a probability is between 0 and 1";
        assert_eq!(error.to_string(), message);
        assert!(WasmStyle { dispatch: f64::NAN, ..WasmStyle::default() }.check_knobs().is_err());
    }
}

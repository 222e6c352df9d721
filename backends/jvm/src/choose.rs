//! Options from a seed.

use pathsmith_backend::{
    FunctionContext, NoChoice, Style, choose_among, choose_storage, choose_vars, choose_watched,
};
use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::lang::{Program, Var};
use pathsmith_symlang::{Rng, knobs};

use crate::options::{
    CallKind, Checksum, ClassLayout, FunctionOptions, Intrinsics, JvmOptions, LongSwitches,
    Storage, Switches,
};

knobs! {
    /// How often a program is lowered to class files in each of the ways there are. All defaults
    /// are guesses.
    pub struct JvmStyle {
        /// Each function in a class of its own.
        class_per_function: probability = 0.2;
        /// Intrinsics and unsigned operators as open code.
        open_code: probability = 0.2;
        /// Switches as `lookupswitch`.
        lookup: probability = 0.4;
        /// Switches on 64-bit values by a hash.
        hash: probability = 0.5;
        /// Checksums by the JDK.
        jdk_checksum: probability = 0.2;
        /// Functions with `iinc`.
        iinc: probability = 0.5;
        /// Functions that others call by `invokevirtual`.
        virtual_calls: probability = 0.2;
        /// Functions that others call by `invokeinterface`.
        interface_calls: probability = 0.1;
        /// Functions with variables outside of the method's locals.
        placed: probability = 0.5;
        /// Such functions with fields that are volatile.
        volatile: probability = 0.1;
        /// The variables of such a function that are in static fields.
        static_vars: probability = 0.25;
        /// The variables of such a function that are in fields of an object.
        field_vars: probability = 0.25;
        /// The scalars of such a function that are in elements of an array.
        element_vars: probability = 0.2;
        /// Functions of which one or two scalars are stored to a volatile field whenever they are
        /// assigned.
        watched: probability = 0.15;
        /// Programs whose global arrays are final, if nothing assigns them.
        const_tables: probability = 0.5;
    }
}

impl Style for JvmStyle {
    type Options = JvmOptions;

    fn choose_program(&self, _program: &Program, rng: &mut Rng) -> JvmOptions {
        let several = [(self.class_per_function, ClassLayout::ClassPerFunction)];
        let layout = choose_among(several, ClassLayout::OneClass, rng);
        JvmOptions { layout, ..JvmOptions::default() }
    }

    fn choose_function(
        &self,
        _options: &JvmOptions,
        context: &FunctionContext<'_>,
        rng: &mut Rng,
    ) -> FunctionOptions {
        let (is_placed, vars) = choose_vars(context.function, self.placed, rng, |var, rng| {
            self.choose_storage(context.is_recursive, var.ty.is_array(), rng)
        });
        FunctionOptions {
            vars,
            watched: Vec::new(),
            iinc: choose_bool(self.iinc, rng),
            volatile: is_placed && choose_bool(self.volatile, rng),
            intrinsics: choose_among(
                [(self.open_code, Intrinsics::OpenCode)],
                Intrinsics::Jdk,
                rng,
            ),
            switches: choose_among([(self.lookup, Switches::Lookup)], Switches::Table, rng),
            long_switches: choose_among(
                [(self.hash, LongSwitches::Hash)],
                LongSwitches::Chain,
                rng,
            ),
            checksum: choose_among([(self.jdk_checksum, Checksum::Jdk)], Checksum::Loop, rng),
            // A function that nothing calls draws nothing.
            call: match context.is_called {
                true => self.choose_call(rng),
                false => CallKind::Static,
            },
        }
    }

    fn choose_global(&self, _options: &JvmOptions, _global: &Var, _rng: &mut Rng) -> NoChoice {
        NoChoice
    }

    fn choose_last(
        &self,
        chosen: &mut FunctionOptions,
        context: &FunctionContext<'_>,
        rng: &mut Rng,
    ) {
        chosen.watched = choose_watched(context.function, self.watched, rng);
    }

    fn choose_rest(&self, options: &mut JvmOptions, rng: &mut Rng) {
        options.const_tables = choose_bool(self.const_tables, rng);
    }
}

impl JvmStyle {
    fn choose_call(&self, rng: &mut Rng) -> CallKind {
        let shares =
            [(self.virtual_calls, CallKind::Virtual), (self.interface_calls, CallKind::Interface)];
        choose_among(shares, CallKind::Static, rng)
    }

    fn choose_storage(&self, is_recursive: bool, is_array: bool, rng: &mut Rng) -> Storage {
        let shares = [
            (self.static_vars, Storage::Static),
            (self.field_vars, Storage::Field),
            (self.element_vars, Storage::Element),
        ];
        match choose_storage(shares, is_recursive, rng) {
            Storage::Element if is_array => Storage::Local,
            storage => storage,
        }
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_backend::ProgramOptions;
    use pathsmith_generate::sample::{SampleOptions, sample_program};
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::dialect::Dialect;

    use super::*;

    #[test]
    fn what_is_drawn_fits_the_program() {
        let options = SampleOptions { dialect: Dialect::Jvm, ..SampleOptions::default() };
        for seed in 0..100 {
            let mut rng = Seed::new(seed).rng();
            let program = sample_program(&options, &mut rng);
            let style = JvmStyle { placed: 1.0, ..JvmStyle::default() };
            assert_eq!(style.choose(&program, &mut rng).check(&program), Ok(()));
        }
    }

    #[test]
    fn probabilities_are_checked() {
        assert_eq!(JvmStyle::default().check_knobs(), Ok(()));
        let style = JvmStyle { hash: 1.5, ..JvmStyle::default() };
        let message = "`hash` is 1.5, but a probability is between 0 and 1";
        assert_eq!(style.check_knobs().unwrap_err().to_string(), message);
        assert!(JvmStyle { lookup: f64::NAN, ..JvmStyle::default() }.check_knobs().is_err());
    }
}

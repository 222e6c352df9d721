//! Options from a seed.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{ProbabilityError, check_probabilities, choose_bool};
use pathsmith_symlang::lang::{Calls, Function, Program};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::options::{
    Called, Checksum, FunctionOptions, Intrinsics, JvmOptions, Layout, LongSwitches, Storage,
    Switches,
};

/// How often each way to spell a program is drawn. All are probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct JvmStyle {
    /// Each function in a class of its own.
    pub class_per_function: f64,
    /// Intrinsics and unsigned operators as open code.
    pub open_code: f64,
    /// Switches as `lookupswitch`.
    pub lookup: f64,
    /// Switches on 64-bit values by a hash.
    pub hash: f64,
    /// Checksums by the JDK.
    pub jdk_checksum: f64,
    /// Functions with `iinc`.
    pub iinc: f64,
    /// Functions that others call by `invokevirtual`.
    pub virtual_calls: f64,
    /// Functions that others call by `invokeinterface`.
    pub interface_calls: f64,
    /// Functions with variables outside of the method's locals.
    pub placed: f64,
    /// Such functions with fields that are volatile.
    pub volatile: f64,
    /// The variables of such a function that are in static fields.
    pub static_vars: f64,
    /// The variables of such a function that are in fields of an object.
    pub field_vars: f64,
    /// The scalars of such a function that are in elements of an array.
    pub element_vars: f64,
}

impl Default for JvmStyle {
    fn default() -> Self {
        Self {
            class_per_function: 0.2,
            open_code: 0.2,
            lookup: 0.4,
            hash: 0.5,
            jdk_checksum: 0.2,
            iinc: 0.5,
            virtual_calls: 0.2,
            interface_calls: 0.1,
            placed: 0.5,
            volatile: 0.1,
            static_vars: 0.25,
            field_vars: 0.25,
            element_vars: 0.2,
        }
    }
}

impl JvmStyle {
    /// Checks that probabilities are probabilities.
    ///
    /// # Errors
    /// The first that is not.
    pub fn validate(&self) -> Result<(), ProbabilityError> {
        let all = [
            ("class_per_function", self.class_per_function),
            ("open_code", self.open_code),
            ("lookup", self.lookup),
            ("hash", self.hash),
            ("jdk_checksum", self.jdk_checksum),
            ("iinc", self.iinc),
            ("virtual_calls", self.virtual_calls),
            ("interface_calls", self.interface_calls),
            ("placed", self.placed),
            ("volatile", self.volatile),
            ("static_vars", self.static_vars),
            ("field_vars", self.field_vars),
            ("element_vars", self.element_vars),
        ];
        check_probabilities(&all)
    }

    /// Draws how to spell `program`.
    pub fn choose(&self, program: &Program, rng: &mut Rng) -> JvmOptions {
        let calls = Calls::new(program);
        let layout = match choose_bool(self.class_per_function, rng) {
            true => Layout::ClassPerFunction,
            false => Layout::OneClass,
        };
        let functions = program
            .functions_with_ids()
            .map(|(id, function)| {
                let mut options = self.choose_function(function, calls.is_recursive(id), rng);
                if calls.is_called(id) {
                    options.called = self.choose_called(rng);
                }
                options
            })
            .collect();
        JvmOptions { layout, functions, ..JvmOptions::default() }
    }

    fn choose_function(
        &self,
        function: &Function,
        is_recursive: bool,
        rng: &mut Rng,
    ) -> FunctionOptions {
        let is_placed = choose_bool(self.placed, rng);
        let vars = function.vars.iter().map(|var| match is_placed {
            true => self.choose_storage(is_recursive, var.ty.is_array(), rng),
            false => Storage::Local,
        });
        FunctionOptions {
            vars: vars.collect(),
            called: Called::Static,
            iinc: choose_bool(self.iinc, rng),
            volatile: is_placed && choose_bool(self.volatile, rng),
            intrinsics: match choose_bool(self.open_code, rng) {
                true => Intrinsics::OpenCode,
                false => Intrinsics::Jdk,
            },
            switches: match choose_bool(self.lookup, rng) {
                true => Switches::Lookup,
                false => Switches::Table,
            },
            long_switches: match choose_bool(self.hash, rng) {
                true => LongSwitches::Hash,
                false => LongSwitches::Chain,
            },
            checksum: match choose_bool(self.jdk_checksum, rng) {
                true => Checksum::Jdk,
                false => Checksum::Loop,
            },
        }
    }

    fn choose_called(&self, rng: &mut Rng) -> Called {
        match rng.random::<f64>() {
            share if share < self.virtual_calls => Called::Virtual,
            share if share < self.virtual_calls + self.interface_calls => Called::Interface,
            _ => Called::Static,
        }
    }

    fn choose_storage(&self, is_recursive: bool, is_array: bool, rng: &mut Rng) -> Storage {
        let shares = [
            (self.static_vars, Storage::Static),
            (self.field_vars, Storage::Field),
            (self.element_vars, Storage::Element),
        ];
        let mut left = rng.random::<f64>();
        for (share, storage) in shares {
            if left < share {
                return match storage {
                    Storage::Static if is_recursive => Storage::Local,
                    Storage::Element if is_array => Storage::Local,
                    storage => storage,
                };
            }
            left -= share;
        }
        Storage::Local
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(JvmStyle::default().validate(), Ok(()));
        let style = JvmStyle { hash: 1.5, ..JvmStyle::default() };
        let message = "`hash` is 1.5, but a probability is between 0 and 1";
        assert_eq!(style.validate().unwrap_err().to_string(), message);
        assert!(JvmStyle { lookup: f64::NAN, ..JvmStyle::default() }.validate().is_err());
    }
}

//! Options from a seed.

use pathsmith_symlang::choose::{ProbabilityError, check_probabilities, choose_below, choose_bool};
use pathsmith_symlang::lang::{Calls, Function, Program};
use pathsmith_symlang::{FuncId, Rng};
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::checked::choose_checked;
use crate::initial::choose_uninitialised;
use crate::options::{
    COptions, Called, Checked, Control, FunctionOptions, Inputs, Intrinsics, Layout, Linkage,
    Placement, Storage,
};

/// How often each way to spell a program is drawn. All are probabilities, but for `n_visible`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CStyle {
    /// Each function in a file of its own.
    pub file_per_function: f64,
    /// Structured statements in place of gotos.
    pub structured: f64,
    /// Static functions.
    pub static_functions: f64,
    /// Functions that are not inlined.
    pub no_inline: f64,
    /// Functions that the optimizer may not look into.
    pub no_ipa: f64,
    /// Functions that are always inlined.
    pub always_inline: f64,
    /// Functions that others call through a pointer.
    pub pointers: f64,
    /// Functions that others call through a volatile pointer.
    pub volatile_pointers: f64,
    /// Inputs that come from a volatile array, and not from another file.
    pub volatile_inputs: f64,
    /// Functions with inputs that the optimizer sees.
    pub visible: f64,
    /// How many inputs it sees then, at most.
    pub n_visible: u32,
    /// Intrinsics as open code.
    pub open_code: f64,
    /// Functions with variables outside of them.
    pub placed: f64,
    /// The variables of such a function that are static.
    pub static_vars: f64,
    /// The variables of such a function that are global.
    pub global_vars: f64,
    /// The variables of such a function that are volatile.
    pub volatile_vars: f64,
    /// Functions with operators that are checked.
    pub checked: f64,
    /// The locals that get no initial value, of those whose initial value nobody reads.
    pub uninitialised: f64,
}

impl Default for CStyle {
    fn default() -> Self {
        Self {
            file_per_function: 0.05,
            structured: 0.4,
            static_functions: 0.2,
            no_inline: 0.1,
            no_ipa: 0.5,
            always_inline: 0.05,
            pointers: 0.1,
            volatile_pointers: 0.05,
            volatile_inputs: 0.3,
            visible: 0.1,
            n_visible: 2,
            open_code: 0.2,
            placed: 0.7,
            static_vars: 0.2,
            global_vars: 0.4,
            volatile_vars: 0.1,
            checked: 0.05,
            uninitialised: 0.1,
        }
    }
}

impl CStyle {
    /// Checks that probabilities are probabilities.
    ///
    /// # Errors
    /// The first that is not.
    pub fn validate(&self) -> Result<(), ProbabilityError> {
        let all = [
            ("file_per_function", self.file_per_function),
            ("structured", self.structured),
            ("static_functions", self.static_functions),
            ("no_inline", self.no_inline),
            ("no_ipa", self.no_ipa),
            ("always_inline", self.always_inline),
            ("pointers", self.pointers),
            ("volatile_pointers", self.volatile_pointers),
            ("volatile_inputs", self.volatile_inputs),
            ("visible", self.visible),
            ("open_code", self.open_code),
            ("placed", self.placed),
            ("static_vars", self.static_vars),
            ("global_vars", self.global_vars),
            ("volatile_vars", self.volatile_vars),
            ("checked", self.checked),
            ("uninitialised", self.uninitialised),
        ];
        check_probabilities(&all)
    }

    /// Draws how to spell `program`, in two files or more, so that inputs can be in another one.
    pub fn choose(&self, program: &Program, rng: &mut Rng) -> COptions {
        let calls = Calls::new(program);
        let layout = match choose_bool(self.file_per_function, rng) {
            true => Layout::FilePerFunction,
            false => Layout::TwoFiles,
        };
        let mut functions: Vec<FunctionOptions> = program
            .functions_with_ids()
            .map(|(id, function)| self.choose_function(id, function, &calls, layout, rng))
            .collect();
        let globals = program.globals.iter().map(|_| self.choose_global(layout, rng)).collect();
        // Drawn last, so that all other options of a seed are what they are without these.
        for ((id, function), options) in
            std::iter::zip(program.functions_with_ids(), &mut functions)
        {
            if choose_bool(self.checked, rng) {
                options.checked = choose_checked(program, function, rng);
            }
            let share = self.uninitialised;
            options.uninitialised = choose_uninitialised(program, id, &calls, share, rng);
        }
        COptions { layout, functions, globals }
    }

    fn choose_function(
        &self,
        id: FuncId,
        function: &Function,
        calls: &Calls,
        layout: Layout,
        rng: &mut Rng,
    ) -> FunctionOptions {
        let is_recursive = calls.is_recursive(id);
        let is_shared = layout == Layout::FilePerFunction && calls.is_called(id);
        let linkage = match self.choose_linkage(rng) {
            Linkage::AlwaysInline if is_recursive || is_shared => Linkage::Plain,
            Linkage::Static if is_shared => Linkage::Plain,
            linkage => linkage,
        };
        let can_point = calls.is_called(id) && linkage != Linkage::AlwaysInline;
        let called = if can_point { self.choose_called(rng) } else { Called::Directly };
        let n_visible = match choose_bool(self.visible, rng) && self.n_visible > 0 {
            true => rng.random_range(1..=self.n_visible),
            false => 0,
        };
        let is_placed = choose_bool(self.placed, rng);
        let vars = function.vars.iter().map(|_| match is_placed {
            true => self.choose_placement(is_recursive, rng),
            false => Placement::default(),
        });
        FunctionOptions {
            checked: Checked::NONE,
            uninitialised: Vec::new(),
            vars: vars.collect(),
            linkage,
            called,
            n_visible,
            control: match choose_bool(self.structured, rng) {
                true => Control::Structured,
                false => Control::Gotos,
            },
            inputs: match choose_bool(self.volatile_inputs, rng) {
                true => Inputs::Volatile,
                false => Inputs::OtherUnit,
            },
            intrinsics: match choose_bool(self.open_code, rng) {
                true => Intrinsics::OpenCode,
                false => Intrinsics::Builtins,
            },
        }
    }

    fn choose_linkage(&self, rng: &mut Rng) -> Linkage {
        let shares = [
            (self.static_functions, Linkage::Static),
            (self.no_inline, Linkage::NoInline),
            (self.no_ipa, Linkage::NoIpa),
            (self.always_inline, Linkage::AlwaysInline),
        ];
        let mut left = rng.random::<f64>();
        for (share, linkage) in shares {
            if left < share {
                return linkage;
            }
            left -= share;
        }
        Linkage::Plain
    }

    fn choose_called(&self, rng: &mut Rng) -> Called {
        match rng.random::<f64>() {
            share if share < self.pointers => Called::Pointer,
            share if share < self.pointers + self.volatile_pointers => Called::VolatilePointer,
            _ => Called::Directly,
        }
    }

    fn choose_placement(&self, is_recursive: bool, rng: &mut Rng) -> Placement {
        let storage = match rng.random::<f64>() {
            _ if is_recursive => Storage::Auto,
            share if share < self.static_vars => Storage::Static,
            share if share < self.static_vars + self.global_vars => Storage::Global,
            _ => Storage::Auto,
        };
        Placement { storage, volatile: choose_bool(self.volatile_vars, rng) }
    }

    fn choose_global(&self, layout: Layout, rng: &mut Rng) -> Placement {
        let can_hide = layout != Layout::FilePerFunction;
        let storage = match can_hide && choose_below(2, rng) == 0 {
            true => Storage::Static,
            false => Storage::Global,
        };
        Placement { storage, volatile: choose_bool(self.volatile_vars, rng) }
    }
}

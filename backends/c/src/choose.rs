//! Options from a seed.

use pathsmith_backend::{
    FunctionContext, Style, choose_among, choose_n_visible, choose_storage, choose_vars,
    choose_watched,
};
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::{Program, Var};
use pathsmith_symlang::{Rng, VarId, knobs};

use crate::checked::choose_checked;
use crate::constant::is_table;
use crate::idioms::Idioms;
use crate::initial::choose_uninitialised;
use crate::options::{
    COptions, CallKind, Checked, Control, FileLayout, FunctionOptions, Inputs, Intrinsics, Linkage,
    Placement, Storage, Watch,
};

knobs! {
    /// How often a program is lowered to C in each of the ways there are. `docs/policies.md` has
    /// the measurements behind `placed`; the other defaults are guesses.
    pub struct CStyle {
        /// Each function in a file of its own.
        file_per_function: probability = 0.05;
        /// Structured statements instead of gotos.
        structured: probability = 0.4;
        /// Static functions.
        static_functions: probability = 0.2;
        /// Functions that are not inlined.
        no_inline: probability = 0.1;
        /// Functions that the optimizer may not look into.
        no_ipa: probability = 0.5;
        /// Functions that are always inlined.
        always_inline: probability = 0.05;
        /// Functions that others call through a pointer.
        pointers: probability = 0.1;
        /// Functions that others call through a volatile pointer.
        volatile_pointers: probability = 0.05;
        /// Inputs that come from a volatile array, and not from another file.
        volatile_inputs: probability = 0.3;
        /// Functions with inputs that the optimizer sees.
        visible: probability = 0.1;
        /// How many inputs it sees then, at most.
        n_visible: u32 = 2;
        /// Intrinsics as open code.
        open_code: probability = 0.2;
        /// Functions with variables outside of them.
        placed: probability = 0.7;
        /// The variables of such a function that are static.
        static_vars: probability = 0.2;
        /// The variables of such a function that are global.
        global_vars: probability = 0.4;
        /// The variables of such a function that are volatile.
        volatile_vars: probability = 0.1;
        /// Functions with operators that are checked.
        checked: probability = 0.05;
        /// The locals that get no initial value, of those whose initial value is never read.
        uninitialised: probability = 0.1;
        /// Functions that draw the forms of operators which compilers recognize by their form.
        idioms: probability = 0.8;
        /// Arrays that nothing assigns, as constant tables.
        const_tables: probability = 0.5;
        /// Functions of which one or two scalars are made visible whenever they are assigned: by a
        /// volatile store, or by a call of a function that the optimizer cannot look into.
        watched: probability = 0.15;
    }
}

/// Programs get two files or more, so that inputs can come from another one.
impl Style for CStyle {
    type Options = COptions;

    fn choose_program(&self, _program: &Program, rng: &mut Rng) -> COptions {
        let several = [(self.file_per_function, FileLayout::FilePerFunction)];
        let layout = choose_among(several, FileLayout::TwoFiles, rng);
        COptions { layout, ..COptions::default() }
    }

    fn choose_function(
        &self,
        options: &COptions,
        context: &FunctionContext<'_>,
        rng: &mut Rng,
    ) -> FunctionOptions {
        let is_recursive = context.is_recursive;
        let is_shared = options.layout == FileLayout::FilePerFunction && context.is_called;
        let linkage = match self.choose_linkage(rng) {
            Linkage::AlwaysInline if is_recursive || is_shared => Linkage::Plain,
            Linkage::Static if is_shared => Linkage::Plain,
            linkage => linkage,
        };
        let can_point = context.is_called && linkage != Linkage::AlwaysInline;
        let call = if can_point { self.choose_call(rng) } else { CallKind::Direct };
        let n_visible = choose_n_visible(self.visible, self.n_visible, rng);
        let (_, vars) = choose_vars(context.function, self.placed, rng, |_, rng| {
            self.choose_placement(is_recursive, rng)
        });
        FunctionOptions {
            idioms: Idioms::default(),
            checked: Checked::default(),
            uninitialised: Vec::new(),
            watch: Watch::default(),
            watched: Vec::new(),
            vars,
            linkage,
            call,
            n_visible,
            control: choose_among([(self.structured, Control::Structured)], Control::Gotos, rng),
            inputs: choose_among(
                [(self.volatile_inputs, Inputs::Volatile)],
                Inputs::OtherUnit,
                rng,
            ),
            intrinsics: choose_among(
                [(self.open_code, Intrinsics::OpenCode)],
                Intrinsics::Builtins,
                rng,
            ),
        }
    }

    fn choose_global(&self, options: &COptions, _global: &Var, rng: &mut Rng) -> Placement {
        let can_hide = options.layout != FileLayout::FilePerFunction;
        let storage = match can_hide && choose_below(2, rng) == 0 {
            true => Storage::Static,
            false => Storage::Global,
        };
        let volatile = choose_bool(self.volatile_vars, rng);
        Placement { storage, volatile, constant: choose_bool(self.const_tables, rng) }
    }

    fn choose_late(
        &self,
        chosen: &mut FunctionOptions,
        context: &FunctionContext<'_>,
        rng: &mut Rng,
    ) {
        if choose_bool(self.checked, rng) {
            chosen.checked = choose_checked(context.program, context.function, rng);
        }
        chosen.uninitialised = choose_uninitialised(context, self.uninitialised, rng);
        chosen.idioms = Idioms::choose(context.program, context.function, self.idioms, rng);
    }

    fn choose_last(
        &self,
        chosen: &mut FunctionOptions,
        context: &FunctionContext<'_>,
        rng: &mut Rng,
    ) {
        for id in (0..context.function.vars.len()).map(VarId::new) {
            if is_table(context.function, id) && choose_bool(self.const_tables, rng) {
                chosen.vars.resize(chosen.vars.len().max(id.index() + 1), Placement::default());
                chosen.vars[id.index()].constant = true;
            }
        }
        chosen.watched = choose_watched(context.function, self.watched, rng);
        if !chosen.watched.is_empty() && choose_bool(0.5, rng) {
            chosen.watch = Watch::OpaqueCall;
        }
    }
}

impl CStyle {
    fn choose_linkage(&self, rng: &mut Rng) -> Linkage {
        let shares = [
            (self.static_functions, Linkage::Static),
            (self.no_inline, Linkage::NoInline),
            (self.no_ipa, Linkage::NoIpa),
            (self.always_inline, Linkage::AlwaysInline),
        ];
        choose_among(shares, Linkage::Plain, rng)
    }

    fn choose_call(&self, rng: &mut Rng) -> CallKind {
        let shares = [
            (self.pointers, CallKind::Pointer),
            (self.volatile_pointers, CallKind::VolatilePointer),
        ];
        choose_among(shares, CallKind::Direct, rng)
    }

    fn choose_placement(&self, is_recursive: bool, rng: &mut Rng) -> Placement {
        let placed = |storage| Placement { storage, ..Placement::default() };
        let shares = [
            (self.static_vars, placed(Storage::Static)),
            (self.global_vars, placed(Storage::Global)),
        ];
        let Placement { storage, .. } = choose_storage(shares, is_recursive, rng);
        let volatile = choose_bool(self.volatile_vars, rng);
        Placement { storage, volatile, constant: false }
    }
}

//! The forms of plain C that are tried, the shortest first.

use pathsmith_backend_c::{
    Arguments, Arrangement, COptions, Control, FileLayout, FunctionOptions, Initialised, Inputs,
    LeftCell, Linkage, Placement, PlainMain, PlainOptions, Storage,
};
use pathsmith_oracles::c::Compiler;
use pathsmith_symlang::FuncId;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::{GlobalLayout, Layout, Program, Scalar, VarTy};
use pathsmith_symlang::semantics::{Code, Limits, Machine};

/// How many variables a function may have for each of them to be tried outside of it. A guess.
const MAX_MOVED: usize = 8;

/// How a program becomes plain C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) lowering: COptions,
    pub(super) arguments: Arguments,
    pub(super) initialised: Initialised,
    pub(super) arrangement: Arrangement,
    pub(super) checked: Checked,
}

/// What `main` looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Checked {
    /// Nothing: there is no `main`.
    Nothing,
    /// What the function returns.
    Result,
    /// A cell of a global.
    Cell { global: String, element: Option<usize> },
}

impl Form {
    pub(super) fn plain(&self, main: PlainMain, compiler: Compiler) -> PlainOptions {
        PlainOptions {
            lowering: self.lowering.clone(),
            has_noipa: compiler == Compiler::Gcc,
            arguments: self.arguments,
            initialised: self.initialised,
            arrangement: self.arrangement,
            main,
        }
    }
}

/// The forms of a program that showed a finding when it was lowered with `own`.
pub(super) fn forms(program: &Program, own: &COptions, is_run: bool) -> Vec<Form> {
    let checked = if is_run { Checked::Result } else { Checked::Nothing };
    let mut all: Vec<Form> = Vec::new();
    let mut add = |lowering: COptions, arguments| {
        let is_shared = |function: &FunctionOptions| {
            function.vars.iter().any(|var| var.storage != Storage::Auto)
        };
        let has_shared = lowering.functions.iter().any(is_shared);
        for initialised in [Initialised::AtStart, Initialised::AtEntry] {
            if initialised == Initialised::AtEntry || has_shared {
                let (lowering, checked) = (lowering.clone(), checked.clone());
                let arrangement = Arrangement::AsTheGraph;
                let form = Form { lowering, arguments, initialised, arrangement, checked };
                if !all.contains(&form) {
                    all.push(form);
                }
            }
        }
    };
    let roots: Vec<bool> =
        program.functions.iter().map(|function| !function.realizations.is_empty()).collect();
    // Each with nothing of the options that were tested, then with what they say of variables and
    // operators.
    let plain = vec![FunctionOptions::default(); program.functions.len()];
    let mut tested = own.functions.clone();
    tested.resize(program.functions.len(), FunctionOptions::default());
    let globals = |is_own: bool| if is_own { own.globals.clone() } else { Vec::new() };
    for (functions, is_own) in [(&plain, false), (&tested, true)] {
        for control in [Control::Structured, Control::Gotos] {
            for linkages in [Linkages::RootApart, Linkages::AllApart, Linkages::Plain] {
                let function = |(function, is_root): (&FunctionOptions, &bool)| FunctionOptions {
                    control,
                    linkage: linkages.of(*is_root),
                    inputs: Inputs::default(),
                    ..function.clone()
                };
                let functions = std::iter::zip(functions, &roots).map(function).collect();
                let (layout, globals) = (FileLayout::OneFile, globals(is_own));
                let lowering = COptions { layout, functions, globals };
                add(lowering.clone(), Arguments::Literal);
                if linkages == Linkages::Plain {
                    add(lowering.clone(), Arguments::Volatile);
                    add(lowering.clone(), Arguments::Caller);
                    add(lowering, Arguments::WideCaller);
                }
            }
        }
    }
    // Variables that are outside of their function: one, all locals, all.
    for (at, function) in program.functions.iter().enumerate() {
        let (n_vars, n_params) = (function.vars.len(), function.params().len());
        if !roots[at] || n_vars > MAX_MOVED {
            continue;
        }
        let single = (0..n_vars).map(|var| var..var + 1);
        for moved in single.chain([n_params..n_vars, 0..n_vars]) {
            let mut functions = plain.clone();
            for (function, is_root) in std::iter::zip(&mut functions, &roots) {
                function.control = Control::Structured;
                function.linkage = Linkages::RootApart.of(*is_root);
            }
            let mut vars = vec![Placement::default(); moved.end];
            vars[moved].iter_mut().for_each(|var| var.storage = Storage::Global);
            functions[at].vars = vars;
            let (layout, globals) = (FileLayout::OneFile, Vec::new());
            add(COptions { layout, functions, globals }, Arguments::Literal);
        }
    }
    // As it was tested.
    let as_tested = |function: &FunctionOptions| FunctionOptions {
        inputs: Inputs::default(),
        ..function.clone()
    };
    let functions = tested.iter().map(as_tested).collect();
    let lowering = COptions { layout: FileLayout::OneFile, functions, globals: globals(true) };
    add(lowering.clone(), Arguments::Volatile);
    add(lowering, Arguments::Literal);
    all
}

/// What may be known of the functions of a file across their calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Linkages {
    /// Everything but of the function that `main` calls.
    RootApart,
    /// Nothing.
    AllApart,
    /// Everything.
    Plain,
}

impl Linkages {
    fn of(self, is_root: bool) -> Linkage {
        match (self, is_root) {
            (Self::RootApart | Self::AllApart, true) | (Self::AllApart, false) => Linkage::NoIpa,
            (Self::RootApart, false) => Linkage::Static,
            (Self::Plain, _) => Linkage::Plain,
        }
    }
}

/// What `main` does to check a program; nothing if the program lacks what is to be checked.
pub(super) fn main_for(program: &Program, checked: &Checked) -> Option<PlainMain> {
    match checked {
        Checked::Nothing => Some(PlainMain::None),
        Checked::Result => {
            let (id, n_realizations) = root(program)?;
            Some(PlainMain::Returned(id, (0..n_realizations).collect()))
        }
        Checked::Cell { global, element } => {
            let (id, cells) = cells_left(program)?;
            let is_meant = |cell: &&LeftCell| {
                program.global(cell.global).name == *global && cell.element == *element
            };
            Some(PlainMain::Left(id, 0, *cells.iter().find(is_meant)?))
        }
    }
}

/// The function that `main` calls, and how many realizations it has.
fn root(program: &Program) -> Option<(FuncId, usize)> {
    let mut functions = program.functions_with_ids();
    let (id, function) = functions.find(|(_, function)| !function.realizations.is_empty())?;
    Some((id, function.realizations.len()))
}

/// What the first realization leaves in globals, if that is known.
pub(super) fn cells_left(program: &Program) -> Option<(FuncId, Vec<LeftCell>)> {
    let (id, _) = root(program)?;
    let function = program.function(id);
    let realization = function.realizations.first()?;
    realization.leaving?;
    let code = Code::new(program);
    let mut machine = Machine::new(&code, program.dialect.unwrap_or(Dialect::C));
    machine.run(id, &realization.args, Limits::default()).ending()?;
    let layout = Layout::with_globals(GlobalLayout::new(program), function);
    let mut cells = Vec::new();
    for global in program.globals_named(function) {
        let at = layout.globals()[global.index()];
        let is_array = matches!(program.global(global).ty, VarTy::Array(..));
        for (i, word) in machine.globals()[at.range()].iter().enumerate() {
            let value = Scalar::new(at.ty, *word);
            cells.push(LeftCell { global, element: is_array.then_some(i), value });
        }
    }
    Some((id, cells))
}

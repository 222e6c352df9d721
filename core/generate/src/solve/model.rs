//! Values for holes and parameters.

use serde::{Deserialize, Serialize};

use super::Task;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{
    Const, ConstOrHole, Ending, Expr, Function, Realization, Scalar, ScalarTy, Term, ValueTy,
};
use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
use pathsmith_symlang::{ExprId, HoleId};

/// Values for a function's holes and parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The value of each hole, by number; `None` if it is not known or not in use.
    pub holes: Vec<Option<Scalar>>,
    /// A value for each parameter; `None` if it is not known.
    pub args: Vec<Option<Scalar>>,
}

/// A model while an engine works on it: words without their types.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    pub(crate) holes: Vec<Option<i64>>,
    pub(crate) args: Vec<Option<i64>>,
}

impl Words {
    /// Knows nothing.
    pub(crate) fn empty(function: &Function) -> Self {
        Self { holes: vec![None; function.n_holes()], args: vec![None; function.n_params] }
    }

    /// What `model` knows.
    pub(crate) fn of(model: &Model) -> Self {
        let words = |values: &[Option<Scalar>]| {
            values.iter().map(|value| value.map(Scalar::word)).collect()
        };
        Self { holes: words(&model.holes), args: words(&model.args) }
    }

    /// The model, with the types that `function` gives its holes and parameters; `ty_of` says those
    /// of its expressions.
    pub(crate) fn typed(self, function: &Function, ty_of: impl Fn(ExprId) -> ValueTy) -> Model {
        let types = hole_types(function, self.holes.len(), ty_of);
        let holes = std::iter::zip(self.holes, types);
        let params = function.params().iter();
        Model {
            holes: holes.map(|(word, ty)| Some(Scalar::new(ty?, word?))).collect(),
            args: std::iter::zip(self.args, params)
                .map(|(word, param)| Some(Scalar::new(param.ty.cell_ty(), word?)))
                .collect(),
        }
    }
}

/// The type of each of `n` holes.
fn hole_types(
    function: &Function,
    n: usize,
    ty_of: impl Fn(ExprId) -> ValueTy,
) -> Vec<Option<ScalarTy>> {
    let mut types = vec![None; n];
    for var in &function.vars {
        let ty = var.ty.cell_ty();
        for fill in &var.init {
            if let ConstOrHole::Hole(hole) = fill {
                types[hole.index()] = Some(ty);
            }
        }
    }
    for block in &function.blocks {
        if let Term::Switch { on, cases, .. } = &block.term {
            let ty = ty_of(*on).stored_as();
            for (fill, _) in cases {
                if let ConstOrHole::Hole(hole) = fill {
                    types[hole.index()] = Some(ty);
                }
            }
        }
    }
    for expr in function.exprs() {
        if let Expr::Hole(hole, ty) = expr {
            types[hole.index()] = Some(ty.stored_as());
        }
    }
    types
}

impl Model {
    /// A model that knows nothing, for `function`.
    pub fn empty(function: &Function) -> Self {
        Self { holes: vec![None; function.n_holes()], args: vec![None; function.n_params] }
    }

    /// The value of a hole, if it is known.
    pub fn hole(&self, hole: HoleId) -> Option<Scalar> {
        self.holes.get(hole.index()).copied().flatten()
    }

    /// Puts the values that are known in the place of holes; the other holes stay.
    pub fn fill(&self, function: &mut Function) {
        let filled = |fill: &mut ConstOrHole| {
            if let ConstOrHole::Hole(hole) = fill
                && let Some(value) = self.hole(*hole)
            {
                *fill = ConstOrHole::Const(value);
            }
        };
        function.vars.iter_mut().flat_map(|var| &mut var.init).for_each(filled);
        for block in &mut function.blocks {
            if let Term::Switch { cases, .. } = &mut block.term {
                cases.iter_mut().for_each(|(fill, _)| filled(fill));
            }
        }
        for expr in function.exprs_mut() {
            if let Expr::Hole(hole, ty) = *expr
                && let Some(value) = self.hole(hole)
            {
                *expr = Expr::Const(Const::new(ty, value.word()));
            }
        }
    }
}

/// Runs the function of a task with the values of `model`, and gives the realization if it walks
/// the task's path to a defined output.
///
/// # Errors
/// How the run ended otherwise, in words.
pub fn verify(task: &Task<'_>, model: &Model) -> Result<Realization, String> {
    verify_within(task, model, Limits::default())
}

/// Like [`verify`], with what the run may take besides the steps of the task's path.
///
/// # Errors
/// How the run ended otherwise, in words.
pub fn verify_within(
    task: &Task<'_>,
    model: &Model,
    limits: Limits,
) -> Result<Realization, String> {
    let Some(args) = model.args.iter().copied().collect::<Option<Vec<Scalar>>>() else {
        return Err("a parameter has no value".to_owned());
    };
    let mut program = task.program.clone();
    model.fill(&mut program.functions[task.function.index()]);
    let code = Code::new(&program);
    let mut machine = Machine::new(&code, task.dialect);
    // Whoever takes the path needs no more steps than it has, besides those of calls.
    let steps = limits.steps.saturating_add(task.path.len() as u64);
    let limits = Limits { steps, ..limits };
    match machine.run(task.function, &args, limits) {
        Outcome::Returned(output) if machine.path() == task.path.blocks() => {
            let path = Path::new(machine.path().to_vec());
            Ok(Realization {
                args,
                path,
                ending: Ending::Returns(output),
                leaving: machine.leaving(),
            })
        }
        Outcome::Returned(_) => Err("another path was taken".to_owned()),
        other => Err(other.describe(&program)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::FuncId;
    use pathsmith_symlang::dialect::Dialect;
    use pathsmith_symlang::lang::IntTy;
    use pathsmith_symlang::lang::text::parse;

    const SKETCH: &str = "
        fn f(x: i32) -> u32 {
            var a: [u8; 2] = [?s0, 3];
        entry: x = x * ?s2 + 1; switch x { ?s1 -> other, else -> exit };
        other: goto exit;
        exit: return checksum;
        }";

    #[test]
    fn values_take_the_place_of_holes_of_all_kinds() {
        let mut program = parse("sketch", SKETCH).unwrap();
        let mut model = Model::empty(&program.functions[0]);
        assert_eq!(model.holes.len(), 3);
        model.holes = [(IntTy::U8, 7), (IntTy::I32, 11), (IntTy::I32, 5)]
            .map(|(ty, value)| Some(Scalar::new(ty, value)))
            .to_vec();
        model.fill(&mut program.functions[0]);
        let expected = SKETCH.replace("?s0", "7").replace("?s1", "11").replace("?s2", "5");
        assert_eq!(program, parse("filled", &expected).unwrap());
    }

    #[test]
    fn only_a_model_that_takes_the_path_is_accepted() {
        let program = parse("sketch", SKETCH).unwrap();
        let path = Path::new([0, 1, 2].map(pathsmith_symlang::BlockId::new).to_vec());
        let task =
            Task { program: &program, function: FuncId::new(0), path: &path, dialect: Dialect::C };
        let model = |x: i64, s1: i64| {
            let words = Words { holes: vec![Some(0), Some(s1), Some(5)], args: vec![Some(x)] };
            words.typed(&program.functions[0], |id| program.expr_ty(&program.functions[0], id))
        };
        assert!(verify(&task, &model(2, 11)).is_ok());
        assert_eq!(verify(&task, &model(2, 12)), Err("another path was taken".to_owned()));
        assert!(
            verify(&task, &model(i64::from(i32::MAX), 11)).unwrap_err().starts_with("undefined")
        );
        let unknown = Model { args: vec![None], ..model(2, 11) };
        assert_eq!(verify(&task, &unknown), Err("a parameter has no value".to_owned()));
    }
}

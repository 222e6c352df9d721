//! Instances of templates: everything is drawn, and the interpreter has run it.

use super::expand::Expanded;
use super::file::Template;
use super::options::TemplateOptions;
use crate::solve::{ValuePolicy, draw_and_run};
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::text::{Problem, SourceErrors, parse_converting};
use pathsmith_symlang::lang::{Program, Scalar, ScalarTy};
use pathsmith_symlang::{FuncId, Rng, Seed};

/// How many instances of a template are made to check it.
const N_TRIALS: u64 = 4;

impl Template {
    /// Reads a template, and expands it a few times; `name` is that of its file, without the
    /// extension.
    ///
    /// # Errors
    /// Everything that is wrong with it, as far as one thing does not hide the other.
    pub fn parse(name: &str, text: &str) -> Result<Self, SourceErrors> {
        let template = Self::read(name, text)?;
        // What can be wrong with the function depends on what is drawn.
        for trial in 0..N_TRIALS {
            let rng = &mut Seed::new(trial).rng();
            Instance::expand(&template, &TemplateOptions::default(), rng)?;
        }
        Ok(template)
    }
}

/// A function that a template was expanded to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    /// The function, alone in its program.
    pub(crate) program: Program,
    /// A value for each parameter, as far as they are known.
    pub(crate) args: Vec<Option<Scalar>>,
    /// How many steps it takes with these; 0 if it was not run yet.
    pub(crate) n_steps: usize,
}

impl Instance {
    /// Draws an instance that is defined when it is run alone; none if none is found.
    pub(crate) fn choose(
        template: &Template,
        options: &TemplateOptions,
        dialect: Dialect,
        rng: &mut Rng,
    ) -> Option<Self> {
        (0..N_EXPANSIONS).find_map(|_| {
            // A template that was read can be expanded, but for draws that are out of range.
            let mut instance = Self::expand(template, options, rng).ok()?;
            instance.program.dialect = Some(dialect);
            instance.solve(options.max_steps, dialect, rng).then_some(instance)
        })
    }

    /// Draws what the header of a template says. Constants stay holes.
    pub(super) fn expand(
        template: &Template,
        options: &TemplateOptions,
        rng: &mut Rng,
    ) -> Result<Self, SourceErrors> {
        let expanded = Expanded::draw(template, options, rng)?;
        let program = parse_converting(template.name(), &expanded.text).map_err(|errors| {
            let problems = errors.problems().iter();
            let moved = problems.map(|problem| problem.clone().at(expanded.origin(problem.span())));
            template.errors(moved.collect())
        })?;
        let [function] = &program.functions[..] else {
            let span = expanded.origin(Default::default());
            let problem = Problem::new(span, "a template is one function");
            return Err(template.errors(vec![problem]));
        };
        let mut args = vec![None; function.n_params];
        for (name, number, span) in &expanded.inputs {
            let Some(at) = function.params().iter().position(|param| param.name == *name) else {
                let problem =
                    Problem::new(*span, format!("the function has no parameter `{name}`"));
                return Err(template.errors(vec![problem]));
            };
            let ty = function.vars[at].ty.cell_ty();
            args[at] = Some(Scalar::new(
                ty,
                match ty {
                    ScalarTy::Int(int) => int.wrap(*number),
                    ScalarTy::Float(float) => float.word(*number as f64),
                },
            ));
        }
        Ok(Self { program, args, n_steps: 0 })
    }

    /// Draws its constants and the rest of its input such that it returns.
    fn solve(&mut self, max_steps: u32, dialect: Dialect, rng: &mut Rng) -> bool {
        let drawn = draw_and_run(
            &self.program,
            FuncId::FIRST,
            &self.args,
            dialect,
            ValuePolicy::NONE,
            u64::from(max_steps),
            rng,
        );
        let Some((model, path)) = drawn else { return false };
        model.fill(&mut self.program.functions[0]);
        self.args = model.args;
        self.n_steps = path.len();
        true
    }
}

/// How often everything is drawn anew before a template is given up (a guess).
const N_EXPANSIONS: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::Library;
    use pathsmith_symlang::lang::validate;

    /// Every template of the library can be solved in every dialect, most of the time.
    #[test]
    fn all_templates_can_be_solved() {
        let options = TemplateOptions::default();
        let mut failures = Vec::new();
        for template in Library::get().templates() {
            for dialect in Dialect::ALL {
                let n_solved = (0..40).filter(|seed| {
                    let rng = &mut Seed::new(*seed).child(template.name()).rng();
                    let Some(instance) = Instance::choose(template, &options, dialect, rng) else {
                        return false;
                    };
                    assert!(validate(&instance.program).is_empty(), "{}", template.name());
                    assert_eq!(instance.program.functions[0].n_holes(), 0);
                    true
                });
                let n_solved = n_solved.count();
                if n_solved < 36 {
                    failures.push(format!("{} in {dialect}: {n_solved} of 40", template.name()));
                }
            }
        }
        assert!(failures.is_empty(), "{failures:#?}");
    }

    #[test]
    fn the_library_covers_many_classes() {
        let templates = Library::get().templates();
        let mut classes: Vec<&str> = templates.iter().map(Template::class).collect();
        classes.sort_unstable();
        classes.dedup();
        assert!(templates.len() >= 85, "{}", templates.len());
        assert!(classes.len() >= 14, "{classes:?}");
        for template in templates {
            assert!(Library::get().named(template.name()) == Some(template));
        }
    }
}

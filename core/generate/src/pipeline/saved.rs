//! Sketched functions as lines of JSON, so that they can be kept, reviewed and solved later.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::SketchedFunction;
use crate::knobs::Knobs;
use crate::observe::ObserveOptions;
use crate::policy::SelectedPolicies;
use crate::realize::RealizeOptions;
use crate::sketch::{SavedSketchError, Sketch, block_named};
use crate::solve::{Model, SolveOptions};
use crate::values::BaseError;
use pathsmith_symlang::Seed;
use pathsmith_symlang::graph::Path;

/// The form in which sketched functions are written, and the only one that is read.
pub const SKETCH_VERSION: u32 = 2;

/// A sketched function as it is saved.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    version: u32,
    /// The state of the function's seed, in hexadecimal: JSON has no numbers of 64 bits.
    seed: String,
    policies: SelectedPolicies,
    knobs: Knobs,
    solve: SolveOptions,
    observe: ObserveOptions,
    realize: RealizeOptions,
    crash_only: bool,
    #[serde(default)]
    templates: Vec<String>,
    #[serde(default)]
    unsolved_templates: Vec<String>,
    sketch: Sketch,
    /// The names of the blocks, separated by spaces.
    path: String,
    known: Model,
}

/// As much of it as says what it is.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// Why a line is no sketched function, and which line it is.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {kind}")]
pub struct SketchFileError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub kind: SketchFileErrorKind,
}

/// Why a line is no sketched function.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SketchFileErrorKind {
    /// There is none in the text at all.
    #[error("expected a sketch such as `pathsmith sketch` writes, but the text is empty")]
    Empty,
    /// The line is not JSON, or not of the form expected.
    #[error("expected a sketch such as `pathsmith sketch` writes: {0}")]
    Json(String),
    /// It is of another version.
    #[error("the sketch is of version {0}, but this pathsmith reads version {SKETCH_VERSION}")]
    Version(u32),
    /// The seed is no number.
    #[error("`seed` is `{0}`, but has to be a number of 16 hexadecimal digits")]
    Seed(String),
    /// The program says no dialect.
    #[error("`program` names no dialect: expected `dialect c;`, `dialect wasm;` or `dialect jvm;`")]
    NoDialect,
    /// The sketch or its path names something that is not there.
    #[error(transparent)]
    Sketch(#[from] SavedSketchError),
    /// The path is none of the function's graph.
    #[error("`path`: {0}")]
    Path(String),
    /// There is not one value for each parameter.
    #[error("`known` has {found} arguments, but the function has {expected} parameters")]
    Arguments {
        /// How many values there are.
        found: usize,
        /// How many parameters there are.
        expected: usize,
    },
    /// The knobs make no sense.
    #[error("`knobs`: {0}")]
    Knobs(#[from] BaseError),
}

impl SketchedFunction {
    /// The function as one line of JSON, without the line's end.
    pub fn to_json_line(&self) -> String {
        let function = self.sketch.program.function(Sketch::FUNCTION);
        let names = self.path.blocks().iter().map(|block| &function.block(*block).name[..]);
        let saved = Saved {
            version: SKETCH_VERSION,
            seed: format!("{:016x}", self.seed.state()),
            policies: self.policies.clone(),
            knobs: self.knobs.clone(),
            solve: self.solve.clone(),
            observe: self.observe.clone(),
            realize: self.realize.clone(),
            crash_only: self.crash_only,
            templates: self.templates.clone(),
            unsolved_templates: self.unsolved_templates.clone(),
            sketch: self.sketch.clone(),
            path: names.collect::<Vec<_>>().join(" "),
            known: self.known.clone(),
        };
        serde_json::to_string(&saved).expect("strings, numbers and lists can be written as JSON")
    }

    /// Reads a function from a line of JSON.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_json_line(line: &str) -> Result<Self, SketchFileErrorKind> {
        let json = |error: serde_json::Error| SketchFileErrorKind::Json(error.to_string());
        let Version { version } = serde_json::from_str(line).map_err(json)?;
        if version != SKETCH_VERSION {
            return Err(SketchFileErrorKind::Version(version));
        }
        let saved: Saved = serde_json::from_str(line).map_err(json)?;
        let seed = match (saved.seed.len(), u64::from_str_radix(&saved.seed, 16)) {
            (16, Ok(state)) => Seed::from_state(state),
            _ => return Err(SketchFileErrorKind::Seed(saved.seed)),
        };
        saved.knobs.value.validate()?;
        let dialect = saved.sketch.program.dialect.ok_or(SketchFileErrorKind::NoDialect)?;
        let function = saved.sketch.program.function(Sketch::FUNCTION);
        let blocks = saved.path.split_whitespace().map(|name| block_named(function, "path", name));
        let path = Path::new(blocks.collect::<Result<_, _>>()?);
        let cfg = function.cfg().map_err(|error| SketchFileErrorKind::Path(error.to_string()))?;
        path.check(&cfg).map_err(|error| {
            SketchFileErrorKind::Path(error.describe(|block| &function.blocks[block].name))
        })?;
        let mut known = saved.known;
        let (found, expected) = (known.args.len(), function.n_params);
        if found != expected {
            return Err(SketchFileErrorKind::Arguments { found, expected });
        }
        // The holes of expressions that were replaced are not in the text any more.
        known.holes.resize(known.holes.len().max(function.n_holes()), None);
        Ok(Self {
            seed,
            dialect,
            policies: saved.policies,
            knobs: saved.knobs,
            solve: saved.solve,
            observe: saved.observe,
            realize: saved.realize,
            crash_only: saved.crash_only,
            templates: saved.templates,
            unsolved_templates: saved.unsolved_templates,
            sketch: saved.sketch,
            path,
            known,
        })
    }
}

/// Reads functions from lines of JSON. Empty lines are skipped.
///
/// # Errors
/// The first line that is wrong.
pub fn parse_sketches(text: &str) -> Result<Vec<SketchedFunction>, SketchFileError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let sketches = lines.map(|(i, line)| {
        SketchedFunction::from_json_line(line).map_err(|kind| SketchFileError { line: i + 1, kind })
    });
    let sketches: Vec<SketchedFunction> = sketches.collect::<Result<_, _>>()?;
    match sketches.is_empty() {
        true => Err(SketchFileError { line: 1, kind: SketchFileErrorKind::Empty }),
        false => Ok(sketches),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::GenConfig;
    use crate::pipeline::generate_sketch;
    use pathsmith_symlang::dialect::Dialect;

    /// A function that was saved is solved as it would have been at once.
    #[test]
    fn what_was_saved_is_solved_to_the_same_function() {
        let swarm = GenConfig { swarm: true, ..GenConfig::default() };
        let crash_only = GenConfig { crash_only: true, ..GenConfig::default() };
        for dialect in Dialect::ALL {
            for (config, n) in [(GenConfig::default(), 150), (swarm.clone(), 40)]
                .into_iter()
                .chain([(GenConfig::paper(), 20), (crash_only.clone(), 20)])
            {
                for number in 0..n {
                    let sketched = generate_sketch(&config, dialect, Seed::new(11), number);
                    let line = sketched.to_json_line();
                    let loaded = SketchedFunction::from_json_line(&line).unwrap();
                    assert_eq!(loaded.to_json_line(), line);
                    assert_eq!(loaded.knobs, sketched.knobs);
                    assert_eq!(loaded.sketch, sketched.sketch);
                    assert_eq!(loaded.solve(), sketched.solve(), "{line}");
                }
            }
        }
    }

    fn line() -> String {
        generate_sketch(&GenConfig::default(), Dialect::C, Seed::new(1), 0).to_json_line()
    }

    fn check(line: &str, expected: &str) {
        let error = SketchedFunction::from_json_line(line).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn says_what_is_wrong() {
        let line = line();
        check("{}", "missing field `version`");
        check(
            &line.replace("\"version\":2", "\"version\":7"),
            "version 7, but this pathsmith reads",
        );
        check(&line.replace("\"crash_only\"", "\"crash\""), "unknown field `crash`");
        check(&line.replace("\"seed\":\"", "\"seed\":\"x"), "16 hexadecimal digits");
        check(&line.replace("\"path\":\"entry", "\"path\":\"entrance"), "the block `entrance`");
        check(&line.replace("\"path\":\"entry ", "\"path\":\""), "`path`: ");
        check(&line.replace("dialect c;", ""), "names no dialect");
        check(&line.replace("\"args\":[", "\"args\":[null,"), "arguments, but the function has");
        let error = parse_sketches(&format!("{line}\n\n{{")).unwrap_err().to_string();
        assert!(error.starts_with("line 3: expected a sketch"), "{error}");
        let error = parse_sketches("\n").unwrap_err().to_string();
        assert!(error.contains("the text is empty"), "{error}");
    }

    #[test]
    fn bases_that_nothing_can_be_derived_from_are_refused() {
        let mut sketched = generate_sketch(&GenConfig::default(), Dialect::C, Seed::new(1), 0);
        sketched.knobs.value.bases = vec![crate::values::Base::Number(0)];
        check(&sketched.to_json_line(), "`knobs`: a base constant is 0, but has to be 2 or more");
    }
}

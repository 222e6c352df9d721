//! Sketches as they are saved: the program as its text, blocks and variables by their names.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Sketch;
use pathsmith_symlang::lang::Function;
use pathsmith_symlang::lang::text::parse;
use pathsmith_symlang::{BlockId, VarId};

/// A sketch as it is saved.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedSketch {
    /// The text, which is parsed on its own so that what is wrong with it can be told.
    program: String,
    n_two_way: usize,
    encoded: Vec<String>,
    counters: Vec<(String, String)>,
    strides: Vec<String>,
    updated: Vec<String>,
}

/// Why what was saved is no sketch.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SavedSketchError {
    /// The program is malformed or breaks a rule.
    #[error("`program`: {0}")]
    Program(String),
    /// A sketch is one function.
    #[error("`program` has {0} functions, but a sketch is one function alone")]
    NotOneFunction(usize),
    /// A block is named that is not there.
    #[error("`{field}` names the block `{name}`, but the function has no such block")]
    NoBlock {
        /// Where it is named.
        field: &'static str,
        /// Its name.
        name: String,
    },
    /// A variable is named that is not there, or is an array.
    #[error("`{field}` names the variable `{name}`, but the function has no such scalar variable")]
    NoVariable {
        /// Where it is named.
        field: &'static str,
        /// Its name.
        name: String,
    },
}

impl From<Sketch> for SavedSketch {
    fn from(sketch: Sketch) -> Self {
        let function = sketch.program.function(Sketch::FUNCTION);
        let block = |id: BlockId| function.block(id).name.clone();
        let vars = |ids: &[VarId]| -> Vec<String> {
            ids.iter().map(|id| function.var(*id).name.clone()).collect()
        };
        let counter =
            |(counted, id): &(BlockId, VarId)| (block(*counted), function.var(*id).name.clone());
        Self {
            n_two_way: sketch.n_two_way,
            encoded: sketch.encoded.iter().map(|id| block(*id)).collect(),
            counters: sketch.counters.iter().map(counter).collect(),
            strides: vars(&sketch.strides),
            updated: vars(&sketch.updated),
            program: sketch.program.to_string(),
        }
    }
}

impl TryFrom<SavedSketch> for Sketch {
    type Error = SavedSketchError;

    fn try_from(saved: SavedSketch) -> Result<Self, SavedSketchError> {
        let program = parse("program", &saved.program).map_err(|errors| {
            let first = errors.problems().first().map_or(String::new(), |first| first.to_string());
            SavedSketchError::Program(first)
        })?;
        let [function] = &program.functions[..] else {
            return Err(SavedSketchError::NotOneFunction(program.functions.len()));
        };
        let encoded = saved.encoded.iter().map(|name| block_named(function, "encoded", name));
        let counters = saved.counters.iter().map(|(block, var)| {
            let block = block_named(function, "counters", block)?;
            Ok((block, scalar_named(function, "counters", var)?))
        });
        let scalars = |field, names: &[String]| -> Result<Vec<VarId>, SavedSketchError> {
            names.iter().map(|name| scalar_named(function, field, name)).collect()
        };
        Ok(Self {
            n_two_way: saved.n_two_way,
            encoded: encoded.collect::<Result<_, _>>()?,
            counters: counters.collect::<Result<_, SavedSketchError>>()?,
            strides: scalars("strides", &saved.strides)?,
            updated: scalars("updated", &saved.updated)?,
            program,
        })
    }
}

/// The block of this name.
pub(crate) fn block_named(
    function: &Function,
    field: &'static str,
    name: &str,
) -> Result<BlockId, SavedSketchError> {
    let at = function.blocks.iter().position(|block| block.name == name);
    at.map(BlockId::new).ok_or_else(|| SavedSketchError::NoBlock { field, name: name.to_owned() })
}

fn scalar_named(
    function: &Function,
    field: &'static str,
    name: &str,
) -> Result<VarId, SavedSketchError> {
    let at = function.vars.iter().position(|var| var.name == name && !var.ty.is_array());
    at.map(VarId::new).ok_or_else(|| SavedSketchError::NoVariable { field, name: name.to_owned() })
}

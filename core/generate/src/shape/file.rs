//! Graphs as lines of JSON, so that graphs of real programs can be used.

mod normalize;

use serde::Deserialize;
use thiserror::Error;

use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, CfgError, MAX_BLOCKS, Path, PathError};

/// A graph with what goes with it.
///
/// As JSON, one to a line, block 0 being the entry; `name` and `path` may be left out:
///
/// ```
/// use pathsmith_generate::shape::parse_shapes;
///
/// let line = r#"{"name":"f","blocks":5,"succs":[[1],[2,3],[4],[1],[]],"path":[0,1,2,4]}"#;
/// let shapes = parse_shapes(line)?;
/// assert_eq!(shapes[0].cfg.n_blocks(), 5);
/// assert_eq!(shapes[0].to_json_line(), line);
/// # Ok::<(), pathsmith_generate::shape::ShapeFileError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What the graph is called.
    pub name: Option<String>,
    /// The graph.
    pub cfg: Cfg,
    /// A path through the graph.
    pub path: Option<Path>,
    /// What was changed in reading, so that the graph keeps the rules of [`Cfg`]: sentences for
    /// people. They are not written.
    pub notes: Vec<String>,
}

impl Shape {
    /// The graph as one line of JSON, without the line's end.
    pub fn to_json_line(&self) -> String {
        let mut line = String::from("{");
        if let Some(name) = &self.name {
            line += &format!("\"name\":{},", serde_json::Value::from(name.as_str()));
        }
        line += &format!("\"blocks\":{},\"succs\":[", self.cfg.n_blocks());
        for block in self.cfg.blocks() {
            if block != self.cfg.entry() {
                line.push(',');
            }
            push_list(&mut line, self.cfg.succs(block));
        }
        line.push(']');
        if let Some(path) = &self.path {
            line += ",\"path\":";
            push_list(&mut line, path.blocks());
        }
        line.push('}');
        line
    }
}

fn push_list(line: &mut String, blocks: &[BlockId]) {
    line.push('[');
    for (i, block) in blocks.iter().enumerate() {
        if i > 0 {
            line.push(',');
        }
        *line += &block.index().to_string();
    }
    line.push(']');
}

/// Why a text is not a list of graphs, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}{}: {kind}", column.map_or(String::new(), |column| format!(", column {column}")))]
pub struct ShapeFileError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1, where it is known.
    pub column: Option<usize>,
    /// What is wrong there.
    pub kind: ShapeFileErrorKind,
}

/// Why a line is not a graph. Blocks have the numbers that they have in the line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShapeFileErrorKind {
    /// There is no graph in the text at all.
    #[error("expected a graph such as {EXAMPLE}, but the text is empty")]
    Empty,
    /// The line is not JSON, or not of the form expected.
    #[error("expected a graph such as {EXAMPLE}: {0}")]
    Json(String),
    /// The number of lists is not what `blocks` says.
    #[error("`blocks` is {blocks}, but `succs` has {lists} lists: expected one for every block")]
    CountMismatch {
        /// What `blocks` says.
        blocks: u64,
        /// How many lists there are.
        lists: usize,
    },
    /// There are too many blocks.
    #[error("the graph has {0} blocks, but {MAX_BLOCKS} is the most")]
    TooManyBlocks(usize),
    /// No path through the graph ends.
    #[error("no path ends: expected a block without successors that block 0 can reach")]
    NoWayOut,
    /// The graph breaks a rule, and nothing can be done about it.
    #[error("{0}")]
    Graph(CfgError),
    /// The path is not a path of the graph.
    #[error("`path` is no path of the graph: {0}")]
    Path(PathError),
}

const EXAMPLE: &str = r#"{"blocks": 3, "succs": [[1, 2], [2], []]}"#;

/// Reads all graphs of a text, one to a line. Blank lines are skipped.
///
/// # Errors
/// The first line that is not a graph, or that there is none.
pub fn parse_shapes(text: &str) -> Result<Vec<Shape>, ShapeFileError> {
    let shapes: Vec<Shape> = shapes(text).collect::<Result<_, _>>()?;
    if shapes.is_empty() {
        let kind = ShapeFileErrorKind::Empty;
        return Err(ShapeFileError { line: 1, column: None, kind });
    }
    Ok(shapes)
}

/// Reads the graphs of a text one after the other. Blank lines are skipped, and what is wrong in
/// one line does not keep the next from being read.
pub fn shapes(text: &str) -> impl Iterator<Item = Result<Shape, ShapeFileError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines().enumerate().filter_map(|(i, line)| parse_line(line, i + 1).transpose())
}

/// Reads the graph in one line, or nothing if the line is blank. `line_no`, from 1, is for errors.
///
/// A graph as compilers have it is made to keep the rules of [`Cfg`]: edges that are there several
/// times become one, an entry that has predecessors gets a new entry before it (and all blocks a
/// number that is one higher), and if several blocks have no successor, they get a new exit after
/// them. A path is adapted likewise. The graph's [`notes`](Shape::notes) say what was done.
///
/// # Errors
/// Where the line is not a graph, or its path not a path.
pub fn parse_line(line: &str, line_no: usize) -> Result<Option<Shape>, ShapeFileError> {
    let trimmed = line.trim();
    if trimmed.is_empty() {
        return Ok(None);
    }
    let raw: RawShape = serde_json::from_str(trimmed).map_err(|error| {
        let n_cut = line.len() - line.trim_start().len();
        ShapeFileError {
            line: line_no,
            column: (error.column() > 0).then_some(error.column() + n_cut),
            kind: ShapeFileErrorKind::Json(summary(&error)),
        }
    })?;
    match normalize::normalize(raw) {
        Ok(shape) => Ok(Some(shape)),
        Err(kind) => Err(ShapeFileError { line: line_no, column: None, kind }),
    }
}

/// A line as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawShape {
    name: Option<String>,
    blocks: u64,
    succs: Vec<Vec<u32>>,
    path: Option<Vec<u32>>,
}

/// The message of `error` without its position, cut short where it quotes much of the line.
fn summary(error: &serde_json::Error) -> String {
    const KEPT: usize = 40;
    let message = error.to_string();
    let position = format!(" at line {} column {}", error.line(), error.column());
    let message = message.strip_suffix(&position).unwrap_or(&message);
    let clean = |c: char| if c.is_control() { '?' } else { c };
    let chars: Vec<char> = message.chars().map(clean).collect();
    if chars.len() <= 2 * KEPT {
        return chars.into_iter().collect();
    }
    let start = chars[..KEPT].iter();
    start.chain(&['…']).chain(&chars[chars.len() - KEPT..]).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::shape::{GraphOptions, WalkOptions, random_cfg, random_path};
    use pathsmith_symlang::Seed;

    /// Checks the message for one line; `EXAMPLE` stands for the example in it.
    fn check(line: &str, expected: &str) {
        let message = parse_line(line, 3).unwrap_err().to_string();
        assert_eq!(message.replace(EXAMPLE, "EXAMPLE"), expected);
    }

    const NO_WAY_OUT: &str =
        "line 3: no path ends: expected a block without successors that block 0 can reach";

    #[test]
    fn names_what_is_wrong() {
        check(
            r#" {"blocks": 2, "succs": [[1], []"#,
            "line 3, column 32: expected a graph such as EXAMPLE: EOF while parsing a list",
        );
        check(
            r#"{"blocks": 2, "succs": [[1], []]} x"#,
            "line 3, column 35: expected a graph such as EXAMPLE: trailing characters",
        );
        check(
            r#"{"blocks": 2, "succs": [[-1], []]}"#,
            "line 3, column 27: expected a graph such as EXAMPLE: \
             invalid value: integer `-1`, expected u32",
        );
        check(
            r#"{"blocks": 2, "edges": []}"#,
            "line 3, column 21: expected a graph such as EXAMPLE: \
             unknown field `edges`, expected one of `name`, `blocks`, `succs`, `path`",
        );
        check(
            r#"{"succs": [[1], []]}"#,
            "line 3, column 20: expected a graph such as EXAMPLE: missing field `blocks`",
        );
        check(
            r#"{"blocks": 3, "succs": [[1], []]}"#,
            "line 3: `blocks` is 3, but `succs` has 2 lists: expected one for every block",
        );
        check(
            r#"{"blocks": 2, "succs": [[7], []]}"#,
            "line 3: block 0 leads to block 7, but the last block is 1",
        );
        check(r#"{"blocks": 0, "succs": []}"#, "line 3: a graph needs at least one block");
        check(r#"{"blocks": 2, "succs": [[1], [1]]}"#, NO_WAY_OUT);
        check(r#"{"blocks": 4, "succs": [[1], [1], [], []]}"#, NO_WAY_OUT);
        check(r#"{"blocks": 3, "succs": [[1], [0], []]}"#, NO_WAY_OUT);
    }

    #[test]
    fn names_what_is_wrong_with_a_path() {
        let with_path = |path: &str| {
            format!(r#"{{"blocks": 4, "succs": [[1], [0, 2, 3], [], []], "path": {path}}}"#)
        };
        let check_path = |path: &str, expected: &str| {
            check(&with_path(path), &format!("line 3: `path` is no path of the graph: {expected}"));
        };
        check_path("[]", "the path is empty, but it has to begin at the entry");
        check_path("[1, 2]", "the path begins at block 1, not at the entry");
        check_path("[0, 1]", "the path ends at block 1, not at the exit");
        check_path("[0, 2]", "step 0 goes from block 0 to block 2, but no edge does");
        check_path("[0, 1, 9]", "step 2 is at block 9, which does not exist");
    }

    #[test]
    fn too_many_blocks() {
        let n = MAX_BLOCKS as usize + 1;
        let line = format!(r#"{{"blocks": {n}, "succs": [{}[]]}}"#, "[1],".repeat(n - 1));
        check(&line, "line 3: the graph has 16385 blocks, but 16384 is the most");
    }

    #[test]
    fn says_little_about_long_or_binary_lines() {
        for line in [
            "x".repeat(1_000_000),
            format!(r#"{{"{}": 1}}"#, "y".repeat(1_000_000)),
            format!(r#"{{"blocks": "{}"}}"#, "z".repeat(1_000_000)),
            "\0\u{1}\u{1b}[2J\u{fffd}".repeat(1000),
            "[".repeat(1_000_000),
        ] {
            let message = parse_line(&line, 1).unwrap_err().to_string();
            assert!(message.chars().count() < 200, "{message}");
            assert!(!message.contains(char::is_control), "{message}");
        }
    }

    #[test]
    fn reads_a_file() {
        let text = "\u{feff}{\"blocks\": 1, \"succs\": [[]]}\r\n\n  \n\
                    {\"blocks\": 2, \"succs\": [[1], []], \"name\": \"f\", \"path\": [0, 1]}\n";
        let shapes = parse_shapes(text).unwrap();
        assert_eq!(shapes.len(), 2);
        assert_eq!(shapes[1].name.as_deref(), Some("f"));
        assert_eq!(shapes[1].path.as_ref().unwrap().len(), 2);

        assert_eq!(parse_shapes(&format!("{text}\n{{")).unwrap_err().line, 6);
        let message = parse_shapes(" \n").unwrap_err().to_string();
        assert!(message.ends_with("but the text is empty"), "{message}");
    }

    proptest! {
        #[test]
        fn round_trips(
            blocks in 1_u32..30,
            loops in 0_u32..3,
            switch_share in 0.0..=1.0_f64,
            name in prop::option::of(any::<String>()),
            with_path: bool,
            seed: u64,
        ) {
            let mut rng = Seed::new(seed).rng();
            let options = GraphOptions { blocks, loops, switch_share, ..GraphOptions::default() };
            let cfg = random_cfg(&options, &mut rng);
            let path = with_path.then(|| random_path(&cfg, &WalkOptions::default(), &mut rng));
            let shape = Shape { name, cfg, path, notes: Vec::new() };
            let line = shape.to_json_line();
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(parse_shapes(&line), Ok(vec![shape]));
        }

        #[test]
        fn never_panics(line in any::<String>()) {
            let _ = parse_line(&line, 1);
        }
    }
}

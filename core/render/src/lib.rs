//! Pictures of graphs: a control-flow graph and an execution path on it, as DOT or as SVG.
//!
//! [`dot`] leaves the layout to Graphviz. [`svg`] lays the graph out itself and needs no other
//! tool: every loop is a box of its own around its blocks, so the nesting of loops and the
//! irreducible ones among them are seen before any edge is followed.
//!
//! ```
//! use pathsmith_symlang::BlockId;
//! use pathsmith_render::{Picture, svg};
//! use pathsmith_symlang::graph::{Cfg, Path};
//!
//! let blocks = |list: &[usize]| list.iter().map(|&b| BlockId::new(b)).collect::<Vec<_>>();
//! let cfg = Cfg::new(&[blocks(&[1]), blocks(&[1, 2]), blocks(&[])])?;
//! let path = Path::new(blocks(&[0, 1, 1, 2]));
//! let picture = Picture { path: Some(&path), ..Picture::new(&cfg) };
//! assert!(svg(&picture)?.starts_with("<svg "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dot;
mod geometry;
mod layout;
mod svg;
mod text;
mod too_large;
mod traffic;

#[cfg(test)]
mod samples;

pub use dot::dot;
pub use svg::svg;
pub use too_large::TooLarge;

use pathsmith_symlang::graph::{Cfg, Path};
use pathsmith_symlang::lang::{Function, Program, text as symlang};

/// What is to be drawn.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// A line above the graph.
    pub title: Option<&'a str>,
    /// The graph.
    pub cfg: &'a Cfg,
    /// The path to draw over the graph. Steps that are not edges of the graph are left out.
    pub path: Option<&'a Path>,
    /// What to write in each block. Blocks beyond the end of the list get the label that
    /// [`Label::all`] gives them.
    pub labels: Vec<Label>,
}

impl<'a> Picture<'a> {
    /// The bare graph: no title, no path, blocks labelled by [`Label::all`].
    pub fn new(cfg: &'a Cfg) -> Self {
        Self { title: None, cfg, path: None, labels: Label::all(cfg) }
    }

    /// The labels of all blocks, as they are drawn: one per block, and cut to a legible size.
    fn fitted_labels(&self) -> Vec<Label> {
        let given = self.labels.iter().cloned();
        let missing = Label::all(self.cfg).into_iter().skip(self.labels.len());
        given.chain(missing).take(self.cfg.n_blocks()).map(|label| text::fit(&label)).collect()
    }
}

/// What is written in a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The block's name.
    pub name: String,
    /// Lines below the name, such as the block's statements. Long lines and long lists are cut.
    pub body: Vec<String>,
}

impl Label {
    /// The label with `name` alone.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), body: Vec::new() }
    }

    /// A label for every block of `cfg`: `entry`, `exit`, and `B1`, `B2`, … by number.
    pub fn all(cfg: &Cfg) -> Vec<Self> {
        cfg.blocks()
            .map(|block| {
                if block == cfg.entry() {
                    Self::new("entry")
                } else if block == cfg.exit() {
                    Self::new("exit")
                } else {
                    Self::new(format!("B{}", block.index()))
                }
            })
            .collect()
    }

    /// A label for every block of `function`, with its statements in the block.
    pub fn with_statements(program: &Program, function: &Function) -> Vec<Self> {
        let blocks = function.blocks.iter();
        blocks
            .map(|block| Self {
                name: block.name.clone(),
                body: symlang::print_block(program, function, block),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::samples::cfg;
    use super::*;

    #[test]
    fn blocks_are_named_by_number() {
        let names: Vec<String> =
            Label::all(&cfg(&[&[1], &[2, 3], &[], &[1]])).into_iter().map(|l| l.name).collect();
        assert_eq!(names, ["entry", "B1", "exit", "B3"]);
    }

    #[test]
    fn missing_labels_are_filled_in() {
        let cfg = cfg(&[&[1], &[2], &[]]);
        let picture = Picture { labels: vec![Label::new("start")], ..Picture::new(&cfg) };
        let names: Vec<String> = picture.fitted_labels().into_iter().map(|l| l.name).collect();
        assert_eq!(names, ["start", "B1", "exit"]);
    }
}

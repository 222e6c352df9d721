//! A picture as DOT, for Graphviz and its relatives.

use std::fmt::Write;

use super::too_large::{self, TooLarge};
use super::traffic::Traffic;
use super::{Label, Picture, text};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::LoopForest;

/// Deeper lines are not indented further: in a deep nest, that would be most of the text.
const MAX_INDENT: usize = 20;

/// Writes `picture` as DOT: loops are nested clusters, the path is bold.
///
/// The text is the same on every machine. It ends with a newline.
///
/// # Errors
/// If loops are nested too deep.
pub fn dot(picture: &Picture<'_>) -> Result<String, TooLarge> {
    let mut writer = Writer {
        picture,
        labels: picture.fitted_labels(),
        forest: too_large::loops(picture.cfg)?,
        traffic: Traffic::new(picture),
        reachable: picture.cfg.reachable_from_entry(),
        text: String::new(),
        depth: 1,
    };
    writer.write();
    Ok(writer.text)
}

struct Writer<'a> {
    picture: &'a Picture<'a>,
    labels: Vec<Label>,
    forest: LoopForest,
    traffic: Traffic,
    reachable: Vec<bool>,
    text: String,
    depth: usize,
}

impl Writer<'_> {
    fn write(&mut self) {
        self.text.push_str("digraph cfg {\n");
        if let Some(title) = self.picture.title {
            let title = text::dot(&text::cut(title, 100));
            self.line(&format!("label=\"{title}\"; labelloc=t;"));
        }
        // Without `newrank`, Graphviz gives up on some nests of loops.
        self.line("fontname=\"monospace\"; bgcolor=\"white\"; newrank=true;");
        self.line(
            "node [shape=box, style=\"rounded,filled\", fontname=\"monospace\", fontsize=12, \
             fillcolor=\"#ffffff\", color=\"#495057\"];",
        );
        self.line("edge [fontname=\"monospace\", fontsize=10, color=\"#8a939c\"];");
        self.write_loops();
        self.line(&format!("{{ rank=sink; b{}; }}", self.picture.cfg.exit().index()));
        let edges: Vec<(BlockId, BlockId)> = self.picture.cfg.edges().collect();
        for (edge, (from, to)) in edges.into_iter().enumerate() {
            let attributes = self.edge_attributes(edge, from, to);
            self.line(&format!("b{} -> b{}{attributes};", from.index(), to.index()));
        }
        self.text.push_str("}\n");
    }

    fn line(&mut self, line: &str) {
        for _ in 0..self.depth.min(MAX_INDENT) {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Writes all blocks, each inside the clusters of its loops.
    fn write_loops(&mut self) {
        let n_loops = self.forest.loops().len();
        // What is directly inside each loop, and last, inside none.
        let mut inner = vec![Vec::new(); n_loops + 1];
        let mut blocks = vec![Vec::new(); n_loops + 1];
        for (k, this) in self.forest.loops().iter().enumerate() {
            inner[this.parent.unwrap_or(n_loops)].push(k);
        }
        for block in self.picture.cfg.blocks() {
            blocks[self.forest.innermost(block).unwrap_or(n_loops)].push(block);
        }
        // A loop to open, or `None` for one to close.
        let mut todo: Vec<Option<usize>> = inner[n_loops].iter().rev().map(|&k| Some(k)).collect();
        self.write_blocks(&blocks[n_loops]);
        while let Some(step) = todo.pop() {
            let Some(k) = step else {
                self.depth -= 1;
                self.line("}");
                continue;
            };
            self.line(&format!("subgraph cluster_{k} {{"));
            self.depth += 1;
            let this = &self.forest.loops()[k];
            let (caption, fill, stroke) = if this.is_irreducible() {
                let caption = format!("irreducible: {} entries", this.entries.len());
                (caption, "#f7670718", "#f08c3a")
            } else {
                ("loop".to_owned(), "#1098ad12", "#66b9c6")
            };
            self.line(&format!(
                "label=\"{caption}\"; labeljust=l; fontsize=10; style=\"rounded,filled\"; \
                 fillcolor=\"{fill}\"; color=\"{stroke}\"; fontcolor=\"{stroke}\";"
            ));
            self.write_blocks(&blocks[k]);
            todo.push(None);
            todo.extend(inner[k].iter().rev().map(|&k| Some(k)));
        }
    }

    fn write_blocks(&mut self, blocks: &[BlockId]) {
        for &block in blocks {
            let line = format!("b{} [{}];", block.index(), self.block_attributes(block));
            self.line(&line);
        }
    }

    fn block_attributes(&self, block: BlockId) -> String {
        let label = &self.labels[block.index()];
        let visits = self.traffic.visits[block.index()];
        let mut content = text::dot(&label.name);
        if visits > 1 {
            let _ = write!(content, " ×{visits}");
        }
        if !label.body.is_empty() {
            content.push_str("\\l");
            for line in &label.body {
                let _ = write!(content, "{}\\l", text::dot(line));
            }
        }
        let mut attributes = format!("label=\"{content}\"");
        if block == self.picture.cfg.entry() {
            attributes.push_str(", fillcolor=\"#343a40\", fontcolor=\"#ffffff\"");
        } else if visits > 0 {
            attributes.push_str(", fillcolor=\"#fff0f6\", color=\"#d6336c\", penwidth=1.8");
        } else if !self.reachable[block.index()] {
            attributes.push_str(
                ", style=\"rounded,filled,dashed\", fillcolor=\"#f8f9fa\", color=\"#adb5bd\", \
                 fontcolor=\"#868e96\"",
            );
        } else if self.picture.path.is_some() {
            attributes.push_str(", color=\"#adb5bd\", fontcolor=\"#868e96\"");
        }
        if block == self.picture.cfg.exit() {
            attributes.push_str(", peripheries=2");
        }
        attributes
    }

    fn edge_attributes(&self, edge: usize, from: BlockId, to: BlockId) -> String {
        let n_steps = self.traffic.steps[edge].len();
        let mut list: Vec<String> = Vec::new();
        if n_steps > 0 {
            let tenths = (20 + 5 * n_steps.ilog2()).min(42);
            list.push("color=\"#d6336c\", fontcolor=\"#c2255c\"".to_owned());
            list.push(format!("penwidth={}.{}", tenths / 10, tenths % 10));
        }
        if n_steps > 1 {
            list.push(format!("label=\"×{n_steps}\""));
        }
        if !self.reachable[from.index()] {
            list.push("style=dotted, color=\"#adb5bd\"".to_owned());
            if self.reachable[to.index()] {
                list.push("constraint=false".to_owned());
            }
        } else if self.leads_back(from, to) {
            list.push("style=dashed, constraint=false".to_owned());
            if n_steps == 0 {
                list.push("color=\"#5f3dc4\"".to_owned());
            }
        }
        if list.is_empty() { String::new() } else { format!(" [{}]", list.join(", ")) }
    }

    /// Whether an edge leads to an entry of a loop from inside it.
    fn leads_back(&self, from: BlockId, to: BlockId) -> bool {
        self.forest.innermost(to).is_some_and(|this| {
            self.forest.loops()[this].entries.contains(&to) && self.forest.contains(this, from)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{cfg, path, random_sample};
    use super::*;

    #[test]
    fn loops_are_nested_clusters() {
        let cfg = cfg(&[&[1], &[2, 3], &[2, 1], &[]]);
        let path = path(&[0, 1, 2, 2, 2, 1, 3]);
        let picture = Picture { path: Some(&path), ..Picture::new(&cfg) };
        insta::assert_snapshot!(dot(&picture).unwrap(), @r##"
        digraph cfg {
          fontname="monospace"; bgcolor="white"; newrank=true;
          node [shape=box, style="rounded,filled", fontname="monospace", fontsize=12, fillcolor="#ffffff", color="#495057"];
          edge [fontname="monospace", fontsize=10, color="#8a939c"];
          b0 [label="entry", fillcolor="#343a40", fontcolor="#ffffff"];
          b3 [label="exit", fillcolor="#fff0f6", color="#d6336c", penwidth=1.8, peripheries=2];
          subgraph cluster_0 {
            label="loop"; labeljust=l; fontsize=10; style="rounded,filled"; fillcolor="#1098ad12"; color="#66b9c6"; fontcolor="#66b9c6";
            b1 [label="B1 ×2", fillcolor="#fff0f6", color="#d6336c", penwidth=1.8];
            subgraph cluster_1 {
              label="loop"; labeljust=l; fontsize=10; style="rounded,filled"; fillcolor="#1098ad12"; color="#66b9c6"; fontcolor="#66b9c6";
              b2 [label="B2 ×3", fillcolor="#fff0f6", color="#d6336c", penwidth=1.8];
            }
          }
          { rank=sink; b3; }
          b0 -> b1 [color="#d6336c", fontcolor="#c2255c", penwidth=2.0];
          b1 -> b2 [color="#d6336c", fontcolor="#c2255c", penwidth=2.0];
          b1 -> b3 [color="#d6336c", fontcolor="#c2255c", penwidth=2.0];
          b2 -> b2 [color="#d6336c", fontcolor="#c2255c", penwidth=2.5, label="×2", style=dashed, constraint=false];
          b2 -> b1 [color="#d6336c", fontcolor="#c2255c", penwidth=2.0, style=dashed, constraint=false];
        }
        "##);
    }

    #[test]
    fn text_is_escaped() {
        let cfg = cfg(&[&[1], &[]]);
        let mut picture = Picture { title: Some("a \"b\" \\"), ..Picture::new(&cfg) };
        picture.labels[0] = Label { name: "\"]; x [".into(), body: vec!["a\\n & <b>".into()] };
        let text = dot(&picture).unwrap();
        assert!(text.contains(r#"label="a \"b\" \\"; labelloc"#), "{text}");
        assert!(text.contains(r#"label="\"]; x [\la\\n &amp; <b>\l""#), "{text}");
    }

    #[test]
    fn braces_and_quotes_are_balanced() {
        for k in 0..100 {
            let (cfg, path) = random_sample(k);
            let text = dot(&Picture { path: Some(&path), ..Picture::new(&cfg) }).unwrap();
            let mut depth = 0;
            for (i, line) in text.lines().enumerate() {
                assert_eq!(line.matches('"').count() % 2, 0, "sample {k}: {line}");
                depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
                assert!(depth > 0 || i + 1 == text.lines().count(), "sample {k}: {line}");
            }
            assert_eq!(depth, 0, "sample {k}");
            let n_arrows = text.matches(" -> ").count();
            assert_eq!(n_arrows, cfg.n_edges(), "sample {k}");
        }
    }
}

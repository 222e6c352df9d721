//! What the colours mean, and the facts of the graph in one line.

use std::fmt::Write;

use super::Drawing;
use crate::text;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::Loop;

const FONT_SIZE: i32 = 10;
const FACTS_SIZE: i32 = 11;
const ROW: i32 = 18;
const SWATCH: i32 = 24;

/// The lines below a picture.
#[derive(Debug)]
pub(super) struct Legend {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) text: String,
}

impl Legend {
    /// The legend of `drawing`, in lines of at most `max_width` where words allow it.
    pub(super) fn new(drawing: &Drawing<'_>, max_width: i32) -> Self {
        let mut legend = Self { width: 0, height: 0, text: String::from("<g class=\"legend\">\n") };
        let (mut x, mut y) = (0, 0);
        for (swatch, meaning) in entries(drawing) {
            let w = SWATCH + 5 + text::width(meaning, FONT_SIZE);
            if x > 0 && x + w > max_width {
                (x, y) = (0, y + ROW);
            }
            let _ = writeln!(
                legend.text,
                "<g transform=\"translate({x} {y})\">{swatch}<text x=\"{}\" y=\"10\">{meaning}</text></g>",
                SWATCH + 5
            );
            legend.width = legend.width.max(x + w);
            x += w + 16;
        }
        legend.text.push_str("</g>\n");
        y += ROW + 12;
        let mut line = String::new();
        for fact in facts(drawing) {
            let longer = if line.is_empty() { fact.clone() } else { format!("{line} · {fact}") };
            if !line.is_empty() && text::width(&longer, FACTS_SIZE) > max_width {
                legend.put_facts(&line, y);
                y += ROW;
                line = fact;
            } else {
                line = longer;
            }
        }
        legend.put_facts(&line, y);
        legend.height = y + 4;
        legend
    }

    fn put_facts(&mut self, line: &str, y: i32) {
        self.width = self.width.max(text::width(line, FACTS_SIZE));
        let _ = writeln!(self.text, "<text class=\"facts\" x=\"0\" y=\"{y}\">{line}</text>");
    }
}

/// A swatch and its meaning for everything that is in the picture.
fn entries(drawing: &Drawing<'_>) -> Vec<(&'static str, &'static str)> {
    let has_path = drawing.picture.path.is_some();
    let alive = |block: BlockId| drawing.reachable[block.index()];
    let loops = drawing.forest.loops().iter().filter(|this| alive(this.blocks[0]));
    let edges = &drawing.layout.edges;
    let idle = || {
        let mut untaken = edges.iter().zip(&drawing.traffic.steps).filter(|(_, s)| s.is_empty());
        untaken.any(|(edge, _)| alive(edge.from))
    };
    let mut list: Vec<(bool, &'static str, &'static str)> = Vec::new();
    list.push((
        has_path,
        "<g class=\"edge path\"><path class=\"line\" style=\"stroke-width:2.4\" d=\"M0 7H18\"/>\
         <path class=\"head\" d=\"M24 7l-8 -4.5v9z\"/></g>",
        "path",
    ));
    list.push((
        idle(),
        "<g class=\"edge\"><path class=\"line\" d=\"M0 7H18\"/><path class=\"head\" d=\"M24 7l-7 -4v8z\"/></g>",
        if has_path { "not taken" } else { "edge" },
    ));
    list.push((
        edges.iter().any(|edge| edge.back && alive(edge.from)),
        "<g class=\"edge back\"><path class=\"line\" d=\"M0 7H18\"/>\
         <path class=\"head\" d=\"M24 7l-7 -4v8z\"/></g>",
        "back edge",
    ));
    list.push((
        loops.clone().any(|this| !this.is_irreducible()),
        "<g class=\"frame loop\"><rect x=\"0\" y=\"0\" width=\"24\" height=\"14\" rx=\"4\"/></g>",
        "loop",
    ));
    list.push((
        !drawing.forest.is_reducible(),
        "<g class=\"frame irreducible\"><rect x=\"0\" y=\"0\" width=\"24\" height=\"14\" rx=\"4\"/></g>",
        "irreducible loop",
    ));
    list.push((
        !drawing.forest.is_reducible(),
        "<g class=\"block\"><rect x=\"0\" y=\"0\" width=\"24\" height=\"14\" rx=\"3\"/>\
         <path class=\"mark\" d=\"M4 0q-4 0 -4 4v6q0 4 4 4z\"/></g>",
        "its entries",
    ));
    list.push((
        drawing.reachable.contains(&false),
        "<g class=\"block dead\"><rect x=\"0\" y=\"0\" width=\"24\" height=\"14\" rx=\"3\"/></g>",
        "unreachable",
    ));
    list.into_iter().filter(|entry| entry.0).map(|(_, swatch, meaning)| (swatch, meaning)).collect()
}

/// The numbers worth knowing.
fn facts(drawing: &Drawing<'_>) -> Vec<String> {
    let cfg = drawing.picture.cfg;
    let loops = drawing.forest.loops();
    let n_irreducible = loops.iter().filter(|this| Loop::is_irreducible(this)).count();
    let count =
        |n: usize, one: &str, many: &str| format!("{n} {}", if n == 1 { one } else { many });
    let mut facts =
        vec![count(cfg.n_blocks(), "block", "blocks"), count(cfg.n_edges(), "edge", "edges")];
    let mut loop_fact = count(loops.len(), "loop", "loops");
    if !loops.is_empty() {
        let _ = write!(loop_fact, " ({n_irreducible} irreducible)");
    }
    facts.push(loop_fact);
    if let Some(path) = drawing.picture.path {
        facts.push(format!(
            "path: {} of {}",
            count(path.len(), "visit", "visits"),
            count(drawing.traffic.n_distinct(), "distinct block", "distinct blocks")
        ));
    }
    facts
}

#[cfg(test)]
mod tests {
    use crate::Picture;
    use crate::samples::{cfg, path};
    use crate::svg::Drawing;

    use super::*;

    fn meanings(picture: &Picture<'_>) -> Vec<&'static str> {
        entries(&Drawing::new(picture).unwrap()).into_iter().map(|(_, meaning)| meaning).collect()
    }

    #[test]
    fn only_what_is_there_is_explained() {
        let line = cfg(&[&[1], &[]]);
        assert_eq!(meanings(&Picture::new(&line)), ["edge"]);
        let looping = cfg(&[&[1], &[1, 2], &[]]);
        let path = path(&[0, 1, 2]);
        let picture = Picture { path: Some(&path), ..Picture::new(&looping) };
        assert_eq!(meanings(&picture), ["path", "not taken", "back edge", "loop"]);
        let dead_loop = cfg(&[&[2], &[1], &[]]);
        assert_eq!(meanings(&Picture::new(&dead_loop)), ["edge", "unreachable"]);
        let one = cfg(&[&[]]);
        assert_eq!(meanings(&Picture::new(&one)), [""; 0]);
    }

    #[test]
    fn numbers_are_spelled_right() {
        let cfg = cfg(&[&[1], &[]]);
        assert_eq!(
            facts(&Drawing::new(&Picture::new(&cfg)).unwrap()),
            ["2 blocks", "1 edge", "0 loops"]
        );
    }
}

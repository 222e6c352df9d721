//! A picture as SVG, complete in itself: its style is inside, and it needs no font, no script.

mod labels;
mod legend;
mod style;

use std::fmt::Write;

use self::labels::{Label as EdgeLabel, place_labels};
use super::geometry::{Point, Rect};
use super::layout::{CAPTION_HEIGHT, Frame, Layout, Route, layout, width_for_ports};
use super::text::{self, xml};
use super::too_large::{self, TooLarge};
use super::traffic::Traffic;
use super::{Label, Picture};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::LoopForest;

/// The free space around everything.
const MARGIN: i32 = 20;
/// The font size of names.
const NAME_SIZE: i32 = 12;
/// The font size of body lines.
const BODY_SIZE: i32 = 11;
/// The height of a block that is just a name, and of the name above a body.
const NAME_HEIGHT: i32 = 26;
/// The height of a body line.
const LINE_HEIGHT: i32 = 15;
/// The room left and right of a block's text.
const BLOCK_PADDING: i32 = 10;
/// The font size of visit badges.
const BADGE_SIZE: i32 = 10;
/// The radius of an edge's corners.
const CORNER: i32 = 5;
/// A path of at most this many steps has all of them numbered.
const MAX_NUMBERED: usize = 16;

/// Draws `picture` as SVG.
///
/// The text is the same on every machine. It ends with a newline.
///
/// # Errors
/// If the graph is too large to be laid out in a few seconds.
pub fn svg(picture: &Picture<'_>) -> Result<String, TooLarge> {
    Ok(Drawing::new(picture)?.render())
}

/// Everything that is known about a picture before it is written.
struct Drawing<'a> {
    picture: &'a Picture<'a>,
    labels: Vec<Label>,
    forest: LoopForest,
    traffic: Traffic,
    reachable: Vec<bool>,
    layout: Layout,
}

impl<'a> Drawing<'a> {
    fn new(picture: &'a Picture<'a>) -> Result<Self, TooLarge> {
        let cfg = picture.cfg;
        let labels = picture.fitted_labels();
        let forest = too_large::loops(cfg)?;
        let traffic = Traffic::new(picture);
        let preds = cfg.preds();
        let sizes: Vec<(i32, i32)> = cfg
            .blocks()
            .map(|block| {
                let n_ports = preds[block.index()].len().max(cfg.succs(block).len());
                let (w, h) = block_size(&labels[block.index()], traffic.visits[block.index()]);
                (w.max(width_for_ports(n_ports)), h)
            })
            .collect();
        let tag_width = |block: BlockId| text::width(&labels[block.index()].name, BADGE_SIZE) + 8;
        let layout = layout(cfg, &forest, &traffic, &sizes, tag_width)?;
        let reachable = cfg.reachable_from_entry();
        Ok(Self { picture, labels, forest, traffic, reachable, layout })
    }

    fn name(&self, block: BlockId) -> &str {
        &self.labels[block.index()].name
    }

    fn render(&self) -> String {
        let title = self.picture.title.map(|title| text::cut(title, 100));
        let title_width = title.as_ref().map_or(0, |title| text::width(title, style::TITLE_SIZE));
        let legend = legend::Legend::new(self, self.layout.width.max(title_width).max(380));
        let inner = self.layout.width.max(legend.width).max(title_width);
        let top = MARGIN + if title.is_some() { 30 } else { 0 };
        let width = inner + 2 * MARGIN;
        let legend_y = top + self.layout.height + 22;
        let height = legend_y + legend.height + MARGIN - 6;

        let mut out = String::new();
        let mut put = |text: &str| {
            out.push_str(text);
            out.push('\n');
        };
        put(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\">"
        ));
        if let Some(title) = &title {
            put(&format!("<title>{}</title>", xml(title)));
        }
        put(&format!("<style>\n{}</style>", style::CSS));
        put(&format!("<rect class=\"page\" width=\"{width}\" height=\"{height}\"/>"));
        if let Some(title) = &title {
            let y = MARGIN + 12;
            put(&format!("<text class=\"title\" x=\"{MARGIN}\" y=\"{y}\">{}</text>", xml(title)));
        }
        let left = MARGIN + (inner - self.layout.width) / 2;
        put(&format!("<g transform=\"translate({left} {top})\">"));
        for frame in &self.layout.frames {
            put(&self.frame(frame));
        }
        let edges = self.layout.edges.iter().enumerate();
        for (edge, route) in edges.clone().filter(|(e, _)| self.traffic.steps[*e].is_empty()) {
            put(&self.edge(edge, route));
        }
        // What the path takes is on top.
        for (edge, route) in edges.filter(|(e, _)| !self.traffic.steps[*e].is_empty()) {
            put(&self.edge(edge, route));
        }
        for block in self.picture.cfg.blocks() {
            put(&self.block(block));
        }
        for label in place_labels(&self.layout, &self.edge_labels()) {
            put(&label);
        }
        put("</g>");
        put(&format!("<g transform=\"translate({MARGIN} {legend_y})\">"));
        put(legend.text.trim_end());
        put("</g>");
        put("</svg>");
        out
    }

    fn frame(&self, frame: &Frame) -> String {
        let class = match frame.around.map(|k| &self.forest.loops()[k]) {
            None => "aside".to_owned(),
            Some(this) if !self.reachable[this.blocks[0].index()] => "aside".to_owned(),
            // Deeper loops are darker, up to a point from which on they alternate.
            Some(this) if this.is_irreducible() => format!("irreducible d{}", tint(this.depth)),
            Some(this) => format!("loop d{}", tint(this.depth)),
        };
        let Rect { x, y, w, h } = frame.rect;
        let caption_y = y + CAPTION_HEIGHT - 5;
        format!(
            "<g class=\"frame {class}\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" \
             rx=\"9\"/><text x=\"{}\" y=\"{caption_y}\">{}</text></g>",
            frame.caption_x,
            xml(&frame.caption)
        )
    }

    fn edge(&self, edge: usize, route: &Route) -> String {
        let steps = &self.traffic.steps[edge];
        let mut class = String::from("edge");
        if route.back {
            class.push_str(" back");
        }
        if !steps.is_empty() {
            class.push_str(" path");
        }
        if !self.reachable[route.from.index()] {
            class.push_str(" dead");
        }
        let mut tooltip = format!("{} → {}", self.name(route.from), self.name(route.to));
        if let Some(path) = step_list(steps, 12) {
            let _ = write!(tooltip, "\n×{} (step {path})", steps.len());
        }
        let big = !steps.is_empty();
        let width = match steps.len() {
            0 => String::new(),
            n => {
                let tenths = (22 + 5 * n.ilog2()).min(42);
                format!(" style=\"stroke-width:{}.{}\"", tenths / 10, tenths % 10)
            }
        };
        let (line, head) = (course(&route.points), arrowhead(&route.points, big));
        let halo = if big { format!("<path class=\"halo\" d=\"{line}\"/>") } else { String::new() };
        let tag = route.tag.map_or_else(String::new, |tag| {
            let (x, y) = (tag.x + tag.w / 2, tag.bottom() - 3);
            format!("<text x=\"{x}\" y=\"{y}\">{}</text>", xml(self.name(route.to)))
        });
        format!(
            "<g class=\"{class}\"><title>{}</title>{halo}<path class=\"line\" d=\"{line}\"{width}/>\
             <path class=\"head\" d=\"{head}\"/>{tag}</g>",
            xml(&tooltip)
        )
    }

    fn block(&self, block: BlockId) -> String {
        let label = &self.labels[block.index()];
        let visits = self.traffic.visits[block.index()];
        let Rect { x, y, w, h } = self.layout.blocks[block.index()];
        let mut class = String::from("block");
        for (holds, name) in [
            (block == self.picture.cfg.entry(), " start"),
            (block == self.picture.cfg.exit(), " end"),
            (visits > 0, " path"),
            (visits == 0 && self.picture.path.is_some(), " off"),
            (!self.reachable[block.index()], " dead"),
        ] {
            if holds {
                class.push_str(name);
            }
        }
        let mut out = format!("<g class=\"{class}\"><title>{}</title>", xml(&self.tooltip(block)));
        let _ = write!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"5\"/>");
        if block == self.picture.cfg.exit() {
            let Rect { x, y, w, h } = self.layout.blocks[block.index()].grown(-3);
            let _ = write!(
                out,
                "<rect class=\"inner\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"3\"/>"
            );
        }
        if self.is_irreducible_entry(block) {
            let _ = write!(out, "<path class=\"mark\" d=\"{}\"/>", left_edge(x, y, h));
        }
        let name_width = text::width(&label.name, NAME_SIZE);
        let badge = badge_text(visits);
        let content = name_width + badge.as_ref().map_or(0, |b| 6 + badge_width(b));
        let name_x = if label.body.is_empty() { x + (w - content) / 2 } else { x + BLOCK_PADDING };
        let base = y + 17;
        let _ = write!(
            out,
            "<text class=\"name\" x=\"{name_x}\" y=\"{base}\">{}</text>",
            xml(&label.name)
        );
        if let Some(badge) = badge {
            let badge_w = badge_width(&badge);
            let badge_x = if label.body.is_empty() {
                name_x + name_width + 6
            } else {
                x + w - BLOCK_PADDING + 3 - badge_w
            };
            let _ = write!(
                out,
                "<rect class=\"badge\" x=\"{badge_x}\" y=\"{}\" width=\"{badge_w}\" height=\"14\" \
                 rx=\"7\"/><text class=\"badge\" x=\"{}\" y=\"{}\">{badge}</text>",
                y + 6,
                badge_x + badge_w / 2,
                y + 17
            );
        }
        for (i, line) in label.body.iter().enumerate() {
            let line_y = y + NAME_HEIGHT + 10 + i as i32 * LINE_HEIGHT;
            let _ = write!(
                out,
                "<text class=\"body\" x=\"{}\" y=\"{line_y}\">{}</text>",
                x + BLOCK_PADDING,
                xml(line)
            );
        }
        out.push_str("</g>");
        out
    }

    fn tooltip(&self, block: BlockId) -> String {
        let mut text = self.name(block).to_owned();
        if !self.reachable[block.index()] {
            text.push_str("\nunreachable");
        } else if self.picture.path.is_some() {
            let _ = write!(text, "\nvisits: {}", self.traffic.visits[block.index()]);
        }
        let succs = self.picture.cfg.succs(block);
        if !succs.is_empty() {
            let names: Vec<&str> = succs.iter().map(|&succ| self.name(succ)).collect();
            let _ = write!(text, "\nleads to: {}", names.join(", "));
        }
        text
    }

    fn is_irreducible_entry(&self, block: BlockId) -> bool {
        // A block can only be an entry of a loop that it is directly in.
        self.forest.innermost(block).is_some_and(|k| {
            let this = &self.forest.loops()[k];
            this.is_irreducible() && this.entries.binary_search(&block).is_ok()
        })
    }

    /// What is written on the edges of the path.
    fn edge_labels(&self) -> Vec<EdgeLabel> {
        let numbered = self.traffic.n_steps <= MAX_NUMBERED;
        let steps = self.traffic.steps.iter().enumerate();
        steps
            .filter_map(|(edge, steps)| {
                let text = match (numbered, steps.len()) {
                    (_, 0) | (false, 1) => return None,
                    (true, 1) => steps[0].to_string(),
                    (true, 2..=3) => step_list(steps, 3)?,
                    (_, n) => format!("×{n}"),
                };
                Some(EdgeLabel { edge, text })
            })
            .collect()
    }
}

/// Which of the four tints a loop of this depth has.
fn tint(depth: usize) -> usize {
    if depth < 4 { depth } else { 2 + depth % 2 }
}

/// The left edge of a block, made thick.
fn left_edge(x: i32, y: i32, h: i32) -> String {
    format!("M{} {y}q-5 0 -5 5v{}q0 5 5 5z", x + 5, h - 10)
}

/// The first few of `steps`, as text.
fn step_list(steps: &[usize], most: usize) -> Option<String> {
    let numbers: Vec<String> = steps.iter().take(most).map(usize::to_string).collect();
    let more = if steps.len() > most { ",…" } else { "" };
    (!steps.is_empty()).then(|| numbers.join(",") + more)
}

fn badge_text(visits: usize) -> Option<String> {
    (visits > 1).then(|| format!("×{visits}"))
}

fn badge_width(badge: &str) -> i32 {
    text::width(badge, BADGE_SIZE) + 8
}

/// The width and height of a block.
fn block_size(label: &Label, visits: usize) -> (i32, i32) {
    let badge = badge_text(visits).map_or(0, |badge| 6 + badge_width(&badge));
    let head = text::width(&label.name, NAME_SIZE) + badge;
    let body = label.body.iter().map(|line| text::width(line, BODY_SIZE)).max().unwrap_or(0);
    let height = match label.body.len() as i32 {
        0 => NAME_HEIGHT,
        n => NAME_HEIGHT + n * LINE_HEIGHT + 5,
    };
    ((head.max(body) + 2 * BLOCK_PADDING).max(44), height)
}

/// The course of an edge with round corners, up to where its arrowhead begins.
fn course(points: &[Point]) -> String {
    let mut points = points.to_vec();
    if let Some(last) = points.last_mut() {
        last.y -= 5;
    }
    let mut line = String::new();
    for (i, &point) in points.iter().enumerate() {
        let before = if i > 0 { points.get(i - 1) } else { None };
        match (before, points.get(i + 1)) {
            (Some(&before), Some(&after)) => {
                let (enter, leave) = (towards(point, before), towards(point, after));
                let _ = write!(
                    line,
                    "L{} {}Q{} {} {} {}",
                    enter.x, enter.y, point.x, point.y, leave.x, leave.y
                );
            }
            (None, _) => {
                let _ = write!(line, "M{} {}", point.x, point.y);
            }
            (_, None) => {
                let _ = write!(line, "L{} {}", point.x, point.y);
            }
        }
    }
    line
}

/// The point at which a corner begins on the way to `other`.
fn towards(corner: Point, other: Point) -> Point {
    let half = |from: i32, to: i32| {
        let d = to - from;
        from + d.signum() * (d.abs() / 2).min(CORNER)
    };
    Point::new(half(corner.x, other.x), half(corner.y, other.y))
}

/// A triangle whose tip is at the end of `points`; every edge ends going down.
fn arrowhead(points: &[Point], big: bool) -> String {
    let Some(&Point { x, y }) = points.last() else { return String::new() };
    let (half, height) = if big { (5, 9) } else { (4, 7) };
    format!("M{x} {y}L{} {}H{}Z", x - half, y - height, x + half)
}

#[cfg(test)]
mod tests;

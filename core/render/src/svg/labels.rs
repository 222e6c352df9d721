//! Where the labels of edges go: on their edge, clear of everything else as far as possible.

use std::collections::BTreeMap;

use crate::geometry::{Point, Rect};
use crate::layout::{CAPTION_HEIGHT, Layout};
use crate::text;

/// What is written on an edge.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) edge: usize,
    pub(super) text: String,
}

const FONT_SIZE: i32 = 10;
const HEIGHT: i32 = 13;
/// Labels are tried this far apart along an edge.
const STRIDE: i32 = 4;
/// Places that are tried on one edge.
const MAX_TRIED: usize = 120;
/// The size of a cell of the index.
const CELL: i32 = 96;

/// How far labels may be outside of everything else.
const MARGIN: i32 = 12;

/// What a label should not cover, and how much it matters.
const COVERS_LABEL: i32 = 1000;
const COVERS_BLOCK: i32 = 1000;
const COVERS_CAPTION: i32 = 300;
const COVERS_EDGE: i32 = 20;
const COVERS_CORNER: i32 = 6;

/// Something that labels should keep clear of, unless they belong to the same edge.
#[derive(Clone, Copy)]
struct Obstacle {
    rect: Rect,
    edge: usize,
    cost: i32,
}

/// Obstacles, found by where they are.
#[derive(Default)]
struct Index {
    cells: BTreeMap<(i32, i32), Vec<Obstacle>>,
}

impl Index {
    fn add(&mut self, rect: Rect, edge: usize, cost: i32) {
        for cell in cells(rect) {
            self.cells.entry(cell).or_default().push(Obstacle { rect, edge, cost });
        }
    }

    /// What it costs to cover `rect` with a label of `edge`.
    fn cost(&self, rect: Rect, edge: usize) -> i32 {
        let near = cells(rect).filter_map(|cell| self.cells.get(&cell)).flatten();
        near.filter(|o| o.edge != edge && rect.meets(o.rect)).map(|o| o.cost).sum()
    }
}

fn cells(rect: Rect) -> impl Iterator<Item = (i32, i32)> {
    let columns = rect.x.div_euclid(CELL)..=rect.right().div_euclid(CELL);
    let rows = rect.y.div_euclid(CELL)..=rect.bottom().div_euclid(CELL);
    columns.flat_map(move |column| rows.clone().map(move |row| (column, row)))
}

/// The places of `labels`, in order.
pub(super) fn place(layout: &Layout, labels: &[Label]) -> Vec<Rect> {
    let mut index = Index::default();
    for &block in &layout.blocks {
        index.add(block.grown(1), usize::MAX, COVERS_BLOCK);
    }
    for frame in &layout.frames {
        let at = Point::new(frame.caption_x, frame.rect.y + 2);
        let caption = Rect::new(at, text::width(&frame.caption, FONT_SIZE), CAPTION_HEIGHT - 4);
        index.add(caption, usize::MAX, COVERS_CAPTION);
    }
    for (edge, route) in layout.edges.iter().enumerate() {
        for pair in route.points.windows(2) {
            index.add(Rect::around(pair[0], pair[1]).grown(1), edge, COVERS_EDGE);
        }
    }
    let place_one = |label: &Label| {
        let w = text::width(&label.text, FONT_SIZE) + 7;
        let points = &layout.edges[label.edge].points;
        let length: i32 = points.windows(2).map(|p| distance(p[0], p[1])).sum();
        let stride = STRIDE.max(length / MAX_TRIED as i32);
        let mut best: Option<(i32, Rect)> = None;
        for pair in points.windows(2) {
            let steps = distance(pair[0], pair[1]);
            for at in (0..=steps).step_by(stride as usize).chain([steps / 2]) {
                let centre = along(pair[0], pair[1], at);
                let rect =
                    Rect::new(Point::new(centre.x - w / 2, centre.y - HEIGHT / 2), w, HEIGHT);
                let room = if pair[0].y == pair[1].y { w / 2 + 5 } else { HEIGHT / 2 + 2 };
                let corner = i32::from(at < room || steps - at < room) * COVERS_CORNER;
                // The arrowhead should stay in view.
                let end = points.last().copied().unwrap_or(centre);
                let head = i32::from(distance(centre, end) < HEIGHT / 2 + 10) * COVERS_EDGE;
                let outside = rect.x < -MARGIN || rect.right() > layout.width + MARGIN;
                let outside = i32::from(outside) * COVERS_BLOCK;
                let off_centre = (steps / 2 - at).abs() * 12 / (steps + 1);
                let cost =
                    index.cost(rect.grown(1), label.edge) + corner + head + outside + off_centre;
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, rect));
                }
            }
        }
        let rect = best.map_or(Rect::new(Point::new(0, 0), w, HEIGHT), |(_, rect)| rect);
        index.add(rect, usize::MAX, COVERS_LABEL);
        rect
    };
    labels.iter().map(place_one).collect()
}

fn distance(a: Point, b: Point) -> i32 {
    (a.x - b.x).abs() + (a.y - b.y).abs()
}

/// The point `at` pixels from `a` on the way to `b`.
fn along(a: Point, b: Point, at: i32) -> Point {
    Point::new(a.x + (b.x - a.x).signum() * at, a.y + (b.y - a.y).signum() * at)
}

/// The labels as elements.
pub(super) fn place_labels(layout: &Layout, labels: &[Label]) -> Vec<String> {
    let write = |(label, rect): (&Label, Rect)| {
        let Rect { x, y, w, h } = rect;
        format!(
            "<g class=\"count\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"6\"/>\
             <text x=\"{}.5\" y=\"{}\">{}</text></g>",
            x + w / 2,
            y + 10,
            label.text
        )
    };
    labels.iter().zip(place(layout, labels)).map(write).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Route;
    use pathsmith_symlang::BlockId;

    /// A layout of edges alone.
    fn layout(edges: &[&[(i32, i32)]]) -> Layout {
        let route = |points: &&[(i32, i32)]| Route {
            from: BlockId::new(0),
            to: BlockId::new(0),
            points: points.iter().map(|&(x, y)| Point::new(x, y)).collect(),
            back: false,
            tag: None,
        };
        let edges = edges.iter().map(route).collect();
        Layout { width: 300, height: 300, blocks: vec![], edges, frames: vec![] }
    }

    fn label(edge: usize) -> Label {
        Label { edge, text: "×12".into() }
    }

    #[test]
    fn labels_are_in_the_middle_of_their_edge() {
        let places = place(&layout(&[&[(100, 0), (100, 200)]]), &[label(0)]);
        assert_eq!(places[0].x + places[0].w / 2, 100);
        assert!((places[0].y + HEIGHT / 2 - 100).abs() < 18);
    }

    #[test]
    fn labels_keep_clear_of_other_edges_and_labels() {
        let edges: [&[(i32, i32)]; 3] =
            [&[(100, 0), (100, 200)], &[(108, 60), (108, 200)], &[(0, 30), (200, 30), (200, 50)]];
        let layout = layout(&edges);
        let places = place(&layout, &[label(0), label(1), label(2)]);
        assert!(!places[0].meets(Rect::around(Point::new(108, 60), Point::new(108, 200))));
        assert!(!places[0].meets(places[1]) && !places[1].meets(places[2]));
    }
}

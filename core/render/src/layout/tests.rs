use super::super::Picture;
use super::super::samples::{cfg, random_sample};
use super::*;

fn lay_out(picture: &Picture<'_>) -> (LoopForest, Layout) {
    let cfg = picture.cfg;
    let forest = LoopForest::new(cfg);
    // Sizes of all kinds, wide enough for the ports.
    let preds = cfg.preds();
    let sizes: Vec<(i32, i32)> = cfg
        .blocks()
        .map(|block| {
            let n_ports = preds[block.index()].len().max(cfg.succs(block).len());
            let i = block.index() as i32;
            (width_for_ports(n_ports).max(40 + i * 37 % 90), 26 + i * 13 % 50)
        })
        .collect();
    let layout = layout(cfg, &forest, &Traffic::new(picture), &sizes, |_| 30).unwrap();
    (forest, layout)
}

fn segments(route: &Route) -> impl Iterator<Item = Rect> {
    route.points.windows(2).map(|pair| Rect::around(pair[0], pair[1]))
}

fn inside(outer: Rect, inner: Rect) -> bool {
    outer.x < inner.x
        && outer.y < inner.y
        && outer.right() > inner.right()
        && outer.bottom() > inner.bottom()
}

/// Holds `check` against the layouts of many graphs.
fn sweep(check: impl Fn(u64, &Cfg, &LoopForest, &Layout)) {
    for k in 0..200 {
        let (cfg, path) = random_sample(k);
        let (forest, layout) = lay_out(&Picture { path: Some(&path), ..Picture::new(&cfg) });
        check(k, &cfg, &forest, &layout);
    }
}

#[test]
fn blocks_keep_their_distance() {
    sweep(|k, _, _, layout| {
        for (i, a) in layout.blocks.iter().enumerate() {
            assert!(a.x >= 0 && a.y >= 0 && a.right() <= layout.width, "sample {k}");
            assert!(a.bottom() <= layout.height, "sample {k}");
            for b in &layout.blocks[..i] {
                assert!(!a.grown(8).meets(*b), "sample {k}: {a:?} and {b:?}");
            }
        }
    });
}

#[test]
fn edges_go_from_block_to_block_and_through_none() {
    sweep(|k, _, _, layout| {
        for route in &layout.edges {
            let at = format!("sample {k}: {:?} to {:?}", route.from, route.to);
            let (from, to) = (layout.blocks[route.from.index()], layout.blocks[route.to.index()]);
            let to = route.tag.unwrap_or(to);
            let [first, .., before, last] = route.points[..] else {
                let [first, last] = route.points[..] else { panic!("{at}: too short") };
                assert!(first.x == last.x && first.y < last.y, "{at}");
                continue;
            };
            assert!(first.y == from.bottom() && from.x < first.x && first.x < from.right(), "{at}");
            assert!(last.y == to.y && to.x < last.x && last.x < to.right(), "{at}");
            assert!(before.x == last.x && before.y + 10 < last.y, "{at}: no room for the head");
            for segment in segments(route) {
                assert!(segment.w == 0 || segment.h == 0, "{at}: askew");
                for block in &layout.blocks {
                    assert!(!segment.meets(*block), "{at}: {segment:?} runs through {block:?}");
                }
            }
        }
    });
}

#[test]
fn edges_do_not_run_on_top_of_each_other() {
    sweep(|k, _, _, layout| {
        for (i, a) in layout.edges.iter().enumerate() {
            for b in &layout.edges[..i] {
                for s in segments(a) {
                    // Lines that share more than a point meet once one of them is a bit wider.
                    let upright = s.w == 0;
                    let (x, y) = if upright { (s.x - 1, s.y) } else { (s.x, s.y - 1) };
                    let (w, h) = if upright { (2, s.h) } else { (s.w, 2) };
                    let wide = Rect { x, y, w, h };
                    let on_top = segments(b).find(|t| (t.w == 0) == upright && wide.meets(*t));
                    assert!(
                        on_top.is_none(),
                        "sample {k}: {:?} to {:?} and {:?} to {:?} at {s:?}",
                        a.from,
                        a.to,
                        b.from,
                        b.to
                    );
                }
            }
        }
    });
}

#[test]
fn frames_hold_their_blocks_and_no_others() {
    sweep(|k, cfg, forest, layout| {
        let framed = layout.frames.iter().filter(|frame| frame.around.is_some()).count();
        assert_eq!(framed, forest.loops().len());
        let reachable = cfg.reachable_from_entry();
        for frame in &layout.frames {
            for block in cfg.blocks() {
                let member = match frame.around {
                    Some(this) => forest.contains(this, block),
                    None => !reachable[block.index()],
                };
                let rect = layout.blocks[block.index()];
                assert_eq!(inside(frame.rect, rect), member, "sample {k}: {block:?}");
                assert_eq!(frame.rect.meets(rect), member, "sample {k}: {block:?}");
            }
            if let Some(parent) = frame.around.and_then(|this| forest.loops()[this].parent) {
                let parent = layout.frames.iter().find(|f| f.around == Some(parent)).unwrap();
                assert!(inside(parent.rect, frame.rect), "sample {k}");
            }
        }
    });
}

#[test]
fn forward_edges_go_down_and_back_edges_up() {
    sweep(|k, _, forest, layout| {
        for route in &layout.edges {
            let down = layout.blocks[route.from.index()].y < layout.blocks[route.to.index()].y;
            if route.tag.is_none() {
                assert_eq!(down, !route.back, "sample {k}: {:?} to {:?}", route.from, route.to);
            }
            // What climbs leads to an entry of a loop that it does not leave.
            let stays = forest.loops().iter().enumerate().any(|(this, l)| {
                l.entries.contains(&route.to) && forest.contains(this, route.from)
            });
            assert!(stays || !route.back, "sample {k}: {:?} to {:?}", route.from, route.to);
        }
    });
}

#[test]
fn the_exit_is_at_the_bottom_and_the_entry_at_the_top() {
    sweep(|k, cfg, _, layout| {
        let reachable = cfg.reachable_from_entry();
        let entry = layout.blocks[cfg.entry().index()];
        let exit = layout.blocks[cfg.exit().index()];
        for block in cfg.blocks().filter(|b| reachable[b.index()] && *b != cfg.exit()) {
            let rect = layout.blocks[block.index()];
            assert!(block == cfg.entry() || entry.bottom() < rect.y, "sample {k}");
            assert!(rect.bottom() < exit.y, "sample {k}");
        }
    });
}

#[test]
fn one_block() {
    let cfg = cfg(&[&[]]);
    let (_, layout) = lay_out(&Picture::new(&cfg));
    assert_eq!(layout.blocks, [Rect::new(Point::new(0, 0), 40, 26)]);
}

#[test]
fn a_chain_of_loops_inside_loops_is_no_problem() {
    // Block k leads on, and back to itself from the far end: as many loops as blocks.
    let n = 60;
    let mut succs: Vec<Vec<BlockId>> = (1..n).map(|k| vec![BlockId::new(k)]).collect();
    succs.extend((1..n).rev().map(|k| vec![BlockId::new(2 * n - 1 - k), BlockId::new(k)]));
    succs.push(vec![]);
    succs.iter_mut().for_each(|list| list.dedup());
    let cfg = Cfg::new(&succs).unwrap();
    let (forest, layout) = lay_out(&Picture::new(&cfg));
    assert_eq!(forest.loops().len(), n - 1);
    assert_eq!(layout.frames.len(), n - 1);
}

use super::super::samples::{cfg, path, random_labels, random_sample};
use super::*;
use pathsmith_symlang::Seed;
use pathsmith_symlang::graph::Cfg;

/// Whether the tags of `text` are balanced, its attributes quoted and its entities known.
fn well_formed(text: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        well_formed_content(&rest[..at])?;
        let end = rest[at..].find('>').ok_or("a tag does not end")? + at;
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("{name} is closed too early"));
            }
            continue;
        }
        let (tag, closed) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        // Between the quotes: a name and `=`, then the value, and so on.
        let parts: Vec<&str> = attributes.split('"').collect();
        let (last, parts) = parts.split_last().ok_or("no attributes")?;
        let names_are_good = parts.iter().step_by(2).all(|part| part.trim().ends_with('='));
        if !names_are_good || !last.is_empty() || parts.len() % 2 == 1 || tag.contains('<') {
            return Err(format!("bad tag: {tag}"));
        }
        parts.iter().try_for_each(|part| well_formed_content(part))?;
        if !closed {
            open.push(name);
        }
    }
    if open.is_empty() { well_formed_content(rest) } else { Err(format!("{open:?} not closed")) }
}

fn well_formed_content(text: &str) -> Result<(), String> {
    let known = ["&amp;", "&lt;", "&gt;", "&quot;", "&#39;"];
    let is_known = |(at, _): (usize, &str)| known.iter().any(|e| text[at..].starts_with(e));
    let has_control = text.chars().any(|c| c.is_control() && c != '\n');
    if text.match_indices('&').all(is_known) && !has_control {
        Ok(())
    } else {
        Err(format!("bad content: {text:?}"))
    }
}

#[test]
fn the_checker_checks() {
    assert_eq!(well_formed("<a x=\"1\"><b/>&lt;</a>"), Ok(()));
    for bad in ["<a>", "<a></b>", "<a x=1/>", "<a>&</a>", "<a x=\"<\"/>", "<a x=\"1/>", "<a"] {
        assert!(well_formed(bad).is_err(), "{bad}");
    }
}

#[test]
fn pictures_are_well_formed_and_always_the_same() {
    for k in 0..100 {
        let (cfg, path) = random_sample(k);
        let labels = random_labels(&mut Seed::new(k).rng(), &cfg);
        let picture = Picture { title: Some("a & b"), cfg: &cfg, path: Some(&path), labels };
        let text = svg(&picture).unwrap();
        assert_eq!(well_formed(&text), Ok(()), "sample {k}");
        assert_eq!(text, svg(&picture).unwrap());
        assert_eq!(text.matches("<g class=\"block").count(), cfg.n_blocks() + legend_blocks(&text));
        assert_eq!(well_formed(&svg(&Picture::new(&cfg)).unwrap()), Ok(()), "sample {k}");
    }
}

/// The blocks that are only there to explain.
fn legend_blocks(text: &str) -> usize {
    let legend = text.find("<g class=\"legend\">").unwrap();
    text[legend..].matches("<g class=\"block").count()
}

#[test]
fn any_text_is_escaped() {
    let cfg = cfg(&[&[1], &[1, 2], &[]]);
    let nasty = "</text><script>alert('&amp;')</script>\" \u{1b}[0m \u{0}]]>";
    let mut picture = Picture { title: Some(nasty), ..Picture::new(&cfg) };
    for label in &mut picture.labels {
        *label = Label { name: nasty.into(), body: vec![nasty.into(); 30] };
    }
    let text = svg(&picture).unwrap();
    assert_eq!(well_formed(&text), Ok(()));
    assert!(!text.contains("<script"));
    assert!(text.contains("&lt;script&gt;"));
    assert!(text.contains("… 18 more"));
}

#[test]
fn the_path_is_counted() {
    let cfg = cfg(&[&[1], &[2, 3], &[4], &[1], &[]]);
    let path = path(&[&[0][..], &[1, 3].repeat(20), &[1, 2, 4]].concat());
    let text = svg(&Picture { path: Some(&path), ..Picture::new(&cfg) }).unwrap();
    assert!(text.contains("<title>B1\nvisits: 21\nleads to: B2, B3</title>"));
    assert!(text.contains("<title>B1 → B3\n×20 (step 2,4,6,8,10,12,14,16,18,20,22,24,…)</title>"));
    // Once as the badge of B3, and on the two edges of the loop.
    assert_eq!(text.matches(">×20<").count(), 3);
    assert!(text.contains("path: 44 visits of 5 distinct blocks"));
    assert!(text.contains("5 blocks · 5 edges · 1 loop (0 irreducible)"));
}

#[test]
fn steps_of_short_paths_are_numbered() {
    let cfg = cfg(&[&[1], &[2, 3], &[4], &[1], &[]]);
    let path = path(&[0, 1, 3, 1, 3, 1, 2, 4]);
    let text = svg(&Picture { path: Some(&path), ..Picture::new(&cfg) }).unwrap();
    for label in ["1", "2,4", "3,5", "6", "7"] {
        assert!(text.contains(&format!(">{label}</text></g>")), "{label}");
    }
}

#[test]
fn irreducible_loops_stand_out() {
    let cfg = cfg(&[&[1, 2], &[2], &[1, 3], &[]]);
    let text = svg(&Picture::new(&cfg)).unwrap();
    assert!(text.contains("irreducible: 2 entries"));
    assert!(text.contains("1 loop (1 irreducible)"));
    // Both entries, and the one in the legend.
    assert_eq!(text.matches("class=\"mark\"").count(), 3);
}

#[test]
fn unreachable_blocks_are_set_apart() {
    let cfg = cfg(&[&[1], &[3], &[1, 2], &[]]);
    let text = svg(&Picture::new(&cfg)).unwrap();
    assert_eq!(text.matches("class=\"block dead\"").count(), 2);
    assert!(text.contains(">unreachable</text>"));
    assert!(text.contains("<title>B2\nunreachable\nleads to: B1, B2</title>"));
}

#[test]
fn labels_of_edges_do_not_overlap_at_usual_sizes() {
    let mut n_labels = 0;
    let mut n_overlaps = 0;
    for k in 0..100 {
        let (cfg, path) = random_sample(k);
        let picture = Picture { path: Some(&path), ..Picture::new(&cfg) };
        let drawing = Drawing::new(&picture).unwrap();
        let places = labels::place(&drawing.layout, &drawing.edge_labels());
        n_labels += places.len();
        for (i, a) in places.iter().enumerate() {
            assert!(!drawing.layout.blocks.iter().any(|block| block.meets(*a)), "sample {k}");
            n_overlaps += places[..i].iter().filter(|b| b.meets(*a)).count();
        }
    }
    assert!(n_labels > 500);
    assert_eq!(n_overlaps, 0);
}

#[test]
fn what_would_take_too_long_is_refused() {
    // Each block leads to the next one and to one that is far below: edges pass 40 n rows.
    let ladder = |n: usize| {
        let rungs = (0..n).map(|b| vec![BlockId::new(b + 1), BlockId::new((b + 40).min(n))]);
        let mut succs: Vec<Vec<BlockId>> = rungs.collect();
        succs[n - 1].truncate(1);
        succs.push(Vec::new());
        Cfg::new(&succs).unwrap()
    };
    assert!(svg(&Picture::new(&ladder(100))).is_ok());
    assert_eq!(svg(&Picture::new(&ladder(16_000))), Err(TooLarge::Points));
    assert!(crate::dot(&Picture::new(&ladder(16_000))).is_ok());
}

#[test]
fn a_row_that_is_too_wide_is_refused() {
    let star = |n: usize| {
        let mut succs = vec![(1..n).map(BlockId::new).collect::<Vec<_>>()];
        succs.extend((1..n).map(|_| vec![BlockId::new(n)]));
        succs.push(Vec::new());
        Cfg::new(&succs).unwrap()
    };
    assert!(svg(&Picture::new(&star(100))).is_ok());
    assert_eq!(svg(&Picture::new(&star(4_000))), Err(TooLarge::Width));
}

#[test]
fn a_deep_nest_of_many_blocks_is_refused() {
    let nest = |n: usize| {
        let mut succs: Vec<Vec<BlockId>> = (0..n).map(|b| vec![BlockId::new(b + 1)]).collect();
        succs.extend((1..n).rev().map(|b| vec![BlockId::new(2 * n - b), BlockId::new(b)]));
        succs.push(Vec::new());
        Cfg::new(&succs).unwrap()
    };
    assert!(crate::dot(&Picture::new(&nest(100))).is_ok());
    let deep = nest(8_000);
    assert_eq!(svg(&Picture::new(&deep)), Err(TooLarge::Loops));
    assert_eq!(crate::dot(&Picture::new(&deep)), Err(TooLarge::Loops));
}

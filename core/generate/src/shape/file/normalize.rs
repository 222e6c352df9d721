//! Making any graph with an entry and a way out keep the rules of [`Cfg`].

use super::{RawShape, Shape, ShapeFileErrorKind};
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, CfgError, MAX_BLOCKS, Path, PathError};

pub(super) fn normalize(raw: RawShape) -> Result<Shape, ShapeFileErrorKind> {
    let RawShape { name, blocks, succs, path } = raw;
    if succs.len() as u64 != blocks {
        return Err(ShapeFileErrorKind::CountMismatch { blocks, lists: succs.len() });
    }
    let mut notes = Vec::new();
    let mut succs = checked_edges(succs).map_err(ShapeFileErrorKind::Graph)?;
    merge_edges(&mut succs, &mut notes);
    if let Some(path) = &path {
        check_path(path, &succs).map_err(ShapeFileErrorKind::Path)?;
    }
    let mut path: Option<Vec<usize>> =
        path.map(|blocks| blocks.into_iter().map(|block| block as usize).collect());

    let exits: Vec<usize> = (0..succs.len()).filter(|&block| succs[block].is_empty()).collect();
    if exits.len() > 1 {
        let exit = succs.len();
        for &block in &exits {
            succs[block].push(exit);
        }
        succs.push(Vec::new());
        path.iter_mut().for_each(|blocks| blocks.push(exit));
        notes.push(format!(
            "{} blocks have no successor; they now lead to a new exit, block {exit}",
            exits.len(),
        ));
    }
    if succs.iter().any(|list| list.contains(&0)) {
        for to in succs.iter_mut().flatten() {
            *to += 1;
        }
        succs.insert(0, vec![1]);
        if let Some(blocks) = &mut path {
            blocks.iter_mut().for_each(|block| *block += 1);
            blocks.insert(0, 0);
        }
        notes.push(
            "the entry has predecessors; a new entry leads to it, and all numbers are one higher"
                .to_owned(),
        );
    }

    if succs.len() > MAX_BLOCKS as usize {
        return Err(ShapeFileErrorKind::TooManyBlocks(succs.len()));
    }
    let succs: Vec<Vec<BlockId>> = succs.into_iter().map(ids).collect();
    let cfg = Cfg::new(&succs).map_err(|error| match error {
        CfgError::NoExit | CfgError::ExitUnreachable { .. } => ShapeFileErrorKind::NoWayOut,
        error => ShapeFileErrorKind::Graph(error),
    })?;
    Ok(Shape { name, cfg, path: path.map(|blocks| Path::new(ids(blocks))), notes })
}

fn ids(blocks: Vec<usize>) -> Vec<BlockId> {
    blocks.into_iter().map(BlockId::new).collect()
}

fn checked_edges(succs: Vec<Vec<u32>>) -> Result<Vec<Vec<usize>>, CfgError> {
    let last = succs.len().checked_sub(1).ok_or(CfgError::Empty)?;
    let check = |from: usize, to: u32| {
        let to = to as usize;
        if to > last { Err(CfgError::TargetOutOfRange { from, to, last }) } else { Ok(to) }
    };
    let lists = succs.into_iter().enumerate();
    lists.map(|(from, list)| list.into_iter().map(|to| check(from, to)).collect()).collect()
}

/// Leaves every edge once, at its first place.
fn merge_edges(succs: &mut [Vec<usize>], notes: &mut Vec<String>) {
    let mut last_from = vec![None; succs.len()];
    let mut n_merged = 0;
    let mut first = None;
    for (from, list) in succs.iter_mut().enumerate() {
        list.retain(|&to| {
            let is_new = last_from[to].replace(from) != Some(from);
            if !is_new {
                n_merged += 1;
                first.get_or_insert((from, to));
            }
            is_new
        });
    }
    if let Some((from, to)) = first {
        let edges = if n_merged == 1 { "edge was" } else { "edges were" };
        notes.push(format!(
            "{n_merged} {edges} there more than once and dropped, first block {from} to block {to}"
        ));
    }
}

/// Checks that `path` leads from block 0 to a block without successors.
fn check_path(path: &[u32], succs: &[Vec<usize>]) -> Result<(), PathError> {
    let path = || path.iter().map(|&block| block as usize);
    let (Some(first), Some(last)) = (path().next(), path().next_back()) else {
        return Err(PathError::Empty);
    };
    if let Some((step, block)) = path().enumerate().find(|&(_, block)| block >= succs.len()) {
        return Err(PathError::NoBlock { step, block });
    }
    if first != 0 {
        return Err(PathError::BeginsElsewhere(first));
    }
    for (step, (from, to)) in path().zip(path().skip(1)).enumerate() {
        if !succs[from].contains(&to) {
            return Err(PathError::NoEdge { step, from, to });
        }
    }
    if !succs[last].is_empty() {
        return Err(PathError::EndsElsewhere(last));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::shape::parse_line;

    fn check(line: &str, expected: &str, notes: &[&str]) {
        let shape = parse_line(line, 1).unwrap().unwrap();
        assert_eq!(shape.to_json_line(), expected);
        assert_eq!(shape.notes, notes);
    }

    #[test]
    fn leaves_good_graphs_alone() {
        let line = r#"{"blocks":3,"succs":[[1,2],[1,2],[]]}"#;
        check(line, line, &[]);
    }

    #[test]
    fn merges_edges() {
        check(
            r#"{"blocks":3,"succs":[[2,1,2,2],[2,2],[]]}"#,
            r#"{"blocks":3,"succs":[[2,1],[2],[]]}"#,
            &["3 edges were there more than once and dropped, first block 0 to block 2"],
        );
    }

    #[test]
    fn adds_an_exit() {
        check(
            r#"{"blocks":3,"succs":[[1,2],[],[]],"path":[0,2]}"#,
            r#"{"blocks":4,"succs":[[1,2],[3],[3],[]],"path":[0,2,3]}"#,
            &["2 blocks have no successor; they now lead to a new exit, block 3"],
        );
    }

    #[test]
    fn adds_an_entry() {
        check(
            r#"{"blocks":2,"succs":[[0,1],[]],"path":[0,0,1]}"#,
            r#"{"blocks":3,"succs":[[1],[1,2],[]],"path":[0,1,1,2]}"#,
            &[
                "the entry has predecessors; a new entry leads to it, and all numbers are one higher",
            ],
        );
    }

    proptest! {
        /// Whatever the edges are, the outcome keeps the rules, and a second time nothing changes.
        #[test]
        fn gives_graphs_that_stay_as_they_are(
            succs in (1_usize..8).prop_flat_map(|n| {
                prop::collection::vec(prop::collection::vec(0..n as u32, 0..4), n)
            }),
        ) {
            let raw = RawShape { name: None, blocks: succs.len() as u64, succs, path: None };
            if let Ok(shape) = normalize(raw) {
                let again = parse_line(&shape.to_json_line(), 1).unwrap().unwrap();
                prop_assert_eq!(again.notes.len(), 0);
                prop_assert_eq!(again.cfg, shape.cfg);
            }
        }
    }
}

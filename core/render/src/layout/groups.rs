//! The nesting of a picture: what is drawn inside what.

use super::graph::{Item, Problem, Solved, Wire};
use crate::text;
use crate::traffic::Traffic;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::{Cfg, LoopForest};

/// The group of what is in no loop.
pub(super) const ROOT: usize = 0;
/// The group of what cannot be reached.
pub(super) const UNREACHABLE: usize = 1;
/// The group of the first loop.
pub(super) const FIRST_LOOP: usize = 2;

/// The height of a tag.
const TAG_HEIGHT: i32 = 14;
/// The font size of captions.
pub(crate) const CAPTION_SIZE: i32 = 10;

/// All groups, and how the edges run through them.
#[derive(Debug)]
pub(super) struct Groups {
    pub(super) list: Vec<Group>,
    /// Blocks first, then tags.
    pub(super) spots: Vec<Spot>,
    /// The tag at the end of each edge that has one.
    pub(super) tags: Vec<Option<usize>>,
    /// Each edge's wires, by group and position in there, from source to target.
    pub(super) pieces: Vec<Vec<(usize, usize)>>,
    /// Where the exit is among the root's members.
    exit: usize,
}

/// The root, the unreachable part, or a loop.
#[derive(Debug)]
pub(super) struct Group {
    parent: Option<usize>,
    depth: usize,
    pub(super) members: Vec<Member>,
    pub(super) caption: Option<String>,
    /// Where it is among its parent's members.
    index: usize,
    strands: Vec<Strand>,
}

impl Group {
    fn new(parent: Option<usize>, depth: usize, caption: Option<String>) -> Self {
        Self { parent, depth, members: Vec::new(), caption, index: 0, strands: Vec::new() }
    }
}

/// What is directly inside a group.
#[derive(Clone, Copy, Debug)]
pub(super) enum Member {
    Spot(usize),
    Group(usize),
}

/// A block, or a tag in place of one.
#[derive(Debug)]
pub(super) struct Spot {
    pub(super) size: (i32, i32),
    group: usize,
    /// Where it is among its group's members.
    index: usize,
}

/// The part of an edge within one group, by the positions of its ends among the members.
#[derive(Clone, Copy, Debug)]
struct Strand {
    edge: usize,
    from: Option<usize>,
    to: Option<usize>,
    back: bool,
}

impl Groups {
    pub(super) fn new(
        cfg: &Cfg,
        forest: &LoopForest,
        sizes: &[(i32, i32)],
        tag_width: impl Fn(BlockId) -> i32,
    ) -> Self {
        let reachable = cfg.reachable_from_entry();
        let outermost = |block: BlockId| if reachable[block.index()] { ROOT } else { UNREACHABLE };
        let mut groups = Self {
            list: vec![Group::new(None, 0, None), Group::new(None, 0, Some("unreachable".into()))],
            spots: Vec::new(),
            tags: vec![None; cfg.n_edges()],
            pieces: vec![Vec::new(); cfg.n_edges()],
            exit: 0,
        };
        for (k, this) in forest.loops().iter().enumerate() {
            let parent = this.parent.map_or_else(|| outermost(this.blocks[0]), |p| p + FIRST_LOOP);
            let caption = if this.is_irreducible() {
                format!("irreducible: {} entries", this.entries.len())
            } else {
                "loop".to_owned()
            };
            let mut group = Group::new(Some(parent), this.depth + 1, Some(caption));
            group.index = groups.list[parent].members.len();
            groups.list[parent].members.push(Member::Group(k + FIRST_LOOP));
            groups.list.push(group);
        }
        for block in cfg.blocks() {
            let group =
                forest.innermost(block).map_or_else(|| outermost(block), |k| k + FIRST_LOOP);
            groups.add_spot(group, sizes[block.index()]);
        }
        // The exit leads nowhere and can be reached, so it is directly in the root.
        groups.exit = groups.spots[cfg.exit().index()].index;
        for (edge, (from, to)) in cfg.edges().enumerate() {
            let mut target = to.index();
            if reachable[to.index()] && !reachable[from.index()] {
                target = groups.add_spot(UNREACHABLE, (tag_width(to), TAG_HEIGHT));
                groups.tags[edge] = Some(target);
            }
            groups.add_edge(forest, edge, from.index(), target);
        }
        groups
    }

    fn add_spot(&mut self, group: usize, size: (i32, i32)) -> usize {
        let spot = self.spots.len();
        self.spots.push(Spot { size, group, index: self.list[group].members.len() });
        self.list[group].members.push(Member::Spot(spot));
        spot
    }

    /// Follows an edge out of the groups that only its source is in, and into those that only its
    /// target is in.
    fn add_edge(&mut self, forest: &LoopForest, edge: usize, from: usize, to: usize) {
        let (mut outer, mut inner) = (self.spots[from].group, self.spots[to].group);
        let (mut source, mut target) = (self.spots[from].index, self.spots[to].index);
        let mut entering = Vec::new();
        while outer != inner {
            if self.list[outer].depth >= self.list[inner].depth {
                self.add_strand(outer, Strand { edge, from: Some(source), to: None, back: false });
                (source, outer) = self.out_of(outer);
            } else {
                entering.push((inner, Strand { edge, from: None, to: Some(target), back: false }));
                (target, inner) = self.out_of(inner);
            }
        }
        let entries = outer.checked_sub(FIRST_LOOP).map(|k| &forest.loops()[k].entries);
        let back = entries.is_some_and(|list| list.binary_search(&BlockId::new(to)).is_ok());
        self.add_strand(outer, Strand { edge, from: Some(source), to: Some(target), back });
        for (group, strand) in entering.into_iter().rev() {
            self.add_strand(group, strand);
        }
    }

    fn add_strand(&mut self, group: usize, strand: Strand) {
        self.pieces[strand.edge].push((group, self.list[group].strands.len()));
        self.list[group].strands.push(strand);
    }

    /// A group's place in the group around it, and that group.
    fn out_of(&self, group: usize) -> (usize, usize) {
        (self.list[group].index, self.list[group].parent.unwrap_or(ROOT))
    }

    /// All groups, each before those inside it.
    pub(super) fn outer_first(&self) -> impl DoubleEndedIterator<Item = usize> + use<> {
        0..self.list.len()
    }

    /// All groups, each after those inside it.
    pub(super) fn inner_first(&self) -> impl Iterator<Item = usize> + use<> {
        self.outer_first().rev()
    }

    /// What is to be laid out for `group` when the groups inside it are `solved`.
    pub(super) fn problem(&self, group: usize, solved: &[Solved], traffic: &Traffic) -> Problem {
        let this = &self.list[group];
        let items = this.members.iter().map(|member| match *member {
            Member::Spot(spot) => {
                let (w, h) = self.spots[spot].size;
                Item { w, h }
            }
            Member::Group(inner) => Item { w: solved[inner].w, h: solved[inner].h },
        });
        let wires = this.strands.iter().map(|strand| Wire {
            from: strand.from,
            to: strand.to,
            from_port: strand
                .from
                .and_then(|m| self.port(this.members[m], strand.edge, solved, false)),
            to_port: strand.to.and_then(|m| self.port(this.members[m], strand.edge, solved, true)),
            back: strand.back,
            traffic: traffic.steps[strand.edge].len(),
        });
        Problem {
            items: items.collect(),
            wires: wires.collect(),
            last: (group == ROOT).then_some(self.exit),
            caption: this.caption.as_ref().map(|caption| text::width(caption, CAPTION_SIZE)),
        }
    }

    /// Where `edge` passes the border of an inner group.
    fn port(&self, member: Member, edge: usize, solved: &[Solved], entering: bool) -> Option<i32> {
        let Member::Group(inner) = member else { return None };
        let &(_, wire) = self.pieces[edge].iter().find(|piece| piece.0 == inner)?;
        let route = &solved[inner].routes[wire];
        if entering { route.first() } else { route.last() }.map(|point| point.x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::cfg;

    /// The groups of a graph, and for each edge the groups that it runs through, with an arrow
    /// where it leads back.
    fn check(succs: &[&[usize]], expected: &[&str]) {
        let cfg = cfg(succs);
        let groups =
            Groups::new(&cfg, &LoopForest::new(&cfg), &vec![(40, 20); succs.len()], |_| 30);
        let run = |pieces: &Vec<(usize, usize)>| {
            let piece = |&(group, strand): &(usize, usize)| {
                let back = groups.list[group].strands[strand].back;
                format!("{group}{}", if back { "^" } else { "" })
            };
            pieces.iter().map(piece).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(groups.pieces.iter().map(run).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn edges_run_out_of_loops_and_into_loops() {
        // Loop 2 is 1 2 3, loop 3 inside it is 2.
        let succs: [&[usize]; 5] = [&[1], &[2], &[2, 3, 4], &[1], &[]];
        check(&succs, &["0 2", "2 3", "3^", "3 2", "3 2 0", "2^"]);
    }

    #[test]
    fn edges_from_unreachable_blocks_end_at_tags() {
        let cfg = cfg(&[&[2], &[2, 1], &[]]);
        let groups = Groups::new(&cfg, &LoopForest::new(&cfg), &[(40, 20); 3], |_| 30);
        assert_eq!(groups.tags, [None, Some(3), None]);
        assert_eq!(groups.spots[3].group, UNREACHABLE);
    }
}

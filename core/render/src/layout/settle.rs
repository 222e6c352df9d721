//! Things on a line that keep their distances and want to be close to their friends.

/// Thing `right` is at least `least` to the right of thing `left`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) least: i32,
}

/// Thing `b` would like to be `distance` to the right of thing `a`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pull {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) distance: i32,
    pub(super) weight: i32,
}

/// Rounds of moving things, for problems of a hundred or so.
const MAX_ROUNDS: usize = 24;
/// How many things all rounds may look at together.
const BUDGET: usize = 3_000_000;
/// The most things that are moved at once.
const MAX_GROUP: usize = 300;

/// Positions for `n` things that keep all `gaps`, which must not form a cycle, and make the
/// weighted sum of what is missing to the `pulls` small.
///
/// The things start as far left as they can be. Then each in turn is pushed right or left,
/// together with what it touches in that direction (and, as a second try, with what is exactly
/// where it wants to be relative to it), as long as the sum falls.
pub(super) fn settle(n: usize, gaps: Vec<Gap>, pulls: &[Pull]) -> Vec<i32> {
    let mut line = Line::new(n, gaps, pulls);
    let mut spent = 0;
    for _ in 0..MAX_ROUNDS {
        let mut moved = false;
        for toward_right in [true, false] {
            for k in 0..n {
                let thing = line.order[if toward_right { n - 1 - k } else { k }];
                for with_friends in [false, true] {
                    moved |= line.push(thing, toward_right, with_friends);
                    spent += line.group.len();
                }
            }
        }
        if !moved || spent > BUDGET {
            break;
        }
    }
    line.x
}

struct Line {
    x: Vec<i32>,
    /// The things, from left to right as far as the gaps say.
    order: Vec<usize>,
    /// The neighbours on the left and on the right, with the least distance to each.
    near: [Vec<Vec<(usize, i32)>>; 2],
    /// For each thing, the things that pull it, where relative to them, and how strongly.
    friends: Vec<Vec<(usize, i32, i32)>>,
    /// The things being moved together.
    group: Vec<usize>,
    in_group: Vec<bool>,
}

impl Line {
    fn new(n: usize, mut gaps: Vec<Gap>, pulls: &[Pull]) -> Self {
        // Of several gaps between two things only the widest counts.
        gaps.sort_unstable_by_key(|gap| (gap.left, gap.right, std::cmp::Reverse(gap.least)));
        gaps.dedup_by_key(|gap| (gap.left, gap.right));
        let mut near = [vec![Vec::new(); n], vec![Vec::new(); n]];
        for gap in &gaps {
            near[0][gap.right].push((gap.left, gap.least));
            near[1][gap.left].push((gap.right, gap.least));
        }
        let mut friends = vec![Vec::new(); n];
        for pull in pulls {
            friends[pull.b].push((pull.a, pull.distance, pull.weight));
            friends[pull.a].push((pull.b, -pull.distance, pull.weight));
        }
        let mut x = vec![0; n];
        let mut n_left: Vec<usize> = near[0].iter().map(Vec::len).collect();
        let mut order: Vec<usize> = (0..n).filter(|&thing| n_left[thing] == 0).collect();
        let mut next = 0;
        while next < order.len() {
            let thing = order[next];
            next += 1;
            for &(right, least) in &near[1][thing] {
                x[right] = x[right].max(x[thing] + least);
                n_left[right] -= 1;
                if n_left[right] == 0 {
                    order.push(right);
                }
            }
        }
        debug_assert_eq!(order.len(), n, "gaps form a cycle");
        Self { x, order, near, friends, group: Vec::new(), in_group: vec![false; n] }
    }

    /// Pushes `thing` and what has to move with it, if that makes the sum smaller.
    fn push(&mut self, thing: usize, toward_right: bool, with_friends: bool) -> bool {
        for &member in &self.group {
            self.in_group[member] = false;
        }
        self.group.clear();
        self.group.push(thing);
        self.in_group[thing] = true;
        let sign = if toward_right { 1 } else { -1 };
        let near = &self.near[usize::from(toward_right)];
        let mut room = i32::MAX;
        // What each pull from outside would like to see: a distance in the direction of the push.
        let mut wishes: Vec<(i32, i32)> = Vec::new();
        let mut next = 0;
        while next < self.group.len() {
            let member = self.group[next];
            next += 1;
            let touched = near[member].iter().filter(|&&(other, least)| {
                sign * (self.x[other] - self.x[member]) == least && !self.in_group[other]
            });
            let mut joining: Vec<usize> = touched.map(|&(other, _)| other).collect();
            if with_friends {
                let pleased = self.friends[member].iter().filter(|&&(other, d, _)| {
                    self.x[other] + d == self.x[member] && !self.in_group[other]
                });
                joining.extend(pleased.map(|&(other, _, _)| other));
            }
            for other in joining {
                if !self.in_group[other] {
                    self.in_group[other] = true;
                    self.group.push(other);
                }
            }
            if self.group.len() > MAX_GROUP {
                return false;
            }
        }
        for &member in &self.group {
            for &(other, least) in near[member].iter().filter(|(o, _)| !self.in_group[*o]) {
                room = room.min(sign * (self.x[other] - self.x[member]) - least);
            }
            for &(other, d, w) in self.friends[member].iter().filter(|f| !self.in_group[f.0]) {
                wishes.push((sign * (self.x[other] + d - self.x[member]), w));
            }
        }
        let by = room.min(weighted_median(&mut wishes));
        if by <= 0 {
            return false;
        }
        for &member in &self.group {
            self.x[member] += sign * by;
        }
        true
    }
}

/// The smallest of the best compromises between weighted wishes.
fn weighted_median(wishes: &mut [(i32, i32)]) -> i32 {
    wishes.sort_unstable();
    let total: i32 = wishes.iter().map(|wish| wish.1).sum();
    let mut sum = 0;
    for &(wish, weight) in &*wishes {
        sum += weight;
        if 2 * sum >= total {
            return wish;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(left: usize, right: usize, least: i32) -> Gap {
        Gap { left, right, least }
    }

    fn pull(a: usize, b: usize, distance: i32) -> Pull {
        Pull { a, b, distance, weight: 1 }
    }

    #[test]
    fn pulls_are_met_where_there_is_room() {
        // 0 and 1 are neighbours, as are 2 and 3; 3 would like to be where 0 is.
        let x = settle(4, vec![gap(0, 1, 10), gap(2, 3, 30)], &[pull(0, 3, 0)]);
        assert_eq!(x[0], x[3]);
        assert!(x[1] - x[0] >= 10 && x[3] - x[2] >= 30);
    }

    #[test]
    fn touching_things_move_together() {
        // 0 and 1 touch; both want to be 50 from 2.
        let x = settle(3, vec![gap(0, 1, 10)], &[pull(2, 0, 50), pull(2, 1, 60)]);
        assert_eq!((x[0] - x[2], x[1] - x[2]), (50, 60));
    }

    #[test]
    fn the_median_is_a_best_compromise() {
        assert_eq!(weighted_median(&mut [(5, 1), (1, 1), (9, 1)]), 5);
        assert_eq!(weighted_median(&mut [(5, 1), (1, 3), (9, 1)]), 1);
        assert_eq!(weighted_median(&mut []), 0);
    }
}

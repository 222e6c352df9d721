//! Tracks: the heights at which links run sideways in the channel between two rows.
//!
//! Links whose horizontal parts overlap get different tracks, in an order that makes few links
//! cross and none run on top of another.

use super::graph::{Graph, Run};
use super::place::Placed;
use crate::geometry::Point;

/// The distance between two tracks.
const TRACK_GAP: i32 = 9;
/// The room above the first track.
const ABOVE: i32 = 11;
/// The room below the last track, if no arrowhead has to fit in.
const BELOW: i32 = 8;
/// The room below the last track for an arrowhead.
const ARROW: i32 = 19;
/// Horizontal parts that are closer than this are on different tracks.
const CLEARANCE: i32 = 8;
/// What running on top of another link counts, in crossings.
const OVERLAP: i32 = 50;
/// How many links of one channel may be split to keep them apart.
const MAX_SPLITS: usize = 8;
/// With more links than this in one channel, their order is only a guess.
const MAX_COMPARED: usize = 400;

/// The channel between two rows.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) height: i32,
    /// The bends of the links that are not straight, in order.
    bends: Vec<Bend>,
}

/// How a link gets from the place of its one end to that of the other.
#[derive(Clone, Debug)]
struct Bend {
    link: usize,
    /// How far down it runs sideways.
    y: i32,
    /// If it does so in two steps: where it changes from the first to the second, and how far down
    /// the second is.
    step: Option<(i32, i32)>,
}

impl Channel {
    /// The course of `link` from `a` to `b`, in a channel whose upper side is at `top`.
    pub(super) fn course(&self, link: usize, top: i32, a: Point, b: Point) -> Vec<Point> {
        let Ok(found) = self.bends.binary_search_by_key(&link, |bend| bend.link) else {
            return vec![a, b];
        };
        let Bend { y, step, .. } = self.bends[found];
        let mut points = vec![a, Point::new(a.x, top + y)];
        let mut last = y;
        if let Some((x, y2)) = step {
            points.extend([Point::new(x, top + y), Point::new(x, top + y2)]);
            last = y2;
        }
        points.extend([Point::new(b.x, top + last), b]);
        points
    }
}

/// A link that needs a track: its horizontal part, and its ends at the upper and lower row.
#[derive(Clone, Debug)]
struct Segment {
    link: usize,
    left: i32,
    right: i32,
    up: Vec<i32>,
    down: Vec<i32>,
}

impl Segment {
    /// What it costs if this one is on a higher track than `other`.
    fn cost_above(&self, other: &Self) -> i32 {
        if self.link == other.link {
            // Of two parts of a link, the first is above.
            return if self.up == other.down { OVERLAP } else { 0 };
        }
        let mut cost = 0;
        for &x in &self.down {
            cost += i32::from(other.left <= x && x <= other.right);
            cost += other.up.iter().filter(|&&u| (u - x).abs() < 4).count() as i32 * OVERLAP;
        }
        for &x in &other.up {
            cost += i32::from(self.left <= x && x <= self.right);
        }
        cost
    }

    /// Whether the two have a stretch in common if this one is above `other`.
    fn hides(&self, other: &Self) -> bool {
        self.link != other.link && self.down.iter().any(|x| other.up.contains(x))
    }

    /// Two segments in place of this one, if it runs through and `x` is a place to step down.
    fn split(&self, others: &[Self]) -> Option<[Self; 2]> {
        let (&[up], &[down]) = (&self.up[..], &self.down[..]) else { return None };
        let free = |x: &i32| {
            let ends = others.iter().flat_map(|s| s.up.iter().chain(&s.down));
            ends.into_iter().all(|end| (end - x).abs() >= 4)
        };
        let middle = (self.left + self.right) / 2;
        let x =
            (0..(self.right - self.left) / 2).flat_map(|d| [middle - d, middle + d]).find(free)?;
        let part = |from: i32, to: i32| Self {
            link: self.link,
            left: from.min(to),
            right: from.max(to),
            up: vec![from],
            down: vec![to],
        };
        Some([part(up, x), part(x, down)])
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right + CLEARANCE && other.left < self.right + CLEARANCE
    }
}

/// Finds the tracks and the height of every channel.
pub(super) fn channels(graph: &Graph, placed: &Placed) -> Vec<Channel> {
    let arrows: Vec<bool> = {
        let mut arrows = vec![false; graph.n_rows];
        for link in &graph.links {
            arrows[link.channel] |= link.arrow.contains(&true);
        }
        arrows
    };
    let channel = |(c, links): (usize, Vec<usize>)| {
        let segments: Vec<Segment> =
            links.iter().filter_map(|&link| segment(graph, placed, link)).collect();
        let (segments, tracks) = assign_apart(segments);
        let n_tracks = tracks.iter().max().map_or(0, |t| t + 1) as i32;
        let room = ABOVE + if arrows[c] { ARROW } else { BELOW };
        let at_border = c == 0 || c + 2 == graph.n_rows;
        let height = match n_tracks {
            _ if links.is_empty() && at_border => 0,
            0 => room,
            n => room + (n - 1) * TRACK_GAP,
        };
        let mut bends: Vec<Bend> = Vec::new();
        for (segment, track) in segments.iter().zip(tracks) {
            let y = ABOVE + track as i32 * TRACK_GAP;
            match bends.last_mut() {
                Some(bend) if bend.link == segment.link => bend.step = Some((segment.up[0], y)),
                _ => bends.push(Bend { link: segment.link, y, step: None }),
            }
        }
        Channel { height, bends }
    };
    graph.channels().into_iter().enumerate().map(channel).collect()
}

/// Finds tracks such that no two links run on top of each other, splitting links where there is no
/// other way. The parts of a link stay next to each other.
fn assign_apart(mut segments: Vec<Segment>) -> (Vec<Segment>, Vec<usize>) {
    let n_splits = if segments.len() <= MAX_COMPARED { MAX_SPLITS } else { 0 };
    for _ in 0..n_splits {
        let tracks = assign(&segments);
        let hidden = |&i: &usize| {
            let below = (0..segments.len()).filter(|&j| j != i && tracks[i] <= tracks[j]);
            below.into_iter().any(|j| segments[i].hides(&segments[j]))
        };
        let is_whole =
            |&i: &usize| segments.iter().filter(|s| s.link == segments[i].link).count() == 1;
        let mut conflicts = (0..segments.len()).filter(is_whole).filter(hidden);
        let split = conflicts.find_map(|i| Some((i, segments[i].split(&segments)?)));
        match split {
            Some((i, parts)) => segments.splice(i..=i, parts),
            None => return (segments, tracks),
        };
    }
    let tracks = assign(&segments);
    (segments, tracks)
}

/// What `link` needs a track for, if it is not straight.
fn segment(graph: &Graph, placed: &Placed, link: usize) -> Option<Segment> {
    let [a, b] = graph.links[link].ends;
    let (a, b) = (placed.x[a] + placed.port[link][0], placed.x[b] + placed.port[link][1]);
    if a == b && graph.links[link].run == Run::Through {
        return None;
    }
    let (up, down) = match graph.links[link].run {
        Run::Through => (vec![a], vec![b]),
        Run::Below => (vec![a, b], vec![]),
        Run::Above => (vec![], vec![a, b]),
    };
    Some(Segment { link, left: a.min(b), right: a.max(b), up, down })
}

/// The track of each segment, from the top.
fn assign(segments: &[Segment]) -> Vec<usize> {
    let n = segments.len();
    let compared = n <= MAX_COMPARED;
    // Positive where the first has to be above the second.
    let mut prefers = vec![0; if compared { n * n } else { 0 }];
    if compared {
        for i in 0..n {
            for j in (0..i).filter(|&j| segments[i].overlaps(&segments[j])) {
                let (a, b) = (&segments[i], &segments[j]);
                let gain = b.cost_above(a) - a.cost_above(b);
                prefers[i * n + j] = gain;
                prefers[j * n + i] = -gain;
            }
        }
    }
    let order = if compared { sequence(n, &prefers) } else { guess(segments) };
    let mut tracks = vec![0; n];
    for (k, &i) in order.iter().enumerate() {
        let mut least = 0;
        let mut taken = vec![false; k + 1];
        for &j in order[..k].iter().filter(|&&j| segments[i].overlaps(&segments[j])) {
            taken[tracks[j]] = true;
            if !compared || prefers[j * n + i] > 0 {
                least = least.max(tracks[j] + 1);
            }
        }
        while taken[least] {
            least += 1;
        }
        tracks[i] = least;
    }
    tracks
}

/// An order of `n` things that agrees with most of what is preferred: what has nothing before it
/// goes first, what has nothing after it last, and otherwise what loses least.
fn sequence(n: usize, prefers: &[i32]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..n).collect();
    let mut score: Vec<i32> = (0..n).map(|i| prefers[i * n..(i + 1) * n].iter().sum()).collect();
    let mut order = Vec::with_capacity(n);
    while !left.is_empty() {
        let free = left.iter().position(|&i| left.iter().all(|&j| prefers[j * n + i] <= 0));
        let pick = free.unwrap_or_else(|| {
            (0..left.len()).max_by_key(|&k| (score[left[k]], left.len() - k)).unwrap_or(0)
        });
        let chosen = left.remove(pick);
        for &i in &left {
            score[i] -= prefers[i * n + chosen];
        }
        order.push(chosen);
    }
    for _ in 0..2 {
        for i in 0..n {
            move_to_best(&mut order, i, n, prefers);
        }
    }
    order
}

/// Moves thing `i` to where it agrees with most of what is preferred.
fn move_to_best(order: &mut Vec<usize>, i: usize, n: usize, prefers: &[i32]) {
    let Some(at) = order.iter().position(|&j| j == i) else { return };
    order.remove(at);
    // What is gained by having it after the first k others, compared with having it first.
    let (mut gain, mut most, mut best) = (0, i32::MIN, at);
    let gains: Vec<i32> = std::iter::once(0)
        .chain(order.iter().map(|&j| {
            gain += prefers[j * n + i];
            gain
        }))
        .collect();
    for (k, &gain) in gains.iter().enumerate() {
        if gain > most || gain == most && k == at {
            (most, best) = (gain, k);
        }
    }
    order.insert(best, i);
}

/// A cheap order: links that go right from right to left, then those that go left, turns at the
/// side of the row that they belong to.
fn guess(segments: &[Segment]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..segments.len()).collect();
    order.sort_by_key(|&i| {
        let segment = &segments[i];
        match (&segment.up[..], &segment.down[..]) {
            ([_, _], _) => (0, segment.right - segment.left),
            (_, [_, _]) => (3, segment.left - segment.right),
            ([up], [down]) if up < down => (1, -up),
            _ => (2, segment.right),
        }
    });
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(link: usize, from: i32, to: i32) -> Segment {
        let (left, right) = (from.min(to), from.max(to));
        Segment { link, left, right, up: vec![from], down: vec![to] }
    }

    #[test]
    fn apart_they_share_a_track() {
        assert_eq!(assign(&[through(0, 0, 20), through(1, 40, 60)]), [0, 0]);
    }

    #[test]
    fn parallel_links_do_not_cross() {
        // Both go right; the one on the right has to turn first.
        assert_eq!(assign(&[through(0, 0, 50), through(1, 20, 70)]), [1, 0]);
        assert_eq!(assign(&[through(0, 50, 0), through(1, 70, 20)]), [0, 1]);
    }

    #[test]
    fn links_do_not_run_on_top_of_each_other() {
        // The first comes down where the second goes down.
        assert_eq!(assign(&[through(0, 0, 50), through(1, 50, 100)]), [1, 0]);
    }

    #[test]
    fn links_that_change_places_are_split() {
        let (segments, tracks) = assign_apart(vec![through(0, 0, 60), through(1, 60, 0)]);
        assert_eq!(segments.iter().map(|s| s.link).collect::<Vec<_>>(), [0, 0, 1]);
        assert!(tracks[0] < tracks[2] && tracks[2] < tracks[1]);
    }

    #[test]
    fn preferences_in_a_circle_are_no_problem() {
        let circle = [0, 1, -2, -1, 0, 1, 2, -1, 0];
        assert_eq!(sequence(3, &circle).len(), 3);
    }
}

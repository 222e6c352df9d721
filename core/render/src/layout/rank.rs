//! Rows: which item goes above which.

use super::graph::Problem;

/// Rounds of moving items between the rows that they could be in.
const ROUNDS: usize = 8;
/// With more back wires than this, none is tried as a downward one.
const MAX_TRIED: usize = 2_000;

/// The row of each item, from 0.
///
/// On entry, the wires that are not `back` must not form a cycle. In a loop with several entries,
/// wires back to an entry that turn out to need no climb are made forward wires.
pub(super) fn rank(problem: &mut Problem) -> Vec<usize> {
    turn_forward(problem);
    let n_items = problem.items.len();
    let order = topological(problem);
    let mut ranks = vec![0_usize; n_items];
    let mut preds = vec![Vec::new(); n_items];
    let mut succs = vec![Vec::new(); n_items];
    // What a row further down costs: wires above grow, wires below shrink, lanes do the opposite.
    let mut slope = vec![0_i32; n_items];
    for wire in &problem.wires {
        let sign = if wire.back { -1 } else { 1 };
        if let Some(from) = wire.from {
            slope[from] -= sign;
        }
        if let Some(to) = wire.to {
            slope[to] += sign;
        }
        if let (Some(from), Some(to), false) = (wire.from, wire.to, wire.back) {
            preds[to].push(from);
            succs[from].push(to);
        }
    }
    for &item in &order {
        ranks[item] = preds[item].iter().map(|&p: &usize| ranks[p] + 1).max().unwrap_or(0);
    }
    if let Some(last) = problem.last {
        ranks[last] = (0..n_items).filter(|&i| i != last).map(|i| ranks[i] + 1).max().unwrap_or(0);
    }
    let bottom = ranks.iter().max().copied().unwrap_or(0);
    let others = if problem.last.is_some() { bottom.saturating_sub(1) } else { bottom };
    for round in 0..ROUNDS {
        let mut moved = false;
        for k in 0..n_items {
            let item = order[if round % 2 == 0 { n_items - 1 - k } else { k }];
            if problem.last == Some(item) {
                continue;
            }
            let low = preds[item].iter().map(|&p: &usize| ranks[p] + 1).max().unwrap_or(0);
            let high = succs[item].iter().map(|&s: &usize| ranks[s] - 1).min();
            let wanted = match slope[item] {
                0 => ranks[item].clamp(low, high.unwrap_or(others).max(low)),
                1.. => low,
                _ => high.unwrap_or(others).max(low),
            };
            moved |= wanted != ranks[item];
            ranks[item] = wanted;
        }
        if !moved {
            break;
        }
    }
    ranks
}

/// Makes forward wires of those back wires that close no cycle, the busiest first.
fn turn_forward(problem: &mut Problem) {
    let mut entries: Vec<usize> =
        problem.wires.iter().filter(|wire| wire.back).filter_map(|wire| wire.to).collect();
    entries.sort_unstable();
    entries.dedup();
    let mut candidates: Vec<usize> =
        (0..problem.wires.len()).filter(|&w| problem.wires[w].back).collect();
    if entries.len() < 2 || candidates.len() > MAX_TRIED {
        return;
    }
    candidates.sort_by_key(|&w| std::cmp::Reverse(problem.wires[w].traffic));
    let mut succs = vec![Vec::new(); problem.items.len()];
    for wire in problem.wires.iter().filter(|wire| !wire.back) {
        if let (Some(from), Some(to)) = (wire.from, wire.to) {
            succs[from].push(to);
        }
    }
    let mut seen = vec![usize::MAX; problem.items.len()];
    for w in candidates {
        let (Some(from), Some(to)) = (problem.wires[w].from, problem.wires[w].to) else { continue };
        let mut stack = vec![to];
        while let Some(item) = stack.pop() {
            if seen[item] != w {
                seen[item] = w;
                stack.extend(&succs[item]);
            }
        }
        if seen[from] != w {
            problem.wires[w].back = false;
            succs[from].push(to);
        }
    }
}

/// All items, sources of forward wires before their targets.
fn topological(problem: &Problem) -> Vec<usize> {
    let n_items = problem.items.len();
    let mut n_preds = vec![0; n_items];
    let mut out = vec![Vec::new(); n_items];
    for (w, wire) in problem.wires.iter().enumerate().filter(|(_, wire)| !wire.back) {
        if let (Some(from), Some(to)) = (wire.from, wire.to) {
            n_preds[to] += 1;
            out[from].push(w);
        }
    }
    let mut order: Vec<usize> = (0..n_items).filter(|&i| n_preds[i] == 0).collect();
    let mut next = 0;
    while next < order.len() {
        for &w in &out[order[next]] {
            if let Some(to) = problem.wires[w].to {
                n_preds[to] -= 1;
                if n_preds[to] == 0 {
                    order.push(to);
                }
            }
        }
        next += 1;
    }
    debug_assert_eq!(order.len(), n_items, "forward wires form a cycle");
    order
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Item, Wire};
    use super::*;

    fn check(
        n_items: usize,
        wires: &[(usize, usize, bool)],
        last: Option<usize>,
        expected: &[usize],
    ) {
        let wires = wires.iter().map(|&(from, to, back)| Wire {
            from: Some(from),
            to: Some(to),
            from_port: None,
            to_port: None,
            back,
            traffic: 0,
        });
        let items = vec![Item { w: 10, h: 10 }; n_items];
        let mut problem = Problem { items, wires: wires.collect(), last, caption: None };
        assert_eq!(rank(&mut problem), expected);
    }

    #[test]
    fn longest_way_down() {
        check(
            4,
            &[(0, 1, false), (1, 2, false), (0, 2, false), (2, 3, false)],
            None,
            &[0, 1, 2, 3],
        );
    }

    #[test]
    fn items_move_towards_their_targets() {
        // Item 3 has nothing above it, and leads to item 2 only.
        check(4, &[(0, 1, false), (1, 2, false), (3, 2, false)], None, &[0, 1, 2, 1]);
    }

    #[test]
    fn the_last_item_is_alone_in_the_last_row() {
        check(3, &[(0, 1, false), (0, 2, false)], Some(1), &[0, 2, 1]);
    }

    #[test]
    fn one_of_two_back_wires_is_turned() {
        check(2, &[(0, 1, true), (1, 0, true)], None, &[0, 1]);
    }
}

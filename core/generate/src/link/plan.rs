//! Who calls whom, from where, and with what: drawn before anything is written.
//!
//! Functions are numbered, the entry is 0. A call of a function with a larger number may go straight
//! to it; all other calls go through a guard. So every cycle of the call graph passes a guard, and
//! what a run costs is known beforehand: the body behind a guard runs at most as often as the guard
//! has rounds, and between guards the numbers only grow.

use super::options::LinkOptions;
use super::pool::Pool;
use pathsmith_symlang::BlockId;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};

/// A program that is still to be written.
#[derive(Debug)]
pub(super) struct LinkPlan {
    pub(super) functions: Vec<ChosenFunction>,
    /// By caller.
    pub(super) calls: Vec<Vec<Call>>,
    pub(super) guards: Vec<PlannedGuard>,
    /// No run takes more steps than this.
    pub(super) steps: u64,
}

/// A function of the program.
#[derive(Debug)]
pub(super) struct ChosenFunction {
    /// Its position in the pool.
    pub(super) member: usize,
    /// The realizations that the program makes use of. What none of them visits is off the path.
    pub(super) used: Vec<usize>,
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) place: CallPlace,
    pub(super) callee: usize,
    pub(super) guard: Option<usize>,
    /// The realization that it brings about. None where nothing comes by: arguments are free then.
    pub(super) realization: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum CallPlace {
    /// In the place of the constant at this site.
    Site(usize),
    /// In the place of a constant that came with the caller's call of this number.
    Inside(usize),
}

#[derive(Debug)]
pub(super) struct PlannedGuard {
    pub(super) callee: usize,
    pub(super) realization: usize,
    pub(super) rounds: u32,
}

/// How many steps a call of a guard takes besides those of the body.
const GUARD_STEPS: u64 = 3;
/// How many places are tried for a call.
const TRIES: u32 = 4;
/// How many sites are drawn before one is looked for.
const DRAWS: u32 = 10;

/// Draws a program of `options.functions` functions, of which the pool has to have enough.
pub(super) fn plan(pool: &Pool, options: &LinkOptions, rng: &mut Rng) -> LinkPlan {
    let functions = choose_functions(pool, options, rng);
    let is_live: Vec<bool> =
        functions.iter().map(|chosen| pool.members[chosen.member].n_live > 0).collect();
    let pairs = choose_pairs(&is_live, options, rng);
    let length = |chosen: &ChosenFunction, nth: usize| -> u64 {
        pool.members[chosen.member].realizations[nth].path.len() as u64
    };
    let costs: Vec<Vec<u64>> = functions
        .iter()
        .map(|chosen| chosen.used.iter().map(|nth| length(chosen, *nth)).collect())
        .collect();
    let longest = costs.iter().flatten().copied().max().unwrap_or(0);
    // Half of the steps are for what is called straight, half for what is called through guards.
    let cap = (u64::from(options.steps) / 2).max(2 * longest);
    let allowance = cap / (2 * functions.len() as u64);
    let extra = costs.iter().map(|costs| vec![0; costs.len()]).collect();
    let calls = functions.iter().map(|_| Vec::new()).collect();
    let depths = vec![0; functions.len()];
    let plan = LinkPlan { functions, calls, guards: Vec::new(), steps: 2 * cap };
    let mut planner = Planner {
        pool,
        options,
        rng,
        plan,
        costs,
        extra,
        depths,
        cap,
        allowance,
        hot: Vec::new(),
        blocks: Vec::new(),
    };
    // Callees first: what a function costs is known when its callers are looked at.
    for caller in (0..pairs.len()).rev() {
        planner.begin(caller);
        for pair in &pairs[caller] {
            planner.add_calls(caller, *pair);
        }
    }
    planner.limit_rounds();
    planner.plan
}

fn choose_functions(pool: &Pool, options: &LinkOptions, rng: &mut Rng) -> Vec<ChosenFunction> {
    let mut order: Vec<usize> = (0..pool.len()).collect();
    for i in 0..options.functions as usize {
        let other = i + choose_below(order.len() - i, rng);
        order.swap(i, other);
    }
    let chosen = &mut order[..options.functions as usize];
    // Programs begin where most can be called.
    let richest = (0..chosen.len()).rev().max_by_key(|at| pool.members[chosen[*at]].n_live);
    chosen.swap(0, richest.unwrap_or(0));
    let mut functions = Vec::with_capacity(chosen.len());
    for (i, &member) in chosen.iter().enumerate() {
        let n_known = pool.members[member].realizations.len();
        let used = match i {
            0 => (0..n_known.min(options.entry_realizations as usize)).collect(),
            _ => {
                let n = 1 + choose_below(options.realizations as usize, rng);
                let n = n.max(options.other_realizations as usize);
                // The first takes the path that was asked for.
                let mut used = vec![0];
                for _ in 1..n {
                    let nth = choose_below(n_known, rng);
                    if !used.contains(&nth) {
                        used.push(nth);
                    }
                }
                used
            }
        };
        functions.push(ChosenFunction { member, used });
    }
    functions
}

/// A function that another one calls.
#[derive(Clone, Copy, Debug)]
struct Pair {
    callee: usize,
    /// Whether it is through this that the callee can be reached.
    is_first: bool,
}

/// The callees of each function: a tree of those that have something on their path to call from,
/// and further pairs of any kind.
fn choose_pairs(is_live: &[bool], options: &LinkOptions, rng: &mut Rng) -> Vec<Vec<Pair>> {
    let n = is_live.len();
    let mut pairs: Vec<Vec<Pair>> = vec![Vec::new(); n];
    let mut parents = vec![0; n];
    for callee in 1..n {
        parents[callee] = choose_below(callee, rng);
        while parents[callee] > 0 && !is_live[parents[callee]] {
            parents[callee] = choose_below(parents[callee], rng);
        }
        pairs[parents[callee]].push(Pair { callee, is_first: true });
    }
    let is_cyclic = choose_bool(options.recursion, rng);
    let n_extra = (options.extra_pairs * n as f64) as usize;
    for i in 0..n_extra {
        let mut caller = choose_below(n, rng);
        let mut callee = choose_below(n, rng);
        if is_cyclic && i == 0 {
            // One cycle for sure: back to the function itself, or to one through which it is reached.
            callee = caller;
            while callee > 0 && choose_bool(0.6, rng) {
                callee = parents[callee];
            }
        } else if !is_cyclic {
            if caller == callee {
                continue;
            }
            (caller, callee) = (caller.min(callee), caller.max(callee));
        }
        pairs[caller].push(Pair { callee, is_first: false });
    }
    pairs
}

struct Planner<'a> {
    pool: &'a Pool,
    options: &'a LinkOptions,
    rng: &'a mut Rng,
    plan: LinkPlan,
    /// For each function and each realization that is used: how many steps it takes, those of
    /// callees included, but for the bodies behind guards.
    costs: Vec<Vec<u64>>,
    /// How much of that is for calls that are not needed.
    extra: Vec<Vec<u64>>,
    /// How many calls are nested in each function, up to the next guards.
    depths: Vec<u32>,
    /// The most that a cost may come to.
    cap: u64,
    /// The most of it that may be for calls that are not needed.
    allowance: u64,
    /// How often the current caller comes by each of its blocks, at most.
    hot: Vec<u32>,
    /// The block of each call of the current caller, where it is run at all.
    blocks: Vec<Option<BlockId>>,
}

impl Planner<'_> {
    fn begin(&mut self, caller: usize) {
        let chosen = &self.plan.functions[caller];
        let member = &self.pool.members[chosen.member];
        let visits = |block| chosen.used.iter().map(|nth| member.visits(*nth, block)).max();
        let blocks = (0..member.function.blocks.len()).map(BlockId::new);
        self.hot = blocks.map(|block| visits(block).unwrap_or(0)).collect();
        self.blocks.clear();
    }

    fn add_calls(&mut self, caller: usize, pair: Pair) {
        for i in 0..1 + choose_below(self.options.calls as usize, self.rng) {
            let is_needed = pair.is_first && i == 0;
            if !is_needed && choose_bool(self.options.off_path, self.rng) {
                self.add_off_path(caller, pair.callee);
                continue;
            }
            for _ in 0..TRIES {
                if self.add_known(caller, pair.callee, is_needed) {
                    break;
                }
            }
        }
    }

    /// Adds a call that no run comes by.
    fn add_off_path(&mut self, caller: usize, callee: usize) {
        if let Some(site) = self.choose_site(caller, |_, visits| visits == 0) {
            let nth = choose_below(self.plan.functions[callee].used.len(), self.rng);
            let is_guarded = choose_bool(self.options.guards, self.rng);
            let guard = if is_guarded { self.known_guard(callee, nth) } else { None };
            let place = CallPlace::Site(site);
            self.plan.calls[caller].push(Call { place, callee, guard, realization: None });
            self.blocks.push(None);
        }
    }

    /// Adds a call that gives what a realization gives, if there is a place where it costs little
    /// enough. One that is needed leads from first realization to first realization, so that the
    /// first run of the entry comes to all functions.
    fn add_known(&mut self, caller: usize, callee: usize, is_needed: bool) -> bool {
        let place = match is_needed {
            true => self.choose_first_place(caller),
            false => self.choose_place(caller),
        };
        let Some((place, block)) = place else { return false };
        let nth = match is_needed {
            true => 0,
            false => choose_below(self.plan.functions[callee].used.len(), self.rng),
        };
        let needs_guard = callee <= caller;
        let mut is_guarded = needs_guard || choose_bool(self.options.guards, self.rng);
        let straight = |planner: &Self| 1 + planner.depths[callee];
        if !is_guarded {
            // Half of the depth is for guards.
            is_guarded = straight(self) > self.options.depth / 2
                || !self.costs_fit(caller, block, self.costs[callee][nth], is_needed);
        }
        let cost = if is_guarded { GUARD_STEPS } else { self.costs[callee][nth] };
        if is_guarded && !self.costs_fit(caller, block, cost, is_needed) {
            return false;
        }
        self.add_cost(caller, block, cost, is_needed);
        let depth = if is_guarded { 1 } else { straight(self) };
        self.depths[caller] = self.depths[caller].max(depth);
        let guard = is_guarded.then(|| self.guard(callee, nth));
        let realization = Some(self.plan.functions[callee].used[nth]);
        self.plan.calls[caller].push(Call { place, callee, guard, realization });
        self.blocks.push(Some(block));
        true
    }

    /// A place that the first realization comes by.
    fn choose_first_place(&mut self, caller: usize) -> Option<(CallPlace, BlockId)> {
        let chosen = &self.plan.functions[caller];
        let (member, first) = (&self.pool.members[chosen.member], chosen.used[0]);
        let site = self
            .choose_site(caller, |block, _| member.visits(first, block) == 1)
            .or_else(|| self.choose_site(caller, |block, _| member.visits(first, block) > 0))?;
        Some((CallPlace::Site(site), self.site_block(caller, site)))
    }

    fn choose_place(&mut self, caller: usize) -> Option<(CallPlace, BlockId)> {
        let calls = &self.plan.calls[caller];
        if !calls.is_empty() && choose_bool(self.options.nested, self.rng) {
            let outer = choose_below(calls.len(), self.rng);
            let is_full = calls
                .iter()
                .any(|call| matches!(call.place, CallPlace::Inside(other) if other == outer));
            if let (Some(block), false) = (self.blocks[outer], is_full) {
                return Some((CallPlace::Inside(outer), block));
            }
        }
        let least = if choose_bool(self.options.in_loops, self.rng) { 2 } else { 1 };
        let site = self
            .choose_site(caller, |_, visits| visits >= least)
            .or_else(|| self.choose_site(caller, |_, visits| visits > 0))?;
        Some((CallPlace::Site(site), self.site_block(caller, site)))
    }

    fn site_block(&self, caller: usize, site: usize) -> BlockId {
        self.pool.members[self.plan.functions[caller].member].sites[site].block
    }

    /// A site that is free, in a block that is wanted, with how often it is visited.
    fn choose_site(
        &mut self,
        caller: usize,
        is_wanted: impl Fn(BlockId, u32) -> bool,
    ) -> Option<usize> {
        let sites = &self.pool.members[self.plan.functions[caller].member].sites;
        if sites.is_empty() {
            return None;
        }
        let calls = &self.plan.calls[caller];
        let fits = |site: usize| {
            let block = sites[site].block;
            is_wanted(block, self.hot[block.index()])
                && !calls
                    .iter()
                    .any(|call| matches!(call.place, CallPlace::Site(taken) if taken == site))
        };
        for _ in 0..DRAWS {
            let site = choose_below(sites.len(), self.rng);
            if fits(site) {
                return Some(site);
            }
        }
        let first = choose_below(sites.len(), self.rng);
        (first..sites.len()).chain(0..first).find(|site| fits(*site))
    }

    /// Whether something of this cost can be added to a block.
    fn costs_fit(&self, caller: usize, block: BlockId, cost: u64, is_needed: bool) -> bool {
        let chosen = &self.plan.functions[caller];
        let member = &self.pool.members[chosen.member];
        chosen.used.iter().enumerate().all(|(at, nth)| {
            let added = u64::from(member.visits(*nth, block)) * cost;
            self.costs[caller][at] + added <= self.cap
                && (is_needed || self.extra[caller][at] + added <= self.allowance)
        })
    }

    fn add_cost(&mut self, caller: usize, block: BlockId, cost: u64, is_needed: bool) {
        let chosen = &self.plan.functions[caller];
        let member = &self.pool.members[chosen.member];
        for (at, nth) in chosen.used.iter().enumerate() {
            let added = u64::from(member.visits(*nth, block)) * cost;
            self.costs[caller][at] += added;
            self.extra[caller][at] += if is_needed { 0 } else { added };
        }
    }

    fn known_guard(&self, callee: usize, nth: usize) -> Option<usize> {
        let realization = self.plan.functions[callee].used[nth];
        let guards = &self.plan.guards;
        guards.iter().position(|guard| (guard.callee, guard.realization) == (callee, realization))
    }

    fn guard(&mut self, callee: usize, nth: usize) -> usize {
        self.known_guard(callee, nth).unwrap_or_else(|| {
            let realization = self.plan.functions[callee].used[nth];
            let rounds = 1 + choose_below(self.options.rounds as usize, self.rng) as u32;
            self.plan.guards.push(PlannedGuard { callee, realization, rounds });
            self.plan.guards.len() - 1
        })
    }

    /// Lowers the rounds of guards until everything behind them fits in what is left of the steps:
    /// first to one round, then to none, the dearest first.
    fn limit_rounds(&mut self) {
        let (functions, costs) = (&self.plan.functions, &self.costs);
        let cost = |guard: &PlannedGuard| {
            let at = functions[guard.callee].used.iter().position(|nth| *nth == guard.realization);
            at.map_or(0, |at| costs[guard.callee][at])
        };
        let behind = |guard: &PlannedGuard| u64::from(guard.rounds) * cost(guard);
        for least in [1, 0] {
            while self.plan.guards.iter().map(behind).sum::<u64>() > self.cap {
                let guards = self.plan.guards.iter_mut().filter(|guard| guard.rounds > least);
                let Some(dearest) = guards.max_by_key(|guard| behind(guard)) else { break };
                dearest.rounds /= 2;
            }
        }
    }
}

//! How many verified variants each transform makes in a second of CPU time, and how many attempts are
//! usable. CPU time, so that other load on the machine does not count.
//!
//!     cargo bench -p pathsmith-mutate
//!
//! `PATHSMITH_PARENTS` sets how many functions of each dialect are taken.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use pathsmith_generate::{GenConfig, generate_leaf, generate_program};
use pathsmith_mutate::{Donor, Mutation, Mutator, Rejections, Sizes, TRANSFORMS};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::semantics::Limits;

/// How many variants of each parent a transform makes. A profile is taken once per parent, and
/// measured apart.
const VARIANTS_PER_PARENT: u64 = 20;

fn main() {
    let n: u64 = std::env::var("PATHSMITH_PARENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(30);
    let config = GenConfig::default();
    for (name, n, is_whole) in [("functions", n, false), ("programs of ten", n / 3 + 1, true)] {
        let mut parents: Vec<Program> = Vec::new();
        for dialect in Dialect::ALL {
            for number in 0..n {
                let seed = Seed::new(5);
                let made = if is_whole {
                    generate_program(&config, dialect, seed, number).ok().map(|made| made.program)
                } else {
                    generate_leaf(&config, dialect, seed, number).ok().map(|made| made.program)
                };
                parents.extend(made);
            }
        }
        measure(name, &parents);
    }
}

fn measure(name: &str, parents: &[Program]) {
    let start = cpu_seconds();
    let mutators: Vec<Mutator> =
        parents.iter().map(|parent| Mutator::new(parent, Limits::default())).collect();
    mutators.iter().for_each(|mutator| drop(mutator.profile().clone()));
    let profiles = parents.len() as f64 / (cpu_seconds() - start);
    print(&format!("{name}: {} parents, {profiles:.0} profiles/s\n", parents.len()));
    print(&format!("{:18} {:>10} {:>8}  reasons\n", "transform", "variants/s", "usable"));
    let mut all = (0, 0, 0.0);
    for mutation in TRANSFORMS {
        let (made, tried, seconds, line) = row(mutation, parents, &mutators);
        all = (all.0 + made, all.1 + tried, all.2 + seconds);
        print(&format!("{line}\n"));
    }
    print(&format!("{}\n\n", total("all", all.0, all.1, all.2)));
}

fn row(mutation: &Mutation, parents: &[Program], mutators: &[Mutator]) -> (u64, u64, f64, String) {
    let mut rejections = Rejections::default();
    let mut rng = Seed::new(6).child(mutation.transform.name()).rng();
    let start = cpu_seconds();
    for (at, mutator) in mutators.iter().enumerate() {
        for n in 0..VARIANTS_PER_PARENT as usize {
            let other = &parents[(at + n + 1) % parents.len()];
            let donor = match mutation.donor {
                Donor::None => None,
                Donor::Optional => Some(other).filter(|other| other.dialect == parents[at].dialect),
            };
            let made = mutator.apply(mutation, &Sizes::default(), donor, &mut rng);
            rejections.note(mutation.transform.name(), &made);
        }
    }
    let seconds = cpu_seconds() - start;
    let made = rejections.made.values().sum();
    let tried = made + rejections.rejected.values().sum::<u64>();
    let mut line = total(mutation.transform.name(), made, tried, seconds);
    let mut reasons = BTreeMap::new();
    for ((_, why), n) in &rejections.rejected {
        *reasons.entry(why).or_insert(0) += n;
    }
    for (why, n) in reasons {
        let _ = write!(line, "  {n} {why}");
    }
    (made, tried, seconds, line)
}

fn total(name: &str, made: u64, tried: u64, seconds: f64) -> String {
    let share = 100.0 * made as f64 / tried.max(1) as f64;
    format!("{name:18} {:>10.0} {share:>7.1}%", made as f64 / seconds)
}

/// The CPU time that this process has taken, by the scheduler's count of nanoseconds.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanos: f64 = text.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0.0);
    nanos / 1e9
}

fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

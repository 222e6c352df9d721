use pathsmith_core::generate::*;
use pathsmith_core::shape::*;
use pathsmith_core::semantics::Dialect;
use pathsmith_core::Seed;
use std::collections::{BTreeMap, BTreeSet};
fn main() {
    let n: u64 = std::env::args().nth(1).map_or(2000, |s| s.parse().unwrap());
    let mut rows: Vec<(&str, GenConfig, Dialect)> = vec![("paper", GenConfig::paper(), Dialect::C)];
    for d in Dialect::ALL { rows.push(("full", GenConfig::default(), d)); }
    let mut l = GenConfig::paper();
    l.walk = WalkOptions { mode: WalkMode::Loops, min_len: 100, max_len: 100, iterations: Iterations::LogUniform{low:5, high: 50} };
    rows.push(("paper 100", l.clone(), Dialect::C));
    l.walk = WalkOptions { mode: WalkMode::Loops, min_len: 1000, max_len: 1000, iterations: Iterations::LogUniform{low:5, high: 500} };
    rows.push(("paper 1000", l, Dialect::C));
    let mut l = GenConfig::default();
    l.walk = WalkOptions { mode: WalkMode::Loops, min_len: 100, max_len: 100, iterations: Iterations::LogUniform{low:5, high: 50} };
    rows.push(("full 100", l.clone(), Dialect::C));
    for (name, config, d) in rows {
        let n = if name.contains("1000") { n / 20 } else if name.contains("100") { n / 4 } else { n };
        let t = std::time::Instant::now();
        let (mut ok, mut real, mut paths, mut two, mut carried, mut steps, mut consts, mut small) = (0u64, 0, 0, 0, 0, 0, 0u64, 0u64);
        let mut why: BTreeMap<String, u64> = BTreeMap::new();
        let mut leaves = vec![];
        for k in 0..n {
            match generate_leaf(&config, d, Seed::new(1), k) {
                Ok(leaf) => { ok += 1; leaves.push(leaf); }
                Err(u) => { *why.entry(format!("{:?} {}", u.gave_up.obstacle, if u.gave_up.obstacle==pathsmith_core::solve::Obstacle::Unsound {u.gave_up.why.clone()} else {String::new()})).or_default() += 1; }
            }
        }
        let el = t.elapsed().as_secs_f64();
        for leaf in &leaves {
            let f = &leaf.program.functions[0];
            real += f.realizations.len();
            paths += f.realizations.iter().map(|r| format!("{:?}", r.path)).collect::<BTreeSet<_>>().len();
            two += leaf.n_two_way; carried += leaf.n_carried;
            steps += f.realizations[0].path.len();
            f.for_each_expr(|_, e| if let pathsmith_core::lang::Expr::Const(c) = e { consts += 1; small += u64::from(c.to_wide().abs() <= 1); });
        }
        let o = ok as f64;
        println!("{name:10} {d:5} solved {:.2}%  {:.0}/s  realizations {:.1} paths {:.1} two-way {:.2} carried {:.1}% steps {:.1} small consts {:.1}% {why:?}", 100.0*o/n as f64, n as f64/el, real as f64/o, paths as f64/o, two as f64/o, 100.0*carried as f64/two.max(1) as f64, steps as f64/o, 100.0*small as f64/consts as f64);
    }
}

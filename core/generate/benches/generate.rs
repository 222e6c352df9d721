//! How fast functions are made, stage by stage.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pathsmith_generate::shape::{Iterations, PathSampler, WalkMode, WalkOptions, random_cfg};
use pathsmith_generate::sketch::{ExprKnobs, Sketch, SketchOptions, sketch};
use pathsmith_generate::solve::smt::satisfied;
use pathsmith_generate::solve::{Engine, ForwardEngine, Model, Task};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

fn stages(c: &mut Criterion) {
    let mut group = c.benchmark_group("stages");
    for (name, sizes) in [("paper", SketchOptions::paper()), ("full", SketchOptions::default())] {
        let knobs = ExprKnobs { sizes, ..ExprKnobs::default() };
        let mut rng = Seed::new(1).rng();
        let config = GenConfig::default();
        let shapes: Vec<_> = (0..200)
            .map(|_| {
                let cfg = random_cfg(&config.graph, &mut rng);
                let path = PathSampler::new(&cfg).path(&config.walk, &mut rng);
                (cfg, path)
            })
            .collect();
        let mut next = shapes.iter().cycle();
        group.bench_function(format!("sketch, {name}"), |bencher| {
            bencher.iter(|| {
                let shape = next.next();
                shape.map(|(cfg, path)| sketch(cfg, Some(path), "f", Dialect::C, &knobs, &mut rng))
            });
        });
        let sketches: Vec<_> = shapes
            .iter()
            .map(|(cfg, path)| (sketch(cfg, Some(path), "f", Dialect::C, &knobs, &mut rng), path))
            .collect();
        let mut next = sketches.iter().cycle();
        group.bench_function(format!("solve and verify, {name}"), |bencher| {
            bencher.iter(|| {
                next.next().map(|(sketch, path)| {
                    let (program, function) = (&sketch.program, Sketch::FUNCTION);
                    let task = Task { program, function, path, dialect: Dialect::C };
                    ForwardEngine::default().solve(&task, &mut rng)
                })
            });
        });
    }
    group.finish();
}

fn leaves(c: &mut Criterion) {
    let long = WalkOptions {
        mode: WalkMode::Loops,
        min_len: 100,
        max_len: 100,
        iterations: Iterations::LogUniform { low: 5, high: 50 },
    };
    let configs = [
        ("paper", GenConfig::paper()),
        ("full", GenConfig::default()),
        ("paper, 100 steps", GenConfig { walk: long, ..GenConfig::paper() }),
    ];
    let mut group = c.benchmark_group("leaf");
    group.throughput(Throughput::Elements(1));
    for (name, config) in configs {
        let mut number = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                number += 1;
                generate_leaf(&config, Dialect::C, Seed::new(1), number)
            });
        });
    }
    group.finish();
}

/// Holding what was found against the SMT encoding.
fn encoding(c: &mut Criterion) {
    let make = |number| generate_leaf(&GenConfig::default(), Dialect::C, Seed::new(1), number);
    let leaves: Vec<_> = (0..100).filter_map(|number| make(number).ok()).collect();
    let mut next = leaves.iter().cycle();
    c.bench_function("satisfied", |bencher| {
        bencher.iter(|| {
            next.next().map(|leaf| {
                let first = &leaf.program.functions[0].realizations[0];
                let (program, function) = (&leaf.program, Sketch::FUNCTION);
                let task = Task { program, function, path: &first.path, dialect: Dialect::C };
                let args = first.args.iter().map(|arg| Some(*arg)).collect();
                satisfied(&task, &Model { args, ..Model::default() })
            })
        });
    });
}

criterion_group!(benches, stages, leaves, encoding);
criterion_main!(benches);

//! How fast programs are made, printed and read.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pathsmith_generate::sample::{SampleOptions, sample_program};
use pathsmith_generate::shape::{
    GraphOptions, Iterations, PathSampler, WalkMode, WalkOptions, random_cfg,
};
use pathsmith_symlang::Seed;
use pathsmith_symlang::lang::text::parse;

fn text(c: &mut Criterion) {
    let programs: Vec<_> = (0..200)
        .map(|seed| sample_program(&SampleOptions::default(), &mut Seed::new(seed).rng()))
        .collect();
    let texts: Vec<String> = programs.iter().map(ToString::to_string).collect();
    let mut group = c.benchmark_group("text");
    group.throughput(Throughput::Bytes(texts.iter().map(|text| text.len() as u64).sum()));
    group.bench_function("print", |bencher| {
        bencher.iter(|| programs.iter().for_each(|program| drop(black_box(program.to_string()))));
    });
    group.bench_function("parse and validate", |bencher| {
        bencher
            .iter(|| texts.iter().filter(|text| black_box(parse("bench", text)).is_ok()).count());
    });
    group.finish();
}

fn shapes(c: &mut Criterion) {
    let options = GraphOptions::default();
    let mut rng = Seed::new(1).rng();
    let mut group = c.benchmark_group("shape");
    group.bench_function("graph of 15 blocks", |bencher| {
        bencher.iter(|| random_cfg(&options, &mut rng));
    });
    let graphs: Vec<_> = (0..200).map(|_| random_cfg(&options, &mut rng)).collect();
    let samplers: Vec<_> = graphs.iter().map(PathSampler::new).collect();
    let mut next = samplers.iter().cycle();
    let uniform = WalkOptions::default();
    group.bench_function("uniform path", |bencher| {
        bencher.iter(|| next.next().map(|sampler| sampler.path(&uniform, &mut rng)));
    });
    let long = WalkOptions {
        mode: WalkMode::Loops,
        min_len: 1000,
        max_len: 1200,
        iterations: Iterations::LogUniform { low: 2, high: 1000 },
    };
    group.bench_function("path of 1,000 steps through loops", |bencher| {
        bencher.iter(|| next.next().map(|sampler| sampler.path(&long, &mut rng)));
    });
    group.finish();
}

criterion_group!(benches, text, shapes);
criterion_main!(benches);

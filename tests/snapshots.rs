//! What the generator emits for pinned seeds, for review.
//!
//! Each snapshot names the command that makes it. `cargo insta review` shows what a change did.

mod support;

use support::pathsmith;

/// Compares what a command prints with `snapshots/FOLDER/NAME.snap`.
fn check(folder: &str, name: &str, args: &[&str]) {
    let product = pathsmith(args).ok();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(support::root().join("snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(format!("pathsmith {}", args.join(" ")));
    settings.bind(|| insta::assert_snapshot!(name, product));
}

#[test]
fn shapes() {
    check("shape", "default", &["shape", "--seed", "1", "--count", "5"]);
    check("shape", "reducible", &["shape", "--seed", "1", "--count", "5", "--reducible"]);
    let loops = ["shape", "--seed", "1", "--blocks", "4", "--loops", "2", "--walk", "loops"];
    check("shape", "loops", &[&loops[..], &["--iterations", "3"]].concat());
    check("shape", "switches", &["shape", "--seed", "1", "--count", "3", "--switches", "0.3"]);
    check("shape", "statistics", &["shape", "--seed", "1", "--count", "1000", "--stats"]);
}

#[test]
fn programs() {
    check("symlang", "sample-c", &["sample", "--seed", "1", "--dialect", "c"]);
    check("symlang", "sample-wasm", &["sample", "--seed", "9", "--dialect", "wasm"]);
    check("symlang", "sample-jvm", &["sample", "--seed", "10", "--dialect", "jvm"]);
    check("symlang", "sample-holes", &["sample", "--seed", "4", "--holes", "0.5"]);
}

#[test]
fn pictures() {
    let figure_1 = "docs/examples/figure1.sym";
    check("draw", "figure1-svg", &["show", figure_1, "--format", "svg"]);
    check("draw", "figure1-dot", &["show", figure_1, "--format", "dot"]);
}

//! Cross compilers whose programs run under an emulator, by config alone.

mod support;

use support::tools::has_tool;
use support::{pathsmith, root};

/// The example of the documentation: aarch64 and riscv64.
#[test]
fn the_example_config_tests_two_architectures() {
    for tool in ["aarch64-linux-gnu-gcc", "riscv64-linux-gnu-gcc", "qemu-aarch64-static"] {
        if !has_tool(tool, &["--version"]) {
            return;
        }
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let config = root().join("docs/examples/targets/cross.toml").to_string_lossy().into_owned();
    // Without optimization, compilers are right.
    let args = [
        "fuzz",
        "c",
        "--set",
        "campaign.seed=0",
        "--config",
        &config,
        "--count",
        "40",
        "--dir",
        &findings,
    ];
    let more = ["--set", "c.levels=[\"-O0\"]", "--set", "c.random_settings=0"];
    let run = pathsmith(&[&args[..], &more].concat());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    for target in ["gcc-aarch64", "gcc-riscv64"] {
        assert!(run.stderr.contains(&format!("{target} -O0: ")), "{}", run.stderr);
    }
}

/// An emulator for another architecture does not run these programs: an error, and no finding.
#[test]
fn the_wrong_emulator_is_one_message() {
    for tool in ["aarch64-linux-gnu-gcc", "qemu-riscv64-static"] {
        if !has_tool(tool, &["--version"]) {
            return;
        }
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let config = dir.path().join("config.toml");
    let text = "[[c.targets]]\nname = 'mixed-up'\ncommand = 'aarch64-linux-gnu-gcc'\n\
                flags = ['-static']\nrunner = ['qemu-riscv64-static']\n";
    std::fs::write(&config, text).expect("a config");
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let config = config.to_string_lossy().into_owned();
    let run = pathsmith(&[
        "fuzz",
        "c",
        "--set",
        "campaign.seed=0",
        "--config",
        &config,
        "--count",
        "4",
        "--dir",
        &findings,
    ]);
    run.fails(2, &["the target mixed-up cannot be used", "known to be good fails"]);
}

//! Cross compilers whose programs run under an emulator, by config alone.

mod support;

use std::path::Path;
use std::process::Command;

use support::tools::{has_tool, skip, skip_without};
use support::{pathsmith, root};

/// Whether a program that a compiler makes of `source` runs on this machine.
fn runs(dir: &Path, compiler: &[&str], source: &str) -> bool {
    let (file, program) = (dir.join("try.c"), dir.join("try"));
    std::fs::write(&file, source).expect("a file");
    let mut compile = Command::new(compiler[0]);
    compile.args(&compiler[1..]).arg(&file).arg("-o").arg(&program);
    compile.output().is_ok_and(|output| output.status.success())
        && Command::new(&program).output().is_ok_and(|output| output.status.success())
}

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

/// 32-bit x86 needs no emulator.
#[test]
fn the_example_config_tests_32_bit_x86() {
    if cfg!(not(target_arch = "x86_64")) {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
    let findings = path("findings");
    if !runs(dir.path(), &["gcc", "-m32"], "int main(void) { return sizeof(long) != 4; }") {
        skip_without("gcc that compiles for 32-bit x86");
        return;
    }
    let config = root().join("docs/examples/targets/x86-32.toml").to_string_lossy().into_owned();
    let fuzz = ["fuzz", "c", "--set", "campaign.seed=0", "--config", &config, "--count", "40"];
    let more = ["--set", "c.levels=[\"-O0\"]", "--set", "c.random_settings=0", "--dir", &findings];
    let run = pathsmith(&[&fuzz[..], &more].concat());
    assert_eq!(run.code, 0, "{}\n{}", run.stdout, run.stderr);
    assert!(run.stderr.contains("gcc-m32 -O0: "), "{}", run.stderr);
}

/// Without an emulator, what it compiles does not start here: an error, and no finding.
#[test]
fn a_cross_compiler_without_an_emulator_is_one_message() {
    if !has_tool("riscv64-linux-gnu-gcc", &["--version"]) {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary folder");
    let findings = dir.path().join("findings").to_string_lossy().into_owned();
    let target = "riscv64-linux-gnu-gcc";
    if runs(dir.path(), &[target], "int main(void) { return 0; }") {
        skip("this machine runs programs for riscv64 by itself", false);
        return;
    }
    let run = pathsmith(&["fuzz", "c", "--targets", target, "--count", "4", "--dir", &findings]);
    run.fails(2, &[&format!("the target {target} cannot be used: ")]);
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

//! How the workspace hangs together: module graphs without cycles, crates that know only what lies
//! below them, and a map, ARCHITECTURE.md, that names what is there.

#[path = "architecture/modules.rs"]
mod modules;
#[path = "architecture/source.rs"]
mod source;
mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use modules::Modules;
use support::root;
use support::tools::skip;

/// Cycles between modules that are known and wait to be cut: the crate and the modules, in the
/// words of the test's message. This list shrinks only.
const KNOWN_CYCLES: [(&str, &str); 8] = [
    ("pathsmith-backend", "error -> realizations"),
    ("pathsmith-backend-c", "checked -> options"),
    ("pathsmith-backend-jvm", "function -> places"),
    ("pathsmith-backend-jvm", "receiver -> shared"),
    ("pathsmith-backend-wasm", "checksum -> helpers"),
    ("pathsmith-backend-wasm", "function -> helpers -> checksum"),
    ("pathsmith-oracles", "wasm::embedded -> wasm::engines"),
    ("pathsmith-symlang", "lang::expr_types -> lang::program"),
];

/// A package of the workspace.
struct Package {
    name: String,
    /// Its folder, from the root of the workspace.
    folder: PathBuf,
    /// The names of all packages that it depends on, for whatever purpose.
    dependencies: BTreeSet<String>,
    /// Those that are not for its tests or its build only.
    normal_dependencies: BTreeSet<String>,
}

fn cargo(args: &[&str]) -> String {
    let cargo = Command::new(env!("CARGO")).args(args).current_dir(root()).output();
    let output = cargo.expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn packages() -> Vec<Package> {
    let json = cargo(&["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let root = root().canonicalize().expect("a folder");
    let text = |value: &serde_json::Value| value.as_str().expect("a string").to_owned();
    let list = |value: &serde_json::Value| value.as_array().expect("a list").clone();
    let package = |package: &serde_json::Value| Package {
        name: text(&package["name"]),
        folder: Path::new(&text(&package["manifest_path"]))
            .parent()
            .expect("a folder")
            .strip_prefix(&root)
            .expect("a folder of the workspace")
            .to_owned(),
        dependencies: list(&package["dependencies"]).iter().map(|dep| text(&dep["name"])).collect(),
        normal_dependencies: list(&package["dependencies"])
            .iter()
            .filter(|dep| dep["kind"].is_null())
            .map(|dep| text(&dep["name"]))
            .collect(),
    };
    list(&json["packages"]).iter().map(package).collect()
}

#[test]
fn the_modules_of_each_crate_form_no_cycle() {
    let mut found = BTreeSet::new();
    let mut unexpected = Vec::new();
    for package in packages() {
        for cycle in Modules::of_crate(&root().join(&package.folder)).cycles() {
            let (name, modules) = (package.name.clone(), cycle.modules.join(" -> "));
            if !KNOWN_CYCLES.contains(&(&name[..], &modules[..])) {
                unexpected.push(format!("{name}: {cycle}"));
            }
            found.insert((name, modules));
        }
    }
    assert!(unexpected.is_empty(), "modules that need each other:\n{}", unexpected.join("\n"));
    for (name, modules) in KNOWN_CYCLES {
        let is_left = found.contains(&(name.to_owned(), modules.to_owned()));
        assert!(is_left, "{name}: {modules} is cut: take it off the list");
    }
}

#[test]
fn core_knows_no_target() {
    let packages = packages();
    let (core, others): (Vec<_>, Vec<_>) =
        packages.iter().partition(|package| package.folder.starts_with("core"));
    assert!(!core.is_empty());
    for package in core {
        for other in &others {
            assert!(
                !package.dependencies.contains(&other.name),
                "{} depends on {}",
                package.name,
                other.name
            );
        }
    }
}

/// What is special about a target language is behind the registry of target families.
#[test]
fn the_command_line_knows_no_backend() {
    let packages = packages();
    let cli = packages.iter().find(|package| package.folder == Path::new("cli")).expect("cli");
    let mut backends = packages.iter().filter(|package| package.folder.starts_with("backends"));
    let found = backends.find(|backend| cli.normal_dependencies.contains(&backend.name));
    assert!(found.is_none(), "{} depends on {}", cli.name, found.expect("a backend").name);
}

/// A backend is a function from a program to an artifact: it needs the language, and no solver.
#[test]
fn no_backend_depends_on_z3() {
    let packages = packages();
    let backends = packages.iter().filter(|package| package.folder.starts_with("backends"));
    let mut n_checked = 0;
    for backend in backends {
        let tree = cargo(&[
            "tree",
            "--offline",
            "--locked",
            "--prefix",
            "none",
            "--edges",
            "normal,build,dev",
            "--package",
            &backend.name,
        ]);
        assert!(!tree.lines().any(|line| line.starts_with("z3")), "{}:\n{tree}", backend.name);
        n_checked += 1;
    }
    assert!(n_checked >= 3, "{n_checked}");
}

#[test]
fn architecture_names_what_is_there() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("a page");
    let tracked = tracked_paths();
    let entries: BTreeSet<&str> =
        tracked.iter().filter_map(|path| path.split('/').next()).collect();
    let mut missing = Vec::new();
    let mut n_checked = 0;
    for token in text.split('`').skip(1).step_by(2) {
        for path in source::expand_braces(token) {
            if source::is_path(&path, &entries) {
                n_checked += 1;
                if !tracked.iter().any(|tracked| source::names(&path, tracked)) {
                    missing.push(path);
                }
            }
        }
    }
    assert!(missing.is_empty(), "ARCHITECTURE.md names what is not there: {missing:?}");
    assert!(n_checked > 20, "{n_checked} paths");
}

/// All files and folders of the workspace, folders with a slash at their end.
fn tracked_paths() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            let name = path.to_string_lossy().into_owned();
            let is_ours = !matches!(&name[..], "target" | ".git");
            match entry.file_type().expect("a type").is_dir() {
                true if is_ours => {
                    found.push(format!("{name}/"));
                    folders.push(path);
                }
                true => {}
                false => found.push(name),
            }
        }
    }
    found
}

#[test]
fn a_missing_tool_skips_a_test() {
    skip("`no-such-tool` does not run on this machine", false);
}

#[test]
#[should_panic(expected = "run scripts/setup")]
fn a_missing_tool_fails_a_test_if_ci_is_set() {
    skip("`no-such-tool` does not run on this machine", true);
}

//! Policies are resolved in one place: no stage asks for a policy by name.

use std::path::{Path, PathBuf};

/// All source files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => sources(&path, found),
            false => found.push(path),
        }
    }
}

/// The policy that a line names, if it names one: `Policy::Small`, but not `Policy::ALL`, which
/// statistics count over, nor `ValuePolicy::NONE`.
fn named(line: &str) -> Option<&str> {
    line.match_indices("Policy::").find_map(|(at, name)| {
        let is_whole = !line[..at].ends_with(|before: char| before.is_alphanumeric());
        let rest = &line[at + name.len()..];
        let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
        let is_variant = rest[..end].contains(char::is_lowercase);
        (is_whole && is_variant).then_some(&rest[..end])
    })
}

#[test]
fn no_stage_asks_for_a_policy() {
    assert_eq!(named("if drawn.has(Policy::Small) {"), Some("Small"));
    assert_eq!(named("for policy in Policy::ALL {"), None);
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 50, "{}", files.len());
    for file in files {
        let place = file.strip_prefix(&src).expect("below src").to_owned();
        if place.starts_with("policy") || place == Path::new("policy.rs") {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source file");
        for (i, line) in text.lines().enumerate() {
            assert_eq!(named(line), None, "{}, line {}", place.display(), i + 1);
        }
    }
}

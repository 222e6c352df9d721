use super::*;

const TEXT: &str = r#"
[[bug]]
name = "slsr"
target = "gcc*"
condition = { flags = "-fno-tree-slsr" }
tracker = "https://example.org/1"

# A comment of a person.
[[bug]]
name = "panic"
target = "wasmi"
version = "2.*"
condition = { crash = "at src/engine.rs" }
off = true
"#;

fn parsed(text: &str) -> Result<Vec<KnownBug>, String> {
    parse_known(text, Path::new("known.toml")).map_err(|error| error.to_string())
}

fn target(name: &str, version: &str) -> TargetInfo {
    TargetInfo {
        name: name.to_owned(),
        command: String::new(),
        version: version.to_owned(),
        setting: pathsmith_oracles::Setting::named("-O2"),
        flags: Vec::new(),
        path: String::new(),
        runner: Vec::new(),
        env: Default::default(),
    }
}

#[test]
fn bugs_are_read_and_are_about_some_targets() {
    let bugs = parsed(TEXT).unwrap();
    assert_eq!(bugs[0].condition.words().unwrap(), ["-fno-tree-slsr"]);
    assert!(bugs[0].is_of(&target("gcc-12", "12.2")) && !bugs[0].is_of(&target("clang", "14")));
    assert!(bugs[1].is_of(&target("wasmi", "2.0")) && !bugs[1].is_of(&target("wasmi", "1.2.0")));
    assert!(bugs[1].off && !bugs[0].off);
}

#[test]
fn a_malformed_file_is_refused_with_its_place() {
    let changed = |from: &str, to: &str| parsed(&TEXT.replace(from, to)).unwrap_err();
    for (from, to, expected) in [
        ("tracker", "traker", "line 6"),
        ("{ flags", "{ flag", "line 5"),
        ("name = \"panic\"", "name = \"slsr\"", "line 9: there are two bugs called `slsr`"),
        ("\"-fno-tree-slsr\"", "\"tree-slsr\"", "line 2: `tree-slsr` does not begin with a flag"),
        ("\"-fno-tree-slsr\"", "\"\"", "the condition is empty"),
        ("\"wasmi\"", "\" \"", "`target` is empty"),
        ("[[bug]]\nname = \"panic\"", "[[bug\nname", "line 9"),
    ] {
        let error = changed(from, to);
        assert!(error.starts_with("known.toml: ") && error.contains(expected), "{error}");
    }
}

#[test]
fn what_people_wrote_stays_when_a_bug_is_added() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(KNOWN_FILE);
    assert_eq!(read_known(&path).unwrap(), []);
    std::fs::write(&path, TEXT).unwrap();
    let bug = parsed(TEXT).unwrap()[0].clone();
    add_known(&path, &[bug.clone(), bug.clone()]).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with(TEXT), "{text}");
    let names: Vec<String> =
        read_known(&path).unwrap().into_iter().map(|known| known.name).collect();
    assert_eq!(names, ["slsr", "panic", "slsr (2)", "slsr (3)"]);
    // Everything reads back as it was.
    let mut odd = parsed(TEXT).unwrap()[1].clone();
    odd.name = "a \"quoted\" name\nin two lines".to_owned();
    odd.note = "why \\ not".to_owned();
    odd.learned = Some(Learned { finding: "f1".to_owned(), cluster: "gcc: crash".to_owned() });
    add_known(&path, std::slice::from_ref(&odd)).unwrap();
    assert_eq!(read_known(&path).unwrap().last(), Some(&odd));
    // A new file says what it is.
    let new = dir.path().join("new.toml");
    add_known(&new, &[bug]).unwrap();
    assert!(std::fs::read_to_string(&new).unwrap().starts_with("# Bugs that are known."));
}

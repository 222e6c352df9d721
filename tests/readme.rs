//! What README.md says is true.

mod support;

use support::{pathsmith, pathsmith_with_input, root};

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("there is a README")
}

/// Compares a picture with what a command draws now; `BLESS=1` draws it anew.
fn check_picture(file: &str, drawn: &str) {
    let path = root().join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, drawn).expect("the picture can be written");
    }
    let shown = std::fs::read_to_string(&path).expect("there is a picture");
    assert!(readme().contains(file), "README does not show {file}");
    assert!(drawn == shown, "{file} is out of date: run this test with BLESS=1");
}

#[test]
fn its_pictures_are_what_the_program_draws() {
    let figure_1 = ["show", "docs/examples/figure1.sym", "--format", "svg"];
    check_picture("docs/figure1.svg", &pathsmith(&figure_1).ok());
    let shape = "shape --seed 8 --blocks 12 --walk loops --min-len 12 --iterations 2..4";
    let shape = pathsmith(&shape.split(' ').collect::<Vec<_>>()).ok();
    let picture = pathsmith_with_input(&["show", "-", "--format", "svg"], shape.as_bytes()).ok();
    check_picture("docs/shape.svg", &picture);
}

/// Every line `$ pathsmith …` in README is run, and gives the lines that stand below it.
#[test]
fn its_examples_run() {
    let readme = readme();
    let mut lines = readme.lines().peekable();
    let mut n_examples = 0;
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix("    $ pathsmith ") else { continue };
        n_examples += 1;
        let mut expected = String::new();
        while let Some(shown) = lines.peek().and_then(|line| line.strip_prefix("    ")) {
            if shown.starts_with("$ ") {
                break;
            }
            expected.push_str(shown);
            expected.push('\n');
            lines.next();
        }
        let args: Vec<&str> = command.split_whitespace().collect();
        let run = pathsmith(&args);
        assert_eq!(run.stdout, expected, "pathsmith {command}");
    }
    assert!(n_examples >= 3, "README has {n_examples} examples");
}

//! What README.md says is true.

mod support;

use support::{pathsmith, root};

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("there is a README")
}

#[test]
fn its_picture_is_what_the_program_draws() {
    let args = ["show", "docs/examples/figure1.sym", "--format", "svg"];
    let drawn = pathsmith(&args).ok();
    let picture = root().join("docs/figure1.svg");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&picture, &drawn).expect("the picture can be written");
    }
    let shown = std::fs::read_to_string(&picture).expect("there is a picture");
    assert!(readme().contains("docs/figure1.svg"));
    assert!(drawn == shown, "docs/figure1.svg is out of date: run this test with BLESS=1");
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

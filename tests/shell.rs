//! What pathsmith brings for shells and for `man`.

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use support::pathsmith;

/// What bash completes a command line to, with the script that pathsmith prints.
fn completed(line: &str) -> Vec<String> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let script = dir.path().join("completions.bash");
    pathsmith(&["completions", "bash", "-o", &script.to_string_lossy()]).ok();
    symlink(env!("CARGO_BIN_EXE_pathsmith"), dir.path().join("pathsmith")).expect("a link");
    // As bash does on a tab: the words, the last of which may be empty, and the function that the
    // script has registered.
    let ask = r#"
        source "$1"
        registered=$(complete -p pathsmith)
        [[ $registered =~ -F\ ([^ ]+) ]] && function=${BASH_REMATCH[1]}
        read -ra COMP_WORDS <<< "$2"
        [[ $2 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2} COMP_TYPE=9
        $function pathsmith "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let path = format!("{}:{}", dir.path().display(), std::env::var("PATH").expect("a PATH"));
    let output = Command::new("bash")
        .args(["-c", ask, "bash"])
        .arg(&script)
        .arg(line)
        .env("PATH", path)
        .output()
        .expect("bash");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_values_and_keys_of_settings() {
    assert_eq!(completed("pathsmith fu"), ["fuzz"]);
    assert_eq!(completed("pathsmith gen --preset "), ["full", "paper"]);
    assert_eq!(completed("pathsmith fuzz --set c.level"), ["c.levels="]);
    assert_eq!(completed("pathsmith fuzz --set walk.mo"), ["walk.mode="]);
    assert_eq!(completed("pathsmith gen --set walk.mo"), ["walk.mode="]);
    // Settings of campaigns are not those of the generator.
    assert_eq!(completed("pathsmith gen --set c.level"), Vec::<String>::new());
}

#[test]
fn other_shells_have_scripts_too() {
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let script = pathsmith(&["completions", shell]).ok();
        assert!(script.contains("PATHSMITH_COMPLETE"), "{shell}: {script}");
    }
    pathsmith(&["completions", "cmd"]).fails(2, &["possible values: bash"]);
}

#[test]
fn every_command_has_a_man_page() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let man1 = dir.path().join("man1");
    pathsmith(&["man", "--dir", &man1.to_string_lossy()]).ok();
    let page = |name: &str| fs::read_to_string(man1.join(name)).expect(name);
    assert!(page("pathsmith.1").contains("pathsmith\\-fuzz(1)"));
    let fuzz = page("pathsmith-fuzz.1");
    for part in [".SH NAME", ".SH OPTIONS", "\\-\\-resume", ".nf\n  pathsmith fuzz \\-\\-time 5m"] {
        assert!(fuzz.contains(part), "{part}: {fuzz}");
    }
    let n_pages = fs::read_dir(&man1).expect("a folder").count();
    assert!(n_pages > 20, "{n_pages} pages");
    // Formatted without a warning, if there is groff.
    let Ok(output) = Command::new("groff")
        .args(["-man", "-ww", "-Tutf8"])
        .arg(man1.join("pathsmith-fuzz.1"))
        .output()
    else {
        return;
    };
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

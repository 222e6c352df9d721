//! Every command of the documentation and of the help texts is run.
//!
//! Commands run in a folder of their own with what they name: a campaign with a finding, programs,
//! configs. On its PATH are pathsmith, gcc and a few tools, so that a campaign finds one compiler
//! and the embedded engines, on any machine. What is rewritten before a command runs:
//!
//! - campaigns have two cases, resumed ones a second; other counts are at most 20;
//! - versions to bisect are gcc and a compiler that is faulty, and builds to compare are this one, on
//!   three seeds;
//! - placeholders (`FILE`, `NAME`, `N`, …) become names of what is there;
//! - campaigns against targets that are not on that PATH have their arguments and config checked
//!   with `--print-config`; those of JVMs always, since a JVM takes long to start;
//! - the name of a command alone, as in "`pathsmith gen` does this", becomes `pathsmith gen --help`;
//! - optional parts in brackets are left out;
//! - `gen` and `sketch` write to folders of their own, so that nothing that others read changes;
//! - what follows a pipe or `&&` and is neither pathsmith, nor gcc, nor what gcc has made, is cut off.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use support::workshop::{Workshop, edit};
use support::{pathsmith, root, state};

/// The tools on the PATH. gcc needs `as` and `ld`, and the faulty compiler the rest.
const TOOLS: [&str; 9] = ["gcc", "cc", "as", "ld", "sh", "grep", "sed", "cat", "rm"];

/// The pages, each with its name.
fn pages() -> Vec<(String, String)> {
    let entries = fs::read_dir(root().join("docs")).expect("a folder");
    let docs = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> =
        docs.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    paths.extend(["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| root().join(name)));
    paths.sort();
    let read = |path: &std::path::PathBuf| fs::read_to_string(path).expect("a page");
    paths.iter().map(|path| (path.display().to_string(), read(path))).collect()
}

/// Whether a line is a call of pathsmith, and not what it shows or a sentence about it.
fn is_command(line: &str) -> bool {
    let rest = line.strip_prefix("pathsmith ");
    rest.is_some_and(|rest| rest.starts_with(char::is_alphabetic) && !rest.ends_with('.'))
}

/// The command lines of a page: in blocks, and between backticks.
fn commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut is_fenced = false;
    for line in page.lines() {
        is_fenced ^= line.starts_with("```");
        if is_fenced || line.starts_with("    ") {
            let line = line.trim();
            let command = line.strip_prefix("$ ").unwrap_or(line);
            commands.extend(is_command(command).then(|| command.to_owned()));
            continue;
        }
        let inline = line.split('`').skip(1).step_by(2);
        commands.extend(inline.filter(|it| is_command(it)).map(str::to_owned));
    }
    commands
}

/// The names of all commands.
fn names() -> Vec<String> {
    let help = pathsmith(&["--help"]).ok();
    let (_, listed) = help.split_once("Commands:\n").expect("a list");
    let lines = listed.lines().take_while(|line| line.starts_with("  "));
    let names = lines
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// All command lines, each once.
fn all_commands() -> BTreeSet<String> {
    let mut all: BTreeSet<String> = pages().iter().flat_map(|(_, page)| commands(page)).collect();
    let help = std::iter::once(pathsmith(&["--help"]).ok());
    let helps = names().into_iter().map(|name| pathsmith(&[&name, "--help"]).ok());
    for help in help.chain(helps) {
        let examples = help.lines().filter_map(|line| line.strip_prefix("  "));
        let is_example = |line: &&str| is_command(line) || line.starts_with("echo ");
        all.extend(examples.filter(is_example).map(str::to_owned));
    }
    all
}

/// What commands run in.
struct Place {
    workshop: Workshop,
    finding: String,
}

impl Place {
    fn new() -> Self {
        let workshop = Workshop::new(&edit("s/return /return 1u + /")).calls_itself_gcc();
        let run = workshop.fuzz("8", &[]);
        assert_eq!(run.code, 1, "{}", run.stderr);
        let name = workshop.finding().file_name().expect("a name").to_string_lossy().into_owned();
        let place = Self { workshop, finding: format!("findings/{name}") };
        let dir = place.dir();
        let bin = dir.join("bin");
        fs::create_dir(&bin).expect("a folder");
        symlink(env!("CARGO_BIN_EXE_pathsmith"), bin.join("pathsmith")).expect("a link");
        let path = std::env::var("PATH").expect("a PATH");
        for tool in TOOLS {
            let found =
                std::env::split_paths(&path).map(|dir| dir.join(tool)).find(|it| it.exists());
            symlink(found.unwrap_or_else(|| panic!("{tool} is not on PATH")), bin.join(tool))
                .expect("a link");
        }
        // Builds to compare are this one.
        for build in ["before", "old", "new"] {
            fs::create_dir(dir.join(build)).expect("a folder");
            let link = dir.join(build).join("pathsmith");
            symlink(env!("CARGO_BIN_EXE_pathsmith"), link).expect("a link");
        }
        for folder in ["docs", "scripts"] {
            symlink(fs::canonicalize(root()).expect("a path").join(folder), dir.join(folder))
                .expect("a link");
        }
        for folder in
            [".zfunc", ".config/fish/completions", ".local/share/bash-completion/completions"]
        {
            fs::create_dir_all(dir.join(folder)).expect("a folder");
        }
        // What others have made, and further campaigns.
        for copy in ["their-findings", "findings-2", "seed-21", "seed-22"] {
            place.prepare(&format!("cp -r findings {copy}"));
        }
        place.prepare("pathsmith gen --count 3 --dialect wasm -o program.sym");
        place.prepare("pathsmith gen --count 3 --dialect jvm -o jvm.sym");
        place.prepare("pathsmith gen --callable --count 20 --dir functions");
        place.prepare("pathsmith gen --callable --count 3 --dir .");
        place.prepare("pathsmith gen --callable --count 20 -o functions.sym");
        place.prepare("pathsmith sketch --callable --count 20 -o sketches.json");
        place.prepare("pathsmith shape --count 20 -o mined.jsonl");
        place.prepare("pathsmith lower program.sym --to wasi --choose 1 --dir wasi");
        place.prepare("pathsmith lower program.sym --to wasm -o module.wasm");
        let request = r#"{"nonce": "1", "module": "module.wasm", "reset": null, "careful": false, "calls": []}"#;
        fs::write(dir.join("request.json"), request).expect("a file");
        place.prepare("cp wasi/options.json . && cp docs/examples/sketch.sym sketch.sym");
        let config = "[campaign]\nfamilies = ['c']\n[c]\nlevels = ['-O1']\nrandom_settings = 0\n";
        fs::write(dir.join("campaign.toml"), config).expect("a file");
        place
    }

    fn dir(&self) -> &Path {
        self.workshop.dir.path()
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", line])
            .current_dir(self.dir())
            .env("PATH", self.dir().join("bin"))
            .env("HOME", self.dir())
            .env("TMPDIR", self.dir().join("tmp"))
            .env("XDG_STATE_HOME", state())
            .env_remove("JAVA_HOME");
        command
    }

    #[track_caller]
    fn prepare(&self, line: &str) {
        let path = std::env::var("PATH").expect("a PATH");
        let path = format!("{}:{path}", self.dir().join("bin").display());
        let output = self.command(line).env("PATH", path).output().expect("a shell");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn has_tool(&self, name: &str) -> bool {
        self.dir().join("bin").join(name).exists()
    }

    /// The command as it is run.
    fn rewritten(&self, line: &str) -> String {
        // A pipeline is cut where it needs what is not there.
        let mut parts: Vec<String> = Vec::new();
        let mut words: Vec<&str> = Vec::new();
        let (line, _) = line.split_once(" [").unwrap_or((line, ""));
        for word in line.split(' ').chain(["&&"]) {
            if word != "|" && word != "&&" {
                words.push(word);
                continue;
            }
            let first = words.first().copied().unwrap_or_default();
            if !(first == "echo" || first.starts_with("./") || self.has_tool(first)) {
                parts.pop();
                break;
            }
            parts.push(if first == "pathsmith" { self.part(&words) } else { words.join(" ") });
            parts.push(word.to_owned());
            words.clear();
        }
        parts.pop_if(|last| *last == "&&");
        parts.join(" ")
    }

    /// One call of pathsmith.
    fn part(&self, words: &[&str]) -> String {
        let command = words.get(1).copied().unwrap_or_default();
        if words.len() <= 2 && command != "fuzz" && command != "gen" {
            return format!("pathsmith {command} --help");
        }
        let mut out = vec!["pathsmith".to_owned(), command.to_owned()];
        let mut rest = words[2..].iter();
        let mut is_checked_only = command == "fuzz" && words.get(2) == Some(&"jvm");
        let has = |flag: &str| words.contains(&flag);
        while let Some(&word) = rest.next() {
            match (command, word) {
                ("fuzz", "--time" | "--count") => drop(rest.next()),
                ("bench", "--time") => {
                    rest.next();
                    out.extend(["--time", "0.01"].map(str::to_owned));
                }
                ("gen" | "sketch" | "stats" | "shape" | "link", "--count") => {
                    let count = rest.next().and_then(|n| n.parse::<u32>().ok()).expect("a count");
                    out.extend(["--count".to_owned(), count.min(20).to_string()]);
                }
                ("fuzz" | "replay", "--targets") => {
                    let names = rest.next().expect("targets");
                    is_checked_only |= !names
                        .split(',')
                        .all(|name| self.has_tool(name) || ["wasmtime", "wasmi"].contains(&name));
                    if command == "fuzz" || !is_checked_only {
                        out.extend(["--targets".to_owned(), (*names).to_owned()]);
                    }
                }
                // They name compilers for other machines.
                ("fuzz", "--config") => {
                    let file = rest.next().expect("a file");
                    is_checked_only |= file.starts_with("docs/examples/targets");
                    out.extend(["--config".to_owned(), (*file).to_owned()]);
                }
                ("templates", "--check") => {
                    rest.next();
                    let own = "core/generate/templates/modulo_table.sym";
                    let own = fs::canonicalize(root()).expect("a path").join(own);
                    out.extend(["--check".to_owned(), own.display().to_string()]);
                }
                ("templates", "NAME") => out.push("modulo_table".to_owned()),
                ("engine", "SETTING") => out.push("cranelift-speed </dev/null".to_owned()),
                ("reduce" | "bisect", name) if name == "NAME" || name.starts_with("findings/") => {
                    out.push(self.finding.clone());
                }
                // The compilers are two, of which the faulty one is bad.
                ("bisect", "--good" | "--bad") => drop(rest.next()),
                ("bisect", _) => {}
                ("diff", "--seeds") => {
                    rest.next();
                    out.extend(["--seeds", "0..2"].map(str::to_owned));
                }
                ("reduce", "--target") => {
                    let target = rest.next().expect("a target");
                    let target = if target.starts_with("gcc") { "gcc" } else { target };
                    out.extend(["--target", target].map(str::to_owned));
                }
                ("gen" | "sketch", "--dir") => {
                    out.extend([
                        "--dir".to_owned(),
                        format!("made/{}", rest.next().expect("a folder")),
                    ]);
                }
                ("lower", "FILE") if has("wasi") || has("wat") => {
                    out.push("program.sym".to_owned())
                }
                ("lower", "FILE") if has("jasm") => out.push("jvm.sym".to_owned()),
                (_, "FILE") => out.push("docs/examples/figure1.sym".to_owned()),
                (_, "…") => out.push("c".to_owned()),
                (_, word) => out.push(placeholder(word)),
            }
        }
        if command == "bisect" {
            out.extend(["--good", "gcc", "--bad", "./faulty"].map(str::to_owned));
        }
        if command == "fuzz" && (is_checked_only || has("--print-config")) {
            out.extend((!has("--print-config")).then(|| "--print-config".to_owned()));
        } else if command == "fuzz" && has("--resume") {
            out.push("--time 1s".to_owned());
        } else if command == "fuzz" {
            out.push("--count 2".to_owned());
            out.extend((!has("--jobs")).then(|| "--jobs 2".to_owned()));
        }
        out.join(" ")
    }
}

/// `N` and `SEED` are numbers, also in names such as `seed-N`.
fn placeholder(word: &str) -> String {
    match word {
        "N" | "SEED" => "7".to_owned(),
        "seed-N" => "seed-7".to_owned(),
        _ => word.to_owned(),
    }
}

#[test]
fn every_command_runs() {
    let place = Place::new();
    let all = all_commands();
    assert!(all.len() > 100, "{} commands", all.len());
    let mut problems = String::new();
    for line in &all {
        let rewritten = place.rewritten(line);
        if rewritten.is_empty() {
            problems += &format!("{line}\n    nothing of it can be run\n");
            continue;
        }
        let output = place.command(&rewritten).output().expect("a shell");
        // 1 is a negative result, which is no mistake of the command.
        if !matches!(output.status.code(), Some(0 | 1)) {
            let stderr = String::from_utf8_lossy(&output.stderr);
            problems += &format!("{line}\n    {rewritten}\n    {}: {stderr}\n", output.status);
        }
    }
    assert!(problems.is_empty(), "commands that do not work:\n{problems}");
}

/// Config files on pages about targets and campaigns are configs of `fuzz`.
#[test]
fn every_config_is_read() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = dir.path().join("page.toml");
    let mut n_configs = 0;
    for (name, page) in pages() {
        let (_, page_name) = name.rsplit_once('/').expect("a folder");
        // Known bugs and templates have files of their own kinds.
        if ["triage.md", "shapes.md"].contains(&page_name) {
            continue;
        }
        for block in page.split("```toml\n").skip(1) {
            let (text, _) = block.split_once("```").expect("a fence");
            fs::write(&file, text).expect("a file");
            let run = pathsmith(&["fuzz", "--print-config", "--config", &file.to_string_lossy()]);
            assert_eq!(run.code, 0, "{name}: {}\n{text}", run.stderr);
            n_configs += 1;
        }
    }
    assert!(n_configs >= 4, "{n_configs} configs");
}

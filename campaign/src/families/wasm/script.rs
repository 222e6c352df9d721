//! The scripts of findings in engines. Their exit statuses are those that `git bisect run` knows: 0 if
//! the engine does what it should, 1 if the bug shows, 125 if that cannot be judged.

use pathsmith_backend_wasm::WasmModule;
use pathsmith_oracles::wasm::{Repro, UserLine, WasmEngine, WasmTarget};
use pathsmith_oracles::{Verdict, shell_command, shell_exports, shell_quoted, shown_line};

use super::bug::NAME;
use crate::finding::Finding;

/// A module that any engine runs, however it is asked.
const ALIVE: &str = "(module
    (memory (export \"memory\") 1)
    (func (export \"f\") (result i32) i32.const 1)
    (func (export \"f.visible0\") (result i32) i32.const 1)
    (func (export \"_start\")))";
/// A request of it.
const ALIVE_REQUEST: &str = r#"{"nonce":"repro","module":"module.wasm","reset":null,"careful":true,"calls":[{"export":"f","args":[]}]}"#;
/// A module that no engine runs to its end.
const TRAPS: &str = "(module (func (export \"_start\") unreachable))";

/// What shows a finding with the engine alone: the module that was written for people if there is
/// one, and otherwise what was tested.
pub(crate) fn script(finding: &Finding, target: &WasmTarget, module: &WasmModule) -> String {
    let engine = WasmEngine::named(&target.engine);
    let has_bug_file = finding.bug.as_ref().is_some_and(|bug| bug.file.is_some());
    let line = engine.filter(|_| has_bug_file).and_then(|engine| engine.user_line(target, NAME));
    match line {
        Some(line) => script_of_bug_file(finding, &line),
        None => script_of_request(finding, engine, module),
    }
}

/// Runs what was tested, as it was asked.
fn script_of_request(finding: &Finding, engine: Option<WasmEngine>, module: &WasmModule) -> String {
    let info = &finding.target;
    let args = engine.map_or_else(|| info.flags.clone(), |it| it.repro_args(&info.flags));
    let command = shell_command(info.runner.iter().chain([&info.command]).chain(&args));
    let Repro { pipeline, expected, alive } =
        engine.map_or_else(|| Repro::of_session(module), |engine| engine.repro(module));
    let needed: String = engine
        .map_or(&[][..], WasmEngine::files)
        .iter()
        .map(|(name, _)| format!("cp {name} \"$out\"\n"))
        .collect();
    let rejected = match finding.verdict {
        Verdict::CompileError => "",
        _ => "grep -q '^repro rejected ' \"$out/actual\" && exit 125\n",
    };
    format!(
        "{}\
         run() {{ {}; }}\n\
         {}cp \"$out/module.wasm\" \"$out/wasi.wasm\"\n\
         echo '{ALIVE_REQUEST}' > \"$out/request.json\"\n\
         {needed}\
         [ \"$(cd \"$out\" && run \"$@\")\" = '{alive}' ] || {{ echo \"$1 runs no module\" >&2; exit 125; }}\n\
         run \"$@\" > \"$out/actual\"\n\
         {rejected}\
         cat > \"$out/expected\" <<'END'\n{}\nEND\n\
         diff \"$out/expected\" \"$out/actual\" || exit 1\n",
        head(finding, &command, "tries another command that answers in the same way"),
        // What the user gives may be several words, and so is what was seen.
        pipeline.replace("$ENGINE", "\"$@\""),
        written(ALIVE, "module.wasm"),
        expected.join("\n"),
    )
}

/// Runs the module that was written for people, as they run it.
fn script_of_bug_file(finding: &Finding, line: &UserLine) -> String {
    let args: String = line.args.iter().map(|arg| format!(" {}", shell_quoted(arg))).collect();
    let both = format!("cp \"$out/{NAME}.wasm\" \"$out/{NAME}.wat\"\n");
    format!(
        "{}\
         [ -f {NAME}.wasm ] || exit 125\n\
         run() {{ timeout 60 \"$@\"{args}; }}\n\
         {}{both}\
         (cd \"$out\" && run \"$@\") || {{ echo \"$1 runs no module\" >&2; exit 125; }}\n\
         {}{both}\
         (cd \"$out\" && run \"$@\" 2> \"$out/said\") && {{ echo \"$1 ignores traps\" >&2; exit 125; }}\n\
         run \"$@\"\n\
         case $? in\n\
         0) exit 0 ;;\n\
         126 | 127) exit 125 ;; # it cannot be started\n\
         *) exit 1 ;;\n\
         esac\n",
        head(finding, &shell_command(&line.command), "tries another one, with the same arguments"),
        written(ALIVE, &format!("{NAME}.wasm")),
        written(TRAPS, &format!("{NAME}.wasm")),
    )
}

/// The beginning of a script, which leaves the command in its arguments. An engine is run in two
/// folders, so it must not depend on the one it is in.
fn head(finding: &Finding, command: &str, engine: &str) -> String {
    format!(
        "#!/bin/sh\n\
         # {}\n\
         # Seen with {}; ENGINE=... {engine}.\n\
         # Exits with 0 if the engine does what it should, with 1 if the bug shows, and with 125 if\n\
         # that cannot be judged, as git bisect run expects: it must run a trivial module first.\n\
         cd \"$(dirname \"$0\")\" || exit 125\n\
         out=$(mktemp -d) || exit 125\n\
         trap 'rm -rf \"$out\"' EXIT\n\
         {}if [ -n \"${{ENGINE-}}\" ]; then set -- $ENGINE; else set -- {command}; fi\n\
         command -v \"$1\" > \"$out/found\" || {{ echo \"there is no $1\" >&2; exit 125; }}\n\
         case $1 in\n\
         /*) ;;\n\
         */*) engine=$PWD/$1; shift; set -- \"$engine\" \"$@\" ;;\n\
         esac\n",
        finding.summary(),
        shown_line(&finding.target.version),
        shell_exports(&finding.target.env),
    )
}

/// A line that writes a module to a file of the temporary folder.
fn written(text: &str, file: &str) -> String {
    let escaped = |byte: &u8| match byte {
        b'a'..=b'z' | b'_' => char::from(*byte).to_string(),
        byte => format!("\\{byte:03o}"),
    };
    let bytes = wat::parse_str(text).unwrap_or_default();
    let bytes: String = bytes.iter().map(escaped).collect();
    format!("printf '{bytes}' > \"$out/{file}\"\n")
}

//! The scripts of findings in C compilers. Their exit statuses are those that `git bisect run`
//! knows: 0 if the compiler does what it should, 1 if the bug shows, 125 if that cannot be judged.

use pathsmith_backend_c::CSource;
use pathsmith_oracles::c::{CTarget, Compiler, FEATURE_GUARD, machine_flags, words_for_floats};
use pathsmith_oracles::{Verdict, shell_command, shell_exports, shell_quoted, shown_line};

use crate::bug_file::BugFile;
use crate::finding::Finding;

/// What compilers say when they crash.
const CRASH_SIGNS: &str = "internal compiler error|PLEASE submit a bug report|PLEASE ATTACH|\
                           LLVM ERROR|error in backend|Stack dump:";

/// What shows a finding with the compiler alone: the file that was written for people if there is
/// one, and otherwise what was tested.
pub(crate) fn repro_script(finding: &Finding, target: &CTarget, source: &CSource) -> String {
    let info = &finding.target;
    let bug = finding.bug.as_ref().and_then(|bug| bug.file.as_ref());
    let setting: &[String] = bug.map_or(&target.setting.flags, |file| &file.flags);
    // With another compiler, only what makes it optimize is given.
    let own: &[String] = bug.map_or(&info.flags, |file| &file.flags);
    // An emulator has a processor of its own.
    let needs_guard = !machine_flags(own).is_empty() && info.runner.is_empty();
    let guard = if needs_guard { FEATURE_GUARD } else { "" };
    let mut files: Vec<String> = match bug {
        Some(file) => vec![file.name.clone()],
        None => source.all_files().map(|file| file.name.clone()).collect(),
    };
    // Whatever the compiler and its flags are.
    let texts: Vec<&str> = match bug {
        Some(file) => vec![&file.text],
        None => source.all_files().map(|file| &file.text[..]).collect(),
    };
    let needed = words_for_floats(target.toolchain.compiler, texts);
    files.extend(needed.into_iter().map(str::to_owned));
    let verdict = bug.map_or(finding.verdict, |file| file.verdict);
    let seconds = if bug.is_some() { 10 } else { 60 };
    let judged = match verdict.is_about_compiling() {
        true => judged_compilation(&words(&files), bug.is_some()),
        false => format!(
            "compile {files}-o \"$out/test\" || exit 125\n\
             timeout {seconds} {runner}\"$out/test\"\n\
             case $? in\n\
             0) exit 0 ;;\n\
             126 | 127) exit 125 ;; # it cannot be started\n\
             *) exit 1 ;;\n\
             esac\n",
            files = words(&files),
            runner = words(&info.runner),
        ),
    };
    format!(
        "#!/bin/sh\n\
         # {}\n\
         # Seen with {}; CC=... tries another compiler, CFLAGS=... other flags.\n\
         # Exits with 0 if the compiler does what it should, with 1 if the bug shows, and with 125\n\
         # if that cannot be judged, as git bisect run expects.\n\
         cd \"$(dirname \"$0\")\" || exit 125\n\
         out=$(mktemp -d) || exit 125\n\
         trap 'rm -rf \"$out\"' EXIT\n\
         {}\
         compiler() {{\n\
         \x20   if [ -n \"${{CC-}}\" ]; then $CC \"$@\"; else {} \"$@\"; fi\n\
         }}\n\
         compile() {{\n\
         \x20   if [ -n \"${{CFLAGS+set}}\" ]; then compiler $CFLAGS \"$@\"\n\
         \x20   elif [ -n \"${{CC-}}\" ]; then compiler {}\"$@\"\n\
         \x20   else compiler {}\"$@\"; fi\n\
         }}\n\
         {guard}{judged}",
        finding.summary(),
        shown_line(&info.version),
        shell_exports(&info.env),
        shell_command([&info.command]),
        words(setting),
        words(own),
    )
}

fn words(words: &[String]) -> String {
    words.iter().map(|word| format!("{} ", shell_quoted(word))).collect()
}

/// The end of a script for compilers that crash or do not terminate. A limit on CPU time, because
/// `timeout` cannot call a function of the shell.
fn judged_compilation(files: &str, is_bug_file: bool) -> String {
    let product = match is_bug_file {
        true => "-c ",
        false => "",
    };
    format!(
        "(ulimit -t 60; compile {product}{files}-o \"$out/test\" 2> \"$out/said\")\n\
         status=$?\n\
         cat \"$out/said\" >&2\n\
         [ $status -eq 0 ] && [ -s \"$out/test\" ] && exit 0\n\
         # It says that all is well, and has made nothing.\n\
         [ $status -eq 0 ] && exit 1\n\
         # A signal, such as that of the limit on time.\n\
         [ $status -gt 128 ] && exit 1\n\
         grep -qE '{CRASH_SIGNS}|Killed|CPU time limit' \"$out/said\" && exit 1\n\
         exit 125\n"
    )
}

/// An interestingness test for cvise and creduce: 0 if the file is right, as far as compilers and
/// sanitizers can tell, and the compiler still gets it wrong.
pub(super) fn interestingness_script(target: &CTarget, file: &BugFile) -> String {
    let needed = words_for_floats(target.toolchain.compiler, [&file.text[..]]);
    let bug = &file.name;
    let name = &needed.iter().fold(bug.clone(), |name, word| name + " " + word);
    let conversions = if needed.is_empty() { "" } else { ",float-cast-overflow" };
    let compiler = shell_command([target.toolchain.command.display().to_string()]);
    let is_other = ["gcc", "clang"].iter().all(|known| *known != compiler);
    let witnesses = match target.toolchain.compiler {
        Compiler::Gcc | Compiler::Clang if is_other => format!("{compiler} gcc clang"),
        Compiler::Gcc | Compiler::Clang | Compiler::Other => "gcc clang".to_owned(),
    };
    let shown = match file.verdict {
        Verdict::CompilerCrash | Verdict::CompilerTimeout => format!(
            "(ulimit -t 60; $CC $CFLAGS -c {name} -o wrong.o) > said 2>&1\n\
             status=$?\n\
             [ $status -gt 128 ] || grep -qE '{CRASH_SIGNS}|Killed' said\n"
        ),
        Verdict::Hang => format!(
            "$CC $CFLAGS {name} -o wrong > said 2>&1 || exit 1\n\
             timeout 5 ./wrong > said 2>&1\n\
             [ $? -eq 124 ]\n"
        ),
        Verdict::Crash
        | Verdict::WrongResult
        | Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError => format!(
            "$CC $CFLAGS {name} -o wrong > said 2>&1 || exit 1\n\
             timeout 5 ./wrong > said 2>&1\n\
             status=$?\n\
             [ $status -ne 0 ] && [ $status -ne 124 ]\n"
        ),
    };
    let right = match file.verdict.is_about_compiling() {
        // What is never run need not be right.
        true => String::new(),
        false => format!(
            "strict='-O0 -Werror=return-type -Werror=uninitialized -Werror=int-conversion\n\
             \x20   -Werror=implicit-function-declaration -Werror=incompatible-pointer-types'\n\
             checks='-O0 -g -fsanitize=undefined,address{conversions} -fno-sanitize-recover=all'\n\
             echo 'int main(void) {{ return 0; }}' > trial.c\n\
             n_sanitizers=0\n\
             for witness in {witnesses}; do\n\
             \x20   command -v \"$witness\" > said 2>&1 || continue\n\
             \x20   $witness $strict {name} -o right > said 2>&1 && timeout 10 ./right > said 2>&1 ||\n\
             \x20       exit 1\n\
             \x20   # Some compilers come without the runtime of their sanitizers.\n\
             \x20   $witness $checks trial.c -o trial > said 2>&1 && ./trial > said 2>&1 || continue\n\
             \x20   $witness $checks {name} -o right > said 2>&1 && timeout 10 ./right > said 2>&1 ||\n\
             \x20       exit 1\n\
             \x20   n_sanitizers=$((n_sanitizers + 1))\n\
             done\n\
             [ $n_sanitizers -gt 0 ] || echo 'no compiler has the runtime of its sanitizers' >&2\n"
        ),
    };
    format!(
        "#!/bin/sh\n\
         # An interestingness test: exits with 0 if {bug} in the current folder is right and the\n\
         # compiler still gets it wrong. To reduce it further: cvise ./interesting.sh {bug}\n\
         CC=${{CC-{compiler}}}\n\
         CFLAGS=${{CFLAGS-{}}}\n\
         {right}{shown}",
        words(&file.flags).trim_end(),
    )
}

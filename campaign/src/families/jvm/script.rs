//! The scripts of findings in JVMs. Their exit statuses are those that `git bisect run` knows: 0 if the
//! JVM does what it should, 1 if the bug shows, 125 if that cannot be judged.

use pathsmith_backend_jvm::JvmClasses;
use pathsmith_oracles::jvm::{JvmTarget, Warmup, lines_of_repro};
use pathsmith_oracles::{Verdict, shell_command, shell_exports, shell_quoted, shown_line};

use super::bug::CLASS;
use crate::finding::Finding;

/// What shows a finding with the JVM alone: the class that was written for people if there is one,
/// and otherwise what was tested.
pub(crate) fn script(finding: &Finding, target: &JvmTarget, classes: &JvmClasses) -> String {
    let bug = finding.bug.as_ref().and_then(|bug| bug.file.as_ref());
    let (flags, about, judged) = match bug {
        Some(file) => {
            let flags = [&target.machine.launch.flags[..], &file.flags].concat();
            (flags, String::new(), judged_class())
        }
        None => {
            let mut args = target.args();
            args.truncate(args.len().saturating_sub(HOST_ARGS));
            (args, about_request(target), judged_request(finding, target, classes))
        }
    };
    let flags: String = flags.iter().map(|flag| format!(" {}", shell_quoted(flag))).collect();
    let info = &finding.target;
    format!(
        "#!/bin/sh\n\
         # {}\n\
         # Seen with {}; JAVA=... tries another JVM, FLAGS=... other flags.\n\
         {about}\
         # Exits with 0 if the JVM does what it should, with 1 if the bug shows, and with 125 if that\n\
         # cannot be judged, as git bisect run expects: it must run a class with these flags first.\n\
         cd \"$(dirname \"$0\")\" || exit 125\n\
         out=$(mktemp -d) || exit 125\n\
         trap 'rm -rf \"$out\"' EXIT\n\
         {}if [ -n \"${{FLAGS+set}}\" ]; then set -- $FLAGS; else set --{flags}; fi\n\
         if [ -n \"${{JAVA-}}\" ]; then set -- $JAVA \"$@\"; else set -- {} \"$@\"; fi\n\
         command -v \"$1\" > \"$out/found\" || {{ echo \"there is no $1\" >&2; exit 125; }}\n\
         timeout 60 \"$@\" -cp . Host < /dev/null > \"$out/alive\"\n\
         grep -q '^ready' \"$out/alive\" || {{ echo \"$1 does not run Host.class\" >&2; exit 125; }}\n\
         {judged}",
        finding.summary(),
        shown_line(&target.machine.version),
        shell_exports(&info.env),
        shell_command(info.runner.iter().chain([&info.command])),
    )
}

/// How many arguments of a target name the class that is run, and where it is: `-cp . Host`.
const HOST_ARGS: usize = 3;

/// What the host does with the classes.
fn about_request(target: &JvmTarget) -> String {
    let times = match target.setting.warmup {
        Warmup::Once => "once".to_owned(),
        Warmup::Twice => "twice".to_owned(),
        Warmup::Hot(n) => format!("about {n} times"),
    };
    format!(
        "# Host.class loads the classes (program.jasm shows them) from request.bin, calls each\n\
         # function {times}, and writes what it returns and leaves in memory the first time, and\n\
         # whenever that differs.\n"
    )
}

/// The end of a script that asks the host.
fn judged_request(finding: &Finding, target: &JvmTarget, classes: &JvmClasses) -> String {
    let patience = if finding.verdict == Verdict::Hang { 60 } else { 600 };
    let rejected = match finding.verdict {
        Verdict::CompileError => "",
        _ => "grep -q '^repro rejected ' \"$out/actual\" && exit 125\n",
    };
    format!(
        "echo request.bin | timeout {patience} \"$@\" -cp . Host > \"$out/actual\"\n\
         cat > \"$out/expected\" <<'END'\nrepro (loaded|at [0-9]+)\n{}\nEND\n\
         {rejected}\
         grep '^repro ' \"$out/actual\" | grep -Exvf \"$out/expected\" && exit 1\n\
         [ \"$(grep -c '^repro returned' \"$out/actual\")\" -eq {} ] || exit 1\n\
         grep -q '^repro done' \"$out/actual\" || exit 1\n",
        lines_of_repro(classes, &target.setting.warmup.steps(classes)).join("\n"),
        classes.calls.len(),
    )
}

/// The end of a script that runs the class that was written for people.
fn judged_class() -> String {
    format!(
        "[ -f {CLASS}.class ] || exit 125\n\
         timeout 60 \"$@\" -cp . {CLASS}\n\
         case $? in\n\
         0) exit 0 ;;\n\
         126 | 127) exit 125 ;; # it cannot be started\n\
         *) exit 1 ;;\n\
         esac\n"
    )
}

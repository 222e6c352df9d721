//! The last step of reduction for C: the text of `bug.c` itself, by `cvise` or `creduce`, if one of
//! them is installed.
//!
//! They know nothing of our programs, so an interestingness test holds what they make to three
//! things: the sanitizers of every compiler that has their runtime report nothing, it is right
//! without optimization, and the compiler still miscompiles it in the same way.

use std::path::Path;
use std::time::Duration;

use super::{COracle, CTarget, Compiler, Toolchain, Witnesses, words_for_floats};
use crate::launch::TargetSpec;
use crate::oracle::OracleError;
use crate::process::{CommandLine, End, ProcessLimits};
use crate::scratch::read_left_behind;
use crate::shell::shell_command;
use crate::verdict::Verdict;
use crate::version::{RunsBehind, ask_version};

/// The tools that can do it, the better first.
const TOOLS: [&str; 2] = ["cvise", "creduce"];
/// The file that is reduced.
const TEXT: &str = "bug.c";
/// The most that is read of it afterwards, in bytes. A guess.
const MAX_TEXT: u64 = 64 << 20;
/// The interestingness test.
const SCRIPT: &str = "interesting.sh";

/// No optimization, and errors for undefined behaviour that escapes sanitizers.
const STRICT_FLAGS: [&str; 6] = [
    "-O0",
    "-Werror=return-type",
    "-Werror=uninitialized",
    "-Werror=implicit-function-declaration",
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
];

/// What is left of the source of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducedSource {
    /// The tool that reduced it.
    pub tool: String,
    /// The text.
    pub text: String,
    /// The interestingness test that it passes.
    pub script: String,
}

/// What came of a reduction of source text: what is left, or what there is no way without.
pub type SourceReduction = Result<ReducedSource, String>;

impl COracle {
    /// Reduces a file for which `target` shows `verdict`, for no longer than `time`. The other
    /// compilers of this machine and their sanitizers, as far as they have the runtime for them, say
    /// whether it is still right.
    ///
    /// # Errors
    /// If a folder cannot be created, or it is stopped.
    pub fn reduce_source(
        &mut self,
        text: &str,
        target: &CTarget,
        verdict: Verdict,
        n_jobs: usize,
        time: Duration,
    ) -> Result<SourceReduction, OracleError> {
        let Some(tool) = self.reduction_tool()? else {
            return Ok(Err(format!("neither {} is installed", TOOLS.join(" nor "))));
        };
        let witnesses = Witnesses::at_hand(target, &self.stop)?;
        if witnesses.sanitizers.is_empty() && !verdict.is_about_compiling() {
            let why = "no C compiler at hand has the runtime of its sanitizers (libasan, libubsan), \
                       so nothing would tell a program that is still right from one that is not";
            return Ok(Err(why.to_owned()));
        }
        let script = script(text, target, verdict, &witnesses);
        let dir = self.fresh_folder()?;
        let failed = |source| OracleError::io("cannot write to a temporary folder", source);
        std::fs::write(dir.path().join(TEXT), text).map_err(failed)?;
        std::fs::write(dir.path().join(SCRIPT), &script).map_err(failed)?;
        make_executable(&dir.path().join(SCRIPT)).map_err(failed)?;
        let check = CommandLine::new("sh", dir.path()).arg(SCRIPT);
        if !self.reduction_step(&check, time)? {
            return Ok(Err("the file does not pass its interestingness test".to_owned()));
        }
        let command = CommandLine::new(&tool, dir.path())
            .args(["--n", &n_jobs.to_string()])
            .args([format!("./{SCRIPT}"), TEXT.to_owned()]);
        // Finished or not, what it has left passes the test.
        self.reduction_step(&command, time)?;
        let text = read_left_behind(&dir.path().join(TEXT), MAX_TEXT).map_err(failed)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        Ok(Ok(ReducedSource { tool, text, script }))
    }

    fn reduction_tool(&self) -> Result<Option<String>, OracleError> {
        for tool in TOOLS {
            let spec = TargetSpec::new(tool, tool);
            match ask_version(&spec, "--version", RunsBehind::Nothing, &self.stop) {
                Ok(_) => return Ok(Some(tool.to_owned())),
                Err(OracleError::Stopped) => return Err(OracleError::Stopped),
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Runs a command; true if it succeeds.
    fn reduction_step(&self, command: &CommandLine, time: Duration) -> Result<bool, OracleError> {
        let limits =
            ProcessLimits { time, memory: None, resident: None, output: 16 << 20, files: None };
        match command.run(&limits, &self.stop) {
            Ok(ended) if ended.end == End::Stopped => Err(OracleError::Stopped),
            Ok(ended) => Ok(ended.end.is_success()),
            Err(_) => Ok(false),
        }
    }
}

/// The interestingness test.
fn script(text: &str, target: &CTarget, verdict: Verdict, witnesses: &Witnesses) -> String {
    let file = |compiler: &Toolchain| {
        let words = words_for_floats(compiler.compiler, [text]);
        words.into_iter().fold(TEXT.to_owned(), |file, word| file + " " + word)
    };
    let mut lines = vec![
        "#!/bin/sh".to_owned(),
        format!("# Exits with 0 if {TEXT} is right and the compiler miscompiles it."),
    ];
    let mut require = |compiler: &Toolchain, flags: &[String]| {
        let command = command_line(compiler, flags);
        lines.push(format!(
            "{command} {} -o right >/dev/null 2>&1 || exit 1\n\
             timeout 10 ./right >/dev/null 2>&1 || exit 1",
            file(compiler)
        ));
    };
    if !verdict.is_about_compiling() {
        let known = |witness: &&CTarget| witness.toolchain.compiler != Compiler::Other;
        for witness in witnesses.plain.iter().filter(known) {
            require(&witness.toolchain, &STRICT_FLAGS.map(str::to_owned));
        }
        for witness in &witnesses.sanitizers {
            require(&witness.toolchain, &witness.setting.flags);
        }
    }
    let flags = [&target.toolchain.launch.flags[..], &target.setting.flags].concat();
    let command = command_line(&target.toolchain, &flags);
    let file = file(&target.toolchain);
    let failure = match verdict {
        Verdict::CompilerCrash | Verdict::CompilerTimeout => {
            "[ $status -ne 0 ] && [ $status -ne 1 ]"
        }
        Verdict::Hang => "[ $status -eq 124 ]",
        Verdict::Crash => "[ $status -gt 128 ] && [ $status -ne 134 ]",
        Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError
        | Verdict::WrongResult => {
            "[ $status -ne 0 ] && { [ $status -lt 124 ] || [ $status -eq 134 ]; }"
        }
    };
    lines.push(match verdict.is_about_compiling() {
        true => {
            format!("timeout 60 {command} {file} -o wrong >out 2>&1\nstatus=$?\n{failure}")
        }
        false => format!(
            "{command} {file} -o wrong >/dev/null 2>&1 || exit 1\n\
             timeout 10 ./wrong >out 2>&1\nstatus=$?\n{failure}"
        ),
    });
    lines.join("\n") + "\n"
}

fn command_line(compiler: &Toolchain, flags: &[String]) -> String {
    let command = compiler.command.display().to_string();
    shell_command(std::iter::once(&command).chain(flags))
}

fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::CSetting;
    use crate::launch::Launch;

    #[test]
    fn a_source_has_to_be_right_and_miscompiled() {
        let gcc = Toolchain {
            name: "gcc".to_owned(),
            command: "gcc".into(),
            compiler: Compiler::Gcc,
            version: String::new(),
            path: "gcc".into(),
            launch: Launch::default(),
        };
        let with = |setting| CTarget { toolchain: gcc.clone(), setting };
        let target = with(CSetting::level("-O3"));
        let witnesses = Witnesses {
            plain: vec![with(CSetting::level("-O0"))],
            sanitizers: vec![with(CSetting::plain_sanitizers(Compiler::Gcc))],
        };
        let text = script("int main;", &target, Verdict::WrongResult, &witnesses);
        for part in ["gcc -O0 -Werror=return-type", "-fsanitize=undefined", "gcc -O3", "-lt 124"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(script("int main;", &target, Verdict::Hang, &witnesses).contains("-eq 124"));
        // What is never run need not be right.
        let text = script("int main;", &target, Verdict::CompilerCrash, &witnesses);
        assert!(!text.contains("-fsanitize"), "{text}");
    }
}

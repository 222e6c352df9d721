//! The last step of reduction for C: the text itself, by `cvise` or `creduce`, where one of them is
//! installed.
//!
//! They know nothing of our programs, so what they make is held to three things by a script: the
//! sanitizers of every compiler at hand have nothing to say, it is right without optimization, and
//! the compiler still gets it wrong in the same way.

use std::path::Path;
use std::time::Duration;

use pathsmith_backend_c::CSource;

use super::{COracle, CTarget, Compiler, Setting, Toolchain};
use crate::oracle::OracleError;
use crate::process::{CommandLine, End, ProcessLimits};
use crate::verdict::Verdict;
use crate::version::ask_version;

/// The tools that can do it, the better first.
const TOOLS: [&str; 2] = ["cvise", "creduce"];
/// The file that is polished.
const TEXT: &str = "test.c";
/// What says whether a text is still of interest.
const SCRIPT: &str = "interesting.sh";

/// No optimization, and errors for what is undefined and escapes sanitizers.
const NO_NONSENSE: [&str; 6] = [
    "-O0",
    "-Werror=return-type",
    "-Werror=uninitialized",
    "-Werror=implicit-function-declaration",
    "-Werror=int-conversion",
    "-Werror=incompatible-pointer-types",
];

/// What is left of the text of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polished {
    /// Who did it.
    pub tool: String,
    /// The text.
    pub text: String,
    /// The script that every version of it has passed.
    pub script: String,
}

impl COracle {
    /// Polishes the text of a program that `target` gets wrong as `verdict` says, for no longer
    /// than `time`. `None` where no tool is installed, the program is not one file, or the script
    /// does not hold for what it is given.
    ///
    /// # Errors
    /// Where a folder cannot be made, or it is stopped.
    pub fn polish(
        &mut self,
        source: &CSource,
        target: &CTarget,
        verdict: Verdict,
        n_jobs: usize,
        time: Duration,
    ) -> Result<Option<Polished>, OracleError> {
        let mut files = source.all_files();
        let (Some(file), None) = (files.next(), files.next()) else { return Ok(None) };
        let Some(tool) = self.polishing_tool()? else { return Ok(None) };
        let others = Toolchain::on_path(&self.stop)?;
        let script = script(target, verdict, &others);
        let dir = self.fresh_folder()?;
        let failed = |source| OracleError::io("cannot write to a temporary folder", source);
        std::fs::write(dir.path().join(TEXT), &file.text).map_err(failed)?;
        std::fs::write(dir.path().join(SCRIPT), &script).map_err(failed)?;
        make_executable(&dir.path().join(SCRIPT)).map_err(failed)?;
        let check = CommandLine::new("sh", dir.path()).arg(SCRIPT);
        if !self.polishing_step(&check, time)? {
            return Ok(None);
        }
        let command = CommandLine::new(&tool, dir.path())
            .args(["--n", &n_jobs.to_string()])
            .args([format!("./{SCRIPT}"), TEXT.to_owned()]);
        // Whether it came to its end or not, what it has left passes the script.
        self.polishing_step(&command, time)?;
        let text = std::fs::read_to_string(dir.path().join(TEXT)).map_err(failed)?;
        Ok(Some(Polished { tool, text, script }))
    }

    fn polishing_tool(&self) -> Result<Option<String>, OracleError> {
        for tool in TOOLS {
            match ask_version(tool, Path::new(tool), "--version", &self.stop) {
                Ok(_) => return Ok(Some(tool.to_owned())),
                Err(OracleError::Stopped) => return Err(OracleError::Stopped),
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Runs a command, and says whether it went well.
    fn polishing_step(&self, command: &CommandLine, time: Duration) -> Result<bool, OracleError> {
        let limits = ProcessLimits { time, memory: None, output: 16 << 20, files: None };
        match command.run(&limits, &self.stop) {
            Ok(ended) if ended.end == End::Stopped => Err(OracleError::Stopped),
            Ok(ended) => Ok(ended.end.is_success()),
            Err(_) => Ok(false),
        }
    }
}

/// What every version of a text has to pass.
fn script(target: &CTarget, verdict: Verdict, others: &[Toolchain]) -> String {
    let mut lines = vec![
        "#!/bin/sh".to_owned(),
        "# Ends with 0 if test.c is right and the \
         compiler gets it wrong."
            .to_owned(),
    ];
    let mut require = |compiler: &Toolchain, flags: &[String]| {
        let command = compiler.command.display();
        let flags = flags.join(" ");
        lines.push(format!(
            "{command} {flags} {TEXT} -o right >/dev/null 2>&1 || exit 1\n\
             timeout 10 ./right >/dev/null 2>&1 || exit 1"
        ));
    };
    for compiler in others.iter().filter(|other| other.compiler != Compiler::Other) {
        require(compiler, &NO_NONSENSE.map(str::to_owned));
        require(compiler, &Setting::sanitizers(compiler.compiler).flags);
    }
    let wrong = match verdict {
        Verdict::Hung => "[ $status -eq 124 ] || grep -q '^HUNG' out",
        Verdict::Crashed => "[ $status -gt 128 ] || grep -q '^CRASHED' out",
        _ => "[ $status -ne 0 ] && [ $status -lt 124 ]",
    };
    let (command, flags) = (target.toolchain.command.display(), target.flags().join(" "));
    lines.push(match verdict {
        Verdict::CompilerCrashed | Verdict::CompilerHung => format!(
            "timeout 60 {command} {flags} {TEXT} -o wrong >out 2>&1\nstatus=$?\n\
             [ $status -ne 0 ] && [ $status -ne 1 ]"
        ),
        _ => format!(
            "{command} {flags} {TEXT} -o wrong >/dev/null 2>&1 || exit 1\n\
             timeout 10 ./wrong >out 2>&1\nstatus=$?\n{wrong}"
        ),
    });
    lines.join("\n") + "\n"
}

fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_to_be_right_and_gotten_wrong() {
        let gcc = Toolchain {
            name: "gcc".to_owned(),
            command: "gcc".into(),
            compiler: Compiler::Gcc,
            version: String::new(),
        };
        let target = CTarget { toolchain: gcc.clone(), setting: Setting::level("-O3") };
        let text = script(&target, Verdict::WrongOutput, &[gcc]);
        for part in ["gcc -O0 -Werror=return-type", "-fsanitize=undefined", "gcc -O3", "-lt 124"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(script(&target, Verdict::Hung, &[]).contains("HUNG"));
    }
}

//! WebAssembly engines: Rust's panics, and what V8 says of its failed checks.

use super::Crash;
use super::normal::normalised;

/// Where an engine has panicked or failed a check, and why.
pub(crate) fn read_engine_crash(text: &str) -> Crash {
    let lines: Vec<&str> = text.lines().collect();
    let trace = panic(&lines).or_else(|| fatal_error(&lines)).unwrap_or_default();
    Crash { trace, detail: None }
}

/// `thread 'main' panicked at src/isa/x64.rs:12:5:`, and the message on the next line. Older ones
/// have it in quotes on the same line: `panicked at 'why', src/isa/x64.rs:12:5`.
fn panic(lines: &[&str]) -> Option<Vec<String>> {
    let at = lines.iter().position(|line| line.contains(" panicked at "))?;
    let (_, rest) = lines[at].split_once(" panicked at ")?;
    if let Some((message, place)) = rest.strip_prefix('\'').and_then(|it| it.rsplit_once("', ")) {
        return Some(vec![file(place), normalised(message)]);
    }
    let message = lines.get(at + 1).map(|line| normalised(line));
    Some(std::iter::once(file(rest)).chain(message.filter(|it| !it.is_empty())).collect())
}

fn file(place: &str) -> String {
    let name = place.rsplit('/').next().unwrap_or(place);
    name.split(':').next().unwrap_or(name).to_owned()
}

/// `# Fatal error in ../../src/compiler/x.cc, line 12`, and the message on the next line.
fn fatal_error(lines: &[&str]) -> Option<Vec<String>> {
    let begin = "# Fatal error in ";
    let at = lines.iter().position(|line| line.starts_with(begin))?;
    let place = lines[at].strip_prefix(begin)?.split(',').next()?.trim();
    let message = lines.get(at + 1).map(|line| normalised(line.trim_start_matches('#')));
    let place = (!place.is_empty()).then(|| file(place));
    Some(place.into_iter().chain(message.filter(|it| !it.is_empty())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_known_by_file_and_message() {
        let text = "the engine died\n\n\
            thread 'main' (4711) panicked at /home/me/.cargo/registry/src/x/cranelift-codegen-0.1.0/\
            src/machinst/lower.rs:812:17:\n\
            assertion `left == right` failed: v12 at 0x7f12\n  left: 3\n right: 4\n\
            note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        let expected = ["lower.rs", "assertion `left == right` failed: ID at N"];
        assert_eq!(read_engine_crash(text).trace, expected);
        let old = "thread '<unnamed>' panicked at 'index 12 of 3', crates/a/src/b.rs:1:2";
        assert_eq!(read_engine_crash(old).trace, ["b.rs", "index N of N"]);
    }

    #[test]
    fn failed_checks_of_v8_are_read() {
        let text = "the engine died\n\n#\n# Fatal error in ../deps/v8/src/compiler/node.cc, line 7\n\
            # Check failed: inputs == 3.\n#\n";
        assert_eq!(read_engine_crash(text).trace, ["node.cc", "Check failed: inputs == N."]);
        let text = "#\n# Fatal error in , line 0\n# unreachable code\n";
        assert_eq!(read_engine_crash(text).trace, ["unreachable code"]);
        assert_eq!(read_engine_crash("the engine died"), Crash::default());
    }
}

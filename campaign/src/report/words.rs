//! Phrases that the page and the Markdown share.

use pathsmith_oracles::{Evidence, Verdict};

use super::model::{Cluster, Specimen};

/// A number with its digits in groups of three.
pub(crate) fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 finding`, `12 findings`.
pub fn counted(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(n))
}

/// A stretch of time as people say it: `14.2 s`, `3 min 20 s`, `2 h 5 min`.
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 100.0 {
        return format!("{seconds:.1} s");
    }
    let seconds = seconds.round() as u64;
    match seconds {
        ..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// What a verdict says of a single call or compilation: what happened.
pub(super) const fn happened(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Skipped => "is skipped",
        Verdict::InfrastructureFailure => "cannot be run",
        Verdict::CompileError => "does not compile",
        Verdict::SanitizerError => "a sanitizer reports an error",
        Verdict::CompilerTimeout => "compiler timeout",
        Verdict::CompilerCrash => "internal compiler error",
        Verdict::Hang => "hangs",
        Verdict::Crash => "crashes",
        Verdict::WrongResult => "returns another result",
    }
}

/// What the target is asked to do, if no call shows what it does wrong.
pub(super) const fn task(verdict: Verdict) -> &'static str {
    if verdict.is_about_compiling() { "compiling" } else { "running" }
}

/// The expected result of a cluster's smallest finding.
pub(super) fn expected(cluster: &Cluster) -> &str {
    match (&cluster.front.expected, cluster.verdict) {
        (Some(expected), _) => expected,
        (None, verdict) if verdict.is_about_compiling() => "compiles",
        (None, _) => "runs to its end",
    }
}

/// Its actual result.
pub(super) fn actual(cluster: &Cluster) -> &str {
    match &cluster.front.actual {
        Some(actual) => actual,
        None => happened(cluster.verdict),
    }
}

/// How large the program is, and was.
pub(super) fn size(specimen: &Specimen) -> String {
    let now = counted(specimen.size, "statement");
    match specimen.original_size {
        Some(before) => format!("{now}, reduced from {}", grouped(before)),
        None => format!("{now}, not reduced"),
    }
}

/// How a command ended.
pub(super) fn ending(evidence: &Evidence) -> Option<String> {
    match (evidence.status, evidence.signal) {
        (_, Some(signal)) => Some(format!("signal {signal}{}", signal_name(signal))),
        (Some(status), None) => Some(format!("exit status {status}")),
        (None, None) => None,
    }
}

const fn signal_name(signal: i32) -> &'static str {
    match signal {
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        14 => " (SIGALRM)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// The first `most` characters of a text, and how many are left.
pub(super) fn cut(text: &str, most: usize) -> (&str, usize) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (&text[..end], text[end..].chars().count()),
        None => (text, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(counted(1, "finding"), "1 finding");
        assert_eq!(counted(10_000, "finding"), "10,000 findings");
    }

    #[test]
    fn durations() {
        assert_eq!(duration(0.04), "0.0 s");
        assert_eq!(duration(200.4), "3 min 20 s");
        assert_eq!(duration(7500.0), "2 h 5 min");
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("añb", 2), ("añ", 1));
        assert_eq!(cut("añb", 3), ("añb", 0));
    }

    #[test]
    fn signals_have_names() {
        let evidence = Evidence { signal: Some(11), ..Evidence::default() };
        assert_eq!(ending(&evidence).unwrap(), "signal 11 (SIGSEGV)");
        assert_eq!(ending(&Evidence::default()), None);
    }
}

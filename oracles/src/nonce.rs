//! Nonces: what an answer has to repeat, so that it is known to be an answer to this question. And
//! how lines are quoted that lack them.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

/// A number that is drawn for one run, or for one question, and was in no program before.
///
/// It comes from the system and not from the campaign's seed, so that nothing can foretell it. It
/// decides nothing and is recorded nowhere: findings are the same whatever it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Nonce(String);

impl Nonce {
    /// A new one: eight hexadecimal digits, since every line of an answer has it.
    pub(crate) fn new() -> Self {
        // Each state has keys of its own.
        let drawn = RandomState::new().hash_one(0);
        Self(format!("{:08x}", drawn as u32))
    }

    /// The one of requests that are kept in the folder of a finding, where a person asks.
    pub(crate) fn of_repro() -> Self {
        Self("repro".to_owned())
    }

    /// The rest of a line that begins with it.
    pub(crate) fn strip<'a>(&self, line: &'a str) -> Option<&'a str> {
        line.strip_prefix(&self.0[..])?.strip_prefix(' ')
    }

    /// It as text.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The beginning of a line that a target wrote, with everything escaped that a terminal might obey.
pub(crate) fn quoted(line: &str) -> String {
    const MAX_QUOTED: usize = 80;
    let mut chars = line.chars();
    let begin: String = chars.by_ref().take(MAX_QUOTED).collect();
    let more = if chars.next().is_some() { "…" } else { "" };
    format!("\"{}{more}\"", begin.escape_debug())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_is_another_one() {
        let drawn: BTreeSet<String> = (0..100).map(|_| Nonce::new().to_string()).collect();
        assert!(drawn.len() > 98, "{drawn:?}");
        assert!(drawn.iter().all(|nonce| nonce.len() == 8));
    }

    #[test]
    fn only_a_line_that_begins_with_it_is_an_answer() {
        let nonce = Nonce::of_repro();
        assert_eq!(nonce.strip("repro done 3"), Some("done 3"));
        assert_eq!(quoted("a\x1b[2J\"b"), "\"a\\u{1b}[2J\\\"b\"");
        for line in ["", "repro", "done 3", "reprodone 3", " repro done 3", "xrepro done 3"] {
            assert_eq!(nonce.strip(line), None, "{line}");
        }
    }
}

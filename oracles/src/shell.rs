//! Words for shells.

use std::collections::BTreeMap;

/// A word as a shell reads it.
pub fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,+:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A command line as a shell reads it.
pub fn shell_command(words: impl IntoIterator<Item: AsRef<str>>) -> String {
    let quoted = |(n, word): (usize, _)| {
        let word: &str = AsRef::as_ref(&word);
        // As the first word, this would be an assignment.
        match n == 0 && word.contains('=') && !word.contains('\'') {
            true => format!("'{word}'"),
            false => shell_quoted(word),
        }
    };
    words.into_iter().enumerate().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Lines of a script that set environment variables. A name that no shell takes is left out.
pub fn shell_exports(env: &BTreeMap<String, String>) -> String {
    let is_name = |name: &str| {
        !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let variables = env.iter().filter(|(name, _)| is_name(name));
    variables.map(|(name, value)| format!("export {name}={}\n", shell_quoted(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_stumble() {
        assert_eq!(shell_quoted("-fno-tree-vrp"), "-fno-tree-vrp");
        assert_eq!(shell_quoted("a b"), "'a b'");
        assert_eq!(shell_quoted("it's"), r"'it'\''s'");
        assert_eq!(shell_quoted(""), "''");
        assert_eq!(shell_command(["a=b", "c=d", "e f"]), "'a=b' c=d 'e f'");
    }

    /// What a shell makes of quoted words are the words.
    #[test]
    fn shells_read_what_was_meant() {
        let words =
            ["a b", "it's", "$(touch bad)", "`touch bad`", "\"", "\\", "a\nb", "*", "~", "-n", "#"];
        let script = format!("printf '%s|' {}", words.map(shell_quoted).join(" "));
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let expected: String = words.iter().map(|word| format!("{word}|")).collect();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    }
}

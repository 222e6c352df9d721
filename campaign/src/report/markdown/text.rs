//! Texts in Markdown.

use pathsmith_oracles::{is_hidden, shown_line, shown_lines};

/// A text on one line that shows as it is.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c if is_hidden(c) => out.extend(c.escape_default().flat_map(|c| match c {
                '\\' => vec!['\\', '\\'],
                c => vec![c],
            })),
            c => out.push(c),
        }
    }
    out
}

/// A text on one line that is copied as it stands, such as a title: only what would be markup
/// within it is escaped.
pub(super) fn copyable(text: &str) -> String {
    let is_markup = |c: char| matches!(c, '`' | '*' | '<' | '>' | '&' | '!' | '~');
    let line = shown_line(text);
    let escaped = line.chars().flat_map(|c| {
        let escape = is_markup(c).then_some('\\');
        escape.into_iter().chain([c])
    });
    escaped.collect()
}

/// A text as code within a line.
pub(super) fn inline(text: &str) -> String {
    let line = shown_line(text);
    let fence = "`".repeat(longest_run(&line) + 1);
    // A space at each end is taken off again.
    let needs_room = line.starts_with('`') || line.ends_with('`') || line.trim().is_empty();
    let room = if needs_room { " " } else { "" };
    format!("{fence}{room}{line}{room}{fence}")
}

/// A text as a block of code.
pub(super) fn block(syntax: &str, text: &str) -> String {
    let text = shown_lines(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}{syntax}\n{text}{end}{fence}\n")
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// A text as a part of a file's name.
pub(super) fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut slug = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    slug.truncate(60);
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_no_markup() {
        assert_eq!(plain("a_b *c* <d> | e\nf"), r"a\_b \*c\* \<d\> \| e\\nf");
        assert_eq!(plain("\x1b[2J"), r"\\u{1b}\[2J");
    }

    #[test]
    fn titles_can_be_copied() {
        let title = "[LoopVectorize] Miscompile at -O3 with x86_64";
        assert_eq!(copyable(title), title);
        assert_eq!(copyable("<img> `a`\nb"), r"\<img\> \`a\`\nb");
    }

    #[test]
    fn code_holds_backticks() {
        assert_eq!(inline("a"), "`a`");
        assert_eq!(inline("`a` ``"), "``` `a` `` ```");
        assert_eq!(block("c", "x"), "```c\nx\n```\n");
        assert_eq!(inline("a\x1bb\nc"), r"`a\u{1b}b\nc`");
        assert_eq!(block("", "a\x1b\nb"), "```\na\\u{1b}\nb\n```\n");
        assert_eq!(block("", "```\n"), "````\n```\n````\n");
    }

    #[test]
    fn slugs_are_names_of_files() {
        assert_eq!(slug("gcc: wrong result: ../tree slsr"), "gcc-wrong-result-tree-slsr");
        assert_eq!(slug(""), "");
    }
}

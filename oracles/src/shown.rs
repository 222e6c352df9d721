//! Text that others have written, as messages, reports and scripts show it.
//!
//! What targets write, and what a database says, may hold anything: sequences that terminals obey,
//! line ends that end a comment, characters that turn the direction of what follows. They are shown
//! escaped, as `\u{1b}`.

/// A text on one line: line ends and tabs are escaped too.
pub fn shown_line(text: &str) -> String {
    shown(text, |_| false)
}

/// A text that may have several lines.
pub fn shown_lines(text: &str) -> String {
    shown(text, |c| c == '\n' || c == '\t')
}

/// Whether a character does not show as itself.
pub fn is_hidden(c: char) -> bool {
    match c {
        // Marks of direction, joiners, separators of lines and paragraphs, and overrides.
        '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => true,
        _ => c.is_control(),
    }
}

fn shown(text: &str, is_kept: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_hidden(c) && !is_kept(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_show_is_escaped() {
        let text = "gcc \x1b[2J\u{9b}1m\r\n\tx \u{202e}y é";
        assert_eq!(shown_line(text), r"gcc \u{1b}[2J\u{9b}1m\r\n\tx \u{202e}y é");
        assert_eq!(shown_lines(text), "gcc \\u{1b}[2J\\u{9b}1m\\r\n\tx \\u{202e}y é");
    }
}

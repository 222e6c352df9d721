//! Labels as text: cutting them to size, and escaping them.

use super::Label;

/// How many characters of a line are shown.
const MAX_CHARS: usize = 60;
/// How many characters of a name are shown.
const MAX_NAME: usize = 32;
/// How many body lines are shown.
const MAX_LINES: usize = 12;

/// `label` with its lines cut to [`MAX_CHARS`] and its body to [`MAX_LINES`].
pub(super) fn fit(label: &Label) -> Label {
    // Leaving out a single line would save nothing.
    let shown = if label.body.len() <= MAX_LINES + 1 { label.body.len() } else { MAX_LINES };
    let mut body: Vec<String> = label.body[..shown].iter().map(|l| cut(l, MAX_CHARS)).collect();
    if shown < label.body.len() {
        body.push(format!("… {} more", label.body.len() - shown));
    }
    Label { name: cut(&label.name, MAX_NAME), body }
}

/// `line` in at most `max_chars` characters, none of them a control character.
pub(super) fn cut(line: &str, max_chars: usize) -> String {
    let clean = |c: char| if c.is_control() || is_noncharacter(c) { ' ' } else { c };
    let mut chars = line.trim_end().chars().map(clean);
    let mut text: String = chars.by_ref().take(max_chars).collect();
    if chars.next().is_some() {
        text.pop();
        text.push('…');
    }
    text
}

/// XML 1.0 has no way to write these two.
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// `text` for use between XML tags or inside a quoted attribute.
pub(super) fn xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// `text` for use inside a double-quoted DOT string.
///
/// Graphviz resolves HTML entities in labels, so `&` has to be written as one.
pub(super) fn dot(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '&' => escaped.push_str("&amp;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// The width of `text` in a monospace font of `size` pixels, whose characters are 0.6 em wide.
pub(super) fn width(text: &str, size: i32) -> i32 {
    let columns: i32 = text.chars().map(|c| if is_wide(c) { 2 } else { 1 }).sum();
    (columns * size * 6 + 9) / 10
}

/// Whether `c` takes two columns, as East Asian characters and emoji do.
fn is_wide(c: char) -> bool {
    matches!(c as u32,
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f | 0xff00..=0xff60 | 0xffe0..=0xffe6 | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_labels_stay() {
        let label = Label { name: "B1".into(), body: vec!["x = y + 1".into()] };
        assert_eq!(fit(&label), label);
    }

    #[test]
    fn long_labels_are_cut() {
        let body = (0..20).map(|i| format!("{i}{}", "é".repeat(100))).collect();
        let fitted = fit(&Label { name: "n".repeat(99), body });
        assert_eq!(fitted.name.chars().count(), MAX_NAME);
        assert_eq!(fitted.body.len(), MAX_LINES + 1);
        assert_eq!(fitted.body[12], "… 8 more");
        assert_eq!(fitted.body[3].chars().count(), MAX_CHARS);
        assert!(fitted.body[3].ends_with("é…"));
    }

    #[test]
    fn one_line_too_many_is_shown() {
        let label = Label { name: String::new(), body: vec!["x".into(); 13] };
        assert_eq!(fit(&label).body, label.body);
    }

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(cut("a\tb\u{0}c\u{ffff}d", 60), "a b c d");
        assert_eq!(cut("", 60), "");
    }

    #[test]
    fn escapes() {
        assert_eq!(xml(r#"a<b && "c'>"#), "a&lt;b &amp;&amp; &quot;c&#39;&gt;");
        assert_eq!(dot(r#"say "\n" & go"#), r#"say \"\\n\" &amp; go"#);
    }

    #[test]
    fn measures() {
        assert_eq!(width("0123456789", 12), 72);
        assert_eq!(width("日", 10), 12);
    }
}

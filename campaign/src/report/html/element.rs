//! Texts and small elements of a page.

use std::fmt::{self, Write};

use pathsmith_oracles::is_hidden;

/// A text that shows in HTML as it is, between tags or in a quoted attribute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| put_char(f, c))
    }
}

/// Writes a character so that it shows.
pub(super) fn put_char(out: &mut impl Write, c: char) -> fmt::Result {
    match c {
        '&' => out.write_str("&amp;"),
        '<' => out.write_str("&lt;"),
        '>' => out.write_str("&gt;"),
        '"' => out.write_str("&quot;"),
        '\'' => out.write_str("&#39;"),
        '\n' | '\t' => out.write_char(c),
        // Pages cannot hold control characters; Unicode has pictures of them.
        '\0'..='\x1f' => out.write_char(char::from_u32(0x2400 + c as u32).unwrap_or(' ')),
        '\x7f' => out.write_char('\u{2421}'),
        // Nor these, and those that turn the direction of what follows are better seen.
        '\u{80}'..='\u{9f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fffe}'
        | '\u{ffff}' => out.write_char('\u{fffd}'),
        c if is_hidden(c) => write!(out, "{}", c.escape_default()),
        c => out.write_char(c),
    }
}

/// Names, each set as code.
pub(super) fn code_list(names: &[String]) -> String {
    let set: Vec<String> =
        names.iter().map(|name| format!("<code>{}</code>", Text(name))).collect();
    set.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_shows_as_text() {
        let text = Text("<script>alert('&\"')</script>").to_string();
        assert_eq!(text, "&lt;script&gt;alert(&#39;&amp;&quot;&#39;)&lt;/script&gt;");
    }

    #[test]
    fn what_pages_cannot_hold_is_shown_by_something_else() {
        assert_eq!(Text("a\x1b[1m\0\n\tb\r").to_string(), "a␛[1m␀\n\tb␍");
        assert_eq!(Text("\u{202e}x\u{85}").to_string(), "\u{fffd}x\u{fffd}");
    }
}

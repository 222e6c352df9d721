//! Code with its words and comments set apart: `<b>` around keywords, `<i>` around comments.

use super::element::put_char;
use crate::report::model::Syntax;

const SYMLANG_WORDS: &[&str] = &[
    "dialect", "else", "fn", "global", "goto", "if", "main", "realize", "return", "switch", "var",
    "via",
];
const C_WORDS: &[&str] = &[
    "break", "case", "const", "continue", "default", "do", "else", "extern", "for", "goto", "if",
    "inline", "return", "static", "struct", "switch", "volatile", "while",
];
const WAT_WORDS: &[&str] = &[
    "block", "br", "br_if", "br_table", "call", "data", "else", "end", "export", "func", "global",
    "if", "import", "local", "loop", "memory", "module", "param", "result", "return", "table",
    "type",
];
const JASM_WORDS: &[&str] = &["class", "code", "field", "method", "stack_map", "super"];
const SH_WORDS: &[&str] = &["do", "done", "else", "exit", "fi", "for", "if", "then", "while"];

/// `text` as HTML.
pub(super) fn highlighted(text: &str, syntax: Syntax) -> String {
    let (comment, words) = match syntax {
        Syntax::Symlang => ("//", SYMLANG_WORDS),
        Syntax::C => ("//", C_WORDS),
        Syntax::Wat => (";;", WAT_WORDS),
        Syntax::Jasm => ("//", JASM_WORDS),
        Syntax::Sh => ("#", SH_WORDS),
    };
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.split_inclusive('\n') {
        put_line(&mut out, line, comment, words);
    }
    out
}

fn put_line(out: &mut String, line: &str, comment: &str, words: &[&str]) {
    let mut rest = line;
    let mut quote = None;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        if quote.is_none() && rest.starts_with(comment) && is_free(before, comment) {
            put_in(out, "i", rest.trim_end_matches('\n'));
            put(out, &rest[rest.trim_end_matches('\n').len()..]);
            return;
        }
        let word = match quote {
            None => &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())],
            Some(_) => "",
        };
        let len = word.len().max(c.len_utf8());
        match words.contains(&word) {
            true => put_in(out, "b", word),
            false => put(out, &rest[..len]),
        }
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c && before != '\\' => quote = None,
            _ => {}
        }
        before = rest[..len].chars().next_back().unwrap_or(' ');
        rest = &rest[len..];
    }
}

/// Whether a comment can begin after this character: `$#` of shells is none.
fn is_free(before: char, comment: &str) -> bool {
    comment != "#" || before.is_whitespace()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == '.'
}

fn put(out: &mut String, text: &str) {
    for c in text.chars() {
        // Writing to a string does not fail.
        let _ = put_char(out, c);
    }
}

fn put_in(out: &mut String, tag: &str, text: &str) {
    out.push_str(&format!("<{tag}>"));
    put(out, text);
    out.push_str(&format!("</{tag}>"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, syntax: Syntax, expected: &str) {
        assert_eq!(highlighted(text, syntax), expected);
    }

    #[test]
    fn words_and_comments() {
        let expected = "<b>if</b> (a &lt; iffy) <b>return</b>; <i>// if &amp; so</i>\nb";
        check("if (a < iffy) return; // if & so\nb", Syntax::C, expected);
        check("(local.get 0) ;; x", Syntax::Wat, "(local.get 0) <i>;; x</i>");
        check("echo $# # n", Syntax::Sh, "echo $# <i># n</i>");
    }

    #[test]
    fn nothing_is_a_comment_inside_of_a_string() {
        check(r#"f("//\"//");"#, Syntax::C, "f(&quot;//\\&quot;//&quot;);");
    }

    #[test]
    fn no_text_is_lost() {
        let text = "a\r\n\n  'unterminated // é\n\u{1f600}if";
        let tags = ["<b>", "</b>", "<i>", "</i>"];
        let mut html = highlighted(text, Syntax::C);
        tags.iter().for_each(|tag| html = html.replace(tag, ""));
        assert_eq!(html, text.replace('\r', "␍").replace('\'', "&#39;"));
    }
}

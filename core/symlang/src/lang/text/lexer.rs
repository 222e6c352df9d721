//! Text to tokens.

use super::error::{Problem, Span};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'s> {
    /// A name or keyword.
    Name(&'s str),
    /// A number with whatever letters follow it; a fraction and the sign of an exponent belong to
    /// it.
    Number(&'s str),
    /// The name of a hole, without its `?`.
    Hole(&'s str),
    /// A symbol.
    Symbol(&'static str),
    /// A line about the program, `//! …`.
    ProgramDoc(&'s str),
    /// A line about a function, `/// …`.
    FunctionDoc(&'s str),
    /// The end of the text.
    End,
}

/// The symbol that a text begins with, the longest one that fits.
fn symbol(text: &[u8]) -> Option<&'static str> {
    Some(match text {
        [b'-', b'>', ..] => "->",
        [b'<', b'<', ..] => "<<",
        [b'>', b'>', ..] => ">>",
        [b'=', b'=', ..] => "==",
        [b'!', b'=', ..] => "!=",
        [b'<', b'=', ..] => "<=",
        [b'>', b'=', ..] => ">=",
        [b'(', ..] => "(",
        [b')', ..] => ")",
        [b'{', ..] => "{",
        [b'}', ..] => "}",
        [b'[', ..] => "[",
        [b']', ..] => "]",
        [b',', ..] => ",",
        [b';', ..] => ";",
        [b':', ..] => ":",
        [b'=', ..] => "=",
        [b'+', ..] => "+",
        [b'-', ..] => "-",
        [b'*', ..] => "*",
        [b'/', ..] => "/",
        [b'%', ..] => "%",
        [b'&', ..] => "&",
        [b'|', ..] => "|",
        [b'^', ..] => "^",
        [b'~', ..] => "~",
        [b'<', ..] => "<",
        [b'>', ..] => ">",
        _ => return None,
    })
}

/// Gives the tokens of a text one by one.
#[derive(Debug)]
pub(super) struct Lexer<'s> {
    text: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    pub(super) fn new(text: &'s str) -> Self {
        Self { text, at: 0 }
    }

    /// The next token, or what is there instead; the lexer then stands behind either.
    pub(super) fn next(&mut self) -> Result<(Token<'s>, Span), Problem> {
        loop {
            self.skip(char::is_whitespace);
            let rest = &self.text[self.at..];
            if !rest.starts_with("//") {
                break;
            }
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            let start = self.at;
            self.at += line.len();
            let line = line.strip_suffix('\r').unwrap_or(line);
            let span = Span { start, end: start + line.len() };
            let text_of = |doc: &'s str| doc.strip_prefix(' ').unwrap_or(doc);
            if let Some(doc) = line.strip_prefix("//!") {
                return Ok((Token::ProgramDoc(text_of(doc)), span));
            }
            if let Some(doc) = line.strip_prefix("///").filter(|doc| !doc.starts_with('/')) {
                return Ok((Token::FunctionDoc(text_of(doc)), span));
            }
        }
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return Ok((Token::End, Span { start, end: start }));
        };
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let token = if first.is_ascii_digit() {
            self.at += number_length(rest.as_bytes());
            Token::Number(&self.text[start..self.at])
        } else if is_word(first) {
            self.skip(is_word);
            Token::Name(&self.text[start..self.at])
        } else if first == '?' {
            self.at += 1;
            self.skip(is_word);
            Token::Hole(&self.text[start + 1..self.at])
        } else if let Some(symbol) = symbol(rest.as_bytes()) {
            self.at += symbol.len();
            Token::Symbol(symbol)
        } else {
            self.at += first.len_utf8();
            // One problem for all that follow it.
            self.skip(|c| !is_word(c) && !c.is_whitespace() && c != '?' && !begins_symbol(c));
            let span = Span { start, end: self.at };
            return Err(Problem::new(span, format!("unexpected character {first:?}"))
                .with_label("not part of the language"));
        };
        Ok((token, Span { start, end: self.at }))
    }

    /// Whether a line ends between two places.
    pub(super) fn ends_line(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|between| between.contains('\n'))
    }

    /// Whether `symbol` comes next, with nothing but white space before it.
    pub(super) fn next_is(&self, symbol: &str) -> bool {
        self.text[self.at..].trim_start().starts_with(symbol)
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.find(|c| !wanted(c)).unwrap_or(rest.len());
    }
}

/// How many bytes belong to the number that `text` begins with.
fn number_length(text: &[u8]) -> usize {
    let exponent: &[u8] = if text.starts_with(b"0x") { b"pP" } else { b"eE" };
    let is_digit_at = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is_hex_at = |at: usize| text.get(at).is_some_and(u8::is_ascii_hexdigit);
    let (mut at, mut has_point, mut has_exponent) = (0, false, false);
    while let Some(&byte) = text.get(at) {
        at += match byte {
            b'.' if !has_point && !has_exponent && (is_digit_at(at + 1) || is_hex_at(at + 1)) => {
                has_point = true;
                1
            }
            _ if exponent.contains(&byte) && !has_exponent => {
                has_exponent = true;
                match text.get(at + 1) {
                    Some(b'+' | b'-') if is_digit_at(at + 2) => 2,
                    _ => 1,
                }
            }
            _ if byte.is_ascii_alphanumeric() || byte == b'_' => 1,
            _ => break,
        };
    }
    at
}

/// Whether a symbol begins with `c`.
fn begins_symbol(c: char) -> bool {
    c.is_ascii() && (c == '!' || symbol(&[c as u8]).is_some())
}

impl Token<'_> {
    /// The token as errors call it.
    pub(super) fn describe(self) -> String {
        match self {
            Self::Name(text) | Self::Number(text) => format!("`{}`", clip(text)),
            Self::Hole(name) => format!("`?{}`", clip(name)),
            Self::Symbol(symbol) => format!("`{symbol}`"),
            Self::ProgramDoc(_) => "a `//!` line".to_owned(),
            Self::FunctionDoc(_) => "a `///` line".to_owned(),
            Self::End => "the end of the text".to_owned(),
        }
    }
}

/// The beginning of a text, short enough for a message. Names and numbers are ASCII.
pub(super) fn clip(text: &str) -> String {
    match text.get(..40) {
        Some(start) if text.len() > 40 => format!("{start}…"),
        _ => text.to_owned(),
    }
}

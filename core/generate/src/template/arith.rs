//! Numbers that templates compute from the numbers that they drew.

use std::collections::BTreeMap;

use pathsmith_symlang::lang::text::{Problem, Span};

/// A computation on whole numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arith {
    Number(i64),
    /// A number that was drawn or computed before.
    Name(String, Span),
    Binary(char, Box<Self>, Box<Self>),
}

impl Arith {
    /// Reads a computation; `at` is where it stands in its file.
    pub(super) fn parse(text: &str, at: usize) -> Result<Self, Problem> {
        let mut reader = Reader { text, next: 0, at };
        let value = reader.sum()?;
        reader.skip_space();
        match reader.next == text.len() {
            true => Ok(value),
            false => Err(reader.unexpected("an operator or the end")),
        }
    }

    /// The names that it takes numbers from.
    pub(super) fn names(&self) -> Vec<(&str, Span)> {
        match self {
            Self::Number(_) => Vec::new(),
            Self::Name(name, span) => vec![(name, *span)],
            Self::Binary(_, a, b) => [a.names(), b.names()].concat(),
        }
    }

    /// The number; nothing if a name has none, or if it cannot be computed.
    pub(super) fn evaluate(&self, numbers: &BTreeMap<&str, i64>) -> Option<i64> {
        match self {
            Self::Number(value) => Some(*value),
            Self::Name(name, _) => numbers.get(&name[..]).copied(),
            Self::Binary(op, a, b) => {
                let (a, b) = (a.evaluate(numbers)?, b.evaluate(numbers)?);
                match op {
                    '+' => a.checked_add(b),
                    '-' => a.checked_sub(b),
                    '*' => a.checked_mul(b),
                    '/' => a.checked_div(b),
                    _ => a.checked_rem(b),
                }
            }
        }
    }
}

struct Reader<'s> {
    text: &'s str,
    next: usize,
    at: usize,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        self.next = self.text.len() - self.text[self.next..].trim_start().len();
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.text[self.next..].chars().next()
    }

    fn sum(&mut self) -> Result<Arith, Problem> {
        let mut value = self.product()?;
        while let Some(op @ ('+' | '-')) = self.peek() {
            self.next += 1;
            value = Arith::Binary(op, Box::new(value), Box::new(self.product()?));
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Arith, Problem> {
        let mut value = self.operand()?;
        while let Some(op @ ('*' | '/' | '%')) = self.peek() {
            self.next += 1;
            value = Arith::Binary(op, Box::new(value), Box::new(self.operand()?));
        }
        Ok(value)
    }

    fn operand(&mut self) -> Result<Arith, Problem> {
        match self.peek() {
            Some('(') => {
                self.next += 1;
                let value = self.sum()?;
                if self.peek() != Some(')') {
                    return Err(self.unexpected("`)`"));
                }
                self.next += 1;
                Ok(value)
            }
            Some('-') => {
                self.next += 1;
                let operand = self.operand()?;
                Ok(Arith::Binary('-', Box::new(Arith::Number(0)), Box::new(operand)))
            }
            Some('$') => {
                let start = self.next;
                self.next += 1;
                let name = self.word();
                let span = Span { start: self.at + start, end: self.at + self.next };
                match name.is_empty() {
                    true => Err(self.unexpected("a name behind `$`")),
                    false => Ok(Arith::Name(name, span)),
                }
            }
            Some('0'..='9') => {
                let start = self.next;
                let digits = self.word();
                digits.parse().map(Arith::Number).map_err(|_| {
                    self.next = start;
                    self.unexpected("a number that fits in 64 bits")
                })
            }
            _ => Err(self.unexpected("a number, `$NAME` or `(`")),
        }
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.next..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.next += word.len();
        word.to_owned()
    }

    fn unexpected(&mut self, expected: &str) -> Problem {
        self.skip_space();
        let found = self.text[self.next..].chars().next();
        let end = self.next + found.map_or(0, char::len_utf8);
        let span = Span { start: self.at + self.next, end: self.at + end };
        let message = match found {
            Some(found) => format!("unexpected `{found}`"),
            None => "the computation ends too soon".to_owned(),
        };
        Problem::new(span, message).with_label(format!("expected {expected}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<i64> {
        Arith::parse(text, 0).unwrap().evaluate(&BTreeMap::from([("N", 7), ("S", 3)]))
    }

    #[test]
    fn numbers_are_computed_by_precedence() {
        assert_eq!(value("$N + 2 * $S"), Some(13));
        assert_eq!(value("($N - 1) / $S % 2"), Some(0));
        assert_eq!(value("-$S + 1"), Some(-2));
        assert_eq!(value("$M"), None);
        assert_eq!(value("1 / ($N - 7)"), None);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let problem = Arith::parse("$N + ", 10).unwrap_err();
        assert_eq!(
            (problem.message(), problem.span().start),
            ("the computation ends too soon", 15)
        );
        let problem = Arith::parse("2 ! 3", 10).unwrap_err();
        assert_eq!((problem.message(), problem.span().start), ("unexpected `!`", 12));
    }
}

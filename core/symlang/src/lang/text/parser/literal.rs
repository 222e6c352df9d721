//! Literals: integers, and floating-point numbers, which have a fraction, an exponent or a name.

use super::{Parsed, Parser, Problem, Span};
use crate::lang::names::NAMED_NUMBERS;
use crate::lang::text::lexer::{Token, clip};
use crate::lang::{FloatError, FloatTy, Scalar, ScalarTy};

/// A literal.
pub(super) struct Literal<'s> {
    pub(super) number: Number,
    /// The letters behind it.
    pub(super) suffix: &'s str,
}

/// What a literal stands for, with its sign.
pub(super) enum Number {
    /// The sign of a zero counts where a floating-point number is asked for.
    Int { magnitude: i128, is_negative: bool },
    /// What [`FloatTy::parse`] reads.
    Float(String),
}

impl<'s> Parser<'s> {
    /// The text of the literal that is next, if one is: a number, or the name of one.
    pub(super) fn literal(&self) -> Option<&'s str> {
        match self.token {
            Token::Number(text) => Some(text),
            Token::Name(name) if is_named_number(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn in_range(&mut self, number: &Number, ty: ScalarTy, span: Span) -> Parsed<Scalar> {
        let (int, value) = match (ty, number) {
            (ScalarTy::Int(int), Number::Int { magnitude, is_negative }) => {
                (int, if *is_negative { -magnitude } else { *magnitude })
            }
            (ScalarTy::Int(_), Number::Float(text)) => {
                let message = format!("`{}` is not a value of type {ty}", clip(text));
                return Err(self.stop(
                    Problem::new(span, message)
                        .with_label("expected an integer")
                        .with_rule("value-out-of-range"),
                ));
            }
            (ScalarTy::Float(float), Number::Int { magnitude, is_negative }) => {
                let sign = if *is_negative { "-" } else { "" };
                return self.float(float, &format!("{sign}{magnitude}"), span);
            }
            (ScalarTy::Float(float), Number::Float(text)) => return self.float(float, text, span),
        };
        let Some(word) = int.from_wide(value) else {
            let (min, max) = (int.to_wide(int.min()), int.to_wide(int.max()));
            return Err(self.stop(
                Problem::new(span, format!("{value} is not a value of type {ty}"))
                    .with_label(format!("expected a number from {min} to {max}"))
                    .with_rule("value-out-of-range"),
            ));
        };
        Ok(Scalar::new(ty, word))
    }

    fn float(&mut self, ty: FloatTy, text: &str, span: Span) -> Parsed<Scalar> {
        let error = match ty.parse(text) {
            Ok(word) => return Ok(Scalar::new(ty, word)),
            Err(error) => error,
        };
        let text = clip(text);
        let (message, label, rule) = match error {
            FloatError::NotANumber => {
                let label = "expected a number such as 1.5, 2e-3, 0x1.8p3, inf or nan".to_owned();
                (format!("`{text}` is not a number"), label, None)
            }
            FloatError::TooLarge => {
                let largest = Scalar::new(ty, ty.infinity() - 1);
                let label = format!("expected at most {largest}, or inf");
                (format!("{text} is not a value of type {ty}"), label, Some("value-out-of-range"))
            }
            FloatError::NotExact => {
                let label = format!("expected a number with at most {} bits", ty.precision());
                (format!("{text} is not a value of type {ty}"), label, Some("value-out-of-range"))
            }
        };
        let problem = Problem::new(span, message).with_label(label);
        Err(self.stop(match rule {
            Some(rule) => problem.with_rule(rule),
            None => problem,
        }))
    }

    /// The value of a literal, and the letters behind it.
    pub(super) fn number(
        &mut self,
        text: &'s str,
        negative: bool,
        span: Span,
    ) -> Parsed<Literal<'s>> {
        if let Some((body, suffix)) = split_float(text) {
            let sign = if negative { "-" } else { "" };
            return Ok(Literal { number: Number::Float(format!("{sign}{body}")), suffix });
        }
        let (digits, radix) = match text.strip_prefix("0x") {
            Some(hex) => (hex, 16),
            None => (text, 10),
        };
        let split = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
        let (digits, suffix) = digits.split_at(split);
        match i128::from_str_radix(digits, radix) {
            Ok(magnitude) => {
                Ok(Literal { number: Number::Int { magnitude, is_negative: negative }, suffix })
            }
            Err(_) => {
                let message = format!("`{}` is not a number that fits in 64 bits", clip(text));
                Err(self.stop(Problem::new(span, message).with_label("expected a number")))
            }
        }
    }
}

/// Whether `name` is `nan` or `inf`, perhaps with a type behind it.
pub(super) fn is_named_number(name: &str) -> bool {
    NAMED_NUMBERS.contains(&name)
}

/// The number in a literal that is no integer, and its suffix.
fn split_float(text: &str) -> Option<(&str, &str)> {
    if is_named_number(text) {
        return Some(text.split_at("nan".len()));
    }
    let (digits_at, radix, exponent) = match text.strip_prefix("0x") {
        Some(_) => (2, 16, ['p', 'P']),
        None => (0, 10, ['e', 'E']),
    };
    let digits = &text[digits_at..];
    let mantissa = digits.find(|c: char| !c.is_digit(radix) && c != '.').unwrap_or(digits.len());
    let rest = &digits[mantissa..];
    let power = match rest.strip_prefix(exponent) {
        Some(power) => {
            let unsigned = power.strip_prefix(['+', '-']).unwrap_or(power);
            let n_digits = unsigned.find(|c: char| !c.is_ascii_digit()).unwrap_or(unsigned.len());
            if n_digits == 0 { 0 } else { rest.len() - unsigned.len() + n_digits }
        }
        None => 0,
    };
    let is_float = power > 0 || digits[..mantissa].contains('.');
    is_float.then(|| text.split_at(digits_at + mantissa + power))
}

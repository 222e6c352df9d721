//! From a template to the text of a program: what is drawn is put in, holes get their numbers.

use std::collections::BTreeMap;

use super::choices::Trips;
use super::file::{Statement, Template};
use super::options::TemplateOptions;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::text::{Problem, SourceErrors, Span};

/// The text of a program that a template was expanded to.
pub(super) struct Expanded {
    pub(super) text: String,
    /// Parts of the text, in order: where each begins, and where it comes from in the template.
    origins: Vec<(usize, usize)>,
    /// What was drawn for parameters, by name, and where that is said.
    pub(super) inputs: Vec<(String, i64, Span)>,
}

/// The largest array that a template can ask for.
const MAX_LEN: i64 = 4096;

impl Expanded {
    /// Draws everything that the header of `template` says, and expands its function.
    pub(super) fn draw(
        template: &Template,
        options: &TemplateOptions,
        rng: &mut Rng,
    ) -> Result<Self, SourceErrors> {
        let trips = Trips { long_share: options.long_share, max: options.max_trip };
        let mut drawn: BTreeMap<&str, String> = BTreeMap::new();
        let mut numbers: BTreeMap<&str, i64> = BTreeMap::new();
        let mut inputs = Vec::new();
        let no_number = |what: &str, span: Span| {
            let message = format!("`{what}` cannot be computed from what was drawn");
            let problem = Problem::new(span, message);
            template.errors(vec![problem.with_label("expected numbers, and no division by 0")])
        };
        for statement in &template.header {
            match statement {
                Statement::Let(name, choices) => {
                    let text = choices[choose_below(choices.len(), rng)].draw(trips, rng);
                    if let Ok(number) = text.parse() {
                        numbers.insert(name, number);
                    }
                    drawn.insert(name, text);
                }
                Statement::Def(name, value) => {
                    let spans = value.names();
                    let span = spans.first().map_or(Span::default(), |(_, span)| *span);
                    let number = value.evaluate(&numbers).ok_or_else(|| no_number(name, span))?;
                    numbers.insert(name, number);
                    drawn.insert(name, number.to_string());
                }
                Statement::Input(name, value, span) => {
                    let number = value.evaluate(&numbers).ok_or_else(|| no_number(name, *span))?;
                    inputs.push((name.clone(), number, *span));
                }
            }
        }
        let mut expander = Expander {
            source: &template.text,
            drawn: &drawn,
            text: String::with_capacity(2 * template.text.len()),
            origins: Vec::new(),
            n_holes: 0,
        };
        expander
            .expand(template.body, template.text.len())
            .map_err(|problem| template.errors(vec![problem]))?;
        Ok(Self { text: expander.text, origins: expander.origins, inputs })
    }

    /// Where something in the text comes from.
    pub(super) fn origin(&self, span: Span) -> Span {
        let at = |position: usize| {
            let part = self.origins.partition_point(|(start, _)| *start <= position);
            match part.checked_sub(1).map(|part| (part, self.origins[part])) {
                Some((part, (start, origin))) => {
                    // What was put in comes from one place, however long it is.
                    let next = self.origins.get(part + 1).map_or(usize::MAX, |(_, next)| *next);
                    (origin + (position - start)).min(next.max(origin))
                }
                None => 0,
            }
        };
        let start = at(span.start);
        Span { start, end: at(span.end).max(start) }
    }
}

impl Template {
    pub(super) fn errors(&self, problems: Vec<Problem>) -> SourceErrors {
        SourceErrors::new(self.name(), &self.text, problems)
    }
}

struct Expander<'a> {
    source: &'a str,
    drawn: &'a BTreeMap<&'a str, String>,
    text: String,
    origins: Vec<(usize, usize)>,
    n_holes: usize,
}

impl Expander<'_> {
    /// Expands what is between two positions of the source.
    fn expand(&mut self, mut at: usize, end: usize) -> Result<(), Problem> {
        while at < end {
            let rest = &self.source[at..end];
            self.origins.push((self.text.len(), at));
            if rest.starts_with("//") {
                at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with('$') {
                at = self.name(at, end)?;
            } else if let Some(len) = rest.strip_prefix("[?;").and_then(|rest| rest.find(']')) {
                let inner = at + "[?;".len();
                self.array(inner, inner + len)?;
                at = inner + len + 1;
            } else if rest.starts_with('?') {
                self.hole();
                at += 1;
            } else {
                let special = |c: char| matches!(c, '$' | '?' | '[' | '/');
                let first = rest.chars().next().map_or(1, char::len_utf8);
                let len = rest[first..].find(special).map_or(rest.len(), |len| len + first);
                self.text.push_str(&rest[..len]);
                at += len;
            }
        }
        self.origins.push((self.text.len(), end));
        Ok(())
    }

    fn hole(&mut self) {
        self.text.push_str(&format!("?s{}", self.n_holes));
        self.n_holes += 1;
    }

    /// `$NAME`, or `$NAME(a, b)` where the name is an operator.
    fn name(&mut self, at: usize, end: usize) -> Result<usize, Problem> {
        let rest = &self.source[at + 1..end];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        let behind = at + 1 + name.len();
        let span = Span { start: at, end: behind };
        let Some(value) = self.drawn.get(name) else {
            let message = format!("there is no `{name}` in the header");
            return Err(Problem::new(span, message).with_label("expected a name that is drawn"));
        };
        let is_symbol = !value.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && !value[1..].starts_with(|c: char| c.is_ascii_digit());
        if !is_symbol {
            self.text.push_str(value);
            return Ok(behind);
        }
        let args =
            self.source[behind..end].starts_with('(').then(|| arguments(self.source, behind, end));
        let args = match args {
            Some(Some(args)) if (2..=3).contains(&args.len()) => args,
            _ => {
                let message = format!("the operator `{name}` has no operands");
                let label = format!("expected `${name}(a)` or `${name}(a, b)`");
                return Err(Problem::new(span, message).with_label(label));
            }
        };
        // `args` are the positions of the brackets and commas.
        self.text.push('(');
        for (nth, ends) in args.windows(2).enumerate() {
            if nth == 1 || args.len() == 2 {
                self.text.push_str(value);
            }
            self.text.push('(');
            self.expand(ends[0] + 1, ends[1])?;
            self.text.push(')');
        }
        self.text.push(')');
        Ok(args[args.len() - 1] + 1)
    }

    /// `[?; N]`: an array of so many holes; what is between the positions is `N`.
    fn array(&mut self, start: usize, end: usize) -> Result<(), Problem> {
        let before = self.text.len();
        self.expand(start, end)?;
        let len: Option<i64> = self.text[before..].trim().parse().ok();
        self.text.truncate(before);
        self.origins.retain(|(at, _)| *at <= before);
        let Some(len) = len.filter(|len| (1..=MAX_LEN).contains(len)) else {
            let message = "an array has a number of elements";
            let label = format!("expected a number from 1 to {MAX_LEN}");
            return Err(Problem::new(Span { start, end }, message).with_label(label));
        };
        self.text.push('[');
        for nth in 0..len {
            if nth > 0 {
                self.text.push_str(", ");
            }
            self.hole();
        }
        self.text.push(']');
        Ok(())
    }
}

/// The positions of the bracket at `open`, of the commas that separate arguments, and of the
/// bracket that closes them.
fn arguments(source: &str, open: usize, end: usize) -> Option<Vec<usize>> {
    let mut depth = 0;
    let mut ends = vec![open];
    for (offset, c) in source[open..end].char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 1 => ends.push(open + offset),
            _ => {}
        }
        if depth == 0 {
            ends.push(open + offset);
            return Some(ends);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(source: &str) -> Result<String, String> {
        let drawn =
            [("T", "u16"), ("OP", "<<"), ("F", "min"), ("N", "-3"), ("LEN", "3"), ("U", "~")];
        let drawn = drawn.into_iter().map(|(name, text)| (name, text.to_owned())).collect();
        let mut expander = Expander {
            source,
            drawn: &drawn,
            text: String::new(),
            origins: Vec::new(),
            n_holes: 0,
        };
        match expander.expand(0, source.len()) {
            Ok(()) => Ok(expander.text),
            Err(problem) => Err(format!("{}: {problem}", problem.span().start)),
        }
    }

    #[test]
    fn what_is_drawn_is_put_in() {
        assert_eq!(expanded("x: $T = $T(y) * $N;").unwrap(), "x: u16 = u16(y) * -3;");
        assert_eq!(expanded("$OP(a[i], $F(b, 1))").unwrap(), "((a[i])<<( min(b, 1)))");
        assert_eq!(expanded("$U(a + ?)").unwrap(), "(~(a + ?s0))");
        assert_eq!(
            expanded("[$T; $LEN] = [?; $LEN]; ?").unwrap(),
            "[u16; 3] = [?s0, ?s1, ?s2]; ?s3"
        );
        assert_eq!(expanded("a // $X\nb").unwrap(), "a \nb");
    }

    #[test]
    fn what_cannot_be_put_in_is_said() {
        assert_eq!(expanded("a $X").unwrap_err(), "2: there is no `X` in the header");
        assert_eq!(expanded("a $OP b").unwrap_err(), "2: the operator `OP` has no operands");
        assert_eq!(expanded("[?; $T]").unwrap_err(), "3: an array has a number of elements");
    }
}

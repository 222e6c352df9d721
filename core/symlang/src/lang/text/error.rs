//! What is wrong with a source text, and where.

use std::fmt;
use std::sync::Arc;

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents,
};

/// A range of bytes in a source text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

impl Span {
    /// The range from the beginning of this one to the end of `last`.
    pub fn to(self, last: Self) -> Self {
        Self { start: self.start, end: last.end.max(self.start) }
    }
}

/// One thing that is wrong with a source text.
#[derive(Clone, Debug)]
pub struct Problem {
    span: Span,
    message: String,
    label: Option<String>,
    help: Option<String>,
    rule: &'static str,
    source: Option<Arc<Source>>,
}

impl Problem {
    /// Something wrong at `span`.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            label: None,
            help: None,
            rule: "syntax",
            source: None,
        }
    }

    /// Adds what to say right at the place, such as what was expected.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Names the rule that is broken.
    #[must_use]
    pub fn with_rule(mut self, rule: &'static str) -> Self {
        self.rule = rule;
        self
    }

    /// Says that it is somewhere else, as in the text that the source was made from.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The rule that is broken; `syntax` where the text does not follow the grammar.
    pub fn rule(&self) -> &'static str {
        self.rule
    }

    /// Where in the text.
    pub fn span(&self) -> Span {
        self.span
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.rule))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|source| &**source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let source = self.source.as_ref()?;
        let label = self.label.clone().unwrap_or_else(|| "here".to_owned());
        let span = source.visible(self.span);
        Some(Box::new(std::iter::once(LabeledSpan::new_primary_with_span(Some(label), span))))
    }
}

/// Everything that is wrong with a source text.
#[derive(Clone, Debug)]
pub struct SourceErrors {
    name: String,
    problems: Vec<Problem>,
    has_more: bool,
}

/// More problems than this help nobody.
const MAX_SHOWN: usize = 20;

impl SourceErrors {
    /// What is wrong with `text`, which `name` is the name of.
    pub fn new(name: &str, text: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.span.start);
        let has_more = problems.len() > MAX_SHOWN;
        problems.truncate(MAX_SHOWN);
        if !text.is_empty() {
            let source = Arc::new(Source::new(name, text));
            for problem in &mut problems {
                problem.source = Some(Arc::clone(&source));
            }
        }
        Self { name: name.to_owned(), problems, has_more }
    }

    /// The problems, in order of their place; at most the first twenty.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for SourceErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.problems[..], self.has_more) {
            ([_], false) => write!(f, "{}: one problem", self.name),
            (shown, false) => write!(f, "{}: {} problems", self.name, shown.len()),
            (shown, true) => write!(f, "{}: more than {} problems", self.name, shown.len()),
        }
    }
}

impl std::error::Error for SourceErrors {}

impl Diagnostic for SourceErrors {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|problem| problem as &dyn Diagnostic)))
    }
}

/// A source text, as errors show it: control characters are replaced, long lines cut.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
}

/// How much of a line is shown, in bytes.
const MAX_LINE: usize = 160;

impl Source {
    fn new(name: &str, text: &str) -> Self {
        let is_hidden = |c: char| c.is_ascii_control() && c != '\n' && c != '\t';
        // One byte for one byte, so that spans stay right.
        let text = text.replace(is_hidden, "?");
        Self { name: name.to_owned(), text }
    }

    /// The part of `span` that fits on its first line as it is shown.
    fn visible(&self, span: Span) -> SourceSpan {
        let start = self.text.floor_char_boundary(span.start.min(self.text.len()));
        let end = self.text.floor_char_boundary(span.end.clamp(start, self.text.len()));
        let line = self.text[start..end].lines().next().unwrap_or("");
        let shown = line.floor_char_boundary(MAX_LINE / 2);
        (start, shown).into()
    }
}

impl SourceCode for Source {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let contents = self.text.read_span(span, lines_before, lines_after)?;
        let start = contents.span().offset();
        let text = &self.text[start..start + contents.span().len()];
        if text.lines().all(|line| line.len() <= MAX_LINE) {
            return Ok(Box::new(MietteSpanContents::new_named(
                self.name.clone(),
                contents.data(),
                *contents.span(),
                contents.line(),
                contents.column(),
                contents.line_count(),
            )));
        }
        // A window on the one line that matters.
        let at = self.text.floor_char_boundary(span.offset());
        let line_start = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = self.text[at..].find('\n').map_or(self.text.len(), |newline| at + newline);
        let start = if lines_before == 0 && lines_after == 0 {
            at
        } else {
            self.text.floor_char_boundary(at.saturating_sub(MAX_LINE / 2)).max(line_start)
        };
        let end = self.text.floor_char_boundary((start + MAX_LINE).min(line_end)).max(at);
        let line = self.text[..line_start].matches('\n').count();
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            &self.text.as_bytes()[start..end],
            (start, end - start).into(),
            line,
            start - line_start,
            1,
        )))
    }
}

//! The files of templates: a header that says what is drawn, and a function.

use std::collections::BTreeSet;

use super::arith::Arith;
use super::choices::Choice;
use pathsmith_symlang::lang::text::{Problem, SourceErrors, Span};

/// A template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    name: String,
    about: String,
    origin: String,
    class: String,
    pub(super) text: String,
    /// Where the function begins.
    pub(super) body: usize,
    pub(super) header: Vec<Statement>,
}

/// A statement of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// Draws one of these.
    Let(String, Vec<Choice>),
    /// Computes a number.
    Def(String, Arith),
    /// What a parameter is in the first realization.
    Input(String, Arith, Span),
}

impl Template {
    /// Reads a template without trying it; `name` is that of its file, without the extension.
    ///
    /// # Errors
    /// What is wrong with its header.
    pub(super) fn read(name: &str, text: &str) -> Result<Self, SourceErrors> {
        let errors = |problem| SourceErrors::new(name, text, vec![problem]);
        Reader::new(name, text).template().map_err(errors)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in a sentence.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Where it comes from: a class of optimizations, or a bug that was reported.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The class that it belongs to.
    pub fn class(&self) -> &str {
        &self.class
    }
}

struct Reader<'s> {
    name: &'s str,
    text: &'s str,
    at: usize,
}

impl<'s> Reader<'s> {
    fn new(name: &'s str, text: &'s str) -> Self {
        Self { name, text, at: 0 }
    }

    fn template(mut self) -> Result<Template, Problem> {
        let (about, origin) = self.docs()?;
        let mut class = None;
        let mut header = Vec::new();
        let mut names = BTreeSet::new();
        loop {
            self.skip_space();
            let rest = &self.text[self.at..];
            if rest.starts_with("fn ") {
                break;
            }
            let start = self.at;
            let keyword = self.word();
            let span = Span { start, end: self.at };
            match keyword {
                "class" => class = Some(self.statement()?.0.trim().to_owned()),
                "let" => {
                    let (name, value, at) = self.definition(&mut names)?;
                    header.push(Statement::Let(name, choices(value, at)?));
                }
                "def" => {
                    let (name, value, at) = self.definition(&mut BTreeSet::new())?;
                    header.push(Statement::Def(name.clone(), self.computation(value, at, &names)?));
                    names.insert(name);
                }
                "input" => {
                    let (name, value, at) = self.definition(&mut BTreeSet::new())?;
                    header.push(Statement::Input(name, self.computation(value, at, &names)?, span));
                }
                _ => {
                    let found = match keyword.is_empty() {
                        true => {
                            rest.chars().next().map_or("the end".to_owned(), |c| format!("`{c}`"))
                        }
                        false => format!("`{keyword}`"),
                    };
                    let expected = "expected `class`, `let`, `def`, `input` or `fn`";
                    return Err(
                        Problem::new(span, format!("unexpected {found}")).with_label(expected)
                    );
                }
            }
        }
        let span = Span { start: self.at, end: self.at + "fn".len() };
        let class = class.ok_or_else(|| {
            Problem::new(span, "the template says no class")
                .with_label("expected `class NAME;` before the function")
        })?;
        let function = self.text[self.at + "fn ".len()..].split('(').next().unwrap_or("").trim();
        if function != self.name {
            let message =
                format!("the function is called `{function}`, but the file `{}`", self.name);
            return Err(Problem::new(span, message).with_label("expected the same name"));
        }
        Ok(Template {
            name: self.name.to_owned(),
            about,
            origin,
            class,
            text: self.text.to_owned(),
            body: self.at,
            header,
        })
    }

    /// What the template is, and where it comes from: the lines that begin with `//!`.
    fn docs(&mut self) -> Result<(String, String), Problem> {
        let (mut about, mut origin) = (String::new(), String::new());
        for line in self.text.lines() {
            let Some(line) = line.trim().strip_prefix("//!").map(str::trim) else { break };
            let part = match line.strip_prefix("origin:") {
                Some(first) => {
                    origin = first.trim().to_owned();
                    continue;
                }
                None if origin.is_empty() => &mut about,
                None => &mut origin,
            };
            if !part.is_empty() {
                part.push(' ');
            }
            part.push_str(line);
        }
        let span = Span { start: 0, end: self.text.lines().next().unwrap_or("").len() };
        let missing = |what: &str, expected: &str| {
            Err(Problem::new(span, format!("the template does not say {what}"))
                .with_label(expected))
        };
        match (about.is_empty(), origin.is_empty()) {
            (true, _) => missing("what it is", "expected `//! …` in the first line"),
            (_, true) => missing("where it comes from", "expected a line `//! origin: …`"),
            (false, false) => Ok((about, origin)),
        }
    }

    /// Skips white space and comments, those that were read already included.
    fn skip_space(&mut self) {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with("//") {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn word(&mut self) -> &'s str {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    /// What stands before the next `;`, and where it begins.
    fn statement(&mut self) -> Result<(&'s str, usize), Problem> {
        let (start, rest) = (self.at, &self.text[self.at..]);
        let Some(len) = rest.find(';') else {
            let span = Span { start, end: start + rest.lines().next().unwrap_or("").len() };
            return Err(Problem::new(span, "the statement has no end").with_label("expected `;`"));
        };
        self.at += len + 1;
        Ok((&rest[..len], start))
    }

    /// `NAME = VALUE;`: the name, which must not be among `names` yet, the value, and where that is.
    fn definition(
        &mut self,
        names: &mut BTreeSet<String>,
    ) -> Result<(String, &'s str, usize), Problem> {
        self.skip_space();
        let start = self.at;
        let name = self.word();
        let span = Span { start, end: self.at };
        if name.is_empty() {
            return Err(Problem::new(span, "a name is missing").with_label("expected a name"));
        }
        if !names.insert(name.to_owned()) {
            return Err(Problem::new(span, format!("`{name}` is defined twice")));
        }
        let (rest, at) = self.statement()?;
        let Some(value) = rest.trim_start().strip_prefix('=') else {
            let span = Span { start: at, end: at + rest.len() };
            return Err(
                Problem::new(span, format!("`{name}` has no value")).with_label("expected `=`")
            );
        };
        Ok((name.to_owned(), value, at + rest.len() - value.len()))
    }

    fn computation(
        &self,
        value: &str,
        at: usize,
        names: &BTreeSet<String>,
    ) -> Result<Arith, Problem> {
        let computed = Arith::parse(value, at)?;
        let unknown = computed.names().into_iter().find(|(name, _)| !names.contains(*name));
        if let Some((name, span)) = unknown {
            return Err(Problem::new(span, format!("there is no `{name}` before this")));
        }
        Ok(computed)
    }
}

/// What a `let` draws from.
fn choices(value: &str, at: usize) -> Result<Vec<Choice>, Problem> {
    let mut all = Vec::new();
    for word in value.split_whitespace() {
        let offset = word.as_ptr() as usize - value.as_ptr() as usize;
        let span = Span { start: at + offset, end: at + offset + word.len() };
        let choices = Choice::parse(word).ok_or_else(|| {
            Problem::new(span, format!("`{word}` is no range"))
                .with_label("expected two numbers, the smaller one first: 1..8")
        })?;
        all.extend(choices);
    }
    if all.is_empty() {
        let span = Span { start: at, end: at + value.len() };
        return Err(Problem::new(span, "there is nothing to draw from")
            .with_label("expected types, operators, numbers or ranges"));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "//! What it is.\n//! origin: where it is from\nclass test;\n\
        let T = word;\nlet N = 1..4 8;\ndef LEN = $N * 2;\ninput n = $N;\n\n\
        fn good(n: $T) -> u32 {\n    var a: [$T; $LEN] = [?; $LEN];\nentry:\n    \
        a[0] = n;\n    goto exit;\nexit:\n    return checksum;\n}\n";

    #[test]
    fn a_template_says_what_it_is() {
        let template = Template::parse("good", GOOD).unwrap();
        assert_eq!((template.about(), template.origin()), ("What it is.", "where it is from"));
        assert_eq!((template.name(), template.class()), ("good", "test"));
        assert_eq!(template.header.len(), 4);
    }

    fn error(from: &str, to: &str) -> String {
        let text = GOOD.replace(from, to);
        assert_ne!(text, GOOD);
        let errors = Template::parse("good", &text).unwrap_err();
        let problem = &errors.problems()[0];
        let line = text[..problem.span().start].matches('\n').count() + 1;
        format!("{line}: {problem}")
    }

    #[test]
    fn what_is_malformed_is_said_with_its_place() {
        assert_eq!(
            error("//! origin: where it is from\n", ""),
            "1: the template does not say where it comes from"
        );
        assert_eq!(error("class test;\n", ""), "8: the template says no class");
        assert_eq!(error("1..4", "4..1"), "5: `4..1` is no range");
        assert_eq!(error("$N * 2", "$M * 2"), "6: there is no `M` before this");
        assert_eq!(error("let N", "let T"), "5: `T` is defined twice");
        assert_eq!(
            error("fn good", "fn other"),
            "9: the function is called `other`, but the file `good`"
        );
        assert_eq!(error("= n;", "= $n;"), "12: there is no `n` in the header");
        assert_eq!(error("= n;", "= m;"), "12: there is no variable `m`");
        assert_eq!(error("input n", "input m"), "7: the function has no parameter `m`");
        assert_eq!(error("= word;", "= wrod;"), "9: `wrod` is no type");
    }
}

//! All templates: those that come with pathsmith, and those of a config.

use std::sync::OnceLock;

use super::file::Template;
use super::options::{TemplateOptions, TemplateOptionsError};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::text::SourceErrors;
use rand::RngExt;

// `SOURCES: &[(&str, &str)]`: the name and the text of every file in the folder `templates`.
include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// The templates that come with pathsmith.
#[derive(Debug)]
pub struct Library {
    templates: Vec<Template>,
}

impl Library {
    /// The library.
    ///
    /// # Panics
    /// If one of its templates is malformed, which a test rules out.
    pub fn get() -> &'static Self {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        LIBRARY.get_or_init(|| {
            let parse = |(name, text): &(&str, &str)| match Template::read(name, text) {
                Ok(template) => template,
                Err(errors) => panic!("the template `{name}` is malformed: {errors}"),
            };
            Self { templates: SOURCES.iter().map(parse).collect() }
        })
    }

    /// The texts of all files, for those who check them.
    pub fn sources() -> &'static [(&'static str, &'static str)] {
        SOURCES
    }

    /// All templates, by name.
    pub fn templates(&self) -> &[Template] {
        &self.templates
    }

    /// The template of this name.
    pub fn named(&self, name: &str) -> Option<&Template> {
        let at = self.templates.binary_search_by(|template| template.name().cmp(name)).ok()?;
        Some(&self.templates[at])
    }
}

/// A template that was drawn.
pub(crate) enum Drawn {
    /// From the library.
    Known(&'static Template),
    /// From the config.
    Own(Box<Template>),
}

impl Drawn {
    pub(crate) fn template(&self) -> &Template {
        match self {
            Self::Known(template) => template,
            Self::Own(template) => template,
        }
    }
}

impl TemplateOptions {
    /// Checks knobs, weights and templates.
    ///
    /// # Errors
    /// The first thing that makes no sense.
    pub fn check(&self) -> Result<(), TemplateOptionsError> {
        self.check_knobs()?;
        for source in &self.own {
            let malformed = |errors: SourceErrors| {
                let first = errors.problems().first();
                let what = first.map_or(String::new(), |problem| problem.to_string());
                TemplateOptionsError::Malformed(format!("the template `{}`: {what}", source.name))
            };
            Template::parse(&source.name, &source.text).map_err(malformed)?;
        }
        for (name, weight) in &self.weights {
            if !(weight.is_finite() && *weight >= 0.0) {
                return Err(TemplateOptionsError::Weight(name.clone(), *weight));
            }
            if !self.names().any(|known| known == name) {
                return Err(TemplateOptionsError::NoTemplate(name.clone()));
            }
        }
        let total: f64 = self.names().map(|name| self.weight(name)).sum();
        if self.share > 0.0 && total <= 0.0 {
            return Err(TemplateOptionsError::NoneLeft);
        }
        Ok(())
    }

    /// The names of all templates that can be drawn.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let known = Library::get().templates().iter().map(Template::name);
        known.chain(self.own.iter().map(|source| &source.name[..]))
    }

    /// How often a template is drawn, compared with the others.
    pub fn weight(&self, name: &str) -> f64 {
        self.weights.get(name).copied().unwrap_or(1.0)
    }

    /// Draws a template; none if nothing can be drawn.
    pub(crate) fn choose(&self, rng: &mut Rng) -> Option<Drawn> {
        let total: f64 = self.names().map(|name| self.weight(name)).sum();
        let mut drawn = rng.random::<f64>() * total;
        let mut last = None;
        for (at, name) in self.names().enumerate() {
            let weight = self.weight(name);
            if weight <= 0.0 {
                continue;
            }
            last = Some(at);
            if drawn < weight {
                break;
            }
            drawn -= weight;
        }
        let known = Library::get().templates();
        let at = last?;
        if let Some(template) = known.get(at) {
            return Some(Drawn::Known(template));
        }
        let source = &self.own[at - known.len()];
        let template = Template::parse(&source.name, &source.text).ok()?;
        Some(Drawn::Own(Box::new(template)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::file::Statement;

    const DOCS: &str = include_str!("../../../../docs/shapes.md");

    /// The row of a template in the tables of docs/shapes.md.
    fn row(template: &Template) -> String {
        let [about, origin] = [template.about(), template.origin()].map(|s| s.replace('|', "\\|"));
        format!("| `{}` | {about} | {origin} |", template.name())
    }

    #[test]
    fn docs_list_all_templates_by_class() {
        let mut missing = Vec::new();
        let mut class = "";
        let mut n_rows = 0;
        let mut rows = Vec::new();
        for line in DOCS.lines() {
            if let Some(title) = line.strip_prefix("### ") {
                class = title.split('`').nth(1).unwrap_or("");
            } else if line.starts_with("| `") && !class.is_empty() {
                rows.push((class, line));
                n_rows += 1;
            }
        }
        for template in Library::get().templates() {
            let row = row(template);
            if !rows.contains(&(template.class(), &row[..])) {
                missing.push(format!("{}: {row}", template.class()));
            }
        }
        assert!(missing.is_empty(), "docs/shapes.md lacks\n{}", missing.join("\n"));
        assert_eq!(n_rows, Library::get().templates().len(), "docs/shapes.md lists too many");
    }

    /// What is drawn and not used is a mistake: the shape varies less than its author meant.
    #[test]
    fn templates_use_what_they_draw() {
        for template in Library::get().templates() {
            for statement in &template.header {
                let (Statement::Let(name, _) | Statement::Def(name, _)) = statement else {
                    continue;
                };
                let is_used = |(at, _): (usize, &str)| {
                    let behind = template.text[at + 1 + name.len()..].chars().next();
                    !behind.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
                };
                let wanted = format!("${name}");
                let mut uses = template.text.match_indices(&wanted[..]);
                assert!(uses.any(is_used), "{} draws `{name}` in vain", template.name());
            }
        }
    }

    #[test]
    fn the_example_of_the_docs_is_a_template() {
        let (_, text) =
            Library::sources().iter().find(|(name, _)| *name == "modulo_table").unwrap();
        assert!(DOCS.contains(*text), "docs/shapes.md shows another modulo_table.sym");
    }
}

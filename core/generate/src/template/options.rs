//! How often templates are used, and how.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use pathsmith_symlang::knobs::KnobError;

pathsmith_symlang::knobs! {
    /// How often templates are used, and how. Shares and sizes were guessed.
    pub struct TemplateOptions {
        /// Share of functions that are made of templates.
        share: share = 0.5;
        /// Share of those that are nothing else; the others are embedded in a random function.
        bare_share: share = 0.4;
        /// Share of functions with a template that have another one (and of those, a third).
        second_share: share = 0.3;
        /// Share of embedded templates that share variables with what is there already.
        crossed_share: share = 0.4;
        /// Share of trip counts that are large.
        long_share: share = 0.06;
        /// The largest trip count.
        max_trip: u32 = 1000;
        /// Steps that an instance may take on its own.
        max_steps: u32 = 6000;
        /// How often each template is drawn; one that is not listed weighs 1.
        weights: BTreeMap<String, f64> = BTreeMap::new();
        /// Templates besides those that come with pathsmith: name and text of each.
        own: Vec<TemplateSource> = Vec::new();
    }
}

/// A template as its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateSource {
    /// Its name.
    pub name: String,
    /// The text of its file.
    pub text: String,
}

/// Why [`TemplateOptions`] make no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TemplateOptionsError {
    /// A knob is out of range.
    #[error(transparent)]
    Knob(#[from] KnobError),
    /// A weight is no weight.
    #[error("the weight of the template `{0}` is {1}, but a weight is a number from 0 on")]
    Weight(String, f64),
    /// A weight is that of nothing.
    #[error("`weights` names the template `{0}`, but there is none of this name")]
    NoTemplate(String),
    /// Nothing can be drawn.
    #[error("all templates weigh 0; set `share` to 0 to use none")]
    NoneLeft,
    /// A template is malformed.
    #[error("{0}")]
    Malformed(String),
}

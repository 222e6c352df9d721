//! What a campaign has found, for people to read: one page of HTML, the same as JSON, and Markdown
//! that can be pasted into a bug tracker.
//!
//! A [`Report`] holds all of it as plain data, and the caller fills it from findings. What is shown
//! of it depends on the report alone.
//!
//! ```
//! use pathsmith_campaign::report::{Report, html, markdown};
//!
//! let report = Report { title: "gcc, one hour".to_owned(), seed: 7, ..Report::default() };
//! assert!(html(&report).contains("Nothing found yet"));
//! assert_eq!(markdown::documents(&report).len(), 1);
//! let saved = report.to_json()?;
//! assert_eq!(Report::from_json(&saved)?, report);
//! # Ok::<(), serde_json::Error>(())
//! ```

mod explorer;
mod gather;
mod html;
pub mod markdown;
mod model;
mod parts;
#[cfg(test)]
mod sample;
mod specimen;
mod stale;
mod title;
mod tracker;
mod words;

pub use html::html;
pub use model::{
    BugGroupView, Cluster, Figure, Incident, Member, Report, Source, Specimen, Syntax, TargetView,
    VariantView,
};
pub use specimen::draw_call;
pub use stale::remove_stale_reports;
pub use title::title;
pub use tracker::Tracker;
pub use words::counted;

// Other pages look and speak like the report's.
pub(crate) use self::html::{PAGE_STYLE, Text};
pub(crate) use self::words::grouped;

pub use crate::finding::n_statements;

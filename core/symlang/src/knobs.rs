//! Settings that are declared once: what a setting means, its type, its default and its bounds.
//!
//! [`knobs!`](crate::knobs!) takes the declaration of a struct of settings and derives everything
//! else from it: the struct itself, which is read from TOML or JSON with defaults for whatever is
//! left out and an error for whatever is unknown, its `Default`, `check_knobs`, which rejects
//! values out of bounds, and `knobs`, the list that documentation and `--print-config` can print.
//!
//! ```
//! pathsmith_symlang::knobs! {
//!     /// What a function looks like.
//!     pub struct Shape {
//!         /// Probability that a function has a loop.
//!         loops: probability = 0.5;
//!         /// Share of blocks with two successors.
//!         branches: share = 0.7;
//!         /// Number of blocks.
//!         blocks: u32 = 15, in 1..=1000;
//!         /// Whether a loop may have several entries.
//!         irreducible: bool = true;
//!     }
//! }
//!
//! let shape = Shape { blocks: 0, ..Shape::default() };
//! let error = shape.check_knobs().unwrap_err();
//! assert_eq!(error.to_string(), "`blocks` is 0, but has to be between 1 and 1000");
//! assert_eq!(Shape::knobs()[2].doc, "Number of blocks.");
//! ```

use std::fmt;

use thiserror::Error;

/// What is known of a knob before anyone turns it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knob {
    /// The key in a config file.
    pub name: &'static str,
    /// What it means.
    pub doc: String,
    /// Its default, as Rust prints it for debugging.
    pub default: String,
    /// Which values it accepts.
    pub bounds: Bounds,
}

/// Which values a knob accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bounds {
    /// The probability of a yes in a draw between yes and no: from 0 to 1.
    Probability,
    /// A part of a whole: from 0 to 1.
    Share,
    /// From one number to another, both included.
    Between(String, String),
    /// Whatever its type can hold. The owner of the knob may know further rules.
    Any,
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Probability => f.write_str("a probability is between 0 and 1"),
            Self::Share => f.write_str("a share lies between 0 and 1"),
            Self::Between(low, high) => write!(f, "has to be between {low} and {high}"),
            Self::Any => f.write_str("can have any value"),
        }
    }
}

/// A knob with a value out of its bounds.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{name}` is {value}, but {bounds}")]
pub struct KnobError {
    /// The key in a config file.
    pub name: &'static str,
    /// The value.
    pub value: String,
    /// The bounds that it is out of.
    pub bounds: Bounds,
}

impl KnobError {
    /// Checks that `value` is between 0 and 1, which NaN is not.
    ///
    /// # Errors
    /// The knob `name`, with the bounds that it exceeds.
    #[doc(hidden)]
    pub fn check_unit(name: &'static str, value: f64, bounds: Bounds) -> Result<(), Self> {
        match (0.0..=1.0).contains(&value) {
            true => Ok(()),
            false => Err(Self { name, value: value.to_string(), bounds }),
        }
    }
}

/// Declares a struct of settings; see the [module](mod@crate::knobs).
///
/// A knob is a name, a colon, what it is, its default, and a semicolon. What it is can be
/// `probability` or `share` (an `f64` from 0 to 1), a type with bounds
/// (`blocks: u32 = 15, in 1..=1000;`), or any other type that serde can read and write. Doc
/// comments are the documentation of the field and of the knob; `#[serde(…)]` may follow them.
///
/// The struct derives `Clone`, `Debug`, `PartialEq`, `Serialize` and `Deserialize`. Its fields are
/// public. A struct with rules that concern several knobs at once has a `validate` of its own that
/// calls `check_knobs` first.
#[macro_export]
macro_rules! knobs {
    ($(#[$attr:meta])* $vis:vis struct $Name:ident { $($body:tt)* }) => {
        $crate::knobs! { @parse [$(#[$attr])* $vis struct $Name] [] $($body)* }
    };

    (@parse $head:tt [$($done:tt)*]
        $(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])*
        $knob:ident: probability = $default:expr; $($rest:tt)*
    ) => {
        $crate::knobs! { @parse $head [$($done)*
            { [$($doc)*] [$(#[serde($($serde)*)])*] $knob (f64) ($default) (unit Probability) }
        ] $($rest)* }
    };
    (@parse $head:tt [$($done:tt)*]
        $(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])*
        $knob:ident: share = $default:expr; $($rest:tt)*
    ) => {
        $crate::knobs! { @parse $head [$($done)*
            { [$($doc)*] [$(#[serde($($serde)*)])*] $knob (f64) ($default) (unit Share) }
        ] $($rest)* }
    };
    (@parse $head:tt [$($done:tt)*]
        $(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])*
        $knob:ident: $ty:ty = $default:expr, in $range:expr; $($rest:tt)*
    ) => {
        $crate::knobs! { @parse $head [$($done)*
            { [$($doc)*] [$(#[serde($($serde)*)])*] $knob ($ty) ($default) (range $range) }
        ] $($rest)* }
    };
    (@parse $head:tt [$($done:tt)*]
        $(#[doc = $doc:literal])* $(#[serde($($serde:tt)*)])*
        $knob:ident: $ty:ty = $default:expr; $($rest:tt)*
    ) => {
        $crate::knobs! { @parse $head [$($done)*
            { [$($doc)*] [$(#[serde($($serde)*)])*] $knob ($ty) ($default) (any) }
        ] $($rest)* }
    };

    (@parse [$(#[$attr:meta])* $vis:vis struct $Name:ident] [$({
        [$($doc:literal)*] [$($serde:tt)*] $knob:ident ($ty:ty) ($default:expr) $bounds:tt
    })*]) => {
        $(#[$attr])*
        #[derive(Clone, Debug, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields)]
        $vis struct $Name {
            $($(#[doc = $doc])* $($serde)* pub $knob: $ty,)*
        }

        impl ::core::default::Default for $Name {
            fn default() -> Self {
                Self { $($knob: $default,)* }
            }
        }

        impl $Name {
            /// All knobs, in the order of their declaration.
            $vis fn knobs() -> ::std::vec::Vec<$crate::knobs::Knob> {
                let default = Self::default();
                ::std::vec![$($crate::knobs::Knob {
                    name: ::core::stringify!($knob),
                    doc: [$($doc),*].map(str::trim).join("\n"),
                    default: ::std::format!("{:?}", default.$knob),
                    bounds: $crate::knobs!(@bounds $bounds),
                }),*]
            }

            /// Checks that every knob is within its bounds.
            ///
            /// # Errors
            /// The first that is not.
            $vis fn check_knobs(
                &self,
            ) -> ::core::result::Result<(), $crate::knobs::KnobError> {
                $($crate::knobs!(@check self $knob $bounds);)*
                Ok(())
            }
        }
    };

    (@bounds (unit $kind:ident)) => { $crate::knobs::Bounds::$kind };
    (@bounds (range $range:expr)) => {{
        let range = $range;
        let (low, high) = (range.start().to_string(), range.end().to_string());
        $crate::knobs::Bounds::Between(low, high)
    }};
    (@bounds (any)) => { $crate::knobs::Bounds::Any };

    (@check $this:ident $knob:ident (unit $kind:ident)) => {
        $crate::knobs::KnobError::check_unit(
            ::core::stringify!($knob), $this.$knob, $crate::knobs::Bounds::$kind,
        )?
    };
    (@check $this:ident $knob:ident (range $range:expr)) => {
        if !($range).contains(&$this.$knob) {
            return Err($crate::knobs::KnobError {
                name: ::core::stringify!($knob),
                value: $this.$knob.to_string(),
                bounds: $crate::knobs!(@bounds (range $range)),
            });
        }
    };
    (@check $this:ident $knob:ident (any)) => {};
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: u32 = 9;

    crate::knobs! {
        /// What the tests set.
        #[derive(PartialOrd)]
        struct Settings {
            /// Probability of a yes.
            yes: probability = 0.25;
            /// Part of a whole, which takes
            /// two lines to say.
            #[serde(alias = "portion")]
            part: share = 0.5;
            /// A number.
            n: u32 = 3, in 1..=MOST;
            /// A number that need not be whole.
            factor: f64 = 1.5, in 0.0..=8.0;
            /// A list.
            names: Vec<String> = vec!["a".to_owned()];
            on: bool = true;
        }
    }

    #[test]
    fn everything_follows_from_the_declaration() {
        let settings = Settings::default();
        assert_eq!((settings.yes, settings.n, settings.on), (0.25, 3, true));
        let knobs = Settings::knobs();
        let names: Vec<&str> = knobs.iter().map(|knob| knob.name).collect();
        assert_eq!(names, ["yes", "part", "n", "factor", "names", "on"]);
        let docs: Vec<&str> = knobs[..2].iter().map(|knob| &knob.doc[..]).collect();
        assert_eq!(
            docs,
            ["Probability of a yes.", "Part of a whole, which takes\ntwo lines to say."]
        );
        assert_eq!(knobs[2].bounds, Bounds::Between("1".to_owned(), "9".to_owned()));
        assert_eq!(knobs[4].default, r#"["a"]"#);
        assert_eq!(
            knobs[5],
            Knob {
                name: "on",
                doc: String::new(),
                default: "true".to_owned(),
                bounds: Bounds::Any
            }
        );
    }

    #[test]
    fn what_is_left_out_is_as_by_default_and_what_is_unknown_is_an_error() {
        let settings: Settings = serde_json::from_str(r#"{"n": 5, "portion": 1.0}"#).unwrap();
        assert_eq!(settings, Settings { n: 5, part: 1.0, ..Settings::default() });
        assert!(serde_json::from_str::<Settings>(r#"{"m": 5}"#).is_err());
        let text = serde_json::to_string(&settings).unwrap();
        assert_eq!(serde_json::from_str::<Settings>(&text).unwrap(), settings);
    }

    fn check(change: impl FnOnce(&mut Settings), expected: &str) {
        let mut settings = Settings::default();
        change(&mut settings);
        assert_eq!(settings.check_knobs().unwrap_err().to_string(), expected);
    }

    #[test]
    fn what_is_out_of_bounds_is_named() {
        assert_eq!(Settings::default().check_knobs(), Ok(()));
        check(|s| s.yes = 1.5, "`yes` is 1.5, but a probability is between 0 and 1");
        check(|s| s.part = f64::NAN, "`part` is NaN, but a share lies between 0 and 1");
        check(|s| s.n = 0, "`n` is 0, but has to be between 1 and 9");
        check(|s| s.factor = -1.0, "`factor` is -1, but has to be between 0 and 8");
        // The first of several.
        check(
            |s| (s.on, s.n, s.part) = (false, 10, 2.0),
            "`part` is 2, but a share lies between 0 and 1",
        );
    }
}

//! Settings: what a target is asked to do beside its defaults.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The name of the setting that compiles with sanitizers.
const SANITIZERS: &str = "sanitizers";

/// How a target is set up, as people, folders and reports name it. The flags that a target is given
/// for it are the target's own affair.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// A setting with a name: a level of optimization (`-O2`), a tier (`c2`), a strategy of an
    /// engine (`winch`), or a name from the configuration.
    Named(String),
    /// Flags that were drawn at random.
    Random(Vec<String>),
    /// Sanitizers, whose reports are bugs of pathsmith.
    Sanitizers,
}

impl Setting {
    /// A setting with a name.
    pub fn named(name: impl Into<String>) -> Self {
        Self::Named(name.into())
    }

    /// Some flags. A single flag is its own name.
    pub fn of_flags(flags: &[String]) -> Self {
        match flags {
            [flag] => Self::Named(flag.clone()),
            _ => Self::Random(flags.to_vec()),
        }
    }

    /// Whether its flags were drawn at random.
    pub const fn is_random(&self) -> bool {
        match self {
            Self::Random(_) => true,
            Self::Named(_) | Self::Sanitizers => false,
        }
    }

    /// Whether it compiles with sanitizers.
    pub const fn is_sanitizer(&self) -> bool {
        match self {
            Self::Sanitizers => true,
            Self::Named(_) | Self::Random(_) => false,
        }
    }

    /// The name, if it has one.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::Sanitizers => Some(SANITIZERS),
            Self::Random(_) => None,
        }
    }

    /// The same setting with flags that suppress known bugs.
    #[must_use]
    pub fn without_known_bugs(&self, flags: &[String]) -> Self {
        match self {
            Self::Named(name) => Self::Named(format!("{name}+known-off")),
            Self::Random(known) => Self::Random([known, flags].concat()),
            Self::Sanitizers => Self::Sanitizers,
        }
    }

    /// A short name for all settings of its sort: the name, or `random` for random flags.
    pub fn group(&self) -> &str {
        self.name().unwrap_or("random")
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => f.write_str(name),
            Self::Random(flags) => f.write_str(&flags.join(" ")),
            Self::Sanitizers => f.write_str(SANITIZERS),
        }
    }
}

/// Several words are random flags.
impl FromStr for Setting {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        if text == SANITIZERS {
            return Ok(Self::Sanitizers);
        }
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Ok(if words.is_empty() { Self::named(text) } else { Self::of_flags(&words) })
    }
}

/// The text of a setting instead of its structure, for what people read. A name with spaces is read
/// back as random flags.
pub mod text {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Setting;

    /// Writes a setting as it is shown.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(setting: &Setting, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(setting)
    }

    /// Reads a setting as it is shown.
    ///
    /// # Errors
    /// Those of the deserializer.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Setting, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> [Setting; 3] {
        let flags = ["-O2", "-fwrapv"].map(str::to_owned).to_vec();
        [Setting::named("-O2"), Setting::Random(flags), Setting::Sanitizers]
    }

    #[test]
    fn settings_are_read_as_they_are_shown() {
        let shown = all().map(|setting| setting.to_string());
        assert_eq!(shown, ["-O2", "-O2 -fwrapv", "sanitizers"]);
        assert_eq!(shown.map(|text| text.parse::<Setting>().unwrap()), all());
    }

    #[test]
    fn settings_survive_json() {
        for setting in all() {
            let json = serde_json::to_string(&setting).unwrap();
            assert_eq!(serde_json::from_str::<Setting>(&json).unwrap(), setting, "{json}");
        }
    }

    #[test]
    fn a_name_may_have_spaces_and_a_single_flag_is_a_name() {
        assert!(!Setting::named("my flags").is_random());
        assert_eq!(Setting::of_flags(&["-O2".to_owned()]), Setting::named("-O2"));
        assert_eq!(Setting::of_flags(&[]).to_string(), "");
    }
}

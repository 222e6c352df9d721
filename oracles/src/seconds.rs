//! Durations in JSON: numbers of seconds. Their keys say so, as in `compile_seconds`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serializer, de};

/// Writes a duration, to be named in `#[serde(with = ...)]`.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// Reads a duration, also as serde writes it by itself, which campaigns did before.
///
/// # Errors
/// If it is neither, or a number that is no duration.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Seconds(f64),
        Parts(Duration),
    }
    match Written::deserialize(deserializer)? {
        Written::Seconds(seconds) => {
            Duration::try_from_secs_f64(seconds).map_err(de::Error::custom)
        }
        Written::Parts(time) => Ok(time),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spent;

    #[test]
    fn durations_are_seconds_with_the_unit_in_the_key() {
        let time = Duration::new(86_400 * 30, 123_456_789);
        let spent = Spent { compile: time, ..Spent::default() };
        let json = serde_json::to_value(spent).unwrap();
        assert_eq!(json["compile_seconds"], 2_592_000.123_456_789);
        assert_eq!(serde_json::from_value::<Spent>(json).unwrap(), spent);
        let before = r#"{"compile": {"secs": 2592000, "nanos": 123456789}}"#;
        assert_eq!(serde_json::from_str::<Spent>(before).unwrap(), spent);
        assert!(serde_json::from_str::<Spent>(r#"{"compile_seconds": -1}"#).is_err());
    }
}

//! One thing lowered in another way.

use std::fmt::{self, Display};
use std::str::FromStr;

use pathsmith_backend::ProgramOptions;
use serde_json::{Value, json};

/// A lowering option with a value, such as `selects=if-else`. It is one of the whole program, or of
/// all its functions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variation {
    option: String,
    value: Value,
}

impl FromStr for Variation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (option, value) = text
            .split_once('=')
            .filter(|(option, _)| !option.trim().is_empty())
            .ok_or_else(|| format!("`{text}` is no option with a value, as in selects=if-else"))?;
        let value = value.trim();
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        Ok(Self { option: option.trim().to_owned(), value })
    }
}

impl Display for Variation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::String(value) => write!(f, "{}={value}", self.option),
            value => write!(f, "{}={value}", self.option),
        }
    }
}

impl Variation {
    /// The options of a program with `n_functions` functions, with this one changed.
    ///
    /// # Errors
    /// If the backend has no such option, or the option no such value.
    pub(crate) fn of<O: ProgramOptions>(
        &self,
        options: &O,
        n_functions: usize,
    ) -> Result<O, String> {
        let (option, value) = (&self.option, &self.value);
        let failed = |error: serde_json::Error| error.to_string();
        let mut table = serde_json::to_value(options).map_err(failed)?;
        let is_of_program = serde_json::from_value::<O>(json!({ option: value })).is_ok();
        match (is_of_program, table["functions"].as_array_mut()) {
            (false, Some(functions)) => {
                functions.resize(n_functions.max(functions.len()), json!({}));
                functions.iter_mut().for_each(|function| function[option] = value.clone());
            }
            (true, _) | (false, None) => table[option] = value.clone(),
        }
        serde_json::from_value(table).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_backend_c::COptions;
    use pathsmith_backend_jvm::JvmOptions;
    use pathsmith_backend_wasm::{Checksum, Selects, WasmOptions};

    use super::*;

    fn varied<O: ProgramOptions>(options: &O, text: &str) -> Result<O, String> {
        text.parse::<Variation>()?.of(options, 2)
    }

    #[test]
    fn options_of_functions_and_of_programs_change() {
        let options = varied(&WasmOptions::default(), "selects=if-else").unwrap();
        assert_eq!(options.functions.len(), 2);
        assert!(options.functions.iter().all(|function| function.selects == Selects::IfElse));
        let options = varied(&options, "checksum=host").unwrap();
        assert_eq!(options.checksum, Checksum::Host);
        assert_eq!(options.functions[1].selects, Selects::IfElse);
        assert_eq!(varied(&options, "max_table=0").unwrap().functions[0].max_table, 0);
    }

    /// A variation that a backend lists and does not take would be tried in vain for ever.
    #[test]
    fn backends_take_what_they_list() {
        fn check<O: ProgramOptions>() {
            let listed = O::SPECIFIC_VARIATIONS.iter().chain(O::BROAD_VARIATIONS);
            for text in listed {
                varied(&O::default(), text).unwrap_or_else(|why| panic!("{text}: {why}"));
                assert_eq!(text.parse::<Variation>().unwrap().to_string(), **text);
            }
        }
        check::<COptions>();
        check::<WasmOptions>();
        check::<JvmOptions>();
    }

    #[test]
    fn what_is_no_variation_is_refused() {
        for text in ["selects", "=x", ""] {
            assert!(text.parse::<Variation>().unwrap_err().contains("selects=if-else"), "{text}");
        }
        for text in ["selects=neither", "select=if-else", "max_table=-1"] {
            assert!(varied(&WasmOptions::default(), text).is_err(), "{text}");
        }
    }
}

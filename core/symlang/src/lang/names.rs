//! What may be a name.

use super::ops::{BinOp, UnOp};
use super::types::ScalarTy;

/// Words that are no names.
pub(super) const KEYWORDS: [&str; 14] = [
    "checksum", "dialect", "else", "fn", "global", "goto", "if", "main", "realize", "return",
    "select", "switch", "var", "via",
];

/// Numbers that are written as names.
pub(super) const NAMED_NUMBERS: [&str; 6] = ["nan", "inf", "nanf32", "inff32", "nanf64", "inff64"];

/// The name of function number `number`: `f5`. Two of them would be types.
pub fn function_name(number: u64) -> String {
    let name = format!("f{number}");
    if is_name(&name) { name } else { name + "_" }
}

/// Whether `name` can be the name of a variable, block or function.
pub(super) fn is_name(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let reserved = KEYWORDS.contains(&name)
        || NAMED_NUMBERS.contains(&name)
        || ScalarTy::from_name(name).is_some()
        || UnOp::from_name(name).is_some()
        || BinOp::from_name(name).is_some();
    name.starts_with(|c: char| is_word(c) && !c.is_ascii_digit())
        && name.chars().all(is_word)
        && !reserved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_have_names_whatever_their_number() {
        let names: Vec<String> = (0..200).map(function_name).collect();
        assert!(names.iter().all(|name| is_name(name)));
        assert_eq!([5, 32, 64].map(function_name), ["f5", "f32_", "f64_"]);
    }
}

//! How cases are called.

/// `7`, or `7, variant 2`.
pub(crate) fn case_name(number: u64, variant: u32) -> String {
    match variant {
        0 => number.to_string(),
        _ => format!("{number}, variant {variant}"),
    }
}

//! Flags that change what a defined program means. A program that returns something else with such
//! a flag shows no bug, so no setting may have one.
//!
//! Flags that define more than C does (`-fwrapv`, `-fno-strict-overflow`, `-fno-strict-aliasing`)
//! change nothing for a program without undefined behaviour, and are welcome.

/// Switches that change the meaning if they are on.
const ON: [&str; 17] = [
    "approx-func",
    "associative-math",
    "bounds-check",
    "cx-fortran-rules",
    "cx-limited-range",
    "fast-math",
    "finite-math-only",
    "merge-all-constants",
    "pack-struct",
    "reciprocal-math",
    "short-enums",
    "short-wchar",
    "single-precision-constant",
    // gcc's also calls functions that few systems have.
    "trapv",
    "unsafe-math-optimizations",
    "unsigned-bitfields",
    "unsigned-char",
];

/// Switches that change the meaning if they are off.
const OFF: [&str; 5] =
    ["honor-infinities", "honor-nans", "signed-bitfields", "signed-char", "signed-zeros"];

/// Options with a value, and the values that keep the meaning.
const VALUES: [(&str, &[&str]); 5] = [
    ("-fexcess-precision", &["standard"]),
    ("-ffp-contract", &["off"]),
    ("-ffp-model", &["precise", "strict"]),
    ("-fdenormal-fp-math", &["ieee"]),
    ("-mfpmath", &["sse"]),
];

/// Other options that change the meaning.
const OTHERS: [&str; 6] =
    ["-Ofast", "-mdaz-ftz", "-mpc32", "-mpc64", "-mrecip", "-menable-unsafe-fp-math"];

/// Whether a flag of a C compiler can change what a program without undefined behaviour returns.
pub fn changes_meaning(flag: &str) -> bool {
    if OTHERS.contains(&flag) || flag.starts_with("-mrecip=") || flag.starts_with("-fpack-struct=")
    {
        return true;
    }
    if let Some((option, value)) = flag.split_once('=') {
        let known = VALUES.iter().find(|(name, _)| *name == option);
        return known.is_some_and(|(_, harmless)| !harmless.contains(&value));
    }
    match (flag.strip_prefix("-fno-"), flag.strip_prefix("-f")) {
        (Some(name), _) => OFF.contains(&name),
        (None, Some(name)) => ON.contains(&name),
        (None, None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_that_change_the_meaning_are_known_in_both_forms() {
        for flag in [
            "-Ofast",
            "-ffast-math",
            "-funsafe-math-optimizations",
            "-ffinite-math-only",
            "-fno-signed-zeros",
            "-fno-honor-nans",
            "-ffp-contract=fast",
            "-fexcess-precision=fast",
            "-ftrapv",
            "-funsigned-char",
            "-fno-signed-char",
            "-fshort-enums",
            "-fpack-struct=2",
            "-mrecip=all",
        ] {
            assert!(changes_meaning(flag), "{flag}");
        }
        for flag in [
            "-O3",
            "-fwrapv",
            "-fno-wrapv",
            "-fno-strict-overflow",
            "-fno-strict-aliasing",
            "-fno-fast-math",
            "-fno-trapv",
            "-fsigned-char",
            "-fsigned-zeros",
            "-ffp-contract=off",
            "-fno-trapping-math",
            "-march=x86-64-v4",
            "-fvect-cost-model=unlimited",
        ] {
            assert!(!changes_meaning(flag), "{flag}");
        }
    }
}

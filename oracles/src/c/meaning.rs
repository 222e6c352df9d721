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
const VALUES: [(&str, &[&str]); 11] = [
    // The options of LLVM, behind `-mllvm`.
    ("-denormal-fp-math", &["ieee", "ieee,ieee"]),
    ("-denormal-fp-math-f32", &["ieee", "ieee,ieee"]),
    ("-fp-contract", &["off"]),
    ("-fcomplex-arithmetic", &["full"]),
    ("-fdenormal-fp-math-f32", &["ieee", "ieee,ieee"]),
    ("-ffp-eval-method", &["source"]),
    ("-fexcess-precision", &["standard"]),
    ("-ffp-contract", &["off"]),
    ("-ffp-model", &["precise", "strict"]),
    ("-fdenormal-fp-math", &["ieee", "ieee,ieee"]),
    ("-mfpmath", &["sse"]),
];

/// Other options that change the meaning.
const OTHERS: [&str; 22] = [
    "-Ofast",
    // Options of LLVM and of clang's front end.
    "-enable-approx-func-fp-math",
    "-enable-no-infs-fp-math",
    "-enable-no-nans-fp-math",
    "-enable-no-signed-zeros-fp-math",
    "-enable-unsafe-fp-math",
    "-mdaz-ftz",
    "-menable-no-infs",
    "-menable-no-nans",
    "-menable-unsafe-fp-math",
    "-mfused-madd",
    "-mlow-precision-div",
    "-mlow-precision-recip-sqrt",
    "-mlow-precision-sqrt",
    // Comparisons with NaN.
    "-mno-ieee",
    "-mno-ieee-fp",
    // Without these registers, arithmetic is that of the x87: with excess precision.
    "-mno-sse",
    "-mno-sse2",
    "-mpc32",
    "-mpc64",
    "-mreassociate",
    "-mrecip",
];

/// Whether a flag of a C compiler can change what a program without undefined behaviour returns.
pub fn changes_meaning(flag: &str) -> bool {
    // Options of LLVM may have two dashes.
    let flag = if flag.starts_with("--") { &flag[1..] } else { flag };
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
            "-fno-honor-infinities",
            "-ffp-contract=on",
            "-ffp-eval-method=double",
            "-fexcess-precision=16",
            "-mfpmath=387",
            "-mfpmath=both",
            "-mno-sse2",
            "-mno-ieee-fp",
            "-mfused-madd",
            "-fsingle-precision-constant",
            "-freciprocal-math",
            "-fassociative-math",
            "-fcx-limited-range",
            "-fdenormal-fp-math=preserve-sign",
            "--fp-contract=fast",
            "-enable-unsafe-fp-math",
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
            "-fno-math-errno",
            "-frounding-math",
            "-fsignaling-nans",
            "-ffloat-store",
            "-fno-fp-int-builtin-inexact",
            "-fexcess-precision=standard",
            "-mfpmath=sse",
            "-mno-80387",
            "-mfma",
            "-march=x86-64-v4",
            "-fvect-cost-model=unlimited",
        ] {
            assert!(!changes_meaning(flag), "{flag}");
        }
    }
}

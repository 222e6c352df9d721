//! Instruction sets: code for a newer processor than the baseline, and whether this machine can run
//! it.
//!
//! What vectorizers do depends on the width of vectors, so levels are compiled for several
//! instruction sets. A program for instructions that the processor does not have dies of an illegal
//! instruction, which looks like wrong code. So whatever is compiled with `-m` flags is run only if
//! the processor has every feature that the compiler says it may use.

use super::toolchain::Toolchain;
use super::trial_program::{run, trial_folder};
use crate::oracle::OracleError;
use crate::process::Stop;

/// The instruction sets that levels are compiled for besides the compiler's default, if the
/// compiler knows them and the processor has them.
pub const INSTRUCTION_SETS: [&str; 3] = ["x86-64-v3", "x86-64-v4", "native"];

/// The part of a script that ends with 2 if the processor lacks what the flags ask for. The script
/// has a function `compiler`, and one, `compile`, that calls it with the flags. The features are
/// those that distinguish the levels of the x86-64 psABI; the check itself is compiled without the
/// flags, so that it runs everywhere.
pub const FEATURE_GUARD: &str = r#"# CFLAGS may ask for instructions that this processor does not have.
cat > "$out/guard.h" <<'END'
#ifdef __AVX2__
NEEDS("avx2") NEEDS("bmi") NEEDS("bmi2")
#endif
#ifdef __FMA__
NEEDS("fma")
#endif
#ifdef __AVX512F__
NEEDS("avx512f")
#endif
#ifdef __AVX512BW__
NEEDS("avx512bw") NEEDS("avx512cd") NEEDS("avx512dq") NEEDS("avx512vl")
#endif
END
{
    echo '#define NEEDS(feature) if (!__builtin_cpu_supports(feature)) return 1;'
    echo 'int main(void) { __builtin_cpu_init();'
    compile -E -P -x c "$out/guard.h" || exit 125
    echo 'return 0; }'
} > "$out/guard.c"
compiler -w "$out/guard.c" -o "$out/guard" || exit 125
"$out/guard" || { echo "this processor lacks instructions that CFLAGS asks for" >&2; exit 125; }
"#;

/// A feature of a processor: the macro that says that a compiler may use it, its name, and whether
/// this processor has it.
struct Feature {
    macro_name: &'static str,
    name: &'static str,
    is_present: bool,
}

#[cfg(target_arch = "x86_64")]
macro_rules! features {
    ($($macro_name:literal => $name:tt),* $(,)?) => {
        vec![$(Feature {
            macro_name: $macro_name,
            name: $name,
            is_present: std::arch::is_x86_feature_detected!($name),
        }),*]
    };
}

/// The features that compilers use on their own, as far as this processor can be asked about them.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<Feature> {
    features! {
        "__SSE3__" => "sse3",
        "__SSSE3__" => "ssse3",
        "__SSE4_1__" => "sse4.1",
        "__SSE4_2__" => "sse4.2",
        "__SSE4A__" => "sse4a",
        "__AVX__" => "avx",
        "__AVX2__" => "avx2",
        "__FMA__" => "fma",
        "__F16C__" => "f16c",
        "__BMI__" => "bmi1",
        "__BMI2__" => "bmi2",
        "__LZCNT__" => "lzcnt",
        "__POPCNT__" => "popcnt",
        "__MOVBE__" => "movbe",
        "__ADX__" => "adx",
        "__AES__" => "aes",
        "__PCLMUL__" => "pclmulqdq",
        "__SHA__" => "sha",
        "__GFNI__" => "gfni",
        "__VAES__" => "vaes",
        "__VPCLMULQDQ__" => "vpclmulqdq",
        "__TBM__" => "tbm",
        "__AVXVNNI__" => "avxvnni",
        "__AVXIFMA__" => "avxifma",
        "__AVXNECONVERT__" => "avxneconvert",
        "__AVXVNNIINT8__" => "avxvnniint8",
        "__AVXVNNIINT16__" => "avxvnniint16",
        "__AVX512F__" => "avx512f",
        "__AVX512BW__" => "avx512bw",
        "__AVX512CD__" => "avx512cd",
        "__AVX512DQ__" => "avx512dq",
        "__AVX512VL__" => "avx512vl",
        "__AVX512IFMA__" => "avx512ifma",
        "__AVX512VBMI__" => "avx512vbmi",
        "__AVX512VBMI2__" => "avx512vbmi2",
        "__AVX512VNNI__" => "avx512vnni",
        "__AVX512BITALG__" => "avx512bitalg",
        "__AVX512VPOPCNTDQ__" => "avx512vpopcntdq",
        "__AVX512BF16__" => "avx512bf16",
        "__AVX512FP16__" => "avx512fp16",
        "__AVX512VP2INTERSECT__" => "avx512vp2intersect",
    }
}

/// Elsewhere, compilers reject the flags for x86-64, and `native` is what the processor has.
#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<Feature> {
    Vec::new()
}

/// Those of some flags that decide which processor the code is for.
pub fn machine_flags(flags: &[String]) -> Vec<String> {
    let is_option_of_llvm = |at: usize| at > 0 && flags[at - 1] == "-mllvm";
    let is_machine = |(at, flag): &(usize, &String)| {
        flag.starts_with("-m") && *flag != "-mllvm" && !is_option_of_llvm(*at)
    };
    flags.iter().enumerate().filter(is_machine).map(|(_, flag)| flag.clone()).collect()
}

/// What the processor lacks to run code that `toolchain` compiles with `flags`: the names of
/// features, for people. Nothing if it lacks nothing.
///
/// # Errors
/// If the compiler cannot be run, or is stopped.
pub(super) fn missing_features(
    toolchain: &Toolchain,
    flags: &[String],
    stop: &Stop,
) -> Result<Option<String>, OracleError> {
    let machine_flags = machine_flags(flags);
    // An emulator has a processor of its own.
    if machine_flags.is_empty() || !toolchain.launch.runner.is_empty() {
        return Ok(None);
    }
    let folder = trial_folder()?;
    let line = toolchain.line(folder.path()).args(&machine_flags).args(["-dM", "-E", "try.c"]);
    let ended = run(&line, stop)?;
    if !ended.end.is_success() {
        let flags = machine_flags.join(" ");
        return Ok(Some(format!("something that the compiler does not report for {flags}")));
    }
    Ok(missing_among(&String::from_utf8_lossy(&ended.stdout), &features()))
}

/// The features that a list of macros asks for and that are not there.
fn missing_among(macros: &str, features: &[Feature]) -> Option<String> {
    let defined: Vec<&str> = macros
        .lines()
        .filter_map(|line| line.strip_prefix("#define ")?.split_whitespace().next())
        .collect();
    let is_missing =
        |feature: &&Feature| !feature.is_present && defined.contains(&feature.macro_name);
    let names: Vec<&str> = features.iter().filter(is_missing).map(|feature| feature.name).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The flag for an instruction set.
pub(super) fn march(instruction_set: &str) -> String {
    format!("-march={instruction_set}")
}

/// Whether `toolchain` knows an instruction set, and this machine runs code for it.
///
/// # Errors
/// If the compiler cannot be run, or is stopped.
pub fn has_instruction_set(
    toolchain: &Toolchain,
    instruction_set: &str,
    stop: &Stop,
) -> Result<bool, OracleError> {
    let flags = [march(instruction_set)];
    let folder = trial_folder()?;
    let line = toolchain.line(folder.path()).args(&flags).args(["-O2", "try.c", "-o", "try"]);
    let compiled = run(&line, stop)?;
    // A compiler that does not know it and goes on says so.
    if !compiled.end.is_success() || !compiled.stderr.is_empty() {
        return Ok(false);
    }
    if missing_features(toolchain, &flags, stop)?.is_some() {
        return Ok(false);
    }
    let ended = run(&toolchain.program("./try", folder.path()), stop)?;
    Ok(ended.end.code() == Some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(macro_name: &'static str, name: &'static str, is_present: bool) -> Feature {
        Feature { macro_name, name, is_present }
    }

    #[test]
    fn flags_for_machines_are_told_from_others() {
        let flags = [
            "-O2",
            "-mllvm",
            "-march-like",
            "-march=x86-64-v4",
            "-fwrapv",
            "-mprefer-vector-width=512",
        ];
        let found = machine_flags(&flags.map(str::to_owned));
        assert_eq!(found, ["-march=x86-64-v4", "-mprefer-vector-width=512"]);
        assert!(machine_flags(&["-O2".to_owned(), "-mllvm".to_owned()]).is_empty());
    }

    #[test]
    fn what_the_processor_lacks_is_named() {
        let macros = "#define __AVX2__ 1\n#define __AVX512F__ 1\n#define __AVX512VL__ 1\n";
        let mut features = [
            feature("__AVX2__", "avx2", true),
            feature("__AVX512F__", "avx512f", false),
            feature("__AVX512VL__", "avx512vl", false),
            feature("__SHA__", "sha", false),
        ];
        assert_eq!(missing_among(macros, &features).as_deref(), Some("avx512f, avx512vl"));
        features.iter_mut().for_each(|feature| feature.is_present = true);
        assert_eq!(missing_among(macros, &features), None);
    }

    /// A processor has what it was made for, and none has everything that x86-64 ever had.
    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_processor_is_asked() {
        let features = features();
        assert!(features.iter().any(|feature| feature.is_present));
        assert!(features.iter().any(|feature| !feature.is_present));
    }
}

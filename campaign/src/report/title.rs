//! Titles of bug reports, as people write them in each bug tracker.

use pathsmith_oracles::Verdict;

use super::model::Cluster;
use super::tracker::Tracker;
use crate::versions::Replayed;

/// The levels of C compilers of which each optimizes more than the one before.
const LADDER: [&str; 3] = ["-O1", "-O2", "-O3"];
/// All levels.
pub(super) const LEVELS: [&str; 5] = ["-O0", "-Os", "-O1", "-O2", "-O3"];

/// Flags that are for pathsmith, and do not belong to what shows a bug.
const OWN_FLAGS: [&str; 5] =
    ["-w", "-pass-exit-codes", "-std=gnu17", "-fbracket-depth=2048", "-ffp-contract=off"];

/// The title of a cluster's bug report.
pub fn title(cluster: &Cluster) -> String {
    match Tracker::of(cluster) {
        Tracker::Gcc => gcc(cluster),
        Tracker::Llvm => llvm(cluster),
        Tracker::Wasmtime => engine(cluster, &format!("{}: ", wasmtime_compiler(cluster))),
        Tracker::Wasmi => engine(cluster, ""),
        Tracker::V8 => engine(cluster, "[wasm] "),
        Tracker::OpenJdk => openjdk(cluster),
        Tracker::Other => {
            let at = at_flags(cluster);
            format!("{}: {}{at}{}", cluster.target, what(verdict(cluster)), since(cluster, ""))
        }
    }
}

fn gcc(cluster: &Cluster) -> String {
    let what = match verdict(cluster) {
        Verdict::CompilerCrash => match crash_location(cluster) {
            Some(place) => format!("ICE {place}"),
            None => "ICE".to_owned(),
        },
        Verdict::CompilerTimeout => "compile-time hog".to_owned(),
        Verdict::WrongResult
        | Verdict::Crash
        | Verdict::Hang
        | Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError => "wrong code".to_owned(),
    };
    let (at, since) = (at_flags(cluster), since(cluster, "GCC "));
    format!("{what}{at}{since}{}", aside(verdict(cluster)))
}

fn llvm(cluster: &Cluster) -> String {
    let last = cluster.suspected_causes.first().filter(|cause| cause.ends_with("Pass"));
    let pass = cluster.bisected_pass.as_ref().or(last);
    let pass = pass.map_or("clang", |pass| pass.strip_suffix("Pass").unwrap_or(pass));
    let what = match verdict(cluster) {
        Verdict::CompilerCrash => "Crash",
        Verdict::CompilerTimeout => "Compile-time hang",
        Verdict::WrongResult
        | Verdict::Crash
        | Verdict::Hang
        | Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError => "Miscompile",
    };
    let (at, since) = (at_flags(cluster), since(cluster, "clang "));
    format!("[{pass}] {what}{at}{since}{}", aside(verdict(cluster)))
}

fn engine(cluster: &Cluster, part: &str) -> String {
    let setting = setting_words(cluster);
    let what = match verdict(cluster) {
        Verdict::WrongResult => "Miscompilation: wrong result",
        Verdict::Crash => "Miscompilation: unexpected trap or crash",
        Verdict::Hang => "Miscompilation: hang",
        Verdict::CompilerCrash => "Compiler crash",
        Verdict::CompilerTimeout => "Compiler timeout",
        other @ (Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError) => what(other),
    };
    format!("{part}{what} with {setting}{}", since(cluster, ""))
}

/// The setting of an engine, in the engine's own words.
pub(super) fn setting_words(cluster: &Cluster) -> String {
    let setting = cluster.front.target.setting.to_string();
    match setting.strip_prefix("wasmi-").unwrap_or(&setting) {
        mode @ ("eager" | "lazy") => format!("{mode} compilation"),
        other => other.to_owned(),
    }
}

/// Which of wasmtime's compilers a setting is of.
pub(super) fn wasmtime_compiler(cluster: &Cluster) -> &'static str {
    let setting = cluster.front.target.setting.to_string();
    match () {
        () if setting.contains("winch") => "Winch",
        () if setting.contains("pulley") => "Pulley",
        () => "Cranelift",
    }
}

fn openjdk(cluster: &Cluster) -> String {
    let tier = |cause: &&String| ["c1", "c2", "int"].contains(&&cause[..]);
    let part = match cluster.suspected_causes.iter().find(tier).map(String::as_str) {
        Some("c1") => "C1",
        Some("int") => "Interpreter",
        _ => "C2",
    };
    let what = match verdict(cluster) {
        Verdict::CompilerCrash => match crash_location(cluster) {
            Some(place) => format!("crash {place}"),
            None => "crash".to_owned(),
        },
        Verdict::CompilerTimeout => "compilation does not finish".to_owned(),
        Verdict::Hang => "compiled code hangs".to_owned(),
        Verdict::Crash => "compiled code throws or crashes where it should return".to_owned(),
        Verdict::WrongResult
        | Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError => "compiled code returns a wrong result".to_owned(),
    };
    format!("{part}: {what}{}", since(cluster, "JDK "))
}

/// What is wrong with the test that is in the report.
fn verdict(cluster: &Cluster) -> Verdict {
    cluster.front.bug_file().map_or(cluster.verdict, |file| file.verdict)
}

/// What is wrong, in the words of the verdict.
const fn what(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Skipped => "skipped",
        Verdict::InfrastructureFailure => "infrastructure failure",
        Verdict::CompileError => "compile error",
        Verdict::SanitizerError => "sanitizer error",
        Verdict::CompilerTimeout => "compiler timeout",
        Verdict::CompilerCrash => "compiler crash",
        Verdict::Hang => "wrong code: hang",
        Verdict::Crash => "wrong code: the compiled program crashed",
        Verdict::WrongResult => "wrong code: wrong result",
    }
}

/// How wrong code shows, if it does not return something else.
const fn aside(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Hang => " (hang)",
        Verdict::Crash => " (the compiled program crashes)",
        Verdict::Agrees
        | Verdict::Skipped
        | Verdict::InfrastructureFailure
        | Verdict::CompileError
        | Verdict::SanitizerError
        | Verdict::CompilerTimeout
        | Verdict::CompilerCrash
        | Verdict::WrongResult => "",
    }
}

/// Where the target says that it crashed: `in replace_ref, at gimple-ssa-strength.cc`.
fn crash_location(cluster: &Cluster) -> Option<&str> {
    cluster.suspected_causes.first().map(String::as_str).filter(|cause| cause.starts_with("in "))
}

/// The flags that show it, without what is for pathsmith.
pub(super) fn plain_flags(cluster: &Cluster) -> Vec<String> {
    if let Some(file) = cluster.front.bug_file() {
        return file.flags.clone();
    }
    let flags = cluster.front.target.flags.iter();
    flags.filter(|flag| !OWN_FLAGS.contains(&&flag[..])).cloned().collect()
}

/// ` at -O2 and above with -march=x86-64-v3`
fn at_flags(cluster: &Cluster) -> String {
    let is_level = |flag: &&String| LEVELS.contains(&&flag[..]);
    let flags = plain_flags(cluster);
    let levels = match flags.iter().find(is_level) {
        Some(own) => format!(" at {}", levels(own, shown_levels(cluster))),
        None => String::new(),
    };
    let others: Vec<String> = flags.iter().filter(|flag| !is_level(flag)).cloned().collect();
    match others.is_empty() {
        true => levels,
        false => format!("{levels} with {}", others.join(" ")),
    }
}

/// The other levels that show it, as far as they are known.
fn shown_levels(cluster: &Cluster) -> Vec<&str> {
    let known = cluster.versions.iter().flat_map(|versions| &versions.levels);
    let shown = known.filter(|known| known.remains());
    shown.flat_map(|known| known.setting.split(' ')).filter(|flag| LEVELS.contains(flag)).collect()
}

/// Levels in few words: `-Os, -O2 and above`.
fn levels(own: &str, others: Vec<&str>) -> String {
    let has = |level: &str| own == level || others.contains(&level);
    if LEVELS.into_iter().all(has) {
        return "all levels".to_owned();
    }
    let first = LADDER.into_iter().position(has);
    let is_upper = |first: usize| LADDER[first..].iter().all(|level| has(level));
    let mut words: Vec<String> =
        ["-O0", "-Os"].into_iter().filter(|level| has(level)).map(str::to_owned).collect();
    match first {
        Some(first) if first + 1 < LADDER.len() && is_upper(first) => {
            words.push(format!("{} and above", LADDER[first]));
        }
        _ => words.extend(LADDER.into_iter().filter(|level| has(level)).map(str::to_owned)),
    }
    words.join(", ")
}

/// ` since GCC 12`, if the versions at hand say so.
fn since(cluster: &Cluster, product: &str) -> String {
    let Some(versions) = &cluster.versions else { return String::new() };
    let (Some(bad), Some(good)) = (versions.first_bad(), versions.last_good()) else {
        return String::new();
    };
    let major = |known: &Replayed| known.number().first().copied().unwrap_or(0);
    let (bad_major, good_major) = (major(bad), major(good));
    match bad_major - good_major.min(bad_major) {
        0 => format!(" since {product}{}", bad.short_version()),
        1 => format!(" since {product}{bad_major}"),
        // Those in between are not at hand, or say nothing.
        _ => format!(" in {product}{bad_major}, not in {product}{good_major}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{bug_file, cluster, versions};
    use super::*;

    fn check(kind: &str, verdict: Verdict, edit: impl FnOnce(&mut Cluster), expected: &str) {
        let mut bug = cluster(1, verdict, kind, 5);
        bug.kind = kind.to_owned();
        edit(&mut bug);
        assert_eq!(title(&bug), expected);
    }

    #[test]
    fn titles_of_gcc() {
        let plain = |_: &mut Cluster| {};
        check("gcc", Verdict::WrongResult, plain, "wrong code at -O2 and above since GCC 12");
        let without = |bug: &mut Cluster| bug.versions = None;
        check("gcc", Verdict::Hang, without, "wrong code at -O3 (hang)");
        check("gcc", Verdict::Crash, without, "wrong code at -O3 (the compiled program crashes)");
        let aborts = |bug: &mut Cluster| {
            bug.versions = None;
            bug.front.bug = Some(bug_file(""));
        };
        check("gcc", Verdict::Crash, aborts, "wrong code at -O3");
        let ice = |bug: &mut Cluster| {
            bug.versions = None;
            bug.suspected_causes = vec!["in replace_ref, at gimple-ssa-strength.cc".to_owned()];
        };
        let expected = "ICE in replace_ref, at gimple-ssa-strength.cc at -O3";
        check("gcc", Verdict::CompilerCrash, ice, expected);
        let flags = |bug: &mut Cluster| {
            bug.versions = None;
            bug.front.target.flags = ["-Os", "-fno-tree-vrp", "-w"].map(str::to_owned).to_vec();
        };
        check("gcc", Verdict::WrongResult, flags, "wrong code at -Os with -fno-tree-vrp");
        let gap = |bug: &mut Cluster| {
            bug.versions = Some(versions(&[("gcc 10.5.0", false), ("gcc 12.2.0", true)], &[]));
        };
        check("gcc", Verdict::WrongResult, gap, "wrong code at -O3 in GCC 12, not in GCC 10");
        let minor = |bug: &mut Cluster| {
            bug.versions = Some(versions(&[("gcc 12.1.0", false), ("gcc 12.2.0", true)], &[]));
        };
        check("gcc", Verdict::WrongResult, minor, "wrong code at -O3 since GCC 12.2.0");
    }

    #[test]
    fn titles_of_llvm() {
        let pass = |bug: &mut Cluster| {
            bug.versions = None;
            bug.bisected_pass = Some("LoopVectorizePass".to_owned());
        };
        check("clang", Verdict::WrongResult, pass, "[LoopVectorize] Miscompile at -O3");
        let unknown = |bug: &mut Cluster| {
            bug.versions = None;
            (bug.bisected_pass, bug.suspected_causes) = (None, Vec::new());
        };
        check(
            "clang",
            Verdict::Crash,
            unknown,
            "[clang] Miscompile at -O3 (the compiled program crashes)",
        );
    }

    #[test]
    fn titles_of_engines_and_jvms() {
        let setting = |name: &'static str| {
            move |bug: &mut Cluster| {
                bug.versions = None;
                bug.front.target.setting = pathsmith_oracles::Setting::named(name);
            }
        };
        let expected = "Cranelift: Miscompilation: wrong result with cranelift-speed";
        check("wasmtime", Verdict::WrongResult, setting("cranelift-speed"), expected);
        check(
            "wasmtime",
            Verdict::Hang,
            setting("winch"),
            "Winch: Miscompilation: hang with winch",
        );
        let expected = "Miscompilation: wrong result with eager compilation";
        check("wasmi", Verdict::WrongResult, setting("wasmi-eager"), expected);
        let expected = "[wasm] Compiler crash with turbofan";
        check("node", Verdict::CompilerCrash, setting("turbofan"), expected);
        let c1 = |bug: &mut Cluster| {
            bug.suspected_causes = vec!["c1".to_owned(), "UseGlobalValueNumbering".to_owned()];
            bug.versions = Some(versions(&[("VM 17.0.15", false), ("VM 21.0.1", true)], &[]));
        };
        let expected = "C1: compiled code returns a wrong result in JDK 21, not in JDK 17";
        check("java", Verdict::WrongResult, c1, expected);
        let expected = "mine: wrong code: wrong result at -O3";
        check("mine", Verdict::WrongResult, |bug| bug.versions = None, expected);
    }

    #[test]
    fn levels_are_said_in_few_words() {
        assert_eq!(levels("-O3", Vec::new()), "-O3");
        assert_eq!(levels("-O2", vec!["-O3"]), "-O2 and above");
        assert_eq!(levels("-O1", vec!["-O3", "-O2", "-Os"]), "-Os, -O1 and above");
        assert_eq!(levels("-O1", vec!["-O3"]), "-O1, -O3");
        assert_eq!(levels("-Os", Vec::new()), "-Os");
        assert_eq!(levels("-O0", vec!["-Os", "-O1", "-O2", "-O3"]), "all levels");
    }
}

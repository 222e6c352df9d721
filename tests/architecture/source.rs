//! Reading Rust and Markdown, as far as the tests of the architecture need it.

use std::collections::BTreeSet;

/// Rust without comments, without what is in strings, and without modules that are there for tests
/// only and stand in the file. Lines stay where they are.
pub(crate) fn code_only(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '"' => string_length(rest),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#") => raw_length(rest),
            // A character, and not a lifetime.
            '\'' => char_length(rest),
            _ => {
                out.push(first);
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        let (skipped, after) = rest.split_at(length.max(1));
        out.extend(skipped.chars().filter(|c| *c == '\n'));
        out.push(' ');
        rest = after;
    }
    without_tests(&out)
}

fn string_length(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// `r"…"` or `r#"…"#`; 1 where it is a raw identifier.
fn raw_length(text: &str) -> usize {
    let n_hashes = text[1..].chars().take_while(|c| *c == '#').count();
    if !text[1 + n_hashes..].starts_with('"') {
        return 1;
    }
    let end = format!("\"{}", "#".repeat(n_hashes));
    let body = 2 + n_hashes;
    text[body..].find(&end).map_or(text.len(), |at| body + at + end.len())
}

fn char_length(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => text[2..].find('\'').map_or(1, |at| at + 3),
        Some(_) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}

/// Without what follows the line `mod tests {`: it stands last in a file.
fn without_tests(code: &str) -> String {
    let start = "#[cfg(test)]\nmod ";
    match code.find(start).filter(|at| {
        let declared = &code[at + start.len()..];
        let semicolon = declared.find(';').unwrap_or(declared.len());
        declared.find('{').is_some_and(|brace| brace < semicolon)
    }) {
        Some(at) => code[..at].to_owned(),
        None => code.to_owned(),
    }
}

/// All that `a{b,c}d` stands for.
pub(crate) fn expand_braces(text: &str) -> Vec<String> {
    let Some((before, rest)) = text.split_once('{') else { return vec![text.to_owned()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![text.to_owned()] };
    let words = inside.split(',').map(str::trim);
    words.flat_map(|word| expand_braces(&format!("{before}{word}{after}"))).collect()
}

/// Whether what stands in backticks is a path: it ends with a slash or in a way that files do, or
/// begins like an entry of the workspace's root.
pub(crate) fn is_path(text: &str, entries: &BTreeSet<&str>) -> bool {
    const ENDINGS: [&str; 12] = [
        ".rs", ".md", ".toml", ".json", ".sym", ".sh", ".java", ".js", ".css", ".snap", ".c", ".h",
    ];
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./*".contains(c);
    let is_file = ENDINGS.iter().any(|ending| text.len() > ending.len() && text.ends_with(ending));
    let (first, has_more) = match text.split_once('/') {
        Some((first, _)) => (first, true),
        None => (text, false),
    };
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
    starts_well
        && text.chars().all(is_plain)
        && (text.ends_with('/') || is_file || has_more && entries.contains(first))
}

/// Whether `path`, which may leave out the folders before it and have stars, names `tracked`.
pub(crate) fn names(path: &str, tracked: &str) -> bool {
    let path = path.trim_end_matches('/').split('/').rev();
    let mut found = tracked.trim_end_matches('/').split('/').rev();
    path.into_iter().all(|wanted| found.next().is_some_and(|name| matches(wanted, name)))
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((before, after)) => {
            let Some(rest) = name.strip_prefix(before) else { return false };
            (0..=rest.len()).any(|at| rest.is_char_boundary(at) && matches(after, &rest[at..]))
        }
    }
}

#[test]
fn comments_strings_and_tests_are_no_code() {
    let code = code_only(
        "use crate::a; // use crate::b;\nlet x = \"crate::c \\\" crate::d\"; let y = 'c'; &'a str\n\
         r#\"crate::e\"#; /* crate::f */ b'\\'' \n#[cfg(test)]\nmod tests {\n use crate::g;\n}\n",
    );
    assert!(code.contains("crate::a") && code.contains("a str"), "{code}");
    for gone in ["crate::b", "crate::c", "crate::d", "crate::e", "crate::f", "crate::g"] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
}

#[test]
fn paths_are_distinguished_from_other_words() {
    let entries = BTreeSet::from(["core", ".ci"]);
    for path in ["core/", "lang/text/", "walk.rs", "core/symlang", ".ci/run", "docs/*.md"] {
        assert!(is_path(path, &entries), "{path}");
    }
    for other in ["core", "a::b", "parse(print(p)) == p", ".rs", "i32/i64", "/s"] {
        assert!(!is_path(other, &entries), "{other}");
    }
    assert_eq!(expand_braces("backends/{c,wasm}"), ["backends/c", "backends/wasm"]);
    assert!(names("text/", "core/symlang/src/text/"));
    assert!(names("lang/*.rs", "core/src/lang/ops.rs"));
    assert!(!names("ext/", "core/symlang/src/text/"));
}

//! In what two programs, or what they are lowered to, differ.
//!
//! Programs are compared by the lines of their text, which every version prints in one way, and not
//! as programs: another version may know things that this one does not.

use std::collections::BTreeSet;
use std::fmt;

use pathsmith_symlang::dialect::Dialect;

/// In what a function changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// Only one side solved it.
    Solved,
    /// Its blocks, or where they lead.
    Graph,
    /// The path of the first realization.
    Path,
    /// Its variables and their types, or the type that it returns.
    Types,
    /// Statements and conditions, apart from constants.
    Statements,
    /// Constants, and neither the graph nor types nor statements.
    Constants,
    /// Realizations other than the first path, and nothing in the function.
    Realizations,
    /// Only comments and the line of the dialect.
    Header,
    /// Only one side could lower it.
    Lowered,
    /// What is lowered changed, because the program did.
    Program,
    /// Lowering options, and with them what is emitted.
    Options,
    /// Lowering options, but not what is emitted.
    OptionsOnly,
    /// What is emitted, of the same program with the same options.
    Code,
    /// Only comments in what is emitted, of the same program with the same options.
    Comments,
}

impl Aspect {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::Solved,
        Self::Graph,
        Self::Path,
        Self::Types,
        Self::Statements,
        Self::Constants,
        Self::Realizations,
        Self::Header,
        Self::Lowered,
        Self::Program,
        Self::Options,
        Self::OptionsOnly,
        Self::Code,
        Self::Comments,
    ];
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Solved => "solved on one side only",
            Self::Graph => "graph",
            Self::Path => "path",
            Self::Types => "types",
            Self::Statements => "statements",
            Self::Constants => "constants only",
            Self::Realizations => "realizations only",
            Self::Header => "header only",
            Self::Lowered => "lowered on one side only",
            Self::Program => "follows the program",
            Self::Options => "lowering options",
            Self::OptionsOnly => "lowering options only",
            Self::Code => "emitted code only",
            Self::Comments => "comments only",
        })
    }
}

/// In what two programs in SYMLANG differ; nothing if they are the same.
pub(super) fn program_aspects(old: &str, new: &str) -> BTreeSet<Aspect> {
    if old == new {
        return BTreeSet::new();
    }
    let (old, new) = (Parts::of(old), Parts::of(new));
    let changed = [
        (Aspect::Graph, old.graph != new.graph),
        (Aspect::Path, old.paths != new.paths),
        (Aspect::Types, old.declarations != new.declarations),
        (Aspect::Statements, old.statements != new.statements),
    ];
    let mut aspects: BTreeSet<Aspect> = changed
        .into_iter()
        .filter(|(_, has_changed)| *has_changed)
        .map(|(aspect, _)| aspect)
        .collect();
    let is_same_code = aspects.iter().all(|aspect| *aspect == Aspect::Path);
    if is_same_code && old.constants != new.constants {
        aspects.insert(Aspect::Constants);
    }
    if aspects.is_empty() {
        let other = match old.realizations == new.realizations {
            true => Aspect::Header,
            false => Aspect::Realizations,
        };
        aspects.insert(other);
    }
    aspects
}

/// The text of a program, taken apart.
#[derive(Debug, Default)]
struct Parts {
    /// Labels of blocks, and where the blocks lead.
    graph: Vec<String>,
    /// Types and names, without initial values.
    declarations: Vec<String>,
    /// Statements and terminators, without constants and targets.
    statements: Vec<String>,
    constants: Vec<String>,
    /// The first path of each function.
    paths: Vec<String>,
    realizations: Vec<String>,
}

impl Parts {
    fn of(text: &str) -> Self {
        let mut parts = Self::default();
        let mut realized = BTreeSet::new();
        for line in text.lines() {
            let trimmed = line.trim();
            let first = trimmed.split([' ', '(', ':']).next().unwrap_or_default();
            match first {
                "" | "}" | "dialect" | "main" => {}
                _ if trimmed.starts_with("//") => {}
                "global" | "var" => {
                    let (declared, value) = trimmed.split_once(" = ").unwrap_or((trimmed, ""));
                    parts.declarations.push(declared.to_owned());
                    parts.constants.push(value.to_owned());
                }
                "fn" => parts.declarations.push(trimmed.to_owned()),
                "realize" => {
                    let (known, path) = trimmed.split_once(" via ").unwrap_or((trimmed, ""));
                    let function = known.split('(').next().unwrap_or_default();
                    if realized.insert(function) {
                        parts.paths.push(path.to_owned());
                    }
                    parts.realizations.push(trimmed.to_owned());
                }
                _ => match trimmed.strip_suffix(':') {
                    Some(label) => parts.graph.push(label.to_owned()),
                    None => parts.add_statement(trimmed),
                },
            }
        }
        parts
    }

    fn add_statement(&mut self, line: &str) {
        let mut masked = String::with_capacity(line.len());
        let mut rest = line;
        let mut leads_on = false;
        let mut before = ' ';
        while let Some(c) = rest.chars().next() {
            let is_number = c.is_ascii_digit()
                || c == '-' && matches!(before, ' ' | '(' | '[') && starts_with_digit(&rest[1..]);
            let len = match c {
                _ if is_number => 1 + run(&rest[1..], |c| c.is_ascii_digit()),
                _ if is_word(c) => run(rest, is_word),
                '-' if rest.starts_with("->") => 2,
                _ => c.len_utf8(),
            };
            let token = &rest[..len];
            if is_number {
                self.constants.push(token.to_owned());
                masked.push('#');
            } else if leads_on && is_word(c) {
                self.graph.push(format!("-> {token}"));
                masked.push('_');
            } else {
                masked.push_str(token);
            }
            leads_on = matches!(token, "goto" | "else" | "->") || leads_on && token == " ";
            before = c;
            rest = &rest[len..];
        }
        self.statements.push(masked);
    }
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of what `is_part` of a text, from its start.
fn run(text: &str, is_part: impl Fn(char) -> bool) -> usize {
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

/// Whether two texts in the target language of a dialect differ in comments only.
pub(super) fn is_same_without_comments(old: &str, new: &str, dialect: Dialect) -> bool {
    let comment = match dialect {
        Dialect::C | Dialect::Jvm => "//",
        Dialect::Wasm => ";;",
    };
    let lines = |text: &str| -> Vec<String> {
        let stripped =
            text.lines().map(|line| without_comment(line, comment).trim_end().to_owned());
        stripped.filter(|line| !line.is_empty()).collect()
    };
    lines(old) == lines(new)
}

fn without_comment<'a>(line: &'a str, comment: &str) -> &'a str {
    match line.find(comment) {
        // What looks like a comment may be in a string.
        Some(at) if !line[..at].contains('"') => &line[..at],
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "dialect c;

/// policies: short
fn f(a: i32, b: u64) -> u32 {
    var v: [i8; 3] = [1, -2, 3];

entry:
    v[a] = a - 5 + -7 * i32(b >> 3u64);
    if a < -1 goto B1 else exit;
B1:
    switch a { 3 -> B1, -4 -> exit, else -> exit };
exit:
    return checksum;
}

realize f(1, 2) = 5 via entry exit;
realize f(-1, 2) = 6 via entry B1 exit;
";

    fn check(from: &str, to: &str, expected: &[Aspect]) {
        assert!(PROGRAM.contains(from), "{from}");
        let changed = PROGRAM.replacen(from, to, 1);
        let aspects = program_aspects(PROGRAM, &changed);
        assert_eq!(aspects.into_iter().collect::<Vec<_>>(), expected, "{from} -> {to}");
    }

    #[test]
    fn changes_are_told_apart() {
        use Aspect::*;
        check("a - 5", "a - 5", &[]);
        check("short", "long", &[Header]);
        check("dialect c", "dialect wasm", &[Header]);
        check("realize f(-1, 2) = 6", "realize f(-2, 2) = 6", &[Realizations]);
        check("realize f(1, 2) = 5", "realize f(1, 3) = 5", &[Realizations]);
        check("via entry exit", "via entry B1 exit", &[Path]);
        check("a - 5", "a - 6", &[Constants]);
        check("-7", "7", &[Constants]);
        check("-1 goto", "12 goto", &[Constants]);
        check("3u64", "4u64", &[Constants]);
        check("-4 ->", "-5 ->", &[Constants]);
        check("[1, -2, 3]", "[1, 2, 3]", &[Constants]);
        check("3u64", "3u32", &[Statements]);
        check("a - 5", "a + 5", &[Statements]);
        check("return checksum", "return a", &[Statements]);
        check("[i8; 3]", "[i16; 3]", &[Types]);
        check("[i8; 3]", "[i8; 4]", &[Types]);
        check("-> u32 {", "-> u64 {", &[Types]);
        check("goto B1 else", "goto exit else", &[Graph]);
        check("else -> exit", "else -> B1", &[Graph]);
        check("3 -> B1", "3 -> exit", &[Graph]);
        check("B1:", "B2:", &[Graph]);
        check("    var v: [i8; 3] = [1, -2, 3];\n", "", &[Types]);
        check("a - 5 + -7 * i32(b >> 3u64)", "a", &[Statements]);
    }

    #[test]
    fn several_aspects_change_together() {
        let changed = PROGRAM.replace("a - 5", "a * 5").replace("via entry exit", "via entry");
        let aspects = program_aspects(PROGRAM, &changed.replace("f(a: i32", "f(a: i16"));
        let expected = [Aspect::Path, Aspect::Types, Aspect::Statements];
        assert_eq!(aspects, BTreeSet::from(expected));
    }

    /// Text of versions to come is compared as well.
    #[test]
    fn any_text_is_taken_apart() {
        for text in ["", "é -", "goto", "a = ->", ":", "- -1--2 é12 ->é", "realize", "var x"] {
            assert!(!program_aspects(text, PROGRAM).is_empty(), "{text}");
            assert!(program_aspects(text, text).is_empty());
        }
    }

    #[test]
    fn comments_are_left_out() {
        let is_same = is_same_without_comments;
        assert!(is_same("a; // x\n// y\nb;\n", "a;\n  // z\nb;", Dialect::C));
        assert!(!is_same("a; // x\n", "b; // x\n", Dialect::C));
        assert!(!is_same("f(\"//a\");", "f(\"//b\");", Dialect::C));
        assert!(is_same("i32.add\n", ";; B1\ni32.add\n", Dialect::Wasm));
        assert!(!is_same("// a\n", "// b\n", Dialect::Wasm));
    }
}

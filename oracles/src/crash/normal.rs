//! Messages without what differs from one finding to the next.

/// `text` with placeholders: `N` for numbers and addresses, `ID` for names like those that we give
/// to functions and variables, `PATH` for files that are not a source of the target. Of those, the
/// name is kept, without the folder and the line.
pub(super) fn normalised(text: &str) -> String {
    let words: Vec<String> = text.split_whitespace().map(word).collect();
    words.join(" ")
}

/// A name without its parameters, offset and address: `Node::out` of `Node::out(int)+0x1b`.
pub(super) fn function_name(text: &str) -> String {
    let text = text.trim();
    let hidden = "(anonymous namespace)";
    let open = text.replace(hidden, "ANON");
    // `operator()` is the one name with a parenthesis in it.
    let from = open.find("operator()").map_or(0, |at| at + "operator()".len());
    let end = open[from..].find(['(', '+']).map_or(open.len(), |at| from + at);
    let name = open[..end].trim();
    // Templates are long, and differ by what they are made of.
    let name = without_angles(name);
    // A template's result type stands before its name.
    let name = name.rsplit(' ').next().unwrap_or(&name);
    name.replace("ANON", hidden)
}

fn without_angles(name: &str) -> String {
    let mut depth = 0_u32;
    let mut kept = String::new();
    for c in name.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}

fn word(word: &str) -> String {
    let is_wrap = |c: char| "'\"`‘’()[]{},;:".contains(c);
    let core = word.trim_matches(is_wrap).trim_end_matches('.');
    if core.is_empty() {
        return word.to_owned();
    }
    let begin = word.find(core).unwrap_or(0);
    let (before, after) = (&word[..begin], &word[begin + core.len()..]);
    let core = if core.contains('/') { path(core) } else { pieces(core) };
    format!("{before}{core}{after}")
}

/// The name of a source file of the target's, without its line.
fn path(text: &str) -> String {
    let name = text.rsplit('/').next().unwrap_or(text);
    let name = name.split(':').next().unwrap_or(name);
    let is_source = [".cc", ".cpp", ".h", ".hpp", ".inc", ".md", ".rs"]
        .iter()
        .any(|extension| name.ends_with(extension));
    if is_source { name.to_owned() } else { "PATH".to_owned() }
}

/// Replaces numbers and generated names inside of a word.
fn pieces(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let end = match is_part(c) {
            true => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            false => c.len_utf8(),
        };
        let (piece, after) = rest.split_at(end);
        out.push_str(placeholder(piece));
        rest = after;
    }
    out
}

fn placeholder(piece: &str) -> &str {
    if piece.starts_with(|c: char| c.is_ascii_digit()) {
        "N"
    } else if is_generated(piece) {
        "ID"
    } else {
        piece
    }
}

/// `f12`, `f12_3`, `p0`, `v7`, `a0`; also `B3` and `bb12`, as blocks are called.
fn is_generated(piece: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_lowercase() || c == 'B';
    let letters = piece.find(|c| !is_letter(c)).unwrap_or(piece.len());
    let (name, number) = piece.split_at(letters);
    let is_type = matches!(name, "i" | "u") && matches!(number, "8" | "16" | "32" | "64" | "128");
    (1..=2).contains(&name.len())
        && !is_type
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_replaced() {
        for (text, expected) in [
            ("value 0x7ffe12 of 'f12_3' is not -17", "value N of 'ID' is not -N"),
            ("/tmp/ccX1.s: cannot open", "PATH: cannot open"),
            ("at ../../src/gcc/tree-ssa.cc:117", "at tree-ssa.cc"),
            ("getInt32Ty() of i32 and p0", "getInt32Ty() of i32 and ID"),
            ("`v2 && \"C2 of X86\"'.", "`ID && \"C2 of X86\"'."),
        ] {
            assert_eq!(normalised(text), expected);
        }
    }

    #[test]
    fn functions_lose_parameters_and_offsets() {
        for (text, expected) in [
            ("llvm::Value::getType() const (.so+0xa)", "llvm::Value::getType"),
            ("Node::unique_ctrl_out() const+0xb", "Node::unique_ctrl_out"),
            ("bool llvm::any<int, X<3>>(int)", "llvm::any"),
            ("(anonymous namespace)::Pass::run(int)", "(anonymous namespace)::Pass::run"),
            ("X::operator()(int)+0x3", "X::operator()"),
        ] {
            assert_eq!(function_name(text), expected);
        }
    }
}

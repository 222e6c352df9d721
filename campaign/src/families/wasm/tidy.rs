//! The text of a module as a person would write it.

/// The line that ends a function.
const FUNCTION_END: &str = "  )";

/// A text without what only a printer writes: the numbers of things that have names, types that
/// functions repeat, and `return` at the end of a function. A module whose types matter keeps them.
pub(super) fn tidied(text: &str) -> String {
    let needs_types = text.contains("call_indirect") || text.contains("(type $");
    let next = text.lines().skip(1).chain([""]);
    let is_needed = |(line, next): &(&str, &str)| {
        (needs_types || !is_type(line)) && !(line.trim() == "return" && *next == FUNCTION_END)
    };
    let lines = std::iter::zip(text.lines(), next).filter(is_needed);
    let tidied = lines.map(|(line, _)| line).map(|line| {
        let line = without(line, " (;", ";)");
        if needs_types { line } else { without(&line, " (type ", ")") }
    });
    tidied.map(|line| line + "\n").collect()
}

/// A text with one instruction in place of two that assign a local and read it at once. Engines need
/// not treat both alike.
pub(super) fn with_tee(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for line in text.lines() {
        let set = out.last().and_then(|last| last.split_once("local.set "));
        let joined = match (set, line.split_once("local.get ")) {
            (Some((indent, set)), Some((own, get))) if set == get && indent == own => {
                Some(format!("{indent}local.tee {set}"))
            }
            _ => None,
        };
        match (joined, out.last_mut()) {
            (Some(joined), Some(last)) => *last = joined,
            _ => out.push(line.to_owned()),
        }
    }
    out.into_iter().map(|line| line + "\n").collect()
}

fn is_type(line: &str) -> bool {
    line.trim_start().starts_with("(type ")
}

/// A line without the parts that have a number between `start` and `end`.
fn without(line: &str, start: &str, end: &str) -> String {
    let mut kept = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once(start) {
        kept += before;
        match after.split_once(end) {
            Some((number, after)) if is_number(number) => rest = after,
            _ => {
                kept += start;
                rest = after;
            }
        }
    }
    kept + rest
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRINTED: &str = "\
(module
  (type (;0;) (func (param i32) (result i32)))
  (memory (;0;) 1 1)
  (func $f (;0;) (type 0) (param $a i32) (result i32)
    block (result i32) ;; label = @1
      local.get $a
      br 0 (;@1;)
    end
    return
  )
)
";

    #[test]
    fn numbers_and_types_go() {
        let expected = "\
(module
  (memory 1 1)
  (func $f (param $a i32) (result i32)
    block (result i32) ;; label = @1
      local.get $a
      br 0 (;@1;)
    end
  )
)
";
        assert_eq!(tidied(PRINTED), expected);
        assert!(wat::parse_str(expected).is_ok());
    }

    #[test]
    fn what_is_assigned_and_read_at_once_is_one_instruction() {
        let text =
            "  local.set $a\n  local.get $a\n  local.get $a\n  local.set $a\n  local.get $b\n";
        let expected = "  local.tee $a\n  local.get $a\n  local.set $a\n  local.get $b\n";
        assert_eq!(with_tee(text), expected);
    }

    #[test]
    fn types_of_indirect_calls_stay() {
        let indirect = PRINTED.replace("br 0 (;@1;)", "call_indirect (type 0)");
        let tidied = tidied(&indirect);
        assert!(tidied.contains("(type (func (param i32) (result i32)))"));
        assert!(tidied.contains("call_indirect (type 0)"));
    }
}

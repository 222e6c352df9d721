//! Links to Compiler Explorer, made without asking it: the whole state of the page is in the link,
//! as JSON in base64 (`GET /clientstate/<base64>` of its documentation).

use pathsmith_oracles::shell_command;
use serde_json::json;

use super::model::{Cluster, Syntax};
use super::parts::test_files;
use super::title::plain_flags;
use super::tracker::Tracker;
use crate::versions::version_number;

/// How long a link may be: what servers and trackers take. A guess on the safe side.
const MAX_LENGTH: usize = 8000;

/// The releases of clang that Compiler Explorer has one of each of, from 14 on.
const CLANGS: [(u64, &str); 8] = [
    (14, "cclang1400"),
    (15, "cclang1500"),
    (16, "cclang1600"),
    (17, "cclang1701"),
    (18, "cclang1810"),
    (19, "cclang1910"),
    (20, "cclang2010"),
    (21, "cclang2110"),
];

/// A page with the test, compiled and run by the version that shows the bug and by the newest. Nothing
/// if it has no such compiler, or the test is more than one file or too long for a link.
pub(super) fn link(cluster: &Cluster) -> Option<String> {
    let [test] = test_files(&cluster.front)[..] else { return None };
    let target = &cluster.front.target;
    if test.syntax != Syntax::C || !target.runner.is_empty() {
        return None;
    }
    let (own, newest) = compilers(Tracker::of(cluster), &version_number(&target.version))?;
    let options = shell_command(plain_flags(cluster));
    let ids = own.into_iter().chain([newest]);
    let compilers: Vec<_> = ids.clone().map(|id| json!({ "id": id, "options": options })).collect();
    let executor = |id: String| {
        json!({
            "arguments": "",
            "compiler": { "id": id, "libs": [], "options": options },
            "stdin": "",
        })
    };
    let state = json!({ "sessions": [{
        "id": 1,
        "language": "c",
        "source": test.text,
        "compilers": compilers,
        "executors": ids.map(executor).collect::<Vec<_>>(),
    }] });
    let link = format!("https://godbolt.org/clientstate/{}", base64(state.to_string().as_bytes()));
    (link.len() <= MAX_LENGTH).then_some(link)
}

/// The names of a version, if it is known there, and of the newest of the same compiler.
fn compilers(tracker: Tracker, number: &[u64]) -> Option<(Option<String>, String)> {
    match (tracker, number) {
        (Tracker::Gcc, [major, minor, ..]) if *major >= 7 => {
            Some((Some(format!("cg{major}{minor}")), "cgsnapshot".to_owned()))
        }
        (Tracker::Llvm, [major, ..]) => {
            let known = CLANGS.iter().find(|(known, _)| known == major);
            Some((known.map(|(_, id)| (*id).to_owned()), "cclang_trunk".to_owned()))
        }
        _ => None,
    }
}

/// Bytes in base64, as they can stand in the path of an address.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = (bits >> (18 - 6 * digit)) & 63;
            match DIGITS[value as usize] {
                _ if digit > group.len() => out.push_str("%3D"),
                b'+' => out.push_str("%2B"),
                b'/' => out.push_str("%2F"),
                plain => out.push(char::from(plain)),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use pathsmith_oracles::Verdict;

    use super::super::sample::cluster;
    use super::*;

    /// What a link of ours says: the opposite of [`base64`].
    fn state(link: &str) -> serde_json::Value {
        let text = link.strip_prefix("https://godbolt.org/clientstate/").expect("such a link");
        let text = text.replace("%3D", "").replace("%2B", "+").replace("%2F", "/");
        let digit = |c: u8| match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let mut bytes = Vec::new();
        for group in text.as_bytes().chunks(4) {
            let bits = group.iter().fold(0_u32, |bits, c| bits << 6 | u32::from(digit(*c)));
            let bits = bits << (6 * (4 - group.len()));
            bytes.extend(&bits.to_be_bytes()[1..group.len()]);
        }
        serde_json::from_slice(&bytes).expect("JSON")
    }

    #[test]
    fn base64_is_that_of_the_standard() {
        for (text, expected) in [
            ("", ""),
            ("f", "Zg%3D%3D"),
            ("fo", "Zm8%3D"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg%3D%3D"),
        ] {
            assert_eq!(base64(text.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "%2B%2F%2F%2B");
    }

    #[test]
    fn a_link_holds_the_test_and_the_compilers() {
        let bug = cluster(1, Verdict::WrongResult, "gcc", 5);
        let state = state(&link(&bug).expect("a link"));
        let session = &state["sessions"][0];
        assert_eq!((&session["id"], &session["language"]), (&1.into(), &"c".into()));
        assert_eq!(session["source"], bug.front.sources[0].text);
        assert_eq!(session["compilers"][0], json!({ "id": "cg122", "options": "-O3" }));
        assert_eq!(session["compilers"][1]["id"], "cgsnapshot");
        assert_eq!(session["executors"][0]["compiler"]["id"], "cg122");
    }

    #[test]
    fn what_the_page_does_not_have_gets_no_link() {
        let jvm = cluster(1, Verdict::WrongResult, "java", 5);
        assert_eq!(link(&jvm), None);
        let mut long = cluster(1, Verdict::WrongResult, "gcc", 5);
        long.front.sources[0].text = "int x;\n".repeat(10_000);
        assert_eq!(link(&long), None);
        let mut clang = cluster(1, Verdict::WrongResult, "clang", 5);
        clang.front.target.version = "clang version 22.1.0".to_owned();
        let state = state(&link(&clang).expect("a link"));
        assert_eq!(state["sessions"][0]["compilers"][0]["id"], "cclang_trunk");
    }
}

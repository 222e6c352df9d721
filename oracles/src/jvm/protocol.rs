//! What the host inside of a JVM is asked, and what it answers.
//!
//! A question is the name of a file with a request in it. All numbers are big-endian, as Java
//! reads them:
//!
//! ```text
//! u8              1 if the host says where it is before each step, 0 if only before each function
//! i32             how many classes; for each, the main class first:
//!   i32 bytes       its name
//!   i32 bytes       its class file
//! i32             how many calls; for each:
//!   i32 i64         the number of the function, and what it has to give
//!   i32 i64...      the arguments
//! i32             how many steps; for each:
//!   i32 i32         the call, and how many times in a row
//! ```
//!
//! The answer is lines:
//!
//! ```text
//! ready              once, when the host has started
//! loaded             all classes are verified and initialized
//! begun 3            steps of function 3 come next
//! at 17              call 17 comes next
//! wrong 17 250 -5    call 17 gave -5 in its 250th repetition
//! thrown 17 why      call 17 ended with an exception
//! done 40            all steps are done, and there were 40 calls
//! rejected why       the classes were not taken, in place of all of these
//! ```

use pathsmith_backend_jvm::JvmClasses;
use pathsmith_symlang::lang::{Scalar, ScalarTy};

use super::warmup::Step;

/// The request about `classes`, with `steps` to be done.
pub fn request(classes: &JvmClasses, steps: &[Step], careful: bool) -> Vec<u8> {
    let mut out = vec![u8::from(careful)];
    let int = |n: usize| (n as i32).to_be_bytes();
    out.extend(int(classes.classes.len()));
    for class in &classes.classes {
        for bytes in [class.name.as_bytes(), &class.bytes] {
            out.extend(int(bytes.len()));
            out.extend(bytes);
        }
    }
    out.extend(int(classes.calls.len()));
    for call in &classes.calls {
        out.extend(int(call.function));
        out.extend(value_bytes(call.expected));
        out.extend(int(call.args.len()));
        out.extend(call.args.iter().flat_map(|arg| value_bytes(*arg)));
    }
    out.extend(int(steps.len()));
    for step in steps {
        out.extend(int(step.call));
        out.extend(step.times.to_be_bytes());
    }
    out
}

/// A value as the host reads it.
fn value_bytes(value: Scalar) -> [u8; 8] {
    match value.ty() {
        ScalarTy::Int(_) => value.word().to_be_bytes(),
    }
}

/// A line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Ready,
    Loaded,
    Begun(usize),
    At(usize),
    Wrong { call: usize, nth: u32, value: i64 },
    Thrown { call: usize, message: String },
    Done(usize),
    Rejected(String),
    Garbage(String),
}

impl Reply {
    pub(super) fn parse(line: &str) -> Self {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let reply = match word {
            "ready" if rest.is_empty() => Some(Self::Ready),
            "loaded" if rest.is_empty() => Some(Self::Loaded),
            "begun" => rest.parse().ok().map(Self::Begun),
            "at" => rest.parse().ok().map(Self::At),
            "done" => rest.parse().ok().map(Self::Done),
            "rejected" => Some(Self::Rejected(rest.to_owned())),
            "wrong" => wrong(rest),
            "thrown" => thrown(rest),
            _ => None,
        };
        reply.unwrap_or_else(|| Self::Garbage(line.to_owned()))
    }
}

fn wrong(rest: &str) -> Option<Reply> {
    let mut words = rest.split(' ');
    let call = words.next()?.parse().ok()?;
    let nth = words.next()?.parse().ok()?;
    let value = words.next()?.parse().ok()?;
    words.next().is_none().then_some(Reply::Wrong { call, nth, value })
}

fn thrown(rest: &str) -> Option<Reply> {
    let (call, message) = rest.split_once(' ')?;
    Some(Reply::Thrown { call: call.parse().ok()?, message: message.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_are_read_and_nonsense_is_kept() {
        assert_eq!(Reply::parse("loaded"), Reply::Loaded);
        let wrong = Reply::Wrong { call: 17, nth: 250, value: -5 };
        assert_eq!(Reply::parse("wrong 17 250 -5"), wrong);
        let thrown = Reply::Thrown { call: 1, message: "a b".to_owned() };
        assert_eq!(Reply::parse("thrown 1 a b"), thrown);
        assert_eq!(Reply::parse("done 40"), Reply::Done(40));
        for line in ["", "ready now", "wrong 1", "wrong 1 2 3 4", "thrown x y", "at -1", "# A"] {
            assert_eq!(Reply::parse(line), Reply::Garbage(line.to_owned()));
        }
    }
}

//! StackMapTable frames.

/// What the verifier knows about a local variable or a value on the operand stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerificationType {
    /// An `int`, or one of the types that are kept in one.
    Int,
    /// A `long`.
    Long,
    /// A `float`.
    Float,
    /// A `double`.
    Double,
    /// A reference to an object of the class at this index of the constant pool.
    Object(u16),
}

impl VerificationType {
    /// How many slots a value takes.
    pub const fn n_slots(self) -> usize {
        match self {
            Self::Long | Self::Double => 2,
            Self::Int | Self::Float | Self::Object(_) => 1,
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Int => out.push(1),
            Self::Float => out.push(2),
            Self::Double => out.push(3),
            Self::Long => out.push(4),
            Self::Object(class) => {
                out.push(7);
                out.extend(class.to_be_bytes());
            }
        }
    }
}

/// The types at one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame<'a> {
    pub(super) pc: usize,
    pub(super) locals: &'a [VerificationType],
    pub(super) stack: &'a [VerificationType],
}

/// The content of a StackMapTable, for frames in order of `pc`, each in its shortest form.
pub(super) fn stack_map_table(params: &[VerificationType], frames: &[Frame<'_>]) -> Vec<u8> {
    let mut out = Vec::from((frames.len() as u16).to_be_bytes());
    let mut before = params;
    let mut next = 0;
    for frame in frames {
        let delta = (frame.pc - next) as u16;
        write_frame(before, frame, delta, &mut out);
        before = frame.locals;
        next = frame.pc + 1;
    }
    out
}

fn write_frame(before: &[VerificationType], frame: &Frame<'_>, delta: u16, out: &mut Vec<u8>) {
    const SAME_LOCALS_1: u8 = 64;
    const SAME_LOCALS_1_EXTENDED: u8 = 247;
    const SAME_EXTENDED: u8 = 251;
    const FULL: u8 = 255;
    let added = frame.locals.strip_prefix(before);
    match (added, frame.stack) {
        (Some([]), []) if delta < 64 => out.push(delta as u8),
        (Some([]), [top]) if delta < 64 => {
            out.push(SAME_LOCALS_1 + delta as u8);
            top.write(out);
        }
        (Some([]), [top]) => {
            out.push(SAME_LOCALS_1_EXTENDED);
            out.extend(delta.to_be_bytes());
            top.write(out);
        }
        (Some(added), []) if added.len() <= 3 => {
            out.push(SAME_EXTENDED + added.len() as u8);
            out.extend(delta.to_be_bytes());
            added.iter().for_each(|ty| ty.write(out));
        }
        _ => {
            out.push(FULL);
            out.extend(delta.to_be_bytes());
            for types in [frame.locals, frame.stack] {
                out.extend((types.len() as u16).to_be_bytes());
                types.iter().for_each(|ty| ty.write(out));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_take_their_shortest_form() {
        use VerificationType::{Double, Float, Int, Long, Object};
        let frame = |pc, locals, stack| Frame { pc, locals, stack };
        let frames = [
            frame(2, &[Int, Long][..], &[][..]),
            frame(3, &[Int, Long], &[]),
            frame(100, &[Int, Long], &[]),
            frame(101, &[Int, Long], &[Object(7)]),
            frame(200, &[Int, Long], &[Int]),
            frame(201, &[Int], &[Int, Int]),
            frame(202, &[Int, Float, Double], &[]),
        ];
        let expected = [
            &[0, 7][..],
            &[252, 0, 2, 4],
            &[0],
            &[251, 0, 96],
            &[64, 7, 0, 7],
            &[247, 0, 98, 1],
            &[255, 0, 0, 0, 1, 1, 0, 2, 1, 1],
            &[253, 0, 0, 2, 3],
        ];
        assert_eq!(stack_map_table(&[Int], &frames), expected.concat());
    }
}

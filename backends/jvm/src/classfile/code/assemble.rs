//! Where everything stands, how far jumps lead, and the frames at their targets.

use super::super::frame::{Frame, stack_map_table};
use super::super::op;
use super::super::{MAX_U16, TooLarge};
use super::{CodeBuilder, Item, ItemKind, Label};

/// How far a jump of two bytes leads.
const SHORT: std::ops::RangeInclusive<i64> = i16::MIN as i64..=i16::MAX as i64;

/// Where things stand.
struct CodeLayout {
    /// Where each item begins.
    items: Vec<usize>,
    /// Where each label is.
    labels: Vec<usize>,
    /// Which items are jumps that two bytes are not enough for.
    is_long: Vec<bool>,
    len: usize,
}

/// Instructions, the StackMapTable if there is one, and the comments with their places.
type Assembled = (Vec<u8>, Option<Vec<u8>>, Vec<(usize, String)>);

impl CodeBuilder<'_> {
    pub(super) fn assemble(&self, name: &str) -> Result<Assembled, TooLarge> {
        let layout = self.layout(name)?;
        let mut out = Vec::with_capacity(layout.len);
        let mut copied = 0;
        for (i, item) in self.items.iter().enumerate() {
            out.extend(&self.bytes[copied..item.at]);
            copied = item.at;
            emit_item(&layout, i, &item.kind, &mut out);
        }
        out.extend(&self.bytes[copied..]);
        let frames = self.frames(&layout);
        let table = (!frames.is_empty()).then(|| stack_map_table(&self.params, &frames));
        Ok((out, table, self.comments(&layout)))
    }

    fn comments(&self, layout: &CodeLayout) -> Vec<(usize, String)> {
        let comment = |(item, at): (&Item, &usize)| match &item.kind {
            ItemKind::Comment(text) => Some((*at, text.clone())),
            ItemKind::Place(_)
            | ItemKind::Goto(_)
            | ItemKind::Branch(..)
            | ItemKind::Table { .. }
            | ItemKind::Lookup { .. } => None,
        };
        self.items.iter().zip(&layout.items).filter_map(comment).collect()
    }

    /// Jumps are short until they turn out not to be; making one long moves others.
    fn layout(&self, name: &str) -> Result<CodeLayout, TooLarge> {
        let mut layout = CodeLayout {
            items: vec![0; self.items.len()],
            labels: vec![0; self.labels.len()],
            is_long: vec![false; self.items.len()],
            len: 0,
        };
        loop {
            let mut added = 0;
            for (i, item) in self.items.iter().enumerate() {
                let pc = item.at + added;
                layout.items[i] = pc;
                if let ItemKind::Place(label) = item.kind {
                    layout.labels[label.0] = pc;
                }
                added += size(item, pc, layout.is_long[i]);
            }
            layout.len = self.bytes.len() + added;
            TooLarge::check(layout.len, MAX_U16, || format!("the code of {name}"))?;
            if !self.lengthen_jumps(&mut layout) {
                return Ok(layout);
            }
        }
    }

    /// Makes the jumps long that lead too far, and tells whether there were any.
    fn lengthen_jumps(&self, layout: &mut CodeLayout) -> bool {
        let mut changed = false;
        for (i, item) in self.items.iter().enumerate() {
            if let ItemKind::Goto(target) | ItemKind::Branch(_, target, _) = item.kind
                && !layout.is_long[i]
                && !SHORT.contains(&layout.distance(layout.items[i], target))
            {
                layout.is_long[i] = true;
                changed = true;
            }
        }
        changed
    }

    fn frames<'a>(&'a self, layout: &CodeLayout) -> Vec<Frame<'a>> {
        let mut frames: Vec<Frame<'a>> = Vec::new();
        let mut add = |pc, stack| {
            // Several labels may be placed at one instruction.
            if frames.last().is_none_or(|last| last.pc != pc) {
                frames.push(Frame { pc, locals: &self.locals, stack });
            }
        };
        for (i, item) in self.items.iter().enumerate() {
            match &item.kind {
                ItemKind::Place(label) => {
                    let state = &self.labels[label.0];
                    if state.is_target || state.after_end {
                        add(layout.items[i], state.stack.as_deref().unwrap_or_default());
                    }
                }
                // It jumps over a `goto_w`, to what comes next.
                ItemKind::Branch(_, _, stack) if layout.is_long[i] => {
                    add(layout.items[i] + size(item, layout.items[i], true), stack);
                }
                _ => {}
            }
        }
        frames
    }
}

impl CodeLayout {
    fn distance(&self, from: usize, target: Label) -> i64 {
        self.labels[target.0] as i64 - from as i64
    }
}

fn size(item: &Item, pc: usize, is_long: bool) -> usize {
    match &item.kind {
        ItemKind::Place(_) | ItemKind::Comment(_) => 0,
        ItemKind::Goto(_) if is_long => 5,
        ItemKind::Branch(..) if is_long => 8,
        ItemKind::Goto(_) | ItemKind::Branch(..) => 3,
        ItemKind::Table { targets, .. } => 1 + padding(pc) + 12 + 4 * targets.len(),
        ItemKind::Lookup { cases, .. } => 1 + padding(pc) + 8 + 8 * cases.len(),
    }
}

/// The operands of a switch begin at a multiple of four.
fn padding(pc: usize) -> usize {
    3 - pc % 4
}

fn emit_item(layout: &CodeLayout, i: usize, kind: &ItemKind, out: &mut Vec<u8>) {
    let (pc, is_long) = (layout.items[i], layout.is_long[i]);
    let short = |target: Label| (layout.distance(pc, target) as i16).to_be_bytes();
    let long = |target: Label| (layout.distance(pc, target) as i32).to_be_bytes();
    match kind {
        ItemKind::Place(_) | ItemKind::Comment(_) => {}
        ItemKind::Goto(target) if is_long => {
            out.push(op::GOTO_W);
            out.extend(long(*target));
        }
        ItemKind::Goto(target) => {
            out.push(op::GOTO);
            out.extend(short(*target));
        }
        ItemKind::Branch(code, target, _) if is_long => {
            out.extend([negated(*code), 0, 8, op::GOTO_W]);
            out.extend((layout.distance(pc + 3, *target) as i32).to_be_bytes());
        }
        ItemKind::Branch(code, target, _) => {
            out.push(*code);
            out.extend(short(*target));
        }
        ItemKind::Table { low, targets, default } => {
            out.push(op::TABLESWITCH);
            out.extend(std::iter::repeat_n(0, padding(pc)));
            out.extend(long(*default));
            out.extend(low.to_be_bytes());
            out.extend((low.wrapping_add(targets.len() as i32 - 1)).to_be_bytes());
            targets.iter().for_each(|target| out.extend(long(*target)));
        }
        ItemKind::Lookup { cases, default } => {
            out.push(op::LOOKUPSWITCH);
            out.extend(std::iter::repeat_n(0, padding(pc)));
            out.extend(long(*default));
            out.extend((cases.len() as i32).to_be_bytes());
            for (key, target) in cases {
                out.extend(key.to_be_bytes());
                out.extend(long(*target));
            }
        }
    }
}

/// The branch that is taken where this one is not. They come in pairs, the first with an odd code.
const fn negated(code: u8) -> u8 {
    ((code + 1) ^ 1) - 1
}

#[cfg(test)]
mod tests {
    use super::super::super::op::{Cond, Op};
    use super::super::super::pool::ConstantPool;
    use super::*;

    #[test]
    fn branches_are_negated_in_pairs() {
        for cond in [Cond::Eq, Cond::Ne, Cond::Lt, Cond::Ge, Cond::Gt, Cond::Le] {
            assert_eq!(negated(cond.with_zero()), cond.negated().with_zero());
            assert_eq!(negated(cond.with_int()), cond.negated().with_int());
        }
    }

    #[test]
    fn far_jumps_are_long() {
        let mut pool = ConstantPool::new();
        let (mut code, params) = CodeBuilder::new(&mut pool, &["I"]);
        let (start, far) = (code.add_label(), code.add_label());
        code.place(start);
        code.load(params[0]);
        code.branch_zero(Cond::Lt, far);
        (0..20_000).for_each(|_| code.increment(params[0], 1));
        code.goto(start);
        code.place(far);
        code.load(params[0]);
        code.op(Op::Ireturn);
        let code = code.finish("far").unwrap();
        assert_eq!(code.bytes.len(), 1 + 8 + 60_000 + 5 + 2);
        assert_eq!(code.bytes[..9], [0x1a, 0x9c, 0, 8, 0xc8, 0, 0, 0xea, 0x6a]);
        assert_eq!(code.bytes[60_009..60_014], [0xc8, 0xff, 0xff, 0x15, 0x97]);
        // At the start, behind the branch, and at its target.
        assert_eq!(code.frames.unwrap(), [0, 3, 0, 8, 251, 0xea, 0x64]);
    }

    #[test]
    fn code_has_a_limit() {
        let mut pool = ConstantPool::new();
        let (mut code, params) = CodeBuilder::new(&mut pool, &["I"]);
        (0..30_000).for_each(|_| code.increment(params[0], 1));
        code.op(Op::Return);
        let error = code.finish("f").unwrap_err();
        assert_eq!(error.to_string(), "the code of f: 90001 is more than 65535");
    }

    #[test]
    fn the_stack_is_as_deep_as_it_gets() {
        let mut pool = ConstantPool::new();
        let (mut code, params) = CodeBuilder::new(&mut pool, &["J", "I"]);
        code.load(params[0]);
        code.load(params[1]);
        code.op(Op::Lshl);
        code.push_long(7);
        code.op(Op::Lcmp);
        code.op(Op::Ireturn);
        let code = code.finish("f").unwrap();
        assert_eq!((code.max_stack, code.max_locals, code.frames), (4, 3, None));
    }
}

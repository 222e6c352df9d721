//! Executes statements along a path, for tests: do they take the edges that the graph has?

use std::collections::BTreeMap;

use pathsmith_symlang::BlockId;
use pathsmith_symlang::graph::Path;
use pathsmith_symlang::lang::{Function, Scalar, Term};

use super::{Condition, LoopKind, Statement};

/// A flat form of statements: jumps lead to positions.
#[derive(Clone, Debug)]
enum Op {
    Visit(BlockId),
    /// Jumps if the condition does not hold.
    Unless(Condition, usize),
    Jump(usize),
    Goto(BlockId),
    /// For each label, where its arm begins.
    Switch(Vec<(Option<Scalar>, usize)>),
    Return,
}

/// Where `break` and `continue` lead: positions that are filled in once they are known.
struct Flat<'a> {
    function: &'a Function,
    ops: Vec<Op>,
    labels: BTreeMap<BlockId, usize>,
    breaks: Vec<Vec<usize>>,
    continues: Vec<Vec<usize>>,
}

impl Flat<'_> {
    fn all(&mut self, stms: &[Statement]) {
        stms.iter().for_each(|stm| self.stm(stm));
    }

    /// The block that ends with a condition.
    fn deciding(&self, condition: Condition) -> BlockId {
        let decides =
            |term: &Term| matches!(term, Term::If { cond, .. } if *cond == condition.expr);
        let mut blocks = self.function.blocks_with_ids();
        blocks.find(|(_, block)| decides(&block.term)).expect("a block").0
    }

    fn hole(&mut self) -> usize {
        self.ops.push(Op::Jump(usize::MAX));
        self.ops.len() - 1
    }

    fn lead(&mut self, jumps: Vec<usize>, to: usize) {
        for jump in jumps {
            match &mut self.ops[jump] {
                Op::Jump(target) | Op::Unless(_, target) => *target = to,
                other => panic!("{other:?} is no jump"),
            }
        }
    }

    fn stm(&mut self, stm: &Statement) {
        match stm {
            Statement::Label(block) => {
                let before = self.labels.insert(*block, self.ops.len());
                assert_eq!(before, None, "{block:?} is there twice");
            }
            Statement::Block(block) => self.ops.push(Op::Visit(*block)),
            Statement::If(condition, then, otherwise) => {
                let branch = self.ops.len();
                self.ops.push(Op::Unless(*condition, usize::MAX));
                self.all(then);
                let end = self.hole();
                self.lead(vec![branch], self.ops.len());
                self.all(otherwise);
                self.lead(vec![end], self.ops.len());
            }
            Statement::Loop(kind, body) => {
                let start = self.ops.len();
                self.breaks.push(Vec::new());
                self.continues.push(Vec::new());
                let mut ends = Vec::new();
                if let LoopKind::While(condition) = kind {
                    // Its block has no statements, so nothing else tells of it.
                    let block = self.deciding(*condition);
                    self.ops.push(Op::Visit(block));
                    ends.push(self.ops.len());
                    self.ops.push(Op::Unless(*condition, usize::MAX));
                }
                self.all(body);
                let before_end = self.ops.len();
                if let LoopKind::DoWhile(condition) = kind {
                    ends.push(self.ops.len());
                    self.ops.push(Op::Unless(*condition, usize::MAX));
                }
                self.ops.push(Op::Jump(start));
                let is_do = matches!(kind, LoopKind::DoWhile(_));
                let continues = self.continues.pop().unwrap_or_default();
                self.lead(continues, if is_do { before_end } else { start });
                ends.extend(self.breaks.pop().unwrap_or_default());
                self.lead(ends, self.ops.len());
            }
            Statement::Switch(_, arms) => {
                let switch = self.ops.len();
                self.ops.push(Op::Switch(Vec::new()));
                self.breaks.push(Vec::new());
                let mut targets = Vec::new();
                for (labels, arm) in arms {
                    targets.extend(labels.iter().map(|label| (*label, self.ops.len())));
                    self.all(arm);
                }
                self.ops[switch] = Op::Switch(targets);
                let breaks = self.breaks.pop().unwrap_or_default();
                self.lead(breaks, self.ops.len());
            }
            Statement::Goto(block) => self.ops.push(Op::Goto(*block)),
            Statement::Break => {
                let hole = self.hole();
                self.breaks.last_mut().expect("something to break").push(hole);
            }
            Statement::Continue => {
                let hole = self.hole();
                self.continues.last_mut().expect("a loop to continue").push(hole);
            }
            Statement::Return(_) => self.ops.push(Op::Return),
        }
    }
}

/// Which blocks the statements visit if every terminator decides as it does on `path`.
pub(super) fn replay(function: &Function, stms: &[Statement], path: &Path) -> Vec<BlockId> {
    let mut flat = Flat {
        function,
        ops: Vec::new(),
        labels: BTreeMap::new(),
        breaks: Vec::new(),
        continues: Vec::new(),
    };
    flat.all(stms);
    let mut visited: Vec<BlockId> = Vec::new();
    let mut at = 0;
    loop {
        let step = visited.len();
        let next = path.blocks().get(step);
        let decides = visited.last().map(|block| &function.block(*block).term);
        match &flat.ops[at] {
            Op::Visit(block) => {
                visited.push(*block);
                if path.blocks().get(step) != Some(block) {
                    return visited;
                }
                at += 1;
            }
            Op::Unless(condition, target) => {
                let Some(Term::If { cond, then, .. }) = decides else {
                    panic!("a condition that no block ends with")
                };
                assert_eq!(condition.expr, *cond);
                let holds = (next == Some(then)) != condition.negated;
                at = if holds { at + 1 } else { *target };
            }
            Op::Jump(target) => at = *target,
            Op::Goto(block) => at = flat.labels[block],
            Op::Switch(arms) => {
                let Some(Term::Switch { cases, default, .. }) = decides else {
                    panic!("a switch that no block ends with")
                };
                let cases =
                    cases.iter().map(|(label, target)| (super::gotos::label_value(*label), target));
                let mut all = cases.chain([(None, default)]);
                let label = all.find(|(_, target)| Some(*target) == next).expect("a case").0;
                at = arms.iter().find(|(known, _)| *known == label).expect("an arm").1;
            }
            Op::Return => return visited,
        }
    }
}

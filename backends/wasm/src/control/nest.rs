//! The dominator tree becomes the nesting of blocks, after Ramsey: "Beyond Relooper".
//!
//! A merge node stands behind a `block` that begins before the node that dominates it, so that an
//! edge to it is a branch out of the `block`; a node with one predecessor stands where that one
//! ends. A loop header begins a `loop`. Every edge then falls through, or is a branch to a label
//! that is open.
//!
//! Nodes are taken from a stack of tasks, because graphs may be deeper than the call stack.

use pathsmith_symlang::BlockId;
use pathsmith_symlang::lang::Term;
use wasm_encoder::{BlockType, Instruction};

use super::graph::{Graph, Node};
use super::switch::Switch;
use crate::function::FunctionWriter;
use crate::options::Conditions;

/// How many labels may be open before an `if` becomes a branch: engines may recurse. A guess.
const MAX_NESTED_IFS: u32 = 200;

/// Emits all blocks of a function, from its entry.
pub(crate) fn emit_body(writer: &mut FunctionWriter<'_>, graph: &Graph) {
    let mut nest = Nest::new(writer, graph);
    nest.tasks.push(Task::Tree(graph.cfg().entry()));
    while let Some(task) = nest.tasks.pop() {
        match task {
            Task::Tree(node) => nest.emit_tree(node),
            Task::Arm(from, to) => nest.emit_arm(from, to),
            Task::Else => nest.writer.push(Instruction::Else),
            Task::Close(label) => nest.close(label),
        }
    }
}

/// What is still to be emitted.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// A node and all that it dominates.
    Tree(BlockId),
    /// The way from a node to one that it leads to.
    Arm(BlockId, BlockId),
    Else,
    Close(Label),
}

/// What can be left or repeated by a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    /// A `block`, with this node behind it.
    Before(BlockId),
    /// The `loop` that begins with this node.
    Loop(BlockId),
    If,
}

struct Nest<'n, 'w, 'p> {
    writer: &'w mut FunctionWriter<'p>,
    graph: &'n Graph,
    /// Whether some edge to a node is a branch, and none falls through.
    needs_label: Vec<bool>,
    /// How many labels were open when the one was opened that leads to each node.
    before: Vec<Option<u32>>,
    loops: Vec<Option<u32>>,
    n_open: u32,
    tasks: Vec<Task>,
}

impl<'n, 'w, 'p> Nest<'n, 'w, 'p> {
    fn new(writer: &'w mut FunctionWriter<'p>, graph: &'n Graph) -> Self {
        let n_nodes = graph.n_nodes();
        let is_merge = |node| graph.nesting().is_merge(BlockId::new(node));
        Self {
            writer,
            graph,
            needs_label: (0..n_nodes).map(is_merge).collect(),
            before: vec![None; n_nodes],
            loops: vec![None; n_nodes],
            n_open: 0,
            tasks: Vec::new(),
        }
    }

    /// Emits a node, and leaves what it dominates as tasks.
    fn emit_tree(&mut self, node: BlockId) {
        self.begin_range(node);
        if self.graph.nesting().is_header(node) {
            self.open(Label::Loop(node));
            self.tasks.push(Task::Close(Label::Loop(node)));
        }
        let conditions = self.writer.conditions();
        let by_branch = conditions == Conditions::BrIf || self.n_open >= MAX_NESTED_IFS;
        for target in self.targets_of_branches(node, by_branch) {
            self.needs_label[target.index()] = true;
        }
        let graph = self.graph;
        for &child in graph.nesting().children(node).iter().rev() {
            if self.needs_label[child.index()] {
                self.open(Label::Before(child));
                self.tasks.push(Task::Tree(child));
                self.tasks.push(Task::Close(Label::Before(child)));
            }
        }
        match self.graph.node(node) {
            Node::Block(block) => self.emit_block(node, *block, by_branch),
            Node::Route { selector, dispatcher } => {
                self.writer.emit_set_selector(*selector);
                self.emit_arm(node, *dispatcher);
            }
            Node::Dispatch(entries) => {
                self.writer.emit_get_selector();
                let labels = entries.iter().map(|entry| self.label_of(node, *entry)).collect();
                self.writer.push_table(labels);
            }
        }
    }

    /// Says that the instructions that follow are those of a node.
    fn begin_range(&mut self, node: BlockId) {
        let source = match self.graph.node(node) {
            Node::Block(block) => self.writer.block(*block).name.clone(),
            Node::Route { .. } => "route to a dispatcher".to_owned(),
            Node::Dispatch(_) => "dispatcher".to_owned(),
        };
        self.writer.begin_range(source);
    }

    /// The nodes that could stand in an arm of `node`, but are branched to.
    fn targets_of_branches(&self, node: BlockId, by_branch: bool) -> Vec<BlockId> {
        let inline = |target: &BlockId| self.is_inline(node, *target);
        match self.graph.node(node) {
            Node::Dispatch(entries) => entries.iter().copied().filter(inline).collect(),
            Node::Route { .. } => Vec::new(),
            Node::Block(block) => match &self.writer.block(*block).term {
                Term::Switch { .. } => {
                    self.graph.cfg().succs(node).iter().copied().filter(inline).collect()
                }
                Term::If { .. } if by_branch => match self.graph.cfg().succs(node) {
                    [then, otherwise] if inline(then) && inline(otherwise) => vec![*then],
                    _ => Vec::new(),
                },
                Term::If { .. } | Term::Goto(_) | Term::Return(_) => Vec::new(),
            },
        }
    }

    /// Emits a block, or a copy of it.
    fn emit_block(&mut self, node: BlockId, block: BlockId, by_branch: bool) {
        self.writer.emit_stmts(block);
        let term = self.writer.block(block).term.clone();
        match term {
            Term::Goto(target) => self.emit_arm(node, self.graph.target(node, target)),
            Term::If { cond, then, otherwise } => {
                self.writer.emit_expr(cond);
                let then = self.graph.target(node, then);
                let otherwise = self.graph.target(node, otherwise);
                if then == otherwise {
                    self.writer.push(Instruction::Drop);
                    self.emit_arm(node, then);
                } else if !by_branch {
                    self.open(Label::If);
                    self.tasks.extend([
                        Task::Close(Label::If),
                        Task::Arm(node, otherwise),
                        Task::Else,
                        Task::Arm(node, then),
                    ]);
                } else if self.is_open(node, then) {
                    self.writer.push(Instruction::BrIf(self.label_of(node, then)));
                    self.emit_arm(node, otherwise);
                } else {
                    self.writer.push(Instruction::I32Eqz);
                    self.writer.push(Instruction::BrIf(self.label_of(node, otherwise)));
                    self.emit_arm(node, then);
                }
            }
            Term::Switch { on, cases, default } => {
                let label = |target| self.label_of(node, self.graph.target(node, target));
                let switch = Switch::new(&cases, default, label);
                switch.emit(self.writer, on);
            }
            Term::Return(what) => self.writer.emit_return(&what),
        }
    }

    /// Goes from a node to one that it leads to.
    fn emit_arm(&mut self, from: BlockId, to: BlockId) {
        if self.is_open(from, to) {
            // The arms of an `if` may be far apart.
            self.begin_range(from);
            self.writer.push(Instruction::Br(self.label_of(from, to)));
        } else {
            self.tasks.push(Task::Tree(to));
        }
    }

    /// Whether `to` can stand where `from` ends: nothing else leads there, but for what closes its
    /// loop.
    fn is_inline(&self, from: BlockId, to: BlockId) -> bool {
        !self.needs_label[to.index()] && !self.graph.nesting().is_back_edge(from, to)
    }

    fn is_open(&self, from: BlockId, to: BlockId) -> bool {
        self.graph.nesting().is_back_edge(from, to) || self.before[to.index()].is_some()
    }

    /// How many labels a branch from one node to another passes.
    fn label_of(&self, from: BlockId, to: BlockId) -> u32 {
        let opened = match self.graph.nesting().is_back_edge(from, to) {
            true => self.loops[to.index()],
            false => self.before[to.index()],
        };
        debug_assert!(opened.is_some(), "no label leads from {from:?} to {to:?}");
        self.n_open - 1 - opened.unwrap_or(0)
    }

    fn open(&mut self, label: Label) {
        self.writer.push(match label {
            Label::Before(node) => {
                self.before[node.index()] = Some(self.n_open);
                Instruction::Block(BlockType::Empty)
            }
            Label::Loop(node) => {
                self.loops[node.index()] = Some(self.n_open);
                Instruction::Loop(BlockType::Empty)
            }
            Label::If => Instruction::If(BlockType::Empty),
        });
        self.n_open += 1;
    }

    fn close(&mut self, label: Label) {
        self.n_open -= 1;
        match label {
            Label::Before(node) => {
                self.before[node.index()] = None;
                self.writer.fall_through();
            }
            Label::Loop(node) => self.loops[node.index()] = None,
            Label::If => {}
        }
        self.writer.push(Instruction::End);
    }
}

//! Terminators whose decisions are encoded in data.
//!
//! Local search does not find constants for a long irregular sequence of decisions: twenty visits
//! are twenty bits to hit. The sequence is encoded instead: in the digits of a variable's initial
//! value, one of which is consumed per visit, or in an array that is traversed. This makes every
//! path solvable, but conditions that are not made up for the path test compilers better, so it is
//! the last resort.

use rand::RngExt;

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{choose_below, choose_bool};
use pathsmith_symlang::lang::limits::MAX_ARRAY_LEN;
use pathsmith_symlang::lang::{
    BinOp, Const, ConstOrHole, Expr, Function, IntTy, Place, Scalar, Stmt, Term, Var, VarRef,
    VarTy, WordTy,
};
use pathsmith_symlang::{BlockId, ExprId, VarId};

/// Makes the terminator of `block` lead to `targets`, one after the other. Everything that this
/// adds is known, and touches no other variable, so whatever else was found stays right.
///
/// Returns false if the sequence is too long to be encoded.
pub fn encode_decisions(
    function: &mut Function,
    block: BlockId,
    targets: &[BlockId],
    types: &[IntTy],
    rng: &mut Rng,
) -> bool {
    let choices = choices(&function.block(block).term);
    if choices.len() < 2 {
        return true;
    }
    let sequence: Vec<usize> = targets
        .iter()
        .map(|target| choices.iter().position(|choice| choice == target).unwrap_or(0))
        .collect();
    let ty = widest(types);
    // Each choice gets as many digits as fit a small base.
    let per_choice = 1 + choose_below(3, rng);
    let base = (choices.len() * per_choice).max(2);
    let capacity = (ty.bits() - 2) as usize / (base.ilog2() as usize + 1);
    let symbols: Vec<i64> = sequence
        .iter()
        .map(|choice| (choice * per_choice + choose_below(per_choice, rng)) as i64)
        .collect();
    let mut encoder = Encoder { function, block, ty, rng };
    let digit = if symbols.len() < capacity {
        encoder.digits(&symbols, base as i64)
    } else if symbols.len() + 1 < MAX_ARRAY_LEN as usize {
        encoder.array(&symbols)
    } else {
        return false;
    };
    encoder.decide(digit, &choices, per_choice as i64);
    true
}

/// The blocks that a terminator can lead to, each once, the default of a `switch` last.
fn choices(term: &Term) -> Vec<BlockId> {
    let mut choices = Vec::new();
    term.for_each_target(|target| {
        if !choices.contains(&target) {
            choices.push(target);
        }
    });
    choices
}

/// The widest arithmetic type among `types`.
fn widest(types: &[IntTy]) -> WordTy {
    let widened = types.iter().map(|ty| ty.widened());
    widened.max_by_key(|ty| (ty.bits(), ty.is_signed())).unwrap_or(WordTy::I32)
}

struct Encoder<'a> {
    function: &'a mut Function,
    block: BlockId,
    ty: WordTy,
    rng: &'a mut Rng,
}

impl Encoder<'_> {
    /// Keeps symbols as the digits of a variable, and gives the expression that reads the next.
    fn digits(&mut self, symbols: &[i64], base: i64) -> ExprId {
        // A digit is given up before the first is read.
        let junk = choose_below(base as usize, self.rng) as i64;
        let initial = symbols.iter().rev().fold(0, |rest, symbol| rest * base + symbol);
        let var = self.local(VarTy::scalar(self.ty), vec![initial * base + junk]);
        let read = self.read(var);
        let divisor = self.constant(base);
        let next = self.binary(BinOp::Div, read, divisor);
        self.assign(var, next);
        let read = self.read(var);
        let modulus = self.constant(base);
        self.binary(BinOp::Rem, read, modulus)
    }

    /// Keeps symbols as the elements of an array, and gives the expression that reads the next.
    fn array(&mut self, symbols: &[i64]) -> ExprId {
        let before = self.rng.random_range(0..=2_i64);
        // Any element of a wide range stands for its symbol.
        let range = self.rng.random_range(100..=10_000_i64);
        let filler = std::iter::repeat_n(symbols[0], before as usize + 1);
        let symbols = filler.chain(symbols.iter().copied());
        let elements: Vec<i64> =
            symbols.map(|symbol| symbol * range + self.rng.random_range(2..range)).collect();
        let array = self.local(VarTy::array(self.ty, elements.len() as u32), elements);
        let index = self.local(VarTy::scalar(self.ty), vec![before]);
        let read = self.read(index);
        let one = self.constant(1);
        let next = self.binary(BinOp::Add, read, one);
        self.assign(index, next);
        let read = self.read(index);
        let element = Expr::Read(Place::element(VarRef::Var(array), read));
        let element = self.function.add_expr(element);
        let divisor = self.constant(range);
        self.binary(BinOp::Div, element, divisor)
    }

    /// Makes the terminator go by the symbol: choice `i` has the symbols from `i * per_choice` on.
    fn decide(&mut self, symbol: ExprId, choices: &[BlockId], per_choice: i64) {
        // Looks like any other condition: a coefficient and a constant.
        let (scale, offset) =
            (self.rng.random_range(2..=50_i64), self.rng.random_range(-500..=500_i64));
        let offset = if self.ty.is_signed() { offset } else { offset.abs() };
        let factor = self.constant(scale);
        let scaled = self.binary(BinOp::Mul, symbol, factor);
        let constant = self.constant(offset);
        let value = self.binary(BinOp::Add, scaled, constant);
        let is_switch = matches!(self.function.block(self.block).term, Term::Switch { .. });
        let term = if is_switch {
            self.switch(value, choices, per_choice, scale, offset)
        } else {
            // Symbols below `per_choice` mean the first choice.
            let (low, high) = ((per_choice - 1) * scale + offset, per_choice * scale + offset);
            let (op, bound) = match choose_bool(0.5, self.rng) {
                true => (BinOp::Lt, self.rng.random_range(low + 1..=high)),
                false => (BinOp::Le, self.rng.random_range(low..high)),
            };
            let bound = self.constant(bound);
            let cond = self.binary(op, value, bound);
            match &self.function.block(self.block).term {
                Term::If { then, otherwise, .. } => {
                    Term::If { cond, then: *then, otherwise: *otherwise }
                }
                other => other.clone(),
            }
        };
        self.function.blocks[self.block.index()].term = term;
    }

    fn switch(
        &self,
        on: ExprId,
        choices: &[BlockId],
        per_choice: i64,
        scale: i64,
        offset: i64,
    ) -> Term {
        let (default, labelled) = match choices.split_last() {
            Some((default, labelled)) => (*default, labelled),
            None => (self.block, choices),
        };
        let symbols = (0..per_choice * labelled.len() as i64)
            .map(|symbol| (symbol, labelled[(symbol / per_choice) as usize]));
        let cases = symbols
            .map(|(symbol, target)| {
                (ConstOrHole::Const(Scalar::new(self.ty, symbol * scale + offset)), target)
            })
            .collect();
        Term::Switch { on, cases, default }
    }

    fn local(&mut self, ty: VarTy, values: Vec<i64>) -> VarId {
        let id = VarId::new(self.function.vars.len());
        let name = format!("d{}", id.index());
        let value = |word| ConstOrHole::Const(Scalar::new(self.ty, word));
        let init = values.into_iter().map(value).collect();
        self.function.vars.push(Var { name, ty, init });
        id
    }

    fn assign(&mut self, var: VarId, value: ExprId) {
        let stmt = Stmt::Assign { place: Place::scalar(VarRef::Var(var)), value };
        self.function.blocks[self.block.index()].stmts.push(stmt);
    }

    fn read(&mut self, var: VarId) -> ExprId {
        self.function.add_expr(Expr::Read(Place::scalar(VarRef::Var(var))))
    }

    fn constant(&mut self, value: i64) -> ExprId {
        self.function.add_expr(Expr::Const(Const::new(self.ty, value)))
    }

    fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.function.add_expr(Expr::Binary(op, lhs, rhs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::dialect::Dialect;
    use pathsmith_symlang::lang::text::parse;
    use pathsmith_symlang::lang::validate;
    use pathsmith_symlang::semantics::{Code, Limits, Machine, Outcome};
    use pathsmith_symlang::{FuncId, Seed};

    /// Encodes `n` random decisions and the one that leaves, and runs them.
    fn check(head: &str, n_ways: usize, n: usize, types: &[IntTy], seed: u64) {
        let source = format!(
            "fn f() -> u32 {{
            entry: goto head;
            head: {head};
            a: goto head;
            b: goto head;
            exit: return checksum;
            }}"
        );
        let mut program = parse("encode", &source).unwrap();
        let rng = &mut Seed::new(seed).rng();
        let (head, ways, exit) = (BlockId::new(1), [2, 3].map(BlockId::new), BlockId::new(4));
        let mut targets: Vec<BlockId> = (0..n).map(|_| ways[choose_below(n_ways, rng)]).collect();
        targets.push(exit);
        assert!(encode_decisions(&mut program.functions[0], head, &targets, types, rng));
        assert_eq!(validate(&program), []);
        let expected: Vec<BlockId> = targets.iter().flat_map(|target| [head, *target]).collect();
        for dialect in Dialect::ALL {
            let code = Code::new(&program);
            let mut machine = Machine::new(&code, dialect);
            let outcome = machine.run(FuncId::FIRST, &[], Limits::default());
            assert!(matches!(outcome, Outcome::Returned(_)), "{}", outcome.describe(&program));
            assert_eq!(machine.path()[1..], expected, "{program}");
        }
    }

    #[test]
    fn any_sequence_is_walked() {
        let types: [&[IntTy]; 4] =
            [&[IntTy::I32], &[IntTy::U32, IntTy::U8], &[IntTy::I64, IntTy::U32], &[IntTy::U64]];
        for seed in 0..200 {
            let n = [0, 1, 2, 5, 9, 15, 40, 300][seed as usize % 8];
            let types = types[seed as usize % 4];
            check("if 1 goto a else exit", 1, n, types, seed);
            check("switch 1 { 1 -> a, 2 -> b, else -> exit }", 2, n, types, seed);
            check("switch 1 { 1 -> exit, 2 -> b, else -> a }", 2, n, types, seed);
        }
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let mut program = parse(
            "encode",
            "fn f() -> u32 { e: goto h; h: if 1 goto h else x; x: return checksum; }",
        )
        .unwrap();
        let targets = vec![BlockId::new(1); 70_000];
        let rng = &mut Seed::new(1).rng();
        let before = program.clone();
        assert!(!encode_decisions(
            &mut program.functions[0],
            BlockId::new(1),
            &targets,
            &[IntTy::I32],
            rng
        ));
        assert_eq!(program, before);
    }
}

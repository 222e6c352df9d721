//! Recursion guards: functions that count their calls and, after the first few, give a known output.

use super::expr::Expr;
use super::function::{Block, ConstOrHole, Function, Return, Stmt, Term, Var};
use super::ops::BinOp;
use super::place::{Place, PlaceForm, VarRef};
use super::program::Program;
use super::types::{Const, Scalar, ValueTy, VarTy, WordTy};
use crate::ids::{BlockId, ExprId, FuncId, GlobalId, VarId};

/// What a recursion guard does: the first `rounds` calls of it call `body` with the guard's own arguments, all
/// later ones return `output` at once.
///
/// In SYMLANG it is a function like any other, of this form:
///
/// ```text
/// fn f1_r0(p0: i32) -> u32 {
///     var out: u32 = 77;
/// entry:
///     if n1_r0 >= 2u32 goto exit else fresh;
/// fresh:
///     n1_r0 = n1_r0 + 1u32;
///     out = f1(p0);
///     goto exit;
/// exit:
///     return out;
/// }
/// ```
///
/// It is the only kind of function that may be called although it assigns to a global. Whoever
/// makes one sees to it that `output` is what `body` returns, for all calls that take place: then
/// nobody can tell how often it was called before, and the order of calls does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecursionGuard {
    /// What it counts in: a `u32` that no other function names.
    pub counter: GlobalId,
    /// How many calls run the body.
    pub rounds: u32,
    /// The function behind it.
    pub body: FuncId,
    /// What it returns without calling that function.
    pub output: Scalar,
}

const EXIT: usize = 2;

impl RecursionGuard {
    /// The type of counters.
    pub const COUNTER_TY: ValueTy = ValueTy::Int(WordTy::U32);

    /// The guard as a function with the parameters and the type of `body`.
    pub fn function(&self, name: impl Into<String>, body: &Function) -> Function {
        let mut guard = Function::new(name, body.ret);
        guard.vars = body.params().to_vec();
        guard.n_params = guard.vars.len();
        let mut out_name = "out".to_owned();
        while guard.vars.iter().any(|var| var.name == out_name) {
            out_name.push('_');
        }
        let out = VarRef::Var(VarId::new(guard.vars.len()));
        let init = vec![ConstOrHole::Const(self.output)];
        guard.vars.push(Var { name: out_name, ty: VarTy::scalar(body.ret), init });

        let (ty, counter) = (Self::COUNTER_TY, VarRef::Global(self.counter));
        let read = |guard: &mut Function, var| guard.add_expr(Expr::Read(Place::scalar(var)));
        let number =
            |guard: &mut Function, value| guard.add_expr(Expr::Const(Const::new(ty, value)));
        let (count, rounds) = (read(&mut guard, counter), number(&mut guard, self.rounds.into()));
        let cond = guard.add_expr(Expr::Binary(BinOp::Ge, count, rounds));
        let (count, one) = (read(&mut guard, counter), number(&mut guard, 1));
        let next = guard.add_expr(Expr::Binary(BinOp::Add, count, one));
        let args: Box<[ExprId]> =
            (0..guard.n_params).map(|at| read(&mut guard, VarRef::Var(VarId::new(at)))).collect();
        let call = guard.add_expr(Expr::Call(self.body, args));
        let result = read(&mut guard, out);

        let (fresh, exit) = (BlockId::new(1), BlockId::new(EXIT));
        let block = |name: &str, stmts, term| Block { name: name.to_owned(), stmts, term };
        guard.blocks = vec![
            block("entry", Vec::new(), Term::If { cond, then: exit, otherwise: fresh }),
            block(
                "fresh",
                vec![
                    Stmt::Assign { place: Place::scalar(counter), value: next },
                    Stmt::Assign { place: Place::scalar(out), value: call },
                ],
                Term::Goto(exit),
            ),
            block("exit", Vec::new(), Term::Return(Return::Value(result))),
        ];
        guard
    }

    /// What the function at `id` does as a recursion guard, if it has the form of one. Whether others name
    /// its counter is not looked at.
    pub fn of(program: &Program, id: FuncId) -> Option<Self> {
        let function = program.function(id);
        let [entry, fresh, _] = &function.blocks[..] else { return None };
        let Term::If { cond, .. } = entry.term else { return None };
        let Expr::Binary(BinOp::Ge, count, rounds) = function.expr(cond) else { return None };
        let (Expr::Read(count), Expr::Const(rounds)) =
            (function.expr(*count), function.expr(*rounds))
        else {
            return None;
        };
        let PlaceForm::Scalar(VarRef::Global(counter)) = count.form() else { return None };
        let Stmt::Assign { value: call, .. } = fresh.stmts.get(1)?;
        let Expr::Call(body, _) = function.expr(*call) else { return None };
        let Some(ConstOrHole::Const(output)) = function.locals().first()?.init.first() else {
            return None;
        };
        let rounds = u32::try_from(rounds.word()).ok()?;
        let guard = Self { counter, rounds, body: *body, output: *output };
        let body = program.function(guard.body);
        let is_counter = program.global(guard.counter).ty == VarTy::scalar(Self::COUNTER_TY);
        let same_shape =
            function.n_params == body.n_params && function.vars.len() == body.n_params + 1;
        if !same_shape || !is_counter {
            return None;
        }
        // Everything else has to be as it would be made; names are free.
        let mut expected = guard.function(function.name.clone(), body);
        expected.docs.clone_from(&function.docs);
        expected.realizations.clone_from(&function.realizations);
        for (ours, theirs) in std::iter::zip(&mut expected.vars, &function.vars) {
            ours.name.clone_from(&theirs.name);
        }
        for (ours, theirs) in std::iter::zip(&mut expected.blocks, &function.blocks) {
            ours.name.clone_from(&theirs.name);
        }
        (expected == *function).then_some(guard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::text::parse;

    const TEXT: &str = "global n: u32 = 0;
        fn f(a: u8, b: i64) -> u32 { e: return checksum; }
        fn g(a: u8, b: i64) -> u32 {
            var out: u32 = 77;
        entry:
            if n >= 2u32 goto exit else fresh;
        fresh:
            n = n + 1u32;
            out = f(a, b);
            goto exit;
        exit:
            return out;
        }
        fn h() -> u32 { e: return g(1u32, 2i64); }";

    #[test]
    fn guards_are_known_by_their_form() {
        let program = parse("test", TEXT).unwrap();
        let guard = RecursionGuard {
            counter: GlobalId::FIRST,
            rounds: 2,
            body: FuncId::FIRST,
            output: Scalar::new(WordTy::U32, 77),
        };
        assert_eq!(RecursionGuard::of(&program, FuncId::new(1)), Some(guard));
        assert_eq!(guard.function("g", program.function(FuncId::FIRST)), program.functions[1]);
        assert_eq!(RecursionGuard::of(&program, FuncId::FIRST), None);
        for (from, to) in [
            ("n + 1u32", "n + 2u32"),
            (">= 2u32", "< 2u32"),
            ("f(a, b)", "f(a + 1u32, b)"),
            ("goto exit else fresh", "goto fresh else exit"),
            ("return out", "return out + 1u32"),
        ] {
            let text = TEXT.replace(from, to);
            let broken = parse("test", &text).map_err(|error| format!("{error:?}"));
            assert!(broken.is_err_and(|error| error.contains("callee-writes-global")), "{text}");
        }
    }

    #[test]
    fn a_counter_belongs_to_one_guard() {
        let text = format!("{TEXT} fn k() -> u32 {{ e: return n; }}");
        let error = format!("{:?}", parse("test", &text).unwrap_err());
        assert!(error.contains("callee-writes-global"), "{error}");
    }
}

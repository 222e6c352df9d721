//! Putting instances of templates into functions: on an edge, with variables of their own or
//! shared ones.

use pathsmith_edit::for_each_var_mut;
use pathsmith_symlang::choose::choose_below;
use pathsmith_symlang::lang::{Block, Expr, Function, Stmt, Term, Var, VarRef};
use pathsmith_symlang::{BlockId, ExprId, Rng, VarId};

/// An edge of a function: a block, and which of the places that its terminator names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: BlockId,
    nth: usize,
}

/// All edges of a function.
pub(crate) fn edges(function: &Function) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (from, block) in function.blocks_with_ids() {
        let mut nth = 0;
        block.term.for_each_target(|_| {
            edges.push(Edge { from, nth });
            nth += 1;
        });
    }
    edges
}

/// Puts `piece`, which has no holes, on an edge of `host`: whoever takes the edge runs through the
/// piece first. The parameters of the piece follow those of the host. Returns the block that the
/// piece begins with, and where its variables are now.
pub(crate) fn embed(host: &mut Function, piece: &Function, edge: Edge) -> (BlockId, Vec<VarId>) {
    let n_params = host.n_params;
    let is_later = |var: VarId| var.index() >= n_params;
    let shift = |var: &mut VarRef| {
        if let VarRef::Var(id) = var
            && is_later(*id)
        {
            *id = VarId::new(id.index() + piece.n_params);
        }
    };
    for_each_var_mut(host, shift);
    let params = piece.params().iter().map(|var| fresh_var(host, var)).collect::<Vec<_>>();
    host.vars.splice(n_params..n_params, params);
    host.n_params += piece.n_params;
    let n_vars = host.vars.len();
    let locals = piece.locals().iter().map(|var| fresh_var(host, var)).collect::<Vec<_>>();
    host.vars.extend(locals);
    let homes: Vec<VarId> = (0..piece.vars.len())
        .map(|at| match at < piece.n_params {
            true => VarId::new(n_params + at),
            false => VarId::new(n_vars + at - piece.n_params),
        })
        .collect();

    let (n_exprs, n_blocks) = (host.n_exprs(), host.blocks.len());
    let moved_expr = |id: &mut ExprId| *id = ExprId::new(id.index() + n_exprs);
    let moved_var = |var: &mut VarRef| {
        if let VarRef::Var(id) = var {
            *id = homes[id.index()];
        }
    };
    for expr in piece.exprs() {
        let mut expr = expr.clone();
        expr.for_each_operand_mut(moved_expr);
        if let Expr::Read(place) = &mut expr {
            moved_var(place.var_mut());
        }
        host.add_expr(expr);
    }
    let moved_block = |id: BlockId| BlockId::new(id.index() + n_blocks);
    let entry = moved_block(BlockId::FIRST);
    let behind = redirect(host, edge, entry);
    for block in &piece.blocks {
        let mut block = block.clone();
        block.name = fresh_name(&block.name, |name| host.blocks.iter().any(|b| b.name == name));
        for stmt in &mut block.stmts {
            stmt.for_each_root_mut(moved_expr);
            moved_var(stmt.assigned_mut().var_mut());
        }
        block.term = match block.term {
            // What the function returns at its end covers what the piece leaves.
            Term::Return(_) => Term::Goto(behind),
            mut term => {
                term.map_targets(moved_block);
                match &mut term {
                    Term::If { cond: root, .. } | Term::Switch { on: root, .. } => moved_expr(root),
                    Term::Goto(_) | Term::Return(_) => {}
                }
                term
            }
        };
        host.blocks.push(block);
    }
    (entry, homes)
}

/// Lets an edge lead to `target`, and returns where it led.
fn redirect(host: &mut Function, edge: Edge, target: BlockId) -> BlockId {
    let mut targets = Vec::new();
    let term = &mut host.blocks[edge.from.index()].term;
    term.for_each_target(|target| targets.push(target));
    let nth = std::cell::Cell::new(0);
    term.map_targets(|old| {
        let at = nth.replace(nth.get() + 1);
        if at == edge.nth { target } else { old }
    });
    targets[edge.nth]
}

fn fresh_var(host: &Function, var: &Var) -> Var {
    let name = fresh_name(&var.name, |name| host.vars.iter().any(|var| var.name == name));
    Var { name, ..var.clone() }
}

/// `name`, or `name` with a number that is not taken.
fn fresh_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(name) {
        return name.to_owned();
    }
    let numbered = (2..).map(|nth| format!("{name}_{nth}"));
    numbered.into_iter().find(|name| !is_taken(name)).unwrap_or_default()
}

/// Lets one of the variables `among` of a function, but no parameter, be the same as another one of
/// its type. Returns whether there is such a pair.
pub(crate) fn share_variables(function: &mut Function, among: &[VarId], rng: &mut Rng) -> bool {
    let own = among.iter().filter(|id| id.index() >= function.n_params);
    let pairs: Vec<(VarId, VarId)> = own
        .flat_map(|id| {
            let others = (0..function.vars.len()).map(VarId::new);
            others.filter(|other| !among.contains(other)).map(move |other| (*id, other))
        })
        .filter(|(id, other)| function.var(*id).ty == function.var(*other).ty)
        .collect();
    if pairs.is_empty() {
        return false;
    }
    let (from, to) = pairs[choose_below(pairs.len(), rng)];
    for_each_var_mut(function, |var| {
        if *var == VarRef::Var(from) {
            *var = VarRef::Var(to);
        }
    });
    remove_var(function, from);
    true
}

/// Removes a variable that nothing names any more.
fn remove_var(function: &mut Function, gone: VarId) {
    function.vars.remove(gone.index());
    if gone.index() < function.n_params {
        function.n_params -= 1;
    }
    for_each_var_mut(function, |var| {
        if let VarRef::Var(id) = var
            && *id > gone
        {
            *id = VarId::new(id.index() - 1);
        }
    });
}

/// A function that does nothing yet, for pieces to be put in.
pub(crate) fn empty_host(name: &str) -> Function {
    use pathsmith_symlang::lang::{Return, WordTy};
    let mut function = Function::new(name, WordTy::U32);
    let block = |name: &str, term| Block { name: name.to_owned(), stmts: Vec::<Stmt>::new(), term };
    function.blocks.push(block("entry", Term::Goto(BlockId::new(1))));
    function.blocks.push(block("exit", Term::Return(Return::Checksum)));
    function
}

#[cfg(test)]
mod tests {
    use super::*;
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::lang::text::parse;
    use pathsmith_symlang::lang::{Program, validate};

    const HOST: &str = "fn f(a: i32) -> u32 {\nvar b: i32 = 2;\nentry: goto B1;\n\
        B1: b = b + a; if b < 100 goto B1 else exit;\nexit: return checksum; }";
    const PIECE: &str = "fn g(a: i32, n: u8) -> u32 {\nvar i: i32 = 0;\nentry: i = a; goto B1;\n\
        B1: i = i + 1; if i < 7 goto B1 else exit;\nexit: a = i; return checksum; }";

    fn function(text: &str) -> Function {
        parse("test", text).unwrap().functions.remove(0)
    }

    #[test]
    fn a_piece_runs_where_its_edge_is_taken() {
        let mut host = function(HOST);
        let edge = edges(&host)[1];
        let (entry, homes) = embed(&mut host, &function(PIECE), edge);
        let program = Program { functions: vec![host], ..Program::default() };
        assert_eq!(validate(&program), []);
        assert_eq!(entry, BlockId::new(3));
        assert_eq!(homes, [1, 2, 4].map(VarId::new));
        insta::assert_snapshot!(program.to_string(), @r"
        fn f(a: i32, a_2: i32, n: u8) -> u32 {
            var b: i32 = 2;
            var i: i32 = 0;

        entry:
            goto B1;
        B1:
            b = b + a;
            if b < 100 goto entry_2 else exit;
        exit:
            return checksum;
        entry_2:
            i = a_2;
            goto B1_2;
        B1_2:
            i = i + 1;
            if i < 7 goto B1_2 else exit_2;
        exit_2:
            a_2 = i;
            goto B1;
        }
        ");
    }

    #[test]
    fn variables_of_one_type_can_be_shared() {
        let mut host = function(HOST);
        let edge = edges(&host)[0];
        let (_, homes) = embed(&mut host, &function(PIECE), edge);
        assert!(share_variables(&mut host, &homes, &mut Seed::new(1).rng()));
        assert_eq!(host.vars.len(), 4);
        let program = Program { functions: vec![host], ..Program::default() };
        assert_eq!(validate(&program), []);
        // There is no second variable of another type.
        let mut lonely =
            function("fn f() -> u32 { var x: u8 = 0; entry: goto exit; exit: return checksum; }");
        assert!(!share_variables(&mut lonely, &[VarId::new(0)], &mut Seed::new(1).rng()));
    }
}

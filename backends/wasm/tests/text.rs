//! The text of modules: it is that of the binary, and names the blocks that instructions come from.

use std::collections::BTreeSet;

use pathsmith_backend::{Backend, Style};
use pathsmith_backend_wasm::{WasiChecks, WasmBackend, WasmModule, WasmStyle};
use pathsmith_generate::{GenConfig, generate_leaf};
use pathsmith_symlang::Seed;
use pathsmith_symlang::dialect::Dialect;

/// What follows `;; ` on lines of their own.
fn comments(wat: &str) -> BTreeSet<&str> {
    wat.lines().filter_map(|line| line.trim_start().strip_prefix(";; ")).collect()
}

/// Comments change nothing: the text with them is assembled to the same bytes as that without.
#[test]
fn comments_name_all_blocks_and_change_nothing() {
    let config = GenConfig::default();
    let mut n_dispatchers = 0;
    for number in 0..40 {
        let seed = Seed::new(5);
        let Ok(leaf) = generate_leaf(&config, Dialect::Wasm, seed, number) else { continue };
        let mut rng = seed.child("style").rng();
        let options = WasmStyle::default().choose(&leaf.program, &mut rng);
        let module = WasmBackend.lower(&leaf.program, &options).expect("it can be lowered");
        n_dispatchers += module.n_dispatchers;
        let bytes = module.self_checking(&WasiChecks::all(&module)).expect("it can be rewritten");
        let self_checking = WasmModule { bytes, ..module.clone() };
        for module in [module, self_checking] {
            let wat = module.wat().expect("a text");
            let plain = wasmprinter::print_bytes(&module.bytes).expect("a text");
            let assembled = wat::parse_str(&wat).expect("it can be assembled");
            assert_eq!(assembled, wat::parse_str(&plain).expect("it can be assembled"));
            let without: Vec<&str> =
                wat.lines().filter(|line| !line.trim_start().starts_with(";; ")).collect();
            assert_eq!(without, plain.lines().collect::<Vec<&str>>());
            let named = comments(&wat);
            let function = &leaf.program.functions[0];
            let cfg = function.cfg().expect("a graph");
            let reached = cfg.reachable_from_entry();
            for (id, block) in function.blocks_with_ids() {
                let is_named = named.contains(&block.name[..]);
                assert_eq!(is_named, reached[id.index()], "{number}: {} in {wat}", block.name);
            }
        }
    }
    assert!(n_dispatchers > 0, "no module has a dispatcher");
}

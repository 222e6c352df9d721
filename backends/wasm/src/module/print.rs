//! Modules as text, with comments that name the blocks that instructions come from.

use std::collections::BTreeMap;

use wasmparser::{Parser, Payload};
use wasmprinter::Config;

/// Instructions that come from one block of a function, up to the next range of that function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRange {
    /// The number of the function among those that have a body.
    pub function: usize,
    /// The number of the first instruction in the body.
    pub instruction: usize,
    /// The name of the block, or what the instructions are for.
    pub source: String,
}

/// Prints a module. The ranges may also be those of another module, as long as the bodies of its
/// functions have the same instructions in the same order.
pub(super) fn print(bytes: &[u8], ranges: &[SourceRange]) -> Result<String, String> {
    let by_offset = offsets(bytes, ranges).map_err(|error| error.to_string())?;
    let mut storage = String::new();
    let lines = Config::new().offsets_and_lines(bytes, &mut storage);
    let mut out = String::new();
    for (offset, line) in lines.map_err(|error| error.to_string())? {
        for source in offset.and_then(|offset| by_offset.get(&offset)).into_iter().flatten() {
            let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
            out.extend([indent, ";; ", source, "\n"]);
        }
        out.push_str(line);
    }
    Ok(out)
}

/// What begins at which byte of the module.
fn offsets<'r>(
    bytes: &[u8],
    ranges: &'r [SourceRange],
) -> wasmparser::Result<BTreeMap<usize, Vec<&'r str>>> {
    let mut sources: BTreeMap<(usize, usize), Vec<&str>> = BTreeMap::new();
    for SourceRange { function, instruction, source } in ranges {
        sources.entry((*function, *instruction)).or_default().push(source);
    }
    let mut by_offset = BTreeMap::new();
    let mut function = 0;
    for payload in Parser::new(0).parse_all(bytes) {
        let Payload::CodeSectionEntry(body) = payload? else { continue };
        let mut operators = body.get_operators_reader()?;
        let mut instruction = 0;
        while !operators.eof() {
            if let Some(sources) = sources.remove(&(function, instruction)) {
                by_offset.insert(operators.original_position(), sources);
            }
            operators.read()?;
            instruction += 1;
        }
        function += 1;
    }
    Ok(by_offset)
}

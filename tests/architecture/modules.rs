//! The graph of a crate's modules, read from its `use` declarations and paths.
//!
//! Two modules that stand beside each other (at the top of a crate, or in the same folder further
//! down) are joined by an edge if anything in one names anything in the other. What a module and
//! its own children have to do with each other does not count: a parent declares its children and
//! passes on what they have.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use super::source::code_only;

/// A module by the names that lead to it from the crate's root.
type ModulePath = Vec<String>;

/// All modules of a crate.
pub(crate) struct Modules {
    /// The code of each.
    code: BTreeMap<ModulePath, String>,
    /// The names that each brings in by `use`, and what they stand for.
    imports: BTreeMap<ModulePath, BTreeMap<String, Vec<String>>>,
}

/// Modules that need each other.
pub(crate) struct Cycle {
    /// The modules, each of which names something in the next, and the last in the first.
    pub(crate) modules: Vec<String>,
    /// For each of them, where it does that.
    places: Vec<String>,
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.modules.join(" -> "))?;
        self.places.iter().try_for_each(|place| write!(f, "\n    {place}"))
    }
}

impl Modules {
    /// Those of the crate in a folder.
    pub(crate) fn of_crate(folder: &Path) -> Self {
        let mut code = BTreeMap::new();
        read(&folder.join("src"), &mut Vec::new(), &mut code);
        Self::new(code)
    }

    fn new(mut code: BTreeMap<ModulePath, String>) -> Self {
        for module in test_modules(&code) {
            code.retain(|path, _| !path.starts_with(&module));
        }
        let mut all = Self { code, imports: BTreeMap::new() };
        let imports = all.code.iter().map(|(module, text)| {
            let named = uses(text).into_iter().filter_map(|(mut path, alias)| {
                let path = all.absolute(module, &std::mem::take(&mut path))?;
                Some((alias.or_else(|| path.last().cloned())?, path))
            });
            (module.clone(), named.collect())
        });
        all.imports = imports.collect();
        all
    }

    /// A path as it stands in `module`, from the root; nothing if it leads into another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let (first, rest) = path.split_first()?;
        let mut found = match &first[..] {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => {
                let mut base = module.to_vec();
                base.pop()?;
                base
            }
            _ => {
                let child: ModulePath = module.iter().chain([first]).cloned().collect();
                if !self.code.contains_key(&child) {
                    return None;
                }
                child
            }
        };
        for word in rest {
            match &word[..] {
                "super" => drop(found.pop()?),
                "self" => {}
                _ => found.push(word.clone()),
            }
        }
        Some(found)
    }

    /// The module that has what an absolute path names, through whatever passes it on.
    fn home_of(&self, path: &[String]) -> ModulePath {
        let mut path = path.to_vec();
        // What is passed on in a circle is passed on often enough then.
        for _ in 0..8 {
            let n = (0..=path.len()).rev().find(|n| self.code.contains_key(&path[..*n]));
            let n = n.unwrap_or(0);
            let import = path.get(n).and_then(|name| self.imports.get(&path[..n])?.get(name));
            match import {
                Some(import) => {
                    let rest = path.split_off(n + 1);
                    path = import.iter().cloned().chain(rest).collect();
                }
                None => return path[..n].to_vec(),
            }
        }
        Vec::new()
    }

    /// The edges between the children of each module, each with a place that shows it.
    fn edges(&self) -> BTreeMap<ModulePath, BTreeMap<(String, String), String>> {
        let mut edges: BTreeMap<ModulePath, BTreeMap<(String, String), String>> = BTreeMap::new();
        for (module, text) in &self.code {
            let in_uses = uses(text).into_iter().map(|(path, _)| path);
            for path in in_uses.chain(inline_paths(text)) {
                let Some(absolute) = self.absolute(module, &path) else { continue };
                let home = self.home_of(&absolute);
                let common =
                    std::iter::zip(module, &home).take_while(|(one, other)| one == other).count();
                let (Some(from), Some(to)) = (module.get(common), home.get(common)) else {
                    continue;
                };
                let place = format!("{} names {}", module.join("::"), path.join("::"));
                let level = edges.entry(module[..common].to_vec()).or_default();
                level.entry((from.clone(), to.clone())).or_insert(place);
            }
        }
        edges
    }

    /// The cycles, one for each set of modules that all need each other.
    pub(crate) fn cycles(&self) -> Vec<Cycle> {
        let mut cycles = Vec::new();
        for (parent, edges) in self.edges() {
            let mut left: BTreeSet<&String> = edges.keys().map(|(from, _)| from).collect();
            while let Some(start) = left.pop_first() {
                let Some(way) = way_back(start, &edges) else { continue };
                for module in &way {
                    left.remove(module);
                }
                let next = way.iter().cycle().skip(1);
                let places = std::iter::zip(&way, next)
                    .filter_map(|(from, to)| edges.get(&(from.clone(), to.clone())).cloned());
                let named = |name: &String| {
                    let path: Vec<&str> =
                        parent.iter().chain([name]).map(|word| &word[..]).collect();
                    path.join("::")
                };
                let places = places.collect();
                cycles.push(Cycle { modules: way.iter().map(named).collect(), places });
            }
        }
        cycles
    }
}

/// The shortest way from a module to itself.
fn way_back(start: &String, edges: &BTreeMap<(String, String), String>) -> Option<Vec<String>> {
    let mut ways = vec![vec![start.clone()]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for (from, to) in edges.keys() {
                if Some(from) != way.last() {
                    continue;
                }
                if to == start {
                    return Some(way);
                }
                if seen.insert(to.clone()) {
                    longer.push(way.iter().chain([to]).cloned().collect());
                }
            }
        }
        ways = longer;
    }
    None
}

fn read(folder: &Path, path: &mut ModulePath, code: &mut BTreeMap<ModulePath, String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let file = entry.expect("an entry").path();
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if file.is_dir() {
            path.push(name);
            read(&file, path, code);
            path.pop();
        } else if file.extension().is_some_and(|extension| extension == "rs") {
            let text = code_only(&std::fs::read_to_string(&file).expect("text"));
            let is_root = path.is_empty() && (name == "lib" || name == "main");
            let module = path.iter().cloned().chain((!is_root && name != "mod").then_some(name));
            code.insert(module.collect(), text);
        }
    }
}

/// Modules that are declared for tests only.
fn test_modules(code: &BTreeMap<ModulePath, String>) -> Vec<ModulePath> {
    let mut found = Vec::new();
    for (module, text) in code {
        for after in text.split("#[cfg(test)]").skip(1) {
            let words = after.trim_start().split_inclusive([' ', ';']);
            let mut words = words.skip_while(|word| word.starts_with("pub"));
            if words.next() == Some("mod ")
                && let Some(name) = words.next().and_then(|word| word.strip_suffix(';'))
            {
                found.push(module.iter().cloned().chain([name.to_owned()]).collect());
            }
        }
    }
    found
}

/// The paths of all `use` declarations, each with the name it is given, if it is given one.
fn uses(code: &str) -> Vec<(Vec<String>, Option<String>)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let is_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if let Some(end) = code[at..].find(';').filter(|_| !is_word) {
            expand(&[], code[at + 4..at + end].trim(), &mut found);
        }
    }
    found
}

/// The single paths of a tree such as `a::{b, c::{self, d as e}}`.
fn expand(before: &[String], tree: &str, found: &mut Vec<(Vec<String>, Option<String>)>) {
    let words = |text: &str| -> Vec<String> {
        let words = text.split("::").map(str::trim).filter(|word| !word.is_empty());
        before.iter().cloned().chain(words.map(str::to_owned)).collect()
    };
    let Some((front, inside)) = tree.split_once('{') else {
        let (path, alias) = match tree.split_once(" as ") {
            Some((path, alias)) => (path, Some(alias.trim().to_owned())),
            None => (tree, None),
        };
        let mut path = words(path);
        // `a::{self}` is `a`.
        if path.len() > 1 && path.last().is_some_and(|word| word == "self") {
            path.pop();
        }
        return found.push((path, alias));
    };
    let front = words(front);
    let inside = inside.rsplit_once('}').map_or(inside, |(inside, _)| inside);
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in inside.char_indices().chain([(inside.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = inside[start..at].trim();
                if !part.is_empty() {
                    expand(&front, part, found);
                }
                start = at + 1;
            }
            _ => {}
        }
    }
}

/// Paths in code that begin with `crate` or `super`.
fn inline_paths(code: &str) -> Vec<Vec<String>> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = code.split(|c| !is_path(c));
    let paths = words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"));
    let split = |path: &str| -> Vec<String> {
        path.split("::").filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    paths.map(split).collect()
}

#[test]
fn cycles_are_found_through_what_is_passed_on() {
    let crate_of = |files: &[(&str, &str)]| {
        let path = |name: &str| -> ModulePath {
            name.split("::").filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        Modules::new(files.iter().map(|(name, text)| (path(name), code_only(text))).collect())
    };
    let cycles = |files: &[(&str, &str)]| -> Vec<String> {
        crate_of(files).cycles().iter().map(|cycle| cycle.modules.join(" -> ")).collect()
    };
    let none: [&str; 0] = [];
    let plain = [("", "mod a; mod b;"), ("a", "use crate::b::{self, B};"), ("b", "struct B;")];
    assert_eq!(cycles(&plain), none);
    let direct = [("", ""), ("a", "use crate::b::B;"), ("b", "fn f() { super::a::g() }")];
    assert_eq!(cycles(&direct), ["a -> b"]);
    let passed_on = [
        ("", "pub use a::A;"),
        ("a", "use crate::b::B;"),
        ("b", "use crate::{c::C, A};"),
        ("c", ""),
    ];
    assert_eq!(cycles(&passed_on), ["a -> b"]);
    let nested = [
        ("", ""),
        ("x", "mod a; mod b;"),
        ("x::a", "use super::b::B;"),
        ("x::b", "use super::a::A;"),
    ];
    assert_eq!(cycles(&nested), ["x::a -> x::b"]);
    let parent = [("", ""), ("x", "mod a; use a::A; pub struct X;"), ("x::a", "use super::X;")];
    assert_eq!(cycles(&parent), none);
    let tests =
        [("", "#[cfg(test)]\nmod a;"), ("a", "use crate::b::B;"), ("b", "use crate::a::A;")];
    assert_eq!(cycles(&tests), none);
}

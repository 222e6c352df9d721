//! Simpler lowering options.

use serde_json::{Map, Value};

/// Options that leave more to their defaults, those that leave most first. All options are saved
/// as tables in which whatever is left out is as by default, so this needs to know no more of them.
///
/// There are about as many as there are parts, and each is about as large as the whole, so each is
/// made when it is asked for.
pub(crate) fn simpler(options: &Value) -> Box<dyn Iterator<Item = Value> + '_> {
    match options {
        Value::Object(table) => Box::new(simpler_tables(table)),
        _ => Box::new(std::iter::empty()),
    }
}

fn simpler_tables(table: &Map<String, Value>) -> impl Iterator<Item = Value> {
    let empty = (!table.is_empty()).then(|| Value::Object(Map::new()));
    let without = table.keys().map(|key| {
        let mut simpler = table.clone();
        simpler.remove(key);
        Value::Object(simpler)
    });
    let with_simpler_parts = table.iter().flat_map(|(key, value)| {
        let parts: Box<dyn Iterator<Item = Value>> = match value {
            Value::Array(items) => Box::new(simpler_lists(items)),
            other => simpler(other),
        };
        parts.map(|part| {
            let mut simpler = table.clone();
            simpler.insert(key.clone(), part);
            Value::Object(simpler)
        })
    });
    empty.into_iter().chain(without).chain(with_simpler_parts)
}

/// Lists may be shorter than what they are about; the rest is as by default.
fn simpler_lists(items: &[Value]) -> impl Iterator<Item = Value> {
    let shorter = (1..items.len()).map(|n| Value::Array(items[..n].to_vec()));
    let with_simpler_items = items.iter().enumerate().flat_map(move |(at, item)| {
        simpler(item).map(move |item| {
            let mut simpler = items.to_vec();
            simpler[at] = item;
            Value::Array(simpler)
        })
    });
    shorter.chain(with_simpler_items)
}

/// Fewer flags than these, the fewest first: one alone, halves, and all but one. Lists are short,
/// and each is tried, so this need not be clever.
pub(crate) fn fewer(flags: &[String]) -> Vec<Vec<String>> {
    if flags.len() < 2 {
        return Vec::new();
    }
    let (front, back) = flags.split_at(flags.len() / 2);
    let without = |at: usize| {
        let others = flags.iter().enumerate().filter(move |(i, _)| *i != at);
        others.map(|(_, flag)| flag.clone()).collect()
    };
    let mut found: Vec<Vec<String>> = flags.iter().map(|flag| vec![flag.clone()]).collect();
    found.extend([front.to_vec(), back.to_vec()]);
    found.extend((0..flags.len()).map(without));
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn flags_become_fewer() {
        let flags = ["-O2", "-fa", "-fb"].map(str::to_owned);
        let fewer_of_three = fewer(&flags);
        assert_eq!(fewer_of_three[0], ["-O2"]);
        assert!(fewer_of_three.contains(&vec!["-O2".to_owned(), "-fb".to_owned()]));
        assert!(fewer_of_three.iter().all(|fewer| fewer.len() < 3));
        assert!(fewer(&flags[..1]).is_empty());
    }

    #[test]
    fn the_boldest_comes_first_and_every_part_has_its_turn() {
        let options = json!({"layout": "two", "functions": [{"control": "x", "vars": ["a", "b"]}]});
        let simpler: Vec<Value> = simpler(&options).collect();
        assert_eq!(simpler[0], json!({}));
        for expected in [
            json!({"functions": [{"control": "x", "vars": ["a", "b"]}]}),
            json!({"layout": "two"}),
            json!({"layout": "two", "functions": [{"vars": ["a", "b"]}]}),
            json!({"layout": "two", "functions": [{"control": "x", "vars": ["a"]}]}),
        ] {
            assert!(simpler.contains(&expected), "{expected}");
        }
        assert!(!simpler.contains(&options));
    }
}

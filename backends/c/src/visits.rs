//! When realizations visit the blocks of a function, for readers of its C.

use pathsmith_symlang::BlockId;
use pathsmith_symlang::lang::Function;

/// How many steps or realizations a comment names. A guess.
const MOST_NAMED: usize = 8;

/// Which realizations visit each block.
#[derive(Debug)]
pub(crate) struct Visits {
    n_realizations: usize,
    /// For each block: the steps of the first realization that visit it.
    steps: Vec<Vec<usize>>,
    /// For each block: the realizations that visit it, by number.
    realizations: Vec<Vec<usize>>,
}

impl Visits {
    pub(crate) fn new(function: &Function) -> Self {
        let n_blocks = function.blocks.len();
        let mut steps = vec![Vec::new(); n_blocks];
        let mut realizations: Vec<Vec<usize>> = vec![Vec::new(); n_blocks];
        for (number, realization) in function.realizations.iter().enumerate() {
            for (step, block) in realization.path.blocks().iter().enumerate() {
                let visitors = &mut realizations[block.index()];
                if visitors.last() != Some(&number) {
                    visitors.push(number);
                }
                if number == 0 {
                    steps[block.index()].push(step);
                }
            }
        }
        Self { n_realizations: function.realizations.len(), steps, realizations }
    }

    /// The steps at which the first realization visits a block or, if it never does, which others
    /// do. Nothing if there are no realizations.
    pub(crate) fn describe(&self, block: BlockId) -> String {
        let (steps, visitors) = (&self.steps[block.index()], &self.realizations[block.index()]);
        match (&steps[..], &visitors[..]) {
            _ if self.n_realizations == 0 => String::new(),
            ([], []) => "off the path of every realization".to_owned(),
            ([], visitors) => {
                format!("off the path of realization #0, on that of {}", named(visitors, "#"))
            }
            ([step], _) => format!("step {step}"),
            (steps, _) => format!("steps {}", named(steps, "")),
        }
    }
}

/// The first few of these numbers.
fn named(numbers: &[usize], sign: &str) -> String {
    let shown: Vec<String> =
        numbers.iter().take(MOST_NAMED).map(|number| format!("{sign}{number}")).collect();
    let more = if numbers.len() > MOST_NAMED { ", …" } else { "" };
    shown.join(", ") + more
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    #[test]
    fn off_the_path_says_of_which_realizations() {
        let text = "fn f(a: i32) -> i32 {
            entry: if a < 0 goto left else right;
            left: if a < -9 goto never else exit;
            right: a = a - 1; if a > 0 goto right else exit;
            never: goto exit;
            exit: return a; }
            realize f(3) = 0 via entry right right right exit;
            realize f(1) = 0 via entry right exit;
            realize f(-1) = -1 via entry left exit;
            realize f(-2) = -2 via entry left exit;";
        let mut function = parse("test", text).unwrap().functions.remove(0);
        let described = |function: &Function| -> Vec<String> {
            let visits = Visits::new(function);
            function.blocks_with_ids().map(|(id, _)| visits.describe(id)).collect()
        };
        assert_eq!(
            described(&function),
            [
                "step 0",
                "off the path of realization #0, on that of #2, #3",
                "steps 1, 2, 3",
                "off the path of every realization",
                "step 4",
            ]
        );
        function.realizations.clear();
        assert_eq!(described(&function), [""; 5]);
    }
}

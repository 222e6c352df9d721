//! Drawing options from a seed.

use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::choose_bool;
use pathsmith_symlang::lang::{Function, Program, Var};
use rand::RngExt;

use crate::options::{FunctionContext, PerVar, ProgramOptions};

/// How often a backend lowers something in each of the ways it knows.
///
/// A style is a struct of knobs, most of them probabilities. What it draws depends on the style,
/// the program and the RNG only, and passes [`ProgramOptions::check`]. The order of draws is part
/// of what a seed means: first for the whole program, then function by function, then global by
/// global; what came later to a style is drawn last of all, so that all else stays as it was.
pub trait Style {
    /// What is drawn.
    type Options: ProgramOptions;

    /// Draws the options of the whole program, without those of functions and globals.
    fn choose_program(&self, program: &Program, rng: &mut Rng) -> Self::Options;

    /// Draws the options of one function.
    fn choose_function(
        &self,
        options: &Self::Options,
        function: &FunctionContext<'_>,
        rng: &mut Rng,
    ) -> FunctionOf<Self>;

    /// Draws the options of one global.
    fn choose_global(&self, options: &Self::Options, global: &Var, rng: &mut Rng)
    -> GlobalOf<Self>;

    /// Draws further options of one function, after those of all functions and globals.
    fn choose_late(
        &self,
        _chosen: &mut FunctionOf<Self>,
        _function: &FunctionContext<'_>,
        _rng: &mut Rng,
    ) {
    }

    /// Draws what came to a style later still: further options of one function, after all others.
    fn choose_last(
        &self,
        _chosen: &mut FunctionOf<Self>,
        _function: &FunctionContext<'_>,
        _rng: &mut Rng,
    ) {
    }

    /// Draws further options of the whole program, after all others.
    fn choose_rest(&self, _options: &mut Self::Options, _rng: &mut Rng) {}

    /// Draws how to lower `program`.
    fn choose(&self, program: &Program, rng: &mut Rng) -> Self::Options {
        let contexts = FunctionContext::all(program);
        let options = self.choose_program(program, rng);
        let mut functions: Vec<FunctionOf<Self>> =
            contexts.iter().map(|context| self.choose_function(&options, context, rng)).collect();
        let globals = program.globals.iter();
        let globals = globals.map(|global| self.choose_global(&options, global, rng)).collect();
        for (chosen, context) in std::iter::zip(&mut functions, &contexts) {
            self.choose_late(chosen, context, rng);
        }
        for (chosen, context) in std::iter::zip(&mut functions, &contexts) {
            self.choose_last(chosen, context, rng);
        }
        let mut options = options.with_lists(functions, globals);
        self.choose_rest(&mut options, rng);
        options
    }
}

/// The options that a style draws for a function.
pub type FunctionOf<S> = <<S as Style>::Options as ProgramOptions>::Function;

/// The options that a style draws for a global.
pub type GlobalOf<S> = <<S as Style>::Options as ProgramOptions>::Global;

/// Draws one of several things, each with its probability; what is left of 1 goes to `rest`.
pub fn choose_among<T, const N: usize>(shares: [(f64, T); N], rest: T, rng: &mut Rng) -> T {
    let mut left = rng.random::<f64>();
    for (share, thing) in shares {
        if left < share {
            return thing;
        }
        left -= share;
    }
    rest
}

/// Draws how many realizations the optimizer sees the inputs of: with the given probability some,
/// but no more than `most`.
pub fn choose_n_visible(probability: f64, most: u32, rng: &mut Rng) -> u32 {
    match choose_bool(probability, rng) && most > 0 {
        true => rng.random_range(1..=most),
        false => 0,
    }
}

/// Draws where the variables of a function live: with the probability `placed`, each of them is
/// placed by `place`; otherwise they are where they are by default. Also says which it was.
pub fn choose_vars<V: Default>(
    function: &Function,
    placed: f64,
    rng: &mut Rng,
    mut place: impl FnMut(&Var, &mut Rng) -> V,
) -> (bool, Vec<V>) {
    let is_placed = choose_bool(placed, rng);
    let vars = function.vars.iter().map(|var| match is_placed {
        true => place(var, rng),
        false => V::default(),
    });
    (is_placed, vars.collect())
}

/// Draws where a variable of a function lives. What recursive calls would share stays where it is
/// by default.
pub fn choose_storage<S: PerVar, const N: usize>(
    shares: [(f64, S); N],
    is_recursive: bool,
    rng: &mut Rng,
) -> S {
    let storage = choose_among(shares, S::default(), rng);
    if is_recursive && storage.is_shared() { S::default() } else { storage }
}

#[cfg(test)]
mod tests {
    use pathsmith_symlang::Seed;
    use pathsmith_symlang::lang::text::parse;

    use super::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    enum Place {
        #[default]
        Own,
        Shared,
    }

    impl PerVar for Place {
        fn is_shared(self) -> bool {
            self == Self::Shared
        }
    }

    /// How many of 1000 draws are `what`.
    fn count<T: PartialEq>(what: T, mut draw: impl FnMut(&mut Rng) -> T) -> usize {
        let mut rng = Seed::new(1).rng();
        (0..1000).filter(|_| draw(&mut rng) == what).count()
    }

    #[test]
    fn shares_are_what_they_say() {
        let among = |rng: &mut Rng| choose_among([(0.2, 'a'), (0.5, 'b')], 'c', rng);
        assert!((150..250).contains(&count('a', among)));
        assert!((450..550).contains(&count('b', among)));
        assert!((250..350).contains(&count('c', among)));
        assert_eq!(count('c', |rng| choose_among([(0.0, 'a')], 'c', rng)), 1000);
    }

    #[test]
    fn recursive_calls_share_nothing() {
        let storage = |is_recursive| {
            move |rng: &mut Rng| choose_storage([(0.5, Place::Shared)], is_recursive, rng)
        };
        assert!((400..600).contains(&count(Place::Shared, storage(false))));
        assert_eq!(count(Place::Shared, storage(true)), 0);
    }

    #[test]
    fn numbers_of_visible_inputs_are_within_bounds() {
        assert_eq!(count(0, |rng| choose_n_visible(0.0, 3, rng)), 1000);
        assert_eq!(count(0, |rng| choose_n_visible(1.0, 0, rng)), 1000);
        assert_eq!(count(0, |rng| choose_n_visible(1.0, 3, rng)), 0);
        assert!(count(3, |rng| choose_n_visible(1.0, 3, rng)) > 200);
    }

    #[test]
    fn all_variables_are_placed_or_none() {
        let program = parse("test", "fn f(a: i32, b: i32) -> i32 { entry: return a; }").unwrap();
        let rng = &mut Seed::new(1).rng();
        let mut choose =
            |placed| choose_vars(&program.functions[0], placed, rng, |_, _| Place::Shared);
        assert_eq!(choose(0.0), (false, vec![Place::Own; 2]));
        assert_eq!(choose(1.0), (true, vec![Place::Shared; 2]));
    }
}

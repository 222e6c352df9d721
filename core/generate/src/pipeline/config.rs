//! Everything that can be set, in one place.

use rand::RngExt;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::link::LinkOptions;
use crate::policy::{Policies, Policy, SelectedPolicies};
use crate::shape::{
    GraphOptions, Iterations, OptionsError, WalkMode, WalkOptions, WalkOptionsError,
};
use crate::sketch::{SketchOptions, SketchOptionsError};
use crate::solve::EngineChoice;
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{ProbabilityError, choose_below, choose_bool};
use pathsmith_symlang::lang::IntTy;

/// How functions are made: one section for each stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GenConfig {
    /// Whether each function draws its own sizes and shares, up to those given here.
    pub swarm: bool,
    /// Whether programs are made to be compiled only: rules of definedness are broken on the path
    /// too, and there are no realizations.
    pub crash_only: bool,
    /// The weights of policies.
    pub policy: Policies,
    /// Graphs.
    pub graph: GraphOptions,
    /// Paths.
    pub walk: WalkOptions,
    /// Statements.
    pub sketch: SketchOptions,
    /// Solving.
    pub solve: SolveOptions,
    /// Further realizations.
    pub realize: RealizeOptions,
    /// Whole programs.
    pub link: LinkOptions,
}

/// How much is tried to solve a sketch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SolveOptions {
    /// Which engines are asked.
    pub engine: EngineChoice,
    /// How many milliseconds Z3 may take for one function. What it finds within them depends on
    /// the clock only if its own budget is not used up before.
    pub smt_timeout: u64,
    /// How many times the path may be walked over in one attempt.
    pub walks: u32,
    /// How many attempts there are before decisions are encoded.
    pub restarts: u32,
}

impl Default for SolveOptions {
    fn default() -> Self {
        Self { engine: EngineChoice::Auto, smt_timeout: 300, walks: 60, restarts: 2 }
    }
}

/// How much is tried to find further realizations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RealizeOptions {
    /// How many inputs are tried.
    pub tries: u32,
    /// How many inputs are tried in a row that give nothing.
    pub patience: u32,
    /// How many realizations are enough.
    pub most: u32,
    /// How many realizations may take a path that another one takes.
    pub most_alike: u32,
    /// How many steps a run may take beyond twice those of the first.
    pub extra_steps: u32,
}

impl Default for RealizeOptions {
    fn default() -> Self {
        Self { tries: 80, patience: 20, most: 32, most_alike: 20, extra_steps: 8 }
    }
}

/// Why a [`GenConfig`] makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ConfigError {
    /// In the section `policy`.
    #[error("in the section `policy`: {0}")]
    Policy(#[from] ProbabilityError),
    /// In the section `graph`.
    #[error("in the section `graph`: {0}")]
    Graph(#[from] OptionsError),
    /// In the section `walk`.
    #[error("in the section `walk`: {0}")]
    Walk(#[from] WalkOptionsError),
    /// In the section `sketch`.
    #[error("in the section `sketch`: {0}")]
    Sketch(#[from] SketchOptionsError),
    /// In the section `link`.
    #[error("in the section `link`: {0}")]
    Link(#[source] OptionsError),
}

impl GenConfig {
    /// The language, the graphs and the walks of the REIFY paper.
    pub fn paper() -> Self {
        Self { policy: Policies::none(), sketch: SketchOptions::paper(), ..Self::default() }
    }

    /// Checks every section.
    ///
    /// # Errors
    /// The first option that does not make sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.policy.validate()?;
        self.graph.validate()?;
        self.walk.validate()?;
        self.sketch.validate()?;
        self.link.validate().map_err(ConfigError::Link)?;
        Ok(())
    }

    /// The config of one function, and its policies: this one, or one drawn from it if it is a
    /// swarm, with what the policies ask for. Sizes and shares are only ever lowered, features
    /// switched off, and paths asked to be longer as long as they may be, so what is drawn is valid
    /// too.
    pub(super) fn drawn(&self, rng: &mut Rng) -> (Self, SelectedPolicies) {
        let mut config = self.clone();
        if self.swarm {
            config.draw_sizes(self, rng);
        }
        let policies = SelectedPolicies::choose(&self.policy, rng);
        config.apply(&policies, rng);
        (config, policies)
    }

    /// What policies ask of sizes, types and paths.
    fn apply(&mut self, policies: &SelectedPolicies, rng: &mut Rng) {
        let at_most = |most: &mut u32, wanted: u32| *most = wanted.min(*most);
        if policies.has(Policy::Small) {
            let (graph, sketch) = (&mut self.graph, &mut self.sketch);
            // Mostly very small: what is compiled sooner is asked for more often.
            let most = if choose_bool(0.7, rng) { 4 } else { 7 };
            at_most(&mut graph.blocks, rng.random_range(2..=most));
            graph.loops = graph.loops.min(graph.blocks / 2);
            at_most(&mut sketch.vars, rng.random_range(2..=4));
            at_most(&mut sketch.assigns, if choose_bool(0.7, rng) { 1 } else { 2 });
            at_most(&mut sketch.terms_assign, rng.random_range(1..=2));
            at_most(&mut sketch.terms_cond, rng.random_range(1..=2));
            at_most(&mut sketch.depth, 1);
            if choose_bool(0.7, rng) {
                sketch.arrays = 0.0;
            }
        }
        if policies.has(Policy::FewTypes) {
            let types = &mut self.sketch.types;
            // Where overflow is undefined, optimizers do most.
            let favourite = match choose_below(20, rng) {
                0..=11 => Some(IntTy::I32),
                12..=14 => Some(IntTy::I64),
                _ => None,
            };
            let first = match favourite {
                Some(ty) if types.contains(&ty) => ty,
                _ => types[choose_below(types.len(), rng)],
            };
            let second = types[choose_below(types.len(), rng)];
            *types = vec![first];
            if choose_bool(0.2, rng) {
                types.extend([first, second]);
            }
        }
        if policies.has(Policy::Forward) {
            self.graph.forward = self.graph.forward.max(rng.random_range(0.6..1.0));
        }
        if policies.has(Policy::Short) {
            let most = rng.random_range(4..=10).max(self.walk.min_len);
            at_most(&mut self.walk.max_len, most);
        }
        if policies.has(Policy::Cyclic) {
            at_most(&mut self.graph.blocks, rng.random_range(2..=5));
            self.graph.loops = self.graph.loops.min(self.graph.blocks / 2);
            let least = rng.random_range(3..=12).min(self.walk.max_len);
            self.walk.min_len = self.walk.min_len.max(least);
        }
    }

    /// Draws the sizes and shares of a swarm.
    fn draw_sizes(&mut self, most: &Self, rng: &mut Rng) {
        let drawn = self;
        let up_to = |most: &mut u32, least: u32, rng: &mut Rng| {
            if *most > least {
                *most = rng.random_range(least..=*most);
            }
        };
        let share = |share: &mut f64, rng: &mut Rng| *share *= rng.random::<f64>();
        up_to(&mut drawn.graph.blocks, 2, rng);
        share(&mut drawn.graph.switch_share, rng);
        share(&mut drawn.graph.branch_share, rng);
        drawn.graph.loops = drawn.graph.loops.min(drawn.graph.blocks / 2);
        drawn.graph.irreducible &= choose_bool(0.8, rng);
        up_to(&mut drawn.sketch.vars, 2, rng);
        up_to(&mut drawn.sketch.assigns, 1, rng);
        up_to(&mut drawn.sketch.terms_assign, 1, rng);
        up_to(&mut drawn.sketch.terms_cond, 1, rng);
        up_to(&mut drawn.sketch.depth, 1, rng);
        up_to(&mut drawn.sketch.array_len, 1, rng);
        share(&mut drawn.sketch.arrays, rng);
        // Few types meet each other more often than many.
        if choose_bool(0.5, rng) {
            let n = drawn.sketch.types.len() as u32;
            let kept = rng.random_range(1..=n.min(3));
            let types = (0..kept).map(|_| most.sketch.types[rng.random_range(0..n) as usize]);
            drawn.sketch.types = types.collect();
        }
        if most.walk.mode == WalkMode::Loops && choose_bool(0.3, rng) {
            drawn.walk.iterations = Iterations::Uniform { low: 1, high: 4 };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use pathsmith_symlang::Seed;

    proptest! {
        #[test]
        fn what_is_drawn_is_valid(
            seed: u64,
            swarm: bool,
            blocks in 1..40_u32,
            loops in 0..3_u32,
            max_len in 0..300_u32,
            weights in prop::collection::vec(0.0..=1.0_f64, Policy::ALL.len()),
        ) {
            let mut config = GenConfig { swarm, ..GenConfig::default() };
            config.graph.blocks = blocks;
            config.graph.loops = loops.min(blocks);
            config.walk.max_len = max_len;
            for (policy, weight) in std::iter::zip(Policy::ALL, weights) {
                *config.policy.weight_mut(policy) = weight;
            }
            prop_assert_eq!(config.validate(), Ok(()));
            let (drawn, policies) = config.drawn(&mut Seed::new(seed).rng());
            prop_assert_eq!(drawn.validate(), Ok(()));
            prop_assert!(drawn.graph.blocks <= blocks);
            let n_drawn = Policy::ALL.into_iter().filter(|policy| policies.has(*policy)).count();
            prop_assert_eq!(n_drawn, policies.policies().len());
        }
    }

    #[test]
    fn short_paths_and_edges_that_lead_on_are_what_policies_ask_for() {
        let mut config = GenConfig { policy: Policies::none(), ..GenConfig::default() };
        let (plain, _) = config.drawn(&mut Seed::new(1).rng());
        assert_eq!((plain.walk.max_len, plain.graph.forward), (200, 0.0));
        (config.policy.short, config.policy.forward) = (1.0, 1.0);
        for seed in 0..20 {
            let (drawn, _) = config.drawn(&mut Seed::new(seed).rng());
            assert!((4..=10).contains(&drawn.walk.max_len), "{}", drawn.walk.max_len);
            assert!(drawn.graph.forward >= 0.6, "{}", drawn.graph.forward);
        }
        // A path that has to be long stays long.
        config.walk.min_len = 50;
        let (drawn, _) = config.drawn(&mut Seed::new(1).rng());
        assert_eq!((drawn.walk.min_len, drawn.walk.max_len), (50, 50));
    }
}

//! Everything that can be set, in one place.

use rand::RngExt;
use thiserror::Error;

use crate::knobs::Knobs;
use crate::link::LinkOptions;
use crate::observe::{ObserveOptions, ObserveOptionsError};
use crate::policy::{Policies, SelectedPolicies};
use crate::realize::RealizeOptions;
use crate::shape::{
    GraphOptions, Iterations, OptionsError, WalkMode, WalkOptions, WalkOptionsError,
};
use crate::sketch::{Language, SketchOptions, SketchOptionsError};
use crate::solve::{EngineChoice, SolveOptions};
use crate::template::{TemplateOptions, TemplateOptionsError};
use pathsmith_symlang::Rng;
use pathsmith_symlang::choose::{ProbabilityError, choose_bool, choose_share};
use pathsmith_symlang::knobs::KnobError;

pathsmith_symlang::knobs! {
    /// How functions are made: one section for each stage.
    pub struct GenConfig {
        /// Whether each function draws its own sizes and shares, up to those given here.
        swarm: bool = false;
        /// Whether programs are made to be compiled only: they have undefined behaviour on the path
        /// too, and no realizations.
        crash_only: bool = false;
        /// The weights of policies.
        policy: Policies = Policies::default();
        /// Graphs.
        graph: GraphOptions = GraphOptions::default();
        /// Paths.
        walk: WalkOptions = WalkOptions::default();
        /// Statements.
        sketch: SketchOptions = SketchOptions::default();
        /// Templates.
        template: TemplateOptions = TemplateOptions::default();
        /// Solving.
        solve: SolveOptions = SolveOptions::default();
        /// What is observed: returned, or left in globals.
        observe: ObserveOptions = ObserveOptions::default();
        /// Further realizations.
        realize: RealizeOptions = RealizeOptions::default();
        /// Whole programs.
        link: LinkOptions = LinkOptions::default();
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
    /// In the section `observe`.
    #[error("in the section `observe`: {0}")]
    Observe(#[from] ObserveOptionsError),
    /// In the section `template`.
    #[error("in the section `template`: {0}")]
    Template(#[from] TemplateOptionsError),
    /// In the section `link`.
    #[error("in the section `link`: {0}")]
    Link(#[source] KnobError),
}

impl GenConfig {
    /// The language, the graphs and the walks of the REIFY paper.
    pub fn paper() -> Self {
        Self {
            policy: Policies::none(),
            sketch: SketchOptions::paper(),
            observe: ObserveOptions::everything(),
            template: TemplateOptions { share: 0.0, ..TemplateOptions::default() },
            ..Self::default()
        }
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
        self.observe.validate()?;
        self.template.check()?;
        self.link.validate().map_err(ConfigError::Link)?;
        Ok(())
    }

    /// Draws what one function is to be: the policies that are selected for it, and its knobs. These
    /// are those of the config, or drawn from them if it is a swarm, and turned by the policies.
    pub fn choose_knobs(&self, rng: &mut Rng) -> (SelectedPolicies, Knobs) {
        let mut knobs = Knobs::default();
        knobs.shape.graph = self.graph.clone();
        knobs.shape.walk = self.walk.clone();
        knobs.expr.sizes = self.sketch.clone();
        if self.swarm {
            self.choose_sizes(&mut knobs, rng);
        }
        let mut selected = self.policy.resolve(&mut knobs, rng);
        // Z3 is not asked about floating-point numbers, so it is no use to have some for it alone.
        let can_have_floats =
            self.sketch.language == Language::Full && self.solve.engine != EngineChoice::Smt;
        if can_have_floats && choose_share(self.sketch.float_share, rng) {
            self.policy.resolve_floats(&mut selected, &mut knobs, rng);
        }
        (selected, knobs)
    }

    /// Draws the sizes and shares of a swarm.
    fn choose_sizes(&self, knobs: &mut Knobs, rng: &mut Rng) {
        let (graph, walk, sizes) =
            (&mut knobs.shape.graph, &mut knobs.shape.walk, &mut knobs.expr.sizes);
        let up_to = |most: &mut u32, least: u32, rng: &mut Rng| {
            if *most > least {
                *most = rng.random_range(least..=*most);
            }
        };
        let share = |share: &mut f64, rng: &mut Rng| *share *= rng.random::<f64>();
        up_to(&mut graph.blocks, 2, rng);
        share(&mut graph.switch_share, rng);
        share(&mut graph.branch_share, rng);
        graph.loops = graph.loops.min(graph.blocks / 2);
        graph.irreducible &= choose_bool(0.8, rng);
        up_to(&mut sizes.vars, 2, rng);
        up_to(&mut sizes.assigns, 1, rng);
        up_to(&mut sizes.terms_assign, 1, rng);
        up_to(&mut sizes.terms_cond, 1, rng);
        up_to(&mut sizes.depth, 1, rng);
        up_to(&mut sizes.array_len, 1, rng);
        share(&mut sizes.arrays, rng);
        // Few types meet each other more often than many.
        if choose_bool(0.5, rng) {
            let n = sizes.types.len() as u32;
            let kept = rng.random_range(1..=n.min(3));
            let types = (0..kept).map(|_| self.sketch.types[rng.random_range(0..n) as usize]);
            sizes.types = types.collect();
        }
        if self.walk.mode == WalkMode::Loops && choose_bool(0.3, rng) {
            walk.iterations = Iterations::Uniform { low: 1, high: 4 };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::Policy;
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
            let (selected, knobs) = config.choose_knobs(&mut Seed::new(seed).rng());
            prop_assert_eq!(knobs.shape.graph.validate(), Ok(()));
            prop_assert_eq!(knobs.shape.walk.validate(), Ok(()));
            prop_assert_eq!(knobs.expr.sizes.validate(), Ok(()));
            prop_assert!(knobs.shape.graph.blocks <= blocks);
            prop_assert!(selected.policies().is_sorted());
        }
    }

    #[test]
    fn short_paths_and_edges_that_lead_on_are_what_policies_ask_for() {
        let mut config = GenConfig { policy: Policies::none(), ..GenConfig::default() };
        let shape =
            |config: &GenConfig, seed| config.choose_knobs(&mut Seed::new(seed).rng()).1.shape;
        let plain = shape(&config, 1);
        assert_eq!((plain.walk.max_len, plain.graph.forward), (200, 0.0));
        (config.policy.short, config.policy.forward) = (1.0, 1.0);
        for seed in 0..20 {
            let drawn = shape(&config, seed);
            assert!((4..=10).contains(&drawn.walk.max_len), "{}", drawn.walk.max_len);
            assert!(drawn.graph.forward >= 0.6, "{}", drawn.graph.forward);
        }
        // A path that has to be long stays long.
        config.walk.min_len = 50;
        let drawn = shape(&config, 1);
        assert_eq!((drawn.walk.min_len, drawn.walk.max_len), (50, 50));
    }
}

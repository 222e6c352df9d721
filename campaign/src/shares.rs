//! Adaptive shares: what shows new bugs is drawn more often as a campaign goes on.
//!
//! Whatever is drawn per function is an *arm*: a theme, a template, a policy, a transform, what a
//! variant is made of. The share of an arm is
//! multiplied by how many new bugs its functions showed, compared with all functions. Nothing is
//! ever left out: a multiplier has a floor.

use std::collections::BTreeMap;

use pathsmith_generate::policy::{Policies, Policy, Theme};
use pathsmith_generate::{GenConfig, Leaf};

use crate::mutation::config::MutationConfig;
use crate::mutation::origin::{PROGRAM_ARM, ParentKind, TRANSFORM};

/// So many batches in a row have the same shares. A guess: short against the hours that a campaign
/// takes, and long enough that there is something to learn from.
pub const EPOCH: u64 = 64;

/// After so many epochs, what was seen counts half. A guess: an arm whose bugs are all found loses
/// its advantage within some hours.
const HALF_LIFE: u64 = 32;

/// How many new bugs an arm is taken to have shown beforehand, at the rate of all functions. A
/// guess: one lucky function moves a share little.
const PRIOR: f64 = 2.0;

/// The least and the largest multiplier. Guesses: nothing is starved, nothing displaces the rest.
const RANGE: (f64, f64) = (0.5, 3.0);

/// The theme of functions that have none.
const NO_THEME: &str = "theme:none";

/// The template of functions that have none.
const NO_TEMPLATE: &str = "template:none";

/// How many functions each arm has, by its name.
pub type ArmCounts = BTreeMap<String, u64>;

/// What the share of each arm is multiplied with, by its name; 1 if it has none.
pub type Multipliers = BTreeMap<String, f64>;

/// The arms of a function: exactly one theme, and any number of others.
pub(crate) fn arms_of(leaf: &Leaf) -> Vec<String> {
    let theme = leaf.theme.map_or(NO_THEME.to_owned(), |theme| format!("theme:{}", theme.name()));
    let policies = leaf.policies.iter().map(|policy| format!("policy:{}", policy.name()));
    let templates = match leaf.templates.is_empty() {
        true => vec![NO_TEMPLATE.to_owned()],
        false => leaf.templates.iter().map(|name| format!("template:{name}")).collect(),
    };
    let mut arms: Vec<String> = std::iter::once(theme).chain(templates).chain(policies).collect();
    // A template may be there twice.
    arms.sort_unstable();
    arms.dedup();
    arms
}

/// A function that showed a new bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBug {
    /// The batch.
    pub batch: u64,
    /// The arms of the function.
    pub arms: Vec<String>,
}

/// What the shares of arms are multiplied with in `epoch`, given the functions of earlier epochs and
/// what they showed.
pub(crate) fn multipliers(
    counts: &BTreeMap<u64, ArmCounts>,
    new_bugs: &[NewBug],
    epoch: u64,
) -> Multipliers {
    // A power of two, which is exact: all machines agree.
    let weight =
        |earlier: u64| 0.5_f64.powi((epoch.saturating_sub(earlier) / HALF_LIFE).min(1000) as i32);
    let mut functions: BTreeMap<&str, f64> = BTreeMap::new();
    let (mut n_functions, mut n_new) = (0.0, 0.0);
    for (earlier, counted) in counts {
        for (arm, n) in counted {
            *functions.entry(arm).or_default() += weight(*earlier) * *n as f64;
            if is_one_of_each(arm) {
                n_functions += weight(*earlier) * *n as f64;
            }
        }
    }
    let mut new: BTreeMap<&str, f64> = BTreeMap::new();
    for bug in new_bugs.iter().filter(|bug| !bug.arms.is_empty()) {
        let weight = weight(bug.batch / EPOCH);
        n_new += weight;
        for arm in &bug.arms {
            *new.entry(arm).or_default() += weight;
        }
    }
    if n_new == 0.0 || n_functions == 0.0 {
        return Multipliers::new();
    }
    let rate = n_new / n_functions;
    let multiplier = |(arm, n): (&str, f64)| {
        let shown = new.get(arm).copied().unwrap_or(0.0);
        let ratio = (shown + PRIOR) / (n * rate + PRIOR);
        (arm.to_owned(), ratio.clamp(RANGE.0, RANGE.1))
    };
    functions.into_iter().map(multiplier).collect()
}

/// Whether each single function, and each variant, has exactly one such arm: the theme that it was
/// generated with, or what else it was made of.
fn is_one_of_each(arm: &str) -> bool {
    let is_made_of = |kind: ParentKind| kind != ParentKind::Generated && arm == kind.arm();
    arm.starts_with("theme:") || arm == PROGRAM_ARM || ParentKind::ALL.into_iter().any(is_made_of)
}

/// How variants are made, with the weights multiplied.
pub(crate) fn adapted_mutation(
    config: &MutationConfig,
    multipliers: &Multipliers,
) -> MutationConfig {
    let mut adapted = config.clone();
    let of = |arm: &str| multipliers.get(arm).copied().unwrap_or(1.0);
    for kind in ParentKind::ALL {
        *adapted.weight_mut(kind) *= of(kind.arm());
    }
    for (mutation, weight) in config.variants.weights.iter() {
        let name = mutation.transform.name();
        if let Some(now) = adapted.variants.weights.get_mut(name) {
            *now = weight * of(&format!("{TRANSFORM}{name}"));
        }
    }
    adapted
}

/// The share of an arm of variants: of all cases for what they are made of, of all transforms for a
/// transform. Nothing if there is no such arm.
pub(crate) fn mutation_share(config: &MutationConfig, arm: &str) -> Option<f64> {
    if let Some(name) = arm.strip_prefix(TRANSFORM) {
        let all: f64 = config.variants.weights.iter().map(|(_, weight)| weight).sum();
        let mut known = config.variants.weights.iter();
        let (_, weight) = known.find(|(mutation, _)| mutation.transform.name() == name)?;
        return Some(weight / all.max(f64::MIN_POSITIVE));
    }
    let all: f64 = ParentKind::ALL.into_iter().map(|kind| config.weight(kind)).sum();
    let kind = ParentKind::ALL.into_iter().find(|kind| kind.arm() == arm)?;
    Some(config.share * config.weight(kind) / all.max(f64::MIN_POSITIVE))
}

/// A config with its shares multiplied: the one place that knows what arms are.
pub(crate) fn adapted(config: &GenConfig, multipliers: &Multipliers) -> GenConfig {
    let mut adapted = config.clone();
    let of = |arm: &str| multipliers.get(arm).copied().unwrap_or(1.0);
    let weights = &mut adapted.policy;
    for policy in Policy::ALL {
        let weight = weights.weight_mut(policy);
        let odds = *weight * of(&format!("policy:{}", policy.name()));
        *weight = odds / (1.0 - *weight + odds);
    }
    let themes = Theme::ALL
        .map(|theme| theme_share(&config.policy, theme) * of(&format!("theme:{}", theme.name())));
    let none =
        1.0 - Theme::ALL.iter().map(|theme| theme_share(&config.policy, *theme)).sum::<f64>();
    let all = themes.iter().sum::<f64>() + none.max(0.0) * of(NO_THEME);
    for (theme, share) in std::iter::zip(Theme::ALL, themes) {
        // Rounding must not bring their sum above 1.
        *theme_share_mut(weights, theme) = if all > 0.0 { share / all * (1.0 - 1e-9) } else { 0.0 };
    }
    // How often templates are drawn at all is what functions without one leave.
    let templates = &mut adapted.template;
    let odds = (1.0 - templates.share) * of(NO_TEMPLATE);
    templates.share /= (templates.share + odds).max(f64::MIN_POSITIVE);
    let names: Vec<String> = templates.names().map(str::to_owned).collect();
    for name in names {
        let weight = templates.weight(&name) * of(&format!("template:{name}"));
        templates.weights.insert(name, weight);
    }
    adapted
}

/// The share of an arm in a config; nothing if the config has no such arm.
pub(crate) fn share(config: &GenConfig, arm: &str) -> Option<f64> {
    let themes = Theme::ALL.into_iter();
    if arm == NO_THEME {
        return Some(1.0 - themes.map(|theme| theme_share(&config.policy, theme)).sum::<f64>());
    }
    let templates = &config.template;
    if arm == NO_TEMPLATE {
        return Some(1.0 - templates.share);
    }
    let (kind, name) = arm.split_once(':')?;
    match kind {
        "template" => {
            let all: f64 = templates.names().map(|name| templates.weight(name)).sum();
            let is_known = templates.names().any(|known| known == name);
            is_known.then(|| templates.share * templates.weight(name) / all.max(f64::MIN_POSITIVE))
        }
        "theme" => themes
            .into_iter()
            .find(|theme| theme.name() == name)
            .map(|theme| theme_share(&config.policy, theme)),
        "policy" => Policy::ALL
            .into_iter()
            .find(|policy| policy.name() == name)
            .map(|policy| config.policy.weight(policy)),
        _ => None,
    }
}

fn theme_share(weights: &Policies, theme: Theme) -> f64 {
    match theme {
        Theme::Strides => weights.strides,
        Theme::Loops => weights.loops,
    }
}

const fn theme_share_mut(weights: &mut Policies, theme: Theme) -> &mut f64 {
    match theme {
        Theme::Strides => &mut weights.strides,
        Theme::Loops => &mut weights.loops,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts(arms: &[(&str, u64)]) -> ArmCounts {
        arms.iter().map(|&(arm, n)| (arm.to_owned(), n)).collect()
    }

    fn bug(batch: u64, arms: &[&str]) -> NewBug {
        NewBug { batch, arms: arms.iter().map(|&arm| arm.to_owned()).collect() }
    }

    #[test]
    fn what_shows_new_bugs_is_drawn_more_often_and_the_rest_less() {
        let known = BTreeMap::from([(
            0,
            counts(&[("theme:loops", 1000), ("theme:none", 3000), ("policy:zero", 2000)]),
        )]);
        assert_eq!(multipliers(&known, &[], 3), Multipliers::new());
        let found = [1, 5, 9].map(|batch| bug(batch, &["theme:loops"]));
        let now = multipliers(&known, &found, 3);
        assert!(now["theme:loops"] > 1.5 && now["theme:none"] < 0.6, "{now:?}");
        let config = GenConfig::default();
        let shares = |config: &GenConfig, arm| share(config, arm).unwrap();
        let then = adapted(&config, &now);
        assert!(shares(&then, "theme:loops") > 1.5 * shares(&config, "theme:loops"));
        assert!(shares(&then, "policy:zero") < shares(&config, "policy:zero"));
        assert!(shares(&then, "theme:none") > 0.1);
        // What was shown long ago counts less.
        let later = multipliers(&known, &found, 3 + 4 * HALF_LIFE);
        assert!((1.0..now["theme:loops"]).contains(&later["theme:loops"]), "{later:?}");
    }

    proptest! {
        #[test]
        fn shares_stay_probabilities_and_nothing_is_left_out(
            values in prop::collection::vec(RANGE.0..=RANGE.1, Policy::ALL.len() + 3),
        ) {
            let policies = Policy::ALL.map(|policy| format!("policy:{}", policy.name()));
            let config = GenConfig::default();
            let themes = ["theme:strides", "theme:loops", NO_THEME, NO_TEMPLATE].map(str::to_owned);
            let templates = config.template.names().map(|name| format!("template:{name}"));
            let arms = policies.into_iter().chain(themes).chain(templates);
            let arms: Vec<String> = arms.collect();
            let values = values.into_iter().cycle();
            let multipliers: Multipliers = std::iter::zip(arms.clone(), values).collect();
            let adapted = adapted(&config, &multipliers);
            prop_assert_eq!(adapted.validate(), Ok(()));
            for arm in arms {
                let (before, now) = (share(&config, &arm).unwrap(), share(&adapted, &arm).unwrap());
                // Half of a share, after others have tripled, twice: as a template among templates.
                prop_assert!(now > before / 36.0, "{} {} {}", arm, before, now);
            }
        }
    }

    #[test]
    fn transforms_that_show_new_bugs_are_drawn_more_often() {
        let known = BTreeMap::from([(
            0,
            counts(&[
                ("theme:none", 3000),
                ("variant:generated", 500),
                ("variant:corpus", 1000),
                ("transform:twin", 700),
                ("transform:split", 700),
            ]),
        )]);
        let found = [1, 5, 9].map(|batch| bug(batch, &["variant:corpus", "transform:twin"]));
        let now = multipliers(&known, &found, 3);
        let config = MutationConfig::default();
        let adapted = adapted_mutation(&config, &now);
        assert_eq!(adapted.validate(), Ok(()));
        for (arm, is_more) in [
            ("variant:corpus", true),
            ("transform:twin", true),
            ("variant:generated", false),
            ("transform:split", false),
        ] {
            let (before, then) = (mutation_share(&config, arm), mutation_share(&adapted, arm));
            assert_eq!(then > before, is_more, "{arm}: {before:?} {then:?}");
        }
        assert_eq!(mutation_share(&config, "transform:no-such"), None);
        assert_eq!(mutation_share(&config, "theme:loops"), None);
    }

    #[test]
    fn without_multipliers_nothing_changes_but_rounding() {
        let config = GenConfig::default();
        let adapted = adapted(&config, &Multipliers::new());
        assert!((adapted.policy.strides - config.policy.strides).abs() < 1e-6);
        assert_eq!(adapted.policy.boundary, config.policy.boundary);
        assert_eq!(adapted.template.share, config.template.share);
    }
}

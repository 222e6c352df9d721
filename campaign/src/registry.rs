//! The registry: all target families, and what each is made of.
//!
//! A family is a [`Family`](crate::Family) that brings a backend and an oracle together, finds its own targets
//! ([`Discover`]) and names its [`Language`]. Whatever works with families of any kind (the command
//! line, the runner, reports) asks the registry and never distinguishes families itself.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

pub use crate::discover::{Env, TargetRequest};

use crate::activity::Activity;
use crate::any_campaign::AnyCampaign;
use crate::at_hand::AtHand;
use crate::campaign::Campaign;
use crate::config::FuzzConfig;
use crate::corpus::corpus_of;
use crate::discover::{Discover, is_asked, none_found};
use crate::error::CampaignError;
use crate::families::{CCompilers, Jvms, WasmEngines};
use crate::family::TargetFamily;
use crate::language::Language;
use crate::lineup::IsAsked;
use crate::lost::Lost;
use crate::memory::Memory;
use crate::mutation::parents::Parents;
use crate::plan::Plan;
use crate::preflight::{Preflight, preflight};
use crate::reduce::Jobs;
use crate::store::Header;
use crate::target_config::TargetConfig;

/// What makes up a family. To add one, add a line.
pub fn entry(family: TargetFamily) -> &'static dyn AnyFamily {
    match family {
        TargetFamily::C => &Entry::<CCompilers>(PhantomData),
        TargetFamily::Wasm => &Entry::<WasmEngines>(PhantomData),
        TargetFamily::Jvm => &Entry::<Jvms>(PhantomData),
    }
}

/// All languages that backends emit, in the order of the families.
pub fn languages() -> Vec<&'static dyn Language> {
    let mut languages: Vec<&'static dyn Language> = Vec::new();
    for family in TargetFamily::ALL {
        let language = entry(family).language();
        if !languages.iter().any(|known| known.name() == language.name()) {
            languages.push(language);
        }
    }
    languages
}

/// A family as the registry has it.
pub trait AnyFamily: Debug + Sync {
    /// Which family it is.
    fn family(&self) -> TargetFamily;

    /// What its targets are, in a few words: `C compilers`.
    fn about(&self) -> &'static str;

    /// What its backend emits.
    fn language(&self) -> &'static dyn Language;

    /// Whether its targets can be asked to compile with sanitizers.
    fn has_sanitizers(&self) -> bool;

    /// Whether its targets compile programs without running them.
    fn compiles_without_running(&self) -> bool;

    /// A campaign against the targets that are asked for; `None` if there are none and this
    /// family was not asked for.
    ///
    /// # Errors
    /// As for [`Discover::discover`].
    fn campaign(
        &self,
        request: &TargetRequest,
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Option<Box<dyn AnyCampaign>>, CampaignError>;

    /// What it takes to look at findings again, which name their targets.
    ///
    /// # Errors
    /// As for [`Discover::without_targets`].
    fn without_targets(
        &self,
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Box<dyn AnyCampaign>, CampaignError>;

    /// What it takes to run findings on the targets that are named, or on all that are at hand.
    ///
    /// # Errors
    /// As for [`Discover::at_hand`].
    fn at_hand(
        &self,
        named: &[String],
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Box<dyn AnyCampaign>, CampaignError>;
}

/// An entry of the registry.
struct Entry<F>(PhantomData<fn() -> F>);

impl<F: Discover> Debug for Entry<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(F::ABOUT)
    }
}

impl<F: Discover> AnyFamily for Entry<F> {
    fn family(&self) -> TargetFamily {
        F::FAMILY
    }

    fn about(&self) -> &'static str {
        F::ABOUT
    }

    fn language(&self) -> &'static dyn Language {
        F::language()
    }

    fn has_sanitizers(&self) -> bool {
        F::HAS_SANITIZERS
    }

    fn compiles_without_running(&self) -> bool {
        F::COMPILES_WITHOUT_RUNNING
    }

    fn campaign(
        &self,
        request: &TargetRequest,
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Option<Box<dyn AnyCampaign>>, CampaignError> {
        let Some(mut family) = F::discover(request, config, env)? else { return Ok(None) };
        let is_asked = IsAsked::of(is_asked(request, configured(F::FAMILY, config)));
        let notes = preflight(&mut family, is_asked, &config.limits, env)?;
        if family.is_empty() {
            let about = F::ABOUT;
            let why = notes.iter().map(|note| format!("\n  {note}")).collect::<String>();
            return none_found(config, &format!("none of the {about} here can be tested:{why}"));
        }
        Ok(Some(boxed(family, notes, config, env)?))
    }

    fn without_targets(
        &self,
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Box<dyn AnyCampaign>, CampaignError> {
        boxed(F::without_targets(config, env)?, Vec::new(), config, env)
    }

    fn at_hand(
        &self,
        named: &[String],
        config: &FuzzConfig,
        env: &Env,
    ) -> Result<Box<dyn AnyCampaign>, CampaignError> {
        boxed(F::at_hand(named, config, env)?, Vec::new(), config, env)
    }
}

/// The targets of a family that the config has.
fn configured(family: TargetFamily, config: &FuzzConfig) -> &[TargetConfig] {
    match family {
        TargetFamily::C => &config.c.targets,
        TargetFamily::Wasm => &config.wasm.targets,
        TargetFamily::Jvm => &config.jvm.targets,
    }
}

fn boxed<F: Discover>(
    family: F,
    mut notes: Vec<String>,
    config: &FuzzConfig,
    env: &Env,
) -> Result<Box<dyn AnyCampaign>, CampaignError> {
    let corpus = corpus_of(&config.mutate, F::language().dialect(), config.campaign.seed())?;
    notes.extend(corpus.notes);
    let at_hand = {
        let (config, env) = (config.clone(), env.clone());
        AtHand::new(move || F::at_hand(&[], &config, &env))
    };
    Ok(Box::new(Campaign {
        at_hand,
        preflight: Preflight::new(&family)?,
        notes,
        lost: Lost::default(),
        family,
        plan: Plan {
            generate: config.generate_for(F::FAMILY),
            mutate: config.mutate.clone(),
            parents: Parents { corpus: Arc::new(corpus.known), ..Parents::default() },
        },
        limits: config.limits.clone(),
        seed: config.campaign.seed(),
        triage: config.campaign.triage,
        stop: env.stop.clone(),
        jobs: Jobs::default(),
        replays: Jobs::default(),
        known_off: config.campaign.known_off,
        adaptive: config.campaign.adaptive,
        memory: Memory::default(),
        activity: Activity::default(),
    }))
}

/// The families that a config names, or else those that it has targets of. None stands for all.
pub fn families_of(config: &FuzzConfig) -> Vec<TargetFamily> {
    let has_targets = |family: &TargetFamily| !configured(*family, config).is_empty();
    match config.campaign.families.is_empty() {
        true => TargetFamily::ALL.into_iter().filter(has_targets).collect(),
        false => config.campaign.families.clone(),
    }
}

/// Says what in a request and a config contradict each other.
///
/// # Errors
/// The first contradiction.
pub fn check_request(request: &TargetRequest, config: &FuzzConfig) -> Result<(), CampaignError> {
    let asked = || config.campaign.families.iter().map(|family| entry(*family));
    let fail = |message: String| Err(CampaignError::Request(message));
    if !request.targets.is_empty() && asked().count() != 1 {
        let names = TargetFamily::ALL.map(TargetFamily::as_str).join(", ");
        return fail(format!("--targets needs one family of targets: {names}"));
    }
    let is_for_sanitizers = asked().count() > 0 && asked().all(AnyFamily::has_sanitizers);
    if request.sanitize && !is_for_sanitizers {
        let families = TargetFamily::ALL.map(entry).into_iter();
        let able: Vec<&str> =
            families.filter(|family| family.has_sanitizers()).map(AnyFamily::about).collect();
        return fail(format!("--sanitize is for {} only", able.join(" and ")));
    }
    if config.generate.crash_only {
        let needs_runs =
            asked().count() > 0 && asked().all(|family| !family.compiles_without_running());
        let what = match (request.sanitize, asked().next()) {
            (true, _) => "--sanitize",
            (false, Some(family)) if needs_runs => family.family().as_str(),
            (false, _) => return Ok(()),
        };
        return fail(format!("crash-only programs do not run, but {what} needs runs"));
    }
    Ok(())
}

/// The campaigns that are asked for, or one for each family that has targets here.
///
/// # Errors
/// If a target or family that is asked for is not there.
pub fn campaigns(
    request: &TargetRequest,
    config: &FuzzConfig,
    env: &Env,
) -> Result<Vec<Box<dyn AnyCampaign>>, CampaignError> {
    let asked = &config.campaign.families;
    let mut campaigns = Vec::new();
    for family in TargetFamily::ALL {
        let family = entry(family);
        let is_asked = asked.is_empty() || asked.contains(&family.family());
        // What claims nothing is not run.
        let can_run = family.compiles_without_running() || !config.generate.crash_only;
        if is_asked && can_run {
            campaigns.extend(family.campaign(request, config, env)?);
        }
    }
    Ok(campaigns)
}

/// What it takes to look at the findings of a campaign again.
///
/// # Errors
/// As for [`Discover::without_targets`].
pub fn campaigns_without_targets(
    config: &FuzzConfig,
    env: &Env,
) -> Result<Vec<Box<dyn AnyCampaign>>, CampaignError> {
    let families = config.campaign.families.iter();
    families.map(|family| entry(*family).without_targets(config, env)).collect()
}

/// A checksum of what this version generates from the first few numbers of all campaigns.
///
/// # Errors
/// As for [`Campaign::fingerprint`].
pub fn fingerprint(campaigns: &[Box<dyn AnyCampaign>]) -> Result<String, CampaignError> {
    let prints = campaigns.iter().map(|campaign| campaign.fingerprint());
    Ok(prints.collect::<Result<Vec<_>, _>>()?.join(", "))
}

/// Checks that this version generates the programs that the campaign in `dir` was started with.
///
/// # Errors
/// If it does not.
pub fn check_fingerprint(
    campaigns: &[Box<dyn AnyCampaign>],
    header: &Header,
    dir: &std::path::Path,
) -> Result<(), CampaignError> {
    if fingerprint(campaigns)? == header.fingerprint {
        return Ok(());
    }
    Err(CampaignError::OtherPrograms {
        dir: dir.to_owned(),
        started_by: header.version.clone(),
        ours: env!("CARGO_PKG_VERSION"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_has_its_own_entry() {
        for family in TargetFamily::ALL {
            assert_eq!(entry(family).family(), family);
            assert_eq!(TargetFamily::named(family.as_str()), Some(family));
        }
        let names: Vec<&str> = languages().iter().map(|language| language.name()).collect();
        assert_eq!(names, ["c", "wasm", "jvm"]);
    }

    #[test]
    fn contradictions_are_named() {
        let check = |families: &[TargetFamily], sanitize, crash_only| {
            let mut config = FuzzConfig::default();
            config.campaign.families = families.to_vec();
            config.generate.crash_only = crash_only;
            let request = TargetRequest { targets: Vec::new(), sanitize };
            check_request(&request, &config).map_err(|error| error.to_string())
        };
        let (c, jvm) = (TargetFamily::C, TargetFamily::Jvm);
        assert_eq!(check(&[c], true, false), Ok(()));
        assert_eq!(check(&[], false, true), Ok(()));
        assert_eq!(check(&[c, jvm], false, true), Ok(()));
        let only = Err("--sanitize is for C compilers only".to_owned());
        assert_eq!(check(&[], true, false), only);
        assert_eq!(check(&[jvm], true, false), only);
        let needs = |what| Err(format!("crash-only programs do not run, but {what} needs runs"));
        assert_eq!(check(&[c], true, true), needs("--sanitize"));
        assert_eq!(check(&[jvm], false, true), needs("jvm"));
        let request = TargetRequest { targets: vec!["gcc".to_owned()], sanitize: false };
        let mut config = FuzzConfig::default();
        assert!(check_request(&request, &config).is_err());
        config.campaign.families = vec![c];
        assert!(check_request(&request, &config).is_ok());
    }

    #[test]
    fn targets_in_the_config_name_their_family() {
        let mut config = FuzzConfig::default();
        assert_eq!(families_of(&config), []);
        config.c.targets = vec![TargetConfig::default()];
        assert_eq!(families_of(&config), [TargetFamily::C]);
        config.campaign.families = vec![TargetFamily::Jvm];
        assert_eq!(families_of(&config), [TargetFamily::Jvm]);
    }
}

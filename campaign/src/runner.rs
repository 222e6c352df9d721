//! Running campaigns against several families at once, with one store, and resuming them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pathsmith_oracles::Verdict;

use crate::any_campaign::{AnyCampaign, remember};
use crate::budget::Budget;
use crate::campaign::Stopping;
use crate::cluster_versions::versions_wanted;
use crate::config::FuzzConfig;
use crate::error::CampaignError;
use crate::family::TargetFamily;
use crate::known_list::{KnownList, check_import, import_known};
use crate::parallel::n_jobs;
use crate::reduce::Job;
use crate::registry::{Env, TargetRequest, campaigns, check_fingerprint, fingerprint};
use crate::store::{Header, Identity, Store, StoreError};
use crate::tally::{Reporter, Tally};

/// Campaigns that are ready to run.
#[derive(Debug)]
pub struct Runner {
    store: Store,
    config: FuzzConfig,
    campaigns: Vec<Box<dyn AnyCampaign>>,
    env: Env,
    is_resumed: bool,
    /// What of the store is not used, and why.
    unreadable: Vec<String>,
}

/// A target that is not what it was when the campaign was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityChange {
    /// Its name.
    pub target: String,
    /// What it was when the campaign was started; nothing if it was not there.
    pub before: Option<Identity>,
    /// What it is now.
    pub now: Identity,
}

/// How campaigns ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether something was found in a target, now or before.
    pub has_findings: bool,
    /// Whether something was found that is a possible bug of pathsmith.
    pub has_possible_pathsmith_bug: bool,
    /// Whether a target stopped working, or something could not be run on one.
    pub is_incomplete: bool,
    /// Whether it was interrupted.
    pub is_interrupted: bool,
}

impl Runner {
    /// Starts a campaign in `dir`, or in a folder that is free, with the bugs of the file `known`.
    ///
    /// # Errors
    /// If a target is not there, the file is malformed, or the store cannot be created.
    pub fn start(
        request: TargetRequest,
        mut config: FuzzConfig,
        dir: Option<&Path>,
        known: Option<&Path>,
        env: Env,
    ) -> Result<Self, CampaignError> {
        let campaigns = campaigns(&request, &config, &env)?;
        if let Some(path) = known {
            // A file that is no good leaves no campaign behind.
            check_import(path, &campaigns)?;
        }
        config.campaign.families = campaigns.iter().map(|campaign| campaign.family()).collect();
        let header = Header {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            fingerprint: fingerprint(&campaigns)?,
            identities: campaigns.iter().flat_map(|campaign| campaign.identities()).collect(),
            targets: request.targets,
            sanitize: request.sanitize,
            config,
        };
        let store = match dir {
            Some(dir) => Store::create(dir, &header)?,
            None => create_in_free_folder(&header)?,
        };
        if let Some(path) = known {
            import_known(path, store.dir())?;
        }
        Ok(Self {
            store,
            config: header.config,
            campaigns,
            env,
            is_resumed: false,
            unreadable: Vec::new(),
        })
    }

    /// Resumes the campaign in `dir`. Says too which targets have changed.
    ///
    /// # Errors
    /// If there is none, this version generates other programs, or a target is gone.
    pub fn resume(dir: &Path, env: Env) -> Result<(Self, Vec<IdentityChange>), CampaignError> {
        let store = Store::open(dir)?;
        let header = store.header()?;
        let request = TargetRequest { targets: header.targets.clone(), sanitize: header.sanitize };
        let campaigns = campaigns(&request, &header.config, &env)?;
        let families = campaigns.iter().map(|campaign| campaign.family());
        if families.ne(header.config.campaign.families.iter().copied()) {
            let dir = dir.display();
            return Err(CampaignError::Request(format!(
                "some targets of the campaign in {dir} are not on this machine"
            )));
        }
        check_fingerprint(&campaigns, &header, dir)?;
        let mut changes = Vec::new();
        for (target, now) in campaigns.iter().flat_map(|campaign| campaign.identities()) {
            let before = header.identities.get(&target).cloned();
            if before.as_ref() != Some(&now) {
                changes.push(IdentityChange { target, before, now });
            }
        }
        let mut unreadable = Vec::new();
        for campaign in &campaigns {
            unreadable.extend(store.grown(campaign.family())?.1);
        }
        let config = header.config;
        Ok((Self { store, config, campaigns, env, is_resumed: true, unreadable }, changes))
    }

    /// The store of the campaign.
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// The output directory.
    pub fn dir(&self) -> &Path {
        self.store.dir()
    }

    /// The config that it was started with.
    pub const fn config(&self) -> &FuzzConfig {
        &self.config
    }

    /// The targets of each family, by their names.
    pub fn identities(&self) -> Vec<(TargetFamily, BTreeMap<String, Identity>)> {
        let campaigns = self.campaigns.iter();
        campaigns.map(|campaign| (campaign.family(), campaign.identities())).collect()
    }

    /// Whether it was there before.
    pub const fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// What is tested, one line for each target.
    pub fn target_lines(&self) -> Vec<String> {
        self.campaigns.iter().flat_map(|campaign| campaign.target_lines()).collect()
    }

    /// What people should know of the targets and the store: what was left out, and why.
    pub fn notes(&self) -> Vec<&String> {
        let of_targets = self.campaigns.iter().flat_map(|campaign| campaign.notes());
        of_targets.chain(&self.unreadable).collect()
    }

    /// Runs all campaigns until they are over, each within `budget` and its own.
    ///
    /// # Errors
    /// The first of any campaign; all that was recorded before it is safe.
    pub fn run(
        mut self,
        budget: Budget,
        reporter: &mut dyn Reporter,
    ) -> Result<Outcome, CampaignError> {
        let known = self.restore()?;
        let Self { store, config, campaigns, env, is_resumed, unreadable: _ } = &mut self;
        let tally = Mutex::new(Tally::new(store, campaigns, known, &config.campaign, reporter)?);
        let (all, stop, is_done) = (campaigns.len(), &env.stop, AtomicBool::new(false));
        let results: Vec<Result<(), CampaignError>> = std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for campaign in campaigns.iter() {
                let budget = own_budget(config, &**campaign, budget, *is_resumed);
                let (campaign, tally) = (&**campaign, &tally);
                threads.push(scope.spawn(move || {
                    let result = run_one(campaign, budget, all, tally);
                    if result.is_err() {
                        stop.raise();
                    }
                    result
                }));
            }
            // A reduction or a slow batch can take minutes, in which nothing happens.
            let ticker = scope.spawn(|| show_often(&tally, &is_done));
            let joined = threads.into_iter().map(|thread| thread.join());
            let results =
                joined.map(|result| result.unwrap_or(Err(CampaignError::Panicked))).collect();
            is_done.store(true, Ordering::Relaxed);
            ticker.thread().unpark();
            results
        });
        let mut tally = tally.into_inner().map_err(|_| CampaignError::Panicked)?;
        tally.finish(stop.is_raised())?;
        results.into_iter().collect::<Result<Vec<()>, CampaignError>>()?;
        let verdicts: Vec<String> =
            self.store.counts()?.into_iter().map(|(name, _)| name).collect();
        let is_finding = |name: &String| {
            Verdict::ALL.iter().any(|verdict| verdict.name() == name && verdict.is_finding())
        };
        let mut is_incomplete = false;
        for campaign in &self.campaigns {
            let missed = self.store.progress(campaign.family())?.0.missed;
            is_incomplete |= campaign.has_lost() || !missed.is_empty();
        }
        Ok(Outcome {
            has_findings: verdicts.iter().any(is_finding),
            has_possible_pathsmith_bug: !verdicts.iter().all(is_finding),
            is_incomplete,
            is_interrupted: self.env.stop.is_raised(),
        })
    }

    /// Brings back what campaigns know of what was found before: the folders of findings, flags
    /// that have shown something, known bugs, arms, and what is not reduced yet.
    fn restore(&mut self) -> Result<KnownList, CampaignError> {
        let Self { store, campaigns, config, .. } = self;
        let known = KnownList::open(store)?;
        for campaign in campaigns.iter() {
            campaign.check_known(known.given())?;
            known.tell(campaign.memory());
            remember(store, &**campaign)?;
        }
        let campaign_of = |family| campaigns.iter().find(|campaign| campaign.family() == family);
        for id in store.ids()? {
            let mut saved = store.finding(id)?;
            let Some(campaign) = campaign_of(saved.family) else { continue };
            let folder = store.folder_of(&saved)?;
            if !folder.exists() {
                campaign.add_files(&mut saved.finding)?;
                saved.finding.write(&folder)?;
            }
        }
        let unreduced = if config.campaign.reduce { store.unreduced()? } else { Vec::new() };
        for id in unreduced {
            let saved = store.finding(id)?;
            let Some(campaign) = campaign_of(saved.family) else { continue };
            campaign.jobs().add(Job::resumed(store, saved)?);
        }
        for id in versions_wanted(store, &config.campaign)? {
            let saved = store.finding(id)?;
            let Some(campaign) = campaign_of(saved.family) else { continue };
            campaign.replays().add(Job::resumed(store, saved)?);
        }
        Ok(known)
    }
}

/// What a campaign may use now: `asked` overrides what it was started with.
fn own_budget(
    config: &FuzzConfig,
    campaign: &dyn AnyCampaign,
    asked: Budget,
    is_resumed: bool,
) -> Budget {
    let own = config.campaign.budget_of(campaign.family());
    let time = match is_resumed {
        // How long it ran at first says nothing of how long it is to run now.
        true => asked.time,
        false => asked.time.or(own.time),
    };
    Budget { time, jobs: asked.jobs.or(own.jobs), ..own }
}

/// Shows how campaigns stand, also while nothing happens.
fn show_often(tally: &Mutex<Tally<'_>>, is_done: &AtomicBool) {
    while !is_done.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(200));
        if let Ok(mut tally) = tally.lock() {
            tally.show();
        }
    }
}

fn run_one(
    campaign: &dyn AnyCampaign,
    budget: Budget,
    n_campaigns: usize,
    tally: &Mutex<Tally<'_>>,
) -> Result<(), CampaignError> {
    let locked = || tally.lock().map_err(|_| CampaignError::Panicked);
    let n_jobs = match budget.jobs {
        Some(jobs) => jobs.get(),
        None => n_jobs(None).div_ceil(n_campaigns.max(1)),
    };
    let deadline = budget.time.and_then(|time| Instant::now().checked_add(time.0));
    let stopping = Stopping { count: budget.count, deadline };
    locked()?.start(campaign.family(), stopping);
    loop {
        let done = locked()?.done(campaign.family())?;
        campaign.run(done, stopping, n_jobs, &mut |event| locked()?.event(event))?;
        // What was found last may still wait to be reduced, or to be run on other versions.
        let is_idle = campaign.jobs().is_empty() && campaign.replays().is_empty();
        if is_idle || campaign.is_over(stopping) {
            return Ok(());
        }
    }
}

/// In `findings`, or, if there is a campaign already, in `findings-2`, and so on.
fn create_in_free_folder(header: &Header) -> Result<Store, StoreError> {
    let mut n = 1_u64;
    loop {
        let dir = PathBuf::from(match n {
            1 => "findings".to_owned(),
            _ => format!("findings-{n}"),
        });
        match Store::create(&dir, header) {
            Err(StoreError::Exists(_) | StoreError::InUse(_)) => n += 1,
            other => return other,
        }
    }
}

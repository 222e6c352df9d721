//! What a campaign's store has to say in a report.

use std::collections::BTreeMap;
use std::time::Duration;

use pathsmith_oracles::SuppressingFlag;
use serde_json::Value;

use super::model::{BugGroupView, Cluster, Figure, Incident, Member, Report, Specimen, TargetView};
use super::words::grouped;
use crate::any_campaign::AnyCampaign;
use crate::bug_groups::{BugGroup, ClusterFacts, bug_groups};
use crate::error::CampaignError;
use crate::finding::{Finding, n_statements};
use crate::stats::{Stats, TargetStats};
use crate::store::{Flaky, Identity, Store, StoreError};

impl Report {
    /// The report of a campaign. `campaigns` lower its findings, and need no targets.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn of_campaign(
        store: &Store,
        campaigns: &[Box<dyn AnyCampaign>],
    ) -> Result<Self, CampaignError> {
        let header = store.header()?;
        let config = &header.config;
        let mut stats = Stats::default();
        for family in &config.campaign.families {
            stats.add(&store.progress(*family)?.1);
        }
        let incident = |flaky: Flaky| Incident {
            verdict: flaky.verdict,
            target: flaky.target,
            case: flaky.number,
            why: flaky.why,
        };
        let clusters = clusters(store, campaigns)?;
        Ok(Self {
            generator: format!("pathsmith {}", header.version),
            machine: format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH),
            title: title(&header.identities),
            seed: config.campaign.seed(),
            started: store.started()?,
            cpu_seconds: stats.cpu().as_secs_f64(),
            figures: figures(&stats),
            targets: targets(&stats, &header.identities),
            bug_groups: bug_group_views(&clusters, store)?,
            clusters,
            flaky: store.flaky()?.into_iter().map(incident).collect(),
            own_bugs: own_bugs(store)?,
        })
    }
}

fn title(identities: &BTreeMap<String, Identity>) -> String {
    let mut different: Vec<&String> = identities.values().map(|it| &it.version).collect();
    different.sort_unstable();
    different.dedup();
    match &different[..] {
        [] => "a campaign".to_owned(),
        [one] => one.to_string(),
        [first, others @ ..] => format!("{first} and {} more", others.len()),
    }
}

fn figures(stats: &Stats) -> Vec<Figure> {
    let number = |label: &str, n: u64| Figure::new(label, grouped(n as usize));
    let all = stats.cpu().as_secs_f64().max(1e-9);
    let share = |label: &str, part: Duration| {
        Figure::new(label, format!("{:.1} %", part.as_secs_f64() / all * 100.0))
    };
    let mut figures = vec![
        number("cases", stats.n_cases),
        number("functions", stats.n_functions),
        number("realizations checked", stats.n_checked),
        number("compilations", stats.spent.n_compilations),
        Figure::new("CPU time", format!("{:.0} s", stats.cpu().as_secs_f64())),
        share("compiling", stats.spent.compile),
        share("running", stats.spent.run),
        share("generating", stats.generate),
        share("mutating", stats.mutate),
    ];
    if stats.n_infrastructure_failures > 0 {
        figures.push(number("infrastructure failures", stats.n_infrastructure_failures));
    }
    figures
}

/// Each target with its version: what was measured is named after it.
fn targets(stats: &Stats, identities: &BTreeMap<String, Identity>) -> Vec<TargetView> {
    // A name may have spaces, and be the beginning of another.
    let version_of = |name: &str| {
        let is_of = |known: &&String| {
            name.strip_prefix(&known[..])
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let known = identities.keys().filter(is_of).max_by_key(|known| known.len());
        known.map(|known| identities[known].version.clone())
    };
    let view = |(name, target): (&String, &TargetStats)| TargetView {
        name: name.clone(),
        version: version_of(name).unwrap_or_default(),
        n_checked: target.n_checked,
        cpu_seconds: target.cpu.as_secs_f64(),
    };
    stats.targets.iter().map(view).collect()
}

/// The clusters, numbered in the order in which they are shown. Findings that were not triaged are
/// put together by target and verdict.
fn clusters(
    store: &Store,
    campaigns: &[Box<dyn AnyCampaign>],
) -> Result<Vec<Cluster>, CampaignError> {
    let mut clusters = Vec::new();
    for (key, ids) in store.clusters()? {
        clusters.extend(cluster(store, campaigns, key, &ids)?);
    }
    let mut untriaged: BTreeMap<String, Vec<(usize, i64)>> = BTreeMap::new();
    for id in store.unsigned()? {
        let Finding { verdict, target, program, .. } = store.finding(id)?.finding;
        if verdict.is_finding() {
            let key = format!("{}: {verdict}: not triaged", target.name);
            untriaged.entry(key).or_default().push((n_statements(&program), id));
        }
    }
    for (key, mut findings) in untriaged {
        findings.sort_unstable();
        let ids: Vec<i64> = findings.into_iter().map(|(_, id)| id).collect();
        let group = cluster(store, campaigns, key, &ids)?;
        clusters.extend(group.map(|group| Cluster { is_untriaged: true, ..group }));
    }
    clusters.sort_by_key(Cluster::rank);
    for (at, cluster) in clusters.iter_mut().enumerate() {
        cluster.id = at as u32 + 1;
    }
    Ok(clusters)
}

/// A cluster of findings, the smallest first.
fn cluster(
    store: &Store,
    campaigns: &[Box<dyn AnyCampaign>],
    key: String,
    ids: &[i64],
) -> Result<Option<Cluster>, CampaignError> {
    let Some(first) = ids.first() else { return Ok(None) };
    let front = store.finding(*first)?.finding;
    let signature = front.signature.clone();
    let mut members = Vec::new();
    for id in ids {
        let saved = store.finding(*id)?;
        members.push(Member::new(&saved.name, &saved.finding));
    }
    let known = signature.as_ref();
    Ok(Some(Cluster {
        id: 0,
        key,
        verdict: front.verdict,
        target: front.target.name.clone(),
        kind: known.map_or_else(|| kind(&front.run_on), |known| known.target.clone()),
        is_untriaged: false,
        suspected_causes: known.map_or_else(Vec::new, |known| known.suspected_causes.clone()),
        suppressing_flags: known.map_or_else(Vec::new, |it| texts(&it.suppressing_flags)),
        suppressing_lowerings: known.map_or_else(Vec::new, |it| texts(&it.suppressing_lowerings)),
        bisected_pass: known.and_then(|known| known.bisected_pass.clone()),
        detail: signature.and_then(|known| known.detail),
        versions: store.versions(*first)?,
        front: specimen(store, campaigns, *first)?,
        members,
    }))
}

fn texts(suppressing: &[SuppressingFlag]) -> Vec<String> {
    suppressing.iter().map(|known| known.flag.clone()).collect()
}

/// Whose target it is, by the target that findings save.
fn kind(run_on: &Value) -> String {
    let compiler = run_on["toolchain"]["compiler"].as_str();
    let jvm = run_on["machine"].is_object().then_some("java");
    compiler.or(run_on["engine"].as_str()).or(jvm).unwrap_or_default().to_owned()
}

fn bug_group_views(clusters: &[Cluster], store: &Store) -> Result<Vec<BugGroupView>, StoreError> {
    let mut known = Vec::new();
    for cluster in clusters {
        let front = store.finding_named(&cluster.front.name)?;
        let Some(front) = front else { continue };
        if let Some(facts) = ClusterFacts::of_finding(store, front.id)? {
            known.push((cluster, facts));
        }
    }
    let facts: Vec<ClusterFacts> = known.iter().map(|(_, facts)| facts.clone()).collect();
    let view = |group: BugGroup| {
        let members = || group.clusters.iter().map(|at| known[*at].0);
        BugGroupView {
            clusters: members().map(|cluster| cluster.id).collect(),
            n_findings: members().map(|cluster| cluster.members.len()).sum(),
            target: group.target.clone(),
            suspected_cause: group.suspected_cause.clone(),
            certainty: group.certainty.to_string(),
        }
    };
    Ok(bug_groups(&facts).into_iter().map(view).collect())
}

/// A finding as it is reduced, if it is.
fn specimen(
    store: &Store,
    campaigns: &[Box<dyn AnyCampaign>],
    id: i64,
) -> Result<Specimen, CampaignError> {
    let saved = store.finding(id)?;
    let before = saved.finding.size();
    let reduced = store.reduction(id)?.filter(|reduction| reduction.is_done);
    let (mut finding, original_size) = match reduced {
        Some(reduction) => (reduction.finding, Some(before)),
        None => (saved.finding, None),
    };
    let family = saved.family;
    if let Some(campaign) = campaigns.iter().find(|campaign| campaign.family() == family) {
        campaign.add_files(&mut finding)?;
    }
    Ok(Specimen { original_size, ..Specimen::new(&saved.name, &finding) })
}

/// Findings that speak against pathsmith.
fn own_bugs(store: &Store) -> Result<Vec<Incident>, StoreError> {
    let mut found = Vec::new();
    for id in store.unsigned()? {
        let finding = store.finding(id)?.finding;
        if !finding.verdict.is_finding() {
            found.push(Incident {
                verdict: finding.verdict,
                target: finding.target.full_name(),
                case: finding.number,
                why: finding.evidence.last().map_or(String::new(), |last| last.message.clone()),
            });
        }
    }
    Ok(found)
}

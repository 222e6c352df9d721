//! Bisecting a finding over a list of targets: which is the first that shows it?

use std::path::Path;

use crate::any_campaign::AnyCampaign;
use crate::error::CampaignError;
use crate::reduce::Job;
use crate::registry::{Env, entry};
use crate::revisit::ReplayOn;
use crate::store::{Saved, Store, StoreError};
use crate::versions::{ReplayOutcome, Replayed, Versions};

/// What came of bisecting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bisected {
    /// What was run, in the order in which it was run.
    pub steps: Vec<Step>,
    /// The last of the list that is known not to show the finding.
    pub last_good: Replayed,
    /// The first that shows it.
    pub first_bad: Replayed,
    /// Those between the two, which say nothing: any of them may be the first.
    pub skipped: Vec<Replayed>,
}

/// A target of the list that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Where it stands in the list, from 0.
    pub at: usize,
    /// What it does.
    pub replayed: Replayed,
}

/// The store that a finding's folder is in, and the finding.
///
/// # Errors
/// If it is no such folder.
pub fn finding_in(folder: &Path) -> Result<(Store, Saved), CampaignError> {
    let path = folder
        .canonicalize()
        .map_err(|source| CampaignError::Read { path: folder.to_owned(), source })?;
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(StoreError::None(folder.to_owned()).into());
    };
    if Store::read(&path).is_ok() {
        let folder = folder.display();
        return Err(CampaignError::Request(format!(
            "{folder} is the folder of a campaign; expected that of one of its findings"
        )));
    }
    let store = Store::read(dir)?;
    let saved = store.finding_named(&name.to_string_lossy())?.ok_or_else(|| {
        CampaignError::Request(format!("the campaign in {} has no such finding", dir.display()))
    })?;
    Ok((store, saved))
}

/// Bisects a finding, as it is reduced so far, over targets in the order of their versions: the first
/// has to be good, the last bad. Without a list, it is all versions at hand. `on_step` is called with
/// the result of every target that was run.
///
/// # Errors
/// If an end of the list is not what it has to be, a target is not there, or an oracle cannot work.
pub fn bisect_finding(
    store: &Store,
    saved: &Saved,
    targets: &[String],
    env: &Env,
    mut on_step: impl FnMut(&Step),
) -> Result<Bisected, CampaignError> {
    let header = store.header()?;
    let finding = Job::resumed(store, saved.clone())?.finding;
    let fail = |why: String| Err(CampaignError::Request(why));
    if targets.len() == 1 {
        return fail("a list to bisect has at least two targets, the oldest first".to_owned());
    }
    let mut known: Vec<Option<Replayed>> = vec![None; targets.len()];
    let mut campaigns: Vec<Box<dyn AnyCampaign>> = Vec::new();
    let family = entry(saved.family);
    if targets.is_empty() {
        // All of them are run anyway to find out what there is.
        let campaign = family.at_hand(&header.targets, &header.config, env)?;
        let all = campaign.replay(&finding, ReplayOn::AllAtHand)?;
        known = Versions::new(all, Vec::new()).versions.into_iter().map(Some).collect();
        // What the first and last of the list are is for the versions to say.
        let first = known.iter().flatten().position(Replayed::is_fixed);
        let last = known.iter().flatten().position(Replayed::remains);
        match (first, last) {
            (Some(first), Some(last)) if first < last => {
                known = known.drain(first..=last).collect();
            }
            _ => {
                let list: Vec<String> = known.iter().flatten().map(line).collect();
                return fail(format!(
                    "among the versions at hand there is no good one before a bad one:\n  {}",
                    list.join("\n  ")
                ));
            }
        }
    } else {
        for target in targets {
            let named = std::slice::from_ref(target);
            campaigns.push(family.at_hand(named, &header.config, env)?);
        }
    }
    let mut steps: Vec<Step> = Vec::new();
    let n = known.len();
    let mut ask = |at: usize| -> Result<Answer, CampaignError> {
        let replayed = match known[at].take() {
            Some(replayed) => replayed,
            None => {
                let ran = campaigns[at].replay(&finding, ReplayOn::TargetsOfCampaign)?;
                ran.into_iter().next().ok_or_else(|| not_alike(saved, &targets[at]))?
            }
        };
        let answer = match &replayed.outcome {
            ReplayOutcome::DoesNotShow => Answer::Good,
            ReplayOutcome::Shows { .. } => Answer::Bad,
            ReplayOutcome::NotComparable { .. } => Answer::Skip,
            ReplayOutcome::InfrastructureFailure { why } => {
                return Err(pathsmith_oracles::OracleError::Unavailable {
                    name: replayed.full_name(),
                    why: why.clone(),
                }
                .into());
            }
        };
        let step = Step { at, replayed };
        on_step(&step);
        steps.push(step);
        Ok(answer)
    };
    for (at, expected) in [(0, Answer::Good), (n - 1, Answer::Bad)] {
        if ask(at)? != expected {
            let found = steps.last().map(|step| line(&step.replayed)).unwrap_or_default();
            return fail(match expected {
                Answer::Good => format!("the first of the list has to be good, but {found}"),
                Answer::Bad | Answer::Skip => {
                    format!("the last of the list has to be bad, but {found}")
                }
            });
        }
    }
    let (good, bad) = bisect(n, ask)?;
    let of = |at: usize| steps.iter().find(|step| step.at == at).map(|step| step.replayed.clone());
    let (Some(last_good), Some(first_bad)) = (of(good), of(bad)) else {
        return fail("the ends of the list were not run".to_owned());
    };
    let skipped = (good + 1..bad).filter_map(of).collect();
    Ok(Bisected { steps, last_good, first_bad, skipped })
}

/// What a target does, in a few words.
fn line(replayed: &Replayed) -> String {
    let (name, version) = (replayed.full_name(), &replayed.version);
    match &replayed.outcome {
        ReplayOutcome::Shows { verdict } => format!("{name} ({version}) shows it: {verdict}"),
        ReplayOutcome::DoesNotShow => format!("{name} ({version}) does not show it"),
        ReplayOutcome::NotComparable { why } => {
            format!("{name} ({version}) is not comparable: {why}")
        }
        ReplayOutcome::InfrastructureFailure { why } => {
            format!("{name} ({version}) could not be run: {why}")
        }
    }
}

fn not_alike(saved: &Saved, target: &str) -> CampaignError {
    let showed = &saved.finding.target.version;
    CampaignError::Request(format!("{target} is not of the same kind as what showed it, {showed}"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Good,
    Bad,
    Skip,
}

/// Finds two numbers in `0..n`, the first of them good and the second bad, with nothing between them
/// but what is skipped. 0 is known to be good, and the last to be bad.
fn bisect<E>(
    n: usize,
    mut ask: impl FnMut(usize) -> Result<Answer, E>,
) -> Result<(usize, usize), E> {
    let (mut good, mut bad) = (0_usize, n.saturating_sub(1));
    let mut skipped = vec![false; n];
    loop {
        let middle = good.midpoint(bad);
        let open = (good + 1..bad).filter(|at| !skipped[*at]);
        let Some(at) = open.min_by_key(|at| at.abs_diff(middle)) else { return Ok((good, bad)) };
        match ask(at)? {
            Answer::Good => good = at,
            Answer::Bad => bad = at,
            Answer::Skip => skipped[at] = true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bisects a list in which `g` is good, `b` bad and `s` skipped. Returns what was found and how
    /// many were asked.
    fn bisected(list: &str) -> (usize, usize, usize) {
        let mut n_asked = 0;
        let answers = list.as_bytes();
        let found = bisect::<()>(list.len(), |at| {
            n_asked += 1;
            Ok(match answers[at] {
                b'g' => Answer::Good,
                b'b' => Answer::Bad,
                _ => Answer::Skip,
            })
        });
        let (good, bad) = found.unwrap();
        (good, bad, n_asked)
    }

    #[test]
    fn the_first_bad_one_is_found_in_few_steps() {
        assert_eq!(bisected("gb"), (0, 1, 0));
        for first_bad in 1..100 {
            let list = "g".repeat(first_bad) + &"b".repeat(100 - first_bad);
            let (good, bad, n_asked) = bisected(&list);
            assert_eq!((good, bad), (first_bad - 1, first_bad));
            assert!(n_asked <= 7, "{n_asked}");
        }
    }

    #[test]
    fn what_is_skipped_is_stepped_around() {
        assert_eq!(bisected("ggsbb").0..=bisected("ggsbb").1, 1..=3);
        assert_eq!(bisected("gsssb"), (0, 4, 3));
        let (good, bad, _) = bisected("gsgsbsb");
        assert_eq!((good, bad), (2, 4));
        let (good, bad, _) = bisected("gsgbsb");
        assert_eq!((good, bad), (2, 3), "the skipped ones are not in between");
    }

    #[test]
    fn errors_stop_it() {
        assert_eq!(bisect(9, |_| Err("broken")), Err("broken"));
    }
}

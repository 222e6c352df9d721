//! Whether a failure is one of a bug that is known already.

use std::collections::BTreeSet;

use pathsmith_oracles::{Limits, Report, Triage, Verdict};

use crate::batch::Case;
use crate::campaign::Worker;
use crate::error::CampaignError;
use crate::family::{Artifact, Family};
use crate::known::{Condition, KnownBug};
use crate::reproducer::Reproducer;
use crate::sighting::{CountedUnder, Explained};

/// How long a compiler or a program may take each time, in seconds, if the limits allow for more:
/// what is asked is whether it works. A guess.
const MAX_TIME: u64 = 10;

impl<F: Family> Worker<'_, F> {
    /// What a failure is counted under: a finding of the same function on the same target, or a bug
    /// that is known.
    pub(crate) fn explain(
        &mut self,
        case: &Case,
        shown: &Reproducer<F>,
        artifact: &Artifact<F>,
        report: &Report,
    ) -> Result<Option<CountedUnder>, CampaignError> {
        let info = F::describe(&shown.target);
        let crash = F::Oracle::crash_report(&shown.target, report);
        let case = (case.number, case.variant);
        let is_about_compiling = report.verdict.is_about_compiling();
        let earlier: Vec<Explained> = self
            .explained
            .iter()
            .filter(|known| known.case == case && known.target == info.name)
            .filter(|known| known.is_about_compiling == is_about_compiling && known.crash == crash)
            .cloned()
            .collect();
        for known in earlier {
            let is_suppressed = match &known.suppressing {
                Some(condition) => self.is_suppressed(shown, artifact, condition)?,
                None => true,
            };
            if is_suppressed {
                return Ok(Some(known.under));
            }
        }
        let known = self.campaign.memory.known(self.batch, &info);
        let found = match &crash {
            Some(trace) => known_crash(&known, trace).cloned(),
            None => self.known_bug(&known, shown, artifact)?,
        };
        let Some(bug) = found else { return Ok(None) };
        let under = CountedUnder::Known(bug.name);
        self.explained.push(Explained {
            case,
            target: info.name,
            is_about_compiling,
            suppressing: crash.is_none().then_some(bug.condition),
            crash,
            under: under.clone(),
        });
        Ok(Some(under))
    }

    /// The known bug whose condition suppresses a failure.
    fn known_bug(
        &mut self,
        known: &[KnownBug],
        shown: &Reproducer<F>,
        artifact: &Artifact<F>,
    ) -> Result<Option<KnownBug>, CampaignError> {
        let given = F::describe(&shown.target).flags;
        // What is suppressed already is not what fails.
        let may_matter = |bug: &&KnownBug| {
            bug.condition.words().is_some_and(|words| words.iter().any(|it| !given.contains(it)))
        };
        let mut with_flags: Vec<&KnownBug> = known.iter().filter(may_matter).collect();
        if !with_flags.is_empty() && self.is_suppressed(shown, artifact, &all_flags(&with_flags))? {
            if with_flags.len() == 1 {
                return Ok(Some(with_flags[0].clone()));
            }
            for bug in &with_flags {
                if self.is_suppressed(shown, artifact, &bug.condition)? {
                    return Ok(Some((*bug).clone()));
                }
            }
            // It takes several of them; the first that it cannot do without names it.
            for i in (0..with_flags.len()).rev() {
                let mut fewer = with_flags.clone();
                fewer.remove(i);
                if self.is_suppressed(shown, artifact, &all_flags(&fewer))? {
                    with_flags = fewer;
                }
            }
            return Ok(with_flags.first().map(|bug| (*bug).clone()));
        }
        for bug in known {
            let is_tried = match bug.condition {
                Condition::Setting(_) | Condition::Lowering(_) => true,
                Condition::Flags(_) | Condition::Crash(_) => false,
            };
            if is_tried && self.is_suppressed(shown, artifact, &bug.condition)? {
                return Ok(Some(bug.clone()));
            }
        }
        Ok(None)
    }

    fn is_suppressed(
        &mut self,
        shown: &Reproducer<F>,
        artifact: &Artifact<F>,
        condition: &Condition,
    ) -> Result<bool, CampaignError> {
        let target = &shown.target;
        let suppressed = match condition {
            Condition::Flags(flags) => {
                let words: Vec<String> = flags.split_whitespace().map(str::to_owned).collect();
                Some(F::without_known_bugs(target, &words))
            }
            Condition::Setting(name) => F::in_setting(target, name),
            Condition::Lowering(text) => {
                let Ok(variation) = text.parse() else { return Ok(false) };
                let passes = self.campaign.passes_lowered(&mut self.oracle, shown, &variation)?;
                return Ok(passes == Some(true));
            }
            // That says how a failure is recognized, not what suppresses it.
            Condition::Crash(_) => None,
        };
        let Some(suppressed) = suppressed else { return Ok(false) };
        let mut limits: Limits = self.campaign.limits.clone();
        limits.compile_time = limits.compile_time.min(MAX_TIME);
        limits.run_time = limits.run_time.min(MAX_TIME);
        let report = F::run_quickly(&mut self.oracle, artifact, &suppressed, &limits)?;
        Ok(report.verdict == Verdict::Agrees)
    }
}

fn known_crash<'a>(known: &'a [KnownBug], trace: &[String]) -> Option<&'a KnownBug> {
    let trace = trace.join(", ");
    known.iter().find(|bug| match &bug.condition {
        Condition::Crash(place) => *place == trace,
        Condition::Flags(_) | Condition::Setting(_) | Condition::Lowering(_) => false,
    })
}

fn all_flags(bugs: &[&KnownBug]) -> Condition {
    // A flag that is there twice is an error for some targets.
    let flags: BTreeSet<Vec<String>> =
        bugs.iter().filter_map(|bug| bug.condition.words()).collect();
    Condition::Flags(flags.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

//! What happened so far, and telling of it.

use std::io::Write;
use std::path::Path;

use pathsmith_campaign::{Event, Finding, Stats};

use crate::errors::{Failure, note};
use crate::parallel::Progress;

/// What happened so far.
pub(super) struct Tally<'a> {
    dir: &'a Path,
    stats: Stats,
    pub(super) n_findings: u64,
    pub(super) n_own: u64,
    n_unconfirmed: u64,
    progress: Progress,
}

impl<'a> Tally<'a> {
    pub(super) fn new(dir: &'a Path) -> Self {
        let progress = Progress::new();
        Self { dir, stats: Stats::default(), n_findings: 0, n_own: 0, n_unconfirmed: 0, progress }
    }

    pub(super) fn event(&mut self, event: Event) -> Result<(), Failure> {
        match event {
            Event::Batch(stats) => self.stats.add(&stats),
            Event::Found(finding) => self.found(&finding)?,
            Event::NotConfirmed { verdict, target, number, why } => {
                self.n_unconfirmed += 1;
                self.say(&format!(
                    "not confirmed: {verdict}: {target}: seen once, from case {number} on: {why}"
                ));
            }
            Event::CouldNotRun { target, why } => {
                self.say(&format!("could not run: {target}: {why}"));
            }
        }
        let line = self.line();
        self.progress.show(|| line);
        Ok(())
    }

    fn found(&mut self, finding: &Finding) -> Result<(), Failure> {
        let folder = finding.write(self.dir).map_err(|error| {
            let what = format!("cannot write {}", error.path.display());
            Failure::io(what, error.source)
        })?;
        if finding.verdict.is_finding() {
            self.n_findings += 1;
        } else {
            self.n_own += 1;
        }
        let whose = if finding.verdict.is_finding() { "" } else { "our own bug: " };
        self.progress.clear();
        // Findings are the product; all other talk goes to standard error.
        let line = format!("{whose}{}\n    {}\n", finding.summary(), folder.display());
        std::io::stdout()
            .write_all(line.as_bytes())
            .map_err(|source| Failure::io("cannot write the output", source))
    }

    fn say(&mut self, message: &str) {
        self.progress.clear();
        note(message);
    }

    /// Rates, for a line that is shown again and again.
    fn line(&self) -> String {
        let seconds = self.progress.seconds().max(1e-9);
        let rate = |n: u64| n as f64 / seconds;
        let stats = &self.stats;
        format!(
            "{seconds:.0} s: {} cases of {} functions ({:.0}/s), {} realizations checked \
             ({:.0}/s), {} compilations ({:.1}/s), {} findings",
            stats.n_cases,
            stats.n_functions,
            rate(stats.n_functions),
            stats.n_checked,
            rate(stats.n_checked),
            stats.spent.n_compilations,
            rate(stats.spent.n_compilations),
            self.n_findings,
        )
    }

    pub(super) fn finish(&mut self) {
        self.progress.clear();
        note(&self.line());
        note(&self.stats.to_string());
        let stats = &self.stats;
        for (name, target) in &stats.targets {
            let rate = target.n_checked as f64 / target.cpu.as_secs_f64().max(1e-9);
            let (n, cpu) = (target.n_checked, target.cpu.as_secs_f64());
            note(&format!(
                "{name}: {n} realizations checked in {cpu:.1} s of its time, {rate:.0}/s"
            ));
        }
        if stats.n_unsolved > 0 {
            note(&format!("{} cases are unsolved", stats.n_unsolved));
        }
        if stats.n_could_not_run > 0 {
            note(&format!("{} runs could not take place", stats.n_could_not_run));
        }
        if self.n_unconfirmed > 0 {
            note(&format!("{} times something was seen once only", self.n_unconfirmed));
        }
        if self.n_own > 0 {
            note(&format!("{} bugs of pathsmith's own: please report them", self.n_own));
        }
    }
}

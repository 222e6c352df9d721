//! Showing a campaign: a live display on a terminal, plain lines elsewhere, JSON on request.

mod live;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pathsmith_campaign::report::counted;
use pathsmith_campaign::{
    CampaignState, Finding, Flaky, Identity, Notice, Oversized, Reduction, Reporter, Runner, Stage,
};
use pathsmith_oracles::shown_line;
use serde_json::{Value, json};

use self::live::{Frame, clock, n_rows, stage_counts};
use crate::errors::note;
use crate::terminal::takes_escapes;

/// Shows a campaign.
pub(super) struct Display {
    started: Instant,
    shown: Option<Instant>,
    mode: Mode,
    seed: u64,
    dir: PathBuf,
    /// The names of all targets.
    targets: Vec<String>,
}

enum Mode {
    /// Lines that are drawn again and again; how wide those are that are there now.
    Live(Vec<usize>),
    /// A line now and then.
    Plain,
    /// Objects on standard output.
    Json,
}

impl Display {
    /// Shows that a campaign starts.
    pub(super) fn new(json: bool, runner: &Runner) -> Self {
        let mode = match json {
            true => Mode::Json,
            false if takes_escapes() => Mode::Live(Vec::new()),
            false => Mode::Plain,
        };
        let (seed, dir) = (runner.config().campaign.seed(), runner.dir().to_owned());
        let identities = runner.identities();
        let targets = identities.iter().flat_map(|(_, targets)| targets.keys().cloned()).collect();
        let display = Self { started: Instant::now(), shown: None, mode, seed, dir, targets };
        if let Mode::Json = display.mode {
            let targets: Vec<Value> = identities
                .iter()
                .flat_map(|(family, targets)| targets.iter().map(move |one| (family, one)))
                .map(|(family, (name, Identity { version, path }))| {
                    json!({ "family": family, "name": name, "path": path, "version": version })
                })
                .collect();
            display.object(
                "start",
                json!({
                    "version": env!("CARGO_PKG_VERSION"),
                    "seed": seed,
                    "is_resumed": runner.is_resumed(),
                    "folder": display.dir.display().to_string(),
                    "targets": targets,
                    "config": runner.config(),
                }),
            );
        }
        display
    }

    fn found(&mut self, finding: &Finding, folder: &Path) -> io::Result<()> {
        let folder = folder.display().to_string();
        if let Mode::Json = self.mode {
            let signature = finding.signature.as_ref().map(pathsmith_oracles::Signature::key);
            self.object(
                "found",
                json!({
                    "verdict": finding.verdict,
                    "is_possible_pathsmith_bug": !finding.verdict.is_finding(),
                    "target": finding.target.full_name(),
                    "case": finding.number,
                    "variant": finding.variant,
                    "call": finding.call,
                    "expected": finding.expected,
                    "actual": finding.actual,
                    "cluster": signature,
                    "folder": folder,
                }),
            );
            return Ok(());
        }
        self.clear();
        // Findings are the product; all messages go to standard error.
        let line = format!("{}\n    {folder}\n", finding.summary());
        io::stdout().write_all(line.as_bytes())
    }

    fn confirmed(&mut self, what: &str) {
        self.say("confirmed", json!({ "what": what }), || format!("confirmed: {what}; at triage"));
    }

    fn reduced(&mut self, name: &str, reduction: &Reduction) {
        let (size, n_tests) = (reduction.finding.size(), reduction.n_tests);
        let data = json!({ "name": name, "statements": size, "tests": n_tests });
        self.say("reduced", data, || {
            format!("{name}: reduced to {size} statements in {n_tests} tests")
        });
    }

    fn flaky(&mut self, flaky: &Flaky) {
        let Flaky { number, variant, verdict, target, why, .. } = flaky;
        let data = json!({
            "verdict": verdict, "target": target, "case": number, "variant": variant, "why": why,
        });
        self.say("flaky", data, || {
            format!("flaky: {verdict}: {target}: not confirmed, from case {number} on: {why}")
        });
    }

    fn lost(&mut self, target: &str, why: &str) {
        let data = json!({ "target": target, "why": why });
        self.say("target-lost", data, || {
            format!("infrastructure failure: {target} does not work any more: {why}")
        });
    }

    fn infrastructure_failure(&mut self, target: &str, why: &str) {
        let data = json!({ "target": target, "why": why });
        self.say("infrastructure-failure", data, || {
            format!("infrastructure failure: {target}: {why}")
        });
    }

    fn oversized(&mut self, case: &Oversized) {
        let Oversized { number, why } = case;
        let data = json!({ "case": number, "why": why });
        self.say("oversized", data, || format!("case {number} is left out: {why}"));
    }

    fn say(&mut self, event: &str, data: Value, line: impl FnOnce() -> String) {
        match self.mode {
            Mode::Json => self.object(event, data),
            Mode::Live(_) | Mode::Plain => {
                self.clear();
                note(&line());
            }
        }
    }

    /// Rates, in one line.
    fn line(&self, now: &CampaignState) -> String {
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        let rate = |n: u64| n as f64 / seconds;
        let stats = &now.stats;
        let before = match now.before.n_cases {
            0 => String::new(),
            n => format!(" ({n} cases before)"),
        };
        let n_findings: u64 = now.findings.values().sum();
        let known = match now.n_known {
            0 => String::new(),
            n => format!(", {n} failures of known bugs"),
        };
        let left = match (now.time_left(), now.cases_left()) {
            (Some(time), _) if !time.is_zero() => format!(", {} left", clock(time)),
            (None, Some(n @ 1..)) => format!(", {n} cases left"),
            (Some(_) | None, _) => String::new(),
        };
        format!(
            "{seconds:.0} s{left}: {} cases of {} functions ({:.0}/s){before}, {} realizations checked \
             ({:.0}/s), {} compilations ({:.1}/s), {} in {}{known}",
            stats.n_cases,
            stats.n_functions,
            rate(stats.n_functions),
            stats.n_checked,
            rate(stats.n_checked),
            stats.spent.n_compilations,
            rate(stats.spent.n_compilations),
            counted(n_findings as usize, "finding"),
            counted(now.n_clusters, "cluster"),
        )
    }

    fn state(&self, now: &CampaignState) -> Value {
        let stages: BTreeMap<&str, usize> =
            std::iter::zip(Stage::ALL.map(Stage::name), now.stages).collect();
        json!({
            "elapsed_seconds": self.started.elapsed().as_secs_f64(),
            "left_seconds": now.time_left().map(|left| left.as_secs_f64()),
            "left_cases": now.cases_left(),
            "stages": stages,
            "stats": now.total(),
            "findings": now.findings,
            "clusters": now.n_clusters,
            "known": now.n_known,
            "flaky": now.n_flaky,
            "reducing": now.reducing.len(),
            "waiting": now.n_waiting,
        })
    }

    fn object(&self, event: &str, mut data: Value) {
        data["event"] = event.into();
        // The reader has closed the pipe, and needs no more of it.
        let _ = writeln!(io::stdout(), "{data}");
    }

    fn draw(&mut self, now: &CampaignState) {
        let (width, height) = size();
        let (dir, targets, elapsed) = (&self.dir, &self.targets, self.started.elapsed());
        let frame = Frame { seed: self.seed, dir, targets, elapsed, width, height };
        let lines = frame.lines(now);
        self.clear();
        self.mode = Mode::Live(lines.iter().map(|line| line.chars().count()).collect());
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let _ = io::stderr().write_all(text.as_bytes());
    }

    /// Takes the live display away.
    fn clear(&mut self) {
        if let Mode::Live(lines) = &mut self.mode
            && !lines.is_empty()
        {
            // To the beginning of its first line, and everything below is gone.
            let _ = write!(io::stderr(), "\x1b[{}F\x1b[J", n_rows(lines, size().0));
            lines.clear();
        }
    }
}

/// How wide and how high the terminal is now.
fn size() -> (usize, usize) {
    let size = terminal_size::terminal_size_of(io::stderr());
    size.map_or((80, 24), |(width, height)| (width.0.into(), height.0.into()))
}

impl Reporter for Display {
    fn notice(&mut self, notice: Notice<'_>) -> io::Result<()> {
        match notice {
            Notice::Found { finding, folder } => return self.found(finding, folder),
            Notice::Confirmed { what } => self.confirmed(what),
            Notice::Reduced { name, reduction } => self.reduced(name, reduction),
            Notice::Flaky(flaky) => self.flaky(flaky),
            Notice::TargetLost { target, why } => self.lost(target, why),
            Notice::Oversized(case) => self.oversized(case),
            Notice::InfrastructureFailure { target, why } => {
                self.infrastructure_failure(target, why);
            }
        }
        Ok(())
    }

    /// Shows how it stands, if that is due.
    fn progress(&mut self, now: &CampaignState) {
        let interval = match self.mode {
            Mode::Live(_) => Duration::from_millis(200),
            Mode::Plain => Duration::from_secs(60),
            Mode::Json => Duration::from_secs(1),
        };
        let since = self.shown.unwrap_or(self.started);
        if since.elapsed() < interval {
            return;
        }
        self.shown = Some(Instant::now());
        match self.mode {
            Mode::Live(_) => self.draw(now),
            Mode::Plain => note(&format!("{}; {}", self.line(now), stage_counts(now))),
            Mode::Json => self.object("progress", self.state(now)),
        }
    }

    fn finish(&mut self, now: &CampaignState, is_stopped: bool) -> io::Result<()> {
        if let Mode::Json = self.mode {
            let mut state = self.state(now);
            state["is_stopped"] = is_stopped.into();
            self.object("end", state);
            return Ok(());
        }
        self.clear();
        note(&self.line(now));
        let stats = now.total();
        note(&stats.to_string());
        note(&format!("by purpose: {}", stats.purposes));
        if stats.late.all() > Duration::ZERO {
            note(&format!("after the first 30 minutes of CPU time: {}", stats.late));
        }
        for (name, target) in &stats.targets {
            let rate = target.n_checked as f64 / target.cpu.as_secs_f64().max(1e-9);
            let (n, cpu) = (target.n_checked, target.cpu.as_secs_f64());
            let name = shown_line(name);
            note(&format!(
                "{name}: {n} realizations checked in {cpu:.1} s of CPU time, {rate:.0}/s"
            ));
        }
        let counts = [
            (stats.n_unsolved, "case", " unsolved"),
            (stats.n_oversized, "case", " left out: too large"),
            (stats.n_skipped, "run", " skipped: the target cannot check the program"),
            (stats.n_infrastructure_failures, "run", " that failed for want of a working target"),
            (now.n_flaky as u64, "flaky result", ""),
            ((now.reducing.len() + now.n_waiting) as u64, "finding", " not reduced yet"),
        ];
        for (n, what, rest) in counts.into_iter().filter(|(n, ..)| *n > 0) {
            note(&format!("{}{rest}", counted(n as usize, what)));
        }
        let dir = self.dir.display();
        if is_stopped {
            note(&format!("stopped; `pathsmith fuzz --resume {dir}` resumes"));
        }
        if !now.reducing.is_empty() || now.n_waiting > 0 {
            note(&format!("`pathsmith reduce {dir}` reduces what is not reduced yet"));
        }
        if !now.findings.is_empty() {
            note(&format!("`pathsmith report {dir}` writes a report of the findings"));
        }
        Ok(())
    }
}

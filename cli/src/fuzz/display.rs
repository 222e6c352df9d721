//! Showing a campaign: a live display on a terminal, plain lines elsewhere, JSON on request.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pathsmith_campaign::{CampaignState, Finding, Flaky, Notice, Oversized, Reduction, Reporter};
use pathsmith_oracles::shown_line;
use serde_json::{Value, json};

use crate::errors::note;

/// Shows a campaign.
pub(super) struct Display {
    started: Instant,
    shown: Option<Instant>,
    mode: Mode,
    seed: u64,
    dir: PathBuf,
}

enum Mode {
    /// Lines that are drawn again and again; how many there are now.
    Live(usize),
    /// A line now and then.
    Plain,
    /// Objects on standard output.
    Json,
}

impl Display {
    pub(super) fn new(json: bool, seed: u64, dir: &Path) -> Self {
        let mode = match json {
            true => Mode::Json,
            false if io::stderr().is_terminal() => Mode::Live(0),
            false => Mode::Plain,
        };
        Self { started: Instant::now(), shown: None, mode, seed, dir: dir.to_owned() }
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
        format!(
            "{seconds:.0} s: {} cases of {} functions ({:.0}/s){before}, {} realizations checked \
             ({:.0}/s), {} compilations ({:.1}/s), {n_findings} findings in {} clusters{known}",
            stats.n_cases,
            stats.n_functions,
            rate(stats.n_functions),
            stats.n_checked,
            rate(stats.n_checked),
            stats.spent.n_compilations,
            rate(stats.spent.n_compilations),
            now.n_clusters,
        )
    }

    fn state(&self, now: &CampaignState) -> Value {
        json!({
            "seconds": self.started.elapsed().as_secs_f64(),
            "stats": now.total(),
            "findings": now.findings,
            "clusters": now.n_clusters,
            "known": now.n_known,
            "flaky": now.n_flaky,
            "reducing": now.reducing.len(),
        })
    }

    fn object(&self, event: &str, mut data: Value) {
        data["event"] = event.into();
        // The reader has closed the pipe, and needs no more of it.
        let _ = writeln!(io::stdout(), "{data}");
    }

    fn draw(&mut self, now: &CampaignState) {
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(80, |(w, _)| w.0.into());
        let lines = self.lines(now);
        self.clear();
        let mut out = String::new();
        for line in &lines {
            // A line that wraps could not be cleared again.
            out.extend(shown_line(line).chars().take(width));
            out.push('\n');
        }
        self.mode = Mode::Live(lines.len());
        let _ = io::stderr().write_all(out.as_bytes());
    }

    fn lines(&self, now: &CampaignState) -> Vec<String> {
        let all = now.total();
        let seconds = self.started.elapsed().as_secs_f64().max(1e-9);
        let rate = |n: u64| n as f64 / seconds;
        let dir = self.dir.display();
        let stats = &now.stats;
        let mut lines = vec![
            format!("pathsmith  seed {}  {}  {dir}", self.seed, clock(self.started.elapsed())),
            format!(
                "  {} cases ({:.1}/s)  {} functions ({:.1}/s)  {} realizations checked ({:.0}/s)",
                all.n_cases,
                rate(stats.n_cases),
                all.n_functions,
                rate(stats.n_functions),
                all.n_checked,
                rate(stats.n_checked),
            ),
            format!("  {all}"),
        ];
        for (name, target) in &all.targets {
            let (n, cpu) = (target.n_checked, target.cpu.as_secs_f64());
            let per_second = n as f64 / cpu.max(1e-9);
            lines
                .push(format!("    {name:<32} {n:>10} checked  {cpu:>9.1} s  {per_second:>8.0}/s"));
        }
        let findings: Vec<String> =
            now.findings.iter().map(|(verdict, n)| format!("{verdict} {n}")).collect();
        let findings = if findings.is_empty() { "none".to_owned() } else { findings.join("  ") };
        lines.push(format!(
            "  findings: {findings}  in {} clusters, {} failures of known bugs, {} flaky",
            now.n_clusters, now.n_known, now.n_flaky
        ));
        lines.extend(now.reducing.values().map(|line| format!("  reducing {line}")));
        lines
    }

    /// Takes the live display away.
    fn clear(&mut self) {
        if let Mode::Live(n @ 1..) = self.mode {
            // To the beginning of its first line, and everything below is gone.
            let _ = write!(io::stderr(), "\x1b[{n}F\x1b[J");
            self.mode = Mode::Live(0);
        }
    }
}

impl Reporter for Display {
    fn notice(&mut self, notice: Notice<'_>) -> io::Result<()> {
        match notice {
            Notice::Found { finding, folder } => return self.found(finding, folder),
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
            Mode::Plain => note(&self.line(now)),
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
            note(&format!(
                "{name}: {n} realizations checked in {cpu:.1} s of CPU time, {rate:.0}/s"
            ));
        }
        let counts = [
            (stats.n_unsolved, "cases unsolved"),
            (stats.n_oversized, "cases left out: too large"),
            (stats.n_skipped, "runs skipped: the target cannot check the program"),
            (stats.n_infrastructure_failures, "runs that failed for want of a working target"),
            (now.n_flaky as u64, "flaky results"),
            (now.reducing.len() as u64, "findings not reduced yet"),
        ];
        for (n, what) in counts.into_iter().filter(|(n, _)| *n > 0) {
            note(&format!("{n} {what}"));
        }
        let dir = self.dir.display();
        if is_stopped {
            note(&format!("stopped; `pathsmith fuzz --resume {dir}` resumes"));
        }
        if !now.findings.is_empty() {
            note(&format!("`pathsmith report {dir}` writes a report of the findings"));
        }
        Ok(())
    }
}

/// A duration as a clock shows it.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
    match days {
        0 => format!("{hours}:{minutes:02}:{seconds:02}"),
        _ => format!("{days}d {hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_show_days() {
        assert_eq!(clock(Duration::from_secs(59)), "0:00:59");
        assert_eq!(clock(Duration::from_secs(3600 * 49 + 61)), "2d 1:01:01");
    }

    #[test]
    fn a_live_display_has_rates_targets_and_findings() {
        let mut now = CampaignState { n_clusters: 1, ..CampaignState::default() };
        now.stats.n_cases = 7;
        now.stats.targets.insert("gcc-12 -O2".to_owned(), Default::default());
        now.findings.insert("wrong-result".to_owned(), 3);
        now.reducing.insert(1, "f5: 9 statements".to_owned());
        let text = Display::new(false, 42, Path::new("findings")).lines(&now).join("\n");
        for part in [
            "seed 42",
            "7 cases",
            "compiling",
            "gcc-12 -O2",
            "wrong-result 3  in 1 clusters",
            "reducing f5",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

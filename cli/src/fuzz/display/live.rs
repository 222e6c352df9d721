//! The lines of the live display, which fit a terminal of any size.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use pathsmith_campaign::report::counted;
use pathsmith_campaign::{CampaignState, Stage, Stats, TargetStats};
use pathsmith_oracles::shown_line;

/// How wide a column with a target is. Two of them fit 80 characters.
const COLUMN: usize = 39;
/// How wide the figures of a target are that has a line of its own, with the space around its name.
const FIGURES: usize = 49;
/// How many running reductions are shown at most.
const MAX_REDUCING: usize = 3;

/// What the live display shows besides the state of a campaign, and in how much room.
pub(super) struct Frame<'a> {
    pub(super) seed: u64,
    pub(super) dir: &'a Path,
    /// The names of all targets.
    pub(super) targets: &'a [String],
    pub(super) elapsed: Duration,
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Frame<'_> {
    /// At most as many lines as there is room for, none wider than the terminal.
    pub(super) fn lines(&self, now: &CampaignState) -> Vec<String> {
        let all = now.total();
        let mut lines =
            vec![self.title(now), stages(now), self.counts(now, &all), self.cpu_times(&all)];
        let mut below = vec![findings(now)];
        below.extend(reductions(now));
        // The cursor stands on a line of its own.
        let room = self.height.saturating_sub(lines.len() + below.len() + 1);
        lines.extend(self.target_lines(&all.targets, room));
        lines.append(&mut below);
        lines.truncate(self.height.saturating_sub(1));
        lines.iter().map(|line| clipped(&shown_line(line), self.width)).collect()
    }

    fn title(&self, now: &CampaignState) -> String {
        let left = now.time_left().map_or(String::new(), |left| format!(", {} left", clock(left)));
        let (seed, dir) = (self.seed, self.dir.display());
        format!("pathsmith  seed {seed}  {}{left}  {dir}", clock(self.elapsed))
    }

    fn counts(&self, now: &CampaignState, all: &Stats) -> String {
        let seconds = self.elapsed.as_secs_f64().max(1e-9);
        let rate = |n: u64| short_rate(n as f64 / seconds);
        let left = now.cases_left().map_or(String::new(), |left| format!(", {left} left"));
        let stats = &now.stats;
        format!(
            "  cases {} ({}{left})  functions {} ({})  checked {} ({})",
            all.n_cases,
            rate(stats.n_cases),
            all.n_functions,
            rate(stats.n_functions),
            all.n_checked,
            rate(stats.n_checked),
        )
    }

    /// What CPU time goes to: the parts of which there is something to see, but for the smallest that
    /// there is no room for.
    fn cpu_times(&self, all: &Stats) -> String {
        let cpu = all.cpu().as_secs_f64();
        let share = |part: Duration| (part.as_secs_f64() / cpu.max(1e-9) * 100.0).round() as u64;
        let mut parts: Vec<(&str, u64)> = [
            ("compile", all.spent.compile),
            ("link", all.spent.link),
            ("run", all.spent.run),
            ("generate", all.generate),
            ("mutate", all.mutate),
            ("lower", all.lower),
            ("overhead", all.own + all.spent.overhead),
        ]
        .into_iter()
        .map(|(name, part)| (name, share(part)))
        .filter(|(_, percent)| *percent > 0)
        .collect();
        loop {
            let shown: Vec<String> =
                parts.iter().map(|(name, percent)| format!("{name} {percent}%")).collect();
            let line = format!("  CPU {cpu:.0} s: {}", shown.join(", "));
            let smallest = (0..parts.len()).min_by_key(|at| parts[*at].1);
            match smallest {
                Some(at) if line.chars().count() > self.width => _ = parts.remove(at),
                _ => return line,
            }
        }
    }

    /// Every target in every setting, if there is room; else every target, in columns; else as many
    /// as there is room for.
    fn target_lines(&self, groups: &BTreeMap<String, TargetStats>, room: usize) -> Vec<String> {
        if groups.len() <= room {
            let widest = groups.keys().map(|name| name.chars().count()).max().unwrap_or(0);
            let name_width = widest.min(self.width.saturating_sub(FIGURES).max(12));
            return groups.iter().map(|(name, stats)| wide_line(name, stats, name_width)).collect();
        }
        let targets = self.by_target(groups);
        let n_columns = (self.width / COLUMN).max(1);
        let n_cells = room * n_columns;
        let mut cells: Vec<String> =
            targets.iter().map(|(name, stats)| cell(name, stats)).take(n_cells).collect();
        if let Some(last) = cells.last_mut()
            && targets.len() > n_cells
        {
            *last = format!("  … and {} more targets", targets.len() - n_cells + 1);
        }
        // By columns, as a list is read.
        let n_rows = cells.len().div_ceil(n_columns);
        let row = |i: usize| cells.iter().skip(i).step_by(n_rows).map(String::as_str).collect();
        (0..n_rows).map(row).collect()
    }

    /// The figures of all settings of a target together.
    fn by_target(&self, groups: &BTreeMap<String, TargetStats>) -> BTreeMap<String, TargetStats> {
        let mut all: BTreeMap<String, TargetStats> = BTreeMap::new();
        for (group, stats) in groups {
            let is_of = |name: &&String| {
                group.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(' '))
            };
            let name = self.targets.iter().filter(is_of).max_by_key(|name| name.len());
            let sum = all.entry(name.unwrap_or(group).clone()).or_default();
            sum.n_checked += stats.n_checked;
            sum.cpu += stats.cpu;
        }
        all
    }
}

fn per_second(stats: &TargetStats) -> String {
    short_rate(stats.n_checked as f64 / stats.cpu.as_secs_f64().max(1e-9))
}

fn wide_line(name: &str, stats: &TargetStats, name_width: usize) -> String {
    let (n, cpu, rate) = (stats.n_checked, stats.cpu.as_secs_f64(), per_second(stats));
    let name = clipped(name, name_width);
    format!("    {name:<name_width$} {n:>10} checked {cpu:>9.1} s CPU {rate:>9}")
}

fn cell(name: &str, stats: &TargetStats) -> String {
    let (name, n, rate) = (clipped(name, 17), stats.n_checked, per_second(stats));
    let cell = format!("  {name:<17} {n:>9} {rate:>8}");
    format!("{cell:<COLUMN$}")
}

/// What threads are doing, and what waits.
fn stages(now: &CampaignState) -> String {
    let busy = stage_counts(now);
    let waiting = match now.n_waiting {
        0 => String::new(),
        1 => "; 1 finding waits to be reduced".to_owned(),
        n => format!("; {n} findings wait to be reduced"),
    };
    format!("  threads: {busy}{waiting}")
}

/// How many threads are at which stage: `1 testing, 1 reducing`.
pub(super) fn stage_counts(now: &CampaignState) -> String {
    let counts = std::iter::zip(Stage::ALL, now.stages).filter(|(_, n)| *n > 0);
    let counts: Vec<String> = counts.map(|(stage, n)| format!("{n} {}", stage.name())).collect();
    if counts.is_empty() { "starting".to_owned() } else { counts.join(", ") }
}

fn findings(now: &CampaignState) -> String {
    let findings: Vec<String> =
        now.findings.iter().map(|(verdict, n)| format!("{verdict} {n}")).collect();
    let findings = match findings.is_empty() {
        true => "none".to_owned(),
        false => format!("{} in {}", findings.join(", "), counted(now.n_clusters, "cluster")),
    };
    format!("  findings: {findings}; known bugs {}, flaky {}", now.n_known, now.n_flaky)
}

fn reductions(now: &CampaignState) -> Vec<String> {
    let triaging = now.triaging.values().map(|what| format!("  triage of {what}"));
    let mut lines: Vec<String> = triaging.take(MAX_REDUCING).collect();
    let reducing = now.reducing.values().take(MAX_REDUCING);
    lines.extend(reducing.map(|line| format!("  reducing {line}")));
    if now.reducing.len() > MAX_REDUCING {
        lines.push(format!("  … and {} more reductions", now.reducing.len() - MAX_REDUCING));
    }
    lines
}

/// How many rows lines of these widths take on a terminal that is `width` wide now: it may have been
/// wider when they were drawn.
pub(super) fn n_rows(widths: &[usize], width: usize) -> usize {
    widths.iter().map(|line| line.div_ceil(width.max(1)).max(1)).sum()
}

/// A rate, with decimals only if it is small.
fn short_rate(rate: f64) -> String {
    if rate < 10.0 { format!("{rate:.1}/s") } else { format!("{rate:.0}/s") }
}

/// The text, cut to so many characters: a line that wraps could not be cleared again.
fn clipped(text: &str, width: usize) -> String {
    match text.chars().count() > width {
        true => text.chars().take(width.saturating_sub(1)).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

/// A duration as a clock shows it.
pub(super) fn clock(time: Duration) -> String {
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
    use std::time::Instant;

    use pathsmith_campaign::{FamilyState, TargetFamily};

    use super::*;

    fn state(n_targets: usize) -> (Vec<String>, CampaignState) {
        let mut now = CampaignState { n_clusters: 1, n_waiting: 2, ..CampaignState::default() };
        now.stats.n_cases = 7;
        let names: Vec<String> = (1..=n_targets).map(|n| format!("gcc-{n}")).collect();
        for name in &names {
            for setting in ["-O0", "-O1", "-O2", "with random flags"] {
                let stats = TargetStats { n_checked: 1_000_000, cpu: Duration::from_secs(100) };
                now.stats.targets.insert(format!("{name} {setting}"), stats);
            }
        }
        now.findings.insert("wrong-result".to_owned(), 3);
        now.reducing.insert(1, "f5: 9 statements".to_owned());
        now.triaging.insert((9, 0), "case 9: wrong result".to_owned());
        now.stages = [1, 0, 0, 1];
        let family = FamilyState { n_tried: 7, count: Some(100), ..FamilyState::default() };
        now.families.insert(TargetFamily::C, family);
        (names, now)
    }

    fn drawn(n_targets: usize, width: usize, height: usize) -> String {
        let (targets, now) = state(n_targets);
        let dir = Path::new("findings");
        let elapsed = Duration::from_secs(75);
        let frame = Frame { seed: 42, dir, targets: &targets, elapsed, width, height };
        let lines = frame.lines(&now);
        assert!(lines.len() < height, "{} lines", lines.len());
        assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
        lines.join("\n")
    }

    #[test]
    fn clocks_show_days() {
        assert_eq!(clock(Duration::from_secs(59)), "0:00:59");
        assert_eq!(clock(Duration::from_secs(3600 * 49 + 61)), "2d 1:01:01");
    }

    #[test]
    fn few_targets_are_shown_in_all_settings() {
        let text = drawn(2, 80, 24);
        for part in [
            "seed 42  0:01:15  findings",
            "threads: 1 testing, 1 reducing; 2 findings wait to be reduced",
            "cases 7 (0.1/s, 93 left)",
            "CPU ",
            "gcc-1 -O2",
            "gcc-2 with random flags",
            "wrong-result 3 in 1 cluster;",
            "reducing f5: 9 statements",
            "triage of case 9: wrong result",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }

    /// Nothing of the figures is cut off, and they stand next to the names.
    #[test]
    fn figures_of_targets_are_whole() {
        for (width, height) in [(80, 24), (120, 40)] {
            let text = drawn(3, width, height);
            let lines: Vec<&str> = text.lines().filter(|line| line.contains("s CPU")).collect();
            assert_eq!(lines.len(), 12, "{text}");
            assert!(lines.iter().all(|line| line.ends_with("10000/s")), "{text}");
            let longest = lines.iter().find(|line| line.contains("gcc-3 with random flags"));
            assert!(
                longest.is_some_and(|line| line.contains("flags    1000000 checked")),
                "{text}"
            );
        }
    }

    #[test]
    fn thirty_targets_fit_a_small_terminal() {
        let text = drawn(30, 80, 24);
        for n in 1..=30 {
            assert!(text.contains(&format!("gcc-{n} ")), "gcc-{n}: {text}");
        }
        assert!(text.contains("4000000"), "{text}");
        assert!(text.contains("wrong-result 3"), "{text}");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let text = drawn(100, 80, 24);
        assert!(text.contains("more targets"), "{text}");
        assert!(text.contains("wrong-result 3"), "{text}");
        for (width, height) in [(20, 10), (1, 1), (80, 3), (0, 0)] {
            drawn(30, width, height.max(1));
        }
    }

    #[test]
    fn cpu_times_fit_and_leave_out_what_is_nothing() {
        let (targets, mut now) = state(1);
        let line = |now: &CampaignState, width| {
            let dir = Path::new("findings");
            let elapsed = Duration::ZERO;
            Frame { seed: 1, dir, targets: &targets, elapsed, width, height: 24 }
                .cpu_times(&now.total())
        };
        now.stats.spent.compile = Duration::from_secs(90);
        now.stats.spent.run = Duration::from_secs(8);
        now.stats.generate = Duration::from_secs(2);
        assert_eq!(line(&now, 80), "  CPU 100 s: compile 90%, run 8%, generate 2%");
        assert_eq!(line(&now, 40), "  CPU 100 s: compile 90%, run 8%");
        now.stats.spent.link = Duration::from_secs(20);
        now.stats.mutate = Duration::from_secs(20);
        now.stats.lower = Duration::from_secs(20);
        now.stats.own = Duration::from_secs(20);
        let all = line(&now, 80);
        assert!(all.chars().count() <= 80 && !all.contains("generate"), "{all}");
    }

    #[test]
    fn lines_that_wrap_take_more_rows() {
        assert_eq!(n_rows(&[80, 10, 0], 80), 3);
        assert_eq!(n_rows(&[80, 41, 0], 40), 5);
        assert_eq!(n_rows(&[], 0), 0);
    }

    #[test]
    fn time_that_is_left_is_shown() {
        let (targets, mut now) = state(1);
        let family = now.families.entry(TargetFamily::C).or_default();
        family.deadline = Instant::now().checked_add(Duration::from_secs(3600));
        let dir = Path::new("findings");
        let elapsed = Duration::ZERO;
        let frame = Frame { seed: 1, dir, targets: &targets, elapsed, width: 80, height: 24 };
        let title = frame.lines(&now).swap_remove(0);
        assert!(title.contains(" left"), "{title}");
    }
}

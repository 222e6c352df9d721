//! A cluster as a section of the page.

use std::fmt::Write;

use super::code::highlighted;
use super::element::{Text, code_list};
use super::{MAX_ROWS, chip, rest};
use crate::report::model::{Cluster, Member, Source, Specimen, Syntax, VariantView};
use crate::report::parts::{shown, soundness, version_lines, version_summary};
use crate::report::title::title;
use crate::report::words::{actual, counted, cut, ending, expected, grouped, happened, size, task};
use crate::versions::ReplayOutcome;

/// How many members are shown without being asked for.
const N_SHOWN: usize = 10;
/// How much of a source, message or log the page shows, in characters.
const MAX_TEXT: usize = 100_000;

/// What takes a line of its own.
const WIDE: &str = " class=\"wide\"";

pub(super) fn put_section(out: &mut String, cluster: &Cluster) {
    let Cluster { id, verdict, front, .. } = cluster;
    let _ = writeln!(
        out,
        "<section class=\"cluster {}\" id=\"bug-{id}\" aria-labelledby=\"bug-{id}-title\">\n\
         <header>\n<h2 id=\"bug-{id}-title\"><a class=\"number\" href=\"#bug-{id}\">{id}</a> {}\
         </h2>\n<p>{} <span>{}</span> <span>{}</span>{}</p>\n</header>",
        verdict.name(),
        Text(&title(cluster)),
        chip(*verdict),
        Text(&front.target.version),
        counted(cluster.members.len(), "finding"),
        if cluster.is_untriaged { " <span>not triaged</span>" } else { "" },
    );
    put_outcome(out, cluster);
    put_facts(out, cluster);
    put_code(out, front);
    put_versions(out, cluster);
    put_reproduction(out, cluster);
    put_members(out, cluster);
    out.push_str("</section>\n");
}

/// What should happen, and what does.
fn put_outcome(out: &mut String, cluster: &Cluster) {
    let front = &cluster.front;
    let what = match &front.call {
        Some(call) => format!("<code>{}</code>", Text(call)),
        None => "the program below".to_owned(),
    };
    let value = |is_value: bool, text: &str| match is_value {
        true => format!("<code>{}</code>", Text(text)),
        false => Text(text).to_string(),
    };
    let _ = writeln!(
        out,
        "<dl class=\"outcome\">\n<div class=\"call\"><dt>{}</dt><dd>{what}</dd></div>\n\
         <div class=\"expected\"><dt>expected</dt><dd>{}</dd></div>\n\
         <div class=\"actual\"><dt>actual, with {} {}</dt><dd>{}</dd></div>\n</dl>",
        if front.call.is_some() { "call" } else { task(cluster.verdict) },
        value(front.expected.is_some(), expected(cluster)),
        Text(&front.target.name),
        Text(&front.target.setting.to_string()),
        value(front.actual.is_some(), actual(cluster)),
    );
}

fn put_facts(out: &mut String, cluster: &Cluster) {
    let front = &cluster.front;
    let origin = format!(
        "seed {}, case {}, finding <code>{}</code>",
        front.seed,
        front.case,
        Text(&front.name)
    );
    // What says no more than the pass is said already.
    let is_news = |detail: &&String| {
        !cluster
            .bisected_pass
            .as_ref()
            .is_some_and(|pass| detail.ends_with(&format!("pass {pass}")))
    };
    let detail = cluster.detail.iter().filter(is_news);
    let facts = [
        ("bisected to", "", code_list(cluster.bisected_pass.as_slice())),
        ("hidden by", "", code_list(&cluster.suppressing_flags)),
        ("hidden if lowered with", "", code_list(&cluster.suppressing_lowerings)),
        ("suspected", "", code_list(&cluster.suspected_causes)),
        ("size", "", size(front)),
        ("command", "", code_list(std::slice::from_ref(&front.target.command))),
        ("from", "", origin),
        ("variant", WIDE, front.variant.iter().map(variant).collect()),
        (
            "flags",
            WIDE,
            code_list(front.bug_file().map_or(&front.target.flags, |file| &file.flags)),
        ),
        ("cluster", WIDE, Text(&cluster.key).to_string()),
        ("detail", WIDE, detail.map(|detail| Text(detail).to_string()).collect()),
    ];
    out.push_str("<dl class=\"known\">\n");
    for (label, class, html) in facts.into_iter().filter(|(.., html)| !html.is_empty()) {
        let _ = writeln!(out, "<div{class}><dt>{label}</dt><dd>{html}</dd></div>");
    }
    let _ = writeln!(out, "</dl>\n<p class=\"sound\">{}</p>", Text(&soundness(cluster)));
}

/// How a variant was made: `of case 7 as it was generated, by twin, switch; needed: switch`.
fn variant(variant: &VariantView) -> String {
    let made = format!("of {}, by {}", variant.parent, variant.transforms.join(", "));
    let needed = variant.needed.iter().map(|needed| format!("; needed: {needed}"));
    Text(&std::iter::once(made).chain(needed).collect::<String>()).to_string()
}

/// What versions at hand make of it.
fn put_versions(out: &mut String, cluster: &Cluster) {
    let Some(versions) = &cluster.versions else { return };
    out.push_str(
        "<h3>Versions</h3>\n<div class=\"scroll\"><table class=\"versions\">\n<thead><tr><th \
         scope=\"col\">target</th><th scope=\"col\">version</th><th scope=\"col\">result</th></tr>\
         </thead>\n<tbody>\n",
    );
    let lines = version_lines(versions);
    for (known, (version, result)) in versions.versions.iter().zip(&lines) {
        let class = match &known.outcome {
            ReplayOutcome::Shows { .. } => " class=\"bad\"",
            ReplayOutcome::DoesNotShow => " class=\"good\"",
            ReplayOutcome::NotComparable { .. } | ReplayOutcome::InfrastructureFailure { .. } => "",
        };
        let (target, version, result) = (Text(&known.target), Text(version), Text(result));
        let _ =
            writeln!(out, "<tr><td>{target}</td><td>{version}</td><td{class}>{result}</td></tr>");
    }
    out.push_str("</tbody>\n</table></div>\n");
    if let Some(summary) = version_summary(versions) {
        let _ = writeln!(out, "<p class=\"rest\">{}</p>", Text(&summary));
    }
}

/// The program in all its forms, with its graph at the side.
fn put_code(out: &mut String, front: &Specimen) {
    let side = if front.graph.is_some() { "code with-graph" } else { "code" };
    let _ = writeln!(out, "<div class=\"{side}\">\n<div class=\"sources\">");
    // What a maintainer reads comes first: the test, and then the rest of what the target is given.
    let rank = |source: &&Source| match source.syntax {
        _ if front.is_bug_file(source) => 0,
        Syntax::C | Syntax::Wat | Syntax::Jasm => 1,
        Syntax::Symlang => 2,
        Syntax::Sh => 3,
    };
    let symlang = Source {
        name: "program.sym".to_owned(),
        syntax: Syntax::Symlang,
        text: front.program.clone(),
    };
    let mut sources: Vec<&Source> = front.sources.iter().chain([&symlang]).collect();
    sources.sort_by_key(rank);
    for source in sources {
        put_source(out, &source.name, source.syntax, &source.text);
    }
    out.push_str("</div>\n");
    if let Some(graph) = &front.graph {
        let what = match &front.call {
            Some(call) => format!("<code>{}</code>: its graph, and the path it takes", Text(call)),
            None => "The graph, and a path that is known to run through it".to_owned(),
        };
        let _ = writeln!(
            out,
            "<figure class=\"graph\">\n<div class=\"canvas\" tabindex=\"0\" role=\"group\" \
             aria-label=\"graph\">{graph}</div>\n<figcaption>{what}. <label><input \
             type=\"checkbox\"> full size</label></figcaption>\n</figure>"
        );
    }
    out.push_str("</div>\n");
}

fn put_source(out: &mut String, name: &str, syntax: Syntax, text: &str) {
    let (shown, n_hidden) = cut(text, MAX_TEXT);
    let _ = writeln!(
        out,
        "<section class=\"source\" data-name=\"{0}\">\n<h3>{0} <small>{1}, {2}</small></h3>\n\
         <div class=\"copied\"><pre tabindex=\"0\"><code>{3}</code></pre></div>\n{4}</section>",
        Text(name),
        syntax.title(),
        counted(text.lines().count(), "line"),
        highlighted(shown, syntax),
        hidden(n_hidden),
    );
}

/// What is said below a text of which not all is shown.
fn hidden(n_chars: usize) -> String {
    match n_chars {
        0 => String::new(),
        n => format!(
            "<p class=\"rest\">{} more are in the JSON report.</p>\n",
            counted(n, "character")
        ),
    }
}

/// The commands, and what they did.
fn put_reproduction(out: &mut String, cluster: &Cluster) {
    let front = &cluster.front;
    let shown = shown(cluster);
    if !shown.is_empty() {
        let commands: Vec<String> = shown.iter().map(|it| Text(&it.command).to_string()).collect();
        let _ = writeln!(
            out,
            "<h3>Reproduce</h3>\n<div class=\"copied beside\"><pre tabindex=\"0\"><code>{}\n</code></pre></div>",
            commands.join("\n")
        );
    }
    if front.evidence.is_empty() {
        return;
    }
    out.push_str("<h3>Evidence</h3>\n<ol class=\"evidence\">\n");
    for evidence in &front.evidence {
        let words = evidence.command.iter().map(|word| format!("<span>{}</span>", Text(word)));
        let words = words.collect::<Vec<_>>().join(" ");
        let _ = write!(out, "<li><code class=\"ran\">{words}</code>");
        if let Some(ending) = ending(evidence) {
            let _ = write!(out, " <span class=\"ending\">{ending}</span>");
        }
        if !evidence.message.is_empty() {
            put_output(out, &evidence.message);
        }
        if let Some(log) = &evidence.log {
            let n_lines = counted(log.lines().count(), "line");
            let _ = write!(out, "\n<details><summary>what it left behind, {n_lines}</summary>");
            put_output(out, log);
            out.push_str("</details>");
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ol>\n");
}

fn put_output(out: &mut String, text: &str) {
    let (shown, n_hidden) = cut(text, MAX_TEXT);
    let _ = write!(out, "\n<pre tabindex=\"0\">{}</pre>\n{}", Text(shown), hidden(n_hidden));
}

fn put_members(out: &mut String, cluster: &Cluster) {
    let members = &cluster.members;
    let (first, others) = members.split_at(members.len().min(N_SHOWN));
    let is_front_alone = members.len() == 1 && members[0].name == cluster.front.name;
    if first.is_empty() || is_front_alone {
        return;
    }
    let _ = writeln!(out, "<h3>{}</h3>", counted(members.len(), "finding"));
    put_member_table(out, cluster, first);
    if others.is_empty() {
        return;
    }
    let others = &others[..others.len().min(MAX_ROWS - N_SHOWN)];
    let n_more = members.len() - N_SHOWN;
    let _ = writeln!(out, "<details class=\"more\">\n<summary>{} more</summary>", grouped(n_more));
    put_member_table(out, cluster, others);
    let _ = writeln!(out, "{}</details>", rest(members.len()));
}

fn put_member_table(out: &mut String, cluster: &Cluster, members: &[Member]) {
    out.push_str(
        "<div class=\"scroll\"><table class=\"members\">\n<thead><tr><th scope=\"col\">finding\
         </th><th scope=\"col\">setting</th><th scope=\"col\">seed, case</th><th \
         scope=\"col\">size</th><th scope=\"col\">call</th><th scope=\"col\">expected</th><th \
         scope=\"col\">actual</th></tr></thead>\n<tbody>\n",
    );
    let value = |text: &Option<String>| match text {
        Some(text) => format!("<code>{}</code>", Text(text)),
        None => String::new(),
    };
    for member in members {
        let front = if member.name == cluster.front.name { " class=\"front\"" } else { "" };
        let _ = writeln!(
            out,
            "<tr{front}><td>{}</td><td>{}</td><td>{}, {}</td><td>{}</td><td>{}</td><td>{}</td>\
             <td>{}</td></tr>",
            Text(&member.name),
            Text(&member.setting),
            member.seed,
            member.case,
            grouped(member.size),
            value(&member.call),
            value(&member.expected),
            match (&member.actual, &member.call) {
                (None, Some(_)) => happened(cluster.verdict).to_owned(),
                (actual, _) => value(actual),
            },
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
}

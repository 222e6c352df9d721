use pathsmith_oracles::Verdict;

use super::super::sample::{cluster, report};
use super::*;

#[test]
fn every_field_shows() {
    let page = html(&report());
    let parts = [
        "pathsmith 0.1.0",
        "Two compilers, one hour",
        "seed <b>20</b>",
        "2024-05-01 12:00 UTC",
        "1 h 2 min",
        "<dt>functions</dt><dd>23,000</dd>",
        "gcc 12.2.0",
        "/usr/bin/gcc-12",
        "516,229",
        "30 min 0 s",
        "gcc: wrong result: tree-slsr",
        "<code>tree-vrp</code>",
        "in pass 142",
        "f7-gcc-O3",
        "gcc (Debian 12.2.0-14) 12.2.0",
        "<code>-std=gnu17</code>",
        "<code>f7(5)</code>",
        "<dt>expected</dt><dd><code>1198163047</code></dd>",
        "<dd><code>2395484009</code></dd>",
        "realize",
        "5 statements, reduced from 96",
        "data-name=\"test.c\"",
        "int f7(int a)",
        "data-name=\"repro.sh\"",
        "<svg ",
        "gcc -O3 test.c\n./test",
        "exit status 1",
        "WRONG f7 #0",
        "a log of its own",
        "agreed when it was run alone",
        "error: too many parameters",
        "free of undefined behaviour",
    ];
    for part in parts {
        assert!(page.contains(part), "no {part:?} in the page");
    }
}

#[test]
fn nothing_is_asked_for_from_elsewhere() {
    let page = html(&report()).replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for part in ["http://", "https://", "src=", "@import", "url(", "fetch("] {
        assert!(!page.contains(part), "{part:?} is in the page");
    }
    assert_eq!(page.matches("href=\"").count(), page.matches("href=\"#").count() + 1, "an icon");
}

#[test]
fn text_is_never_markup() {
    let evil = "\"'><script>evil()</script>&<!--";
    let mut report = report();
    // Everything but the graph, which is markup.
    let mut value = serde_json::to_value(&report).unwrap();
    poison(&mut value, evil);
    let graph = report.clusters[0].front.graph.take();
    report = serde_json::from_value(value).unwrap();
    report.clusters[0].front.graph = graph;
    let page = html(&report);
    assert!(!page.contains("<script>evil") && !page.contains("<!--"));
    assert!(page.matches("&lt;script&gt;evil()").count() > 30);
}

/// Puts `evil` at the end of every text that is not the name of a variant.
fn poison(value: &mut serde_json::Value, evil: &str) {
    match value {
        serde_json::Value::String(text) => text.push_str(evil),
        serde_json::Value::Array(list) => list.iter_mut().for_each(|value| poison(value, evil)),
        serde_json::Value::Object(map) => map
            .iter_mut()
            .filter(|(key, _)| !["verdict", "syntax", "outcome"].contains(&&key[..]))
            .for_each(|(_, value)| poison(value, evil)),
        _ => {}
    }
}

#[test]
fn a_bug_that_is_seen_often_does_not_flood_the_page() {
    let mut report = report();
    let often = &mut report.clusters[0];
    often.members = (0..10_000)
        .map(|n| super::super::Member { name: format!("member-{n}."), ..often.members[0].clone() })
        .collect();
    report.flaky = vec![report.flaky[0].clone(); 10_000];
    let page = html(&report);
    assert_eq!(page.matches("<td>member-").count(), MAX_ROWS);
    assert!(page.contains("<td>member-99.") && !page.contains("<td>member-100."));
    assert!(page.contains("<summary>9,990 more</summary>"));
    assert!(
        page.contains("The first 100 of 10,000 are listed; the JSON report has the other 9,900")
    );
    assert!(page.len() < 200_000, "{} bytes", page.len());
    assert!(report.to_json().unwrap().contains("member-9999."));
}

#[test]
fn variants_say_how_they_were_made() {
    let mut report = report();
    assert!(!html(&report).contains("<dt>variant</dt>"));
    report.clusters[0].front.variant = Some(super::super::VariantView {
        parent: "case 7 as it was generated".to_owned(),
        transforms: vec!["twin".to_owned(), "switch".to_owned()],
        needed: Some("switch".to_owned()),
    });
    let said = "of case 7 as it was generated, by twin, switch; needed: switch";
    assert!(html(&report).contains(said));
}

#[test]
fn long_texts_are_cut() {
    let mut report = report();
    report.clusters[0].front.sources[0].text = "long\n".repeat(1_000_000);
    let page = html(&report);
    assert!(page.len() < 400_000, "{} bytes", page.len());
    assert!(page.contains("4,900,000 characters more are in the JSON report"));
}

#[test]
fn ten_members_are_shown_and_the_others_on_demand() {
    let mut report = report();
    let member = report.clusters[0].members[0].clone();
    for (n, is_collapsed) in [(0, false), (10, false), (11, true)] {
        report.clusters[0].members = vec![member.clone(); n];
        assert_eq!(html(&report).contains("<details class=\"more\">"), is_collapsed, "{n}");
    }
}

#[test]
fn an_empty_campaign_gives_a_page() {
    let page = html(&Report { clusters: Vec::new(), ..report() });
    assert!(page.contains("Nothing found yet") && page.contains("gcc 12.2.0"));
    assert!(!page.contains("id=\"clusters\""));
    assert!(html(&Report::default()).contains("Nothing found yet"));
}

#[test]
fn sections_stand_in_the_order_of_the_index() {
    let mut report = report();
    report.clusters.insert(0, cluster(8, Verdict::CompilerCrash, "java", 1));
    let page = html(&report);
    let at = |part: &str| page.find(part).expect(part);
    assert!(at("href=\"#bug-3\"") < at("href=\"#bug-8\""));
    assert!(at("id=\"bug-3\"") < at("id=\"bug-8\""));
}

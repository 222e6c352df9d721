//! A review as one page of HTML that needs nothing else, not even a script.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::classify::Aspect;
use super::compare::{Change, Difference, Review, Tally};
use super::text::{aspects, described, follows_the_program, in_order};
use crate::report::{PAGE_STYLE, Text, counted, grouped};

/// Nothing may be loaded or run, whatever a review holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Renders a review as a page.
pub fn page(review: &Review) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>Review of generated code</title>\n<style>\n{PAGE_STYLE}{}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the summary</a>\n",
        include_str!("page.css"),
    );
    put_header(&mut out, review);
    out.push_str("<main id=\"main\">\n");
    put_summary(&mut out, review);
    put_seeds(&mut out, review);
    out.push_str(
        "</main>\n<footer><p>Made by pathsmith diff. This page is complete in itself and loads \
         nothing.</p></footer>\n</body>\n</html>\n",
    );
    out
}

fn put_header(out: &mut String, review: &Review) {
    let _ = writeln!(
        out,
        "<header class=\"top\">\n<p class=\"kind\">Review of generated code</p>\n<h1>{}</h1>\n\
         <dl class=\"sides\"><div><dt>old</dt><dd>{}</dd></div><div><dt>new</dt><dd>{}</dd></div>\
         <div><dt>compared</dt><dd>{}</dd></div></dl>\n</header>",
        headline(review),
        Text(&review.old),
        Text(&review.new),
        Text(&described(&review.recipe)),
    );
}

fn headline(review: &Review) -> String {
    let n_changed: usize = review.tallies.values().map(|tally| tally.n_changed).sum();
    match n_changed {
        0 => "No difference".to_owned(),
        n => format!("{} in {}", counted(n, "change"), counted(n_forms_changed(review), "form")),
    }
}

fn n_forms_changed(review: &Review) -> usize {
    review.tallies.values().filter(|tally| tally.n_changed > 0).count()
}

fn put_summary(out: &mut String, review: &Review) {
    out.push_str(
        "<section class=\"part\" aria-labelledby=\"summary\">\n<h2 id=\"summary\">What changed</h2>\n\
         <div class=\"scroll\"><table class=\"tallies\">\n<thead><tr><th scope=\"col\">form</th><th \
         scope=\"col\">changed</th><th scope=\"col\">of</th><th scope=\"col\">in what</th></tr>\
         </thead>\n<tbody>\n",
    );
    for (form, tally) in in_order(review) {
        let Tally { n_compared, n_changed, by_aspect } = tally;
        let chips: Vec<String> = by_aspect
            .iter()
            .map(|(aspect, n)| chip(*aspect, &format!(" {}", grouped(*n))))
            .collect();
        let class = if *n_changed == 0 { " class=\"none\"" } else { "" };
        let _ = writeln!(
            out,
            "<tr><th scope=\"row\">{}</th><td{class}>{}</td><td>{}</td><td>{}</td></tr>",
            Text(&form.to_string()),
            grouped(*n_changed),
            grouped(*n_compared),
            chips.join(" "),
        );
    }
    out.push_str("</tbody>\n</table></div>\n</section>\n");
}

/// An aspect, set off from the text around it.
fn chip(aspect: Aspect, more: &str) -> String {
    let class = match aspect {
        Aspect::Solved | Aspect::Lowered => "bad",
        Aspect::Graph | Aspect::Path | Aspect::Types | Aspect::Statements => "warm",
        Aspect::Code | Aspect::Options => "cool",
        Aspect::Constants
        | Aspect::Realizations
        | Aspect::Header
        | Aspect::Program
        | Aspect::OptionsOnly
        | Aspect::Comments => "",
    };
    format!("<span class=\"chip {class}\">{aspect}{more}</span>")
}

fn put_seeds(out: &mut String, review: &Review) {
    let seeds: BTreeSet<u64> = review.changes.iter().map(|change| change.seed).collect();
    for seed in seeds {
        let _ = writeln!(
            out,
            "<section class=\"seed\" id=\"seed-{seed}\" aria-labelledby=\"seed-{seed}-title\">\n<h2 \
             id=\"seed-{seed}-title\"><a href=\"#seed-{seed}\">Seed {seed}</a></h2>"
        );
        for change in review.changes.iter().filter(|change| change.seed == seed) {
            put_change(out, change);
        }
        out.push_str("</section>\n");
    }
    if review.n_left_off > 0 {
        let n = counted(review.n_left_off, "more change");
        let _ = writeln!(out, "<p class=\"rest\">{n}: <code>--most</code> shows them.</p>");
    }
}

fn put_change(out: &mut String, change: &Change) {
    let open = if follows_the_program(change) { "" } else { " open" };
    let _ = writeln!(
        out,
        "<details{open}>\n<summary><b>{}</b> {}</summary>",
        Text(&change.form.to_string()),
        Text(&aspects(change)),
    );
    for difference in &change.differences {
        put_difference(out, difference, change.differences.len() > 1);
    }
    out.push_str("</details>\n");
}

fn put_difference(out: &mut String, difference: &Difference, is_named: bool) {
    if is_named {
        let _ = writeln!(out, "<h3>{}</h3>", difference.of);
    }
    out.push_str("<pre class=\"diff\" tabindex=\"0\">");
    for line in difference.text.split_inclusive('\n') {
        let tag = match line.as_bytes().first() {
            Some(b'+') => "ins",
            Some(b'-') => "del",
            Some(b'@') => "b",
            _ => "span",
        };
        let _ = write!(out, "<{tag}>{}</{tag}>", Text(line));
    }
    out.push_str("</pre>\n");
    if difference.n_left_off > 0 {
        let n = counted(difference.n_left_off, "line");
        let _ = writeln!(out, "<p class=\"rest\">{n} left off.</p>");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pathsmith_symlang::dialect::Dialect;

    use super::*;
    use crate::review::{Form, GenSettings, Lowering, Recipe, text};

    /// A review whose sides and lines try to be something else.
    fn hostile() -> Review {
        let evil = "</pre><script>alert('&\"')</script>\x1b[2J\u{202e}";
        let form = Form::Code(Dialect::Wasm);
        let aspects = BTreeSet::from([Aspect::Code]);
        let tally =
            Tally { n_compared: 2, n_changed: 1, by_aspect: BTreeMap::from([(Aspect::Code, 1)]) };
        let text = format!("@@ -1 +1 @@\n-{evil}\n+{evil}\n {evil}\n");
        Review {
            old: evil.to_owned(),
            new: evil.to_owned(),
            recipe: Recipe {
                seeds: "0..1".parse().unwrap(),
                dialects: vec![Dialect::Wasm],
                lowering: Lowering::Default,
                settings: GenSettings::default(),
            },
            tallies: BTreeMap::from([(form, tally)]),
            changes: vec![Change {
                seed: 1,
                form,
                aspects,
                differences: vec![Difference { of: "code", text, n_left_off: 3 }],
            }],
            n_left_off: 4,
        }
    }

    #[test]
    fn everything_is_escaped() {
        let page = page(&hostile());
        assert!(!page.contains("<script"), "{page}");
        assert!(!page.contains('\x1b') && !page.contains('\u{202e}'));
        assert_eq!(page.matches("&lt;script&gt;").count(), 5);
        assert_eq!(page.matches("</pre>").count(), 1);
        assert!(page.contains("<ins>+&lt;/pre&gt;") && page.contains("<del>-&lt;/pre&gt;"));
        assert!(page.contains("3 lines left off") && page.contains("4 more changes"));
        let text = text(&hostile());
        assert!(!text.contains('\x1b') && !text.contains('\u{202e}'), "{text}");
        assert!(text.contains("1 of 2 changed: emitted code only 1"), "{text}");
    }
}

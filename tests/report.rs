//! Reports of campaigns: what they say, and that a real browser shows them.
//!
//! The pages and what the browser made of them stay in the target folder, under `tmp/report`.

mod support;

use std::fs;

use pathsmith_backend::Backend;
use pathsmith_backend_c::{CBackend, COptions};
use pathsmith_backend_jvm::{JvmBackend, JvmOptions};
use pathsmith_backend_wasm::{WasmBackend, WasmOptions};
use pathsmith_campaign::report::{
    BugGroupView, Cluster, Figure, Incident, Member, Report, Source, Specimen, TargetView, html,
    markdown,
};
use pathsmith_campaign::{
    Bug, BugFile, File, Finding, ReplayOutcome, Replayed, Scrutiny, TargetInfo, Versions,
};
use pathsmith_oracles::{Evidence, Setting, Verdict};
use pathsmith_symlang::lang::{Program, text};
use support::browser::{Browser, MEASURE};
use support::{pathsmith, root};

/// A finding about the first realization of a program.
fn finding(program: Program, verdict: Verdict, target: TargetInfo, files: Vec<File>) -> Finding {
    let function = &program.functions[0];
    let known = &function.realizations[0];
    let args: Vec<String> = known.args.iter().map(ToString::to_string).collect();
    let call = format!("{}({})", function.name, args.join(", "));
    let is_wrong = verdict == Verdict::WrongResult;
    let names = files.iter().map(|file| &file.name).filter(|name| name.ends_with(".c")).cloned();
    let flags = target.flags.iter().cloned();
    let command = std::iter::once(target.command.clone()).chain(flags).chain(names).collect();
    Finding {
        batch: 0,
        variant: 0,
        run_on: serde_json::Value::Null,
        arms: Vec::new(),
        bug: None,
        origin: None,
        signature: None,
        number: 7,
        seed: 3,
        verdict,
        call: Some(call),
        expected: Some(known.ending.to_string()),
        actual: is_wrong.then(|| "3405691582".to_owned()),
        evidence: vec![
            Evidence { command, status: Some(0), ..Evidence::default() },
            Evidence {
                command: vec!["./test".to_owned()],
                signal: (!is_wrong).then_some(9),
                status: is_wrong.then_some(1),
                message: "a <message> & \"more\" of the target".to_owned(),
                log: None,
            },
        ],
        target,
        program,
        options: serde_json::Value::Null,
        files,
    }
}

fn target(name: &str, version: &str, setting: &str, flags: &[&str]) -> TargetInfo {
    TargetInfo {
        name: name.to_owned(),
        command: name.to_owned(),
        version: version.to_owned(),
        setting: Setting::named(setting),
        flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
        path: format!("/usr/bin/{name}"),
        runner: Vec::new(),
        env: Default::default(),
    }
}

fn cluster(id: u32, kind: &str, causes: &[&str], n_members: usize, finding: &Finding) -> Cluster {
    let target = &finding.target.name;
    let name = format!("f7-{target}-{id}");
    let front =
        Specimen { original_size: Some(120), ..Specimen::new(&format!("{name}-0"), finding) };
    let member = |i| Member::new(&format!("{name}-{i}"), finding);
    Cluster {
        id,
        key: format!("{target}: {}", finding.verdict.name()),
        verdict: finding.verdict,
        target: target.clone(),
        kind: kind.to_owned(),
        is_untriaged: false,
        suspected_causes: causes.iter().map(|&pass| pass.to_owned()).collect(),
        suppressing_flags: Vec::new(),
        suppressing_lowerings: Vec::new(),
        bisected_pass: None,
        versions: None,
        detail: None,
        front,
        members: (0..n_members).map(member).collect(),
    }
}

fn read_program(file: &str) -> Program {
    let path = root().join(file);
    let bytes = fs::read(&path).expect("there is such a program");
    text::parse_bytes(file, &bytes).expect("it is valid")
}

fn script() -> File {
    File { is_script: true, ..File::text("repro.sh", "#!/bin/sh\nexec ./test\n".to_owned()) }
}

/// One cluster for each kind of target, with real programs.
fn full_report() -> Report {
    let program = read_program("docs/findings/gcc-12-endless-loop.sym");
    let source = CBackend.lower(&program, &COptions::default()).expect("it can be lowered to C");
    let files = source.all_files().map(|file| File::text(&file.name, file.text.clone()));
    let files = files.chain([script()]).collect();
    let gcc = target("gcc", "gcc (Debian 12.2.0-14) 12.2.0", "-O3", &["-O3", "-std=gnu17", "-w"]);
    let in_c = finding(program, Verdict::Hang, gcc, files);

    let args = ["gen", "--seed", "4", "--dialect", "wasm", "--set", "graph.blocks=4"];
    let program = text::parse("generated", &pathsmith(&args).ok()).expect("it is valid");
    let module = WasmBackend.lower(&program, &WasmOptions::default()).expect("a module");
    let files = vec![File::text("module.wat", module.wat().expect("it has a text")), script()];
    let engine = target("wasmi", "wasmi 2.0.0", "eager", &[]);
    let in_wasm = finding(program, Verdict::Crash, engine, files);

    let program = read_program("docs/findings/hotspot-17-short-counter.sym");
    let classes = JvmBackend.lower(&program, &JvmOptions::default()).expect("classes");
    let listing = classes.listing().expect("they can be listed");
    let files = vec![File::text("program.jasm", listing), script()];
    let flags = ["-Xbatch", "-XX:-TieredCompilation", "-XX:+UseSerialGC", "-cp", ".", "Host"];
    let java = target("java", "OpenJDK 64-Bit Server VM 17.0.15", "c2", &flags);
    let on_jvm = finding(program, Verdict::WrongResult, java, files);

    let view = |finding: &Finding| TargetView {
        name: finding.target.name.clone(),
        version: finding.target.version.clone(),
        n_checked: 516_229,
        cpu_seconds: 1234.5,
    };
    Report {
        generator: "pathsmith 0.1.0".to_owned(),
        machine: "linux, x86_64".to_owned(),
        title: "A compiler, an engine and a JVM".to_owned(),
        seed: 3,
        started: "2024-05-01 12:00 UTC".to_owned(),
        cpu_seconds: 4000.0,
        figures: vec![
            Figure::new("cases", "23,000"),
            Figure::new("functions", "31,500"),
            Figure::new("realizations checked", "1,548,687"),
            Figure::new("compiling and running", "81 %"),
        ],
        targets: [&in_c, &in_wasm, &on_jvm].map(view).to_vec(),
        clusters: vec![
            Cluster {
                suppressing_flags: vec!["-fno-tree-slsr".to_owned()],
                suppressing_lowerings: Vec::new(),
                bisected_pass: Some("tree-slsr".to_owned()),
                versions: Some(versions()),
                ..cluster(1, "gcc", &["tree-slsr", "ivopts"], 1200, &in_c)
            },
            cluster(2, "wasmi", &[], 1, &in_wasm),
            Cluster {
                suppressing_flags: vec!["-XX:LoopUnrollLimit=0".to_owned()],
                suppressing_lowerings: Vec::new(),
                ..cluster(3, "java", &["c2", "LoopUnrollLimit"], 12, &on_jvm)
            },
        ],
        bug_groups: vec![
            BugGroupView {
                target: "gcc".to_owned(),
                suspected_cause: Some("tree-slsr".to_owned()),
                certainty: "one cluster".to_owned(),
                clusters: vec![1],
                n_findings: 1200,
            },
            BugGroupView {
                target: "wasmtime".to_owned(),
                suspected_cause: None,
                certainty: "one cluster".to_owned(),
                clusters: vec![2],
                n_findings: 1,
            },
        ],
        flaky: vec![Incident {
            verdict: Verdict::Hang,
            target: "java comp".to_owned(),
            case: 8812,
            why: "agreed when it was run alone".to_owned(),
        }],
        own_bugs: Vec::new(),
    }
}

/// A bug that came with gcc 12 and went with gcc 13, at -O2 and above.
fn versions() -> Versions {
    let replayed = |version: &str, setting: &str, outcome| Replayed {
        target: format!("gcc-{}", &version[..2]),
        setting: setting.to_owned(),
        command: "gcc".to_owned(),
        version: match version {
            "12.2.0" => "gcc (Debian 12.2.0-14) 12.2.0".to_owned(),
            other => format!("gcc {other}"),
        },
        details: format!("Target: x86_64-linux-gnu\nThread model: posix\ngcc version {version}"),
        outcome,
    };
    let shows = || ReplayOutcome::Shows { verdict: Verdict::Hang };
    let good = || ReplayOutcome::DoesNotShow;
    Versions::new(
        vec![
            replayed("13.1.0", "-O3", good()),
            replayed("12.2.0", "-O3", shows()),
            replayed("11.3.0", "-O3", good()),
            replayed("10.2.0", "-O3", ReplayOutcome::not_comparable("it does not start")),
        ],
        vec![
            replayed("12.2.0", "-O0", good()),
            replayed("12.2.0", "-O1", good()),
            replayed("12.2.0", "-Os", good()),
            replayed("12.2.0", "-O2", shows()),
        ],
    )
}

/// One cluster that is quickly read.
fn small_report() -> Report {
    let mut report = full_report();
    report.clusters.truncate(1);
    report.targets.truncate(1);
    let bug = &mut report.clusters[0];
    bug.members.truncate(2);
    bug.detail = Some("-O2 is right".to_owned());
    bug.front.graph = None;
    bug.front.program = "fn f() -> i32 {\nentry:\n    return 1;\n}\n".to_owned();
    bug.front.sources[0].text = "int f(void) { return 1; }\n".to_owned();
    report
}

/// The same cluster with the test that was made for people.
fn report_with_test(kind: &str, name: &str, text: &str) -> Report {
    let mut report = small_report();
    let bug = &mut report.clusters[0];
    bug.kind = kind.to_owned();
    bug.front.bug = Some(Bug {
        file: Some(BugFile {
            name: name.to_owned(),
            text: text.to_owned(),
            verdict: Verdict::WrongResult,
            flags: vec!["-O3".to_owned()],
            run: format!("{kind} -O3 {name} && ./a.out"),
            does: "it aborts".to_owned(),
            shows: "Aborted".to_owned(),
            checked: None,
            binaries: Vec::new(),
        }),
        note: "right at -O0 with gcc, clang; clean under the sanitizers of gcc".to_owned(),
        scrutiny: name.ends_with(".c").then(|| Scrutiny {
            is_clean: true,
            hiding: vec!["-fwrapv".to_owned()],
            showing: vec!["-fno-strict-aliasing".to_owned()],
            ..Scrutiny::default()
        }),
    });
    let test = File::text(name, text.to_owned());
    bug.front.sources.insert(0, Source::new(&test).expect("people read it"));
    report
}

/// The cluster of `full_report` with that number, with programs that are quickly read.
fn report_of(id: u32, kind: &str, setting: &str) -> Report {
    let mut report = full_report();
    report.clusters.retain(|cluster| cluster.id == id);
    let bug = &mut report.clusters[0];
    bug.kind = kind.to_owned();
    bug.front.target.setting = Setting::named(setting);
    bug.front.target.version = format!("{kind} 1.2.3");
    let text = match id {
        2 => "(module\n  (func (export \"f\") (result i32)\n    i32.const 1))\n",
        _ => "class P {\n    method f()I {\n        iconst_1\n        ireturn\n    }\n}\n",
    };
    bug.front.sources[0].text = text.to_owned();
    report
}

fn compare(name: &str, product: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(root().join("snapshots/report"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description("a small report, from tests/report.rs");
    settings.bind(|| insta::assert_snapshot!(name, product));
}

#[test]
fn json_and_markdown_are_as_reviewed() {
    let report = small_report();
    compare("json", &report.to_json().expect("JSON"));
    let documents = markdown::documents(&report);
    assert_eq!(documents.len(), 3);
    compare("index", &documents[0].text);
    compare("gcc-without-test", &documents[1].text);
    assert_eq!(documents[2].text, report.clusters[0].front.program);
}

/// One bug report for each tracker, as its maintainers get it.
#[test]
fn bug_reports_are_as_reviewed() {
    let bug = |report: &Report| markdown::bug(report, &report.clusters[0]);
    let test = "__attribute__((noipa)) int f(int a) { return a / 3; }\n\
                int main(void) { if (f(7) != 2) __builtin_abort(); }\n";
    compare("gcc", &bug(&report_with_test("gcc", "bug.c", test)));
    let mut llvm = report_with_test("clang", "bug.c", test);
    llvm.clusters[0].bisected_pass = Some("LoopVectorizePass".to_owned());
    llvm.clusters[0].verdict = Verdict::WrongResult;
    llvm.clusters[0].front.actual = Some("3405691582".to_owned());
    llvm.clusters[0].front.target.command = "clang".to_owned();
    compare("llvm", &bug(&llvm));
    compare("other", &bug(&report_with_test("mycc", "bug.c", test)));
    compare("wasmtime", &bug(&report_of(2, "wasmtime", "cranelift-speed")));
    compare("wasmi", &bug(&report_of(2, "wasmi", "eager")));
    compare("v8", &bug(&report_of(2, "node", "turbofan")));
    compare("openjdk", &bug(&report_of(3, "java", "c2")));
}

/// The body of the page, without its style, script and pictures.
#[test]
fn the_page_is_as_reviewed() {
    let page = html(&small_report());
    let body = page.split("<body>").nth(1).expect("a body").split("<script>").next();
    compare("page", body.expect("what stands before the script"));
}

#[test]
fn a_browser_shows_the_page() {
    let Some(browser) = Browser::find() else { return };
    let report = full_report();
    let page = html(&report);
    let address = browser.write("report.html", &page);
    let visit = browser.visit(&address, 1280);
    assert_eq!(visit.console, [""; 0], "nothing to complain about");
    let dom = &visit.dom;
    assert!(dom.contains("data-script=\"ready\""), "the script ran to its end");
    assert_eq!(dom.matches("<section class=\"cluster").count(), 3);
    assert_eq!(dom.matches("<svg ").count(), 3);
    assert_eq!(dom.matches("role=\"tablist\"").count(), 3, "sources became tabs");
    assert_eq!(dom.matches("type=\"search\"").count(), 1, "the table has a filter");
    for cluster in &report.clusters {
        let front = &cluster.front;
        for part in [&front.call, &front.expected, &front.actual].into_iter().flatten() {
            assert!(dom.contains(&format!("<code>{part}</code>")), "no {part} in the page");
        }
    }
    assert!(dom.contains("a &lt;message&gt; &amp; \"more\" of the target"));
}

/// Uses the page, and says in attributes what came of it.
const USE: &str = "<script>addEventListener('load', () => {
    const all = (selector) => [...document.querySelectorAll(selector)];
    const root = document.documentElement;
    const shown = () => all('#bug-1 .source').filter((s) => !s.hidden).map((s) => s.dataset.name);
    all('#bug-1 [role=tab]')[1].click();
    root.dataset.clicked = shown().join();
    const keys = new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true });
    all('#bug-1 [role=tab]')[1].focus();
    document.activeElement.dispatchEvent(keys);
    root.dataset.moved = shown().join();
    const filter = document.querySelector('input[type=search]');
    filter.value = 'crashed WASMI';
    filter.dispatchEvent(new Event('input'));
    root.dataset.filtered = all('section.cluster').filter((s) => !s.hidden).map((s) => s.id).join();
});</script></body>";

#[test]
fn tabs_and_the_filter_work() {
    let Some(browser) = Browser::find() else { return };
    let page = html(&full_report()).replace("</body>", USE);
    let visit = browser.visit(&browser.write("used.html", &page), 1280);
    for said in ["clicked=\"program.sym\"", "moved=\"test.c\"", "filtered=\"bug-2\""] {
        assert!(visit.dom.contains(said), "no {said} in {:?}", visit.dom.lines().nth(1));
    }
}

#[test]
fn the_page_fits_the_window() {
    let Some(browser) = Browser::find() else { return };
    let page = html(&full_report()).replace("</body>", MEASURE);
    let address = browser.write("measured.html", &page);
    for width in [1280, 800, 500, 390] {
        let visit = browser.visit(&address, width);
        assert!(visit.dom.contains("data-overflow=\"0\""), "too wide for {width} pixels");
    }
}

#[test]
fn the_page_is_seen_in_light_and_in_the_dark() {
    let Some(browser) = Browser::find() else { return };
    let address = browser.write("seen.html", &html(&full_report()));
    let blank = browser.write("blank.html", "<!DOCTYPE html><title>blank</title>");
    let size = "--window-size=1280,2400";
    let nothing = browser.shoot("blank.png", &blank, &[size]);
    let light = browser.shoot("light.png", &address, &[size]);
    let dark = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0", size];
    let dark = browser.shoot("dark.png", &address, &dark);
    let narrow = browser.shoot("narrow.png", &address, &["--window-size=800,2400"]);
    for picture in [&light, &dark, &narrow] {
        assert!(picture.len() > 5 * nothing.len(), "a blank picture takes {}", nothing.len());
    }
    assert!(light != dark, "there are two sets of colours");
}

#[test]
fn a_campaign_without_findings_has_a_page_too() {
    let Some(browser) = Browser::find() else { return };
    let report = Report { clusters: Vec::new(), ..full_report() };
    let visit = browser.visit(&browser.write("empty.html", &html(&report)), 1280);
    assert_eq!(visit.console, [""; 0]);
    assert!(visit.dom.contains("Nothing found yet") && visit.dom.contains("wasmi 2.0.0"));
    assert!(visit.dom.contains("data-script=\"ready\""));
}

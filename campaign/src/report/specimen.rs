//! From findings to what a report shows of them.

use pathsmith_oracles::{shell_command, shell_quoted};
use pathsmith_render::{Label, Picture, svg};
use pathsmith_symlang::lang::{Program, Realization};

use super::model::{Member, Source, Specimen, Syntax, VariantView};
use crate::finding::{Finding, n_statements};
use crate::folder_file::File;
use crate::mutation::origin::Origin;
use crate::reproducer::call_text;

impl Specimen {
    /// All that a report shows of a finding, which has the name of its folder. Where its program
    /// was reduced, `original_size` is for the caller to add.
    pub fn new(name: &str, finding: &Finding) -> Self {
        let sources = Source::all(&finding.files);
        Self {
            name: name.to_owned(),
            seed: finding.seed,
            case: finding.number,
            target: finding.target.clone(),
            variant: finding.origin.as_ref().map(VariantView::new),
            call: finding.call.clone(),
            expected: finding.expected.clone(),
            actual: finding.actual.clone(),
            program: finding.program.to_string(),
            size: n_statements(&finding.program),
            original_size: None,
            bug: finding.bug.clone(),
            graph: draw_call(&finding.program, finding.call.as_deref()),
            commands: commands(finding, &sources),
            sources,
            evidence: finding.evidence.clone(),
        }
    }
}

impl VariantView {
    fn new(origin: &Origin) -> Self {
        let steps = origin.lineage.steps.iter();
        Self {
            parent: origin.parent.to_string(),
            transforms: steps.map(|step| step.transform.to_owned()).collect(),
            needed: origin.needed_text(),
        }
    }
}

impl Member {
    /// The line of a finding, which has the name of its folder.
    pub fn new(name: &str, finding: &Finding) -> Self {
        Self {
            name: name.to_owned(),
            seed: finding.seed,
            case: finding.number,
            setting: finding.target.setting.to_string(),
            size: n_statements(&finding.program),
            call: finding.call.clone(),
            expected: finding.expected.clone(),
            actual: finding.actual.clone(),
        }
    }
}

impl Source {
    /// Those of a finding's files that people read, scripts last.
    pub fn all(files: &[File]) -> Vec<Self> {
        let mut sources: Vec<Self> = files.iter().filter_map(Self::new).collect();
        sources.sort_by_key(|source| source.syntax == Syntax::Sh);
        sources
    }

    /// A file, if it is one that people read.
    pub fn new(file: &File) -> Option<Self> {
        let (_, extension) = file.name.rsplit_once('.')?;
        let syntax = match extension {
            "sym" => Syntax::Symlang,
            "c" | "h" => Syntax::C,
            "wat" => Syntax::Wat,
            "jasm" => Syntax::Jasm,
            "sh" => Syntax::Sh,
            _ => return None,
        };
        let text = String::from_utf8(file.bytes.clone()).ok()?;
        Some(Self { name: file.name.clone(), syntax, text })
    }
}

/// Draws the function that `call` is about, with the path that the call takes, as SVG. Without a
/// call it is `main` or the largest function, with the path of its first realization.
pub fn draw_call(program: &Program, call: Option<&str>) -> Option<String> {
    let function = match call {
        Some(call) => {
            let (name, _) = call.split_once('(')?;
            program.function(program.function_named(name)?)
        }
        None => match program.main {
            Some(main) => program.function(main),
            None => program.functions.iter().max_by_key(|function| function.blocks.len())?,
        },
    };
    let cfg = function.cfg().ok()?;
    let is_called = |known: &&Realization| call == Some(&call_text(function, known));
    let known = function.realizations.iter().find(is_called).or(function.realizations.first());
    let labels = Label::with_statements(program, function);
    let path = known.map(|known| &known.path);
    // A graph that is too large for a picture has none.
    svg(&Picture { title: Some(&function.name), cfg: &cfg, path, labels }).ok()
}

/// What to run to see a finding. Compilers are run as they were; engines and virtual machines are
/// sent requests, which the script does.
fn commands(finding: &Finding, sources: &[Source]) -> Vec<String> {
    let is_compiled = sources.iter().any(|source| source.syntax == Syntax::C);
    match finding.files.iter().find(|file| file.is_script) {
        Some(script) if !is_compiled => vec![format!("sh {}", shell_quoted(&script.name))],
        _ => finding.evidence.iter().map(|evidence| shell_command(&evidence.command)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use pathsmith_oracles::{Evidence, Setting, Verdict};
    use pathsmith_symlang::lang::text::parse;

    use super::*;
    use crate::finding::TargetInfo;

    const TWO: &str = "dialect c;
        fn f(a: i32) -> i32 { entry: if a < 9 goto less else exit; less: goto exit; exit: return a; }
        realize f(12) = 12 via entry exit;
        realize f(-1) = -1 via entry less exit;
        fn g() -> i32 { entry: return 1; }
        realize g() = 1 via entry;";

    fn visits(svg: &str) -> &str {
        let at = svg.find("path: ").expect("a path");
        svg[at..].split('<').next().expect("a line")
    }

    #[test]
    fn the_path_of_the_call_is_drawn() {
        let program = parse("two", TWO).unwrap();
        let draw = |call| draw_call(&program, call).expect("a picture");
        assert_eq!(visits(&draw(Some("f(-1)"))), "path: 3 visits of 3 distinct blocks");
        assert_eq!(visits(&draw(Some("f(12)"))), "path: 2 visits of 2 distinct blocks");
        assert!(draw(Some("g()")).contains("<title>g</title>"));
        assert!(draw(None).contains("<title>f</title>"), "the larger of the two");
        assert_eq!(draw_call(&program, Some("h()")), None);
        assert_eq!(draw_call(&Program::default(), None), None);
        assert_eq!(n_statements(&program), 4);
    }

    fn finding(files: Vec<File>) -> Finding {
        let words = ["cc", "-O2", "a b.c"].map(str::to_owned).to_vec();
        Finding {
            batch: 0,
            run_on: serde_json::Value::Null,
            arms: Vec::new(),
            origin: None,
            bug: None,
            signature: None,
            number: 7,
            variant: 0,
            seed: 2,
            verdict: Verdict::WrongResult,
            target: TargetInfo {
                name: "cc".to_owned(),
                command: "/usr/bin/cc".to_owned(),
                version: "cc 1".to_owned(),
                setting: Setting::named("-O2"),
                flags: vec!["-O2".to_owned()],
                path: String::new(),
                runner: Vec::new(),
                env: Default::default(),
            },
            call: Some("f(12)".to_owned()),
            expected: Some("12".to_owned()),
            actual: Some("13".to_owned()),
            evidence: vec![Evidence { command: words, ..Evidence::default() }],
            program: parse("two", TWO).unwrap(),
            options: serde_json::Value::Null,
            files,
        }
    }

    #[test]
    fn a_finding_becomes_a_specimen() {
        let script = File { is_script: true, ..File::text("repro.sh", "true\n".to_owned()) };
        let binary = File { name: "a.wasm".to_owned(), bytes: vec![0xff], is_script: false };
        let c = File::text("a b.c", "int x;\n".to_owned());
        let specimen = Specimen::new("f7", &finding(vec![script.clone(), binary, c]));
        let names: Vec<&str> = specimen.sources.iter().map(|source| &source.name[..]).collect();
        assert_eq!(names, ["a b.c", "repro.sh"]);
        assert_eq!(specimen.commands, ["cc -O2 'a b.c'"]);
        assert!(!specimen.is_reduced() && specimen.graph.is_some());
        let requested = Specimen::new("f7", &finding(vec![script]));
        assert_eq!(requested.commands, ["sh repro.sh"]);
    }
}

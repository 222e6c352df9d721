//! From findings to what a report shows of them.

use pathsmith_core::draw::{Label, Picture, svg};
use pathsmith_core::lang::{Function, Program, Realization};

use super::model::{Language, Member, Source, Specimen, Target};
use crate::finding::{File, Finding, TargetInfo, shell_quoted};

impl Specimen {
    /// All that a report shows of a finding, which has the name of its folder. Where its program
    /// was reduced, `original_size` is for the caller to add.
    pub fn new(name: &str, finding: &Finding) -> Self {
        let commands = finding.evidence.iter().map(|evidence| shell_line(&evidence.command));
        Self {
            name: name.to_owned(),
            seed: finding.seed,
            case: finding.number,
            target: Target::from(&finding.target),
            call: finding.call.clone(),
            expected: finding.expected.clone(),
            actual: finding.actual.clone(),
            program: finding.program.to_string(),
            size: n_statements(&finding.program),
            original_size: None,
            sources: Source::all(&finding.files),
            graph: draw_call(&finding.program, finding.call.as_deref()),
            commands: commands.collect(),
            evidence: finding.evidence.clone(),
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
            setting: finding.target.setting.clone(),
            size: n_statements(&finding.program),
            call: finding.call.clone(),
            expected: finding.expected.clone(),
            actual: finding.actual.clone(),
        }
    }
}

impl From<&TargetInfo> for Target {
    fn from(info: &TargetInfo) -> Self {
        Self {
            name: info.name.clone(),
            command: info.command.clone(),
            version: info.version.clone(),
            setting: info.setting.clone(),
            flags: info.flags.clone(),
        }
    }
}

impl Source {
    /// Those of a finding's files that people read, scripts last.
    pub fn all(files: &[File]) -> Vec<Self> {
        let mut sources: Vec<Self> = files.iter().filter_map(Self::new).collect();
        sources.sort_by_key(|source| source.language == Language::Sh);
        sources
    }

    /// A file, if it is one that people read.
    pub fn new(file: &File) -> Option<Self> {
        let (_, extension) = file.name.rsplit_once('.')?;
        let language = match extension {
            "sym" => Language::Symlang,
            "c" | "h" => Language::C,
            "wat" => Language::Wat,
            "jasm" => Language::Jasm,
            "sh" => Language::Sh,
            _ => return None,
        };
        let text = String::from_utf8(file.bytes.clone()).ok()?;
        Some(Self { name: file.name.clone(), language, text })
    }
}

/// How many statements a program has: assignments, and the end of every block.
pub fn n_statements(program: &Program) -> usize {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.map(|block| block.stmts.len() + 1).sum()
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
    let is_called = |known: &&Realization| call == Some(&spelled_call(function, known));
    let known = function.realizations.iter().find(is_called).or(function.realizations.first());
    let labels = Label::with_statements(program, function);
    let path = known.map(|known| &known.path);
    Some(svg(&Picture { title: Some(&function.name), cfg: &cfg, path, labels }))
}

/// A call as findings spell it.
fn spelled_call(function: &Function, known: &Realization) -> String {
    let args: Vec<String> = std::iter::zip(function.params(), &known.args)
        .map(|(param, arg)| param.ty.elem().to_wide(*arg).to_string())
        .collect();
    format!("{}({})", function.name, args.join(", "))
}

/// Words as a line for a shell.
fn shell_line(words: &[String]) -> String {
    words.iter().map(|word| shell_quoted(word)).collect::<Vec<_>>().join(" ")
}

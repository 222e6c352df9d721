//! `pathsmith templates`

use std::io::Write;
use std::path::Path;

use pathsmith_generate::template::{Library, Template, TemplateSource};

use crate::errors::Failure;
use crate::input::Input;
use crate::output::{OutputArgs, written};

/// List the templates that functions are made of, print one, or check your own
///
/// A template is a narrow program shape with types, operators and numbers left open
/// (docs/shapes.md). Without arguments, all templates that come with pathsmith are listed; a NAME
/// prints the text of that template. `gen --template FILE` and `fuzz --template FILE` use yours as
/// well; `--set template.weights.NAME=0` switches one off.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The template to print
    #[arg(value_name = "NAME", conflicts_with = "check")]
    name: Option<String>,

    /// Check these files instead, and list them
    #[arg(long, value_name = "FILE", num_args = 1..)]
    check: Vec<Input>,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(name) = &args.name {
        let source = Library::sources().iter().find(|(known, _)| known == name);
        let Some((_, text)) = source else {
            return Err(Failure::Usage(format!(
                "there is no template `{name}`; `pathsmith templates` lists them"
            )));
        };
        return args.output.write(|out| written(out.write_all(text.as_bytes())));
    }
    if args.check.is_empty() {
        return args.output.write(|out| list(Library::get().templates(), out));
    }
    let read = |file: &Input| {
        let source = read_template(file)?;
        Ok(Template::parse(&source.name, &source.text)?)
    };
    let templates = args.check.iter().map(read).collect::<Result<Vec<_>, Failure>>()?;
    args.output.write(|out| list(&templates, out))
}

/// The text of a template in a file, which gives it its name.
pub(crate) fn read_template(file: &Input) -> Result<TemplateSource, Failure> {
    let path = file.name();
    let text = String::from_utf8(file.read()?)
        .map_err(|_| Failure::Input(format!("{path} is not a text: a template is UTF-8")))?;
    let name = Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(TemplateSource { name, text })
}

fn list(templates: &[Template], out: &mut dyn Write) -> Result<(), Failure> {
    let width = templates.iter().map(|template| template.name().len()).max().unwrap_or(0);
    let class = templates.iter().map(|template| template.class().len()).max().unwrap_or(0);
    for template in templates {
        let (name, about) = (template.name(), template.about());
        written(writeln!(out, "{name:width$}  {:class$}  {about}", template.class()))?;
    }
    Ok(())
}

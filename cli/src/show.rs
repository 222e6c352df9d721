//! `pathsmith show`

use std::collections::BTreeMap;

use pathsmith_generate::shape::Shape;
use pathsmith_render::{Label, Picture, dot, svg};
use pathsmith_symlang::graph::{Cfg, Path};
use pathsmith_symlang::lang::{Program, text};
use pathsmith_symlang::{BlockId, FuncId};

use crate::errors::Failure;
use crate::input::Input;
use crate::options::function_named;
use crate::output::OutputArgs;
use crate::shape::parse_input;

/// Show a program or graph: as text, or as a picture with the path drawn on the graph
///
/// FILE is a SYMLANG program, or graphs as `pathsmith shape` prints them. As text, a program is
/// printed in its standard form. As a picture, the graph of one function is drawn, with the path
/// of one of its realizations: loops have boxes, those with several entries in another colour.
///
/// Examples:
///   pathsmith show docs/examples/figure1.sym --format svg -o figure1.svg
///   pathsmith show program.sym --function f2 --realization 3 --format dot | dot -Tpdf -o f2.pdf
///   pathsmith shape --seed 3 | pathsmith show - --format svg -o shape.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// A program or graphs, or - for standard input
    file: Input,

    /// The form
    #[arg(short = 'F', long, value_enum, default_value_t)]
    format: Format,

    /// The function to draw [default: `main`, or the first]
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,

    /// The number of the realization whose path is drawn, or of the graph in a file of graphs
    /// [default: 0, the first]
    #[arg(short, long, value_name = "N")]
    realization: Option<usize>,

    /// The blocks of the path to be drawn instead, separated by spaces or commas
    #[arg(short, long, value_name = "BLOCKS")]
    path: Option<String>,

    /// Draw the blocks without their statements
    #[arg(long)]
    bare: bool,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Format {
    /// SYMLANG text, or JSON lines for graphs
    #[default]
    Text,
    /// Graphviz
    Dot,
    /// A picture that any browser shows
    Svg,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let bytes = args.file.read()?;
    let product = if bytes.trim_ascii_start().starts_with(b"{") {
        show_shape(args, &parse_input(&args.file, &bytes)?)?
    } else {
        show_program(args, &text::parse_bytes(&args.file.name(), &bytes)?)?
    };
    args.output.write_text(&product)
}

fn show_shape(args: &Args, shapes: &[Shape]) -> Result<String, Failure> {
    if args.function.is_some() {
        return Err(Failure::Usage("--function is for programs, and these are graphs".to_owned()));
    }
    let number = args.realization.unwrap_or(0);
    let chosen =
        shapes.get(number).ok_or_else(|| no_such("the file", number, shapes.len(), "graph"));
    let shape = chosen?;
    if let Format::Text = args.format {
        // All of them, unless one is asked for.
        let shown = args.realization.map_or(shapes, |_| std::slice::from_ref(shape));
        return Ok(shown.iter().map(|shape| shape.to_json_line() + "\n").collect());
    }
    let labels = Label::all(&shape.cfg);
    let asked = asked_path(args, &shape.cfg, &labels)?;
    let title = shape.name.as_deref();
    let path = asked.as_ref().or(shape.path.as_ref());
    draw(args, &Picture { title, cfg: &shape.cfg, path, labels })
}

fn show_program(args: &Args, program: &Program) -> Result<String, Failure> {
    let id = match &args.function {
        Some(name) => function_named(program, name)?,
        None => program.main.unwrap_or(FuncId::new(0)),
    };
    let function = program.function(id);
    if let Some(number) = args.realization
        && number >= function.realizations.len()
    {
        let name = format!("`{}`", function.name);
        return Err(no_such(&name, number, function.realizations.len(), "realization"));
    }
    if let Format::Text = args.format {
        if args.function.is_some() || args.realization.is_some() {
            let message = "--function and --realization choose what is drawn: with --format text, \
                           the whole program is printed";
            return Err(Failure::Usage(message.to_owned()));
        }
        return Ok(program.to_string());
    }
    // A valid program has valid graphs.
    let cfg = function.cfg().map_err(|error| Failure::Input(error.to_string()))?;
    let mut labels = Label::with_statements(program, function);
    if args.bare {
        labels.iter_mut().for_each(|label| label.body.clear());
    }
    let asked = asked_path(args, &cfg, &labels)?;
    let number = args.realization.unwrap_or(0);
    let realized = function.realizations.get(number).map(|known| &known.path);
    let path = asked.as_ref().or(realized);
    draw(args, &Picture { title: Some(&function.name), cfg: &cfg, path, labels })
}

/// That there is no realization or graph with this number.
fn no_such(whose: &str, number: usize, n: usize, what: &str) -> Failure {
    let known = match n {
        0 => format!("{whose} has no {what}"),
        1 => format!("{whose} has 1 {what}: 0"),
        _ => format!("{whose} has {n} {what}s: 0 to {}", n - 1),
    };
    Failure::Usage(format!("--realization: there is no number {number}; {known}"))
}

fn draw(args: &Args, picture: &Picture<'_>) -> Result<String, Failure> {
    let (drawn, instead) = match args.format {
        Format::Svg => (svg(picture), "--format dot, which leaves the layout to Graphviz"),
        Format::Dot | Format::Text => (dot(picture), "--format text"),
    };
    drawn.map_err(|error| {
        let (name, n) = (args.file.name(), picture.cfg.n_blocks());
        Failure::Input(format!(
            "{name}: the graph with {n} blocks is too large for a picture: {error}; use {instead}"
        ))
    })
}

/// The path on the command line, by the names of blocks.
fn asked_path(args: &Args, cfg: &Cfg, labels: &[Label]) -> Result<Option<Path>, Failure> {
    let Some(words) = &args.path else { return Ok(None) };
    let known: BTreeMap<&str, BlockId> =
        labels.iter().zip((0..).map(BlockId::new)).map(|(label, id)| (&*label.name, id)).collect();
    let block_named = |word: &str| {
        known
            .get(word)
            .copied()
            .ok_or_else(|| Failure::Usage(format!("--path: there is no block `{word}`")))
    };
    let words = words.split([' ', ',']).filter(|word| !word.is_empty());
    let path = Path::new(words.map(block_named).collect::<Result<_, _>>()?);
    match path.check(cfg) {
        Ok(()) => Ok(Some(path)),
        Err(error) => Err(Failure::Usage(format!("--path: {error}"))),
    }
}

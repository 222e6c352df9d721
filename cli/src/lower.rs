//! `pathsmith lower`

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use pathsmith_campaign::files::read_text;
use pathsmith_campaign::registry::languages;
use pathsmith_campaign::{EmitError, File, Format, Language, OptionSource};
use pathsmith_symlang::lang::limits::MAX_SOURCE;

use crate::errors::{Failure, note};
use crate::input::Input;
use crate::output::OutputArgs;

/// Lower a program to a target language
///
/// A program in C is complete: compiled and run, it checks every realization and prints those that
/// return another output than expected. WebAssembly modules and class files export functions to be
/// called. The lowering options are read from a file, or drawn from an RNG seed, or else the
/// defaults.
///
/// Examples:
///   pathsmith lower docs/examples/figure1.sym --to c -o figure1.c && cc figure1.c && ./a.out
///   pathsmith gen | pathsmith lower - --to c --choose 7 --dir program
///   pathsmith gen --dialect wasm | pathsmith lower - --to wat --choose 7
///   pathsmith gen --dialect jvm | pathsmith lower - --to class --dir classes
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    input: Input,

    /// The target language, and its format
    #[arg(short, long, value_parser = formats(), value_name = "FORMAT")]
    to: String,

    /// Draw the lowering options from an RNG seed; for C, they ask for several files, so --dir is
    /// needed too
    #[arg(long, value_name = "SEED")]
    choose: Option<u64>,

    /// Read the lowering options from a JSON file
    #[arg(long, value_name = "FILE", conflicts_with = "choose")]
    options: Option<PathBuf>,

    /// Write the files, and the options, into FOLDER, which is created if it is not there
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArgs,
}

/// The formats of all languages, as values on the command line.
fn formats() -> PossibleValuesParser {
    let formats = languages().into_iter().flat_map(Language::formats);
    PossibleValuesParser::new(
        formats
            .map(|format| PossibleValue::new(format.name).help(format.about).aliases(format.alias)),
    )
}

/// The format of that name, and its language.
fn format_named(name: &str) -> Option<(&'static dyn Language, &'static Format)> {
    languages().into_iter().find_map(|language| {
        let mut formats = language.formats().iter();
        let found = formats.find(|format| format.name == name || format.alias == Some(name));
        Some((language, found?))
    })
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let program = args.input.program()?;
    let unknown = || Failure::Usage(format!("there is no format {}", args.to));
    let (language, format) = format_named(&args.to).ok_or_else(unknown)?;
    let text = match &args.options {
        Some(path) => Some(
            read_text(path, MAX_SOURCE as u64)
                .map_err(|source| Failure::io(format!("cannot read {}", path.display()), source))?,
        ),
        None => None,
    };
    let options = match (args.choose, &text) {
        (Some(seed), _) => OptionSource::Seed(seed),
        (None, Some(text)) => OptionSource::Json(text),
        (None, None) => OptionSource::Default,
    };
    let emitted = language.emit(&program, options, format).map_err(|error| {
        let name = match (&error, &args.options) {
            (EmitError::Options(_), Some(path)) => path.display().to_string(),
            (EmitError::Options(_) | EmitError::Lower(_) | EmitError::Format(_), _) => {
                args.input.name()
            }
        };
        Failure::Input(format!("{name}: {error}"))
    })?;
    emitted.notes.iter().for_each(|line| note(line));
    match (&args.dir, format.needs_folder, &emitted.files[..]) {
        (Some(dir), _, files) => write_folder(dir, files, &emitted.options),
        (None, Some(why), _) => Err(Failure::Usage(why.to_owned())),
        (None, None, [file]) => args.output.write_bytes(&file.bytes),
        (None, None, _) => {
            Err(Failure::Usage("the options ask for several files, which need --dir".to_owned()))
        }
    }
}

fn write_folder(dir: &Path, files: &[File], options: &str) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(|source| {
        Failure::io(format!("cannot create the folder {}", dir.display()), source)
    })?;
    for file in files {
        OutputArgs::to(dir.join(&file.name)).write_bytes(&file.bytes)?;
    }
    OutputArgs::to(dir.join("options.json")).write_text(options)
}

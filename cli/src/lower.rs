//! `pathsmith lower`

use std::path::{Path, PathBuf};

use pathsmith_backend_c::{CBackend, CSource, CStyle};
use pathsmith_backend_jvm::{JvmBackend, JvmStyle};
use pathsmith_core::backend::{Backend, LowerError};
use pathsmith_core::{Rng, Seed};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::Failure;
use crate::input::Input;
use crate::output::OutputArgs;

/// Spell a program in a target language
///
/// The product is complete: compiled and run, it checks every realization and says which of them
/// gave another output than it should. How it is spelled can be read from a file of options, or
/// drawn from a seed; without either it is plain.
///
/// Examples:
///   pathsmith lower docs/examples/figure1.sym --to c -o figure1.c && cc figure1.c && ./a.out
///   pathsmith gen | pathsmith lower - --to c --choose 7 --dir program
///   pathsmith gen --dialect jvm | pathsmith lower - --to jvm --dir classes
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    input: Input,

    /// The target language
    #[arg(short, long, value_enum)]
    to: Language,

    /// Draw the options from a seed; for all but jasm they may ask for several files, so --dir is
    /// needed too
    #[arg(long, value_name = "SEED")]
    choose: Option<u64>,

    /// Read the options from a JSON file
    #[arg(long, value_name = "FILE", conflicts_with = "choose")]
    options: Option<PathBuf>,

    /// Write the files, and the options, into FOLDER, which is made if it is not there
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    dir: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArgs,
}

/// A target language.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Language {
    /// C17
    C,
    /// JVM class files, which need --dir
    Jvm,
    /// A listing of JVM class files, for people
    Jasm,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let program = args.input.program()?;
    let refused = |error: LowerError| Failure::Input(format!("{}: {error}", args.input.name()));
    match args.to {
        Language::C => {
            let options = options(args, |rng| CStyle::default().choose(&program, rng))?;
            let source = CBackend.lower(&program, &options).map_err(refused)?;
            match &args.dir {
                Some(dir) => {
                    let files = source.all_files();
                    let files = files.map(|file| (file.name.clone(), file.text.as_bytes()));
                    write_folder(dir, files, &options)
                }
                None => write_single(args, &source),
            }
        }
        Language::Jvm => {
            let options = options(args, |rng| JvmStyle::default().choose(&program, rng))?;
            let Some(dir) = &args.dir else {
                return Err(Failure::Usage("class files need --dir".to_owned()));
            };
            let lowered = JvmBackend.lower(&program, &options).map_err(refused)?;
            let files = lowered.classes.iter().map(|class| (class.file_name(), &class.bytes[..]));
            write_folder(dir, files, &options)
        }
        Language::Jasm => {
            let options = options(args, |rng| JvmStyle::default().choose(&program, rng))?;
            let lowered = JvmBackend.lower(&program, &options).map_err(refused)?;
            let listing = lowered
                .listing()
                .map_err(|error| Failure::Input(format!("the classes: {error}")))?;
            match &args.dir {
                Some(dir) => {
                    write_folder(dir, [("classes.jasm".to_owned(), listing.as_bytes())], &options)
                }
                None => args.output.write_text(&listing),
            }
        }
    }
}

fn options<O: Default + DeserializeOwned>(
    args: &Args,
    choose: impl FnOnce(&mut Rng) -> O,
) -> Result<O, Failure> {
    if let Some(seed) = args.choose {
        return Ok(choose(&mut Seed::new(seed).child("lower").rng()));
    }
    let Some(path) = &args.options else { return Ok(O::default()) };
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|source| Failure::io(format!("cannot read {name}"), source))?;
    serde_json::from_str(&text).map_err(|error| Failure::Input(format!("{name}: {error}")))
}

fn write_single(args: &Args, source: &CSource) -> Result<(), Failure> {
    let mut files = source.all_files();
    match (files.next(), files.next()) {
        (Some(file), None) => args.output.write_text(&file.text),
        _ => Err(Failure::Usage("the options ask for several files, which need --dir".to_owned())),
    }
}

fn write_folder<'a>(
    dir: &Path,
    files: impl IntoIterator<Item = (String, &'a [u8])>,
    options: &impl Serialize,
) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(|source| {
        Failure::io(format!("cannot make the folder {}", dir.display()), source)
    })?;
    for (name, bytes) in files {
        OutputArgs::to(dir.join(name)).write_bytes(bytes)?;
    }
    let options = serde_json::to_string_pretty(options)
        .map_err(|error| Failure::Input(format!("the options: {error}")))?;
    OutputArgs::to(dir.join("options.json")).write_text(&(options + "\n"))
}

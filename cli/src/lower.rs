//! `pathsmith lower`

use std::path::{Path, PathBuf};

use pathsmith_backend_c::{CBackend, COptions, CSource, CStyle};
use pathsmith_core::Seed;
use pathsmith_core::backend::Backend;
use pathsmith_core::lang::Program;

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
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The program
    #[arg(value_name = "FILE")]
    input: Input,

    /// The target language
    #[arg(short, long, value_enum)]
    to: Language,

    /// Draw the options from a seed; they ask for several files, so --dir is needed too
    #[arg(long, value_name = "SEED", requires = "dir")]
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
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let program = args.input.program()?;
    match args.to {
        Language::C => {
            let options = c_options(args, &program)?;
            let source = CBackend
                .lower(&program, &options)
                .map_err(|error| Failure::Input(format!("{}: {error}", args.input.name())))?;
            match &args.dir {
                Some(dir) => write_folder(dir, &source, &options),
                None => write_single(args, &source),
            }
        }
    }
}

fn c_options(args: &Args, program: &Program) -> Result<COptions, Failure> {
    if let Some(seed) = args.choose {
        let mut rng = Seed::new(seed).child("lower").rng();
        return Ok(CStyle::default().choose(program, &mut rng));
    }
    let Some(path) = &args.options else { return Ok(COptions::default()) };
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

fn write_folder(dir: &Path, source: &CSource, options: &COptions) -> Result<(), Failure> {
    std::fs::create_dir_all(dir).map_err(|source| {
        Failure::io(format!("cannot make the folder {}", dir.display()), source)
    })?;
    for file in source.all_files() {
        OutputArgs::to(dir.join(&file.name)).write_text(&file.text)?;
    }
    let options = serde_json::to_string_pretty(options)
        .map_err(|error| Failure::Input(format!("the options: {error}")))?;
    OutputArgs::to(dir.join("options.json")).write_text(&(options + "\n"))
}

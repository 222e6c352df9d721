//! `pathsmith lower`

use std::path::{Path, PathBuf};

use pathsmith_backend::Backend;
use pathsmith_backend_c::{CBackend, CSource, CStyle};
use pathsmith_backend_jvm::{JvmBackend, JvmClasses, JvmStyle};
use pathsmith_backend_wasm::{WasmBackend, WasmStyle};
use pathsmith_symlang::lang::Program;
use pathsmith_symlang::{Rng, Seed};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::{Failure, note};
use crate::input::Input;
use crate::output::OutputArgs;

/// Spell a program in a target language
///
/// A program in C is complete: compiled and run, it checks every realization and says which of them
/// gave another output than it should. WebAssembly modules and class files export functions to be
/// called. How it is spelled can be read from a file of options, or drawn from a seed; without
/// either it is plain.
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

    /// The target language
    #[arg(short, long, value_enum)]
    to: Language,

    /// Draw the options from a seed; for C, they ask for several files, so --dir is needed too
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
    /// A WebAssembly module
    Wasm,
    /// A WebAssembly module as text
    Wat,
    /// JVM class files, which need --dir
    #[value(alias = "jvm")]
    Class,
    /// A listing of JVM class files, for people
    Jasm,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let program = args.input.program()?;
    let wrong = |error: &dyn std::error::Error| Failure::Input(error.to_string());
    match args.to {
        Language::C => {
            let options = options(args, |rng| CStyle::default().choose(&program, rng))?;
            let source = lower(args, &CBackend, &program, &options)?;
            match &args.dir {
                Some(dir) => {
                    let files = source.all_files();
                    let files = files.map(|file| (file.name.clone(), file.text.as_bytes()));
                    write_folder(dir, files, &options)
                }
                None => write_single(args, &source),
            }
        }
        Language::Wasm | Language::Wat => {
            let options = options(args, |rng| WasmStyle::default().choose(&program, rng))?;
            let module = lower(args, &WasmBackend, &program, &options)?;
            match args.to {
                Language::Wat => {
                    let text = module.wat().map_err(|error| wrong(&error))?;
                    write_one(args, "program.wat", text.as_bytes(), &options)
                }
                _ => write_one(args, "program.wasm", &module.bytes, &options),
            }
        }
        Language::Class | Language::Jasm => {
            let options = options(args, |rng| JvmStyle::default().choose(&program, rng))?;
            let lowered = lower(args, &JvmBackend, &program, &options)?;
            for (name, n_bytes) in lowered.huge_methods() {
                note(&format!(
                    "{name} takes {n_bytes} bytes; HotSpot does not compile methods of more than {}",
                    JvmClasses::HUGE_METHOD
                ));
            }
            if let Language::Jasm = args.to {
                let listing = lowered.listing().map_err(|error| wrong(&error))?;
                return write_one(args, "classes.jasm", listing.as_bytes(), &options);
            }
            let Some(dir) = &args.dir else {
                return Err(Failure::Usage("class files need --dir".to_owned()));
            };
            let files = lowered.classes.iter().map(|class| (class.file_name(), &class.bytes[..]));
            write_folder(dir, files, &options)
        }
    }
}

fn lower<B: Backend>(
    args: &Args,
    backend: &B,
    program: &Program,
    options: &B::Options,
) -> Result<B::Artifact, Failure> {
    backend
        .lower(program, options)
        .map_err(|error| Failure::Input(format!("{}: {error}", args.input.name())))
}

/// Options drawn from the seed, read from the file, or plain ones.
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

/// Writes what is one file, into a folder or by itself.
fn write_one(
    args: &Args,
    name: &str,
    bytes: &[u8],
    options: &impl Serialize,
) -> Result<(), Failure> {
    match &args.dir {
        Some(dir) => write_folder(dir, [(name.to_owned(), bytes)], options),
        None => args.output.write_bytes(bytes),
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

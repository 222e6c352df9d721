//! `pathsmith engine`

use std::io;

use clap::builder::{PossibleValue, PossibleValuesParser};
use pathsmith_oracles::wasm::{ServeError, WasmEngine, serve};

use crate::errors::Failure;

/// Answer requests with an embedded WebAssembly engine
///
/// Campaigns start this for every setting of an embedded engine, so that whatever kills the engine
/// kills only this process. Each line of standard input is the name of a request file; the folder
/// of a finding has one. The answers are lines on standard output.
///
/// Example:
///   echo request.json | pathsmith engine cranelift-speed
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The setting
    #[arg(value_parser = PossibleValuesParser::new(
        WasmEngine::all()
            .filter(|engine| engine.is_embedded())
            .flat_map(WasmEngine::settings)
            .map(|setting| PossibleValue::new(setting.name).help(setting.about))
    ))]
    setting: String,
}

pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    serve(&args.setting, io::stdin().lock(), io::stdout().lock()).map_err(|error| match error {
        ServeError::Io(source) => Failure::io("cannot answer", source),
        other => Failure::Usage(other.to_string()),
    })
}

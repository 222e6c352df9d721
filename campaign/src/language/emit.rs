//! The files of each backend's artifacts.

use pathsmith_backend::Style;
use pathsmith_backend_c::{CBackend, COptions, CSource, CStyle};
use pathsmith_backend_jvm::{JvmBackend, JvmClasses, JvmOptions, JvmStyle};
use pathsmith_backend_wasm::{WasiChecks, WasmBackend, WasmModule, WasmOptions, WasmStyle};
use pathsmith_symlang::Rng;
use pathsmith_symlang::lang::Program;

use super::{Emit, Format};
use crate::folder_file::File;

const fn format(name: &'static str, about: &'static str) -> Format {
    Format { name, alias: None, about, needs_folder: None }
}

impl Emit for CBackend {
    const FORMATS: &'static [Format] = &[format("c", "C17")];

    fn choose_options(program: &Program, rng: &mut Rng) -> COptions {
        CStyle::default().choose(program, rng)
    }

    fn files(source: &CSource, _format: &str) -> Result<Vec<File>, String> {
        Ok(source.all_files().map(|file| File::text(&file.name, file.text.clone())).collect())
    }
}

impl Emit for WasmBackend {
    const FORMATS: &'static [Format] = &[
        format("wasm", "A WebAssembly module"),
        format("wat", "A WebAssembly module as text"),
        format("wasi", "A self-checking WASI module, which exits with 0 if all results are right"),
        format("wasi-wat", "A self-checking WASI module as text"),
    ];

    fn choose_options(program: &Program, rng: &mut Rng) -> WasmOptions {
        WasmStyle::default().choose(program, rng)
    }

    fn files(module: &WasmModule, format: &str) -> Result<Vec<File>, String> {
        let self_checking;
        let module = match format {
            "wasi" | "wasi-wat" => {
                let bytes = module.self_checking(&WasiChecks::all(module));
                let bytes = bytes.map_err(|error| error.to_string())?;
                self_checking = WasmModule { bytes, ..module.clone() };
                &self_checking
            }
            _ => module,
        };
        Ok(vec![match format {
            "wat" | "wasi-wat" => {
                File::text("program.wat", module.wat().map_err(|error| error.to_string())?)
            }
            _ => File {
                name: "program.wasm".to_owned(),
                bytes: module.bytes.clone(),
                is_script: false,
            },
        }])
    }
}

impl Emit for JvmBackend {
    const FORMATS: &'static [Format] = &[
        Format {
            alias: Some("jvm"),
            needs_folder: Some("class files need --dir"),
            ..format("class", "JVM class files, which need --dir")
        },
        format("jasm", "A listing of JVM class files, for people"),
    ];

    fn choose_options(program: &Program, rng: &mut Rng) -> JvmOptions {
        JvmStyle::default().choose(program, rng)
    }

    fn files(lowered: &JvmClasses, format: &str) -> Result<Vec<File>, String> {
        if format == "jasm" {
            let listing = lowered.listing().map_err(|error| error.to_string())?;
            return Ok(vec![File::text("classes.jasm", listing)]);
        }
        let classes = lowered.classes.iter();
        let file =
            |name: String, bytes: &[u8]| File { name, bytes: bytes.to_vec(), is_script: false };
        Ok(classes.map(|class| file(class.file_name(), &class.bytes)).collect())
    }

    fn notes(lowered: &JvmClasses) -> Vec<String> {
        let note = |(name, n_bytes): &(String, usize)| {
            let limit = JvmClasses::HUGE_METHOD;
            format!(
                "{name} takes {n_bytes} bytes; HotSpot does not compile methods of more than {limit}"
            )
        };
        lowered.huge_methods().map(note).collect()
    }
}

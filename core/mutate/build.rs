//! Lists the files of the folder `corpus`, so that adding a program is adding a file.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let folder = Path::new(&root).join("corpus");
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path()));
    let mut files = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sym"));
    files.sort();
    let item = |file: &PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        format!("    ({name:?}, include_str!({:?})),\n", file.display().to_string())
    };
    let items: String = files.iter().map(item).collect();
    let list = format!("const SOURCES: &[(&str, &str)] = &[\n{items}];\n");
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("corpus.rs"), list)
}

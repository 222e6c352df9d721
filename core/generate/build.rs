//! Lists the files of the folder `templates`, so that adding a template is adding a file.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let folder =
        Path::new(&env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("templates");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "sym"));
    files.sort();
    let mut list = String::from("const SOURCES: &[(&str, &str)] = &[\n");
    for file in &files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        list.push_str(&format!(
            "    ({name:?}, include_str!({:?})),\n",
            file.display().to_string()
        ));
    }
    list.push_str("];\n");
    let out = Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("templates.rs");
    fs::write(out, list)
}

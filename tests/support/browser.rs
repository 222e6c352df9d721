//! Pages as a real browser shows them.
//!
//! They, and what the browser made of them, stay in the target folder, under `tmp`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::tools::has_tool;

/// A browser without a window.
pub(crate) struct Browser {
    folder: PathBuf,
}

/// What the browser said about a page.
pub(crate) struct Visit {
    pub(crate) dom: String,
    pub(crate) console: Vec<String>,
}

impl Browser {
    /// Chromium, if this machine has it.
    pub(crate) fn find() -> Option<Self> {
        if !has_tool("chromium", &["--version"]) {
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME"));
        fs::create_dir_all(&folder).expect("there is a place for pages");
        Some(Self { folder })
    }

    /// Writes a page, and returns its address.
    pub(crate) fn write(&self, name: &str, page: &str) -> String {
        let path = self.folder.join(name);
        fs::write(&path, page).expect("the page can be written");
        format!("file://{}", path.display())
    }

    fn run(&self, args: &[&str], address: &str) -> (String, String) {
        let profile = tempfile::tempdir().expect("a place for the browser's files");
        let output = Command::new("chromium")
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"])
            .args(["--no-first-run", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync", "--hide-scrollbars"])
            .args(["--enable-logging=stderr", "--virtual-time-budget=5000"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(args)
            .arg(address)
            .stdin(Stdio::null())
            .output()
            .expect("the browser starts");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        (text(output.stdout), text(output.stderr))
    }

    /// Opens a page in a window of some width, runs its scripts, and returns what is there then.
    pub(crate) fn visit(&self, address: &str, width: u32) -> Visit {
        let (dom, log) = self.run(&["--dump-dom", &format!("--window-size={width},900")], address);
        let console = log.lines().filter(|line| line.contains("CONSOLE")).map(str::to_owned);
        Visit { dom, console: console.collect() }
    }

    /// The bytes of a picture of a page.
    pub(crate) fn shoot(&self, name: &str, address: &str, args: &[&str]) -> Vec<u8> {
        let path = self.folder.join(name);
        let _ = fs::remove_file(&path);
        self.run(&[&[&format!("--screenshot={}", path.display())[..]], args].concat(), address);
        let bytes = fs::read(&path).expect("there is a picture");
        assert!(bytes.starts_with(b"\x89PNG"), "{name} is no picture");
        bytes
    }
}

/// Says in an attribute of the page what does not fit into the window.
pub(crate) const MEASURE: &str = "<script>addEventListener('load', () => {
    const root = document.documentElement;
    root.dataset.overflow = String(root.scrollWidth - root.clientWidth);
});</script></body>";

//! Bug reports that an earlier run wrote and a later one does not have.

use std::fs;
use std::io;
use std::path::Path;

use super::markdown::names_of_bugs;
use super::model::Report;
use crate::files::read_text;

/// How large a report may be that is read back.
const MAX_REPORT: u64 = 1 << 30;

/// Removes the bug reports in `folder` that an earlier run of the command has written there, as the
/// JSON beside them says, and that `report` does not have. All other files stay, whatever they are
/// called.
///
/// # Errors
/// If a file cannot be removed.
pub fn remove_stale_reports(folder: &Path, report: &Report) -> io::Result<()> {
    let earlier = read_text(&folder.join("report.json"), MAX_REPORT);
    // What is there may be no report, or one of another version.
    let Some(earlier) = earlier.ok().and_then(|text| Report::from_json(&text).ok()) else {
        return Ok(());
    };
    for name in names_of_bugs(&earlier).difference(&names_of_bugs(report)) {
        let path = folder.join(name);
        let is_file = fs::symlink_metadata(&path).is_ok_and(|found| found.is_file());
        if is_file {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::sample::report;
    use super::*;

    #[test]
    fn only_what_an_earlier_run_wrote_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str| fs::write(dir.path().join(name), "text").unwrap();
        let earlier = report();
        let mut now = report();
        now.clusters[0].id = 1;
        let stale = names_of_bugs(&earlier);
        let kept = ["bug-7-mine.md", "bug-3-notes.md", "notes.txt", "index.md"];
        stale.iter().for_each(|name| write(name));
        kept.into_iter().for_each(write);
        // Nothing says who has written them.
        remove_stale_reports(dir.path(), &now).unwrap();
        assert!(stale.iter().all(|name| dir.path().join(name).exists()));
        fs::write(dir.path().join("report.json"), earlier.to_json().unwrap()).unwrap();
        remove_stale_reports(dir.path(), &earlier).unwrap();
        assert!(stale.iter().all(|name| dir.path().join(name).exists()), "they are not stale");
        remove_stale_reports(dir.path(), &now).unwrap();
        assert!(!stale.iter().any(|name| dir.path().join(name).exists()));
        assert!(kept.into_iter().all(|name| dir.path().join(name).exists()));
    }
}

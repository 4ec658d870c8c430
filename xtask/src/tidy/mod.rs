//! `cargo xtask tidy`: the rules of the house that no compiler checks. Each complaint says where, and what to do.

mod circles;
mod dependencies;
mod doors;
mod evidence;
mod length;
mod route_tests;
mod source;
mod words;

use std::{fs, path::PathBuf};

use source::Source;

use crate::{Result, sh};

pub(crate) fn run() -> Result {
    let sources = sources()?;
    let mut complaints = dependencies::check(&sources)?;
    complaints.extend(circles::check(&sources));
    complaints.extend(route_tests::check(&sources));
    for source in &sources {
        complaints.extend(words::check(source));
        complaints.extend(length::check(source));
        complaints.extend(doors::check(source));
        complaints.extend(evidence::check(source));
    }
    if complaints.is_empty() {
        println!("tidy: {} files", sources.len());
        return Ok(());
    }
    Err(format!("untidy:\n  {}", complaints.join("\n  ")))
}

/// The text files that git tracks or would track.
fn sources() -> Result<Vec<Source>> {
    let listed = sh::output(sh::command("git").args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))?;
    let paths = listed.split('\0').filter(|path| !path.is_empty()).map(PathBuf::from);
    let read = |path: PathBuf| {
        let text = fs::read_to_string(sh::root().join(&path)).ok()?;
        Some(Source { path, text })
    };
    Ok(paths.filter_map(read).collect())
}

//! A file as tidy sees it.

use std::path::PathBuf;

pub(super) struct Source {
    /// Relative to the workspace.
    pub(super) path: PathBuf,
    pub(super) text: String,
}

impl Source {
    pub(super) fn is_rust(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "rs")
    }

    /// Whether this is a test, a bench or an example: other rules hold there.
    pub(super) fn is_test(&self) -> bool {
        self.path.iter().any(|part| ["tests", "benches", "examples", "fuzz"].iter().any(|folder| part == *folder))
    }

    pub(super) fn starts_with(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }

    /// The lines with their numbers, up to the unit tests at the end of the file.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        lines.take_while(|(_, line)| *line != "#[cfg(test)]")
    }

    /// A complaint about a line.
    pub(super) fn complain(&self, line: usize, what: &str) -> String {
        format!("{}:{line}: {what}", self.path.display())
    }
}

#[cfg(test)]
impl Source {
    pub(super) fn of(path: &str, text: &str) -> Self {
        Self { path: path.into(), text: text.to_owned() }
    }
}

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

    /// The lines with their numbers, without the items that only tests have, wherever they stand.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let mut test_item = None;
        lines.filter(move |(_, line)| {
            let indentation = &line[..line.len() - line.trim_start().len()];
            match test_item {
                None if line.trim_start() == "#[cfg(test)]" => test_item = Some(indentation),
                None => return true,
                // rustfmt ends an item with a line of the same indentation: a brace, or its only line.
                Some(start) if indentation == start && ends_item(line) => test_item = None,
                Some(_) => {}
            }
            false
        })
    }

    /// A complaint about a line.
    pub(super) fn complain(&self, line: usize, what: &str) -> String {
        format!("{}:{line}: {what}", self.path.display())
    }
}

fn ends_item(line: &str) -> bool {
    let line = line.trim();
    !line.starts_with(['#', '/']) && line.ends_with(['}', ';', ','])
}

#[cfg(test)]
impl Source {
    pub(super) fn of(path: &str, text: &str) -> Self {
        Self { path: path.into(), text: text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_goes_on_behind_what_only_tests_have() {
        let text = "\
fn one() {}
#[cfg(test)]
mod tests;
#[cfg(test)]
#[expect(dead_code, reason = \"a test\")]
impl Source {
    fn hidden() {
    }
}
mod two {
    #[cfg(test)]
    const HIDDEN: u8 = 1;
    fn three() {}
}
#[cfg(test)]
mod more {
    fn hidden() {}
}
";
        let source = Source::of("src/x.rs", text);
        let lines: Vec<_> = source.code().map(|(number, _)| number).collect();
        assert_eq!(lines, [1, 10, 13, 14]);
    }
}

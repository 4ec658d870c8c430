//! Which files a job reads and writes: found before anything is opened for writing, and no two of them the same.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use chancery_client::Destination;

use crate::{
    error::{BulkError, OfFile as _, Result},
    job::{Job, Place},
};

/// What stands behind an output's name until it is whole, and behind the name of its journal.
const PART: &str = ".part";
const JOURNAL: &str = ".part.json";

/// What stands behind an output's name where answers are kept that are not written yet.
const ANSWERS: &str = ".part.answers";

/// Where everything goes, links followed.
pub(crate) struct Places {
    pub(crate) output: Destination,
    pub(crate) rejects: Option<Destination>,
    /// Where the journal is; none where an interrupted run cannot be taken up.
    pub(crate) journal: Option<PathBuf>,
    /// Where answers are kept that are not written yet; none likewise.
    pub(crate) answers: Option<PathBuf>,
}

/// A file of the job, and what it is to it.
struct Named {
    what: &'static str,
    path: PathBuf,
}

impl Places {
    pub(crate) fn of(job: &Job) -> Result<Self> {
        let output = match &job.output {
            Place::Standard => Destination::Standard,
            Place::File(path) => find(path)?,
        };
        let rejects = job.rejects.as_deref().map(find).transpose()?;
        let mut named = Vec::new();
        if let Place::File(path) = &job.input {
            named.push(Named { what: "the input", path: path.clone() });
        }
        let (mut journal, mut answers) = (None, None);
        if let Destination::Replaced(path) = &output {
            let file = with_end(path, JOURNAL);
            named.push(Named { what: "the output", path: path.clone() });
            named.push(Named { what: "what is written of the output", path: with_end(path, PART) });
            named.push(Named { what: "the journal", path: file.clone() });
            named.push(Named { what: "the next journal", path: with_end(&file, ".new") });
            journal = Some(file);
            let file = with_end(path, ANSWERS);
            named.push(Named { what: "the answers", path: file.clone() });
            answers = Some(file);
        }
        if let Some(Destination::Replaced(path)) = &rejects {
            named.push(Named { what: "the file of rejects", path: path.clone() });
            named.push(Named { what: "what is written of the rejects", path: with_end(path, PART) });
        }
        check(&named)?;
        // Only what is read from a file, and goes to files, can be taken up again.
        let reads_file = matches!(&job.input, Place::File(path) if fs::metadata(path).of(path)?.is_file());
        let rejects_to_file = !matches!(rejects, Some(Destination::Into(_) | Destination::Standard));
        let journal = journal.filter(|_| reads_file && rejects_to_file);
        let answers = answers.filter(|_| journal.is_some());
        Ok(Self { output, rejects, journal, answers })
    }
}

/// Whether what is there is a file of whoever runs this, and of nobody else: nobody else can write or read it under another
/// name.
pub(crate) fn is_own(found: &fs::Metadata) -> bool {
    found.is_file() && found.nlink() == 1 && found.uid() == rustix::process::geteuid().as_raw()
}

/// Under which name a file is written until it is whole.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    with_end(path, PART)
}

/// Removes a file that may not be there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.of(path),
    }
}

fn find(path: &Path) -> Result<Destination> {
    Destination::find(path).map_err(|error| {
        let is_missing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind());
        let why = if is_missing {
            "there is no such folder".to_owned()
        } else if error.kind() == io::ErrorKind::IsADirectory {
            "it is a folder; name a file in it".to_owned()
        } else {
            error.to_string()
        };
        BulkError::Job(format!("{}: {why}", path.display()))
    })
}

/// Refuses a job in which one file would be two things.
fn check(named: &[Named]) -> Result<()> {
    for (index, one) in named.iter().enumerate() {
        for other in &named[index + 1..] {
            if is_same(&one.path, &other.path).of(&one.path)? {
                let (path, what, other) = (other.path.display(), one.what, other.what);
                let why = match what {
                    "the input" => format!("the input would be replaced by {other}"),
                    _ => format!("{what} and {other} would be the same file"),
                };
                return Err(BulkError::Job(format!("{path}: {why}; name another one")));
            }
        }
    }
    Ok(())
}

/// Whether two names lead to the same file, which need not be there.
fn is_same(one: &Path, other: &Path) -> io::Result<bool> {
    match (metadata(one)?, metadata(other)?) {
        (Some(one), Some(other)) => Ok((one.dev(), one.ino()) == (other.dev(), other.ino())),
        (None, None) => Ok(one.file_name() == other.file_name() && folder(one)? == folder(other)?),
        (Some(_), None) | (None, Some(_)) => Ok(false),
    }
}

fn metadata(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

fn folder(path: &Path) -> io::Result<PathBuf> {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).canonicalize()
}

fn with_end(name: &Path, end: &str) -> PathBuf {
    let mut name: OsString = name.into();
    name.push(end);
    name.into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::job::{Column, Way};

    /// What is said of a job with these files, in a folder with `in.csv`, hard and symbolic links to it, and a folder.
    fn places(input: &str, output: &str, rejects: &str) -> Result<Places> {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| if name.starts_with('/') { name.into() } else { folder.path().join(name) };
        for name in ["in.csv", "d.csv.part", "e.csv.part.json", "e.csv.part.json.new"] {
            fs::write(path(name), "pan\n").unwrap();
        }
        symlink("in.csv", path("link.csv")).unwrap();
        fs::hard_link(path("in.csv"), path("hard.csv")).unwrap();
        symlink("out.csv", path("dangling.csv")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        let column = Column::new("pan", "00000000-0000-0000-0000-000000000001".parse().unwrap());
        let job = Job::of_files(Way::Tokenize, vec![column], path("in.csv"), path(output)).unwrap();
        Places::of(&Job { input: Place::File(path(input)), rejects: Some(path(rejects)), ..job })
    }

    #[test]
    fn no_file_is_two_things() {
        for (input, output, rejects, says) in [
            ("in.csv", "in.csv", "r", "the input would be replaced by the output"),
            ("in.csv", "link.csv", "r", "the input would be replaced by the output"),
            ("link.csv", "in.csv", "r", "the input would be replaced by the output"),
            ("in.csv", "hard.csv", "r", "the input would be replaced by the output"),
            ("in.csv", "out.csv", "in.csv", "the input would be replaced by the file of rejects"),
            ("in.csv", "out.csv", "folder/../hard.csv", "the input would be replaced by the file of rejects"),
            ("d.csv.part", "d.csv", "r", "the input would be replaced by what is written of the output"),
            ("d.csv.part", "out.csv", "d.csv", "the input would be replaced by what is written of the rejects"),
            ("e.csv.part.json", "e.csv", "r", "the input would be replaced by the journal"),
            ("e.csv.part.json.new", "e.csv", "r", "the input would be replaced by the next journal"),
            ("in.csv", "out.csv", "out.csv", "the output and the file of rejects would be the same file"),
            ("in.csv", "dangling.csv", "out.csv", "the output and the file of rejects would be the same file"),
            ("in.csv", "out.csv", "out.csv.part", "what is written of the output and the file of rejects"),
            ("in.csv", "out.csv", "out.csv.part.json", "the journal and the file of rejects"),
            ("in.csv", "folder", "r", "it is a folder"),
            ("in.csv", "none/out.csv", "r", "there is no such folder"),
            ("in.csv", "out.csv", "none/r", "there is no such folder"),
        ] {
            let refused = places(input, output, rejects).err().map(|error| error.to_string());
            assert!(
                refused.as_ref().is_some_and(|said| said.contains(says)),
                "{input} {output} {rejects}: {refused:?}"
            );
        }
    }

    #[test]
    fn devices_are_written_into_and_links_lead_to_files() {
        let found = places("in.csv", "dangling.csv", "r").unwrap();
        assert!(matches!(&found.output, Destination::Replaced(path) if path.ends_with("out.csv")));
        assert!(found.journal.is_some_and(|journal| journal.ends_with("out.csv.part.json")));
        let found = places("in.csv", "out.csv", "/dev/null").unwrap();
        assert_eq!((found.rejects, found.journal), (Some(Destination::Into("/dev/null".into())), None));
        let found = places("in.csv", "/dev/null", "/dev/null").unwrap();
        assert_eq!((found.output, found.journal), (Destination::Into("/dev/null".into()), None));
    }
}

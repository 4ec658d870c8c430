//! How far an interrupted run had come: a small file beside the output, which is replaced as a whole whenever what it tells
//! of is on the disk.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use chancery_client::{Destination, Readers, Writers, replace_file};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    error::{BulkError, OfFile as _, Result},
    input::Identity,
    places::{Places, is_own, part_of, remove},
};

/// A place up to which everything is done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    /// Bytes of the plain input; rows where it is Parquet.
    pub(crate) input: u64,
    /// Bytes of the input itself, for the time that is left.
    pub(crate) read: u64,
    /// The number of the next line.
    pub(crate) line: u64,
    pub(crate) rows: u64,
    pub(crate) bad: u64,
    /// Bytes of the output.
    pub(crate) output: u64,
    /// Bytes of the rejects.
    pub(crate) rejects: u64,
    /// What the end of a Parquet file will say of what is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) footer: Option<String>,
}

impl Mark {
    /// Bytes that the journal tells of.
    pub(crate) const fn written(&self) -> u64 {
        self.output + self.rejects
    }
}

/// What the file holds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    job: Value,
    input: Identity,
    mark: Mark,
}

/// The journal of one output.
pub(crate) struct Journal {
    path: PathBuf,
    job: Value,
    input: Identity,
}

impl Journal {
    /// `job` is everything that the output's bytes depend on.
    pub(crate) fn new(path: PathBuf, job: Value, input: Identity) -> Self {
        Self { path, job, input }
    }

    /// Where to go on; none where no run of ours was interrupted. A journal of another job is refused, unless all begins
    /// anew; what is no journal is refused always, for it is somebody else's. Where nothing is left of what it tells of
    /// (`has_parts`), a run was killed when all had its name: nobody can go on with that.
    pub(crate) fn read(&self, restarts: bool, has_parts: bool) -> Result<Option<Mark>> {
        let path = self.path.display();
        let found = match fs::symlink_metadata(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            found => found.of(&self.path)?,
        };
        if !is_own(&found) {
            return Err(BulkError::Job(format!("{path}: this is another user's, or a link; remove or rename it")));
        }
        let text = fs::read(&self.path).of(&self.path)?;
        let other = |why: &str| BulkError::Journal(format!("{path}: an interrupted run left this, and {why}"));
        let written: Written = serde_json::from_slice(&text).map_err(|_| {
            BulkError::Job(format!("{path}: this is no journal of an interrupted run; remove or rename it"))
        })?;
        if !has_parts {
            return Ok(None);
        }
        if restarts {
            return Ok(Some(Mark::default()));
        }
        if written.input != self.input {
            return Err(other("its input was another file, or the input was changed since"));
        }
        if written.job != self.job {
            return Err(other("it had other options, or the profile's key was changed since"));
        }
        Ok(Some(written.mark))
    }

    /// Where the interrupted run wrote refused rows to another file than this one, nobody would ever find what it left of
    /// that: values in clear.
    pub(crate) fn forget_rejects(&self, places: &Places) -> Result<()> {
        let Ok(text) = fs::read(&self.path) else { return Ok(()) };
        let Ok(written) = serde_json::from_slice::<Written>(&text) else { return Ok(()) };
        let Some(before) = written.job["rejects"].as_str() else { return Ok(()) };
        let part = part_of(Path::new(before));
        let is_still = matches!(&places.rejects, Some(Destination::Replaced(now)) if part_of(now) == part);
        match fs::symlink_metadata(&part) {
            Ok(found) if !is_still && is_own(&found) => remove(&part),
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// To be called when everything up to the mark is on the disk. A crash leaves the old journal or the new one.
    pub(crate) fn write(&self, mark: &Mark) -> Result<()> {
        let written = Written { job: self.job.clone(), input: self.input.clone(), mark: mark.clone() };
        let text = serde_json::to_vec(&written).map_err(|error| BulkError::Journal(error.to_string()))?;
        // For its owner alone: it has a hash of the input's beginning, by which few values can be guessed.
        replace_file(&self.path, Readers::Owner, Writers::One, |file| file.write_all(&text)).of(&self.path)
    }

    /// Refuses what was read from a file that is not any more what it was when the run began.
    pub(crate) fn check_input(&self, path: &Path) -> Result<()> {
        if Identity::of(path)? == self.input { Ok(()) } else { Err(BulkError::Changed(path.display().to_string())) }
    }

    pub(crate) fn remove(&self) -> Result<()> {
        remove(&self.path)
    }
}

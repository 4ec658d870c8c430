//! What is written: under another name until it is whole, and so that an interrupted run can be taken up.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, Permissions, TryLockError},
    io::{self, Seek as _, SeekFrom, Write},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use crate::{
    error::{BulkError, OfFile as _, Result},
    job::{Job, Place},
    journal::{Journal, Mark, remove},
};

/// How often the journal is written: what is repeated after a crash, and what waiting for the disk may cost.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// What came of a piece.
#[derive(Default)]
pub(crate) struct Made {
    pub(crate) output: Vec<u8>,
    pub(crate) rejects: Vec<u8>,
    pub(crate) rows: u64,
    pub(crate) bad: u64,
    /// The first refused row, for a job that has no file for them: line, column, reason.
    pub(crate) first_bad: Option<(u64, String, String)>,
    /// Where the piece ends: as in [`Mark`].
    pub(crate) input: u64,
    pub(crate) read: u64,
    pub(crate) line: u64,
}

/// A file that has its name only when it is whole.
struct Part {
    file: File,
    path: PathBuf,
    name: PathBuf,
}

/// Where everything goes.
pub(crate) struct Output {
    /// None: standard output.
    part: Option<Part>,
    rejects: Option<Part>,
    journal: Option<Journal>,
    mark: Mark,
    saved: Instant,
}

impl Output {
    /// Opens it where an earlier run has stopped, if its journal is of this job; otherwise at the beginning.
    pub(crate) fn open(job: &Job, journal: Option<Journal>) -> Result<Self> {
        let mode = match &job.input {
            // Whoever may read the values may read the tokens, and the other way round.
            Place::File(path) => fs::metadata(path).of(path)?.permissions().mode() & 0o777 | 0o600,
            Place::Standard => 0o600,
        };
        let part = match &job.output {
            Place::Standard => None,
            Place::File(path) => Some(Part::open(path, mode)?),
        };
        let rejects = job.rejects.as_ref().map(|path| Part::open(path, mode)).transpose()?;
        if let Some(journal) = journal.as_ref().filter(|_| job.restarts) {
            journal.remove()?;
        }
        let mark = journal.as_ref().map(Journal::read).transpose()?.flatten().unwrap_or_default();
        let mut output = Self { part, rejects, journal, mark, saved: Instant::now() };
        // Where a file is gone that the journal tells of, all is done again.
        if !output.has_what_is_marked()? {
            output.mark = Mark::default();
        }
        let Mark { output: length, rejects, .. } = output.mark;
        output.part.iter_mut().try_for_each(|part| part.cut(length))?;
        output.rejects.iter_mut().try_for_each(|part| part.cut(rejects))?;
        Ok(output)
    }

    fn has_what_is_marked(&self) -> Result<bool> {
        let has = |part: &Option<Part>, length| part.as_ref().map_or(Ok(length == 0), |part| part.has(length));
        Ok(has(&self.part, self.mark.output)? && has(&self.rejects, self.mark.rejects)?)
    }

    pub(crate) const fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Whether an interrupted run can be taken up.
    pub(crate) const fn is_resumable(&self) -> bool {
        self.journal.is_some()
    }

    /// Writes what came of a piece. `footer` is asked for when the journal is written.
    pub(crate) fn write(&mut self, made: &Made, footer: impl Fn() -> Result<Option<String>>) -> Result<()> {
        let (written, rejected) = (made.output.len() as u64, made.rejects.len() as u64);
        if let (None, Some((line, column, reason))) = (&self.rejects, &made.first_bad) {
            let (line, column, reason) = (*line, column.clone(), reason.clone());
            return Err(BulkError::Row { line, column, reason });
        }
        self.put(&made.output)?;
        if let Some(rejects) = &mut self.rejects {
            rejects.file.write_all(&made.rejects).of(&rejects.path)?;
        }
        self.mark = Mark {
            input: made.input,
            read: made.read,
            line: made.line,
            rows: self.mark.rows + made.rows,
            bad: self.mark.bad + made.bad,
            output: self.mark.output + written,
            rejects: self.mark.rejects + rejected,
            footer: None,
        };
        if self.saved.elapsed() >= SAVE_EVERY { self.save(footer) } else { Ok(()) }
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.part {
            Some(part) => part.file.write_all(bytes).of(&part.path),
            None => io::stdout().lock().write_all(bytes).of(Path::new("standard output")),
        }
    }

    /// Writes down how far it is, when that is on the disk.
    fn save(&mut self, footer: impl Fn() -> Result<Option<String>>) -> Result<()> {
        let Some(journal) = &self.journal else { return Ok(()) };
        for part in self.part.iter().chain(&self.rejects) {
            part.file.sync_data().of(&part.path)?;
        }
        journal.write(&Mark { footer: footer()?, ..self.mark.clone() })?;
        self.saved = Instant::now();
        Ok(())
    }

    /// After a failure: keeps what was done for the next run, or leaves nothing where there can be none.
    pub(crate) fn abandon(mut self, footer: impl Fn() -> Result<Option<String>>) {
        if self.journal.is_some() {
            // Where even this fails, the last journal stands.
            let _kept = self.save(footer);
            return;
        }
        for part in self.part.iter().chain(&self.rejects) {
            let _gone = remove(&part.path);
        }
    }

    /// Gives everything its name. From the first renaming on a run that is cut off here begins anew.
    pub(crate) fn finish(mut self, tail: &[u8]) -> Result<()> {
        self.put(tail)?;
        match self.rejects.take() {
            Some(rejects) if self.mark.bad > 0 => rejects.name()?,
            Some(rejects) => remove(&rejects.path)?,
            None => {}
        }
        match self.part.take() {
            Some(part) => part.name()?,
            None => io::stdout().lock().flush().of(Path::new("standard output"))?,
        }
        self.journal.as_ref().map_or(Ok(()), Journal::remove)
    }
}

impl Part {
    fn open(name: &Path, mode: u32) -> Result<Self> {
        let path = with_end(name, ".part");
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(mode).open(&path).of(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(BulkError::Job(format!("{}: another run is writing it", path.display())));
            }
            Err(TryLockError::Error(error)) => return Err(error).of(&path),
        }
        file.set_permissions(Permissions::from_mode(mode)).of(&path)?;
        Ok(Self { file, path, name: name.to_owned() })
    }

    fn has(&self, length: u64) -> Result<bool> {
        Ok(self.file.metadata().of(&self.path)?.len() >= length)
    }

    fn cut(&mut self, length: u64) -> Result<()> {
        self.file.set_len(length).and_then(|()| self.file.seek(SeekFrom::Start(length))).map(drop).of(&self.path)
    }

    /// Now it is whole.
    fn name(self) -> Result<()> {
        self.file.sync_all().and_then(|()| fs::rename(&self.path, &self.name)).of(&self.name)?;
        let folder = self.name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).of(folder)
    }
}

/// A name with something behind it.
pub(crate) fn with_end(name: &Path, end: &str) -> PathBuf {
    let mut name: OsString = name.into();
    name.push(end);
    name.into()
}

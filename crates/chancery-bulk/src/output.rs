//! What is written: under another name until it is whole, and so that an interrupted run can be taken up.

use std::{
    fs::{self, File, OpenOptions, Permissions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use chancery_client::{Destination, put_in_place};
use rustix::fs::OFlags;

use crate::{
    error::{BulkError, OfFile as _, Result},
    job::{Format, Job, Place},
    journal::{Journal, Mark},
    kept::{Kept, Key},
    places::{Places, is_own, part_of, remove},
    saver::Saver,
};

/// Bytes of a file by which it is known whether it holds refused rows.
const HEAD_MAX: u64 = 256;

/// For so long a lock that somebody else has is waited for.
const LOCK_WITHIN: Duration = Duration::from_secs(1);

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
    /// The calls whose answers are in it.
    pub(crate) calls: Vec<Key>,
}

/// Where something goes.
enum Target {
    /// What is written into: standard output, a device, a FIFO, a socket.
    Into(Box<dyn Write + Send>, PathBuf),
    Part(Part),
}

/// A file that has its name only when it is whole.
struct Part {
    /// The journal's thread has it, too.
    file: Arc<File>,
    path: PathBuf,
    name: PathBuf,
    /// Who may read it when it is whole.
    mode: u32,
}

/// Where everything goes.
pub(crate) struct Output<'a> {
    kept: &'a Kept,
    target: Target,
    rejects: Option<Target>,
    saver: Option<Saver>,
    mark: Mark,
}

impl<'a> Output<'a> {
    /// Opens it where an earlier run has stopped, if its journal is of this job; otherwise at the beginning.
    pub(crate) fn open(job: &Job, places: &Places, journal: Option<Journal>, kept: &'a Kept) -> Result<Self> {
        let mode = match &job.input {
            // Whoever may read the values may read the tokens, and the other way round.
            Place::File(path) => fs::metadata(path).of(path)?.permissions().mode() & 0o777 | 0o600,
            Place::Standard => 0o600,
        };
        if let Some(Destination::Replaced(name)) = &places.rejects {
            refuse_foreign_rejects(name, job)?;
        }
        // Before its journal is: that one is of another job, but nothing of it is interrupted.
        if let Destination::Replaced(name) = &places.output {
            refuse_at_work(&part_of(name))?;
        }
        let has_parts = [Some(&places.output), places.rejects.as_ref()]
            .into_iter()
            .flatten()
            .any(|place| matches!(place, Destination::Replaced(name) if is_there(&part_of(name))));
        let found = journal.as_ref().map(|journal| journal.read(job.restarts, has_parts)).transpose()?.flatten();
        let is_ours = found.is_some();
        let target = Target::open(&places.output, mode, is_ours)?;
        let rejects = places.rejects.as_ref().map(|place| Target::open(place, mode, is_ours)).transpose()?;
        if let (true, Some(journal)) = (job.restarts, &journal) {
            journal.forget_rejects(places)?;
        }
        let mut output = Self { kept, target, rejects, saver: None, mark: found.unwrap_or_default() };
        // Where a file is gone that the journal tells of, all is done again.
        if !output.has_what_is_marked()? {
            output.mark = Mark::default();
        }
        kept.load(output.mark.line > 0)?;
        let Mark { output: length, rejects, .. } = output.mark;
        output.target.cut(length)?;
        output.rejects.iter_mut().try_for_each(|target| target.cut(rejects))?;
        if let Some(journal) = journal {
            // From here on these files are known to be ours.
            if output.mark.line == 0 {
                journal.write(&output.mark)?;
            }
            let files = output.parts().map(|part| (Arc::clone(&part.file), part.path.clone())).collect();
            output.saver = Some(Saver::new(journal, files, &output.mark));
        }
        Ok(output)
    }

    fn has_what_is_marked(&self) -> Result<bool> {
        let rejects = self.rejects.as_ref().map_or(Ok(true), |target| target.has(self.mark.rejects))?;
        Ok(self.target.has(self.mark.output)? && rejects)
    }

    pub(crate) const fn mark(&self) -> &Mark {
        &self.mark
    }

    /// Whether an interrupted run can be taken up.
    pub(crate) const fn is_resumable(&self) -> bool {
        self.saver.is_some()
    }

    /// Writes what came of a piece, and the journal when it is time. `footer` is asked for then.
    pub(crate) fn write(&mut self, made: &Made, footer: impl Fn() -> Result<Option<String>>) -> Result<()> {
        self.put(made)?;
        self.save(footer)
    }

    /// Writes what came of a piece. Where it fails, the mark stays where it was.
    pub(crate) fn put(&mut self, made: &Made) -> Result<()> {
        let (written, rejected) = (made.output.len() as u64, made.rejects.len() as u64);
        if let (None, Some((line, column, reason))) = (&self.rejects, &made.first_bad) {
            let (line, column, reason) = (*line, column.clone(), reason.clone());
            return Err(BulkError::Row { line, column, reason });
        }
        self.target.put(&made.output)?;
        if let Some(rejects) = &mut self.rejects {
            rejects.put(&made.rejects)?;
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
        self.kept.release(&made.calls);
        Ok(())
    }

    pub(crate) fn save(&mut self, footer: impl Fn() -> Result<Option<String>>) -> Result<()> {
        self.saver.as_mut().map_or(Ok(()), |saver| saver.offer(&self.mark, footer))
    }

    /// After a failure: keeps what was done for the next run, or leaves nothing where there can be none.
    pub(crate) fn abandon(mut self, footer: impl Fn() -> Result<Option<String>>) {
        if let Some(saver) = self.saver.take() {
            // Where even this fails, the last journal stands, and what was answered is asked again.
            let _saved = self.kept.save();
            let _kept = footer().and_then(|footer| saver.write_last(&Mark { footer, ..self.mark }));
            return;
        }
        for part in self.parts() {
            let _gone = remove(&part.path);
        }
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        std::iter::once(&self.target).chain(&self.rejects).filter_map(|target| match target {
            Target::Part(part) => Some(part),
            Target::Into(..) => None,
        })
    }

    /// Gives everything its name. From the first renaming on a run that is cut off here begins anew.
    pub(crate) fn finish(mut self, tail: &[u8], job: &Job) -> Result<()> {
        if let (Some(saver), Place::File(input)) = (&mut self.saver, &job.input) {
            saver.end()?;
            saver.journal().check_input(input)?;
        }
        self.target.put(tail)?;
        match self.rejects.take() {
            Some(Target::Part(rejects)) if self.mark.bad == 0 => {
                remove(&rejects.path)?;
                // What an earlier run refused would be taken for this one's.
                if holds_rejects(&rejects.name, job).of(&rejects.name)? == Some(true) {
                    remove(&rejects.name)?;
                }
            }
            Some(rejects) => rejects.finish()?,
            None => {}
        }
        self.target.finish()?;
        self.kept.remove()?;
        self.saver.map_or(Ok(()), |saver| saver.journal().remove())
    }
}

impl Target {
    /// `is_ours`: whether a journal says that what is there of it was left by a run of ours.
    fn open(place: &Destination, mode: u32, is_ours: bool) -> Result<Self> {
        let path = match place {
            Destination::Replaced(path) => return Part::open(path, mode, is_ours).map(Self::Part),
            Destination::Into(path) => path.clone(),
            Destination::Standard => "standard output".into(),
        };
        let opened = place.open().of(&path)?.ok_or_else(|| io::ErrorKind::Unsupported.into()).of(&path)?;
        Ok(Self::Into(opened, path))
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Into(into, path) => into.write_all(bytes).of(path),
            Self::Part(part) => part.file.write_all(bytes).of(&part.path),
        }
    }

    fn has(&self, length: u64) -> Result<bool> {
        match self {
            Self::Into(..) => Ok(length == 0),
            Self::Part(part) => part.has(length),
        }
    }

    fn cut(&mut self, length: u64) -> Result<()> {
        match self {
            Self::Into(..) => Ok(()),
            Self::Part(part) => part.cut(length),
        }
    }

    fn finish(self) -> Result<()> {
        match self {
            Self::Into(mut into, path) => into.flush().of(&path),
            Self::Part(part) => {
                part.file.set_permissions(Permissions::from_mode(part.mode)).of(&part.path)?;
                put_in_place(&part.file, &part.path, &part.name).of(&part.name)
            }
        }
    }
}

impl Part {
    fn open(name: &Path, mode: u32, is_ours: bool) -> Result<Self> {
        let path = part_of(name);
        let foreign = || {
            let why = "this is there already, and no interrupted run of this job has left it; remove or rename it";
            BulkError::Job(format!("{}: {why}", path.display()))
        };
        let mut options = OpenOptions::new();
        // For nobody else while it is written: rejects are values in clear.
        options.write(true).mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
        let file = match options.clone().create_new(true).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if !is_own(&fs::symlink_metadata(&path).of(&path)?) {
                    return Err(foreign());
                }
                options.open(&path).of(&path)?
            }
            file => file.of(&path)?,
        };
        match lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(at_work(&path)),
            Err(TryLockError::Error(error)) => return Err(error).of(&path),
        }
        // One that was left empty, before there was a journal, has nothing to lose.
        let found = file.metadata().of(&path)?;
        if !is_own(&found) || !is_ours && found.len() > 0 {
            return Err(foreign());
        }
        Ok(Self { file: Arc::new(file), path, name: name.to_owned(), mode })
    }

    fn has(&self, length: u64) -> Result<bool> {
        Ok(self.file.metadata().of(&self.path)?.len() >= length)
    }

    fn cut(&mut self, length: u64) -> Result<()> {
        self.file.set_len(length).and_then(|()| self.file.seek(SeekFrom::Start(length))).map(drop).of(&self.path)
    }
}

fn at_work(path: &Path) -> BulkError {
    BulkError::Job(format!("{}: another run is writing it", path.display()))
}

/// Where a program that uses this starts another one meanwhile, that one has each of its locks for a moment, also of a run that
/// has ended.
fn lock(file: &File) -> std::result::Result<(), TryLockError> {
    let end = Instant::now() + LOCK_WITHIN;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(LOCK_WITHIN / 50),
            locked => return locked,
        }
    }
}

/// Whether somebody writes it just now; what cannot be opened is told of later.
fn refuse_at_work(path: &Path) -> Result<()> {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed())
        .open(path);
    match opened.map(|file| lock(&file)) {
        Ok(Err(TryLockError::WouldBlock)) => Err(at_work(path)),
        Ok(_) | Err(_) => Ok(()),
    }
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// A file in the place of the rejects that no run has left is somebody's own.
fn refuse_foreign_rejects(name: &Path, job: &Job) -> Result<()> {
    if holds_rejects(name, job).of(name)? == Some(false) {
        let why = "this is there already, and holds no rows that a run has refused; remove or rename it, or name another \
                   file for refused rows";
        return Err(BulkError::Job(format!("{}: {why}", name.display())));
    }
    Ok(())
}

/// Whether a file begins as those do that hold refused rows: line, column and reason, or the names of these. None where
/// there is none, or nothing in it.
fn holds_rejects(path: &Path, job: &Job) -> io::Result<Option<bool>> {
    let mut head = Vec::new();
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?.take(HEAD_MAX).read_to_end(&mut head)?,
    };
    if head.is_empty() {
        return Ok(None);
    }
    let separator = match job.format {
        Format::Csv { delimiter, .. } => char::from(delimiter),
        Format::JsonLines | Format::FixedWidth | Format::Parquet => '\t',
    };
    let head = String::from_utf8_lossy(&head);
    let mut parts = head.split(separator);
    let (line, column) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    let is_row = is_number && job.columns.iter().any(|known| known.name == column);
    Ok(Some(head.starts_with("{\"line\":") || (line, column) == ("line", "column") || is_row))
}

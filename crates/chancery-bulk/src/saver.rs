//! The journal, written on a thread of its own: until what it tells of is on the disk takes tenths of a second, in which
//! everybody else would wait for whoever writes the output.

use std::{
    fs::File,
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    error::{OfFile as _, Result},
    journal::{Journal, Mark},
};

/// How often the journal is written: what is repeated after a crash.
const SAVE_EVERY: Duration = Duration::from_secs(1);

/// Bytes after which it is written before that: so there is little left to wait for when all is done.
const SAVE_AFTER: u64 = 16 << 20;

/// Writes a journal, one mark at a time.
pub(crate) struct Saver {
    journal: Arc<Journal>,
    /// What the journal tells of.
    files: Vec<(Arc<File>, PathBuf)>,
    running: Option<JoinHandle<Result<()>>>,
    /// When the last mark was taken, and of how many bytes.
    taken: (Instant, u64),
    /// Whether something could not be brought to the disk. The system says so once, and then takes it for done.
    has_failed: bool,
}

impl Saver {
    pub(crate) fn new(journal: Journal, files: Vec<(Arc<File>, PathBuf)>, mark: &Mark) -> Self {
        let taken = (Instant::now(), mark.written());
        Self { journal: Arc::new(journal), files, running: None, taken, has_failed: false }
    }

    /// Takes a mark if it is time for one and the last one is written. `footer` goes with it.
    pub(crate) fn offer(&mut self, mark: &Mark, footer: impl FnOnce() -> Result<Option<String>>) -> Result<()> {
        let (taken, written) = self.taken;
        let is_due = taken.elapsed() >= SAVE_EVERY || mark.written() - written >= SAVE_AFTER;
        if !is_due || self.running.as_ref().is_some_and(|running| !running.is_finished()) {
            return Ok(());
        }
        self.end()?;
        let mark = Mark { footer: footer()?, ..mark.clone() };
        self.taken = (Instant::now(), mark.written());
        let (journal, files) = (Arc::clone(&self.journal), self.files.clone());
        let thread = thread::Builder::new().name("journal".to_owned());
        self.running = Some(thread.spawn(move || save(&journal, &files, &mark)).of(Path::new("the journal's thread"))?);
        Ok(())
    }

    /// Writes the last mark, unless one before it could not be written: that journal stands then which was before both.
    pub(crate) fn write_last(mut self, mark: &Mark) -> Result<()> {
        self.end()?;
        if self.has_failed { Ok(()) } else { save(&self.journal, &self.files, mark) }
    }

    /// Waits until the mark that was taken is written.
    pub(crate) fn end(&mut self) -> Result<()> {
        let Some(running) = self.running.take() else { return Ok(()) };
        let saved = running.join().unwrap_or_else(|panic| resume_unwind(panic));
        self.has_failed |= saved.is_err();
        saved
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }
}

impl Drop for Saver {
    /// Nothing is written after the job, and the files' locks end with it.
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            let _stands = running.join();
        }
    }
}

/// Writes down how far it is, when that is on the disk.
fn save(journal: &Journal, files: &[(Arc<File>, PathBuf)], mark: &Mark) -> Result<()> {
    files.iter().try_for_each(|(file, path)| file.sync_data().of(path))?;
    journal.write(mark)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;
    use crate::input::Identity;

    /// Of a job whose journal is in a folder `journals`.
    fn saver(folder: &TempDir) -> Saver {
        let path = folder.path().join("out.part");
        let file = Arc::new(File::create(&path).unwrap());
        let journal = folder.path().join("journals/out.part.json");
        let journal = Journal::new(journal, "job".into(), Identity::of(&path).unwrap());
        let mut saver = Saver::new(journal, vec![(file, path)], &Mark::default());
        // Far from a second ago, however slow the machine is.
        saver.taken.0 = Instant::now() + Duration::from_secs(3600);
        saver
    }

    fn mark(output: u64) -> Mark {
        Mark { output, line: 7, ..Mark::default() }
    }

    #[test]
    fn a_mark_is_written_when_it_is_time() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("journals")).unwrap();
        let mut saver = saver(&folder);
        saver.offer(&mark(SAVE_AFTER - 1), || panic!("nobody takes it yet")).unwrap();
        assert_eq!(saver.journal().read(false, true).unwrap(), None);
        saver.offer(&mark(SAVE_AFTER), || Ok(Some("footer".to_owned()))).unwrap();
        saver.end().unwrap();
        let expected = Mark { footer: Some("footer".to_owned()), ..mark(SAVE_AFTER) };
        assert_eq!(saver.journal().read(false, true).unwrap(), Some(expected));
        saver.taken.0 = Instant::now();
        thread::sleep(SAVE_EVERY);
        saver.offer(&mark(SAVE_AFTER + 1), || Ok(None)).unwrap();
        saver.end().unwrap();
        assert_eq!(saver.journal().read(false, true).unwrap(), Some(mark(SAVE_AFTER + 1)));
        let path = folder.path().join("journals/out.part.json");
        saver.write_last(&mark(SAVE_AFTER + 2)).unwrap();
        assert!(fs::read_to_string(path).unwrap().contains(&(SAVE_AFTER + 2).to_string()));
    }

    #[test]
    fn after_a_mark_that_could_not_be_written_none_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut saver = saver(&folder);
        saver.offer(&mark(SAVE_AFTER), || Ok(None)).unwrap();
        assert!(saver.end().is_err(), "there is no folder");
        fs::create_dir(folder.path().join("journals")).unwrap();
        saver.write_last(&mark(SAVE_AFTER)).unwrap();
        assert_eq!(fs::read_dir(folder.path().join("journals")).unwrap().count(), 0);
    }
}

//! What is written to, by whoever makes a call and by the threads beside the calls.

use std::{
    fs::File,
    io,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, atomic::AtomicU64},
    time::{Duration, Instant},
};

use chancery_keys::JournalKey;
use tracing::error;
use uuid::Uuid;

use crate::{
    chain::{BODIES, Hash, Head, Parts},
    event::Event,
    failed::Failed,
    files::Folder,
    flush::Flush,
    segment::{Header, Segment, Spare},
};

/// After a segment could not be begun, calls fail at once for so long.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How a journal is kept.
#[derive(Clone)]
pub struct Options {
    /// Where.
    pub folder: PathBuf,
    /// Bytes of a segment, at least [`SEGMENT_BYTES_MIN`](crate::SEGMENT_BYTES_MIN).
    pub segment_bytes: usize,
    /// How long records are kept, in milliseconds.
    pub keep_ms: i64,
    /// For how long the clock must have gone on without a jump before anything is removed by it: what is removed is gone, and a
    /// clock is soon wrong.
    pub steady: Duration,
    /// The time, in milliseconds since 1970 UTC.
    pub now_ms: Arc<dyn Fn() -> i64 + Send + Sync>,
}

/// What the threads share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) folder: Folder,
    pub(crate) id: Uuid,
    pub(crate) sealed: Vec<u8>,
    pub(crate) key: JournalKey,
    pub(crate) written: Mutex<Written>,
    pub(crate) flush: Flush,
    /// Held while files are flushed: by one alone where more than the live segment is.
    pub(crate) flushing: RwLock<()>,
    pub(crate) told: Mutex<Vec<Event>>,
    /// What its threads are woken for.
    pub(crate) wanted: (Mutex<Wanted>, Condvar),
    /// Held by who takes space for the next segment, or gives some back.
    pub(crate) spacing: Mutex<()>,
    pub(crate) records: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) failures: AtomicU64,
    /// Segments before this one were removed because their time was over.
    pub(crate) kept_from: AtomicU64,
    /// What other processes wait for.
    pub(crate) _lock: File,
}

/// What threads are woken for.
#[derive(Default)]
pub(crate) struct Wanted {
    pub(crate) end: bool,
    /// Space for the next segment: at full speed one is full many times a second, and whoever finds none waits for the disk while
    /// all others wait for it.
    pub(crate) space: bool,
}

/// What is written to.
pub(crate) struct Written {
    /// None while there is no segment that can be written.
    pub(crate) live: Option<Segment>,
    pub(crate) head: Head,
    pub(crate) spare: Option<Spare>,
    /// Segments that were ended and not flushed.
    pub(crate) ended: Vec<Segment>,
    /// Whether a segment got its name since the folder was flushed.
    pub(crate) has_new_name: bool,
    pub(crate) retry_at: Option<Instant>,
}

impl Shared {
    pub(crate) fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a while; whether it ends.
    pub(crate) fn waits(&self, time: Duration) -> bool {
        let (wanted, wakes) = &self.wanted;
        let wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
        wakes.wait_timeout_while(wanted, time, |wanted| !wanted.end).unwrap_or_else(PoisonError::into_inner).0.end
    }

    /// Waits until a segment has taken the space that there was; whether it ends instead.
    pub(crate) fn waits_for_use_of_space(&self) -> bool {
        let (wanted, wakes) = &self.wanted;
        let wanted = wanted.lock().unwrap_or_else(PoisonError::into_inner);
        let rests = |wanted: &mut Wanted| !wanted.end && !wanted.space;
        let mut wanted = wakes.wait_while(wanted, rests).unwrap_or_else(PoisonError::into_inner);
        wanted.space = false;
        wanted.end
    }

    /// Wakes threads for what they do not know yet.
    pub(crate) fn want(&self, what: impl FnOnce(&mut Wanted)) {
        let (wanted, wakes) = &self.wanted;
        what(&mut wanted.lock().unwrap_or_else(PoisonError::into_inner));
        wakes.notify_all();
    }

    /// Takes the space of the next segment, where there is none.
    pub(crate) fn make_spare(&self) -> io::Result<()> {
        let _alone = self.spacing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.written().spare.is_some() {
            return Ok(());
        }
        // It may take long where the file system allocates nothing ahead, and calls need the lock.
        let spare = Spare::make(&self.folder, self.options.segment_bytes)?;
        let mut written = self.written();
        written.spare.get_or_insert(spare);
        // Whoever found none need not wait any longer.
        written.retry_at = None;
        Ok(())
    }

    /// Flushes everything that is written, by the flusher of this number. Where that is the live segment alone, others may
    /// flush it at the same time: a record is on the disk with the first flush that began after it was written.
    pub(crate) fn flush(&self, flusher: usize) -> io::Result<()> {
        let turn = self.flushing.read().unwrap_or_else(PoisonError::into_inner);
        let (live, record) = {
            let written = self.written();
            if !written.ended.is_empty() || written.has_new_name {
                drop((written, turn));
                return self.flush_all();
            }
            let live = written.live.as_ref().map(|live| (live.number, Arc::clone(&live.flushed_by[flusher])));
            (live, written.head.record)
        };
        let flushed = live.as_ref().map_or(Ok(()), |(_, file)| file.sync_data());
        self.end_flush(live.map(|(number, _)| number), record, &flushed);
        flushed
    }

    /// Flushes everything that is written, while nobody else does.
    pub(crate) fn flush_all(&self) -> io::Result<()> {
        let _turn = self.flushing.write().unwrap_or_else(PoisonError::into_inner);
        let (ended, live, record, has_new_name) = {
            let mut written = self.written();
            let live = written.live.as_ref().map(|live| (live.number, Arc::clone(&live.file)));
            let new_name = std::mem::take(&mut written.has_new_name);
            (std::mem::take(&mut written.ended), live, written.head.record, new_name)
        };
        let flushed = ended
            .into_iter()
            .try_for_each(Segment::finish)
            .and_then(|()| if has_new_name { self.folder.sync() } else { Ok(()) })
            .and_then(|()| live.as_ref().map_or(Ok(()), |(_, file)| file.sync_data()));
        self.end_flush(live.map(|(number, _)| number), record, &flushed);
        flushed
    }

    pub(crate) fn end_flush(&self, live: Option<u64>, record: u64, flushed: &io::Result<()>) {
        if flushed.is_ok() {
            return self.flush.reached(record, true);
        }
        let (mut written, mut lost) = (self.written(), record);
        // The system may have forgotten what it could not write, so a later flush of this file would say nothing: also of the
        // records that came while it was tried.
        if written.live.as_ref().map(|live| live.number) == live {
            (written.live, lost) = (None, written.head.record);
        } else if let Some(ended) = written.ended.iter().find(|ended| Some(ended.number) == live) {
            lost = lost.max(ended.head().record);
        }
        // Before anybody finds that there is nothing to flush.
        self.flush.reached(lost, false);
    }
}

impl Written {
    pub(crate) fn append(&mut self, shared: &Shared, body: Parts<'_>, hash: &Hash) -> Result<u64, Failed> {
        let has_room = self.live.as_ref().ok_or(Failed::NotWritten)?.has_room(body.iter().map(|part| part.len()).sum());
        if !has_room {
            self.rotate(shared)?;
        }
        let live = self.live.as_mut().ok_or(Failed::NotWritten)?;
        let record = live.append(&shared.key, body, hash).ok_or(Failed::NotWritten)?;
        self.head = live.head();
        Ok(record)
    }

    /// Ends the segment and begins the next one.
    fn rotate(&mut self, shared: &Shared) -> Result<(), Failed> {
        if self.retry_at.is_some_and(|retry_at| Instant::now() < retry_at) {
            return Err(Failed::NotWritten);
        }
        self.renew(shared).map_err(|error| {
            error!(%error, "the journal's next segment cannot be begun; calls are refused");
            self.retry_at = Some(Instant::now() + RETRY_AFTER);
            Failed::NotWritten
        })
    }

    /// Ends the segment, if there is one; calls are refused until the next one is begun.
    pub(crate) fn end_live(&mut self, shared: &Shared) {
        let Some(mut live) = self.live.take() else { return };
        live.end(&shared.key, (shared.options.now_ms)());
        self.head = live.head();
        self.ended.push(live);
    }

    /// Begins a segment in the place of the one that there is, which is ended.
    pub(crate) fn renew(&mut self, shared: &Shared) -> io::Result<()> {
        let spare = match self.spare.take() {
            Some(spare) if spare.is_in_place()? => spare,
            _ => Spare::make(&shared.folder, shared.options.segment_bytes)?,
        };
        self.end_live(shared);
        let header = Header {
            bodies: BODIES,
            journal: shared.id,
            segment: self.head.segment + 1,
            first: self.head.record + 1,
            made_at_ms: (shared.options.now_ms)(),
            before: self.head.hash,
            sealed: shared.sealed.clone(),
        };
        let live = Segment::begin(spare, &header, &shared.key, &shared.folder)?;
        self.has_new_name = true;
        self.head = live.head();
        self.live = Some(live);
        self.retry_at = None;
        shared.want(|wanted| wanted.space = true);
        Ok(())
    }
}

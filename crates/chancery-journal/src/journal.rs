//! The open journal: calls are appended by whoever makes them, and two threads do the rest.

use std::{
    fs::File,
    io,
    path::Path,
    sync::{
        Arc, Condvar, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use chancery_keys::JournalKey;
use tracing::error;
use uuid::Uuid;

use crate::{
    chain::{BODIES, Head},
    event::Event,
    failed::Failed,
    files::Folder,
    flush::{FLUSHERS, Flush, Flushed, Records},
    format::{Call, TAG_LEN},
    keep::Keeper,
    segment::is_long,
    shared::{Options, Shared, Written},
};

/// How often what is beside the calls is done: looking after the files, and flushing what nobody waits for.
const KEEP_EVERY: Duration = Duration::from_secs(1);

/// What was written since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Records.
    pub records: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Calls that could not be recorded.
    pub failures: u64,
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

/// An open journal. When it is dropped its segment is ended.
pub struct Journal {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Journal {
    pub(crate) fn begin(
        (options, folder, lock): (Options, Folder, File),
        (id, sealed, key): (Uuid, Vec<u8>, JournalKey),
        head: Head,
    ) -> std::io::Result<Self> {
        let written = Written { live: None, head, spare: None, ended: Vec::new(), has_new_name: false, retry_at: None };
        let shared = Arc::new(Shared {
            options,
            folder,
            id,
            sealed,
            key,
            written: Mutex::new(written),
            flush: Flush::default(),
            flushing: RwLock::default(),
            told: Mutex::default(),
            wanted: (Mutex::default(), Condvar::new()),
            spacing: Mutex::default(),
            records: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            kept_from: AtomicU64::new(0),
            _lock: lock,
        });
        // A volume that is full refuses calls that have to be recorded, also from the start on, and nothing else. The keeper tries
        // again, and tells of it.
        match shared.written().renew(&shared) {
            Err(error) if is_full(&error) => {
                error!(%error, folder = %shared.folder.path().display(), "the journal's volume is full: calls that are recorded in it are refused until there is room");
            }
            begun => begun?,
        }
        shared.flush.reached(head.record, true);
        let mut keeper = Keeper::new(Arc::clone(&shared))?;
        let mut threads = vec![thread::Builder::new().name("journal".into()).spawn(move || {
            while !keeper.shared().waits(KEEP_EVERY) {
                keeper.keep();
            }
        })?];
        let spacing = Arc::clone(&shared);
        threads.push(thread::Builder::new().name("journal-space".into()).spawn(move || {
            while !spacing.waits_for_use_of_space() {
                // Where it fails the keeper tries again, and tells.
                let _tried = spacing.make_spare();
            }
        })?);
        for flusher in 0..FLUSHERS {
            let shared = Arc::clone(&shared);
            let flush = move || shared.flush.run(|| drop(shared.flush(flusher)));
            threads.push(thread::Builder::new().name("journal-flush".into()).spawn(flush)?);
        }
        Ok(Self { shared, threads })
    }

    /// Appends a call; which records it has. They are in the kernel then.
    pub fn append(&self, call: &Call<'_>) -> Result<Records, Failed> {
        let shared = &*self.shared;
        let (mut appended, mut bytes, mut records) = (Records { first: 0, last: 0 }, 0, 0);
        for (head, tags) in call.bodies() {
            let body = [&head[..], tags];
            // Before the lock, since others wait for it.
            let hash = BODIES.hash(body);
            if is_long(body) {
                // Whoever comes back from here has the processor for the next milliseconds. One that is preempted while it
                // writes under the lock holds up every call until it has its next turn: beside large batches on two cores
                // one call in a hundred waited 12 ms; now it is 6.
                thread::yield_now();
            }
            let newest = shared.written().append(shared, body, &hash);
            appended.last = newest.inspect_err(|_| {
                shared.failures.fetch_add(1, Ordering::Relaxed);
            })?;
            if records == 0 {
                appended.first = appended.last;
            }
            (bytes, records) = (bytes + (head.len() + tags.len()) as u64, records + 1);
        }
        shared.bytes.fetch_add(bytes, Ordering::Relaxed);
        shared.records.fetch_add(records, Ordering::Relaxed);
        Ok(appended)
    }

    /// Ends when these records are on the disk.
    pub fn flushed(&self, records: Records) -> Flushed<'_> {
        self.shared.flush.wait(records)
    }

    /// The tag of a token.
    #[must_use]
    pub fn tag(&self, token: &str) -> [u8; TAG_LEN] {
        self.shared.key.tag(token.as_bytes())
    }

    /// The tags of tokens; zeros where there is none.
    #[must_use]
    pub fn tags<'t>(&self, tokens: impl ExactSizeIterator<Item = Option<&'t str>>) -> Vec<u8> {
        self.shared.key.tags(tokens.map(|token| token.map(str::as_bytes)))
    }

    /// The tags of so many tokens of equally many bytes that stand one after the other.
    #[must_use]
    pub fn tags_of_even(&self, tokens: &str, length: usize, count: usize) -> Vec<u8> {
        self.shared.key.tags_of_even(tokens.as_bytes(), length, count)
    }

    /// Which journal it is.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.shared.id
    }

    /// Where its files are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.shared.folder.path()
    }

    /// How far it goes.
    #[must_use]
    pub fn head(&self) -> Head {
        self.shared.written().head
    }

    /// What was written since the start.
    #[must_use]
    pub fn numbers(&self) -> Numbers {
        let shared = &self.shared;
        let [records, bytes, failures] =
            [&shared.records, &shared.bytes, &shared.failures].map(|number| number.load(Ordering::Relaxed));
        Numbers { records, bytes, failures }
    }

    /// Whether calls are refused just now. The thread that keeps the files ends that by itself as soon as it can.
    #[must_use]
    pub fn refuses(&self) -> bool {
        let written = self.shared.written();
        written.live.is_none() || written.retry_at.is_some()
    }

    /// Segments before this one were removed, or are just being, because their time was over.
    #[must_use]
    pub fn kept_from(&self) -> u64 {
        self.shared.kept_from.load(Ordering::Acquire)
    }

    /// What happened to its files since this was asked last.
    #[must_use]
    pub fn take_events(&self) -> Vec<Event> {
        std::mem::take(&mut *self.shared.told.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        self.shared.want(|wanted| wanted.end = true);
        self.shared.flush.end();
        for thread in self.threads.drain(..) {
            if thread.join().is_err() {
                error!("a thread of the journal panicked");
            }
        }
        let shared = &self.shared;
        let mut written = shared.written();
        if let Some(mut live) = written.live.take() {
            live.end(&shared.key, (shared.options.now_ms)());
            if let Err(error) = live.finish() {
                error!(%error, "the journal's last segment could not be flushed");
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! What is done beside the calls, each second: the next segment's space is taken, and what was written is flushed. Segments
//! that are full are looked through and mostly compressed, and those whose time is over are removed. And somebody who takes
//! files away is noticed.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    io::{self, BufReader, BufWriter},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    sync::{Arc, PoisonError, atomic::Ordering},
    time::Instant,
};

use tracing::{error, info};

use crate::{
    event::{Event, Removed},
    files::{Form, Kept},
    read::Reading,
    segment::Spare,
    shared::Shared,
    walk::DISORDER_MS,
};

/// How hard an archive is compressed: what is left is mostly tags and MACs, which no level makes smaller.
const LEVEL: i32 = 1;

/// A segment is compressed where this part of it is gained at least, judged by so many samples of so many bytes.
const GAIN: usize = 10;
const SAMPLES: u64 = 4;
const SAMPLE: usize = 4 * 1_024;

/// Of how many turns one looks at all files; the others do so only where a segment was begun. There may be many.
const LOOK_EACH: u32 = 10;

/// By how much a clock may differ from the time that passes between two looks.
const JUMP_MS: u64 = 60_000;

/// Since when the clock goes on as time does.
struct Steady {
    since: Instant,
    last: (i64, Instant),
}

impl Steady {
    fn new(now_ms: i64) -> Self {
        let now = Instant::now();
        Self { since: now, last: (now_ms, now) }
    }

    fn look(&mut self, now_ms: i64) {
        let (before_ms, before) = std::mem::replace(&mut self.last, (now_ms, Instant::now()));
        let passed_ms = i64::try_from(before.elapsed().as_millis()).unwrap_or(i64::MAX);
        if now_ms.saturating_sub(before_ms).saturating_sub(passed_ms).unsigned_abs() > JUMP_MS {
            self.since = Instant::now();
        }
    }
}

/// The thread that does it.
pub(crate) struct Keeper {
    shared: Arc<Shared>,
    /// Segments that are there as far as it knows, or should be.
    known: BTreeSet<u64>,
    /// Those that are left as they are, because something is wrong with them.
    left: BTreeSet<u64>,
    is_in_trouble: bool,
    clock: Steady,
    /// The segment that was written when it last looked at all files.
    seen: u64,
    turns: u32,
}

impl Keeper {
    pub(crate) fn new(shared: Arc<Shared>) -> io::Result<Self> {
        // Their numbers have no gap: what is missing between them was taken away while nobody looked.
        let segments = shared.folder.segments()?;
        let known = match (segments.first_key_value(), segments.last_key_value()) {
            (Some((first, _)), Some((last, _))) => (*first..=*last).collect(),
            _ => BTreeSet::new(),
        };
        let clock = Steady::new((shared.options.now_ms)());
        Ok(Self { shared, known, left: BTreeSet::new(), is_in_trouble: false, clock, seen: 0, turns: 0 })
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    fn tell(&self, event: Event) {
        self.shared.told.lock().unwrap_or_else(PoisonError::into_inner).push(event);
    }

    /// All there is to do.
    pub(crate) fn keep(&mut self) {
        match self.keep_files() {
            Ok(()) if self.is_in_trouble => {
                self.is_in_trouble = false;
                info!("the journal is well again");
                self.tell(Event::Well);
            }
            Ok(()) => {}
            Err(error) if !self.is_in_trouble => {
                self.is_in_trouble = true;
                error!(%error, folder = %self.shared.folder.path().display(), "the journal's files cannot be kept");
                self.tell(Event::Trouble(error.to_string()));
            }
            Err(_) => {}
        }
    }

    fn keep_files(&mut self) -> io::Result<()> {
        self.clock.look((self.shared.options.now_ms)());
        self.look_for_live()?;
        self.shared.make_spare()?;
        let head = self.shared.written().head;
        if !self.shared.flush.has_reached(head.record) {
            self.shared.flush_all()?;
        }
        self.turns = (self.turns + 1) % LOOK_EACH;
        if head.segment == self.seen && self.turns != 0 {
            return Ok(());
        }
        self.remove_stale_spares()?;
        let (live, segments) = (head.segment, self.look_for_all()?);
        for (number, kept) in segments {
            let is_done = kept.form != Form::Raw || number >= live || self.left.contains(&number);
            if !is_done && !self.finish(number, &kept)? {
                self.left.insert(number);
            }
        }
        self.remove_old(live)?;
        self.seen = live;
        Ok(())
    }

    /// Begins another segment where the one that is written is not in its place any more.
    fn look_for_live(&mut self) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        let mut written = shared.written();
        let gone = match &written.live {
            Some(live) if live.is_in_place(&shared.key)? => {
                // Whoever looks for calls of a time passes segments over that were made later.
                let is_set_back = (shared.options.now_ms)() < live.made_at_ms.saturating_sub(DISORDER_MS);
                return if is_set_back { written.renew(&shared) } else { Ok(()) };
            }
            Some(live) => Some(live.number),
            None => None,
        };
        if let Some(gone) = gone {
            error!(
                segment = gone,
                "somebody removed, replaced or overwrote the journal's segment that is being written"
            );
            self.known.remove(&gone);
            self.tell(Event::Gone(vec![gone]));
            // Nobody may be answered whose record is in a file that is gone, whether there can be another one or not.
            written.end_live(&shared);
        }
        written.renew(&shared)
    }

    /// Notices files that went away.
    fn look_for_all(&mut self) -> io::Result<std::collections::BTreeMap<u64, Kept>> {
        let segments = self.shared.folder.segments()?;
        let there: BTreeSet<u64> = segments.keys().copied().collect();
        let gone: Vec<u64> = self.known.difference(&there).copied().collect();
        self.known = there;
        if !gone.is_empty() {
            error!(?gone, "segments of the journal were removed by somebody else");
            self.tell(Event::Gone(gone));
        }
        Ok(segments)
    }

    /// Gives back space that nobody will use: what was taken before the folder was away, and came back with it.
    fn remove_stale_spares(&self) -> io::Result<()> {
        let _alone = self.shared.spacing.lock().unwrap_or_else(PoisonError::into_inner);
        let spares = self.shared.folder.spares()?;
        // Whoever takes space for a segment that is due holds this meanwhile.
        let written = self.shared.written();
        let used = written.spare.as_ref().map(Spare::path);
        for spare in spares.iter().filter(|spare| Some(spare.as_path()) != used) {
            match fs::remove_file(spare) {
                // It became a segment since.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed?,
            }
        }
        Ok(())
    }

    /// Looks through a segment, and compresses it where that gains something; false where something is wrong with it: then it
    /// stays as it is, for whoever looks into it.
    fn finish(&self, number: u64, kept: &Kept) -> io::Result<bool> {
        let folder = &self.shared.folder;
        let Some(length) = self.good_length(kept)? else {
            error!(segment = number, "a segment of the journal is not as it was written; it is left as it is");
            self.tell(Event::Changed(number));
            return Ok(false);
        };
        let file = File::open(&kept.path)?;
        if file.metadata()?.len() == length && !is_worth_compressing(&file, length)? {
            fs::rename(&kept.path, folder.full(number))?;
            folder.sync()?;
            return Ok(true);
        }
        let part = folder.part(number);
        let made = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&part)?;
        let mut to = zstd::stream::write::Encoder::new(BufWriter::new(made), LEVEL)?;
        to.include_checksum(true)?;
        let mut from = io::Read::take(BufReader::new(file), length);
        io::copy(&mut from, &mut to)?;
        to.finish()?.into_inner()?.sync_all()?;
        fs::rename(&part, folder.archive(number))?;
        folder.sync()?;
        fs::remove_file(&kept.path)?;
        Ok(true)
    }

    /// How long the good part of a segment is, which has to be all of it.
    fn good_length(&self, kept: &Kept) -> io::Result<Option<u64>> {
        let Some(mut reading) = Reading::of(kept)?.filter(|reading| reading.is_authentic(&self.shared.key)) else {
            return Ok(None);
        };
        let mut buffer = Vec::new();
        loop {
            match reading.pass(&self.shared.key, &mut buffer)? {
                Ok(true) => {}
                Ok(false) => return Ok(Some(reading.length())),
                Err(_) => return Ok(None),
            }
        }
    }

    /// Removes archives whose newest record is too old: the next segment was made after it.
    fn remove_old(&mut self, live: u64) -> io::Result<()> {
        let shared = Arc::clone(&self.shared);
        if self.clock.since.elapsed() < shared.options.steady {
            return Ok(());
        }
        let before_ms = (shared.options.now_ms)().saturating_sub(shared.options.keep_ms);
        let segments: Vec<_> = shared.folder.segments()?.into_iter().collect();
        let mut removed: Option<Removed> = None;
        for pair in segments.windows(2) {
            let [(number, kept), (_, next)] = pair else { continue };
            let made = Reading::of(next)?.map(|reading| reading.header.made_at_ms);
            if *number >= live || made.is_none_or(|made_at_ms| made_at_ms >= before_ms) {
                break;
            }
            // First, so that whoever reads meanwhile does not take it for the work of somebody else.
            shared.kept_from.store(*number + 1, Ordering::Release);
            fs::remove_file(&kept.path)?;
            self.known.remove(number);
            removed = Some(Removed { from: removed.map_or(*number, |removed| removed.from), to: *number });
        }
        if let Some(removed) = removed {
            shared.folder.sync()?;
            self.tell(Event::Removed(removed));
        }
        Ok(())
    }
}

/// Whether a segment would become smaller: nothing that is there makes the tags of batches so. Looked at in some places of it.
fn is_worth_compressing(file: &File, length: u64) -> io::Result<bool> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    let (mut sample, mut looked, mut compressed) = (vec![0; SAMPLE], 0, 0);
    for place in 0..SAMPLES {
        let read = file.read_at(&mut sample, length / SAMPLES * place)?;
        looked += read;
        compressed += compressor.compress(&sample[..read])?.len();
    }
    Ok(compressed < looked - looked / GAIN)
}

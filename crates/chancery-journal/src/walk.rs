//! Going through a journal: every record with its link and its MAC checked, and the place of what is wrong.

use std::{collections::VecDeque, io, ops::RangeInclusive, path::Path};

use chancery_keys::JournalKey;
use uuid::Uuid;

use crate::{
    chain::Head,
    fault::{Fault, Problem},
    files::{Folder, Kept},
    format::Call,
    keys::Keys,
    place::Place,
    read::{Next, Reading},
};

/// Faults that are told; one that walks goes on at the next segment.
const FAULTS_MAX: usize = 100;

/// By how much the times of records may be out of order. Where a clock is set back by more, the writer begins another segment.
pub(crate) const DISORDER_MS: i64 = 60_000;

/// What to look at, and what is known from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// The segment that it begins with, where that is known.
    pub begins: Option<u64>,
    /// Heads that were kept elsewhere.
    pub heads: Vec<Head>,
    /// Only segments that may have records of this time, in milliseconds since 1970 UTC.
    pub time_ms: Option<RangeInclusive<i64>>,
    /// Where an earlier walk was left: this one goes on there.
    pub after: Option<Place>,
}

/// A call that was found.
#[derive(Debug)]
pub struct Found<'f> {
    /// The segment.
    pub segment: u64,
    /// Its number.
    pub record: u64,
    /// The call, or a part of it.
    pub call: Call<'f>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// The journal; none where there is no segment.
    pub journal: Option<Uuid>,
    /// Segments that were read.
    pub segments: u64,
    /// Records in them.
    pub records: u64,
    /// Tags in them.
    pub values: u64,
    /// How far it goes.
    pub head: Option<Head>,
    /// Heads that could not be looked at, because their records were not read.
    pub unchecked: usize,
    /// What is wrong, in order; a hundred at most.
    pub faults: Vec<Fault>,
    /// When the first segment that is there was made; none where that is not known. Records before it were removed, unless it
    /// is the first of all.
    pub first: Option<(u64, i64)>,
    /// Where it was left before its end.
    pub left: Option<Place>,
}

/// Goes through the journal in a folder, and shows every call whose record is good. A segment is read up to its first
/// fault.
pub fn walk(folder: &Path, keys: &dyn Keys, what: &Walk, visit: &mut dyn FnMut(Found<'_>)) -> io::Result<Walked> {
    walk_while(folder, keys, what, visit, &mut || true)
}

/// The same for as long as `goes_on` says so, which is asked after each record and after each segment that is passed over: so
/// every walk comes further.
pub fn walk_while(
    folder: &Path,
    keys: &dyn Keys,
    what: &Walk,
    visit: &mut dyn FnMut(Found<'_>),
    goes_on: &mut dyn FnMut() -> bool,
) -> io::Result<Walked> {
    let mut segments = Folder::of(folder).segments()?;
    let mut walker =
        Walker { keys, what, visit, goes_on, key: None, end: None, last: None, compared: 0, done: Walked::default() };
    if let Some((number, kept)) = segments.first_key_value()
        && let Opened::Ours(reading) = walker.open(*number, kept)?
    {
        walker.done.first = Some((*number, reading.header.made_at_ms));
    }
    let segments = match what.after {
        Some(place) => segments.split_off(&place.segment),
        None => segments,
    };
    walker.segments(segments.into_iter().collect())?;
    Ok(walker.finish())
}

/// Which journal is in a folder: that of the newest segment which can be read; none where there is none.
pub fn id_of(folder: &Path, keys: &dyn Keys) -> io::Result<Option<Uuid>> {
    for kept in Folder::of(folder).segments()?.values().rev() {
        let Some(reading) = Reading::of(kept)? else { continue };
        let header = &reading.header;
        if keys.open(header.journal, &header.sealed).is_ok_and(|key| reading.is_authentic(&key)) {
            return Ok(Some(header.journal));
        }
    }
    Ok(None)
}

/// Whether the journal in a folder has this head: its segment is read up to it, and none before or after it.
pub fn has_head(folder: &Path, keys: &dyn Keys, head: &Head) -> io::Result<bool> {
    let segments = Folder::of(folder).segments()?;
    let Some(mut reading) = segments.get(&head.segment).map(Reading::of).transpose()?.flatten() else {
        return Ok(false);
    };
    let opened = keys.open(reading.header.journal, &reading.header.sealed).ok();
    let Some(key) = opened.filter(|key| reading.is_authentic(key)) else { return Ok(false) };
    let mut buffer = Vec::new();
    while reading.head().record < head.record {
        if reading.pass(&key, &mut buffer)? != Ok(true) {
            return Ok(false);
        }
    }
    Ok(reading.head() == *head)
}

struct Walker<'w> {
    keys: &'w dyn Keys,
    what: &'w Walk,
    visit: &'w mut dyn FnMut(Found<'_>),
    goes_on: &'w mut dyn FnMut() -> bool,
    /// The journal and its key.
    key: Option<(Uuid, JournalKey)>,
    /// Where the segment before ended; none where that is not known.
    end: Option<Head>,
    /// The newest segment that was read or passed over.
    last: Option<u64>,
    /// How many heads were found.
    compared: usize,
    done: Walked,
}

/// A segment that was opened.
enum Opened {
    /// One of this journal.
    Ours(Box<Reading>),
    Foreign,
    /// It was removed since the look into the folder.
    Gone,
}

impl Walker<'_> {
    fn fault(&mut self, segment: u64, record: u64, problem: Problem) {
        if self.done.faults.len() < FAULTS_MAX {
            self.done.faults.push(Fault { segment, record, problem });
        }
    }

    fn segments(&mut self, mut segments: VecDeque<(u64, Kept)>) -> io::Result<()> {
        let (what, mut ahead, mut following) = (self.what, None, None);
        let expected = what.begins.max(what.after.map(|place| place.segment));
        if let (Some(expected), Some((first, _))) = (expected, segments.front())
            && expected < *first
        {
            self.fault(expected, 0, Problem::Gone);
        }
        while let Some((number, kept)) = segments.pop_front() {
            let opened = match ahead.take() {
                Some(opened) => opened,
                None => self.open(number, &kept)?,
            };
            // Where it is known how the one before ended, that tells more.
            if let (None, Some(gone)) = (self.end, following.filter(|following| number > *following)) {
                self.fault(gone, 0, Problem::Gone);
            }
            following = Some(number + 1);
            if let (Some(time_ms), Some((next, kept))) = (&what.time_ms, segments.front()) {
                let next = self.open(*next, kept)?;
                let passes = !may_be_of(time_ms, &opened, Some(&next));
                ahead = Some(next);
                if passes {
                    self.pass_over(number, &opened);
                    if self.is_left_at(segments.front().map(|(number, _)| Place::at_begin(*number))) {
                        return Ok(());
                    }
                    continue;
                }
            } else if what.time_ms.as_ref().is_some_and(|time_ms| !may_be_of(time_ms, &opened, None)) {
                self.pass_over(number, &opened);
                continue;
            }
            self.segment(number, opened)?;
            if self.done.left.is_some() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Its records are not looked at; but it shows whether all of the one before is there.
    fn pass_over(&mut self, number: u64, opened: &Opened) {
        let before = self.end.take();
        if let Opened::Ours(reading) = opened {
            self.follows(before, reading);
        }
        self.last = Some(number);
    }

    /// Whether the walk is left here, where there is more.
    fn is_left_at(&mut self, place: Option<Place>) -> bool {
        if place.is_some() && !(self.goes_on)() {
            self.done.left = place;
        }
        self.done.left.is_some()
    }

    fn open(&mut self, number: u64, kept: &Kept) -> io::Result<Opened> {
        let reading = match Reading::of(kept) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Opened::Gone),
            reading => reading?,
        };
        let Some(reading) = reading else { return Ok(Opened::Foreign) };
        if self.key.is_none() {
            let opened = self.keys.open(reading.header.journal, &reading.header.sealed).ok();
            self.key = opened.filter(|key| reading.is_authentic(key)).map(|key| (reading.header.journal, key));
        }
        let header = &reading.header;
        let is_ours = self.key.as_ref().is_some_and(|(journal, key)| {
            (header.journal, header.segment) == (*journal, number) && reading.is_authentic(key)
        });
        Ok(if is_ours { Opened::Ours(Box::new(reading)) } else { Opened::Foreign })
    }

    fn segment(&mut self, number: u64, opened: Opened) -> io::Result<()> {
        let expected = self.end.take();
        let next = expected.map_or(0, |end| end.record + 1);
        let Some((journal, key)) = self.key.take() else {
            let problem = if matches!(opened, Opened::Gone) { Problem::Gone } else { Problem::Foreign };
            self.fault(number, next, problem);
            return Ok(());
        };
        match opened {
            Opened::Ours(mut reading) => {
                self.done.journal = Some(journal);
                self.follows(expected, &reading);
                let read = self.what.after.filter(|place| place.segment == number).and_then(|place| place.read);
                if let Some(read) = read {
                    reading.go_on(&read)?;
                }
                self.end = self.records(*reading, &key)?;
            }
            Opened::Foreign => self.fault(number, next, Problem::Foreign),
            Opened::Gone => self.fault(number, next, Problem::Gone),
        }
        self.key = Some((journal, key));
        Ok(())
    }

    /// Whether a segment follows the one before it.
    fn follows(&mut self, expected: Option<Head>, reading: &Reading) {
        let header = &reading.header;
        let Some(end) = expected else {
            return;
        };
        if header.segment != end.segment + 1 {
            self.fault(end.segment + 1, end.record + 1, Problem::Gone);
        } else if header.first > end.record + 1 {
            self.fault(end.segment, end.record + 1, Problem::CutOff);
        } else if header.first != end.record + 1 || header.before != end.hash {
            self.fault(header.segment, header.first, Problem::DoesNotFollow);
        }
    }

    /// Goes through its records; where it ends, unless that is not known.
    fn records(&mut self, mut reading: Reading, key: &JournalKey) -> io::Result<Option<Head>> {
        self.done.segments += 1;
        self.last = Some(reading.head().segment);
        self.compare(reading.head());
        let (mut buffer, mut is_ended) = (Vec::new(), false);
        let end = loop {
            let before = reading.head();
            let next = match reading.next(key, &mut buffer)? {
                Ok(Next::Nothing) => break Some(before),
                Ok(_) | Err(_) if is_ended => Err(Problem::BehindEnd),
                next => next,
            };
            match next {
                Err(problem) => {
                    self.fault(before.segment, before.record + 1, problem);
                    break None;
                }
                Ok(Next::Call(call)) => {
                    self.done.values += call.values() as u64;
                    (self.visit)(Found { segment: before.segment, record: before.record + 1, call });
                }
                Ok(Next::End) => is_ended = true,
                Ok(Next::Nothing) => break Some(before),
            }
            self.done.records += 1;
            self.compare(reading.head());
            if self.is_left_at(Some(reading.place())) {
                break None;
            }
        };
        self.done.head = Some(reading.head());
        Ok(end)
    }

    /// Compares what was read so far with what was kept elsewhere.
    fn compare(&mut self, head: Head) {
        for known in self.what.heads.iter().filter(|known| (known.segment, known.record) == (head.segment, head.record))
        {
            self.compared += 1;
            if known.hash != head.hash {
                self.fault(head.segment, head.record, Problem::OtherHead);
            }
        }
    }

    fn finish(mut self) -> Walked {
        let last = self.done.head.unwrap_or(Head { segment: 0, record: 0, hash: [0; 32] });
        // What was passed over may have any record.
        let passed = self.last.filter(|passed| *passed > last.segment).map(|passed| (passed, u64::MAX));
        let reached = passed.unwrap_or((last.segment, last.record));
        let beyond = self.what.heads.iter().any(|head| (head.segment, head.record) > reached);
        if beyond && self.done.left.is_none() {
            self.fault(last.segment.max(1), last.record + 1, Problem::CutOff);
        }
        self.done.unchecked = self.what.heads.len() - self.compared;
        self.done
    }
}

/// Whether a segment's records may be of this time: a segment ends when the next one is made. So much more on both sides, since
/// records are not strictly in the order of their times. What nobody vouches for is read, and so is the last one, and one whose
/// clock was set back before the next one was made.
fn may_be_of(time_ms: &RangeInclusive<i64>, segment: &Opened, next: Option<&Opened>) -> bool {
    let made = |opened: &Opened| match opened {
        Opened::Ours(reading) => Some(reading.header.made_at_ms),
        Opened::Foreign | Opened::Gone => None,
    };
    let (Some(began), Some(ended)) = (made(segment), next.and_then(made)) else { return true };
    let begins_late = began > time_ms.end().saturating_add(DISORDER_MS);
    let ends_early = ended < time_ms.start().saturating_sub(DISORDER_MS);
    !(begins_late || ends_early) || ended < began
}

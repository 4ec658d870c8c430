//! Going through a journal: every record with its link and its MAC checked, and the place of what is wrong.

use std::{io, ops::RangeInclusive, path::Path};

use chancery_keys::JournalKey;
use uuid::Uuid;

use crate::{
    chain::Head,
    fault::{Fault, Problem},
    files::{Folder, Kept},
    format::Call,
    keys::Keys,
    read::{Next, Reading},
};

/// Faults that are told; one that walks goes on at the next segment.
const FAULTS_MAX: usize = 100;

/// What to look at, and what is known from elsewhere.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// The segment that it begins with, where that is known.
    pub begins: Option<u64>,
    /// Heads that were kept elsewhere.
    pub heads: Vec<Head>,
    /// Only segments that may have records of this time, in milliseconds since 1970 UTC.
    pub time_ms: Option<RangeInclusive<i64>>,
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
}

/// Goes through the journal in a folder, and shows every call whose record is good. A segment is read up to its first
/// fault.
pub fn walk(folder: &Path, keys: &dyn Keys, walk: &Walk, visit: &mut dyn FnMut(Found<'_>)) -> io::Result<Walked> {
    let mut segments: Vec<_> = Folder::of(folder).segments()?.into_iter().collect();
    if let Some(time_ms) = &walk.time_ms {
        segments = of_time(segments, time_ms)?;
    }
    let mut walker =
        Walker { keys, heads: &walk.heads, visit, key: None, end: None, compared: 0, done: Walked::default() };
    if let (Some(begins), Some((first, _)), None) = (walk.begins, segments.first(), &walk.time_ms)
        && begins < *first
    {
        walker.fault(begins, 0, Problem::Gone);
    }
    for (number, kept) in &segments {
        walker.segment(*number, kept)?;
    }
    Ok(walker.finish(walk.time_ms.is_none()))
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

/// Those whose records may be of this time: a segment ends when the next one is made. A minute more on both sides, since
/// records are not strictly in the order of their times.
fn of_time(segments: Vec<(u64, Kept)>, time_ms: &RangeInclusive<i64>) -> io::Result<Vec<(u64, Kept)>> {
    const MINUTE_MS: i64 = 60_000;
    let made = segments.iter().map(|(_, kept)| Ok(Reading::of(kept)?.map(|reading| reading.header.made_at_ms)));
    let made = made.collect::<io::Result<Vec<_>>>()?;
    let of_time = |place: usize| {
        let ended = made.get(place + 1).copied().flatten();
        let begins_late = made[place].is_some_and(|made| made > time_ms.end().saturating_add(MINUTE_MS));
        let ends_early = ended.is_some_and(|ended| ended < time_ms.start().saturating_sub(MINUTE_MS));
        !begins_late && !ends_early
    };
    Ok(segments.into_iter().enumerate().filter(|(place, _)| of_time(*place)).map(|(_, segment)| segment).collect())
}

struct Walker<'w> {
    keys: &'w dyn Keys,
    heads: &'w [Head],
    visit: &'w mut dyn FnMut(Found<'_>),
    /// The journal and its key.
    key: Option<(Uuid, JournalKey)>,
    /// Where the segment before ended; none where that is not known.
    end: Option<Head>,
    /// How many heads were found.
    compared: usize,
    done: Walked,
}

impl Walker<'_> {
    fn fault(&mut self, segment: u64, record: u64, problem: Problem) {
        if self.done.faults.len() < FAULTS_MAX {
            self.done.faults.push(Fault { segment, record, problem });
        }
    }

    fn segment(&mut self, number: u64, kept: &Kept) -> io::Result<()> {
        let expected = self.end.take();
        let next = expected.map_or(0, |end| end.record + 1);
        let Some(reading) = Reading::of(kept)? else {
            self.fault(number, next, Problem::Foreign);
            return Ok(());
        };
        if self.key.is_none() {
            let opened = self.keys.open(reading.header.journal, &reading.header.sealed).ok();
            self.key = opened.filter(|key| reading.is_authentic(key)).map(|key| (reading.header.journal, key));
        }
        let Some((journal, key)) = self.key.take() else {
            self.fault(number, next, Problem::Foreign);
            return Ok(());
        };
        let header = &reading.header;
        let is_ours = (header.journal, header.segment) == (journal, number) && reading.is_authentic(&key);
        if is_ours {
            self.done.journal = Some(journal);
            self.follows(expected, &reading);
            self.end = self.records(reading, &key)?;
        } else {
            self.fault(number, next, Problem::Foreign);
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
        };
        self.done.head = Some(reading.head());
        Ok(end)
    }

    /// Compares what was read so far with what was kept elsewhere.
    fn compare(&mut self, head: Head) {
        for known in self.heads.iter().filter(|known| (known.segment, known.record) == (head.segment, head.record)) {
            self.compared += 1;
            if known.hash != head.hash {
                self.fault(head.segment, head.record, Problem::OtherHead);
            }
        }
    }

    /// `is_all`: whether all segments were to be read.
    fn finish(mut self, is_all: bool) -> Walked {
        let last = self.done.head.unwrap_or(Head { segment: 0, record: 0, hash: [0; 32] });
        let beyond = |head: &&Head| (head.segment, head.record) > (last.segment, last.record);
        let beyond = self.heads.iter().filter(beyond).count();
        if beyond > 0 && is_all {
            self.fault(last.segment.max(1), last.record + 1, Problem::CutOff);
        }
        self.done.unchecked = self.heads.len() - self.compared;
        self.done
    }
}

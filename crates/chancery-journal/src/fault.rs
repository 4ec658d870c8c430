//! What may be wrong with a journal, and where.

use std::fmt;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The record is another than was written here, or stands where another was.
    Changed,
    /// There is no record that can be read, where there was one.
    Unreadable,
    /// Records were there from here on, and are gone.
    CutOff,
    /// The whole segment is gone.
    Gone,
    /// The file is no segment, or one that somebody else made.
    Foreign,
    /// The segment does not follow the one before it.
    DoesNotFollow,
    /// Up to this record the journal has another hash than the one that was kept elsewhere.
    OtherHead,
    /// Something stands behind the segment's end.
    BehindEnd,
}

/// Where something is wrong, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The segment.
    pub segment: u64,
    /// The number that the record at the place has, or had.
    pub record: u64,
    /// What is wrong.
    pub problem: Problem,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { segment, record, problem } = self;
        write!(f, "segment {segment}, record {record}: ")?;
        f.write_str(match problem {
            Problem::Changed => "it was changed, removed, added or moved",
            Problem::Unreadable => "it cannot be read",
            Problem::CutOff => "from here on records are missing",
            Problem::Gone => "the segment is missing",
            Problem::Foreign => "the file is no segment of this journal",
            Problem::DoesNotFollow => "the segment does not follow the one before it",
            Problem::OtherHead => "up to here it is another journal than the one whose head was kept",
            Problem::BehindEnd => "something stands behind the end of the segment",
        })
    }
}

//! What is not as it was, and where.

use crate::log::{BadCosignature, NotSigned};

/// A place at which a copy of the ledger is not what Chancery wrote.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the message of each says what its members are")]
pub enum LedgerFault {
    /// A line that is none of a copy.
    #[error("line {line} is no record, checkpoint or part of the ledger")]
    Line { line: u64 },
    /// A line that is none of an archive.
    #[error("line {line} of the {}. file of --archive is no record of an archive", archive + 1)]
    ArchiveLine { archive: usize, line: u64 },
    /// Records are missing in a file that was kept of an archive.
    #[error("leaf {leaf}: {} in what --archive gives", missing(*count, None))]
    ArchiveCut { leaf: u64, count: u64 },
    /// An archive of which nothing can be read.
    #[error("archive {first_leaf}: it cannot be read; it was changed")]
    Archive { first_leaf: i64 },
    /// An archive with records that must be at hand still.
    #[error(
        "archive {first_leaf}: it has records that are not 90 days old, which no server archives; somebody hid them from lists"
    )]
    ArchivedEarly { first_leaf: i64 },
    /// There is no checkpoint.
    #[error("there is no checkpoint of the ledger")]
    NoCheckpoint,
    /// A checkpoint that the key has not signed.
    #[error("checkpoint {number} is not believed: {why}")]
    Unsigned { number: u64, why: NotSigned },
    /// Another checkpoint stands in its place.
    #[error("in the place of checkpoint {expected} stands checkpoint {found}")]
    Place { expected: u64, found: u64 },
    /// Records came back that a checkpoint before it says to be removed, or more are than there ever were.
    #[error(
        "checkpoint {number}: it says that {removed} records were removed, which cannot be after the one before it"
    )]
    Removed { number: u64, removed: u64 },
    /// Records that stay at hand whatever is removed around them are gone.
    #[error("of the first {removed} leaves {kept} records stay when the others are removed, and {found} are there")]
    Kept { removed: u64, kept: u64, found: u64 },
    /// The row of an archive says something else than what is in it.
    #[error(
        "archive {first_leaf}: its row is not what its records say, it has records that stay at hand, or it does not begin where the \
         one before ended"
    )]
    ArchiveRow { first_leaf: i64 },
    /// It does not have the hash of the one before.
    #[error("checkpoint {number} does not follow the checkpoint before it")]
    Link { number: u64 },
    /// The root is another one.
    #[error("checkpoint {number} is over other records: one of leaves {from} to {to} was changed since")]
    Root { number: u64, from: u64, to: u64 },
    /// A record was changed.
    #[error("leaf {leaf}, number {number}: the record was changed")]
    Changed { leaf: u64, number: i64 },
    /// A record stands in another's place.
    #[error("leaf {leaf}, number {number}: the record belongs to leaf {belongs}")]
    Moved { leaf: u64, number: i64, belongs: u64 },
    /// Records are missing.
    #[error("leaf {leaf}: {}", missing(*count, *.after))]
    Missing { leaf: u64, count: u64, after: Option<i64> },
    /// Two records claim one place.
    #[error("leaf {leaf}, number {number}: a record was inserted")]
    Twice { leaf: u64, number: i64 },
    /// A record that never became a leaf.
    #[error("number {number}: the record is in no leaf; it was inserted, or taken out of the ledger")]
    Outside { number: i64 },
    /// A record says that it is older than what was there before it.
    #[error(
        "leaf {leaf}, number {number}: the record is {seconds} seconds older than checkpoint {checkpoint}, which was there \
         before it"
    )]
    Late { leaf: u64, number: i64, checkpoint: u64, seconds: u64 },
    /// A record says that it is newer than the first checkpoint over it.
    #[error(
        "leaf {leaf}, number {number}: the record is {seconds} seconds newer than checkpoint {checkpoint}, which has it"
    )]
    Early { leaf: u64, number: i64, checkpoint: u64, seconds: u64 },
    /// A checkpoint says that a journal goes less far than one before it said, and no record says why.
    #[error(
        "checkpoint {number}: the journal {journal} goes less far than checkpoint {before} says, and no JournalMiss says so: \
         it was set back"
    )]
    Journal { number: u64, journal: String, before: u64 },
    /// A place among the leaves for which there is no record, or no checkpoint.
    #[error(
        "number {number}: its place among the leaves has no record, or none that a checkpoint covers; it was inserted or changed"
    )]
    Misplaced { number: i64 },
    /// What stands for a checkpoint is none.
    #[error("checkpoint {number}: it is no signed note; it was inserted or changed")]
    NoNote { number: i64 },
    /// Records have waited for long to become leaves.
    #[error(
        "number {number}: this record and those after it became no leaves, although {seconds} seconds lie between them: the \
         ledger was not extended, so nothing proves them"
    )]
    Waiting { number: i64, seconds: u64 },
    /// The store cannot be read for what is wrong in it.
    #[error("for these places the ledger cannot be read, so the rest was not looked at")]
    Unread,
    /// What finds a record by its identities does not have it.
    #[error("number {number}: a search for the identities in this record does not find it")]
    Unfindable { number: i64 },
    /// What finds records by identities has one that does not name the identity.
    #[error(
        "number {number}: a search finds it for an identity that the record does not name, or there is no such record"
    )]
    Misattributed { number: i64 },
    /// What finds records by identities cannot be read from some place on.
    #[error(
        "a search for an identity would find what is no number or time of a record; what comes after it was not looked at"
    )]
    Illegible,
    /// The end is missing.
    #[error("the end was cut: the newest checkpoint is over {size} records, and there are {leaves} leaves")]
    Cut { size: u64, leaves: u64 },
    /// A witness has seen more.
    #[error(
        "set back: the checkpoint {number} that was kept is over {size} records; the newest here is {newest} over {leaves}"
    )]
    SetBack { number: u64, size: u64, newest: u64, leaves: u64 },
    /// A witness has seen something else.
    #[error(
        "set back and gone on, or written anew: of the {size} records that the checkpoint {number} that was kept is over, one \
         from leaf {from} on is another; an earlier checkpoint, given too, tells more exactly from where"
    )]
    WrittenAnew { number: u64, size: u64, from: u64 },
    /// A witness has another checkpoint of the number.
    #[error("checkpoint {number} is not the one that was kept")]
    OtherCheckpoint { number: u64 },
    /// A witness's file is none of this ledger.
    #[error("the checkpoint that was kept is not believed: {0}")]
    Witness(NotSigned),
    /// A cosignature that is none.
    #[error("checkpoint {number}: {bad}")]
    Cosignature { number: u64, bad: BadCosignature },
    /// No checkpoint has as many cosignatures as are demanded.
    #[error("no checkpoint has the cosignatures of {demanded} of the witnesses; the most that one has are {found}")]
    NotWitnessed { found: usize, demanded: usize },
}

fn missing(count: u64, after: Option<i64>) -> String {
    let what = if count == 1 { "the record is missing".to_owned() } else { format!("{count} records are missing") };
    after.map_or_else(|| what.clone(), |number| format!("{what}, after number {number}"))
}

//! What each call of the data plane leaves in the journal, and who asks it: `record` is what each call does, `ask` what somebody on
//! the host may ask, and `search` what auditors may.

mod ask;
mod cursor;
mod record;
mod search;

#[cfg(test)]
mod tests;

pub use self::ask::{JournalEntry, JournalState, OtherJournal};
pub(crate) use self::record::Noted;

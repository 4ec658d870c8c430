//! What is told of a journal's files.

/// Segments that were removed because their time was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

/// What happened to a journal's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Something cannot be done that the journal needs.
    Trouble(String),
    /// All can be done again.
    Well,
    /// Segments were removed because their time was over.
    Removed(Removed),
    /// Files are gone that this process did not remove, or a file is another one, or written over.
    Gone(Vec<u64>),
    /// A segment that is full is not as it was written.
    Changed(u64),
}

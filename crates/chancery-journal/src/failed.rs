//! The error of a call that could not be recorded.

/// Why a call is not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failed {
    /// No segment can be written.
    #[error("the journal cannot be written")]
    NotWritten,
    /// It is not known whether it is on the disk.
    #[error("the journal was not flushed")]
    NotFlushed,
}

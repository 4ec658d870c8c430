//! A journal of the data plane's calls: files beside the database that are only ever appended to.
//!
//! A [`Call`] is in the kernel before [`Journal::append`] returns, by a shared mapping, which costs no system call, or by
//! one where it is long: what a killed process wrote stays. Whoever wants it on the disk waits for [`Journal::flushed`],
//! together with all others that do. Each record is linked to the one before by a SHA-256 hash, which its MAC is over
//! (`format.rs`); so [`walk`] names the place of the first record that was changed, removed, added or moved.
//!
//! A journal is cut into segments. One that is full is closed, compressed where that gains something, and removed when its
//! time is over. No value is ever in it, only tags of tokens under the journal's key.
//!
//! What is absent: who may read it, and what is told of it (core's); clocks (time is given in).

mod chain;
mod event;
mod failed;
mod fault;
mod files;
mod flush;
pub mod format;
mod journal;
mod keep;
mod keys;
mod map;
mod open;
mod place;
mod read;
mod segment;
mod shared;
mod walk;

pub use chain::Head;
pub use event::{Event, Removed};
pub use failed::Failed;
pub use fault::{Fault, Problem};
pub use flush::{Flushed, Records};
pub use format::{Call, SEGMENT_BYTES_MIN, TAG_LEN, View};
pub use journal::{Journal, Numbers};
pub use keys::{Keys, NewKey, OpenError};
pub use open::Opened;
pub use place::{Place, Read};
pub use shared::Options;
pub use walk::{Found, Walk, Walked, has_head, id_of, walk, walk_while};

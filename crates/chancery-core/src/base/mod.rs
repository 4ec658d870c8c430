//! What every domain uses and what knows none of them: errors and limits, time, texts, bounded work.

pub(crate) mod above;
pub(crate) mod clock;
pub(crate) mod compiled;
pub(crate) mod error;
pub(crate) mod limits;
pub(crate) mod list;
pub(crate) mod network;
pub(crate) mod pool;
pub(crate) mod root_key;
pub(crate) mod sharded;
pub(crate) mod source;
pub(crate) mod text;

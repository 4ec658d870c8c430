//! Single tokens of Random profiles. They are named in bodies, never in a URL, which ends up in logs.

pub(crate) mod delete;
pub(crate) mod read;

//! `/api/v2/token-profiles/template`.

pub(crate) mod name;
pub(crate) mod names;

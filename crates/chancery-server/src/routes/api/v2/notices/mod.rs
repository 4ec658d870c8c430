//! `/api/v2/notices`.

pub(crate) mod undelivered;

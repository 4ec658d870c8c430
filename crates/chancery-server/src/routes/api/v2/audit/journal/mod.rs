//! `/api/v2/audit/journal`.

pub(crate) mod search;

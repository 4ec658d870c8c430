//! `/api/v2/key-types`.

pub(crate) mod stubs;

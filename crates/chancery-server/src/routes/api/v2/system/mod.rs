//! `/api/v2/system`.

pub(crate) mod settings;

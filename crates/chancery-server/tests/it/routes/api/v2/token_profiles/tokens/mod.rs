//! POST /api/v2/token-profiles/{uuid}/tokens/…

mod delete;
mod read;

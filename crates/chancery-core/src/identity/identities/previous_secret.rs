//! The secret that goes on for a while after an API key was rotated.

use chancery_store::tables::api_keys::Row;
use chancery_types::wire::api_keys::{ApiKey, PreviousSecret};

use crate::{Error, Result};

/// A secret that goes on after a rotation changes nothing: it may be in other hands, for which it was replaced.
pub(super) fn check_is_present_secret(row: &Row, shown: Option<u32>) -> Result<()> {
    match shown {
        Some(version) if version != row.version => {
            Err(Error::forbidden("This secret of the API key was replaced; only the present one may do this."))
        }
        Some(_) | None => Ok(()),
    }
}

/// What to know after another rotation of this key, which keeps only one secret beside the new one. It is not refused:
/// whoever rotates because a secret is in other hands ends both.
pub(super) fn ended(before: &ApiKey) -> Vec<String> {
    let said = |PreviousSecret { until, .. }: &PreviousSecret| {
        format!(
            "This rotation ended the secret of before the last one, which was to go on until {until}: whoever still has \
             that is not let in any more."
        )
    };
    before.previous.iter().map(said).collect()
}

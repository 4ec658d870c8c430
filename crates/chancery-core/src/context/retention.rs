//! Which values the setting `auditRetention` takes: for how many days audit records stay in the table, and are kept in archives.

use chancery_types::wire::system::AuditRetention;

use crate::{Error, Result};

/// PCI DSS 10.5.1 has three months at hand; nobody reads older ones every day.
pub(crate) const AT_HAND_MIN: u32 = 90;
/// A hundred years.
const DAYS_MAX: u32 = 36_500;

/// Refuses what cannot be kept to.
pub(crate) fn check(retention: &AuditRetention) -> Result<()> {
    let AuditRetention { at_hand_days, keep_days, beyond_authorities_days } = *retention;
    let bounds = [
        ("atHandDays", at_hand_days, AT_HAND_MIN),
        ("keepDays", keep_days, at_hand_days.unwrap_or(AT_HAND_MIN)),
        ("beyondAuthoritiesDays", beyond_authorities_days, 0),
    ];
    for (member, days, least) in bounds {
        if days.is_some_and(|days| !(least..=DAYS_MAX).contains(&days)) {
            let message = format!("{member} is {least} to {DAYS_MAX} days here, or absent.");
            return Err(Error::value(format!("/auditRetention/{member}"), message));
        }
    }
    if keep_days.is_some() && at_hand_days.is_none() {
        let message = "Only what was moved into an archive is removed: atHandDays is needed beside keepDays.";
        return Err(Error::value("/auditRetention/atHandDays", message));
    }
    if beyond_authorities_days.is_some() && keep_days.is_none() {
        let message = "Without keepDays nothing is ever removed: beyondAuthoritiesDays means nothing then.";
        return Err(Error::value("/auditRetention/beyondAuthoritiesDays", message));
    }
    Ok(())
}

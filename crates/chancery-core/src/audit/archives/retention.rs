//! For how long audit records are at hand, and how long they are kept.

use chancery_store::{
    Page, Start, Tx,
    tables::audit::{self, Filter},
};
use chancery_types::{Action, ErrorCode, wire::system::AuditRetention};
use serde_json::Value;

use crate::{Error, Result};

/// Changes of settings that are looked at together.
const TOGETHER: u32 = 200;

/// PCI DSS 10.5.1 has three months at hand; nobody reads older ones every day.
pub(super) const AT_HAND_MIN: u32 = 90;
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

/// What the newest record of a change of this setting says that it became; what it is without one, if there is none. A row of the
/// database that was right once can be put back, and then says what was taken back since.
pub(super) async fn told_last(tx: &mut Tx) -> Result<AuditRetention> {
    let filter = Filter {
        action: Some(Action::SettingsChange.as_str().to_owned()),
        outcome: Some(ErrorCode::Success.as_str().to_owned()),
        ..Filter::default()
    };
    let mut start = Start::Offset(0);
    loop {
        let page = Page { limit: TOGETHER, start, count_max: 0, scan_max: u32::MAX };
        let listed = audit::list(tx, filter.clone(), &page).await?;
        let told = listed.rows.iter().find_map(|row| {
            let detail: Value = serde_json::from_str(&row.record.detail).ok()?;
            detail.get("auditRetention").cloned()
        });
        if let Some(told) = told {
            return serde_json::from_value(told).map_err(Error::internal);
        }
        let Some(next) = listed.next else { return Ok(AuditRetention::default()) };
        start = Start::After(next);
    }
}

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

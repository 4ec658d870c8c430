//! Warns of API keys that will soon end: an audit record 30, 7 and 1 days before, of which notices follow, once each by a mark in
//! the store. Certificates have the same (`pki/expiry.rs`).

use std::time::Duration;

use chancery_store::{Tx, tables};
use chancery_types::{Action, ErrorCode};
use serde_json::json;
use uuid::Uuid;

use crate::{
    Error, Event, Notices, Result,
    context::{
        record::{Actor, Entry},
        told::{AHEAD_MS, Reached},
    },
    pki::{EXPIRY_DAYS, WatchingExpiry},
    time::rfc3339_ms,
};

const DAY_MS: i64 = 24 * 3_600 * 1_000;

/// Between two looks.
pub(super) const LOOK_EVERY: Duration = Duration::from_mins(10);

/// Keys told of in one transaction: others wait for it.
const TOGETHER: u32 = 200;

impl Notices {
    /// Tells of every API key that has come within 30, 7 or 1 days of its end since the last look.
    pub(super) async fn tell_of_key_ends(&self) -> Result<()> {
        let (node, now_ms) = (self.context.node, self.context.clock.now_ms());
        let task = WatchingExpiry::of_api_keys();
        for days in EXPIRY_DAYS {
            let mark = format!("apiKeysTold{days}");
            let name = mark.clone();
            let told = self.context.tell(&task, &mark, move |tx, own| {
                let name = name.clone();
                Box::pin(async move { tell(tx, node, (&name, days), (now_ms, own)).await })
            });
            told.await?;
        }
        Ok(())
    }
}

/// Tells of some; how far, and whether there may be more. `own` is how far this process has told before.
async fn tell(
    tx: &mut Tx,
    node: Uuid,
    (name, days): (&str, i64),
    (now_ms, own): (i64, Option<Reached>),
) -> Result<(Reached, bool)> {
    tables::turns::take(tx, "expiry").await?;
    let stored = tables::settings::value(tx, name).await?;
    let mark = stored.map(|text| serde_json::from_str::<Reached>(&text)).transpose().map_err(Error::internal)?;
    let until_ms = now_ms + days * DAY_MS;
    // What has ended already is no news, and a clock that was ahead has told of what ends long after.
    let mark = mark.filter(|mark| mark.0 > now_ms && mark.0 <= until_ms + AHEAD_MS);
    let own = own.filter(|own| own.0 > now_ms && own.0 <= until_ms);
    let from = mark.max(own).unwrap_or((now_ms, Uuid::max()));
    let rows = tables::api_keys::ending_after(tx, from, until_ms, TOGETHER).await?;
    let actor = Actor::of_task(node, &WatchingExpiry::of_api_keys());
    for row in &rows {
        let Some(ends_at) = row.expires_at_ms else { continue };
        let identity = tables::identities::by_id(tx, row.identity_id).await?;
        let event = Event::new(Action::ApiKeyExpiry).on(row.id).detail(json!({
            "name": row.name, "identityUuid": row.identity_id, "identity": identity.map(|identity| identity.name),
            "notAfter": rfc3339_ms(ends_at), "days": days,
        }));
        Entry::new(now_ms, &actor, event, ErrorCode::Success)?.append(tx).await?;
    }
    let more = rows.len() == TOGETHER as usize;
    let last = rows.last().filter(|_| more).and_then(|row| Some((row.expires_at_ms?, row.id)));
    let reached = last.unwrap_or((until_ms.max(from.0), Uuid::max()));
    let text = serde_json::to_string(&reached).map_err(Error::internal)?;
    tables::settings::set(tx, name, &text).await?;
    Ok((reached, more))
}

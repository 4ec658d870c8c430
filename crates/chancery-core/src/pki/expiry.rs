//! Certificates that will soon end: an audit record at 30, 7 and 1 days before, once each, and figures for the metrics.
//!
//! For each of the three there is a mark in the store: what ends before it has been told of. A look moves the mark to so
//! many days from now, in the transaction with the records, so that nothing is told twice, by no node and after no restart,
//! unless clocks are more than an hour apart.
//! A certificate that is issued for less than 30 days lies behind that mark from the beginning and is told of later only.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chancery_store::{Tx, tables};
use chancery_types::{Action, ErrorCode};
use serde_json::json;
use uuid::Uuid;

use crate::{
    Error, Event, Pki, Result, Visitor,
    context::{
        background::Recurring as _,
        record::{Actor, Entry},
        storage::{Background, Evidence, MayRead, Recording},
        told::{AHEAD_S, Reached},
    },
    time::rfc3339,
};

/// How long before its end a certificate is told of.
pub(crate) const DAYS: [i64; 3] = [30, 7, 1];

const DAY_S: i64 = 24 * 3_600;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_mins(10);

/// Certificates told of in one transaction: others wait for it.
const TOGETHER: u32 = 200;

/// How many certificates end within so many days.
pub type Expiring = Vec<(i64, i64)>;

/// What the last look found.
#[derive(Default)]
pub(crate) struct Found(Mutex<Expiring>);

/// How far has been told.
#[derive(Clone, Copy, serde::Serialize, serde::Deserialize)]
struct Mark {
    not_after_s: i64,
    id: Uuid,
}

/// Tells of certificates that will end. Made only here.
pub(crate) struct WatchingExpiry(());

impl Evidence for WatchingExpiry {}
impl MayRead for WatchingExpiry {}
impl Background for WatchingExpiry {}
impl Recording for WatchingExpiry {
    const NAME: &'static str = "expiry";
    const ACTIONS: &'static [Action] =
        &[Action::CertificateExpiry, Action::ApiKeyExpiry, Action::SigningRequestExpire, Action::ProposalExpire];
}

impl WatchingExpiry {
    /// The same of requests and proposals, which wait until then.
    pub(crate) const fn of_approvals() -> Self {
        Self(())
    }

    /// The same of API keys.
    pub(crate) const fn of_api_keys() -> Self {
        Self(())
    }
}

impl Pki {
    /// How many certificates that are not revoked end within 30, 7 and 1 days, as the last look found.
    #[must_use]
    pub fn expiring(&self, _visitor: &Visitor) -> Expiring {
        self.expiring.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks every ten minutes, until the last user of this Chancery is gone.
    pub(crate) fn warn_of_expiry(self: &Arc<Self>) {
        self.every(LOOK_EVERY, "telling of certificates that end", |pki| Box::pin(pki.look_for_expiry()));
    }

    /// Tells of every certificate that has come within 30, 7 or 1 days of its end since the last look.
    pub(crate) async fn look_for_expiry(&self) -> Result<()> {
        let now_ms = self.context.clock.now_ms();
        for days in DAYS {
            let mark = format!("expiryTold{days}");
            let (name, node) = (mark.clone(), self.context.node);
            let told = self.context.tell(&WatchingExpiry(()), &mark, move |tx, own| {
                let name = name.clone();
                Box::pin(async move { tell(tx, node, (&name, days), (now_ms, own)).await })
            });
            told.await?;
        }
        let now_s = now_ms.div_euclid(1_000);
        let found = self.context.storage.read(&WatchingExpiry(()), move |tx| {
            Box::pin(async move {
                let mut found = Expiring::new();
                for days in DAYS {
                    found.push((days, tables::certificates::ending(tx, now_s, now_s + days * DAY_S).await?));
                }
                Ok::<_, Error>(found)
            })
        });
        let found = found.await?;
        *self.expiring.0.lock().unwrap_or_else(PoisonError::into_inner) = found;
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
    let now_s = now_ms.div_euclid(1_000);
    let stored = tables::settings::value(tx, name).await?;
    let mark = stored.map(|text| serde_json::from_str::<Mark>(&text)).transpose().map_err(Error::internal)?;
    let until_s = now_s + days * DAY_S;
    // A clock that was ahead has told of what ends long after: told twice is better than never.
    let mark =
        mark.map(|mark| (mark.not_after_s, mark.id)).filter(|mark| mark.0 > now_s && mark.0 <= until_s + AHEAD_S);
    let own = own.filter(|own| own.0 > now_s && own.0 <= until_s);
    // What has ended already is no news.
    let from = mark.max(own).unwrap_or((now_s, Uuid::max()));
    let after = tables::certificates::EndPosition { not_after_s: from.0, id: from.1 };
    let rows = tables::certificates::ending_after(tx, after, until_s, TOGETHER).await?;
    let actor = Actor::of_task(node, &WatchingExpiry(()));
    for row in &rows {
        let detail = json!({
            "subject": row.subject, "serialNumber": row.serial, "notAfter": rfc3339(row.not_after_s), "days": days,
        });
        let event = Event::new(Action::CertificateExpiry).on(row.id).detail(detail);
        Entry::new(now_ms, &actor, event, ErrorCode::Success)?.append(tx).await?;
    }
    let more = rows.len() == TOGETHER as usize;
    let last = rows.last().filter(|_| more).map(|row| (row.not_after_s, row.id));
    let reached = last.unwrap_or((until_s.max(from.0), Uuid::max()));
    let mark = Mark { not_after_s: reached.0, id: reached.1 };
    let text = serde_json::to_string(&mark).map_err(Error::internal)?;
    tables::settings::set(tx, name, &text).await?;
    Ok((reached, more))
}

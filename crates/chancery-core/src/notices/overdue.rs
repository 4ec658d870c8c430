//! Requests and proposals that waited too long for their approvals. Nobody has to do anything for that, so nothing is
//! written when it happens; here it is recorded once, so that it is told.
//!
//! For each of the two there is a mark in the store: what was to end before it has been told of. A look moves the mark in
//! the transaction with the records, so that nothing is told twice, by no node and after no restart, unless clocks are more
//! than an hour apart.

use std::{sync::Arc, time::Duration};

use chancery_store::{Tx, tables};
use chancery_types::{Action, ErrorCode, SigningRequestState};
use serde_json::json;
use uuid::Uuid;

use super::api_key_ends;
use crate::{
    Error, Event, Notices, Result,
    context::{
        background::Recurring as _,
        record::{Actor, Entry},
        told::{AHEAD_MS, Reached},
    },
    pki::WatchingExpiry,
};

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(20);

/// Told of in one transaction: others wait for it.
const TOGETHER: u32 = 200;

/// What is told of, and where the mark stands.
#[derive(Clone, Copy)]
enum Kind {
    Request,
    Proposal,
}

impl Kind {
    const fn mark(self) -> &'static str {
        match self {
            Self::Request => "requestsExpired",
            Self::Proposal => "proposalsExpired",
        }
    }

    const fn action(self) -> Action {
        match self {
            Self::Request => Action::SigningRequestExpire,
            Self::Proposal => Action::ProposalExpire,
        }
    }
}

impl Notices {
    /// Looks every twenty seconds, and less often for API keys that end, until the last user of this Chancery is gone.
    pub(crate) fn tell_of_overdue_in_turn(self: &Arc<Self>) {
        let what = "telling of what waited too long";
        self.every(LOOK_EVERY, what, |notices| Box::pin(notices.tell_of_overdue()));
        let what = "telling of API keys that end";
        self.every(api_key_ends::LOOK_EVERY, what, |notices| Box::pin(notices.tell_of_key_ends()));
    }

    pub(crate) async fn tell_of_overdue(&self) -> Result<()> {
        let (node, now_ms) = (self.context.node, self.context.clock.now_ms());
        for kind in [Kind::Request, Kind::Proposal] {
            let task = WatchingExpiry::of_approvals();
            let told =
                self.context.tell(&task, kind.mark(), move |tx, own| Box::pin(tell(tx, node, kind, (now_ms, own))));
            told.await?;
        }
        Ok(())
    }
}

/// Tells of some; how far, and whether there may be more. `own` is how far this process has told before.
async fn tell(tx: &mut Tx, node: Uuid, kind: Kind, (now_ms, own): (i64, Option<Reached>)) -> Result<(Reached, bool)> {
    tables::turns::take(tx, "expiry").await?;
    let stored = tables::settings::value(tx, kind.mark()).await?;
    let mark = stored.map(|text| serde_json::from_str::<Reached>(&text)).transpose().map_err(Error::internal)?;
    // A mark that lies ahead is of a clock that was wrong. What was over before anybody looked is no news.
    let mark = mark.filter(|(at_ms, _)| *at_ms <= now_ms.saturating_add(AHEAD_MS));
    let own = own.filter(|(at_ms, _)| *at_ms <= now_ms);
    let after = mark.max(own).unwrap_or((now_ms, Uuid::nil()));
    let over = match kind {
        Kind::Request => tables::signing_requests::overdue(tx, after, now_ms, TOGETHER).await?,
        Kind::Proposal => tables::proposals::overdue(tx, after, now_ms, TOGETHER).await?,
    };
    let actor = Actor::of_task(node, &WatchingExpiry::of_approvals());
    for one in &over {
        let event = Event::new(kind.action()).on(one.id).detail(json!({
            "name": one.name, "state": SigningRequestState::Failed, "serviceUuid": one.service_id,
        }));
        Entry::new(now_ms, &actor, event, ErrorCode::Success)?.append(tx).await?;
    }
    let more = over.len() == TOGETHER as usize;
    let reached = over.last().filter(|_| more).map(|one| (one.expires_at_ms, one.id));
    let reached = reached.unwrap_or((now_ms, Uuid::max())).max(after);
    if mark != Some(reached) && (mark.is_none() || !over.is_empty()) {
        let text = serde_json::to_string(&reached).map_err(Error::internal)?;
        tables::settings::set(tx, kind.mark(), &text).await?;
    }
    Ok((reached, more))
}

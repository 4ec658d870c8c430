//! Who did what. A record is written in the same transaction as the change it speaks of; where it cannot be written,
//! the change does not happen. Values never enter a record, identities and object ids always.

mod counters;
mod difference;
mod notice;

use std::{borrow::Cow, net::IpAddr, sync::Arc, time::Duration};

use chancery_store::{Tx, tables};
use chancery_types::{
    Action, ErrorCode,
    wire::{
        audit::AuditIdentity,
        reports::{AccessEffect, ChangedRight},
    },
};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::time::timeout;
use tracing::error;
use uuid::Uuid;

use self::counters::Parcel;
use super::{
    Caller, Context, Host, IdempotentCall, RequestInfo,
    background::Recurring as _,
    changes::Change,
    storage::{Background, Evidence, MayRead, Recording, Vouches},
};
use crate::{Error, Limits, Result};

pub(crate) use self::{
    counters::{Counters, Nobody},
    difference::{Told, shortened},
    notice::{Draft, Facts, QUEUE},
};

/// Lines of an effect that a record has.
const EFFECT_LINES_MAX: usize = 20;

/// How long one attempt to write counts may take. Nothing is lost by another one, and whoever stops the server waits.
const PARCEL_WAIT: Duration = Duration::from_secs(5);

/// In whose name something happens. It follows from evidence: nobody makes one of a name.
#[derive(Clone, Debug)]
pub(crate) struct Actor {
    /// The server on which it happens.
    node: Uuid,
    request_id: String,
    source: Option<IpAddr>,
    identities: RecordedIdentities,
    /// The account of the operating system, as JSON.
    account: Option<&'static str>,
    /// What the caller may repeat.
    call: Option<Arc<IdempotentCall>>,
}

impl Actor {
    /// The identities of a session.
    pub(crate) fn of(node: Uuid, caller: &Caller) -> Self {
        let request = caller.request();
        let actor = Self::named(node, request.id.to_string(), caller.recorded().clone());
        Self { source: Some(request.source), call: caller.call().cloned(), ..actor }
    }

    /// Who has proved to be these identities, and is no caller yet, or any more.
    pub(crate) fn signing_in(
        node: Uuid,
        _: &impl Vouches,
        request: &RequestInfo,
        identities: RecordedIdentities,
    ) -> Self {
        Self { source: Some(request.source), ..Self::named(node, request.id.to_string(), identities) }
    }

    /// Somebody with a shell on the host.
    pub(crate) fn of_host(node: Uuid, host: &Host) -> Self {
        let actor = Self::named(node, host.command().to_owned(), RecordedIdentities::default());
        Self { account: Some(host.account()), ..actor }
    }

    /// The same, in the name of those who answer for what it does.
    pub(crate) fn of_answered(node: Uuid, _: &impl Vouches, host: &Host, identities: RecordedIdentities) -> Self {
        Self { identities, ..Self::of_host(node, host) }
    }

    /// Chancery itself.
    pub(crate) fn of_task<T: Recording>(node: Uuid, _: &T) -> Self {
        Self::named(node, T::NAME.to_owned(), RecordedIdentities::default())
    }

    /// What the caller may repeat, and the id of the request that makes it.
    pub(crate) fn call(&self) -> Option<(Arc<IdempotentCall>, String)> {
        self.call.as_ref().map(|call| (Arc::clone(call), self.request_id.clone()))
    }

    fn named(node: Uuid, request_id: String, identities: RecordedIdentities) -> Self {
        Self { node, request_id, source: None, identities, account: None, call: None }
    }
}

/// Identities as records have them, in JSON: made once for a session and not for each of its calls.
#[derive(Clone, Debug)]
pub(crate) struct RecordedIdentities(Arc<str>);

impl RecordedIdentities {
    pub(crate) fn new(identities: &[AuditIdentity]) -> Self {
        // Strings, ids and lists of them are always JSON.
        Self(serde_json::to_string(identities).unwrap_or_else(|_| "[]".to_owned()).into())
    }

    /// The identities again.
    pub(crate) fn read(&self) -> Result<Vec<AuditIdentity>> {
        serde_json::from_str(&self.0).map_err(Error::internal)
    }

    #[cfg(test)]
    fn are_none(&self) -> bool {
        &*self.0 == "[]"
    }
}

impl Default for RecordedIdentities {
    fn default() -> Self {
        Self("[]".into())
    }
}

/// What happened, to which object, and which parts of the compiled state it makes stale.
#[derive(Clone, Debug)]
pub struct Event {
    pub(crate) action: Action,
    pub(crate) object: Option<Uuid>,
    /// JSON.
    pub(crate) detail: Cow<'static, str>,
    pub(crate) changes: Vec<Change>,
    /// What its work finds out.
    told: Option<Told>,
}

impl Event {
    /// An event about no object in particular.
    #[must_use]
    pub const fn new(action: Action) -> Self {
        Self { action, object: None, detail: Cow::Borrowed("null"), changes: Vec::new(), told: None }
    }

    /// About this object.
    #[must_use]
    pub fn on(mut self, object: impl Into<Option<Uuid>>) -> Self {
        self.object = object.into();
        self
    }

    /// With more to tell: names, counts, ids; never a value, password or token.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "it is made for this, with json!")]
    pub fn detail(self, detail: Value) -> Self {
        self.json(detail.to_string())
    }

    /// With more to tell, in JSON: for what happens so often that no [`Value`] shall be made of it.
    #[must_use]
    pub(crate) fn json(mut self, detail: String) -> Self {
        self.detail = Cow::Owned(detail);
        self
    }

    /// With one thing more in its detail, which is an object.
    pub(crate) fn also(self, name: &str, value: Value) -> Result<Self> {
        let mut detail: Map<String, Value> = serde_json::from_str(&self.detail).map_err(Error::internal)?;
        detail.insert(name.to_owned(), value);
        Ok(self.detail(Value::Object(detail)))
    }

    /// With who gains and loses what by it, where anybody does.
    pub(crate) fn effect(self, effect: &AccessEffect) -> Result<Self> {
        match recorded_effect(effect)? {
            Some(effect) => self.also("effect", effect),
            None => Ok(self),
        }
    }

    /// With what its work finds out, which gets the other half to tell it.
    pub(crate) fn told(mut self) -> (Self, Told) {
        let told = self.told.get_or_insert_default().clone();
        (self, told)
    }

    /// With what was changed, where that is known before.
    pub(crate) fn changed(self, before: &impl Serialize, after: &impl Serialize, limits: &Limits) -> Result<Self> {
        let detail = serde_json::from_str(&self.detail).map_err(Error::internal)?;
        Ok(self.detail(difference::with(detail, difference::difference(before, after, limits)?)))
    }

    /// Which makes this part of the compiled state stale, on every node.
    #[must_use]
    pub(crate) fn changes(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }
}

/// What an audit record has of an effect: counts, of the first lines, and nothing where nobody gains or loses anything.
fn recorded_effect(effect: &AccessEffect) -> Result<Option<Value>> {
    if effect.is_none() {
        return Ok(None);
    }
    let mut left_out = effect.left_out;
    let mut first = |lines: &[ChangedRight]| {
        left_out += lines.len().saturating_sub(EFFECT_LINES_MAX) as u64;
        lines.iter().take(EFFECT_LINES_MAX).map(|line| ChangedRight { some: Vec::new(), ..line.clone() }).collect()
    };
    let (gains, loses) = (first(&effect.gains), first(&effect.loses));
    serde_json::to_value(AccessEffect { gains, loses, left_out, ..AccessEffect::default() })
        .map(Some)
        .map_err(Error::internal)
}

/// The same event, so many times.
#[derive(Clone)]
pub(crate) struct Counted {
    actor: Actor,
    event: Event,
    outcome: ErrorCode,
    count: u64,
}

/// What an event leaves in the store: made before its transaction begins, since on SQLite all transactions wait for one
/// thread.
pub(crate) struct Entry {
    record: tables::audit::Record,
    changes: Vec<Change>,
    told: Option<Told>,
    /// What of it people hear of.
    notice: Option<Draft>,
}

impl Entry {
    pub(crate) fn new(now_ms: i64, actor: &Actor, event: Event, outcome: ErrorCode) -> Result<Self> {
        Self::counted(now_ms, actor, event, outcome, 1)
    }

    fn counted(now_ms: i64, actor: &Actor, event: Event, outcome: ErrorCode, count: u64) -> Result<Self> {
        let notice = Draft::of(event.action, outcome, &event.detail)?;
        let record = tables::audit::Record {
            at_ms: now_ms,
            request_id: actor.request_id.clone(),
            source: actor.source.map(|source| source.to_string()).unwrap_or_default(),
            identities: actor.identities.0.to_string(),
            action: event.action.as_str().to_owned(),
            object: event.object,
            outcome: outcome.as_str().to_owned(),
            detail: event.detail.into_owned(),
            count: i64::try_from(count).unwrap_or(i64::MAX),
            node: Some(actor.node),
            account: actor.account.map(str::to_owned),
        };
        Ok(Self { record, changes: event.changes, told: event.told, notice })
    }

    /// The record alone, of what makes nothing stale.
    pub(crate) fn into_record(self) -> tables::audit::Record {
        self.record
    }

    /// Appends the record, and what the event makes stale, to the transaction in which it happens.
    pub(crate) async fn append(mut self, tx: &mut Tx) -> Result<()> {
        if let Some(told) = self.told {
            self.record.detail = told.add_to(&self.record.detail)?;
            self.record.object = told.told_object().or(self.record.object);
            self.notice = self.notice.map(|notice| notice.of_told(&self.record.detail)).transpose()?;
        }
        let (at_ms, object) = (self.record.at_ms, self.record.object);
        tables::audit::append(tx, self.record).await?;
        if let Some(notice) = self.notice {
            notice.insert(tx, at_ms, object).await?;
        }
        // Last, since on PostgreSQL it waits for the commits of all others that do this.
        for change in &self.changes {
            change.append(tx).await?;
        }
        Ok(())
    }
}

impl Counted {
    /// Whether it counts calls of somebody known.
    const fn is_of_calls(&self) -> bool {
        self.actor.source.is_none()
    }
}

/// Writes the counts of calls. Made only here.
pub(crate) struct WritingCounts(());

impl Evidence for WritingCounts {}
impl MayRead for WritingCounts {}
impl Background for WritingCounts {}

impl Context {
    /// Writes the counts down, also those that could not be written before. What cannot be written is kept.
    pub(crate) async fn flush_counters(&self, all: bool) -> Result<()> {
        let mut waiting = self.counters.waiting().await;
        let mut is_packed = false;
        loop {
            if let Some(parcel) = waiting.first() {
                let written = timeout(PARCEL_WAIT, self.write_parcel(parcel)).await;
                written.map_err(Error::unavailable)??;
                self.counters.written(&mut waiting);
            } else if is_packed {
                return Ok(());
            } else {
                self.counters.pack(&mut waiting, self.clock.now_ms(), all);
                is_packed = true;
            }
        }
    }

    /// Once and no more often, also where an earlier attempt took place and nobody was told.
    pub(crate) async fn write_parcel(&self, parcel: Arc<Parcel>) -> Result<()> {
        let node = self.node;
        let written = self.storage.background(&WritingCounts(()), move |tx| {
            Box::pin(async move {
                if !tables::nodes::counts(tx, node, parcel.number, parcel.at_ms).await? {
                    return Ok(());
                }
                for Counted { actor, event, outcome, count } in parcel.counted.clone() {
                    Entry::counted(parcel.at_ms, &actor, event, outcome, count)?.append(tx).await?;
                }
                Ok::<_, Error>(())
            })
        });
        written.await
    }

    /// At the end, where the counts could not be written: the log is what is left.
    pub(crate) async fn log_unwritten_counts(&self) {
        let mut waiting = self.counters.waiting().await;
        self.counters.pack(&mut waiting, self.clock.now_ms(), true);
        for Counted { actor, event, outcome, count } in waiting.all() {
            let identities = &*actor.identities.0;
            let (action, object) = (event.action.as_str(), event.object.map(|id| id.to_string()));
            error!(identities, source = ?actor.source, action, object, outcome = outcome.as_str(), count,
                "calls that could not be written to the audit records");
        }
    }

    /// Flushes the counts each second until the last user of this Chancery is gone.
    pub(crate) fn flush_counters_each_second(self: &Arc<Self>) {
        self.every(Duration::from_secs(1), "writing counts", |chancery| Box::pin(chancery.flush_counters(false)));
    }
}

#[cfg(test)]
mod tests;

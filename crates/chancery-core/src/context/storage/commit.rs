//! Changing state together with its audit record.

use std::sync::Arc;

use chancery_store::Tx;
use chancery_types::ErrorCode;
use futures::future::BoxFuture;
use tracing::error;

use super::MayCommit;
use crate::{
    Error, Meaning, Result,
    context::{
        Caller, Context, Event,
        record::{Actor, Entry},
    },
};

impl Context {
    /// The one way to change state that people see: runs `work` and writes the audit record in one transaction, then
    /// brings this node's compiled state up to date. If `work` fails, or the record cannot be written, nothing has happened.
    pub(crate) async fn commit<T, W>(&self, by: &impl MayCommit, event: Event, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        self.commit_each(by, vec![event], work).await
    }

    /// The same for a work that several records tell of.
    pub(crate) async fn commit_each<T, W>(&self, by: &impl MayCommit, events: Vec<Event>, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: for<'t> FnOnce(&'t mut Tx) -> BoxFuture<'t, Result<T>> + Send + 'static,
    {
        if let Some(event) = events.iter().find(|event| !by.covers(event.action)) {
            return Err(Error::internal(format!("{} was not what was granted", event.action)));
        }
        let now_ms = self.clock.now_ms();
        let stale = events.iter().any(|event| !event.changes.is_empty());
        let actor = by.actor(self.node);
        let entries = events.into_iter().map(|event| Entry::new(now_ms, &actor, event, ErrorCode::Success));
        let entries = entries.collect::<Result<Vec<_>>>()?;
        let call = actor.call();
        let noted = call.as_ref().map(|(call, _)| Arc::clone(call));
        let done = self
            .storage
            .store
            .write(move |tx| {
                Box::pin(async move {
                    if let Some((call, request_id)) = call {
                        call.claim(tx, &request_id, now_ms).await?;
                    }
                    let done = work(tx).await?;
                    for entry in entries {
                        entry.append(tx).await?;
                    }
                    Ok::<_, Error>(done)
                })
            })
            .await?;
        if let Some(call) = noted {
            call.made();
        }
        if stale {
            self.catch_up_with_own_change().await;
        }
        Ok(done)
    }

    /// Records that an authenticated caller was refused, and hands the refusal back. Where the record cannot be
    /// written the answer is that failure: no attempt goes unseen.
    pub(crate) async fn refused(&self, caller: &Caller, event: Event, refusal: Error) -> Error {
        self.refused_in_name_of(&Actor::of(self.node, caller), event, refusal).await
    }

    /// What came of a change whose work looks at rights itself: that it was forbidden is recorded.
    pub(crate) async fn or_refused<T>(&self, caller: &Caller, event: Event, done: Result<T>) -> Result<T> {
        match done {
            Err(error) if error.meaning() == Meaning::Forbidden => Err(self.refused(caller, event, error).await),
            done => done,
        }
    }

    /// [`refused`](Self::refused) where somebody is known who is no caller yet.
    pub(crate) async fn refused_to(&self, by: &impl MayCommit, event: Event, refusal: Error) -> Error {
        self.refused_in_name_of(&by.actor(self.node), event, refusal).await
    }

    async fn refused_in_name_of(&self, actor: &Actor, event: Event, refusal: Error) -> Error {
        let (now_ms, outcome) = (self.clock.now_ms(), refusal.meaning().error_code());
        let written = match Entry::new(now_ms, actor, event, outcome) {
            Ok(entry) => self.storage.store.write(move |tx| Box::pin(entry.append(tx))).await,
            Err(failure) => Err(failure),
        };
        match written {
            Ok(()) => refusal,
            Err(failure) => {
                error!(error = &failure as &dyn std::error::Error, "a refusal could not be recorded");
                failure
            }
        }
    }
}

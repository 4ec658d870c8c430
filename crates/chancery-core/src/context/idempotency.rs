//! Calls that their senders may repeat because they do not know whether an earlier try arrived: they bear a key of the
//! sender's choice (`Idempotency-Key`), are made once, and are answered alike for a day.
//!
//! The transaction that makes a call notes its key, so that a call is not made twice whatever ends in between. The answer
//! is known after that transaction, and is kept by one of its own.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, Ordering},
};

use chancery_store::{Tx, tables::idempotency_keys};
use chancery_verify::log::leaf::sha256;

use super::{
    Caller, Context,
    storage::{Background, Evidence, MayRead},
};
use crate::{Error, Result};

/// For how long a call is remembered.
const KEPT_MS: i64 = 24 * 60 * 60 * 1_000;

/// For how long after a call was made its answer may be under way.
const UNDER_WAY_MS: i64 = 10_000;

/// Bytes of an answer that is kept, at most. Those that tell of something that was made are far smaller.
const ANSWER_MAX: usize = 64 * 1024;

/// A call with a key.
#[derive(Debug)]
pub struct IdempotentCall {
    id: [u8; 32],
    /// SHA-256 of its body, once that was read to its end.
    body: OnceLock<[u8; 32]>,
    made: AtomicBool,
}

/// Keeps how calls were answered. Made only here.
pub(crate) struct KeepingAnswers(());

impl Evidence for KeepingAnswers {}
impl MayRead for KeepingAnswers {}
impl Background for KeepingAnswers {}

/// A call that was made before under the same key.
#[derive(Debug)]
pub struct MadeBefore {
    body: Option<Vec<u8>>,
    request_id: String,
    /// Empty where it is known and not kept.
    answer: Option<Vec<u8>>,
    /// Whether its answer may be on its way yet.
    is_recent: bool,
}

impl IdempotentCall {
    /// A call of these identities with this method, path and key. Others may use the same key for calls of their own.
    #[must_use]
    pub fn new(caller: &Caller, method: &str, path: &str, key: &[u8]) -> Self {
        let mut identities: Vec<_> = caller.members().iter().map(|member| member.id.to_string()).collect();
        identities.sort_unstable();
        // Else a key that is restricted would be given what its identity was answered.
        identities.extend(caller.restricted_by().map(|key| key.to_string()));
        let mut text = Vec::new();
        for part in [identities.join(" ").as_bytes(), method.as_bytes(), path.as_bytes(), key] {
            text.extend_from_slice(&(part.len() as u64).to_be_bytes());
            text.extend_from_slice(part);
        }
        Self { id: sha256(&text), body: OnceLock::new(), made: AtomicBool::new(false) }
    }

    /// The call's body was read to its end: its SHA-256.
    pub fn body_is(&self, digest: [u8; 32]) {
        let _known_already = self.body.set(digest);
    }

    /// Whether the call has changed something.
    pub fn is_made(&self) -> bool {
        self.made.load(Ordering::Relaxed)
    }

    pub(crate) fn made(&self) {
        self.made.store(true, Ordering::Relaxed);
    }

    /// Notes in the transaction that makes the call that it is made; refuses it where another request made it before. A
    /// call that commits several times, some at the same moment, is noted by the first.
    pub(crate) async fn claim(&self, tx: &mut Tx, request_id: &str, now_ms: i64) -> Result<()> {
        if self.is_made() {
            return Ok(());
        }
        let row = idempotency_keys::Row {
            id: self.id.to_vec(),
            body: self.body.get().map(|digest| digest.to_vec()),
            request_id: request_id.to_owned(),
            answer: None,
            made_at_ms: now_ms,
        };
        if idempotency_keys::claim(tx, &row, now_ms - KEPT_MS).await? {
            return Ok(());
        }
        Err(being_made())
    }
}

impl MadeBefore {
    /// The answer to the same call, which it is if its body is the same.
    pub fn answer_to(self, body: [u8; 32]) -> Result<Vec<u8>> {
        if self.body.is_some_and(|known| known != body) {
            let message = "This Idempotency-Key was used for a call with another body; another call takes another key.";
            return Err(Error::state(message));
        }
        if self.answer.is_none() && self.is_recent {
            return Err(being_made());
        }
        self.answer.filter(|answer| !answer.is_empty()).ok_or_else(|| {
            let message = format!(
                "The call with this Idempotency-Key was made, and its answer is not kept; the audit records of the \
                 request {} tell what it did.",
                self.request_id
            );
            Error::state(message)
        })
    }
}

impl Context {
    /// What is known of an earlier call under the same key.
    pub async fn made_before(&self, caller: &Caller, call: &IdempotentCall) -> Result<Option<MadeBefore>> {
        let (id, now_ms) = (call.id, self.clock.now_ms());
        let known = self.storage.read(&self.grant_to_all(caller), move |tx| {
            Box::pin(async move { Ok::<_, Error>(idempotency_keys::by_id(tx, &id).await?) })
        });
        let known = known.await?.filter(|row| row.made_at_ms >= now_ms - KEPT_MS);
        Ok(known.map(|row| {
            let is_recent = row.made_at_ms >= now_ms - UNDER_WAY_MS;
            MadeBefore { body: row.body, request_id: row.request_id, answer: row.answer, is_recent }
        }))
    }

    /// Keeps how a call was answered that was made, or that its answer is not one to be given again.
    pub async fn keep_answer(&self, _: &Caller, call: &IdempotentCall, answer: Option<&[u8]>) -> Result<()> {
        let answer = answer.filter(|answer| answer.len() <= ANSWER_MAX).unwrap_or_default();
        let (id, answer) = (call.id, answer.to_vec());
        let keep = self.storage.background(&KeepingAnswers(()), move |tx| {
            Box::pin(async move { Ok::<_, Error>(idempotency_keys::answered(tx, &id, &answer).await?) })
        });
        keep.await
    }
}

/// Who repeats the call in a moment gets its answer.
fn being_made() -> Error {
    Error::busy("A call with this Idempotency-Key is being made; repeat it for its answer.", 1)
}

/// Forgets calls that were made too long ago to be repeated.
pub(crate) async fn forget(tx: &mut Tx, now_ms: i64) -> Result<()> {
    Ok(idempotency_keys::forget(tx, now_ms - KEPT_MS).await?)
}

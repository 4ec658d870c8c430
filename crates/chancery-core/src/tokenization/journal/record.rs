//! What each call of the data plane does at its end: it is recorded, and only then answered.

use std::{borrow::Cow, sync::Arc};

use chancery_journal::{Call, Failed, Journal, Records, View};
use chancery_types::{Action, ErrorCode, TokenProfileId, wire::Texts};

use crate::{
    Caller, Error, Meaning, Result, Tokens,
    tokenization::{
        Engine, Profile,
        rules::{DetokenizeGrant, Unpaid, View as Seen},
    },
};

/// A batch of more values is recorded on the pool: it takes some 10 ns for each.
const INLINE: usize = 4_096;

/// What refusals say in `Retry-After`.
const RETRY_AFTER_S: u32 = 5;

/// What is recorded of a call besides who makes it and what comes of it.
pub(crate) struct Noted {
    pub(crate) action: Action,
    values: usize,
    /// How many of them were refused, where the others were not.
    refused: usize,
    view: View,
    key_version: u32,
    is_durable: bool,
    tags: Vec<u8>,
}

impl Noted {
    /// A call of so many values, of which no more is known yet.
    pub(crate) const fn of(action: Action, values: usize) -> Self {
        Self { action, values, refused: 0, view: View::None, key_version: 0, is_durable: false, tags: Vec::new() }
    }

    /// It tokenizes under this profile.
    pub(crate) fn makes(&mut self, profile: &Profile) {
        self.key_version = profile.engine().versions().newest();
        self.is_durable = profile.is_durable;
    }

    /// It detokenizes under this profile, as far as the grant allows; `version` is what the call names.
    pub(crate) fn opens(&mut self, profile: &Profile, grant: &Unpaid<DetokenizeGrant>, version: Option<u32>) {
        self.key_version = profile.engine().version_to_read(version).ok().flatten().unwrap_or_default();
        self.is_durable = profile.is_durable;
        self.view = match grant.view() {
            Seen::Full => View::Full,
            Seen::Partial(_) => View::Partial,
        };
    }

    /// So many of its values are refused, and the others are not.
    pub(crate) const fn without(&mut self, refused: usize) {
        self.refused = refused;
    }

    /// With these tags, behind those that it has.
    pub(crate) fn tagged(&mut self, tags: Vec<u8>) {
        if self.tags.is_empty() {
            self.tags = tags;
        } else {
            self.tags.extend_from_slice(&tags);
        }
    }
}

impl Tokens {
    /// Records a call, and answers what it answers; Unavailable where it cannot be recorded. Counts it, too.
    pub(crate) async fn record_call<T>(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        mut noted: Noted,
        answer: Result<T>,
    ) -> Result<T> {
        if answer.is_err() {
            // Whatever the rule shows: nobody saw anything.
            noted.view = View::None;
        }
        let (outcome, object) = match &answer {
            Ok(_) => (ErrorCode::Success, Some(id.into())),
            Err(error) if error.meaning() == Meaning::NotFound => (error.meaning().error_code(), None),
            Err(error) => (error.meaning().error_code(), Some(id.into())),
        };
        let (action, values, is_durable) = (noted.action, noted.values as u64, noted.is_durable);
        let answered = values.saturating_sub(noted.refused as u64);
        let mut recorded = if noted.tags.len() > INLINE * chancery_journal::TAG_LEN {
            Box::pin(self.append_aside(caller, id, noted, outcome)).await
        } else {
            self.journal().and_then(|journal| append(journal, &self.call(caller, id, noted, outcome)))
        };
        if let (Ok(records), true) = (&recorded, is_durable) {
            let records = *records;
            recorded = Box::pin(self.flushed(records)).await.map(|()| records);
        }
        let outcome = recorded.as_ref().map_or_else(|error| error.meaning().error_code(), |_| outcome);
        self.context.counters.call(caller, action, object, outcome, values);
        if outcome == ErrorCode::Success {
            self.context.activity.call(action, answered);
        }
        recorded.and(answer)
    }

    /// The tag of a token, as its profile knows it.
    pub(crate) fn tag(&self, profile: &Profile, token: &str) -> Result<Vec<u8>> {
        Ok(self.journal()?.tag(&profile.engine().plain(token)).to_vec())
    }

    /// The tags of many tokens, which come back.
    pub(crate) async fn tags(&self, profile: &Arc<Profile>, tokens: Arc<Texts>) -> Result<(Vec<u8>, Arc<Texts>)> {
        let journal = self.journal()?;
        if tokens.len() <= INLINE {
            return Ok((tags(journal, profile.engine(), &tokens), tokens));
        }
        let (journal, profile) = (Arc::clone(journal), Arc::clone(profile));
        self.context.pool.run(move || (tags(&journal, profile.engine(), &tokens), tokens)).await
    }

    /// The same of tokens that nobody else has.
    pub(crate) async fn tags_of(&self, profile: &Arc<Profile>, tokens: &mut Texts) -> Result<Vec<u8>> {
        let (tags, back) = self.tags(profile, Arc::new(std::mem::take(tokens))).await?;
        *tokens = Arc::unwrap_or_clone(back);
        Ok(tags)
    }

    fn journal(&self) -> Result<&Arc<Journal>> {
        self.audit.journal.as_ref().ok_or_else(|| Error::internal("this process has no journal of the data plane"))
    }

    fn call(&self, caller: &Caller, id: TokenProfileId, noted: Noted, outcome: ErrorCode) -> Call<'static> {
        let Noted { action, values, refused: _, view, key_version, is_durable: _, tags } = noted;
        let request = caller.request();
        Call {
            time_ms: self.context.clock.now_ms(),
            request: request.id.0,
            session: caller.session(),
            source: request.source,
            profile: id.into(),
            key_version,
            first: 0,
            total: u32::try_from(values).unwrap_or(u32::MAX),
            view,
            members: caller.members().iter().map(|member| member.id.into()).collect(),
            action: action.as_str(),
            outcome: outcome.as_str(),
            tags,
        }
    }

    /// Appends a call of very many values on the pool.
    async fn append_aside(
        &self,
        caller: &Caller,
        id: TokenProfileId,
        noted: Noted,
        outcome: ErrorCode,
    ) -> Result<Records> {
        let (journal, call) = (Arc::clone(self.journal()?), self.call(caller, id, noted, outcome));
        self.context.pool.run(move || append(&journal, &call)).await?
    }

    async fn flushed(&self, records: Records) -> Result<()> {
        self.journal()?.flushed(records).await.map_err(unrecorded)
    }
}

fn append(journal: &Journal, call: &Call<'_>) -> Result<Records> {
    journal.append(call).map_err(unrecorded)
}

fn unrecorded(_: Failed) -> Error {
    const MESSAGE: &str = "The call could not be written to this node's journal, so it is not answered; try another node, \
        or again when somebody has looked after the journal.";
    Error::out_of_reach(MESSAGE, RETRY_AFTER_S)
}

fn tags(journal: &Journal, engine: &dyn Engine, tokens: &Texts) -> Vec<u8> {
    if let Some((text, length)) = tokens.even(0..tokens.len())
        && (!engine.passes_through() || engine.is_decimal() && are_digits(text))
    {
        return journal.tags_of_even(text, length, tokens.len());
    }
    let plain: Vec<Option<Cow<'_, str>>> = tokens.iter().map(|token| token.map(|token| engine.plain(token))).collect();
    journal.tags(plain.iter().map(Option::as_deref))
}

/// Looks at all of them, which costs less than to stop at the first.
fn are_digits(text: &str) -> bool {
    text.bytes().fold(true, |are, byte| are & byte.is_ascii_digit())
}

//! Who had a token, asked by whoever may read the audit records: this node's own journal is looked through, piece by piece, on a
//! thread that lets others go first, and the answer says which journals it does not speak for.

use std::{
    collections::HashSet,
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use chancery_journal::{Found, Journal, Problem, View, Walk, Walked, walk_while};
use chancery_store::{
    Start,
    tables::{
        audit::{self, Filter},
        journals::Row,
    },
};
use chancery_types::{
    Action, JournalStanding, JournalView, Perm, TokenProfileId,
    wire::journal::{JournalCall, JournalCalls, JournalIdentity, SearchJournal, SearchedJournal},
};
use chancery_verify::hexadecimal;
use serde_json::json;
use tokio::sync::oneshot;
use uuid::Uuid;

use super::cursor::{Cursor, Question};
use crate::{
    Caller, Error, Event, Grant, ListLimits, Result, Tokens,
    audit::{
        journal::{
            JournalKeys,
            known::{self, head},
        },
        moment,
    },
    base::{list::Turn, pool::be_nice},
    context::storage::first_of,
    time::rfc3339_ms,
};

/// Calls of one answer, where nothing is said.
const PAGE: u32 = 50;

/// Places that are named of one record: it may have thousands.
const INDEXES_MAX: usize = 100;

/// How much others go first.
const NICENESS: i32 = 10;

impl Tokens {
    /// Looks through this node's journal for calls that had a token, and says which journals it does not speak for. Every
    /// question is recorded before it is answered.
    pub async fn search_journal(&self, caller: &Caller, asked: SearchJournal) -> Result<JournalCalls> {
        let id = asked.token_profile_uuid;
        let grant = self.context.grant(caller, Perm::AuditRead, Action::JournalSearch, Some(id.into())).await?;
        let (question, page_size) = self.question(&asked)?;
        self.expect_profile(&grant, id).await?;
        let own = self.audit.journal.as_ref().map(|journal| journal.id());
        let cursor = match &asked.after {
            None => Cursor::default(),
            Some(text) => Cursor::read(text, &self.context.custodian, &question, own)?,
        };
        let turn = self.turn_to_search(caller).await?;
        self.context.commit(&grant, self.event_of(&asked, &question), |_| Box::pin(async { Ok(()) })).await?;
        let (key, from_ms) = (self.audit.ledger.0.key.clone(), question.from_ms);
        let read = self
            .context
            .storage
            .read(&grant, move |tx| Box::pin(async move { known::all_and_missing(tx, &key, own, from_ms).await }));
        let (rows, missing) = read.await?;
        let rows: Vec<_> =
            rows.into_iter().filter(|row| known::may_have(row, question.from_ms, question.to_ms)).collect();
        let searched = match &self.audit.journal {
            Some(journal) => {
                let own = rows.iter().find(|row| row.id == journal.id());
                Some(self.look_through(journal, own, &question, (cursor, page_size), turn).await?)
            }
            None => None,
        };
        self.journal_calls(&question, (rows, missing), cursor, searched)
    }

    /// One at a time: each has a core.
    async fn turn_to_search(&self, caller: &Caller) -> Result<Turn> {
        let lists = &self.context.limits.lists;
        let wait_max = lists.wait_max + lists.journal_search_max;
        let limits = ListLimits { at_once: 1, wait_max, ..lists.clone() };
        self.context.read_turns.journals.wait(first_of(caller), &limits).await
    }

    fn question(&self, asked: &SearchJournal) -> Result<(Question, usize)> {
        let SearchJournal { token_profile_uuid: id, token, from, to, page_size, after: _ } = asked;
        if token.is_empty() || token.len() > self.context.limits.value_max {
            return Err(Error::value("/token", "This is no token: it is empty, or too long."));
        }
        let page_size = page_size.unwrap_or(PAGE);
        if !(1..=self.context.limits.page_size_max).contains(&page_size) {
            let message = format!("pageSize is 1 to {}.", self.context.limits.page_size_max);
            return Err(Error::value("/pageSize", message));
        }
        let from_ms = moment("/from", from.clone())?;
        let to_ms = moment("/to", to.clone())?;
        if from_ms.zip(to_ms).is_some_and(|(from, to)| from >= to) {
            return Err(Error::value("/to", "This is not after `from`: no call is of that time."));
        }
        let plain = self.plain_token(*id, token);
        Ok((Question { profile: *id, plain, from_ms, to_ms }, page_size as usize))
    }

    /// The token as its engine sees it. Nobody knows which characters passed through under a profile that was deleted.
    pub(super) fn plain_token(&self, id: TokenProfileId, token: &str) -> String {
        match self.token_profiles.find(id) {
            Ok(profile) => profile.engine().plain(token).into_owned(),
            Err(_) => token.to_owned(),
        }
    }

    /// A wrong id would be answered that nobody had the token.
    async fn expect_profile(&self, grant: &Grant, id: TokenProfileId) -> Result<()> {
        let found = self.token_profiles.find(id);
        if !found.is_err_and(|error| error.meaning() == crate::Meaning::NotFound) {
            return Ok(());
        }
        let deleted = Filter {
            object: Some(id.into()),
            action: Some(Action::TokenProfileDelete.as_str().to_owned()),
            ..Filter::default()
        };
        let scan_max = self.context.limits.lists.scan_max;
        let page = chancery_store::Page { limit: 1, start: Start::Offset(0), count_max: 0, scan_max };
        let read = self.context.storage.read(grant, move |tx| {
            Box::pin(async move { Ok::<_, Error>(audit::list(tx, deleted, &page).await?.rows.is_empty()) })
        });
        if read.await? {
            return Err(Error::selection(
                "/tokenProfileUuid",
                "There is no token profile of this id, and there was none.",
            ));
        }
        Ok(())
    }

    fn event_of(&self, asked: &SearchJournal, question: &Question) -> Event {
        let name = self.token_profiles.find(question.profile).ok().map(|profile| profile.name.clone());
        let hash = hexadecimal(&question.token_hash(&self.context.custodian));
        let mut detail = json!({"tokenHash": hash, "further": asked.after.is_some()});
        let also = [("name", name), ("from", asked.from.clone()), ("to", asked.to.clone())];
        for (member, value) in also {
            if let Some(value) = value {
                detail[member] = value.into();
            }
        }
        Event::new(Action::JournalSearch).on(Uuid::from(question.profile)).detail(detail)
    }

    /// Looks through a part of this node's journal, on a thread of its own, which ends soon where nobody waits any more.
    async fn look_through(
        &self,
        journal: &Arc<Journal>,
        row: Option<&Row>,
        question: &Question,
        (cursor, page_size): (Cursor, usize),
        turn: Turn,
    ) -> Result<Searched> {
        let heads = row.and_then(head).into_iter().chain([journal.head()]).collect();
        let search = Search {
            folder: journal.folder().to_owned(),
            keys: JournalKeys(Arc::clone(&self.context.custodian)),
            what: Walk {
                begins: row.and_then(|row| u64::try_from(row.first_segment).ok()),
                heads,
                time_ms: question.time_ms(),
                after: cursor.after,
            },
            others: self.token_profiles.with_other_tokens(question.profile),
            tag: journal.tag(&question.plain),
            page_size,
            time_max: self.context.limits.lists.journal_search_max,
        };
        let (sender, searched) = oneshot::channel();
        let work = move || {
            be_nice(NICENESS);
            let searched = search.run(&|| !sender.is_closed());
            // Others have their turn before this one's answer is made, and also where nobody is there to take it.
            drop(turn);
            let _nobody_waits = sender.send(searched);
        };
        thread::Builder::new().name("journal-search".to_owned()).spawn(work).map_err(Error::internal)?;
        let mut searched = searched.await.map_err(Error::internal)??;
        // What this process itself removed meanwhile, because its time was over, is no fault.
        let kept_from = journal.kept_from();
        searched.walked.faults.retain(|fault| fault.problem != Problem::Gone || fault.segment >= kept_from);
        Ok(searched)
    }

    fn journal_calls(
        &self,
        question: &Question,
        (rows, missing): (Vec<Row>, Option<i64>),
        cursor: Cursor,
        searched: Option<Searched>,
    ) -> Result<JournalCalls> {
        let own = self.audit.journal.as_ref().map(|journal| journal.id());
        let (walked, mut items) = searched.map_or_else(Default::default, |searched| (searched.walked, searched.calls));
        let removed_before = known::removed_before(&walked);
        let mut faults: Vec<_> = walked.faults.iter().map(ToString::to_string).collect();
        faults.extend(missing.filter(|told_ms| known::is_of_now(*told_ms, &walked)).map(known::missing_before));
        let is_whole = cursor.is_whole && faults.is_empty();
        let begins_late = removed_before.is_some_and(|removed| question.from_ms.is_none_or(|from| from < removed));
        let journals = rows.into_iter().map(|row| match row.id {
            id if Some(id) == own => SearchedJournal {
                standing: if is_whole { JournalStanding::Searched } else { JournalStanding::NotWhole },
                records: Some(walked.records),
                removed_before: removed_before.map(rfc3339_ms),
                faults: faults.clone(),
                ..body_of(&row)
            },
            _ => body_of(&row),
        });
        let mut journals: Vec<_> = journals.collect();
        // This node's own first; the others as the store has them.
        journals.sort_by_key(|journal| Some(journal.uuid) != own.map(Into::into));
        for identity in items.iter_mut().flat_map(|call| &mut call.identities) {
            identity.name = self.identities.state.name_of(identity.uuid);
        }
        let next = walked.left.map(|place| Cursor { after: Some(place), is_whole });
        let are_searched = journals.iter().all(|journal| journal.standing == JournalStanding::Searched);
        Ok(JournalCalls {
            items,
            complete: next.is_none() && are_searched && !begins_late,
            next: next.map(|next| next.write(&self.context.custodian, question, own)),
            journals,
        })
    }
}

/// What a thread looks for.
struct Search {
    folder: PathBuf,
    keys: JournalKeys,
    what: Walk,
    /// Profiles of other tokens. What was called under one that was deleted counts: its tokens may have been these.
    others: HashSet<TokenProfileId>,
    tag: [u8; chancery_journal::TAG_LEN],
    page_size: usize,
    time_max: Duration,
}

/// What it found.
struct Searched {
    walked: Walked,
    calls: Vec<JournalCall>,
}

impl Search {
    fn run(&self, is_awaited: &dyn Fn() -> bool) -> Result<Searched> {
        let (end, calls) = (Instant::now() + self.time_max, std::cell::RefCell::new(Vec::new()));
        let mut failed = None;
        let mut visit = |found: Found<'_>| match self.call(&found) {
            Ok(Some(call)) => calls.borrow_mut().push(call),
            Ok(None) => {}
            Err(error) => failed = failed.take().or(Some(error)),
        };
        let mut goes_on = || calls.borrow().len() < self.page_size && Instant::now() < end && is_awaited();
        let walked = walk_while(&self.folder, &self.keys, &self.what, &mut visit, &mut goes_on);
        let walked = walked.map_err(Error::internal)?;
        match failed {
            Some(error) => Err(error),
            None => Ok(Searched { walked, calls: calls.into_inner() }),
        }
    }

    /// The call, if it had the token.
    fn call(&self, found: &Found<'_>) -> Result<Option<JournalCall>> {
        let call = &found.call;
        let is_of_time = self.what.time_ms.as_ref().is_none_or(|time_ms| time_ms.contains(&call.time_ms));
        if !is_of_time || self.others.contains(&call.profile.into()) {
            return Ok(None);
        }
        let (mut indexes, mut matches) = (Vec::new(), 0);
        for index in call.places_of(&self.tag) {
            matches += 1;
            if indexes.len() < INDEXES_MAX {
                indexes.push(index);
            }
        }
        if matches == 0 {
            return Ok(None);
        }
        let identities = call.members.iter().map(|id| JournalIdentity { uuid: (*id).into(), name: None });
        Ok(Some(JournalCall {
            time: rfc3339_ms(call.time_ms),
            action: call.action.parse().map_err(Error::internal)?,
            outcome: call.outcome.parse().map_err(Error::internal)?,
            view: match call.view {
                View::None => JournalView::None,
                View::Full => JournalView::Full,
                View::Partial => JournalView::Partial,
            },
            identities: identities.collect(),
            source: call.source.to_string(),
            session: call.session.into(),
            request_id: crate::RequestId(call.request).to_string(),
            token_profile_uuid: call.profile.into(),
            key_version: Some(call.key_version).filter(|version| *version > 0),
            values: call.total,
            matches,
            indexes,
            segment: found.segment,
            record: found.record,
        }))
    }
}

/// A journal that was not looked through.
fn body_of(row: &Row) -> SearchedJournal {
    let is_missing = row.missed_at_ms.is_some();
    SearchedJournal {
        uuid: row.id.into(),
        host: row.host.clone(),
        standing: if is_missing { JournalStanding::Missing } else { JournalStanding::Elsewhere },
        began_at: rfc3339_ms(row.began_at_ms),
        written_at: rfc3339_ms(row.written_at_ms),
        records: None,
        removed_before: None,
        faults: Vec::new(),
    }
}

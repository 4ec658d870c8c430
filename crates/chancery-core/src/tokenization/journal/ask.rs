//! What somebody on the host may ask of a journal: who has made or read a token, and whether the journal is whole.

use std::{collections::BTreeSet, path::Path};

use chancery_journal::{Found, Head, View, Walk, Walked, walk};
use chancery_store::tables::journals::Row;
use chancery_types::TokenProfileId;
use chancery_verify::ledger::LedgerCheckpoint;
use uuid::Uuid;

use crate::{
    Error, Host, Result, Tokens,
    audit::journal::{
        JournalKeys,
        known::{self, head},
    },
    context::storage::host_name,
};

/// A call that had a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// The segment.
    pub segment: u64,
    /// The record's number.
    pub record: u64,
    /// When, in milliseconds since 1970 UTC.
    pub time_ms: i64,
    /// The request's id, as answer and log have it.
    pub request_id: String,
    /// The token profile: the one that was asked for, or one that shares its tokens.
    pub profile: Uuid,
    /// The session.
    pub session: Uuid,
    /// From where.
    pub source: String,
    /// Who: ids, with the names that they have now.
    pub identities: Vec<(Uuid, Option<String>)>,
    /// What was done, as the audit records call it.
    pub action: String,
    /// How much of the value was shown: `Full`, `Partial`, or none.
    pub view: Option<&'static str>,
    /// Success, or the errorCode.
    pub outcome: String,
    /// The version of the key; none where the token tells its own.
    pub key_version: Option<u32>,
    /// Values of the call.
    pub values: u32,
    /// The place of the token among them, from 0.
    pub index: u32,
}

/// Whether a journal is whole, and how far it goes.
#[derive(Clone, Debug)]
pub struct JournalState {
    /// What its files say.
    pub walked: Walked,
    /// When a record of the audit told last that a part of it is missing, of the time that is asked for.
    pub missed_at_ms: Option<i64>,
    /// Other journals of this installation that may have calls of that time, and were not looked at.
    pub others: Vec<OtherJournal>,
}

/// A journal that was not looked at.
#[derive(Clone, Debug)]
pub struct OtherJournal {
    /// Its id.
    pub id: Uuid,
    /// The host of its server.
    pub host: String,
    /// Up to when it was known to go, in milliseconds since 1970 UTC, where it is missing.
    pub missing_from_ms: Option<i64>,
    /// Whether it is missing, and was in the folder that was looked at, or nobody knows where.
    pub is_missed_here: bool,
}

impl JournalState {
    /// What is wrong, in words.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let missed = self.missed_at_ms.map(known::missing_before);
        self.walked.faults.iter().map(ToString::to_string).chain(missed).collect()
    }
}

/// What is known of the journals here, and which of them a folder has.
struct Expected {
    journal: Option<Uuid>,
    what: Walk,
    missed_at_ms: Option<i64>,
    others: Vec<Row>,
}

impl Expected {
    /// What was removed because its time was over is not missed any more.
    fn beside(self, folder: &Path, walked: Walked) -> Result<JournalState> {
        let missed_at_ms = self.missed_at_ms.filter(|told_ms| known::is_of_now(*told_ms, &walked));
        let folder = std::path::absolute(folder).map_err(|error| unreadable(folder, &error))?;
        let here = (host_name(), folder.display().to_string());
        let others = self.others.into_iter().map(|row| {
            let was_here = known::has_no_row(&row) || (&row.host, &row.folder) == (&here.0, &here.1);
            let is_missed = row.missed_at_ms.is_some_and(|missed_ms| known::is_of_now(missed_ms, &walked));
            OtherJournal {
                id: row.id,
                missing_from_ms: row.missed_at_ms.map(|_| row.written_at_ms),
                is_missed_here: was_here && is_missed,
                host: row.host,
            }
        });
        Ok(JournalState { missed_at_ms, others: others.collect(), walked })
    }
}

impl Tokens {
    /// Shows every call on a profile that had this token, in the journal in a folder. A segment is read up to its first
    /// fault; faults are in the answer.
    pub async fn who_had_token(
        &self,
        host: &Host,
        folder: &Path,
        (profile, token): (&str, &str),
        time_ms: Option<std::ops::RangeInclusive<i64>>,
        show: &mut (dyn FnMut(JournalEntry) + Send),
    ) -> Result<JournalState> {
        let id = self.profile_named(host, profile).await?;
        let keys = Tagging {
            keys: JournalKeys(std::sync::Arc::clone(&self.context.custodian)),
            token: self.plain_token(id, token),
            tag: Default::default(),
        };
        let others = self.token_profiles.with_other_tokens(id);
        let mut expected = self.expected(host, folder, time_ms.clone()).await?;
        let what = Walk { time_ms: time_ms.clone(), ..std::mem::take(&mut expected.what) };
        let mut visit = |found: Found<'_>| {
            let is_asked = !others.contains(&found.call.profile.into())
                && time_ms.as_ref().is_none_or(|time_ms| time_ms.contains(&found.call.time_ms));
            let Some(tag) = keys.tag.get().filter(|_| is_asked) else { return };
            for index in found.call.places_of(tag) {
                show(entry(&found, index, |id| self.identities.state.name_of(id.into())));
            }
        };
        let walked = walk(folder, &keys, &what, &mut visit).map_err(|error| unreadable(folder, &error))?;
        expected.beside(folder, walked)
    }

    /// Goes through the journal in a folder, and compares it with what the store knows of it, and with heads that
    /// somebody kept: by themselves, or in checkpoints of the audit ledger.
    pub async fn verify_journal(
        &self,
        host: &Host,
        folder: &Path,
        heads: Vec<Head>,
        checkpoints: &[String],
    ) -> Result<JournalState> {
        let keys = JournalKeys(std::sync::Arc::clone(&self.context.custodian));
        let mut expected = self.expected(host, folder, None).await?;
        expected.what.heads.extend(heads);
        if let Some(journal) = expected.journal {
            expected.what.heads.extend(self.heads_in(journal, checkpoints)?);
        }
        let walked = walk(folder, &keys, &expected.what, &mut |_| {}).map_err(|error| unreadable(folder, &error))?;
        expected.beside(folder, walked)
    }

    /// Which journal the folder has, and from where to where it goes by all that is known of it here.
    async fn expected(
        &self,
        host: &Host,
        folder: &Path,
        time_ms: Option<std::ops::RangeInclusive<i64>>,
    ) -> Result<Expected> {
        let keys = JournalKeys(std::sync::Arc::clone(&self.context.custodian));
        let journal = chancery_journal::id_of(folder, &keys).map_err(|error| unreadable(folder, &error))?;
        let (from_ms, to_ms) = time_ms.map(std::ops::RangeInclusive::into_inner).unzip();
        let key = self.audit.ledger.0.key.clone();
        let read = self
            .context
            .storage
            .read(host, move |tx| Box::pin(async move { known::all_and_missing(tx, &key, journal, from_ms).await }));
        let (known, missed_at_ms) = read.await?;
        // A folder without any file is whole by itself.
        if journal.is_none()
            && let Some(lost) = known.iter().find(|row| row.missed_at_ms.is_none())
        {
            let message = format!(
                "There is no journal in {}: by the database there is one, {}, with records up to {}.",
                folder.display(),
                lost.id,
                lost.record
            );
            return Err(Error::value("/journalDir", message));
        }
        let is_other = |row: &&Row| Some(row.id) != journal && known::may_have(row, from_ms, to_ms);
        let others = known.iter().filter(is_other).cloned().collect();
        let row = known.into_iter().find(|row| Some(row.id) == journal);
        let begins = row.as_ref().and_then(|row| u64::try_from(row.first_segment).ok());
        let heads = row.as_ref().and_then(head).into_iter().collect();
        Ok(Expected { journal, what: Walk { begins, heads, ..Walk::default() }, missed_at_ms, others })
    }

    /// How far a journal went by checkpoints of the ledger. Checkpoints that name others alone are no proof of this one: it
    /// may have been begun in the place of one that they name.
    fn heads_in(&self, journal: Uuid, checkpoints: &[String]) -> Result<Vec<Head>> {
        let (mut heads, mut others) = (Vec::new(), BTreeSet::new());
        for note in checkpoints {
            let checkpoint = LedgerCheckpoint::open(note, &self.audit.ledger.0.key)
                .map_err(|why| Error::value("/checkpoint", format!("This is no checkpoint of this ledger: {why}.")))?;
            for anchor in checkpoint.journals {
                if anchor.journal == journal.to_string() {
                    heads.extend(anchor.head.parse::<Head>());
                } else {
                    others.insert(anchor.journal);
                }
            }
        }
        if heads.is_empty() && !others.is_empty() {
            let others = others.into_iter().collect::<Vec<_>>().join(", ");
            let message =
                format!("The journal in this folder, {journal}, is none that the checkpoint names: {others}.");
            return Err(Error::value("/checkpoint", message));
        }
        Ok(heads)
    }

    /// The id of the profile that has this name or id; also of one that was deleted.
    async fn profile_named(&self, host: &Host, text: &str) -> Result<TokenProfileId> {
        if let Ok(id) = text.parse() {
            return Ok(id);
        }
        let name = chancery_store::name_key(text);
        let rows = self.context.storage.read(host, |tx| {
            Box::pin(async move { Ok::<_, Error>(chancery_store::tables::token_profiles::all(tx).await?) })
        });
        let found = rows.await?.into_iter().find(|row| row.name_key == name);
        let missing =
            || Error::value("/profile", "There is no token profile of this name; name a deleted one by its id.");
        found.map(|row| row.id.into()).ok_or_else(missing)
    }
}

/// Computes the tag of a token as soon as the journal's key is known.
struct Tagging {
    keys: JournalKeys,
    token: String,
    tag: std::sync::OnceLock<[u8; chancery_journal::TAG_LEN]>,
}

impl chancery_journal::Keys for Tagging {
    fn make(&self) -> Result<chancery_journal::NewKey, Box<dyn std::error::Error + Send + Sync>> {
        self.keys.make()
    }

    fn open(
        &self,
        id: Uuid,
        sealed: &[u8],
    ) -> Result<chancery_keys::JournalKey, Box<dyn std::error::Error + Send + Sync>> {
        let key = self.keys.open(id, sealed)?;
        self.tag.get_or_init(|| key.tag(self.token.as_bytes()));
        Ok(key)
    }
}

fn entry(found: &Found<'_>, index: u32, name_of: impl Fn(Uuid) -> Option<String>) -> JournalEntry {
    let call = &found.call;
    JournalEntry {
        segment: found.segment,
        record: found.record,
        time_ms: call.time_ms,
        request_id: crate::RequestId(call.request).to_string(),
        profile: call.profile,
        session: call.session,
        source: call.source.to_string(),
        identities: call.members.iter().map(|id| (*id, name_of(*id))).collect(),
        action: call.action.to_owned(),
        view: match call.view {
            View::None => None,
            View::Full => Some("Full"),
            View::Partial => Some("Partial"),
        },
        outcome: call.outcome.to_owned(),
        key_version: Some(call.key_version).filter(|version| *version > 0),
        values: call.total,
        index,
    }
}

fn unreadable(folder: &Path, error: &std::io::Error) -> Error {
    Error::value("/journalDir", format!("{}: {error}", folder.display()))
}

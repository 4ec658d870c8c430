//! Bodies under `/api/v2/audit/journal`.

use serde::{Deserialize, Serialize};

use crate::{Action, ErrorCode, IdentityId, JournalStanding, JournalView, ObjectId, TokenProfileId};

/// Who had this token? What is absent filters nothing.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SearchJournal {
    /// The token profile; also one that was deleted. Profiles that share its tokens are looked for with it.
    pub token_profile_uuid: TokenProfileId,
    /// The token, as it was given out or sent, with or without characters that pass through.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 65536))]
    pub token: String,
    /// Only calls not before this moment (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Only calls before this moment (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Calls of one answer, 1 to 1,000; 50 where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(minimum = 1, maximum = 1000))]
    pub page_size: Option<u32>,
    /// The `next` of an answer of the same server to the same question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Calls that had a token, the oldest first, as far as this server's journal was looked through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct JournalCalls {
    /// The calls. There may be none in an answer that has a `next`: so far nothing was found.
    pub items: Vec<JournalCall>,
    /// What `after` shall be for what comes next; absent where all of this server's journal was looked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// Whether this and the answers before it have all calls of this token in the time that was asked for: `next` is absent,
    /// every journal of the installation that may have some is `Searched`, and none of them begins later than `from`.
    pub complete: bool,
    /// The journals that may have calls of that time: those of all servers, and of former ones; that of the server that answers is the
    /// first.
    pub journals: Vec<SearchedJournal>,
}

/// A journal, and what became of it in a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SearchedJournal {
    /// Its id, by which audit records and checkpoints of the ledger name it too.
    pub uuid: ObjectId,
    /// The host of its server.
    pub host: String,
    /// What became of it.
    pub standing: JournalStanding,
    /// When it began (RFC 3339).
    pub began_at: String,
    /// When the database last heard how far it goes (RFC 3339).
    pub written_at: String,
    /// Records that this answer looked through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<u64>,
    /// Calls before this moment were removed because their time was over (RFC 3339).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_before: Option<String>,
    /// The places at which it is not as it was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
}

/// A call that had the token, or the part of one that is in one record of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct JournalCall {
    /// When (RFC 3339, UTC, to the millisecond).
    pub time: String,
    /// What was done.
    pub action: Action,
    /// How it ended.
    pub outcome: ErrorCode,
    /// How much of the value was shown.
    pub view: JournalView,
    /// In whose name, with the names that they have now.
    pub identities: Vec<JournalIdentity>,
    /// The address that it came from.
    pub source: String,
    /// The session.
    pub session: ObjectId,
    /// The id of the request, as its answer and the log have it.
    pub request_id: String,
    /// The token profile under which it was.
    pub token_profile_uuid: TokenProfileId,
    /// The version of the key; absent where each token tells its own, or none was used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_version: Option<u32>,
    /// Values of the whole call.
    pub values: u32,
    /// How many of those in this record had the token.
    pub matches: u32,
    /// The places of the first hundred of them among the call's values, from 0.
    pub indexes: Vec<u32>,
    /// The segment of the journal: `chancery audit verify-journal` names places by it and the record's number.
    pub segment: u64,
    /// The record's number.
    pub record: u64,
}

/// An identity of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct JournalIdentity {
    /// Its id.
    pub uuid: IdentityId,
    /// Its name now; absent where it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

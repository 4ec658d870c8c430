//! GET /api/v2/audit behind the door.

use chancery_store::tables::audit::{self, Filter, Row};
use chancery_types::{
    Action, Perm,
    wire::{
        Items, ListQuery,
        audit::{AuditQuery, AuditRecord},
    },
};

use crate::{
    Caller, Chancery, Error, Result,
    list::{InOrder, Page, items},
    time::{parse_rfc3339, rfc3339_ms},
};

impl Chancery {
    /// The audit records, the newest first.
    pub async fn audit_records(&self, caller: &Caller, query: AuditQuery) -> Result<Items<AuditRecord>> {
        let grant = self.grant(caller, Perm::AuditRead, Action::AuditRead, None).await?;
        let AuditQuery { page, page_size, after, from, to, action, outcome, identity_uuid, object_uuid } = query;
        let query = ListQuery { page, page_size, after, search: None };
        let rows = Page::in_order(InOrder::Newest, &query, &self.limits)?.rows();
        let filter = Filter {
            from_ms: moment("/from", from)?,
            to_ms: moment("/to", to)?,
            action: action.map(|action| action.as_str().to_owned()),
            outcome: outcome.map(|outcome| outcome.as_str().to_owned()),
            identity: identity_uuid.map(Into::into),
            object: object_uuid.map(Into::into),
        };
        let listed = self
            .read_list(caller, &grant, move |tx| Box::pin(async move { Ok(audit::list(tx, filter, &rows).await?) }));
        items(listed.await?, body_of)
    }
}

fn moment(field: &str, text: Option<String>) -> Result<Option<i64>> {
    let Some(text) = text else { return Ok(None) };
    let refusal = || Error::value(field, "This is a moment of RFC 3339, such as 2026-06-21T12:00:00Z.");
    parse_rfc3339(&text).map(Some).ok_or_else(refusal)
}

fn body_of(row: Row) -> Result<AuditRecord> {
    let record = row.record;
    Ok(AuditRecord {
        number: row.seq,
        time: rfc3339_ms(record.at_ms),
        request_id: record.request_id,
        source: record.source,
        identities: serde_json::from_str(&record.identities).map_err(Error::internal)?,
        node: record.node.map(Into::into),
        account: record.account.map(|account| serde_json::from_str(&account)).transpose().map_err(Error::internal)?,
        action: record.action.parse().map_err(Error::internal)?,
        object_uuid: record.object.map(Into::into),
        outcome: record.outcome.parse().map_err(Error::internal)?,
        detail: serde_json::from_str(&record.detail).map_err(Error::internal)?,
        count: record.count,
    })
}

//! GET /api/v2/audit and its export behind the door.

use std::fmt::Display;

use chancery_store::{
    Start,
    tables::audit::{self, Filter, Row},
};
use chancery_types::{
    Action, ErrorCode, Perm,
    wire::{
        Items, ListQuery,
        audit::{AuditExportQuery, AuditQuery, AuditRecord},
    },
};
use serde_json::json;
use tracing::error;

use super::{archives::here_from, ledger::Part};
use crate::{
    Audit, Caller, Error, Event, Grant, Result,
    base::list::{InOrder, Page, items},
    time::{parse_rfc3339, rfc3339_ms},
};

/// Records that are read at a time for an export. One has some 20 KiB at most, and usually less than one.
const PIECE: u32 = 200;

/// An export that was begun and recorded: what is left of it is read piece by piece.
pub struct AuditExport {
    grant: Grant,
    /// None where there is no more.
    next: Option<Next>,
}

/// What of an export comes next.
enum Next {
    /// Records that the filter leaves, from there on.
    Records(Filter, Start),
    /// Part of the ledger.
    Ledger(Part),
}

impl Audit {
    /// The audit records, the newest first.
    pub async fn audit_records(&self, caller: &Caller, query: AuditQuery) -> Result<Items<AuditRecord>> {
        let grant = self.context.grant(caller, Perm::AuditRead, Action::AuditRead, None).await?;
        let AuditQuery { page, page_size, after, from, to, action, outcome, .. } = query;
        let AuditQuery { identity_uuid, object_uuid, node_uuid, concerns, .. } = query;
        let query = ListQuery { page, page_size, after, search: None };
        let rows = Page::in_order(InOrder::Newest, &query, &self.context.limits)?.rows();
        let asked = AuditExportQuery {
            from,
            to,
            action,
            outcome,
            identity_uuid,
            object_uuid,
            node_uuid,
            concerns,
            ledger: None,
        };
        let filter = filter_of(asked)?;
        let listed = self
            .context
            .read_list(caller, &grant, move |tx| Box::pin(async move { Ok(audit::list(tx, filter, &rows).await?) }));
        items(listed.await?, |row| Ok(body_of(row)))
    }

    /// Up to which moment back all records are here, at hand or in archives. None where there are none.
    pub(crate) async fn audit_reaches_back_to(&self, caller: &Caller, grant: &Grant) -> Result<Option<i64>> {
        let read = self.context.read_list(caller, grant, |tx| {
            Box::pin(async move { Ok((here_from(tx).await?, audit::first_at_ms(tx).await?)) })
        });
        let (archived, first) = read.await?;
        Ok(archived.or(first))
    }

    /// Begins an export of the audit records and records it, before anybody has the first of them. What is written after
    /// its first piece was read is newer than all that follows, and so not in it. Of the ledger it is all that there is by
    /// now, made leaves first.
    pub async fn begin_audit_export(&self, caller: &Caller, query: AuditExportQuery) -> Result<AuditExport> {
        let grant = self.context.grant(caller, Perm::AuditRead, Action::AuditExport, None).await?;
        let asked = serde_json::to_value(&query).map_err(Error::internal)?;
        let is_of_ledger = query.ledger == Some(true);
        if is_of_ledger && query != (AuditExportQuery { ledger: query.ledger, ..AuditExportQuery::default() }) {
            return Err(Error::value("/ledger", "The ledger is exported as a whole: leave the filters out."));
        }
        let filter = filter_of(query)?;
        let event = Event::new(Action::AuditExport).detail(json!({"filters": asked}));
        self.context.commit(&grant, event, |_| Box::pin(async { Ok(()) })).await?;
        if !is_of_ledger {
            return Ok(AuditExport { grant, next: Some(Next::Records(filter, Start::Offset(0))) });
        }
        // A ledger that cannot go on, since somebody wrote into it, is exported all the same, with what shows it.
        let sequenced = self.sequence_ledger().await;
        let is_settled = sequenced.inspect_err(|error| error!(%error, "extending the audit ledger failed")).is_ok();
        let key = self.ledger.0.key.clone();
        let first = self
            .context
            .read_list(caller, &grant, move |tx| Box::pin(async move { Part::first(tx, &key, is_settled).await }));
        let next = Some(Next::Ledger(first.await?));
        Ok(AuditExport { grant, next })
    }

    /// The next records of an export, a line of JSON each; none at its end. Unauthenticated once the session that began it
    /// has ended, or may no longer read them.
    pub async fn continue_audit_export(&self, caller: &Caller, export: &mut AuditExport) -> Result<Option<Vec<u8>>> {
        let Some(next) = export.next.take() else { return Ok(None) };
        let caller = self.identities.still(caller).await.filter(|caller| caller.has(Perm::AuditRead));
        let caller = &caller.ok_or_else(Error::unauthenticated)?;
        let (filter, start) = match next {
            Next::Records(filter, start) => (filter, start),
            Next::Ledger(part) => {
                let read = self.context.read_list(caller, &export.grant, move |tx| Box::pin(part.read(tx)));
                let (lines, next) = read.await?;
                export.next = next.map(Next::Ledger);
                return Ok(Some(lines));
            }
        };
        let page =
            chancery_store::Page { limit: PIECE, start, count_max: 0, scan_max: self.context.limits.lists.scan_max };
        let asked = filter.clone();
        let listed = self.context.read_list(caller, &export.grant, move |tx| {
            Box::pin(async move { Ok(audit::list(tx, asked, &page).await?) })
        });
        let listed = listed.await?;
        export.next = listed.next.map(|row| Next::Records(filter, Start::After(row)));
        let mut lines = Vec::new();
        for row in listed.rows {
            serde_json::to_writer(&mut lines, &body_of(row)).map_err(Error::internal)?;
            lines.push(b'\n');
        }
        Ok(Some(lines))
    }
}

fn filter_of(query: AuditExportQuery) -> Result<Filter> {
    let AuditExportQuery { from, to, action, outcome, identity_uuid, object_uuid, node_uuid, concerns, ledger: _ } =
        query;
    Ok(Filter {
        from_ms: moment("/from", from)?,
        to_ms: moment("/to", to)?,
        action: action.map(|action| action.as_str().to_owned()),
        outcome: outcome.map(|outcome| outcome.as_str().to_owned()),
        identity: identity_uuid.map(Into::into),
        object: object_uuid.map(Into::into),
        node: node_uuid.map(Into::into),
        actions: concerns.map(|concern| concern.actions().iter().map(|action| action.as_str().to_owned()).collect()),
    })
}

pub(crate) fn moment(field: &str, text: Option<String>) -> Result<Option<i64>> {
    let Some(text) = text else { return Ok(None) };
    let refusal = || Error::value(field, "This is a moment of RFC 3339, such as 2026-06-21T12:00:00Z.");
    parse_rfc3339(&text).map(Some).ok_or_else(refusal)
}

/// The record as everybody gets it. One that cannot be read, because somebody wrote into the database, is told as such, and
/// hides none of the others.
pub(super) fn body_of(row: Row) -> AuditRecord {
    let (number, at_ms) = (row.seq, row.record.at_ms);
    read(row).unwrap_or_else(|why| {
        error!(number, %why, "an audit record is not what Chancery wrote: somebody else wrote into the database");
        AuditRecord {
            number,
            time: rfc3339_ms(at_ms),
            request_id: String::new(),
            source: String::new(),
            identities: Vec::new(),
            node: None,
            account: None,
            action: Action::RowRefuse,
            object_uuid: None,
            outcome: ErrorCode::InternalError,
            detail: json!({"table": "audit", "unreadable": why}),
            count: 1,
        }
    })
}

fn read(Row { seq, record, unreadable }: Row) -> Result<AuditRecord, String> {
    if let Some(why) = unreadable {
        return Err(why);
    }
    let wrong = |column: &str, why: &dyn Display| format!("column {column}: {why}");
    let json = |column: &'static str| move |error: serde_json::Error| wrong(column, &error);
    Ok(AuditRecord {
        number: seq,
        time: rfc3339_ms(record.at_ms),
        request_id: record.request_id,
        source: record.source,
        identities: serde_json::from_str(&record.identities).map_err(json("identities"))?,
        node: record.node.map(Into::into),
        account: record.account.map(|text| serde_json::from_str(&text)).transpose().map_err(json("account"))?,
        action: record.action.parse().map_err(|error| wrong("action", &error))?,
        object_uuid: record.object.map(Into::into),
        outcome: record.outcome.parse().map_err(|error| wrong("outcome", &error))?,
        detail: serde_json::from_str(&record.detail).map_err(json("detail"))?,
        count: record.count,
    })
}

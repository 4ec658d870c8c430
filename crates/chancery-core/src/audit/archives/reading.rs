//! What archives have, for who reads or ships it: GET /api/v2/audit/archives and the download of one, behind the door.

use chancery_store::{
    Tx,
    tables::{
        audit_archives::{self, Head, Row},
        audit_ledger,
    },
};
use chancery_types::{
    Action, Perm,
    wire::{
        Items, ListQuery,
        audit_archives::{ArchiveQuery, AuditArchive},
    },
};
use chancery_verify::hexadecimal;
use serde_json::json;
use tracing::error;

use super::lines::{Archived, lines_of, records};
use crate::{
    Audit, Caller, Error, Event, Grant, Result,
    base::list::{InOrder, Page, items},
    time::rfc3339_ms,
};

impl Audit {
    /// The archives, the oldest first.
    pub async fn audit_archives(&self, caller: &Caller, query: ArchiveQuery) -> Result<Items<AuditArchive>> {
        let grant = self.context.grant(caller, Perm::AuditRead, Action::AuditRead, None).await?;
        let ArchiveQuery { page_size, after } = query;
        let query = ListQuery { page: None, page_size, after, search: None };
        let rows = Page::in_order(InOrder::Number, &query, &self.context.limits)?.rows();
        let listed = self
            .context
            .read_list(caller, &grant, move |tx| Box::pin(async move { Ok(audit_archives::list(tx, &rows).await?) }));
        items(listed.await?, |head| Ok(body_of(&head)))
    }

    /// The first leaf and the lines of the archive that begins with this leaf; that somebody got them is recorded before. Without one
    /// those of the oldest archive, or none where there is none.
    pub async fn audit_archive(&self, caller: &Caller, first_leaf: Option<i64>) -> Result<(Option<i64>, Vec<u8>)> {
        let grant = self.context.grant(caller, Perm::AuditRead, Action::AuditExport, None).await?;
        let read = self.context.read_list(caller, &grant, move |tx| {
            Box::pin(async move {
                Ok(match first_leaf {
                    Some(leaf) => audit_archives::by_first_leaf(tx, leaf).await?,
                    None => audit_archives::behind(tx, i64::MIN).await?,
                })
            })
        });
        let row = read.await?;
        if row.is_none() && first_leaf.is_some() {
            return Err(Error::selection("/firstLeaf", "There is no archive that begins with this leaf."));
        }
        let lines = row.as_ref().map(|row| lines_of(row).ok_or_else(|| unreadable(row))).transpose()?;
        let first_leaf = row.map(|row| row.head.first_leaf);
        let event = Event::new(Action::AuditExport).detail(json!({"archive": first_leaf}));
        self.context.commit(&grant, event, |_| Box::pin(async { Ok(()) })).await?;
        Ok((first_leaf, lines.unwrap_or_default().into_bytes()))
    }
}

fn body_of(head: &Head) -> AuditArchive {
    let Head { first_leaf, leaves, records, first_at_ms, last_at_ms, made_at_ms, bytes, sha256 } = head;
    AuditArchive {
        first_leaf: *first_leaf,
        leaves: *leaves,
        records: *records,
        from: rfc3339_ms(*first_at_ms),
        to: rfc3339_ms(*last_at_ms),
        made_at: rfc3339_ms(*made_at_ms),
        bytes: *bytes,
        sha256: hexadecimal(sha256),
    }
}

fn unreadable(row: &Row) -> Error {
    let first_leaf = row.head.first_leaf;
    error!(first_leaf, "an archive of the audit records is not what was put into it: somebody wrote into the database");
    Error::internal(format!("archive {first_leaf} of the audit records cannot be read"))
}

/// The lines of the first archive behind a leaf, and with which leaf it begins; where it cannot be read, a line that says so.
pub(in crate::audit) async fn lines_behind(tx: &mut Tx, leaf: i64) -> Result<Option<(Vec<u8>, i64)>> {
    let Some(row) = audit_archives::behind(tx, leaf).await? else { return Ok(None) };
    let first_leaf = row.head.first_leaf;
    let lines = lines_of(&row).unwrap_or_else(|| format!("{}\n", json!({"unreadableArchive": first_leaf})));
    Ok(Some((lines.into_bytes(), first_leaf)))
}

impl Audit {
    /// The last archive that begins before a leaf: with which one it does, and its records; none of these where somebody changed it.
    pub(crate) async fn archived_before(
        &self,
        caller: &Caller,
        grant: &Grant,
        leaf: i64,
    ) -> Result<Option<(i64, Option<Vec<Archived>>)>> {
        let read = self
            .context
            .read_list(caller, grant, move |tx| Box::pin(async move { Ok(audit_archives::before(tx, leaf).await?) }));
        let row = read.await?;
        Ok(row.map(|row| (row.head.first_leaf, lines_of(&row).as_deref().and_then(records))))
    }

    /// With which leaf the newest archive begins, and how many leaves were removed: while neither changes, nothing is moved or removed.
    pub(crate) async fn archives_stand(&self, caller: &Caller, grant: &Grant) -> Result<(Option<i64>, i64)> {
        self.context
            .read_list(caller, grant, |tx| {
                Box::pin(async move {
                    let newest = audit_archives::newest(tx).await?.map(|newest| newest.first_leaf);
                    Ok((newest, audit_ledger::removed(tx).await?))
                })
            })
            .await
    }
}

impl Archived {
    /// The records of the archive that goes over a leaf, and where it ends; none where the leaf is in none.
    pub(in crate::audit) async fn over(tx: &mut Tx, leaf: i64) -> Result<Option<(Vec<Self>, i64)>> {
        let Some(row) = audit_archives::of_leaf(tx, leaf).await? else { return Ok(None) };
        let records = lines_of(&row).as_deref().and_then(records).ok_or_else(|| unreadable(&row))?;
        Ok(Some((records, row.head.first_leaf.saturating_add(row.head.leaves))))
    }
}

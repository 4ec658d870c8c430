//! Proposals. Their submission is the first decision on them.

use uuid::Uuid;

use super::signing_requests::Overdue;
use crate::authority::{Authority, authority, inserting};
use crate::value::Bind;
use crate::{List, Listed, Order, Page, StoreError, Tx, sql};

/// A proposal as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// What is proposed.
    pub kind: String,
    /// The service that it is about.
    pub service_id: Option<Uuid>,
    /// The policy that it is about.
    pub policy_id: Option<Uuid>,
    /// The certificate profile that it is about.
    pub profile_id: Option<Uuid>,
    /// The authority that it is about.
    pub issuer_id: Option<Uuid>,
    /// What was issued.
    pub certificate_id: Option<Uuid>,
    /// Its name as people wrote it.
    pub name: String,
    /// The name in one letter case.
    pub name_key: String,
    /// What people approve, in JSON.
    pub content: String,
    /// Where it stands.
    pub state: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// Approvals that it took at submission.
    pub required_at_submission: u32,
    /// When it was made.
    pub submitted_at_ms: i64,
    /// When it took effect, was denied or failed.
    pub decided_at_ms: Option<i64>,
    /// When it stops waiting; none where it waits for ever.
    pub expires_at_ms: Option<i64>,
    /// How often it has changed.
    pub version: i64,
    /// The token profile that it is about.
    pub token_profile_id: Option<Uuid>,
}

/// What a decision makes of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it stands now.
    pub state: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// What was issued.
    pub certificate_id: Option<Uuid>,
    /// When it took effect, was denied or failed; none while it waits.
    pub decided_at_ms: Option<i64>,
}

/// Which proposals a list shall have; what is absent does not filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this kind.
    pub kind: Option<String>,
    /// Only about this policy.
    pub policy_id: Option<Uuid>,
    /// Only about this certificate profile.
    pub profile_id: Option<Uuid>,
    /// Only about this authority.
    pub issuer_id: Option<Uuid>,
    /// Only about this token profile.
    pub token_profile_id: Option<Uuid>,
    /// Only what waits and does so at this moment still.
    pub waiting_at_ms: Option<i64>,
    /// Only where the name contains this term.
    pub search: Option<String>,
    /// Only what one of these identities proposed or may use.
    pub own: Option<Vec<Uuid>>,
}

macro_rules! columns {
    () => {
        "id, kind, service_id, policy_id, profile_id, issuer_id, certificate_id, name, name_key, content, state, \
         reason, required_at_submission, submitted_at_ms, decided_at_ms, expires_at_ms, version, \
         token_profile_id, mac"
    };
}

const COLUMNS: &str = columns!();
const BY_ID: &str = concat!("SELECT ", columns!(), " FROM proposals WHERE id = $1");
const NEWEST_OF_SERVICE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM proposals WHERE service_id = $1 AND kind = $2 ORDER BY submitted_at_ms DESC, id LIMIT 1"
);
const OVERDUE: &str = "SELECT id, name, service_id, expires_at_ms FROM proposals \
    WHERE state = 'Approval' AND expires_at_ms <= $3 \
    AND (expires_at_ms > $1 OR (expires_at_ms = $1 AND id > $2)) ORDER BY expires_at_ms, id LIMIT $4";
const CHANGE: &str = "UPDATE proposals SET state = $3, reason = $4, decided_at_ms = $5, certificate_id = $6, \
    version = $7, mac = $8 WHERE id = $1 AND version = $2";

/// Adds a proposal.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    inserting(tx, row, row.version)?.execute(tx).await?;
    Ok(())
}

/// The proposal with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// What is answered of a proposal whose submission was taken away: whoever made it could approve it.
pub fn refused(tx: &Tx, id: Uuid) -> StoreError {
    tx.authenticator().refuse(&Row::TABLE, &[id.into_value().stored()])
}

/// The last that was made of this kind about a service.
pub async fn newest_of_service(tx: &mut Tx, service: Uuid, kind: &str) -> Result<Option<Row>, StoreError> {
    sql(NEWEST_OF_SERVICE).bind(service).bind(kind).optional(tx).await
}

/// Changes a proposal that is still at the version that it was read at; false when somebody else was faster.
pub async fn change(tx: &mut Tx, before: &Row, change: &Change) -> Result<bool, StoreError> {
    let Change { state, reason, certificate_id, decided_at_ms } = change.clone();
    let after = Row { state, reason, certificate_id, decided_at_ms, version: before.version + 1, ..before.clone() };
    let mac = tx.seal(&Row::TABLE, &after.values(), after.version)?;
    let rows = sql(CHANGE)
        .bind(before.id)
        .bind(before.version)
        .bind(&after.state)
        .bind(after.reason)
        .bind(after.decided_at_ms)
        .bind(after.certificate_id)
        .bind(after.version)
        .bind(mac)
        .execute(tx)
        .await?;
    Ok(rows == 1)
}

/// Proposals whose time to wait was over by `now_ms`, from after this moment and id on, in this order.
pub async fn overdue(
    tx: &mut Tx,
    (from_ms, from_id): (i64, Uuid),
    now_ms: i64,
    limit: u32,
) -> Result<Vec<Overdue>, StoreError> {
    sql(OVERDUE).bind(from_ms).bind(from_id).bind(now_ms).bind(limit).all(tx).await
}

/// The proposals that pass a filter, by name.
pub async fn list(tx: &mut Tx, filter: Filter, page: &Page) -> Result<Listed<Row>, StoreError> {
    list_of(filter).page(tx, page).await
}

pub(crate) fn list_of(filter: Filter) -> List {
    const WAITING: &str = "(expires_at_ms IS NULL OR expires_at_ms > ?)";
    const OWN: &str = "(id IN (SELECT proposal_id FROM proposal_identities WHERE identity_id IN (?)) \
        OR id IN (SELECT id FROM pre_approvals WHERE submitter_id IN (?)))";
    let Filter { kind, policy_id, profile_id, issuer_id, token_profile_id, waiting_at_ms, search, own } = filter;
    let list = List::new(COLUMNS, "proposals", Order::Name("name_key", "id"));
    let list = match (policy_id, waiting_at_ms) {
        (Some(policy), waiting) => {
            let waits = "state = 'Approval' AND (expires_at_ms IS NULL OR expires_at_ms > ?)";
            list.arm("policy_id = ?", [policy.into_value()]).filter(waits, waiting)
        }
        (None, Some(now)) => list.arm("state = 'Approval'", []).filter(WAITING, Some(now)),
        (None, None) => list,
    };
    list.filter("kind = ?", kind)
        .filter("profile_id = ?", profile_id)
        .filter("issuer_id = ?", issuer_id)
        .filter("token_profile_id = ?", token_profile_id)
        .search("name_key", search.as_deref())
        .filter_in(OWN, own)
}

authority!(Row, "proposals", keys 1, {
    id, kind, service_id, policy_id, profile_id, issuer_id, certificate_id, name, name_key, content, state, reason,
    required_at_submission, submitted_at_ms, decided_at_ms, expires_at_ms, version, token_profile_id,
});

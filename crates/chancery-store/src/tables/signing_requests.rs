//! Signing requests and their payloads.

use uuid::Uuid;

use super::{services, submitter_sets};
use crate::authority::{self, Authority, authority, inserting};
use crate::list::ARMS_MAX;
use crate::value::Bind;
use crate::{Columns, FromColumns, List, Listed, Order, Page, StoreError, Tx, pattern, sql};

/// A request as stored, without its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// The service whose key signs.
    pub service_id: Uuid,
    /// The policy it is under.
    pub policy_id: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// The name in one letter case.
    pub name_key: String,
    /// Where it stands.
    pub state: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// The payload's digest.
    pub digest: Vec<u8>,
    /// The signature, once it is there.
    pub signature: Option<Vec<u8>>,
    /// Approvals that the policy asked for at submission.
    pub required_at_submission: u32,
    /// When it was submitted.
    pub submitted_at_ms: i64,
    /// When it was signed, denied or failed.
    pub decided_at_ms: Option<i64>,
    /// When it stops waiting; none where it waits for ever.
    pub expires_at_ms: Option<i64>,
    /// What becomes of a signature that the file has already.
    pub existing_signature: Option<String>,
    /// The pre-approval that stood in for its approvals.
    pub pre_approval_id: Option<Uuid>,
    /// The failed request that it repeats.
    pub repeats_id: Option<Uuid>,
    /// Items of a manifest; 0 where it is none.
    pub items: u32,
    /// The set of identities that submitted it.
    pub submitters_id: Uuid,
    /// How often it has changed.
    pub version: i64,
    /// What an approval is of; none where that is the payload's digest.
    pub approval_digest: Option<Vec<u8>>,
}

/// What a list reads of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    /// Its id.
    pub id: Uuid,
    /// The service whose key signs.
    pub service_id: Uuid,
    /// The policy it is under.
    pub policy_id: Uuid,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub state: String,
    /// When it was submitted.
    pub submitted_at_ms: i64,
    /// When it stops waiting.
    pub expires_at_ms: Option<i64>,
    /// The pre-approval that stood in for its approvals.
    pub pre_approval_id: Option<Uuid>,
    /// What an approval is of.
    pub approval_digest: Vec<u8>,
}

/// What a decision makes of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where it stands now.
    pub state: String,
    /// Why it failed.
    pub reason: Option<String>,
    /// The signature.
    pub signature: Option<Vec<u8>>,
    /// When it was signed, denied or failed; none while it waits.
    pub decided_at_ms: Option<i64>,
}

/// Something whose time to wait for approvals is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overdue {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// The service that it is about.
    pub service_id: Option<Uuid>,
    /// When its time was over.
    pub expires_at_ms: i64,
}

impl FromColumns for Overdue {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            name: columns.get("name")?,
            service_id: columns.optional("service_id")?,
            expires_at_ms: columns.get("expires_at_ms")?,
        })
    }
}

/// Which requests a list shall have; what is absent does not filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this service.
    pub service_id: Option<Uuid>,
    /// Only those that this pre-approval stood in for.
    pub pre_approval_id: Option<Uuid>,
    /// Only in this state, as stored.
    pub state: Option<String>,
    /// Only those that wait longer than until this moment, or that wait no more.
    pub unexpired_at_ms: Option<i64>,
    /// Only those that failed, or whose time to wait was over at this moment.
    pub failed_at_ms: Option<i64>,
    /// Only where the name, or what the submitter claimed, contains this term.
    pub search: Option<String>,
    /// Only with all of these pairs in its metadata, each as its hash.
    pub pairs: Vec<Vec<u8>>,
    /// Only those that one of these identities submitted.
    pub submitters: Option<Vec<Uuid>>,
}

const BY_ID: &str = "SELECT id, service_id, policy_id, name, name_key, state, reason, digest, signature, \
    required_at_submission, submitted_at_ms, decided_at_ms, expires_at_ms, existing_signature, pre_approval_id, \
    repeats_id, items, submitters_id, version, approval_digest, mac \
    FROM signing_requests WHERE id = $1";
const CHANGE: &str = "UPDATE signing_requests \
    SET state = $3, reason = $4, signature = $5, decided_at_ms = $6, version = $7, mac = $8 \
    WHERE id = $1 AND version = $2";
const OVERDUE: &str = "SELECT id, name, service_id, expires_at_ms FROM signing_requests \
    WHERE state <> 'Signed' AND state = 'Approval' AND expires_at_ms <= $3 \
    AND (expires_at_ms > $1 OR (expires_at_ms = $1 AND id > $2)) ORDER BY expires_at_ms, id LIMIT $4";
const SIGNED_SINCE: &str = "SELECT CAST(COALESCE(SUM(CASE WHEN items = 0 THEN 1 ELSE \
        (SELECT COUNT(*) FROM signing_item_results i WHERE i.request_id = r.id AND i.signature IS NOT NULL) \
    END), 0) AS BIGINT) AS signed, CAST(MIN(decided_at_ms) AS BIGINT) AS earliest \
    FROM signing_requests r WHERE policy_id = $1 AND decided_at_ms > $2 AND state = 'Signed'";
pub(crate) const LAST_MANIFEST: &str = "SELECT id FROM signing_requests \
    WHERE policy_id = $1 AND decided_at_ms < $2 AND items > 0 AND state = 'Signed' ORDER BY decided_at_ms DESC LIMIT 1";
const INSERT_PAYLOAD: &str = "INSERT INTO signing_payloads (request_id, payload) VALUES ($1, $2)";
const PAYLOAD_SIZE: &str = "SELECT octet_length(payload) FROM signing_payloads WHERE request_id = $1";
const PAYLOAD: &str = "SELECT payload FROM signing_payloads WHERE request_id = $1";
const PAGE_HASHES: &str = "SELECT request_id, page_hashes, mac FROM signing_page_hashes WHERE request_id = $1";

const PROGRAM: &str = "SELECT request_id, name, url, mac FROM signing_programs WHERE request_id = $1";

/// Where nearly all requests end.
const SIGNED: &str = "Signed";

const SUBMITTED: &str = "submitters_id IN (SELECT set_id FROM submitter_set_members WHERE identity_id IN (?))";

const WITH_PAIR: &str = "signing_metadata AS m JOIN signing_requests AS r ON r.id = m.request_id";
const HAS_PAIR: &str = "EXISTS (SELECT 1 FROM signing_metadata AS o \
    WHERE o.pair = ? AND o.request_name_key = m.request_name_key AND o.request_id = m.request_id)";
const HAS_FAILED: &str = "(state = ? OR (state = 'Approval' AND expires_at_ms <= ?))";
const CONTAINS: &str = "(name_key LIKE ? ESCAPE '\\' OR EXISTS (SELECT 1 FROM signing_claims AS c \
    WHERE c.request_id = id AND c.search_key LIKE ? ESCAPE '\\'))";

const STUB: &str =
    "id, service_id, policy_id, name, state, submitted_at_ms, expires_at_ms, pre_approval_id, digest, approval_digest";

/// Adds a request.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    inserting(tx, row, row.version)?.later(tx).await
}

/// The request with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// Changes a request that is still at the version that it was read at; false when somebody else was faster.
pub async fn change(tx: &mut Tx, before: &Row, change: &Change) -> Result<bool, StoreError> {
    let Change { state, reason, signature, decided_at_ms } = change.clone();
    let after = Row { state, reason, signature, decided_at_ms, version: before.version + 1, ..before.clone() };
    let mac = tx.seal(&Row::TABLE, &after.values(), after.version)?;
    let rows = sql(CHANGE)
        .bind(before.id)
        .bind(before.version)
        .bind(&after.state)
        .bind(after.reason)
        .bind(after.signature)
        .bind(after.decided_at_ms)
        .bind(after.version)
        .bind(mac)
        .execute(tx)
        .await?;
    Ok(rows == 1)
}

/// How many signatures were made under a policy after this moment, and when the first of them was.
pub async fn signed_since(tx: &mut Tx, policy_id: Uuid, since_ms: i64) -> Result<(i64, Option<i64>), StoreError> {
    let signed: Signed = sql(SIGNED_SINCE).bind(policy_id).bind(since_ms).one(tx).await?;
    Ok((signed.count, signed.earliest_ms))
}

/// Requests whose time to wait was over by `now_ms`, from after this moment and id on, in this order.
pub async fn overdue(
    tx: &mut Tx,
    (from_ms, from_id): (i64, Uuid),
    now_ms: i64,
    limit: u32,
) -> Result<Vec<Overdue>, StoreError> {
    sql(OVERDUE).bind(from_ms).bind(from_id).bind(now_ms).bind(limit).all(tx).await
}

/// The last manifest that was signed under a policy before this moment.
pub async fn last_manifest(tx: &mut Tx, policy_id: Uuid, before_ms: i64) -> Result<Option<Uuid>, StoreError> {
    sql(LAST_MANIFEST).bind(policy_id).bind(before_ms).optional(tx).await
}

/// Stores a request's payload.
pub async fn insert_payload(tx: &mut Tx, request_id: Uuid, payload: &[u8]) -> Result<(), StoreError> {
    sql(INSERT_PAYLOAD).bind(request_id).bind(payload).later(tx).await
}

/// How long a request's payload is, where it was uploaded; the payload itself is not read.
pub async fn payload_size(tx: &mut Tx, request_id: Uuid) -> Result<Option<i64>, StoreError> {
    sql(PAYLOAD_SIZE).bind(request_id).optional(tx).await
}

/// A request's payload, where it was uploaded.
pub async fn payload(tx: &mut Tx, request_id: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
    let payload: Option<Payload> = sql(PAYLOAD).bind(request_id).optional(tx).await?;
    Ok(payload.map(|payload| payload.0))
}

/// Keeps the hashes of a program's pages.
pub async fn insert_page_hashes(tx: &mut Tx, request_id: Uuid, page_hashes: &[u8]) -> Result<(), StoreError> {
    authority::insert(tx, &PageHashes { request_id, page_hashes: page_hashes.to_vec() }).await
}

/// The hashes of a program's pages, where they are to be signed.
pub async fn page_hashes(tx: &mut Tx, request_id: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
    let page_hashes: Option<PageHashes> = sql(PAGE_HASHES).bind(request_id).optional(tx).await?;
    Ok(page_hashes.map(|row| row.page_hashes))
}

/// Keeps what a signature says of a program: its name and its address.
pub async fn insert_program(
    tx: &mut Tx,
    request_id: Uuid,
    name: Option<&str>,
    url: Option<&str>,
) -> Result<(), StoreError> {
    let (name, url) = (name.map(str::to_owned), url.map(str::to_owned));
    authority::insert(tx, &Program { request_id, name, url }).await
}

/// The name and the address of a program, where they are to be signed.
pub async fn program(tx: &mut Tx, request_id: Uuid) -> Result<Option<(Option<String>, Option<String>)>, StoreError> {
    let program: Option<Program> = sql(PROGRAM).bind(request_id).optional(tx).await?;
    Ok(program.map(|program| (program.name, program.url)))
}

/// The requests that pass a filter, by name.
pub async fn list(tx: &mut Tx, filter: Filter, page: &Page) -> Result<Listed<Stub>, StoreError> {
    list_of(tx, filter).await?.page(tx, page).await
}

/// The list along the index that leaves the fewest others to look at: few requests are not signed, and few submitters or
/// services are asked for.
pub(crate) async fn list_of(tx: &mut Tx, filter: Filter) -> Result<List, StoreError> {
    const STATE: &str = "state <> 'Signed' AND state = ?";
    let Filter { service_id, pre_approval_id, state, unexpired_at_ms, failed_at_ms, search, mut pairs, submitters } =
        filter;
    let pair = pairs.pop();
    let list = match &pair {
        None => List::new(STUB, "signing_requests", Order::Name("name_key", "id")),
        Some(_) => List::new(STUB, WITH_PAIR, Order::Name("request_name_key", "request_id")),
    };
    let list = list.filter("(expires_at_ms IS NULL OR expires_at_ms > ?)", unexpired_at_ms);
    let list = match search.filter(|term| !term.is_empty()).map(|term| pattern(&term)) {
        None => list,
        Some(pattern) => list.filter_each(CONTAINS, [(&pattern).into_value(), pattern.into_value()]),
    };
    let list = pairs.into_iter().fold(list, |list, pair| list.filter(HAS_PAIR, Some(pair)));
    let signed = state.as_deref() == Some(SIGNED);
    let list = list.filter("state = ?", state.as_deref().filter(|_| signed));
    let by_state = state.filter(|_| !signed);
    if let Some(pair) = pair {
        let failed = failed_at_ms.map(|now| ["Failed".into_value(), now.into_value()]);
        let list = list.arm("pair = ?", [pair.into_value()]).filter("state = ?", by_state);
        let list = failed.into_iter().fold(list, |list, values| list.filter_each(HAS_FAILED, values));
        let list = list.filter("pre_approval_id = ?", pre_approval_id).filter("service_id = ?", service_id);
        return Ok(list.filter_in(SUBMITTED, submitters));
    }
    let has_state = by_state.is_some() || failed_at_ms.is_some();
    let list = match (by_state, failed_at_ms) {
        (Some(state), _) => list.arm(STATE, [state.into_value()]),
        (None, Some(now)) => list
            .arm(STATE, ["Failed".into_value()])
            .arm("state <> 'Signed' AND state = 'Approval' AND expires_at_ms <= ?", [now.into_value()]),
        (None, None) => list,
    };
    if has_state {
        let list = list.filter("pre_approval_id = ?", pre_approval_id).filter("service_id = ?", service_id);
        return Ok(list.filter_in(SUBMITTED, submitters));
    }
    if let Some(pre_approval) = pre_approval_id {
        let list = list.arm("pre_approval_id = ?", [pre_approval.into_value()]).filter("service_id = ?", service_id);
        return Ok(list.filter_in(SUBMITTED, submitters));
    }
    let sets = match &submitters {
        None => None,
        Some(identities) => Some(submitter_sets::of_any(tx, identities).await?),
    };
    if let Some(sets) = sets.filter(|sets| sets.len() <= ARMS_MAX) {
        return Ok(list.arms("submitters_id = ?", sets).filter("service_id = ?", service_id));
    }
    let list = list.filter_in(SUBMITTED, submitters);
    if let Some(service) = service_id {
        return Ok(list.arm("service_id = ?", [service.into_value()]));
    }
    let services = services::ids(tx, ARMS_MAX + 1).await?;
    // With more services than one statement takes they are sorted.
    Ok(if services.len() <= ARMS_MAX { list.arms_of_all("service_id = ?", services) } else { list })
}

struct Signed {
    count: i64,
    earliest_ms: Option<i64>,
}

impl FromColumns for Signed {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { count: columns.get("signed")?, earliest_ms: columns.optional("earliest")? })
    }
}

struct Payload(Vec<u8>);

impl FromColumns for Payload {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self(columns.get("payload")?))
    }
}

/// The hashes of a program's pages, as stored.
pub(crate) struct PageHashes {
    request_id: Uuid,
    page_hashes: Vec<u8>,
}

authority!(PageHashes, "signing_page_hashes", keys 1, { request_id, page_hashes });

/// What a signature says of a program, as stored.
pub(crate) struct Program {
    request_id: Uuid,
    name: Option<String>,
    url: Option<String>,
}

authority!(Program, "signing_programs", keys 1, { request_id, name, url });

impl FromColumns for Stub {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            service_id: columns.get("service_id")?,
            policy_id: columns.get("policy_id")?,
            name: columns.get("name")?,
            state: columns.get("state")?,
            submitted_at_ms: columns.get("submitted_at_ms")?,
            expires_at_ms: columns.optional("expires_at_ms")?,
            pre_approval_id: columns.optional("pre_approval_id")?,
            approval_digest: match columns.optional("approval_digest")? {
                Some(digest) => digest,
                None => columns.get("digest")?,
            },
        })
    }
}

authority!(Row, "signing_requests", keys 1, {
    id, service_id, policy_id, name, name_key, state, reason, digest, signature, required_at_submission,
    submitted_at_ms, decided_at_ms, expires_at_ms, existing_signature, pre_approval_id, repeats_id, items,
    submitters_id, version, approval_digest,
});

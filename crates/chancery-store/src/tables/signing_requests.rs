//! Signing requests, who submitted them, and their payloads.

use std::fmt::Write as _;

use uuid::Uuid;

use crate::{Columns, FromColumns, Statement, StoreError, Tx, generated_sql, sql};

/// A request as stored, without its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub uuid: Uuid,
    /// The service whose key signs.
    pub service_uuid: Uuid,
    /// The policy it is under.
    pub policy_uuid: Uuid,
    /// Its name as people wrote it.
    pub name: String,
    /// The name in lower case, for searches.
    pub name_folded: String,
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
    pub submitted_at: i64,
    /// When it was signed, denied or failed.
    pub decided_at: Option<i64>,
    /// How often it has changed.
    pub version: i64,
}

/// What a list reads of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    /// Its id.
    pub uuid: Uuid,
    /// The service whose key signs.
    pub service_uuid: Uuid,
    /// The policy it is under.
    pub policy_uuid: Uuid,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub state: String,
    /// When it was submitted.
    pub submitted_at: i64,
}

/// An identity of the session that submitted a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitter {
    /// The identity.
    pub uuid: Uuid,
    /// Its name at that time.
    pub name: String,
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
    pub decided_at: Option<i64>,
}

/// Which requests a list shall have; what is absent does not filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this service.
    pub service_uuid: Option<Uuid>,
    /// Only in this state.
    pub state: Option<String>,
    /// Only where the folded name is like this pattern.
    pub name_pattern: Option<String>,
    /// Only those that one of these identities submitted.
    pub submitters: Option<Vec<Uuid>>,
}

const INSERT: &str = "INSERT INTO signing_requests \
    (uuid, service_uuid, policy_uuid, name, name_folded, state, reason, digest, signature, required_at_submission, \
    submitted_at, decided_at, version) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
const BY_ID: &str = "SELECT uuid, service_uuid, policy_uuid, name, name_folded, state, reason, digest, signature, \
    required_at_submission, submitted_at, decided_at, version FROM signing_requests WHERE uuid = $1";
const CHANGE: &str = "UPDATE signing_requests \
    SET state = $3, reason = $4, signature = $5, decided_at = $6, version = version + 1 \
    WHERE uuid = $1 AND version = $2";
const INSERT_PAYLOAD: &str = "INSERT INTO signing_payloads (request_uuid, payload) VALUES ($1, $2)";
const PAYLOAD: &str = "SELECT payload FROM signing_payloads WHERE request_uuid = $1";
const INSERT_SUBMITTER: &str =
    "INSERT INTO signing_submitters (request_uuid, identity_uuid, identity_name) VALUES ($1, $2, $3)";
const SUBMITTERS: &str = "SELECT identity_uuid, identity_name FROM signing_submitters \
    WHERE request_uuid = $1 ORDER BY identity_name, identity_uuid";

/// Adds a request.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(INSERT)
        .bind(row.uuid)
        .bind(row.service_uuid)
        .bind(row.policy_uuid)
        .bind(&row.name)
        .bind(&row.name_folded)
        .bind(&row.state)
        .bind(row.reason.as_ref())
        .bind(&row.digest)
        .bind(row.signature.as_ref())
        .bind(row.required_at_submission)
        .bind(row.submitted_at)
        .bind(row.decided_at)
        .bind(row.version)
        .execute(tx)
        .await?;
    Ok(())
}

/// The request with this id.
pub async fn by_id(tx: &mut Tx, uuid: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(uuid).optional(tx).await
}

/// Changes a request that is still at this version; false when somebody else was faster.
pub async fn change(tx: &mut Tx, uuid: Uuid, version: i64, change: &Change) -> Result<bool, StoreError> {
    let rows = sql(CHANGE)
        .bind(uuid)
        .bind(version)
        .bind(&change.state)
        .bind(change.reason.as_ref())
        .bind(change.signature.as_ref())
        .bind(change.decided_at)
        .execute(tx)
        .await?;
    Ok(rows == 1)
}

/// Stores a request's payload.
pub async fn insert_payload(tx: &mut Tx, request_uuid: Uuid, payload: &[u8]) -> Result<(), StoreError> {
    sql(INSERT_PAYLOAD).bind(request_uuid).bind(payload).execute(tx).await?;
    Ok(())
}

/// A request's payload, where it was uploaded.
pub async fn payload(tx: &mut Tx, request_uuid: Uuid) -> Result<Option<Vec<u8>>, StoreError> {
    let payload: Option<Payload> = sql(PAYLOAD).bind(request_uuid).optional(tx).await?;
    Ok(payload.map(|payload| payload.0))
}

/// Records who submitted a request.
pub async fn insert_submitter(tx: &mut Tx, request_uuid: Uuid, submitter: &Submitter) -> Result<(), StoreError> {
    sql(INSERT_SUBMITTER).bind(request_uuid).bind(submitter.uuid).bind(&submitter.name).execute(tx).await?;
    Ok(())
}

/// Who submitted a request.
pub async fn submitters(tx: &mut Tx, request_uuid: Uuid) -> Result<Vec<Submitter>, StoreError> {
    sql(SUBMITTERS).bind(request_uuid).all(tx).await
}

/// The requests that pass a filter, by name and id.
pub async fn list(tx: &mut Tx, filter: &Filter, limit: i64, offset: i64) -> Result<Vec<Stub>, StoreError> {
    let (conditions, next) = filter.conditions();
    let text = format!(
        "SELECT uuid, service_uuid, policy_uuid, name, state, submitted_at FROM signing_requests{conditions} \
        ORDER BY name, uuid LIMIT ${next} OFFSET ${}",
        next + 1
    );
    filter.bind(generated_sql(text)).bind(limit).bind(offset).all(tx).await
}

/// How many requests pass a filter.
pub async fn count(tx: &mut Tx, filter: &Filter) -> Result<i64, StoreError> {
    let text = format!("SELECT COUNT(*) FROM signing_requests{}", filter.conditions().0);
    filter.bind(generated_sql(text)).one(tx).await
}

impl Filter {
    /// The WHERE clause, and the number of the parameter after its last. Only what filters is named: an optional
    /// condition on a parameter would keep the database from using an index.
    fn conditions(&self) -> (String, usize) {
        let (mut text, mut next) = (String::new(), 1);
        let mut condition = |columns: &str, parameters: usize, close: &str| {
            let list: Vec<_> = (next..next + parameters).map(|n| format!("${n}")).collect();
            text.push_str(if text.is_empty() { " WHERE " } else { " AND " });
            let _ = write!(text, "{columns}{}{close}", list.join(", "));
            next += parameters;
        };
        if self.service_uuid.is_some() {
            condition("service_uuid = ", 1, "");
        }
        if self.state.is_some() {
            condition("state = ", 1, "");
        }
        if self.name_pattern.is_some() {
            condition("name_folded LIKE ", 1, " ESCAPE '\\'");
        }
        if let Some(submitters) = &self.submitters {
            let open = "uuid IN (SELECT request_uuid FROM signing_submitters WHERE identity_uuid IN (";
            condition(open, submitters.len(), "))");
        }
        (text, next)
    }

    /// Binds what [`conditions`](Self::conditions) names, in its order.
    fn bind(&self, mut statement: Statement) -> Statement {
        if let Some(service_uuid) = self.service_uuid {
            statement = statement.bind(service_uuid);
        }
        for text in [&self.state, &self.name_pattern].into_iter().flatten() {
            statement = statement.bind(text);
        }
        self.submitters.iter().flatten().fold(statement, |statement, uuid| statement.bind(*uuid))
    }
}

struct Payload(Vec<u8>);

impl FromColumns for Payload {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self(columns.get("payload")?))
    }
}

impl FromColumns for Submitter {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self { uuid: columns.get("identity_uuid")?, name: columns.get("identity_name")? })
    }
}

impl FromColumns for Stub {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            uuid: columns.get("uuid")?,
            service_uuid: columns.get("service_uuid")?,
            policy_uuid: columns.get("policy_uuid")?,
            name: columns.get("name")?,
            state: columns.get("state")?,
            submitted_at: columns.get("submitted_at")?,
        })
    }
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            uuid: columns.get("uuid")?,
            service_uuid: columns.get("service_uuid")?,
            policy_uuid: columns.get("policy_uuid")?,
            name: columns.get("name")?,
            name_folded: columns.get("name_folded")?,
            state: columns.get("state")?,
            reason: columns.optional("reason")?,
            digest: columns.get("digest")?,
            signature: columns.optional("signature")?,
            required_at_submission: columns.get("required_at_submission")?,
            submitted_at: columns.get("submitted_at")?,
            decided_at: columns.optional("decided_at")?,
            version: columns.get("version")?,
        })
    }
}

//! Signing policies: under which rules a service signs.

use uuid::Uuid;

use crate::statement::{IDS_MAX, parameters};
use crate::value::Bind;
use crate::{Columns, FromColumns, StoreError, Tx, generated_sql, sql};

/// A policy as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its id.
    pub id: Uuid,
    /// The service it belongs to.
    pub service_id: Uuid,
    /// Its name, unique in the service.
    pub name: String,
    /// Approvals that a request needs.
    pub num_approvals: u32,
    /// The hash of the signatures.
    pub hash_algorithm: String,
    /// Whether RSA signs with PSS.
    pub rsa_pss: bool,
    /// Whether signatures carry a time stamp.
    pub time_stamp: bool,
    /// Whether submitters may approve.
    pub self_approval: String,
    /// What it demands besides, in JSON.
    pub rules: String,
}

const INSERT: &str = "INSERT INTO signing_policies \
    (id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval, rules, time_stamp) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (service_id, name) DO NOTHING";
const BY_ID: &str = "SELECT \
    id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval, rules, time_stamp \
    FROM signing_policies WHERE id = $1";
const OF_SERVICE: &str = "SELECT \
    id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval, rules, time_stamp \
    FROM signing_policies WHERE service_id = $1 ORDER BY name, id";
const OF_SERVICES: &str = "SELECT \
    id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval, rules, time_stamp FROM signing_policies";
const CHANGE: &str = "UPDATE signing_policies SET name = $2, num_approvals = $3, self_approval = $4, rules = $5, \
    time_stamp = $6 WHERE id = $1";
const NAME_TAKEN: &str = "SELECT COUNT(*) FROM signing_policies WHERE service_id = $1 AND name = $2 AND id <> $3";

/// Adds a policy; false when its service has one of this name.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    let rows = sql(INSERT)
        .bind(row.id)
        .bind(row.service_id)
        .bind(&row.name)
        .bind(row.num_approvals)
        .bind(&row.hash_algorithm)
        .bind(row.rsa_pss)
        .bind(&row.self_approval)
        .bind(&row.rules)
        .bind(row.time_stamp)
        .execute(tx)
        .await?;
    Ok(rows == 1)
}

/// Changes what of a policy can change: name, approvals, self-approval, rules and time stamps.
pub async fn change(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    sql(CHANGE)
        .bind(row.id)
        .bind(&row.name)
        .bind(row.num_approvals)
        .bind(&row.self_approval)
        .bind(&row.rules)
        .bind(row.time_stamp)
        .execute(tx)
        .await?;
    Ok(())
}

/// Whether another policy of the service has this name.
pub async fn name_taken(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    Ok(sql(NAME_TAKEN).bind(row.service_id).bind(&row.name).bind(row.id).one::<i64>(tx).await? > 0)
}

/// The policy with this id.
pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<Row>, StoreError> {
    sql(BY_ID).bind(id).optional(tx).await
}

/// The policies of a service, by name and id.
pub async fn of_service(tx: &mut Tx, service_id: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_SERVICE).bind(service_id).all(tx).await
}

/// The policies of these services, by name and id.
pub async fn of_services(tx: &mut Tx, service_ids: &[Uuid]) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    for ids in service_ids.chunks(IDS_MAX) {
        let places = parameters(1, ids.len());
        let text = format!("{OF_SERVICES} WHERE service_id IN ({places}) ORDER BY name, id");
        let values: Vec<_> = ids.iter().map(|id| (*id).into_value()).collect();
        rows.extend(generated_sql(text).bind_all(&values).all::<Row>(tx).await?);
    }
    Ok(rows)
}

/// What a signature hangs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The policy.
    pub policy: Row,
    /// Its service's certificate.
    pub certificate_id: Uuid,
    /// What the log tells of the service's signatures.
    pub log: String,
    /// Whether the certificate's key may be used at all.
    pub key_state: String,
    /// What it may be used for, as JSON.
    pub key_usages: String,
    /// Its version that signs.
    pub key_version: i64,
    /// How many of the certificate's chain are revoked or on hold.
    pub revoked: i64,
}

/// How a policy stands, and what its service signs with, whose chain this is: in one statement, since it is asked for
/// each signature.
pub async fn standing(tx: &mut Tx, id: Uuid, chain: &[Uuid]) -> Result<Option<Standing>, StoreError> {
    let text = format!(
        "SELECT policies.id, policies.service_id, policies.name, policies.num_approvals, policies.hash_algorithm, \
         policies.rsa_pss, policies.self_approval, policies.rules, policies.time_stamp, \
         services.certificate_id, services.log, keys.state AS key_state, keys.usages AS key_usages, \
         keys.current_version AS key_version, \
         (SELECT COUNT(*) FROM certificates WHERE id IN ({}) AND revoked_at_s IS NOT NULL) AS revoked \
         FROM signing_policies AS policies JOIN services ON services.id = policies.service_id \
         JOIN certificates AS signing ON signing.id = services.certificate_id \
         JOIN keys ON keys.id = signing.key_id WHERE policies.id = $1",
        parameters(2, chain.len()),
    );
    let chain: Vec<_> = chain.iter().map(|id| (*id).into_value()).collect();
    generated_sql(text).bind(id).bind_all(&chain).optional(tx).await
}

impl FromColumns for Standing {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            policy: Row::from_columns(columns)?,
            certificate_id: columns.get("certificate_id")?,
            log: columns.get("log")?,
            key_state: columns.get("key_state")?,
            key_usages: columns.get("key_usages")?,
            key_version: columns.get("key_version")?,
            revoked: columns.get("revoked")?,
        })
    }
}

impl FromColumns for Row {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            id: columns.get("id")?,
            service_id: columns.get("service_id")?,
            name: columns.get("name")?,
            num_approvals: columns.get("num_approvals")?,
            hash_algorithm: columns.get("hash_algorithm")?,
            rsa_pss: columns.get("rsa_pss")?,
            self_approval: columns.get("self_approval")?,
            rules: columns.get("rules")?,
            time_stamp: columns.get("time_stamp")?,
        })
    }
}

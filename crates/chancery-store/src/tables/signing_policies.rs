//! Signing policies: under which rules a service signs.

use uuid::Uuid;

use crate::authority::{self, amend, authority};
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

const BY_ID: &str = "SELECT \
    id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval, rules, time_stamp, mac \
    FROM signing_policies WHERE id = $1";
const OF_SERVICE: &str = "SELECT \
    id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval, rules, time_stamp, mac \
    FROM signing_policies WHERE service_id = $1 ORDER BY name, id";
const OF_SERVICES: &str = "SELECT \
    id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval, rules, time_stamp, mac \
    FROM signing_policies";
const NAME_TAKEN: &str = "SELECT COUNT(*) FROM signing_policies WHERE service_id = $1 AND name = $2 AND id <> $3";

/// Adds a policy; false when its service has one of this name.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<bool, StoreError> {
    authority::insert_if_new(tx, row).await
}

/// Changes what of a policy can change: name, approvals, self-approval, rules and time stamps.
pub async fn change(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    let new = row.clone();
    let changed = amend(tx, vec![row.id.into_value()], |old: &mut Row| {
        let Row { id, service_id, hash_algorithm, rsa_pss, .. } = old.clone();
        *old = Row { id, service_id, hash_algorithm, rsa_pss, ..new };
        true
    });
    changed.await.map(drop)
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

/// The policies of these services, by name and id, but for those that are not what they say.
pub async fn of_services(tx: &mut Tx, service_ids: &[Uuid]) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    for ids in service_ids.chunks(IDS_MAX) {
        let places = parameters(1, ids.len());
        let text = format!("{OF_SERVICES} WHERE service_id IN ({places}) ORDER BY name, id");
        let values: Vec<_> = ids.iter().map(|id| (*id).into_value()).collect();
        rows.extend(generated_sql(text).bind_all(&values).authentic::<Row>(tx).await?);
    }
    Ok(rows)
}

/// The MACs of everything that a signature hangs on. Where they are the same, so is all that was read with them: who
/// changes a row outside of Chancery and leaves its MAC changes nothing of what was authentic when it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing(Vec<Option<Vec<u8>>>);

/// How a policy stands, and what its service signs with, whose chain this is: in one statement, since it is asked for
/// each signature.
pub async fn standing(tx: &mut Tx, id: Uuid, chain: &[Uuid]) -> Result<Option<Standing>, StoreError> {
    let links: Vec<_> = (2..chain.len() + 2)
        .map(|number| format!(", (SELECT mac FROM certificates WHERE id = ${number}) AS link_{number}"))
        .collect();
    let text = format!(
        "SELECT policies.mac AS policy, services.mac AS service, signing.mac AS certificate, keys.mac AS key{} \
         FROM signing_policies AS policies JOIN services ON services.id = policies.service_id \
         JOIN certificates AS signing ON signing.id = services.certificate_id \
         JOIN keys ON keys.id = signing.key_id WHERE policies.id = $1",
        links.concat(),
    );
    let chain: Vec<_> = chain.iter().map(|id| (*id).into_value()).collect();
    generated_sql(text).bind(id).bind_all(&chain).optional(tx).await
}

impl FromColumns for Standing {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        columns.macs(0).map(Self)
    }
}

authority!(Row, "signing_policies", keys 1, {
    id, service_id, name, num_approvals, hash_algorithm, rsa_pss, self_approval, rules, time_stamp,
});

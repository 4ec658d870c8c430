//! What passkeys signed of approvals, of signing requests and of proposals.

use uuid::Uuid;

use crate::authority::{self, authority};
use crate::{StoreError, Tx, sql};

/// What one identity signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The request or the proposal.
    pub subject_id: Uuid,
    /// The identity.
    pub identity_id: Uuid,
    /// The version of the subject that the approval made.
    pub version: i64,
    /// The text that was signed.
    pub statement: String,
    /// The passkey.
    pub passkey_id: Uuid,
    /// By which the authenticator knows it.
    pub credential_id: Vec<u8>,
    /// SubjectPublicKeyInfo in DER.
    pub public_key: Vec<u8>,
    /// `clientDataJSON`.
    pub client_data: Vec<u8>,
    /// `authenticatorData`.
    pub authenticator_data: Vec<u8>,
    /// `signature`.
    pub signature: Vec<u8>,
}

const OF_SUBJECT: &str = "SELECT subject_id, identity_id, version, statement, passkey_id, credential_id, public_key, \
    client_data, authenticator_data, signature, mac FROM approval_signatures WHERE subject_id = $1 \
    ORDER BY version, identity_id";

/// Adds what an identity signed.
pub async fn insert(tx: &mut Tx, row: &Row) -> Result<(), StoreError> {
    authority::insert(tx, row).await
}

/// What was signed of a subject, oldest first.
pub async fn of(tx: &mut Tx, subject: Uuid) -> Result<Vec<Row>, StoreError> {
    sql(OF_SUBJECT).bind(subject).all(tx).await
}

authority!(Row, "approval_signatures", keys 2, {
    subject_id, identity_id, version, statement, passkey_id, credential_id, public_key, client_data, authenticator_data,
    signature,
});

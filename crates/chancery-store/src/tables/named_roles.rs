//! Where roles are named that give rights beside their permissions.

use uuid::Uuid;

use crate::{StoreError, Tx, sql};

const BY_TOKEN_PROFILES: &str = "SELECT COUNT(*) FROM token_profiles WHERE control_rules LIKE $1";
const BY_POLICIES: &str = "SELECT COUNT(*) FROM signing_policies WHERE rules LIKE $1";
const BY_CERTIFICATES: &str = "SELECT (SELECT COUNT(*) FROM cert_profiles WHERE profile LIKE $1) \
    + (SELECT COUNT(*) FROM certificates WHERE trusted = 1 AND approval LIKE $1)";

/// Whether a Control Rule of some token profile names this role.
pub async fn by_token_profiles(tx: &mut Tx, role: Uuid) -> Result<bool, StoreError> {
    named(tx, BY_TOKEN_PROFILES, role).await
}

/// Whether some signing policy names this role, as its submitters' or its approvers'.
pub async fn by_policies(tx: &mut Tx, role: Uuid) -> Result<bool, StoreError> {
    named(tx, BY_POLICIES, role).await
}

/// Whether the approvals that some certificate profile or authority demands name this role.
pub async fn by_certificates(tx: &mut Tx, role: Uuid) -> Result<bool, StoreError> {
    named(tx, BY_CERTIFICATES, role).await
}

/// Rules are kept as JSON, in which an id has one spelling and stands for nothing else.
async fn named(tx: &mut Tx, question: &'static str, role: Uuid) -> Result<bool, StoreError> {
    Ok(sql(question).bind(format!("%\"{role}\"%")).one::<i64>(tx).await? > 0)
}

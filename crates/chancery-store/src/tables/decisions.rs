//! What people decided on signing requests and on proposals, each decision in the name of all identities of one session.
//! Both have tables of the same shape.

use uuid::Uuid;

use crate::{Columns, FromColumns, StoreError, Tx, sql};

/// What is decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// Signing requests.
    Request,
    /// Proposals.
    Proposal,
}

/// One decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The request or the proposal.
    pub subject_id: Uuid,
    /// The version of the subject that this decision made.
    pub version: i64,
    /// What was decided.
    pub decision: String,
    /// What was said about it.
    pub note: String,
    /// The roles that were held with it, as a JSON array.
    pub roles: String,
    /// When.
    pub decided_at_ms: i64,
}

/// One identity in whose name a decision was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The version of the subject that the decision made.
    pub version: i64,
    /// The identity.
    pub id: Uuid,
    /// Its name at that time.
    pub name: String,
}

struct Statements {
    insert: &'static str,
    insert_identity: &'static str,
    decisions: &'static str,
    identities: &'static str,
}

macro_rules! statements {
    ($decisions:literal, $identities:literal, $subject:literal) => {
        Statements {
            insert: concat!(
                "INSERT INTO ",
                $decisions,
                " (",
                $subject,
                ", version, decision, note, roles, decided_at_ms) VALUES ($1, $2, $3, $4, $5, $6)"
            ),
            insert_identity: concat!(
                "INSERT INTO ",
                $identities,
                " (",
                $subject,
                ", version, decision, identity_id, identity_name) VALUES ($1, $2, $3, $4, $5)"
            ),
            decisions: concat!(
                "SELECT ",
                $subject,
                " AS subject_id, version, decision, note, roles, decided_at_ms FROM ",
                $decisions,
                " WHERE ",
                $subject,
                " = $1 ORDER BY version"
            ),
            identities: concat!(
                "SELECT version, identity_id, identity_name FROM ",
                $identities,
                " WHERE ",
                $subject,
                " = $1 ORDER BY version, identity_name, identity_id"
            ),
        }
    };
}

impl On {
    const fn statements(self) -> Statements {
        match self {
            Self::Request => statements!("approvals", "approval_identities", "request_id"),
            Self::Proposal => statements!("proposal_decisions", "proposal_identities", "proposal_id"),
        }
    }
}

/// Adds a decision.
pub async fn insert(tx: &mut Tx, on: On, row: &Decision) -> Result<(), StoreError> {
    sql(on.statements().insert)
        .bind(row.subject_id)
        .bind(row.version)
        .bind(&row.decision)
        .bind(&row.note)
        .bind(&row.roles)
        .bind(row.decided_at_ms)
        .execute(tx)
        .await?;
    Ok(())
}

/// Adds an identity to a decision.
pub async fn insert_identity(tx: &mut Tx, on: On, row: &Decision, id: Uuid, name: &str) -> Result<(), StoreError> {
    sql(on.statements().insert_identity)
        .bind(row.subject_id)
        .bind(row.version)
        .bind(&row.decision)
        .bind(id)
        .bind(name)
        .execute(tx)
        .await?;
    Ok(())
}

/// The decisions on a subject, oldest first.
pub async fn of(tx: &mut Tx, on: On, subject_id: Uuid) -> Result<Vec<Decision>, StoreError> {
    sql(on.statements().decisions).bind(subject_id).all(tx).await
}

/// The identities of all decisions on a subject, by decision.
pub async fn identities(tx: &mut Tx, on: On, subject_id: Uuid) -> Result<Vec<Identity>, StoreError> {
    sql(on.statements().identities).bind(subject_id).all(tx).await
}

impl FromColumns for Decision {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            subject_id: columns.get("subject_id")?,
            version: columns.get("version")?,
            decision: columns.get("decision")?,
            note: columns.get("note")?,
            roles: columns.get("roles")?,
            decided_at_ms: columns.get("decided_at_ms")?,
        })
    }
}

impl FromColumns for Identity {
    fn from_columns(columns: &Columns) -> Result<Self, StoreError> {
        Ok(Self {
            version: columns.get("version")?,
            id: columns.get("identity_id")?,
            name: columns.get("identity_name")?,
        })
    }
}
